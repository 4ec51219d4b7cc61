// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the rules of AxisInfoOpInterface are made of. Pointers are known by
// MLIR's PtrLikeTypeInterface, with an element type.

#ifndef TILEWRIGHT_DIALECTS_INTERFACES_AXISRULES_H
#define TILEWRIGHT_DIALECTS_INTERFACES_AXISRULES_H

#include "dialects/Interfaces/AxisInfo.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <vector>

namespace tilewright::axis {

/// The largest divisibility that is ever claimed.
inline constexpr int64_t maxDivisibility = int64_t(1) << 30;

/// The largest power of two, at most maxDivisibility, that divides `value`.
int64_t powerOfTwoDivisor(uint64_t value);

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The sizes of the dimensions of `type` as AxisInfo counts them, or nothing if
/// such values are not analysed: neither an integer of at most 64 bits, nor an
/// index, nor a pointer to scalars of a power of two of bytes, nor a tile of
/// them.
std::optional<llvm::SmallVector<int64_t>> getAxisShape(mlir::Type type);

/// Whether `type` is a pointer, or a tile of them.
bool isPointerLike(mlir::Type type);

/// Whether arithmetic on integers of `type` is taken not to overflow (the first
/// assumption of AxisInfo.h): narrow ones overflow in earnest.
bool isOverflowExcluded(mlir::Type type);

/// By how much a value of `type` grows from one element of a contiguous run to
/// the next, or the power of two in it: 1 for integers, the pointee's size in
/// bytes for pointers.
int64_t getStep(mlir::Type type);

/// The bits of an integer of `type`, or of its elements; 64 for indices and
/// pointers.
unsigned getWidth(mlir::Type type);

//===----------------------------------------------------------------------===//
// Information
//===----------------------------------------------------------------------===//

/// The information of a value of `type` of which nothing is known.
AxisInfo getUnknown(mlir::Type type);

/// The information of a value of `type` that is one number in all elements, of
/// which only a divisor is known.
AxisInfo getUniform(mlir::Type type, int64_t divisor);

/// The information of a value of the integer type `type` whose elements all are
/// `value` (sign-extended).
AxisInfo getConstant(mlir::Type type, int64_t value);

/// What is known of a value that may be either: the weaker claim each time.
/// `step` is getStep of the value's type.
AxisInfo join(const AxisInfo &lhs, const AxisInfo &rhs, int64_t step);

/// What divides the first value of every aligned run of `run` elements along
/// `dim`; `step` is getStep of the value's type.
int64_t getRunDivisor(const AxisInfo &info, unsigned dim, int64_t run,
                      int64_t step);

/// The largest power of two known to divide every element.
int64_t getElementDivisor(const AxisInfo &info, int64_t step);

/// Claims no longer runs along `dim` than `run` elements.
void shortenRun(AxisInfo &info, unsigned dim, int64_t run, int64_t step);

/// Brings a result of `type` into its final form: drops runs of narrow integers
/// that might wrap, and spreads what divides every element to all dimensions.
void normalize(AxisInfo &info, mlir::Type type);

/// The attribute by which passes say of an op's result what `tt.divisibility`
/// says, where that is no hint: of the rows of a tensor with a descriptor.
inline constexpr llvm::StringLiteral knownDivisibilityAttrName =
    "tile.divisibility";

/// The attribute of a load, or of the copy in its place, through a tensor
/// descriptor: what it takes begins at a multiple of 16 bytes, and strides are
/// multiples of 16 bytes from 0 on, as for a tensor map. The kernel may make
/// one.
inline constexpr llvm::StringLiteral describedAttrName = "tile.described";

/// Adds to `info`, which describes a value of `type`, what the attributes
/// `tt.divisibility`, `tt.contiguity` and `tt.constancy` promise.
/// `getAttribute` gives the attribute of a name, or null. Attributes of another
/// form are ignored.
void applyHints(
    AxisInfo &info, mlir::Type type,
    llvm::function_ref<mlir::Attribute(llvm::StringRef)> getAttribute);

/// The information of the induction variable of a loop that starts at
/// `lowerBound` and proceeds by `step`, which is positive.
AxisInfo getInductionVariable(mlir::Type type, const AxisInfo &lowerBound,
                              const AxisInfo &step);

/// The information of result `result` of `op`. `operands` has an entry for each
/// operand, null where the operand's type is not analysed. The result's type is
/// one that is.
AxisInfo getResult(mlir::Operation *op, unsigned result,
                   llvm::ArrayRef<const AxisInfo *> operands);

/// The largest power of two of elements along dimension `dim` that one access
/// through pointers of type `pointers` may take together: their addresses are
/// consecutive, and aligned to their total size, which is at most 16 bytes; and
/// the mask, if there is one, leaves out what may be. 1 where nothing is known
/// of the pointers (null) or of the mask (a null in it).
unsigned getVectorElements(mlir::Type pointers, const AxisInfo *info,
                           std::optional<const AxisInfo *> mask, unsigned dim,
                           MaskedVectors masked = MaskedVectors::Whole);

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

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
  int64_t getPrefixes(unsigned dim) const { return info.prefixes[dim]; }
  int64_t getSpacing(unsigned dim) const { return info.spacing[dim]; }

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

/// The operands of `op` with their information, as inferAxisInfo gets it.
std::vector<Operand> makeOperands(mlir::Operation *op,
                                  llvm::ArrayRef<const AxisInfo *> infos);

/// The claims on single elements of `source`, which every shape keeps, for a
/// value of `type` with elements of the same type.
AxisInfo getOfElements(mlir::Type type, const Operand &source);

/// The same bits as another type: runs stay runs where the step stays.
AxisInfo getRetyped(mlir::Type type, const Operand &source);

/// Elementwise functions of which no more is known: equal operands, equal
/// results.
AxisInfo getOfEqualOperands(mlir::Type type, llvm::ArrayRef<Operand> operands);

} // namespace tilewright::axis

#endif // TILEWRIGHT_DIALECTS_INTERFACES_AXISRULES_H
