// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points: stream capture and graphs.

#include "lib/Emulator/Driver/State.h"

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
