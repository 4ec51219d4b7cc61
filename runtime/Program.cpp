// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Program.h"

#include "runtime/Capture.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

/// Which driver it is: opened twice it is the same.
static const void *identify(const Device &device) {
  return reinterpret_cast<const void *>(device.driver()->cuInit);
}

Result<std::shared_ptr<const Code>>
Program::loadCode(const Device &device, const Image &image,
                  const std::string &where) {
  uint32_t index = uint32_t(&image - content->images.data());
  const void *driver = identify(device);
  for (Key key :
       {Key(driver, 0, index), Key(driver, device.contextId(), index)})
    if (auto found = codes.find(key); found != codes.end())
      if (std::shared_ptr<const Code> code = found->second.lock())
        return code;
  Result<std::shared_ptr<const Code>> code = Code::load(device, image, where);
  if (code)
    codes[Key(driver, (*code)->isLibrary() ? 0 : device.contextId(), index)] =
        *code;
  return code;
}

Result<std::shared_ptr<const LoadedKernel>>
Program::prepare(const Device &device, std::string_view name) {
  device.unloadUnused();
  Result<uint32_t> index = content->findKernel(name);
  if (!index)
    return index.takeError();
  // Held while loading: whoever asks for the same waits for it, and what a
  // kernel's function is told (its shared memory) is told by one thread.
  std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<const LoadedKernel> &place =
      kernels[Key(identify(device), device.contextId(), *index)];
  if (std::shared_ptr<const LoadedKernel> kernel = place.lock())
    return kernel;
  Result<LoadedKernel> loaded =
      LoadedKernel::load(device, *content, name,
                         [&](const Image &image, const std::string &where) {
                           return loadCode(device, image, where);
                         });
  if (!loaded)
    return loaded.takeError();
  auto kernel = std::make_shared<const LoadedKernel>(std::move(*loaded));
  place = kernel;
  return kernel;
}

Result<std::shared_ptr<const LoadedKernel>> LazyKernel::prepare() {
  std::lock_guard<std::mutex> lock(mutex);
  if (kernel)
    return kernel;
  Result<std::shared_ptr<const LoadedKernel>> prepared =
      program->prepare(owner, name);
  if (!prepared)
    return prepared;
  kernel = *prepared;
  ready.store(kernel.get(), std::memory_order_release);
  return kernel;
}

/// Whether a capture on `stream` keeps the driver from loading code.
static bool isLoadingForbidden(const Device &device, StreamHandle stream) {
  ScopedContext scope(device);
  return scope.status() && isCapturing(device.driver(), stream) &&
         !canLoadInCapture(device.driver());
}

Result<void> LazyKernel::launchFirst(const Dimensions &grid,
                                     std::span<const ArgumentView> arguments,
                                     StreamHandle stream, uint64_t scratch) {
  if (isLoadingForbidden(owner, stream))
    return Error{ErrorCode::NotPrepared,
                 "kernel '" + name + "' is not loaded on " +
                     owner.description() + ", and stream " +
                     std::to_string(reinterpret_cast<uintptr_t>(stream)) +
                     " captures, when this driver cannot load code; prepare "
                     "the kernel before the capture begins"};
  Result<std::shared_ptr<const LoadedKernel>> prepared = prepare();
  if (!prepared)
    return prepared.takeError();
  return (*prepared)->launch(grid, arguments, stream, scratch);
}
