// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Compiler/WarpCount.h"

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/TileGPU/Placement/DotInstructions.h"
#include "dialects/Triton/Triton.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::compiler;

/// Whether it reads which thread it is or how many there are, or waits for
/// other threads.
static bool dependsOnThreads(tt::ElementwiseInlineAsmOp assembly) {
  StringRef text = assembly.getAsmString();
  return llvm::any_of(ArrayRef<StringRef>{"%tid", "%ntid", "%warpid",
                                          "%nwarpid", "bar.", "barrier"},
                      [&](StringRef word) { return text.contains(word); });
}

/// The sums that the loop carries to the product, which may be scaled before;
/// or null.
static BlockArgument findCarriedSums(Operation *product) {
  SmallVector<Value> next = {product->getOperand(2)};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!next.empty()) {
    Value value = next.pop_back_val();
    if (value.getType() != product->getResult(0).getType())
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == product->getBlock())
      return argument;
    Operation *source = value.getDefiningOp();
    if (source && isElementwise(source) && seen.insert(source).second)
      llvm::append_range(next, source->getOperands());
  }
  return {};
}

/// The sums of a product, and those that its loop carries for other ones
/// meanwhile.
static SmallVector<RankedTensorType> findSumsHeld(Operation *product) {
  SmallVector<RankedTensorType> sums = {
      cast<RankedTensorType>(product->getResult(0).getType())};
  llvm::SmallDenseSet<Value> counted = {findCarriedSums(product)};
  for (Operation &op : *product->getBlock()) {
    if (!isa<tt::DotOp, tt::DotScaledOp>(op))
      continue;
    BlockArgument carried = findCarriedSums(&op);
    if (carried && counted.insert(carried).second)
      sums.push_back(cast<RankedTensorType>(carried.getType()));
  }
  return sums;
}

/// The fewest warps, `asked` doubled, that hold the sums; `asked` where none
/// do: 256 x 256 of f32 are a multiprocessor's whole register file.
static unsigned countWarpsFor(ArrayRef<RankedTensorType> sums,
                              const target::Target &target, unsigned asked) {
  for (unsigned warps = asked; warps <= target.maxWarpsPerCta; warps *= 2)
    if (tilegpu::hasRegistersForSums(sums, warps, target))
      return warps;
  return asked;
}

static void emitRemark(Operation *product, unsigned warps, unsigned asked,
                       const target::Target &target) {
  SmallVector<RankedTensorType> sums = findSumsHeld(product);
  auto function = product->getParentOfType<FunctionOpInterface>();
  unsigned threads = asked * target::Target::warpSize;
  remark::passed(product->getLoc(),
                 remark::RemarkOpts::name("warps").category("dot").function(
                     function.getName()))
      << llvm::formatv("uses {0} warps for {1}: the sums of this product{2} "
                       "take {3} registers of a thread, and it has {4}",
                       warps, asked,
                       sums.size() > 1 ? " and those that the loop carries"
                                       : "",
                       tilegpu::countSumRegisters(sums, asked),
                       target.maxRegistersOf(threads))
             .str();
}

unsigned compiler::chooseWarps(ModuleOp module, const target::Target &target,
                               unsigned asked) {
  unsigned most = asked;
  Operation *widest = nullptr;
  WalkResult result = module.walk([&](Operation *op) {
    auto assembly = dyn_cast<tt::ElementwiseInlineAsmOp>(op);
    if (assembly && dependsOnThreads(assembly))
      return WalkResult::interrupt();
    if (!isa<tt::DotOp, tt::DotScaledOp>(op))
      return WalkResult::advance();
    unsigned warps = countWarpsFor(findSumsHeld(op), target, asked);
    if (warps > most) {
      most = warps;
      widest = op;
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted() || !widest)
    return asked;
  emitRemark(widest, most, asked, target);
  return most;
}
