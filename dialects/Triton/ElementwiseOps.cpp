// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops on each element by itself: what they accept, and identities.

#include "dialects/Triton/Triton.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

static LogicalResult verifySameShape(Operation *op, Type a, Type b) {
  if (haveSameShape(a, b))
    return success();
  return op->emitOpError("expects source and result of one shape, but got ")
         << a << " and " << b;
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

LogicalResult BitcastOp::verify() {
  Type source = getSrc().getType(), result = getType();
  if (failed(verifySameShape(*this, source, result)))
    return failure();
  if (getElementBits(source) != getElementBits(result))
    return emitOpError("expects a result of ")
           << getElementBits(source) << " bits, but got "
           << getElementBits(result);
  if (isa<PointerType>(getElementTypeOrSelf(source)) !=
      isa<PointerType>(getElementTypeOrSelf(result)))
    return emitOpError("expects pointers on both sides or on none, but got ")
           << source << " to " << result
           << "; tt.ptr_to_int and tt.int_to_ptr convert addresses";
  return success();
}

/// The constant with its bits read as `to`; null where that is no constant.
static Attribute bitcastConstant(Attribute value, Type to) {
  APInt bits(1, 0);
  if (auto integer = dyn_cast_if_present<IntegerAttr>(value))
    bits = integer.getValue();
  else if (auto real = dyn_cast_if_present<FloatAttr>(value))
    bits = real.getValue().bitcastToAPInt();
  else
    return {};
  if (auto type = dyn_cast<FloatType>(to))
    return FloatAttr::get(type, APFloat(type.getFloatSemantics(), bits));
  if (isa<IntegerType>(to))
    return IntegerAttr::get(to, bits);
  return {};
}

OpFoldResult BitcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<BitcastOp>()) {
    setOperand(inner.getSrc());
    return getResult();
  }
  auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getSrc());
  if (!splat)
    return bitcastConstant(adaptor.getSrc(), getType());
  Attribute element = bitcastConstant(splat.getSplatValue<Attribute>(),
                                      getElementTypeOrSelf(getType()));
  return element ? SplatElementsAttr::get(cast<ShapedType>(getType()), element)
                 : OpFoldResult();
}

LogicalResult IntToPtrOp::verify() {
  Type source = getSrc().getType(), result = getType();
  if (!getElementTypeOrSelf(source).isInteger(64) ||
      !isa<PointerType>(getElementTypeOrSelf(result)))
    return emitOpError("expects i64 to pointer, but got ")
           << source << " to " << result;
  return verifySameShape(*this, source, result);
}

/// int_to_ptr(ptr_to_int(p)) -> p
OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  auto inner = getSrc().getDefiningOp<PtrToIntOp>();
  return inner && inner.getSrc().getType() == getType() ? inner.getSrc()
                                                        : OpFoldResult();
}

LogicalResult PtrToIntOp::verify() {
  Type source = getSrc().getType(), result = getType();
  if (!isa<PointerType>(getElementTypeOrSelf(source)) ||
      !getElementTypeOrSelf(result).isInteger(64))
    return emitOpError("expects pointer to i64, but got ")
           << source << " to " << result;
  return verifySameShape(*this, source, result);
}

/// ptr_to_int(int_to_ptr(i)) -> i
OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  auto inner = getSrc().getDefiningOp<IntToPtrOp>();
  return inner && inner.getSrc().getType() == getType() ? inner.getSrc()
                                                        : OpFoldResult();
}

LogicalResult FpToFpOp::verify() {
  Type source = getSrc().getType(), result = getType();
  if (failed(verifySameShape(*this, source, result)))
    return failure();
  if (getElementBits(result) < getElementBits(source) && !getRounding())
    return emitOpError("expects a rounding for ")
           << source << " to " << result << ", but got none";
  bool isStochastic = getRounding() && *getRounding() == RoundingMode::RS;
  if (isStochastic && !getRbits())
    return emitOpError("expects rbits for rounding = rs, but got none");
  if (getRbits() && !isStochastic)
    return emitOpError("expects rbits with rounding = rs only, but got ")
           << (getRounding() ? stringifyRoundingMode(*getRounding())
                             : StringRef("no rounding"));
  if (getRbits() && (!haveSameShape(getRbits().getType(), source) ||
                     getElementBits(getRbits().getType()) != 32))
    return emitOpError("expects rbits of i32 and of the source's shape, but "
                       "got ")
           << getRbits().getType() << " for " << source;
  return success();
}

OpFoldResult FpToFpOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getType())
    return getSrc();
  return {};
}

//===----------------------------------------------------------------------===//
// Code from elsewhere
//===----------------------------------------------------------------------===//

/// All tiles among operands and results have one shape, and results are tiles
/// where operands are.
static LogicalResult verifyTilesAlike(Operation *op) {
  auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
  auto first = llvm::find_if(op->getOperandTypes(), isTile);
  if (first == op->getOperandTypes().end())
    return success();
  for (Type type : op->getOperandTypes())
    if (isTile(type) && !haveSameShape(type, *first))
      return op->emitOpError("expects operands of one shape, but got ")
             << *first << " and " << type;
  for (Type type : op->getResultTypes())
    if (!haveSameShape(type, *first))
      return op->emitOpError("expects results of the operands' shape, but got ")
             << *first << " and " << type;
  return success();
}

LogicalResult ExternElementwiseOp::verify() {
  if (getSymbol().empty())
    return emitOpError(
        "expects the name of a function as symbol, but got \"\"");
  return verifyTilesAlike(*this);
}

LogicalResult ElementwiseInlineAsmOp::verify() {
  if (int32_t(getPackedElement()) < 1)
    return emitOpError("expects packed_element of 1 or more, but got ")
           << int32_t(getPackedElement());
  if (getNumResults() == 0)
    return emitOpError("expects at least one result, but got none");
  return verifyTilesAlike(*this);
}

LogicalResult MapElementwiseOp::verify() {
  if (getSrcs().empty())
    return emitOpError("expects at least one source, but got none");
  auto first = cast<RankedTensorType>(getSrcs().front().getType());
  int64_t pack = int32_t(getPack());
  if (pack < 1 || !llvm::isPowerOf2_64(pack) || pack > first.getNumElements())
    return emitOpError("expects pack to be a power of two of at most ")
           << first.getNumElements() << ", the elements of a tile, but got "
           << pack;
  return verifyTilesAlike(*this);
}

/// Diagnoses types of a region's arguments or results that are not `pack`
/// elements of each of `tiles`.
static LogicalResult verifyPacks(MapElementwiseOp op, StringRef what,
                                 TypeRange types, TypeRange tiles) {
  SmallVector<Type> expected;
  for (Type tile : tiles)
    expected.append(op.getPack(), getElementTypeOrSelf(tile));
  if (llvm::equal(types, expected))
    return success();
  InFlightDiagnostic diagnostic = op.emitOpError("expects a region that ")
                                  << what << " (";
  llvm::interleaveComma(expected, diagnostic);
  diagnostic << "), but got (";
  llvm::interleaveComma(types, diagnostic);
  return diagnostic << ")";
}

LogicalResult MapElementwiseOp::verifyRegions() {
  if (failed(verifyPacks(*this, "takes", getScalarOp().getArgumentTypes(),
                         getSrcs().getTypes())))
    return failure();
  for (auto end : getScalarOp().getOps<MapElementwiseReturnOp>())
    if (failed(verifyPacks(*this, "gives", end->getOperandTypes(),
                           getResultTypes())))
      return failure();
  return success();
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

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// Address arithmetic, which costs no more than moving the element.
static constexpr ElementCost addressCost = {1, 0, /*isRematerializable=*/true};
static constexpr ElementCost divisionCost = {8, 2};
/// What is called is not known.
static constexpr ElementCost callCost = {0, 2};

ElementCost AddPtrOp::getElementCost() { return addressCost; }

/// Offsets are extended as the address is computed.
Narrowing AddPtrOp::getNarrowing() {
  return {.keepsResult = true, .isFreeExtension = true};
}

ElementCost BitcastOp::getElementCost() { return addressCost; }
ElementCost IntToPtrOp::getElementCost() { return addressCost; }
ElementCost PtrToIntOp::getElementCost() { return addressCost; }
ElementCost FpToFpOp::getElementCost() { return {2, 0}; }
ElementCost ClampFOp::getElementCost() { return {1, 0}; }
ElementCost MulhiUIOp::getElementCost() { return {1, 0}; }
ElementCost PreciseSqrtOp::getElementCost() { return divisionCost; }
ElementCost PreciseDivFOp::getElementCost() { return divisionCost; }
ElementCost ApproxDivFOp::getElementCost() { return divisionCost; }
ElementCost ExternElementwiseOp::getElementCost() { return callCost; }
ElementCost ElementwiseInlineAsmOp::getElementCost() { return callCost; }
ElementCost MapElementwiseOp::getElementCost() { return callCost; }
