// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points: copies and fills. Those without a stream are on the legacy one
// and wait for it.

#include "lib/Judges/Emulator/Driver/State.h"

using namespace tilewright::emulator;
using namespace tilewright::emulator::driver;

namespace {
/// A stream and whether the call waits for it.
struct Order {
  StreamHandle stream = nullptr;
  bool waits = true;

  Order() = default;
  explicit Order(StreamHandle stream) : stream(stream), waits(false) {}
  CallKind kind() const {
    return waits ? CallKind::Waits : CallKind::InContext;
  }
};
} // namespace

static Status submit(Call &call, const Order &order, Work work) {
  ContextState &context = call.context();
  if (order.waits)
    if (Status failed = checkUnsafe(context))
      return failed;
  return submit(context, order.stream, std::move(work));
}

static Status copy(const Order &order, Place to, Place from, size_t bytes) {
  Call call(order.kind());
  if (call.isRefused())
    return call.status();
  for (const Place &place : {to, from})
    if (bytes && (place.isOnDevice ? !isDeviceRange(call.context().memory,
                                                    place.address, bytes)
                                   : !place.address))
      return invalidValue;
  return bytes ? submit(call, order, CopyWork{to, from, bytes})
               : Status(success);
}

static Place onDevice(DeviceAddress address) { return {address, true}; }
static Place onHost(const void *address) {
  return {reinterpret_cast<uintptr_t>(address), false};
}

/// An address is the device's where device memory is.
static Status copyUnified(const Order &order, DeviceAddress to,
                          DeviceAddress from, size_t bytes) {
  auto place = [](DeviceAddress address) {
    Call call(CallKind::InContext);
    return Place{address, !call.isRefused() &&
                              call.context().memory.find(address) != nullptr};
  };
  return copy(order, place(to), place(from), bytes);
}

static Status fill(const Order &order, DeviceAddress to, uint32_t value,
                   unsigned width, size_t count) {
  Call call(order.kind());
  if (call.isRefused())
    return call.status();
  if (to % width || count > SIZE_MAX / width ||
      (count && !isDeviceRange(call.context().memory, to, count * width)))
    return invalidValue;
  return count ? submit(call, order, FillWork{to, value, width, count})
               : Status(success);
}

Status driver::cuMemcpyHtoD_v2(DeviceAddress to, const void *from,
                               size_t size) {
  return copy(Order(), onDevice(to), onHost(from), size);
}
Status driver::cuMemcpyDtoH_v2(void *to, DeviceAddress from, size_t size) {
  return copy(Order(), onHost(to), onDevice(from), size);
}
Status driver::cuMemcpyDtoD_v2(DeviceAddress to, DeviceAddress from,
                               size_t size) {
  return copy(Order(), onDevice(to), onDevice(from), size);
}
Status driver::cuMemcpy(DeviceAddress to, DeviceAddress from, size_t size) {
  return copyUnified(Order(), to, from, size);
}
Status driver::cuMemcpyHtoDAsync_v2(DeviceAddress to, const void *from,
                                    size_t size, StreamHandle stream) {
  return copy(Order(stream), onDevice(to), onHost(from), size);
}
Status driver::cuMemcpyDtoHAsync_v2(void *to, DeviceAddress from, size_t size,
                                    StreamHandle stream) {
  return copy(Order(stream), onHost(to), onDevice(from), size);
}
Status driver::cuMemcpyDtoDAsync_v2(DeviceAddress to, DeviceAddress from,
                                    size_t size, StreamHandle stream) {
  return copy(Order(stream), onDevice(to), onDevice(from), size);
}
Status driver::cuMemcpyAsync(DeviceAddress to, DeviceAddress from, size_t size,
                             StreamHandle stream) {
  return copyUnified(Order(stream), to, from, size);
}

Status driver::cuMemsetD8_v2(DeviceAddress to, unsigned char value,
                             size_t count) {
  return fill(Order(), to, value, 1, count);
}
Status driver::cuMemsetD16_v2(DeviceAddress to, unsigned short value,
                              size_t count) {
  return fill(Order(), to, value, 2, count);
}
Status driver::cuMemsetD32_v2(DeviceAddress to, unsigned value, size_t count) {
  return fill(Order(), to, value, 4, count);
}
Status driver::cuMemsetD8Async(DeviceAddress to, unsigned char value,
                               size_t count, StreamHandle stream) {
  return fill(Order(stream), to, value, 1, count);
}
Status driver::cuMemsetD16Async(DeviceAddress to, unsigned short value,
                                size_t count, StreamHandle stream) {
  return fill(Order(stream), to, value, 2, count);
}
Status driver::cuMemsetD32Async(DeviceAddress to, unsigned value, size_t count,
                                StreamHandle stream) {
  return fill(Order(stream), to, value, 4, count);
}
