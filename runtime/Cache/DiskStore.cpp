// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the folder: KEY.entry, one for each; KEY.damaged, set aside; *.new, being
// written; `lock`, whose bytes stand for keys; `pruned`, as old as the last
// cleaning. None is removed but entries and what was left behind: whoever has a
// file open goes on with it.

#include "runtime/Cache/DiskStore.h"

#include "runtime/Artifact.h"
#include "runtime/Cache/Entry.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

using namespace tilewright::runtime;

static constexpr std::string_view entrySuffix = ".entry";
static constexpr std::string_view damagedSuffix = ".damaged";
static constexpr std::string_view temporarySuffix = ".new";
/// Others may not write to what we trust.
static constexpr mode_t writableByOthers = S_IWGRP | S_IWOTH;

namespace {
/// Closes a file at the end of a scope.
struct OpenFile {
  FileSystem &files;
  int number;
  OpenFile(FileSystem &files, int number) : files(files), number(number) {}
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;
  ~OpenFile() {
    if (number >= 0)
      files.close(number);
  }
  explicit operator bool() const { return number >= 0; }
};
} // namespace

static std::string entryName(const CacheKey &key) {
  return toHex(key) + std::string(entrySuffix);
}

//===----------------------------------------------------------------------===//
// The folder
//===----------------------------------------------------------------------===//

/// Makes the folder and those above it; what is there already stays as it is.
/// 0, or the first problem, negated, which may be none if the folder is there.
static int makeFolders(FileSystem &files, const std::string &path) {
  int problem = 0;
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    int status = files.makeDirectory(path.substr(0, end).c_str(), 0700);
    if (status < 0 && status != -EEXIST && problem == 0)
      problem = status;
    if (end == std::string::npos)
      return problem;
  }
}

Result<std::unique_ptr<DiskStore>> DiskStore::open(const std::string &folder,
                                                   FolderOwner owner,
                                                   FileSystem &files) {
  if (folder.empty() || folder.front() != '/')
    return Error{ErrorCode::InvalidArgument,
                 "expects an absolute path of a cache folder, but got '" +
                     folder + "'"};
  int unmade = owner == FolderOwner::Self ? makeFolders(files, folder) : 0;
  int directory = files.openDirectory(folder.c_str());
  auto refuse = [&](const std::string &reason) {
    if (directory >= 0)
      files.close(directory);
    return Error{ErrorCode::InputOutput,
                 "cannot use the cache folder '" + folder + "': " + reason};
  };
  if (directory < 0)
    return refuse(std::strerror(-(unmade ? unmade : directory)));
  struct stat status;
  if (int problem = files.status(directory, status); problem < 0)
    return refuse(std::strerror(-problem));
  if (owner == FolderOwner::Self && status.st_uid != ::geteuid())
    return refuse("it belongs to user " + std::to_string(status.st_uid) +
                  ", not to user " + std::to_string(::geteuid()));
  if (status.st_mode & writableByOthers)
    return refuse("other users may write to it; run chmod go-w on it");
  return std::unique_ptr<DiskStore>(
      new DiskStore(folder, owner, directory, status.st_uid, files));
}

DiskStore::~DiskStore() { files.close(directory); }

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

/// A regular file of the folder's owner, or of root, with nobody else's
/// changes; its bytes, or nothing.
std::optional<std::vector<uint8_t>> DiskStore::readWhole(const char *name,
                                                         Reading reading) {
  // O_NONBLOCK: opening a pipe must not wait for a writer.
  OpenFile file(files,
                files.open(directory, name,
                           O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0));
  struct stat status;
  if (!file || files.status(file.number, status) < 0 ||
      !S_ISREG(status.st_mode) || (status.st_mode & writableByOthers) ||
      (status.st_uid != directoryOwner && status.st_uid != 0) ||
      uint64_t(status.st_size) > artifactSizeLimit)
    return std::nullopt;
  std::vector<uint8_t> bytes(status.st_size);
  for (size_t done = 0; done < bytes.size();) {
    int64_t got =
        files.read(file.number, bytes.data() + done, bytes.size() - done);
    if (got < 0)
      return std::nullopt;
    // Cut meanwhile: the digest tells.
    if (got == 0)
      bytes.resize(done);
    done += got;
  }
  // Uses are told apart by days, so that reading seldom writes.
  constexpr int64_t day = 24 * 60 * 60;
  if (owner == FolderOwner::Self && reading == Reading::Use &&
      std::abs(std::time(nullptr) - status.st_mtime) > day)
    files.touch(file.number);
  return bytes;
}

std::optional<std::vector<uint8_t>> DiskStore::find(const CacheKey &key,
                                                    Reading reading) {
  std::string name = entryName(key);
  std::optional<std::vector<uint8_t>> entry = readWhole(name.c_str(), reading);
  if (!entry)
    return std::nullopt;
  std::optional<std::vector<uint8_t>> content = readEntry(key, *entry);
  // Another process may have published a good one meanwhile, which is then
  // made once more.
  if (!content && owner == FolderOwner::Self)
    files.rename(directory, name.c_str(),
                 (toHex(key) + std::string(damagedSuffix)).c_str());
  return content;
}

/// A name that differs from those of other threads and processes.
std::string DiskStore::makeName(std::string_view suffix) {
  static std::atomic<unsigned> counter = 0;
  return std::to_string(::getpid()) + "." + std::to_string(counter++) +
         std::string(suffix);
}

/// Machines that share the folder may have processes of one number, which
/// O_EXCL tells.
int DiskStore::createTemporary(std::string &name) {
  int file = -EEXIST;
  for (unsigned attempt = 0; attempt < 100 && file == -EEXIST; ++attempt) {
    name = makeName(temporarySuffix);
    file =
        files.open(directory, name.c_str(),
                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  }
  return file;
}

/// Whether a file cannot take a name, or lose it, as a folder has the name.
static bool isFolderProblem(int status) {
  return status == -EISDIR || status == -EPERM || status == -ENOTEMPTY ||
         status == -EEXIST;
}

/// Gives a file a name. A folder that has the name is moved aside: nobody made
/// it who knows this store, and its content is not ours to remove.
int DiskStore::rename(const std::string &from, const std::string &to) {
  int status = files.rename(directory, from.c_str(), to.c_str());
  if (!isFolderProblem(status) ||
      files.rename(directory, to.c_str(), makeName(damagedSuffix).c_str()) < 0)
    return status;
  return files.rename(directory, from.c_str(), to.c_str());
}

/// Writes all of `bytes`; 0, or the negated errno.
static int writeWhole(FileSystem &files, int file,
                      std::span<const uint8_t> bytes) {
  for (size_t done = 0; done < bytes.size();) {
    int64_t put = files.write(file, bytes.data() + done, bytes.size() - done);
    if (put <= 0)
      return put < 0 ? int(put) : -EIO;
    done += put;
  }
  return 0;
}

Result<void> DiskStore::publish(const CacheKey &key,
                                std::span<const uint8_t> content) {
  auto refuse = [&](const std::string &reason) {
    return Error{ErrorCode::InputOutput,
                 "cannot keep an entry in '" + path + "': " + reason};
  };
  if (owner != FolderOwner::Self)
    return refuse("the folder is only read");
  if (content.size() > artifactSizeLimit - entryOverhead)
    return refuse("expects at most " +
                  std::to_string(artifactSizeLimit - entryOverhead) +
                  " bytes, but got " + std::to_string(content.size()));
  std::string temporary;
  OpenFile file(files, createTemporary(temporary));
  if (!file)
    return refuse(std::strerror(-file.number));
  int status = writeWhole(files, file.number, makeEntry(key, content));
  // Before the name is there, so that a crash of the machine leaves no entry
  // with holes for long; its digest would tell.
  if (status >= 0)
    status = files.synchronize(file.number);
  if (status >= 0)
    status = rename(temporary, entryName(key));
  if (status >= 0)
    return success();
  files.remove(directory, temporary.c_str());
  return refuse(std::strerror(-status));
}

//===----------------------------------------------------------------------===//
// Locks
//===----------------------------------------------------------------------===//

std::unique_ptr<KeyLock> DiskStore::lock(const CacheKey &key,
                                         std::chrono::milliseconds patience) {
  if (owner != FolderOwner::Self)
    return nullptr;
  int file = files.open(directory, "lock",
                        O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0)
    return nullptr;
  // Keys that share a byte wait for each other, which is slow and harmless, and
  // with 48 bits does not happen.
  int64_t offset = 0;
  for (unsigned i = 0; i < 6; ++i)
    offset = offset << 8 | key[i];
  auto end = std::chrono::steady_clock::now() + patience;
  auto pause = std::chrono::milliseconds(1);
  for (;;) {
    int result = files.lockByte(file, offset);
    if (result >= 0)
      return std::make_unique<KeyLock>(files, file);
    if (result != -EAGAIN || std::chrono::steady_clock::now() >= end)
      break;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(50));
  }
  files.close(file);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Cleaning
//===----------------------------------------------------------------------===//

static bool isEntry(const std::string &name, CacheKey &key) {
  return name.ends_with(entrySuffix) &&
         parseKey(
             std::string_view(name).substr(0, name.size() - entrySuffix.size()),
             key);
}

std::vector<EntryInfo> DiskStore::list() {
  std::vector<std::string> names;
  files.list(directory, names);
  std::sort(names.begin(), names.end());
  std::vector<EntryInfo> entries;
  for (const std::string &name : names) {
    EntryInfo entry;
    if (!isEntry(name, entry.key))
      continue;
    OpenFile file(
        files, files.open(directory, name.c_str(),
                          O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0));
    struct stat status;
    if (!file || files.status(file.number, status) < 0)
      continue;
    entry.bytes = status.st_size;
    entry.lastUse = status.st_mtime;
    entries.push_back(entry);
  }
  return entries;
}

/// Removes files, and empty folders, that are no entries and older than an
/// hour, or from the future: no process takes that long to write one.
static void removeLeftovers(FileSystem &files, int directory) {
  constexpr int64_t hour = 60 * 60;
  std::vector<std::string> names;
  files.list(directory, names);
  for (const std::string &name : names) {
    if (!name.ends_with(temporarySuffix) && !name.ends_with(damagedSuffix))
      continue;
    OpenFile file(
        files, files.open(directory, name.c_str(),
                          O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0));
    struct stat status;
    if (!file || files.status(file.number, status) < 0 ||
        std::abs(std::time(nullptr) - status.st_mtime) <= hour)
      continue;
    if (S_ISDIR(status.st_mode))
      files.removeDirectory(directory, name.c_str());
    else
      files.remove(directory, name.c_str());
  }
}

/// Frees an entry's name; a folder that has it goes if it is empty, and aside
/// if it is not.
bool DiskStore::removeEntry(const CacheKey &key) {
  std::string name = entryName(key);
  int status = files.remove(directory, name.c_str());
  if (isFolderProblem(status) &&
      (status = files.removeDirectory(directory, name.c_str())) < 0)
    status =
        files.rename(directory, name.c_str(), makeName(damagedSuffix).c_str());
  // Another process may have been faster.
  if (status < 0 && status != -ENOENT)
    unremoved = std::strerror(-status);
  return status >= 0;
}

/// What was used in the future (a clock was wrong) is used now: else it would
/// never grow old.
void DiskStore::bringToPresent(EntryInfo &entry) {
  constexpr int64_t hour = 60 * 60;
  int64_t now = std::time(nullptr);
  if (entry.lastUse <= now + hour)
    return;
  entry.lastUse = now;
  OpenFile file(files,
                files.open(directory, entryName(entry.key).c_str(),
                           O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0));
  if (file)
    files.touch(file.number);
}

uint64_t DiskStore::prune(const DiskLimits &limits) {
  if (owner != FolderOwner::Self)
    return 0;
  removeLeftovers(files, directory);
  std::vector<EntryInfo> entries = list();
  for (EntryInfo &entry : entries)
    bringToPresent(entry);
  // The last used first; of the same age in the order of their keys.
  std::sort(entries.begin(), entries.end(),
            [](const EntryInfo &a, const EntryInfo &b) {
              return a.lastUse != b.lastUse ? a.lastUse > b.lastUse
                                            : a.key < b.key;
            });
  int64_t oldest = std::time(nullptr) - limits.age.count();
  uint64_t removed = 0, kept = 0, bytes = 0;
  for (const EntryInfo &entry : entries) {
    bool fits = kept < limits.entries && bytes + entry.bytes <= limits.bytes &&
                entry.lastUse >= oldest;
    if (fits) {
      ++kept;
      bytes += entry.bytes;
    } else {
      removed += removeEntry(entry.key);
    }
  }
  return removed;
}

void DiskStore::pruneSometimes(const DiskLimits &limits,
                               std::chrono::seconds interval) {
  if (owner != FolderOwner::Self)
    return;
  OpenFile file(files,
                files.open(directory, "pruned",
                           O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  struct stat status;
  if (!file || files.status(file.number, status) < 0)
    return;
  // A time in the future is no reason to wait for it. Two processes that come
  // at once both prune, which is harmless.
  int64_t age = std::time(nullptr) - status.st_mtime;
  if ((age >= 0 && age < interval.count()) || files.touch(file.number) < 0)
    return;
  prune(limits);
}

uint64_t DiskStore::clear() {
  if (owner != FolderOwner::Self)
    return 0;
  uint64_t removed = 0;
  for (const EntryInfo &entry : list())
    removed += removeEntry(entry.key);
  return removed;
}
