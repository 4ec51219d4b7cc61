// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Triton/Triton.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

#include "dialects/Triton/TritonDialect.cpp.inc"

#include "dialects/Triton/TritonEnums.cpp.inc"

namespace {
/// Every op may be inlined; tt.return then hands its operands to the caller.
struct TritonInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *call, Operation *callable,
                       bool wouldBeCloned) const final {
    return true;
  }
  bool isLegalToInline(Region *destination, Region *source, bool wouldBeCloned,
                       IRMapping &mapping) const final {
    return true;
  }
  bool isLegalToInline(Operation *op, Region *destination, bool wouldBeCloned,
                       IRMapping &mapping) const final {
    return true;
  }
  void handleTerminator(Operation *op, Block *newDestination) const final {
    OpBuilder builder(op);
    cf::BranchOp::create(builder, op->getLoc(), newDestination,
                         op->getOperands());
    op->erase();
  }
  void handleTerminator(Operation *op, ValueRange results) const final {
    for (auto [result, value] : llvm::zip_equal(results, op->getOperands()))
      result.replaceAllUsesWith(value);
  }
};
} // namespace

void TritonDialect::initialize() {
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Triton/TritonOps.cpp.inc"
      >();
  addInterfaces<TritonInliner>();
}

Operation *TritonDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location location) {
  if (auto poison = dyn_cast<ub::PoisonAttrInterface>(value))
    return ub::PoisonOp::create(builder, location, type, poison);
  return arith::ConstantOp::materialize(builder, value, type, location);
}

Type tt::getPointeeLike(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(getPointeeLike(tensor.getElementType()));
  if (auto pointer = dyn_cast<PointerType>(type))
    return pointer.getPointeeType();
  return type;
}

Type tt::getBasePointer(Type blockPointer) {
  auto pointer = dyn_cast<PointerType>(blockPointer);
  if (!pointer)
    return blockPointer;
  return PointerType::get(getElementTypeOrSelf(pointer.getPointeeType()),
                          pointer.getAddressSpace());
}

Type tt::getBoolLike(Type type) {
  Type i1 = IntegerType::get(type.getContext(), 1);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(i1);
  // A block pointer is checked by dimensions; its mask would be a tile.
  if (auto pointer = dyn_cast<PointerType>(type))
    if (auto tile = dyn_cast<RankedTensorType>(pointer.getPointeeType()))
      return tile.clone(i1);
  return i1;
}

LogicalResult tt::verifyTileSizes(Operation *op) {
  auto verify = [&](Type type) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return success();
    int64_t elements = 1;
    for (auto [dim, size] : llvm::enumerate(tensor.getShape())) {
      if (size <= 0 || !llvm::isPowerOf2_64(size))
        return op->emitOpError("expects every dimension of a tile to be a "
                               "power of two, but got ")
               << size << " in dimension " << dim << " of " << tensor;
      // Sizes are at most 2^62 here: stop before the product overflows.
      if (size > maxTileElements || elements > maxTileElements / size)
        return op->emitOpError("expects a tile of at most ")
               << maxTileElements << " elements, but got " << tensor;
      elements *= size;
    }
    return success();
  };
  for (Type type : op->getOperandTypes())
    if (failed(verify(type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(verify(type)))
      return failure();
  return success();
}
