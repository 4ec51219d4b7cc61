// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites block pointers and tensor descriptors as the scalars that they stand
// for, and accesses through them as accesses through tiles of pointers.

#include "dialects/Interfaces/AxisRules.h"
#include "mlir/Dialect/ControlFlow/Transforms/StructuralTypeConversions.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/Tile/BlockAccess.h"
#include "passes/Tile/DescriptorAccesses.h"
#include "passes/Tile/Passes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_REWRITEBLOCKACCESSES
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// A block of signless elements: those of descriptors may be signed or
/// unsigned.
RankedTensorType getSignless(RankedTensorType block) {
  auto integer = dyn_cast<IntegerType>(block.getElementType());
  if (!integer)
    return block;
  return RankedTensorType::get(
      block.getShape(),
      IntegerType::get(block.getContext(), integer.getWidth()));
}

/// The block of a descriptor, of signless elements.
RankedTensorType getBlock(tt::TensorDescriptorType type) {
  return getSignless(type.getBlockType());
}

/// A block pointer becomes its base, shape, strides and offsets; a descriptor
/// its base, shape, strides, whether it pads with NaN, and whether its hint
/// says that rows are aligned.
class BlockTypeConverter : public TypeConverter {
public:
  explicit BlockTypeConverter(MLIRContext *context) {
    Type i64 = IntegerType::get(context, 64);
    addConversion([](Type type) { return type; });
    addConversion([=](tt::PointerType type, SmallVectorImpl<Type> &parts)
                      -> std::optional<LogicalResult> {
      RankedTensorType block = tt::getBlock(type);
      if (!block)
        return std::nullopt;
      parts.push_back(tt::getBasePointer(type));
      parts.append(2 * block.getRank(), i64);
      parts.append(block.getRank(), IntegerType::get(type.getContext(), 32));
      return success();
    });
    addConversion(
        [=](tt::TensorDescriptorType type, SmallVectorImpl<Type> &parts) {
          RankedTensorType block = getBlock(type);
          parts.push_back(tt::PointerType::get(block.getElementType(), 1));
          parts.append(2 * block.getRank(), i64);
          parts.append(2, IntegerType::get(type.getContext(), 1));
          return success();
        });
  }
};

TensorBlock getPointerBlock(Type pointer, ValueRange parts) {
  RankedTensorType type = tt::getBlock(pointer);
  TensorBlock block = getBlockOfParts(type, parts);
  block.offsets = llvm::to_vector(parts.take_back(type.getRank()));
  return block;
}

/// All dimensions of a block.
SmallVector<int32_t> listDimensions(RankedTensorType block) {
  return llvm::to_vector(llvm::seq<int32_t>(0, block.getRank()));
}

//===----------------------------------------------------------------------===//
// Making and moving
//===----------------------------------------------------------------------===//

/// Base of the patterns: operands as the parts that they became.
template <typename OpT>
struct BlockPattern : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;
  using Adaptor = typename OpConversionPattern<OpT>::OneToNOpAdaptor;
};

/// The values that `ranges`, of one value each, hold.
void append(ArrayRef<ValueRange> ranges, SmallVectorImpl<Value> &values) {
  for (ValueRange range : ranges)
    values.push_back(range.front());
}

struct RewriteMakePointer : BlockPattern<tt::MakeTensorPtrOp> {
  using BlockPattern::BlockPattern;

  LogicalResult
  matchAndRewrite(tt::MakeTensorPtrOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    append(adaptor.getOperands(), parts);
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

struct RewriteAdvance : BlockPattern<tt::AdvanceOp> {
  using BlockPattern::BlockPattern;

  LogicalResult
  matchAndRewrite(tt::AdvanceOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts(adaptor.getPtr());
    size_t first = parts.size() - op.getOffsets().size();
    for (auto [index, step] : llvm::enumerate(adaptor.getOffsets()))
      parts[first + index] = arith::AddIOp::create(
          rewriter, op.getLoc(), parts[first + index], step.front());
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

struct RewriteMakeDescriptor : BlockPattern<tt::MakeTensorDescriptorOp> {
  using BlockPattern::BlockPattern;

  LogicalResult
  matchAndRewrite(tt::MakeTensorDescriptorOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Value base = adaptor.getBase().front();
    Type element = getBlock(op.getType()).getElementType();
    if (cast<tt::PointerType>(base.getType()).getPointeeType() != element)
      base = tt::BitcastOp::create(rewriter, location,
                                   tt::PointerType::get(element, 1), base);
    SmallVector<Value> parts = {base};
    for (ValueRange size : adaptor.getShape())
      parts.push_back(arith::ExtSIOp::create(
          rewriter, location, rewriter.getI64Type(), size.front()));
    append(adaptor.getStrides(), parts);
    for (bool flag :
         {op.getPadding() == tt::PaddingOption::PAD_NAN, op.hasAlignedRows()})
      parts.push_back(
          arith::ConstantIntOp::create(rewriter, location, flag, 1));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

/// arith.select of block pointers or descriptors: of each part.
struct RewriteSelect : BlockPattern<arith::SelectOp> {
  using BlockPattern::BlockPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (auto [whenTrue, whenFalse] :
         llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      parts.push_back(arith::SelectOp::create(rewriter, op.getLoc(),
                                              adaptor.getCondition().front(),
                                              whenTrue, whenFalse));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

struct RewritePoison : BlockPattern<ub::PoisonOp> {
  using BlockPattern::BlockPattern;

  LogicalResult
  matchAndRewrite(ub::PoisonOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertType(op.getType(), types)))
      return rewriter.notifyMatchFailure(op, "the type has no parts");
    SmallVector<Value> parts;
    for (Type type : types)
      parts.push_back(ub::PoisonOp::create(rewriter, op.getLoc(), type));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

struct RewriteLoad : BlockPattern<tt::LoadOp> {
  using BlockPattern::BlockPattern;

  LogicalResult
  matchAndRewrite(tt::LoadOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!tt::getBlock(op.getPtr().getType()))
      return rewriter.notifyMatchFailure(op, "no access to a block");
    Location location = op.getLoc();
    TensorBlock block =
        getPointerBlock(op.getPtr().getType(), adaptor.getPtr());
    Value pointers = createPointers(rewriter, location, block);
    Value mask =
        createBoundsMask(rewriter, location, block, op.getBoundaryCheck());
    Value other;
    if (mask && op.getPadding())
      other =
          createPadding(rewriter, location, block.type,
                        arith::ConstantIntOp::create(
                            rewriter, location,
                            *op.getPadding() == tt::PaddingOption::PAD_NAN, 1));
    rewriter.replaceOpWithNewOp<tt::LoadOp>(
        op, op.getType(), pointers, mask, other, /*boundaryCheck=*/
        ArrayRef<int32_t>(), /*padding=*/tt::PaddingOptionAttr(), op.getCache(),
        op.getEvict(), op.getIsVolatile());
    return success();
  }
};

struct RewriteStore : BlockPattern<tt::StoreOp> {
  using BlockPattern::BlockPattern;

  LogicalResult
  matchAndRewrite(tt::StoreOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!tt::getBlock(op.getPtr().getType()))
      return rewriter.notifyMatchFailure(op, "no access to a block");
    Location location = op.getLoc();
    TensorBlock block =
        getPointerBlock(op.getPtr().getType(), adaptor.getPtr());
    Value pointers = createPointers(rewriter, location, block);
    Value mask =
        createBoundsMask(rewriter, location, block, op.getBoundaryCheck());
    rewriter.replaceOpWithNewOp<tt::StoreOp>(
        op, pointers, adaptor.getValue().front(), mask,
        /*boundaryCheck=*/ArrayRef<int32_t>(), op.getCache(), op.getEvict());
    return success();
  }
};

/// `tile` under the shape of `type`, which has the same elements.
Value createReshape(OpBuilder &builder, Location location, Value tile,
                    RankedTensorType type) {
  if (tile.getType() == type)
    return tile;
  return tt::ReshapeOp::create(builder, location, type, tile);
}

/// The parts of an access through a descriptor.
struct DescriptorAccess {
  DescriptorAccess(OpBuilder &builder, Operation *op,
                   tt::TensorDescriptorType type, ValueRange parts,
                   ArrayRef<ValueRange> indices) {
    DescribedTensor tensor =
        getDescribedTensor(builder, op->getLoc(), getBlock(type), parts);
    block = std::move(tensor.block);
    padsNaN = tensor.padsNaN;
    append(indices, block.offsets);
    Location location = op->getLoc();
    Value inside = dropUnitDimensions(builder, location, block);
    pointers = createPointers(builder, location, block);
    mask =
        createBoundsMask(builder, location, block, listDimensions(block.type));
    if (inside)
      mask = arith::AndIOp::create(builder, location, mask, inside);
  }

  TensorBlock block;
  Value padsNaN, pointers, mask;
};

struct RewriteDescriptorLoad : BlockPattern<tt::DescriptorLoadOp> {
  RewriteDescriptorLoad(const TypeConverter &converter, MLIRContext *context,
                        bool marks)
      : BlockPattern(converter, context), marks(marks) {}

  LogicalResult
  matchAndRewrite(tt::DescriptorLoadOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    DescriptorAccess access(rewriter, op, op.getDesc().getType(),
                            adaptor.getDesc(), adaptor.getIndices());
    Value other =
        createPadding(rewriter, op.getLoc(), access.block.type, access.padsNaN);
    auto loaded = tt::LoadOp::create(
        rewriter, op.getLoc(), access.block.type, access.pointers, access.mask,
        other, ArrayRef<int32_t>(), tt::PaddingOptionAttr(), op.getCache(),
        op.getEvict(), /*isVolatile=*/false);
    if (marks)
      loaded->setAttr(axis::describedAttrName, rewriter.getUnitAttr());
    rewriter.replaceOp(op, createReshape(rewriter, op.getLoc(), loaded,
                                         cast<RankedTensorType>(op.getType())));
    return success();
  }

private:
  bool marks;
};

struct RewriteDescriptorStore : BlockPattern<tt::DescriptorStoreOp> {
  using BlockPattern::BlockPattern;

  LogicalResult
  matchAndRewrite(tt::DescriptorStoreOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    DescriptorAccess access(rewriter, op, op.getDesc().getType(),
                            adaptor.getDesc(), adaptor.getIndices());
    Value tile = createReshape(rewriter, op.getLoc(), adaptor.getSrc().front(),
                               access.block.type);
    rewriter.replaceOpWithNewOp<tt::StoreOp>(
        op, access.pointers, tile, access.mask, ArrayRef<int32_t>(),
        tt::CacheModifier::NONE, tt::EvictionPolicy::NORMAL);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The tensor's size as an i32: indices reach no further.
Value createSize(OpBuilder &builder, Location location, Value size) {
  Value limit = arith::ConstantIntOp::create(
      builder, location, std::numeric_limits<int32_t>::max(), 64);
  return arith::TruncIOp::create(
      builder, location, builder.getI32Type(),
      arith::MinSIOp::create(builder, location, size, limit));
}

/// Replaces each descriptor among a kernel's arguments by its address, sizes
/// and strides, of which the descriptor is made at the kernel's begin; says in
/// an attribute which arguments belong together.
void expandDescriptorArguments(tt::FuncOp function) {
  function->removeAttr(tt::descriptorRanksAttrName);
  ArrayRef<Type> inputs = function.getFunctionType().getInputs();
  if (!llvm::any_of(inputs, llvm::IsaPred<tt::TensorDescriptorType>))
    return;
  SmallVector<int32_t> ranks;
  OpBuilder builder(function.getContext());
  builder.setInsertionPointToStart(&function.getBody().front());
  Type i64 = builder.getI64Type();
  unsigned index = 0;
  for (Type input : SmallVector<Type>(inputs)) {
    auto type = dyn_cast<tt::TensorDescriptorType>(input);
    ranks.push_back(type ? type.getBlockType().getRank() : 0);
    if (!type) {
      ++index;
      continue;
    }
    BlockArgument argument = function.getArgument(index);
    Location location = argument.getLoc();
    unsigned rank = ranks.back();
    SmallVector<Type> types = {
        tt::PointerType::get(getBlock(type).getElementType(), 1)};
    types.append(2 * rank, i64);
    SmallVector<unsigned> places(types.size(), index + 1);
    SmallVector<DictionaryAttr> attributes(types.size(),
                                           builder.getDictionaryAttr({}));
    attributes.front() = function.getArgAttrDict(index);
    SmallVector<Location> locations(types.size(), location);
    (void)function.insertArguments(places, types, attributes, locations);
    SmallVector<Value> sizes, strides;
    for (unsigned dim = 0; dim < rank; ++dim) {
      sizes.push_back(
          createSize(builder, location, function.getArgument(index + 2 + dim)));
      strides.push_back(function.getArgument(index + 2 + rank + dim));
    }
    argument.replaceAllUsesWith(tt::MakeTensorDescriptorOp::create(
        builder, location, type, function.getArgument(index + 1), sizes,
        strides, tt::PaddingOption::PAD_ZERO));
    (void)function.eraseArgument(index);
    index += types.size();
  }
  function->setAttr(tt::descriptorRanksAttrName,
                    builder.getDenseI32ArrayAttr(ranks));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct RewriteBlockAccesses
    : tile::impl::RewriteBlockAccessesBase<RewriteBlockAccesses> {
  using RewriteBlockAccessesBase::RewriteBlockAccessesBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    for (auto function : getOperation().getOps<tt::FuncOp>())
      if (!function.isExternal())
        expandDescriptorArguments(function);
    BlockTypeConverter converter(context);
    RewritePatternSet patterns(context);
    patterns.add<RewriteMakePointer, RewriteAdvance, RewriteMakeDescriptor,
                 RewriteSelect, RewritePoison, RewriteLoad, RewriteStore,
                 RewriteDescriptorStore>(converter, context);
    patterns.add<RewriteDescriptorLoad>(converter, context, markDescribed);
    populateDescriptorAccessPatterns(converter, patterns);
    ConversionTarget target(*context);
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return converter.isLegal(op); });
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    cf::populateCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
    if (failed(
            applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
