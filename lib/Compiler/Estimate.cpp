// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Compiler/Estimate.h"

#include "dialects/TileGPU/TileGPU.h"
#include "lib/Compiler/LaunchOption.h"
#include "mlir/IR/Location.h"
#include "passes/Analysis/GlobalTraffic.h"
#include "passes/Analysis/Occupancy.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::compiler;

/// What the argument is called; without a name of its own, `arg` and its
/// number.
static std::string getName(BlockArgument argument) {
  if (auto name = dyn_cast<NameLoc>(argument.getLoc()))
    return name.getName().str();
  return "arg" + std::to_string(argument.getArgNumber());
}

/// The launch of `function` that the option asks for; `used[i]` becomes true
/// where the function has argument i of the option.
static Launch getLaunch(FunctionOpInterface function,
                        const LaunchOption &option, std::vector<bool> &used) {
  Launch launch = {option.grid, {}};
  for (BlockArgument argument : function.getArguments()) {
    std::optional<int64_t> value;
    for (const auto &[index, named] : llvm::enumerate(option.arguments))
      if (named.first == getName(argument) &&
          argument.getType().isIntOrIndex()) {
        value = named.second;
        used[index] = true;
      }
    launch.arguments.push_back(value);
  }
  return launch;
}

static LogicalResult verifyArguments(ModuleOp module,
                                     const LaunchOption &option,
                                     const std::vector<bool> &used) {
  for (const auto &[index, named] : llvm::enumerate(option.arguments)) {
    if (used[index])
      continue;
    std::string names;
    for (auto function : module.getOps<FunctionOpInterface>())
      for (BlockArgument argument : function.getArguments())
        if (argument.getType().isIntOrIndex())
          names += (names.empty() ? "" : ", ") + getName(argument);
    return module.emitError("expects a launch to name integer arguments (")
           << names << "), but got '" << named.first << "'";
  }
  return success();
}

const target::Device &
compiler::getEstimatedDevice(const target::Target &target,
                             const CompileOptions &options) {
  return options.gpu.empty() ? target::getDefaultDevice(target)
                             : *target::lookupDevice(options.gpu);
}

bool compiler::isForLaunch(const target::Target &target,
                           const CompileOptions &options) {
  return !options.launch.empty() &&
         target.has(target::Capability::BulkTensorCopy);
}

unsigned compiler::countCtasPerMultiprocessor(const target::Target &target,
                                              const CompileOptions &options) {
  if (!isForLaunch(target, options))
    return 0;
  int64_t ctas = 1;
  for (int64_t along : LaunchOption::parse(options.launch).grid)
    ctas *= along;
  int64_t share = llvm::divideCeil(
      ctas, getEstimatedDevice(target, options).multiprocessors);
  return std::clamp<int64_t>(share, 1, target.maxCtasPerMultiprocessor);
}

void compiler::limitRegisters(ModuleOp module, const target::Target &target,
                              const CompileOptions &options) {
  LaunchOption option = LaunchOption::parse(options.launch);
  std::vector<bool> used(option.arguments.size());
  for (auto function : module.getOps<FunctionOpInterface>()) {
    LoopGraph graph(function.getFunctionBody());
    // Few functions depend on it, and programs are followed for it.
    std::optional<ProgramSample> sample;
    unsigned registers =
        tilegpu::getRegistersOfOccupancy(function, target, [&](Block &block) {
          if (!sample)
            sample.emplace(graph, getLaunch(function, option, used));
          return sample->getRuns(&block) > 0;
        });
    function->setAttr(tilegpu::TileGPUDialect::registersAttrName,
                      Builder(module).getI32IntegerAttr(registers));
  }
}

std::vector<KernelEstimate> compiler::estimateKernels(
    ModuleOp module, const target::Target &target, const target::Device &device,
    const CompileOptions &options, std::vector<bool> &used) {
  LaunchOption option = LaunchOption::parse(options.launch);
  used.assign(option.arguments.size(), false);
  std::vector<KernelEstimate> kernels;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    Launch launch = getLaunch(function, option, used);
    kernels.push_back(
        {function.getName().str(),
         tilegpu::estimateTime(function, launch, target, device)});
  }
  return kernels;
}

FailureOr<ModuleEstimate> compiler::estimateModule(Compilation &compilation) {
  if (failed(compilation.lower(Emit::TileGPU)))
    return failure();
  const CompileOptions &options = compilation.getOptions();
  const target::Target &target = compilation.getTarget();
  const target::Device &device = getEstimatedDevice(target, options);
  ModuleOp module = compilation.getModule();
  if (!target.runsOn(device.computeCapability))
    return module.emitError(target::cannotRunMessage(target, device));

  LaunchOption option = LaunchOption::parse(options.launch);
  std::vector<bool> used;
  ModuleEstimate result = {
      &target, &device, option.grid,
      estimateKernels(module, target, device, options, used)};
  if (failed(verifyArguments(module, option, used)))
    return failure();
  return result;
}
