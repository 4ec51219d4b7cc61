// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/BlockFrequency.h"

#include "dialects/Tile/Tile.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;

static constexpr uint64_t entryFrequency = 16, maxFrequency = uint64_t(1) << 24;
/// Trips of a loop of which nothing is known, and the most that count.
static constexpr uint64_t unknownTrips = 16, maxTrips = 64;

static uint64_t multiply(uint64_t frequency, uint64_t trips) {
  return std::min(frequency * trips, maxFrequency);
}

static uint64_t halve(uint64_t frequency, unsigned times) {
  return std::max<uint64_t>(frequency >> times, 1);
}

/// How often what is behind a branch is halved: its first way, where the
/// condition holds, or the second one.
static unsigned countHalvings(Value condition, bool isFirst) {
  if (condition && tile::isLikely(condition))
    return isFirst ? 0 : llvm::Log2_32(tile::likelyTimes);
  return 1;
}

/// The scalar condition that an op with two ways goes by; null where it has
/// none.
static Value findCondition(Operation *op) {
  return op->getNumOperands() && op->getOperand(0).getType().isInteger(1)
             ? op->getOperand(0)
             : Value();
}

/// The same of a block that may be skipped: by the innermost branch that
/// decides it.
static unsigned countHalvings(Block *block, DominanceInfo &dominance) {
  auto *node = dominance.getDomTree(block->getParent()).getNode(block);
  for (node = node->getIDom(); node; node = node->getIDom()) {
    Operation *branch = node->getBlock()->getTerminator();
    if (branch->getNumSuccessors() != 2)
      continue;
    for (unsigned way : {0, 1})
      if (dominance.dominates(branch->getSuccessor(way), block))
        return countHalvings(findCondition(branch), way == 0);
  }
  return 1;
}

/// Follows the loops around `block`, from the innermost: what does not dominate
/// each of their latches may be skipped in an iteration, and so at the end what
/// does not dominate each exit of the function.
static uint64_t estimate(Block *block, CFGLoopInfo &loops,
                         DominanceInfo &dominance) {
  uint64_t frequency = entryFrequency;
  auto halveIfSkipped = [&](Block *inner, ArrayRef<Block *> ends) {
    if (!llvm::all_of(
            ends, [&](Block *end) { return dominance.dominates(inner, end); }))
      frequency = halve(frequency, countHalvings(inner, dominance));
  };
  Block *inner = block;
  for (CFGLoop *loop = loops.getLoopFor(block); loop;
       loop = loop->getParentLoop()) {
    SmallVector<Block *> latches;
    loop->getLoopLatches(latches);
    halveIfSkipped(inner, latches);
    inner = loop->getHeader();
    frequency = multiply(frequency, unknownTrips);
  }
  SmallVector<Block *> exits;
  for (Block &other : *block->getParent())
    if (other.hasNoSuccessors())
      exits.push_back(&other);
  halveIfSkipped(inner, exits);
  return frequency;
}

BlockFrequency::BlockFrequency(FunctionOpInterface function)
    : function(function) {
  DominanceInfo dominance(function);
  function->walk([&](Operation *op) {
    for (Region &region : op->getRegions()) {
      if (region.empty() || region.hasOneBlock())
        continue;
      CFGLoopInfo loops(dominance.getDomTree(&region));
      for (Block &block : region)
        frequencies[&block] = estimate(&block, loops, dominance);
    }
  });
}

/// Whether the op may leave the region out: a branch, but no loop, whose trips
/// count already.
static bool maySkip(Operation *op, Region *region) {
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (!branch)
    return false;
  SmallVector<Attribute> operands(op->getNumOperands());
  SmallVector<InvocationBounds> bounds;
  branch.getRegionInvocationBounds(operands, bounds);
  return bounds[region->getRegionNumber()].getLowerBound() == 0;
}

uint64_t BlockFrequency::get(Block *block) const {
  uint64_t frequency = entryFrequency, skips = 0;
  while (true) {
    if (auto known = frequencies.find(block); known != frequencies.end())
      frequency = std::clamp<uint64_t>(
          frequency * known->second / entryFrequency, 1, maxFrequency);
    Operation *parent = block->getParentOp();
    if (parent == function)
      break;
    if (auto loop = dyn_cast<LoopLikeOpInterface>(parent)) {
      std::optional<APInt> trips = loop.getStaticTripCount();
      frequency = multiply(
          frequency,
          trips ? std::clamp<uint64_t>(trips->getLimitedValue(), 1, maxTrips)
                : unknownTrips);
    } else if (maySkip(parent, block->getParent())) {
      skips += countHalvings(findCondition(parent),
                             block->getParent()->getRegionNumber() == 0);
    }
    block = parent->getBlock();
  }
  return halve(frequency, std::min<uint64_t>(skips, 63));
}
