// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points: launches. Limits are checked here; what the kernel does wrong
// is found when it runs, and is the status of a later call.

#include "lib/Judges/Emulator/Driver/State.h"

#include <algorithm>
#include <cstring>
#include <thread>

using namespace tilewright;
using namespace tilewright::emulator;
using namespace tilewright::emulator::driver;

/// Gathers the bytes of the parameters: from one pointer for each, or from one
/// buffer (CU_LAUNCH_PARAM_BUFFER_POINTER and _SIZE, then _END).
static Status readParameters(const emulator::Kernel &kernel, void **parameters,
                             void **extra, std::vector<uint8_t> &bytes) {
  bytes.resize(kernel.parameterBytes);
  if (parameters && extra)
    return invalidValue;
  if (parameters) {
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      const auto &place = kernel.parameters[i];
      std::memcpy(bytes.data() + place.offset, parameters[i], place.bytes);
    }
    return success;
  }
  const void *buffer = nullptr;
  size_t size = 0;
  for (; extra && *extra; extra += 2)
    switch (reinterpret_cast<uintptr_t>(*extra)) {
    case 1:
      buffer = extra[1];
      break;
    case 2:
      size = *static_cast<const size_t *>(extra[1]);
      break;
    default:
      return invalidValue;
    }
  if (size < bytes.size() || (!buffer && !bytes.empty()))
    return invalidValue;
  if (!bytes.empty())
    std::memcpy(bytes.data(), buffer, bytes.size());
  return success;
}

/// The limits of any GPU (see DeviceFacts.cpp) and of the function.
static bool isWithinLimits(const LoadedFunction &function,
                           const LaunchOptions &options) {
  const auto &[gridX, gridY, gridZ] = options.grid;
  const auto &[blockX, blockY, blockZ] = options.block;
  if (!gridX || !gridY || !gridZ || gridX > INT32_MAX || gridY > 65535 ||
      gridZ > 65535)
    return false;
  if (!blockX || !blockY || !blockZ || blockX > 1024 || blockY > 1024 ||
      blockZ > 64)
    return false;
  const auto &[clusterX, clusterY, clusterZ] = options.cluster;
  if (!clusterX || !clusterY || !clusterZ || gridX % clusterX ||
      gridY % clusterY || gridZ % clusterZ ||
      uint64_t(clusterX) * clusterY * clusterZ > 16)
    return false;
  uint64_t threads = uint64_t(blockX) * blockY * blockZ;
  const emulator::Kernel &kernel = *function.kernel;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (kernel.requiredThreads[0] &&
        kernel.requiredThreads[axis] != options.block[axis])
      return false;
  uint64_t most = 1;
  for (uint32_t size : kernel.maximumThreads)
    most *= size ? size : 1;
  return threads <= (kernel.maximumThreads[0] ? most : 1024) &&
         threads <= 1024 &&
         options.dynamicSharedBytes <= function.dynamicSharedLimit;
}

/// Takes clusters, and attributes that the emulator's way of running satisfies
/// anyway or that ask for nothing. Others are not supported.
static Status takeAttribute(const LaunchAttribute &attribute, uint64_t ctas,
                            LaunchOptions &options) {
  switch (int(attribute.id)) {
  case 0: // IGNORE
  case 8: // PRIORITY
    return success;
  case 6: // PROGRAMMATIC_STREAM_SERIALIZATION
    options.isDependent = attribute.flag != 0;
    return success;
  case 2: // COOPERATIVE
    return attribute.flag && ctas > emulator::maximumResidents
               ? cooperativeLaunchTooLarge
               : success;
  case 4: // CLUSTER_DIMENSION
    std::copy_n(attribute.dimensions, 3, options.cluster.begin());
    return success;
  default:
    return notSupported;
  }
}

static Status launchFunction(const LaunchConfiguration &configuration,
                             driver::Function handle, void **parameters,
                             void **extra) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  const LaunchConfiguration &c = configuration;
  LaunchWork work;
  work.function = call.context().functions.find(handle);
  if (!work.function)
    return invalidHandle;
  if (c.attributeCount && !c.attributes)
    return invalidValue;
  for (unsigned i = 0; i < c.attributeCount; ++i)
    if (Status failed =
            takeAttribute(c.attributes[i],
                          uint64_t(c.gridX) * c.gridY * c.gridZ, work.options))
      return failed;
  const uint32_t *required = work.function->kernel->requiredCluster;
  for (unsigned axis = 0; axis < 3 && required[0]; ++axis)
    work.options.cluster[axis] = std::max(1u, required[axis]);
  work.options.grid = {c.gridX, c.gridY, c.gridZ};
  work.options.block = {c.blockX, c.blockY, c.blockZ};
  work.options.dynamicSharedBytes = c.sharedBytes;
  work.options.hostThreads = std::thread::hardware_concurrency();
  if (!isWithinLimits(*work.function, work.options))
    return invalidValue;
  if (Status failed = readParameters(*work.function->kernel, parameters, extra,
                                     work.parameters))
    return failed;
  return submit(call.context(), c.stream, std::move(work));
}

Status driver::cuLaunchKernelEx(const LaunchConfiguration *configuration,
                                Function function, void **parameters,
                                void **extra) {
  return configuration
             ? launchFunction(*configuration, function, parameters, extra)
             : Status(invalidValue);
}

Status driver::cuLaunchKernel(Function function, unsigned gridX, unsigned gridY,
                              unsigned gridZ, unsigned blockX, unsigned blockY,
                              unsigned blockZ, unsigned sharedBytes,
                              StreamHandle stream, void **parameters,
                              void **extra) {
  LaunchConfiguration configuration = {gridX,   gridY,  gridZ,       blockX,
                                       blockY,  blockZ, sharedBytes, stream,
                                       nullptr, 0};
  return launchFunction(configuration, function, parameters, extra);
}
