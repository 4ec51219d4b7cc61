// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Widths, and conversions of floats; see the header.

#include "lib/Judges/Reference/Numbers.h"
#include "dialects/Triton/Triton.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

#include <bit>
#include <cfloat>
#include <cmath>

using namespace mlir;
using namespace tilewright;
using llvm::APFloat;
using llvm::APInt;

bool reference::isReal(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

bool reference::isSupported(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (tile &&
      (!tile.hasStaticShape() || tile.getNumElements() > tt::maxTileElements))
    return false;
  Type element = tile ? tile.getElementType() : type;
  if (isa<IndexType, tt::PointerType>(element))
    return true;
  if (!element.isIntOrFloat())
    return false;
  unsigned width = element.getIntOrFloatBitWidth();
  return width >= 1 && width <= 64;
}

unsigned reference::getWidth(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

unsigned reference::getElementBytes(Type type) {
  return llvm::divideCeil(getWidth(type), 8);
}

uint64_t reference::wrapInteger(uint64_t value, unsigned width) {
  return value & llvm::maskTrailingOnes<uint64_t>(width);
}

int64_t reference::signExtend(uint64_t value, unsigned width) {
  return llvm::SignExtend64(value, width);
}

double reference::toDouble(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

double reference::decodeFormat(const llvm::fltSemantics &semantics,
                               uint64_t bits) {
  unsigned width = APFloat::semanticsSizeInBits(semantics);
  return toDouble(APFloat(semantics, APInt(width, wrapInteger(bits, width))));
}

double reference::decodeReal(FloatType type, uint64_t bits) {
  if (type.isF64())
    return std::bit_cast<double>(bits);
  if (type.isF32())
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return decodeFormat(type.getFloatSemantics(), bits);
}

static APFloat convert(FloatType type, double value,
                       llvm::RoundingMode rounding) {
  APFloat number(value);
  bool losesInfo;
  number.convert(type.getFloatSemantics(), rounding, &losesInfo);
  return number;
}

uint64_t reference::encodeReal(FloatType type, double value) {
  if (type.isF64())
    return std::bit_cast<uint64_t>(value);
  // A finite value in range: the compiler's conversion is IEEE 754's.
  if (type.isF32() && std::abs(value) <= FLT_MAX)
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  return convert(type, value, llvm::RoundingMode::NearestTiesToEven)
      .bitcastToAPInt()
      .getZExtValue();
}

double reference::roundReal(FloatType type, double value,
                            llvm::RoundingMode rounding, Overflow overflow) {
  if (type.isF64())
    return value;
  if (overflow == Overflow::Saturate) {
    double largest = toDouble(APFloat::getLargest(type.getFloatSemantics()));
    if (std::abs(value) > largest)
      return std::copysign(largest, value);
  }
  return toDouble(convert(type, value, rounding));
}

double reference::roundInteger(FloatType type, const APInt &value,
                               bool isSigned) {
  APFloat number(type.getFloatSemantics());
  number.convertFromAPInt(value, isSigned, APFloat::rmNearestTiesToEven);
  return toDouble(number);
}
