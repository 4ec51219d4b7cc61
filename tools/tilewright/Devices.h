// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device that a command runs on, by its name.

#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_DEVICES_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_DEVICES_H

#include "lib/Run/EmulatorDevice.h"
#include "runtime/Device.h"
#include "llvm/ADT/StringRef.h"

namespace tilewright::driver {

/// The GPU that `name` names, as openDevice() has it; nothing where that is the
/// emulator.
runtime::Result<std::optional<runtime::Device>> findGpu(llvm::StringRef name);

/// "cuda" is GPU 0, "cuda:N" GPU N; "auto" is GPU 0 where there is one, and
/// else the emulator, which runs as `emulator` says and counts to `statistics`
/// (may be null).
runtime::Result<std::unique_ptr<run::ExecutionDevice>>
openDevice(llvm::StringRef name, const run::EmulatorOptions &emulator,
           run::AllStatistics *statistics);

} // namespace tilewright::driver

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_DEVICES_H
