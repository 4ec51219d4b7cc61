// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Triton/Triton.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/Tile/Passes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_DECOMPOSECONCATENATIONS
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;

/// Replaces `op` by ops that give its elements in order: those of `lhs` first.
static void decompose(tt::CatOp op) {
  IRRewriter rewriter(op);
  Location location = op.getLoc();
  auto source = cast<RankedTensorType>(op.getLhs().getType());
  Type element = source.getElementType();
  int64_t count = source.getNumElements();
  auto tileOf = [&](ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, element);
  };
  auto flatten = [&](Value tile) -> Value {
    if (source.getRank() == 1)
      return tile;
    return tt::ReshapeOp::create(rewriter, location, tileOf({count}), tile);
  };
  Value pairs = tt::JoinOp::create(rewriter, location, tileOf({count, 2}),
                                   flatten(op.getLhs()), flatten(op.getRhs()));
  Value halves = tt::TransOp::create(rewriter, location, tileOf({2, count}),
                                     pairs, ArrayRef<int32_t>{1, 0});
  rewriter.replaceOpWithNewOp<tt::ReshapeOp>(op, op.getType(), halves);
}

namespace {
struct DecomposeConcatenations
    : tile::impl::DecomposeConcatenationsBase<DecomposeConcatenations> {
  void runOnOperation() override {
    SmallVector<tt::CatOp> concatenations;
    getOperation().walk([&](tt::CatOp op) { concatenations.push_back(op); });
    llvm::for_each(concatenations, decompose);
  }
};
} // namespace
