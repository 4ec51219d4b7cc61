// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Interfaces/IndexArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using Result = std::optional<IndexOp>;

static Result getComparison(arith::CmpIOp op) {
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::slt:
    return IndexOp::Less;
  case arith::CmpIPredicate::sle:
    return IndexOp::LessOrEqual;
  case arith::CmpIPredicate::sgt:
    return IndexOp::Greater;
  case arith::CmpIPredicate::sge:
    return IndexOp::GreaterOrEqual;
  case arith::CmpIPredicate::ult:
    return IndexOp::UnsignedLess;
  default:
    return std::nullopt;
  }
}

/// Only truth values: of others it is no conjunction.
static Result getConjunction(arith::AndIOp op) {
  return getElementTypeOrSelf(op.getType()).isInteger(1) ? Result(IndexOp::And)
                                                         : std::nullopt;
}

Result tilewright::getIndexOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::AddIOp>([](auto) { return IndexOp::Sum; })
      .Case<arith::SubIOp>([](auto) { return IndexOp::Difference; })
      .Case<arith::MulIOp>([](auto) { return IndexOp::Product; })
      .Case<arith::DivSIOp>([](auto) { return IndexOp::SignedQuotient; })
      .Case<arith::ShLIOp>([](auto) { return IndexOp::ShiftLeft; })
      .Case<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(
          [](auto) { return IndexOp::Resize; })
      .Case<arith::MinSIOp>([](auto) { return IndexOp::SignedMinimum; })
      .Case<arith::MaxSIOp>([](auto) { return IndexOp::SignedMaximum; })
      .Case<arith::MinUIOp>([](auto) { return IndexOp::UnsignedMinimum; })
      .Case<arith::SelectOp>([](auto) { return IndexOp::Select; })
      .Case<arith::CmpIOp>(getComparison)
      .Case<arith::AndIOp>(getConjunction)
      .Default([](Operation *) { return std::nullopt; });
}
