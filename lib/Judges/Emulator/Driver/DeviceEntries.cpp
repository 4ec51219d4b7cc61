// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points: initialisation, devices, contexts.

#include "lib/Judges/Emulator/Driver/State.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tilewright::emulator;
using namespace tilewright::emulator::driver;

/// TILEWRIGHT_EMULATOR_DEVICE says which device the process has.
Status driver::cuInit(unsigned flags) {
  if (flags)
    return invalidValue;
  State &state = State::get();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (state.device)
    return success;
  const char *name = std::getenv("TILEWRIGHT_EMULATOR_DEVICE");
  state.device = findDevice(name && *name ? name : "sm_90");
  if (state.device)
    return success;
  std::fprintf(stderr,
               "TILEWRIGHT_EMULATOR_DEVICE expects one of %s, but got '%s'\n",
               deviceNames().c_str(), name);
  return invalidDevice;
}

Status driver::cuDriverGetVersion(int *version) {
  if (!version)
    return invalidValue;
  *version = driverVersion;
  return success;
}

Status driver::cuDeviceGetCount(int *count) {
  Call call(CallKind::Initialized);
  if (call.isRefused())
    return call.status();
  if (!count)
    return invalidValue;
  *count = 1;
  return success;
}

Status driver::cuDeviceGet(DeviceHandle *device, int ordinal) {
  Call call(CallKind::Initialized);
  if (call.isRefused())
    return call.status();
  if (!device)
    return invalidValue;
  if (ordinal != 0)
    return invalidDevice;
  *device = 0;
  return success;
}

Status driver::cuDeviceGetName(char *name, int size, DeviceHandle device) {
  Call call(CallKind::Initialized);
  if (call.isRefused())
    return call.status();
  if (!name || size <= 0)
    return invalidValue;
  if (device != 0)
    return invalidDevice;
  std::snprintf(name, size_t(size), "Tilewright emulator");
  return success;
}

Status driver::cuDeviceGetAttribute(int *value, DeviceAttribute attribute,
                                    DeviceHandle device) {
  Call call(CallKind::Initialized);
  if (call.isRefused())
    return call.status();
  if (device != 0)
    return invalidDevice;
  std::optional<int> found = deviceAttribute(*call.state.device, attribute);
  if (!value || !found)
    return invalidValue;
  *value = *found;
  return success;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

Status driver::cuDevicePrimaryCtxRetain(Context *context, DeviceHandle device) {
  Call call(CallKind::Initialized);
  if (call.isRefused())
    return call.status();
  if (!context)
    return invalidValue;
  if (device != 0)
    return invalidDevice;
  if (!call.state.context)
    call.state.makeContext();
  ++call.state.holders;
  *context = State::contextHandle();
  return success;
}

/// With its last holder the context goes, and with it memory, code, streams
/// and a fault.
Status driver::cuDevicePrimaryCtxRelease_v2(DeviceHandle device) {
  Call call(CallKind::Initialized);
  if (call.isRefused())
    return call.status();
  if (device != 0)
    return invalidDevice;
  if (call.state.holders == 0)
    return invalidContext;
  if (--call.state.holders == 0)
    call.state.context.reset();
  return success;
}

Status driver::cuDevicePrimaryCtxReset_v2(DeviceHandle device) {
  Call call(CallKind::Initialized);
  if (call.isRefused())
    return call.status();
  if (device != 0)
    return invalidDevice;
  if (call.state.context)
    call.state.makeContext();
  return success;
}

Status driver::cuDevicePrimaryCtxGetState(DeviceHandle device, unsigned *flags,
                                          int *active) {
  Call call(CallKind::Initialized);
  if (call.isRefused())
    return call.status();
  if (device != 0)
    return invalidDevice;
  if (!flags || !active)
    return invalidValue;
  *flags = 0;
  *active = call.state.context != nullptr;
  return success;
}

Status driver::cuCtxPushCurrent_v2(Context context) {
  Call call(CallKind::Initialized);
  if (call.isRefused())
    return call.status();
  if (context && context != State::contextHandle())
    return invalidContext;
  contextStack().push_back(context);
  return success;
}

Status driver::cuCtxPopCurrent_v2(Context *context) {
  Call call(CallKind::Initialized);
  if (call.isRefused())
    return call.status();
  if (contextStack().empty())
    return invalidContext;
  if (context)
    *context = contextStack().back();
  contextStack().pop_back();
  return success;
}

Status driver::cuCtxGetCurrent(Context *context) {
  Call call(CallKind::Initialized);
  if (call.isRefused())
    return call.status();
  if (!context)
    return invalidValue;
  *context = contextStack().empty() ? nullptr : contextStack().back();
  return success;
}

/// Replaces the top of the stack; null pops it.
Status driver::cuCtxSetCurrent(Context context) {
  Call call(CallKind::Initialized);
  if (call.isRefused())
    return call.status();
  if (context && context != State::contextHandle())
    return invalidContext;
  if (!contextStack().empty())
    contextStack().pop_back();
  if (context)
    contextStack().push_back(context);
  return success;
}

Status driver::cuCtxGetDevice(DeviceHandle *device) {
  Call call(CallKind::Initialized);
  if (call.isRefused())
    return call.status();
  if (!device)
    return invalidValue;
  if (contextStack().empty() || !contextStack().back())
    return invalidContext;
  *device = 0;
  return success;
}

Status driver::cuCtxGetId(Context context, unsigned long long *id) {
  Call call(CallKind::Initialized);
  if (call.isRefused())
    return call.status();
  if (!id)
    return invalidValue;
  if (!context && (contextStack().empty() || !contextStack().back()))
    return invalidContext;
  if ((context && context != State::contextHandle()) || !call.state.context)
    return contextIsDestroyed;
  *id = call.state.context->id;
  return success;
}

/// CU_LIMIT_PRINTF_FIFO_SIZE, the only limit here.
static constexpr int printedBytesLimit = 1;

Status driver::cuCtxGetLimit(size_t *value, int limit) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  if (!value)
    return invalidValue;
  if (limit != printedBytesLimit)
    return unsupportedLimit;
  *value = call.context().printedBytes;
  return success;
}

Status driver::cuCtxSetLimit(int limit, size_t value) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  if (limit != printedBytesLimit)
    return unsupportedLimit;
  call.context().printedBytes = value;
  return success;
}

Status driver::cuCtxSynchronize() {
  Call call(CallKind::Waits);
  return call.isRefused() ? call.status() : checkUnsafe(call.context());
}
