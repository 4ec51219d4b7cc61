// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between floating-point types, 8-bit ones among them, which LLVM
// has no type for: their elements are codes in i8. In and out: registers. Every
// result is the one that the asked rounding gives, on every target. Private to
// this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_SMALLFLOATS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_SMALLFLOATS_H

#include "passes/TileGPUToLLVM/Lowering.h"

#include <array>

namespace tilewright::tilegpu {

/// Which number of the new type stands for one that it does not have.
struct FloatRounding {
  /// The next one towards zero, rather than the nearest (ties to even).
  bool towardZero = false;
  /// The largest finite one where the result would be larger, for infinities
  /// too, rather than what IEEE 754 gives: infinity, or NaN where the type has
  /// none.
  bool saturates = false;
};

/// Whether elements of `type` are codes in i8.
bool isSmallFloat(mlir::Type type);

/// Converts `values`, registers with elements of the tile type `from`, to `to`.
llvm::SmallVector<mlir::Value>
convertFloats(Emitter &emitter, const target::Target &target,
              mlir::ValueRange values, mlir::FloatType from, mlir::FloatType to,
              FloatRounding rounding = {});

/// The numbers of the four codes in `word`, an i32, of E4M3FN or E5M2, as two
/// pairs of halves, the lowest first.
std::array<mlir::Value, 2> decodeWord(Emitter &emitter,
                                      const target::Target &target,
                                      mlir::Value word, mlir::FloatType type);

/// The 32 bits of `value`, an f32, rounded to tf32: to nearest, ties to even as
/// bulk copies round them where the target has an instruction for that, or else
/// away from zero. Matrix instructions would round towards zero.
mlir::Value roundToTf32(Emitter &emitter, const target::Target &target,
                        mlir::Value value);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_SMALLFLOATS_H
