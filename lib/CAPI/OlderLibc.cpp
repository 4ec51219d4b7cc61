// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM's archives take of the newest libc alone, so that libtilewright.so
// loads on systems a little older than the one that it was built on. Hidden, as
// everything is that is not the interface.

#include <chrono>
#include <cstdint>
#include <sys/random.h>

/// In glibc since 2.36; LLVM names temporary files by it, and takes another
/// name where there is one already. So the clock will do where the system has
/// no random numbers (a filter of system calls may forbid them).
extern "C" uint32_t arc4random() noexcept {
  uint32_t number = 0;
  if (getrandom(&number, sizeof(number), GRND_NONBLOCK) == sizeof(number))
    return number;
  return std::chrono::steady_clock::now().time_since_epoch().count();
}
