// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Triton/Triton.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

/// Scalars both, or tiles of one shape.
static bool haveSameShape(Type a, Type b) {
  auto first = dyn_cast<RankedTensorType>(a);
  auto second = dyn_cast<RankedTensorType>(b);
  return bool(first) == bool(second) &&
         (!first || first.getShape() == second.getShape());
}

/// A tile, where `type` is a block pointer.
static RankedTensorType getBlock(Type type) {
  auto pointer = dyn_cast<PointerType>(type);
  return pointer ? dyn_cast<RankedTensorType>(pointer.getPointeeType())
                 : RankedTensorType();
}

LogicalResult AddPtrOp::verify() {
  if (haveSameShape(getPtr().getType(), getOffset().getType()))
    return success();
  return emitOpError("expects pointers and offsets of one shape, but got ")
         << getPtr().getType() << " and " << getOffset().getType();
}

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getOffset(), m_Zero()))
    return getPtr();
  return {};
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

LogicalResult LoadOp::verify() {
  if (getOther() && !getMask())
    return emitOpError("expects a mask beside other, but got none");
  return verifyBoundaryCheck(*this, getPtr().getType(), getBoundaryCheck());
}

void LoadOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult StoreOp::verify() {
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
/// load(p, true) -> load(p); load(p, false, other) -> other
struct SimplifyMaskedLoad : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<bool> mask = getConstantMask(op.getMask());
    if (!mask || op.getIsVolatile())
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

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

/// Operands and result of an atomic fit its pointers.
static LogicalResult verifyAtomic(Operation *op, Type pointers,
                                  ArrayRef<Type> values, Type mask) {
  if (getBlock(pointers))
    return op->emitOpError("expects pointers to scalars, but got ") << pointers;
  Type expected = getPointeeLike(pointers);
  for (Type type : values)
    if (type != expected)
      return op->emitOpError("expects values of type ")
             << expected << ", which the pointers have, but got " << type;
  if (mask && mask != getBoolLike(pointers))
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
  bool isFloat = isa<FloatType>(element);
  bool wantsFloat = getAtomicRmwOp() == AtomicOperation::FADD;
  bool takesBoth = getAtomicRmwOp() == AtomicOperation::XCHG;
  if (!takesBoth && isFloat != wantsFloat)
    return emitOpError("expects ")
           << (wantsFloat ? "floats" : "integers") << " for "
           << stringifyAtomicOperation(getAtomicRmwOp()) << ", but got "
           << element;
  return success();
}

LogicalResult AtomicCASOp::verify() {
  return verifyAtomic(
      *this, getPtr().getType(),
      {getCmp().getType(), getVal().getType(), getType()}, Type());
}

//===----------------------------------------------------------------------===//
// Block pointers and descriptors
//===----------------------------------------------------------------------===//

LogicalResult MakeTensorPtrOp::verify() {
  RankedTensorType block = getBlock(getType());
  if (!block)
    return emitOpError("expects a block pointer as result, but got ")
           << getType();
  if (int64_t(getShape().size()) != block.getRank() ||
      int64_t(getOrder().size()) != block.getRank())
    return emitOpError("expects ")
           << block.getRank() << " sizes and an order of as many, but got "
           << getShape().size() << " and " << getOrder().size();
  if (getBase().getType().getPointeeType() != block.getElementType())
    return emitOpError("expects a base that points at ")
           << block.getElementType() << ", but got " << getBase().getType();
  return success();
}

LogicalResult AdvanceOp::verify() {
  RankedTensorType block = getBlock(getType());
  if (!block)
    return emitOpError("expects a block pointer, but got ") << getType();
  if (int64_t(getOffsets().size()) != block.getRank())
    return emitOpError("expects ")
           << block.getRank() << " offsets, but got " << getOffsets().size();
  return success();
}

LogicalResult MakeTensorDescriptorOp::verify() {
  RankedTensorType block = getType().getBlockType();
  if (int64_t(getShape().size()) != block.getRank())
    return emitOpError("expects ")
           << block.getRank() << " sizes, but got " << getShape().size();
  return success();
}

/// A block read or written has the descriptor's size (leading dimensions of one
/// element may be missing) and as many indices as the descriptor has dimensions.
static LogicalResult verifyBlock(Operation *op, TensorDescriptorType descriptor,
                                 RankedTensorType tile, size_t indices) {
  RankedTensorType block = descriptor.getBlockType();
  if (int64_t(indices) != block.getRank())
    return op->emitOpError("expects ")
           << block.getRank() << " indices, but got " << indices;
  if (tile.getNumElements() != block.getNumElements() ||
      getElementTypeOrSelf(tile) != getElementTypeOrSelf(block))
    return op->emitOpError("expects a tile of the descriptor's block ")
           << block << ", but got " << tile;
  return success();
}

LogicalResult DescriptorLoadOp::verify() {
  return verifyBlock(*this, getDesc().getType(),
                     cast<RankedTensorType>(getType()), getIndices().size());
}

LogicalResult DescriptorStoreOp::verify() {
  return verifyBlock(*this, getDesc().getType(),
                     cast<RankedTensorType>(getSrc().getType()),
                     getIndices().size());
}
