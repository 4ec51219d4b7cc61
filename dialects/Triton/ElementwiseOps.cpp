// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Triton/Triton.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

/// Scalars both, or tiles of one shape.
static LogicalResult verifySameShape(Operation *op, Type a, Type b) {
  auto first = dyn_cast<RankedTensorType>(a);
  auto second = dyn_cast<RankedTensorType>(b);
  if (bool(first) == bool(second) &&
      (!first || first.getShape() == second.getShape()))
    return success();
  return op->emitOpError("expects source and result of one shape, but got ")
         << a << " and " << b;
}

/// Bits of an element; a pointer has 64.
static unsigned bitsOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

LogicalResult BitcastOp::verify() {
  Type source = getSrc().getType(), result = getType();
  if (failed(verifySameShape(*this, source, result)))
    return failure();
  if (bitsOf(source) != bitsOf(result))
    return emitOpError("expects a result of ")
           << bitsOf(source) << " bits, but got " << bitsOf(result);
  return success();
}

OpFoldResult BitcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return {};
}

LogicalResult IntToPtrOp::verify() {
  Type source = getSrc().getType(), result = getType();
  if (!getElementTypeOrSelf(source).isInteger(64) ||
      !isa<PointerType>(getElementTypeOrSelf(result)))
    return emitOpError("expects i64 to pointer, but got ")
           << source << " to " << result;
  return verifySameShape(*this, source, result);
}

LogicalResult PtrToIntOp::verify() {
  Type source = getSrc().getType(), result = getType();
  if (!isa<PointerType>(getElementTypeOrSelf(source)) ||
      !getElementTypeOrSelf(result).isInteger(64))
    return emitOpError("expects pointer to i64, but got ")
           << source << " to " << result;
  return verifySameShape(*this, source, result);
}

LogicalResult FpToFpOp::verify() {
  Type source = getSrc().getType(), result = getType();
  if (failed(verifySameShape(*this, source, result)))
    return failure();
  bool narrows = bitsOf(result) < bitsOf(source);
  if (narrows && !getRounding())
    return emitOpError("expects a rounding for ") << source << " to " << result;
  bool isStochastic =
      getRounding() && *getRounding() == RoundingMode::RS;
  if (isStochastic != bool(getRbits()))
    return emitOpError("expects rbits with rounding = rs, and only there");
  return success();
}

OpFoldResult FpToFpOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return {};
}

/// A pure function touches nothing; any other may do anything.
static void
addEffectsUnlessPure(bool pure,
                     SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (pure)
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void ExternElementwiseOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffectsUnlessPure(getPure(), effects);
}

void ElementwiseInlineAsmOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addEffectsUnlessPure(getPure(), effects);
}
