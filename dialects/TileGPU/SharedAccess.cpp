// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/TileGPU/TileGPU.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

#include "dialects/TileGPU/SharedAccessOpInterface.cpp.inc"

SmallVector<SharedOperand> tilegpu::listSharedEffects(Operation *op) {
  SmallVector<SharedOperand> operands;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return operands;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &effect : instances) {
    Value value = effect.getValue();
    if (effect.getResource() != SharedMemoryResource::get() || !value ||
        !isa<MemDescType>(value.getType()))
      continue;
    bool isWrite = isa<MemoryEffects::Write>(effect.getEffect());
    if (isWrite || isa<MemoryEffects::Read>(effect.getEffect()))
      operands.push_back({value, isWrite});
  }
  return operands;
}

/// The ops that use `memory` or views of it.
static void collectUsers(Value memory,
                         llvm::SmallSetVector<Operation *, 8> &users) {
  for (Operation *user : memory.getUsers()) {
    users.insert(user);
    for (Value result : user->getResults())
      if (isa<MemDescType>(result.getType()))
        collectUsers(result, users);
  }
}

SmallVector<Operation *> tilegpu::listUsers(Value memory) {
  llvm::SmallSetVector<Operation *, 8> users;
  collectUsers(memory, users);
  return users.takeVector();
}

Value tilegpu::findMemory(Value view) {
  Operation *op = view.getDefiningOp();
  while (op && op->getNumOperands() &&
         isa<MemDescType>(op->getOperand(0).getType())) {
    view = op->getOperand(0);
    op = view.getDefiningOp();
  }
  return view;
}

/// The registers of a tensor of the tile's elements, in its own layout.
static SharedRegisters getRegisters(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!getRegisterLayout(type))
    return {};
  return {type, toLinearLayout(type)};
}

SmallVector<SharedOperand> LocalAllocOp::getSharedOperands() {
  if (!getSource())
    return {};
  return {{getResult(), /*isWrite=*/true, getRegisters(getSource()),
           SharedAccessor::Owners}};
}

SmallVector<SharedOperand> LocalStoreOp::getSharedOperands() {
  return {{getDestination(), /*isWrite=*/true, getRegisters(getSource()),
           SharedAccessor::Owners}};
}

SmallVector<SharedOperand> LocalLoadOp::getSharedOperands() {
  return {{getSource(), /*isWrite=*/false, getRegisters(getResult())}};
}

SmallVector<SharedOperand> AsyncCopyOp::getSharedOperands() {
  return {{getDestination(), /*isWrite=*/true, getRegisters(getPointers()),
           SharedAccessor::Copier}};
}

/// Each thread reads all of K for the rows or columns of its results.
static SharedRegisters getOperandRegisters(MultiplyAddOp dot, unsigned index) {
  auto type = cast<RankedTensorType>(dot.getType());
  TypedValue<MemDescType> tile = index == 0 ? dot.getLhs() : dot.getRhs();
  // The same tile on both sides: each warp reads what either asks for.
  if (!getRegisterLayout(type) || dot.getLhs() == dot.getRhs())
    return {};
  return {type,
          getThreadOperandLayout(getRegisterLayout(type), index,
                                 tile.getType().getShape()),
          /*role=*/1 + index};
}

SmallVector<SharedOperand> MultiplyAddOp::getSharedOperands() {
  return {{getLhs(), /*isWrite=*/false, getOperandRegisters(*this, 0)},
          {getRhs(), /*isWrite=*/false, getOperandRegisters(*this, 1)}};
}

//===----------------------------------------------------------------------===//
// Asynchronous work
//===----------------------------------------------------------------------===//

SmallVector<SharedOperand> WgmmaOp::getSharedOperands() {
  SmallVector<SharedOperand> operands;
  for (Value operand : {getLhs(), Value(getRhs())})
    if (isa<MemDescType>(operand.getType()))
      operands.push_back({operand, /*isWrite=*/false, /*registers=*/{},
                          SharedAccessor::AsynchronousProxy});
  return operands;
}

SmallVector<SharedOperand> BulkCopyOp::getSharedOperands() {
  SmallVector<SharedOperand> operands;
  for (Value destination : getDestinations())
    operands.push_back({destination, /*isWrite=*/true, /*registers=*/{},
                        SharedAccessor::AsynchronousProxy});
  operands.push_back({getBarrier(), /*isWrite=*/true, /*registers=*/{},
                      SharedAccessor::Mbarrier});
  return operands;
}

SmallVector<SharedOperand> BulkStoreOp::getSharedOperands() {
  return {{getSource(), /*isWrite=*/false, /*registers=*/{},
           SharedAccessor::AsynchronousProxy}};
}

SmallVector<SharedOperand> MbarrierInitOp::getSharedOperands() {
  return {{getBarrier(), /*isWrite=*/true}};
}

SmallVector<SharedOperand> MbarrierInvalOp::getSharedOperands() {
  return {{getBarrier(), /*isWrite=*/true, /*registers=*/{},
           SharedAccessor::Mbarrier}};
}

SmallVector<SharedOperand> MbarrierArriveOp::getSharedOperands() {
  return {{getBarrier(), /*isWrite=*/true, /*registers=*/{},
           SharedAccessor::Mbarrier}};
}

SmallVector<SharedOperand> MbarrierWaitOp::getSharedOperands() {
  return {{getBarrier(), /*isWrite=*/false, /*registers=*/{},
           SharedAccessor::Mbarrier}};
}

AsyncStep BulkCopyOp::getAsyncStep() {
  return {AsyncWork::BulkCopies, /*starts=*/true, /*closes=*/true};
}

AsyncStep BulkStoreOp::getAsyncStep() {
  return {AsyncWork::BulkStores, /*starts=*/true, /*closes=*/true};
}

AsyncStep BulkStoreWaitOp::getAsyncStep() {
  return {AsyncWork::BulkStores, /*starts=*/false, /*closes=*/false,
          getPending()};
}

AsyncStep MbarrierWaitOp::getAsyncStep() {
  return {AsyncWork::BulkCopies, /*starts=*/false, /*closes=*/false,
          getPending()};
}

AsyncStep MbarrierInvalOp::getAsyncStep() {
  return {AsyncWork::BulkCopies, /*starts=*/false, /*closes=*/false,
          /*leaves=*/0};
}

AsyncStep AsyncCopyOp::getAsyncStep() {
  return {AsyncWork::Copies, /*starts=*/true};
}

AsyncStep AsyncCommitOp::getAsyncStep() {
  return {AsyncWork::Copies, /*starts=*/false, /*closes=*/true};
}

AsyncStep AsyncWaitOp::getAsyncStep() {
  return {AsyncWork::Copies, /*starts=*/false, /*closes=*/false, getPending()};
}

AsyncStep WgmmaOp::getAsyncStep() {
  return {AsyncWork::Products, /*starts=*/true, /*closes=*/true};
}

AsyncStep WgmmaWaitOp::getAsyncStep() {
  return {AsyncWork::Products, /*starts=*/false, /*closes=*/false,
          getPending()};
}
