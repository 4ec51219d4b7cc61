// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// POSIX file access; see File.h.

#include "runtime/File.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tilewright::runtime;

namespace {
/// Closes a descriptor at the end of a scope.
struct Descriptor {
  int number;
  explicit Descriptor(int number) : number(number) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
};
} // namespace

static Error systemError(const char *action, const std::string &path) {
  int number = errno;
  ErrorCode code =
      number == ENOENT ? ErrorCode::NotFound : ErrorCode::InputOutput;
  return {code, std::string("cannot ") + action + " '" + path +
                    "': " + std::strerror(number)};
}

Result<std::vector<uint8_t>>
tilewright::runtime::readFile(const std::string &path, uint64_t limit) {
  // O_NONBLOCK: opening a pipe must not wait for a writer.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number < 0)
    return systemError("open", path);
  struct stat status;
  if (::fstat(file.number, &status) != 0)
    return systemError("examine", path);
  if (!S_ISREG(status.st_mode))
    return Error{ErrorCode::InputOutput,
                 "cannot read '" + path + "': not a regular file"};
  if (uint64_t(status.st_size) > limit)
    return Error{ErrorCode::InputOutput,
                 "cannot read '" + path + "': expects at most " +
                     std::to_string(limit) + " bytes, but got " +
                     std::to_string(status.st_size)};
  std::vector<uint8_t> bytes(size_t(status.st_size));
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t got = ::read(file.number, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return systemError("read", path);
    if (got == 0)
      break; // Truncated meanwhile: give what is there; readers check.
    done += size_t(got);
  }
  bytes.resize(done);
  return bytes;
}

static Result<void> writeAll(int file, std::span<const uint8_t> bytes,
                             const std::string &path) {
  while (!bytes.empty()) {
    ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return systemError("write", path);
    bytes = bytes.subspan(size_t(put));
  }
  return success();
}

/// A new file beside `path`, opened for writing; its name goes to `name`. The
/// name needs to differ from those of other threads and processes alone: O_EXCL
/// catches what is left over from a process of the same number.
static int createBeside(const std::string &path, std::string &name) {
  static std::atomic<unsigned> counter{0};
  for (unsigned attempt = 0; attempt < 100; ++attempt) {
    name = path + "." + std::to_string(::getpid()) + "." +
           std::to_string(counter.fetch_add(1)) + ".tmp";
    int file =
        ::open(name.c_str(),
               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST)
      return file;
  }
  return -1;
}

Result<void> tilewright::runtime::writeFile(const std::string &path,
                                            std::span<const uint8_t> bytes) {
  std::string temporary;
  Descriptor file(createBeside(path, temporary));
  if (file.number < 0)
    return systemError("create", temporary);
  Result<void> written = writeAll(file.number, bytes, temporary);
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0)
    written = systemError("write", path);
  if (!written)
    ::unlink(temporary.c_str());
  return written;
}
