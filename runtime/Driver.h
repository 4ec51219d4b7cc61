// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA driver, opened at run time.
//
// In: the name of a driver library. Out: a table of its entry points, and its
// errors as ours. The declarations are our own; the numbers and signatures are
// the driver's binary interface (CUDA driver API reference). Nothing here knows
// of artifacts, and nothing owns a device's resources: see Device.h.

#ifndef TILEWRIGHT_RUNTIME_DRIVER_H
#define TILEWRIGHT_RUNTIME_DRIVER_H

#include "runtime/Result.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <sys/types.h>

namespace tilewright::runtime {

/// The driver's binary interface.
namespace cuda {

using Status = int;                         ///< CUresult
using DeviceHandle = int;                   ///< CUdevice
using DeviceAddress = uint64_t;             ///< CUdeviceptr
using Context = struct OpaqueContext *;     ///< CUcontext
using Module = struct OpaqueModule *;       ///< CUmodule
using Library = struct OpaqueLibrary *;     ///< CUlibrary
using KernelHandle = struct OpaqueKernel *; ///< CUkernel
using Function = struct OpaqueFunction *;   ///< CUfunction
using StreamHandle = struct OpaqueStream *; ///< CUstream
using EventHandle = struct OpaqueEvent *;   ///< CUevent

inline constexpr Status statusSuccess = 0;
inline constexpr Status statusOutOfMemory = 2;
inline constexpr Status statusNotInitialized = 3;
inline constexpr Status statusInvalidImage = 200;
inline constexpr Status statusInvalidContext = 201;
inline constexpr Status statusNoBinaryForGpu = 209;
inline constexpr Status statusInvalidPtx = 218;
inline constexpr Status statusJitCompilerNotFound = 221;
inline constexpr Status statusUnsupportedPtxVersion = 222;
inline constexpr Status statusJitCompilationDisabled = 223;
inline constexpr Status statusInvalidHandle = 400;
inline constexpr Status statusCaptureImplicit = 906;

enum DeviceAttribute : int {
  maxThreadsPerBlock = 1,
  multiprocessorCount = 16,
  computeCapabilityMajor = 75,
  computeCapabilityMinor = 76,
  cooperativeLaunch = 95,
  maxSharedBytesPerBlockOptIn = 97,
};

enum FunctionAttribute : int {
  sharedSizeBytes = 1,
  localSizeBytes = 3,
  registerCount = 4,
  maxDynamicSharedSizeBytes = 8,
  nonPortableClusterSizeAllowed = 14,
};

enum JitOption : int {
  jitErrorLogBuffer = 5,
  jitErrorLogBufferSizeBytes = 6,
};

inline constexpr unsigned streamNonBlocking = 1;

/// CUstreamCaptureStatus, and the one mode of CUstreamCaptureMode that we use.
inline constexpr int captureStatusNone = 0;
inline constexpr int captureModeRelaxed = 2;

enum LaunchAttributeId : int {
  launchCooperative = 2,
  launchClusterDimension = 4,
  launchProgrammaticStreamSerialization = 6,
};

/// CUlaunchAttribute: an id, then 64 bytes at offset 8 whose use depends on it.
struct LaunchAttribute {
  LaunchAttributeId id;
  char padding[4];
  union {
    char bytes[64];
    int flag;
    unsigned dimensions[3];
  };
};
static_assert(sizeof(LaunchAttribute) == 72);

/// CUlaunchConfig.
struct LaunchConfiguration {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  StreamHandle stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchConfiguration) == 56);

/// The entry points, one member for each row of DriverEntries.def; null where
/// an optional one is absent.
struct Entries {
#define ENTRY(name, symbol, version, need, parameters)                         \
  Status(*name) parameters = nullptr;
#include "runtime/DriverEntries.def"
#undef ENTRY
};

} // namespace cuda

/// An opened and initialised driver. Its table is immutable, so any thread may
/// use it. The library stays loaded to the end of the process: drivers do not
/// survive being unloaded.
class Driver {
public:
  /// Opens the library at `path` (as dlopen finds it) and initialises it. Fails
  /// with NotFound when there is no such library, and with Unsupported when it
  /// lacks an entry point.
  static Result<std::shared_ptr<const Driver>> open(const std::string &path);

  /// Opens the library that the environment variable TILEWRIGHT_CUDA_DRIVER
  /// names, or else libcuda.so.1.
  static Result<std::shared_ptr<const Driver>> openDefault();

  /// The entry points: `driver->cuMemFree(...)`.
  const cuda::Entries *operator->() const { return &entries; }

  /// The CUDA version that the driver supports: 12040 is 12.4.
  int version() const { return driverVersion; }
  /// "CUDA 12.4 (libcuda.so.1)".
  std::string description() const;
  /// Devices that the driver has.
  Result<int> deviceCount() const;

  /// Success in the process that opened the driver. A driver is of no use in
  /// the child of a fork.
  Result<void> checkProcess() const;

  /// How many CaptureScopes there are (runtime/Capture.h).
  std::atomic<int> &captureScopes() const { return scopes; }

  /// Success, or an error that says which `call` failed, how (the driver's name
  /// and text for `status`) and, unless empty, `where`: the user's request.
  Result<void> check(cuda::Status status, const char *call,
                     const std::string &where = "") const;

private:
  Driver() = default;
  Result<void> load(const std::string &path);

  cuda::Entries entries;
  std::string libraryPath;
  int driverVersion = 0;
  pid_t owner = 0;
  mutable std::atomic<int> scopes = 0;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_DRIVER_H
