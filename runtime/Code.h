// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code in a device's context. In: an image. Out: functions. Where the driver
// has libraries (CUDA 12.0), the code is no context's; each context gets its
// functions from the one library.

#ifndef TILEWRIGHT_RUNTIME_CODE_H
#define TILEWRIGHT_RUNTIME_CODE_H

#include "runtime/Device.h"

namespace tilewright::runtime {

/// A library, or a module where the driver has none. Unloaded when the last
/// owner goes, or once no capture is known to run.
class Code {
public:
  /// Loads the image. PTX is compiled by the driver here, whose messages are in
  /// the error. `where` goes to the error.
  static Result<std::shared_ptr<const Code>>
  load(const Device &device, const Image &image, const std::string &where);
  Code(const Code &) = delete;
  Code &operator=(const Code &) = delete;
  ~Code();

  /// Whether it can be used in all contexts of the driver.
  bool isLibrary() const { return handles.library != nullptr; }

  /// The function called `symbol` for the current context, ready to launch.
  Result<cuda::Function> getFunction(const std::string &symbol,
                                     const std::string &where) const;

private:
  explicit Code(const Device &device);

  Device owner;
  CodeHandles handles;
  /// The compiler's messages. It is here, as a driver that compiles lazily may
  /// write to it after the loading call has returned.
  std::string log;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CODE_H
