// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime has to know of stream captures. Loading and unloading code
// are calls that a driver forbids while a capture in global mode runs, on any
// thread, and that make such a capture invalid.

#ifndef TILEWRIGHT_RUNTIME_CAPTURE_H
#define TILEWRIGHT_RUNTIME_CAPTURE_H

#include "runtime/Device.h"

namespace tilewright::runtime {

/// Says for its lifetime that somebody captures on the device's streams: until
/// the last one ends no code is unloaded. Captures on blocking streams are
/// noticed without it; for others it is the only sign there is.
class CaptureScope {
public:
  explicit CaptureScope(Device device);
  CaptureScope(CaptureScope &&other) noexcept = default;
  CaptureScope &operator=(CaptureScope &&) = delete;
  /// Unloads what has waited, if this was the last.
  ~CaptureScope();

private:
  Device owner;
};

/// For its lifetime this thread's calls are allowed whatever other streams
/// capture, and disturb no capture (CU_STREAM_CAPTURE_MODE_RELAXED), where the
/// driver knows that.
class RelaxedCaptureMode {
public:
  explicit RelaxedCaptureMode(const Driver &driver);
  ~RelaxedCaptureMode();
  RelaxedCaptureMode(const RelaxedCaptureMode &) = delete;
  RelaxedCaptureMode &operator=(const RelaxedCaptureMode &) = delete;

private:
  const Driver &driver;
  int previous = cuda::captureModeRelaxed;
};

/// Whether a driver can load code while a stream captures.
bool canLoadInCapture(const Driver &driver);

/// Whether `stream` captures; of the legacy stream, whether a blocking stream
/// of the current context does. The device's context must be current.
bool isCapturing(const Driver &driver, cuda::StreamHandle stream);

/// Whether a capture is known of: a CaptureScope, or one on a blocking stream
/// of the device.
bool isCaptureKnown(const Device &device);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CAPTURE_H
