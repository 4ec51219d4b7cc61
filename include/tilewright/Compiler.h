// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler as a library: tile IR text in, code for one or several GPUs out.
//
// Version 0. No MLIR or LLVM type appears here. Calls are independent of each
// other and may run on several threads at once; nothing exits the process or
// throws.

#ifndef TILEWRIGHT_COMPILER_H
#define TILEWRIGHT_COMPILER_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright {

/// The forms that compilation goes through, in order.
enum class Emit {
  Tile,    ///< tile IR, cleaned up
  TileGPU, ///< tensors with layouts, shared memory and barriers in place
  /// A table of the layout conversions of each kernel: what the remarks
  /// `layout-conversion` say, which are no diagnostics then.
  LayoutReport,
  LLVMDialect, ///< MLIR's LLVM and NVVM dialects
  LLVM,        ///< optimised LLVM IR
  PTX,
  Cubin,
  Artifact,     ///< cubin and PTX for every target in one file
  ArtifactJSON, ///< what the artifact says, without code
  CHeader ///< a C header and a C source that hold the artifact: two strings
};

/// A message about the source.
struct Diagnostic {
  enum class Severity { Note, Remark, Warning, Error };
  Severity severity = Severity::Error;
  /// Source file, line and column (from 1), where the location is known.
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string message;
};

/// Which remarks a compilation makes about what it does with a kernel.
enum class Remarks {
  None,
  Missed, ///< what could be faster, and why it is not
  All     ///< and what was done
};

struct CompileOptions {
  /// Names such as "sm_80"; see supportedTargets().
  std::vector<std::string> targets = {"sm_80"};
  /// Warps of a CTA: a power of two from 1 to 32.
  unsigned numWarps = 4;
  /// Whether artifacts have machine code beside PTX, which takes CUDA's
  /// assembler.
  bool machineCode = true;
  /// Source lines in PTX and cubin (`.loc`).
  bool lineTables = true;
  /// (prefix, replacement) for the paths in line tables.
  std::vector<std::pair<std::string, std::string>> pathPrefixMap;
  /// Folder of a CUDA toolkit with the assembler; empty: the usual places.
  std::string cudaRoot;
  /// Threads that MLIR's passes may use; the output does not depend on it.
  unsigned threads = 1;
  /// Of CHeader: the header's name without `.h`, and what the functions for all
  /// kernels begin with.
  std::string cName = "kernels";
  /// Which remarks are among the diagnostics.
  Remarks remarks = Remarks::None;
  /// Receives every diagnostic, in order. None: they are dropped.
  std::function<void(const Diagnostic &)> onDiagnostic;
};

/// Compiles `text` (tile IR), which diagnostics call `name`, to the form
/// `emit`: one string for each target, in order; a single one for artifacts,
/// two for the C header. Nothing where it failed; the diagnostics say why.
std::optional<std::vector<std::string>> compile(std::string_view text,
                                                std::string_view name,
                                                Emit emit,
                                                const CompileOptions &options);

/// The names of all targets, oldest first.
std::vector<std::string> supportedTargets();

/// Version and build of the compiler.
std::string compilerVersion();

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_H
