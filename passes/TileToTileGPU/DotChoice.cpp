// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileToTileGPU/DotChoice.h"

#include "dialects/TileGPU/MatrixFragments.h"
#include "passes/TileToTileGPU/LayoutAnchors.h"
#include "passes/TileToTileGPU/LayoutRules.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using target::ElementType;
using target::MatrixInstruction;

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// The operand type in a matrix instruction, where the dot may use it.
static std::optional<ElementType> getOperandType(Type type, bool allowsTf32) {
  if (type.isF32() && !allowsTf32)
    return std::nullopt;
  return getMatrixOperandType(type);
}

const MatrixInstruction *
tilegpu::findDotInstruction(const target::Target &target,
                            const DotTypes &types) {
  std::optional<ElementType> lhs = getOperandType(types.lhs, types.allowsTf32);
  std::optional<ElementType> rhs = getOperandType(types.rhs, types.allowsTf32);
  std::optional<ElementType> accumulator =
      getMatrixAccumulatorType(types.accumulator);
  if (!lhs || !rhs || !accumulator)
    return nullptr;
  const MatrixInstruction *smallest = nullptr;
  for (const MatrixInstruction *row :
       target.findMatrixInstructions({*lhs, *rhs, *accumulator})) {
    if (types.k % row->k == 0)
      return row;
    if (!smallest || row->k < smallest->k)
      smallest = row;
  }
  return smallest;
}

DotTypes tilegpu::getDotTypes(tt::DotOp dot) {
  auto lhs = cast<RankedTensorType>(dot.getA().getType());
  return {lhs.getElementType(), getElementTypeOrSelf(dot.getB()),
          getElementTypeOrSelf(dot.getC()),
          dot.getInputPrecision() == tt::InputPrecision::TF32,
          lhs.getShape().back()};
}

/// The operand types for which `target` has an instruction that sums in
/// `accumulator`: "f16, bf16".
static std::string listOperandTypes(const target::Target &target,
                                    ElementType accumulator) {
  llvm::SmallSetVector<StringRef, 8> names;
  for (const MatrixInstruction *row : target.matrixInstructions())
    if (!row->asynchronous && row->accumulator == accumulator)
      names.insert(StringRef(target::elementTypeName(row->a)));
  return llvm::join(names, ", ");
}

/// Why `target` has no instruction for the dot, and what would have one.
static std::string explainMissing(const DotTypes &types,
                                  const target::Target &target) {
  StringRef name(target.name);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << name << " has no matrix instruction for " << types.lhs << " x "
         << types.rhs << " -> " << types.accumulator;
  DotTypes rounded = types;
  rounded.allowsTf32 = true;
  if (!types.allowsTf32 && findDotInstruction(target, rounded)) {
    stream << " with unrounded operands; inputPrecision = tf32 or tf32x3 would "
              "have one";
    return text;
  }
  std::optional<ElementType> accumulator =
      getMatrixAccumulatorType(types.accumulator);
  std::string operands =
      accumulator ? listOperandTypes(target, *accumulator) : std::string();
  if (!operands.empty())
    stream << "; it has them for operands of " << operands;
  return text;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Shares the warps between batches first, which have nothing in common, then
/// between rows and columns so that the operands' fragments, which each warp
/// loads for itself, are as few as possible: the more nearly square a warp's
/// part of the result, the better. Warps that are left hold copies.
static SmallVector<unsigned> shareWarps(ArrayRef<int64_t> shape,
                                        int64_t tileRows, int64_t tileColumns,
                                        unsigned numWarps) {
  unsigned rank = shape.size();
  SmallVector<unsigned> warps;
  for (int64_t batches : shape.drop_back(2)) {
    warps.push_back(std::min<int64_t>(batches, numWarps));
    numWarps /= warps.back();
  }
  int64_t rows = std::max<int64_t>(1, shape[rank - 2] / tileRows);
  int64_t columns = std::max<int64_t>(1, shape[rank - 1] / tileColumns);
  unsigned along[2] = {1, 1};
  for (unsigned left = numWarps; left > 1; left /= 2) {
    int64_t rowsEach = rows / along[0] * tileRows;
    int64_t columnsEach = columns / along[1] * tileColumns;
    bool canRows = rows / along[0] > 1, canColumns = columns / along[1] > 1;
    bool takeRows = canRows != canColumns ? canRows : rowsEach >= columnsEach;
    along[takeRows ? 0 : 1] *= 2;
  }
  warps.append({along[0], along[1]});
  return warps;
}

/// Each thread computes up to a 4 x 4 block at a time by multiply-adds.
static DotChoice chooseMultiplyAdds(tt::DotOp dot, unsigned numWarps,
                                    std::string reason) {
  auto type = cast<RankedTensorType>(dot.getType());
  ArrayRef<int64_t> shape = type.getShape();
  int64_t perThread =
      std::max<int64_t>(1, type.getNumElements() / (32 * int64_t(numWarps)));
  SmallVector<unsigned> order(
      llvm::reverse(llvm::seq<unsigned>(0, shape.size())));
  SmallVector<unsigned> elements(shape.size(), 1);
  unsigned rows = shape.size() - 2, columns = shape.size() - 1;
  elements[columns] = std::min<int64_t>({4, shape[columns], perThread});
  elements[rows] =
      std::min<int64_t>({4, shape[rows], perThread / elements[columns]});
  SmallVector<int64_t> left(shape);
  left[rows] /= elements[rows];
  left[columns] /= elements[columns];
  SmallVector<unsigned> threads = spreadUnits(32, left, order);
  SmallVector<unsigned> warps = spreadUnits(numWarps, left, order);
  DotChoice choice;
  choice.result =
      BlockedAttr::get(dot.getContext(), elements, threads, warps, order);
  choice.reason = std::move(reason);
  return choice;
}

/// Every way to share `numWarps` warps between rows and columns in which none
/// repeats another's part, the most nearly square one first.
static SmallVector<SmallVector<unsigned>>
listWarpShares(ArrayRef<int64_t> shape, const MatrixFragments &fragments,
               unsigned numWarps) {
  SmallVector<SmallVector<unsigned>> shares = {
      shareWarps(shape, fragments.rows, fragments.columns, numWarps)};
  const SmallVector<unsigned> best = shares[0];
  unsigned rank = shape.size(), together = best[rank - 2] * best[rank - 1];
  for (unsigned rows = 1; rows <= together; rows *= 2) {
    SmallVector<unsigned> share = best;
    share[rank - 2] = rows;
    share[rank - 1] = together / rows;
    bool repeats =
        int64_t(rows * fragments.rows) > shape[rank - 2] ||
        int64_t(share[rank - 1] * fragments.columns) > shape[rank - 1];
    if (share != best && !repeats)
      shares.push_back(share);
  }
  return shares;
}

/// The dot by `instruction` with its warps shared out as `warps` says.
static DotChoice makeChoice(tt::DotOp dot, const MatrixInstruction &instruction,
                            ArrayRef<unsigned> warps, bool isTransposed) {
  MLIRContext *context = dot.getContext();
  DotChoice choice;
  choice.instruction = &instruction;
  choice.isTransposed = isTransposed;
  choice.accumulator = MmaAttr::get(context, getMmaFamily(instruction), warps);
  unsigned kWidth = getRegisterElements(instruction);
  RegisterLayoutInterface operands[] = {
      DotOperandAttr::get(context, 0, choice.accumulator, kWidth),
      DotOperandAttr::get(context, 1, choice.accumulator, kWidth)};
  if (!isTransposed) {
    choice.result = choice.accumulator;
    choice.lhs = operands[0];
    choice.rhs = operands[1];
    return choice;
  }
  // The right operand, transposed, is the instruction's left one.
  auto transposed = [](RegisterLayoutInterface layout, Value tensor) {
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(tensor.getType()).getShape());
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    return transposeLayout(layout, shape);
  };
  choice.result = transposed(choice.accumulator, dot.getResult());
  choice.lhs = transposed(operands[1], dot.getA());
  choice.rhs = transposed(operands[0], dot.getB());
  return choice;
}

SmallVector<DotChoice> tilegpu::listDotChoices(tt::DotOp dot,
                                               const target::Target &target,
                                               unsigned numWarps) {
  DotTypes types = getDotTypes(dot);
  const MatrixInstruction *instruction = findDotInstruction(target, types);
  if (!instruction)
    return {chooseMultiplyAdds(dot, numWarps, explainMissing(types, target))};
  MatrixFragments fragments = getMatrixFragments(*instruction);
  SmallVector<int64_t> shape(cast<RankedTensorType>(dot.getType()).getShape());
  SmallVector<DotChoice> choices;
  for (ArrayRef<unsigned> warps : listWarpShares(shape, fragments, numWarps))
    choices.push_back(makeChoice(dot, *instruction, warps, false));
  // The transposed product exchanges the operands' types.
  if (instruction->a == instruction->b) {
    std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    for (ArrayRef<unsigned> warps : listWarpShares(shape, fragments, numWarps))
      choices.push_back(makeChoice(dot, *instruction, warps, true));
  }
  return choices;
}
