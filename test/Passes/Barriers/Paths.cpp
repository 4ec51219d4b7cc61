// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Passes/Barriers/Paths.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::test;
using namespace tilewright::tilegpu;

/// Whether the hardware orders `a`, which a bulk copy touches, with `b` of
/// `second`: all threads wait for the copy, each for itself, and a phase of an
/// mbarrier may begin before others wait for it.
static bool isOrderedByPhase(Operation *first, const Touch &a,
                             Operation *second, bool landed) {
  // Agents count phases, which AgentCheck follows.
  auto counts = [](Operation *op) {
    return isa<BulkCopyOp, MbarrierWaitOp, MbarrierArriveOp>(op) &&
           op->getParentOfType<WarpSpecializeOp>();
  };
  if (isOfBarrier(a) && counts(first) && counts(second))
    return true;
  return isa<BulkCopyOp>(first) &&
         (landed || (isOfBarrier(a) &&
                     isa<BulkCopyOp, MbarrierWaitOp, MbarrierInvalOp>(second)));
}

/// Whether `op` starts bulk copies for whatever agent waits for them.
static bool isOfAgents(Operation *op) {
  return isa<BulkCopyOp>(op) && op->getParentOfType<WarpSpecializeOp>();
}

std::optional<Finding> PathCheck::run(FunctionOpInterface function,
                                      Operation *changed, Role role) {
  for (Region *region : listRegions(function))
    for (Block &block : *region)
      for (Operation &op : block)
        if (!touches.get(&op).empty() && !isOfAgents(&op))
          for (const Numbers &numbers : counting.getNumbers(&block))
            if (auto finding = follow(&op, numbers, changed, role))
              return finding;
  return std::nullopt;
}

std::optional<Finding> PathCheck::follow(Operation *first,
                                         const Numbers &numbers,
                                         Operation *changed, Role role) {
  const std::vector<Touch> &touched = touches.get(first, numbers);
  std::set<State> seen;
  std::vector<State> open;
  auto push = [&](State state) {
    if (seen.insert(state).second)
      open.push_back(state);
  };
  push({first->getNextNode(), numbers, false, startGroups(first)});
  while (!open.empty()) {
    State state = open.back();
    open.pop_back();
    Operation *op = state.op;
    if (auto finding = check(first, touched, state))
      return finding;
    if (state.groups >= 0) {
      state.groups = countGroups(first, op, state.groups);
    } else if (isa<WarpSpecializeOp, BarrierWaitOp>(op)) {
      continue;
    } else if (auto barrier = dyn_cast<BarrierOp>(op)) {
      Role own = op == changed ? role : Role::AsItIs;
      bool ofWarp = barrier.getWarp() || own == Role::OfWarp;
      if (own != Role::Absent && !ofWarp)
        continue;
      state.passedWarpBarrier |= own != Role::Absent;
    }
    if (Operation *next = op->getNextNode()) {
      push({next, state.numbers, state.passedWarpBarrier, state.groups});
      continue;
    }
    Block *block = op->getBlock();
    for (unsigned next = 0; next < block->getNumSuccessors(); ++next)
      push({&block->getSuccessor(next)->front(),
            counting.enter(block, next, state.numbers), state.passedWarpBarrier,
            state.groups});
  }
  return std::nullopt;
}

std::optional<Finding> PathCheck::check(Operation *first,
                                        const std::vector<Touch> &touched,
                                        const State &state) {
  // Nobody else can wait for it.
  if (state.groups >= 0 && isa<WarpSpecializeOp, AgentReturnOp>(state.op))
    return Finding{first, state.op, Finding::Wait};
  if (touches.get(state.op).empty())
    return std::nullopt;
  const Need &need =
      compare(first, touched, state.op, touches.get(state.op, state.numbers),
              state.groups < 0);
  if (!need.sameWarp && !need.otherWarp)
    return std::nullopt;
  if (state.groups >= 0)
    return need.isCertain
               ? std::optional(Finding{first, state.op, Finding::Wait})
               : std::nullopt;
  if (need.otherWarp)
    return Finding{first, state.op, Finding::Barrier};
  if (need.sameWarp && !state.passedWarpBarrier)
    return Finding{first, state.op, Finding::WarpBarrier};
  return std::nullopt;
}

const Need &PathCheck::compare(Operation *first,
                               const std::vector<Touch> &touched,
                               Operation *second,
                               const std::vector<Touch> &touching,
                               bool landed) {
  auto [it, isNew] = needs.try_emplace({&touched, &touching, landed});
  if (!isNew)
    return it->second;
  Need need;
  for (const Touch &a : touched)
    for (const Touch &b : touching) {
      if ((!a.isWrite && !b.isWrite) ||
          isOrderedByPhase(first, a, second, landed))
        continue;
      // The same stores again: each thread's are in the program's order. So
      // are copies, once a thread has waited for its own.
      bool areCopies =
          landed && isa<AsyncCopyOp>(first) && isa<AsyncCopyOp>(second);
      if (((a.isStore && b.isStore) || areCopies) && a.elements == b.elements &&
          a.begin == b.begin)
        continue;
      int64_t step = std::min(a.elementBytes, b.elementBytes);
      for (int64_t byte = std::max(a.begin, b.begin),
                   end = std::min(a.end(), b.end());
           byte < end; byte += step) {
        uint32_t left = a.warpsAt(byte), right = b.warpsAt(byte);
        need.sameWarp |= (left & right) != 0;
        need.otherWarp |=
            left && right &&
            (left & ~right || right & ~left || (left & (left - 1)));
        need.isCertain |= left && right && a.isCertain && b.isCertain;
      }
    }
  return it->second = need;
}
