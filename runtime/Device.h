// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices, memory, streams and kernels, owned.
//
// In: an opened Driver and an Artifact. Out: loaded kernels, launched on
// streams that the caller names at every launch. It does not cache, compile, or
// choose a grid. Errors name the driver's call and the kernel, grid and stream.
//
// Every object keeps its device (and the driver's primary context) alive. All
// functions may be called from any thread: each makes the device's context
// current for as long as it needs it. Objects that own something of the driver
// must not be destroyed while a stream captures.

#ifndef TILEWRIGHT_RUNTIME_DEVICE_H
#define TILEWRIGHT_RUNTIME_DEVICE_H

#include "runtime/Artifact.h"
#include "runtime/Driver.h"
#include "runtime/ImageChoice.h"
#include "runtime/Parameters.h"

#include <memory>

namespace tilewright::runtime {

/// One GPU, with its primary context retained. Copies share it.
class Device {
public:
  /// Opens device number `ordinal`.
  static Result<Device> open(std::shared_ptr<const Driver> driver, int ordinal);

  const Driver &driver() const { return *state->driver; }
  const std::string &name() const { return state->name; }
  /// Its architecture and the driver's version: what images are chosen by.
  const DeviceFacts &facts() const { return state->facts; }
  int multiprocessorCount() const { return state->multiprocessors; }
  /// Shared memory that a block can have, static and dynamic together, in
  /// bytes.
  int sharedBytesLimit() const { return state->sharedBytesLimit; }
  cuda::Context context() const { return state->context; }

  /// "device 0: NVIDIA H100 (sm_90), CUDA 12.4 (libcuda.so.1)".
  std::string description() const;

private:
  struct State {
    std::shared_ptr<const Driver> driver;
    int ordinal = 0;
    cuda::DeviceHandle handle = 0;
    cuda::Context context = nullptr;
    std::string name;
    DeviceFacts facts;
    int multiprocessors = 0;
    int sharedBytesLimit = 0;
    ~State();
  };
  static Result<void> query(State &state);

  std::shared_ptr<const State> state;
};

/// Makes a device's context current for a scope.
class ScopedContext {
public:
  explicit ScopedContext(const Device &device);
  ~ScopedContext();
  ScopedContext(const ScopedContext &) = delete;
  ScopedContext &operator=(const ScopedContext &) = delete;
  /// Whether it worked.
  Result<void> status() const;

private:
  const Driver &driver;
  cuda::Status pushed;
};

/// A stream. Not synchronised with the legacy default stream.
class Stream {
public:
  static Result<Stream> create(const Device &device);
  Stream(Stream &&other) noexcept;
  Stream &operator=(Stream &&other) noexcept;
  ~Stream();

  cuda::StreamHandle handle() const { return stream; }
  const Device &device() const { return owner; }
  /// Waits for all work on the stream.
  Result<void> synchronize() const;

private:
  Stream(Device device, cuda::StreamHandle stream)
      : owner(std::move(device)), stream(stream) {}
  Device owner;
  cuda::StreamHandle stream = nullptr;
};

/// A point in a stream's work, with its time.
class Event {
public:
  static Result<Event> create(const Device &device);
  Event(Event &&other) noexcept;
  Event &operator=(Event &&other) noexcept;
  ~Event();

  Result<void> record(const Stream &stream) const;
  Result<void> synchronize() const;
  /// Microseconds from `begin` to this event; both must have happened.
  Result<double> microsecondsSince(const Event &begin) const;

private:
  Event(Device device, cuda::EventHandle event)
      : owner(std::move(device)), event(event) {}
  Device owner;
  cuda::EventHandle event = nullptr;
};

/// Memory of a device.
class Buffer {
public:
  /// `size` bytes, at an address that is a multiple of 256. A size of 0 gives a
  /// null address.
  static Result<Buffer> allocate(const Device &device, uint64_t size);
  Buffer(Buffer &&other) noexcept;
  Buffer &operator=(Buffer &&other) noexcept;
  ~Buffer();

  uint64_t address() const { return start; }
  uint64_t size() const { return byteCount; }

  /// Copies to and from the start of the buffer in the stream's order, and
  /// waits until the copy is done.
  Result<void> copyIn(std::span<const uint8_t> bytes,
                      const Stream &stream) const;
  Result<void> copyOut(std::span<uint8_t> bytes, const Stream &stream) const;
  /// Sets every byte, in the stream's order; does not wait.
  Result<void> fill(uint8_t value, const Stream &stream) const;

private:
  Buffer(Device device, uint64_t start, uint64_t size)
      : owner(std::move(device)), start(start), byteCount(size) {}
  Device owner;
  uint64_t start = 0;
  uint64_t byteCount = 0;
};

/// A kernel that is ready to launch on its device.
class LoadedKernel {
public:
  /// Chooses an image, loads it (the driver compiles PTX here), finds the
  /// kernel, compares its parameters with the artifact's where the driver can
  /// tell them, and raises the limit of dynamic shared memory. After this a
  /// launch loads nothing. `name` may be empty when there is one kernel.
  static Result<LoadedKernel>
  load(const Device &device, const Artifact &artifact, std::string_view name);

  const Kernel &kernel() const { return kernelFacts; }
  const Variant &variant() const { return variantFacts; }
  const Image &image() const { return imageFacts; }
  /// Registers and spilled bytes of a thread, as the driver reports them.
  int registers() const { return registerCount; }
  int localBytes() const { return localByteCount; }

  /// Bytes of global scratch memory that a launch on `grid` needs.
  uint64_t scratchBytes(const Dimensions &grid) const;

  /// Launches on `stream` (null: the legacy default stream). One driver call
  /// when the device's context is current on this thread. `scratch` is the
  /// address of scratchBytes(grid) bytes. A grid with a zero launches nothing.
  /// Neither allocates on the device nor waits, so it may be captured.
  Result<void> launch(const Dimensions &grid,
                      std::span<const Argument> arguments,
                      cuda::StreamHandle stream, uint64_t scratch = 0) const;

private:
  /// The loaded code; unloads it in the end.
  struct Code;

  explicit LoadedKernel(Device device) : owner(std::move(device)) {}
  Result<void> loadCode();
  Result<void> checkLimits() const;
  Result<void> checkParameters() const;
  Result<void> prepare();
  Result<void> checkGrid(const Dimensions &grid) const;
  Result<void> encodeTensorMap(const TensorMapValues &values, void *map) const;
  cuda::Status launchOnce(const Dimensions &grid, cuda::StreamHandle stream,
                          void **parameters, const char *&call) const;

  Device owner;
  Kernel kernelFacts;
  Variant variantFacts;
  Image imageFacts; ///< without its bytes once loaded
  std::shared_ptr<Code> code;
  int registerCount = 0;
  int localByteCount = 0;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_DEVICE_H
