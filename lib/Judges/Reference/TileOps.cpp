// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect `tile`, written from the formulas of its definitions.

#include "dialects/Tile/Tile.h"
#include "lib/Judges/Reference/Elementwise.h"
#include "lib/Judges/Reference/Numbers.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

/// The number that a code stands for.
static double decodeCode(tile::DequantizeOp op, const RuntimeValue *codeBook,
                         uint64_t code) {
  switch (op.getFormat()) {
  case tile::CodeFormat::UnsignedInteger:
    return static_cast<double>(code);
  case tile::CodeFormat::SignedInteger:
    return static_cast<double>(signExtend(code, op.getBits()));
  case tile::CodeFormat::CodeBook:
    return codeBook->elements[code].toReal();
  case tile::CodeFormat::E2M1:
    return decodeFormat(llvm::APFloat::Float4E2M1FN(), code);
  case tile::CodeFormat::E4M3:
    return decodeFormat(llvm::APFloat::Float8E4M3FN(), code);
  case tile::CodeFormat::E5M2:
    return decodeFormat(llvm::APFloat::Float8E5M2(), code);
  }
  llvm_unreachable("all formats are listed");
}

/// The element of a tile that has size 1 in dimensions of which it holds one
/// value for all.
static double getBroadcast(const RuntimeValue &value, Type type, Shape at) {
  for (auto [coordinate, size] : llvm::zip_equal(at, value.shape))
    coordinate = size == 1 ? 0 : coordinate;
  Element element = value.elements[getIndex(value.shape, at)];
  return isReal(type)
             ? element.toReal()
             : static_cast<double>(signExtend(element.bits, getWidth(type)));
}

/// The code of the element at `at`.
static uint64_t getCode(tile::DequantizeOp op, const RuntimeValue &weights,
                        Shape at) {
  int64_t perWord = op.getCodesPerWord(), k = at[op.getAxis()];
  at[op.getAxis()] = k / perWord;
  uint64_t word = weights.elements[getIndex(weights.shape, at)].bits;
  return wrapInteger(word >> (op.getBits() * op.getPlace(k % perWord)),
                     op.getBits());
}

static LogicalResult evaluateDequantize(Interpreter &interpreter,
                                        tile::DequantizeOp op) {
  const RuntimeValue &weights = interpreter.get(op.getWeights());
  const RuntimeValue &scales = interpreter.get(op.getScales());
  const RuntimeValue *zeros =
      op.getZeros() ? &interpreter.get(op.getZeros()) : nullptr;
  const RuntimeValue *codeBook =
      op.getCodeBook() ? &interpreter.get(op.getCodeBook()) : nullptr;
  FloatType f32 = Builder(op.getContext()).getF32Type();
  auto type = cast<FloatType>(getElementTypeOrSelf(op.getType()));
  Shape shape = getShape(op.getType());
  return setElements(interpreter, op, [&](size_t index) {
    Shape at = getCoordinates(shape, index);
    double value = decodeCode(op, codeBook, getCode(op, weights, at));
    Shape group = at;
    group[op.getGroupDim()] /= op.getGroupSize();
    double scale = getBroadcast(scales, op.getScales().getType(), group);
    if (zeros)
      value -= getBroadcast(*zeros, op.getZeros().getType(), group);
    double product = roundReal(f32, roundReal(f32, value) * scale);
    int64_t place = op.getPlace(at[op.getAxis()] % op.getCodesPerWord());
    product = std::ldexp(product, int(op.getExponent(place)));
    return Element::fromReal(roundReal(type, product));
  });
}

/// Solves one system after another, from the first row to the last.
static LogicalResult evaluateSolve(Interpreter &interpreter,
                                   tile::SolveUnitLowerOp op) {
  const RuntimeValue &lower = interpreter.get(op.getLower());
  RuntimeValue result = op.getRhs() ? interpreter.get(op.getRhs()) : lower;
  int64_t rows = lower.shape.back(), columns = result.shape.back();
  int64_t systems = lower.elements.size() / (rows * rows);
  for (int64_t system = 0; system < systems; ++system)
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t n = 0; n < columns; ++n) {
        Element &element = result.elements[(system * rows + i) * columns + n];
        double value = op.getRhs() ? element.toReal() : double(i == n);
        for (int64_t j = 0; j < i; ++j)
          value -= lower.elements[(system * rows + i) * rows + j].toReal() *
                   result.elements[(system * rows + j) * columns + n].toReal();
        element = Element::fromReal(value);
      }
  interpreter.set(op.getResult(), std::move(result));
  return success();
}

void reference::addTileOps(OpTable &table) {
  table.add<tile::DequantizeOp>(evaluateDequantize);
  table.add<tile::SolveUnitLowerOp>(evaluateSolve);
}
