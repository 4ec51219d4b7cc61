// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points: memory of the device and the host, and what addresses are.

#include "lib/Judges/Emulator/Driver/State.h"

#include <cstring>

using namespace tilewright::emulator;
using namespace tilewright::emulator::driver;

static Status allocate(ContextState &context, DeviceAddress *address,
                       size_t size) {
  if (!address || size == 0)
    return invalidValue;
  uint64_t start = context.memory.allocate(size);
  if (!start)
    return outOfMemory;
  *address = start;
  return success;
}

Status driver::cuMemAlloc_v2(DeviceAddress *address, size_t size) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  if (Status failed = checkUnsafe(call.context()))
    return failed;
  return allocate(call.context(), address, size);
}

/// Waits for the work before it. After a fault the memory is freed all the
/// same.
Status driver::cuMemFree_v2(DeviceAddress address) {
  Call call(CallKind::CleansUp);
  if (call.isRefused())
    return call.status();
  ContextState &context = call.context();
  if (Status failed = checkUnsafe(context))
    return failed;
  if (address && !context.memory.free(address))
    return invalidValue;
  context.isFaultKnown |= context.fault != success;
  return context.fault;
}

/// Streams that capture would need nodes for memory, which graphs here have
/// not.
static Status checkAllocatingStream(ContextState &context,
                                    StreamHandle handle) {
  std::shared_ptr<Stream> stream = context.findStream(handle);
  if (!stream)
    return invalidHandle;
  return stream->capture ? notSupported : success;
}

Status driver::cuMemAllocAsync(DeviceAddress *address, size_t size,
                               StreamHandle stream) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  if (Status failed = checkAllocatingStream(call.context(), stream))
    return failed;
  return allocate(call.context(), address, size);
}

Status driver::cuMemFreeAsync(DeviceAddress address, StreamHandle stream) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  if (Status failed = checkAllocatingStream(call.context(), stream))
    return failed;
  return !address || call.context().memory.free(address) ? success
                                                         : invalidValue;
}

//===----------------------------------------------------------------------===//
// Host memory
//===----------------------------------------------------------------------===//

static Status allocateHost(void **address, size_t size) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  if (!address || size == 0)
    return invalidValue;
  ContextState &context = call.context();
  if (Status failed = checkUnsafe(context))
    return failed;
  std::unique_ptr<uint8_t[]> memory(new (std::nothrow) uint8_t[size]);
  if (!memory)
    return outOfMemory;
  *address = memory.get();
  context.hostMemory[reinterpret_cast<uintptr_t>(*address)] = {
      std::move(memory), size};
  return success;
}

/// CU_MEMHOSTALLOC_DEVICEMAP is refused: kernels see device memory alone.
Status driver::cuMemHostAlloc(void **address, size_t size, unsigned flags) {
  constexpr unsigned portable = 1, deviceMap = 2, writeCombined = 4;
  if (flags & ~(portable | deviceMap | writeCombined))
    return invalidValue;
  return flags & deviceMap ? Status(notSupported) : allocateHost(address, size);
}
Status driver::cuMemAllocHost_v2(void **address, size_t size) {
  return allocateHost(address, size);
}

Status driver::cuMemFreeHost(void *address) {
  Call call(CallKind::CleansUp);
  if (call.isRefused())
    return call.status();
  return call.context().hostMemory.erase(reinterpret_cast<uintptr_t>(address))
             ? success
             : invalidValue;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

Status driver::cuMemGetAddressRange_v2(DeviceAddress *base, size_t *size,
                                       DeviceAddress address) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  if (!isDeviceRange(call.context().memory, address, 1))
    return notFound;
  const Allocation *found = call.context().memory.find(address);
  if (base)
    *base = found->address;
  if (size)
    *size = found->bytes;
  return success;
}

/// A range of host memory that holds `address`, or its end.
static auto findHost(const ContextState &context, uint64_t address) {
  auto found = context.hostMemory.upper_bound(address);
  if (found == context.hostMemory.begin())
    return context.hostMemory.end();
  --found;
  return address - found->first < found->second.size ? found
                                                     : context.hostMemory.end();
}

/// CUpointer_attribute. Host memory that did not come from here has none, as
/// with a GPU's driver.
Status driver::cuPointerGetAttribute(void *data, int attribute,
                                     DeviceAddress address) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  const ContextState &context = call.context();
  bool isDevice = isDeviceRange(context.memory, address, 1);
  auto host = findHost(context, address);
  if (!data || (!isDevice && host == context.hostMemory.end()))
    return invalidValue;
  const Allocation *range = isDevice ? context.memory.find(address) : nullptr;
  auto give = [&](auto value) {
    std::memcpy(data, &value, sizeof(value));
    return Status(success);
  };
  switch (attribute) {
  case 1: // CONTEXT
    return give(State::contextHandle());
  case 2: // MEMORY_TYPE: CU_MEMORYTYPE_HOST is 1, CU_MEMORYTYPE_DEVICE 2.
    return give(isDevice ? 2u : 1u);
  case 3: // DEVICE_POINTER
    return isDevice ? give(address) : Status(invalidValue);
  case 4: // HOST_POINTER
    return isDevice ? Status(invalidValue) : give(address);
  case 8: // IS_MANAGED
    return give(0u);
  case 9: // DEVICE_ORDINAL
    return give(0);
  case 11: // RANGE_START_ADDR
    return give(isDevice ? range->address : uint64_t(host->first));
  case 12: // RANGE_SIZE
    return give(size_t(isDevice ? range->bytes : host->second.size));
  case 13: // MAPPED
    return give(true);
  default:
    return notSupported;
  }
}
