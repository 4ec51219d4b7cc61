// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every call of the driver that the runtime makes fails in turn: no crash, no
// leak, and no success with a wrong result.

#include "FaultyDevice.h"

#include <thread>

using namespace tilewright;
using namespace tilewright::runtime;
using faultycuda::entryCount;
using faultycuda::entryNames;

namespace {
class FaultTest : public FaultyDeviceTest {
protected:
  /// All that an embedder does: false where the result is wrong.
  static Result<bool> everything() {
    Result<Device> device = openDevice();
    if (!device)
      return device.takeError();
    auto program = std::make_shared<Program>(addNumberArtifact());
    Result<Worker> worker = Worker::create(*device);
    if (!worker)
      return worker.takeError();
    if (Result<void> good = worker->write(100); !good)
      return good.takeError();
    LazyKernel lazy(program, *device, "");
    auto arguments = worker->arguments(1);
    Result<Event> event = Event::create(*device);
    if (!event)
      return event.takeError();
    if (Result<void> good = event->record(worker->stream); !good)
      return good.takeError();
    // The first launch loads; the thread has no context of its own.
    Result<void> launched =
        lazy.launch({1, 1, 1}, arguments, worker->stream.handle());
    if (!launched)
      return launched.takeError();
    Result<bool> isRight = worker->holds(101);
    if (!isRight || !*isRight)
      return isRight;
    Result<std::shared_ptr<const LoadedKernel>> kernel =
        program->prepare(*device, "add_number");
    if (!kernel)
      return kernel.takeError();
    arguments = worker->arguments(7);
    Result<BoundLaunch> bound =
        BoundLaunch::create(*kernel, {1, 1, 1}, arguments);
    if (!bound)
      return bound.takeError();
    ScopedContext scope(*device);
    if (Result<void> good = scope.status(); !good)
      return good.takeError();
    if (Result<void> good = bound->launch(worker->stream.handle()); !good)
      return good.takeError();
    return worker->holds(107);
  }

  /// The same on a thread of its own, whose stack of contexts ends with it.
  static Result<bool> everythingOnAThread() {
    std::optional<Result<bool>> result;
    std::thread([&] { result.emplace(everything()); }).join();
    return std::move(*result);
  }

  void expectNothingLives() {
    for (size_t kind = 0; kind < control->live.size(); ++kind)
      EXPECT_EQ(control->live[kind], 0) << "kind " << kind;
  }

  /// Fails each call of each entry point with `status`.
  void failEach(int status) {
    Result<bool> clean = everythingOnAThread();
    ASSERT_TRUE(clean && *clean);
    std::array<long, entryCount> calls;
    for (int entry = 0; entry < entryCount; ++entry)
      calls[size_t(entry)] = control->calls[size_t(entry)];
    int faults = 0, errors = 0;
    for (int entry = 0; entry < entryCount; ++entry)
      for (long call = 1; call <= calls[size_t(entry)]; ++call) {
        SCOPED_TRACE(std::string("call ") + std::to_string(call) + " of " +
                     entryNames[entry]);
        control->reset();
        control->failingCall = call;
        control->failingStatus = status;
        control->failingEntry = entry;
        Result<bool> result = everythingOnAThread();
        ++faults;
        if (!result) {
          ++errors;
          EXPECT_FALSE(result.error().message.empty());
        } else {
          EXPECT_TRUE(*result) << "success with a wrong result";
        }
        // Who cannot pop a context cannot make up for it.
        if (std::string(entryNames[entry]) != "cuCtxPopCurrent")
          expectNothingLives();
      }
    RecordProperty("faults", faults);
    EXPECT_GT(faults, 60);
    EXPECT_GT(errors, 30);
  }
};
} // namespace

TEST_F(FaultTest, CleanRun) {
  Result<bool> result = everythingOnAThread();
  ASSERT_TRUE(bool(result)) << result.error().message;
  EXPECT_TRUE(*result);
  expectNothingLives();
}

TEST_F(FaultTest, EachCallFailsAtLaunch) { failEach(719); }
TEST_F(FaultTest, EachCallIsOutOfMemory) { failEach(2); }
// These two are what the runtime takes for "another context is current".
TEST_F(FaultTest, EachCallHasAnInvalidContext) { failEach(201); }
TEST_F(FaultTest, EachCallHasAnInvalidHandle) { failEach(400); }
TEST_F(FaultTest, EachCallRefusesTheImage) { failEach(209); }
TEST_F(FaultTest, EachCallSaysACaptureRuns) { failEach(906); }
