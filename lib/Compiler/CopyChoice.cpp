// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Compiler/CopyChoice.h"

#include "dialects/TileGPU/SharedAccess.h"
#include "dialects/TileGPU/TileGPU.h"
#include "lib/Compiler/Estimate.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

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
/// were the faster ones wherever both were measured (docs/Hopper.md): what they
/// save of registers and issue slots the estimate does not see. So threads must
/// be this much better.
static constexpr double threadsMargin = 1.03;

namespace {

/// A module that was compiled one way.
struct Trial {
  TileCopies copies;
  OwningOpRef<ModuleOp> module;
  /// Microseconds of each function that fits on the device.
  std::map<std::string, double> times;
};

class CopyTrials {
public:
  CopyTrials(ModuleOp module, const target::Target &target,
             const CompileOptions &options, const PipelineOptions &pipeline)
      : module(module), target(target), options(options), pipeline(pipeline) {}

  CopyChoice choose();

private:
  void run(TileCopies copies);

  ModuleOp module;
  const target::Target &target;
  const CompileOptions &options;
  const PipelineOptions &pipeline;
  /// Those that compile.
  std::vector<Trial> trials;
};

} // namespace

/// What does not compile is no choice, or else the compilation that follows
/// says why.
void CopyTrials::run(TileCopies copies) {
  Trial trial = {copies, module.clone(), {}};
  CopyChoice all;
  for (auto function : trial.module->getOps<FunctionOpInterface>())
    all.functions[function.getName().str()] = copies;
  PipelineOptions own = pipeline;
  all.applyTo(own);
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  buildLoopPipeline(manager, own);
  buildTileGPUPipeline(manager);
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](mlir::Diagnostic &) { return success(); });
  if (failed(manager.run(*trial.module)))
    return;
  const target::Device *device = &getEstimatedDevice(target, options);
  if (!target.runsOn(device->computeCapability))
    device = &target::getDefaultDevice(target);
  std::vector<bool> used;
  for (const KernelEstimate &kernel :
       estimateKernels(*trial.module, target, *device, options, used))
    if (kernel.estimate)
      trial.times[kernel.kernel] = kernel.estimate->microseconds;
  trials.push_back(std::move(trial));
}

CopyChoice CopyTrials::choose() {
  CopyChoice choice;
  run(TileCopies::Bulk);
  if (trials.empty() || !starts(*trials[0].module, AsyncWork::BulkCopies))
    return choice;
  run(TileCopies::Threads);
  if (options.specializeWarps != Preference::Off)
    run(TileCopies::OwnWarps);
  for (auto function : trials[0].module->getOps<FunctionOpInterface>()) {
    if (!starts(function, AsyncWork::BulkCopies))
      continue;
    std::string name = function.getName().str();
    double best = std::numeric_limits<double>::infinity();
    for (const Trial &trial : trials) {
      auto found = trial.times.find(name);
      if (found == trial.times.end())
        continue;
      double time = found->second;
      if (trial.copies == TileCopies::Threads)
        time *= threadsMargin;
      if (time < best)
        choice.functions[name] = trial.copies;
      best = std::min(best, time);
    }
  }
  return choice;
}

CopyChoice compiler::chooseCopies(ModuleOp module, const target::Target &target,
                                  const CompileOptions &options,
                                  const PipelineOptions &pipeline) {
  if (!starts(module, AsyncWork::Products))
    return {};
  return CopyTrials(module, target, options, pipeline).choose();
}
