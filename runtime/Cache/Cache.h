// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled kernels by key: in memory, over folders on disk, over a compiler.
//
// Threads that ask for one key at once wait for one of them to compile it;
// processes wait for each other through the disk store's locks. Trouble with
// the disk means that a kernel is compiled again, never that a call fails.

#ifndef TILEWRIGHT_RUNTIME_CACHE_CACHE_H
#define TILEWRIGHT_RUNTIME_CACHE_CACHE_H

#include "runtime/Artifact.h"
#include "runtime/Cache/DiskStore.h"

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <unordered_map>

namespace tilewright::runtime {

struct CacheOptions {
  /// The user's folder; empty: no files are kept.
  std::string folder;
  /// A folder prepared by somebody, which is only read; may be empty.
  std::string sharedFolder;
  DiskLimits diskLimits;
  /// Bytes of artifacts kept in memory beyond those in use.
  uint64_t memoryBytes = uint64_t(256) << 20;
  /// How long to wait for another process that compiles the same kernel before
  /// it is compiled here too.
  std::chrono::milliseconds lockPatience = std::chrono::minutes(2);
  /// Between cleanings of the folder, among all processes.
  std::chrono::seconds pruneInterval = std::chrono::minutes(20);

  /// As the environment says: TILEWRIGHT_CACHE_DIR, else tilewright in
  /// XDG_CACHE_HOME, else .cache/tilewright in HOME, else no files;
  /// TILEWRIGHT_SHARED_CACHE_DIR; TILEWRIGHT_CACHE=0 keeps no files.
  static CacheOptions fromEnvironment();
};

/// What has happened so far.
struct CacheCounts {
  uint64_t memoryHits = 0, diskHits = 0, sharedHits = 0, compilations = 0;
  /// Compilations that the user's folder did not take, where there is one.
  uint64_t unkept = 0;
};

class Cache {
public:
  using Compile = std::function<Result<Artifact>()>;

  /// A folder that cannot be used is left out; see problems().
  explicit Cache(const CacheOptions &options,
                 FileSystem &files = FileSystem::posix());

  /// The artifact of `key`, made by `compile` if there is none. Fails as
  /// `compile` does; a failure is not kept. `compile` runs in the caller's
  /// thread with no lock of this object held.
  Result<std::shared_ptr<const Artifact>> get(const CacheKey &key,
                                              const Compile &compile);

  CacheCounts counts() const;
  /// Why a folder is not used, one text for each; for people.
  const std::vector<std::string> &problems() const { return troubles; }
  /// Why the last compilation that was not kept was not; "" if all were.
  std::string whyUnkept() const;
  /// The user's folder; null where it is not used.
  DiskStore *disk() { return own.get(); }

private:
  using Pointer = std::shared_ptr<const Artifact>;

  /// One key, being made or there.
  struct Entry {
    /// Null while it is made.
    Pointer artifact;
    uint64_t bytes = 0;
    std::list<CacheKey>::iterator use;
  };
  struct KeyHash {
    size_t operator()(const CacheKey &key) const;
  };

  Result<Pointer> make(const CacheKey &key, const Compile &compile,
                       uint64_t &bytes);
  Pointer findOnDisk(const CacheKey &key, uint64_t &bytes);
  void keep(const CacheKey &key, Pointer artifact, uint64_t bytes);
  void evict();

  const CacheOptions options;
  std::unique_ptr<DiskStore> own, shared;
  std::vector<std::string> troubles;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::unordered_map<CacheKey, Entry, KeyHash> entries;
  /// Keys of artifacts, the last used first.
  std::list<CacheKey> uses;
  uint64_t bytesKept = 0;
  CacheCounts numbers;
  std::string lastProblem;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CACHE_CACHE_H
