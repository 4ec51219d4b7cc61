// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C entry points of this library and the types in their signatures: those
// of runtime/Driver.h, and what the runtime does not need.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_ENTRIES_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_ENTRIES_H

#include "runtime/Driver.h"

namespace tilewright::emulator::driver {

using runtime::cuda::Context;
using runtime::cuda::DeviceAddress;
using runtime::cuda::DeviceAttribute;
using runtime::cuda::DeviceHandle;
using runtime::cuda::EventHandle;
using runtime::cuda::Function;
using runtime::cuda::FunctionAttribute;
using runtime::cuda::JitOption;
using runtime::cuda::KernelHandle;
using runtime::cuda::LaunchAttribute;
using runtime::cuda::LaunchConfiguration;
using runtime::cuda::Library;
using runtime::cuda::Module;
using runtime::cuda::Status;
using runtime::cuda::StreamHandle;
using GraphHandle = struct OpaqueGraph *;                     ///< CUgraph
using GraphNodeHandle = struct OpaqueGraphNode *;             ///< CUgraphNode
using ExecutableGraphHandle = struct OpaqueExecutableGraph *; ///< CUgraphExec

/// CUresult, as far as this library gives it.
enum : Status {
  success = 0,
  invalidValue = 1,
  outOfMemory = 2,
  notInitialized = 3,
  invalidDevice = 101,
  invalidContext = 201,
  noBinaryForGpu = 209,
  unsupportedLimit = 215,
  invalidPtx = 218,
  invalidHandle = 400,
  notFound = 500,
  notReady = 600,
  illegalAddress = 700,
  contextIsDestroyed = 709,
  misalignedAddress = 716,
  launchFailed = 719,
  cooperativeLaunchTooLarge = 720,
  notSupported = 801,
  captureUnsupported = 900,
  captureInvalidated = 901,
  captureMerge = 902,
  captureUnmatched = 903,
  captureUnjoined = 904,
  captureIsolation = 905,
  captureImplicit = 906,
  capturedEvent = 907,
  captureWrongThread = 908,
};

/// The CUDA version that the library speaks: 13.0.
constexpr int driverVersion = 13000;

extern "C" {
#define ENTRY(name, symbol, version, parameters)                               \
  __attribute__((visibility("default"))) Status symbol parameters;
#include "lib/Judges/Emulator/Driver/Entries.def"
#undef ENTRY
}

} // namespace tilewright::emulator::driver

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_ENTRIES_H
