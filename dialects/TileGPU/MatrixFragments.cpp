// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/TileGPU/MatrixFragments.h"

#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;
using target::ElementType;

std::optional<ElementType> tilegpu::getMatrixOperandType(Type type) {
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF32())
    return ElementType::TF32;
  if (type.isF64())
    return ElementType::F64;
  if (type.isInteger(8))
    return ElementType::S8;
  if (isa<Float8E4M3FNType>(type))
    return ElementType::E4M3;
  if (isa<Float8E5M2Type>(type))
    return ElementType::E5M2;
  return std::nullopt;
}

std::optional<ElementType> tilegpu::getMatrixAccumulatorType(Type type) {
  if (type.isF16())
    return ElementType::F16;
  if (type.isF32())
    return ElementType::F32;
  if (type.isF64())
    return ElementType::F64;
  if (type.isInteger(32))
    return ElementType::S32;
  return std::nullopt;
}

layout::Fragment tilegpu::toFragment(MmaFamily family) {
  switch (family) {
  case MmaFamily::M8N8K4:
    return layout::Fragment::M8N8K4;
  case MmaFamily::M8N8K4F16:
    return layout::Fragment::M8N8K4F16;
  case MmaFamily::M8N8:
    return layout::Fragment::M8N8;
  case MmaFamily::M16N8:
    return layout::Fragment::M16N8;
  }
  llvm_unreachable("all families are listed");
}

bool tilegpu::isExactInTf32(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  while (isa_and_present<ConvertLayoutOp>(op))
    op = op->getOperand(0).getDefiningOp();
  if (!isa_and_present<arith::ExtFOp, tt::FpToFpOp>(op))
    return false;
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  return from.isTF32() || from.getIntOrFloatBitWidth() <= 16;
}

MmaFamily tilegpu::getMmaFamily(const target::MatrixInstruction &instruction) {
  if (instruction.m == 16)
    return MmaFamily::M16N8;
  bool isQuadPair = instruction.a == ElementType::F16;
  if (!isQuadPair)
    return MmaFamily::M8N8;
  return instruction.accumulator == ElementType::F16 ? MmaFamily::M8N8K4F16
                                                     : MmaFamily::M8N8K4;
}

uint64_t tilegpu::countWarpElements(ArrayRef<int64_t> shape,
                                    MmaAttr accumulator) {
  layout::FragmentBits bits =
      layout::fragmentBits(toFragment(accumulator.getFamily()));
  ArrayRef<unsigned> warps = accumulator.getWarps();
  uint64_t elements = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    uint64_t part = d + 2 == shape.size()   ? uint64_t(1) << bits.rows
                    : d + 1 == shape.size() ? uint64_t(1) << bits.columns
                                            : 1;
    elements *= llvm::divideCeil(shape[d], warps[d] * part) * part;
  }
  return elements;
}

unsigned
tilegpu::getRegisterElements(const target::MatrixInstruction &instruction) {
  return std::max(1u, 32 / target::elementTypeBits(instruction.a));
}

/// The coordinates of each register of lane 0.
static SmallVector<FragmentElement> listRegisters(const LinearLayout &layout) {
  SmallVector<FragmentElement> elements;
  for (unsigned index = 0; index < 1u << layout.inputBits(Axis::Register);
       ++index) {
    const layout::AxisValue input[] = {{Axis::Register, index}};
    std::vector<layout::AxisValue> at = layout.apply(input);
    elements.push_back({at[0].value, at[1].value});
  }
  return elements;
}

MatrixFragments
tilegpu::getMatrixFragments(const target::MatrixInstruction &instruction) {
  layout::Fragment fragment = toFragment(getMmaFamily(instruction));
  layout::FragmentBits bits = layout::fragmentBits(fragment);
  unsigned kBits = layout::log2Exact(instruction.k);
  unsigned width = layout::log2Exact(getRegisterElements(instruction));
  const unsigned warps[] = {0, 0};
  const unsigned lhs[] = {bits.rows, kBits}, rhs[] = {kBits, bits.columns};
  const unsigned result[] = {bits.rows, bits.columns};
  return {uint64_t(1) << bits.rows,
          uint64_t(1) << bits.columns,
          instruction.k,
          listRegisters(layout::mmaOperand(fragment, 0, width, warps, lhs)),
          listRegisters(layout::mmaOperand(fragment, 1, width, warps, rhs)),
          listRegisters(layout::mmaAccumulator(fragment, warps, result))};
}
