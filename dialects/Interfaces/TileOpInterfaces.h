// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interfaces of TileOpInterfaces.td, and the questions that passes ask of
// any op, whether it implements one of them or not.

#ifndef TILEWRIGHT_DIALECTS_INTERFACES_TILEOPINTERFACES_H
#define TILEWRIGHT_DIALECTS_INTERFACES_TILEOPINTERFACES_H

#include "dialects/Interfaces/AxisInfo.h"
#include "dialects/Layout/LinearLayout.h"
#include "mlir/IR/OpDefinition.h"

namespace tilewright {

/// An access to global memory through a pointer or a tile of them.
struct GlobalAccess {
  mlir::Value pointers;
  /// Null: all elements are accessed.
  mlir::Value mask;
  bool isWrite = false;
  bool isAtomic = false;
  MaskedVectors masked = MaskedVectors::Whole;
};

/// Values that come together and so have one type.
struct ValueMerge {
  /// What has the type: arguments of regions, results.
  llvm::SmallVector<mlir::Value, 2> values;
  /// What flows in.
  llvm::SmallVector<mlir::OpOperand *, 2> operands;
};

/// What one element of an elementwise op takes.
struct ElementCost {
  /// Instructions of the arithmetic units.
  unsigned arithmetic = 1;
  /// Instructions of the special-function unit: reciprocals, exponentials.
  unsigned special = 0;
  /// As cheap as moving the element: it may be rematerialized in another layout
  /// rather than converted to it.
  bool isRematerializable = false;
};

/// What it takes for an op on integers to give the same on fewer bits, where
/// its results, as signed numbers, fit in these.
struct Narrowing {
  /// How many of the operands are not negative as signed numbers.
  enum class NonNegative { None, Any, All };

  /// The low bits of the result come of the low bits of the operands alone.
  /// Otherwise those operands must fit too.
  bool isOfLowBits = false;
  /// The second operand is less than the number of bits.
  bool isShift = false;
  /// The result, which is of another type, stays: a comparison, a conversion.
  bool keepsResult = false;
  /// The op extends its operands by itself: fewer bits are of use only where
  /// they are at hand.
  bool isFreeExtension = false;
  NonNegative nonNegative = NonNegative::None;
};

/// The trait of an elementwise op that verifies its shapes itself, where MLIR's
/// Elementwise would come before it with less to say.
template <typename ConcreteType>
class ElementwiseOnTiles
    : public mlir::OpTrait::TraitBase<ConcreteType, ElementwiseOnTiles> {};

/// The trait of an op that others take the place of before tensors get layouts.
template <typename ConcreteType>
class ExpandedBeforePlacement
    : public mlir::OpTrait::TraitBase<ConcreteType, ExpandedBeforePlacement> {};

} // namespace tilewright

#include "dialects/Interfaces/TileOpInterfaces.h.inc"

namespace tilewright {

/// Whether `op` makes a tensor from nothing but scalars: constants, ranges,
/// splats. It gives the same value under every layout, at next to no cost.
bool makesTileOfScalars(mlir::Operation *op);

/// Whether `tile` is a constant all of whose elements are one.
bool isSplatConstant(mlir::Value tile);

/// Whether results are elementwise functions of the operands, so that all
/// tensors have one shape; with memory effects (inline assembly) or without.
bool isElementwise(mlir::Operation *op);

/// Whether it divides integers by what may be 0: by anything but a constant.
/// MLIR has remainders for pure all the same, but LLVM concludes from one that
/// its divisor is not 0.
bool mayDivideByZero(mlir::Operation *op);

/// Whether the result of `op` has the elements of its first operand, in other
/// places by a coordinate map.
bool isView(mlir::Operation *op);

/// The access that `op` makes to global memory; none for other ops.
std::optional<GlobalAccess> getGlobalAccess(mlir::Operation *op);

/// What an element of `op` takes, one cheap instruction where it does not say.
ElementCost getElementCost(mlir::Operation *op);

/// Under which conditions `op` may be done on fewer bits; none where it does
/// not say. Data movements of one operand may be so under none.
std::optional<Narrowing> getNarrowing(mlir::Operation *op);

/// Whether the elements of the only result are those of the only operand.
bool isMoveOfOne(mlir::Operation *op);

/// The ops of a dialect that is loaded. (MLIR 22's own look-up by dialect
/// searches a list as if it were sorted, which it is not.)
llvm::SmallVector<mlir::RegisteredOperationName>
getRegisteredOps(mlir::MLIRContext &context, llvm::StringRef dialect);

/// Has the ops of `arith` and `math`, which are loaded, implement
/// AxisInfoOpInterface and ElementCostOpInterface, those of `arith`
/// NarrowingOpInterface too, and those of `scf` ValueMergeOpInterface.
/// TritonDialect calls it.
void attachUpstreamModels(mlir::MLIRContext &context);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECTS_INTERFACES_TILEOPINTERFACES_H
