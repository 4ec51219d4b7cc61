// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many threads and streams launch, prepare and unload at once, and capture.

#include "FaultyDevice.h"

#include "runtime/Capture.h"
#include "runtime/TensorMaps.h"

#include <thread>

using namespace tilewright;
using namespace tilewright::runtime;
using faultycuda::Entry;

namespace {
class ThreadTest : public FaultyDeviceTest {
protected:
  static constexpr unsigned threads = 8;

  template <typename Callback>
  static void onThreads(Callback callback) {
    std::vector<std::thread> running;
    for (unsigned i = 0; i < threads; ++i)
      running.emplace_back([&, i] { callback(i); });
    for (std::thread &thread : running)
      thread.join();
  }
};
} // namespace

TEST_F(ThreadTest, AFirstLaunchLoadsOnce) {
  Device device = *openDevice();
  auto program = std::make_shared<Program>(addNumberArtifact());
  LazyKernel kernel(program, device, "add_number");
  std::atomic<int> wrong = 0;
  onThreads([&](unsigned i) {
    Worker worker = *Worker::create(device);
    for (uint32_t round = 0; round < 20; ++round) {
      uint32_t first = 1000 * i + round;
      bool good =
          worker.write(first) &&
          kernel.launch({1, 1, 1}, worker.arguments(5), worker.stream.handle());
      Result<bool> holds = worker.holds(first + 5);
      wrong += !(good && holds && *holds);
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(control->callsOf(Entry::cuLibraryLoadData), 1);
}

TEST_F(ThreadTest, LaunchPrepareAndUnloadAtOnce) {
  Device device = *openDevice();
  auto program = std::make_shared<Program>(addNumberArtifact());
  std::atomic<int> wrong = 0;
  onThreads([&](unsigned i) {
    Worker worker = *Worker::create(device);
    for (uint32_t round = 0; round < 30; ++round) {
      // Odd threads have code of their own; the others share it, and the last
      // of them to let go unloads it.
      auto own = std::make_shared<Program>(addNumberArtifact());
      auto kernel = (i % 2 ? *own : *program).prepare(device, "");
      uint32_t first = 1000 * i + round;
      bool good = kernel && worker.write(first) &&
                  (*kernel)->launch({1, 1, 1}, worker.arguments(3),
                                    worker.stream.handle());
      Result<bool> holds = worker.holds(first + 3);
      wrong += !(good && holds && *holds);
      if (round % 7 == 0)
        CaptureScope scope(device);
    }
  });
  EXPECT_EQ(wrong, 0);
  device.unloadUnused();
  EXPECT_EQ(device.unusedCount(), 0u);
  EXPECT_EQ(control->callsOf(Entry::cuLibraryLoadData),
            control->callsOf(Entry::cuLibraryUnload));
}

TEST_F(ThreadTest, BoundLaunchesAreShared) {
  Device device = *openDevice();
  Program program(addNumberArtifact());
  Worker worker = *Worker::create(device);
  ASSERT_TRUE(bool(worker.write(10)));
  BoundLaunch launch = *BoundLaunch::create(*program.prepare(device, ""),
                                            {1, 1, 1}, worker.arguments(1));
  std::atomic<int> failed = 0;
  onThreads([&](unsigned) {
    Stream stream = *Stream::create(device);
    for (int round = 0; round < 50; ++round)
      failed += !launch.launch(stream.handle());
  });
  EXPECT_EQ(failed, 0);
  EXPECT_TRUE(*worker.holds(11));
}

TEST_F(ThreadTest, TensorMapsAreWholeOrNotThere) {
  TensorMapCache cache;
  std::atomic<int> wrong = 0, found = 0;
  onThreads([&](unsigned thread) {
    for (uint64_t round = 0; round < 4000; ++round) {
      TensorMapValues values;
      // More than there is room for.
      values.address = 16 * ((thread * 7 + round * 13) % 400);
      TensorMapCache::Key key(values, round % 2);
      std::array<uint64_t, tensorMapBytes / 8> map = {};
      if (cache.find(key, map.data())) {
        ++found;
        for (size_t i = 0; i < map.size(); ++i)
          wrong += map[i] != values.address + i + round % 2;
      }
      for (size_t i = 0; i < map.size(); ++i)
        map[i] = values.address + i + round % 2;
      cache.insert(key, map.data());
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(found, 0);
}
