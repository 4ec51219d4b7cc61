// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile.solve_unit_lower by forward substitution: a loop over the rows, each of
// which is finished by the rows before it.

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
  auto splat = [&](ArrayRef<int64_t> shape) -> Value {
    return tt::SplatOp::create(
        tiles.builder, RankedTensorType::get(shape, tiles.builder.getI32Type()),
        row);
  };
  // The row's coefficients as a column beside the rows that they multiply.
  Value alone =
      keepWhere(tiles, arith::CmpIPredicate::eq,
                tiles.coordinates(square, rowAxis), splat(square), lower);
  Value coefficients = tiles.broadcast(
      tiles.expand(tiles.sum(alone, rowAxis), columnAxis), shape);
  Value terms = arith::MulFOp::create(tiles.builder, coefficients, solution);
  // Rows not yet finished, and coefficients that do not count, may hold NaN.
  Value rows = tiles.coordinates(shape, rowAxis);
  terms =
      keepWhere(tiles, arith::CmpIPredicate::slt, rows, splat(shape), terms);
  Value sum =
      tiles.broadcast(tiles.expand(tiles.sum(terms, rowAxis), rowAxis), shape);
  Value part =
      keepWhere(tiles, arith::CmpIPredicate::eq, rows, splat(shape), sum);
  return arith::SubFOp::create(tiles.builder, solution, part);
}

void tile::expandSolve(SolveUnitLowerOp op) {
  OpBuilder builder(op);
  TileBuilder tiles(builder, op.getLoc());
  SmallVector<int64_t> shape = getShape(op.getLower());
  unsigned rowAxis = shape.size() - 2;
  Value rows = tiles.coordinates(shape, rowAxis);
  Value columns = tiles.coordinates(shape, rowAxis + 1);
  Value lower = tiles.convert(op.getLower(), tiles.builder.getF32Type());
  Value solution = getRightHandSide(tiles, op, rows, columns);
  if (shape[rowAxis] > 1) {
    auto constant = [&](int64_t number) -> Value {
      return arith::ConstantOp::create(tiles.builder,
                                       tiles.builder.getI32IntegerAttr(number));
    };
    auto loop =
        scf::ForOp::create(tiles.builder, constant(1), constant(shape[rowAxis]),
                           constant(1), ValueRange(solution));
    OpBuilder inner = OpBuilder::atBlockEnd(loop.getBody());
    TileBuilder body(inner, op.getLoc());
    Value finished = finishRow(body, loop.getInductionVar(), lower,
                               loop.getRegionIterArgs()[0]);
    scf::YieldOp::create(body.builder, finished);
    solution = loop.getResult(0);
  }
  auto element =
      cast<FloatType>(cast<RankedTensorType>(op.getType()).getElementType());
  op.replaceAllUsesWith(tiles.convert(solution, element));
  op.erase();
}
