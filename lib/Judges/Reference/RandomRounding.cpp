// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Reference/RandomRounding.h"

#include <bit>
#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

/// Xorshift64* (Vigna, "An experimental exploration of Marsaglia's xorshift
/// generators, scrambled", 2016).
uint64_t RandomRounding::next() {
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return state * 0x2545f4914f6cdd1d;
}

double RandomRounding::nextFraction() {
  return std::ldexp(double(next() >> 11), -52) - 1.0;
}

/// `value` with `precision` bits, rounded away from zero or cut.
static double cutOrRaise(double value, unsigned precision, bool isRaised) {
  if (precision >= 53 || !std::isfinite(value))
    return value;
  uint64_t unit = uint64_t(1) << (53 - precision);
  uint64_t bits = std::bit_cast<uint64_t>(value), rest = bits & (unit - 1);
  // A carry out of the mantissa gives the next power of two, as it should.
  return std::bit_cast<double>(bits - rest + (rest && isRaised ? unit : 0));
}

double RandomRounding::round(double value, unsigned precision) {
  return isOn() ? cutOrRaise(value, precision, next() >> 63) : value;
}

double RandomRounding::roundOperand(double value, unsigned precision) {
  bool isRaised = !cuts && next() >> 63;
  return isOn() ? cutOrRaise(value, precision, isRaised) : value;
}

double RandomRounding::round(double value, FloatType type) {
  if (!isOn())
    return value;
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  double rounded = round(value, llvm::APFloat::semanticsPrecision(semantics));
  double magnitude = std::abs(rounded);
  if (llvm::APFloat::semanticsHasInf(semantics) &&
      magnitude > llvm::APFloat::getLargest(semantics).convertToDouble())
    return std::copysign(INFINITY, rounded);
  bool hasExponentsOfF32 =
      llvm::APFloat::semanticsMinExponent(semantics) ==
      llvm::APFloat::semanticsMinExponent(llvm::APFloat::IEEEsingle());
  return cuts && hasExponentsOfF32 && magnitude < 0x1p-126
             ? std::copysign(0.0, rounded)
             : rounded;
}

/// The error of functions and division in units of the last place of f32 (or
/// f64), in which narrower types are calculated. An exponential has that of its
/// argument, which is a part of the result's logarithm, on top.
static double getError(Accuracy accuracy, double value) {
  switch (accuracy) {
  case Accuracy::Exact:
  case Accuracy::Rounded:
    return 0.0;
  case Accuracy::Quotient:
    return 2.0;
  case Accuracy::Function:
    return 4.0;
  case Accuracy::Exponential: {
    double logarithm = std::abs(std::log2(std::abs(value)));
    return 4.0 + (std::isfinite(logarithm) ? logarithm : 0.0);
  }
  }
  llvm_unreachable("all accuracies are listed");
}

double RandomRounding::disturb(double value, FloatType type,
                               Accuracy accuracy) {
  if (!std::isfinite(value) || value == 0.0)
    return value;
  unsigned precision =
      llvm::APFloat::semanticsPrecision(type.getFloatSemantics());
  double unit = std::ldexp(1.0, precision > 24 ? -52 : -23);
  value *= 1.0 + nextFraction() * unit * getError(accuracy, value);
  return round(value, type);
}
