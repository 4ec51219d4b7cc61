// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/StridedBoxes.h"

#include "dialects/Interfaces/AxisRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// What bases, strides and the begins of boxes are multiples of, in bytes
/// (CUDA driver API, "cuTensorMapEncodeTiled"; boxes that begin elsewhere were
/// seen to bring other elements on an H200).
static constexpr int64_t copyAlignment = 16;

/// Elements of a box along a dimension, at most; along the fastest one a box is
/// cut into several.
static constexpr int64_t mostBox = 256;

static bool isArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->isEntryBlock() &&
         isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
}

//===----------------------------------------------------------------------===//
// The search for a box
//===----------------------------------------------------------------------===//

struct StridedBoxes::Search {
  const AxisAnalysis &axes;
  IndexSums &sums;
  RankedTensorType type;
  unsigned fastest;
  /// StridedBox::knownAt.
  Operation *knownAt = nullptr;
  /// Of the tile's dimensions in its own order.
  SmallVector<BoxDimension, 4> dims{};
  /// Of one element each, which differ by their strides, arguments.
  SmallVector<BoxDimension, 2> outer{};
  /// StridedBox::nonNegative.
  llvm::SetVector<Value> assumed{};
  /// Of values that were asked for, whether they are 0 or more with these.
  llvm::DenseMap<Value, bool> signs{};

  int64_t getElementBytes() const { return axis::getStep(type); }

  /// Whether the value is there where the map is made. (It is used behind
  /// `knownAt`, so what is not in it is there before.)
  bool isKnown(Value value) const {
    if (!knownAt)
      return isArgument(value);
    return !knownAt->isAncestor(value.getParentRegion()->getParentOp());
  }

  bool isKnown(const IndexSums::Factor &factor) const {
    return !factor.loop && isKnown(factor.value);
  }

  /// What is known to divide a factor: of an iteration's number nothing.
  int64_t getDivisor(unsigned factor) const {
    const IndexSums::Factor &of = sums.getFactor(factor);
    const AxisInfo *info = of.loop ? nullptr : axes.lookup(of.value);
    return info ? info->divisibility.front() : 1;
  }

  bool isAligned(const IndexSum &sum) const {
    return llvm::all_of(sum.products, [&](const auto &product) {
      int64_t divisor = axis::powerOfTwoDivisor(product.second);
      for (unsigned factor : product.first)
        divisor = std::min(divisor * getDivisor(factor), copyAlignment);
      return divisor * getElementBytes() % copyAlignment == 0;
    });
  }

  /// Whether `value` is 0 or more where all of `assumed` are, to which
  /// arguments are added.
  bool isNonNegative(Value value) {
    const AxisInfo *info = axes.lookup(value);
    if (!info || info->nonNegative)
      return info != nullptr;
    if (!knownAt && isArgument(value) && value.getType().isIntOrIndex())
      return assumed.insert(value), true;
    auto [known, isNew] = signs.try_emplace(value, false);
    Operation *op = value.getDefiningOp();
    if (!isNew || !op)
      return known->second;
    SmallVector<AxisInfo, 3> operands;
    SmallVector<const AxisInfo *> pointers;
    operands.reserve(op->getNumOperands());
    for (Value operand : op->getOperands()) {
      pointers.push_back(axes.lookup(operand));
      if (!pointers.back() || pointers.back()->nonNegative)
        continue;
      operands.push_back(*pointers.back());
      operands.back().nonNegative = isNonNegative(operand);
      pointers.back() = &operands.back();
    }
    unsigned result = cast<OpResult>(value).getResultNumber();
    return signs[value] = axis::getResult(op, result, pointers).nonNegative;
  }

  /// Likewise of a product. An argument alone may well be negative, and be
  /// added to what makes up for it.
  bool isNonNegative(ArrayRef<unsigned> factors) {
    bool varies = !isMapProduct(factors);
    return llvm::all_of(factors, [&](unsigned factor) {
      const IndexSums::Factor &of = sums.getFactor(factor);
      if (of.loop)
        return true;
      const AxisInfo *info = axes.lookup(of.value);
      return (info && info->nonNegative) || (varies && isNonNegative(of.value));
    });
  }

  bool isNonNegative(const IndexSum &sum) {
    return llvm::all_of(sum.products, [&](const auto &product) {
      return product.second > 0 && isNonNegative(product.first);
    });
  }

  /// What was assumed in vain is nothing to refuse a launch for: all but the
  /// first `known`.
  void forgetAssumed(unsigned known) {
    while (assumed.size() > known)
      assumed.pop_back();
    signs.clear();
  }

  /// Whether the box may begin below 0 there, as far as is known without asking
  /// a launch for more.
  bool mayBeginBefore(const BoxDimension &dim) {
    unsigned known = assumed.size();
    bool isSure = isNonNegative(dim.begin) && assumed.size() == known;
    forgetAssumed(known);
    return !isSure;
  }

  /// Whether no coordinate of the box is below 0 there, or some may be
  /// (`canBeSigned`).
  bool findSign(BoxDimension &dim, bool canBeSigned) {
    unsigned known = assumed.size();
    if (isNonNegative(dim.begin))
      return true;
    forgetAssumed(known);
    dim.isSigned = canBeSigned && !knownAt;
    return dim.isSigned;
  }

  /// Whether it is computed of integers that fit a coordinate.
  bool isNarrow(const IndexSum &sum) const {
    return llvm::all_of(sum.products, [&](const auto &product) {
      return llvm::all_of(product.first, [&](unsigned factor) {
        Type type = sums.getFactor(factor).value.getType();
        return type.isIndex() || type.getIntOrFloatBitWidth() <= 32;
      });
    });
  }

  /// A constant, or what is known where the map is made.
  std::optional<MapNumber> getMapNumber(const IndexSum &sum) const {
    if (std::optional<int64_t> constant = sum.getConstant())
      return MapNumber{{}, *constant};
    std::optional<unsigned> factor = sum.getFactor();
    if (!factor || !isKnown(sums.getFactor(*factor)))
      return std::nullopt;
    return MapNumber{sums.getFactor(*factor).value};
  }

  bool isMapProduct(ArrayRef<unsigned> factors) const {
    return llvm::all_of(factors, [&](unsigned factor) {
      return isKnown(sums.getFactor(factor));
    });
  }

  //===--------------------------------------------------------------------===//
  // Strides
  //===--------------------------------------------------------------------===//

  /// (Of what a descriptor describes, strides are aligned and not negative.)
  bool findStrides(const IndexTile &offsets) {
    for (auto [dim, step] : llvm::enumerate(offsets.steps)) {
      std::optional<MapNumber> stride = getMapNumber(step);
      bool isFastest = dim == fastest;
      if (!stride || (isFastest && (stride->value || stride->constant != 1)))
        return false;
      bool isStride = knownAt || isAligned(step);
      if (!isFastest &&
          (!isStride || (!stride->value && stride->constant <= 0)))
        return false;
      dims[dim].stride = *stride;
      dims[dim].box = type.getDimSize(dim);
    }
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Begins
  //===--------------------------------------------------------------------===//

  /// The part of `bound` that the launch does not know, where the bound is of
  /// one dimension: with it, where the box begins there.
  IndexSum getVaryingPart(const IndexSum &bound) const {
    IndexSum varying;
    for (auto &[factors, coefficient] : bound.products)
      if (!isMapProduct(factors))
        varying.products[factors] = coefficient;
    return varying;
  }

  /// Splits `offset`, in elements, among the dimensions: what is a multiple of
  /// a stride that is an argument, and what the masks say of the others.
  void splitOffset(IndexSum offset, ArrayRef<std::optional<IndexSum>> ends) {
    for (auto [dim, end] : llvm::zip_equal(dims, ends))
      if (!dim.stride.value && end) {
        dim.begin = getVaryingPart(*end);
        offset -= dim.begin * IndexSum::constant(dim.stride.constant);
      }
    IndexSum left;
    for (auto &[factors, coefficient] : offset.products)
      if (!takeByStride(factors, coefficient) &&
          !takeByConstant(factors, coefficient, ends) &&
          !takeByOuter(factors, coefficient))
        left.products[factors] = coefficient;
    dims[fastest].begin += left;
  }

  /// Whether it is one of a stride that is a constant, of a dimension of which
  /// no mask says where the box begins.
  bool takeByConstant(const std::vector<unsigned> &factors, int64_t coefficient,
                      ArrayRef<std::optional<IndexSum>> ends) {
    for (auto [number, dim, end] : llvm::enumerate(dims, ends)) {
      int64_t stride = dim.stride.value ? 0 : dim.stride.constant;
      if (number == fastest || end || !stride || coefficient % stride != 0)
        continue;
      IndexSum part;
      part.products[factors] = coefficient / stride;
      dim.begin += part;
      return true;
    }
    return false;
  }

  /// Whether the product is a multiple of a dimension's stride.
  bool takeByStride(ArrayRef<unsigned> factors, int64_t coefficient) {
    for (BoxDimension &dim : dims)
      if (dim.stride.value && take(dim, dim.stride.value, factors, coefficient))
        return true;
    return false;
  }

  /// Whether it is one of the stride of a dimension that the tile has not: an
  /// argument, of which the launch sees that it can be one.
  bool takeByOuter(ArrayRef<unsigned> factors, int64_t coefficient) {
    for (BoxDimension &dim : outer)
      if (take(dim, dim.stride.value, factors, coefficient))
        return true;
    for (unsigned factor : factors) {
      Value value = sums.getFactor(factor).value;
      if (!isArgument(value) || !isAligned(IndexSum::factor(factor)) || knownAt)
        continue;
      BoxDimension dim;
      dim.stride.value = value;
      dim.size = getUnbounded();
      take(dim, value, factors, coefficient);
      outer.push_back(dim);
      return true;
    }
    return false;
  }

  bool take(BoxDimension &dim, Value stride, ArrayRef<unsigned> factors,
            int64_t coefficient) const {
    for (auto [index, factor] : llvm::enumerate(factors)) {
      if (sums.getFactor(factor).value != stride)
        continue;
      std::vector<unsigned> others(factors.begin(), factors.end());
      others.erase(others.begin() + index);
      IndexSum part;
      part.products[others] = coefficient;
      dim.begin += part;
      return true;
    }
    return false;
  }

  /// Of a dimension whose end no mask says: as many as there are coordinates.
  static MapNumber getUnbounded() {
    return {{}, std::numeric_limits<int32_t>::max()};
  }

  //===--------------------------------------------------------------------===//
  // Bounds
  //===--------------------------------------------------------------------===//

  /// Of each dimension e, where the mask leaves out coordinates from -e on, and
  /// b, where it leaves out those below b. Besides, what is negative where the
  /// mask leaves out nothing else, and otherwise all.
  struct Bounds {
    SmallVector<std::optional<IndexSum>, 4> ends, begins;
    SmallVector<IndexSum, 2> ofAll;
  };

  std::optional<Bounds> sortBounds(ArrayRef<IndexTile> bounds) const {
    Bounds sorted;
    sorted.ends.resize(dims.size());
    sorted.begins.resize(dims.size());
    for (const IndexTile &bound : bounds) {
      std::optional<unsigned> only;
      for (auto [dim, step] : llvm::enumerate(bound.steps))
        if (!step.isZero()) {
          if (only)
            return std::nullopt;
          only = dim;
        }
      if (!only) {
        sorted.ofAll.push_back(bound.first);
        continue;
      }
      std::optional<int64_t> step = bound.steps[*only].getConstant();
      if (step != 1 && step != -1)
        return std::nullopt;
      auto &place = (step == 1 ? sorted.ends : sorted.begins)[*only];
      // i + end < 0, or begin <= i.
      IndexSum value =
          step == 1 ? bound.first : bound.first + IndexSum::constant(1);
      if (place && !(*place == value))
        return std::nullopt;
      place = value;
    }
    return sorted;
  }

  /// The size of a dimension that ends where `end` is not negative; none where
  /// the launch does not tell, or nothing is left.
  std::optional<MapNumber> getSize(const BoxDimension &dim,
                                   const IndexSum &end) const {
    std::optional<MapNumber> size = getMapNumber(dim.begin - end);
    bool isEmpty = size && !size->value && size->constant < 1;
    return isEmpty ? std::nullopt : size;
  }

  /// Whether `bound` is negative unless the box begins below 0.
  static bool isBegin(const BoxDimension &dim, const IndexSum &bound) {
    return (dim.begin + bound + IndexSum::constant(1)).isZero();
  }

  /// Whether nothing is there where the box begins below 0 in an outer
  /// dimension.
  static bool isMasked(const BoxDimension &dim, const Bounds &bounds) {
    return llvm::any_of(bounds.ofAll, [&](const IndexSum &bound) {
      return isBegin(dim, bound);
    });
  }

  /// Whether the box is outside of the tensor in an outer dimension where
  /// `bound` is not negative: it begins below 0, or where the tensor ends.
  bool takeBoundOfAll(const IndexSum &bound) {
    for (BoxDimension &dim : outer) {
      if (isBegin(dim, bound))
        return true;
      std::optional<MapNumber> size = getSize(dim, bound);
      bool isOfAnother = dim.size != getUnbounded() && dim.size != size;
      if (!size || isOfAnother)
        continue;
      dim.size = *size;
      return true;
    }
    return false;
  }

  /// Whether the tensor ends and begins where the mask says.
  bool findSizes(const Bounds &bounds) {
    for (auto [dim, end, begin] :
         llvm::zip_equal(dims, bounds.ends, bounds.begins)) {
      dim.size = getUnbounded();
      if (end) {
        std::optional<MapNumber> size = getSize(dim, *end);
        if (!size)
          return false;
        dim.size = *size;
      }
      bool isMasked = begin && (dim.begin + *begin).isZero();
      if (begin ? !isMasked : !findSign(dim, &dim != &dims[fastest]))
        return false;
      dim.mayBeginBefore = isMasked && mayBeginBefore(dim);
    }
    if (!llvm::all_of(bounds.ofAll, [&](const IndexSum &bound) {
          return takeBoundOfAll(bound);
        }))
      return false;
    auto isSound = [&](const BoxDimension &dim) {
      return isNarrow(dim.begin) && dim.box <= mostBox;
    };
    dims[fastest].box = 1;
    bool areSound = llvm::all_of(dims, isSound);
    dims[fastest].box = type.getDimSize(fastest);
    return areSound && isAligned(dims[fastest].begin) &&
           llvm::all_of(outer, [&](BoxDimension &dim) {
             bool masked = isMasked(dim, bounds);
             dim.mayBeginBefore = masked && mayBeginBefore(dim);
             return isNarrow(dim.begin) && (masked || findSign(dim, true));
           });
  }
};

/// Dimensions of a tensor map, at most.
static constexpr size_t mostDimensions = 5;

std::optional<StridedBox> StridedBoxes::find(Value pointers, Value mask,
                                             ArrayRef<unsigned> order) {
  Search search = {axes, sums, cast<RankedTensorType>(pointers.getType()),
                   order.front()};
  std::optional<PointerTile> tile = sums.getPointers(pointers);
  if (!tile || !isArgument(tile->base))
    return std::nullopt;
  const AxisInfo *base = axes.lookup(tile->base);
  if (!base || base->divisibility.front() % copyAlignment != 0)
    return std::nullopt;
  return find(search, *tile, mask, order);
}

/// The outermost op around `loop`, or it itself, of which all of `values` are
/// known in front.
static Operation *findFirstUser(Operation *loop, ArrayRef<Value> values) {
  Operation *first = loop;
  auto isOutside = [&](Value value) {
    return !first->getParentOp()->isAncestor(
        value.getParentRegion()->getParentOp());
  };
  while (!isa<FunctionOpInterface>(first->getParentOp()) &&
         llvm::all_of(values, isOutside))
    first = first->getParentOp();
  return first;
}

std::optional<StridedBox> StridedBoxes::findDescribed(Value pointers,
                                                      Value mask,
                                                      ArrayRef<unsigned> order,
                                                      Operation *loop) {
  std::optional<PointerTile> tile = sums.getPointers(pointers);
  if (!tile)
    return std::nullopt;
  SmallVector<Value> values = {tile->base};
  for (const IndexSum &step : tile->offsets.steps)
    for (auto &[factors, coefficient] : step.products)
      for (unsigned factor : factors)
        values.push_back(sums.getFactor(factor).value);
  Search search = {axes, sums, cast<RankedTensorType>(pointers.getType()),
                   order.front(), findFirstUser(loop, values)};
  if (!search.isKnown(tile->base))
    return std::nullopt;
  return find(search, *tile, mask, order);
}

std::optional<StridedBox> StridedBoxes::find(Search &search,
                                             const PointerTile &tile,
                                             Value mask,
                                             ArrayRef<unsigned> order) {
  search.dims.resize(search.type.getRank());
  if (!search.findStrides(tile.offsets))
    return std::nullopt;
  std::optional<SmallVector<IndexTile>> bounds =
      mask ? sums.getBounds(mask) : SmallVector<IndexTile>();
  std::optional<Search::Bounds> sorted =
      bounds ? search.sortBounds(*bounds) : std::nullopt;
  if (!sorted)
    return std::nullopt;
  search.splitOffset(tile.offsets.first, sorted->ends);
  if (!search.findSizes(*sorted))
    return std::nullopt;
  StridedBox box;
  box.base = tile.base;
  box.knownAt = search.knownAt;
  box.dimensions.assign(search.outer.begin(), search.outer.end());
  for (unsigned dim : llvm::reverse(order))
    box.dimensions.push_back(search.dims[dim]);
  llvm::append_range(box.nonNegative, search.assumed);
  return box.dimensions.size() <= mostDimensions ? std::optional(box)
                                                 : std::nullopt;
}

bool StridedBoxes::canStore(const StridedBox &box, int64_t elementBytes) const {
  const MapNumber &row = box.dimensions.back().size;
  const AxisInfo *info = row.value ? axes.lookup(row.value) : nullptr;
  int64_t divisor = !row.value ? row.constant
                    : info     ? info->divisibility.front()
                               : 1;
  bool hasWholeRows = row == Search::getUnbounded() ||
                      divisor * elementBytes % copyAlignment == 0;
  return hasWholeRows &&
         llvm::none_of(box.dimensions, [](const BoxDimension &dimension) {
           return dimension.mayBeginBefore;
         });
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

bool StridedBoxes::isKnownAt(Operation *op, const StridedBox &box) const {
  return llvm::all_of(box.dimensions, [&](const BoxDimension &dimension) {
    return llvm::all_of(dimension.begin.products, [&](const auto &product) {
      return llvm::all_of(product.first, [&](unsigned factor) {
        Operation *source = sums.getFactor(factor).value.getDefiningOp();
        return !source || source->getBlock() != op->getBlock() ||
               source->isBeforeInBlock(op);
      });
    });
  });
}

static Value resize(OpBuilder &builder, Location location, Value value) {
  Type i32 = builder.getI32Type();
  if (value.getType() == i32)
    return value;
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(builder, location, i32, value);
  return arith::TruncIOp::create(builder, location, i32, value);
}

/// The number of an iteration is the counter's way from its begin, in steps;
/// where the coefficient has the step in it, it becomes smaller by it.
Value StridedBoxes::createFactor(OpBuilder &builder, Location location,
                                 unsigned number, int64_t &coefficient) const {
  IndexSums::Factor factor = sums.getFactor(number);
  Value value = resize(builder, location, factor.value);
  if (!factor.loop)
    return value;
  auto getBound = [&](OpFoldResult bound) -> Value {
    if (auto known = dyn_cast<Value>(bound))
      return resize(builder, location, known);
    int64_t constant = cast<IntegerAttr>(cast<Attribute>(bound)).getInt();
    return arith::ConstantIntOp::create(builder, location, constant, 32);
  };
  Value first = getBound(*factor.loop.getSingleLowerBound());
  Value step = getBound(*factor.loop.getSingleStep());
  if (!matchPattern(first, m_Zero()))
    value = arith::SubIOp::create(builder, location, value, first);
  APInt constant;
  if (matchPattern(step, m_ConstantInt(&constant)) &&
      coefficient % constant.getSExtValue() == 0) {
    coefficient /= constant.getSExtValue();
    return value;
  }
  return arith::DivSIOp::create(builder, location, value, step);
}

Value StridedBoxes::create(OpBuilder &builder, Location location,
                           const IndexSum &sum) const {
  Value all;
  for (auto &[factors, count] : sum.products) {
    int64_t coefficient = count;
    Value product;
    for (unsigned number : factors) {
      Value factor = createFactor(builder, location, number, coefficient);
      product = product
                    ? arith::MulIOp::create(builder, location, product, factor)
                    : factor;
    }
    if (coefficient != 1 || !product) {
      Value times =
          arith::ConstantIntOp::create(builder, location, coefficient, 32);
      product = product
                    ? arith::MulIOp::create(builder, location, product, times)
                    : times;
    }
    all =
        all ? arith::AddIOp::create(builder, location, all, product) : product;
  }
  return all ? all : arith::ConstantIntOp::create(builder, location, 0, 32);
}
