// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Passes/Barriers/ProxyFences.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::test;
using namespace tilewright::tilegpu;

namespace {
class FenceCheck {
public:
  FenceCheck(FunctionOpInterface function, TouchList &touches)
      : counting(listRegions(function)), touches(touches) {}

  std::optional<Finding> run(FunctionOpInterface function) {
    for (Region *region : listRegions(function))
      for (Block &block : *region)
        for (Operation &op : block)
          if (!isa<BulkCopyOp>(op) &&
              llvm::any_of(touches.get(&op), [](const Touch &touch) {
                return touch.isWrite && !isOfBarrier(touch);
              }))
            for (const Numbers &numbers : counting.getNumbers(&block))
              if (auto finding = follow(&op, numbers))
                return finding;
    return std::nullopt;
  }

private:
  /// Where a path is, which numbers choose buffers, the groups closed since a
  /// copy at its start (-1: it has come), and whether a fence has been passed
  /// since.
  using State = std::tuple<Operation *, Numbers, int, bool>;

  std::optional<Finding> follow(Operation *write, const Numbers &numbers) {
    const std::vector<Touch> &written = touches.get(write, numbers);
    std::set<State> seen;
    std::vector<State> open = {
        {write->getNextNode(), numbers, startGroups(write), false}};
    while (!open.empty()) {
      State state = open.back();
      open.pop_back();
      if (!seen.insert(state).second)
        continue;
      auto [op, now, groups, isFenced] = state;
      if (isa<WgmmaOp, BulkCopyOp, BulkStoreOp>(op) &&
          haveCommonBytes(written, touches.get(op, now), groups >= 0))
        return Finding{write, op, Finding::Fence};
      auto barrier = dyn_cast<BarrierOp>(op);
      bool joins =
          (barrier && (!barrier.getWarp() || lookupNumWarps(barrier) == 1)) ||
          isa<WarpSpecializeOp, BarrierWaitOp>(op);
      if (joins && isFenced)
        continue;
      if (groups >= 0)
        groups = countGroups(write, op, groups);
      else
        isFenced |= isa<ProxyFenceOp>(op);
      if (Operation *next = op->getNextNode())
        open.push_back({next, now, groups, isFenced});
      Block *block = op->getBlock();
      for (unsigned next = 0; next < op->getNumSuccessors(); ++next)
        open.push_back({&op->getSuccessor(next)->front(),
                        counting.enter(block, next, now), groups, isFenced});
    }
    return std::nullopt;
  }

  /// Of a copy on its way, where it is certain.
  static bool haveCommonBytes(const std::vector<Touch> &written,
                              const std::vector<Touch> &read, bool inFlight) {
    for (const Touch &a : written)
      for (const Touch &b : read)
        if (a.isWrite &&
            std::max(a.begin, b.begin) < std::min(a.end(), b.end()) &&
            (!inFlight || (a.isCertain && b.isCertain)))
          return true;
    return false;
  }

  Counting counting;
  TouchList &touches;
};
} // namespace

std::optional<Finding> test::findMissingFence(FunctionOpInterface function,
                                              TouchList &touches) {
  return FenceCheck(function, touches).run(function);
}
