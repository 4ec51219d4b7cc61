// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a stream is asked to do: launches, copies, fills. It is done at once, or
// kept in a graph and done when that is launched.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_WORK_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_WORK_H

#include "lib/Judges/Emulator/Driver/LoadedModule.h"

#include <variant>

namespace tilewright::emulator::driver {

struct ContextState;

struct LaunchWork {
  std::shared_ptr<LoadedFunction> function;
  LaunchOptions options;
  std::vector<uint8_t> parameters;
};

/// An address of the device's or the host's memory.
struct Place {
  uint64_t address = 0;
  bool isOnDevice = false;
};

struct CopyWork {
  Place to, from;
  uint64_t bytes = 0;
};

/// `count` elements of `width` bytes (1, 2, 4), each the low bytes of `value`.
struct FillWork {
  uint64_t address = 0;
  uint32_t value = 0;
  unsigned width = 1;
  uint64_t count = 0;
};

using Work = std::variant<LaunchWork, CopyWork, FillWork>;

/// Whether `bytes` bytes at `address` lie in one allocation.
bool isDeviceRange(const GlobalMemory &memory, uint64_t address,
                   uint64_t bytes);

/// Does it, unless an earlier fault has stopped the device. A fault is printed
/// to stderr and noted in the context.
void perform(ContextState &context, const Work &work);

} // namespace tilewright::emulator::driver

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_WORK_H
