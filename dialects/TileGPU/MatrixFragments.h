// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the rows of the targets' table of matrix instructions appear in this
// dialect: element types, fragment families, the registers of a lane.
//
// In: rows of dialects/Target. Out: what the encodings say of them. Nothing
// here depends on a particular target.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_MATRIXFRAGMENTS_H
#define TILEWRIGHT_DIALECTS_TILEGPU_MATRIXFRAGMENTS_H

#include "dialects/Layout/Encodings.h"
#include "dialects/Target/Target.h"
#include "dialects/TileGPU/TileGPU.h"

namespace tilewright::tilegpu {

/// The type as which elements of a tensor enter a matrix instruction, or none.
/// f32 enters as tf32: whether a dot allows that is the caller's question. i8
/// is signed.
std::optional<target::ElementType> getMatrixOperandType(mlir::Type type);

/// The type in which a matrix instruction keeps an accumulator of `type`, or
/// none.
std::optional<target::ElementType> getMatrixAccumulatorType(mlir::Type type);

/// The family as dialects/Layout names it.
layout::Fragment toFragment(MmaFamily family);

/// The family of a synchronous instruction's accumulator.
MmaFamily getMmaFamily(const target::MatrixInstruction &instruction);

/// Elements of a result of `shape` that a warp computes by synchronous
/// instructions, with those that pad the tile to the instruction's.
uint64_t countWarpElements(llvm::ArrayRef<int64_t> shape, MmaAttr accumulator);

/// Whether the elements of `tensor`, of f32, are known to be numbers of tf32:
/// an operand that was extended from fewer bits (tf32 has 8 of the exponent and
/// 10 of the fraction). Rounding would leave them as they are.
bool isExactInTf32(mlir::Value tensor);

/// Elements of K in one register of an operand: kWidth as the PTX ISA has it.
unsigned getRegisterElements(const target::MatrixInstruction &instruction);

/// An element of a fragment, relative to the first one of lane 0.
struct FragmentElement {
  uint64_t row, column;
};

/// The fragments of one instruction of a warp, as lane 0 holds them, each in
/// the order of the instruction's registers, the lowest element first.
struct MatrixFragments {
  /// What the warp computes: rows and columns of the result, and K. Volta's
  /// quad pairs count together.
  uint64_t rows, columns, k;
  llvm::SmallVector<FragmentElement> lhs, rhs, accumulator;
};

/// The fragments of a synchronous instruction.
MatrixFragments
getMatrixFragments(const target::MatrixInstruction &instruction);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECTS_TILEGPU_MATRIXFRAGMENTS_H
