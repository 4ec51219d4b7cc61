// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/FirstElements.h"

#include "dialects/Interfaces/LaunchOpInterfaces.h"
#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/Triton/Triton.h"
#include "mlir/IR/Matchers.h"
#include "passes/Tile/TileBuilder.h"

#include <set>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using layout::Axis;
using layout::LinearLayout;

/// Index arithmetic of more ops than this is left as it is.
static constexpr size_t mostTiles = 512;

bool tile::areSingle(ArrayRef<int64_t> runs) {
  return llvm::all_of(runs, [](int64_t run) { return run == 1; });
}

RankedTensorType tile::getTypeOfFirst(RankedTensorType type,
                                      ArrayRef<int64_t> runs) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, run] : llvm::zip_equal(shape, runs))
    size /= run;
  return type.clone(shape);
}

//===----------------------------------------------------------------------===//
// Runs through views
//===----------------------------------------------------------------------===//

static RankedTensorType tileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// The bit of a source's coordinates that `bit` of dimension `dim` of a view's
/// result becomes: (dimension, bit). None where it becomes none: elements are
/// repeated along it.
static std::optional<std::pair<unsigned, unsigned>>
followBit(const LinearLayout &map, unsigned dim, unsigned bit) {
  for (unsigned source = 0; source < map.outputs().size(); ++source)
    if (uint64_t column =
            map.basis(Axis::coordinate(dim), bit, Axis::coordinate(source)))
      return std::pair(source, unsigned(llvm::countr_zero(column)));
  return std::nullopt;
}

static LinearLayout getMap(Operation *view) {
  return cast<CoordinateMapOpInterface>(view).getCoordinateMap();
}

std::optional<Runs> tile::getRunsOfSource(Operation *view,
                                          ArrayRef<int64_t> runs) {
  LinearLayout map = getMap(view);
  // The bits of each of the source's dimensions in which a run's elements
  // differ: the lowest ones, if they are to be runs there.
  SmallVector<uint64_t> differing(tileType(view->getOperand(0)).getRank(), 0);
  for (auto [dim, run] : llvm::enumerate(runs))
    for (unsigned bit = 0; bit < llvm::Log2_64(run); ++bit)
      if (auto source = followBit(map, dim, bit))
        differing[source->first] |= uint64_t(1) << source->second;
  Runs result;
  for (uint64_t bits : differing) {
    if (bits != 0 && !llvm::isMask_64(bits))
      return std::nullopt;
    result.push_back(int64_t(bits + 1));
  }
  return result;
}

Runs tile::getRunsOfResult(Operation *view, ArrayRef<int64_t> runs) {
  LinearLayout map = getMap(view);
  ArrayRef<int64_t> shape = tileType(view->getResult(0)).getShape();
  Runs result;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    unsigned bits = 0;
    for (; bits < llvm::Log2_64(size); ++bits)
      if (auto source = followBit(map, dim, bits);
          source && source->second >= llvm::Log2_64(runs[source->first]))
        break;
    result.push_back(int64_t(1) << bits);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// What first elements are made of
//===----------------------------------------------------------------------===//

/// `op` as a loop whose carried values can be told; null where it is none.
static scf::ForOp getLoop(Operation *op) {
  return dyn_cast_or_null<scf::ForOp>(op);
}

/// The loop that carries `tile`, as an argument or as a result; null where none
/// does.
static scf::ForOp getCarrier(Value tile) {
  if (auto argument = dyn_cast<BlockArgument>(tile))
    return getLoop(argument.getOwner()->getParentOp());
  return getLoop(tile.getDefiningOp());
}

/// The number of `tile` among what its loop carries.
static unsigned getCarriedNumber(Value tile) {
  if (auto argument = dyn_cast<BlockArgument>(tile))
    return argument.getArgNumber() - 1;
  return cast<OpResult>(tile).getResultNumber();
}

static tt::MakeRangeOp getRange(Operation *op) {
  return dyn_cast<tt::MakeRangeOp>(op);
}

/// Whether `op` gives, of the first elements of its operands, those of its
/// result, if its types are changed.
static bool mapsFirstElements(Operation *op) {
  bool splats = makesTileOfScalars(op) && isMoveOfOne(op);
  // Not inline assembly, which takes elements by several.
  bool computes =
      op->hasTrait<OpTrait::Elementwise>() || isa<AddressOpInterface>(op);
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         isMemoryEffectFree(op) && (splats || computes || isView(op));
}

/// The runs of the tiles among the operands of `op`; none where it is a view of
/// no runs.
static std::optional<Runs> getRunsOfOperands(Operation *op,
                                             ArrayRef<int64_t> runs) {
  return isView(op) ? getRunsOfSource(op, runs) : Runs(runs);
}

bool FirstElements::canMake(ValueRange tiles, ArrayRef<int64_t> runs) {
  std::set<std::pair<void *, Runs>> seen;
  SmallVector<std::pair<Value, Runs>> worklist;
  auto push = [&](Value tile, const Runs &runs) {
    if (isa<RankedTensorType>(tile.getType()) && !areSingle(runs) &&
        seen.insert({tile.getAsOpaquePointer(), runs}).second)
      worklist.push_back({tile, runs});
  };
  for (Value tile : tiles)
    push(tile, Runs(runs));
  for (size_t next = 0; next < worklist.size(); ++next) {
    if (worklist.size() > mostTiles)
      return false;
    auto [tile, own] = worklist[next];
    Operation *op = tile.getDefiningOp();
    if (scf::ForOp loop = getCarrier(tile)) {
      push(loop.getInitArgs()[getCarriedNumber(tile)], own);
      push(loop.getYieldedValues()[getCarriedNumber(tile)], own);
    } else if (!op) {
      return false;
    } else if (!getRange(op) && !isSplatConstant(tile)) {
      std::optional<Runs> operands =
          mapsFirstElements(op) ? getRunsOfOperands(op, own) : std::nullopt;
      if (!operands)
        return false;
      for (Value operand : op->getOperands())
        push(operand, *operands);
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Making them
//===----------------------------------------------------------------------===//

/// start + run * [0, size / run).
static Value makeOfRange(tt::MakeRangeOp op, int64_t run,
                         IRRewriter &rewriter) {
  auto type = getTypeOfFirst(tileType(op), {run});
  ArrayRef<int64_t> shape = type.getShape();
  TileBuilder tiles(rewriter, op.getLoc());
  Value count = tt::MakeRangeOp::create(tiles.builder, type, 0,
                                        uint32_t(type.getNumElements()));
  Value distance =
      arith::MulIOp::create(tiles.builder, count, tiles.integer(shape, run));
  return arith::AddIOp::create(tiles.builder, distance,
                               tiles.integer(shape, int64_t(op.getStart())));
}

/// Has another loop, which also carries what begins as `init`, take the place
/// of `loop`. It takes the body over as it is, with its arguments, and gives
/// the new one; a value to yield for it is still missing.
static BlockArgument addCarried(scf::ForOp loop, Value init,
                                IRRewriter &rewriter) {
  SmallVector<Value> inits(loop.getInitArgs());
  inits.push_back(init);
  rewriter.setInsertionPoint(loop);
  auto anew = scf::ForOp::create(rewriter, loop.getLoc(), loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(), inits);
  anew->setAttrs(loop->getAttrs());
  anew.getRegion().takeBody(loop.getRegion());
  rewriter.replaceOp(loop, anew.getResults().drop_back());
  return anew.getBody()->addArgument(init.getType(), init.getLoc());
}

/// Gives the argument that carries the first elements of what `argument` does.
Value FirstElements::makeCarried(BlockArgument argument, const Runs &runs) {
  unsigned number = getCarriedNumber(argument);
  Value init = make(getCarrier(argument).getInitArgs()[number], runs);
  // Only now: the loop may have been replaced since.
  BlockArgument first = addCarried(getCarrier(argument), init, rewriter);
  made[{argument.getAsOpaquePointer(), runs}] = first;
  carried.insert(argument);
  Operation *yield = first.getOwner()->getTerminator();
  yield->insertOperands(yield->getNumOperands(), first);
  Value next = make(yield->getOperand(number), runs);
  yield->setOperand(getCarriedNumber(first), next);
  return first;
}

/// A clone of the op behind `tile` on the first elements of its operands.
Value FirstElements::makeOfOperands(Value tile, const Runs &runs) {
  Operation *op = tile.getDefiningOp();
  Runs own = *getRunsOfOperands(op, runs);
  auto makeOperands = [&] {
    IRMapping mapping;
    for (unsigned number = 0; number < op->getNumOperands(); ++number)
      if (isa<RankedTensorType>(op->getOperand(number).getType())) {
        Value first = make(op->getOperand(number), own);
        mapping.map(op->getOperand(number), first);
      }
    return mapping;
  };
  // Loops that are replaced for one operand give others of their results. The
  // second time none is.
  makeOperands();
  IRMapping mapping = makeOperands();
  rewriter.setInsertionPoint(op);
  Operation *clone = rewriter.clone(*op, mapping);
  // What the author promises of runs is not said of their first elements.
  clone->setDiscardableAttrs(DictionaryAttr::get(op->getContext()));
  clone->getResult(0).setType(getTypeOfFirst(tileType(tile), runs));
  return clone->getResult(0);
}

Value FirstElements::make(Value tile, const Runs &runs) {
  if (areSingle(runs))
    return tile;
  if (auto it = made.find({tile.getAsOpaquePointer(), runs}); it != made.end())
    return it->second;
  OpBuilder::InsertionGuard guard(rewriter);
  if (auto argument = dyn_cast<BlockArgument>(tile))
    return makeCarried(argument, runs);
  if (scf::ForOp loop = getCarrier(tile)) {
    // Not kept: the results are others where the loop is replaced once more.
    unsigned number = getCarriedNumber(tile);
    Value carried = make(loop.getRegionIterArg(number), runs);
    return getCarrier(carried).getResult(getCarriedNumber(carried));
  }
  Operation *op = tile.getDefiningOp();
  rewriter.setInsertionPoint(op);
  Attribute constant;
  Value first;
  if (tt::MakeRangeOp range = getRange(op))
    first = makeOfRange(range, runs.front(), rewriter);
  else if (matchPattern(op, m_Constant(&constant)))
    first =
        arith::ConstantOp::create(rewriter, op->getLoc(),
                                  cast<SplatElementsAttr>(constant).resizeSplat(
                                      getTypeOfFirst(tileType(tile), runs)));
  else
    first = makeOfOperands(tile, runs);
  return made[{tile.getAsOpaquePointer(), runs}] = first;
}

//===----------------------------------------------------------------------===//
// What is carried no longer
//===----------------------------------------------------------------------===//

/// What `use` gives its value on to; none where it does anything else with it.
static std::optional<SmallVector<Value>> getReceivers(OpOperand &use) {
  Operation *op = use.getOwner();
  auto ofLoop = [](scf::ForOp loop, unsigned number) -> SmallVector<Value> {
    return {loop.getRegionIterArg(number), loop.getResult(number)};
  };
  if (scf::ForOp loop = getLoop(op)) {
    unsigned bounds = loop.getNumControlOperands();
    if (use.getOperandNumber() < bounds)
      return std::nullopt;
    return ofLoop(loop, use.getOperandNumber() - bounds);
  }
  scf::ForOp loop = getLoop(op->getParentOp());
  if (loop && op->hasTrait<OpTrait::IsTerminator>())
    return ofLoop(loop, use.getOperandNumber());
  if (!isPure(op) || op->hasTrait<OpTrait::IsTerminator>())
    return std::nullopt;
  return SmallVector<Value>(op->getResults());
}

/// `argument`, its loop's result and the values that are computed of both, if
/// nobody uses any for another purpose; none else.
static llvm::SetVector<Value> findUnused(BlockArgument argument) {
  llvm::SetVector<Value> values;
  values.insert(argument);
  values.insert(getCarrier(argument).getResult(getCarriedNumber(argument)));
  for (size_t next = 0; next < values.size(); ++next)
    for (OpOperand &use : values[next].getUses()) {
      std::optional<SmallVector<Value>> receivers = getReceivers(use);
      if (!receivers)
        return {};
      values.insert(receivers->begin(), receivers->end());
    }
  return values;
}

void FirstElements::freezeUnused() {
  for (BlockArgument argument : carried)
    for (Value value : findUnused(argument))
      if (auto unused = dyn_cast<BlockArgument>(value))
        unused.getOwner()->getTerminator()->setOperand(getCarriedNumber(unused),
                                                       unused);
}
