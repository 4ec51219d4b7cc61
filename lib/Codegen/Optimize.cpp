// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The LLVM passes that a kernel needs.
//
// LLVM's own pipelines spend most of their time on calls, memory and
// exceptions. A kernel of tiles has its functions inlined and its variables in
// registers from the start; its blocks are long and its loops few. The passes
// here give the same code as -O3 on the corpus (PTX instructions within 1 %) in
// a third of the time.

#include "lib/Codegen/Optimize.h"

#include "lib/Codegen/ConvertSmallIntegers.h"
#include "lib/Codegen/DropLoads.h"
#include "lib/Codegen/OrderDepthFirst.h"
#include "lib/Codegen/ShareOffsets.h"
#include "lib/Codegen/SimplifyShifts.h"
#include "lib/Codegen/SinkConversions.h"
#include "lib/Codegen/SinkOperands.h"
#include "lib/Codegen/SkipIdleLoops.h"
#include "lib/Codegen/UnsignExtrema.h"
#include "lib/Codegen/WaitBehindLoops.h"
#include "lib/Codegen/WidenBfloats.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Vectorize/SLPVectorizer.h"

using namespace llvm;
using namespace tilewright;

/// Functions besides the kernels, which have a body each.
static SmallVector<Function *> getCallees(Module &module) {
  SmallVector<Function *> callees;
  for (Function &function : module)
    if (!function.isDeclaration() && function.hasLocalLinkage())
      callees.push_back(&function);
  return callees;
}

/// Whether a callee is one of linked libraries: the lowering marks its own as
/// always inline, or as cold.
static bool isOfLibrary(const Function *callee) {
  return !callee->hasFnAttribute(Attribute::AlwaysInline) &&
         !callee->hasFnAttribute(Attribute::Cold);
}

/// Instructions of a block in which halves are paired. LLVM numbers all of them
/// anew for each pair that it makes: 8,192 take 1 s, four times as many 20 s.
/// Blocks of this length calculate with more tiles than there are registers, so
/// that it is not the arithmetic that counts there.
static constexpr size_t longestPairedBlock = 16384;

/// Whether no block is too long for pairing.
static bool hasShortBlocks(const Module &module) {
  for (const Function &function : module)
    for (const BasicBlock &block : function)
      if (block.size() > longestPairedBlock)
        return false;
  return true;
}

/// Whether a kernel calculates in halves, which the hardware takes in pairs.
static bool hasHalfArithmetic(const Module &module) {
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      if (isa<BinaryOperator, UnaryOperator, CallBase>(instruction) &&
          instruction.getType()->is16bitFPTy())
        return true;
  return false;
}

/// Leaves the lines of callees' instructions to their calls: what a kernel
/// calls is a matter of its own line, and lines of inlined calls are newer than
/// some targets' PTX.
static void dropLinesOfCallees(Module &module) {
  for (Function *callee : getCallees(module))
    stripDebugInfo(*callee);
}

/// Makes conversions of booleans to floats choices between two constants. LLVM
/// 22 takes a set bit for 1 where it is -1, on the way to bf16; its passes make
/// such conversions of those of wider numbers.
static void selectBooleanFloats(Module &module) {
  SmallVector<CastInst *> casts;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isa<SIToFPInst, UIToFPInst>(instruction) &&
          instruction.getOperand(0)->getType()->isIntegerTy(1))
        casts.push_back(cast<CastInst>(&instruction));
  for (CastInst *cast : casts) {
    Type *type = cast->getType();
    double set = isa<SIToFPInst>(cast) ? -1.0 : 1.0;
    auto *choice =
        SelectInst::Create(cast->getOperand(0), ConstantFP::get(type, set),
                           ConstantFP::get(type, 0.0));
    ReplaceInstWithInst(cast, choice);
  }
}

/// Calls of a cold function up to which it is copied to each. As a call it
/// keeps what lives across it out of some registers; the slow path of a sine,
/// copied for each of a thread's 512 elements, takes LLVM five times as long
/// and the assembler minutes.
static constexpr unsigned mostColdCopies = 4;

/// Lets cold functions be inlined where few places call them, and nowhere else.
static void chooseColdCalls(Module &module) {
  for (Function *callee : getCallees(module))
    if (callee->hasFnAttribute(Attribute::Cold))
      callee->addFnAttr(callee->hasNUsesOrMore(mostColdCopies + 1)
                            ? Attribute::NoInline
                            : Attribute::AlwaysInline);
}

/// Inlines what the lowering calls: first its functions, simplified once before
/// they are copied, then those cold ones that stay few.
static void inlineCallees(Module &module, PassBuilder &builder,
                          ModuleAnalysisManager &analyses) {
  FunctionPassManager simplification =
      builder.buildFunctionSimplificationPipeline(OptimizationLevel::O3,
                                                  ThinOrFullLTOPhase::None);
  ModulePassManager passes;
  FunctionAnalysisManager &functions =
      analyses.getResult<FunctionAnalysisManagerModuleProxy>(module)
          .getManager();
  for (Function *callee : getCallees(module))
    functions.invalidate(*callee, simplification.run(*callee, functions));
  passes.addPass(AlwaysInlinerPass(/*InsertLifetime=*/false));
  passes.addPass(GlobalDCEPass());
  passes.run(module, analyses);
  chooseColdCalls(module);
  passes.run(module, analyses);
}

namespace {
/// Has the assembler leave loops as they are whose number of iterations is
/// known: LLVM has unrolled those of them that are short. The assembler counts
/// no tiles: it unrolls a loop of products until a thread has no registers
/// left, and half of the CTAs have no place.
struct KeepCountedLoops : PassInfoMixin<KeepCountedLoops> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
    for (Loop *loop :
         analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
      if (evolution.getSmallConstantTripCount(loop))
        loop->setLoopAlreadyUnrolled();
    return PreservedAnalyses::all();
  }
};
} // namespace

static FunctionPassManager buildKernelPasses(bool pairHalves,
                                             const target::Target &target) {
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass());
  passes.addPass(codegen::UnsignExtrema());
  passes.addPass(InstCombinePass());
  passes.addPass(codegen::SimplifyShifts());
  passes.addPass(SimplifyCFGPass());

  // Loops get preheaders.
  passes.addPass(LoopSimplifyPass());
  passes.addPass(codegen::ShareOffsets());

  LoopPassManager rotation;
  rotation.addPass(LoopRotatePass());
  rotation.addPass(LICMPass(LICMOptions()));
  rotation.addPass(SimpleLoopUnswitchPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(rotation),
                                                 /*UseMemorySSA=*/true));
  // Predicates are computed before loops by now.
  passes.addPass(codegen::SkipIdleLoops());
  LoopPassManager counting;
  counting.addPass(IndVarSimplifyPass());
  counting.addPass(LoopDeletionPass());
  counting.addPass(LoopFullUnrollPass());
  passes.addPass(createFunctionToLoopPassAdaptor(std::move(counting)));

  passes.addPass(GVNPass());
  passes.addPass(LoopUnrollPass());
  passes.addPass(KeepCountedLoops());
  passes.addPass(codegen::DropLoads());
  passes.addPass(InstCombinePass());
  // All else was vectorised by the layouts.
  if (pairHalves)
    passes.addPass(SLPVectorizerPass());
  passes.addPass(codegen::ConvertSmallIntegers(
      target.has(target::Capability::Bf16Arithmetic)));
  passes.addPass(
      codegen::WidenBfloats(target.has(target::Capability::Bf16Conversion)));
  passes.addPass(ADCEPass());
  passes.addPass(SimplifyCFGPass());
  // Behind all that looks for instructions side by side.
  passes.addPass(codegen::OrderDepthFirst());
  passes.addPass(codegen::SinkConversions());
  passes.addPass(codegen::SinkOperands());
  passes.addPass(codegen::WaitBehindLoops());
  return passes;
}

void codegen::optimizeKernels(Module &module, TargetMachine &machine,
                              const target::Target &target, unsigned level) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager callGraph;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);

  dropLinesOfCallees(module);
  ModulePassManager passes;
  if (level == 0) {
    passes = builder.buildO0DefaultPipeline(OptimizationLevel::O0);
  } else {
    // NVPTX's own: what libraries ask of the target, and the ranges of thread
    // indices.
    builder.invokePipelineStartEPCallbacks(passes, OptimizationLevel::O3);
    SmallVector<Function *> callees = getCallees(module);
    if (any_of(callees, isOfLibrary)) {
      passes.addPass(builder.buildInlinerPipeline(OptimizationLevel::O3,
                                                  ThinOrFullLTOPhase::None));
      passes.addPass(GlobalDCEPass());
    } else if (!callees.empty()) {
      inlineCallees(module, builder, modules);
    }
    passes.addPass(createModuleToFunctionPassAdaptor(buildKernelPasses(
        hasHalfArithmetic(module) && hasShortBlocks(module), target)));
  }
  passes.run(module, modules);
  selectBooleanFloats(module);
}
