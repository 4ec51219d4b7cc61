// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface of the compiler: tilewright-c/Compiler.h over Jit.h.

#include "tilewright-c/Compiler.h"

#include "runtime/CAPI/Handles.h"
#include "tilewright/Jit.h"

using namespace tilewright;
using namespace tilewright::runtime::capi;
using runtime::ErrorCode;

struct tilewright_compiler {
  Jit jit;
};

const char *tilewright_compiler_version(void) {
  static const std::string version = compilerVersion();
  return version.c_str();
}

const char *tilewright_target_name(size_t index) {
  static const std::vector<std::string> names = supportedTargets();
  return index < names.size() ? names[index].c_str() : nullptr;
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
  *compiler = new tilewright_compiler{Jit(cache)};
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

/// The options as the compiler has them; `given` is read through `own`.
static tilewright_error *readOptions(const tilewright_compile_options *given,
                                     tilewright_compile_options &own,
                                     CompileOptions &options) {
  if (tilewright_error *error = readStruct(
          given, own, offsetof(tilewright_compile_options, source_name),
          "tilewright_compile_options"))
    return error;
  constexpr uint32_t known =
      TILEWRIGHT_COMPILE_NO_MACHINE_CODE | TILEWRIGHT_COMPILE_NO_LINE_TABLES |
      TILEWRIGHT_COMPILE_MISSED_REMARKS | TILEWRIGHT_COMPILE_ALL_REMARKS;
  if (own.flags & ~known)
    return refuse("expects known flags of a compilation, but got " +
                  std::to_string(own.flags));
  if (own.target_count && !own.targets)
    return refuse("expects the names of " + std::to_string(own.target_count) +
                  " targets, but got null");
  if (own.target_count)
    options.targets.clear();
  for (size_t i = 0; i < own.target_count; ++i) {
    if (!own.targets[i])
      return refuse("expects the name of target " + std::to_string(i) +
                    ", but got null");
    options.targets.emplace_back(own.targets[i]);
  }
  if (own.num_warps)
    options.numWarps = own.num_warps;
  if (options.numWarps > 32 || (options.numWarps & (options.numWarps - 1)))
    return refuse("expects a number of warps that is a power of two from 1 to "
                  "32, but got " +
                  std::to_string(options.numWarps));
  options.machineCode = !(own.flags & TILEWRIGHT_COMPILE_NO_MACHINE_CODE);
  options.lineTables = !(own.flags & TILEWRIGHT_COMPILE_NO_LINE_TABLES);
  if (own.flags & TILEWRIGHT_COMPILE_MISSED_REMARKS)
    options.remarks = Remarks::Missed;
  if (own.flags & TILEWRIGHT_COMPILE_ALL_REMARKS)
    options.remarks = Remarks::All;
  if (own.cuda_root)
    options.cudaRoot = own.cuda_root;
  if (own.on_diagnostic)
    options.onDiagnostic = [&own](const Diagnostic &diagnostic) {
      report(own, diagnostic);
    };
  return nullptr;
}

static const char *nameOf(const tilewright_compile_options &options) {
  return options.source_name ? options.source_name : "kernel";
}

tilewright_error *tilewright_compile(tilewright_compiler *compiler,
                                     const char *text, size_t text_size,
                                     const tilewright_compile_options *given,
                                     tilewright_program **program) {
  if (!compiler || !text || !program)
    return refuse("expects a compiler, a text and a place for the program, but "
                  "got null");
  *program = nullptr;
  tilewright_compile_options own;
  CompileOptions options;
  if (tilewright_error *error = readOptions(given, own, options))
    return error;
  auto artifact =
      compiler->jit.compile({text, text_size}, nameOf(own), options);
  if (!artifact)
    return fail(artifact.takeError());
  *program = new tilewright_program{
      std::make_shared<runtime::Program>(std::move(*artifact))};
  return nullptr;
}

static std::optional<Emit> findForm(std::string_view name) {
  static constexpr std::pair<std::string_view, Emit> forms[] = {
      {"tile", Emit::Tile}, {"tilegpu", Emit::TileGPU},
      {"llvm", Emit::LLVM}, {"llvm-dialect", Emit::LLVMDialect},
      {"ptx", Emit::PTX},   {"cubin", Emit::Cubin}};
  for (auto [form, emit] : forms)
    if (form == name)
      return emit;
  return std::nullopt;
}

tilewright_error *tilewright_emit(const char *text, size_t text_size,
                                  const char *form,
                                  const tilewright_compile_options *given,
                                  tilewright_bytes **bytes) {
  if (!text || !form || !bytes)
    return refuse("expects a text, a form and a place for bytes, but got null");
  *bytes = nullptr;
  tilewright_compile_options own;
  CompileOptions options;
  if (tilewright_error *error = readOptions(given, own, options))
    return error;
  std::optional<Emit> emit = findForm(form);
  if (!emit)
    return refuse("expects tile, tilegpu, llvm-dialect, llvm, ptx or cubin, "
                  "but got '" +
                  std::string(form) + "'");
  options.targets.resize(1);
  std::string problems;
  options.onDiagnostic = [&](const Diagnostic &diagnostic) {
    if (own.on_diagnostic)
      report(own, diagnostic);
    if (diagnostic.severity == Diagnostic::Severity::Error)
      problems += (problems.empty() ? "" : "\n") + describe(diagnostic);
  };
  auto outputs = compile({text, text_size}, nameOf(own), *emit, options);
  if (!outputs)
    return fail({ErrorCode::InvalidArgument, std::move(problems)});
  *bytes =
      new tilewright_bytes{{outputs->front().begin(), outputs->front().end()}};
  return nullptr;
}
