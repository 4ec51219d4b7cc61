// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/tilewright/Devices.h"

using namespace tilewright;

static runtime::Result<runtime::Device> openGpu(unsigned ordinal) {
  auto driver = runtime::Driver::openDefault();
  if (!driver)
    return driver.takeError();
  return runtime::Device::open(*driver, ordinal);
}

runtime::Result<std::optional<runtime::Device>>
driver::findGpu(llvm::StringRef name) {
  if (name == "emulator")
    return std::optional<runtime::Device>();
  unsigned ordinal = 0;
  auto [kind, number] = name.split(':');
  bool isOther = kind != "cuda" || (kind.size() != name.size() &&
                                    number.getAsInteger(10, ordinal));
  if (name != "auto" && isOther)
    return runtime::Error{
        runtime::ErrorCode::InvalidArgument,
        "expects --device=auto, cuda, cuda:N or emulator, but got '" +
            name.str() + "'"};
  runtime::Result<runtime::Device> device = openGpu(ordinal);
  if (device)
    return std::optional<runtime::Device>(std::move(*device));
  if (name == "auto")
    return std::optional<runtime::Device>();
  return device.takeError();
}

runtime::Result<std::unique_ptr<run::ExecutionDevice>>
driver::openDevice(llvm::StringRef name, const run::EmulatorOptions &emulator,
                   run::AllStatistics *statistics) {
  auto gpu = findGpu(name);
  if (!gpu)
    return gpu.takeError();
  return *gpu ? run::openCudaDevice(**gpu)
              : run::openEmulator(emulator, statistics);
}
