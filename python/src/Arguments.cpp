// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From Python objects to arguments of a launch. Tensors come, cheapest first,
// as our own arrays, by DLPack's C exchange interface where their type has it,
// or by `__dlpack__`.

#include "Native.h"

#include "dlpack.h"

#include <nanobind/stl/string.h>

#include <unordered_map>

using namespace tilewright;
using namespace tilewright::python;

/// The name of an object's type, for messages.
static std::string typeName(nb::handle object) {
  return nb::cast<std::string>(object.type().attr("__name__"));
}

/// The C exchange interface of a type, or null. Types live as long as the
/// process, once they are here.
static const DLPackExchangeAPI *findExchange(PyTypeObject *type) {
  static std::unordered_map<PyTypeObject *, const DLPackExchangeAPI *> known;
  if (auto found = known.find(type); found != known.end())
    return found->second;
  const DLPackExchangeAPI *api = nullptr;
  PyObject *capsule = PyObject_GetAttrString(reinterpret_cast<PyObject *>(type),
                                             "__dlpack_c_exchange_api__");
  if (capsule && PyCapsule_IsValid(capsule, "dlpack_exchange_api")) {
    auto *header = static_cast<DLPackExchangeAPIHeader *>(
        PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
    while (header && header->version.major != DLPACK_MAJOR_VERSION)
      header = header->prev_api;
    api = reinterpret_cast<const DLPackExchangeAPI *>(header);
  }
  Py_XDECREF(capsule);
  PyErr_Clear();
  if (api && !api->dltensor_from_py_object_no_sync)
    api = nullptr;
  Py_INCREF(reinterpret_cast<PyObject *>(type));
  known.emplace(type, api);
  return api;
}

static std::string describeArgument(const Place &place) {
  if (!place.kernel)
    return std::string("tensor '") + place.tensor + "': ";
  const PythonKernel &kernel = *place.kernel;
  size_t index = place.index;
  const std::string &name = kernel.parameters()[index].name;
  return "argument " + std::to_string(index) +
         (name.empty() ? "" : " ('" + name + "')") + " of kernel '" +
         kernel.name() + "': ";
}

static bool refuse(const Place &place, const std::string &text) {
  PyErr_SetString(PyExc_TypeError, (describeArgument(place) + text).c_str());
  return false;
}
static bool refuse(const PythonKernel &kernel, size_t index,
                   const std::string &text) {
  return refuse(Place{&kernel, index, nullptr}, text);
}

static bool isOnGpu(DLDeviceType type) {
  return type == kDLCUDA || type == kDLCUDAManaged;
}

static bool refuseDevice(const Place &place) {
  return refuse(place,
                "expects a tensor on a CUDA device, but got one elsewhere; "
                "tilewright.array(x) copies a NumPy array there");
}

static GatheredTensor toTensor(const DLTensor &tensor) {
  return {reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset,
          tensor.device.device_id,
          tensor.ndim,
          tensor.shape,
          tensor.strides,
          tensor.dtype};
}

/// By `__dlpack__`: the capsule, which keeps shape and strides, goes to `kept`.
static bool readByCapsule(const Place &place, PyObject *value,
                          Gathered &gathered, GatheredTensor &tensor) {
  PyObject *device = PyObject_CallMethod(value, "__dlpack_device__", nullptr);
  int type = 0, ordinal = 0;
  bool isPair = device && PyTuple_Check(device);
  bool isKnown = isPair && PyArg_ParseTuple(device, "ii", &type, &ordinal);
  Py_XDECREF(device);
  if (device && !isPair)
    return refuse(place,
                  "expects a type and a number of __dlpack_device__, but "
                  "got no tuple");
  if (!isKnown)
    return false;
  if (!isOnGpu(DLDeviceType(type)))
    return refuseDevice(place);
  // -1: no synchronisation, as the launch is on a stream that is given.
  nb::object keywords = nb::steal(Py_BuildValue("{s:i}", "stream", -1));
  nb::object method = nb::steal(PyObject_GetAttrString(value, "__dlpack__"));
  nb::object none = nb::steal(PyTuple_New(0));
  if (!method.is_valid())
    return false;
  nb::object capsule =
      nb::steal(PyObject_Call(method.ptr(), none.ptr(), keywords.ptr()));
  if (!capsule.is_valid())
    return false;
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    auto *managed = static_cast<DLManagedTensorVersioned *>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    tensor = toTensor(managed->dl_tensor);
  } else {
    auto *managed = static_cast<DLManagedTensor *>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
    if (!managed)
      return false;
    tensor = toTensor(managed->dl_tensor);
  }
  gathered.kept.push_back(std::move(capsule));
  return true;
}

static bool readTensor(const Place &place, PyObject *value, Gathered &gathered,
                       GatheredTensor &tensor) {
  if (const DLPackExchangeAPI *api = findExchange(Py_TYPE(value))) {
    DLTensor view;
    if (api->dltensor_from_py_object_no_sync(value, &view))
      return false;
    if (!isOnGpu(view.device.device_type))
      return refuseDevice(place);
    tensor = toTensor(view);
    if (!gathered.hasStream && gathered.device < 0) {
      if (api->current_work_stream(view.device.device_type,
                                   view.device.device_id, &gathered.stream))
        return false;
      gathered.hasStream = true;
    }
  } else if (PyObject_HasAttrString(value, "__dlpack__")) {
    if (!readByCapsule(place, value, gathered, tensor))
      return false;
  } else {
    return refuse(place,
                  std::string("expects a tensor, but got an object of type '") +
                      typeName(value) + "'");
  }
  return true;
}

/// What a framework may get wrong, and what would be believed.
static bool checkSizes(const Place &place, const GatheredTensor &tensor) {
  // Of NumPy's and PyTorch's tensors.
  constexpr int32_t most = 64;
  if (tensor.rank < 0 || tensor.rank > most)
    return refuse(place, "expects a tensor of 0 to " + std::to_string(most) +
                             " dimensions, but got " +
                             std::to_string(tensor.rank));
  if (tensor.rank && !tensor.shape)
    return refuse(place, "expects a tensor with sizes, but got none");
  return true;
}

static bool noteDevice(const Place &place, int device, Gathered &gathered) {
  if (gathered.device < 0)
    gathered.device = device;
  if (gathered.device == device)
    return true;
  return refuse(place, "expects a tensor on device " +
                           std::to_string(gathered.device) +
                           " as those before, but got one on device " +
                           std::to_string(device));
}

/// Strides that DLPack leaves out are those of a dense tensor.
static const int64_t *denseStrides(const GatheredTensor &tensor,
                                   Gathered &gathered) {
  auto strides = std::make_unique<int64_t[]>(size_t(tensor.rank) + 1);
  int64_t step = 1;
  for (int32_t d = tensor.rank; d-- > 0;) {
    strides[d] = step;
    step *= tensor.shape[d];
  }
  gathered.numbers.push_back(std::move(strides));
  return gathered.numbers.back().get();
}

/// Shape and strides of a view that only lives during the call to it.
static const int64_t *keepNumbers(const int64_t *numbers, int32_t count,
                                  Gathered &gathered) {
  auto copy = std::make_unique<int64_t[]>(size_t(count) + 1);
  std::copy(numbers, numbers + count, copy.get());
  gathered.numbers.push_back(std::move(copy));
  return gathered.numbers.back().get();
}

bool python::gatherTensor(const Place &place, PyObject *value,
                          Gathered &gathered, bool withShape,
                          GatheredTensor &tensor) {
  Array *array = nullptr;
  Reinterpreted *reinterpreted = nullptr;
  if (nb::try_cast(nb::handle(value), reinterpreted) && reinterpreted)
    value = reinterpreted->tensor.ptr();
  if (nb::try_cast(nb::handle(value), array) && array) {
    tensor = {
        array->address.value,         array->ordinal,
        int32_t(array->shape.size()), array->shape.data(),
        array->strides.data(),        {array->typeCode, array->typeBits, 1}};
  } else if (!readTensor(place, value, gathered, tensor) ||
             !checkSizes(place, tensor)) {
    return false;
  }
  tensor.isReinterpreted = reinterpreted != nullptr;
  if (withShape) {
    tensor.strides = tensor.strides
                         ? keepNumbers(tensor.strides, tensor.rank, gathered)
                         : denseStrides(tensor, gathered);
    tensor.shape = keepNumbers(tensor.shape, tensor.rank, gathered);
  }
  return noteDevice(place, tensor.device, gathered);
}

/// Whether the tensor's elements are what the code reads and writes.
static bool checkElements(const PythonKernel &kernel, size_t index,
                          const GatheredTensor &tensor) {
  const Parameter &parameter = kernel.parameters()[index];
  if (tensor.isReinterpreted || parameter.elements.contain(tensor.type))
    return true;
  return refuse(kernel, index,
                "expects a tensor of " + parameter.elementType +
                    ", but got one of " + describe(tensor.type) +
                    "; tilewright.reinterpret(x) passes its bits as they are");
}

static bool gatherPointer(const PythonKernel &kernel, size_t index,
                          PyObject *value, Gathered &gathered,
                          tilewright_argument &argument) {
  GatheredTensor tensor;
  bool isDescriptor = argument.kind == TILEWRIGHT_DESCRIPTOR;
  if (!python::gatherTensor({&kernel, index, nullptr}, value, gathered,
                            isDescriptor, tensor) ||
      !checkElements(kernel, index, tensor))
    return false;
  argument.bits = tensor.address;
  if (isDescriptor) {
    argument.rank = uint64_t(tensor.rank);
    argument.shape = tensor.shape;
    argument.strides = tensor.strides;
  }
  return true;
}

/// The kind of a NumPy scalar's type ('u', 'b', ...); 0 of anything else.
static char getKind(PyObject *value) {
  if (PyLong_Check(value))
    return 0;
  nb::object type = nb::steal(PyObject_GetAttrString(value, "dtype"));
  nb::object kind = type.is_valid()
                        ? nb::steal(PyObject_GetAttrString(type.ptr(), "kind"))
                        : nb::object();
  PyErr_Clear();
  if (!kind.is_valid() || !nb::isinstance<nb::str>(kind))
    return 0;
  return nb::cast<std::string>(kind)[0];
}

/// The bits of an integer that the parameter holds: a signed one, or one that
/// is unsigned by its type; an i1 is 0 or 1.
static bool gatherInteger(const PythonKernel &kernel, size_t index,
                          PyObject *value, tilewright_argument &argument) {
  char kind = getKind(value);
  // NumPy's truth values are no indices.
  nb::object number = kind == 'b'
                          ? nb::object(nb::bool_(PyObject_IsTrue(value) == 1))
                          : nb::steal(PyNumber_Index(value));
  if (!number.is_valid()) {
    PyErr_Clear();
    return refuse(kernel, index,
                  std::string("expects an integer, but got an object of type "
                              "'") +
                      typeName(value) + "'");
  }
  int overflow = 0;
  long long signedValue = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  bool isFlag = kernel.parameters()[index].elementType == "i1";
  unsigned bits = isFlag ? 1 : 8 * argument.size;
  argument.bits = uint64_t(signedValue);
  bool fits = !overflow;
  if (isFlag || kind == 'u') {
    if (overflow > 0 && bits == 64) {
      argument.bits = PyLong_AsUnsignedLongLong(number.ptr());
      fits = !PyErr_Occurred();
      PyErr_Clear();
    }
    fits &= overflow > 0 || signedValue >= 0;
    fits &= bits == 64 || argument.bits >> bits == 0;
  } else if (bits < 64) {
    fits &=
        signedValue >= -(1ll << (bits - 1)) && signedValue < 1ll << (bits - 1);
  }
  if (fits)
    return true;
  std::string hint =
      bits >= 8 ? "; numpy.uint" + std::to_string(bits) + "(x) has no sign"
                : "";
  return refuse(kernel, index,
                "expects an integer of " + std::to_string(bits) +
                    " bits, but got " + nb::cast<std::string>(nb::str(number)) +
                    hint);
}

static bool gatherFloat(const PythonKernel &kernel, size_t index,
                        PyObject *value, tilewright_argument &argument) {
  if (argument.size < 4)
    return refuse(kernel, index,
                  "floating-point numbers of " +
                      std::to_string(8 * argument.size) +
                      " bits cannot be passed from Python; pass a tensor");
  double number = PyFloat_AsDouble(value);
  if (number == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    return refuse(kernel, index,
                  std::string("expects a number, but got an object of type '") +
                      typeName(value) + "'");
  }
  if (argument.size == 8) {
    std::memcpy(&argument.bits, &number, 8);
    return true;
  }
  float narrow = float(number);
  std::memcpy(&argument.bits, &narrow, 4);
  return true;
}

bool python::gather(const PythonKernel &kernel, size_t index, PyObject *value,
                    Gathered &gathered) {
  const Parameter &parameter = kernel.parameters()[index];
  tilewright_argument &argument = gathered.values.emplace_back();
  argument.kind = parameter.kind;
  argument.size = parameter.size;
  switch (parameter.kind) {
  case TILEWRIGHT_POINTER:
    if (value == Py_None)
      return true;
    if (PyLong_CheckExact(value)) {
      argument.bits = PyLong_AsUnsignedLongLong(value);
      return !PyErr_Occurred();
    }
    return gatherPointer(kernel, index, value, gathered, argument);
  case TILEWRIGHT_DESCRIPTOR:
    return gatherPointer(kernel, index, value, gathered, argument);
  case TILEWRIGHT_INTEGER:
    return gatherInteger(kernel, index, value, argument);
  case TILEWRIGHT_FLOAT:
    return gatherFloat(kernel, index, value, argument);
  default:
    return refuse(kernel, index,
                  "parameters of unknown kind cannot be passed "
                  "from Python");
  }
}

bool python::readStream(PyObject *object, void *&stream) {
  if (PyLong_Check(object)) {
    stream = PyLong_AsVoidPtr(object);
    return !PyErr_Occurred();
  }
  if (nb::object handle =
          nb::steal(PyObject_GetAttrString(object, "cuda_stream"));
      handle.is_valid())
    return readStream(handle.ptr(), stream);
  PyErr_Clear();
  nb::object pair =
      nb::steal(PyObject_CallMethod(object, "__cuda_stream__", nullptr));
  Py_ssize_t version = 0, handle = 0;
  if (pair.is_valid() &&
      PyArg_ParseTuple(pair.ptr(), "nn", &version, &handle)) {
    stream = reinterpret_cast<void *>(handle);
    return true;
  }
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError,
               "expects a stream as an integer or as an object with "
               "cuda_stream or __cuda_stream__, but got an object of type '%s'",
               typeName(object).c_str());
  return false;
}
