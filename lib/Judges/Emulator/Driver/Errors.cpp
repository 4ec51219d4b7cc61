// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points: names and texts of the statuses that this library gives.

#include "lib/Judges/Emulator/Driver/Entries.h"

using namespace tilewright::emulator;
using namespace tilewright::emulator::driver;

namespace {
struct StatusText {
  Status status;
  const char *name, *text;
};
} // namespace

static constexpr StatusText texts[] = {
    {success, "CUDA_SUCCESS", "no error"},
    {invalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {outOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {notInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {invalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {invalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {noBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {unsupportedLimit, "CUDA_ERROR_UNSUPPORTED_LIMIT",
     "limit is not supported on this architecture"},
    {invalidPtx, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {invalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {notFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {notReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    {illegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {contextIsDestroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED",
     "context is destroyed"},
    {misalignedAddress, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {launchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {cooperativeLaunchTooLarge, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
     "too many blocks in cooperative launch"},
    {notSupported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {captureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {captureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {captureMerge, "CUDA_ERROR_STREAM_CAPTURE_MERGE",
     "operation would result in a merge of separate capture sequences"},
    {captureUnmatched, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED",
     "capture was not ended in the same stream as it began"},
    {captureUnjoined, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",
     "capturing stream has unjoined work"},
    {captureIsolation, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
     "dependency created on uncaptured work in another stream"},
    {captureImplicit, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking "
     "stream"},
    {capturedEvent, "CUDA_ERROR_CAPTURED_EVENT",
     "operation not permitted on an event last recorded in a capturing "
     "stream"},
    {captureWrongThread, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
     "attempt to terminate a thread-local capture sequence from another "
     "thread"},
};

static const StatusText *find(Status status) {
  for (const StatusText &entry : texts)
    if (entry.status == status)
      return &entry;
  return nullptr;
}

Status driver::cuGetErrorName(Status status, const char **name) {
  if (!name)
    return invalidValue;
  const StatusText *found = find(status);
  *name = found ? found->name : nullptr;
  return found ? success : invalidValue;
}

Status driver::cuGetErrorString(Status status, const char **text) {
  if (!text)
    return invalidValue;
  const StatusText *found = find(status);
  *text = found ? found->text : nullptr;
  return found ? success : invalidValue;
}
