// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operand as the rules of the axis analysis see it, and what the files of
// rules share. Internal to the axis analysis.

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_AXISOPERAND_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_AXISOPERAND_H

#include "passes/TileToTileGPU/AxisRules.h"

namespace tilewright::tilegpu::axis {

/// The bits of an integer of `type`, or of its elements; 64 for indices and
/// pointers.
unsigned getWidth(mlir::Type type);

/// The largest power of two known to divide every element.
int64_t getElementDivisor(const AxisInfo &info, int64_t step);

/// The information of a value of `type` that is one number in all elements, of
/// which only a divisor is known.
AxisInfo getUniform(mlir::Type type, int64_t divisor);

/// Claims no longer runs along `dim` than `run` elements.
void shortenRun(AxisInfo &info, unsigned dim, int64_t run, int64_t step);

/// Brings a result of `type` into its final form: drops runs of narrow integers
/// that might wrap, and spreads what divides every element to all dimensions.
void normalize(AxisInfo &info, mlir::Type type);

/// An operand: what is known of it, and of its type.
struct Operand {
  Operand(const AxisInfo &info, mlir::Type type)
      : info(info), shape(*getAxisShape(type)), step(getStep(type)),
        width(getWidth(type)) {}

  const AxisInfo &info;
  llvm::SmallVector<int64_t> shape;
  int64_t step;
  unsigned width;

  int64_t getContiguity(unsigned dim) const { return info.contiguity[dim]; }
  int64_t getConstancy(unsigned dim) const { return info.constancy[dim]; }

  /// What divides the first value of every aligned run of `run` elements.
  int64_t getDivisor(unsigned dim, int64_t run) const {
    return getRunDivisor(info, dim, run, step);
  }
  /// What divides every element.
  int64_t getDivisor() const { return getElementDivisor(info, step); }

  /// The longest run of consecutive values that starts at a multiple of its
  /// length; integers only. No wrap can happen inside.
  int64_t getAlignedContiguity(unsigned dim) const {
    return std::min(info.contiguity[dim], info.divisibility[dim]);
  }
  /// The longest run over which the value is constant and a multiple of the
  /// run's length; integers only.
  int64_t getAlignedConstancy(unsigned dim) const {
    return std::min(info.constancy[dim], info.divisibility[dim]);
  }
  /// The longest run whose values grow as unsigned numbers.
  int64_t getUnsignedContiguity(unsigned dim) const {
    return info.nonNegative ? getContiguity(dim) : getAlignedContiguity(dim);
  }

  bool isConstant(int64_t value) const { return info.constant == value; }
};

/// The information of a result, of type `type`, of an op of integer arithmetic.
AxisInfo getArithmetic(mlir::Operation *op, mlir::Type type,
                       llvm::ArrayRef<Operand> operands);

} // namespace tilewright::tilegpu::axis

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_AXISOPERAND_H
