// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime beside captures, on the emulator's CUDA library, which makes a
// capture invalid as drivers do.

#include "FaultyDevice.h"

#include "runtime/Capture.h"

#include <thread>

using namespace tilewright;
using namespace tilewright::runtime;
using faultycuda::Entry;

namespace {
class CaptureTest : public FaultyDeviceTest {
protected:
  void SetUp() override {
    FaultyDeviceTest::SetUp();
    device.emplace(*openDevice());
    worker.emplace(*Worker::create(*device));
    ASSERT_TRUE(bool(worker->write(40)));
    scope.emplace(*device);
  }
  void TearDown() override {
    scope.reset();
    worker.reset();
    device.reset();
    FaultyDeviceTest::TearDown();
  }

  /// 0 none, 1 active, 2 invalid.
  int status(cuda::StreamHandle stream) {
    int value = -1;
    EXPECT_EQ(isCapturing(stream, &value), 0);
    return value;
  }
  size_t nodes(emulator::driver::GraphHandle graph) {
    size_t count = 99;
    EXPECT_EQ(getNodes(graph, nullptr, &count), 0);
    return count;
  }
  Result<void> add(LazyKernel &kernel, uint32_t number) {
    return kernel.launch({1, 1, 1}, worker->arguments(number),
                         worker->stream.handle());
  }
  std::shared_ptr<Program> program =
      std::make_shared<Program>(addNumberArtifact());

  decltype(emulator::driver::cuStreamBeginCapture_v2) *begin =
      EMULATED(cuStreamBeginCapture_v2);
  decltype(emulator::driver::cuStreamEndCapture) *end =
      EMULATED(cuStreamEndCapture);
  decltype(emulator::driver::cuStreamIsCapturing) *isCapturing =
      EMULATED(cuStreamIsCapturing);
  decltype(emulator::driver::cuGraphGetNodes) *getNodes =
      EMULATED(cuGraphGetNodes);
  decltype(emulator::driver::cuGraphInstantiateWithFlags) *instantiate =
      EMULATED(cuGraphInstantiateWithFlags);
  decltype(emulator::driver::cuGraphLaunch) *launchGraph =
      EMULATED(cuGraphLaunch);
  decltype(emulator::driver::cuGraphDestroy) *destroyGraph =
      EMULATED(cuGraphDestroy);
  decltype(emulator::driver::cuGraphExecDestroy) *destroy =
      EMULATED(cuGraphExecDestroy);

  std::optional<Device> device;
  std::optional<Worker> worker;
  std::optional<ScopedContext> scope;
};
} // namespace

TEST_F(CaptureTest, AnUnpreparedLaunchIsRefusedAndTheCaptureGoesOn) {
  scope.reset();
  worker.reset();
  device.reset();
  control->version = 12020; // which cannot load beside a capture
  device.emplace(*openDevice());
  worker.emplace(*Worker::create(*device));
  scope.emplace(*device);
  LazyKernel kernel(program, *device, ""), prepared(program, *device, "");
  ASSERT_TRUE(bool(prepared.prepare()));
  ASSERT_EQ(begin(worker->stream.handle(), 0), 0);
  Result<void> refused = add(kernel, 1);
  ASSERT_FALSE(bool(refused));
  EXPECT_EQ(refused.error().code, ErrorCode::NotPrepared);
  EXPECT_EQ(status(worker->stream.handle()), 1);
  EXPECT_TRUE(bool(add(prepared, 1)));
  emulator::driver::GraphHandle graph = nullptr;
  ASSERT_EQ(end(worker->stream.handle(), &graph), 0);
  EXPECT_EQ(nodes(graph), 1u);
  EXPECT_EQ(destroyGraph(graph), 0);
}

TEST_F(CaptureTest, ALaunchLoadsInACapture) {
  LazyKernel kernel(program, *device, "");
  ASSERT_EQ(begin(worker->stream.handle(), 0), 0);
  Result<void> launched = add(kernel, 2);
  ASSERT_TRUE(bool(launched)) << launched.error().message;
  EXPECT_EQ(status(worker->stream.handle()), 1);
  emulator::driver::GraphHandle graph = nullptr;
  emulator::driver::ExecutableGraphHandle executable = nullptr;
  ASSERT_EQ(end(worker->stream.handle(), &graph), 0);
  EXPECT_EQ(nodes(graph), 1u);
  ASSERT_EQ(instantiate(&executable, graph, 0), 0);
  ASSERT_TRUE(bool(worker->write(40)));
  ASSERT_EQ(launchGraph(executable, worker->stream.handle()), 0);
  EXPECT_TRUE(*worker->holds(42));
  ASSERT_TRUE(bool(worker->write(50)));
  ASSERT_EQ(launchGraph(executable, worker->stream.handle()), 0);
  EXPECT_TRUE(*worker->holds(52));
  EXPECT_EQ(destroyGraph(graph), 0);
  EXPECT_EQ(destroy(executable), 0);
}

TEST_F(CaptureTest, OthersLoadAndUnloadBesideACapture) {
  ASSERT_EQ(begin(worker->stream.handle(), 0), 0);
  std::thread([&] {
    Program own(addNumberArtifact());
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(bool(own.prepare(*device, "")));
  }).join();
  EXPECT_EQ(control->callsOf(Entry::cuLibraryLoadData), 3);
  EXPECT_EQ(control->callsOf(Entry::cuLibraryUnload), 3);
  EXPECT_EQ(status(worker->stream.handle()), 1);
  emulator::driver::GraphHandle graph = nullptr;
  ASSERT_EQ(end(worker->stream.handle(), &graph), 0);
  EXPECT_EQ(destroyGraph(graph), 0);
}

TEST_F(CaptureTest, ABlockingStreamsCaptureIsNoticed) {
  auto kernel = *program->prepare(*device, "");
  cuda::StreamHandle blocking = nullptr;
  ASSERT_EQ(device->driver()->cuStreamCreate(&blocking, 0), 0);
  ASSERT_EQ(begin(blocking, 0), 0);
  EXPECT_TRUE(isCaptureKnown(*device));
  kernel.reset();
  EXPECT_EQ(device->unusedCount(), 1u);
  EXPECT_EQ(control->callsOf(Entry::cuLibraryUnload), 0);
  EXPECT_EQ(status(blocking), 1);
  emulator::driver::GraphHandle graph = nullptr;
  ASSERT_EQ(end(blocking, &graph), 0);
  // The next who loads a kernel unloads it.
  ASSERT_TRUE(bool(program->prepare(*device, "")));
  EXPECT_EQ(device->unusedCount(), 0u);
  EXPECT_GE(control->callsOf(Entry::cuLibraryUnload), 1);
  EXPECT_EQ(destroyGraph(graph), 0);
  EXPECT_EQ(device->driver()->cuStreamDestroy(blocking), 0);
}

TEST_F(CaptureTest, WithoutRelaxedModeALoadWouldSpoilIt) {
  // What the tests above rely on: the library is as strict as a driver.
  ASSERT_EQ(begin(worker->stream.handle(), 0), 0);
  cuda::Library library = nullptr;
  EXPECT_EQ(device->driver()->cuLibraryLoadData(&library, addNumberText,
                                                nullptr, nullptr, 0, nullptr,
                                                nullptr, 0),
            900);
  EXPECT_EQ(status(worker->stream.handle()), 2);
  emulator::driver::GraphHandle graph = nullptr;
  EXPECT_EQ(end(worker->stream.handle(), &graph), 901);
}
