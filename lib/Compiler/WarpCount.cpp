// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Compiler/WarpCount.h"

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/TileGPU/Placement/DotInstructions.h"
#include "dialects/Triton/Triton.h"
#include "lib/Compiler/HeldTiles.h"
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

static unsigned countThreads(unsigned warps) {
  return warps * target::Target::warpSize;
}

/// The number of warps, `asked` doubled some times, that lacks the fewest
/// registers, and of equal ones the fewest: `countLacking` says how many those
/// of all threads are.
static unsigned
countWarpsFor(const target::Target &target, unsigned asked,
              llvm::function_ref<uint64_t(unsigned)> countLacking) {
  unsigned best = asked;
  uint64_t least = countLacking(asked);
  for (unsigned warps = 2 * asked; least && warps <= target.maxWarpsPerCta;
       warps *= 2)
    if (uint64_t lacking = countLacking(warps); lacking < least) {
      best = warps;
      least = lacking;
    }
  return best;
}

/// Of the sums of `product` no thread may lack any, whose products would wait
/// for each other: `asked` where all numbers of warps are too few, as for 256 x
/// 256 of f32, which are a multiprocessor's whole register file.
static unsigned countWarpsForSums(Operation *product,
                                  const target::Target &target,
                                  unsigned asked) {
  SmallVector<RankedTensorType> sums = findSumsHeld(product);
  return countWarpsFor(target, asked, [&](unsigned warps) {
    return tilegpu::hasRegistersForSums(sums, warps, target) ? 0 : 1;
  });
}

static uint64_t countRegisters(uint64_t bits, unsigned warps) {
  return llvm::divideCeil(bits, 32 * countThreads(warps));
}

/// What is held across `reduction` may be spilled in part: 65,536 elements of
/// f32 are best held by 8 warps, of whose threads each lacks 65 registers by
/// this count.
static unsigned countWarpsForTiles(Operation *reduction,
                                   const target::Target &target,
                                   unsigned asked) {
  uint64_t bits = countBitsHeldAcross(reduction);
  return countWarpsFor(target, asked, [&](unsigned warps) {
    uint64_t threads = countThreads(warps);
    uint64_t held = countRegisters(bits, warps);
    return threads * (held - std::min<uint64_t>(
                                 held, target.maxTileRegistersOf(threads)));
  });
}

static void emitRemark(Operation *op, StringRef category,
                       const llvm::formatv_object_base &text) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  remark::passed(op->getLoc(),
                 remark::RemarkOpts::name("warps").category(category).function(
                     function.getName()))
      << text.str();
}

static void remarkOnSums(Operation *product, unsigned warps, unsigned asked,
                         const target::Target &target) {
  SmallVector<RankedTensorType> sums = findSumsHeld(product);
  emitRemark(
      product, "dot",
      llvm::formatv("uses {0} warps for {1}: the sums of this product{2} "
                    "take {3} registers of a thread, and it has {4}",
                    warps, asked,
                    sums.size() > 1 ? " and those that the loop carries" : "",
                    tilegpu::countSumRegisters(sums, asked),
                    target.maxRegistersOf(countThreads(asked))));
}

static void remarkOnTiles(Operation *op, unsigned warps, unsigned asked,
                          const target::Target &target) {
  emitRemark(op, "registers",
             llvm::formatv("uses {0} warps for {1}: the tiles that are held "
                           "across this op take {2} registers of a thread, and "
                           "it has {3} for them",
                           warps, asked,
                           countRegisters(countBitsHeldAcross(op), asked),
                           target.maxTileRegistersOf(countThreads(asked))));
}

static bool isProduct(Operation *op) {
  return isa<tt::DotOp, tt::DotScaledOp>(op);
}

static bool isReduction(Operation *op) {
  return isa<tt::ReduceOp, tt::ScanOp>(op);
}

/// The op of those for which the most warps are needed, and how many these are;
/// null where `asked` are enough.
static std::pair<Operation *, unsigned>
findMostWarps(ArrayRef<Operation *> ops, unsigned asked,
              llvm::function_ref<unsigned(Operation *)> countWarps) {
  std::pair<Operation *, unsigned> most = {nullptr, asked};
  for (Operation *op : ops)
    if (unsigned warps = countWarps(op); warps > most.second)
      most = {op, warps};
  return most;
}

unsigned compiler::chooseWarps(ModuleOp module, const target::Target &target,
                               unsigned asked) {
  SmallVector<Operation *> products, reductions;
  WalkResult result = module.walk([&](Operation *op) {
    auto assembly = dyn_cast<tt::ElementwiseInlineAsmOp>(op);
    if (assembly && dependsOnThreads(assembly))
      return WalkResult::interrupt();
    if (isProduct(op))
      products.push_back(op);
    if (isReduction(op))
      reductions.push_back(op);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return asked;
  if (!products.empty()) {
    auto [op, warps] = findMostWarps(products, asked, [&](Operation *product) {
      return countWarpsForSums(product, target, asked);
    });
    if (op)
      remarkOnSums(op, warps, asked, target);
    return warps;
  }
  auto [op, warps] =
      findMostWarps(reductions, asked, [&](Operation *reduction) {
        return countWarpsForTiles(reduction, target, asked);
      });
  if (op)
    remarkOnTiles(op, warps, asked, target);
  return warps;
}
