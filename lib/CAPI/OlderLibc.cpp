// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM's archives take of the newest libc alone, so that libtilewright.so
// loads on systems a little older than the one that it was built on. Hidden, as
// everything is that is not the interface.

#include <cstdint>
#include <cstdlib>
#include <sys/random.h>

/// In glibc since 2.36; LLVM names temporary files by it.
extern "C" uint32_t arc4random() noexcept {
  uint32_t number = 0;
  // Fails for a handler's sake alone, and not for four bytes.
  if (getrandom(&number, sizeof(number), 0) != sizeof(number))
    abort();
  return number;
}
