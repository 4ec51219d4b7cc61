// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points: what functions say about themselves, and occupancy.

#include "lib/Judges/Emulator/Driver/State.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::emulator;
using namespace tilewright::emulator::driver;

Status driver::cuKernelGetFunction(Function *function, KernelHandle kernel) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  if (!function)
    return invalidValue;
  if (!call.context().functions.find(kernel))
    return invalidHandle;
  *function = reinterpret_cast<Function>(kernel);
  return success;
}

Status driver::cuFuncLoad(Function function) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  return call.context().functions.find(function) ? success : invalidHandle;
}

Status driver::cuFuncGetParamInfo(Function function, size_t index,
                                  size_t *offset, size_t *size) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  std::shared_ptr<LoadedFunction> found =
      call.context().functions.find(function);
  if (!found)
    return invalidHandle;
  if (!offset || index >= found->kernel->parameters.size())
    return invalidValue;
  *offset = found->kernel->parameters[index].offset;
  if (size)
    *size = found->kernel->parameters[index].bytes;
  return success;
}

/// `.maxntid` or `.reqntid` as a number of threads.
static int threadLimit(const emulator::Kernel &kernel) {
  const uint32_t *sizes = kernel.requiredThreads[0] ? kernel.requiredThreads
                                                    : kernel.maximumThreads;
  uint64_t threads = 1;
  for (unsigned axis = 0; axis < 3; ++axis)
    threads = std::min<uint64_t>(1024, threads * std::max(1u, sizes[axis]));
  return sizes[0] ? int(threads) : 1024;
}

Status driver::cuFuncGetAttribute(int *value, FunctionAttribute attribute,
                                  Function function) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  std::shared_ptr<LoadedFunction> found =
      call.context().functions.find(function);
  if (!found)
    return invalidHandle;
  if (!value)
    return invalidValue;
  const emulator::Kernel &kernel = *found->kernel;
  const DeviceFacts &device = *call.state.device;
  switch (int(attribute)) {
  case 0: // MAX_THREADS_PER_BLOCK
    *value = threadLimit(kernel);
    return success;
  case 1: // SHARED_SIZE_BYTES
    *value = int(kernel.staticSharedBytes);
    return success;
  case 3: // LOCAL_SIZE_BYTES
    *value = int(kernel.localBytes);
    return success;
  case 4: // NUM_REGS: those of the PTX, as nobody has allocated them.
    *value = int(std::clamp<uint32_t>(kernel.numRegisters, 1, 255));
    return success;
  case 5: // PTX_VERSION
    *value = int(found->ptxVersion);
    return success;
  case 6: // BINARY_VERSION
    *value = device.major * 10 + device.minor;
    return success;
  case 8: // MAX_DYNAMIC_SHARED_SIZE_BYTES
    *value = int(found->dynamicSharedLimit);
    return success;
  case 9: // PREFERRED_SHARED_MEMORY_CARVEOUT: the driver's choice.
    *value = -1;
    return success;
  default:
    // CONST_SIZE_BYTES, CACHE_MODE_CA, and those of clusters.
    *value = 0;
    return attribute > 0 && attribute < 16 ? success : invalidValue;
  }
}

Status driver::cuFuncSetAttribute(Function function,
                                  FunctionAttribute attribute, int value) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  std::shared_ptr<LoadedFunction> found =
      call.context().functions.find(function);
  if (!found)
    return invalidHandle;
  switch (int(attribute)) {
  case 8: // MAX_DYNAMIC_SHARED_SIZE_BYTES
    if (value < 0 || int64_t(value) + found->kernel->staticSharedBytes >
                         call.state.device->sharedBytesPerBlock)
      return invalidValue;
    found->dynamicSharedLimit = uint32_t(value);
    return success;
  case 9: // PREFERRED_SHARED_MEMORY_CARVEOUT, a hint in percent.
    return value >= -1 && value <= 100 ? success : invalidValue;
  default:
    return attribute >= 10 && attribute < 16 ? notSupported : invalidValue;
  }
}

/// A hint about the cache, which the emulator has not.
Status driver::cuFuncSetCacheConfig(Function function, int preference) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  if (!call.context().functions.find(function))
    return invalidHandle;
  return preference >= 0 && preference <= 3 ? success : invalidValue;
}

/// By threads, blocks and shared memory; registers are not known.
Status driver::cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                           Function function,
                                                           int blockSize,
                                                           size_t sharedBytes) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  std::shared_ptr<LoadedFunction> found =
      call.context().functions.find(function);
  if (!found)
    return invalidHandle;
  if (!blocks || blockSize <= 0)
    return invalidValue;
  const DeviceFacts &device = *call.state.device;
  *blocks = 0;
  size_t most = size_t(device.sharedBytesPerBlock);
  if (blockSize > threadLimit(*found->kernel) || sharedBytes > most ||
      sharedBytes + found->kernel->staticSharedBytes > most)
    return success;
  // Shared memory is given out in units of 128 bytes (CUDA occupancy
  // calculator).
  size_t shared = sharedBytes + found->kernel->staticSharedBytes +
                  size_t(device.reservedSharedBytesPerBlock);
  shared = (shared + 127) / 128 * 128;
  int threads = (blockSize + 31) / 32 * 32;
  *blocks = std::min(device.blocksPerMultiprocessor,
                     device.threadsPerMultiprocessor / threads);
  if (shared)
    *blocks = std::min(
        *blocks, int(size_t(device.sharedBytesPerMultiprocessor) / shared));
  return success;
}

/// The flag that there is concerns caches.
Status driver::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, Function function, int blockSize, size_t sharedBytes,
    unsigned flags) {
  return flags <= 1 ? cuOccupancyMaxActiveBlocksPerMultiprocessor(
                          blocks, function, blockSize, sharedBytes)
                    : Status(invalidValue);
}
