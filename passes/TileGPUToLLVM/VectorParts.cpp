// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/VectorParts.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright::tilegpu;

std::optional<VectorPart> tilewright::tilegpu::findVectorPart(Value value) {
  auto part = value.getDefiningOp<LLVM::ExtractElementOp>();
  APInt number;
  if (!part || !matchPattern(part.getPosition(), m_ConstantInt(&number)))
    return std::nullopt;
  return VectorPart{part.getVector(), unsigned(number.getZExtValue())};
}
