// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is behind the handles of the C interface (tilewright-c/Runtime.h).

#ifndef TILEWRIGHT_RUNTIME_CAPI_HANDLES_H
#define TILEWRIGHT_RUNTIME_CAPI_HANDLES_H

#include "runtime/Program.h"
#include "tilewright-c/Runtime.h"

#include <cstring>

struct tilewright_error {
  tilewright::runtime::Error content;
};

struct tilewright_device {
  tilewright::runtime::Device device;
  std::string description;
};

struct tilewright_program {
  std::shared_ptr<tilewright::runtime::Program> program;
};

struct tilewright_bytes {
  std::vector<uint8_t> content;
};

namespace tilewright::runtime::capi {

/// The error object for a failure.
inline tilewright_error *fail(Error error) {
  return new tilewright_error{std::move(error)};
}
inline tilewright_error *refuse(std::string message) {
  return fail({ErrorCode::InvalidArgument, std::move(message)});
}
/// Null, or the error object of a failure.
inline tilewright_error *toError(Result<void> result) {
  return result ? nullptr : fail(result.takeError());
}

/// Copies the caller's structure into ours, which may have more members or
/// fewer: what the caller does not have stays zero. `least` is the size of the
/// first version.
template <typename Struct>
tilewright_error *readStruct(const Struct *given, Struct &own, size_t least,
                             const char *name) {
  own = Struct();
  own.struct_size = sizeof(Struct);
  if (!given)
    return nullptr;
  if (given->struct_size < least)
    return refuse(std::string("expects ") + name + " to begin with its size, " +
                  std::to_string(least) + " bytes at least, but got " +
                  std::to_string(given->struct_size));
  std::memcpy(&own, given, std::min(given->struct_size, sizeof(Struct)));
  own.struct_size = sizeof(Struct);
  return nullptr;
}

/// Copies `own` into as much of the caller's structure as it has.
template <typename Struct>
tilewright_error *writeStruct(const Struct &own, Struct *given, size_t least,
                              const char *name) {
  if (!given || given->struct_size < least)
    return refuse(std::string("expects ") + name + " to begin with its size, " +
                  std::to_string(least) + " bytes at least, but got " +
                  std::to_string(given ? given->struct_size : 0));
  size_t size = given->struct_size;
  std::memcpy(given, &own, std::min(size, sizeof(Struct)));
  given->struct_size = size;
  return nullptr;
}

} // namespace tilewright::runtime::capi

#endif // TILEWRIGHT_RUNTIME_CAPI_HANDLES_H
