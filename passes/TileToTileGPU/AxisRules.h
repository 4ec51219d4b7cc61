// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transfer rules of the axis analysis: what an op's result is known to be,
// given what is known of its operands. Internal to AxisAnalysis.

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_AXISRULES_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_AXISRULES_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"
#include "passes/TileToTileGPU/AxisAnalysis.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilewright::tilegpu::axis {

/// The largest divisibility that is ever claimed.
inline constexpr int64_t maxDivisibility = int64_t(1) << 30;

/// The largest power of two, at most maxDivisibility, that divides `value`.
int64_t powerOfTwoDivisor(uint64_t value);

/// The sizes of the dimensions of `type` as AxisInfo counts them, or nothing if
/// such values are not analysed.
std::optional<llvm::SmallVector<int64_t>> getAxisShape(mlir::Type type);

/// By how much a value of `type` grows from one element of a contiguous run to
/// the next, or the power of two in it: 1 for integers, the pointee's size in
/// bytes for pointers.
int64_t getStep(mlir::Type type);

/// What divides the first value of every aligned run of `run` elements along
/// `dim`; `step` is getStep of the value's type.
int64_t getRunDivisor(const AxisInfo &info, unsigned dim, int64_t run,
                      int64_t step);

/// The information of a value of `type` of which nothing is known.
AxisInfo getUnknown(mlir::Type type);

/// The information of a value of the integer type `type` whose elements all are
/// `value` (sign-extended).
AxisInfo getConstant(mlir::Type type, int64_t value);

/// What is known of a value that may be either: the weaker claim each time.
AxisInfo join(const AxisInfo &lhs, const AxisInfo &rhs, int64_t step);

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

} // namespace tilewright::tilegpu::axis

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_AXISRULES_H
