// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers, loads, stores and atomics: what they accept, what they touch, and
// what becomes of them under constant masks.

#include "dialects/Triton/Triton.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

LogicalResult AddPtrOp::verify() {
  if (getBlock(getPtr().getType()))
    return emitOpError("expects pointers to scalars, but got ")
           << getPtr().getType() << "; tt.advance moves a block pointer";
  if (!haveSameShape(getPtr().getType(), getOffset().getType()))
    return emitOpError("expects pointers and offsets of one shape, but got ")
           << getPtr().getType() << " and " << getOffset().getType();
  return success();
}

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getOffset(), m_Zero()))
    return getPtr();
  // Offsets are signed of any width. Narrower ones than 32 bits stay extended:
  // what is known of them as indices is little. So do those whose extension has
  // hints, which would be lost.
  auto extension = getOffset().getDefiningOp<arith::ExtSIOp>();
  if (!extension || getElementBits(extension.getIn().getType()) < 32 ||
      !extension->getDiscardableAttrDictionary().empty())
    return {};
  getOffsetMutable().assign(extension.getIn());
  return getResult();
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// Dimensions to check belong to a block pointer and exist there.
static LogicalResult verifyBoundaryCheck(Operation *op, Type pointer,
                                         ArrayRef<int32_t> dimensions) {
  RankedTensorType block = getBlock(pointer);
  if (!block && !dimensions.empty())
    return op->emitOpError("expects boundaryCheck with block pointers only, "
                           "but got ")
           << pointer;
  for (int32_t dim : dimensions)
    if (dim < 0 || dim >= block.getRank())
      return op->emitOpError("expects boundaryCheck dimensions in [0, ")
             << block.getRank() << "), but got " << dim;
  return success();
}

/// A block pointer is checked by dimensions, not by a mask.
static LogicalResult verifyNoMask(Operation *op, Type pointer, Value mask) {
  if (!mask || !getBlock(pointer))
    return success();
  return op->emitOpError("expects no mask with a block pointer, but got ")
         << mask.getType();
}

LogicalResult LoadOp::verify() {
  if (failed(verifyNoMask(*this, getPtr().getType(), getMask())))
    return failure();
  if (getPadding() && !getBlock(getPtr().getType()))
    return emitOpError("expects padding with block pointers only, but got ")
           << getPtr().getType();
  if (getOther() && !getMask())
    return emitOpError("expects a mask beside other, but got none");
  return verifyBoundaryCheck(*this, getPtr().getType(), getBoundaryCheck());
}

void LoadOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable());
  if (mustReread())
    effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult StoreOp::verify() {
  if (failed(verifyNoMask(*this, getPtr().getType(), getMask())))
    return failure();
  return verifyBoundaryCheck(*this, getPtr().getType(), getBoundaryCheck());
}

void StoreOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable());
}

/// The value of a mask that is the same constant everywhere.
static std::optional<bool> getConstantMask(Value mask) {
  Attribute value;
  if (!mask || !matchPattern(mask, m_Constant(&value)))
    return std::nullopt;
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    return splat.getSplatValue<bool>();
  if (auto scalar = dyn_cast<IntegerAttr>(value))
    return !scalar.getValue().isZero();
  return std::nullopt;
}

namespace {
/// atomic_rmw(p, v, true) -> atomic_rmw(p, v)
struct SimplifyMaskedAtomic : OpRewritePattern<AtomicRMWOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AtomicRMWOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<bool> mask = getConstantMask(op.getMask());
    if (!mask || !*mask)
      return rewriter.notifyMatchFailure(op, "the mask is not always true");
    rewriter.modifyOpInPlace(op, [&]() { op.getMaskMutable().clear(); });
    return success();
  }
};

/// load(p, true) -> load(p); load(p, false, other) -> other
struct SimplifyMaskedLoad : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<bool> mask = getConstantMask(op.getMask());
    if (!mask)
      return rewriter.notifyMatchFailure(op, "the mask is no constant");
    if (*mask) {
      rewriter.modifyOpInPlace(op, [&]() {
        op.getMaskMutable().clear();
        op.getOtherMutable().clear();
      });
      return success();
    }
    if (op.getOther())
      rewriter.replaceOp(op, op.getOther());
    else
      rewriter.replaceOpWithNewOp<ub::PoisonOp>(op, op.getType());
    return success();
  }
};

/// store(p, v, true) -> store(p, v); store(p, v, false) -> nothing
struct SimplifyMaskedStore : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<bool> mask = getConstantMask(op.getMask());
    if (!mask)
      return rewriter.notifyMatchFailure(op, "the mask is no constant");
    if (*mask)
      rewriter.modifyOpInPlace(op, [&]() { op.getMaskMutable().clear(); });
    else
      rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<SimplifyMaskedLoad>(context);
}

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<SimplifyMaskedStore>(context);
}

void AtomicRMWOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<SimplifyMaskedAtomic>(context);
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

/// Whether the types differ in their encodings at most.
static bool isSameButEncoding(Type a, Type b) {
  return haveSameShape(a, b) &&
         getElementTypeOrSelf(a) == getElementTypeOrSelf(b);
}

/// Operands and result of an atomic fit its pointers.
static LogicalResult verifyAtomic(Operation *op, Type pointers,
                                  ArrayRef<Type> values, Type mask) {
  if (getBlock(pointers))
    return op->emitOpError("expects pointers to scalars, but got ") << pointers;
  Type expected = getPointeeLike(pointers);
  for (Type type : values)
    if (!isSameButEncoding(type, expected))
      return op->emitOpError("expects values of type ")
             << expected << ", which the pointers have, but got " << type;
  Type element = getElementTypeOrSelf(expected);
  if (element.isIntOrFloat() &&
      !llvm::is_contained({16u, 32u, 64u}, element.getIntOrFloatBitWidth()))
    return op->emitOpError("expects elements of 16, 32 or 64 bits, but got ")
           << element;
  if (mask && !isSameButEncoding(mask, getBoolLike(pointers)))
    return op->emitOpError("expects a mask of type ")
           << getBoolLike(pointers) << ", but got " << mask;
  return success();
}

LogicalResult AtomicRMWOp::verify() {
  Type mask = getMask() ? getMask().getType() : Type();
  if (failed(verifyAtomic(*this, getPtr().getType(),
                          {getVal().getType(), getType()}, mask)))
    return failure();
  Type element = getElementTypeOrSelf(getType());
  if (isa<PointerType>(element) && getAtomicRmwOp() != AtomicOperation::XCHG)
    return emitOpError("expects integers or floats for ")
           << stringifyAtomicOperation(getAtomicRmwOp()) << ", but got "
           << element;
  if (llvm::is_contained({AtomicOperation::INC, AtomicOperation::DEC},
                         getAtomicRmwOp()) &&
      !element.isInteger(32))
    return emitOpError("expects i32 for ")
           << stringifyAtomicOperation(getAtomicRmwOp()) << ", but got "
           << element;
  bool isFloat = isa<FloatType>(element);
  bool wantsFloat = llvm::is_contained(
      {AtomicOperation::FADD, AtomicOperation::FMAX, AtomicOperation::FMIN},
      getAtomicRmwOp());
  bool takesBoth = getAtomicRmwOp() == AtomicOperation::XCHG;
  if (!takesBoth && isFloat != wantsFloat)
    return emitOpError("expects ")
           << (wantsFloat ? "floats" : "integers") << " for "
           << stringifyAtomicOperation(getAtomicRmwOp()) << ", but got "
           << element;
  return success();
}

LogicalResult AtomicCASOp::verify() {
  return verifyAtomic(*this, getPtr().getType(),
                      {getCmp().getType(), getVal().getType(), getType()},
                      Type());
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

GlobalAccess LoadOp::getGlobalAccess() { return {getPtr(), getMask()}; }

GlobalAccess StoreOp::getGlobalAccess() {
  return {getPtr(), getMask(), /*isWrite=*/true, /*isAtomic=*/false,
          MaskedVectors::Prefixes};
}

GlobalAccess AtomicRMWOp::getGlobalAccess() {
  return {getPtr(), getMask(), /*isWrite=*/true, /*isAtomic=*/true};
}

GlobalAccess AtomicCASOp::getGlobalAccess() {
  return {getPtr(), Value(), /*isWrite=*/true, /*isAtomic=*/true};
}
