// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NarrowingOpInterface for `arith`.

#include "dialects/Interfaces/ExternalModels.h"
#include "dialects/Interfaces/TileOpInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;

namespace {

constexpr Narrowing ofLowBits = {.isOfLowBits = true};
constexpr Narrowing leftShift = {.isOfLowBits = true, .isShift = true};
constexpr Narrowing ofNumbers = {};
constexpr Narrowing rightShift = {.isShift = true};
// Extending signs keeps the order as unsigned numbers too, but not quotients.
constexpr Narrowing unsignedQuotient = {.nonNegative =
                                            Narrowing::NonNegative::All};
constexpr Narrowing unsignedRightShift = {
    .isShift = true, .nonNegative = Narrowing::NonNegative::All};
// -2^31 / -1 overflows, and so may the remainder.
constexpr Narrowing signedQuotient = {.nonNegative =
                                          Narrowing::NonNegative::Any};
constexpr Narrowing ofOtherType = {.keepsResult = true};
constexpr Narrowing unsignedOfOtherType = {
    .keepsResult = true, .nonNegative = Narrowing::NonNegative::All};

template <const Narrowing &narrowing>
struct Model
    : NarrowingOpInterface::ExternalModel<Model<narrowing>, Operation *> {
  Narrowing getNarrowing(Operation *) const { return narrowing; }
};

template <const Narrowing &narrowing, typename... Ops>
void attach(MLIRContext &context) {
  (RegisteredOperationName::lookup(Ops::getOperationName(), &context)
       ->template attachInterface<Model<narrowing>>(),
   ...);
}

} // namespace

void tilewright::attachNarrowing(MLIRContext &context) {
  attach<ofLowBits, arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp,
         arith::OrIOp, arith::XOrIOp, arith::SelectOp>(context);
  attach<leftShift, arith::ShLIOp>(context);
  attach<ofNumbers, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp,
         arith::MaxUIOp>(context);
  attach<rightShift, arith::ShRSIOp>(context);
  attach<unsignedRightShift, arith::ShRUIOp>(context);
  attach<signedQuotient, arith::DivSIOp, arith::RemSIOp>(context);
  attach<unsignedQuotient, arith::DivUIOp, arith::RemUIOp>(context);
  attach<ofOtherType, arith::CmpIOp, arith::SIToFPOp>(context);
  attach<unsignedOfOtherType, arith::UIToFPOp>(context);
}
