// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Cache/FileSystem.h"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

using namespace tilewright::runtime;

/// Makes a call again while signals interrupt it.
template <typename Call>
static auto retry(Call call) -> decltype(call()) {
  for (;;) {
    auto result = call();
    if (result >= 0)
      return result;
    if (errno != EINTR)
      return -errno;
  }
}

FileSystem &FileSystem::posix() {
  static FileSystem instance;
  return instance;
}

int FileSystem::makeDirectory(const char *path, mode_t mode) {
  return retry([&] { return ::mkdir(path, mode); });
}

int FileSystem::openDirectory(const char *path) {
  return retry(
      [&] { return ::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
}

int FileSystem::open(int folder, const char *name, int flags, mode_t mode) {
  return retry([&] { return ::openat(folder, name, flags, mode); });
}

/// The descriptor is gone whatever close says, so it is called once.
int FileSystem::close(int file) { return ::close(file) < 0 ? -errno : 0; }

int64_t FileSystem::read(int file, void *bytes, size_t count) {
  return retry([&] { return int64_t(::read(file, bytes, count)); });
}

int64_t FileSystem::write(int file, const void *bytes, size_t count) {
  return retry([&] { return int64_t(::write(file, bytes, count)); });
}

int FileSystem::synchronize(int file) {
  return retry([&] { return ::fsync(file); });
}

int FileSystem::status(int file, struct stat &status) {
  return retry([&] { return ::fstat(file, &status); });
}

int FileSystem::rename(int folder, const char *from, const char *to) {
  return retry([&] { return ::renameat(folder, from, folder, to); });
}

int FileSystem::remove(int folder, const char *name) {
  return retry([&] { return ::unlinkat(folder, name, 0); });
}

int FileSystem::removeDirectory(int folder, const char *name) {
  return retry([&] { return ::unlinkat(folder, name, AT_REMOVEDIR); });
}

int FileSystem::touch(int file) {
  return retry([&] { return ::futimens(file, nullptr); });
}

int FileSystem::list(int folder, std::vector<std::string> &names) {
  // The stream has a place in the directory of its own, and is closed with it.
  int copy = retry([&] {
    return ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  });
  if (copy < 0)
    return copy;
  DIR *stream = ::fdopendir(copy);
  if (!stream) {
    int problem = -errno;
    ::close(copy);
    return problem;
  }
  errno = 0;
  while (const dirent *entry = ::readdir(stream)) {
    std::string name = entry->d_name;
    if (name != "." && name != "..")
      names.push_back(std::move(name));
  }
  int problem = -errno;
  ::closedir(stream);
  return problem;
}

int FileSystem::lockByte(int file, int64_t offset) {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = offset;
  lock.l_len = 1;
  int result = retry([&] { return ::fcntl(file, F_OFD_SETLK, &lock); });
  return result == -EACCES ? -EAGAIN : result;
}
