// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements as numbers: widths of types, and floats of any type as float64 and
// back. Integers are held zero-extended in 64 bits.

#ifndef TILEWRIGHT_LIB_JUDGES_REFERENCE_NUMBERS_H
#define TILEWRIGHT_LIB_JUDGES_REFERENCE_NUMBERS_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

#include <cstdint>

namespace tilewright::reference {

/// Whether elements of `type`, a scalar or a tile, are floats.
bool isReal(mlir::Type type);
/// Whether the reference can hold a value of `type`: a float of at most 64
/// bits, an integer of 1 to 64 bits, `index`, a pointer, or a tile of at most
/// tt::maxTileElements of them.
bool isSupported(mlir::Type type);
/// The width of an element in bits; 64 for `index` and pointers.
unsigned getWidth(mlir::Type type);
/// The bytes that an element takes in memory: whole ones, a byte at the least.
unsigned getElementBytes(mlir::Type type);

/// `value` modulo 2^width.
uint64_t wrapInteger(uint64_t value, unsigned width);
/// The number that the low `width` bits are in two's complement.
int64_t signExtend(uint64_t value, unsigned width);

/// What is made of a value beyond the largest finite one of its new type.
enum class Overflow {
  /// Infinity, or NaN where the type has none, as IEEE 754 rounds.
  Natural,
  /// The largest finite value, for infinities too.
  Saturate,
};

/// The number that the low bits of `bits` are in `type`.
double decodeReal(mlir::FloatType type, uint64_t bits);
/// `value`, rounded to nearest even, as bits of `type`.
uint64_t encodeReal(mlir::FloatType type, double value);
/// The value of `type` that `value` is rounded to.
double
roundReal(mlir::FloatType type, double value,
          llvm::RoundingMode rounding = llvm::RoundingMode::NearestTiesToEven,
          Overflow overflow = Overflow::Natural);
/// The same for an integer of any size.
double roundInteger(mlir::FloatType type, const llvm::APInt &value,
                    bool isSigned);

/// The number that the low bits of `bits` are in a format.
double decodeFormat(const llvm::fltSemantics &semantics, uint64_t bits);
/// The nearest float64, which is the number itself for every narrower format.
double toDouble(llvm::APFloat value);

} // namespace tilewright::reference

#endif // TILEWRIGHT_LIB_JUDGES_REFERENCE_NUMBERS_H
