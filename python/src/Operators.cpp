// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of the library's operators.

#include "Native.h"

#include "dlpack.h"
#include "tilewright/Operators.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

using namespace tilewright;
using namespace tilewright::python;

namespace {

/// A plan for one device, with the names of the tensors that it takes.
struct PythonPlan {
  Plan plan;
  int device;
  std::vector<std::string> names;
};

/// The tensors of a call.
struct Call {
  Gathered gathered;
  std::vector<tilewright_tensor> tensors;
};

} // namespace

/// The library's name of a DLPack type; "" where it has none.
static const char *nameOfType(DLDataType type) {
  uint8_t bits = type.bits;
  if (type.lanes != 1)
    return "";
  switch (type.code) {
  case kDLInt:
    return bits == 8 ? "i8" : bits == 32 ? "i32" : bits == 64 ? "i64" : "";
  case kDLFloat:
    return bits == 16 ? "f16" : bits == 32 ? "f32" : bits == 64 ? "f64" : "";
  case kDLBfloat:
    return bits == 16 ? "bf16" : "";
  case kDLFloat8_e4m3fn:
    return bits == 8 ? "f8e4m3" : "";
  case kDLFloat8_e5m2:
    return bits == 8 ? "f8e5m2" : "";
  default:
    return "";
  }
}

/// None stands for a tensor that is not there.
static void gatherCall(const PythonPlan &plan, nb::sequence given, Call &call) {
  size_t count = nb::len(given);
  for (size_t i = 0; i < count; ++i) {
    tilewright_tensor &tensor = call.tensors.emplace_back();
    nb::object value = given[i];
    if (value.is_none())
      continue;
    GatheredTensor read;
    const char *name = i < plan.names.size() ? plan.names[i].c_str() : "";
    if (!gatherTensor({nullptr, i, name}, value.ptr(), call.gathered, true,
                      read))
      throw nb::python_error();
    tensor = {read.address, uint64_t(read.rank), read.shape, read.strides};
  }
  if (call.gathered.device != plan.device && call.gathered.device >= 0)
    raise({TILEWRIGHT_ERROR_INVALID_ARGUMENT,
           "expects tensors on device " + std::to_string(plan.device) +
               ", but got them on device " +
               std::to_string(call.gathered.device)});
}

/// The text of str(value); Python's exception where it is no Unicode.
static std::string toText(nb::handle value) {
  nb::str text(value);
  Py_ssize_t size = 0;
  const char *letters = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!letters)
    throw nb::python_error();
  return std::string(letters, size_t(size));
}

static std::unique_ptr<PythonPlan> makePlan(const Compiler &compiler,
                                            int device, const std::string &name,
                                            nb::dict words,
                                            const std::string &configuration,
                                            bool machineCode, uint64_t tune) {
  Plan::Words given;
  for (auto [key, value] : words)
    given.emplace_back(toText(key), toText(value));
  tilewright_plan_options options = {};
  options.configuration =
      configuration.empty() ? nullptr : configuration.c_str();
  options.machine_code = machineCode ? TILEWRIGHT_ON : TILEWRIGHT_OFF;
  options.tune = tune;
  std::vector<std::string> names;
  while (const char *tensor =
             tilewright_operator_tensor_name(name.c_str(), names.size()))
    names.emplace_back(tensor);
  return std::make_unique<PythonPlan>(
      PythonPlan{unwrap(Plan::create(compiler, *findDevice(device),
                                     name.c_str(), given, options)),
                 device, std::move(names)});
}

/// Prepares; gives the bytes of workspace that such a call needs.
static uint64_t preparePlan(const PythonPlan &plan, nb::sequence given) {
  Call call;
  gatherCall(plan, given, call);
  uint64_t size = 0;
  tilewright_error *error = nullptr;
  {
    nb::gil_scoped_release release;
    error = tilewright_plan_prepare(plan.plan.handle(), call.tensors.data(),
                                    call.tensors.size(), &size);
  }
  if (error)
    raise(Failure::take(error));
  return size;
}

static void runPlan(const PythonPlan &plan, nb::sequence given,
                    nb::object stream, nb::callable allocate) {
  Call call;
  gatherCall(plan, given, call);
  Gathered &gathered = call.gathered;
  if (!stream.is_none()) {
    if (!readStream(stream.ptr(), gathered.stream))
      throw nb::python_error();
    gathered.hasStream = true;
  }
  if (!gathered.hasStream)
    throw nb::type_error("expects stream=..., as the tensors do not say which "
                         "stream their framework works on");
  uint64_t size = 0, workspace = 0;
  tilewright_error *error = nullptr;
  {
    nb::gil_scoped_release release;
    error = tilewright_plan_prepare(plan.plan.handle(), call.tensors.data(),
                                    call.tensors.size(), &size);
  }
  if (error)
    raise(Failure::take(error));
  nb::object memory;
  if (size) {
    memory = allocate(size);
    GatheredTensor read;
    if (!gatherTensor({nullptr, 0, "workspace"}, memory.ptr(), gathered, false,
                      read))
      throw nb::python_error();
    workspace = read.address;
  }
  if (tilewright_error *error = tilewright_plan_run(
          plan.plan.handle(), call.tensors.data(), call.tensors.size(),
          gathered.stream, workspace, size))
    raise(Failure::take(error));
}

static std::string explainPlan(const PythonPlan &plan, nb::sequence given) {
  Call call;
  gatherCall(plan, given, call);
  tilewright_bytes *bytes = nullptr;
  if (tilewright_error *error = tilewright_plan_explain(
          plan.plan.handle(), call.tensors.data(), call.tensors.size(), &bytes))
    raise(Failure::take(error));
  std::string text(static_cast<const char *>(tilewright_bytes_data(bytes)),
                   tilewright_bytes_size(bytes));
  tilewright_bytes_destroy(bytes);
  return text;
}

/// Type, sizes and device of a tensor.
static nb::tuple describeTensor(const std::string &name, nb::object tensor) {
  Gathered gathered;
  GatheredTensor read;
  if (!gatherTensor({nullptr, 0, name.c_str()}, tensor.ptr(), gathered, true,
                    read))
    throw nb::python_error();
  nb::list shape;
  for (int32_t d = 0; d < read.rank; ++d)
    shape.append(read.shape[d]);
  return nb::make_tuple(nameOfType(read.type), nb::tuple(shape), read.device);
}

static std::vector<std::string> operatorNames() {
  std::vector<std::string> names;
  while (const char *name = tilewright_operator_name(names.size()))
    names.emplace_back(name);
  return names;
}

/// Rows, columns, words and span of a unit of prepacked weights, and the places
/// of its codes (tilewright-c/Operators.h).
static nb::tuple describePrepackedUnit(const std::string &family,
                                       const std::string &weights,
                                       const std::string &order) {
  tilewright_prepacked_unit unit;
  auto describe = [&](std::vector<uint32_t> &places) {
    if (tilewright_error *error = tilewright_prepacked_unit_describe(
            family.c_str(), weights.c_str(), order.c_str(), &unit,
            places.data(), places.size()))
      raise(Failure::take(error));
  };
  std::vector<uint32_t> places;
  describe(places);
  places.resize(unit.rows * unit.columns);
  describe(places);
  return nb::make_tuple(unit.rows, unit.columns, unit.words, unit.span, places);
}

static std::optional<std::string> prepackedFamily(const std::string &target) {
  const char *name = tilewright_prepacked_family(target.c_str());
  return name ? std::optional<std::string>(name) : std::nullopt;
}

void python::addOperators(nb::module_ &module) {
  nb::class_<PythonPlan>(module, "_Plan")
      .def_ro("tensors", &PythonPlan::names)
      .def("prepare", &preparePlan)
      .def("run", &runPlan, nb::arg(), nb::arg().none(), nb::arg())
      .def("explain", &explainPlan);
  module.def("_plan", &makePlan);
  module.def("_describe_tensor", &describeTensor);
  module.def("_operators", &operatorNames);
  module.def("_prepacked_unit", &describePrepackedUnit);
  module.def("_prepacked_family", &prepackedFamily);
}
