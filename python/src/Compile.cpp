// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling: the options by the names and types of their rows.

#include "Native.h"

#include "tilewright/Compiling.h"

#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace tilewright;
using namespace tilewright::python;

/// Raises the TypeError of a value that an option cannot have.
[[noreturn]] static void refuse(const OptionRow &row,
                                const std::string &expected, nb::handle found) {
  throw nb::type_error(("expects " + std::string(row.name) + " to be " +
                        expected + ", but got " + nb::repr(found).c_str())
                           .c_str());
}

//===----------------------------------------------------------------------===//
// Options from and to Python
//===----------------------------------------------------------------------===//

static nb::object toPython(bool value) { return nb::bool_(value); }
static nb::object toPython(uint32_t value) { return nb::int_(value); }
static nb::object toPython(const std::string &value) { return nb::cast(value); }
static nb::object toPython(const std::vector<std::string> &value) {
  return nb::cast(value);
}
static nb::object toPython(Preference value) {
  if (value == Preference::Auto)
    return nb::none();
  return nb::bool_(value == Preference::On);
}
/// Enumerations go by their names.
template <typename Value>
static nb::object toPython(Value value) {
  std::string_view name = valuesOf(value)[static_cast<size_t>(value)].name;
  return nb::str(name.data(), name.size());
}

static void read(const OptionRow &row, nb::handle given, bool &value) {
  if (!nb::isinstance<nb::bool_>(given))
    refuse(row, "True or False", given);
  value = nb::cast<bool>(given);
}
static void read(const OptionRow &row, nb::handle given, uint32_t &value) {
  // (0 stands for the default in C.)
  if (!nb::try_cast(given, value) || value == 0)
    refuse(row, "a positive integer of 32 bits", given);
}
static void read(const OptionRow &row, nb::handle given, std::string &value) {
  if (!nb::try_cast(given, value))
    refuse(row, "a string", given);
}
static void read(const OptionRow &row, nb::handle given,
                 std::vector<std::string> &value) {
  if (nb::isinstance<nb::str>(given) || !nb::try_cast(given, value))
    refuse(row, "a sequence of strings", given);
}
static void read(const OptionRow &row, nb::handle given, Preference &value) {
  if (!nb::isinstance<nb::bool_>(given))
    refuse(row, "True, False, or None where it is to be chosen", given);
  value = nb::cast<bool>(given) ? Preference::On : Preference::Off;
}
template <typename Value>
static void read(const OptionRow &row, nb::handle given, Value &value) {
  std::string name, known;
  bool isText = nb::try_cast(given, name);
  for (const NamedValue<Value> &each : valuesOf(value)) {
    if (isText && each.name == name) {
      value = each.value;
      return;
    }
    known += (known.empty() ? "'" : ", '") + std::string(each.name) + "'";
  }
  refuse(row, "one of " + known, given);
}

/// The options by their names. What is None keeps its default.
static CompileOptions readOptions(nb::dict given) {
  CompileOptions options;
  size_t count = 0;
  forEachCompileOption([&](const OptionRow &row, auto member) {
    nb::str name(row.name.data(), row.name.size());
    if (!given.contains(name))
      return;
    ++count;
    nb::object value = given[name];
    if (!value.is_none())
      read(row, value, options.*member);
  });
  if (count == given.size())
    return options;
  for (nb::handle name : given.keys()) {
    bool isKnown = false;
    forEachCompileOption([&](const OptionRow &row, auto) {
      isKnown |= row.name == nb::cast<std::string>(name);
    });
    if (!isKnown)
      throw nb::type_error(("compile() got an unexpected keyword argument " +
                            std::string(nb::repr(name).c_str()))
                               .c_str());
  }
  return options;
}

/// What the rows say, for documentation and signatures.
static nb::list describeOptions() {
  nb::list rows;
  const CompileOptions defaults;
  forEachCompileOption([&](const OptionRow &row, auto member) {
    nb::dict entry;
    entry["name"] = nb::str(row.name.data(), row.name.size());
    entry["default"] = toPython(defaults.*member);
    entry["text"] = nb::str(row.text.data(), row.text.size());
    rows.append(entry);
  });
  return rows;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

using DiagnosticHandler = std::optional<std::function<void(nb::dict)>>;

/// Has `work` done with the options while other threads of Python run, and then
/// hands the diagnostics on.
template <typename Work>
static auto compileWith(nb::dict given, const DiagnosticHandler &onDiagnostic,
                        Work &&work) {
  CompileOptions options = readOptions(given);
  std::vector<Diagnostic> diagnostics;
  options.onDiagnostic = [&](const Diagnostic &diagnostic) {
    diagnostics.push_back(diagnostic);
  };
  std::optional<decltype(work(options))> result;
  {
    nb::gil_scoped_release release;
    result.emplace(work(options));
  }
  for (const Diagnostic &diagnostic : diagnostics) {
    nb::dict entry;
    entry["severity"] = uint32_t(diagnostic.severity);
    entry["file"] = diagnostic.file;
    entry["line"] = diagnostic.line;
    entry["column"] = diagnostic.column;
    entry["message"] = diagnostic.message;
    if (onDiagnostic)
      (*onDiagnostic)(entry);
  }
  return unwrap(std::move(*result));
}

static std::shared_ptr<Program>
compileText(const Compiler &compiler, const std::string &text, nb::dict given,
            const DiagnosticHandler &onDiagnostic) {
  return std::make_shared<Program>(
      compileWith(given, onDiagnostic, [&](const CompileOptions &options) {
        return compiler.compile(text, options);
      }));
}

static std::vector<Emit> readForms(const std::vector<std::string> &names) {
  std::vector<Emit> forms;
  for (const std::string &name : names) {
    std::optional<Emit> form = findEmitForm(name);
    if (!form)
      throw nb::value_error(
          ("expects the name of a form, but got '" + name + "'").c_str());
    forms.push_back(*form);
  }
  return forms;
}

static nb::list emitText(const std::string &text,
                         const std::vector<std::string> &names, nb::dict given,
                         const DiagnosticHandler &onDiagnostic) {
  std::vector<Emit> forms = readForms(names);
  std::vector<std::string> outputs =
      compileWith(given, onDiagnostic, [&](const CompileOptions &options) {
        return Compiler::emit(text, forms, options);
      });
  nb::list result;
  for (const std::string &output : outputs)
    result.append(nb::bytes(output.data(), output.size()));
  return result;
}

void python::addCompiler(nb::module_ &module) {
  nb::class_<Compiler>(module, "Compiler");
  module.def(
      "_compiler",
      [](std::optional<std::string> folder) {
        return unwrap(Compiler::create(folder ? folder->c_str() : nullptr));
      },
      nb::arg("folder").none());
  module.def("_compile", &compileText, nb::arg(), nb::arg(), nb::arg(),
             nb::arg().none());
  module.def("_emit", &emitText, nb::arg(), nb::arg(), nb::arg(),
             nb::arg().none());
  module.def("_options", &describeOptions);
  module.def("version", &tilewright_compiler_version);
  module.def("_identity", &tilewright_compiler_identity);
  module.def("_target_for_capability", &tilewright_target_for_device);
  module.def("_targets", &targetNames);
  module.def("_target_for",
             [](int ordinal) { return findTargetFor(*findDevice(ordinal)); });
}
