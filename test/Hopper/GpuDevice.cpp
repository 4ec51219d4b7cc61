// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Hopper/Device.h"

#include "runtime/Driver.h"

using namespace tilewright;
using namespace tilewright::hopper;
using namespace tilewright::runtime;

namespace {

/// A CUtensorMap.
struct alignas(64) MapObject {
  uint8_t bytes[128];
};

class GpuDevice : public hopper::Device {
public:
  explicit GpuDevice(std::shared_ptr<const Driver> driver)
      : driver(std::move(driver)) {}

  std::string open();
  std::string load(const std::string &ptx,
                   const std::vector<uint8_t> &assembled) override;
  Outcome run(const HopperProgram &how, uint64_t seed) override;

private:
  std::string check(cuda::Status status, const char *what) const;
  std::string launch(const HopperProgram &how, cuda::DeviceAddress *buffers,
                     std::vector<uint8_t> &output);

  std::shared_ptr<const Driver> driver;
  cuda::Module module = nullptr;
};

std::string GpuDevice::check(cuda::Status status, const char *what) const {
  if (status == cuda::statusSuccess)
    return "";
  const char *name = nullptr;
  (*driver)->cuGetErrorName(status, &name);
  return std::string(what) + ": " +
         (name ? name : std::to_string(status).c_str());
}

std::string GpuDevice::open() {
  cuda::DeviceHandle device;
  cuda::Context context;
  std::string problem =
      check((*driver)->cuDeviceGet(&device, 0), "cuDeviceGet");
  if (problem.empty())
    problem = check((*driver)->cuDevicePrimaryCtxRetain(&context, device),
                    "cuDevicePrimaryCtxRetain");
  if (problem.empty())
    problem = check((*driver)->cuCtxPushCurrent(context), "cuCtxPushCurrent");
  return problem;
}

std::string GpuDevice::load(const std::string &ptx,
                            const std::vector<uint8_t> &assembled) {
  if (module)
    (*driver)->cuModuleUnload(module);
  module = nullptr;
  const void *image = assembled.empty() ? static_cast<const void *>(ptx.c_str())
                                        : assembled.data();
  return check(
      (*driver)->cuModuleLoadDataEx(&module, image, 0, nullptr, nullptr),
      "cuModuleLoadDataEx");
}

std::string GpuDevice::launch(const HopperProgram &how,
                              cuda::DeviceAddress *buffers,
                              std::vector<uint8_t> &output) {
  cuda::Function function;
  std::string problem =
      check((*driver)->cuModuleGetFunction(&function, module, how.name.c_str()),
            "cuModuleGetFunction");
  auto step = [&](cuda::Status status, const char *what) {
    if (problem.empty())
      problem = check(status, what);
  };
  if (!problem.empty())
    return problem;
  step((*driver)->cuMemcpyHtoDAsync(buffers[0], how.input.data(),
                                    how.input.size(), nullptr),
       "cuMemcpyHtoDAsync");
  step((*driver)->cuMemsetD8Async(buffers[1], outputFill, output.size(),
                                  nullptr),
       "cuMemsetD8Async");
  std::vector<MapObject> maps(how.maps.size());
  std::vector<void *> parameters = {&buffers[0], &buffers[1]};
  for (size_t i = 0; i < maps.size(); ++i) {
    const TensorMapParameter &map = how.maps[i];
    if (!(*driver)->cuTensorMapEncodeTiled)
      return "the driver makes no tensor maps";
    step((*driver)->cuTensorMapEncodeTiled(
             maps[i].bytes, map.dataType, map.rank,
             reinterpret_cast<void *>(buffers[map.isOfOutput] + map.offset),
             map.shape, map.strides, map.box, map.elementStrides,
             /*interleave=*/0, map.swizzle, /*l2Promotion=*/0, map.fill),
         "cuTensorMapEncodeTiled");
    parameters.push_back(maps[i].bytes);
  }
  step((*driver)->cuLaunchKernel(function, 1, 1, 1, how.threads, 1, 1, 0,
                                 nullptr, parameters.data(), nullptr),
       "cuLaunchKernel");
  step((*driver)->cuMemcpyDtoHAsync(output.data(), buffers[1], output.size(),
                                    nullptr),
       "cuMemcpyDtoHAsync");
  step((*driver)->cuStreamSynchronize(nullptr), "cuStreamSynchronize");
  return problem;
}

Outcome GpuDevice::run(const HopperProgram &how, uint64_t) {
  Outcome outcome;
  outcome.output.resize(how.expected.size());
  cuda::DeviceAddress buffers[2] = {};
  size_t sizes[2] = {how.input.size(), how.expected.size()};
  for (unsigned i = 0; i < 2 && outcome.problem.empty(); ++i)
    outcome.problem =
        check((*driver)->cuMemAlloc(&buffers[i], sizes[i]), "cuMemAlloc");
  if (outcome.problem.empty())
    outcome.problem = launch(how, buffers, outcome.output);
  for (cuda::DeviceAddress buffer : buffers)
    if (buffer)
      (*driver)->cuMemFree(buffer);
  return outcome;
}

} // namespace

std::unique_ptr<hopper::Device> hopper::makeGpu(const std::string &path,
                                                std::string &problem) {
  Result<std::shared_ptr<const Driver>> driver =
      path.empty() ? Driver::openDefault() : Driver::open(path);
  if (!driver) {
    problem = driver.takeError().message;
    return nullptr;
  }
  auto device = std::make_unique<GpuDevice>(*driver);
  problem = device->open();
  if (!problem.empty())
    return nullptr;
  return device;
}
