// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache and its files: what is kept, what is damaged, what fails, who
// waits for whom.

#include "SampleArtifact.h"
#include "TemporaryFolder.h"

#include "runtime/Cache/Cache.h"
#include "runtime/Cache/Entry.h"

#include "gtest/gtest.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <random>
#include <thread>
#include <unistd.h>

using namespace tilewright::runtime;

namespace {

CacheKey keyOf(std::string_view text) {
  return KeyBuilder().add("text", text).finish();
}

/// A compiler that counts.
struct Compiler {
  std::atomic<unsigned> calls = 0;
  Result<Artifact> operator()() {
    ++calls;
    return sampleArtifact();
  }
};

CacheOptions optionsIn(const std::string &folder) {
  CacheOptions options;
  options.folder = folder;
  options.lockPatience = std::chrono::seconds(20);
  return options;
}

void expectArtifact(Cache &cache, const CacheKey &key, Compiler &compiler) {
  Result<std::shared_ptr<const Artifact>> found =
      cache.get(key, [&] { return compiler(); });
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(**found, sampleArtifact());
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

TEST(Key, HasEveryFieldAndItsPlace) {
  auto key = [](auto... fields) {
    KeyBuilder builder;
    (builder.add(fields.first, fields.second), ...);
    return builder.finish();
  };
  using Field = std::pair<std::string_view, std::string_view>;
  CacheKey first = key(Field("a", "b"), Field("c", "d"));
  EXPECT_EQ(first, key(Field("a", "b"), Field("c", "d")));
  EXPECT_NE(first, key(Field("c", "d"), Field("a", "b")));
  EXPECT_NE(first, key(Field("ab", ""), Field("c", "d")));
  EXPECT_NE(first, key(Field("a", "bc"), Field("", "d")));
  EXPECT_NE(first, key(Field("a", "b")));
  EXPECT_NE(key(std::pair("n", uint64_t(1))), key(std::pair("n", uint64_t(2))));
}

TEST(Key, IsReadBack) {
  CacheKey key = keyOf("x"), read;
  EXPECT_TRUE(parseKey(toHex(key), read));
  EXPECT_EQ(read, key);
  std::string text = toHex(key);
  for (std::string bad : {text.substr(1), text + "0", std::string(64, 'g'),
                          std::string(64, 'A'), std::string(64, ' ')})
    EXPECT_FALSE(parseKey(bad, read)) << bad;
}

//===----------------------------------------------------------------------===//
// Hits
//===----------------------------------------------------------------------===//

TEST(Cache, KeepsInMemoryAndOnDisk) {
  TemporaryFolder folder;
  Compiler compiler;
  Cache first(optionsIn(folder.path() + "/a/b"));
  ASSERT_TRUE(first.disk()) << first.problems().front();
  expectArtifact(first, keyOf("x"), compiler);
  expectArtifact(first, keyOf("x"), compiler);
  EXPECT_EQ(compiler.calls, 1u);
  EXPECT_EQ(first.counts().memoryHits, 1u);
  Cache second(optionsIn(folder.path() + "/a/b"));
  expectArtifact(second, keyOf("x"), compiler);
  EXPECT_EQ(compiler.calls, 1u);
  EXPECT_EQ(second.counts().diskHits, 1u);
  expectArtifact(second, keyOf("y"), compiler);
  EXPECT_EQ(compiler.calls, 2u);
}

TEST(Cache, KeepsNoFailure) {
  Cache cache((CacheOptions()));
  auto fail = []() -> Result<Artifact> {
    return Error{ErrorCode::Unsupported, "no"};
  };
  auto failed = cache.get(keyOf("x"), fail);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "no");
  Compiler compiler;
  expectArtifact(cache, keyOf("x"), compiler);
  EXPECT_EQ(compiler.calls, 1u);
}

TEST(Cache, ReadsASharedFolder) {
  TemporaryFolder folder;
  Compiler compiler;
  Cache maker(optionsIn(folder.path() + "/shared"));
  expectArtifact(maker, keyOf("x"), compiler);
  CacheOptions options = optionsIn(folder.path() + "/own");
  options.sharedFolder = folder.path() + "/shared";
  Cache cache(options);
  expectArtifact(cache, keyOf("x"), compiler);
  expectArtifact(cache, keyOf("y"), compiler);
  EXPECT_EQ(compiler.calls, 2u);
  EXPECT_EQ(cache.counts().sharedHits, 1u);
  // What is made goes to one's own folder.
  EXPECT_EQ(maker.disk()->list().size(), 1u);
  EXPECT_EQ(cache.disk()->list().size(), 1u);
}

TEST(Cache, ForgetsWhatWasUsedLongestAgo) {
  CacheOptions options;
  options.memoryBytes = 1; // All but the last one, and those in use.
  Cache cache(options);
  Compiler compiler;
  auto held = cache.get(keyOf("held"), [&] { return compiler(); });
  expectArtifact(cache, keyOf("x"), compiler);
  expectArtifact(cache, keyOf("y"), compiler);
  EXPECT_EQ(compiler.calls, 3u);
  expectArtifact(cache, keyOf("held"), compiler);
  EXPECT_EQ(compiler.calls, 3u);
  expectArtifact(cache, keyOf("x"), compiler);
  EXPECT_EQ(compiler.calls, 4u);
}

TEST(Cache, ThreadsCompileAKeyOnce) {
  TemporaryFolder folder;
  Cache cache(optionsIn(folder.path()));
  Compiler compiler;
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i)
    threads.emplace_back([&, i] {
      for (int key = 0; key < 20; ++key)
        expectArtifact(cache, keyOf(std::to_string((key + i) % 20)), compiler);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(compiler.calls, 20u);
}

//===----------------------------------------------------------------------===//
// Damage
//===----------------------------------------------------------------------===//

TEST(Entry, IsWholeOrNothing) {
  std::vector<uint8_t> content = bytesOf("some content of no great length");
  std::vector<uint8_t> entry = makeEntry(keyOf("x"), content);
  EXPECT_EQ(readEntry(keyOf("x"), entry), content);
  EXPECT_FALSE(readEntry(keyOf("y"), entry));
  for (size_t size = 0; size < entry.size(); ++size)
    EXPECT_FALSE(readEntry(keyOf("x"), std::span(entry).first(size)));
  for (size_t bit = 0; bit < 8 * entry.size(); ++bit) {
    entry[bit / 8] ^= 1 << (bit % 8);
    EXPECT_FALSE(readEntry(keyOf("x"), entry)) << bit;
    entry[bit / 8] ^= 1 << (bit % 8);
  }
  entry.push_back(0);
  EXPECT_FALSE(readEntry(keyOf("x"), entry));
}

/// 10,000 damaged files: each is compiled anew, and none is used.
TEST(Cache, SurvivesDamage) {
  TemporaryFolder folder;
  CacheKey key = keyOf("x");
  std::string file = folder.path() + "/" + toHex(key) + ".entry";
  Compiler compiler;
  {
    Cache cache(optionsIn(folder.path()));
    expectArtifact(cache, key, compiler);
  }
  std::vector<uint8_t> good = folder.read(file);
  std::mt19937 random(1);
  for (unsigned i = 1; i <= 10000; ++i) {
    std::vector<uint8_t> bad = good;
    if (i % 2)
      bad[random() % bad.size()] ^= 1 << (random() % 8);
    else
      bad.resize(random() % bad.size());
    folder.write(file, bad);
    Cache cache(optionsIn(folder.path()));
    expectArtifact(cache, key, compiler);
    ASSERT_EQ(compiler.calls, i + 1);
  }
  EXPECT_EQ(folder.read(file), good);
}

//===----------------------------------------------------------------------===//
// Trust
//===----------------------------------------------------------------------===//

TEST(Cache, UsesNoFolderThatOthersMayWrite) {
  TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  Cache cache(optionsIn(folder.path()));
  EXPECT_FALSE(cache.disk());
  ASSERT_EQ(cache.problems().size(), 1u);
  EXPECT_NE(cache.problems()[0].find("other users may write"),
            std::string::npos);
  Compiler compiler;
  expectArtifact(cache, keyOf("x"), compiler);
}

TEST(Cache, UsesNoFileThatOthersMayHaveMade) {
  TemporaryFolder folder;
  CacheKey key = keyOf("x");
  std::string file = folder.path() + "/" + toHex(key) + ".entry";
  Compiler compiler;
  auto ask = [&] {
    Cache cache(optionsIn(folder.path()));
    expectArtifact(cache, key, compiler);
    return compiler.calls.load();
  };
  EXPECT_EQ(ask(), 1u);
  EXPECT_EQ(ask(), 1u);
  ASSERT_EQ(::chmod(file.c_str(), 0666), 0);
  EXPECT_EQ(ask(), 2u);
  EXPECT_EQ(ask(), 2u);
  // A link, even to a good entry; a pipe; a folder.
  ASSERT_EQ(::rename(file.c_str(), (folder.path() + "/good").c_str()), 0);
  ASSERT_EQ(::symlink("good", file.c_str()), 0);
  EXPECT_EQ(ask(), 3u);
  ASSERT_EQ(::unlink(file.c_str()), 0);
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(ask(), 4u);
  ASSERT_EQ(::unlink(file.c_str()), 0);
  ASSERT_EQ(::mkdir(file.c_str(), 0700), 0);
  EXPECT_EQ(ask(), 5u);
  // What was compiled takes the folder's place.
  EXPECT_EQ(ask(), 5u);
}

/// Files and folders of others: as another user would see them.
struct ForeignOwner : FileSystem {
  uint32_t folderOwner, fileOwner;
  ForeignOwner(uint32_t folderOwner, uint32_t fileOwner)
      : folderOwner(folderOwner), fileOwner(fileOwner) {}
  int status(int file, struct stat &status) override {
    int result = FileSystem::status(file, status);
    status.st_uid = S_ISDIR(status.st_mode) ? folderOwner : fileOwner;
    return result;
  }
};

TEST(Cache, TrustsItsOwner) {
  TemporaryFolder folder;
  uint32_t self = ::geteuid();
  Compiler compiler;
  Cache maker(optionsIn(folder.path()));
  expectArtifact(maker, keyOf("x"), compiler);
  ForeignOwner foreignFolder(self + 1, self);
  EXPECT_FALSE(Cache(optionsIn(folder.path()), foreignFolder).disk());
  ForeignOwner foreignFile(self, self + 1);
  Cache cache(optionsIn(folder.path()), foreignFile);
  ASSERT_TRUE(cache.disk());
  expectArtifact(cache, keyOf("x"), compiler);
  EXPECT_EQ(compiler.calls, 2u);
  // A shared folder is somebody's, and so are its files.
  CacheOptions options;
  options.sharedFolder = folder.path();
  ForeignOwner somebody(self + 1, self + 1);
  Cache reader(options, somebody);
  expectArtifact(reader, keyOf("x"), compiler);
  EXPECT_EQ(compiler.calls, 2u);
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

/// Lets call number `failing` fail with `error`.
struct FailingFiles : FileSystem {
  unsigned calls = 0, failing = 0;
  int error = 0;
  template <typename Call>
  auto count(Call call) -> decltype(call()) {
    return ++calls == failing ? -error : call();
  }
  int makeDirectory(const char *path, mode_t mode) override {
    return count([&] { return FileSystem::makeDirectory(path, mode); });
  }
  int openDirectory(const char *path) override {
    return count([&] { return FileSystem::openDirectory(path); });
  }
  int open(int folder, const char *name, int flags, mode_t mode) override {
    return count([&] { return FileSystem::open(folder, name, flags, mode); });
  }
  int64_t read(int file, void *bytes, size_t size) override {
    return count([&] { return FileSystem::read(file, bytes, size); });
  }
  int64_t write(int file, const void *bytes, size_t size) override {
    return count([&] { return FileSystem::write(file, bytes, size); });
  }
  int synchronize(int file) override {
    return count([&] { return FileSystem::synchronize(file); });
  }
  int status(int file, struct stat &status) override {
    return count([&] { return FileSystem::status(file, status); });
  }
  int rename(int folder, const char *from, const char *to) override {
    return count([&] { return FileSystem::rename(folder, from, to); });
  }
  int remove(int folder, const char *name) override {
    return count([&] { return FileSystem::remove(folder, name); });
  }
  int touch(int file) override {
    return count([&] { return FileSystem::touch(file); });
  }
  int list(int folder, std::vector<std::string> &names) override {
    return count([&] { return FileSystem::list(folder, names); });
  }
  int lockByte(int file, int64_t offset) override {
    return count([&] { return FileSystem::lockByte(file, offset); });
  }
};

TEST(Cache, EveryCallMayFail) {
  for (int error : {ENOSPC, EROFS, EACCES, EBUSY, ESTALE, EIO, ENOLCK})
    for (unsigned failing = 1;; ++failing) {
      TemporaryFolder folder;
      FailingFiles files;
      files.failing = failing;
      files.error = error;
      CacheOptions options = optionsIn(folder.path() + "/a");
      options.pruneInterval = std::chrono::seconds(-1);
      Compiler compiler;
      for (int run = 0; run < 2; ++run) {
        Cache cache(options, files);
        expectArtifact(cache, keyOf("x"), compiler);
        expectArtifact(cache, keyOf("y"), compiler);
      }
      ASSERT_LE(compiler.calls, 4u);
      // No call of the two runs was the failing one: all have had their turn.
      if (files.calls < failing) {
        EXPECT_EQ(compiler.calls, 2u);
        EXPECT_GT(failing, 30u);
        break;
      }
    }
}

TEST(Cache, NeedsNoHome) {
  ASSERT_EQ(::unsetenv("HOME"), 0);
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("TILEWRIGHT_CACHE_DIR");
  EXPECT_EQ(CacheOptions::fromEnvironment().folder, "");
  ::setenv("HOME", "relative", 1);
  EXPECT_EQ(CacheOptions::fromEnvironment().folder, "");
  ::setenv("HOME", "/home/a", 1);
  EXPECT_EQ(CacheOptions::fromEnvironment().folder,
            "/home/a/.cache/tilewright");
  ::setenv("XDG_CACHE_HOME", "/b", 1);
  EXPECT_EQ(CacheOptions::fromEnvironment().folder, "/b/tilewright");
  ::setenv("TILEWRIGHT_CACHE_DIR", "/c", 1);
  EXPECT_EQ(CacheOptions::fromEnvironment().folder, "/c");
  ::setenv("TILEWRIGHT_CACHE", "0", 1);
  EXPECT_EQ(CacheOptions::fromEnvironment().folder, "");
  ::unsetenv("TILEWRIGHT_CACHE");
}

//===----------------------------------------------------------------------===//
// Cleaning
//===----------------------------------------------------------------------===//

TEST(DiskStore, PrunesWhatWasUsedLongestAgo) {
  TemporaryFolder folder;
  auto store = DiskStore::open(folder.path(), FolderOwner::Self);
  ASSERT_TRUE(store);
  std::vector<uint8_t> content(100);
  std::vector<std::string> names = {"a", "b", "c", "d"};
  int64_t now = std::time(nullptr);
  for (size_t i = 0; i < names.size(); ++i) {
    ASSERT_TRUE((*store)->publish(keyOf(names[i]), content));
    folder.setAge(toHex(keyOf(names[i])) + ".entry", now - 1000 * (i + 1));
  }
  auto has = [&] {
    std::string found;
    for (const std::string &name : names)
      if ((*store)->find(keyOf(name)))
        found += name;
    return found;
  };
  EXPECT_EQ(has(), "abcd");
  DiskLimits limits;
  limits.age = std::chrono::seconds(3500);
  EXPECT_EQ((*store)->prune(limits), 1u);
  EXPECT_EQ(has(), "abc");
  limits.bytes = 2 * (100 + entryOverhead);
  EXPECT_EQ((*store)->prune(limits), 1u);
  EXPECT_EQ(has(), "ab");
  limits.entries = 1;
  EXPECT_EQ((*store)->prune(limits), 1u);
  EXPECT_EQ(has(), "a");
  EXPECT_EQ((*store)->clear(), 1u);
  EXPECT_EQ(has(), "");
}

TEST(DiskStore, RemovesWhatWasLeftBehind) {
  TemporaryFolder folder;
  auto store = DiskStore::open(folder.path(), FolderOwner::Self);
  ASSERT_TRUE(store);
  int64_t now = std::time(nullptr);
  for (const char *name : {"1.0.new", "2.0.new", "other"})
    folder.write(folder.path() + "/" + name, bytesOf("x"));
  folder.setAge("1.0.new", now - 4000);
  folder.setAge("other", now - 4000);
  (*store)->prune(DiskLimits());
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"2.0.new", "other"}));
}

/// Folders that have the names of entries, empty and not.
TEST(DiskStore, FreesTheNamesThatFoldersHave) {
  TemporaryFolder folder;
  auto store = DiskStore::open(folder.path(), FolderOwner::Self);
  ASSERT_TRUE(store);
  DiskLimits none;
  none.entries = 0;
  for (bool isEmpty : {true, false})
    for (bool isCleared : {true, false}) {
      std::string entry = toHex(keyOf("a")) + ".entry";
      ASSERT_EQ(::mkdir((folder.path() + "/" + entry).c_str(), 0700), 0);
      if (!isEmpty)
        folder.write(folder.path() + "/" + entry + "/x", bytesOf("x"));
      EXPECT_EQ(isCleared ? (*store)->clear() : (*store)->prune(none), 1u);
      EXPECT_EQ((*store)->list().size(), 0u);
    }
  // Those with something in them are aside, and stay.
  EXPECT_EQ(folder.names().size(), 2u);
  for (const std::string &name : folder.names()) {
    EXPECT_TRUE(name.ends_with(".damaged")) << name;
    folder.setAge(name, std::time(nullptr) - 4000);
  }
  (*store)->prune(none);
  EXPECT_EQ(folder.names().size(), 2u);
  // Without it they go, in time.
  std::string left = folder.names().front();
  ASSERT_EQ(::unlink((folder.path() + "/" + left + "/x").c_str()), 0);
  folder.setAge(left, std::time(nullptr) - 4000);
  (*store)->prune(none);
  EXPECT_EQ(folder.names().size(), 1u);
}

namespace {
/// A file system that can be read alone.
class ReadOnlyFiles : public FileSystem {
public:
  int makeDirectory(const char *path, mode_t mode) override {
    return ::access(path, F_OK) == 0 ? -EEXIST : -EROFS;
  }
  int rename(int, const char *, const char *) override { return -EROFS; }
  int remove(int, const char *) override { return -EROFS; }
  int removeDirectory(int, const char *) override { return -EROFS; }
};
} // namespace

TEST(DiskStore, WhatCannotBeRemovedIsSaid) {
  TemporaryFolder folder;
  ReadOnlyFiles files;
  auto store = DiskStore::open(folder.path(), FolderOwner::Self, files);
  ASSERT_TRUE(store) << store.error().message;
  folder.write(folder.path() + "/" + toHex(keyOf("a")) + ".entry",
               bytesOf("x"));
  EXPECT_EQ((*store)->prune(DiskLimits()), 0u);
  EXPECT_EQ((*store)->whyUnremoved(), "");
  EXPECT_EQ((*store)->clear(), 0u);
  EXPECT_EQ((*store)->whyUnremoved(), "Read-only file system");
  auto none = DiskStore::open(folder.path() + "/a/b", FolderOwner::Self, files);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "cannot use the cache folder '" +
                                      folder.path() +
                                      "/a/b': Read-only file system");
}

TEST(DiskStore, TimesInTheFutureAreTheNow) {
  TemporaryFolder folder;
  auto store = DiskStore::open(folder.path(), FolderOwner::Self);
  ASSERT_TRUE(store);
  int64_t now = std::time(nullptr), year = 365 * 24 * 60 * 60;
  ASSERT_TRUE((*store)->publish(keyOf("a"), {}));
  folder.setAge(toHex(keyOf("a")) + ".entry", now + year);
  folder.write(folder.path() + "/1.0.new", bytesOf("x"));
  folder.setAge("1.0.new", now + year);
  EXPECT_EQ((*store)->prune(DiskLimits()), 0u);
  EXPECT_EQ(folder.names().size(), 1u);
  ASSERT_EQ((*store)->list().size(), 1u);
  EXPECT_LE((*store)->list()[0].lastUse, std::time(nullptr));
  // A use brings it to now as well.
  folder.setAge(toHex(keyOf("a")) + ".entry", now + year);
  EXPECT_TRUE((*store)->find(keyOf("a")));
  EXPECT_LE((*store)->list()[0].lastUse, std::time(nullptr));
  // The last cleaning lies in the future: there is another one now.
  DiskLimits none;
  none.entries = 0;
  folder.write(folder.path() + "/pruned", {});
  folder.setAge("pruned", now + year);
  (*store)->pruneSometimes(none, std::chrono::hours(1));
  EXPECT_EQ((*store)->list().size(), 0u);
}

TEST(DiskStore, LooksLeaveNoTrace) {
  TemporaryFolder folder;
  auto store = DiskStore::open(folder.path(), FolderOwner::Self);
  ASSERT_TRUE(store);
  ASSERT_TRUE((*store)->publish(keyOf("a"), {}));
  int64_t old = std::time(nullptr) - 30 * 24 * 60 * 60;
  folder.setAge(toHex(keyOf("a")) + ".entry", old);
  EXPECT_TRUE((*store)->find(keyOf("a"), Reading::Look));
  EXPECT_EQ((*store)->list()[0].lastUse, old);
  EXPECT_TRUE((*store)->find(keyOf("a")));
  EXPECT_NE((*store)->list()[0].lastUse, old);
}

TEST(Cache, SaysWhatItCouldNotKeep) {
  struct FullDisk : FileSystem {
    int64_t write(int, const void *, size_t) override { return -ENOSPC; }
  } files;
  TemporaryFolder folder;
  Cache cache(optionsIn(folder.path()), files);
  EXPECT_EQ(cache.whyUnkept(), "");
  Compiler compiler;
  expectArtifact(cache, keyOf("x"), compiler);
  EXPECT_EQ(cache.counts().compilations, 1u);
  EXPECT_EQ(cache.counts().unkept, 1u);
  EXPECT_EQ(cache.whyUnkept(), "cannot keep an entry in '" + folder.path() +
                                   "': No space left on device");
}

TEST(DiskStore, PrunesOnceInAWhile) {
  TemporaryFolder folder;
  auto store = DiskStore::open(folder.path(), FolderOwner::Self);
  ASSERT_TRUE(store);
  DiskLimits none;
  none.entries = 0;
  ASSERT_TRUE((*store)->publish(keyOf("a"), {}));
  (*store)->pruneSometimes(none, std::chrono::hours(1));
  EXPECT_EQ((*store)->list().size(), 1u);
  folder.setAge("pruned", std::time(nullptr) - 4000);
  (*store)->pruneSometimes(none, std::chrono::hours(1));
  EXPECT_EQ((*store)->list().size(), 0u);
}

} // namespace
