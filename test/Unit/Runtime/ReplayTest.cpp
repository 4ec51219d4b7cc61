// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captured and eager launches give the same bits. On the driver that
// TILEWRIGHT_CUDA_DRIVER names, or else the machine's: run it on a GPU as
//   build/dev/bin/tilewright_replay_tests

#include "FaultyDevice.h"

#include "runtime/Capture.h"

#include <thread>

using namespace tilewright;
using namespace tilewright::runtime;

/// An entry point of the driver that the runtime does not use.
template <typename Signature>
static Signature *driverEntry(const char *symbol) {
  const char *named = std::getenv("TILEWRIGHT_CUDA_DRIVER");
  void *library =
      dlopen(named && *named ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return library ? reinterpret_cast<Signature *>(dlsym(library, symbol))
                 : nullptr;
}
#define DRIVER_ENTRY(symbol)                                                   \
  driverEntry<decltype(emulator::driver::symbol)>(#symbol)

/// 1,000 replays of captured launches on 4 streams by 8 threads, each after
/// other inputs, give what an eager launch gives.
TEST(Replay, EqualsEagerLaunches) {
  auto begin = DRIVER_ENTRY(cuStreamBeginCapture_v2);
  auto end = DRIVER_ENTRY(cuStreamEndCapture);
  auto instantiate = DRIVER_ENTRY(cuGraphInstantiateWithFlags);
  auto replay = DRIVER_ENTRY(cuGraphLaunch);
  auto nodesOf = DRIVER_ENTRY(cuGraphGetNodes);
  auto destroyGraph = DRIVER_ENTRY(cuGraphDestroy);
  auto destroy = DRIVER_ENTRY(cuGraphExecDestroy);
  Result<std::shared_ptr<const Driver>> driver = Driver::openDefault();
  ASSERT_TRUE(bool(driver)) << driver.error().message;
  Device device = *Device::open(*driver, 0);
  RecordProperty("device", device.description());
  Program program(addNumberArtifact());
  std::shared_ptr<const LoadedKernel> kernel = *program.prepare(device, "");
  constexpr unsigned streams = 4, launches = 3, threads = 8;
  struct Lane {
    std::optional<Worker> worker;
    emulator::driver::ExecutableGraphHandle graph = nullptr;
    std::mutex mutex;
  };
  std::array<Lane, streams> lanes;
  ScopedContext scope(device);
  for (Lane &lane : lanes) {
    lane.worker.emplace(*Worker::create(device));
    const Worker &worker = *lane.worker;
    CaptureScope capture(device);
    ASSERT_EQ(begin(worker.stream.handle(), 0), 0);
    for (uint32_t i = 0; i < launches; ++i)
      ASSERT_TRUE(bool(kernel->launch({1, 1, 1}, worker.arguments(i),
                                      worker.stream.handle())));
    emulator::driver::GraphHandle graph = nullptr;
    ASSERT_EQ(end(worker.stream.handle(), &graph), 0);
    size_t nodes = 0;
    ASSERT_EQ(nodesOf(graph, nullptr, &nodes), 0);
    EXPECT_EQ(nodes, launches);
    ASSERT_EQ(instantiate(&lane.graph, graph, 0), 0);
    ASSERT_EQ(destroyGraph(graph), 0);
  }
  std::atomic<int> wrong = 0, replays = 0;
  auto work = [&](unsigned i) {
    ScopedContext own(device);
    for (uint32_t round = 0; round < 125; ++round) {
      Lane &lane = lanes[(i + round) % streams];
      std::lock_guard<std::mutex> lock(lane.mutex);
      const Worker &worker = *lane.worker;
      uint32_t first = 10000 * i + 17 * round;
      bool good = worker.write(first) &&
                  replay(lane.graph, worker.stream.handle()) == 0;
      Result<bool> captured = worker.holds(first + launches - 1);
      good &= worker.write(first) &&
              kernel->launch({1, 1, 1}, worker.arguments(launches - 1),
                             worker.stream.handle());
      Result<bool> eager = worker.holds(first + launches - 1);
      wrong += !(good && captured && *captured && eager && *eager);
      ++replays;
    }
  };
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i)
    running.emplace_back(work, i);
  for (std::thread &thread : running)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(replays, 1000);
  for (Lane &lane : lanes)
    EXPECT_EQ(destroy(lane.graph), 0);
}
