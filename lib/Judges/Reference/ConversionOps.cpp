// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between element types, and the same bits as another type.

#include "lib/Judges/Reference/Elementwise.h"
#include "lib/Judges/Reference/Numbers.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Widening with and without the sign, and cutting.
static LogicalResult resize(Interpreter &interpreter, Operation *op,
                            bool isSigned) {
  const RuntimeValue &value = interpreter.get(op->getOperand(0));
  unsigned from = getWidth(op->getOperand(0).getType());
  unsigned to = getWidth(op->getResult(0).getType());
  return setElements(interpreter, op, [&](size_t index) {
    uint64_t bits = value.at(index).bits;
    return Element{wrapInteger(isSigned ? signExtend(bits, from) : bits, to)};
  });
}

static LogicalResult convertFromInteger(Interpreter &interpreter, Operation *op,
                                        bool isSigned) {
  const RuntimeValue &value = interpreter.get(op->getOperand(0));
  unsigned width = getWidth(op->getOperand(0).getType());
  auto type = cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  return setElements(interpreter, op, [&](size_t index) {
    llvm::APInt number(width, value.at(index).bits);
    return Element::fromReal(roundInteger(type, number, isSigned));
  });
}

/// Cuts the fraction; what does not fit, and NaN, is undefined.
static LogicalResult convertToInteger(Interpreter &interpreter, Operation *op,
                                      bool isSigned) {
  const RuntimeValue &value = interpreter.get(op->getOperand(0));
  Type type = op->getResult(0).getType();
  unsigned width = getWidth(type);
  double limit = std::ldexp(1.0, isSigned ? width - 1 : width);
  Element undefined = interpreter.getUndefined(type);
  return setElements(interpreter, op, [&](size_t index) {
    double number = std::trunc(value.at(index).toReal());
    if (!(number < limit && number >= (isSigned ? -limit : 0.0)))
      return undefined;
    uint64_t bits = isSigned ? static_cast<uint64_t>(int64_t(number))
                             : static_cast<uint64_t>(number);
    return Element{wrapInteger(bits, width)};
  });
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static LogicalResult convertFloat(Interpreter &interpreter, Operation *op,
                                  llvm::RoundingMode rounding,
                                  Overflow overflow) {
  const RuntimeValue &value = interpreter.get(op->getOperand(0));
  auto type = cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  return setElements(interpreter, op, [&](size_t index) {
    double number =
        interpreter.getRounding().round(value.at(index).toReal(), type);
    return Element::fromReal(roundReal(type, number, rounding, overflow));
  });
}

static llvm::RoundingMode
toRoundingMode(std::optional<arith::RoundingMode> mode) {
  switch (mode.value_or(arith::RoundingMode::to_nearest_even)) {
  case arith::RoundingMode::to_nearest_even:
    return llvm::RoundingMode::NearestTiesToEven;
  case arith::RoundingMode::downward:
    return llvm::RoundingMode::TowardNegative;
  case arith::RoundingMode::upward:
    return llvm::RoundingMode::TowardPositive;
  case arith::RoundingMode::toward_zero:
    return llvm::RoundingMode::TowardZero;
  case arith::RoundingMode::to_nearest_away:
    return llvm::RoundingMode::NearestTiesToAway;
  }
  llvm_unreachable("all modes are listed");
}

static LogicalResult evaluateFpToFp(Interpreter &interpreter, tt::FpToFpOp op) {
  auto rounding = op.getRounding().value_or(tt::RoundingMode::RTNE);
  if (rounding == tt::RoundingMode::RS)
    return interpreter.emitError(op)
           << "expects rounding = rtne or rtz, but got rs, whose use of the "
              "random bits is not defined";
  // A conversion to more bits keeps what is held, as arith.extf does.
  unsigned from = getWidth(op.getSrc().getType());
  unsigned to = getWidth(op.getType());
  if (to > from) {
    RuntimeValue copy = interpreter.get(op.getSrc());
    interpreter.set(op.getResult(), std::move(copy));
    return success();
  }
  return convertFloat(interpreter, op,
                      rounding == tt::RoundingMode::RTZ
                          ? llvm::RoundingMode::TowardZero
                          : llvm::RoundingMode::NearestTiesToEven,
                      to == 8 ? Overflow::Saturate : Overflow::Natural);
}

//===----------------------------------------------------------------------===//
// The same bits
//===----------------------------------------------------------------------===//

static LogicalResult evaluateBitcast(Interpreter &interpreter, Operation *op) {
  const RuntimeValue &value = interpreter.get(op->getOperand(0));
  auto from = dyn_cast<FloatType>(getElementTypeOrSelf(op->getOperand(0)));
  auto to = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  if (value.view || (!from && !to)) {
    RuntimeValue copy = value;
    interpreter.set(op->getResult(0), std::move(copy));
    return success();
  }
  return setElements(interpreter, op, [&](size_t index) {
    Element element = value.at(index);
    uint64_t bits = from ? encodeReal(from, element.toReal()) : element.bits;
    return to ? Element::fromReal(decodeReal(to, bits)) : Element{bits};
  });
}

static OpTable::Handler withSign(bool isSigned,
                                 LogicalResult (*function)(Interpreter &,
                                                           Operation *, bool)) {
  return [=](Interpreter &interpreter, Operation *op) {
    return function(interpreter, op, isSigned);
  };
}

void reference::addConversionOps(OpTable &table) {
  table.add<arith::ExtSIOp, arith::IndexCastOp>(withSign(true, resize));
  table.add<arith::ExtUIOp, arith::TruncIOp, arith::IndexCastUIOp>(
      withSign(false, resize));
  table.add<arith::SIToFPOp>(withSign(true, convertFromInteger));
  table.add<arith::UIToFPOp>(withSign(false, convertFromInteger));
  table.add<arith::FPToSIOp>(withSign(true, convertToInteger));
  table.add<arith::FPToUIOp>(withSign(false, convertToInteger));
  table.add<arith::TruncFOp>([](Interpreter &interpreter, arith::TruncFOp op) {
    return convertFloat(interpreter, op, toRoundingMode(op.getRoundingmode()),
                        Overflow::Natural);
  });
  table.add<tt::FpToFpOp>(evaluateFpToFp);
  table.add<arith::ExtFOp>([](Interpreter &interpreter, arith::ExtFOp op) {
    RuntimeValue copy = interpreter.get(op.getIn());
    interpreter.set(op.getOut(), std::move(copy));
    return success();
  });
  table.add<arith::BitcastOp, tt::BitcastOp, tt::IntToPtrOp, tt::PtrToIntOp>(
      evaluateBitcast);
}
