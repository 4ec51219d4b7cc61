// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler for programs that compile kernels while they run, from C++20:
// over tilewright-c/Compiler.h, as Launching.h is over Runtime.h.

#ifndef TILEWRIGHT_COMPILING_H
#define TILEWRIGHT_COMPILING_H

#include "tilewright-c/Compiler.h"
#include "tilewright/Launching.h"

#include <functional>
#include <vector>

namespace tilewright {

/// A message about the source.
struct Message {
  /// A tilewright_severity.
  uint32_t severity = TILEWRIGHT_FAILURE;
  std::string file;
  uint32_t line = 0, column = 0;
  std::string text;
};

/// What to compile for; see tilewright_compile_options.
struct CompilerRequest {
  std::vector<std::string> targets = {"sm_80"};
  uint32_t numWarps = 4;
  /// TILEWRIGHT_COMPILE_... flags.
  uint32_t flags = 0;
  std::string sourceName = "kernel";
  /// A CUDA toolkit; empty: the usual places.
  std::string cudaRoot;
  /// Receives every message; it must not throw.
  std::function<void(const Message &)> onMessage;
};

/// The compiler behind its cache. Any thread may use it.
class Compiler {
public:
  /// `cacheFolder`: null as the environment says; "" in memory alone.
  static Expected<Compiler> create(const char *cacheFolder = nullptr) {
    tilewright_compiler_options options = {sizeof options, cacheFolder};
    tilewright_compiler *compiler = nullptr;
    if (tilewright_error *error =
            tilewright_compiler_create(&options, &compiler))
      return Failure::take(error);
    return Compiler(compiler);
  }

  /// Compiles tile IR. The failure of a text that does not compile has its
  /// diagnostics, a line each.
  Expected<Program> compile(std::string_view text,
                            const CompilerRequest &request = {}) const {
    std::vector<const char *> targets;
    tilewright_compile_options options = makeOptions(request, targets);
    tilewright_program *program = nullptr;
    if (tilewright_error *error = tilewright_compile(
            owner.get(), text.data(), text.size(), &options, &program))
      return Failure::take(error);
    return Program(program);
  }

  /// Compiles to one form ("ptx", "llvm", ...) for the first target.
  static Expected<std::string> emit(std::string_view text, const char *form,
                                    const CompilerRequest &request = {}) {
    std::vector<const char *> targets;
    tilewright_compile_options options = makeOptions(request, targets);
    tilewright_bytes *bytes = nullptr;
    if (tilewright_error *error =
            tilewright_emit(text.data(), text.size(), form, &options, &bytes))
      return Failure::take(error);
    std::string result(static_cast<const char *>(tilewright_bytes_data(bytes)),
                       tilewright_bytes_size(bytes));
    tilewright_bytes_destroy(bytes);
    return result;
  }

private:
  explicit Compiler(tilewright_compiler *compiler) : owner(compiler) {}

  static void forward(const tilewright_diagnostic *diagnostic, void *user) {
    const auto &request = *static_cast<const CompilerRequest *>(user);
    request.onMessage({diagnostic->severity, diagnostic->file, diagnostic->line,
                       diagnostic->column, diagnostic->message});
  }

  /// The request as the C interface has it; `targets` must outlive it.
  static tilewright_compile_options
  makeOptions(const CompilerRequest &request,
              std::vector<const char *> &targets) {
    for (const std::string &target : request.targets)
      targets.push_back(target.c_str());
    tilewright_compile_options options = {};
    options.struct_size = sizeof options;
    options.source_name = request.sourceName.c_str();
    options.targets = targets.data();
    options.target_count = targets.size();
    options.num_warps = request.numWarps;
    options.flags = request.flags;
    if (!request.cudaRoot.empty())
      options.cuda_root = request.cudaRoot.c_str();
    if (request.onMessage) {
      options.on_diagnostic = forward;
      options.user_data = const_cast<CompilerRequest *>(&request);
    }
    return options;
  }

  detail::Owner<tilewright_compiler, tilewright_compiler_destroy> owner;
};

} // namespace tilewright

#endif // TILEWRIGHT_COMPILING_H
