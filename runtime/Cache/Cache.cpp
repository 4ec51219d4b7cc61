// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Cache/Cache.h"

#include <cstdlib>
#include <cstring>

using namespace tilewright::runtime;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// A variable's value; empty where it is not set.
static std::string readVariable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

CacheOptions CacheOptions::fromEnvironment() {
  CacheOptions options;
  if (readVariable("TILEWRIGHT_CACHE") == "0")
    return options;
  options.sharedFolder = readVariable("TILEWRIGHT_SHARED_CACHE_DIR");
  options.folder = readVariable("TILEWRIGHT_CACHE_DIR");
  std::string base = readVariable("XDG_CACHE_HOME");
  // "All paths set in these variables must be absolute. If not, ignore them"
  // is the rule of the XDG base directories.
  if (options.folder.empty() && base.starts_with('/'))
    options.folder = base + "/tilewright";
  std::string home = readVariable("HOME");
  if (options.folder.empty() && home.starts_with('/'))
    options.folder = home + "/.cache/tilewright";
  return options;
}

//===----------------------------------------------------------------------===//
// Cache
//===----------------------------------------------------------------------===//

/// A key is a digest: any part of it is evenly spread.
size_t Cache::KeyHash::operator()(const CacheKey &key) const {
  size_t part;
  std::memcpy(&part, key.data(), sizeof(part));
  return part;
}

Cache::Cache(const CacheOptions &options, FileSystem &files)
    : options(options) {
  auto open = [&](const std::string &folder, FolderOwner owner) {
    std::unique_ptr<DiskStore> store;
    if (folder.empty())
      return store;
    Result<std::unique_ptr<DiskStore>> opened =
        DiskStore::open(folder, owner, files);
    if (opened)
      store = std::move(*opened);
    else
      troubles.push_back(opened.error().message);
    return store;
  };
  own = open(options.folder, FolderOwner::Self);
  shared = open(options.sharedFolder, FolderOwner::Shared);
}

CacheCounts Cache::counts() const {
  std::lock_guard lock(mutex);
  return numbers;
}

std::string Cache::whyUnkept() const {
  std::lock_guard lock(mutex);
  return lastProblem;
}

Result<Cache::Pointer> Cache::get(const CacheKey &key, const Compile &compile) {
  std::unique_lock lock(mutex);
  for (;;) {
    auto found = entries.find(key);
    if (found == entries.end())
      break;
    if (found->second.artifact) {
      ++numbers.memoryHits;
      uses.splice(uses.begin(), uses, found->second.use);
      return found->second.artifact;
    }
    // It is being made. Where that fails, this thread makes it next.
    changed.wait(lock);
  }
  entries.emplace(key, Entry());
  lock.unlock();
  uint64_t bytes = 0;
  Result<Pointer> made = make(key, compile, bytes);
  lock.lock();
  if (made)
    keep(key, *made, bytes);
  else
    entries.erase(key);
  changed.notify_all();
  return made;
}

/// What the folders have under the key, if it is an artifact.
Cache::Pointer Cache::findOnDisk(const CacheKey &key, uint64_t &bytes) {
  for (DiskStore *store : {own.get(), shared.get()}) {
    if (!store)
      continue;
    std::optional<std::vector<uint8_t>> content = store->find(key);
    if (!content)
      continue;
    Result<Artifact> artifact = parseArtifact(*content);
    if (!artifact)
      continue;
    bytes = content->size();
    std::lock_guard lock(mutex);
    ++(store == own.get() ? numbers.diskHits : numbers.sharedHits);
    return std::make_shared<const Artifact>(*std::move(artifact));
  }
  return nullptr;
}

Result<Cache::Pointer> Cache::make(const CacheKey &key, const Compile &compile,
                                   uint64_t &bytes) {
  if (Pointer artifact = findOnDisk(key, bytes))
    return artifact;
  std::unique_ptr<KeyLock> keyLock;
  if (own) {
    keyLock = own->lock(key, options.lockPatience);
    // Another process may have made it while this one waited.
    if (Pointer artifact = findOnDisk(key, bytes))
      return artifact;
  }
  {
    std::lock_guard lock(mutex);
    ++numbers.compilations;
  }
  Result<Artifact> artifact = compile();
  if (!artifact)
    return artifact.takeError();
  Result<std::vector<uint8_t>> content = serializeArtifact(*artifact);
  if (!content)
    return content.takeError();
  bytes = content->size();
  if (Result<void> kept = own ? own->publish(key, *content) : success();
      !kept) {
    std::lock_guard lock(mutex);
    ++numbers.unkept;
    lastProblem = kept.error().message;
  } else if (own) {
    own->pruneSometimes(options.diskLimits, options.pruneInterval);
  }
  return Pointer(std::make_shared<const Artifact>(*std::move(artifact)));
}

/// With the lock held.
void Cache::keep(const CacheKey &key, Pointer artifact, uint64_t bytes) {
  uses.push_front(key);
  entries[key] = {std::move(artifact), bytes, uses.begin()};
  bytesKept += bytes;
  evict();
}

/// With the lock held. The last used one stays whatever its size; one that
/// somebody uses is alive anyway, and is not counted out.
void Cache::evict() {
  for (auto use = std::prev(uses.end());
       bytesKept > options.memoryBytes && use != uses.begin();) {
    auto found = entries.find(*use);
    auto before = std::prev(use);
    if (found->second.artifact.use_count() == 1) {
      bytesKept -= found->second.bytes;
      entries.erase(found);
      uses.erase(use);
    }
    use = before;
  }
}
