// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps of several elements a run become maps of one element of several tiles:
// packs are neighbours in row-major order, which reshapes and splits bring
// apart and joins together.

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Tile/ExpandTileOps.h"
#include "passes/Tile/TileBuilder.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Whether the op by itself reads memory at most: each thread runs it for the
/// elements that it holds, also where others hold them too.
static bool readsAtMost(Operation *op) {
  if (isMemoryEffectFree(op))
    return true;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::all_of(instances, [](const auto &effect) {
    return isa<MemoryEffects::Read>(effect.getEffect());
  });
}

/// Diagnoses what a function of scalars cannot do. Calls are inlined by now.
static LogicalResult verifyScalarFunction(tt::MapElementwiseOp map) {
  auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
  WalkResult result = map.getScalarOp().walk([&](Operation *op) -> WalkResult {
    for (TypeRange types :
         {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
      if (auto tile = llvm::find_if(types, isTile); tile != types.end())
        return op->emitOpError("expects scalars in the function that "
                               "tt.map_elementwise maps, but got ")
               << *tile;
    if (!readsAtMost(op))
      return op->emitOpError("expects a function that writes no memory in "
                             "tt.map_elementwise, but got an operation that "
                             "may; store the results behind it");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Takes the elements of packs apart, the first of each first.
static void split(Value packs, TileBuilder &builder,
                  SmallVectorImpl<Value> &parts) {
  SmallVector<int64_t> shape = getShape(packs);
  int64_t count = shape.back();
  if (count == 1) {
    shape.pop_back();
    parts.push_back(builder.reshape(packs, shape));
    return;
  }
  // The lowest bit of the place in the pack last.
  shape.back() = count / 2;
  Type half = RankedTensorType::get(shape, getElementTypeOrSelf(packs));
  shape.push_back(2);
  auto halves = tt::SplitOp::create(builder.builder, half, half,
                                    builder.reshape(packs, shape));
  SmallVector<Value> even, odd;
  split(halves.getOutLHS(), builder, even);
  split(halves.getOutRHS(), builder, odd);
  for (auto [first, second] : llvm::zip_equal(even, odd))
    parts.append({first, second});
}

/// The inverse of `split`: a tile of one dimension more.
static Value join(ArrayRef<Value> parts, TileBuilder &builder) {
  if (parts.size() == 1)
    return builder.expand(parts.front(), getShape(parts.front()).size());
  SmallVector<Value> even, odd;
  for (size_t index = 0; index < parts.size(); index += 2) {
    even.push_back(parts[index]);
    odd.push_back(parts[index + 1]);
  }
  Value pairs = builder.join(join(even, builder), join(odd, builder));
  SmallVector<int64_t> shape = getShape(parts.front());
  shape.push_back(parts.size());
  return builder.reshape(pairs, shape);
}

LogicalResult tile::expandMapElementwise(tt::MapElementwiseOp op) {
  if (failed(verifyScalarFunction(op)))
    return failure();
  int64_t pack = op.getPack();
  if (pack == 1)
    return success();
  IRRewriter rewriter(op);
  TileBuilder builder(rewriter, op.getLoc());
  SmallVector<int64_t> shape = getShape(op.getSrcs().front());
  int64_t packs = llvm::product_of(shape) / pack;
  SmallVector<Value> sources;
  for (Value source : op.getSrcs())
    split(builder.reshape(source, {packs, pack}), builder, sources);
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.append(pack,
                 RankedTensorType::get({packs}, getElementTypeOrSelf(type)));
  auto map = tt::MapElementwiseOp::create(builder.builder, types, sources,
                                          builder.builder.getI32IntegerAttr(1));
  map.getScalarOp().takeBody(op.getScalarOp());
  SmallVector<Value> results;
  for (unsigned index = 0; index < op->getNumResults(); ++index) {
    SmallVector<Value> parts(map->getResults().slice(index * pack, pack));
    results.push_back(builder.reshape(join(parts, builder), shape));
  }
  rewriter.replaceOp(op, results);
  return success();
}
