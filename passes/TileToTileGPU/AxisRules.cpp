// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an AxisInfo is made of, and the rules of the ops that move elements:
// from scalars to tiles, between shapes, between pointers and integers. The
// rules of integer arithmetic are in AxisArithmetic.cpp.

#include "passes/TileToTileGPU/AxisRules.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "passes/TileToTileGPU/AxisOperand.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::tilegpu::axis {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The size in bytes of what a pointer of type `pointer` points at, or 0 if the
/// analysis cannot tell or it is no power of two.
static int64_t getPointeeBytes(tt::PointerType pointer) {
  Type pointee = pointer.getPointeeType();
  if (isa<tt::PointerType>(pointee))
    return 8;
  if (!pointee.isIntOrFloat())
    return 0;
  int64_t bytes = llvm::divideCeil(pointee.getIntOrFloatBitWidth(), 8);
  return llvm::isPowerOf2_64(bytes) ? bytes : 0;
}

std::optional<SmallVector<int64_t>> getAxisShape(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto pointer = dyn_cast<tt::PointerType>(element)) {
    if (getPointeeBytes(pointer) == 0)
      return std::nullopt;
  } else if (!element.isIndex() &&
             !(element.isInteger() && element.getIntOrFloatBitWidth() >= 1 &&
               element.getIntOrFloatBitWidth() <= 64)) {
    return std::nullopt;
  }
  if (element == type)
    return SmallVector<int64_t>{1};
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return std::nullopt;
  if (tensor.getRank() == 0)
    return SmallVector<int64_t>{1};
  return llvm::to_vector(tensor.getShape());
}

int64_t getStep(Type type) {
  auto pointer = dyn_cast<tt::PointerType>(getElementTypeOrSelf(type));
  return pointer ? getPointeeBytes(pointer) : 1;
}

unsigned getWidth(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isInteger() ? element.getIntOrFloatBitWidth() : 64;
}

//===----------------------------------------------------------------------===//
// AxisInfo
//===----------------------------------------------------------------------===//

int64_t powerOfTwoDivisor(uint64_t value) {
  if (value == 0)
    return maxDivisibility;
  return std::min(maxDivisibility,
                  int64_t(1) << std::min(llvm::countr_zero(value), 30));
}

int64_t getRunDivisor(const AxisInfo &info, unsigned dim, int64_t run,
                      int64_t step) {
  // A longer run starts where a known one starts; a shorter one may start at
  // any multiple of its length within.
  int64_t divisor = info.divisibility[dim];
  return run >= info.contiguity[dim] ? divisor : std::min(divisor, run * step);
}

int64_t getElementDivisor(const AxisInfo &info, int64_t step) {
  int64_t divisor = 1;
  for (unsigned dim = 0; dim < info.contiguity.size(); ++dim)
    divisor = std::max(divisor, getRunDivisor(info, dim, 1, step));
  return divisor;
}

AxisInfo getUnknown(Type type) {
  AxisInfo info;
  size_t rank = getAxisShape(type)->size();
  info.contiguity.assign(rank, 1);
  info.divisibility.assign(rank, 1);
  info.constancy.assign(rank, 1);
  return info;
}

AxisInfo getUniform(Type type, int64_t divisor) {
  AxisInfo info = getUnknown(type);
  for (auto [dim, size] : llvm::enumerate(*getAxisShape(type))) {
    info.divisibility[dim] = divisor;
    info.constancy[dim] = powerOfTwoDivisor(size);
  }
  return info;
}

AxisInfo getConstant(Type type, int64_t value) {
  AxisInfo info = getUniform(type, powerOfTwoDivisor(value));
  info.constant = value;
  info.nonNegative = value >= 0;
  return info;
}

AxisInfo join(const AxisInfo &lhs, const AxisInfo &rhs, int64_t step) {
  AxisInfo result = lhs;
  for (unsigned dim = 0; dim < lhs.contiguity.size(); ++dim) {
    int64_t run = std::min(lhs.contiguity[dim], rhs.contiguity[dim]);
    result.contiguity[dim] = run;
    result.divisibility[dim] = std::min(getRunDivisor(lhs, dim, run, step),
                                        getRunDivisor(rhs, dim, run, step));
    result.constancy[dim] = std::min(lhs.constancy[dim], rhs.constancy[dim]);
  }
  if (lhs.constant != rhs.constant)
    result.constant.reset();
  result.nonNegative = lhs.nonNegative && rhs.nonNegative;
  return result;
}

void shortenRun(AxisInfo &info, unsigned dim, int64_t run, int64_t step) {
  if (run >= info.contiguity[dim])
    return;
  info.divisibility[dim] = getRunDivisor(info, dim, run, step);
  info.contiguity[dim] = run;
}

void normalize(AxisInfo &info, Type type) {
  int64_t step = getStep(type);
  unsigned width = getWidth(type);
  if (width < 32)
    // Narrow integers wrap in earnest, so only such runs are claimed as can
    // cross neither the signed nor the unsigned end: those that start at
    // multiples of their length.
    for (unsigned dim = 0; dim < info.contiguity.size(); ++dim)
      shortenRun(info, dim,
                 std::min(info.divisibility[dim], int64_t(1) << (width - 1)),
                 step);
  // What divides every element holds in each dimension whose runs are single
  // elements.
  int64_t divisor = getElementDivisor(info, step);
  for (unsigned dim = 0; dim < info.contiguity.size(); ++dim)
    if (info.contiguity[dim] == 1)
      info.divisibility[dim] = divisor;
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

/// The numbers of a hint for `rank` dimensions, each made a power of two; or
/// nothing if `attribute` is no such hint.
static std::optional<SmallVector<int64_t>> readHint(Attribute attribute,
                                                    size_t rank) {
  SmallVector<int64_t> values;
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute)) {
    if (integer.getValue().getSignificantBits() > 64)
      return std::nullopt;
    values.push_back(integer.getValue().getSExtValue());
  } else if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(attribute)) {
    if (dense.getNumElements() != static_cast<int64_t>(rank))
      return std::nullopt;
    for (const APInt &value : dense.getValues<APInt>()) {
      if (value.getSignificantBits() > 64)
        return std::nullopt;
      values.push_back(value.getSExtValue());
    }
  } else if (auto array = dyn_cast_or_null<DenseI32ArrayAttr>(attribute)) {
    values.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  } else if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attribute)) {
    values.assign(array.asArrayRef().begin(), array.asArrayRef().end());
  }
  if (values.size() != rank ||
      llvm::any_of(values, [](int64_t value) { return value <= 0; }))
    return std::nullopt;
  for (int64_t &value : values)
    value = powerOfTwoDivisor(value);
  return values;
}

void applyHints(AxisInfo &info, Type type,
                function_ref<Attribute(StringRef)> getAttribute) {
  SmallVector<int64_t> shape = *getAxisShape(type);
  size_t rank = shape.size();
  auto contiguity = readHint(getAttribute("tt.contiguity"), rank);
  auto divisibility = readHint(getAttribute("tt.divisibility"), rank);
  auto constancy = readHint(getAttribute("tt.constancy"), rank);
  if (!contiguity && !divisibility && !constancy)
    return;
  int64_t step = getStep(type);
  for (unsigned dim = 0; dim < rank; ++dim) {
    int64_t size = powerOfTwoDivisor(shape[dim]);
    if (contiguity) {
      int64_t run = std::min(size, (*contiguity)[dim]);
      if (run > info.contiguity[dim]) {
        info.divisibility[dim] = getRunDivisor(info, dim, run, step);
        info.contiguity[dim] = run;
      }
    }
    // Promised of the runs that the author had in mind; those known here are as
    // long or longer, and start where such runs start.
    if (divisibility)
      info.divisibility[dim] =
          std::max(info.divisibility[dim], (*divisibility)[dim]);
    if (constancy)
      info.constancy[dim] =
          std::max(info.constancy[dim], std::min(size, (*constancy)[dim]));
  }
  normalize(info, type);
}

AxisInfo getInductionVariable(Type type, const AxisInfo &lowerBound,
                              const AxisInfo &step) {
  AxisInfo info = getUniform(type, std::min(getElementDivisor(lowerBound, 1),
                                            getElementDivisor(step, 1)));
  info.nonNegative = lowerBound.nonNegative;
  return info;
}

//===----------------------------------------------------------------------===//
// Ops that move elements
//===----------------------------------------------------------------------===//

static AxisInfo getArithConstant(arith::ConstantOp op) {
  Type type = op.getType();
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
    return getConstant(type, integer.getValue().getSExtValue());
  auto dense = dyn_cast<DenseIntElementsAttr>(op.getValue());
  if (!dense || dense.empty())
    return getUnknown(type);
  if (dense.isSplat())
    return getConstant(type, dense.getSplatValue<APInt>().getSExtValue());

  AxisInfo info = getUnknown(type);
  uint64_t bits = 0;
  info.nonNegative = true;
  for (const APInt &value : dense.getValues<APInt>()) {
    bits |= value.getSExtValue();
    info.nonNegative &= value.isNonNegative();
  }
  info.divisibility[0] = powerOfTwoDivisor(bits);
  normalize(info, type);
  return info;
}

static AxisInfo getMakeRange(tt::MakeRangeOp op) {
  Type type = op.getType();
  AxisInfo info = getUnknown(type);
  int64_t size = getAxisShape(type)->front();
  int64_t run = powerOfTwoDivisor(size);
  int64_t start = static_cast<int32_t>(op.getStart());
  info.contiguity[0] = run;
  info.divisibility[0] = powerOfTwoDivisor(start);
  if (run != size)
    info.divisibility[0] = std::min(info.divisibility[0], run);
  info.nonNegative = start >= 0;
  return info;
}

/// The claims on single elements of `source`, which every shape keeps, for a
/// value of `type` with elements of the same type.
static AxisInfo getElementwise(Type type, const Operand &source) {
  if (source.info.constant)
    return getConstant(type, *source.info.constant);
  AxisInfo info = getUnknown(type);
  info.nonNegative = source.info.nonNegative;
  info.divisibility.assign(info.divisibility.size(), source.getDivisor());
  return info;
}

static AxisInfo getSplat(Type type, const Operand &source) {
  AxisInfo info = getUniform(type, source.getDivisor());
  info.constant = source.info.constant;
  info.nonNegative = source.info.nonNegative;
  return info;
}

static AxisInfo getExpandDims(tt::ExpandDimsOp op, const Operand &source) {
  AxisInfo info = source.info;
  unsigned axis = op.getAxis();
  if (axis > info.contiguity.size())
    return getUnknown(op.getType());
  info.contiguity.insert(info.contiguity.begin() + axis, 1);
  info.divisibility.insert(info.divisibility.begin() + axis,
                           source.getDivisor());
  info.constancy.insert(info.constancy.begin() + axis, 1);
  return info;
}

static AxisInfo getBroadcast(Type type, const Operand &source) {
  AxisInfo info = source.info;
  SmallVector<int64_t> shape = *getAxisShape(type);
  for (auto [dim, size] : llvm::enumerate(source.shape))
    if (size == 1 && shape[dim] != 1)
      info.constancy[dim] = powerOfTwoDivisor(shape[dim]);
  return info;
}

static AxisInfo getTrans(tt::TransOp op, const Operand &source) {
  AxisInfo info = source.info;
  for (auto [dim, from] : llvm::enumerate(op.getOrder())) {
    info.contiguity[dim] = source.info.contiguity[from];
    info.divisibility[dim] = source.info.divisibility[from];
    info.constancy[dim] = source.info.constancy[from];
  }
  return info;
}

/// A reshape in row-major order. Dimensions of one element may come and go. If
/// more changes, runs of the last dimension stay runs as far as they fit.
static AxisInfo getReshape(Type type, const Operand &source) {
  AxisInfo info = getElementwise(type, source);
  if (info.constant)
    return info;
  auto getLargeDims = [](ArrayRef<int64_t> shape) {
    return llvm::filter_to_vector<4>(
        llvm::seq<unsigned>(0, shape.size()),
        [&](unsigned dim) { return shape[dim] != 1; });
  };
  SmallVector<int64_t> shape = *getAxisShape(type);
  auto from = getLargeDims(source.shape);
  auto to = getLargeDims(shape);
  auto copyRuns = [&](unsigned toDim, unsigned fromDim) {
    int64_t size = powerOfTwoDivisor(shape[toDim]);
    int64_t run = std::min(size, source.getContiguity(fromDim));
    info.contiguity[toDim] = run;
    info.divisibility[toDim] = source.getDivisor(fromDim, run);
    info.constancy[toDim] = std::min(size, source.getConstancy(fromDim));
  };
  bool isSame = llvm::equal(from, to, [&](unsigned lhs, unsigned rhs) {
    return source.shape[lhs] == shape[rhs];
  });
  if (isSame)
    for (auto [fromDim, toDim] : llvm::zip_equal(from, to))
      copyRuns(toDim, fromDim);
  else if (!from.empty() && !to.empty())
    copyRuns(to.back(), from.back());
  normalize(info, type);
  return info;
}

/// Two tiles as the halves of a new last dimension.
static AxisInfo getJoin(Type type, const Operand &lhs, const Operand &rhs) {
  AxisInfo info = join(lhs.info, rhs.info, lhs.step);
  int64_t divisor = std::min(lhs.getDivisor(), rhs.getDivisor());
  info.contiguity.push_back(1);
  info.divisibility.push_back(divisor);
  info.constancy.push_back(info.constant ? 2 : 1);
  normalize(info, type);
  return info;
}

static AxisInfo getSplit(Type type, const Operand &source) {
  AxisInfo info = source.info;
  info.contiguity.pop_back();
  info.divisibility.pop_back();
  info.constancy.pop_back();
  if (info.contiguity.empty())
    return getElementwise(type, source);
  normalize(info, type);
  return info;
}

/// The same bits as another type: runs stay runs where the step stays.
static AxisInfo getRetyped(Type type, const Operand &source) {
  AxisInfo info = source.info;
  bool isPointer = isa<tt::PointerType>(getElementTypeOrSelf(type));
  if (isPointer) {
    info.constant.reset();
    info.nonNegative = false;
  }
  if (getStep(type) == source.step && getWidth(type) == source.width)
    return info;
  for (unsigned dim = 0; dim < info.contiguity.size(); ++dim)
    shortenRun(info, dim, 1, source.step);
  normalize(info, type);
  return info;
}

static AxisInfo getAddPtr(Type type, const Operand &pointer,
                          const Operand &offset) {
  AxisInfo info = getUnknown(type);
  for (unsigned dim = 0; dim < info.contiguity.size(); ++dim) {
    int64_t run = std::max(
        std::min(pointer.getContiguity(dim), offset.getConstancy(dim)),
        std::min(pointer.getConstancy(dim), offset.getContiguity(dim)));
    int64_t offsetBytes =
        std::min(maxDivisibility, offset.getDivisor(dim, run) * pointer.step);
    info.contiguity[dim] = run;
    info.divisibility[dim] =
        std::min(pointer.getDivisor(dim, run), offsetBytes);
    info.constancy[dim] =
        std::min(pointer.getConstancy(dim), offset.getConstancy(dim));
  }
  normalize(info, type);
  return info;
}

static AxisInfo getSelect(arith::SelectOp op, const Operand &condition,
                          const Operand &lhs, const Operand &rhs) {
  if (condition.info.constant)
    return *condition.info.constant ? lhs.info : rhs.info;
  AxisInfo info = join(lhs.info, rhs.info, lhs.step);
  if (info.constant || !isa<ShapedType>(op.getCondition().getType()))
    return info;
  for (unsigned dim = 0; dim < info.contiguity.size(); ++dim) {
    shortenRun(info, dim, condition.getConstancy(dim), lhs.step);
    info.constancy[dim] =
        std::min(info.constancy[dim], condition.getConstancy(dim));
  }
  normalize(info, op.getType());
  return info;
}

AxisInfo getResult(Operation *op, unsigned result,
                   ArrayRef<const AxisInfo *> operandInfos) {
  Type type = op->getResult(result).getType();
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return getArithConstant(constant);
  if (auto range = dyn_cast<tt::MakeRangeOp>(op))
    return getMakeRange(range);
  if (isa<tt::GetProgramIdOp, tt::GetNumProgramsOp>(op)) {
    AxisInfo info = getUnknown(type);
    info.nonNegative = true;
    return info;
  }

  SmallVector<Operand, 3> operands;
  for (auto [value, info] : llvm::zip_equal(op->getOperands(), operandInfos)) {
    if (!info)
      return getUnknown(type);
    operands.emplace_back(*info, value.getType());
  }
  AxisInfo info =
      llvm::TypeSwitch<Operation *, AxisInfo>(op)
          .Case([&](tt::SplatOp) { return getSplat(type, operands[0]); })
          .Case<tt::UnsplatOp>(
              [&](auto) { return getElementwise(type, operands[0]); })
          .Case([&](tt::ExpandDimsOp expand) {
            return getExpandDims(expand, operands[0]);
          })
          .Case(
              [&](tt::BroadcastOp) { return getBroadcast(type, operands[0]); })
          .Case([&](tt::TransOp trans) { return getTrans(trans, operands[0]); })
          .Case([&](tt::ReshapeOp reshape) {
            return reshape.getAllowReorder() ? getElementwise(type, operands[0])
                                             : getReshape(type, operands[0]);
          })
          .Case([&](tt::JoinOp) {
            return getJoin(type, operands[0], operands[1]);
          })
          .Case([&](tt::SplitOp) { return getSplit(type, operands[0]); })
          .Case([&](tt::CatOp) {
            return join(getElementwise(type, operands[0]),
                        getElementwise(type, operands[1]), operands[0].step);
          })
          .Case([&](tt::GatherOp) { return getElementwise(type, operands[0]); })
          .Case([&](ConvertLayoutOp) { return operands[0].info; })
          .Case<tt::BitcastOp, tt::IntToPtrOp, tt::PtrToIntOp,
                arith::BitcastOp>(
              [&](auto) { return getRetyped(type, operands[0]); })
          .Case([&](tt::AddPtrOp) {
            return getAddPtr(type, operands[0], operands[1]);
          })
          .Case([&](arith::SelectOp select) {
            return getSelect(select, operands[0], operands[1], operands[2]);
          })
          .Default(
              [&](Operation *) { return getArithmetic(op, type, operands); });
  // Tensors without dimensions count as one dimension, so that the number of
  // dimensions may differ from what the op's rule made.
  return info.contiguity.size() == getAxisShape(type)->size()
             ? info
             : getUnknown(type);
}

} // namespace tilewright::tilegpu::axis
