// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/IndexSums.h"

#include "dialects/Interfaces/AxisRules.h"
#include "dialects/Interfaces/IndexArithmetic.h"
#include "dialects/Interfaces/LaunchOpInterfaces.h"
#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/Triton/Triton.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

using namespace mlir;
using namespace tilewright;
using layout::Axis;

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

IndexSum IndexSum::constant(int64_t value) {
  IndexSum sum;
  if (value)
    sum.products[{}] = value;
  return sum;
}

IndexSum IndexSum::factor(unsigned number) {
  IndexSum sum;
  sum.products[{number}] = 1;
  return sum;
}

std::optional<int64_t> IndexSum::getConstant() const {
  if (products.empty())
    return 0;
  bool isConstant = products.size() == 1 && products.begin()->first.empty();
  return isConstant ? std::optional(products.begin()->second) : std::nullopt;
}

std::optional<unsigned> IndexSum::getFactor() const {
  if (products.size() != 1 || products.begin()->second != 1 ||
      products.begin()->first.size() != 1)
    return std::nullopt;
  return products.begin()->first.front();
}

/// Coefficients wrap, as the machine's do.
static void addProduct(IndexSum &sum, const std::vector<unsigned> &factors,
                       uint64_t coefficient) {
  auto it = sum.products.try_emplace(factors, 0).first;
  it->second = int64_t(uint64_t(it->second) + coefficient);
  if (it->second == 0)
    sum.products.erase(it);
}

IndexSum &IndexSum::operator+=(const IndexSum &other) {
  for (auto &[factors, coefficient] : other.products)
    addProduct(*this, factors, coefficient);
  return *this;
}

IndexSum &IndexSum::operator-=(const IndexSum &other) {
  for (auto &[factors, coefficient] : other.products)
    addProduct(*this, factors, -uint64_t(coefficient));
  return *this;
}

IndexSum IndexSum::operator+(const IndexSum &other) const {
  IndexSum sum = *this;
  return sum += other;
}

IndexSum IndexSum::operator-(const IndexSum &other) const {
  IndexSum sum = *this;
  return sum -= other;
}

IndexSum IndexSum::operator*(const IndexSum &other) const {
  IndexSum sum;
  for (auto &[factors, coefficient] : products)
    for (auto &[others, times] : other.products) {
      std::vector<unsigned> both = factors;
      both.insert(both.end(), others.begin(), others.end());
      std::sort(both.begin(), both.end());
      addProduct(sum, both, uint64_t(coefficient) * uint64_t(times));
    }
  return sum;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

unsigned IndexSums::intern(Value value, LoopLikeOpInterface loop) {
  auto [it, isNew] = numbers.try_emplace(value, factors.size());
  if (isNew)
    factors.push_back({value, loop});
  return it->second;
}

IndexSum IndexSums::getSum(Value scalar) {
  auto it = known.find(scalar);
  if (it != known.end())
    return it->second;
  IndexSum sum = computeSum(scalar);
  return known[scalar] = sum;
}

static bool mayOverflow(Value value) {
  return !axis::isOverflowExcluded(value.getType());
}

IndexSum IndexSums::computeSum(Value scalar) {
  APInt constant;
  if (matchPattern(scalar, m_ConstantInt(&constant)))
    return IndexSum::constant(constant.getSExtValue());
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    if (std::optional<IndexSum> iteration = getIteration(argument))
      return *iteration;
    if (std::optional<IndexTile> carried = getCarried(argument))
      return carried->first;
    return IndexSum::factor(intern(scalar, {}));
  }
  Operation *op = scalar.getDefiningOp();
  std::optional<IndexOp> kind = getIndexOp(op);
  if (!kind || mayOverflow(scalar) || mayOverflow(op->getOperand(0)))
    return IndexSum::factor(intern(scalar, {}));
  switch (*kind) {
  case IndexOp::Sum:
    return getSum(op->getOperand(0)) + getSum(op->getOperand(1));
  case IndexOp::Difference:
    return getSum(op->getOperand(0)) - getSum(op->getOperand(1));
  case IndexOp::Product:
    return getSum(op->getOperand(0)) * getSum(op->getOperand(1));
  case IndexOp::Resize:
    return getSum(op->getOperand(0));
  case IndexOp::ShiftLeft:
    if (matchPattern(op->getOperand(1), m_ConstantInt(&constant)) &&
        constant.ult(32))
      return getSum(op->getOperand(0)) *
             IndexSum::constant(int64_t(1) << constant.getZExtValue());
    break;
  case IndexOp::SignedMinimum:
    // The end of the type, which a size is cut to, is one for all.
    if (matchPattern(op->getOperand(1), m_ConstantInt(&constant)) &&
        constant.getSExtValue() == std::numeric_limits<int32_t>::max())
      return getSum(op->getOperand(0));
    break;
  default:
    break;
  }
  return IndexSum::factor(intern(scalar, {}));
}

static LoopLikeOpInterface getLoopOf(BlockArgument argument) {
  return dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
}

/// The induction variable: the first one and as many steps as there were
/// iterations.
std::optional<IndexSum> IndexSums::getIteration(BlockArgument argument) {
  LoopLikeOpInterface loop = getLoopOf(argument);
  if (!loop || loop.getSingleInductionVar() != Value(argument))
    return std::nullopt;
  std::optional<OpFoldResult> first = loop.getSingleLowerBound();
  std::optional<OpFoldResult> step = loop.getSingleStep();
  auto getBound = [&](OpFoldResult bound) {
    if (auto value = dyn_cast<Value>(bound))
      return getSum(value);
    return IndexSum::constant(
        cast<IntegerAttr>(cast<Attribute>(bound)).getInt());
  };
  if (!first || !step)
    return std::nullopt;
  return getBound(*first) +
         IndexSum::factor(intern(argument, loop)) * getBound(*step);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

bool IndexSums::isInvariant(const IndexSum &sum, LoopLikeOpInterface loop) {
  for (auto &[product, coefficient] : sum.products)
    for (unsigned number : product)
      if (!loop.isDefinedOutsideOfLoop(factors[number].value))
        return false;
  return true;
}

/// What is added to a carried value in an iteration, the same in all of them.
std::optional<IndexTile> IndexSums::getCarriedStep(BlockArgument argument,
                                                   LoopLikeOpInterface loop) {
  OpOperand *yielded = loop.getTiedLoopYieldedValue(argument);
  IndexTile step;
  if (auto type = dyn_cast<RankedTensorType>(argument.getType()))
    step.steps.resize(type.getRank());
  for (Value value = yielded->get(); value != argument;) {
    Operation *op = value.getDefiningOp();
    Value added;
    if (auto address = dyn_cast_if_present<AddressOpInterface>(op)) {
      AddressSum sum = address.getAddressSum();
      value = sum.pointers;
      added = sum.offsets;
    } else if (op && getIndexOp(op) == IndexOp::Sum && !mayOverflow(value)) {
      bool isSecond = op->getOperand(1) == Value(argument);
      value = op->getOperand(isSecond);
      added = op->getOperand(!isSecond);
    } else {
      return std::nullopt;
    }
    std::optional<IndexTile> more = getTile(added);
    if (!more || !isInvariant(more->first, loop))
      return std::nullopt;
    step.first += more->first;
    for (auto [all, one] : llvm::zip_equal(step.steps, more->steps)) {
      if (!isInvariant(one, loop))
        return std::nullopt;
      all += one;
    }
  }
  return step;
}

/// What the loop has added to a carried value before the iteration.
std::optional<IndexTile> IndexSums::findCarried(BlockArgument argument) {
  LoopLikeOpInterface loop = getLoopOf(argument);
  std::optional<Value> counter =
      loop ? loop.getSingleInductionVar() : std::nullopt;
  if (!counter || !loop.getTiedLoopInit(argument) ||
      !loop.getTiedLoopYieldedValue(argument) || !open.insert(argument).second)
    return std::nullopt;
  std::optional<IndexTile> step = getCarriedStep(argument, loop);
  open.erase(argument);
  if (!step)
    return std::nullopt;
  IndexSum iteration = IndexSum::factor(intern(*counter, loop));
  step->first = step->first * iteration;
  for (IndexSum &one : step->steps)
    one = one * iteration;
  return step;
}

static void add(IndexTile &tile, const IndexTile &more) {
  tile.first += more.first;
  for (auto [all, one] : llvm::zip_equal(tile.steps, more.steps))
    all += one;
}

std::optional<IndexTile> IndexSums::getCarried(BlockArgument argument) {
  std::optional<IndexTile> more = findCarried(argument);
  if (!more)
    return std::nullopt;
  Value init = getLoopOf(argument).getTiedLoopInit(argument)->get();
  std::optional<IndexTile> tile = getTile(init);
  if (tile)
    add(*tile, *more);
  return tile;
}

std::optional<PointerTile>
IndexSums::getCarriedPointers(BlockArgument argument) {
  std::optional<IndexTile> more = findCarried(argument);
  if (!more)
    return std::nullopt;
  Value init = getLoopOf(argument).getTiedLoopInit(argument)->get();
  std::optional<PointerTile> tile = getPointers(init);
  if (tile)
    add(tile->offsets, *more);
  return tile;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// The tile that `view` gives of one whose sums are `source`; none where a
/// dimension is mixed of several.
static std::optional<IndexTile> mapTile(CoordinateMapOpInterface view,
                                        const IndexTile &source) {
  layout::LinearLayout map = view.getCoordinateMap();
  auto type = cast<RankedTensorType>(view->getResult(0).getType());
  IndexTile tile = {source.first, {}};
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    std::optional<unsigned> from;
    unsigned bits = map.inputBits(Axis::coordinate(dim));
    for (unsigned bit = 0; bit < bits; ++bit)
      for (unsigned other = 0; other < source.steps.size(); ++other) {
        uint64_t part =
            map.basis(Axis::coordinate(dim), bit, Axis::coordinate(other));
        bool isNext = part == uint64_t(1) << bit && (bit == 0 || from == other);
        if (part && !isNext)
          return std::nullopt;
        if (part)
          from = other;
        else if (from == other)
          return std::nullopt;
      }
    tile.steps.push_back(from ? source.steps[*from] : IndexSum());
  }
  return tile;
}

static int64_t getRankOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : 0;
}

/// The first number of what gives n consecutive ones, known when the kernel is
/// compiled; none for other ops. They lie in a range of n numbers then, and so
/// are those from its least on.
static std::optional<int64_t> getStartOfRange(Operation *op) {
  auto axis = dyn_cast<AxisInfoOpInterface>(op);
  auto ranges = dyn_cast<InferIntRangeInterface>(op);
  if (!axis || !ranges || op->getNumOperands() || op->getNumResults() != 1 ||
      getRankOf(op->getResult(0)) != 1)
    return std::nullopt;
  int64_t size =
      cast<RankedTensorType>(op->getResult(0).getType()).getDimSize(0);
  std::optional<int64_t> start;
  if (axis.inferAxisInfo(0, {}).contiguity.front() == size)
    ranges.inferResultRanges({}, [&](Value, const ConstantIntRanges &range) {
      if (range.smax() - range.smin() == size - 1)
        start = range.smin().getSExtValue();
    });
  return start;
}

std::optional<IndexTile> IndexSums::getTile(Value tile) {
  IndexTile result;
  result.steps.resize(getRankOf(tile));
  if (!isa<RankedTensorType>(tile.getType())) {
    result.first = getSum(tile);
    return result;
  }
  APInt constant;
  if (matchPattern(tile, m_ConstantInt(&constant))) {
    result.first = IndexSum::constant(constant.getSExtValue());
    return result;
  }
  Operation *op = tile.getDefiningOp();
  if (!op)
    return getCarried(cast<BlockArgument>(tile));
  if (std::optional<int64_t> start = getStartOfRange(op)) {
    result.first = IndexSum::constant(*start);
    result.steps[0] = IndexSum::constant(1);
    return result;
  }
  if (makesTileOfScalars(op) && op->getNumOperands() == 1) {
    result.first = getSum(op->getOperand(0));
    return result;
  }
  if (isView(op)) {
    std::optional<IndexTile> source = getTile(op->getOperand(0));
    return source ? mapTile(cast<CoordinateMapOpInterface>(op), *source)
                  : std::nullopt;
  }
  std::optional<IndexOp> kind = getIndexOp(op);
  if (!kind || mayOverflow(tile) || mayOverflow(op->getOperand(0)))
    return std::nullopt;
  std::optional<IndexTile> a = getTile(op->getOperand(0));
  if (!a || *kind == IndexOp::Resize)
    return a;
  std::optional<IndexTile> b =
      op->getNumOperands() == 2 ? getTile(op->getOperand(1)) : std::nullopt;
  if (!b)
    return std::nullopt;
  if (*kind == IndexOp::Product) {
    auto isUniform = [](const IndexTile &of) {
      return llvm::all_of(of.steps,
                          [](const IndexSum &s) { return s.isZero(); });
    };
    if (!isUniform(*b))
      std::swap(a, b);
    if (!isUniform(*b))
      return std::nullopt;
    result.first = a->first * b->first;
    for (auto [step, of] : llvm::zip_equal(result.steps, a->steps))
      step = of * b->first;
    return result;
  }
  if (*kind != IndexOp::Sum && *kind != IndexOp::Difference)
    return std::nullopt;
  auto combine = [&](const IndexSum &x, const IndexSum &y) {
    return *kind == IndexOp::Sum ? x + y : x - y;
  };
  result.first = combine(a->first, b->first);
  for (auto [step, x, y] : llvm::zip_equal(result.steps, a->steps, b->steps))
    step = combine(x, y);
  return result;
}

std::optional<PointerTile> IndexSums::getPointers(Value pointers) {
  Operation *op = pointers.getDefiningOp();
  bool isTile = isa<RankedTensorType>(pointers.getType());
  if (!op) {
    auto argument = cast<BlockArgument>(pointers);
    if (getLoopOf(argument))
      return getCarriedPointers(argument);
    return isTile ? std::nullopt : std::optional(PointerTile{pointers, {}});
  }
  if (auto address = dyn_cast<AddressOpInterface>(op)) {
    AddressSum sum = address.getAddressSum();
    std::optional<PointerTile> from = getPointers(sum.pointers);
    std::optional<IndexTile> more = getTile(sum.offsets);
    if (!from || !more)
      return std::nullopt;
    add(from->offsets, *more);
    return from;
  }
  if (!isTile)
    return PointerTile{pointers, {}};
  if (makesTileOfScalars(op) && op->getNumOperands() == 1) {
    std::optional<PointerTile> from = getPointers(op->getOperand(0));
    if (from)
      from->offsets.steps.assign(getRankOf(pointers), IndexSum());
    return from;
  }
  if (!isView(op))
    return std::nullopt;
  std::optional<PointerTile> from = getPointers(op->getOperand(0));
  std::optional<IndexTile> mapped =
      from ? mapTile(cast<CoordinateMapOpInterface>(op), from->offsets)
           : std::nullopt;
  if (!mapped)
    return std::nullopt;
  return PointerTile{from->base, *mapped};
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

namespace {
/// A number cut to the range from 0 to `most`: `minuend` - `subtrahend`, or the
/// minuend alone.
struct Clamped {
  Value minuend, subtrahend;
  int64_t most;
};
} // namespace

static bool isKind(Value value, IndexOp kind) {
  Operation *op = value.getDefiningOp();
  return op && getIndexOp(op) == kind;
}

static std::optional<int64_t> getConstantOf(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

/// The operand beside a constant, which goes to `constant`.
static Value getBeside(Operation *op, int64_t &constant) {
  for (unsigned index : {0u, 1u})
    if (std::optional<int64_t> found = getConstantOf(op->getOperand(index))) {
      constant = *found;
      return op->getOperand(1 - index);
    }
  return {};
}

/// a > b ? umin(a - b, most) : 0, which holds whatever the bits of a - b.
static std::optional<Clamped> matchSelectedClamp(Value value) {
  Operation *select = value.getDefiningOp();
  Operation *condition = select->getOperand(0).getDefiningOp();
  Value chosen = select->getOperand(1);
  int64_t most = 0;
  if (!condition || !isKind(chosen, IndexOp::UnsignedMinimum) ||
      getConstantOf(select->getOperand(2)) != 0)
    return std::nullopt;
  Value difference = getBeside(chosen.getDefiningOp(), most);
  if (!difference || !isKind(difference, IndexOp::Difference))
    return std::nullopt;
  Value a = difference.getDefiningOp()->getOperand(0);
  Value b = difference.getDefiningOp()->getOperand(1);
  std::optional<IndexOp> compared = getIndexOp(condition);
  bool isGreater = compared == IndexOp::Greater &&
                   condition->getOperand(0) == a &&
                   condition->getOperand(1) == b;
  bool isLess = compared == IndexOp::Less && condition->getOperand(0) == b &&
                condition->getOperand(1) == a;
  return isGreater || isLess ? std::optional(Clamped{a, b, most})
                             : std::nullopt;
}

/// Forms in which bounds of a block are cut to the block.
static std::optional<Clamped> matchClamp(Value value) {
  while (isKind(value, IndexOp::Resize))
    value = value.getDefiningOp()->getOperand(0);
  if (isKind(value, IndexOp::Select))
    return matchSelectedClamp(value);
  if (!isKind(value, IndexOp::SignedMinimum))
    return std::nullopt;
  int64_t most = 0, least = -1;
  Value inner = getBeside(value.getDefiningOp(), most);
  if (!inner || !isKind(inner, IndexOp::SignedMaximum))
    return std::nullopt;
  Value number = getBeside(inner.getDefiningOp(), least);
  return number && least == 0 ? std::optional(Clamped{number, {}, most})
                              : std::nullopt;
}

/// The coordinate along a dimension, alone: 0, 1, ... up to less than `end`.
static bool isCoordinate(const IndexTile &tile, RankedTensorType type,
                         int64_t end) {
  unsigned count = 0;
  for (auto [dim, step] : llvm::enumerate(tile.steps))
    if (!step.isZero()) {
      if (step.getConstant() != 1 || type.getDimSize(dim) > end)
        return false;
      ++count;
    }
  return count == 1 && tile.first.isZero();
}

/// Where a coordinate is compared with a number that is cut to the coordinate's
/// range, with the number as it was before: that makes no difference.
static std::optional<IndexTile> getUncut(IndexSums &sums, Value bound,
                                         const IndexTile &coordinate,
                                         RankedTensorType type) {
  Operation *splat = bound.getDefiningOp();
  if (!splat || !makesTileOfScalars(splat) || splat->getNumOperands() != 1)
    return std::nullopt;
  std::optional<Clamped> cut = matchClamp(splat->getOperand(0));
  if (!cut || !isCoordinate(coordinate, type, cut->most))
    return std::nullopt;
  IndexTile tile;
  tile.first = sums.getSum(cut->minuend);
  if (cut->subtrahend)
    tile.first -= sums.getSum(cut->subtrahend);
  tile.steps.resize(type.getRank());
  return tile;
}

static IndexTile subtract(IndexTile a, const IndexTile &b) {
  a.first -= b.first;
  for (auto [x, y] : llvm::zip_equal(a.steps, b.steps))
    x -= y;
  return a;
}

std::optional<SmallVector<IndexTile>>
IndexSums::getComparison(Operation *comparison) {
  std::optional<IndexOp> kind = getIndexOp(comparison);
  if (!kind || mayOverflow(comparison->getOperand(0)))
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(comparison->getOperand(0).getType());
  auto get = [&](Value side) -> std::optional<IndexTile> {
    return type ? getTile(side) : IndexTile{getSum(side), {}};
  };
  std::optional<IndexTile> a = get(comparison->getOperand(0));
  std::optional<IndexTile> b;
  if (type && a && (kind == IndexOp::Less || kind == IndexOp::GreaterOrEqual))
    b = getUncut(*this, comparison->getOperand(1), *a, type);
  if (!b)
    b = get(comparison->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  bool isSwapped = kind == IndexOp::Greater || kind == IndexOp::GreaterOrEqual;
  bool isStrict = kind == IndexOp::Less || kind == IndexOp::Greater;
  if (!isStrict && kind != IndexOp::LessOrEqual &&
      kind != IndexOp::GreaterOrEqual)
    return std::nullopt;
  IndexTile bound = isSwapped ? subtract(*b, *a) : subtract(*a, *b);
  if (!isStrict)
    bound.first -= IndexSum::constant(1);
  return SmallVector<IndexTile>{bound};
}

std::optional<SmallVector<IndexTile>> IndexSums::getBounds(Value mask) {
  Operation *op = mask.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (matchPattern(mask, m_One()))
    return SmallVector<IndexTile>();
  if (makesTileOfScalars(op) && op->getNumOperands() == 1) {
    auto bounds = getBounds(op->getOperand(0));
    if (bounds)
      for (IndexTile &bound : *bounds)
        bound.steps.resize(cast<RankedTensorType>(mask.getType()).getRank());
    return bounds;
  }
  if (isView(op)) {
    auto bounds = getBounds(op->getOperand(0));
    if (!bounds)
      return std::nullopt;
    for (IndexTile &bound : *bounds) {
      auto mapped = mapTile(cast<CoordinateMapOpInterface>(op), bound);
      if (!mapped)
        return std::nullopt;
      bound = *mapped;
    }
    return bounds;
  }
  if (getIndexOp(op) != IndexOp::And)
    return getComparison(op);
  auto bounds = getBounds(op->getOperand(0));
  auto others = getBounds(op->getOperand(1));
  if (!bounds || !others)
    return std::nullopt;
  bounds->append(others->begin(), others->end());
  return bounds;
}
