// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileToTileGPU/LayoutAnchors.h"

#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;

//===----------------------------------------------------------------------===//
// Blocked layouts
//===----------------------------------------------------------------------===//

/// Spreads `count` units (threads or warps) over `left[dim]` places, in order;
/// what remains goes to the slowest dimension, where units hold copies.
static SmallVector<unsigned> spread(unsigned count,
                                    SmallVectorImpl<int64_t> &left,
                                    ArrayRef<unsigned> order) {
  SmallVector<unsigned> units(left.size(), 1);
  for (unsigned dim : order) {
    unsigned taken = std::min<int64_t>(count, left[dim]);
    units[dim] = taken;
    left[dim] /= taken;
    count /= taken;
  }
  units[order.back()] *= count;
  return units;
}

static BlockedAttr makeBlocked(MLIRContext *context, ArrayRef<int64_t> shape,
                               ArrayRef<unsigned> order,
                               unsigned elementsAlongFastest,
                               unsigned numWarps) {
  SmallVector<int64_t> left(shape);
  SmallVector<unsigned> elements(shape.size(), 1);
  elements[order[0]] = elementsAlongFastest;
  left[order[0]] /= elementsAlongFastest;
  SmallVector<unsigned> threads = spread(32, left, order);
  SmallVector<unsigned> warps = spread(numWarps, left, order);
  return BlockedAttr::get(context, elements, threads, warps, order);
}

static SmallVector<unsigned> rowMajorOrder(unsigned rank) {
  SmallVector<unsigned> order(llvm::reverse(llvm::seq<unsigned>(0, rank)));
  return order;
}

static int64_t countElements(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                         std::multiplies<>());
}

BlockedAttr tilegpu::getDefaultLayout(MLIRContext *context,
                                      ArrayRef<int64_t> shape,
                                      unsigned numWarps) {
  return makeBlocked(context, shape, rowMajorOrder(shape.size()), 1, numWarps);
}

BlockedAttr tilegpu::getCoalescedLayout(Value pointers, Value mask,
                                        const AxisAnalysis &axes,
                                        unsigned numWarps,
                                        unsigned widestBits) {
  auto type = cast<RankedTensorType>(pointers.getType());
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<unsigned> order = rowMajorOrder(shape.size());
  // The dimension in which addresses run comes first; equal ones stay
  // row-major.
  if (const AxisInfo *info = axes.lookup(pointers))
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::pair(info->contiguity[a], a) >
             std::pair(info->contiguity[b], b);
    });
  Type pointee = cast<tt::PointerType>(type.getElementType()).getPointeeType();
  int64_t perThread =
      std::max<int64_t>(1, countElements(shape) / (32 * int64_t(numWarps)));
  int64_t widest = std::max(1u, widestBits / getMemoryBits(pointee));
  int64_t elements = std::min<int64_t>(
      {int64_t(axes.getVectorElements(pointers, mask, order[0])), perThread,
       widest, shape[order[0]]});
  return makeBlocked(type.getContext(), shape, order, elements, numWarps);
}

bool tilegpu::fillsSectors(RankedTensorType type,
                           RegisterLayoutInterface layout, unsigned dim) {
  LinearLayout map = layout.toLinearLayout(type.getShape());
  Axis coordinate = Axis::coordinate(dim);
  unsigned bits = map.outputBits(coordinate);
  auto reaches = [&](Axis input, unsigned position) {
    for (unsigned bit = 0; bit < map.inputBits(input); ++bit)
      if (map.column(input, bit) ==
          uint64_t(1) << (map.outputOffset(coordinate) + position))
        return true;
    return false;
  };
  // What one instruction of a warp covers: a vector of registers, then lanes.
  unsigned elementBytes = getMemoryBits(type.getElementType()) / 8;
  unsigned covered = 0;
  while (covered < bits && (elementBytes << covered) < 16 &&
         reaches(Axis::Register, covered))
    ++covered;
  while (covered < bits && reaches(Axis::Lane, covered))
    ++covered;
  return covered == bits || (elementBytes << covered) >= 32;
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

/// The operand type in a matrix instruction, where there is one.
static std::optional<target::ElementType> toElementType(Type type, bool tf32) {
  if (type.isF16())
    return target::ElementType::F16;
  if (type.isBF16())
    return target::ElementType::BF16;
  if (type.isF32() && tf32)
    return target::ElementType::TF32;
  if (type.isInteger(8))
    return target::ElementType::S8;
  if (isa<Float8E4M3FNType>(type))
    return target::ElementType::E4M3;
  if (isa<Float8E5M2Type>(type))
    return target::ElementType::E5M2;
  return std::nullopt;
}

static std::optional<target::ElementType> toAccumulatorType(Type type) {
  if (type.isF32())
    return target::ElementType::F32;
  if (type.isF16())
    return target::ElementType::F16;
  if (type.isInteger(32))
    return target::ElementType::S32;
  return std::nullopt;
}

/// The fragment family of a synchronous instruction.
static MmaFamily familyOf(const target::MatrixInstruction &instruction) {
  if (instruction.m == 16)
    return MmaFamily::M16N8;
  return instruction.k == 4 ? MmaFamily::M8N8K4 : MmaFamily::M8N8;
}

/// Whether the family describes the instruction's fragments: the f16
/// accumulators of m8n8k4 lie in other lanes than its f32 ones (PTX ISA,
/// "Matrix Fragments for mma.m8n8k4 with .f16 floating point type").
static bool hasFragments(const target::MatrixInstruction &instruction) {
  return familyOf(instruction) != MmaFamily::M8N8K4 ||
         instruction.accumulator == target::ElementType::F32;
}

/// Shares the warps between rows and columns so that the operands' fragments,
/// which each warp loads for itself, are as few as possible: the more nearly
/// square a warp's part of the result, the better.
static SmallVector<unsigned> shareWarps(ArrayRef<int64_t> shape,
                                        unsigned tileRows, unsigned tileColumns,
                                        unsigned numWarps) {
  int64_t rows = shape[shape.size() - 2] / tileRows;
  int64_t columns = shape[shape.size() - 1] / tileColumns;
  unsigned along[2] = {1, 1};
  for (unsigned left = numWarps; left > 1; left /= 2) {
    int64_t rowsEach = rows / along[0] * tileRows;
    int64_t columnsEach = columns / along[1] * tileColumns;
    bool canRows = rows / along[0] > 1, canColumns = columns / along[1] > 1;
    bool takeRows = canRows != canColumns ? canRows : rowsEach >= columnsEach;
    along[takeRows ? 0 : 1] *= 2;
  }
  SmallVector<unsigned> warps(shape.size() - 2, 1);
  warps.append({along[0], along[1]});
  return warps;
}

/// Each thread computes up to a 4 x 4 block by multiply-adds.
static DotChoice chooseMultiplyAdds(tt::DotOp dot, unsigned numWarps,
                                    std::string reason) {
  MLIRContext *context = dot.getContext();
  auto type = cast<RankedTensorType>(dot.getType());
  ArrayRef<int64_t> shape = type.getShape();
  int64_t perThread =
      std::max<int64_t>(1, countElements(shape) / (32 * int64_t(numWarps)));
  SmallVector<unsigned> order = rowMajorOrder(shape.size());
  SmallVector<unsigned> elements(shape.size(), 1);
  unsigned rows = shape.size() - 2, columns = shape.size() - 1;
  elements[columns] = std::min<int64_t>({4, shape[columns], perThread});
  elements[rows] =
      std::min<int64_t>({4, shape[rows], perThread / elements[columns]});
  SmallVector<int64_t> left(shape);
  left[rows] /= elements[rows];
  left[columns] /= elements[columns];
  SmallVector<unsigned> threads = spread(32, left, order);
  SmallVector<unsigned> warps = spread(numWarps, left, order);
  DotChoice choice;
  choice.result = BlockedAttr::get(context, elements, threads, warps, order);
  choice.lhs = DotOperandAttr::get(context, 0, choice.result, 0);
  choice.rhs = DotOperandAttr::get(context, 1, choice.result, 0);
  choice.operandType =
      cast<RankedTensorType>(dot.getA().getType()).getElementType();
  choice.reason = std::move(reason);
  return choice;
}

DotChoice tilegpu::chooseDot(tt::DotOp dot, const target::Target &target,
                             unsigned numWarps) {
  MLIRContext *context = dot.getContext();
  auto lhsType = cast<RankedTensorType>(dot.getA().getType());
  auto resultType = cast<RankedTensorType>(dot.getType());
  unsigned rank = resultType.getRank();
  bool tf32 = dot.getInputPrecision() == tt::InputPrecision::TF32;
  std::optional<target::ElementType> operand =
      toElementType(lhsType.getElementType(), tf32);
  std::optional<target::ElementType> accumulator =
      toAccumulatorType(resultType.getElementType());
  std::string name(target.name);
  if (!operand || !accumulator)
    return chooseMultiplyAdds(dot, numWarps,
                              "no matrix instruction takes these types");
  target::MatrixQuery query{*operand, *operand, *accumulator};
  query.m = resultType.getDimSize(rank - 2);
  query.n = resultType.getDimSize(rank - 1);
  query.k = lhsType.getDimSize(rank - 1);
  query.warps = numWarps;
  std::vector<const target::MatrixInstruction *> candidates =
      target.findMatrixInstructions(query);
  llvm::erase_if(candidates, [](const target::MatrixInstruction *candidate) {
    return !hasFragments(*candidate);
  });
  if (candidates.empty())
    return chooseMultiplyAdds(
        dot, numWarps,
        llvm::formatv("{0} has no matrix instruction for {1} x {1} -> {2} that "
                      "divides {3}x{4}x{5}",
                      name, target::elementTypeName(*operand),
                      target::elementTypeName(*accumulator), *query.m, *query.n,
                      *query.k)
            .str());
  const target::MatrixInstruction &best = *candidates.front();
  MmaFamily family = familyOf(best);
  unsigned tileRows = family == MmaFamily::M8N8 ? 8 : 16;
  unsigned tileColumns = family == MmaFamily::M8N8K4 ? 16 : 8;
  if (resultType.getDimSize(rank - 2) < tileRows ||
      resultType.getDimSize(rank - 1) < tileColumns)
    return chooseMultiplyAdds(dot, numWarps,
                              "the result is smaller than a fragment");
  DotChoice choice;
  choice.instruction = &best;
  choice.result = MmaAttr::get(
      context, family,
      shareWarps(resultType.getShape(), tileRows, tileColumns, numWarps));
  unsigned kWidth = std::max(1u, 32 / target::elementTypeBits(*operand));
  choice.lhs = DotOperandAttr::get(context, 0, choice.result, kWidth);
  choice.rhs = DotOperandAttr::get(context, 1, choice.result, kWidth);
  choice.operandType = lhsType.getElementType();
  return choice;
}
