// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scan has its axis in one warp. Where there are fewer rows than warps the
// axis is cut into a part for each: warps scan their parts, the parts' last
// results are scanned, and each part takes what those before it come to.

#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Tile/Passes.h"
#include "passes/Tile/TileBuilder.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_SPLITSCANS
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

namespace {

/// What a scan in two steps is made of. The shape is that of the sources with
/// the axis cut in two: parts, and elements of a part.
class SplitScan {
public:
  SplitScan(tt::ScanOp op, int64_t parts, IRRewriter &rewriter)
      : op(op), axis(op.getAxis()), tiles(rewriter, op.getLoc()),
        rewriter(rewriter), whole(getShape(op.getSrcs().front())) {
    cut = whole;
    cut[axis] = parts;
    cut.insert(cut.begin() + axis + 1, whole[axis] / parts);
  }

  void run();

private:
  using Values = SmallVector<Value>;

  Values scan(ValueRange sources, unsigned along);
  /// The last result of each part.
  Value takeLast(Value scanned);
  /// For each part what `scanned`, the scan of the parts' last results, has for
  /// the part before; anything for the first.
  Value takeBefore(Value scanned);
  Values combine(ValueRange before, ValueRange elements);
  /// Whether an element is the last along `along` to be scanned, or the first.
  Value isAtEnd(ArrayRef<int64_t> shape, unsigned along, bool isLast);

  tt::ScanOp op;
  unsigned axis;
  TileBuilder tiles;
  IRRewriter &rewriter;
  SmallVector<int64_t> whole, cut;
};

} // namespace

SplitScan::Values SplitScan::scan(ValueRange sources, unsigned along) {
  auto made = tt::ScanOp::create(tiles.builder, sources.getTypes(), sources,
                                 int32_t(along), op.getReverse());
  rewriter.cloneRegionBefore(op.getCombineOp(), made.getCombineOp(),
                             made.getCombineOp().end());
  return Values(made.getResult());
}

Value SplitScan::isAtEnd(ArrayRef<int64_t> shape, unsigned along, bool isLast) {
  int64_t end = isLast == op.getReverse() ? 0 : shape[along] - 1;
  return arith::CmpIOp::create(tiles.builder, arith::CmpIPredicate::eq,
                               tiles.coordinates(shape, along),
                               tiles.integer(shape, end));
}

/// The bits of numbers or addresses, as integers.
static Value toBits(TileBuilder &tiles, Value tile) {
  Type element = getElementTypeOrSelf(tile);
  if (isa<IntegerType>(element))
    return tile;
  if (isa<FloatType>(element))
    return tiles.bitcast(
        tile, tiles.builder.getIntegerType(element.getIntOrFloatBitWidth()));
  return tt::PtrToIntOp::create(
      tiles.builder,
      RankedTensorType::get(getShape(tile), tiles.builder.getI64Type()), tile);
}

/// What toBits makes of elements of that type as these again.
static Value fromBits(TileBuilder &tiles, Value bits, Type element) {
  if (isa<IntegerType>(element))
    return bits;
  if (isa<FloatType>(element))
    return tiles.bitcast(bits, element);
  return tt::IntToPtrOp::create(
      tiles.builder, RankedTensorType::get(getShape(bits), element), bits);
}

Value SplitScan::takeLast(Value scanned) {
  // The other elements' bits are none, so that the order of a reduction does
  // not matter.
  Value bits = toBits(tiles, scanned);
  Value none = arith::ConstantOp::create(
      tiles.builder, tiles.builder.getZeroAttr(bits.getType()));
  Value last = arith::SelectOp::create(
      tiles.builder, isAtEnd(cut, axis + 1, true), bits, none);
  return fromBits(tiles, tiles.bitOr(last, axis + 1),
                  getElementTypeOrSelf(scanned));
}

Value SplitScan::takeBefore(Value scanned) {
  SmallVector<int64_t> shape = getShape(scanned);
  Value parts = tiles.coordinates(shape, axis);
  Value one = tiles.integer(shape, 1);
  Value index;
  if (op.getReverse())
    index = arith::MinSIOp::create(
        tiles.builder, arith::AddIOp::create(tiles.builder, parts, one),
        tiles.integer(shape, shape[axis] - 1));
  else
    index = arith::MaxSIOp::create(
        tiles.builder, arith::SubIOp::create(tiles.builder, parts, one),
        tiles.integer(shape, 0));
  return tt::GatherOp::create(tiles.builder, scanned.getType(), scanned, index,
                              int32_t(axis));
}

SplitScan::Values SplitScan::combine(ValueRange before, ValueRange elements) {
  Values sources(before);
  llvm::append_range(sources, elements);
  auto map =
      tt::MapElementwiseOp::create(tiles.builder, elements.getTypes(), sources,
                                   tiles.builder.getI32IntegerAttr(1));
  rewriter.cloneRegionBefore(op.getCombineOp(), map.getScalarOp(),
                             map.getScalarOp().end());
  Operation *end = map.getScalarOp().front().getTerminator();
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(end);
  rewriter.replaceOpWithNewOp<tt::MapElementwiseReturnOp>(end,
                                                          end->getOperands());
  return Values(map->getResults());
}

void SplitScan::run() {
  Values sources;
  for (Value source : op.getSrcs())
    sources.push_back(tiles.reshape(source, cut));
  Values scanned = scan(sources, axis + 1);
  Values last;
  for (Value each : scanned)
    last.push_back(takeLast(each));
  Values before;
  for (Value each : scan(last, axis))
    before.push_back(
        tiles.broadcast(tiles.expand(takeBefore(each), axis + 1), cut));
  Value isFirst = isAtEnd(cut, axis, false);
  Values results;
  for (auto [part, all] : llvm::zip_equal(scanned, combine(before, scanned))) {
    Value chosen = arith::SelectOp::create(tiles.builder, isFirst, part, all);
    results.push_back(tiles.reshape(chosen, whole));
  }
  rewriter.replaceOp(op, results);
}

/// What the second step takes of a thread beside its elements: bits of the last
/// results come together and are exchanged, a barrier, the other warps' are
/// scanned.
static constexpr int64_t stepInstructions = 40;

/// Into how many parts the axis of `op` is cut for `warps`; 1 where that gains
/// nothing.
static int64_t countParts(tt::ScanOp op, int64_t warps) {
  constexpr int64_t lanes = 32;
  SmallVector<int64_t> shape = getShape(op.getSrcs().front());
  int64_t length = shape[op.getAxis()];
  int64_t rows = llvm::product_of(shape) / length;
  int64_t parts = warps / rows;
  if (parts < 2 || length / parts < 2 * lanes)
    return 1;
  // Each element is combined twice, and a third time by the second step.
  int64_t combination =
      std::distance(op.getCombineOp().front().begin(),
                    op.getCombineOp().front().getTerminator()->getIterator());
  int64_t together = 2 * (length / lanes) * combination;
  int64_t apart = 3 * (length / parts / lanes) * combination;
  return together >= apart + stepInstructions ? parts : 1;
}

namespace {

struct SplitScans : tile::impl::SplitScansBase<SplitScans> {
  using SplitScansBase::SplitScansBase;

  void runOnOperation() override {
    SmallVector<tt::ScanOp> scans;
    getOperation().walk([&](tt::ScanOp op) { scans.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (tt::ScanOp op : scans) {
      rewriter.setInsertionPoint(op);
      if (int64_t parts = countParts(op, numWarps); parts > 1)
        SplitScan(op, parts, rewriter).run();
    }
  }
};

} // namespace
