// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points: stream capture and graphs.

#include "lib/Judges/Emulator/Driver/State.h"

using namespace tilewright::emulator;
using namespace tilewright::emulator::driver;

Status driver::cuStreamBeginCapture_v2(StreamHandle stream, int mode) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  if (mode < int(CaptureMode::Global) || mode > int(CaptureMode::Relaxed))
    return invalidValue;
  return beginCapture(call.context(), stream, CaptureMode(mode));
}
Status driver::cuStreamBeginCapture(StreamHandle stream) {
  return cuStreamBeginCapture_v2(stream, int(CaptureMode::Global));
}

Status driver::cuStreamEndCapture(StreamHandle stream, GraphHandle *graph) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  if (!graph)
    return invalidValue;
  *graph = nullptr;
  std::shared_ptr<Graph> captured;
  if (Status failed = endCapture(call.context(), stream, captured))
    return failed;
  *graph = reinterpret_cast<GraphHandle>(
      call.context().graphs.add<void *>(std::move(captured)));
  return success;
}

/// CUstreamCaptureStatus: 0 none, 1 active, 2 invalid.
Status driver::cuStreamIsCapturing(StreamHandle stream, int *capturing) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  std::shared_ptr<Stream> found = call.context().findStream(stream);
  if (!found)
    return invalidHandle;
  if (!capturing)
    return invalidValue;
  // To ask about the legacy stream makes no capture invalid.
  if (found == call.context().legacyStream &&
      doBlockingStreamsCapture(call.context()))
    return captureImplicit;
  *capturing = !found->capture ? 0 : found->capture->isInvalid ? 2 : 1;
  return success;
}

Status driver::cuGraphInstantiateWithFlags(ExecutableGraphHandle *executable,
                                           GraphHandle graph, uint64_t flags) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  std::shared_ptr<Graph> found = call.context().graphs.find(graph);
  if (!found)
    return invalidHandle;
  if (!executable)
    return invalidValue;
  // AUTO_FREE_ON_LAUNCH and USE_NODE_PRIORITY ask for nothing here.
  if (flags & ~uint64_t(1 | 8))
    return notSupported;
  *executable = reinterpret_cast<ExecutableGraphHandle>(
      call.context().executables.add<void *>(std::make_shared<Graph>(*found)));
  return success;
}

Status driver::cuGraphLaunch(ExecutableGraphHandle executable,
                             StreamHandle stream) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  std::shared_ptr<Graph> found = call.context().executables.find(executable);
  return found ? submit(call.context(), stream, *found) : Status(invalidHandle);
}

Status driver::cuGraphExecDestroy(ExecutableGraphHandle executable) {
  Call call(CallKind::CleansUp);
  if (call.isRefused())
    return call.status();
  return call.context().executables.remove(executable) ? success
                                                       : invalidHandle;
}

Status driver::cuGraphDestroy(GraphHandle graph) {
  Call call(CallKind::CleansUp);
  if (call.isRefused())
    return call.status();
  return call.context().graphs.remove(graph) ? success : invalidHandle;
}

/// Of this thread alone; the context does not matter.
Status driver::cuThreadExchangeStreamCaptureMode(int *mode) {
  if (!mode || *mode < int(CaptureMode::Global) ||
      *mode > int(CaptureMode::Relaxed))
    return invalidValue;
  CaptureMode previous = threadCaptureMode();
  threadCaptureMode() = CaptureMode(*mode);
  *mode = int(previous);
  return success;
}

/// Without `nodes` only their number. Nodes are the places of the graph's.
Status driver::cuGraphGetNodes(GraphHandle graph, GraphNodeHandle *nodes,
                               size_t *count) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  std::shared_ptr<Graph> found = call.context().graphs.find(graph);
  if (!found)
    return invalidHandle;
  if (!count)
    return invalidValue;
  for (size_t i = 0; nodes && i < *count; ++i)
    nodes[i] = i < found->nodes.size()
                   ? reinterpret_cast<GraphNodeHandle>(&found->nodes[i])
                   : nullptr;
  if (!nodes || *count > found->nodes.size())
    *count = found->nodes.size();
  return success;
}

/// CUgraphNodeType: 0 a kernel, 1 a copy, 2 a fill.
Status driver::cuGraphNodeGetType(GraphNodeHandle node, int *type) {
  Call call(CallKind::InContext);
  if (call.isRefused())
    return call.status();
  if (!node || !type)
    return invalidValue;
  *type = int(reinterpret_cast<const GraphNode *>(node)->work.index());
  return success;
}
