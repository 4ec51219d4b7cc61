// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator's CUDA library: stream capture and graphs.

#include "EmulatedDevice.h"

using namespace tilewright;
using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

namespace {
class EmulatedGraph : public EmulatedDeviceTest {
protected:
  void SetUp() override {
    EmulatedDeviceTest::SetUp();
    if (HasFatalFailure())
      return;
    scope.emplace(*device);
  }
  void TearDown() override { scope.reset(); }

  Status end(void *&graph) { return endCapture(stream->handle(), &graph); }

  Status (*begin)(StreamHandle, int) =
      entry<Status(StreamHandle, int)>("cuStreamBeginCapture_v2");
  Status (*endCapture)(StreamHandle, void **) =
      entry<Status(StreamHandle, void **)>("cuStreamEndCapture");
  Status (*isCapturing)(StreamHandle, int *) =
      entry<Status(StreamHandle, int *)>("cuStreamIsCapturing");
  Status (*instantiate)(void **, void *, uint64_t) =
      entry<Status(void **, void *, uint64_t)>("cuGraphInstantiateWithFlags");
  Status (*launch)(void *, StreamHandle) =
      entry<Status(void *, StreamHandle)>("cuGraphLaunch");
  Status (*destroy)(void *) = entry<Status(void *)>("cuGraphDestroy");
  Status (*destroyExecutable)(void *) =
      entry<Status(void *)>("cuGraphExecDestroy");
  Status (*wait)(StreamHandle, EventHandle, unsigned) =
      entry<Status(StreamHandle, EventHandle, unsigned)>("cuStreamWaitEvent");

  std::optional<ScopedContext> scope;
};
} // namespace

TEST_F(EmulatedGraph, ReplaysWithOtherInputs) {
  Result<LoadedKernel> kernel = load();
  ASSERT_TRUE(bool(kernel)) << kernel.error().message;
  copyInputs();
  ASSERT_TRUE(bool(buffers[2].fill(0, *stream)));
  ASSERT_EQ(begin(stream->handle(), 0), 0);
  int capturing = 0;
  ASSERT_EQ(isCapturing(stream->handle(), &capturing), 0);
  EXPECT_EQ(capturing, 1);
  // The copy reads the host's memory when the graph is launched.
  ASSERT_EQ(device->driver()->cuMemcpyHtoDAsync(buffers[1].address(), y.data(),
                                                4 * count, stream->handle()),
            0);
  ASSERT_TRUE(bool(add(*kernel)));
  void *graph = nullptr, *executable = nullptr;
  ASSERT_EQ(end(graph), 0);
  EXPECT_EQ(result(), std::vector<float>(count, 0.0f));
  ASSERT_EQ(instantiate(&executable, graph, 0), 0);
  ASSERT_EQ(destroy(graph), 0);
  ASSERT_EQ(launch(executable, stream->handle()), 0);
  EXPECT_EQ(result(), sum());
  x.assign(count, 3.0f);
  y.assign(count, 0.25f);
  ASSERT_TRUE(bool(buffers[0].copyIn(bytesOf(x), *stream)));
  ASSERT_EQ(launch(executable, stream->handle()), 0);
  EXPECT_EQ(result(), std::vector<float>(count, 3.25f));
  EXPECT_EQ(destroyExecutable(executable), 0);
  EXPECT_EQ(launch(executable, stream->handle()), statusInvalidHandle);
}

TEST_F(EmulatedGraph, WaitingInvalidatesACapture) {
  ASSERT_EQ(begin(stream->handle(), 2), 0);
  EXPECT_EQ(device->driver()->cuStreamSynchronize(stream->handle()), 900);
  int capturing = 0;
  ASSERT_EQ(isCapturing(stream->handle(), &capturing), 0);
  EXPECT_EQ(capturing, 2);
  void *graph = nullptr;
  EXPECT_EQ(end(graph), 901);
  EXPECT_EQ(graph, nullptr);
  EXPECT_TRUE(bool(stream->synchronize()));
}

TEST_F(EmulatedGraph, AllocatingDisturbsAGlobalCapture) {
  DeviceAddress address = 0;
  void *graph = nullptr;
  ASSERT_EQ(begin(stream->handle(), 0), 0);
  EXPECT_EQ(device->driver()->cuMemAlloc(&address, 16), 900);
  EXPECT_EQ(end(graph), 901);
  ASSERT_EQ(begin(stream->handle(), 2), 0);
  EXPECT_EQ(device->driver()->cuMemAlloc(&address, 16), 0);
  EXPECT_EQ(end(graph), 0);
  EXPECT_EQ(destroy(graph), 0);
  EXPECT_EQ(device->driver()->cuMemFree(address), 0);
  EXPECT_EQ(begin(nullptr, 0), 900);
}

TEST_F(EmulatedGraph, ForksMustBeJoined) {
  Result<Stream> side = Stream::create(*device);
  ASSERT_TRUE(bool(side));
  EventHandle handles[2] = {};
  for (EventHandle &handle : handles)
    ASSERT_EQ(device->driver()->cuEventCreate(&handle, 0), 0);
  for (bool isJoined : {false, true}) {
    ASSERT_EQ(begin(stream->handle(), 0), 0);
    ASSERT_EQ(device->driver()->cuEventRecord(handles[0], stream->handle()), 0);
    ASSERT_EQ(wait(side->handle(), handles[0], 0), 0);
    ASSERT_TRUE(bool(buffers[2].fill(isJoined ? 0 : 1, *side)));
    ASSERT_EQ(device->driver()->cuEventRecord(handles[1], side->handle()), 0);
    if (isJoined)
      ASSERT_EQ(wait(stream->handle(), handles[1], 0), 0);
    void *graph = nullptr, *executable = nullptr;
    ASSERT_EQ(end(graph), isJoined ? 0 : 904);
    if (!isJoined)
      continue;
    ASSERT_EQ(instantiate(&executable, graph, 0), 0);
    ASSERT_EQ(launch(executable, stream->handle()), 0);
    EXPECT_EQ(result(), std::vector<float>(count, 0.0f));
  }
  EXPECT_EQ(device->driver()->cuEventSynchronize(handles[1]), 907);
}
