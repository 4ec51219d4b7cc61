// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile.solve_unit_lower: the blocks of 8 on the diagonal are inverted all at
// once by forward substitution, a loop over their rows, each of which is
// finished by the rows before it; then blocks next to each other are merged by
// products, which matrix units compute where the op allows their precision:
//   [A 0; C B]^-1 = [A^-1 0; -B^-1 C A^-1 B^-1]
// Up to blocks of 16 the blocks are a batch of small matrices, beyond they are
// one matrix again: its products are as large as matrix instructions at least,
// and need no other layout. One that has no more than 8 rows, or 16 and a
// right-hand side, is solved by the loop alone.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/Tile/ExpandTileOps.h"
#include "passes/Tile/TileBuilder.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// `tile` where coordinates compare so, and 0 elsewhere.
static Value keepWhere(TileBuilder &tiles, arith::CmpIPredicate predicate,
                       Value a, Value b, Value tile) {
  Value condition = arith::CmpIOp::create(tiles.builder, predicate, a, b);
  return arith::SelectOp::create(tiles.builder, condition, tile,
                                 tiles.real(getShape(tile), 0.0));
}

/// The right-hand side in f32: without one, the unit matrix.
static Value getRightHandSide(TileBuilder &tiles, SolveUnitLowerOp op,
                              Value rows, Value columns) {
  if (op.getRhs())
    return tiles.convert(op.getRhs(), tiles.builder.getF32Type());
  return keepWhere(tiles, arith::CmpIPredicate::eq, rows, columns,
                   tiles.real(getShape(op.getLower()), 1.0));
}

/// The solution with row `row` finished: what the rows before contribute is
/// subtracted from it.
static Value finishRow(TileBuilder &tiles, Value row, Value lower,
                       Value solution) {
  SmallVector<int64_t> square = getShape(lower), shape = getShape(solution);
  unsigned rowAxis = square.size() - 2, columnAxis = square.size() - 1;
  // The row's coefficients as a column beside the rows that they multiply.
  Value alone = keepWhere(tiles, arith::CmpIPredicate::eq,
                          tiles.coordinates(square, rowAxis),
                          tiles.splat(row, square), lower);
  Value coefficients = tiles.broadcast(
      tiles.expand(tiles.sum(alone, rowAxis), columnAxis), shape);
  Value terms = arith::MulFOp::create(tiles.builder, coefficients, solution);
  // Rows not yet finished, and coefficients that do not count, may hold NaN.
  Value rows = tiles.coordinates(shape, rowAxis);
  terms = keepWhere(tiles, arith::CmpIPredicate::slt, rows,
                    tiles.splat(row, shape), terms);
  Value sum =
      tiles.broadcast(tiles.expand(tiles.sum(terms, rowAxis), rowAxis), shape);
  Value part = keepWhere(tiles, arith::CmpIPredicate::eq, rows,
                         tiles.splat(row, shape), sum);
  return arith::SubFOp::create(tiles.builder, solution, part);
}

/// The solution of `lower` with `rhs`, both f32, row by row.
static Value substitute(TileBuilder &tiles, Value lower, Value rhs) {
  int64_t rows = getShape(lower).back();
  if (rows == 1)
    return rhs;
  auto constant = [&](int64_t number) -> Value {
    return arith::ConstantOp::create(tiles.builder,
                                     tiles.builder.getI32IntegerAttr(number));
  };
  auto loop = scf::ForOp::create(tiles.builder, constant(1), constant(rows),
                                 constant(1), ValueRange(rhs));
  OpBuilder inner = OpBuilder::atBlockEnd(loop.getBody());
  TileBuilder body(inner, tiles.builder.getLoc());
  Value finished = finishRow(body, loop.getInductionVar(), lower,
                             loop.getRegionIterArgs()[0]);
  scf::YieldOp::create(body.builder, finished);
  return loop.getResult(0);
}

//===----------------------------------------------------------------------===//
// By blocks
//===----------------------------------------------------------------------===//

/// Rows of a block on the diagonal that are finished one by one. A row of
/// blocks of 16 takes twice the instructions of one of 8, and there are twice
/// as many: of 32 rows by one warp 2500 of 4400 (Gated DeltaNet's first launch,
/// sm_90a), and 750 of 2600 by blocks of 8.
static constexpr int64_t smallBlock = 8;
/// Rows of a block that blocks are merged to by themselves.
static constexpr int64_t largeBlock = 16;

namespace {

/// A matrix, or a batch of them, in blocks.
class BlockedInverse {
public:
  BlockedInverse(TileBuilder &tiles, Value lower, tt::InputPrecision precision)
      : tiles(tiles), lower(lower), precision(precision),
        shape(getShape(lower)), size(shape.back()),
        block(size > largeBlock ? largeBlock : smallBlock) {}
  Value run();

private:
  Value invertAll(Value blocks);
  Value invertDiagonal();
  Value pickPairs(int64_t half);
  Value multiply(Value a, Value b, Value sum);

  TileBuilder &tiles;
  Value lower;
  tt::InputPrecision precision;
  SmallVector<int64_t> shape;
  int64_t size;
  /// Rows of the blocks that are inverted first.
  int64_t block;
};

} // namespace

/// The inverses of a batch of blocks.
Value BlockedInverse::invertAll(Value blocks) {
  if (block > smallBlock)
    return BlockedInverse(tiles, blocks, precision).run();
  SmallVector<int64_t> each = getShape(blocks);
  Value unit =
      keepWhere(tiles, arith::CmpIPredicate::eq, tiles.coordinates(each, 1),
                tiles.coordinates(each, 2), tiles.real(each, 1.0));
  return substitute(tiles, blocks, unit);
}

/// Inverts the blocks on the diagonal: the matrix that has them, and 0
/// elsewhere.
Value BlockedInverse::invertDiagonal() {
  int64_t count = size / block;
  int64_t batch = shape.size() == 3 ? shape[0] : 1;
  SmallVector<int64_t> blocked = {batch, count, block, count, block};
  Value isDiagonal = arith::CmpIOp::create(
      tiles.builder, arith::CmpIPredicate::eq, tiles.coordinates(blocked, 1),
      tiles.coordinates(blocked, 3));
  auto keepDiagonal = [&](Value tile) -> Value {
    return arith::SelectOp::create(tiles.builder, isDiagonal, tile,
                                   tiles.real(blocked, 0.0));
  };
  Value blocks =
      tiles.sum(keepDiagonal(tiles.reshape(lower, blocked)), /*axis=*/3);
  SmallVector<int64_t> each = {batch * count, block, block};
  blocks = tiles.reshape(blocks, each);
  Value inverses = invertAll(blocks);
  inverses = tiles.reshape(inverses, {batch, count, block, block});
  inverses = tiles.broadcast(tiles.expand(inverses, 3), blocked);
  return tiles.reshape(keepDiagonal(inverses), shape);
}

/// What of the matrix is left of every second block of `half` rows and below
/// the one before it; 0 elsewhere.
Value BlockedInverse::pickPairs(int64_t half) {
  unsigned rowAxis = shape.size() - 2;
  auto blockOf = [&](unsigned axis) {
    return tiles.shiftRight(tiles.coordinates(shape, axis),
                            llvm::Log2_64(half));
  };
  Value row = blockOf(rowAxis), column = blockOf(rowAxis + 1);
  auto areEqual = [&](Value a, Value b) -> Value {
    return arith::CmpIOp::create(tiles.builder, arith::CmpIPredicate::eq, a, b);
  };
  Value one = tiles.integer(shape, 1);
  Value isNext =
      areEqual(row, arith::AddIOp::create(tiles.builder, column, one));
  Value isWanted = arith::AndIOp::create(tiles.builder, isNext,
                                         areEqual(tiles.bitAnd(row, 1), one));
  return arith::SelectOp::create(tiles.builder, isWanted, lower,
                                 tiles.real(shape, 0.0));
}

Value BlockedInverse::multiply(Value a, Value b, Value sum) {
  return tt::DotOp::create(tiles.builder, sum.getType(), a, b, sum, precision,
                           /*maxNumImpreciseAcc=*/uint32_t(0));
}

Value BlockedInverse::run() {
  Value inverse = invertDiagonal(), zeros = tiles.real(shape, 0.0);
  for (int64_t half = block; half < size; half *= 2) {
    Value product = multiply(pickPairs(half), inverse, zeros);
    Value negated = arith::NegFOp::create(tiles.builder, inverse);
    inverse = multiply(negated, product, inverse);
  }
  return inverse;
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

void tile::expandSolve(SolveUnitLowerOp op) {
  OpBuilder builder(op);
  TileBuilder tiles(builder, op.getLoc());
  SmallVector<int64_t> shape = getShape(op.getLower());
  unsigned rowAxis = shape.size() - 2;
  Value lower = tiles.convert(op.getLower(), tiles.builder.getF32Type());
  Value solution;
  if (shape[rowAxis] > (op.getRhs() ? largeBlock : smallBlock)) {
    solution = BlockedInverse(tiles, lower, op.getInputPrecision()).run();
    if (op.getRhs()) {
      Value rhs = tiles.convert(op.getRhs(), tiles.builder.getF32Type());
      solution = tt::DotOp::create(tiles.builder, rhs.getType(), solution, rhs,
                                   tiles.real(getShape(rhs), 0.0),
                                   op.getInputPrecision(), uint32_t(0));
    }
  } else {
    Value rhs = getRightHandSide(tiles, op, tiles.coordinates(shape, rowAxis),
                                 tiles.coordinates(shape, rowAxis + 1));
    solution = substitute(tiles, lower, rhs);
  }
  auto element =
      cast<FloatType>(cast<RankedTensorType>(op.getType()).getElementType());
  op.replaceAllUsesWith(tiles.convert(solution, element));
  op.erase();
}
