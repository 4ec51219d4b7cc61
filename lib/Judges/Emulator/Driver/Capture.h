// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams, what they capture, and graphs (CUDA programming guide, "CUDA
// Graphs", "Creating a Graph Using Stream Capture"). Work of a graph is done in
// the order in which it was captured, which respects all dependencies; these
// are kept to tell whether forked streams were joined.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_CAPTURE_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_CAPTURE_H

#include "lib/Judges/Emulator/Driver/Work.h"

#include <set>
#include <thread>

namespace tilewright::emulator::driver {

/// Numbers of nodes of one graph.
using NodeSet = std::set<size_t>;

struct GraphNode {
  Work work;
  NodeSet dependencies;
};

struct Graph {
  std::vector<GraphNode> nodes;
};

struct Stream;

/// CUstreamCaptureMode: who may not make calls that are unsafe for a capture.
enum class CaptureMode { Global = 0, ThreadLocal = 1, Relaxed = 2 };

struct Capture {
  const Stream *origin = nullptr;
  CaptureMode mode = CaptureMode::Global;
  std::thread::id thread;
  bool isInvalid = false, hasEnded = false;
  Graph graph;
};

struct Stream {
  /// Not ordered with the legacy stream.
  bool isNonBlocking = false;
  /// Null while it does not capture.
  std::shared_ptr<Capture> capture;
  /// What the next node of the stream depends on.
  NodeSet frontier;
};

/// Does the work, or adds it to what the stream captures.
Status submit(ContextState &context, StreamHandle stream, Work work);

/// The same with all work of a graph.
Status submit(ContextState &context, StreamHandle stream, const Graph &graph);

/// What this thread has said of its calls that are unsafe for captures.
CaptureMode &threadCaptureMode();

/// Whether a blocking stream captures, which the legacy stream waits for.
bool doBlockingStreamsCapture(ContextState &context);

/// Refuses calls that would disturb a capture of the context (allocating,
/// loading, waiting for everything), and makes that capture invalid.
Status checkUnsafe(ContextState &context);

/// Refuses to wait for a stream that captures.
Status checkWait(Stream &stream);

/// Begins and ends the capture of a stream.
Status beginCapture(ContextState &context, StreamHandle stream,
                    CaptureMode mode);
Status endCapture(ContextState &context, StreamHandle stream,
                  std::shared_ptr<Graph> &graph);

} // namespace tilewright::emulator::driver

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_CAPTURE_H
