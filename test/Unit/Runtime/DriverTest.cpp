// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Driver, device and run, on a fake driver (FakeCuda.h).

#include "FakeDevice.h"
#include "SampleArtifact.h"

#include "lib/Run/Npy.h"
#include "lib/Run/Run.h"
#include "runtime/LoadedKernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace tilewright;
using namespace tilewright::run;
using namespace tilewright::runtime;

namespace {
class DriverTest : public testing::Test {
protected:
  fakecuda::State &use(const char *library) {
    setenv("TILEWRIGHT_CUDA_DRIVER", library, /*overwrite=*/1);
    return freshState(library);
  }
  void TearDown() override { unsetenv("TILEWRIGHT_CUDA_DRIVER"); }

  /// A run of the sample with every call that a run makes.
  static Result<RunReport> runSample(const Artifact &artifact,
                                     std::string *printed = nullptr) {
    Result<std::unique_ptr<ExecutionDevice>> device = openCudaDevice(0);
    if (!device)
      return device.takeError();
    RunOptions options;
    options.grid = {3, 2, 1};
    for (const char *text : {"arange:4xf32", "full:4xf32:10", "i32:4"})
      options.arguments.push_back(*parseArgument(text));
    options.expectations.push_back(*parseExpectation("1=arange:4xf32:10"));
    options.repeat = 3;
    return runArtifact(artifact, **device, options, [&](std::string_view text) {
      if (printed)
        *printed += text;
    });
  }

  static bool nothingLives(const fakecuda::State &state) {
    return std::all_of(state.live.begin(), state.live.end(),
                       [](const auto &entry) { return entry.second == 0; });
  }
};
} // namespace

TEST_F(DriverTest, AbsentLibrary) {
  setenv("TILEWRIGHT_CUDA_DRIVER", "/nonexistent/libcuda.so", 1);
  Result<RunReport> report = runSample(sampleArtifact());
  ASSERT_FALSE(bool(report));
  EXPECT_EQ(report.error().code, ErrorCode::NotFound);
  EXPECT_NE(report.error().message.find(
                "cannot open the CUDA driver '/nonexistent/libcuda.so'"),
            std::string::npos);
}

TEST_F(DriverTest, MissingEntryPoints) {
  use(FAKE_CUDA_CURRENT).absent = {"cuMemAlloc", "cuLaunchKernel"};
  Result<RunReport> report = runSample(sampleArtifact());
  ASSERT_FALSE(bool(report));
  EXPECT_NE(report.error().message.find(
                "lacks the entry points cuMemAlloc, cuLaunchKernel"),
            std::string::npos);
}

TEST_F(DriverTest, NoDevice) {
  fakecuda::State &state = use(FAKE_CUDA_CURRENT);
  state.deviceCount = 0;
  Result<RunReport> report = runSample(sampleArtifact());
  ASSERT_FALSE(bool(report));
  EXPECT_NE(report.error().message.find("has no device"), std::string::npos);
  state.deviceCount = 2;
  EXPECT_EQ(openCudaDevice(5).error().message,
            "expects a device from 0 to 1, but got 5");
  EXPECT_FALSE(bool(openCudaDevice(-1)));
}

TEST_F(DriverTest, RunsAndCompares) {
  fakecuda::State &state = use(FAKE_CUDA_CURRENT);
  std::string printed;
  Result<RunReport> report = runSample(sampleArtifact(), &printed);
  ASSERT_TRUE(bool(report)) << report.error().message;
  EXPECT_TRUE(report->matches());
  EXPECT_EQ(report->image, "cubin sm_80");
  EXPECT_EQ(*report->medianMicroseconds, 250);
  EXPECT_EQ(state.kernelName, "add");
  EXPECT_EQ(state.loadedImage, "cubin 80");
  ASSERT_EQ(state.launches.size(), 1u + 3u + 2 * 3u);
  const fakecuda::Launch &launch = state.launches[0];
  EXPECT_EQ(launch.call, "cuLaunchKernel");
  EXPECT_EQ(launch.grid, std::vector<unsigned>({3, 2, 1}));
  EXPECT_EQ(launch.block, std::vector<unsigned>({128, 1, 1}));
  EXPECT_EQ(launch.stream, reinterpret_cast<cuda::StreamHandle>(0x571));
  EXPECT_TRUE(launch.attributes.empty());
  EXPECT_TRUE(nothingLives(state));
  EXPECT_NE(printed.find("add     3x2x1  cubin sm_80  250.00"),
            std::string::npos)
      << printed;
  EXPECT_NE(printed.find("argument 1: 0 of 4 differ"), std::string::npos);
}

// What is timed is in the queue before the clock starts: the device is busy
// with the same until then.
TEST_F(DriverTest, TimesWorkBehindTheSame) {
  fakecuda::State &state = use(FAKE_CUDA_CURRENT);
  state.onLaunch = [&](void **) { state.calls.push_back("launched"); };
  std::unique_ptr<ExecutionDevice> device = std::move(*openCudaDevice(0));
  auto kernel = std::move(*device->prepare(sampleArtifact(), ""));
  std::vector<Argument> arguments = {Argument::pointer(0), Argument::pointer(0),
                                     Argument::integer(4, 4)};
  state.calls.clear();
  Result<double> time = device->time([&]() -> Result<void> {
    Result<void> first = kernel->launch({3, 2, 1}, arguments);
    return first ? kernel->launch({3, 2, 1}, arguments) : first;
  });
  ASSERT_TRUE(bool(time)) << time.error().message;
  EXPECT_EQ(*time, 250);
  std::string order;
  for (const std::string &call : state.calls)
    for (auto [name, letter] :
         {std::pair("launched", 'L'), std::pair("cuEventRecord", 'R'),
          std::pair("cuEventSynchronize", 'S')})
      if (call == name)
        order += letter;
  EXPECT_EQ(order, "LLRLLRS");
}

TEST_F(DriverTest, MismatchesAreReported) {
  fakecuda::State &state = use(FAKE_CUDA_CURRENT);
  state.onLaunch = nullptr;
  std::string printed;
  Result<RunReport> report = runSample(sampleArtifact(), &printed);
  ASSERT_TRUE(bool(report));
  EXPECT_FALSE(report->matches());
  EXPECT_EQ(report->checks[0].comparison.mismatches, 3u);
  EXPECT_NE(printed.find("first at [1]: expects 11, but got 10"),
            std::string::npos)
      << printed;
}

TEST_F(DriverTest, OldDriversUseModules) {
  fakecuda::State &state = use(FAKE_CUDA_OLD);
  // What an old driver lacks cannot be hidden from dlsym here, so this shows
  // the look-up by symbols; the next test shows the older calls.
  Result<RunReport> report = runSample(sampleArtifact());
  ASSERT_TRUE(bool(report)) << report.error().message;
  EXPECT_TRUE(report->matches());
  EXPECT_TRUE(nothingLives(state));
}

TEST_F(DriverTest, WithoutTheNewEntryPoints) {
  fakecuda::State &state = use(FAKE_CUDA_CURRENT);
  state.version = 11040;
  state.absent = {"cuLibraryLoadData", "cuLaunchKernelEx", "cuFuncLoad",
                  "cuFuncGetParamInfo"};
  Artifact artifact = sampleArtifact();
  Result<RunReport> report = runSample(artifact);
  ASSERT_TRUE(bool(report)) << report.error().message;
  EXPECT_TRUE(report->matches());
  EXPECT_EQ(state.launches[0].call, "cuLaunchKernel");
  EXPECT_EQ(
      std::count(state.calls.begin(), state.calls.end(), "cuModuleLoadDataEx"),
      1);
  artifact.variants[0].cooperative = true;
  ASSERT_TRUE(bool(runSample(artifact)));
  EXPECT_EQ(state.launches.back().call, "cuLaunchCooperativeKernel");
  artifact.variants[0].cluster.x = 2;
  artifact.variants.pop_back(); // which would take its place
  Result<RunReport> refused = runSample(artifact);
  ASSERT_FALSE(bool(refused));
  EXPECT_EQ(refused.error().code, ErrorCode::Unsupported);
  EXPECT_TRUE(nothingLives(state));
}

TEST_F(DriverTest, EveryFailingCallIsReported) {
  fakecuda::State &state = use(FAKE_CUDA_CURRENT);
  Artifact artifact = sampleArtifact();
  artifact.variants[0].dynamicSharedBytes = 100000;
  ASSERT_TRUE(bool(runSample(artifact)));
  std::set<std::string> calls(state.calls.begin(), state.calls.end());
  EXPECT_GT(calls.size(), 25u);
  // Destructors have nobody to tell; parameters are compared, not required.
  const std::set<std::string> silent = {
      "cuDevicePrimaryCtxRelease", "cuLibraryUnload", "cuMemFree",
      "cuStreamDestroy", "cuEventDestroy", "cuCtxPopCurrent",
      // What they would tell is then taken for unknown.
      "cuCtxGetId", "cuStreamIsCapturing", "cuThreadExchangeStreamCaptureMode"};
  for (const std::string &call : calls) {
    SCOPED_TRACE(call);
    fakecuda::State &fresh = use(FAKE_CUDA_CURRENT);
    fresh.failures[call] = 719;
    Result<RunReport> report = runSample(artifact);
    if (silent.count(call)) {
      EXPECT_TRUE(bool(report));
      continue;
    }
    ASSERT_FALSE(bool(report));
    std::string expected =
        call == "cuFuncGetParamInfo"
            ? "does not match its artifact"
            : call + " failed: CUDA_ERROR_LAUNCH_FAILED (719): unspecified "
                     "launch failure";
    EXPECT_NE(report.error().message.find(expected), std::string::npos)
        << report.error().message;
    if (call != "cuCtxPushCurrent") {
      EXPECT_TRUE(nothingLives(fresh));
    }
  }
}

TEST_F(DriverTest, LaunchErrorsCarryTheRequest) {
  use(FAKE_CUDA_CURRENT).failures["cuLaunchKernel"] = 719;
  Result<RunReport> report = runSample(sampleArtifact());
  ASSERT_FALSE(bool(report));
  EXPECT_NE(report.error().message.find("while launching kernel 'add' on a "
                                        "grid of 3 x 2 x 1, stream 1393, "
                                        "device 0: Fake GPU (sm_80)"),
            std::string::npos)
      << report.error().message;
}

TEST_F(DriverTest, TheCompilersLogIsShown) {
  fakecuda::State &state = use(FAKE_CUDA_CURRENT);
  state.failures["cuLibraryLoadData"] = 218;
  state.compilerLog = "ptxas error: unknown instruction";
  state.major = 9;
  Result<RunReport> report = runSample(sampleArtifact());
  ASSERT_FALSE(bool(report));
  EXPECT_NE(report.error().message.find(
                "cuLibraryLoadData failed: unknown error (218)"),
            std::string::npos);
  EXPECT_NE(report.error().message.find("\nptxas error: unknown instruction"),
            std::string::npos);
  EXPECT_EQ(state.loadedImage, "ptx 70");
}

TEST_F(DriverTest, OutOfMemoryHasItsCode) {
  use(FAKE_CUDA_CURRENT).failures["cuMemAlloc"] = 2;
  Result<RunReport> report = runSample(sampleArtifact());
  ASSERT_FALSE(bool(report));
  EXPECT_EQ(report.error().code, ErrorCode::OutOfMemory);
  EXPECT_EQ(report.error().message,
            "argument 'arange:4xf32': cuMemAlloc failed: "
            "CUDA_ERROR_OUT_OF_MEMORY (2); while allocating 16 bytes");
}

TEST_F(DriverTest, SharedMemoryLimits) {
  fakecuda::State &state = use(FAKE_CUDA_CURRENT);
  Artifact artifact = sampleArtifact();
  artifact.variants.pop_back(); // which would take the other's place
  uint32_t &bytes = artifact.variants[0].dynamicSharedBytes;
  for (uint32_t size : {49152u, 49153u, 166912u}) {
    state.functionAttributes.clear();
    bytes = size;
    ASSERT_TRUE(bool(runSample(artifact))) << size;
    EXPECT_EQ(state.launches.back().sharedBytes, size);
    EXPECT_EQ(state.functionAttributes.count(8), size > 49152) << size;
    if (size > 49152) {
      EXPECT_EQ(state.functionAttributes[8], int(size));
    }
  }
  bytes = 166913;
  Result<RunReport> report = runSample(artifact);
  ASSERT_FALSE(bool(report));
  EXPECT_EQ(report.error().message,
            "kernel 'add' expects 166913 bytes of shared memory, but Fake GPU "
            "has 166912 for a block");
}

TEST_F(DriverTest, LaunchAttributes) {
  fakecuda::State &state = use(FAKE_CUDA_CURRENT);
  state.major = 9;
  Artifact artifact = sampleArtifact();
  Variant &variant = artifact.variants[1];
  variant.cluster = {3, 1, 1};
  variant.cooperative = true;
  variant.dependentLaunch = true;
  ASSERT_TRUE(bool(runSample(artifact)));
  EXPECT_EQ(state.launches[0].attributes, std::vector<int>({2, 4, 6}));
  // Older drivers cannot capture dependent launches.
  state.version = 12020;
  ASSERT_TRUE(bool(runSample(artifact)));
  EXPECT_EQ(state.launches.back().attributes, std::vector<int>({2, 4}));
  state.version = 12040;
  variant.cluster = {2, 1, 1};
  Result<RunReport> report = runSample(artifact);
  ASSERT_FALSE(bool(report));
  EXPECT_NE(report.error().message.find("multiples of its clusters"),
            std::string::npos);
}

TEST_F(DriverTest, ParametersAreCompared) {
  fakecuda::State &state = use(FAKE_CUDA_CURRENT);
  state.parameters[2] = {16, 8};
  EXPECT_EQ(runSample(sampleArtifact()).error().message,
            "kernel 'add' does not match its artifact: expects parameter 2 of "
            "4 bytes at 16, but got 8 bytes at 16");
  state.parameters.pop_back();
  EXPECT_FALSE(bool(runSample(sampleArtifact())));
}

// Memory checkers tell each call that the driver refuses.
TEST_F(DriverTest, NoParameterIsAskedForThatIsNotThere) {
  fakecuda::State &state = use(FAKE_CUDA_CURRENT);
  ASSERT_TRUE(bool(runSample(sampleArtifact())));
  EXPECT_EQ(
      std::count(state.calls.begin(), state.calls.end(), "cuFuncGetParamInfo"),
      ptrdiff_t(state.parameters.size()));
}

TEST_F(DriverTest, AWarmLaunchIsOneCall) {
  fakecuda::State &state = use(FAKE_CUDA_CURRENT);
  state.onLaunch = nullptr;
  std::shared_ptr<const Driver> driver = *Driver::openDefault();
  Device device = *Device::open(driver, 0);
  LoadedKernel kernel = *LoadedKernel::load(device, sampleArtifact(), "add");
  Stream stream = *Stream::create(device);
  std::vector<Argument> arguments = {
      Argument::pointer(256), Argument::pointer(512), Argument::integer(1, 4)};
  {
    ScopedContext scope(device);
    state.calls.clear();
    ASSERT_TRUE(bool(kernel.launch({1, 1, 1}, arguments, stream.handle())));
    EXPECT_EQ(state.calls, std::vector<std::string>({"cuLaunchKernel"}));
    // Nothing is launched for an empty grid, but arguments are checked.
    ASSERT_TRUE(bool(kernel.launch({0, 1, 1}, arguments, stream.handle())));
    EXPECT_FALSE(bool(kernel.launch({0, 1, 1}, std::span<const Argument>(),
                                    stream.handle())));
    EXPECT_FALSE(bool(kernel.launch({1, 65536, 1}, arguments, nullptr)));
    EXPECT_EQ(state.calls.size(), 1u);
  }
  // A thread on which no context is current.
  state.launches.clear();
  std::thread([&] {
    EXPECT_TRUE(bool(kernel.launch({1, 1, 1}, arguments, stream.handle())));
  }).join();
  ASSERT_EQ(state.launches.size(), 1u);
  EXPECT_EQ(state.launches[0].context, device.context());
}

TEST_F(DriverTest, ScratchIsAllocatedForTheGrid) {
  fakecuda::State &state = use(FAKE_CUDA_CURRENT);
  Artifact artifact = sampleArtifact();
  Variant &variant = artifact.variants[0];
  variant.globalScratchBytes = 100;
  variant.globalScratchAlignment = 128;
  variant.slots.push_back({24, 8, 8, SlotKind::GlobalScratch, {}, 0});
  state.parameters.push_back({24, 8});
  uint64_t scratch = 0;
  state.onLaunch = [&](void **parameters) {
    std::memcpy(&scratch, parameters[3], 8);
    // The grid has six blocks; AddressSanitizer checks the size.
    std::memset(reinterpret_cast<void *>(scratch), 1, 600);
  };
  ASSERT_TRUE(bool(runSample(artifact)));
  EXPECT_NE(scratch, 0u);
  EXPECT_EQ(scratch % 128, 0u);
  EXPECT_TRUE(nothingLives(state));
}

TEST_F(DriverTest, DescriptorsBecomeTensorMaps) {
  fakecuda::State &state = use(FAKE_CUDA_CURRENT);
  Artifact artifact = sampleArtifact();
  artifact.kernels = {{"copy", {{"t", ParameterKind::Descriptor, 0, 2, 16}}}};
  Variant variant;
  variant.symbol = "copy";
  TensorMapRecipe recipe;
  recipe.elementBytes = 4;
  recipe.base = {ValueSource::DescriptorPointer, 0, 0, 0};
  recipe.shape = {{ValueSource::DescriptorShape, 0, 1, 0},
                  {ValueSource::DescriptorShape, 0, 0, 0}};
  recipe.strides = {{ValueSource::DescriptorStride, 0, 0, 0}};
  recipe.box = recipe.elementStrides = {1, 1};
  variant.tensorMaps = {recipe};
  variant.slots = {{0, 128, 64, SlotKind::TensorMap, {}, 0}};
  artifact.variants = {variant};
  state.parameters = {{0, 128}};
  uint8_t first = 0;
  state.onLaunch = [&](void **parameters) {
    first = *static_cast<uint8_t *>(parameters[0]);
  };
  RunOptions options;
  options.arguments.push_back(*parseArgument("zeros:2x4xf32"));
  std::unique_ptr<ExecutionDevice> device = std::move(*openCudaDevice(0));
  Result<RunReport> report = runArtifact(artifact, *device, options, nullptr);
  ASSERT_TRUE(bool(report)) << report.error().message;
  EXPECT_EQ(state.tensorMapShape, std::vector<uint64_t>({4, 2}));
  EXPECT_EQ(first, 0x77);
}

TEST_F(DriverTest, OutputsAreWritten) {
  use(FAKE_CUDA_CURRENT);
  std::string path = testing::TempDir() + "tilewright_run_test.npy";
  RunOptions options;
  for (std::string text : {std::string("arange:4xf32"), path + "=zeros:4xf32",
                           std::string("i32:4")})
    options.arguments.push_back(*parseArgument(text));
  std::unique_ptr<ExecutionDevice> device = std::move(*openCudaDevice(0));
  ASSERT_TRUE(bool(runArtifact(sampleArtifact(), *device, options, nullptr)));
  EXPECT_EQ(*readNpy(path), parseArgument("arange:4xf32")->value);
  std::remove(path.c_str());
  options.arguments.pop_back();
  EXPECT_EQ(
      runArtifact(sampleArtifact(), *device, options, nullptr).error().message,
      "kernel 'add' expects 3 arguments, but got 2");
}
