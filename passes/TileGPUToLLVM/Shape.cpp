// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that create tensors from scalars or indices, and ops that rename
// coordinates: no data moves between threads.

#include "dialects/Layout/CoordinateMaps.h"
#include "passes/TileGPUToLLVM/Lowering.h"
#include "passes/TileGPUToLLVM/Pointers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;

namespace {

/// Lower tt.splat: every register that is kept holds the scalar.
struct LowerSplat : TileGPUPattern<tt::SplatOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::SplatOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> registers(
        converter.pointers.getKept(op.getResult()).size(),
        adaptor.getOperands()[0].front());
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

/// Lower tt.make_range: a register holds its coordinate plus the start.
struct LowerMakeRange : TileGPUPattern<tt::MakeRangeOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::MakeRangeOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc());
    auto type = cast<RankedTensorType>(op.getType());
    ThreadCoordinates coordinates(emitter, toLinearLayout(type));
    SmallVector<Value> registers;
    for (unsigned index = 0; index < countRegisters(type); ++index)
      registers.push_back(emitter.addConstant(
          coordinates.get(index, Axis::coordinate(0)), op.getStart()));
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

/// Lower a constant: a scalar, which is an 8-bit float here, and a splat to one
/// scalar; other tensors are read from a table in constant memory.
struct LowerConstant : TileGPUPattern<arith::ConstantOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (isa<FloatType>(op.getType()))
      return lowerScalar(op, rewriter);
    auto type = dyn_cast<RankedTensorType>(op.getType());
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!type || !elements)
      return rewriter.notifyMatchFailure(op, "no tensor constant");
    Emitter emitter(rewriter, op.getLoc());
    Type element = converter.convertElement(type.getElementType());
    if (!elements.isSplat())
      return lowerTable(op, elements, element, emitter, rewriter);
    Value scalar = LLVM::ConstantOp::create(
        rewriter, op.getLoc(), element,
        toScalar(elements.getSplatValue<Attribute>(), element));
    SmallVector<Value> registers(countRegisters(type), scalar);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }

private:
  /// 8-bit floats are i8 in LLVM: their bits.
  static Attribute toScalar(Attribute value, Type element) {
    auto number = dyn_cast<FloatAttr>(value);
    if (!number || isa<FloatType>(element))
      return value;
    return IntegerAttr::get(element, number.getValue().bitcastToAPInt());
  }

  LogicalResult lowerScalar(arith::ConstantOp op,
                            ConversionPatternRewriter &rewriter) const {
    Type type = converter.convertElement(op.getType());
    rewriter.replaceOpWithNewOp<LLVM::ConstantOp>(
        op, type, toScalar(op.getValue(), type));
    return success();
  }

  LogicalResult lowerTable(arith::ConstantOp op, DenseElementsAttr elements,
                           Type element, Emitter &emitter,
                           ConversionPatternRewriter &rewriter) const {
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<Attribute> values;
    for (Attribute value : elements.getValues<Attribute>())
      values.push_back(toScalar(value, element));
    auto module = op->getParentOfType<ModuleOp>();
    auto arrayType = LLVM::LLVMArrayType::get(element, values.size());
    std::string name;
    for (unsigned number = 0; name.empty() || module.lookupSymbol(name);
         ++number)
      name = "constant_table_" + std::to_string(number);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(module.getBody());
      auto flat = RankedTensorType::get({int64_t(values.size())}, element);
      LLVM::GlobalOp::create(rewriter, op.getLoc(), arrayType,
                             /*isConstant=*/true, LLVM::Linkage::Internal, name,
                             DenseElementsAttr::get(flat, values),
                             /*alignment=*/16, globalSpace);
    }
    Value table = LLVM::AddressOfOp::create(
        rewriter, op.getLoc(),
        LLVM::LLVMPointerType::get(op.getContext(), globalSpace), name);
    ThreadCoordinates coordinates(emitter, toLinearLayout(type));
    SmallVector<Value> registers;
    for (unsigned index = 0; index < countRegisters(type); ++index) {
      Value offset = emitter.constant(0);
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        offset = emitter.add(
            emitter.multiply(offset, emitter.constant(type.getDimSize(dim))),
            coordinates.get(index, Axis::coordinate(dim)));
      registers.push_back(LLVM::LoadOp::create(
          rewriter, op.getLoc(), element, emitter.gep(table, element, offset)));
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

/// Lower an op whose result is its source under other coordinates:
/// tt.expand_dims, tt.broadcast, tt.trans, tt.reshape.
template <typename OpT>
struct LowerRenaming : TileGPUPattern<OpT> {
  using TileGPUPattern<OpT>::TileGPUPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename TileGPUPattern<OpT>::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto sourceType = cast<RankedTensorType>(op->getOperand(0).getType());
    auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
    std::optional<SmallVector<unsigned>> registers =
        matchRegisters(toLinearLayout(sourceType), toLinearLayout(resultType),
                       op.getCoordinateMap());
    if (!registers)
      return op->emitOpError("expects layouts under which no element changes "
                             "its thread, but got ")
             << sourceType << " and " << resultType;
    ValueRange source = adaptor.getOperands()[0];
    const PointerRegisters &pointers = this->converter.pointers;
    SmallVector<Value> values;
    if (isa<tt::PointerType>(sourceType.getElementType())) {
      PointerReader reader(rewriter, op.getLoc(), pointers, op->getOperand(0),
                           source);
      for (unsigned index : pointers.getKept(op->getResult(0)))
        values.push_back(reader.getPointer((*registers)[index]));
    } else {
      for (unsigned index : *registers)
        values.push_back(source[index]);
    }
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// Lower tt.unsplat of a tensor of one element.
struct LowerUnsplat : TileGPUPattern<tt::UnsplatOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::UnsplatOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getOperands()[0].front());
    return success();
  }
};

/// Lower tt.join: result[..., j] is operand j.
struct LowerJoin : TileGPUPattern<tt::JoinOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::JoinOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto sourceType = cast<RankedTensorType>(op->getOperand(0).getType());
    auto resultType = cast<RankedTensorType>(op.getType());
    LinearLayout result = toLinearLayout(resultType);
    Axis last = Axis::coordinate(resultType.getRank() - 1);
    std::optional<SmallVector<unsigned>> registers = matchRegisters(
        toLinearLayout(sourceType), result, op.getCoordinateMap());
    if (!registers || !isInRegisters(result, last))
      return op.emitOpError("expects layouts under which no element changes "
                            "its thread, but got ")
             << sourceType << " and " << resultType;
    SmallVector<Value> values;
    for (auto [index, source] : llvm::enumerate(*registers))
      values.push_back(
          adaptor.getOperands()[coordinateOf(result, index, last)][source]);
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }

  /// Neither lanes nor warps take part in `axis`.
  static bool isInRegisters(const LinearLayout &layout, Axis axis) {
    for (Axis input : {Axis(Axis::Lane), Axis(Axis::Warp)})
      for (unsigned bit = 0; bit < layout.inputBits(input); ++bit)
        if (layout.basis(input, bit, axis))
          return false;
    return true;
  }

  static unsigned coordinateOf(const LinearLayout &layout, unsigned index,
                               Axis axis) {
    unsigned coordinate = 0;
    for (unsigned bit = 0; bit < layout.inputBits(Axis::Register); ++bit)
      if (index >> bit & 1)
        coordinate ^= layout.basis(Axis::Register, bit, axis);
    return coordinate;
  }
};

/// The map of tt.split: result 0 at c is the source at (c, 0).
LinearLayout getFirstHalfMap(RankedTensorType source, RankedTensorType result) {
  return layout::makeDimensionMap(result.getShape(), source.getShape(),
                                  [](unsigned dim) { return int(dim); });
}

/// Lower tt.split: result j is source[..., j].
struct LowerSplit : TileGPUPattern<tt::SplitOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::SplitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto sourceType = cast<RankedTensorType>(op->getOperand(0).getType());
    auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
    LinearLayout source = toLinearLayout(sourceType);
    LinearLayout result = toLinearLayout(resultType);
    Axis last = Axis::coordinate(sourceType.getRank() - 1);
    // The register that holds element 1 of the last dimension.
    std::optional<unsigned> half;
    for (unsigned bit = 0; bit < source.inputBits(Axis::Register); ++bit)
      if (source.basis(Axis::Register, bit, last))
        half = 1u << bit;
    std::optional<SmallVector<unsigned>> registers =
        matchRegisters(source, result, getFirstHalfMap(sourceType, resultType));
    if (!registers || !half || !LowerJoin::isInRegisters(source, last))
      return op.emitOpError("expects layouts under which no element changes "
                            "its thread, but got ")
             << sourceType << " and " << resultType;
    SmallVector<Value> results[2];
    for (unsigned index : *registers)
      for (unsigned j : {0u, 1u})
        results[j].push_back(adaptor.getOperands()[0][index ^ (j * *half)]);
    rewriter.replaceOpWithMultiple(
        op, ArrayRef<SmallVector<Value>>{results[0], results[1]});
    return success();
  }
};

} // namespace

void tilegpu::populateShapePatterns(const TileGPUTypeConverter &converter,
                                    const target::Target &target,
                                    RewritePatternSet &patterns) {
  patterns.add<LowerSplat, LowerMakeRange, LowerConstant, LowerUnsplat,
               LowerRenaming<tt::ExpandDimsOp>, LowerRenaming<tt::BroadcastOp>,
               LowerRenaming<tt::TransOp>, LowerRenaming<tt::ReshapeOp>,
               LowerJoin, LowerSplit>(converter, target);
}
