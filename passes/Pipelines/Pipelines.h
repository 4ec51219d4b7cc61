// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only place that knows the order of passes.
//
// Comes in: a module of `tt` and `tile` functions. Goes out, stage by stage:
// cleaned tile IR, `tilegpu` IR, the LLVM dialect. The driver, the JIT and
// tilewright-opt all run these pipelines.

#ifndef TILEWRIGHT_PASSES_PIPELINES_PIPELINES_H
#define TILEWRIGHT_PASSES_PIPELINES_PIPELINES_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "tilewright/CompileOptions.h"

#include <string>

namespace tilewright {

/// What a pipeline must know besides the IR: the target, and those options of
/// the compilation that are for the passes too.
struct PipelineOptions {
  PipelineOptions() = default;
  PipelineOptions(std::string_view target, const CompileOptions &options);

  /// Name of the target, such as "sm_80".
  std::string target = CompileOptions().targets.front();
#define TILEWRIGHT_PIPELINE_OPTION(KIND, NAME, MEMBER, FLAG, DEFAULT, ...)     \
  CompileOptions::KIND MEMBER = DEFAULT;
#include "tilewright-c/CompileOptions.def"

  /// CTAs that the launch gives a multiprocessor; 0 where that is not known.
  unsigned ctasPerMultiprocessor = 0;

  /// Functions in which bulkCopies or specializeWarps is on, whatever it is
  /// elsewhere: what somebody has chosen who estimates.
  llvm::SmallVector<std::string> functionsWithBulkCopies, functionsWithOwnWarps;
};

/// Tile IR to tile IR: calls inlined, constants folded, common and invariant
/// values moved. Hardware-free.
void buildTilePipeline(mlir::OpPassManager &manager,
                       const PipelineOptions &options);

/// Tile IR to `tilegpu` IR: layouts assigned.
void buildLayoutPipeline(mlir::OpPassManager &manager,
                         const PipelineOptions &options);

/// `tilegpu` IR with layouts to the same: loops become software pipelines. What
/// is left to an estimate (Preference::Auto) is off here but in the functions
/// that the options name.
void buildLoopPipeline(mlir::OpPassManager &manager,
                       const PipelineOptions &options);

/// Both of these, one behind the other.
void buildTileToTileGPUPipeline(mlir::OpPassManager &manager,
                                const PipelineOptions &options);

/// `tilegpu` IR to `tilegpu` IR that is ready to be lowered: conversions
/// planned, control flow a graph of blocks, shared memory allocated, barriers
/// placed, and agents' orders checked.
void buildTileGPUPipeline(mlir::OpPassManager &manager);

/// The two halves of this: what is only estimated goes without the checks,
/// which follow every order in which agents may run.
void buildUncheckedTileGPUPipeline(mlir::OpPassManager &manager);
void buildTileGPUChecks(mlir::OpPassManager &manager);

/// `tilegpu` IR to the LLVM dialect, with one source line for each op where
/// there are to be line tables. Code generation checks it against the target's
/// row.
void buildTileGPUToLLVMPipeline(mlir::OpPassManager &manager,
                                const PipelineOptions &options);

/// Registers each pipeline under its name for tilewright-opt:
/// `tilewright-tile`, `tilewright-tile-to-tilegpu`, `tilewright-tilegpu`,
/// `tilewright-tilegpu-to-llvm`, and `tilewright` for all of them.
void registerPipelines();

/// Registers every pass of the project, and those of MLIR that the pipelines
/// run.
void registerAllPasses();

/// Adds every dialect that a pipeline reads or makes.
void registerAllDialects(mlir::DialectRegistry &registry);

} // namespace tilewright

#endif // TILEWRIGHT_PASSES_PIPELINES_PIPELINES_H
