// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Interfaces/TileOpInterfaces.h"

#include "dialects/Interfaces/ExternalModels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;

#include "dialects/Interfaces/TileOpInterfaces.cpp.inc"

static bool isTensor(Type type) { return isa<RankedTensorType>(type); }

bool tilewright::makesTileOfScalars(Operation *op) {
  return op->getNumResults() == 1 && isTensor(op->getResult(0).getType()) &&
         llvm::none_of(op->getOperandTypes(), isTensor) &&
         op->getNumRegions() == 0 && isPure(op);
}

bool tilewright::isSplatConstant(Value tile) {
  SplatElementsAttr constant;
  return matchPattern(tile, m_Constant(&constant));
}

bool tilewright::isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         op->hasTrait<ElementwiseOnTiles>();
}

bool tilewright::mayDivideByZero(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
             op) &&
         !matchPattern(op->getOperand(1), m_Constant());
}

bool tilewright::isView(Operation *op) {
  return isa<CoordinateMapOpInterface>(op) &&
         cast<DataMovementOpInterface>(op).getNumMovedOperands() == 1;
}

std::optional<GlobalAccess> tilewright::getGlobalAccess(Operation *op) {
  auto access = dyn_cast<GlobalAccessOpInterface>(op);
  return access ? std::optional(access.getGlobalAccess()) : std::nullopt;
}

ElementCost tilewright::getElementCost(Operation *op) {
  auto cost = dyn_cast<ElementCostOpInterface>(op);
  return cost ? cost.getElementCost() : ElementCost();
}

bool tilewright::isMoveOfOne(Operation *op) {
  return isa<DataMovementOpInterface>(op) && op->getNumOperands() == 1 &&
         op->getNumResults() == 1;
}

std::optional<Narrowing> tilewright::getNarrowing(Operation *op) {
  if (isMoveOfOne(op))
    return Narrowing{.isOfLowBits = true};
  auto narrowing = dyn_cast<NarrowingOpInterface>(op);
  return narrowing ? std::optional(narrowing.getNarrowing()) : std::nullopt;
}

SmallVector<RegisteredOperationName>
tilewright::getRegisteredOps(MLIRContext &context, StringRef dialect) {
  return llvm::filter_to_vector(context.getRegisteredOperations(),
                                [&](RegisteredOperationName name) {
                                  return name.getDialectNamespace() == dialect;
                                });
}

void tilewright::attachUpstreamModels(MLIRContext &context) {
  attachArithAxisRules(context);
  attachElementCosts(context);
  attachControlFlowMerges(context);
  attachNarrowing(context);
}
