// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that indices pick, and updates of blocks: what they accept.

#include "dialects/Triton/Triton.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Diagnoses indices, or a tile of rows, that do not fit the descriptor.
static LogicalResult verifyRows(Operation *op, TensorDescriptorType descriptor,
                                Type indices, Type rows) {
  RankedTensorType block = descriptor.getBlockType();
  if (block.getRank() != 2 || block.getDimSize(0) != 1)
    return op->emitOpError("expects a descriptor of blocks of one row (1xN), "
                           "but got ")
           << descriptor;
  auto picked = cast<RankedTensorType>(indices);
  if (picked.getRank() != 1)
    return op->emitOpError("expects indices of rank 1, but got ") << picked;
  auto tile = cast<RankedTensorType>(rows);
  const int64_t shape[] = {picked.getDimSize(0), block.getDimSize(1)};
  if (tile.getShape() == ArrayRef<int64_t>(shape) &&
      haveSameBits(tile.getElementType(), block.getElementType()))
    return success();
  return op->emitOpError("expects a tile of ")
         << shape[0] << "x" << shape[1] << " elements of "
         << block.getElementType() << ", but got " << tile;
}

LogicalResult DescriptorGatherOp::verify() {
  return verifyRows(*this, getDesc().getType(), getXOffsets().getType(),
                    getType());
}

LogicalResult DescriptorScatterOp::verify() {
  return verifyRows(*this, getDesc().getType(), getXOffsets().getType(),
                    getSrc().getType());
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

/// What elements `kind` takes, in words; nothing where `element` is one.
static StringRef findWrongElement(DescriptorReduceKind kind, Type element) {
  bool isInteger = element.isInteger(32) || element.isInteger(64);
  bool isHalf = element.isF16() || element.isBF16();
  switch (kind) {
  case DescriptorReduceKind::ADD:
    return isInteger || isHalf || element.isF32() || element.isF64()
               ? ""
               : "i32, i64, f16, bf16, f32 or f64";
  case DescriptorReduceKind::MIN:
  case DescriptorReduceKind::MAX:
    return isInteger || isHalf ? "" : "i32, i64, f16 or bf16";
  case DescriptorReduceKind::INC:
  case DescriptorReduceKind::DEC:
    return element.isInteger(32) ? "" : "i32";
  case DescriptorReduceKind::AND:
  case DescriptorReduceKind::OR:
  case DescriptorReduceKind::XOR:
    return isInteger ? "" : "i32 or i64";
  }
  llvm_unreachable("all kinds are listed");
}

LogicalResult DescriptorReduceOp::verify() {
  auto tile = cast<RankedTensorType>(getSrc().getType());
  if (failed(verifyDescriptorBlock(*this, getDesc().getType(), tile,
                                   getIndices().size())))
    return failure();
  StringRef expected = findWrongElement(getKind(), tile.getElementType());
  if (expected.empty())
    return success();
  return emitOpError("expects elements of ")
         << expected << " for " << stringifyDescriptorReduceKind(getKind())
         << ", but got " << tile.getElementType();
}

AtomicOperation DescriptorReduceOp::getAtomicOperation() {
  Type element = getDesc().getType().getBlockType().getElementType();
  bool isFloat = isa<FloatType>(element);
  bool isUnsigned = element.isUnsignedInteger();
  switch (getKind()) {
  case DescriptorReduceKind::ADD:
    return isFloat ? AtomicOperation::FADD : AtomicOperation::ADD;
  case DescriptorReduceKind::MIN:
    return isFloat      ? AtomicOperation::FMIN
           : isUnsigned ? AtomicOperation::UMIN
                        : AtomicOperation::MIN;
  case DescriptorReduceKind::MAX:
    return isFloat      ? AtomicOperation::FMAX
           : isUnsigned ? AtomicOperation::UMAX
                        : AtomicOperation::MAX;
  case DescriptorReduceKind::INC:
    return AtomicOperation::INC;
  case DescriptorReduceKind::DEC:
    return AtomicOperation::DEC;
  case DescriptorReduceKind::AND:
    return AtomicOperation::AND;
  case DescriptorReduceKind::OR:
    return AtomicOperation::OR;
  case DescriptorReduceKind::XOR:
    return AtomicOperation::XOR;
  }
  llvm_unreachable("all kinds are listed");
}
