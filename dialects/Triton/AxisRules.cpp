// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AxisInfoOpInterface for `tt`: what is known of integers and pointers that are
// made, moved between shapes, or turned into each other.

#include "dialects/Interfaces/AxisRules.h"
#include "dialects/Triton/Triton.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;
using namespace tilewright::axis;

/// The operand of an op that has one, or its first.
static Operand getSource(Operation *op, ArrayRef<const AxisInfo *> operands) {
  return Operand(*operands.front(), op->getOperand(0).getType());
}

//===----------------------------------------------------------------------===//
// Ops that make numbers
//===----------------------------------------------------------------------===//

static AxisInfo getNonNegative(Type type) {
  AxisInfo info = getUnknown(type);
  info.nonNegative = true;
  return info;
}

AxisInfo GetProgramIdOp::inferAxisInfo(unsigned, ArrayRef<const AxisInfo *>) {
  return getNonNegative(getType());
}

AxisInfo GetNumProgramsOp::inferAxisInfo(unsigned, ArrayRef<const AxisInfo *>) {
  return getNonNegative(getType());
}

AxisInfo MakeRangeOp::inferAxisInfo(unsigned, ArrayRef<const AxisInfo *>) {
  Type type = getType();
  AxisInfo info = getUnknown(type);
  int64_t size = getAxisShape(type)->front();
  int64_t run = powerOfTwoDivisor(size);
  int64_t start = static_cast<int32_t>(getStart());
  info.contiguity[0] = run;
  info.divisibility[0] = powerOfTwoDivisor(start);
  if (run != size)
    info.divisibility[0] = std::min(info.divisibility[0], run);
  info.nonNegative = start >= 0;
  return info;
}

/// Inline assembly may read the lane's number, so that equal operands do not
/// give equal results.
AxisInfo ElementwiseInlineAsmOp::inferAxisInfo(unsigned result,
                                               ArrayRef<const AxisInfo *>) {
  return getUnknown((*this)->getResult(result).getType());
}

//===----------------------------------------------------------------------===//
// Ops that move elements
//===----------------------------------------------------------------------===//

AxisInfo SplatOp::inferAxisInfo(unsigned, ArrayRef<const AxisInfo *> operands) {
  Operand source = getSource(*this, operands);
  AxisInfo info = getUniform(getType(), source.getDivisor());
  info.constant = source.info.constant;
  info.nonNegative = source.info.nonNegative;
  return info;
}

AxisInfo UnsplatOp::inferAxisInfo(unsigned,
                                  ArrayRef<const AxisInfo *> operands) {
  return getOfElements(getType(), getSource(*this, operands));
}

AxisInfo ExpandDimsOp::inferAxisInfo(unsigned,
                                     ArrayRef<const AxisInfo *> operands) {
  Operand source = getSource(*this, operands);
  AxisInfo info = source.info;
  unsigned axis = getAxis();
  if (axis > info.contiguity.size())
    return getUnknown(getType());
  info.contiguity.insert(info.contiguity.begin() + axis, 1);
  info.divisibility.insert(info.divisibility.begin() + axis,
                           source.getDivisor());
  info.constancy.insert(info.constancy.begin() + axis, 1);
  info.prefixes.insert(info.prefixes.begin() + axis, 1);
  info.spacing.insert(info.spacing.begin() + axis, maxDivisibility);
  return info;
}

AxisInfo BroadcastOp::inferAxisInfo(unsigned,
                                    ArrayRef<const AxisInfo *> operands) {
  Operand source = getSource(*this, operands);
  AxisInfo info = source.info;
  SmallVector<int64_t> shape = *getAxisShape(getType());
  for (auto [dim, size] : llvm::enumerate(source.shape))
    if (size == 1 && shape[dim] != 1) {
      info.constancy[dim] = info.prefixes[dim] = powerOfTwoDivisor(shape[dim]);
      info.spacing[dim] = maxDivisibility;
    }
  return info;
}

AxisInfo TransOp::inferAxisInfo(unsigned, ArrayRef<const AxisInfo *> operands) {
  Operand source = getSource(*this, operands);
  AxisInfo info = source.info;
  for (auto [dim, from] : llvm::enumerate(getOrder())) {
    info.contiguity[dim] = source.info.contiguity[from];
    info.divisibility[dim] = source.info.divisibility[from];
    info.constancy[dim] = source.info.constancy[from];
    info.prefixes[dim] = source.info.prefixes[from];
    info.spacing[dim] = source.info.spacing[from];
  }
  return info;
}

/// A reshape in row-major order. Dimensions of one element may come and go. If
/// more changes, runs of the last dimension stay runs as far as they fit.
static AxisInfo getReshape(Type type, const Operand &source) {
  AxisInfo info = getOfElements(type, source);
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
    info.prefixes[toDim] = std::min(size, source.getPrefixes(fromDim));
  };
  bool isSame = llvm::equal(from, to, [&](unsigned lhs, unsigned rhs) {
    return source.shape[lhs] == shape[rhs];
  });
  if (isSame)
    for (auto [fromDim, toDim] : llvm::zip_equal(from, to)) {
      copyRuns(toDim, fromDim);
      info.spacing[toDim] = source.getSpacing(fromDim);
    }
  else if (!from.empty() && !to.empty())
    copyRuns(to.back(), from.back());
  normalize(info, type);
  return info;
}

AxisInfo ReshapeOp::inferAxisInfo(unsigned,
                                  ArrayRef<const AxisInfo *> operands) {
  Operand source = getSource(*this, operands);
  return getAllowReorder() ? getOfElements(getType(), source)
                           : getReshape(getType(), source);
}

/// Two tiles as the halves of a new last dimension.
AxisInfo JoinOp::inferAxisInfo(unsigned, ArrayRef<const AxisInfo *> operands) {
  std::vector<Operand> sides = makeOperands(*this, operands);
  const Operand &lhs = sides[0], &rhs = sides[1];
  AxisInfo info = axis::join(lhs.info, rhs.info, lhs.step);
  int64_t divisor = std::min(lhs.getDivisor(), rhs.getDivisor());
  info.contiguity.push_back(1);
  info.divisibility.push_back(divisor);
  info.constancy.push_back(info.constant ? 2 : 1);
  info.prefixes.push_back(info.constancy.back());
  info.spacing.push_back(1);
  normalize(info, getType());
  return info;
}

AxisInfo SplitOp::inferAxisInfo(unsigned result,
                                ArrayRef<const AxisInfo *> operands) {
  Operand source = getSource(*this, operands);
  Type type = (*this)->getResult(result).getType();
  AxisInfo info = source.info;
  info.contiguity.pop_back();
  info.divisibility.pop_back();
  info.constancy.pop_back();
  info.prefixes.pop_back();
  info.spacing.pop_back();
  if (info.contiguity.empty())
    return getOfElements(type, source);
  normalize(info, type);
  return info;
}

AxisInfo CatOp::inferAxisInfo(unsigned, ArrayRef<const AxisInfo *> operands) {
  std::vector<Operand> sides = makeOperands(*this, operands);
  AxisInfo info = axis::join(getOfElements(getType(), sides[0]),
                             getOfElements(getType(), sides[1]), sides[0].step);
  if (info.constant)
    return info;
  info.spacing.assign(info.spacing.size(), 1);
  normalize(info, getType());
  return info;
}

AxisInfo GatherOp::inferAxisInfo(unsigned,
                                 ArrayRef<const AxisInfo *> operands) {
  return getOfElements(getType(), getSource(*this, operands));
}

//===----------------------------------------------------------------------===//
// Pointers and bits
//===----------------------------------------------------------------------===//

AxisInfo BitcastOp::inferAxisInfo(unsigned,
                                  ArrayRef<const AxisInfo *> operands) {
  return getRetyped(getType(), getSource(*this, operands));
}

AxisInfo IntToPtrOp::inferAxisInfo(unsigned,
                                   ArrayRef<const AxisInfo *> operands) {
  return getRetyped(getType(), getSource(*this, operands));
}

AxisInfo PtrToIntOp::inferAxisInfo(unsigned,
                                   ArrayRef<const AxisInfo *> operands) {
  return getRetyped(getType(), getSource(*this, operands));
}

AxisInfo AddPtrOp::inferAxisInfo(unsigned,
                                 ArrayRef<const AxisInfo *> operands) {
  std::vector<Operand> sides = makeOperands(*this, operands);
  const Operand &pointer = sides[0], &offset = sides[1];
  AxisInfo info = getUnknown(getType());
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
    info.spacing[dim] =
        std::min({pointer.getSpacing(dim),
                  offset.getSpacing(dim) * pointer.step, maxDivisibility});
  }
  normalize(info, getType());
  return info;
}
