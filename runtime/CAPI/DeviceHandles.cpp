// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface: errors, devices, memory, streams, captures.

#include "runtime/CAPI/Handles.h"
#include "runtime/Capture.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::capi;

struct tilewright_capture {
  CaptureScope scope;
};

int tilewright_api_version(void) { return TILEWRIGHT_API_VERSION; }

int tilewright_error_get_code(const tilewright_error *error) {
  return error ? int(error->content.code) : 0;
}
const char *tilewright_error_message(const tilewright_error *error) {
  return error ? error->content.message.c_str() : "";
}
void tilewright_error_destroy(tilewright_error *error) { delete error; }
tilewright_error *tilewright_error_create(int code, const char *message) {
  return fail({ErrorCode(code), message ? message : ""});
}

tilewright_error *
tilewright_device_open(const tilewright_device_options *options,
                       tilewright_device **device) {
  if (!device)
    return refuse("expects a place for the device, but got null");
  *device = nullptr;
  tilewright_device_options own;
  if (tilewright_error *error =
          readStruct(options, own, offsetof(tilewright_device_options, driver),
                     "tilewright_device_options"))
    return error;
  if (own.flags & ~TILEWRIGHT_DEVICE_CURRENT_CONTEXT)
    return refuse("expects known flags of a device, but got " +
                  std::to_string(own.flags));
  Result<std::shared_ptr<const Driver>> driver =
      own.driver ? Driver::open(own.driver) : Driver::openDefault();
  if (!driver)
    return fail(driver.takeError());
  Result<Device> opened = own.flags & TILEWRIGHT_DEVICE_CURRENT_CONTEXT
                              ? Device::fromCurrentContext(*driver)
                              : Device::open(*driver, own.ordinal);
  if (!opened)
    return fail(opened.takeError());
  std::string description = opened->description();
  *device = new tilewright_device{std::move(*opened), std::move(description)};
  return nullptr;
}

void tilewright_device_destroy(tilewright_device *device) { delete device; }
const char *tilewright_device_description(const tilewright_device *device) {
  return device ? device->description.c_str() : "";
}
int32_t tilewright_device_architecture(const tilewright_device *device) {
  if (!device)
    return 0;
  const Architecture &architecture = device->device.facts().architecture;
  return int32_t(architecture.major * 10 + architecture.minor);
}
int32_t tilewright_device_multiprocessors(const tilewright_device *device) {
  return device ? device->device.multiprocessorCount() : 0;
}

/// Calls `function` with the driver while the device's context is current; it
/// gives the driver's status.
template <typename Callback>
static tilewright_error *inContext(tilewright_device *device, const char *call,
                                   Callback function) {
  if (!device)
    return refuse("expects a device, but got null");
  ScopedContext scope(device->device);
  if (Result<void> good = scope.status(); !good)
    return fail(good.takeError());
  const Driver &driver = device->device.driver();
  return toError(driver.check(function(driver), call));
}

tilewright_error *tilewright_memory_allocate(tilewright_device *device,
                                             uint64_t size, uint64_t *address) {
  if (!address)
    return refuse("expects a place for the address, but got null");
  *address = 0;
  if (size == 0)
    return nullptr;
  return inContext(device, "cuMemAlloc", [&](const Driver &driver) {
    return driver->cuMemAlloc(address, size);
  });
}

tilewright_error *tilewright_memory_free(tilewright_device *device,
                                         uint64_t address) {
  if (address == 0)
    return nullptr;
  return inContext(device, "cuMemFree", [&](const Driver &driver) {
    return driver->cuMemFree(address);
  });
}

tilewright_error *tilewright_stream_synchronize(tilewright_device *device,
                                                void *stream) {
  return inContext(device, "cuStreamSynchronize", [&](const Driver &driver) {
    return driver->cuStreamSynchronize(static_cast<cuda::StreamHandle>(stream));
  });
}

tilewright_error *tilewright_memory_write(tilewright_device *device,
                                          uint64_t to, const void *from,
                                          uint64_t size, void *stream) {
  if (size == 0)
    return nullptr;
  if (!from)
    return refuse("expects bytes to write, but got null");
  tilewright_error *error =
      inContext(device, "cuMemcpyHtoDAsync", [&](const Driver &driver) {
        return driver->cuMemcpyHtoDAsync(
            to, from, size, static_cast<cuda::StreamHandle>(stream));
      });
  return error ? error : tilewright_stream_synchronize(device, stream);
}

tilewright_error *tilewright_memory_read(tilewright_device *device, void *to,
                                         uint64_t from, uint64_t size,
                                         void *stream) {
  if (size == 0)
    return nullptr;
  if (!to)
    return refuse("expects a place for the bytes, but got null");
  tilewright_error *error =
      inContext(device, "cuMemcpyDtoHAsync", [&](const Driver &driver) {
        return driver->cuMemcpyDtoHAsync(
            to, from, size, static_cast<cuda::StreamHandle>(stream));
      });
  return error ? error : tilewright_stream_synchronize(device, stream);
}

tilewright_error *tilewright_stream_create(tilewright_device *device,
                                           void **stream) {
  if (!stream)
    return refuse("expects a place for the stream, but got null");
  *stream = nullptr;
  cuda::StreamHandle created = nullptr;
  tilewright_error *error =
      inContext(device, "cuStreamCreate", [&](const Driver &driver) {
        return driver->cuStreamCreate(&created, cuda::streamNonBlocking);
      });
  if (!error)
    *stream = created;
  return error;
}

tilewright_error *tilewright_stream_destroy(tilewright_device *device,
                                            void *stream) {
  return inContext(device, "cuStreamDestroy", [&](const Driver &driver) {
    return driver->cuStreamDestroy(static_cast<cuda::StreamHandle>(stream));
  });
}

tilewright_error *tilewright_capture_begin(tilewright_device *device,
                                           tilewright_capture **capture) {
  if (capture)
    *capture = nullptr;
  if (!device || !capture)
    return refuse("expects a device and a place for the capture, but got null");
  *capture = new tilewright_capture{CaptureScope(device->device)};
  return nullptr;
}
void tilewright_capture_end(tilewright_capture *capture) { delete capture; }
