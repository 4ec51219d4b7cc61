// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/VerifyTarget/MatrixIntrinsics.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tilewright;
using target::ElementType;
using target::MatrixInstruction;

std::string tilegpu::matrixIntrinsicName(const MatrixInstruction &instruction) {
  llvm::StringRef a = target::elementTypeName(instruction.a);
  llvm::StringRef b = target::elementTypeName(instruction.b);
  llvm::StringRef accumulator =
      target::elementTypeName(instruction.accumulator);
  std::string signature;
  switch (instruction.a) {
  case ElementType::E4M3:
  case ElementType::E5M2:
    signature = llvm::formatv("{0}.{1}.{2}.{0}", accumulator, a, b);
    break;
  case ElementType::F16:
    signature = llvm::formatv("{0}.{0}", accumulator);
    break;
  default:
    signature = a == b ? a.str() : llvm::formatv("{0}.{1}", a, b).str();
  }
  return llvm::formatv("{0}m{1}n{2}k{3}.row.col.{4}", matrixIntrinsicPrefix,
                       instruction.m, instruction.n, instruction.k, signature);
}

const MatrixInstruction *tilegpu::findMatrixIntrinsic(llvm::StringRef name) {
  static const llvm::StringMap<const MatrixInstruction *> rows = [] {
    llvm::StringMap<const MatrixInstruction *> byName;
    for (const MatrixInstruction &row : target::allMatrixInstructions())
      if (!row.asynchronous)
        byName.try_emplace(matrixIntrinsicName(row), &row);
    return byName;
  }();
  return rows.lookup(name);
}
