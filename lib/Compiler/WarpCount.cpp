// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Compiler/WarpCount.h"

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

/// The fewest warps, `asked` doubled, that hold the sums; `asked` where none
/// do: 256 x 256 of f32 are a multiprocessor's whole register file.
static unsigned countWarpsFor(RankedTensorType sums,
                              const target::Target &target, unsigned asked) {
  for (unsigned warps = asked; warps <= target.maxWarpsPerCta; warps *= 2)
    if (tilegpu::hasRegistersForSums(sums, warps, target))
      return warps;
  return asked;
}

static void emitRemark(Operation *product, unsigned warps, unsigned asked,
                       const target::Target &target) {
  auto sums = cast<RankedTensorType>(product->getResult(0).getType());
  auto function = product->getParentOfType<FunctionOpInterface>();
  unsigned threads = asked * target::Target::warpSize;
  remark::passed(product->getLoc(),
                 remark::RemarkOpts::name("warps").category("dot").function(
                     function.getName()))
      << llvm::formatv("uses {0} warps for {1}: the sums of this product take "
                       "{2} registers of a thread, and it has {3}",
                       warps, asked, tilegpu::countSumRegisters(sums, asked),
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
    auto sums = cast<RankedTensorType>(op->getResult(0).getType());
    unsigned warps = countWarpsFor(sums, target, asked);
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
