// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The execution device on top of the runtime's Device.

#include "lib/Run/ExecutionDevice.h"

#include "runtime/LoadedKernel.h"

#include <map>

using namespace tilewright;
using namespace tilewright::run;
using runtime::Argument;
using runtime::Buffer;
using runtime::Dimensions;
using runtime::Error;
using runtime::ErrorCode;
using runtime::Event;
using runtime::LoadedKernel;
using runtime::Stream;

namespace {
class CudaKernel : public ExecutionKernel {
public:
  CudaKernel(const runtime::Device &device, const Stream &stream,
             LoadedKernel loaded)
      : device(device), stream(stream), loaded(std::move(loaded)) {}

  const runtime::Kernel &kernel() const override { return loaded.kernel(); }
  const runtime::Variant &variant() const override { return loaded.variant(); }
  std::string image() const override {
    const runtime::Image &image = loaded.image();
    bool isCubin = image.kind == runtime::ImageKind::Cubin;
    return (isCubin ? "cubin " : "PTX ") + image.architecture.name();
  }

  Result<void> launch(const Dimensions &grid,
                      std::span<const Argument> arguments) override {
    if (Result<void> good = provideScratch(grid); !good)
      return good;
    return loaded.launch(grid, arguments, stream.handle(),
                         scratch ? scratch->address() : 0);
  }

private:
  Result<void> provideScratch(const Dimensions &grid) {
    uint64_t size = loaded.scratchBytes(grid);
    if (size == 0 || (scratch && scratch->size() >= size))
      return runtime::success();
    Result<Buffer> buffer = Buffer::allocate(device, size);
    if (!buffer)
      return buffer.takeError();
    // Kernels before may still use the old memory; freeing it waits for them.
    scratch = std::make_unique<Buffer>(std::move(*buffer));
    return runtime::success();
  }

  const runtime::Device &device;
  const Stream &stream;
  LoadedKernel loaded;
  std::unique_ptr<Buffer> scratch;
};

class CudaDevice : public ExecutionDevice {
public:
  CudaDevice(runtime::Device device, Stream stream)
      : device(std::move(device)), stream(std::move(stream)) {}

  std::string description() const override { return device.description(); }

  Result<uint64_t> allocate(uint64_t size) override {
    Result<Buffer> buffer = Buffer::allocate(device, size);
    if (!buffer)
      return buffer.takeError();
    uint64_t address = buffer->address();
    if (address)
      buffers.emplace(address, std::move(*buffer));
    return address;
  }

  Result<void> release(uint64_t address) override {
    if (address && buffers.erase(address) == 0)
      return unknown(address);
    return runtime::success();
  }

  Result<void> copyIn(uint64_t address,
                      std::span<const uint8_t> bytes) override {
    if (bytes.empty())
      return runtime::success();
    auto found = buffers.find(address);
    return found == buffers.end() ? Result<void>(unknown(address))
                                  : found->second.copyIn(bytes, stream);
  }

  Result<void> copyOut(std::span<uint8_t> bytes, uint64_t address) override {
    if (bytes.empty())
      return runtime::success();
    auto found = buffers.find(address);
    return found == buffers.end() ? Result<void>(unknown(address))
                                  : found->second.copyOut(bytes, stream);
  }

  Result<std::unique_ptr<ExecutionKernel>>
  prepare(const runtime::Artifact &artifact, std::string_view name) override {
    Result<LoadedKernel> loaded = LoadedKernel::load(device, artifact, name);
    if (!loaded)
      return loaded.takeError();
    return std::unique_ptr<ExecutionKernel>(
        new CudaKernel(device, stream, std::move(*loaded)));
  }

  Result<void> synchronize() override { return stream.synchronize(); }

  Result<double> time(const std::function<Result<void>()> &work) override {
    Result<Event> begin = Event::create(device);
    if (!begin)
      return begin.takeError();
    Result<Event> end = Event::create(device);
    if (!end)
      return end.takeError();
    // The first time kernels allocate their scratch memory, too.
    if (Result<void> good = work(); !good)
      return good.takeError();
    if (Result<void> good = begin->record(stream); !good)
      return good.takeError();
    if (Result<void> good = work(); !good)
      return good.takeError();
    if (Result<void> good = end->record(stream); !good)
      return good.takeError();
    if (Result<void> good = end->synchronize(); !good)
      return good.takeError();
    return end->microsecondsSince(*begin);
  }

private:
  static Error unknown(uint64_t address) {
    return {ErrorCode::InvalidArgument,
            "expects the address of an allocation, but got " +
                std::to_string(address)};
  }

  runtime::Device device;
  Stream stream;
  std::map<uint64_t, Buffer> buffers;
};
} // namespace

Result<std::unique_ptr<ExecutionDevice>>
tilewright::run::openCudaDevice(int ordinal) {
  Result<std::shared_ptr<const runtime::Driver>> driver =
      runtime::Driver::openDefault();
  if (!driver)
    return driver.takeError();
  Result<runtime::Device> device = runtime::Device::open(*driver, ordinal);
  if (!device)
    return device.takeError();
  return openCudaDevice(*device);
}

Result<std::unique_ptr<ExecutionDevice>>
tilewright::run::openCudaDevice(const runtime::Device &device) {
  Result<Stream> stream = Stream::create(device);
  if (!stream)
    return stream.takeError();
  return std::unique_ptr<ExecutionDevice>(
      new CudaDevice(device, std::move(*stream)));
}
