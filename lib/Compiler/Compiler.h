// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler without its cache: tile IR text in, code for one or several GPUs
// out. What embedders see of it is tilewright/Compiling.h, by the C interface.
//
// No MLIR or LLVM type appears here. Calls are independent of each other and
// may run on several threads at once; nothing exits the process or throws.

#ifndef TILEWRIGHT_LIB_COMPILER_COMPILER_H
#define TILEWRIGHT_LIB_COMPILER_COMPILER_H

#include "runtime/Artifact.h"
#include "tilewright/CompileOptions.h"

namespace tilewright::compiler {

/// Compiles `text` (tile IR) for all targets. Nothing where it failed; the
/// diagnostics say why.
std::optional<runtime::Artifact> compile(std::string_view text,
                                         const CompileOptions &options);

/// Compiles `text` to one form: as many strings as the form has outputs, those
/// of targets in their order. The C header is named as the source. Nothing
/// where it failed; the diagnostics say why.
std::optional<std::vector<std::string>> emit(std::string_view text, Emit form,
                                             const CompileOptions &options);

/// Compiles `text` for the first target to the forms that are wanted, each of
/// one output, by one compilation: a string for each, in their order. Nothing
/// where it failed; the diagnostics say why.
std::optional<std::vector<std::string>> emit(std::string_view text,
                                             std::span<const Emit> forms,
                                             const CompileOptions &options);

/// How a message calls an option: as C and Python do (num_warps), or as the
/// command line does (--num-warps).
enum class OptionSpelling { Name, Flag };

/// What is wrong with the values of the options, if anything: "expects
/// num_warps to be a power of two from 1 to 32, but got 3". `compile` and
/// `emit` say it by themselves.
std::optional<std::string>
findProblem(const CompileOptions &options,
            OptionSpelling spelling = OptionSpelling::Name);

/// The names of all targets, oldest first.
std::vector<std::string> supportedTargets();

/// Version and build of the compiler.
std::string version();

/// "file:line:column: message".
std::string toString(const Diagnostic &diagnostic);

} // namespace tilewright::compiler

#endif // TILEWRIGHT_LIB_COMPILER_COMPILER_H
