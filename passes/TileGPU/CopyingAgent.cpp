// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/CopyingAgent.h"

#include "mlir/IR/Remarks.h"
#include "passes/TileGPU/LoopMemory.h"
#include "passes/TileGPU/TileReleases.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

CopyingAgent::CopyingAgent(FunctionOpInterface function,
                           ArrayRef<BulkCopyOp> copies)
    : function(function) {
  for (BulkCopyOp copy : copies)
    for (Operation *op :
         {findAcquire(copy).getOperation(), copy.getOperation()}) {
      ops.insert(op);
      llvm::for_each(op->getOperands(), [&](Value value) { need(value); });
      if (op->getParentOp() != function)
        needLoop(op->getParentOp());
    }
  for (size_t next = 0; next < values.size() && !obstacle; ++next) {
    Value value = values[next];
    Operation *op = value.getDefiningOp();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      needArgument(argument);
    } else if (isa<LoopLikeOpInterface>(op)) {
      if (scf::ForOp loop = needLoop(op))
        need(loop.getTiedLoopRegionIterArg(cast<OpResult>(value)));
    } else {
      needOp(op);
    }
  }
  if (!obstacle && LoopWrites(function).mayReach(reads))
    obstacle = "it depends on what the kernel may write";
}

void tilegpu::remarkOnObstacle(BulkCopyOp copy, StringRef obstacle) {
  auto function = copy->getParentOfType<FunctionOpInterface>();
  remark::missed(copy.getLoc(), remark::RemarkOpts::name("specialized-warps")
                                    .category("loop")
                                    .function(function.getName()))
      << "no warps of their own run copies: " + obstacle.str();
}

void CopyingAgent::need(Value value) { values.insert(value); }

void CopyingAgent::needArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (parent == function)
    return;
  scf::ForOp loop = needLoop(parent);
  if (!loop || argument == loop.getInductionVar())
    return;
  need(loop.getTiedLoopInit(argument)->get());
  need(loop.getTiedLoopYieldedValue(argument)->get());
}

scf::ForOp CopyingAgent::needLoop(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop) {
    obstacle = "they stand in a branch";
    return loop;
  }
  if (!loops.try_emplace(loop, loop).second)
    return loop;
  for (Value bound :
       {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
    need(bound);
  if (loop->getParentOp() != function)
    needLoop(loop->getParentOp());
  return loop;
}

/// Adds `op`, whole, and what it needs. Memory and maps are both agents'.
void CopyingAgent::needOp(Operation *op) {
  if (!ops.insert(op).second || isa<LocalAllocOp>(op))
    return;
  op->walk([&](Operation *inner) {
    auto isTile = [](Type type) {
      return isa<RankedTensorType, PendingType, TokenType>(type);
    };
    std::optional<GlobalAccess> access = getGlobalAccess(inner);
    bool isRead = access && hasSingleEffect<MemoryEffects::Read>(inner);
    if (isRead)
      reads.push_back(access->pointers);
    if (llvm::any_of(inner->getOperandTypes(), isTile) ||
        llvm::any_of(inner->getResultTypes(), isTile))
      obstacle = "what they copy depends on tiles";
    else if (!isRead && !isMemoryEffectFree(inner))
      obstacle = "what they copy depends on what has effects";
    for (Value operand : inner->getOperands())
      if (!op->isProperAncestor(operand.getParentRegion()->getParentOp()) &&
          operand.getParentRegion()->getParentOp() != op)
        need(operand);
  });
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

void CopyingAgent::write(Block &block, OpBuilder &builder) const {
  IRMapping mapping;
  writeBlock(block, builder, mapping);
}

void CopyingAgent::writeBlock(Block &block, OpBuilder &builder,
                              IRMapping &mapping) const {
  for (Operation &op : block)
    if (scf::ForOp loop = loops.lookup(&op))
      writeLoop(loop, builder, mapping);
    else if (ops.contains(&op))
      builder.clone(op, mapping);
}

/// The loop with those of its carried values that are needed.
void CopyingAgent::writeLoop(scf::ForOp loop, OpBuilder &builder,
                             IRMapping &mapping) const {
  SmallVector<BlockArgument> carried;
  SmallVector<Value> inits;
  for (BlockArgument argument : loop.getRegionIterArgs())
    if (values.contains(argument)) {
      carried.push_back(argument);
      inits.push_back(
          mapping.lookupOrDefault(loop.getTiedLoopInit(argument)->get()));
    }
  auto made = scf::ForOp::create(
      builder, loop.getLoc(), mapping.lookupOrDefault(loop.getLowerBound()),
      mapping.lookupOrDefault(loop.getUpperBound()),
      mapping.lookupOrDefault(loop.getStep()), inits, /*bodyBuilder=*/nullptr,
      loop.getUnsignedCmp());
  mapping.map(loop.getInductionVar(), made.getInductionVar());
  for (auto [argument, own, result] :
       llvm::zip_equal(carried, made.getRegionIterArgs(), made.getResults())) {
    mapping.map(argument, own);
    mapping.map(loop.getTiedLoopResult(argument), result);
  }
  // One without carried values has an end already.
  OpBuilder::InsertionGuard guard(builder);
  if (carried.empty())
    builder.setInsertionPoint(made.getBody()->getTerminator());
  else
    builder.setInsertionPointToEnd(made.getBody());
  writeBlock(*loop.getBody(), builder, mapping);
  if (carried.empty())
    return;
  SmallVector<Value> yielded =
      llvm::map_to_vector(carried, [&](BlockArgument argument) {
        return mapping.lookupOrDefault(
            loop.getTiedLoopYieldedValue(argument)->get());
      });
  scf::YieldOp::create(builder, loop.getLoc(), yielded);
}
