// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where kernels run: a GPU through the CUDA driver, or the emulator. In: an
// artifact, memory contents, launches. Out: memory contents and times. One work
// queue; nothing here decides what to run.

#ifndef TILEWRIGHT_LIB_RUN_EXECUTIONDEVICE_H
#define TILEWRIGHT_LIB_RUN_EXECUTIONDEVICE_H

#include "runtime/Device.h"
#include "runtime/Parameters.h"

#include <functional>
#include <memory>

namespace tilewright::run {

using runtime::Result;

/// A kernel that is ready on a device. It must not outlive the device.
class ExecutionKernel {
public:
  virtual ~ExecutionKernel() = default;
  virtual const runtime::Kernel &kernel() const = 0;
  virtual const runtime::Variant &variant() const = 0;
  /// The image that runs: "cubin sm_90a", "PTX sm_80".
  virtual std::string image() const = 0;
  /// Launches once; the work is done when synchronize() of the device returns.
  virtual Result<void> launch(const runtime::Dimensions &grid,
                              std::span<const runtime::Argument> arguments) = 0;
};

/// A device with memory.
class ExecutionDevice {
public:
  virtual ~ExecutionDevice() = default;
  /// For people: name, architecture, driver.
  virtual std::string description() const = 0;
  /// `size` bytes (0 gives address 0), at a multiple of 256.
  virtual Result<uint64_t> allocate(uint64_t size) = 0;
  /// Frees what allocate() gave; address 0 is left alone.
  virtual Result<void> release(uint64_t address) = 0;
  /// Copies to or from the start of an allocation, after the work before, and
  /// waits for the copy.
  virtual Result<void> copyIn(uint64_t address,
                              std::span<const uint8_t> bytes) = 0;
  virtual Result<void> copyOut(std::span<uint8_t> bytes, uint64_t address) = 0;
  /// Loads a kernel; an empty name stands for the only one.
  virtual Result<std::unique_ptr<ExecutionKernel>>
  prepare(const runtime::Artifact &artifact, std::string_view name) = 0;
  /// Waits for all work and reports what went wrong in it.
  virtual Result<void> synchronize() = 0;
  /// Microseconds that the device takes for what `work` launches, one launch
  /// after the other; waits for it. A GPU is given the work twice: while it is
  /// busy with the first one, the launches of the second, which counts, are
  /// queued, so that the host's time for them does not count.
  virtual Result<double> time(const std::function<Result<void>()> &work) = 0;
};

/// A GPU: device number `ordinal` of the driver that TILEWRIGHT_CUDA_DRIVER
/// names, or of libcuda.so.1. Work goes to a stream of its own.
Result<std::unique_ptr<ExecutionDevice>> openCudaDevice(int ordinal);
/// The same of a device that is open.
Result<std::unique_ptr<ExecutionDevice>>
openCudaDevice(const runtime::Device &device);

} // namespace tilewright::run

#endif // TILEWRIGHT_LIB_RUN_EXECUTIONDEVICE_H
