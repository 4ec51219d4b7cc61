// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loaded code. In: an image and the options of the loading call. Out: functions
// that can be launched, or a status and the compiler's log.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_LOADEDMODULE_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_LOADEDMODULE_H

#include "lib/Judges/Emulator/Driver/Entries.h"
#include "lib/Judges/Emulator/Machine/Launch.h"

namespace tilewright::emulator::driver {

struct DeviceFacts;

/// A kernel, and what callers have set for it.
struct LoadedFunction {
  /// Keeps `kernel` alive.
  std::shared_ptr<const Program> program;
  const emulator::Kernel *kernel = nullptr;
  /// `.version` of its text, times ten.
  uint32_t ptxVersion = 0;
  uint32_t dynamicSharedLimit = 0;
};

/// A module or library.
struct LoadedModule {
  std::shared_ptr<const Program> program;
  std::vector<std::shared_ptr<LoadedFunction>> functions;
  /// Names of its variables in device memory.
  std::vector<std::string> variables;

  /// The function called `name`, or null.
  std::shared_ptr<LoadedFunction> find(std::string_view name) const;
};

/// Loads PTX text for `device`; its variables are in `memory`. Null with a
/// `status` and a `log` on failure: machine code is noBinaryForGpu, text that
/// is wrong or for another GPU invalidPtx.
std::shared_ptr<LoadedModule> loadImage(const void *image,
                                        const DeviceFacts &device,
                                        GlobalMemory &memory, Status &status,
                                        std::string &log);

/// Writes `log` where the options of a loading call want it, and its length
/// where they gave the buffer's; an empty information log likewise.
void writeLogs(const std::string &log, unsigned count, const JitOption *options,
               void **values);

} // namespace tilewright::emulator::driver

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_LOADEDMODULE_H
