// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Driver/Capture.h"

#include "lib/Judges/Emulator/Driver/State.h"

using namespace tilewright::emulator;
using namespace tilewright::emulator::driver;

/// Calls `function` with every stream that captures.
template <typename Callback>
static void forCapturing(ContextState &context, Callback function) {
  for (const auto &[handle, stream] : context.streams)
    if (stream->capture)
      function(*stream);
  if (context.perThreadStream->capture)
    function(*context.perThreadStream);
}

CaptureMode &driver::threadCaptureMode() {
  static thread_local CaptureMode mode = CaptureMode::Global;
  return mode;
}

bool driver::doBlockingStreamsCapture(ContextState &context) {
  bool found = false;
  forCapturing(context,
               [&](Stream &stream) { found |= !stream.isNonBlocking; });
  return found;
}

/// Work of the legacy stream waits for blocking streams, which a capture cannot
/// hold.
static Status checkLegacy(ContextState &context) {
  Status status = success;
  forCapturing(context, [&](Stream &stream) {
    if (stream.isNonBlocking)
      return;
    stream.capture->isInvalid = true;
    status = captureImplicit;
  });
  return status;
}

static Status findTarget(ContextState &context, StreamHandle handle,
                         std::shared_ptr<Stream> &stream) {
  stream = context.findStream(handle);
  if (!stream)
    return invalidHandle;
  if (stream->capture && stream->capture->isInvalid)
    return captureInvalidated;
  return stream == context.legacyStream ? checkLegacy(context)
                                        : Status(success);
}

Status driver::submit(ContextState &context, StreamHandle handle, Work work) {
  std::shared_ptr<Stream> stream;
  if (Status failed = findTarget(context, handle, stream))
    return failed;
  if (!stream->capture) {
    perform(context, work);
    return success;
  }
  std::vector<GraphNode> &nodes = stream->capture->graph.nodes;
  nodes.push_back({std::move(work), stream->frontier});
  stream->frontier = {nodes.size() - 1};
  return success;
}

Status driver::submit(ContextState &context, StreamHandle handle,
                      const Graph &graph) {
  std::shared_ptr<Stream> stream;
  if (Status failed = findTarget(context, handle, stream))
    return failed;
  // Behind each other: that order is right whatever the graph's is.
  for (const GraphNode &node : graph.nodes)
    if (Status failed = submit(context, handle, node.work))
      return failed;
  return success;
}

Status driver::checkUnsafe(ContextState &context) {
  Status status = success;
  forCapturing(context, [&](Stream &stream) {
    Capture &capture = *stream.capture;
    bool isOwn = capture.thread == std::this_thread::get_id();
    CaptureMode mode = threadCaptureMode();
    bool concerns =
        mode != CaptureMode::Relaxed && capture.mode != CaptureMode::Relaxed &&
        (isOwn ||
         (mode == CaptureMode::Global && capture.mode == CaptureMode::Global));
    if (!concerns)
      return;
    capture.isInvalid = true;
    status = captureUnsupported;
  });
  return status;
}

Status driver::checkWait(Stream &stream) {
  if (!stream.capture)
    return success;
  stream.capture->isInvalid = true;
  return captureUnsupported;
}

Status driver::beginCapture(ContextState &context, StreamHandle handle,
                            CaptureMode mode) {
  std::shared_ptr<Stream> stream = context.findStream(handle);
  if (!stream)
    return invalidHandle;
  if (stream == context.legacyStream)
    return captureUnsupported;
  if (stream->capture)
    return invalidValue;
  stream->capture = std::make_shared<Capture>();
  stream->capture->origin = stream.get();
  stream->capture->mode = mode;
  stream->capture->thread = std::this_thread::get_id();
  stream->frontier.clear();
  return success;
}

/// Whether every node comes before the end of the stream that began.
static bool areJoined(const Graph &graph, const NodeSet &frontier) {
  std::vector<bool> isReached(graph.nodes.size());
  for (size_t node : frontier)
    isReached[node] = true;
  // Dependencies have lower numbers.
  for (size_t node = graph.nodes.size(); node-- > 0;) {
    if (!isReached[node])
      return false;
    for (size_t earlier : graph.nodes[node].dependencies)
      isReached[earlier] = true;
  }
  return true;
}

Status driver::endCapture(ContextState &context, StreamHandle handle,
                          std::shared_ptr<Graph> &graph) {
  std::shared_ptr<Stream> origin = context.findStream(handle);
  if (!origin)
    return invalidHandle;
  std::shared_ptr<Capture> capture = origin->capture;
  if (!capture)
    return invalidValue;
  if (capture->origin != origin.get()) {
    capture->isInvalid = true;
    return captureUnmatched;
  }
  if (capture->mode != CaptureMode::Relaxed &&
      capture->thread != std::this_thread::get_id())
    return captureWrongThread;
  bool isJoined = areJoined(capture->graph, origin->frontier);
  forCapturing(context, [&](Stream &stream) {
    if (stream.capture != capture)
      return;
    stream.capture = nullptr;
    stream.frontier.clear();
  });
  capture->hasEnded = true;
  if (capture->isInvalid)
    return captureInvalidated;
  if (!isJoined)
    return captureUnjoined;
  graph = std::make_shared<Graph>(std::move(capture->graph));
  return success;
}
