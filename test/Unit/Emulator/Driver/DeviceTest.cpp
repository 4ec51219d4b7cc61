// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator's CUDA library: devices, code, memory, launches, events.

#include "EmulatedDevice.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

using namespace tilewright;
using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

namespace {
class EmulatedCuda : public EmulatedDeviceTest {};
} // namespace

TEST_F(EmulatedCuda, IsTheDeviceOfTheEnvironment) {
  const char *wanted = std::getenv("TILEWRIGHT_EMULATOR_DEVICE");
  std::string name = wanted && *wanted ? wanted : "sm_90";
  EXPECT_EQ(device->facts().architecture.name(), name);
  EXPECT_EQ(device->facts().driverVersion, 13000);
  if (name == "sm_80") {
    EXPECT_EQ(device->sharedBytesLimit(), 163 * 1024);
    EXPECT_EQ(device->multiprocessorCount(), 108);
  }
  if (name == "sm_90") {
    EXPECT_EQ(device->sharedBytesLimit(), 227 * 1024);
    EXPECT_EQ(device->multiprocessorCount(), 132);
  }
  int warp = 0;
  EXPECT_EQ(
      device->driver()->cuDeviceGetAttribute(&warp, DeviceAttribute(10), 0), 0);
  EXPECT_EQ(warp, 32);
}

TEST_F(EmulatedCuda, KeepsTheLimitOfWhatIsPrinted) {
  auto *get = entry<int(size_t *, int)>("cuCtxGetLimit");
  auto *set = entry<int(int, size_t)>("cuCtxSetLimit");
  auto *retain = entry<int(void **, int)>("cuDevicePrimaryCtxRetain");
  auto *release = entry<int(int)>("cuDevicePrimaryCtxRelease_v2");
  auto *setCurrent = entry<int(void *)>("cuCtxSetCurrent");
  ASSERT_TRUE(get && set && retain && release && setCurrent);
  void *context = nullptr;
  ASSERT_EQ(retain(&context, 0), 0);
  ASSERT_EQ(setCurrent(context), 0);
  size_t value = 0;
  EXPECT_EQ(get(&value, 1), 0);
  EXPECT_EQ(value, size_t(1) << 20);
  EXPECT_EQ(set(1, 4096), 0);
  EXPECT_EQ(get(&value, 1), 0);
  EXPECT_EQ(value, 4096u);
  EXPECT_EQ(set(0, 4096), 215);
  EXPECT_EQ(get(&value, 99), 215);
  EXPECT_EQ(get(nullptr, 1), 1);
  EXPECT_EQ(setCurrent(nullptr), 0);
  EXPECT_EQ(release(0), 0);
}

/// CUDA driver API, cuTensorMapEncodeTiled: what it takes and what it refuses.
TEST_F(EmulatedCuda, MakesTensorMaps) {
  alignas(64) uint8_t map[128] = {};
  auto encode = [&](uint64_t address, uint64_t stride, uint32_t width,
                    int swizzle, int fill) {
    uint64_t shape[] = {100, 60}, strides[] = {stride};
    uint32_t box[] = {width, 8}, steps[] = {1, 1};
    auto *function =
        entry<int(void *, int, uint32_t, void *, const uint64_t *,
                  const uint64_t *, const uint32_t *, const uint32_t *, int,
                  int, int, int)>("cuTensorMapEncodeTiled");
    return function(map, /*FLOAT16=*/6, 2, reinterpret_cast<void *>(address),
                    shape, strides, box, steps, 0, swizzle, 0, fill);
  };
  // It takes the current context, as a GPU's driver does (seen: 580.159).
  EXPECT_EQ(encode(4096, 208, 64, 3, 1), 201);
  ScopedContext scope(*device);
  ASSERT_TRUE(bool(scope.status()));
  EXPECT_EQ(encode(4096, 208, 64, 3, 1), 0);
  EXPECT_NE(std::count(map, map + 128, 0), 128);
  EXPECT_EQ(encode(4104, 208, 64, 3, 0), 1);
  EXPECT_EQ(encode(4096, 200, 64, 3, 0), 1);
  EXPECT_EQ(encode(4096, 208, 12, 0, 0), 1);
  EXPECT_EQ(encode(4096, 208, 64, 2, 0), 1);
  EXPECT_EQ(encode(4096, 208, 64, 3, 2), 1);
}

TEST_F(EmulatedCuda, AddsVectors) {
  copyInputs();
  Result<LoadedKernel> kernel = load();
  ASSERT_TRUE(bool(kernel)) << kernel.error().message;
  ASSERT_TRUE(bool(add(*kernel)));
  EXPECT_TRUE(bool(stream->synchronize()));
  EXPECT_EQ(result(), sum());
}

TEST_F(EmulatedCuda, LaunchesFromSeveralThreads) {
  copyInputs();
  Result<LoadedKernel> kernel = load();
  ASSERT_TRUE(bool(kernel)) << kernel.error().message;
  std::vector<std::thread> threads;
  std::atomic<int> good = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 20; ++j)
        good += bool(add(*kernel));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, 80);
  EXPECT_EQ(result(), sum());
}

TEST_F(EmulatedCuda, EventsCountWork) {
  copyInputs();
  Result<LoadedKernel> kernel = load();
  ASSERT_TRUE(bool(kernel)) << kernel.error().message;
  std::vector<Event> events;
  for (int i = 0; i < 3; ++i) {
    Result<Event> event = Event::create(*device);
    ASSERT_TRUE(bool(event)) << event.error().message;
    events.push_back(std::move(*event));
  }
  // An event without a time is no event to measure from.
  EXPECT_FALSE(bool(events[1].microsecondsSince(events[0])));
  ASSERT_TRUE(bool(events[0].record(*stream)));
  ASSERT_TRUE(bool(add(*kernel)));
  ASSERT_TRUE(bool(events[1].record(*stream)));
  ASSERT_TRUE(bool(add(*kernel)));
  ASSERT_TRUE(bool(add(*kernel)));
  ASSERT_TRUE(bool(events[2].record(*stream)));
  ASSERT_TRUE(bool(events[2].synchronize()));
  Result<double> one = events[1].microsecondsSince(events[0]);
  Result<double> two = events[2].microsecondsSince(events[1]);
  ASSERT_TRUE(bool(one) && bool(two));
  EXPECT_GT(*one, 0);
  EXPECT_NEAR(*two, 2 * *one, 1e-6);
}

TEST_F(EmulatedCuda, StreamsWaitForEvents) {
  auto wait =
      entry<Status(StreamHandle, EventHandle, unsigned)>("cuStreamWaitEvent");
  auto query = entry<Status(StreamHandle)>("cuStreamQuery");
  ScopedContext scope(*device);
  EventHandle event = nullptr;
  ASSERT_EQ(device->driver()->cuEventCreate(&event, 0), 0);
  ASSERT_EQ(device->driver()->cuEventRecord(event, stream->handle()), 0);
  EXPECT_EQ(wait(nullptr, event, 0), 0);
  EXPECT_EQ(query(stream->handle()), 0);
  EXPECT_EQ(device->driver()->cuEventDestroy(event), 0);
  EXPECT_EQ(wait(nullptr, event, 0), statusInvalidHandle);
}

TEST_F(EmulatedCuda, FillsAndCopiesWithinTheDevice) {
  auto fill16 =
      entry<Status(DeviceAddress, unsigned short, size_t)>("cuMemsetD16_v2");
  auto fill32 =
      entry<Status(DeviceAddress, unsigned, size_t)>("cuMemsetD32_v2");
  auto copy =
      entry<Status(DeviceAddress, DeviceAddress, size_t)>("cuMemcpyDtoD_v2");
  ScopedContext scope(*device);
  DeviceAddress from = buffers[0].address(), to = buffers[2].address();
  ASSERT_EQ(fill32(from, 0x3f800000, count), 0);
  ASSERT_EQ(fill16(from + 4, 0x4000, 2), 0);
  EXPECT_EQ(fill16(from + 1, 0, 1), 1);
  EXPECT_EQ(fill32(from, 0, count + 1), 1);
  ASSERT_EQ(copy(to, from, 4 * count), 0);
  std::vector<float> expected(count, 1.0f);
  uint32_t pair = 0x40004000;
  std::memcpy(&expected[1], &pair, 4);
  EXPECT_EQ(result(), expected);
}

TEST_F(EmulatedCuda, KnowsAddresses) {
  auto attribute =
      entry<Status(void *, int, DeviceAddress)>("cuPointerGetAttribute");
  auto allocateHost =
      entry<Status(void **, size_t, unsigned)>("cuMemHostAlloc");
  auto freeHost = entry<Status(void *)>("cuMemFreeHost");
  ScopedContext scope(*device);
  unsigned type = 0;
  EXPECT_EQ(attribute(&type, 2, buffers[0].address() + 5), 0);
  EXPECT_EQ(type, 2u);
  void *host = nullptr;
  ASSERT_EQ(allocateHost(&host, 64, 0), 0);
  EXPECT_EQ(attribute(&type, 2, uintptr_t(host) + 63), 0);
  EXPECT_EQ(type, 1u);
  EXPECT_EQ(freeHost(host), 0);
  EXPECT_EQ(attribute(&type, 2, uintptr_t(host)), 1);
  EXPECT_EQ(attribute(&type, 2, uintptr_t(&type)), 1);
}

TEST_F(EmulatedCuda, ModulesHaveVariables) {
  auto global = entry<Status(DeviceAddress *, size_t *, Module, const char *)>(
      "cuModuleGetGlobal_v2");
  auto copy = entry<Status(void *, DeviceAddress, size_t)>("cuMemcpyDtoH_v2");
  ScopedContext scope(*device);
  Module module = nullptr;
  const Driver &driver = device->driver();
  ASSERT_EQ(driver->cuModuleLoadDataEx(&module, addText, 0, nullptr, nullptr),
            0);
  DeviceAddress address = 0;
  size_t size = 0;
  ASSERT_EQ(global(&address, &size, module, "answer"), 0);
  EXPECT_EQ(size, 8u);
  uint32_t words[2] = {};
  ASSERT_EQ(copy(words, address, 8), 0);
  EXPECT_EQ(words[0], 42u);
  EXPECT_EQ(words[1], 43u);
  EXPECT_EQ(global(&address, &size, module, "question"), 500);
  EXPECT_EQ(driver->cuModuleUnload(module), 0);
  EXPECT_EQ(copy(words, address, 8), 1);
}

TEST_F(EmulatedCuda, TellsOccupancy) {
  auto occupancy = entry<Status(int *, Function, int, size_t)>(
      "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  ScopedContext scope(*device);
  const Driver &driver = device->driver();
  Module module = nullptr;
  Function function = nullptr;
  ASSERT_EQ(driver->cuModuleLoadDataEx(&module, addText, 0, nullptr, nullptr),
            0);
  ASSERT_EQ(driver->cuModuleGetFunction(&function, module, "add"), 0);
  // Both devices: 2048 threads and 32 blocks of a multiprocessor; 164 and 228
  // KiB of shared memory, of which a block takes 1 KiB beside its own.
  int blocks = 0;
  ASSERT_EQ(occupancy(&blocks, function, 64, 0), 0);
  EXPECT_EQ(blocks, 32);
  ASSERT_EQ(occupancy(&blocks, function, 64, 40 << 10), 0);
  EXPECT_EQ(blocks, device->facts().architecture.major == 8 ? 4 : 5);
  ASSERT_EQ(occupancy(&blocks, function, 128, 0), 0);
  EXPECT_EQ(blocks, 0);
}

TEST_F(EmulatedCuda, EntriesDependOnVersions) {
  using Query = Status(const char *, void **, int, uint64_t, int *);
  auto find = entry<Query>("cuGetProcAddress_v2");
  void *address = nullptr;
  int found = -1;
  EXPECT_EQ(find("cuMemAlloc", &address, 12000, 0, &found), 0);
  EXPECT_EQ(address,
            reinterpret_cast<void *>(entry<Status()>("cuMemAlloc_v2")));
  EXPECT_EQ(found, 0);
  EXPECT_EQ(find("cuLibraryLoadData", &address, 11000, 0, &found), 0);
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(found, 2);
  EXPECT_EQ(find("cuTensorMapEncodeIm2col", &address, 13000, 0, &found), 0);
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(found, 1);
}
