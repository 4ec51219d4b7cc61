// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/LaunchFrequency.h"

#include "dialects/Tile/Tile.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;
using namespace tilewright;

/// Trips of a loop of which nothing is known, and the most that are looked for.
static constexpr int64_t unknownTrips = 16, maxTrips = int64_t(1) << 30;

//===----------------------------------------------------------------------===//
// LoopGraph
//===----------------------------------------------------------------------===//

LoopGraph::LoopGraph(Region &body) {
  if (!body.hasOneBlock()) {
    DominanceInfo dominance(body.getParentOp());
    loops = std::make_unique<CFGLoopInfo>(dominance.getDomTree(&body));
  }
  llvm::append_range(order,
                     llvm::ReversePostOrderTraversal<Block *>(&body.front()));
}

CFGLoop *LoopGraph::getLoop(Block *block) const {
  return loops ? loops->getLoopFor(block) : nullptr;
}

bool LoopGraph::isHeader(Block *block) const {
  CFGLoop *loop = getLoop(block);
  return loop && loop->getHeader() == block;
}

//===----------------------------------------------------------------------===//
// LaunchFrequency
//===----------------------------------------------------------------------===//

LaunchFrequency::LaunchFrequency(const LoopGraph &graph, LaunchValues &values)
    : graph(graph), values(values) {
  ArrayRef<Block *> order = graph.getOrder();
  runs[order.front()] = 1;
  for (Block *block : order) {
    if (graph.isHeader(block)) {
      CFGLoop *loop = graph.getLoop(block);
      enter(loop, runs.lookup(block));
      runs[block] *= states[loop]->trips;
    }
    leave(block);
  }
}

/// Values in iteration `iteration`, as if all that the loop carries grew by the
/// same step each time.
LaunchValues LaunchFrequency::advance(const LoopState &state, CFGLoop *loop,
                                      int64_t iteration) const {
  LaunchValues there(values, loop);
  for (const auto &[value, steps] : state.carried)
    there.set(value,
              LaunchValue::advance(steps.first, steps.second, iteration));
  return there;
}

/// Conditions come from the iterations before. Those of copies that run ahead
/// where a loop's bound might overflow are such: an iteration is in the loop if
/// the one before it is and does not reach the bound. What a pipeline holds
/// back it does for no more iterations than these.
LaunchValues LaunchFrequency::getValues(const LoopState &state, CFGLoop *loop,
                                        int64_t iteration) const {
  constexpr int64_t mostBefore = 8;
  int64_t at = iteration;
  if (!state.conditions.empty())
    at = std::max<int64_t>(0, iteration - mostBefore);
  LaunchValues current = advance(state, loop, at);
  while (at < iteration) {
    LaunchValues next = advance(state, loop, ++at);
    for (const auto &[value, passed] : state.conditions)
      next.set(value, current.get(passed));
    current = std::move(next);
  }
  return current;
}

/// The first iteration in which `block` leaves the loop.
std::optional<int64_t> LaunchFrequency::findExit(const LoopState &state,
                                                 CFGLoop *loop, Block *block) {
  // Nothing where it cannot be told.
  auto leaves = [&](int64_t iteration) -> std::optional<bool> {
    LaunchValues there = getValues(state, loop, iteration);
    Block *successor = there.getSuccessor(block);
    uniform &= there.isBranchUniform(block);
    return successor ? std::optional(!loop->contains(successor)) : std::nullopt;
  };
  int64_t stays = -1, left = 0;
  for (; left < maxTrips; left = std::max<int64_t>(1, 2 * left)) {
    std::optional<bool> leavesThen = leaves(left);
    if (!leavesThen)
      return std::nullopt;
    if (*leavesThen)
      break;
    stays = left;
  }
  while (left - stays > 1) {
    int64_t middle = stays + (left - stays) / 2;
    (leaves(middle).value_or(true) ? left : stays) = middle;
  }
  return left < maxTrips ? std::optional(left) : std::nullopt;
}

void LaunchFrequency::enter(CFGLoop *loop, double entries) {
  auto &state = states[loop];
  state = std::make_unique<LoopState>();
  state->entries = entries;
  Block *header = loop->getHeader();
  SmallVector<Block *> latches, exiting;
  loop->getLoopLatches(latches);
  loop->getExitingBlocks(exiting);
  for (BlockArgument argument : header->getArguments())
    for (Block *predecessor : header->getPredecessors())
      if (!loop->contains(predecessor)) {
        Value passed = getPassed(predecessor, argument);
        state->carried.push_back(
            {argument, {passed ? values.get(passed) : LaunchValue(), {}}});
        break;
      }
  LaunchValues first(values, loop);
  for (auto &[argument, steps] : state->carried)
    first.set(argument, steps.first);
  for (auto &[argument, steps] : state->carried)
    if (Value passed =
            getPassed(latches.front(), cast<BlockArgument>(argument))) {
      steps.second = first.get(passed);
      if (argument.getType().isInteger(1))
        state->conditions.push_back({argument, passed});
    }

  std::optional<int64_t> trips;
  for (Block *block : exiting)
    if (graph.getLoop(block) == loop)
      if (std::optional<int64_t> exit = findExit(*state, loop, block)) {
        // Who leaves from behind the header has begun that iteration.
        int64_t count =
            *exit + (block == header && latches.front() != header ? 0 : 1);
        trips = std::min(trips.value_or(count), count);
      }
  state->isKnown = trips.has_value();
  state->trips = trips.value_or(unknownTrips);
  for (const auto &[argument, steps] : state->carried)
    values.set(argument, LaunchValue::advance(steps.first, steps.second,
                                              state->trips / 2));
}

/// Whether a program that comes here is done: what it skips is what it is for,
/// so that it is taken for the exception.
static bool endsAtOnce(Block *block) {
  while (llvm::hasSingleElement(*block) && block->getNumSuccessors() == 1 &&
         block != block->getSuccessor(0))
    block = block->getSuccessor(0);
  return block->hasNoSuccessors() && llvm::hasSingleElement(*block);
}

/// Hands the runs of `block` on to its successors.
void LaunchFrequency::leave(Block *block) {
  CFGLoop *loop = graph.getLoop(block);
  SmallVector<Block *> inside;
  unsigned exits = 0;
  for (Block *successor : block->getSuccessors()) {
    if (!loop || loop->contains(successor)) {
      inside.push_back(successor);
      continue;
    }
    // What enters a loop leaves it.
    SmallVector<Block *> exiting;
    loop->getExitingBlocks(exiting);
    exits = exiting.size();
    runs[successor] += states[loop]->entries / exits;
  }
  Block *known = inside.size() > 1 ? values.getSuccessor(block) : nullptr;
  if (inside.size() > 1)
    uniform &= values.isBranchUniform(block);
  if (!known && llvm::any_of(inside, std::not_fn(endsAtOnce)))
    llvm::erase_if(inside, endsAtOnce);
  Operation *branch = block->getTerminator();
  bool isLikely =
      branch->getNumOperands() && tile::isLikely(branch->getOperand(0));
  for (Block *successor : inside) {
    // The way back is in the header's runs already.
    if (loop && successor == loop->getHeader())
      continue;
    double share = known ? (known == successor ? 1. : 0.) : 1. / inside.size();
    constexpr double unlikely = 1. / tile::likelyTimes;
    if (!known && isLikely && inside.size() == 2)
      share = successor == inside.front() ? 1 - unlikely : unlikely;
    runs[successor] += runs.lookup(block) * share;
  }
}

double LaunchFrequency::getTrips(CFGLoop *loop) const {
  return states.at(loop)->trips;
}

double LaunchFrequency::getEntries(CFGLoop *loop) const {
  return states.at(loop)->entries;
}

bool LaunchFrequency::isKnown(CFGLoop *loop) const {
  return states.at(loop)->isKnown;
}

LaunchValues LaunchFrequency::getValues(CFGLoop *loop,
                                        int64_t iteration) const {
  return getValues(*states.at(loop), loop, iteration);
}
