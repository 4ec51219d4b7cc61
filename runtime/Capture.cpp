// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Capture.h"

#include <utility>

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

CaptureScope::CaptureScope(Device device) : owner(std::move(device)) {
  ++owner.driver().captureScopes();
}

CaptureScope::~CaptureScope() {
  if (owner && --owner.driver().captureScopes() == 0)
    owner.unloadUnused();
}

RelaxedCaptureMode::RelaxedCaptureMode(const Driver &driver) : driver(driver) {
  if (driver->cuThreadExchangeStreamCaptureMode)
    (void)driver->cuThreadExchangeStreamCaptureMode(&previous);
}

RelaxedCaptureMode::~RelaxedCaptureMode() {
  if (driver->cuThreadExchangeStreamCaptureMode)
    (void)driver->cuThreadExchangeStreamCaptureMode(&previous);
}

bool tilewright::runtime::canLoadInCapture(const Driver &driver) {
  return driver.version() >= 12030 && driver->cuThreadExchangeStreamCaptureMode;
}

bool tilewright::runtime::isCapturing(const Driver &driver,
                                      StreamHandle stream) {
  if (!driver->cuStreamIsCapturing)
    return false;
  int capturing = captureStatusNone;
  Status status = driver->cuStreamIsCapturing(stream, &capturing);
  return status == statusCaptureImplicit ||
         (status == statusSuccess && capturing != captureStatusNone);
}

bool tilewright::runtime::isCaptureKnown(const Device &device) {
  if (device.driver().captureScopes() > 0)
    return true;
  ScopedContext scope(device);
  return scope.status() && isCapturing(device.driver(), /*stream=*/nullptr);
}
