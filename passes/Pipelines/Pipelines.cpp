// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Pipelines/Pipelines.h"

#include "dialects/Target/Target.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Tile/Passes.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPUToLLVM/Passes.h"
#include "passes/TileToTileGPU/Passes.h"

using namespace mlir;
using namespace tilewright;

PipelineOptions::PipelineOptions(std::string_view target,
                                 const CompileOptions &options)
    : target(target) {
#define TILEWRIGHT_PIPELINE_OPTION(KIND, NAME, MEMBER, ...)                    \
  MEMBER = options.MEMBER;
#include "tilewright-c/CompileOptions.def"
}

void tilewright::buildTilePipeline(OpPassManager &manager,
                                   const PipelineOptions &options) {
  manager.addPass(tile::createVerifyTileIR());
  // Before any pass writes arithmetic of its own, which is to stay as it is.
  tile::SetContractionOptions contraction;
  contraction.allow = options.fpFusion;
  manager.addPass(tile::createSetContraction(contraction));
  manager.addPass(tile::createAllowInlining());
  // Before: a callee of several blocks fits no region of one.
  manager.addPass(tile::createStructureControlFlow());
  // What was inlined is canonicalized once, at the end: the inliner would do it
  // by itself for every function, up to four times.
  manager.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  manager.addPass(createSymbolDCEPass());
  // Before canonicalization, which removes loops that only read.
  manager.addPass(tile::createRereadAwaited());
  manager.addPass(tile::createDecomposeConcatenations());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(tile::createUpliftWhileLoops());
}

/// What the target has nothing better for, in plainer tile IR. (No target has
/// yet.)
static void addExpansions(OpPassManager &manager,
                          const PipelineOptions &options) {
  unsigned numWarps = options.numWarps;
  manager.addPass(tile::createDropAssumptions());
  manager.addPass(tile::createPromoteSingleIterations());
  manager.addPass(tile::createRewriteBlockAccesses({options.kernelTensorMaps}));
  manager.addPass(tile::createExpandTileOps());
  manager.addPass(tile::createReducePowers());
  manager.addPass(tile::createFactorMaxima());
  manager.addPass(tile::createSplitScans({.numWarps = numWarps}));
  // Behind what makes loads, before their indices are narrowed.
  manager.addPass(tile::createPredicateBranches());
  const target::Target *target = target::lookup(options.target);
  // Else registers would hold what comes before the branch.
  if (target && target->has(target::Capability::CpAsync))
    manager.addPass(tile::createHoistBranchLoads({options.numStages}));
  manager.addPass(tile::createCarryScalars());
  // For boxes of bulk copies alone.
  if (options.bulkCopies != Preference::Off && target &&
      target->has(target::Capability::BulkTensorCopy)) {
    manager.addPass(tile::createFollowInductionVariables());
    manager.addPass(tile::createUnwrapIndices());
  }
  manager.addPass(tile::createVersionLoops({.numWarps = numWarps}));
  manager.addPass(tile::createFuseLoops({.numWarps = numWarps}));
  manager.addPass(tile::createLoadRunsOnce());
  manager.addPass(tile::createNarrowIndices());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createLoopInvariantCodeMotionPass());
  manager.addPass(tile::createHoistInvariantLoads({numWarps}));
}

void tilewright::buildLayoutPipeline(OpPassManager &manager,
                                     const PipelineOptions &options) {
  addExpansions(manager, options);
  tilegpu::DecomposeDotsOptions dots;
  dots.targetName = options.target;
  manager.addPass(tilegpu::createDecomposeDots(dots));
  tilegpu::AssignLayoutsOptions layouts;
  layouts.targetName = options.target;
  layouts.numWarps = options.numWarps;
  layouts.numStages = options.numStages;
  manager.addPass(tilegpu::createAssignLayouts(layouts));
  manager.addPass(tilegpu::createFormClusters());
  manager.addPass(tilegpu::createVerifySizes());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  // Values that were computed anew in another layout may be invariant.
  manager.addPass(createLoopInvariantCodeMotionPass());
}

void tilewright::buildLoopPipeline(OpPassManager &manager,
                                   const PipelineOptions &options) {
  manager.addPass(tilegpu::createFindLongestPrograms());
  if (options.bulkCopies != Preference::On &&
      options.specializeWarps != Preference::On) {
    tilegpu::UnrollLoopsOptions unrolled;
    unrolled.numStages = options.numStages;
    unrolled.ctasPerMultiprocessor = options.ctasPerMultiprocessor;
    unrolled.exceptFunctions = options.functionsWithBulkCopies;
    llvm::append_range(unrolled.exceptFunctions, options.functionsWithOwnWarps);
    manager.addPass(tilegpu::createUnrollLoops(unrolled));
  }
  manager.addPass(tilegpu::createUnrollStreamingLoops());
  if (options.overlapProducts)
    manager.addPass(tilegpu::createOverlapProducts());
  tilegpu::ScheduleLoopsOptions loops;
  loops.numStages = options.numStages;
  loops.ctasPerMultiprocessor = options.ctasPerMultiprocessor;
  loops.overlapProducts = options.overlapProducts;
  loops.bulkCopies = options.bulkCopies == Preference::On;
  loops.specializeWarps = options.specializeWarps == Preference::On;
  loops.bulkFunctions = options.functionsWithBulkCopies;
  loops.specializedFunctions = options.functionsWithOwnWarps;
  manager.addPass(tilegpu::createScheduleLoops(loops));
  // Nothing asks for them where the option forbids it.
  if (options.specializeWarps != Preference::Off) {
    manager.addPass(tilegpu::createBufferRings());
    manager.addPass(tilegpu::createSpecializeWarps());
  }
  manager.addPass(tilegpu::createPipelineLoops());
  manager.addPass(tilegpu::createAdvanceCopies());
  manager.addPass(tilegpu::createDelayConversions());
  if (options.cluster > 1)
    manager.addPass(tilegpu::createShareCopies({options.cluster}));
  manager.addPass(tilegpu::createBulkStores());
}

void tilewright::buildTileToTileGPUPipeline(OpPassManager &manager,
                                            const PipelineOptions &options) {
  buildLayoutPipeline(manager, options);
  buildLoopPipeline(manager, options);
}

void tilewright::buildUncheckedTileGPUPipeline(OpPassManager &manager) {
  manager.addPass(tilegpu::createDecomposeReductions());
  manager.addPass(tilegpu::createDecomposeAtomics());
  manager.addPass(tilegpu::createDecomposeGathers());
  manager.addPass(tilegpu::createDecomposeHistograms());
  manager.addPass(tilegpu::createDecomposeReduceScatters());
  // Once for what conversions need, and once for what they take.
  manager.addPass(tilegpu::createShortenTiles());
  manager.addPass(tilegpu::createPlanConversions());
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(tilegpu::createReloadSharedTiles());
  manager.addPass(tilegpu::createGroupSharedAccesses());
  manager.addPass(tilegpu::createDelayStores());
  manager.addPass(tilegpu::createShortenTiles());
  manager.addPass(tilegpu::createAllocateSharedMemory());
  manager.addPass(tilegpu::createOrderGlobalAccesses());
  manager.addPass(tilegpu::createInsertBarriers());
  manager.addPass(tilegpu::createAllocateNamedBarriers());
}

void tilewright::buildTileGPUChecks(OpPassManager &manager) {
  manager.addPass(tilegpu::createVerifyAgentOrder());
}

void tilewright::buildTileGPUPipeline(OpPassManager &manager) {
  buildUncheckedTileGPUPipeline(manager);
  buildTileGPUChecks(manager);
}

void tilewright::buildTileGPUToLLVMPipeline(OpPassManager &manager,
                                            const PipelineOptions &options) {
  if (options.dependentLaunch)
    manager.addPass(
        tilegpu::createOverlapLaunches({options.ctasPerMultiprocessor}));
  // Of one reduced angle.
  manager.addPass(math::createMathSincosFusionPass());
  // Here, so that to analyses a program's number is what it says.
  manager.addPass(tilegpu::createOrderPrograms({options.numWarps}));
  manager.addPass(tilegpu::createTileGPUToLLVM({options.flushSubnormals}));
  manager.addPass(tilegpu::createPackBlockArguments());
  manager.addPass(createCSEPass());
  if (options.lineTables)
    manager.addPass(tilegpu::createFlattenLocations());
}

namespace {
/// What stands for an option on tilewright-opt's command line: nobody estimates
/// there, so that preferences are on or off.
template <typename Kind>
struct Spelled {
  using Type = Kind;
  static Type from(Kind kind) { return kind; }
  static Kind to(const Type &value) { return value; }
};
template <>
struct Spelled<Preference> {
  using Type = bool;
  static Type from(Preference kind) { return kind == Preference::On; }
  static Preference to(bool value) {
    return value ? Preference::On : Preference::Off;
  }
};

/// The pipelines' options on the command line of tilewright-opt.
struct CommandLineOptions : PassPipelineOptions<CommandLineOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("the GPU to compile for"),
                             llvm::cl::init(PipelineOptions().target)};
#define TILEWRIGHT_PIPELINE_OPTION(KIND, NAME, MEMBER, FLAG, DEFAULT, ALLOWED, \
                                   EFFECT, VALUE, TEXT)                        \
  Option<Spelled<CompileOptions::KIND>::Type> MEMBER{                          \
      *this, FLAG, llvm::cl::desc(TEXT),                                       \
      llvm::cl::init(Spelled<CompileOptions::KIND>::from(DEFAULT))};
#include "tilewright-c/CompileOptions.def"

  PipelineOptions get() const {
    PipelineOptions options;
    options.target = target;
#define TILEWRIGHT_PIPELINE_OPTION(KIND, NAME, MEMBER, ...)                    \
  options.MEMBER = Spelled<CompileOptions::KIND>::to(MEMBER);
#include "tilewright-c/CompileOptions.def"
    return options;
  }
};
} // namespace

void tilewright::registerPipelines() {
  PassPipelineRegistration<CommandLineOptions>(
      "tilewright-tile", "tile IR: clean up",
      [](OpPassManager &manager, const CommandLineOptions &options) {
        buildTilePipeline(manager, options.get());
      });
  PassPipelineRegistration<CommandLineOptions>(
      "tilewright-tile-to-tilegpu", "tile IR to tilegpu IR: assign layouts",
      [](OpPassManager &manager, const CommandLineOptions &options) {
        buildTileToTileGPUPipeline(manager, options.get());
      });
  PassPipelineRegistration<>("tilewright-tilegpu",
                             "tilegpu IR: conversions, shared memory, barriers",
                             buildTileGPUPipeline);
  PassPipelineRegistration<CommandLineOptions>(
      "tilewright-tilegpu-to-llvm", "tilegpu IR to the LLVM dialect",
      [](OpPassManager &manager, const CommandLineOptions &options) {
        buildTileGPUToLLVMPipeline(manager, options.get());
      });
  PassPipelineRegistration<CommandLineOptions>(
      "tilewright", "tile IR to the LLVM dialect",
      [](OpPassManager &manager, const CommandLineOptions &options) {
        buildTilePipeline(manager, options.get());
        buildTileToTileGPUPipeline(manager, options.get());
        buildTileGPUPipeline(manager);
        buildTileGPUToLLVMPipeline(manager, options.get());
      });
}

void tilewright::registerAllPasses() {
  tile::registerTilePasses();
  tilegpu::registerTileToTileGPUPasses();
  tilegpu::registerTileGPUPasses();
  tilegpu::registerTileGPUToLLVMPasses();
  registerInlinerPass();
  registerCanonicalizerPass();
  registerCSEPass();
  registerLoopInvariantCodeMotionPass();
  registerSymbolDCEPass();
  mlir::registerPass(
      []() -> std::unique_ptr<Pass> { return createSCFToControlFlowPass(); });
  registerStripDebugInfoPass();
  LLVM::registerDIScopeForLLVMFuncOpPass();
}
