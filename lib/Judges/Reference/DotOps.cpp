// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products. Operands enter as they are held, whatever `inputPrecision`
// allows; float sums are in float64, from the first product to the last. Where
// the interpreter rounds at random, operands and sums are rounded.

#include "lib/Judges/Reference/Interpreter.h"
#include "lib/Judges/Reference/Numbers.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

namespace {
/// Row-major matrices, `batch` of them one after another.
template <typename Number>
struct Matrices {
  int64_t batch, rows, columns;
  std::vector<Number> elements;

  Matrices(ArrayRef<int64_t> shape)
      : batch(shape.size() > 2 ? shape[0] : 1), rows(shape[shape.size() - 2]),
        columns(shape.back()), elements(batch * rows * columns) {}

  Number *getRow(int64_t matrix, int64_t row) {
    return elements.data() + (matrix * rows + row) * columns;
  }
};
} // namespace

/// c += a * b; `round` gives what is kept of each sum.
template <typename Number, typename Round>
static void multiplyAdd(Matrices<Number> &a, Matrices<Number> &b,
                        Matrices<Number> &c, Round round) {
  for (int64_t matrix = 0; matrix < c.batch; ++matrix)
    for (int64_t row = 0; row < c.rows; ++row) {
      const Number *aRow = a.getRow(matrix, row);
      Number *cRow = c.getRow(matrix, row);
      for (int64_t inner = 0; inner < a.columns; ++inner) {
        const Number *bRow = b.getRow(matrix, inner);
        for (int64_t column = 0; column < c.columns; ++column)
          cRow[column] = round(cRow[column] + aRow[inner] * bRow[column]);
      }
    }
}

static void multiplyAdd(Interpreter &interpreter, Matrices<uint64_t> &a,
                        Matrices<uint64_t> &b, Matrices<uint64_t> &c,
                        Type result, unsigned operandPrecision) {
  multiplyAdd(a, b, c, [](uint64_t sum) { return sum; });
}

static void multiplyAdd(Interpreter &interpreter, Matrices<double> &a,
                        Matrices<double> &b, Matrices<double> &c, Type result,
                        unsigned operandPrecision) {
  RandomRounding &rounding = interpreter.getRounding();
  if (!rounding.isOn())
    return multiplyAdd(a, b, c, [](double sum) { return sum; });
  for (Matrices<double> *operand : {&a, &b})
    for (double &element : operand->elements)
      element = rounding.roundOperand(element, operandPrecision);
  auto type = cast<FloatType>(getElementTypeOrSelf(result));
  unsigned precision =
      llvm::APFloat::semanticsPrecision(type.getFloatSemantics());
  multiplyAdd(a, b, c,
              [&](double sum) { return rounding.round(sum, precision); });
  // A sum beyond the type's numbers stays there, but for what is subtracted.
  for (double &sum : c.elements)
    sum = rounding.round(sum, type);
}

static void fill(Matrices<double> &matrices, const RuntimeValue &value,
                 Type type) {
  for (auto [to, from] : llvm::zip_equal(matrices.elements, value.elements))
    to = from.toReal();
}

/// Signed numbers modulo 2^64; the low bits of a product need no more.
static void fill(Matrices<uint64_t> &matrices, const RuntimeValue &value,
                 Type type) {
  for (auto [to, from] : llvm::zip_equal(matrices.elements, value.elements))
    to = signExtend(from.bits, getWidth(type));
}

static Element toElement(double number, unsigned width) {
  return Element::fromReal(number);
}

static Element toElement(uint64_t number, unsigned width) {
  return {wrapInteger(number, width)};
}

template <typename Number>
static void setResult(Interpreter &interpreter, Value result, Type type,
                      const Matrices<Number> &matrices) {
  RuntimeValue value = RuntimeValue::uninitialized(getShape(type));
  unsigned width = getWidth(type);
  for (auto [to, from] : llvm::zip_equal(value.elements, matrices.elements))
    to = toElement(from, width);
  interpreter.set(result, std::move(value));
}

template <typename Number>
static Matrices<Number> getMatrices(const TypedTile &tile) {
  Matrices<Number> matrices(tile.value.shape);
  fill(matrices, tile.value, tile.type);
  return matrices;
}

template <typename Number>
static void multiplyAdd(Interpreter &interpreter, const TypedTile &lhs,
                        const TypedTile &rhs, const TypedTile &accumulator,
                        Value result, unsigned operandPrecision) {
  auto a = getMatrices<Number>(lhs);
  auto b = getMatrices<Number>(rhs);
  auto c = getMatrices<Number>(accumulator);
  multiplyAdd(interpreter, a, b, c, accumulator.type, operandPrecision);
  setResult(interpreter, result, accumulator.type, c);
}

void reference::evaluateProduct(Interpreter &interpreter, const TypedTile &lhs,
                                const TypedTile &rhs,
                                const TypedTile &accumulator, Value result,
                                unsigned operandPrecision) {
  if (isReal(accumulator.type))
    multiplyAdd<double>(interpreter, lhs, rhs, accumulator, result,
                        operandPrecision);
  else
    multiplyAdd<uint64_t>(interpreter, lhs, rhs, accumulator, result,
                          operandPrecision);
}

//===----------------------------------------------------------------------===//
// Scaled products
//===----------------------------------------------------------------------===//

/// The format of what integers encode; null where elements are floats.
static const llvm::fltSemantics *getSemantics(tt::ScaledElementType encoded) {
  switch (encoded) {
  case tt::ScaledElementType::E4M3:
    return &llvm::APFloat::Float8E4M3FN();
  case tt::ScaledElementType::E5M2:
    return &llvm::APFloat::Float8E5M2();
  case tt::ScaledElementType::E2M3:
    return &llvm::APFloat::Float6E2M3FN();
  case tt::ScaledElementType::E3M2:
    return &llvm::APFloat::Float6E3M2FN();
  case tt::ScaledElementType::E2M1:
    return &llvm::APFloat::Float4E2M1FN();
  case tt::ScaledElementType::BF16:
  case tt::ScaledElementType::FP16:
    return nullptr;
  }
  llvm_unreachable("all types are listed");
}

/// An operand's elements as numbers. Elements of 4 bits are two in a byte, the
/// lower first, along dimension `packedDim`.
static Matrices<double> decode(Interpreter &interpreter, Value operand,
                               tt::ScaledElementType encoded,
                               bool isPackedInColumns) {
  const RuntimeValue &value = interpreter.get(operand);
  bool isPacked = encoded == tt::ScaledElementType::E2M1;
  Shape shape = value.shape;
  size_t packedDim = shape.size() - (isPackedInColumns ? 1 : 2);
  if (isPacked)
    shape[packedDim] *= 2;
  Matrices<double> matrices(shape);
  for (auto [index, number] : llvm::enumerate(matrices.elements)) {
    Shape at = getCoordinates(shape, index);
    unsigned shift = 0;
    if (isPacked) {
      shift = 4 * (at[packedDim] % 2);
      at[packedDim] /= 2;
    }
    Element element = value.elements[getIndex(value.shape, at)];
    number = isReal(operand.getType())
                 ? element.toReal()
                 : decodeFormat(*getSemantics(encoded), element.bits >> shift);
  }
  return matrices;
}

/// A scale: a float, or a power of two with exponent bias 127.
static double getScale(const RuntimeValue &scales, Type type, int64_t index) {
  Element element = scales.elements[index];
  if (isReal(type))
    return element.toReal();
  return element.bits == 0xff ? NAN : std::ldexp(1.0, int(element.bits) - 127);
}

/// Scales each element. `scales` is [batch,] rows x K / group for the rows of
/// `a`, and columns x K / group for the columns of `b`.
static void applyScales(Interpreter &interpreter, Value scales,
                        Matrices<double> &matrices, bool isLeft) {
  if (!scales)
    return;
  const RuntimeValue &value = interpreter.get(scales);
  int64_t groups = value.shape.back();
  int64_t lines = isLeft ? matrices.rows : matrices.columns;
  int64_t group = (isLeft ? matrices.columns : matrices.rows) / groups;
  for (int64_t matrix = 0; matrix < matrices.batch; ++matrix)
    for (int64_t row = 0; row < matrices.rows; ++row)
      for (int64_t column = 0; column < matrices.columns; ++column) {
        int64_t line = isLeft ? row : column, k = isLeft ? column : row;
        int64_t index = (matrix * lines + line) * groups + k / group;
        matrices.getRow(matrix, row)[column] *=
            getScale(value, scales.getType(), index);
      }
}

static LogicalResult evaluateDotScaled(Interpreter &interpreter,
                                       tt::DotScaledOp op) {
  Matrices<double> a =
      decode(interpreter, op.getA(), op.getAElementType(), op.getLhsKPack());
  Matrices<double> b =
      decode(interpreter, op.getB(), op.getBElementType(), !op.getRhsKPack());
  applyScales(interpreter, op.getAScale(), a, /*isLeft=*/true);
  applyScales(interpreter, op.getBScale(), b, /*isLeft=*/false);
  auto c = getMatrices<double>(interpreter.getTyped(op.getC()));
  multiplyAdd(interpreter, a, b, c, op.getType(), /*operandPrecision=*/53);
  setResult(interpreter, op.getResult(), op.getResult().getType(), c);
  return success();
}

/// The bits that a product keeps of its operands.
static unsigned getOperandPrecision(tt::DotOp dot) {
  bool isCut = dot.getInputPrecision() == tt::InputPrecision::TF32 &&
               getElementTypeOrSelf(dot.getA()).isF32();
  return isCut ? 11 : 53;
}

static LogicalResult evaluateDot(Interpreter &interpreter, tt::DotOp dot) {
  evaluateProduct(interpreter, interpreter.getTyped(dot.getA()),
                  interpreter.getTyped(dot.getB()),
                  interpreter.getTyped(dot.getC()), dot.getResult(),
                  getOperandPrecision(dot));
  return success();
}

void reference::addDotOps(OpTable &table) {
  table.add<tt::DotOp>(evaluateDot);
  table.add<tt::DotScaledOp>(evaluateDotScaled);
}
