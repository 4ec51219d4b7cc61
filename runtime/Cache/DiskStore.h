// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cache entries as files of one folder, shared by processes, and by machines
// where the file system is.
//
// An entry is written to a new file and renamed to its name, so that a reader
// sees all of it or nothing; what is read is checked whole (Entry.h). Files are
// read, not mapped: one that is cut while it is used must not kill the process.
// Every trouble with a file means that there is no entry: nothing here fails
// for its caller.

#ifndef TILEWRIGHT_RUNTIME_CACHE_DISKSTORE_H
#define TILEWRIGHT_RUNTIME_CACHE_DISKSTORE_H

#include "runtime/Cache/FileSystem.h"
#include "runtime/Cache/Key.h"
#include "runtime/Result.h"

#include <chrono>
#include <memory>
#include <optional>

namespace tilewright::runtime {

/// How much a store may keep. What was used longest ago goes first.
struct DiskLimits {
  uint64_t bytes = uint64_t(1) << 30;
  uint64_t entries = 100000;
  /// Since the last use.
  std::chrono::seconds age = std::chrono::hours(24 * 60);
};

/// Whose folder it is.
enum class FolderOwner {
  /// The user's own: made if it is absent, written and cleaned; not trusted
  /// where others may write to it.
  Self,
  /// Prepared by somebody, and only read. Its files must be its owner's.
  Shared,
};

/// What is known of one entry, for people.
struct EntryInfo {
  CacheKey key;
  uint64_t bytes = 0;
  /// Seconds since 1970.
  int64_t lastUse = 0;
};

/// Holds the right to compile for a key; given up when it is destroyed.
class KeyLock {
public:
  KeyLock(FileSystem &files, int file) : files(files), file(file) {}
  KeyLock(const KeyLock &) = delete;
  KeyLock &operator=(const KeyLock &) = delete;
  ~KeyLock() { files.close(file); }

private:
  FileSystem &files;
  int file;
};

/// Why an entry is read: a use keeps it from being cleaned away, a look does
/// not.
enum class Reading { Use, Look };

class DiskStore {
public:
  /// Opens `folder`, an absolute path. Fails, with the reason, where it is not
  /// there, cannot be made, or is not to be trusted: owned by another user, or
  /// others may write to it.
  static Result<std::unique_ptr<DiskStore>>
  open(const std::string &folder, FolderOwner owner,
       FileSystem &files = FileSystem::posix());
  DiskStore(const DiskStore &) = delete;
  DiskStore &operator=(const DiskStore &) = delete;
  ~DiskStore();

  /// The content of the entry, verified; nothing where there is none that is
  /// whole. A damaged one is put out of the way.
  std::optional<std::vector<uint8_t>> find(const CacheKey &key,
                                           Reading reading = Reading::Use);
  /// Success means that the entry is there now; else the error says why not.
  Result<void> publish(const CacheKey &key, std::span<const uint8_t> content);
  /// Waits for at most `patience` until no other thread or process holds the
  /// key. Null: it was too long, or there are no locks here.
  std::unique_ptr<KeyLock> lock(const CacheKey &key,
                                std::chrono::milliseconds patience);

  /// Removes what is beyond the limits, and what killed processes left behind.
  /// How many entries it has removed.
  uint64_t prune(const DiskLimits &limits);
  /// As prune, at most once in `interval` among all processes.
  void pruneSometimes(const DiskLimits &limits, std::chrono::seconds interval);
  /// Removes every entry. How many there were.
  uint64_t clear();
  /// Why an entry could not be removed, the last time, or "".
  const std::string &whyUnremoved() const { return unremoved; }
  /// All entries, by their keys; their content is not looked at.
  std::vector<EntryInfo> list();

  const std::string &folder() const { return path; }

private:
  DiskStore(std::string path, FolderOwner owner, int directory,
            uint32_t directoryOwner, FileSystem &files)
      : path(std::move(path)), owner(owner), directory(directory),
        directoryOwner(directoryOwner), files(files) {}

  std::optional<std::vector<uint8_t>> readWhole(const char *name,
                                                Reading reading);
  std::string makeName(std::string_view suffix);
  int createTemporary(std::string &name);
  int rename(const std::string &from, const std::string &to);
  bool removeEntry(const CacheKey &key);
  void bringToPresent(EntryInfo &entry);

  std::string path;
  FolderOwner owner;
  int directory;
  uint32_t directoryOwner;
  FileSystem &files;
  std::string unremoved;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CACHE_DISKSTORE_H
