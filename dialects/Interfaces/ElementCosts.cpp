// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ElementCostOpInterface for `arith` and `math`. Costs are counted from the PTX
// that the lowering makes, in whole instructions.

#include "dialects/Interfaces/ExternalModels.h"
#include "dialects/Interfaces/TileOpInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;

namespace {

template <unsigned Arithmetic, unsigned Special, bool IsRematerializable>
struct CostModel
    : ElementCostOpInterface::ExternalModel<
          CostModel<Arithmetic, Special, IsRematerializable>, Operation *> {
  ElementCost getElementCost(Operation *) const {
    return {Arithmetic, Special, IsRematerializable};
  }
};

using Cheap = CostModel<1, 0, true>;
using Conversion = CostModel<2, 0, true>;
using FloatDivision = CostModel<8, 2, false>;
// A loop over the quotient's bits, of which most quotients have few.
using FloatRemainder = CostModel<64, 2, false>;
using CheapFloat = CostModel<1, 0, false>;
using Function = CostModel<2, 1, false>;

/// Integer divisions too may be rematerialized: they are index arithmetic,
/// which other ops need in several layouts anyway. By a constant they are a
/// shift, or else the high half of a product.
struct IntegerDivision
    : ElementCostOpInterface::ExternalModel<IntegerDivision, Operation *> {
  ElementCost getElementCost(Operation *op) const {
    APInt divisor;
    if (!matchPattern(op->getOperand(1), m_ConstantInt(&divisor)))
      return {8, 2, true};
    return {divisor.abs().isPowerOf2() ? 2u : 4u, 0, true};
  }
};

template <typename Model, typename... Ops>
void attach(MLIRContext &context) {
  (RegisteredOperationName::lookup(Ops::getOperationName(), &context)
       ->template attachInterface<Model>(),
   ...);
}

/// Gives `Model` to the ops of a dialect that have none yet.
template <typename Model>
void attachToRest(MLIRContext &context, StringRef dialect) {
  for (RegisteredOperationName name : getRegisteredOps(context, dialect))
    if (!name.hasInterface<ElementCostOpInterface>())
      name.attachInterface<Model>();
}

} // namespace

void tilewright::attachElementCosts(MLIRContext &context) {
  attach<IntegerDivision, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
         arith::RemUIOp>(context);
  attach<FloatDivision, arith::DivFOp>(context);
  attach<FloatRemainder, arith::RemFOp>(context);
  attach<Conversion, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
         arith::FPToUIOp>(context);
  attachToRest<Cheap>(context, "arith");
  attach<Cheap, math::AbsIOp>(context);
  attach<CheapFloat, math::AbsFOp, math::FmaOp, math::CopySignOp>(context);
  attachToRest<Function>(context, "math");
}
