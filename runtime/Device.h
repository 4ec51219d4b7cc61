// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices, memory and streams, owned.
//
// In: an opened Driver. Out: contexts, memory, streams. Kernels are in
// LoadedKernel.h. Errors name the driver's call.
//
// Every object keeps its device (and the driver's primary context) alive. All
// functions may be called from any thread: each makes the device's context
// current for as long as it needs it. Buffers, streams and events must not be
// destroyed while a stream captures; code may be (Capture.h).

#ifndef TILEWRIGHT_RUNTIME_DEVICE_H
#define TILEWRIGHT_RUNTIME_DEVICE_H

#include "runtime/Artifact.h"
#include "runtime/Driver.h"
#include "runtime/ImageChoice.h"
#include "runtime/Parameters.h"

#include <memory>
#include <mutex>

namespace tilewright::runtime {

/// What there is to unload of an image: a library, or a module in a context.
struct CodeHandles {
  cuda::Library library = nullptr;
  cuda::Module module = nullptr;
};

/// One GPU, with a context: the primary one, retained, or one that somebody
/// else made. Copies share it.
class Device {
public:
  /// Opens device number `ordinal` with its primary context.
  static Result<Device> open(std::shared_ptr<const Driver> driver, int ordinal);
  /// The device of the context that is current on this thread, with that
  /// context, which must outlive what is made of the result.
  static Result<Device>
  fromCurrentContext(std::shared_ptr<const Driver> driver);

  /// False of a moved-from object alone.
  explicit operator bool() const { return state != nullptr; }

  const Driver &driver() const { return *state->driver; }
  const std::string &name() const { return state->name; }
  /// Its architecture and the driver's version: what images are chosen by.
  const DeviceFacts &facts() const { return state->facts; }
  int multiprocessorCount() const { return state->multiprocessors; }
  /// Shared memory that a block can have, static and dynamic together, in
  /// bytes.
  int sharedBytesLimit() const { return state->sharedBytesLimit; }
  cuda::Context context() const { return state->context; }
  /// Differs between contexts, also where one has the address of an earlier
  /// one (before CUDA 12.0: the address).
  uint64_t contextId() const { return state->contextId; }

  /// Unloads the code, at once or when unloadUnused can.
  void unloadLater(const CodeHandles &code) const;
  /// Unloads the code that nobody uses any more, unless a capture is known to
  /// run (Capture.h). Loading a kernel calls this, too.
  void unloadUnused() const;
  /// Images that wait to be unloaded.
  size_t unusedCount() const;

  /// "device 0: NVIDIA H100 (sm_90), CUDA 12.4 (libcuda.so.1)".
  std::string description() const;

private:
  struct State {
    std::shared_ptr<const Driver> driver;
    int ordinal = 0;
    cuda::DeviceHandle handle = 0;
    cuda::Context context = nullptr;
    bool isPrimary = false;
    uint64_t contextId = 0;
    std::string name;
    DeviceFacts facts;
    int multiprocessors = 0;
    int sharedBytesLimit = 0;
    mutable std::mutex unusedMutex;
    mutable std::vector<CodeHandles> unused;

    /// Makes the context current, unloads the code, and goes back.
    void unload(std::span<const CodeHandles> code) const;
    ~State();
  };
  static Result<void> query(State &state);
  static void identifyContext(State &state);

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

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_DEVICE_H
