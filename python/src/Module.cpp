// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module: programs, kernels, arrays.

#include "Native.h"

#include "dlpack.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

using namespace tilewright;
using namespace tilewright::python;

/// tilewright.Error; the module keeps it.
static PyObject *errorType = nullptr;

void python::raise(const Failure &failure) {
  nb::object error = nb::borrow(errorType)(failure.message);
  error.attr("code") = failure.code;
  PyErr_SetObject(errorType, error.ptr());
  throw nb::python_error();
}

std::shared_ptr<Device> python::findDevice(int ordinal) {
  static std::mutex mutex;
  // Never destroyed: at the process' end the driver may be gone already.
  static auto *devices = new std::map<int, std::shared_ptr<Device>>();
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<Device> &device = (*devices)[ordinal];
  if (!device)
    device = std::make_shared<Device>(unwrap(Device::open(ordinal)));
  return device;
}

Array::~Array() {
  if (device && address.value)
    (void)device->free(address);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

/// An array with the bytes of `data`, or of zeros of that many bytes.
static std::unique_ptr<Array> makeArray(nb::bytes data,
                                        std::vector<int64_t> shape,
                                        std::string type, uint8_t typeCode,
                                        uint8_t typeBits, int ordinal) {
  auto array = std::make_unique<Array>();
  array->device = findDevice(ordinal);
  array->ordinal = ordinal;
  array->bytes = data.size();
  array->address = unwrap(array->device->allocate(data.size()));
  array->type = std::move(type);
  array->typeCode = typeCode;
  array->typeBits = typeBits;
  array->strides.resize(shape.size());
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    array->strides[d] = step;
    step *= shape[d];
  }
  array->shape = std::move(shape);
  unwrap(array->device->write(array->address, data.c_str(), data.size()));
  return array;
}

static nb::bytes readArray(const Array &array, nb::object stream) {
  void *handle = nullptr;
  if (!stream.is_none() && !readStream(stream.ptr(), handle))
    throw nb::python_error();
  std::string bytes(array.bytes, '\0');
  {
    nb::gil_scoped_release release;
    Expected<void> done =
        array.device->read(bytes.data(), array.address, bytes.size(), handle);
    nb::gil_scoped_acquire acquire;
    unwrap(std::move(done));
  }
  return nb::bytes(bytes.data(), bytes.size());
}

static void writeArray(const Array &array, nb::bytes data) {
  if (data.size() != array.bytes)
    raise({TILEWRIGHT_ERROR_INVALID_ARGUMENT,
           "expects " + std::to_string(array.bytes) + " bytes, but got " +
               std::to_string(data.size())});
  unwrap(array.device->write(array.address, data.c_str(), data.size()));
}

/// A capsule "dltensor" that keeps the array alive.
static nb::object exportArray(nb::handle self) {
  struct Export {
    DLManagedTensor managed;
    PyObject *owner;
  };
  const Array &array = nb::cast<const Array &>(self);
  auto *exported = new Export{};
  exported->owner = self.inc_ref().ptr();
  DLTensor &tensor = exported->managed.dl_tensor;
  tensor.data = reinterpret_cast<void *>(array.address.value);
  tensor.device = {kDLCUDA, array.ordinal};
  tensor.ndim = int32_t(array.shape.size());
  tensor.dtype = {array.typeCode, array.typeBits, 1};
  tensor.shape = const_cast<int64_t *>(array.shape.data());
  tensor.strides = const_cast<int64_t *>(array.strides.data());
  exported->managed.manager_ctx = exported;
  exported->managed.deleter = [](DLManagedTensor *managed) {
    auto *own = static_cast<Export *>(managed->manager_ctx);
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(own->owner);
    PyGILState_Release(state);
    delete own;
  };
  return nb::steal(
      PyCapsule_New(&exported->managed, "dltensor", [](PyObject *capsule) {
        // A consumer renames the capsule, and then deletes the tensor itself.
        if (!PyCapsule_IsValid(capsule, "dltensor"))
          return;
        auto *managed = static_cast<DLManagedTensor *>(
            PyCapsule_GetPointer(capsule, "dltensor"));
        managed->deleter(managed);
      }));
}

static void addArray(nb::module_ &module) {
  nb::class_<Array>(module, "Array")
      .def_ro("shape", &Array::shape)
      .def_ro("type", &Array::type)
      .def_ro("nbytes", &Array::bytes)
      .def_prop_ro("data_ptr",
                   [](const Array &array) { return array.address.value; })
      .def("_read", &readArray, nb::arg("stream").none() = nb::none())
      .def("_write", &writeArray)
      .def("__dlpack__",
           [](nb::handle self, nb::kwargs) { return exportArray(self); })
      .def("__dlpack_device__", [](const Array &array) {
        return std::tuple(int(kDLCUDA), array.ordinal);
      });
  module.def("_make_array", &makeArray);
  nb::class_<Reinterpreted>(
      module, "reinterpret",
      "A tensor whose bits a kernel takes for what its parameter points to, "
      "whatever the tensor's type is.")
      .def(
          "__init__",
          [](Reinterpreted *made, nb::object tensor) {
            new (made) Reinterpreted{std::move(tensor)};
          },
          nb::arg("tensor"))
      .def_ro("tensor", &Reinterpreted::tensor);
}

//===----------------------------------------------------------------------===//
// Programs and kernels
//===----------------------------------------------------------------------===//

static std::shared_ptr<PythonKernel>
makeKernel(const std::shared_ptr<Program> &program, const std::string &name) {
  return std::make_shared<PythonKernel>(program, name);
}

static std::vector<std::string> kernelNames(const Program &program) {
  std::vector<std::string> names;
  size_t count = tilewright_program_kernel_count(program.handle());
  for (size_t i = 0; i < count; ++i)
    names.push_back(tilewright_program_kernel_name(program.handle(), i));
  return names;
}

/// A number of programs: what Python takes for an index, of 32 bits.
static uint32_t readPrograms(nb::handle value) {
  nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid()) {
    PyErr_Clear();
    throw nb::type_error(("expects a grid of one to three integers, but got " +
                          nb::cast<std::string>(nb::repr(value)))
                             .c_str());
  }
  int overflow = 0;
  long long programs = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  // The hardware's largest grid (CUDA C++ Programming Guide, "Technical
  // Specifications per Compute Capability"); the driver knows the other axes'.
  if (overflow || programs < 0 || programs > INT32_MAX)
    throw nb::value_error(("expects 0 to 2147483647 programs along each axis "
                           "of a grid, but got " +
                           nb::cast<std::string>(nb::str(number)))
                              .c_str());
  return uint32_t(programs);
}

/// The grid in brackets: an integer, or up to three.
static Launcher makeLauncher(PythonKernel &kernel, nb::object grid) {
  Launcher launcher{&kernel, {1, 1, 1}};
  auto set = [&](size_t axis, nb::handle value) {
    launcher.grid[axis] = readPrograms(value);
  };
  if (!nb::isinstance<nb::sequence>(grid)) {
    set(0, grid);
    return launcher;
  }
  size_t count = nb::len(grid);
  if (count == 0 || count > 3)
    raise({TILEWRIGHT_ERROR_INVALID_ARGUMENT,
           "expects a grid of one to three numbers, but got " +
               std::to_string(count)});
  for (size_t axis = 0; axis < count; ++axis)
    set(axis, nb::object(grid[axis]));
  return launcher;
}

static nb::dict describeKernel(PythonKernel &kernel, int device) {
  tilewright_kernel_facts facts = unwrap(kernel.onDevice(device).facts());
  nb::dict result;
  result["image"] = facts.image;
  result["registers"] = facts.registers;
  result["local_bytes"] = facts.local_bytes;
  result["num_warps"] = facts.num_warps;
  result["shared_bytes"] =
      facts.static_shared_bytes + facts.dynamic_shared_bytes;
  result["scratch_bytes_per_block"] = facts.scratch_bytes_per_block;
  return result;
}

static void addKernels(nb::module_ &module) {
  nb::class_<PythonKernel>(module, "Kernel")
      .def_prop_ro("name", &PythonKernel::name)
      .def_prop_ro("parameters",
                   [](const PythonKernel &kernel) {
                     std::vector<std::string> names;
                     for (const Parameter &parameter : kernel.parameters())
                       names.push_back(parameter.name);
                     return names;
                   })
      .def(
          "prepare",
          [](PythonKernel &kernel, int device) {
            unwrap(kernel.onDevice(device).prepare());
          },
          nb::arg("device") = 0,
          "Loads the kernel on a device, so that a capture can launch it.")
      .def("facts", &describeKernel, nb::arg("device") = 0)
      .def("__getitem__", &makeLauncher, nb::arg("grid").none(),
           nb::keep_alive<0, 1>());
  nb::class_<Program>(module, "Program")
      .def_prop_ro("kernels", &kernelNames)
      .def("serialize", [](const Program &program) {
        std::string bytes = unwrap(program.serialize());
        return nb::bytes(bytes.data(), bytes.size());
      });
  module.def("_kernel", &makeKernel);
  module.def("_load", [](nb::bytes bytes) {
    return std::make_shared<Program>(
        unwrap(Program::create({bytes.c_str(), bytes.size()})));
  });
}

NB_MODULE(_native, module) {
  // A framework's registry of operators holds kernels until the process ends.
  nb::set_leak_warnings(false);
  nb::object type = nb::steal(
      PyErr_NewException("tilewright.Error", PyExc_RuntimeError, nullptr));
  errorType = type.inc_ref().ptr();
  module.attr("Error") = type;
  module.def(
      "describe_device",
      [](int ordinal) { return findDevice(ordinal)->description(); },
      nb::arg("ordinal") = 0);
  addArray(module);
  addCompiler(module);
  addKernels(module);
  addLauncher(module);
  addOperators(module);
}
