// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs and launches on a fake driver (FakeCuda.h): devices, contexts,
// threads, images.

#include "FakeDevice.h"
#include "SampleArtifact.h"

#include "runtime/Capture.h"
#include "runtime/Program.h"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::runtime;

namespace {
class LaunchTest : public testing::Test {
protected:
  void SetUp() override {
    setenv("TILEWRIGHT_CUDA_DRIVER", FAKE_CUDA_CURRENT, /*overwrite=*/1);
    state = &freshState(FAKE_CUDA_CURRENT);
    state->onLaunch = nullptr;
    driver = *Driver::openDefault();
    // What tests of a failing cuCtxPopCurrent have left on this thread.
    for (cuda::Context left = nullptr;
         (*driver)->cuCtxPopCurrent(&left) == cuda::statusSuccess;)
      ;
    state->calls.clear();
  }
  void TearDown() override { unsetenv("TILEWRIGHT_CUDA_DRIVER"); }

  static std::shared_ptr<const Artifact> sample() {
    return std::make_shared<const Artifact>(sampleArtifact());
  }
  static std::array<ArgumentView, 3> arguments() {
    return {Argument::pointer(256), Argument::pointer(512),
            Argument::integer(1, 4)};
  }
  long calls(const char *name) const {
    return std::count(state->calls.begin(), state->calls.end(), name);
  }
  static cuda::StreamHandle streamOf(uintptr_t number) {
    return reinterpret_cast<cuda::StreamHandle>(number);
  }

  fakecuda::State *state = nullptr;
  std::shared_ptr<const Driver> driver;
};
} // namespace

TEST_F(LaunchTest, TwoDevicesShareALibrary) {
  state->deviceCount = 2;
  Device first = *Device::open(driver, 0), second = *Device::open(driver, 1);
  Program program(sample());
  auto onFirst = *program.prepare(first, "add");
  auto onSecond = *program.prepare(second, "add");
  EXPECT_EQ(program.prepare(first, "").operator*(), onFirst);
  EXPECT_EQ(calls("cuLibraryLoadData"), 1);
  EXPECT_EQ(calls("cuKernelGetFunction"), 2);
  // Whatever is current, a kernel runs in its own context.
  for (const Device *current : {&first, &second}) {
    ScopedContext scope(*current);
    state->launches.clear();
    ASSERT_TRUE(bool(onFirst->launch({1, 1, 1}, arguments(), nullptr)));
    ASSERT_TRUE(bool(onSecond->launch({1, 1, 1}, arguments(), nullptr)));
    ASSERT_EQ(state->launches.size(), 2u);
    EXPECT_EQ(state->launches[0].context, first.context());
    EXPECT_EQ(state->launches[1].context, second.context());
    cuda::Context now = nullptr;
    ASSERT_EQ((*driver)->cuCtxGetCurrent(&now), 0);
    EXPECT_EQ(now, current->context());
  }
}

TEST_F(LaunchTest, TwoDriversShareNoCode) {
  // Contexts of two drivers may have the same number.
  fakecuda::State &other = freshState(FAKE_CUDA_OLD);
  other.onLaunch = nullptr;
  Device first = *Device::open(driver, 0);
  Device second = *Device::open(*Driver::open(FAKE_CUDA_OLD), 0);
  ASSERT_EQ(first.contextId(), second.contextId());
  Program program(sample());
  auto onFirst = *program.prepare(first, "add");
  auto onSecond = *program.prepare(second, "add");
  EXPECT_NE(onFirst, onSecond);
  EXPECT_EQ(state->live["library"], 1);
  EXPECT_EQ(other.live["library"], 1);
  // The same driver, opened again, is the same.
  Device again = *Device::open(*Driver::open(FAKE_CUDA_OLD), 0);
  EXPECT_EQ(*program.prepare(again, "add"), onSecond);
}

TEST_F(LaunchTest, ModulesAreEachContexts) {
  state->deviceCount = 2;
  state->absent = {"cuLibraryLoadData"};
  driver = *Driver::openDefault();
  Device first = *Device::open(driver, 0), second = *Device::open(driver, 1);
  Program program(sample());
  {
    auto onFirst = *program.prepare(first, "add");
    auto onSecond = *program.prepare(second, "add");
    EXPECT_EQ(calls("cuModuleLoadDataEx"), 2);
    EXPECT_EQ(state->live["module"], 2);
    ASSERT_TRUE(bool(onSecond->launch({1, 1, 1}, arguments(), nullptr)));
    EXPECT_EQ(state->launches[0].context, second.context());
  }
  EXPECT_EQ(state->live["module"], 0);
}

TEST_F(LaunchTest, AForeignContextIsUsedAsItIs) {
  auto foreign = reinterpret_cast<cuda::Context>(0x5c0);
  EXPECT_EQ(Device::fromCurrentContext(driver).error().message,
            "expects a CUDA context that is current on this thread, but there "
            "is none");
  ASSERT_EQ((*driver)->cuCtxPushCurrent(foreign), 0);
  {
    Device device = *Device::fromCurrentContext(driver);
    EXPECT_EQ(device.context(), foreign);
    Program program(sample());
    auto kernel = *program.prepare(device, "add");
    ASSERT_TRUE(bool(kernel->launch({1, 1, 1}, arguments(), streamOf(9))));
    EXPECT_EQ(state->launches[0].context, foreign);
    EXPECT_EQ(state->launches[0].stream, streamOf(9));
    std::thread([&] {
      EXPECT_TRUE(bool(kernel->launch({1, 1, 1}, arguments(), streamOf(9))));
    }).join();
    EXPECT_EQ(state->launches[1].context, foreign);
  }
  EXPECT_EQ(calls("cuDevicePrimaryCtxRetain"), 0);
  EXPECT_EQ(calls("cuDevicePrimaryCtxRelease"), 0);
  EXPECT_EQ(state->live["library"], 0);
  cuda::Context popped = nullptr;
  (*driver)->cuCtxPopCurrent(&popped);
}

TEST_F(LaunchTest, TheStreamIsThatOfEachCall) {
  Device device = *Device::open(driver, 0);
  Program program(sample());
  auto kernel = *program.prepare(device, "add");
  BoundLaunch bound = *BoundLaunch::create(kernel, {2, 1, 1}, arguments());
  ScopedContext scope(device);
  for (uintptr_t number : {7, 0, 8, 7}) {
    ASSERT_TRUE(bool(kernel->launch({1, 1, 1}, arguments(), streamOf(number))));
    ASSERT_TRUE(bool(bound.launch(streamOf(number))));
  }
  ASSERT_EQ(state->launches.size(), 8u);
  for (size_t i = 0; i < 8; ++i)
    EXPECT_EQ(state->launches[i].stream,
              streamOf(std::array{7, 0, 8, 7}[i / 2]));
}

TEST_F(LaunchTest, ARefusedImageGivesWayToTheNext) {
  Device device = *Device::open(driver, 0);
  Artifact artifact = sampleArtifact();
  // Loading fails once: for the machine code.
  state->failNextLoad = 209;
  LoadedKernel kernel = *LoadedKernel::load(device, artifact, "add");
  EXPECT_EQ(kernel.image().kind, ImageKind::Ptx);
  EXPECT_EQ(state->loadedImage, "ptx 70");
  // What the image is not to blame for is the error.
  state->failNextLoad = 2;
  Result<LoadedKernel> failed = LoadedKernel::load(device, artifact, "add");
  ASSERT_FALSE(bool(failed));
  EXPECT_EQ(failed.error().code, ErrorCode::OutOfMemory);
  EXPECT_EQ(state->loadedImage, "cubin 80");
  state->failures["cuLibraryLoadData"] = 209;
  failed = LoadedKernel::load(device, artifact, "add");
  ASSERT_FALSE(bool(failed));
  EXPECT_EQ(failed.error().code, ErrorCode::Unsupported);
  EXPECT_NE(failed.error().message.find("'add' (sm_80) on device 0: Fake GPU "
                                        "(sm_80), CUDA 12.4"),
            std::string::npos)
      << failed.error().message;
}

TEST_F(LaunchTest, NoImageNamesArchitectureAndDriver) {
  state->major = 6;
  Device device = *Device::open(driver, 0);
  EXPECT_EQ(LoadedKernel::load(device, sampleArtifact(), "add").error().message,
            "no image of kernel 'add' runs on sm_60 with a driver for CUDA "
            "12.4 (cubin sm_80: the device is older; PTX 6.0 for sm_70: the "
            "device is older)");
}

TEST_F(LaunchTest, AnOldDriverDoesNotLoadInACapture) {
  state->version = 12020;
  driver = *Driver::openDefault();
  Device device = *Device::open(driver, 0);
  auto program = std::make_shared<Program>(sample());
  LazyKernel kernel(program, device, "add");
  state->captureStatus = 1;
  Result<void> refused = kernel.launch({1, 1, 1}, arguments(), streamOf(0x571));
  ASSERT_FALSE(bool(refused));
  EXPECT_EQ(refused.error().code, ErrorCode::NotPrepared);
  EXPECT_EQ(refused.error().message,
            "kernel 'add' is not loaded on device 0: Fake GPU (sm_80), CUDA "
            "12.2 (" FAKE_CUDA_CURRENT "), and stream 1393 captures, when this "
            "driver cannot load code; prepare the kernel before the capture "
            "begins");
  EXPECT_EQ(calls("cuLibraryLoadData"), 0);
  EXPECT_FALSE(kernel.isPrepared());
  ASSERT_TRUE(bool(kernel.prepare()));
  EXPECT_TRUE(bool(kernel.launch({1, 1, 1}, arguments(), streamOf(0x571))));
}

TEST_F(LaunchTest, CodeIsLoadedAndUnloadedInRelaxedMode) {
  Device device = *Device::open(driver, 0);
  auto program = std::make_shared<Program>(sample());
  state->captureStatus = 1;
  {
    LazyKernel kernel(program, device, "add");
    EXPECT_TRUE(bool(kernel.launch({1, 1, 1}, arguments(), streamOf(0x571))));
  }
  EXPECT_EQ(state->live["library"], 0);
  EXPECT_EQ(state->captureModes, std::vector<int>({2, 2}));
}

TEST_F(LaunchTest, NothingIsUnloadedWhileSomebodyCaptures) {
  Device device = *Device::open(driver, 0);
  Program program(sample());
  auto kernel = *program.prepare(device, "add");
  {
    CaptureScope outer(device);
    {
      CaptureScope inner(device);
      kernel.reset();
    }
    EXPECT_EQ(state->live["library"], 1);
    EXPECT_EQ(device.unusedCount(), 1u);
    device.unloadUnused();
    EXPECT_EQ(state->live["library"], 1);
  }
  EXPECT_EQ(state->live["library"], 0);
  EXPECT_EQ(device.unusedCount(), 0u);
}

TEST_F(LaunchTest, ManyAndLargeParameters) {
  // 70 parameters of 8 bytes, and one of 20,000.
  Artifact artifact = sampleArtifact();
  artifact.variants.pop_back();
  artifact.kernels[0].parameters.clear();
  std::vector<Argument> arguments;
  for (unsigned i = 0; i < 70; ++i) {
    artifact.kernels[0].parameters.push_back(
        {"p" + std::to_string(i), ParameterKind::Integer, 8, 0, 1});
    arguments.push_back(Argument::integer(1000 + i, 8));
  }
  artifact.kernels[0].parameters.push_back(
      {"table", ParameterKind::Untyped, 20000, 0, 1});
  arguments.push_back(Argument::untyped(std::vector<uint8_t>(20000, 0xab)));
  Variant &variant = artifact.variants[0];
  variant.slots.clear();
  appendNaturalSlots(artifact.kernels[0], 8, variant.slots);
  state->parameters.clear();
  for (const Slot &slot : variant.slots)
    state->parameters.push_back({slot.offset, slot.size});
  Device device = *Device::open(driver, 0);
  LoadedKernel kernel = *LoadedKernel::load(device, artifact, "add");
  int64_t last = 0;
  uint8_t end = 0;
  state->onLaunch = [&](void **parameters) {
    std::memcpy(&last, parameters[69], 8);
    end = static_cast<uint8_t *>(parameters[70])[19999];
  };
  ASSERT_TRUE(bool(kernel.launch({1, 1, 1}, arguments, nullptr)));
  EXPECT_EQ(last, 1069);
  EXPECT_EQ(end, 0xab);
}

TEST_F(LaunchTest, TensorMapsAreMadeWhenALaunchIsBound) {
  Artifact artifact = sampleArtifact();
  artifact.kernels = {{"copy", {{"t", ParameterKind::Descriptor, 0, 2, 16}}}};
  TensorMapRecipe recipe;
  recipe.elementBytes = 4;
  recipe.base = {ValueSource::DescriptorPointer, 0, 0, 0};
  recipe.shape = {{ValueSource::DescriptorShape, 0, 1, 0},
                  {ValueSource::DescriptorShape, 0, 0, 0}};
  recipe.strides = {{ValueSource::DescriptorStride, 0, 0, 0}};
  recipe.box = recipe.elementStrides = {1, 1};
  Variant variant;
  variant.symbol = "copy";
  variant.tensorMaps = {recipe};
  variant.slots = {{0, 128, 64, SlotKind::TensorMap, {}, 0}};
  artifact.variants = {variant};
  state->parameters = {{0, 128}};
  Device device = *Device::open(driver, 0);
  Program program(std::make_shared<const Artifact>(artifact));
  auto kernel = *program.prepare(device, "");
  auto bind = [&](std::vector<int64_t> shape, std::vector<int64_t> strides) {
    Argument argument = Argument::descriptor(4096, shape, strides);
    std::array<ArgumentView, 1> views = {argument};
    return BoundLaunch::create(kernel, {1, 1, 1}, views);
  };
  // What does not fit is told before there is a launch.
  EXPECT_EQ(bind({2, 3}, {3, 1}).error().message,
            "kernel 'copy': a tensor map expects a stride that is a multiple "
            "of 16 bytes, but got 12");
  EXPECT_NE(bind({2}, {3, 1}).error().message.find("a descriptor of rank 2"),
            std::string::npos);
  BoundLaunch launch = *bind({2, 3}, {4, 1});
  EXPECT_EQ(state->tensorMapShape, std::vector<uint64_t>({3, 2}));
  uint8_t first = 0;
  state->onLaunch = [&](void **parameters) {
    first = *static_cast<uint8_t *>(parameters[0]);
  };
  ScopedContext scope(device);
  state->calls.clear();
  ASSERT_TRUE(bool(launch.launch(streamOf(5))));
  ASSERT_TRUE(bool(launch.launch(streamOf(6))));
  EXPECT_EQ(state->calls,
            std::vector<std::string>({"cuLaunchKernel", "cuLaunchKernel"}));
  EXPECT_EQ(first, 0x77);
}

TEST_F(LaunchTest, AChildProcessIsTold) {
  Device device = *Device::open(driver, 0);
  pid_t child = fork();
  if (child == 0) {
    Result<LoadedKernel> kernel =
        LoadedKernel::load(device, sampleArtifact(), "add");
    Result<Device> again = Device::open(driver, 0);
    bool isTold = !kernel && !again &&
                  kernel.error().message.find("is of no use after fork") !=
                      std::string::npos &&
                  again.error().message == kernel.error().message;
    _exit(isTold ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}
