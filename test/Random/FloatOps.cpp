// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations on floats, with bounds of what a GPU's results are
// from the exact ones. What jumps (comparisons, floors, conversions to
// integers) gets exact operands alone.

#include "test/Random/KernelWriter.h"

#include <cmath>

using namespace tilewright;
using namespace tilewright::fuzz;

/// Rounds the range of a sum, difference or product.
static std::optional<Range> getRange(const std::string &op, const Value &a,
                                     const Value &b) {
  const Range &x = a.range, &y = b.range;
  Range range{x.magnitude + y.magnitude, x.error + y.error,
              x.isInteger && y.isInteger};
  if (op == "arith.mulf") {
    range.magnitude = x.magnitude * y.magnitude;
    range.error =
        x.error * y.magnitude + y.error * x.magnitude + x.error * y.error;
  }
  return round(range, a.type.element);
}

void KernelWriter::writeFloatBinary() {
  Value a = getFloat(), b = get(a.type);
  std::string op =
      pickName({"arith.addf", "arith.subf", "arith.mulf", "arith.maxnumf",
                "arith.minnumf", "arith.maximumf", "arith.minimumf"});
  if (op.find("num") != std::string::npos ||
      op.find("imum") != std::string::npos) {
    Range range{std::max(a.range.magnitude, b.range.magnitude),
                std::max(a.range.error, b.range.error),
                a.range.isInteger && b.range.isInteger};
    return keep(makeBinary(op, a, b, range));
  }
  if (std::optional<Range> range = getRange(op, a, b))
    keep(makeBinary(op, a, b, *range));
}

/// The divisor is 1 at the least.
void KernelWriter::writeFloatDivision() {
  Value a = getFloat();
  std::optional<Value> divisor = makePositive(get(a.type));
  if (!divisor)
    return;
  Range range = a.range;
  range.isInteger = false;
  // Two units in the last place, and the divisor's error.
  range.error += range.magnitude * (1.2 * divisor->range.error +
                                    4 * getFormat(a.type.element).getUnit());
  bool isPrecise = a.type.element == "f32" && oneIn(2);
  if (std::optional<Range> rounded = round(range, a.type.element))
    keep(makeBinary(isPrecise ? "tt.precise_divf" : "arith.divf", a, *divisor,
                    *rounded));
}

void KernelWriter::writeFloatUnary() {
  Value a = getFloat();
  switch (pick(4)) {
  case 0:
    return keep(makeUnary("arith.negf", a, a.range));
  case 1:
    return keep(makeUnary("math.absf", a, a.range));
  case 2:
    return keep(makeClamp(a, -int64_t(pick(5)), pick(9)));
  default:
    break;
  }
  if (!a.range.isExact())
    return;
  Range range{a.range.magnitude + 1, 0.0, true};
  keep(makeUnary(pickName({"math.floor", "math.ceil"}), a, range));
}

/// Functions that f64 has no instructions for, but for the square root.
void KernelWriter::writeFunction() {
  Value a = getFloat();
  bool isDouble = a.type.element == "f64";
  std::string op =
      isDouble ? "math.sqrt"
               : pickName({"math.exp", "math.exp2", "math.log", "math.log2",
                           "math.sqrt", "math.rsqrt", "tt.precise_sqrt"});
  if (op == "tt.precise_sqrt" && a.type.element != "f32")
    return;
  // Errors of the f32 instructions, as fractions of the result or absolute.
  const double approximate = isDouble ? 0.0 : std::ldexp(1.0, -21);
  Range range;
  if (op == "math.exp" || op == "math.exp2") {
    a = makeClamp(a, -5, 5);
    range.magnitude = std::exp(5.0);
    range.error = range.magnitude * (approximate + 1.1 * a.range.error);
  } else {
    std::optional<Value> positive = makePositive(a);
    if (!positive)
      return;
    a = *positive;
    bool isLog = op == "math.log" || op == "math.log2";
    bool isInverse = op == "math.rsqrt";
    range.magnitude = isLog       ? std::log2(a.range.magnitude) + 1
                      : isInverse ? 1.0
                                  : std::sqrt(a.range.magnitude);
    // Slopes are at most 1.5 from 1 on, and the argument may be 0.9.
    range.error = 1.8 * a.range.error + (1 + range.magnitude) * approximate;
  }
  if (std::optional<Range> rounded = round(range, a.type.element))
    keep(makeUnary(op, a, *rounded));
}

void KernelWriter::writeFma() {
  Value a = getFloat(), b = get(a.type), c = get(a.type);
  std::optional<Range> product = getRange("arith.mulf", a, b);
  if (!product)
    return;
  Range sum{product->magnitude + c.range.magnitude,
            product->error + c.range.error,
            product->isInteger && c.range.isInteger};
  if (std::optional<Range> range = round(sum, a.type.element))
    keep(make(a.type,
              "math.fma " + a.name + ", " + b.name + ", " + c.name + " : " +
                  a.type.str(),
              *range));
}

/// One rounding, of the same number in the reference where it is exact.
void KernelWriter::writeFloatCast() {
  Value a = getFloat();
  std::string element = pickName({"f16", "bf16", "f32", "f64"});
  if (element == a.type.element)
    return;
  Range range = a.range;
  FloatFormat format = getFormat(element);
  if (range.magnitude > format.maximum / 4)
    return;
  if (!range.isExact()) {
    std::optional<Range> rounded = round(range, element);
    if (!rounded)
      return;
    range = *rounded;
  } else if (!range.isExactIn(element)) {
    range.magnitude *= 1 + 2 * format.getUnit();
  }
  unsigned from = a.type.getWidth(), to = a.type.with(element).getWidth();
  if (from < to && oneIn(2))
    return keep(makeCast("arith.extf", a, element, range));
  if (from > to && oneIn(2))
    return keep(makeCast("arith.truncf", a, element, range));
  ValueType type = a.type.with(element);
  keep(make(type,
            "tt.fp_to_fp " + a.name + (from < to ? "" : ", rounding = rtne") +
                " : " + a.type.str() + " -> " + type.str(),
            range));
}

void KernelWriter::writeFloatToInteger() {
  Value a = getFloat();
  if (!a.range.isExact())
    return;
  if (oneIn(3)) {
    // Without the sign of a zero, of which the reference knows nothing.
    Value sum = makeBinary("arith.addf", a, makeConstant(a.type, 0), a.range);
    ValueType type = a.type.with("i" + std::to_string(a.type.getWidth()));
    return keep(make(type, "tt.bitcast " + sum.name + " : " + a.type.str() +
                               " -> " + type.str()));
  }
  std::string element = pickName({"i8", "i16", "i32", "i64"});
  bool isSigned = oneIn(2);
  double limit = std::ldexp(1.0, a.type.with(element).getWidth() - 1) - 1;
  if (!isSigned)
    a = makeUnary("math.absf", a, a.range);
  if (a.range.magnitude > limit)
    a = makeClamp(a, isSigned ? -100 : 0, 100);
  keep(makeCast(isSigned ? "arith.fptosi" : "arith.fptoui", a, element));
}

void KernelWriter::writeIntegerToFloat() {
  Value a = getInteger(/*allowsBool=*/true);
  std::string element = pickName({"f16", "bf16", "f32", "f64"});
  unsigned width = a.type.getWidth();
  // f16 ends at 65504.
  if (element == "f16" && width > 8) {
    a = makeBinary("arith.andi", a, makeConstant(a.type, 1023));
    width = 10;
  }
  bool isSigned = oneIn(2);
  keep(makeCast(isSigned ? "arith.sitofp" : "arith.uitofp", a, element,
                {std::ldexp(1.0, width), 0.0, true}));
}
