// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Compiler/RegisterLimits.h"

#include "dialects/TileGPU/TileGPU.h"
#include "lib/Codegen/RegisterLimit.h"
#include "lib/Compiler/Estimate.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/Analysis/Occupancy.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::compiler;

/// The limit of a kernel, where it may be another one.
static std::optional<unsigned> getLimit(LLVM::LLVMFuncOp function) {
  auto limit = function->getAttrOfType<IntegerAttr>(
      NVVM::NVVMDialect::getMaxnregAttrName());
  if (!limit || !function.getOps<NVVM::SetMaxRegisterOp>().empty())
    return std::nullopt;
  return limit.getInt();
}

static void setLimit(LLVM::LLVMFuncOp function, unsigned registers) {
  function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                    Builder(function).getI32IntegerAttr(registers));
}

void compiler::capRegisterLimits(ModuleOp module, unsigned most) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (std::optional<unsigned> limit = getLimit(function))
      setLimit(function, std::min(*limit, most));
}

unsigned compiler::getThreads(LLVM::LLVMFuncOp function) {
  return function->getAttrOfType<DenseI32ArrayAttr>(
      NVVM::NVVMDialect::getReqntidAttrName())[0];
}

/// Stores and loads.
static unsigned countSpilled(const codegen::KernelResources &kernel) {
  return kernel.spillStoreBytes + kernel.spillLoadBytes;
}

unsigned compiler::countSpilledBytes(const codegen::AssembledCode &assembled) {
  unsigned most = 0;
  for (const codegen::KernelResources &kernel : assembled.kernels)
    most = std::max(most, countSpilled(kernel));
  return most;
}

/// Whether `other` loses nothing that `code` has.
static bool losesNoMore(const codegen::AssembledCode &other,
                        const codegen::AssembledCode &code) {
  return (other.lost.empty() || !code.lost.empty()) &&
         (!codegen::serializesProducts(other.log) ||
          codegen::serializesProducts(code.log));
}

bool compiler::isWorthCtas(const codegen::AssembledCode &other,
                           const codegen::AssembledCode &code, StringRef ptx) {
  // Int8 experts that spill 160 under 168 registers for 200 take 0.75 on an
  // H200, prefill of attention that spills 96 under 128 for 172 0.79; without
  // products norms and rotary embeddings take 1.2 to 1.9.
  constexpr unsigned mostSpilledByProducts = 192;
  bool hasProducts = ptx.contains("mma.sync") || ptx.contains("mma_async");
  unsigned mostSpilled = hasProducts ? mostSpilledByProducts : 0;
  return countSpilledBytes(other) <= mostSpilled && losesNoMore(other, code);
}

/// Whether the kernel's threads may have more registers than its limit: those
/// that they may have then.
static std::optional<unsigned> getMoreRegisters(LLVM::LLVMFuncOp function,
                                                const target::Target &target,
                                                const CompileOptions &options) {
  unsigned most = std::min(target.maxRegistersOf(getThreads(function)),
                           unsigned(options.maxRegisters));
  std::optional<unsigned> limit = getLimit(function);
  return limit && *limit < most ? std::optional(most) : std::nullopt;
}

bool compiler::raiseRegisterLimits(ModuleOp module,
                                   const target::Target &target,
                                   const CompileOptions &options,
                                   codegen::PtxCode &ptx,
                                   const codegen::AssembledCode &assembled) {
  // Stores and loads. Fewer are worth a CTA more: rotary embeddings that spill
  // 1,192 bytes under 48 registers take 1.17 of the time on an H100.
  constexpr unsigned mostSpilledBytes = 128;
  if (assembled.assembledFor != target.chip)
    return false;
  bool isRaised = false;
  for (const codegen::KernelResources &kernel : assembled.kernels) {
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kernel.name);
    if (!function || countSpilled(kernel) <= mostSpilledBytes)
      continue;
    std::optional<unsigned> most = getMoreRegisters(function, target, options);
    if (!most)
      continue;
    setLimit(function, *most);
    isRaised |= codegen::setRegisterLimit(ptx.text, kernel.name, *most);
  }
  return isRaised;
}

bool compiler::dropRegisterLimits(ModuleOp module, const target::Target &target,
                                  const CompileOptions &options,
                                  codegen::PtxCode &ptx,
                                  const codegen::AssembledCode &assembled) {
  // Fewer cost less than a second run of an assembler: of RWKV-7's first launch
  // (16 bytes) it took 0.8 s of a first call.
  constexpr unsigned fewestSpilledBytes = 32;
  if (assembled.assembledFor != target.chip)
    return false;
  bool isDropped = false;
  for (const codegen::KernelResources &kernel : assembled.kernels) {
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kernel.name);
    if (function && countSpilled(kernel) >= fewestSpilledBytes &&
        getMoreRegisters(function, target, options))
      isDropped |= codegen::dropRegisterLimit(ptx.text, kernel.name);
  }
  return isDropped;
}

/// Those that the loads of an iteration take together.
static unsigned getRegistersOfLoads(LLVM::LLVMFuncOp function) {
  auto loads = function->getAttrOfType<IntegerAttr>(
      tilegpu::TileGPUDialect::registersOfLoadsAttrName);
  return loads ? loads.getInt() : 0;
}

bool compiler::keepsRegisterLimits(ModuleOp module,
                                   const codegen::AssembledCode &other,
                                   const codegen::AssembledCode &code) {
  auto isKept = [&](const codegen::KernelResources &kernel) {
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kernel.name);
    std::optional<unsigned> limit =
        function ? getLimit(function) : std::nullopt;
    return !limit || (kernel.registers <= *limit &&
                      kernel.registers >= getRegistersOfLoads(function));
  };
  return llvm::all_of(other.kernels, isKept) &&
         countSpilledBytes(other) < countSpilledBytes(code) &&
         losesNoMore(other, code);
}

/// Limits with which a multiprocessor has more CTAs than now, those for most of
/// them first, and at least two thirds of what the kernel takes.
///
/// Of 216 kernels of vLLM and SGLang that spilled nothing under limits for more
/// CTAs, on an H200, those whose registers fell to two thirds and more took
/// 0.96 to 0.98 of the time in the mean (0.7 to 1.3), and those that lost more
/// 1.05 to 1.12 (0.73 to 1.8): CUDA's assembler keeps fewer loads in flight. So
/// no limit is below what a loop's loads take together: sums of two gradients'
/// rows, of 8 loads an iteration, took 1.5 of the time under 80 registers for
/// 116, with one load at a time.
static SmallVector<unsigned> listLowerLimits(LLVM::LLVMFuncOp function,
                                             unsigned registers,
                                             const target::Target &target,
                                             unsigned launchedCtas) {
  auto attr = function->getAttrOfType<IntegerAttr>(
      tilegpu::TileGPUDialect::sharedBytesAttrName);
  int64_t sharedBytes = attr ? attr.getInt() : 0;
  unsigned least = getRegistersOfLoads(function);
  unsigned threads = getThreads(function);
  unsigned warps = llvm::divideCeil(threads, target::Target::warpSize);
  unsigned most = tilegpu::countCtas(target, warps, 0, sharedBytes);
  unsigned now = tilegpu::countCtas(target, warps, registers, sharedBytes);
  if (launchedCtas)
    most = std::min(most, launchedCtas);
  SmallVector<unsigned> limits;
  for (unsigned ctas = most; ctas > now; --ctas)
    if (unsigned limit = target.maxRegistersOf(threads * ctas);
        3 * limit >= 2 * registers && limit >= least)
      limits.push_back(limit);
  return limits;
}

bool compiler::lowerRegisterLimits(ModuleOp module,
                                   const target::Target &target,
                                   const CompileOptions &options, CtasMore more,
                                   codegen::PtxCode &ptx,
                                   const codegen::AssembledCode &assembled) {
  if (assembled.assembledFor != target.chip)
    return false;
  bool isLowered = false;
  unsigned launchedCtas = countCtasPerMultiprocessor(target, options);
  for (const codegen::KernelResources &kernel : assembled.kernels) {
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kernel.name);
    if (!function || !getLimit(function) || kernel.spillStoreBytes)
      continue;
    SmallVector<unsigned> limits =
        listLowerLimits(function, kernel.registers, target, launchedCtas);
    if (limits.size() > (more == CtasMore::Most ? 0 : 1))
      isLowered |= codegen::setRegisterLimit(
          ptx.text, kernel.name,
          more == CtasMore::Most ? limits.front() : limits.back());
  }
  return isLowered;
}
