// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points: streams and events. All work is done when it is asked for, so
// waiting only learns of faults, and of what a capture forbids.

#include "lib/Judges/Emulator/Driver/State.h"

using namespace tilewright::emulator;
using namespace tilewright::emulator::driver;

Status driver::cuStreamCreate(StreamHandle *stream, unsigned flags) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  if (!stream || flags > 1)
    return invalidValue;
  auto made = std::make_shared<Stream>();
  made->isNonBlocking = flags == 1;
  *stream = reinterpret_cast<StreamHandle>(
      call.context().streams.add<void *>(std::move(made)));
  return success;
}

/// Work is done in the order of the calls whatever the priority.
Status driver::cuStreamCreateWithPriority(StreamHandle *stream, unsigned flags,
                                          int priority) {
  return cuStreamCreate(stream, flags);
}

Status driver::cuStreamDestroy_v2(StreamHandle stream) {
  Call call(CallKind::CleansUp);
  if (call.isRefused())
    return call.status();
  std::shared_ptr<Stream> removed = call.context().streams.remove(stream);
  if (!removed)
    return invalidHandle;
  if (removed->capture)
    removed->capture->isInvalid = true;
  return success;
}

Status driver::cuStreamSynchronize(StreamHandle stream) {
  Call call(CallKind::Waits);
  if (call.isRefused())
    return call.status();
  std::shared_ptr<Stream> found = call.context().findStream(stream);
  return found ? checkWait(*found) : Status(invalidHandle);
}

/// Everything is done.
Status driver::cuStreamQuery(StreamHandle stream) {
  return cuStreamSynchronize(stream);
}

/// In a capture the stream joins that of the event; else there is nothing to
/// wait for.
Status driver::cuStreamWaitEvent(StreamHandle handle, EventHandle event,
                                 unsigned flags) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  std::shared_ptr<Stream> stream = call.context().findStream(handle);
  std::shared_ptr<Event> found = call.context().events.find(event);
  if (!stream || !found)
    return invalidHandle;
  if (!found->capture) {
    if (!stream->capture)
      return success;
    // A captured stream may wait for its capture alone.
    stream->capture->isInvalid = true;
    return captureIsolation;
  }
  if (found->capture->hasEnded)
    return capturedEvent;
  if (stream == call.context().legacyStream)
    return captureImplicit;
  if (stream->capture && stream->capture != found->capture) {
    stream->capture->isInvalid = found->capture->isInvalid = true;
    return captureMerge;
  }
  if (!stream->capture)
    stream->frontier.clear();
  stream->capture = found->capture;
  stream->frontier.insert(found->frontier.begin(), found->frontier.end());
  return success;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

Status driver::cuEventCreate(EventHandle *event, unsigned flags) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  // BLOCKING_SYNC, DISABLE_TIMING; INTERPROCESS there is none.
  constexpr unsigned disableTiming = 2;
  if (!event || flags > 3)
    return invalidValue;
  auto made = std::make_shared<Event>();
  made->hasTiming = !(flags & disableTiming);
  *event = reinterpret_cast<EventHandle>(
      call.context().events.add<void *>(std::move(made)));
  return success;
}

Status driver::cuEventDestroy_v2(EventHandle event) {
  Call call(CallKind::CleansUp);
  if (call.isRefused())
    return call.status();
  return call.context().events.remove(event) ? success : invalidHandle;
}

Status driver::cuEventRecord(EventHandle event, StreamHandle handle) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  std::shared_ptr<Stream> stream = call.context().findStream(handle);
  std::shared_ptr<Event> found = call.context().events.find(event);
  if (!stream || !found)
    return invalidHandle;
  if (stream->capture && stream->capture->isInvalid)
    return captureInvalidated;
  found->capture = stream->capture;
  found->frontier = stream->capture ? stream->frontier : NodeSet();
  found->time.reset();
  if (!stream->capture)
    found->time = call.context().nanoseconds;
  return success;
}

Status driver::cuEventSynchronize(EventHandle event) {
  Call call(CallKind::Waits);
  if (call.isRefused())
    return call.status();
  std::shared_ptr<Event> found = call.context().events.find(event);
  if (!found)
    return invalidHandle;
  if (!found->capture)
    return success;
  found->capture->isInvalid = true;
  return capturedEvent;
}

Status driver::cuEventQuery(EventHandle event) {
  return cuEventSynchronize(event);
}

/// By the clock of ContextState.
Status driver::cuEventElapsedTime(float *milliseconds, EventHandle begin,
                                  EventHandle end) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  std::shared_ptr<Event> first = call.context().events.find(begin);
  std::shared_ptr<Event> last = call.context().events.find(end);
  if (!first || !last || !first->hasTiming || !last->hasTiming ||
      !first->time || !last->time)
    return invalidHandle;
  if (!milliseconds)
    return invalidValue;
  double nanoseconds = double(*last->time) - double(*first->time);
  *milliseconds = float(nanoseconds / 1e6);
  return success;
}
Status driver::cuEventElapsedTime_v2(float *milliseconds, EventHandle begin,
                                     EventHandle end) {
  return cuEventElapsedTime(milliseconds, begin, end);
}
