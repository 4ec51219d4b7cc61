// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/ClusterUniformity.h"

#include "dialects/Interfaces/LaunchOpInterfaces.h"
#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;

/// Whether `value` is the program's number along x.
static bool isNumber(Value value) {
  while (auto extension = value.getDefiningOp()) {
    if (!isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp>(extension))
      break;
    value = extension->getOperand(0);
  }
  auto grid = value.getDefiningOp<GridOpInterface>();
  if (!grid)
    return false;
  GridQuantity quantity = grid.getGridQuantity();
  return !quantity.isSize && quantity.axis == 0;
}

/// Whether `op` is the number of the program's cluster, or of some of them.
static bool isClusterNumber(Operation *op, unsigned ctas) {
  APInt divisor;
  if (op->getNumOperands() != 2 || !isNumber(op->getOperand(0)) ||
      !matchPattern(op->getOperand(1), m_ConstantInt(&divisor)))
    return false;
  if (isa<arith::ShRSIOp, arith::ShRUIOp>(op))
    return divisor.uge(llvm::Log2_32(ctas));
  return isa<arith::DivSIOp, arith::DivUIOp>(op) &&
         divisor.isStrictlyPositive() && divisor.urem(ctas) == 0;
}

/// Whether it is known how values come into the op's regions, and out of them.
static bool isStructured(Operation *op) {
  return isa<FunctionOpInterface, scf::ForOp, scf::IfOp,
             tilegpu::WarpSpecializeOp>(op);
}

ClusterUniformity::ClusterUniformity(FunctionOpInterface function,
                                     unsigned ctas)
    : ctas(ctas) {
  function->walk([&](Operation *op) { addSource(op); });
  while (!open.empty())
    for (OpOperand &use : open.pop_back_val().getUses())
      addUser(use);
}

void ClusterUniformity::add(ValueRange values) {
  for (Value value : values)
    if (varying.insert(value).second)
      open.push_back(value);
}

/// Adds what differs by itself.
void ClusterUniformity::addSource(Operation *op) {
  if (isStructured(op))
    return;
  bool isOfX = op->getNumResults() == 1 && isa<GridOpInterface>(op) &&
               isNumber(op->getResult(0));
  if (isOfX || !isMemoryEffectFree(op))
    add(op->getResults());
  for (Region &region : op->getRegions())
    for (Block &block : region)
      add(block.getArguments());
}

/// Adds what differs as an operand does.
void ClusterUniformity::addUser(OpOperand &use) {
  Operation *op = use.getOwner(), *parent = op->getParentOp();
  for (Operation *outer = parent; !isStructured(outer);
       outer = outer->getParentOp())
    add(outer->getResults());
  if (isClusterNumber(op, ctas))
    return;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    // With other bounds an iteration of the same number is another one.
    if (BlockArgument carried = loop.getTiedLoopRegionIterArg(&use)) {
      add(carried);
      add(loop.getTiedLoopResult(carried));
    } else {
      add(loop.getBody()->getArguments());
      add(loop.getResults());
    }
  } else if (isa<scf::YieldOp>(op) && isa<scf::ForOp, scf::IfOp>(parent)) {
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      add(loop.getRegionIterArg(use.getOperandNumber()));
    add(parent->getResult(use.getOperandNumber()));
  } else {
    add(op->getResults());
  }
}

bool ClusterUniformity::isReachedAlike(Operation *op) const {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (isa<FunctionOpInterface>(parent))
      return cast<FunctionOpInterface>(parent).getFunctionBody().hasOneBlock();
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop && !isa<tilegpu::WarpSpecializeOp>(parent))
      return false;
    if (loop && !(isUniform(loop.getLowerBound()) &&
                  isUniform(loop.getUpperBound()) && isUniform(loop.getStep())))
      return false;
  }
  return false;
}
