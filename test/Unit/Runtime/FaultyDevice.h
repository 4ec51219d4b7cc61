// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator's CUDA library behind FaultyCuda, and a kernel to launch there.

#ifndef TILEWRIGHT_TEST_UNIT_RUNTIME_FAULTYDEVICE_H
#define TILEWRIGHT_TEST_UNIT_RUNTIME_FAULTYDEVICE_H

#include "FaultyCuda.h"

#include "lib/Judges/Emulator/Driver/Entries.h"
#include "lib/Run/PtxArtifact.h"
#include "runtime/Program.h"

#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>

namespace tilewright::runtime {

/// y[i] = x[i] + n for the 32 elements of each CTA.
inline constexpr const char *addNumberText = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry add_number(.param .u64 .ptr .global x, .param .u64 .ptr .global y,
                           .param .u32 n)
.reqntid 32, 1, 1
{
  .reg .b32 %r<6>;
  .reg .b64 %d<6>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.s32 %r3, %r1, 32, %r2;
  ld.param.u64 %d1, [x];
  ld.param.u64 %d2, [y];
  ld.param.u32 %r4, [n];
  mad.wide.s32 %d3, %r3, 4, %d1;
  mad.wide.s32 %d4, %r3, 4, %d2;
  ld.global.u32 %r5, [%d3];
  add.u32 %r5, %r5, %r4;
  st.global.u32 [%d4], %r5;
  ret;
}
)";

inline std::shared_ptr<const Artifact> addNumberArtifact() {
  return std::make_shared<const Artifact>(
      *run::artifactFromPtx(addNumberText, {}));
}

/// An entry point of the emulator that the runtime does not use:
/// `EMULATED(cuGraphLaunch)`.
template <typename Signature>
Signature *emulatorEntry(const char *symbol) {
  void *library = dlopen(EMULATED_CUDA, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Signature *>(dlsym(library, symbol));
}
#define EMULATED(symbol)                                                       \
  emulatorEntry<decltype(emulator::driver::symbol)>(#symbol)

/// One element of memory a lane, with two buffers and a stream.
struct Worker {
  static constexpr uint32_t count = 32;
  Device device;
  Stream stream;
  Buffer x, y;

  static Result<Worker> create(const Device &device) {
    Result<Stream> stream = Stream::create(device);
    if (!stream)
      return stream.takeError();
    Result<Buffer> x = Buffer::allocate(device, 4 * count);
    if (!x)
      return x.takeError();
    Result<Buffer> y = Buffer::allocate(device, 4 * count);
    if (!y)
      return y.takeError();
    return Worker{device, std::move(*stream), std::move(*x), std::move(*y)};
  }

  Result<void> write(uint32_t first) const {
    std::array<uint32_t, count> values;
    for (uint32_t i = 0; i < count; ++i)
      values[i] = first + i;
    if (Result<void> good = y.fill(0, stream); !good)
      return good;
    return x.copyIn(
        {reinterpret_cast<const uint8_t *>(values.data()), sizeof(values)},
        stream);
  }

  std::array<ArgumentView, 3> arguments(uint32_t number) const {
    return {Argument::pointer(x.address()), Argument::pointer(y.address()),
            Argument::integer(number, 4)};
  }

  /// Whether y holds first + number onwards.
  Result<bool> holds(uint32_t sum) const {
    std::array<uint32_t, count> values = {};
    Result<void> copied = y.copyOut(
        {reinterpret_cast<uint8_t *>(values.data()), sizeof(values)}, stream);
    if (!copied)
      return copied.takeError();
    for (uint32_t i = 0; i < count; ++i)
      if (values[i] != sum + i)
        return false;
    return true;
  }
};

class FaultyDeviceTest : public testing::Test {
protected:
  void SetUp() override {
    setenv("TILEWRIGHT_CUDA_DRIVER", FAULTY_CUDA, /*overwrite=*/1);
    setenv("FAULTY_CUDA_DRIVER", EMULATED_CUDA, /*overwrite=*/1);
    void *library = dlopen(FAULTY_CUDA, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    control = reinterpret_cast<decltype(&tilewrightFaultyCuda)>(
        dlsym(library, "tilewrightFaultyCuda"))();
    control->reset();
  }
  void TearDown() override {
    control->reset();
    unsetenv("TILEWRIGHT_CUDA_DRIVER");
  }

  static Result<Device> openDevice() {
    Result<std::shared_ptr<const Driver>> driver = Driver::openDefault();
    if (!driver)
      return driver.takeError();
    return Device::open(*driver, 0);
  }

  faultycuda::Control *control = nullptr;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_TEST_UNIT_RUNTIME_FAULTYDEVICE_H
