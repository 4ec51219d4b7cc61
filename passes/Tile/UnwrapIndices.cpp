// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a product that wrap around the tensor's bound, so that loads need no
// mask (`offs_m % M`, `where(offs_m < M, offs_m, 0)`), become rows under a mask
// where no row behind the bound is ever seen: then a tile of pointers is a box
// of a strided tensor, which bulk copies bring.

#include "dialects/Interfaces/LaunchOpInterfaces.h"
#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Analysis/IndexSums.h"
#include "passes/Tile/Passes.h"
#include "passes/Tile/TileBuilder.h"
#include "llvm/ADT/MapVector.h"

#include <set>

namespace tilewright::tile {
#define GEN_PASS_DEF_UNWRAPINDICES
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;
using layout::Axis;

//===----------------------------------------------------------------------===//
// Wrapped indices
//===----------------------------------------------------------------------===//

namespace {
/// A tile of indices, of which those at or behind a bound are others instead.
struct WrappedIndices {
  Operation *op;
  /// As they are before the bound.
  Value indices;
  /// A tile of one number.
  Value bound;
  /// `indices - bound`: negative before the bound.
  IndexTile distance;
  /// The dimension along which they differ.
  unsigned dimension;
};
} // namespace

/// WrappedIndices::distance; none where `bound` is several numbers, or sums do
/// not tell.
static std::optional<IndexTile> getDistance(Value indices, Value bound,
                                            IndexSums &sums) {
  std::optional<IndexTile> of = sums.getTile(indices);
  std::optional<IndexTile> end = sums.getTile(bound);
  auto isZero = [](const IndexSum &step) { return step.isZero(); };
  if (!of || !end || !llvm::all_of(end->steps, isZero))
    return std::nullopt;
  of->first -= end->first;
  return of;
}

static bool areSame(const IndexTile &a, const IndexTile &b) {
  return a.first == b.first && a.steps == b.steps;
}

/// Of `condition`, whether it is `indices < bound` in each element.
static bool isBelow(Value condition, const IndexTile &distance,
                    IndexSums &sums) {
  auto bounds = sums.getBounds(condition);
  return bounds && bounds->size() == 1 && areSame(bounds->front(), distance);
}

/// The operands of a remainder, or of a choice of 0 behind a bound; null for
/// other ops.
static std::pair<Value, Value> matchWrapping(Operation *op) {
  if (isa<arith::RemSIOp>(op))
    return {op->getOperand(0), op->getOperand(1)};
  auto select = dyn_cast<arith::SelectOp>(op);
  auto condition =
      select ? select.getCondition().getDefiningOp<arith::CmpIOp>() : nullptr;
  if (!condition || condition.getLhs() != select.getTrueValue() ||
      !matchPattern(select.getFalseValue(), m_Zero()))
    return {};
  return {condition.getLhs(), condition.getRhs()};
}

static std::optional<WrappedIndices> findWrapping(Operation *op,
                                                  IndexSums &sums) {
  auto type = op->getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                  : RankedTensorType();
  auto [indices, bound] = type ? matchWrapping(op) : std::pair<Value, Value>();
  std::optional<IndexTile> distance =
      indices ? getDistance(indices, bound, sums) : std::nullopt;
  if (!distance)
    return std::nullopt;
  auto select = dyn_cast<arith::SelectOp>(op);
  if (select && !isBelow(select.getCondition(), *distance, sums))
    return std::nullopt;
  std::optional<unsigned> dimension;
  for (auto [dim, step] : llvm::enumerate(distance->steps)) {
    if (step.isZero())
      continue;
    if (dimension)
      return std::nullopt;
    dimension = dim;
  }
  if (!dimension)
    return std::nullopt;
  return WrappedIndices{op, indices, bound, std::move(*distance), *dimension};
}

//===----------------------------------------------------------------------===//
// What depends on them
//===----------------------------------------------------------------------===//

namespace {
/// A tile whose elements depend on the wrapped index of their own coordinate
/// along `dimension`, and on no other.
struct Dependence {
  Value tile;
  unsigned dimension;
  /// By what a load of other rows would have given, too.
  bool isOfData;

  auto key() const {
    return std::tuple(tile.getAsOpaquePointer(), dimension, isOfData);
  }
};

/// Follows wrapped indices to all that depends on them.
class Dependences {
public:
  Dependences(const WrappedIndices &of, IndexSums &sums) : of(of), sums(sums) {}

  /// Whether what rows behind the bound hold is nowhere seen, and loads of them
  /// in a loop bring the operands of a product.
  bool areUnseen();
  /// Those whose rows they are, each with the dimension along which.
  const llvm::MapVector<tt::LoadOp, unsigned> &getLoads() const {
    return loads;
  }

private:
  void push(Value tile, unsigned dimension, bool isOfData);
  bool follow(const Dependence &from, OpOperand &use);
  bool followLoad(tt::LoadOp load, const Dependence &from);
  bool followView(Operation *view, const Dependence &from);
  bool followDot(Operation *dot, OpOperand &use, const Dependence &from);
  bool followReduction(tt::ReduceOp reduce, const Dependence &from);
  bool followTerminator(OpOperand &use, const Dependence &from);
  bool isMasked(Value mask, unsigned dimension);

  const WrappedIndices &of;
  IndexSums &sums;
  SmallVector<Dependence> found;
  std::set<std::tuple<void *, unsigned, bool>> seen;
  llvm::MapVector<tt::LoadOp, unsigned> loads;
  bool reachesDot = false, loadsInLoop = false;
};
} // namespace

void Dependences::push(Value tile, unsigned dimension, bool isOfData) {
  Dependence dependence = {tile, dimension, isOfData};
  if (seen.insert(dependence.key()).second)
    found.push_back(dependence);
}

bool Dependences::areUnseen() {
  push(of.op->getResult(0), of.dimension, /*isOfData=*/false);
  for (size_t next = 0; next < found.size(); ++next) {
    Dependence from = found[next];
    for (OpOperand &use : from.tile.getUses())
      if (!follow(from, use))
        return false;
  }
  return reachesDot && loadsInLoop;
}

/// Whether `mask` is false in all rows behind the bound.
bool Dependences::isMasked(Value mask, unsigned dimension) {
  auto bounds = mask ? sums.getBounds(mask) : std::nullopt;
  return bounds && llvm::any_of(*bounds, [&](const IndexTile &bound) {
           if (bound.first != of.distance.first)
             return false;
           for (auto [dim, step] : llvm::enumerate(bound.steps)) {
             bool isOwn = dim == dimension
                              ? step == of.distance.steps[of.dimension]
                              : step.isZero();
             if (!isOwn)
               return false;
           }
           return true;
         });
}

bool Dependences::follow(const Dependence &from, OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return followLoad(load, from);
  if (auto store = dyn_cast<tt::StoreOp>(op))
    return isMasked(store.getMask(), from.dimension);
  if (isView(op))
    return followView(op, from);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return followTerminator(use, from);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    BlockArgument carried = loop.getTiedLoopRegionIterArg(&use);
    if (!carried)
      return false;
    push(carried, from.dimension, from.isOfData);
    push(loop.getTiedLoopResult(&use), from.dimension, from.isOfData);
    return true;
  }
  if (isa<tt::DotOp>(op))
    return followDot(op, use, from);
  if (auto reduce = dyn_cast<tt::ReduceOp>(op))
    return followReduction(reduce, from);
  // What was loaded for another row is no address; nor may it, or an index
  // behind the bound, be divided by. The index itself may be divided: it is not
  // negative, and the divisor is what it was.
  bool isAddress = isa<AddressOpInterface>(op) && from.isOfData;
  bool isDividend =
      isa<arith::DivSIOp, arith::RemSIOp, arith::DivUIOp, arith::RemUIOp>(op) &&
      use.getOperandNumber() == 0 && !from.isOfData;
  if (!isElementwise(op) || !isMemoryEffectFree(op) || isAddress ||
      !(isSpeculatable(op) || isDividend))
    return false;
  for (Value result : op->getResults())
    push(result, from.dimension, from.isOfData);
  return true;
}

bool Dependences::followLoad(tt::LoadOp load, const Dependence &from) {
  if (from.isOfData || load.mustReread())
    return false;
  auto [known, isNew] = loads.insert({load, from.dimension});
  if (!isNew && known->second != from.dimension)
    return false;
  loadsInLoop |= load->getParentOfType<scf::ForOp>() != nullptr;
  push(load.getResult(), from.dimension, /*isOfData=*/true);
  return true;
}

/// One dimension of the result is that of the rows, as it is.
bool Dependences::followView(Operation *view, const Dependence &from) {
  layout::LinearLayout map =
      cast<CoordinateMapOpInterface>(view).getCoordinateMap();
  auto source = cast<RankedTensorType>(from.tile.getType());
  std::optional<unsigned> rowsOfResult;
  for (unsigned dim = 0; dim < map.inputs().size(); ++dim) {
    unsigned bits = map.inputBits(Axis::coordinate(dim)), same = 0, any = 0;
    for (unsigned bit = 0; bit < bits; ++bit) {
      uint64_t part = map.basis(Axis::coordinate(dim), bit,
                                Axis::coordinate(from.dimension));
      same += part == uint64_t(1) << bit;
      any += part != 0;
    }
    if (any == 0)
      continue;
    bool isSame =
        same == bits && source.getDimSize(from.dimension) == int64_t(1) << bits;
    if (!isSame || rowsOfResult)
      return false;
    rowsOfResult = dim;
  }
  if (!rowsOfResult)
    return false;
  push(view->getResult(0), *rowsOfResult, from.isOfData);
  return true;
}

/// Rows of the left operand are the result's, columns of the right one too.
bool Dependences::followDot(Operation *dot, OpOperand &use,
                            const Dependence &from) {
  unsigned rank = cast<RankedTensorType>(from.tile.getType()).getRank();
  unsigned number = use.getOperandNumber(),
           depth = number == 0 ? rank - 1 : rank - 2;
  if (number < 2 && from.dimension == depth)
    return false;
  reachesDot = true;
  push(dot->getResult(0), from.dimension, from.isOfData);
  return true;
}

/// Of rows by themselves.
bool Dependences::followReduction(tt::ReduceOp reduce, const Dependence &from) {
  unsigned axis = reduce.getAxis();
  if (axis == from.dimension)
    return false;
  for (Value result : reduce->getResults())
    push(result, from.dimension - (axis < from.dimension), from.isOfData);
  return true;
}

bool Dependences::followTerminator(OpOperand &use, const Dependence &from) {
  auto yield = dyn_cast<scf::YieldOp>(use.getOwner());
  unsigned number = use.getOperandNumber();
  if (!yield)
    return false;
  if (auto loop = dyn_cast<scf::ForOp>(yield->getParentOp()))
    push(loop.getRegionIterArg(number), from.dimension, from.isOfData);
  else if (!isa<scf::IfOp>(yield->getParentOp()))
    return false;
  push(yield->getParentOp()->getResult(number), from.dimension, from.isOfData);
  return true;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

namespace {
struct UnwrapIndices : tile::impl::UnwrapIndicesBase<UnwrapIndices> {
  void runOnOperation() override {
    SmallVector<Operation *> candidates;
    getOperation().walk([&](Operation *op) {
      if (matchWrapping(op).first)
        candidates.push_back(op);
    });
    for (Operation *op : candidates)
      unwrap(op);
  }

private:
  static void unwrap(Operation *op) {
    IndexSums sums;
    std::optional<WrappedIndices> of = findWrapping(op, sums);
    if (!of)
      return;
    Dependences dependences(*of, sums);
    if (!dependences.areUnseen())
      return;
    OpBuilder builder(op);
    Value isBefore =
        arith::CmpIOp::create(builder, op->getLoc(), arith::CmpIPredicate::slt,
                              of->indices, of->bound);
    for (auto [load, rows] : dependences.getLoads())
      mask(load, isBefore, rows);
    op->getResult(0).replaceAllUsesWith(of->indices);
    op->erase();
  }

  /// Has `load` load only where `isBefore`, whose rows are its dimension
  /// `rows`.
  static void mask(tt::LoadOp load, Value isBefore, unsigned rows) {
    OpBuilder builder(load);
    TileBuilder tiles(builder, load.getLoc());
    auto type = cast<RankedTensorType>(load.getType());
    Value mask = isBefore;
    if (cast<RankedTensorType>(mask.getType()).getRank() != 1)
      mask = tiles.reshape(mask, {type.getDimSize(rows)});
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      if (dim != rows)
        mask = tiles.expand(mask, dim);
    mask = tiles.broadcast(mask, type.getShape());
    if (Value own = load.getMask())
      mask = arith::AndIOp::create(builder, load.getLoc(), own, mask);
    load.getMaskMutable().assign(mask);
  }
};
} // namespace
