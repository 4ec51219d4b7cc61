// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of the extension share: owners of handles, and kernels with
// what their launches need.

#ifndef TILEWRIGHT_PYTHON_NATIVE_H
#define TILEWRIGHT_PYTHON_NATIVE_H

#include "ElementTypes.h"

#include "dlpack.h"
#include "tilewright/Launching.h"

#include <nanobind/nanobind.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace tilewright::python {

namespace nb = nanobind;

/// Raises tilewright.Error with the message and the code.
[[noreturn]] void raise(const Failure &failure);

/// The value of a result, or the exception.
template <typename T>
T unwrap(Expected<T> result) {
  if (!result)
    raise(result.failure());
  return std::move(*result);
}
inline void unwrap(Expected<void> result) {
  if (!result)
    raise(result.failure());
}

/// The device with this ordinal, opened when it is first asked for.
std::shared_ptr<Device> findDevice(int ordinal);

/// Memory of a device with the shape of a tensor, for who has no framework.
struct Array {
  std::shared_ptr<Device> device;
  int ordinal = 0;
  Address address;
  std::vector<int64_t> shape, strides;
  uint64_t bytes = 0;
  /// NumPy's name of the element type ("<f4"), and DLPack's.
  std::string type;
  uint8_t typeCode = 0, typeBits = 0;

  Array() = default;
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  ~Array();
};

/// A tensor whose bits a kernel takes for what it wants
/// (tilewright.reinterpret).
struct Reinterpreted {
  nb::object tensor;
};

/// What a parameter takes.
struct Parameter {
  uint32_t kind, size, rank;
  std::string name, elementType;
  ElementTypes elements;
};

/// A kernel of a program, on any device.
class PythonKernel {
public:
  PythonKernel(std::shared_ptr<Program> program, std::string name);
  PythonKernel(const PythonKernel &) = delete;
  PythonKernel &operator=(const PythonKernel &) = delete;

  const std::string &name() const { return kernelName; }
  const std::vector<Parameter> &parameters() const { return taken; }
  /// The kernel on a device. The pointer stays good.
  const Kernel &onDevice(int ordinal);

private:
  std::shared_ptr<Program> program;
  std::string kernelName;
  std::vector<Parameter> taken;
  std::mutex mutex;
  /// Found without the lock; filled under it. Null beyond the devices used.
  std::array<std::atomic<const Kernel *>, 64> kernels = {};
  std::vector<std::unique_ptr<const Kernel>> owned;
};

/// The arguments of one launch as they are gathered.
struct Gathered {
  std::vector<tilewright_argument> values;
  /// The device of the first tensor; -1: no tensor yet.
  int device = -1;
  /// The stream that the first tensor's framework works on, where it says so.
  bool hasStream = false;
  void *stream = nullptr;
  /// Objects and numbers that must live until the launch.
  std::vector<nb::object> kept;
  std::vector<std::unique_ptr<int64_t[]>> numbers;
};

/// Where a value is passed, for messages: an argument of a kernel, or a tensor
/// of an operator.
struct Place {
  const PythonKernel *kernel;
  size_t index;
  const char *tensor;
};

/// A tensor on a device; strides are null where it is dense.
struct GatheredTensor {
  uint64_t address = 0;
  int device = 0;
  int32_t rank = 0;
  const int64_t *shape = nullptr, *strides = nullptr;
  DLDataType type = {};
  /// By `tilewright.reinterpret`: whatever its type, its bits are meant.
  bool isReinterpreted = false;
};

/// Reads a tensor of any framework. `withShape`: sizes and strides live as long
/// as `gathered`. False with an exception set where it is none.
bool gatherTensor(const Place &place, PyObject *value, Gathered &gathered,
                  bool withShape, GatheredTensor &tensor);

/// Turns argument number `index` into what the parameter takes; false with an
/// exception set where it cannot be.
bool gather(const PythonKernel &kernel, size_t index, PyObject *value,
            Gathered &gathered);

/// The handle of a stream: an integer, an object with `cuda_stream` (PyTorch)
/// or with `__cuda_stream__`; false with an exception set otherwise.
bool readStream(PyObject *object, void *&stream);

/// Adds the compiler, its options and its targets to the module.
void addCompiler(nb::module_ &module);

/// Adds the library's operators to the module.
void addOperators(nb::module_ &module);

/// Adds `Launcher`, what `kernel[grid]` gives, to the module.
void addLauncher(nb::module_ &module);

/// A grid of one to three numbers.
struct Launcher {
  PythonKernel *kernel;
  uint32_t grid[3];
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_H
