// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices, streams, events and memory.

#include "runtime/Device.h"

#include "runtime/Capture.h"

#include <utility>

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

void Device::State::unload(std::span<const CodeHandles> code) const {
  // A context of somebody else may be gone, and the modules with it.
  uint64_t id = contextId;
  bool isAlive =
      isPrimary || !(*driver)->cuCtxGetId ||
      ((*driver)->cuCtxGetId(context, reinterpret_cast<unsigned long long *>(
                                          &id)) == statusSuccess &&
       id == contextId);
  bool isPushed =
      isAlive && (*driver)->cuCtxPushCurrent(context) == statusSuccess;
  {
    RelaxedCaptureMode relaxed(*driver);
    for (const CodeHandles &each : code) {
      if (each.library)
        (void)(*driver)->cuLibraryUnload(each.library);
      if (each.module && isPushed)
        (void)(*driver)->cuModuleUnload(each.module);
    }
  }
  Context popped = nullptr;
  if (isPushed)
    (void)(*driver)->cuCtxPopCurrent(&popped);
}

Device::State::~State() {
  if (!context)
    return;
  // Nobody can launch it any more: what a capture holds of it was to be kept.
  if (!unused.empty())
    unload(unused);
  if (isPrimary)
    (void)(*driver)->cuDevicePrimaryCtxRelease(handle);
}

void Device::unloadLater(const CodeHandles &code) const {
  {
    std::lock_guard<std::mutex> lock(state->unusedMutex);
    state->unused.push_back(code);
  }
  unloadUnused();
}

void Device::unloadUnused() const {
  if (unusedCount() == 0 || isCaptureKnown(*this))
    return;
  std::vector<CodeHandles> code;
  {
    std::lock_guard<std::mutex> lock(state->unusedMutex);
    code.swap(state->unused);
  }
  if (!code.empty())
    state->unload(code);
}

size_t Device::unusedCount() const {
  std::lock_guard<std::mutex> lock(state->unusedMutex);
  return state->unused.size();
}

Result<void> Device::query(State &state) {
  const Driver &driver = *state.driver;
  std::string where = "device " + std::to_string(state.ordinal);
  char name[256] = {};
  Result<void> named = driver.check(
      driver->cuDeviceGetName(name, sizeof(name) - 1, state.handle),
      "cuDeviceGetName", where);
  if (!named)
    return named;
  state.name = name;
  int major = 0, minor = 0;
  std::pair<DeviceAttribute, int *> attributes[] = {
      {computeCapabilityMajor, &major},
      {computeCapabilityMinor, &minor},
      {cuda::multiprocessorCount, &state.multiprocessors},
      {maxSharedBytesPerBlockOptIn, &state.sharedBytesLimit}};
  for (auto [attribute, value] : attributes) {
    Result<void> got = driver.check(
        driver->cuDeviceGetAttribute(value, attribute, state.handle),
        "cuDeviceGetAttribute", where);
    if (!got)
      return got;
  }
  state.facts.architecture = {uint32_t(major), uint32_t(minor), 0};
  state.facts.driverVersion = driver.version();
  return success();
}

Result<Device> Device::open(std::shared_ptr<const Driver> driver, int ordinal) {
  Result<int> count = driver->deviceCount();
  if (!count)
    return count.takeError();
  if (ordinal < 0 || ordinal >= *count)
    return Error{ErrorCode::NotFound,
                 *count == 0 ? driver->description() + " has no device"
                             : "expects a device from 0 to " +
                                   std::to_string(*count - 1) + ", but got " +
                                   std::to_string(ordinal)};
  if (Result<void> good = driver->checkProcess(); !good)
    return good.takeError();
  auto state = std::make_shared<State>();
  state->driver = driver;
  state->ordinal = ordinal;
  std::string where = "device " + std::to_string(ordinal);
  Result<void> found = driver->check(
      (*driver)->cuDeviceGet(&state->handle, ordinal), "cuDeviceGet", where);
  if (!found)
    return found.takeError();
  if (Result<void> queried = query(*state); !queried)
    return queried.takeError();
  Result<void> retained = driver->check(
      (*driver)->cuDevicePrimaryCtxRetain(&state->context, state->handle),
      "cuDevicePrimaryCtxRetain", where);
  if (!retained) {
    state->context = nullptr;
    return retained.takeError();
  }
  state->isPrimary = true;
  identifyContext(*state);
  Device device;
  device.state = std::move(state);
  return device;
}

void Device::identifyContext(State &state) {
  const Driver &driver = *state.driver;
  unsigned long long id = 0;
  bool isKnown = driver->cuCtxGetId &&
                 driver->cuCtxGetId(state.context, &id) == statusSuccess;
  state.contextId = isKnown ? id : reinterpret_cast<uintptr_t>(state.context);
}

Result<Device>
Device::fromCurrentContext(std::shared_ptr<const Driver> driver) {
  if (Result<void> good = driver->checkProcess(); !good)
    return good.takeError();
  auto state = std::make_shared<State>();
  state->driver = driver;
  Result<void> got = driver->check((*driver)->cuCtxGetCurrent(&state->context),
                                   "cuCtxGetCurrent");
  if (!got)
    return got.takeError();
  if (!state->context)
    return Error{ErrorCode::NotFound,
                 "expects a CUDA context that is current on this thread, but "
                 "there is none"};
  got = driver->check((*driver)->cuCtxGetDevice(&state->handle),
                      "cuCtxGetDevice");
  if (!got)
    return got.takeError();
  state->ordinal = int(state->handle);
  if (Result<void> queried = query(*state); !queried)
    return queried.takeError();
  identifyContext(*state);
  Device device;
  device.state = std::move(state);
  return device;
}

std::string Device::description() const {
  return "device " + std::to_string(state->ordinal) + ": " + state->name +
         " (" + state->facts.architecture.name() + "), " +
         state->driver->description();
}

ScopedContext::ScopedContext(const Device &device)
    : driver(device.driver()),
      pushed(driver->cuCtxPushCurrent(device.context())) {}

ScopedContext::~ScopedContext() {
  Context popped = nullptr;
  if (pushed == statusSuccess)
    (void)driver->cuCtxPopCurrent(&popped);
}

Result<void> ScopedContext::status() const {
  return driver.check(pushed, "cuCtxPushCurrent");
}

//===----------------------------------------------------------------------===//
// Stream
//===----------------------------------------------------------------------===//

Result<Stream> Stream::create(const Device &device) {
  ScopedContext scope(device);
  if (Result<void> good = scope.status(); !good)
    return good.takeError();
  StreamHandle stream = nullptr;
  Result<void> created = device.driver().check(
      device.driver()->cuStreamCreate(&stream, streamNonBlocking),
      "cuStreamCreate");
  if (!created)
    return created.takeError();
  return Stream(device, stream);
}

// A moved-from object keeps its device and owns nothing.
Stream::Stream(Stream &&other) noexcept
    : owner(other.owner), stream(std::exchange(other.stream, nullptr)) {}

Stream &Stream::operator=(Stream &&other) noexcept {
  std::swap(owner, other.owner);
  std::swap(stream, other.stream);
  return *this;
}

Stream::~Stream() {
  if (!stream)
    return;
  ScopedContext scope(owner);
  (void)owner.driver()->cuStreamDestroy(stream);
}

Result<void> Stream::synchronize() const {
  ScopedContext scope(owner);
  if (Result<void> good = scope.status(); !good)
    return good;
  return owner.driver().check(owner.driver()->cuStreamSynchronize(stream),
                              "cuStreamSynchronize");
}

//===----------------------------------------------------------------------===//
// Event
//===----------------------------------------------------------------------===//

Result<Event> Event::create(const Device &device) {
  ScopedContext scope(device);
  if (Result<void> good = scope.status(); !good)
    return good.takeError();
  EventHandle event = nullptr;
  Result<void> created = device.driver().check(
      device.driver()->cuEventCreate(&event, 0), "cuEventCreate");
  if (!created)
    return created.takeError();
  return Event(device, event);
}

Event::Event(Event &&other) noexcept
    : owner(other.owner), event(std::exchange(other.event, nullptr)) {}

Event &Event::operator=(Event &&other) noexcept {
  std::swap(owner, other.owner);
  std::swap(event, other.event);
  return *this;
}

Event::~Event() {
  if (!event)
    return;
  ScopedContext scope(owner);
  (void)owner.driver()->cuEventDestroy(event);
}

Result<void> Event::record(const Stream &stream) const {
  ScopedContext scope(owner);
  if (Result<void> good = scope.status(); !good)
    return good;
  return owner.driver().check(
      owner.driver()->cuEventRecord(event, stream.handle()), "cuEventRecord");
}

Result<void> Event::synchronize() const {
  ScopedContext scope(owner);
  if (Result<void> good = scope.status(); !good)
    return good;
  return owner.driver().check(owner.driver()->cuEventSynchronize(event),
                              "cuEventSynchronize");
}

Result<double> Event::microsecondsSince(const Event &begin) const {
  ScopedContext scope(owner);
  if (Result<void> good = scope.status(); !good)
    return good.takeError();
  float milliseconds = 0;
  Result<void> got = owner.driver().check(
      owner.driver()->cuEventElapsedTime(&milliseconds, begin.event, event),
      "cuEventElapsedTime");
  if (!got)
    return got.takeError();
  return double(milliseconds) * 1000;
}

//===----------------------------------------------------------------------===//
// Buffer
//===----------------------------------------------------------------------===//

Result<Buffer> Buffer::allocate(const Device &device, uint64_t size) {
  if (size == 0)
    return Buffer(device, 0, 0);
  ScopedContext scope(device);
  if (Result<void> good = scope.status(); !good)
    return good.takeError();
  DeviceAddress address = 0;
  Result<void> allocated = device.driver().check(
      device.driver()->cuMemAlloc(&address, size), "cuMemAlloc",
      "while allocating " + std::to_string(size) + " bytes");
  if (!allocated)
    return allocated.takeError();
  return Buffer(device, address, size);
}

Buffer::Buffer(Buffer &&other) noexcept
    : owner(other.owner), start(std::exchange(other.start, 0)),
      byteCount(std::exchange(other.byteCount, 0)) {}

Buffer &Buffer::operator=(Buffer &&other) noexcept {
  std::swap(owner, other.owner);
  std::swap(start, other.start);
  std::swap(byteCount, other.byteCount);
  return *this;
}

Buffer::~Buffer() {
  if (!start)
    return;
  ScopedContext scope(owner);
  (void)owner.driver()->cuMemFree(start);
}

static Error tooLong(uint64_t size, uint64_t limit) {
  return {ErrorCode::InvalidArgument,
          "expects a copy of at most " + std::to_string(limit) +
              " bytes, but got " + std::to_string(size)};
}

Result<void> Buffer::copyIn(std::span<const uint8_t> bytes,
                            const Stream &stream) const {
  if (bytes.size() > byteCount)
    return tooLong(bytes.size(), byteCount);
  if (bytes.empty())
    return success();
  ScopedContext scope(owner);
  if (Result<void> good = scope.status(); !good)
    return good;
  Result<void> copied = owner.driver().check(
      owner.driver()->cuMemcpyHtoDAsync(start, bytes.data(), bytes.size(),
                                        stream.handle()),
      "cuMemcpyHtoDAsync",
      "while copying " + std::to_string(bytes.size()) + " bytes");
  return copied ? stream.synchronize() : copied;
}

Result<void> Buffer::copyOut(std::span<uint8_t> bytes,
                             const Stream &stream) const {
  if (bytes.size() > byteCount)
    return tooLong(bytes.size(), byteCount);
  if (bytes.empty())
    return success();
  ScopedContext scope(owner);
  if (Result<void> good = scope.status(); !good)
    return good;
  Result<void> copied = owner.driver().check(
      owner.driver()->cuMemcpyDtoHAsync(bytes.data(), start, bytes.size(),
                                        stream.handle()),
      "cuMemcpyDtoHAsync",
      "while copying " + std::to_string(bytes.size()) + " bytes");
  return copied ? stream.synchronize() : copied;
}

Result<void> Buffer::fill(uint8_t value, const Stream &stream) const {
  if (byteCount == 0)
    return success();
  ScopedContext scope(owner);
  if (Result<void> good = scope.status(); !good)
    return good;
  return owner.driver().check(
      owner.driver()->cuMemsetD8Async(start, value, byteCount, stream.handle()),
      "cuMemsetD8Async");
}
