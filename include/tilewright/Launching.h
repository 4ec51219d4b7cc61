// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading and launching compiled kernels from C++20: owners and typed arguments
// over tilewright-c/Runtime.h, whose rules hold. Nothing throws; who fails
// gives a Failure. No type of the library's own C++ crosses its border, so any
// compiler and standard library will do.

#ifndef TILEWRIGHT_LAUNCHING_H
#define TILEWRIGHT_LAUNCHING_H

#include "tilewright-c/Runtime.h"

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tilewright {

/// Why something did not succeed.
struct Failure {
  /// A tilewright_error_code.
  int code = 0;
  std::string message;

  /// Takes the error object over.
  static Failure take(tilewright_error *error) {
    Failure failure{tilewright_error_get_code(error),
                    tilewright_error_message(error)};
    tilewright_error_destroy(error);
    return failure;
  }
};

/// A value, or the Failure that kept it from existing; test before use.
template <typename T>
class [[nodiscard]] Expected {
public:
  Expected(T value) : value(std::move(value)) {}
  Expected(Failure failure) : reason(std::move(failure)) {}

  explicit operator bool() const { return value.has_value(); }
  T &operator*() { return *value; }
  const T &operator*() const { return *value; }
  T *operator->() { return &*value; }
  const T *operator->() const { return &*value; }
  const Failure &failure() const { return reason; }

private:
  std::optional<T> value;
  Failure reason;
};

/// Success, or a Failure.
template <>
class [[nodiscard]] Expected<void> {
public:
  Expected() = default;
  Expected(Failure failure) : reason(std::move(failure)) {}
  /// Takes the error object over; null is success.
  explicit Expected(tilewright_error *error) {
    if (error)
      reason = Failure::take(error);
  }

  explicit operator bool() const { return reason.code == 0; }
  const Failure &failure() const { return reason; }

private:
  Failure reason;
};

/// A device address.
struct Address {
  uint64_t value = 0;
};

/// The value of one argument of a launch. Integers and floating-point numbers
/// are passed with the size of their type, which must be the parameter's.
class Argument : public tilewright_argument {
public:
  Argument(Address address) : Argument(TILEWRIGHT_POINTER, 8) {
    bits = address.value;
  }
  Argument(const void *address)
      : Argument(Address{reinterpret_cast<uintptr_t>(address)}) {}
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Argument(T number)
      : Argument(std::is_floating_point_v<T> ? TILEWRIGHT_FLOAT
                                             : TILEWRIGHT_INTEGER,
                 sizeof(T)) {
    std::memcpy(&bits, &number, sizeof(T));
  }
  /// A tensor descriptor; shape and strides, in elements, must outlive the
  /// launch.
  Argument(Address address, const int64_t *sizes, const int64_t *steps,
           size_t dimensions)
      : Argument(TILEWRIGHT_DESCRIPTOR, 0) {
    bits = address.value;
    shape = sizes;
    strides = steps;
    rank = dimensions;
  }
  /// A floating-point number of 1 or 2 bytes, by its bits.
  static Argument floatBits(uint64_t value, uint32_t byteCount) {
    Argument argument(TILEWRIGHT_FLOAT, byteCount);
    argument.bits = value;
    return argument;
  }

private:
  Argument(uint32_t kindOfValue, uint32_t byteCount) : tilewright_argument{} {
    kind = kindOfValue;
    size = byteCount;
  }
};

/// How many blocks a launch has.
struct Grid {
  uint32_t x = 1, y = 1, z = 1;
};

namespace detail {
template <auto destroy>
struct Destroyer {
  template <typename T>
  void operator()(T *handle) const {
    destroy(handle);
  }
};
template <typename T, auto destroy>
using Owner = std::unique_ptr<T, Destroyer<destroy>>;

inline Expected<void> check(tilewright_error *error) {
  return Expected<void>(error);
}
} // namespace detail

/// A GPU and its context.
class Device {
public:
  /// Device `ordinal` of the default driver.
  static Expected<Device> open(int ordinal = 0) {
    tilewright_device_options options = {};
    options.struct_size = sizeof options;
    options.ordinal = ordinal;
    return open(options);
  }
  static Expected<Device> open(const tilewright_device_options &options) {
    tilewright_device *device = nullptr;
    if (tilewright_error *error = tilewright_device_open(&options, &device))
      return Failure::take(error);
    return Device(device);
  }

  std::string description() const {
    return tilewright_device_description(handle());
  }
  /// "sm_90".
  std::string architecture() const {
    return "sm_" + std::to_string(tilewright_device_architecture(handle()));
  }

  /// Memory, for programs that have no other way to it.
  Expected<Address> allocate(uint64_t size) const {
    Address address;
    if (tilewright_error *error =
            tilewright_memory_allocate(handle(), size, &address.value))
      return Failure::take(error);
    return address;
  }
  Expected<void> free(Address address) const {
    return detail::check(tilewright_memory_free(handle(), address.value));
  }
  /// Copies, and waits for it.
  Expected<void> write(Address to, const void *from, uint64_t size,
                       void *stream = nullptr) const {
    return detail::check(
        tilewright_memory_write(handle(), to.value, from, size, stream));
  }
  Expected<void> read(void *to, Address from, uint64_t size,
                      void *stream = nullptr) const {
    return detail::check(
        tilewright_memory_read(handle(), to, from.value, size, stream));
  }
  Expected<void> synchronize(void *stream = nullptr) const {
    return detail::check(tilewright_stream_synchronize(handle(), stream));
  }

  tilewright_device *handle() const { return owner.get(); }

private:
  explicit Device(tilewright_device *device) : owner(device) {}
  detail::Owner<tilewright_device, tilewright_device_destroy> owner;
};

/// From its birth to its death somebody captures on the device's streams.
class CaptureGuard {
public:
  static Expected<CaptureGuard> begin(const Device &device) {
    tilewright_capture *capture = nullptr;
    if (tilewright_error *error =
            tilewright_capture_begin(device.handle(), &capture))
      return Failure::take(error);
    return CaptureGuard(capture);
  }

private:
  explicit CaptureGuard(tilewright_capture *capture) : owner(capture) {}
  detail::Owner<tilewright_capture, tilewright_capture_end> owner;
};

/// A launch whose arguments are packed already.
class BoundLaunch {
public:
  explicit BoundLaunch(tilewright_bound_launch *launch) : owner(launch) {}
  Expected<void> operator()(void *stream) const {
    return detail::check(tilewright_bound_launch_run(owner.get(), stream));
  }

private:
  detail::Owner<tilewright_bound_launch, tilewright_bound_launch_destroy> owner;
};

/// A kernel for a device. Any thread may use it.
class Kernel {
public:
  explicit Kernel(tilewright_kernel *kernel) : owner(kernel) {}

  /// Loads it; without this the first launch does.
  Expected<void> prepare() const {
    return detail::check(tilewright_kernel_prepare(handle()));
  }
  Expected<tilewright_kernel_facts> facts() const {
    tilewright_kernel_facts facts = {};
    facts.struct_size = sizeof facts;
    if (tilewright_error *error = tilewright_kernel_get_facts(handle(), &facts))
      return Failure::take(error);
    return facts;
  }

  /// Launches on `stream`, a CUstream: `kernel.launch(stream, {16}, x, y, n)`.
  template <typename... Arguments>
  Expected<void> launch(void *stream, Grid grid,
                        const Arguments &...arguments) const {
    std::array<tilewright_argument, sizeof...(arguments)> values = {
        Argument(arguments)...};
    const uint32_t sizes[] = {grid.x, grid.y, grid.z};
    return detail::check(tilewright_kernel_launch(
        handle(), sizes, values.data(), values.size(), stream, 0));
  }
  template <typename... Arguments>
  Expected<BoundLaunch> bind(Grid grid, const Arguments &...arguments) const {
    std::array<tilewright_argument, sizeof...(arguments)> values = {
        Argument(arguments)...};
    const uint32_t sizes[] = {grid.x, grid.y, grid.z};
    tilewright_bound_launch *launch = nullptr;
    if (tilewright_error *error = tilewright_kernel_bind(
            handle(), sizes, values.data(), values.size(), 0, &launch))
      return Failure::take(error);
    return BoundLaunch(launch);
  }

  tilewright_kernel *handle() const { return owner.get(); }

private:
  detail::Owner<tilewright_kernel, tilewright_kernel_destroy> owner;
};

/// Compiled kernels.
class Program {
public:
  explicit Program(tilewright_program *program) : owner(program) {}
  /// The program in the bytes of an artifact.
  static Expected<Program> create(std::string_view bytes) {
    tilewright_program *program = nullptr;
    if (tilewright_error *error =
            tilewright_program_create(bytes.data(), bytes.size(), &program))
      return Failure::take(error);
    return Program(program);
  }

  /// A kernel for `device`; no name: the only one.
  Expected<Kernel> kernel(const Device &device,
                          const char *name = nullptr) const {
    tilewright_kernel *kernel = nullptr;
    if (tilewright_error *error = tilewright_kernel_create(
            owner.get(), device.handle(), name, &kernel))
      return Failure::take(error);
    return Kernel(kernel);
  }
  /// The bytes that create() takes.
  Expected<std::string> serialize() const {
    tilewright_bytes *bytes = nullptr;
    if (tilewright_error *error =
            tilewright_program_serialize(owner.get(), &bytes))
      return Failure::take(error);
    std::string text(static_cast<const char *>(tilewright_bytes_data(bytes)),
                     tilewright_bytes_size(bytes));
    tilewright_bytes_destroy(bytes);
    return text;
  }

  tilewright_program *handle() const { return owner.get(); }

private:
  detail::Owner<tilewright_program, tilewright_program_destroy> owner;
};

} // namespace tilewright

#endif // TILEWRIGHT_LAUNCHING_H
