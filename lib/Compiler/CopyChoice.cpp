// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Compiler/CopyChoice.h"

#include "dialects/TileGPU/SharedAccess.h"
#include "dialects/TileGPU/TileGPU.h"
#include "lib/Compiler/Estimate.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Analysis/GridStride.h"
#include "passes/Analysis/Occupancy.h"

#include <limits>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::compiler;
using tilegpu::AsyncStepOpInterface;
using tilegpu::AsyncWork;

void CopyChoice::applyTo(PipelineOptions &pipeline) const {
  for (const auto &[function, copies] : functions) {
    if (copies == TileCopies::Bulk)
      pipeline.functionsWithBulkCopies.push_back(function);
    if (copies == TileCopies::OwnWarps)
      pipeline.functionsWithOwnWarps.push_back(function);
  }
}

bool compiler::leavesCopiesOpen(const target::Target &target,
                                const CompileOptions &options) {
  return target.has(target::Capability::BulkTensorCopy) && options.tensorMaps &&
         options.bulkCopies == Preference::Auto &&
         options.specializeWarps != Preference::On;
}

/// Whether `op` starts asynchronous work of the kind somewhere in it.
static bool starts(Operation *op, AsyncWork work) {
  return op
      ->walk([&](AsyncStepOpInterface step) {
        tilegpu::AsyncStep answer = step.getAsyncStep();
        return answer.work == work && answer.starts ? WalkResult::interrupt()
                                                    : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Trying
//===----------------------------------------------------------------------===//

/// Of threads' copies and bulk copies that are estimated alike, the bulk copies
/// were the faster ones nearly wherever both were measured and warp groups
/// multiply (docs/Hopper.md): what they save of registers and issue slots the
/// estimate does not see. So threads must be this much better there: products
/// whose operands have descriptors took 1.2 of the time by threads on an H200,
/// at the median of 31 of Triton's, where 1.05 chose them for five. Elsewhere
/// bulk copies must be (linear attention on an H100: KDA's first launch,
/// estimated 9 % faster, was 11 %; DPLR, estimated 2 % slower, was 17 %).
static constexpr double groupsMargin = 1.15, othersMargin = 0.97;

/// Likewise where an iteration has several products, and arithmetic between
/// them: of flex attention on an H200 programs whose threads' copies were
/// estimated to take 0.94 to 0.97 of the time took 1.07 to 1.11, those
/// estimated at 0.86 to 0.90 took 0.91 to 0.93.
static constexpr double severalMargin = 1.05;

/// What the estimate for warps of their own is multiplied by: where both kinds
/// of bulk copies were estimated alike, these were the faster ones (f16
/// products of 8192^3 and the dense part of W4A16, both within 0.2 %: 1470 us
/// for 1698 and 789 for 858 on an H200).
static constexpr double ownWarpsMargin = 0.98;

/// Where loops are unrolled for threads' copies alone, bulk copies must be
/// better still: 17 kernels of flash-linear-attention that had been given bulk
/// copies took 0.95 of the time with threads' on an H100, at the same
/// estimates.
static constexpr double unrolledMargin = 0.95;

/// Whether an iteration of some loop has several products by warp groups.
static bool hasSeveralProducts(Operation *function) {
  return function
      ->walk([](scf::ForOp loop) {
        auto products = loop.getBody()->getOps<tilegpu::WgmmaOp>();
        return llvm::hasNItemsOrMore(products, 2) ? WalkResult::interrupt()
                                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

/// How much better threads' copies must be estimated.
static double getMargin(Operation *function) {
  if (!starts(function, AsyncWork::Products))
    return othersMargin;
  return hasSeveralProducts(function) ? severalMargin : groupsMargin;
}

/// The options, with the launch that a persistent kernel tells of by its loop
/// where they name none: that of so few programs is not what estimates take as
/// given, and fewer CTAs of a multiprocessor hide less.
static CompileOptions nameLaunch(ModuleOp module,
                                 const CompileOptions &options) {
  if (!options.launch.empty())
    return options;
  std::optional<int64_t> programs;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    std::optional<int64_t> own;
    function.walk([&](scf::ForOp loop) {
      own = findGridStride(loop.getBody()->getTerminator());
      return own ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!own || (programs && *own != *programs))
      return options;
    programs = own;
  }
  CompileOptions named = options;
  if (programs)
    named.launch = {std::to_string(*programs)};
  return named;
}

namespace {

/// A module that was compiled one way.
struct Trial {
  TileCopies copies;
  OwningOpRef<ModuleOp> module;
  std::vector<mlir::Diagnostic> diagnostics;
  /// Microseconds of each function that fits on the device, and into the
  /// registers of its agents.
  std::map<std::string, double> times;
};

class CopyTrials {
public:
  CopyTrials(ModuleOp module, const target::Target &target,
             const CompileOptions &options, const PipelineOptions &pipeline)
      : module(module), target(target), options(nameLaunch(module, options)),
        pipeline(pipeline) {}

  CopyChoice choose();

private:
  void run(TileCopies copies);
  void estimate(Trial &trial);
  void lowerMargins();
  bool check(Trial &trial);
  CopyChoice compare() const;
  Trial *findUniform(const CopyChoice &choice);

  ModuleOp module;
  const target::Target &target;
  const CompileOptions options;
  const PipelineOptions &pipeline;
  /// Those that compile.
  std::vector<Trial> trials;
  /// Functions in which bulk copies are possible, and what the estimate for
  /// threads' copies is multiplied by.
  std::vector<std::pair<std::string, double>> functions;
};

} // namespace

/// What does not compile is no choice, or else the compilation that follows
/// says why; nor are bulk copies where there are none.
void CopyTrials::run(TileCopies copies) {
  Trial trial = {copies, module.clone(), {}, {}};
  CopyChoice all;
  for (auto function : trial.module->getOps<FunctionOpInterface>())
    all.functions[function.getName().str()] = copies;
  PipelineOptions own = pipeline;
  all.applyTo(own);
  PassManager loops(module.getContext()), others(module.getContext());
  loops.enableVerifier(false);
  others.enableVerifier(false);
  buildLoopPipeline(loops, own);
  buildUncheckedTileGPUPipeline(others);
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](mlir::Diagnostic &diagnostic) {
        trial.diagnostics.push_back(std::move(diagnostic));
      });
  if (failed(loops.run(*trial.module)) ||
      (copies != TileCopies::Threads &&
       !starts(*trial.module, AsyncWork::BulkCopies)) ||
      failed(others.run(*trial.module)))
    return;
  estimate(trial);
  trials.push_back(std::move(trial));
}

void CopyTrials::estimate(Trial &trial) {
  const target::Device *device = &getEstimatedDevice(target, options);
  if (!target.runsOn(device->computeCapability))
    device = &target::getDefaultDevice(target);
  std::vector<bool> used;
  auto fitRegisters = [&](StringRef name) {
    Operation *function = SymbolTable::lookupSymbolIn(*trial.module, name);
    return tilegpu::fitAgentRegisters(cast<FunctionOpInterface>(function));
  };
  for (const KernelEstimate &kernel :
       estimateKernels(*trial.module, target, *device, options, used))
    if (kernel.estimate && fitRegisters(kernel.kernel))
      trial.times[kernel.kernel] = kernel.estimate->microseconds;
}

bool CopyTrials::check(Trial &trial) {
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  buildTileGPUChecks(manager);
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](mlir::Diagnostic &) { return success(); });
  return succeeded(manager.run(*trial.module));
}

static size_t countLoops(FunctionOpInterface function) {
  Region &body = function.getFunctionBody();
  if (body.hasOneBlock())
    return 0;
  DominanceInfo dominance(function);
  return CFGLoopInfo(dominance.getDomTree(&body)).getLoopsInPreorder().size();
}

/// Of functions that have fewer loops with threads' copies, the second trial,
/// than with bulk copies, the first one.
void CopyTrials::lowerMargins() {
  if (trials.size() < 2)
    return;
  for (auto &[name, margin] : functions) {
    auto count = [&](const Trial &trial) {
      return countLoops(cast<FunctionOpInterface>(
          SymbolTable::lookupSymbolIn(*trial.module, name)));
    };
    if (count(trials[1]) < count(trials[0]))
      margin = unrolledMargin;
  }
}

/// The fastest of the trials for each function.
CopyChoice CopyTrials::compare() const {
  CopyChoice choice;
  for (const auto &[name, margin] : functions) {
    double best = std::numeric_limits<double>::infinity();
    choice.functions[name] = TileCopies::Threads;
    for (const Trial &trial : trials) {
      auto found = trial.times.find(name);
      if (found == trial.times.end())
        continue;
      double time = found->second;
      if (trial.copies == TileCopies::Threads)
        time *= margin;
      if (trial.copies == TileCopies::OwnWarps)
        time *= ownWarpsMargin;
      if (time < best)
        choice.functions[name] = trial.copies;
      best = std::min(best, time);
    }
  }
  return choice;
}

/// The trial in which all functions are as chosen, if there is one. Those that
/// have no choice are threads'.
Trial *CopyTrials::findUniform(const CopyChoice &choice) {
  auto isAsChosen = [&](const Trial &trial) {
    return llvm::all_of(
        module.getOps<FunctionOpInterface>(),
        [&](FunctionOpInterface function) {
          auto chosen = choice.functions.find(function.getName().str());
          return trial.copies == (chosen == choice.functions.end()
                                      ? TileCopies::Threads
                                      : chosen->second);
        });
  };
  auto found = llvm::find_if(trials, isAsChosen);
  return found == trials.end() ? nullptr : &*found;
}

CopyChoice CopyTrials::choose() {
  run(TileCopies::Bulk);
  if (trials.empty())
    return {};
  for (auto function : trials[0].module->getOps<FunctionOpInterface>())
    if (starts(function, AsyncWork::BulkCopies))
      functions.emplace_back(
          function.getName().str(),
          getMargin(SymbolTable::lookupSymbolIn(module, function.getName())));
  run(TileCopies::Threads);
  lowerMargins();
  // Warps of their own have registers to give to groups alone.
  if (options.specializeWarps != Preference::Off &&
      starts(module, AsyncWork::Products))
    run(TileCopies::OwnWarps);
  CopyChoice choice = compare();
  // Few are, and to check takes as long as to make them.
  auto ownWarps = llvm::find_if(trials, [](const Trial &trial) {
    return trial.copies == TileCopies::OwnWarps;
  });
  bool isChosen = llvm::any_of(choice.functions, [](const auto &entry) {
    return entry.second == TileCopies::OwnWarps;
  });
  if (isChosen && !check(*ownWarps)) {
    trials.erase(ownWarps);
    choice = compare();
  }
  if (Trial *made = findUniform(choice)) {
    choice.module = std::move(made->module);
    choice.diagnostics = std::move(made->diagnostics);
  }
  return choice;
}

CopyChoice compiler::chooseCopies(ModuleOp module, const target::Target &target,
                                  const CompileOptions &options,
                                  const PipelineOptions &pipeline) {
  if (!starts(module, AsyncWork::Products) &&
      !starts(module, AsyncWork::Copies))
    return {};
  return CopyTrials(module, target, options, pipeline).choose();
}
