// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system calls that the cache makes, one method each, so that tests can let
// any of them fail. In: what the call takes. Out: what it gives, or the negated
// errno. Interrupted calls are made again.

#ifndef TILEWRIGHT_RUNTIME_CACHE_FILESYSTEM_H
#define TILEWRIGHT_RUNTIME_CACHE_FILESYSTEM_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace tilewright::runtime {

/// POSIX, by default. `folder` is an open directory that names are relative to.
class FileSystem {
public:
  virtual ~FileSystem() = default;

  virtual int makeDirectory(const char *path, mode_t mode);
  virtual int openDirectory(const char *path);
  virtual int open(int folder, const char *name, int flags, mode_t mode);
  virtual int close(int file);
  virtual int64_t read(int file, void *bytes, size_t count);
  virtual int64_t write(int file, const void *bytes, size_t count);
  virtual int synchronize(int file);
  virtual int status(int file, struct stat &status);
  virtual int rename(int folder, const char *from, const char *to);
  virtual int remove(int folder, const char *name);
  /// Of an empty one.
  virtual int removeDirectory(int folder, const char *name);
  /// Sets a file's time of change to now.
  virtual int touch(int file);
  /// The names in a directory, without "." and "..".
  virtual int list(int folder, std::vector<std::string> &names);
  /// Locks one byte of a file for this open file alone (fcntl, F_OFD_SETLK): it
  /// is free when the file is closed or its process ends. -EAGAIN: another has
  /// it.
  virtual int lockByte(int file, int64_t offset);

  /// The one that makes the calls.
  static FileSystem &posix();
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CACHE_FILESYSTEM_H
