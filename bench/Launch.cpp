// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch of a kernel with 8 pointers costs the host: the driver's own
// cuLaunchKernel against the runtime's ways to it, in one process.
//   build/release/bin/launch --benchmark_repetitions=5 \
//     --benchmark_enable_random_interleaving
// takes the machine's driver, or the one that TILEWRIGHT_CUDA_DRIVER names.
// Launches are timed in batches that fit in a stream's queue; waiting for the
// device is not timed.

#include "lib/Run/PtxArtifact.h"
#include "runtime/Program.h"
#include "tilewright-c/Runtime.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdio>

using namespace tilewright;
using namespace tilewright::runtime;

static constexpr const char *text = R"(.version 6.4
.target sm_70
.address_size 64
.visible .entry nothing(.param .u64 a, .param .u64 b, .param .u64 c,
                        .param .u64 d, .param .u64 e, .param .u64 f,
                        .param .u64 g, .param .u64 h)
.reqntid 32, 1, 1
{
  ret;
}
)";

static constexpr int batch = 256;
static constexpr size_t pointers = 8;

namespace {
/// What all benchmarks share.
struct Setting {
  Device device;
  Stream stream;
  std::shared_ptr<LazyKernel> lazy;
  std::shared_ptr<const LoadedKernel> kernel;
  std::vector<Argument> owned;
  std::array<ArgumentView, pointers> views;
};
} // namespace

template <typename T>
static T take(Result<T> result) {
  if (result)
    return std::move(*result);
  std::fprintf(stderr, "launch: error: %s\n", result.error().message.c_str());
  std::exit(1);
}

static Setting makeSetting() {
  Device device = take(Device::open(take(Driver::openDefault()), 0));
  auto artifact =
      std::make_shared<const Artifact>(take(run::artifactFromPtx(text, {})));
  auto lazy = std::make_shared<LazyKernel>(std::make_shared<Program>(artifact),
                                           device, "nothing");
  std::shared_ptr<const LoadedKernel> kernel = take(lazy->prepare());
  Setting setting{device, take(Stream::create(device)), lazy, kernel, {}, {}};
  for (size_t i = 0; i < pointers; ++i) {
    setting.owned.push_back(Argument::pointer(4096 * (i + 1)));
    setting.views[i] = setting.owned[i];
  }
  return setting;
}

/// Times `launch`, which gives whether it worked.
template <typename Callback>
static void timeLaunches(benchmark::State &state, const Setting &setting,
                         Callback launch) {
  using Clock = std::chrono::steady_clock;
  ScopedContext scope(setting.device);
  // An iteration is a launch.
  while (state.KeepRunningBatch(batch)) {
    bool good = true;
    Clock::time_point begin = Clock::now();
    for (int i = 0; i < batch; ++i)
      good &= launch();
    std::chrono::duration<double> time = Clock::now() - begin;
    if (!good || !setting.stream.synchronize()) {
      state.SkipWithError("a launch failed");
      return;
    }
    state.SetIterationTime(time.count());
  }
}

/// The driver's entry point with a pointer for each parameter, as most callers
/// have it.
static void launchBare(benchmark::State &state, const Setting &setting) {
  const Driver &driver = setting.device.driver();
  // The driver's handle of the kernel, from a library of our own.
  cuda::Library library = nullptr;
  cuda::KernelHandle handle = nullptr;
  cuda::Function function = nullptr;
  ScopedContext scope(setting.device);
  if (driver->cuLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr,
                                nullptr, 0) ||
      driver->cuLibraryGetKernel(&handle, library, "nothing") ||
      driver->cuKernelGetFunction(&function, handle)) {
    state.SkipWithError("cannot load the kernel");
    return;
  }
  uint64_t values[pointers];
  void *parameters[pointers];
  for (size_t i = 0; i < pointers; ++i) {
    values[i] = setting.views[i].bits;
    parameters[i] = &values[i];
  }
  timeLaunches(state, setting, [&] {
    return driver->cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0,
                                  setting.stream.handle(), parameters,
                                  nullptr) == cuda::statusSuccess;
  });
  (void)driver->cuLibraryUnload(library);
}

static void launchPrepared(benchmark::State &state, const Setting &setting) {
  timeLaunches(state, setting, [&] {
    return bool(setting.lazy->launch({1, 1, 1}, setting.views,
                                     setting.stream.handle()));
  });
}

static void launchOwned(benchmark::State &state, const Setting &setting) {
  timeLaunches(state, setting, [&] {
    return bool(setting.kernel->launch({1, 1, 1}, setting.owned,
                                       setting.stream.handle()));
  });
}

static void launchBound(benchmark::State &state, const Setting &setting) {
  BoundLaunch bound =
      take(BoundLaunch::create(setting.kernel, {1, 1, 1}, setting.views));
  timeLaunches(state, setting,
               [&] { return bool(bound.launch(setting.stream.handle())); });
}

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  Setting setting = makeSetting();
  std::printf("%s\n", setting.device.description().c_str());
  auto add = [&](const char *name, auto function) {
    benchmark::RegisterBenchmark(name, function, std::cref(setting))
        ->UseManualTime()
        ->Unit(benchmark::kNanosecond);
  };
  add("cuLaunchKernel", launchBare);
  add("prepared", launchPrepared);
  add("prepared_owned_arguments", launchOwned);
  add("bound", launchBound);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
