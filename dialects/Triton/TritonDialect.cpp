// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect `tt`: its registration, inlining, constants, and what all
// families of ops ask about types.

#include "dialects/Triton/LaunchFacts.h"
#include "dialects/Triton/Triton.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

#include "dialects/Triton/TritonDialect.cpp.inc"

#include "dialects/Triton/TritonEnums.cpp.inc"

namespace {
/// Every op may be inlined but calls of functions that say `noinline`;
/// tt.return then hands its operands to the caller.
struct TritonInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *call, Operation *callable,
                       bool wouldBeCloned) const final {
    auto function = dyn_cast<FuncOp>(callable);
    return !function || !function.isNoInline();
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

#define GET_ATTRDEF_CLASSES
#include "dialects/Triton/TritonAttributes.cpp.inc"

void TritonDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Triton/TritonAttributes.cpp.inc"
      >();
}

void TritonDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/Triton/TritonOps.cpp.inc"
      >();
  addInterfaces<TritonInliner>();
  // The dialects that `tt` depends on are loaded by now.
  attachUpstreamModels(*getContext());
  attachLaunchFacts(*getContext());
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

RankedTensorType tt::getBlock(Type type) {
  auto pointer = dyn_cast<PointerType>(type);
  return pointer ? dyn_cast<RankedTensorType>(pointer.getPointeeType())
                 : RankedTensorType();
}

bool tt::haveSameShape(Type a, Type b) {
  auto first = dyn_cast<RankedTensorType>(a);
  auto second = dyn_cast<RankedTensorType>(b);
  return bool(first) == bool(second) &&
         (!first || first.getShape() == second.getShape());
}

unsigned tt::getElementBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

/// The tile that a value of the type is or addresses, or null.
static RankedTensorType getTile(Type type) {
  if (auto descriptor = dyn_cast<TensorDescriptorType>(type))
    return descriptor.getBlockType();
  if (RankedTensorType block = getBlock(type))
    return block;
  return dyn_cast<RankedTensorType>(type);
}

uint64_t tt::getWantedStages(Operation *loop, uint64_t numStages) {
  // More than any GPU has room for.
  constexpr unsigned most = 1 << 16;
  auto own = loop->getAttrOfType<IntegerAttr>(numStagesAttrName);
  if (!own)
    return numStages;
  return own.getValue().isStrictlyPositive()
             ? own.getValue().getLimitedValue(most)
             : 1;
}

static bool isOfStream(Operation &op,
                       function_ref<bool(Operation *)> alsoStreams);

static bool isOfStream(Block &block,
                       function_ref<bool(Operation *)> alsoStreams) {
  return llvm::all_of(block.without_terminator(), [&](Operation &op) {
    return isOfStream(op, alsoStreams);
  });
}

/// Whether the op loads, computes element by element, or chooses between such.
static bool isOfStream(Operation &op,
                       function_ref<bool(Operation *)> alsoStreams) {
  if (isa<LoadOp>(op) || (alsoStreams && alsoStreams(&op)))
    return true;
  if (!isMemoryEffectFree(&op))
    return false;
  if (isa<scf::IfOp>(op))
    return llvm::all_of(op.getRegions(), [&](Region &region) {
      return region.empty() || isOfStream(region.front(), alsoStreams);
    });
  bool isOfScalars =
      llvm::none_of(op.getResultTypes(), llvm::IsaPred<RankedTensorType>);
  return op.getNumRegions() == 0 && (isOfScalars || isElementwise(&op) ||
                                     isView(&op) || makesTileOfScalars(&op));
}

bool tt::isStreaming(LoopLikeOpInterface loop,
                     function_ref<bool(Operation *)> alsoStreams) {
  return llvm::all_of(loop.getLoopRegions(), [&](Region *region) {
    return region->hasOneBlock() && isOfStream(region->front(), alsoStreams);
  });
}

LogicalResult tt::verifyTileSizes(Operation *op, TypeRange types) {
  for (Type type : types) {
    RankedTensorType tile = getTile(type);
    if (!tile)
      continue;
    if (getBlock(tile.getElementType()))
      return op->emitOpError("expects a tile of scalars or of pointers to "
                             "scalars, but got ")
             << tile;
    int64_t elements = 1;
    for (auto [dim, size] : llvm::enumerate(tile.getShape())) {
      if (size <= 0 || !llvm::isPowerOf2_64(size))
        return op->emitOpError("expects every dimension of a tile to be a "
                               "power of two, but got ")
               << (ShapedType::isDynamic(size) ? "?" : Twine(size))
               << " in dimension " << dim << " of " << tile;
      // Sizes are at most 2^62 here: stop before the product overflows.
      if (size > maxTileElements || elements > maxTileElements / size)
        return op->emitOpError("expects a tile of at most ")
               << maxTileElements << " elements, but got " << tile;
      elements *= size;
    }
  }
  return success();
}

LogicalResult tt::verifyTileSizes(Operation *op) {
  if (failed(verifyTileSizes(op, op->getOperandTypes())))
    return failure();
  return verifyTileSizes(op, op->getResultTypes());
}
