// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of scalars on the elements of tiles: the region is copied for each
// register of a thread. Comes in: maps of one element a run
// (tile-expand-ops), whose control flow is a graph of blocks.

#include "passes/TileGPUToLLVM/Combine.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// `value` as `type`, which stands for the same scalar.
Value castScalar(Value value, Type type, OpBuilder &builder) {
  if (value.getType() == type)
    return value;
  return UnrealizedConversionCastOp::create(builder, value.getLoc(), type,
                                            value)
      .getResult(0);
}

/// Copies a region of several blocks, whose arguments are `arguments`, behind
/// the builder's place, and goes on behind it: what it gives.
FailureOr<Tuple> inlineBlocks(ConversionPatternRewriter &rewriter,
                              const TileGPUTypeConverter &converter,
                              Region &region, ArrayRef<Value> arguments,
                              TypeRange results, Location location) {
  Block *head = rewriter.getInsertionBlock();
  Block *rest = rewriter.splitBlock(head, rewriter.getInsertionPoint());
  SmallVector<Location> locations(results.size(), location);
  Block *exit = rewriter.createBlock(rest, results, locations);
  IRMapping mapping;
  rewriter.cloneRegionBefore(region, *exit->getParent(), exit->getIterator(),
                             mapping);
  for (Block &block : region) {
    Block *copy = mapping.lookup(&block);
    // It is erased where the signature changes.
    auto end = dyn_cast<tt::MapElementwiseReturnOp>(copy->getTerminator());
    std::optional<TypeConverter::SignatureConversion> signature =
        converter.convertBlockSignature(copy);
    if (!signature)
      return failure();
    Block *converted =
        rewriter.applySignatureConversion(copy, *signature, &converter);
    if (&block == &region.front()) {
      rewriter.setInsertionPointToEnd(head);
      LLVM::BrOp::create(rewriter, location, arguments, converted);
    }
    if (!end)
      continue;
    rewriter.setInsertionPoint(end);
    SmallVector<Value> values;
    for (auto [value, type] : llvm::zip_equal(end->getOperands(), results))
      values.push_back(castScalar(value, type, rewriter));
    rewriter.replaceOpWithNewOp<LLVM::BrOp>(end, values, exit);
  }
  rewriter.setInsertionPointToEnd(exit);
  LLVM::BrOp::create(rewriter, location, ValueRange(), rest);
  rewriter.setInsertionPointToStart(rest);
  return Tuple(exit->getArguments().begin(), exit->getArguments().end());
}

/// Lower tt.map_elementwise.
struct LowerMapElementwise : TileGPUPattern<tt::MapElementwiseOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::MapElementwiseOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getPack() != 1)
      return op.emitOpError("expects tile-expand-ops to have run, but got "
                            "packs of ")
             << op.getPack();
    if (failed(getCommonLayout(op)))
      return failure();
    SmallVector<Type> types;
    for (Type type : op.getResultTypes())
      types.push_back(converter.convertElement(getElementTypeOrSelf(type)));
    SmallVector<Tuple> results;
    for (const Tuple &elements : zipOperands(adaptor.getSrcs())) {
      FailureOr<Tuple> result = run(op, elements, types, rewriter);
      if (failed(result))
        return rewriter.notifyMatchFailure(op, "a type has no LLVM form");
      results.push_back(std::move(*result));
    }
    rewriter.replaceOpWithMultiple(op, unzipTuples(results, types.size()));
    return success();
  }

private:
  FailureOr<Tuple> run(tt::MapElementwiseOp op, const Tuple &elements,
                       TypeRange types,
                       ConversionPatternRewriter &rewriter) const {
    Region &region = op.getScalarOp();
    if (region.hasOneBlock())
      return Tuple(inlineScalarRegion(rewriter, converter, region, elements));
    return inlineBlocks(rewriter, converter, region, elements, types,
                        op.getLoc());
  }
};

} // namespace

void tilegpu::populateMapPatterns(const TileGPUTypeConverter &converter,
                                  const target::Target &target,
                                  RewritePatternSet &patterns) {
  patterns.add<LowerMapElementwise>(converter, target);
}
