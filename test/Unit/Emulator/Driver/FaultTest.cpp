// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator's CUDA library: what is refused, and faults of kernels.

#include "EmulatedDevice.h"

using namespace tilewright;
using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

namespace {
class EmulatedFault : public EmulatedDeviceTest {
protected:
  static bool contains(const std::string &text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }
  /// `add` with `from` replaced.
  static std::string changed(std::string_view from, std::string_view to) {
    std::string text = addText;
    text.replace(text.find(from), from.size(), to);
    return text;
  }
  /// The error of synchronising after a launch of `text`, whose report on
  /// stderr goes to `report`.
  std::string synchronizeAfter(const std::string &text, uint32_t n,
                               std::string &report) {
    copyInputs();
    Result<LoadedKernel> kernel = load(text);
    if (!kernel)
      return kernel.error().message;
    testing::internal::CaptureStderr();
    Result<void> launched = add(*kernel, n);
    report = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(bool(launched)) << launched.error().message;
    Result<void> waited = stream->synchronize();
    return waited ? "" : waited.error().message;
  }
};
} // namespace

TEST_F(EmulatedFault, BadPtxHasALog) {
  Result<LoadedKernel> kernel = load(changed("add.f32 %f3", "frob.f32 %f3"));
  ASSERT_FALSE(bool(kernel));
  const std::string &message = kernel.error().message;
  EXPECT_TRUE(contains(message, "CUDA_ERROR_INVALID_PTX (218)")) << message;
  EXPECT_TRUE(contains(message, "PTX line 27:")) << message;
  EXPECT_TRUE(contains(message, "frob.f32")) << message;
}

TEST_F(EmulatedFault, LogsAreCutToTheirBuffer) {
  ScopedContext scope(*device);
  char log[8] = "xxxxxxx";
  JitOption options[] = {jitErrorLogBufferSizeBytes, jitErrorLogBuffer};
  void *values[] = {reinterpret_cast<void *>(uintptr_t(6)), log};
  Module module = nullptr;
  EXPECT_EQ(device->driver()->cuModuleLoadDataEx(&module, "nonsense", 2,
                                                 options, values),
            218);
  EXPECT_STREQ(log, "PTX l");
  EXPECT_EQ(log[6], 'x');
  EXPECT_EQ(reinterpret_cast<uintptr_t>(values[0]), 5u);
}

TEST_F(EmulatedFault, RefusesOtherCode) {
  ScopedContext scope(*device);
  Module module = nullptr;
  auto loadText = [&](const char *image) {
    return device->driver()->cuModuleLoadDataEx(&module, image, 0, nullptr,
                                                nullptr);
  };
  EXPECT_EQ(loadText("\x7f"
                     "ELF\2\1\1"),
            209);
  EXPECT_EQ(loadText(""), 218);
  EXPECT_EQ(loadText(changed("sm_80", "sm_100").c_str()), 218);
  EXPECT_EQ(loadText(changed("sm_80", "sm_75").c_str()), 0);
}

TEST_F(EmulatedFault, OutOfBoundsSticks) {
  std::string report;
  std::string message = synchronizeAfter(addText, count + 1, report);
  EXPECT_TRUE(contains(message, "CUDA_ERROR_ILLEGAL_ADDRESS (700)")) << message;
  EXPECT_TRUE(contains(report, "add: out-of-bounds at PTX line 25, CTA (2, 0, "
                               "0), warp 0, lane 22: "))
      << report;
  // Every later call gives it, until the context is new.
  Result<void> copied = buffers[0].copyIn(bytesOf(x), *stream);
  ASSERT_FALSE(bool(copied));
  EXPECT_TRUE(contains(copied.error().message, "(700)"));
  EXPECT_FALSE(bool(Buffer::allocate(*device, 16)));
  buffers.clear();
  stream.reset();
  device.reset();
  SetUp();
  EXPECT_TRUE(bool(stream->synchronize()));
}

TEST_F(EmulatedFault, MisalignedAndOthers) {
  std::string report;
  std::string message =
      synchronizeAfter(changed("[%d6], %f3", "[%d6+2], %f3"), 64, report);
  EXPECT_TRUE(contains(message, "(716)")) << message;
  EXPECT_TRUE(contains(report, "misaligned at PTX line 28")) << report;
}

TEST_F(EmulatedFault, RacesAreLaunchFailures) {
  std::string report;
  std::string message =
      synchronizeAfter(changed("[%d6], %f3", "[%d3], %f3"), 64, report);
  EXPECT_TRUE(contains(message, "CUDA_ERROR_LAUNCH_FAILED (719)")) << message;
  EXPECT_TRUE(contains(report, "global-race at PTX line 28")) << report;
}

TEST_F(EmulatedFault, LaunchesBeyondLimits) {
  ScopedContext scope(*device);
  const Driver &driver = device->driver();
  Module module = nullptr;
  Function function = nullptr;
  ASSERT_EQ(driver->cuModuleLoadDataEx(&module, addText, 0, nullptr, nullptr),
            0);
  ASSERT_EQ(driver->cuModuleGetFunction(&function, module, "add"), 0);
  uint64_t address = buffers[0].address();
  uint32_t n = 0;
  void *parameters[] = {&address, &address, &address, &n};
  auto launch = [&](unsigned block, unsigned shared,
                    LaunchAttribute *attribute = nullptr, unsigned ctas = 1) {
    LaunchConfiguration configuration = {ctas,      1,
                                         1,         block,
                                         1,         1,
                                         shared,    stream->handle(),
                                         attribute, attribute ? 1u : 0u};
    return driver->cuLaunchKernelEx(&configuration, function, parameters,
                                    nullptr);
  };
  EXPECT_EQ(launch(64, 48 << 10), 0);
  EXPECT_EQ(launch(32, 0), 1);
  EXPECT_EQ(launch(64, (48 << 10) + 1), 1);
  ASSERT_EQ(
      driver->cuFuncSetAttribute(function, maxDynamicSharedSizeBytes, 64 << 10),
      0);
  EXPECT_EQ(launch(64, 64 << 10), 0);
  EXPECT_EQ(driver->cuFuncSetAttribute(function, maxDynamicSharedSizeBytes,
                                       device->sharedBytesLimit() + 1),
            1);
  LaunchAttribute attribute = {};
  attribute.id = LaunchAttributeId(11);
  EXPECT_EQ(launch(64, 0, &attribute), 801);
  // Cooperative: all CTAs must run at once.
  attribute.id = LaunchAttributeId(2);
  attribute.flag = 1;
  EXPECT_EQ(launch(64, 0, &attribute), 0);
  EXPECT_EQ(launch(64, 0, &attribute, /*ctas=*/1025), 720);
  attribute.id = launchProgrammaticStreamSerialization;
  attribute.flag = 1;
  EXPECT_EQ(launch(64, 0, &attribute), 0);
}
