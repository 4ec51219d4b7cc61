// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch: kernel[grid](arguments..., stream=...).

#include "Native.h"

using namespace tilewright;
using namespace tilewright::python;

PythonKernel::PythonKernel(std::shared_ptr<Program> program, std::string name)
    : program(std::move(program)), kernelName(std::move(name)) {
  tilewright_program *handle = this->program->handle();
  size_t index = 0;
  while (const char *found = tilewright_program_kernel_name(handle, index)) {
    if (kernelName == found)
      break;
    ++index;
  }
  size_t count = tilewright_program_parameter_count(handle, index);
  for (size_t i = 0; i < count; ++i) {
    tilewright_parameter parameter = {};
    parameter.struct_size = sizeof parameter;
    unwrap(Expected<void>(
        tilewright_program_get_parameter(handle, index, i, &parameter)));
    taken.push_back({parameter.kind, parameter.size, parameter.rank,
                     parameter.name, parameter.element_type,
                     ElementTypes::of(parameter.element_type)});
  }
}

const Kernel &PythonKernel::onDevice(int ordinal) {
  if (ordinal < 0 || size_t(ordinal) >= kernels.size())
    raise({TILEWRIGHT_ERROR_NOT_FOUND,
           "expects a device from 0 to " + std::to_string(kernels.size() - 1) +
               ", but got " + std::to_string(ordinal)});
  auto &place = kernels[size_t(ordinal)];
  if (const Kernel *kernel = place.load(std::memory_order_acquire))
    return *kernel;
  std::shared_ptr<Device> device = findDevice(ordinal);
  std::lock_guard<std::mutex> lock(mutex);
  if (const Kernel *kernel = place.load(std::memory_order_acquire))
    return *kernel;
  auto kernel = std::make_unique<const Kernel>(
      unwrap(program->kernel(*device, kernelName.c_str())));
  place.store(kernel.get(), std::memory_order_release);
  owned.push_back(std::move(kernel));
  return *owned.back();
}

/// Reads the keywords of a launch; false with an exception set.
static bool readKeywords(PyObject *keywords, Gathered &gathered, int &device,
                         uint64_t &scratch) {
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t position = 0;
  while (keywords && PyDict_Next(keywords, &position, &key, &value)) {
    if (PyUnicode_CompareWithASCIIString(key, "stream") == 0) {
      if (value == Py_None)
        continue;
      if (!readStream(value, gathered.stream))
        return false;
      gathered.hasStream = true;
    } else if (PyUnicode_CompareWithASCIIString(key, "device") == 0) {
      long ordinal = PyLong_AsLong(value);
      if (PyErr_Occurred())
        return false;
      if (ordinal < 0 || ordinal > INT32_MAX) {
        PyErr_Format(PyExc_ValueError,
                     "expects the number of a device, but got %ld", ordinal);
        return false;
      }
      device = int(ordinal);
    } else if (PyUnicode_CompareWithASCIIString(key, "scratch") == 0) {
      Array *array = nullptr;
      if (nb::try_cast(nb::handle(value), array) && array)
        scratch = array->address.value;
      else
        scratch = PyLong_AsUnsignedLongLong(value);
      if (PyErr_Occurred())
        return false;
    } else {
      PyErr_Format(PyExc_TypeError,
                   "a launch expects the keywords stream, device and scratch, "
                   "but got '%U'",
                   key);
      return false;
    }
  }
  return true;
}

static bool launch(const Launcher &launcher, PyObject *arguments,
                   PyObject *keywords) {
  PythonKernel &kernel = *launcher.kernel;
  size_t count = size_t(PyTuple_Size(arguments));
  if (count != kernel.parameters().size()) {
    PyErr_Format(PyExc_TypeError,
                 "kernel '%s' expects %zu arguments, but got %zu",
                 kernel.name().c_str(), kernel.parameters().size(), count);
    return false;
  }
  // The room of the last launch of this thread, so that none is allocated.
  static thread_local Gathered room;
  static thread_local bool isUsed = false;
  Gathered own;
  Gathered &gathered = isUsed ? own : room;
  struct Use {
    Gathered &gathered;
    bool before = std::exchange(isUsed, true);
    ~Use() {
      gathered.values.clear();
      gathered.kept.clear();
      gathered.numbers.clear();
      gathered.device = -1;
      gathered.hasStream = false;
      gathered.stream = nullptr;
      isUsed = before;
    }
  } use{gathered};
  int device = -1;
  uint64_t scratch = 0;
  if (!readKeywords(keywords, gathered, device, scratch))
    return false;
  for (size_t i = 0; i < count; ++i)
    if (!gather(kernel, i, PyTuple_GetItem(arguments, Py_ssize_t(i)), gathered))
      return false;
  if (!gathered.hasStream) {
    PyErr_Format(PyExc_TypeError,
                 "kernel '%s' expects stream=..., as its arguments do not say "
                 "which stream their framework works on",
                 kernel.name().c_str());
    return false;
  }
  if (device < 0)
    device = gathered.device < 0 ? 0 : gathered.device;
  const Kernel &ready = kernel.onDevice(device);
  if (tilewright_error *error = tilewright_kernel_launch(
          ready.handle(), launcher.grid, gathered.values.data(),
          gathered.values.size(), gathered.stream, scratch))
    raise(Failure::take(error));
  return true;
}

/// `tp_call` of a launcher.
static PyObject *callLauncher(PyObject *self, PyObject *arguments,
                              PyObject *keywords) noexcept {
  try {
    const Launcher &launcher = *nb::inst_ptr<Launcher>(nb::handle(self));
    if (!launch(launcher, arguments, keywords))
      return nullptr;
  } catch (nb::python_error &error) {
    error.restore();
    return nullptr;
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
  Py_RETURN_NONE;
}

void python::addLauncher(nb::module_ &module) {
  static PyType_Slot slots[] = {
      {Py_tp_call, reinterpret_cast<void *>(callLauncher)}, {0, nullptr}};
  nb::class_<Launcher>(module, "Launcher", nb::type_slots(slots));
}
