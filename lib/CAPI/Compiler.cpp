// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface of the compiler: tilewright-c/Compiler.h over lib/JIT.

#include "tilewright-c/Compiler.h"

#include "dialects/Target/Target.h"
#include "lib/CAPI/Handles.h"
#include "lib/Compiler/Compiler.h"
#include "lib/JIT/BuildIdentity.h"
#include "lib/JIT/Jit.h"
#include "runtime/CAPI/Handles.h"

using namespace tilewright;
using namespace tilewright::runtime::capi;
using runtime::ErrorCode;

const char *tilewright_compiler_version(void) {
  static const std::string version = compiler::version();
  return version.c_str();
}

const char *tilewright_compiler_identity(void) {
  return jit::buildIdentity().c_str();
}

// (The names in the tables are literals, so that they end in a zero.)
const char *tilewright_target_name(size_t index) {
  std::span<const target::Target> targets = target::allTargets();
  return index < targets.size() ? targets[index].name.data() : nullptr;
}

const char *tilewright_target_for_device(int architecture) {
  const target::Target *target =
      target::lookupForDevice(unsigned(std::max(architecture, 0)));
  return target ? target->name.data() : nullptr;
}

const char *tilewright_form_name(size_t index) {
  return index < std::size(emitForms) ? emitForms[index].name.data() : nullptr;
}

tilewright_error *
tilewright_compiler_create(const tilewright_compiler_options *options,
                           tilewright_compiler **compiler) {
  if (!compiler)
    return refuse("expects a place for the compiler, but got null");
  *compiler = nullptr;
  tilewright_compiler_options own;
  if (tilewright_error *error = readStruct(
          options, own, offsetof(tilewright_compiler_options, cache_folder),
          "tilewright_compiler_options"))
    return error;
  runtime::CacheOptions cache = runtime::CacheOptions::fromEnvironment();
  if (own.cache_folder) {
    cache.folder = own.cache_folder;
    if (cache.folder.empty())
      cache.sharedFolder.clear();
  }
  *compiler = new tilewright_compiler{std::make_shared<Jit>(cache)};
  return nullptr;
}

void tilewright_compiler_destroy(tilewright_compiler *compiler) {
  delete compiler;
}

/// Hands a diagnostic to the caller.
static void report(const tilewright_compile_options &options,
                   const Diagnostic &diagnostic) {
  tilewright_diagnostic own = {};
  own.struct_size = sizeof(own);
  own.severity = uint32_t(diagnostic.severity);
  own.line = diagnostic.line;
  own.column = diagnostic.column;
  own.file = diagnostic.file.c_str();
  own.message = diagnostic.message.c_str();
  options.on_diagnostic(&own, options.user_data);
}

namespace {

/// Reads members of tilewright_compile_options. 0 and NULL leave the default.
struct OptionReader {
  /// What is wrong with the first member that is.
  std::string problem;

  void read(const char *name, uint64_t given, bool &own) {
    if (given > TILEWRIGHT_OFF)
      return refuse(name, "to be a tilewright_switch (0 to 2)",
                    std::to_string(given));
    if (given != TILEWRIGHT_DEFAULT)
      own = given == TILEWRIGHT_ON;
  }
  void read(const char *name, uint64_t given, uint32_t &own) {
    if (given > UINT32_MAX)
      return refuse(name, "to have 32 bits", std::to_string(given));
    if (given)
      own = uint32_t(given);
  }
  void read(const char *name, const char *given, std::string &own) {
    if (given)
      own = given;
  }
  void read(const char *name, const tilewright_option_List &given,
            std::vector<std::string> &own) {
    if (given.count == 0)
      return;
    if (!given.items)
      return refuse(name, "to have " + std::to_string(given.count) + " items",
                    "null");
    own.clear();
    for (size_t i = 0; i < given.count; ++i) {
      if (!given.items[i])
        return refuse(name, "to have a text as item " + std::to_string(i),
                      "null");
      own.emplace_back(given.items[i]);
    }
  }
  /// Enumerations.
  template <typename Value>
  void read(const char *name, uint64_t given, Value &own) {
    size_t count = valuesOf(own).size();
    if (given >= count)
      return refuse(name, "to be below " + std::to_string(count),
                    std::to_string(given));
    if (given)
      own = Value(given);
  }

private:
  void refuse(const char *name, const std::string &expected,
              const std::string &found) {
    if (problem.empty())
      problem = std::string("expects ") + name + " " + expected + ", but got " +
                found;
  }
};

} // namespace

/// The options as the compiler has them; `given` is read through `own`.
static tilewright_error *readOptions(const tilewright_compile_options *given,
                                     tilewright_compile_options &own,
                                     CompileOptions &options) {
  constexpr size_t least =
      offsetof(tilewright_compile_options, user_data) + sizeof(own.user_data);
  if (tilewright_error *error =
          readStruct(given, own, least, "tilewright_compile_options"))
    return error;
  OptionReader reader;
#define TILEWRIGHT_COMPILE_OPTION(KIND, NAME, MEMBER, ...)                     \
  reader.read(#NAME, own.NAME, options.MEMBER);
#include "tilewright-c/CompileOptions.def"
  if (!reader.problem.empty())
    return refuse(std::move(reader.problem));
  if (std::optional<std::string> problem = compiler::findProblem(options))
    return refuse(std::move(*problem));
  if (own.on_diagnostic)
    options.onDiagnostic = [&own](const Diagnostic &diagnostic) {
      report(own, diagnostic);
    };
  return nullptr;
}

tilewright_error *tilewright_compile(tilewright_compiler *compiler,
                                     const char *text, size_t text_size,
                                     const tilewright_compile_options *given,
                                     tilewright_program **program) {
  if (program)
    *program = nullptr;
  if (!compiler || !text || !program)
    return refuse("expects a compiler, a text and a place for the program, but "
                  "got null");
  tilewright_compile_options own;
  CompileOptions options;
  if (tilewright_error *error = readOptions(given, own, options))
    return error;
  auto artifact = compiler->jit->compile({text, text_size}, options);
  if (!artifact)
    return fail(artifact.takeError());
  *program = new tilewright_program{
      std::make_shared<runtime::Program>(std::move(*artifact))};
  return nullptr;
}

/// The forms of one output, for a message.
static std::string listForms() {
  std::string names;
  for (const EmitForm &form : emitForms)
    if (form.outputs != Outputs::Two)
      names += (names.empty() ? "" : ", ") + std::string(form.name);
  return names;
}

/// The forms by their names. All of them are of one output.
static tilewright_error *readForms(const char *const *names, size_t count,
                                   std::vector<Emit> &forms) {
  for (size_t i = 0; i < count; ++i) {
    if (!names[i])
      return refuse("expects the name of a form, but got null");
    std::optional<Emit> form = findEmitForm(names[i]);
    if (!form || describe(*form).outputs == Outputs::Two)
      return refuse("expects one of " + listForms() + ", but got '" +
                    std::string(names[i]) + "'");
    forms.push_back(*form);
  }
  return nullptr;
}

tilewright_error *tilewright_emit_forms(const char *text, size_t text_size,
                                        const char *const *names, size_t count,
                                        const tilewright_compile_options *given,
                                        tilewright_bytes **bytes) {
  if (bytes)
    std::fill_n(bytes, count, nullptr);
  if (!text || !names || !bytes)
    return refuse("expects a text, a form and a place for bytes, but got null");
  tilewright_compile_options own;
  CompileOptions options;
  if (tilewright_error *error = readOptions(given, own, options))
    return error;
  std::vector<Emit> forms;
  if (tilewright_error *error = readForms(names, count, forms))
    return error;
  std::string problems;
  options.onDiagnostic = [&](const Diagnostic &diagnostic) {
    if (own.on_diagnostic)
      report(own, diagnostic);
    if (diagnostic.severity == Diagnostic::Severity::Error)
      problems +=
          (problems.empty() ? "" : "\n") + compiler::toString(diagnostic);
  };
  auto outputs = compiler::emit({text, text_size}, forms, options);
  if (!outputs)
    return fail({ErrorCode::InvalidArgument, std::move(problems)});
  for (size_t i = 0; i < count; ++i)
    bytes[i] =
        new tilewright_bytes{{(*outputs)[i].begin(), (*outputs)[i].end()}};
  return nullptr;
}

tilewright_error *tilewright_emit(const char *text, size_t text_size,
                                  const char *form,
                                  const tilewright_compile_options *given,
                                  tilewright_bytes **bytes) {
  // Without a name it refuses, after it has set what is given.
  if (!form)
    return tilewright_emit_forms(text, text_size, nullptr, 1, given, bytes);
  return tilewright_emit_forms(text, text_size, &form, 1, given, bytes);
}
