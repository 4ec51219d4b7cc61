// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator's CUDA library behind the runtime's classes, and a kernel.

#ifndef TILEWRIGHT_TEST_UNIT_EMULATOR_DRIVER_EMULATEDDEVICE_H
#define TILEWRIGHT_TEST_UNIT_EMULATOR_DRIVER_EMULATEDDEVICE_H

#include "lib/Run/PtxArtifact.h"
#include "runtime/LoadedKernel.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>

namespace tilewright::runtime {

/// z[i] = x[i] + y[i] for i < n, by CTAs of 64 threads.
inline constexpr const char *addText = R"(.version 7.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 answer[2] = {42, 43};
.visible .entry add(.param .u64 .ptr .global x, .param .u64 .ptr .global y,
                    .param .u64 .ptr .global z, .param .u32 n)
.reqntid 64, 1, 1
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .f32 %f<4>;
  .reg .b64 %d<8>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.s32 %r3, %r1, 64, %r2;
  ld.param.u32 %r4, [n];
  setp.ge.s32 %p1, %r3, %r4;
  @%p1 bra done;
  ld.param.u64 %d1, [x];
  ld.param.u64 %d2, [y];
  ld.param.u64 %d3, [z];
  mad.wide.s32 %d4, %r3, 4, %d1;
  mad.wide.s32 %d5, %r3, 4, %d2;
  mad.wide.s32 %d6, %r3, 4, %d3;
  ld.global.f32 %f1, [%d4];
  ld.global.f32 %f2, [%d5];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%d6], %f3;
done:
  ret;
}
)";

/// An entry point that the runtime does not use.
template <typename Signature>
Signature *entry(const char *symbol) {
  void *library = dlopen(EMULATED_CUDA, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Signature *>(dlsym(library, symbol));
}

inline std::span<const uint8_t> bytesOf(const std::vector<float> &values) {
  return {reinterpret_cast<const uint8_t *>(values.data()), 4 * values.size()};
}

/// A device with a stream and the buffers of `add`.
class EmulatedDeviceTest : public testing::Test {
protected:
  static constexpr uint32_t count = 150;

  void SetUp() override {
    setenv("TILEWRIGHT_CUDA_DRIVER", EMULATED_CUDA, /*overwrite=*/1);
    auto driver = Driver::openDefault();
    ASSERT_TRUE(bool(driver)) << driver.error().message;
    Result<Device> opened = Device::open(*driver, 0);
    ASSERT_TRUE(bool(opened)) << opened.error().message;
    device.emplace(*opened);
    Result<Stream> created = Stream::create(*device);
    ASSERT_TRUE(bool(created)) << created.error().message;
    stream.emplace(std::move(*created));
    for (int i = 0; i < 3; ++i) {
      Result<Buffer> buffer = Buffer::allocate(*device, 4 * count);
      ASSERT_TRUE(bool(buffer)) << buffer.error().message;
      buffers.push_back(std::move(*buffer));
    }
    for (uint32_t i = 0; i < count; ++i) {
      x.push_back(float(i) * 0.5f);
      y.push_back(1000.0f - float(i));
    }
  }

  Result<LoadedKernel> load(const std::string &text = addText) {
    Result<Artifact> artifact = run::artifactFromPtx(text, {});
    if (!artifact)
      return artifact.takeError();
    return LoadedKernel::load(*device, *artifact, "");
  }

  void copyInputs() {
    for (auto [buffer, values] : {std::pair(0, &x), std::pair(1, &y)}) {
      Result<void> copied = buffers[buffer].copyIn(bytesOf(*values), *stream);
      ASSERT_TRUE(bool(copied)) << copied.error().message;
    }
  }

  /// Launches `add` on `n` elements.
  Result<void> add(const LoadedKernel &kernel, uint32_t n = count) {
    Argument arguments[] = {Argument::pointer(buffers[0].address()),
                            Argument::pointer(buffers[1].address()),
                            Argument::pointer(buffers[2].address()),
                            Argument::integer(n, 4)};
    return kernel.launch({(n + 63) / 64, 1, 1}, arguments, stream->handle());
  }

  std::vector<float> result() {
    std::vector<float> values(count);
    Result<void> copied = buffers[2].copyOut(
        {reinterpret_cast<uint8_t *>(values.data()), 4 * count}, *stream);
    EXPECT_TRUE(bool(copied)) << copied.error().message;
    return values;
  }

  std::vector<float> sum() const {
    std::vector<float> values(count);
    for (uint32_t i = 0; i < count; ++i)
      values[i] = x[i] + y[i];
    return values;
  }

  std::optional<Device> device;
  std::optional<Stream> stream;
  std::vector<Buffer> buffers;
  std::vector<float> x, y;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_TEST_UNIT_EMULATOR_DRIVER_EMULATEDDEVICE_H
