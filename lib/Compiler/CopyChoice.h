// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who brings tiles to shared memory: threads by `cp.async`, bulk copies, or
// warps of their own that run these.
//
// In: a module of tilegpu IR whose layouts are assigned, and the launch and
// device of the options. Out: what is estimated to be fastest
// (passes/Analysis/TimeEstimate.h) in each function that has a choice.

#ifndef TILEWRIGHT_LIB_COMPILER_COPYCHOICE_H
#define TILEWRIGHT_LIB_COMPILER_COPYCHOICE_H

#include "dialects/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "passes/Pipelines/Pipelines.h"
#include "tilewright/CompileOptions.h"

#include <map>

namespace tilewright::compiler {

enum class TileCopies : uint8_t {
  Threads,  ///< `cp.async`
  Bulk,     ///< bulk copies, where they can, that a computing thread starts
  OwnWarps, ///< likewise, and warps of their own start them
};

/// What was chosen, by function.
class CopyChoice {
public:
  /// Has the loops of the functions scheduled so.
  void applyTo(PipelineOptions &pipeline) const;

  std::map<std::string, TileCopies> functions;
  /// The module up to tilegpu IR in which all functions are as chosen, if one
  /// was made, and what its passes had to say.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<mlir::Diagnostic> diagnostics;
};

/// Whether the target has bulk copies and the options leave it to estimates
/// whether to use them.
bool leavesCopiesOpen(const target::Target &target,
                      const CompileOptions &options);

/// Compiles clones of `module` each way up to the tilegpu IR that is estimated,
/// without a word, and checks the one that is chosen. A function without
/// products of warp groups, or in which no bulk copy is possible, has no choice
/// and is left out.
CopyChoice chooseCopies(mlir::ModuleOp module, const target::Target &target,
                        const CompileOptions &options,
                        const PipelineOptions &pipeline);

} // namespace tilewright::compiler

#endif // TILEWRIGHT_LIB_COMPILER_COPYCHOICE_H
