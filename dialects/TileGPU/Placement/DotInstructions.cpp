// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/TileGPU/Placement/DotInstructions.h"

#include "dialects/TileGPU/MatrixFragments.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using target::ElementType;
using target::MatrixInstruction;

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

int64_t tilegpu::countSumRegisters(ArrayRef<RankedTensorType> results,
                                   unsigned numWarps) {
  int64_t bits = 0;
  for (RankedTensorType result : results)
    bits += result.getNumElements() * result.getElementTypeBitWidth();
  return bits / 32 / (numWarps * target::Target::warpSize);
}

bool tilegpu::hasRegistersForSums(ArrayRef<RankedTensorType> results,
                                  unsigned numWarps,
                                  const target::Target &target) {
  return countSumRegisters(results, numWarps) <=
         target.maxSumRegistersOf(numWarps * target::Target::warpSize);
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

std::string tilegpu::explainMissingInstruction(const DotTypes &types,
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
