// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Result<T>: a value or an Error, for code that is built without exceptions and
// without LLVM. In: nothing. Out: two types. It does not print, log or abort on
// an error: whoever gets one decides.

#ifndef TILEWRIGHT_RUNTIME_RESULT_H
#define TILEWRIGHT_RUNTIME_RESULT_H

#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace tilewright::runtime {

/// What kind of thing went wrong; the message says what exactly. The numbers
/// are part of the C API: add at the end, never renumber.
enum class ErrorCode : uint32_t {
  InvalidArgument = 1, ///< the caller's values do not fit the request
  Corrupt = 2,         ///< bytes that are not what they claim to be
  Unsupported = 3,     ///< well formed, but not possible here
  NotFound = 4,        ///< a file, kernel, library or device is absent
  Driver = 5,          ///< the device driver reported a failure
  InputOutput = 6,     ///< the operating system refused a file operation
  OutOfMemory = 7,     ///< not enough memory, on the host or on the device
  NotPrepared = 8,     ///< a kernel would have to be loaded during a capture
};

/// A failure, worded for the user: lower case, with the actual values.
struct Error {
  ErrorCode code;
  std::string message;
};

/// A value of type T, or the Error that kept it from existing. Test before use:
/// operator* asserts that there is a value.
template <typename T>
class [[nodiscard]] Result {
public:
  Result(T value) : content(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : content(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return content.index() == 0; }
  T &operator*() & {
    assert(*this && "no value in a failed Result");
    return *std::get_if<0>(&content);
  }
  T &&operator*() && {
    assert(*this && "no value in a failed Result");
    return std::move(*std::get_if<0>(&content));
  }
  const T &operator*() const & {
    assert(*this && "no value in a failed Result");
    return *std::get_if<0>(&content);
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }
  /// The error of a failed result.
  const Error &error() const {
    assert(!*this && "no error in a successful Result");
    return *std::get_if<1>(&content);
  }
  /// Moves the error out, to be returned as another Result's.
  Error takeError() {
    assert(!*this && "no error in a successful Result");
    return std::move(*std::get_if<1>(&content));
  }

private:
  std::variant<T, Error> content;
};

/// Success, or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : content(std::move(error)) {}

  explicit operator bool() const { return content.index() == 0; }
  const Error &error() const {
    assert(!*this && "no error in a successful Result");
    return *std::get_if<1>(&content);
  }
  Error takeError() {
    assert(!*this && "no error in a successful Result");
    return std::move(*std::get_if<1>(&content));
  }

private:
  std::variant<std::monostate, Error> content;
};

/// Success without a value, for functions that return Result<void>.
inline Result<void> success() { return Result<void>(); }

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_RESULT_H
