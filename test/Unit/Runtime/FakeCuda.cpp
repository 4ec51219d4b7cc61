// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FakeCuda.h. With FAKE_CUDA_OLD every entry point is a symbol of the
// library and there is no cuGetProcAddress.

#include "FakeCuda.h"

#include <cstdlib>
#include <cstring>
#include <utility>

using namespace tilewright::fakecuda;
using namespace tilewright::runtime::cuda;

#define PUBLIC __attribute__((visibility("default")))
#ifdef FAKE_CUDA_OLD
#define ENTRY_VISIBILITY PUBLIC
#else
#define ENTRY_VISIBILITY
#endif

extern "C" PUBLIC State *tilewrightFakeCudaState() {
  static State state;
  return &state;
}
static State &state() { return *tilewrightFakeCudaState(); }

extern "C" {
#define ENTRY(name, symbol, version, need, parameters)                         \
  ENTRY_VISIBILITY Status symbol parameters;
#include "runtime/DriverEntries.def"
#undef ENTRY
}

/// Contexts that are current on this thread, the last one on top.
static thread_local std::vector<Context> contextStack;

template <typename T>
static T handle(uintptr_t number) {
  return reinterpret_cast<T>(number);
}

/// Notes the call. Not 0 when it must fail.
static Status enter(const char *call, bool needsContext = false) {
  state().calls.push_back(call);
  auto failure = state().failures.find(call);
  if (failure != state().failures.end())
    return failure->second;
  bool hasContext = !contextStack.empty() && contextStack.back();
  return needsContext && !hasContext ? statusInvalidContext : statusSuccess;
}

#define ENTER(call)                                                            \
  if (Status failed = enter(call))                                             \
  return failed
#define ENTER_IN_CONTEXT(call)                                                 \
  if (Status failed = enter(call, true))                                       \
  return failed

#ifndef FAKE_CUDA_OLD
extern "C" PUBLIC Status cuGetProcAddress_v2(const char *wanted, void **address,
                                             int version, uint64_t flags,
                                             int *found) {
  *address = nullptr;
  if (state().absent.count(wanted))
    return 500;
#define ENTRY(name, symbol, needed, need, parameters)                          \
  if (std::strcmp(wanted, #name) == 0 && version >= needed)                    \
    *address = reinterpret_cast<void *>(&symbol);
#include "runtime/DriverEntries.def"
#undef ENTRY
  return *address ? statusSuccess : 500;
}
#endif

Status cuInit(unsigned flags) {
  ENTER("cuInit");
  return 0;
}
Status cuDriverGetVersion(int *version) {
  ENTER("cuDriverGetVersion");
  *version = state().version;
  return 0;
}
Status cuGetErrorName(Status status, const char **name) {
  *name = status == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : status == 201 ? "CUDA_ERROR_INVALID_CONTEXT"
          : status == 719 ? "CUDA_ERROR_LAUNCH_FAILED"
                          : nullptr;
  return *name ? 0 : 1;
}
Status cuGetErrorString(Status status, const char **text) {
  *text = status == 719 ? "unspecified launch failure" : nullptr;
  return *text ? 0 : 1;
}
Status cuDeviceGetCount(int *count) {
  ENTER("cuDeviceGetCount");
  *count = state().deviceCount;
  return 0;
}
Status cuDeviceGet(DeviceHandle *device, int ordinal) {
  ENTER("cuDeviceGet");
  *device = ordinal;
  return 0;
}
Status cuDeviceGetName(char *name, int size, DeviceHandle device) {
  ENTER("cuDeviceGetName");
  std::strncpy(name, "Fake GPU", size_t(size));
  return 0;
}
Status cuDeviceGetAttribute(int *value, DeviceAttribute attribute,
                            DeviceHandle device) {
  ENTER("cuDeviceGetAttribute");
  *value = attribute == computeCapabilityMajor        ? state().major
           : attribute == computeCapabilityMinor      ? state().minor
           : attribute == maxSharedBytesPerBlockOptIn ? state().sharedLimit
                                                      : 4;
  return 0;
}
Status cuDevicePrimaryCtxRetain(Context *context, DeviceHandle device) {
  ENTER("cuDevicePrimaryCtxRetain");
  *context = handle<Context>(0xc0 + uintptr_t(device));
  ++state().live["context"];
  return 0;
}
Status cuDevicePrimaryCtxRelease_v2(DeviceHandle device) {
  ENTER("cuDevicePrimaryCtxRelease");
  --state().live["context"];
  return 0;
}
Status cuCtxPushCurrent_v2(Context context) {
  ENTER("cuCtxPushCurrent");
  contextStack.push_back(context);
  return 0;
}
Status cuCtxPopCurrent_v2(Context *context) {
  ENTER("cuCtxPopCurrent");
  if (contextStack.empty())
    return statusInvalidContext;
  *context = contextStack.back();
  contextStack.pop_back();
  return 0;
}
Status cuCtxGetCurrent(Context *context) {
  ENTER("cuCtxGetCurrent");
  *context = contextStack.empty() ? nullptr : contextStack.back();
  return 0;
}
Status cuCtxSetCurrent(Context context) {
  ENTER("cuCtxSetCurrent");
  if (contextStack.empty())
    contextStack.push_back(nullptr);
  contextStack.back() = context;
  if (!context)
    contextStack.pop_back();
  return 0;
}

Status cuCtxGetDevice(DeviceHandle *device) {
  ENTER_IN_CONTEXT("cuCtxGetDevice");
  *device = int(reinterpret_cast<uintptr_t>(contextStack.back()) & 0xf);
  return 0;
}
Status cuCtxGetId(Context context, unsigned long long *id) {
  ENTER("cuCtxGetId");
  *id = reinterpret_cast<uintptr_t>(context);
  return 0;
}

static thread_local int captureMode = 0;
Status cuThreadExchangeStreamCaptureMode(int *mode) {
  ENTER("cuThreadExchangeStreamCaptureMode");
  std::swap(*mode, captureMode);
  return 0;
}
Status cuStreamIsCapturing(StreamHandle stream, int *status) {
  ENTER_IN_CONTEXT("cuStreamIsCapturing");
  *status = stream ? state().captureStatus : 0;
  return 0;
}

/// A function is its context's: 0xf00 and the context's last digits.
static Function functionOfContext() {
  return handle<Function>(
      0xf00 + (reinterpret_cast<uintptr_t>(contextStack.back()) & 0xff));
}

/// Loading, for both kinds of containers.
static Status loadImage(const char *call, const void *image, JitOption *options,
                        void **values, unsigned count) {
  Status failed = enter(call, true);
  if (!failed)
    failed = std::exchange(state().failNextLoad, 0);
  for (unsigned i = 0; i < count && failed; ++i)
    if (options[i] == jitErrorLogBuffer)
      std::strcpy(static_cast<char *>(values[i]), state().compilerLog.c_str());
  state().loadedImage = static_cast<const char *>(image);
  state().captureModes.push_back(captureMode);
  return failed;
}
Status cuModuleLoadDataEx(Module *module, const void *image, unsigned count,
                          JitOption *options, void **values) {
  if (Status failed =
          loadImage("cuModuleLoadDataEx", image, options, values, count))
    return failed;
  *module = handle<Module>(0x30d);
  ++state().live["module"];
  return 0;
}
Status cuModuleUnload(Module module) {
  ENTER("cuModuleUnload");
  state().captureModes.push_back(captureMode);
  --state().live["module"];
  return 0;
}
Status cuModuleGetFunction(Function *function, Module module,
                           const char *name) {
  ENTER("cuModuleGetFunction");
  state().kernelName = name;
  *function = functionOfContext();
  return 0;
}
Status cuLibraryLoadData(Library *library, const void *code, JitOption *options,
                         void **values, unsigned count, int *, void **,
                         unsigned) {
  if (Status failed =
          loadImage("cuLibraryLoadData", code, options, values, count))
    return failed;
  *library = handle<Library>(0x11b);
  ++state().live["library"];
  return 0;
}
Status cuLibraryUnload(Library library) {
  ENTER("cuLibraryUnload");
  state().captureModes.push_back(captureMode);
  --state().live["library"];
  return 0;
}
Status cuLibraryGetKernel(KernelHandle *kernel, Library library,
                          const char *name) {
  ENTER("cuLibraryGetKernel");
  state().kernelName = name;
  *kernel = handle<KernelHandle>(0x7e);
  return 0;
}
Status cuKernelGetFunction(Function *function, KernelHandle kernel) {
  ENTER_IN_CONTEXT("cuKernelGetFunction");
  *function = functionOfContext();
  return 0;
}
Status cuFuncLoad(Function function) {
  ENTER_IN_CONTEXT("cuFuncLoad");
  return 0;
}
Status cuFuncGetParamInfo(Function function, size_t index, size_t *offset,
                          size_t *size) {
  ENTER("cuFuncGetParamInfo");
  if (index >= state().parameters.size())
    return 1;
  *offset = state().parameters[index].first;
  *size = state().parameters[index].second;
  return 0;
}
Status cuFuncGetAttribute(int *value, FunctionAttribute attribute,
                          Function function) {
  ENTER("cuFuncGetAttribute");
  *value = attribute == registerCount ? 40 : 0;
  return 0;
}
Status cuFuncSetAttribute(Function function, FunctionAttribute attribute,
                          int value) {
  ENTER("cuFuncSetAttribute");
  state().functionAttributes[attribute] = value;
  return 0;
}
Status cuTensorMapEncodeTiled(void *map, int, uint32_t rank, void *address,
                              const uint64_t *shape, const uint64_t *,
                              const uint32_t *, const uint32_t *, int, int, int,
                              int) {
  ENTER("cuTensorMapEncodeTiled");
  if (reinterpret_cast<uintptr_t>(map) % 128 != 0)
    return 1;
  state().tensorMapShape.assign(shape, shape + rank);
  std::memset(map, 0x77, 128);
  return 0;
}
Status cuMemAlloc_v2(DeviceAddress *address, size_t size) {
  ENTER_IN_CONTEXT("cuMemAlloc");
  *address = uint64_t(std::aligned_alloc(256, (size + 255) / 256 * 256));
  ++state().live["memory"];
  return 0;
}
Status cuMemFree_v2(DeviceAddress address) {
  // Also when told to fail: the test is not to leak.
  std::free(reinterpret_cast<void *>(address));
  ENTER_IN_CONTEXT("cuMemFree");
  --state().live["memory"];
  return 0;
}
Status cuMemcpyHtoDAsync_v2(DeviceAddress to, const void *from, size_t size,
                            StreamHandle stream) {
  ENTER_IN_CONTEXT("cuMemcpyHtoDAsync");
  std::memcpy(reinterpret_cast<void *>(to), from, size);
  return 0;
}
Status cuMemcpyDtoHAsync_v2(void *to, DeviceAddress from, size_t size,
                            StreamHandle stream) {
  ENTER_IN_CONTEXT("cuMemcpyDtoHAsync");
  std::memcpy(to, reinterpret_cast<void *>(from), size);
  return 0;
}
Status cuMemsetD8Async(DeviceAddress to, unsigned char value, size_t size,
                       StreamHandle stream) {
  ENTER_IN_CONTEXT("cuMemsetD8Async");
  std::memset(reinterpret_cast<void *>(to), value, size);
  return 0;
}
Status cuStreamCreate(StreamHandle *stream, unsigned flags) {
  ENTER_IN_CONTEXT("cuStreamCreate");
  *stream = handle<StreamHandle>(0x570 + flags);
  ++state().live["stream"];
  return 0;
}
Status cuStreamDestroy_v2(StreamHandle stream) {
  ENTER_IN_CONTEXT("cuStreamDestroy");
  --state().live["stream"];
  return 0;
}
Status cuStreamSynchronize(StreamHandle stream) {
  ENTER_IN_CONTEXT("cuStreamSynchronize");
  return 0;
}
Status cuEventCreate(EventHandle *event, unsigned flags) {
  ENTER_IN_CONTEXT("cuEventCreate");
  *event = handle<EventHandle>(0xe);
  ++state().live["event"];
  return 0;
}
Status cuEventDestroy_v2(EventHandle event) {
  ENTER_IN_CONTEXT("cuEventDestroy");
  --state().live["event"];
  return 0;
}
Status cuEventRecord(EventHandle event, StreamHandle stream) {
  ENTER_IN_CONTEXT("cuEventRecord");
  return 0;
}
Status cuEventSynchronize(EventHandle event) {
  ENTER_IN_CONTEXT("cuEventSynchronize");
  return 0;
}
Status cuEventElapsedTime(float *milliseconds, EventHandle begin,
                          EventHandle end) {
  ENTER_IN_CONTEXT("cuEventElapsedTime");
  *milliseconds = state().elapsedMilliseconds;
  return 0;
}

static Status noteLaunch(Function function, Launch launch, void **parameters,
                         void **extra) {
  launch.context = contextStack.back();
  if (function != functionOfContext())
    return statusInvalidHandle;
  state().launches.push_back(std::move(launch));
  // All parameters in one buffer: CU_LAUNCH_PARAM_BUFFER_POINTER is 1.
  std::vector<void *> pointers;
  if (extra)
    for (auto [offset, size] : state().parameters)
      pointers.push_back(static_cast<uint8_t *>(extra[1]) + offset);
  if (state().onLaunch)
    state().onLaunch(extra ? pointers.data() : parameters);
  return 0;
}
Status cuLaunchKernel(Function function, unsigned gridX, unsigned gridY,
                      unsigned gridZ, unsigned blockX, unsigned blockY,
                      unsigned blockZ, unsigned sharedBytes,
                      StreamHandle stream, void **parameters, void **extra) {
  ENTER_IN_CONTEXT("cuLaunchKernel");
  return noteLaunch(function,
                    {"cuLaunchKernel",
                     {gridX, gridY, gridZ},
                     {blockX, blockY, blockZ},
                     sharedBytes,
                     stream,
                     nullptr,
                     {}},
                    parameters, extra);
}
Status cuLaunchCooperativeKernel(Function function, unsigned gridX,
                                 unsigned gridY, unsigned gridZ,
                                 unsigned blockX, unsigned blockY,
                                 unsigned blockZ, unsigned sharedBytes,
                                 StreamHandle stream, void **parameters) {
  ENTER_IN_CONTEXT("cuLaunchCooperativeKernel");
  return noteLaunch(function,
                    {"cuLaunchCooperativeKernel",
                     {gridX, gridY, gridZ},
                     {blockX, blockY, blockZ},
                     sharedBytes,
                     stream,
                     nullptr,
                     {}},
                    parameters, nullptr);
}
Status cuLaunchKernelEx(const LaunchConfiguration *configuration,
                        Function function, void **parameters, void **extra) {
  ENTER_IN_CONTEXT("cuLaunchKernelEx");
  const LaunchConfiguration &c = *configuration;
  Launch launch = {"cuLaunchKernelEx",
                   {c.gridX, c.gridY, c.gridZ},
                   {c.blockX, c.blockY, c.blockZ},
                   c.sharedBytes,
                   c.stream,
                   nullptr,
                   {}};
  for (unsigned i = 0; i < c.attributeCount; ++i)
    launch.attributes.push_back(c.attributes[i].id);
  return noteLaunch(function, std::move(launch), parameters, extra);
}
