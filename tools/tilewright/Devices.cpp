// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/tilewright/Devices.h"

using namespace tilewright;

runtime::Result<std::unique_ptr<run::ExecutionDevice>>
driver::openDevice(llvm::StringRef name, const run::EmulatorOptions &emulator,
                   std::vector<run::KernelStatistics> *statistics) {
  if (name == "emulator")
    return run::openEmulator(emulator, statistics);
  if (name == "auto") {
    auto device = run::openCudaDevice(0);
    if (device)
      return device;
    return run::openEmulator(emulator, statistics);
  }
  unsigned ordinal = 0;
  auto [kind, number] = name.split(':');
  if (kind != "cuda" ||
      (kind.size() != name.size() && number.getAsInteger(10, ordinal)))
    return runtime::Error{
        runtime::ErrorCode::InvalidArgument,
        "expects --device=auto, cuda, cuda:N or emulator, but got '" +
            name.str() + "'"};
  return run::openCudaDevice(ordinal);
}
