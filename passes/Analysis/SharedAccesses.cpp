// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/SharedAccesses.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::LinearLayout;

//===----------------------------------------------------------------------===//
// Origins
//===----------------------------------------------------------------------===//

/// How far into its source's memory a view's result begins.
static std::optional<int64_t> getViewDistance(Operation *view,
                                              IndexValue lookUp) {
  auto index = dyn_cast<MemDescIndexOp>(view);
  if (!index)
    return 0;
  APInt constant;
  std::optional<int64_t> number;
  if (matchPattern(index.getIndex(), m_ConstantInt(&constant)))
    number = constant.getSExtValue();
  else if (lookUp)
    number = lookUp(index.getIndex());
  if (!number)
    return std::nullopt;
  return *number * index.getSource().getType().getBufferBytes();
}

namespace {
/// A value, and how far into its memory a descriptor begins. A view of one
/// buffer has no buffers to choose from, so that distances are finite.
struct DescriptorPart {
  Value value;
  std::optional<int64_t> distance;
  /// Whether no block argument lies between: what was an index before it was
  /// passed on may have another value now.
  bool isFromHere;
  bool operator==(const DescriptorPart &) const = default;
};
} // namespace

SmallVector<SharedOrigin> tilegpu::findOrigins(Value descriptor,
                                               IndexValue lookUp) {
  SmallVector<SharedOrigin> origins;
  SmallVector<DescriptorPart> parts = {{descriptor, 0, true}};
  auto push = [&](DescriptorPart part) {
    if (part.value && isa<MemDescType>(part.value.getType()) &&
        !llvm::is_contained(parts, part))
      parts.push_back(part);
  };
  for (size_t next = 0; next < parts.size(); ++next) {
    auto [value, distance, isFromHere] = parts[next];
    if (auto allocation = value.getDefiningOp<LocalAllocOp>()) {
      origins.push_back({allocation, distance});
      continue;
    }
    if (Operation *view = value.getDefiningOp()) {
      std::optional<int64_t> more =
          getViewDistance(view, isFromHere ? lookUp : IndexValue());
      for (Value operand : view->getOperands())
        push(
            {operand,
             distance && more ? std::optional(*distance + *more) : std::nullopt,
             isFromHere});
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    Block *block = argument.getOwner();
    for (auto it = block->pred_begin(), end = block->pred_end(); it != end;
         ++it)
      if (auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator()))
        push({branch.getSuccessorOperands(
                  it.getSuccessorIndex())[argument.getArgNumber()],
              distance, /*isFromHere=*/false});
  }
  return origins;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

SmallVector<SharedOperand> tilegpu::getSharedOperands(Operation *op) {
  auto access = dyn_cast<SharedAccessOpInterface>(op);
  return access ? access.getSharedOperands() : SmallVector<SharedOperand>();
}

const WarpFootprint *
SharedAccesses::getFootprint(Operation *op, const SharedOperand &operand) {
  auto tile = cast<MemDescType>(operand.descriptor.getType());
  const SharedRegisters &registers = operand.registers;
  unsigned bits = tile.getElementBits();
  bool isPlaced = registers.map && tile.getBuffers() == 1 && bits >= 8 &&
                  llvm::isPowerOf2_32(bits);
  Key key = {registers.tensor ? registers.tensor.getAsOpaquePointer() : op,
             tile.getAsOpaquePointer(), 2 * registers.role + operand.isWrite};
  std::unique_ptr<WarpFootprint> &footprint = footprints[key];
  if (footprint)
    return footprint.get();
  if (isPlaced)
    if (std::optional<LinearLayout> inverse = tile.toLinearLayout().invert()) {
      footprint = std::make_unique<WarpFootprint>(
          registers.map->compose(*inverse), bits / 8, operand.isWrite);
      return footprint.get();
    }
  unsigned warps = lookupNumWarps(op);
  footprint = std::make_unique<WarpFootprint>(
      WarpFootprint::ofEveryWarp(tile.getSizeInBytes(), warps ? warps : 32));
  return footprint.get();
}

SmallVector<SharedAccess> SharedAccesses::get(Operation *op,
                                              IndexValue lookUp) {
  SmallVector<SharedAccess> accesses;
  for (const SharedOperand &operand : getSharedOperands(op)) {
    const WarpFootprint *footprint = getFootprint(op, operand);
    SmallVector<SharedOrigin> origins = findOrigins(operand.descriptor, lookUp);
    for (SharedOrigin &origin : origins) {
      if (origin.begin) {
        accesses.push_back({origin.allocation, *origin.begin, footprint,
                            operand.isWrite, origins.size() == 1,
                            operand.accessor});
        continue;
      }
      // Any of the buffers.
      MemDescType type = origin.allocation.getType();
      for (unsigned buffer = 0; buffer < type.getBuffers(); ++buffer)
        accesses.push_back({origin.allocation, buffer * type.getBufferBytes(),
                            footprint, operand.isWrite, /*isCertain=*/false,
                            operand.accessor});
    }
  }
  return accesses;
}

LogicalResult tilegpu::verifyAccessesInBlocks(FunctionOpInterface function) {
  WalkResult result = function.walk([&](Operation *op) {
    bool touches = !getSharedOperands(op).empty() ||
                   isa<BarrierOp, BarrierArriveOp, BarrierWaitOp>(op);
    if (!touches || op->getParentOp() == function ||
        isa<WarpSpecializeOp>(op->getParentOp()))
      return WalkResult::advance();
    op->emitOpError("expects control flow as a graph of blocks (run "
                    "convert-scf-to-cf first), but got it inside '")
        << op->getParentOp()->getName() << "'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
