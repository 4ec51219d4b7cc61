// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointer arithmetic, and loads and stores through tiles of pointers.

#include "lib/Judges/Reference/Elementwise.h"
#include "lib/Judges/Reference/Numbers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

static LogicalResult evaluateAddPtr(Interpreter &interpreter, tt::AddPtrOp op) {
  const RuntimeValue &pointers = interpreter.get(op.getPtr());
  const RuntimeValue &offsets = interpreter.get(op.getOffset());
  unsigned width = getWidth(op.getOffset().getType());
  uint64_t bytes = getElementBytes(tt::getPointeeLike(op.getType()));
  return setElements(interpreter, op, [&](size_t index) {
    uint64_t offset = signExtend(offsets.at(index).bits, width);
    return Element{pointers.at(index).bits + offset * bytes};
  });
}

/// Whether an element is accessed; all are where there is no mask.
static bool isAccessed(const RuntimeValue *mask, size_t index) {
  return !mask || mask->at(index).bits;
}

static LogicalResult evaluateLoad(Interpreter &interpreter, tt::LoadOp op) {
  const RuntimeValue &pointers = interpreter.get(op.getPtr());
  const RuntimeValue *mask =
      op.getMask() ? &interpreter.get(op.getMask()) : nullptr;
  RuntimeValue result = op.getOther() ? interpreter.get(op.getOther())
                                      : interpreter.makeUndefined(op.getType());
  Type elementType = getElementTypeOrSelf(op.getType());
  for (auto [index, element] : llvm::enumerate(result.elements)) {
    if (!isAccessed(mask, index))
      continue;
    FailureOr<Element> loaded =
        interpreter.load(op, elementType, pointers.at(index).bits);
    if (failed(loaded))
      return failure();
    element = *loaded;
  }
  interpreter.set(op.getResult(), std::move(result));
  return success();
}

static LogicalResult evaluateStore(Interpreter &interpreter, tt::StoreOp op) {
  const RuntimeValue &pointers = interpreter.get(op.getPtr());
  const RuntimeValue &value = interpreter.get(op.getValue());
  const RuntimeValue *mask =
      op.getMask() ? &interpreter.get(op.getMask()) : nullptr;
  Type elementType = getElementTypeOrSelf(op.getValue().getType());
  for (auto [index, element] : llvm::enumerate(value.elements))
    if (isAccessed(mask, index) &&
        failed(interpreter.store(op, elementType, pointers.at(index).bits,
                                 element)))
      return failure();
  return success();
}

void reference::addMemoryOps(OpTable &table) {
  table.add<tt::AddPtrOp>(evaluateAddPtr);
  table.add<tt::LoadOp>([](Interpreter &interpreter, tt::LoadOp op) {
    return tt::getBlock(op.getPtr().getType()) ? loadBlock(interpreter, op)
                                               : evaluateLoad(interpreter, op);
  });
  table.add<tt::StoreOp>([](Interpreter &interpreter, tt::StoreOp op) {
    return tt::getBlock(op.getPtr().getType()) ? storeBlock(interpreter, op)
                                               : evaluateStore(interpreter, op);
  });
}
