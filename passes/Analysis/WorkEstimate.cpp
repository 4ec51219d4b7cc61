// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/WorkEstimate.h"

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/TileGPU/Placement/Placement.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

static uint64_t countRegistersOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  RegisterLayoutInterface layout =
      tensor ? getRegisterLayout(tensor) : RegisterLayoutInterface();
  return layout ? countRegisters(tensor, layout) : 0;
}

static uint64_t estimateOne(Operation *op, const target::Target &target) {
  const target::InstructionPrices &prices = target.prices;
  if (op->getNumResults() == 0)
    return 0;
  uint64_t registers = countRegistersOf(op->getResult(0).getType());
  if (auto product = dyn_cast<MmaOp>(op)) {
    uint64_t depth =
        cast<RankedTensorType>(product.getLhs().getType()).getShape().back();
    return registers * 32 * depth / prices.matrixMultiplyAdds;
  }
  if (auto product = dyn_cast<MultiplyAddOp>(op))
    return registers * product.getLhs().getType().getShape().back() *
           prices.arithmetic;
  // What is reduced takes an op for each element of the operand.
  if (op->getNumRegions() != 0 && op->getNumOperands() != 0)
    return countRegistersOf(op->getOperand(0).getType()) * prices.arithmetic;
  if (!isElementwise(op) || makesTileOfScalars(op))
    return 0;
  ElementCost cost = getElementCost(op);
  return registers *
         (cost.arithmetic * prices.arithmetic + cost.special * prices.special);
}

uint64_t tilegpu::estimateWork(Operation *op, const target::Target &target) {
  uint64_t work = 0;
  op->walk([&](Operation *inner) { work += estimateOne(inner, target); });
  return work;
}
