// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Passes/Barriers/Findings.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::test;
using namespace tilewright::tilegpu;

int test::startGroups(Operation *op) {
  if (isa<AsyncCopyOp>(op))
    return 0;
  return isa<WgmmaOp, BulkCopyOp, BulkStoreOp>(op) ? 1 : -1;
}

int test::countGroups(Operation *first, Operation *op, int groups) {
  // Groups beyond these are not told apart.
  constexpr int mostGroups = 32;
  std::optional<unsigned> left;
  bool closes = false;
  if (isa<WgmmaOp>(first)) {
    closes = isa<WgmmaOp>(op);
    if (auto wait = dyn_cast<WgmmaWaitOp>(op))
      left = wait.getPending();
  } else if (isa<BulkCopyOp>(first)) {
    closes = isa<BulkCopyOp>(op);
    if (auto wait = dyn_cast<MbarrierWaitOp>(op))
      left = wait.getPending();
    else if (isa<MbarrierInvalOp>(op))
      left = 0;
  } else if (isa<BulkStoreOp>(first)) {
    closes = isa<BulkStoreOp>(op);
    if (auto wait = dyn_cast<BulkStoreWaitOp>(op))
      left = wait.getPending();
  } else {
    closes = isa<AsyncCommitOp>(op);
    if (auto wait = dyn_cast<AsyncWaitOp>(op))
      left = wait.getPending();
  }
  if (left && groups > int(*left))
    return -1;
  return closes ? std::min(groups + 1, mostGroups) : groups;
}

bool test::isOfBarrier(const Touch &touch) {
  LocalAllocOp allocation = touch.allocation;
  return llvm::any_of(allocation->getUsers(), [](Operation *user) {
    return isa<MbarrierInitOp>(user);
  });
}

std::vector<Region *> test::listRegions(FunctionOpInterface function) {
  std::vector<Region *> regions = {&function.getFunctionBody()};
  function.walk([&](WarpSpecializeOp op) {
    for (Region &region : op.getAgents())
      regions.push_back(&region);
  });
  return regions;
}
