// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics: programs run one after another, so that each is a read and a write.

#include "lib/Judges/Reference/Interpreter.h"
#include "lib/Judges/Reference/Numbers.h"
#include "mlir/IR/TypeUtilities.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

/// What is written, of bits that were there and an operand's.
static uint64_t combineBits(tt::AtomicOperation operation, uint64_t old,
                            uint64_t value, unsigned width) {
  bool isLess = signExtend(old, width) < signExtend(value, width);
  switch (operation) {
  case tt::AtomicOperation::AND:
    return old & value;
  case tt::AtomicOperation::OR:
    return old | value;
  case tt::AtomicOperation::XOR:
    return old ^ value;
  case tt::AtomicOperation::ADD:
    return wrapInteger(old + value, width);
  case tt::AtomicOperation::MAX:
    return isLess ? value : old;
  case tt::AtomicOperation::MIN:
    return isLess ? old : value;
  case tt::AtomicOperation::UMAX:
    return std::max(old, value);
  case tt::AtomicOperation::UMIN:
    return std::min(old, value);
  case tt::AtomicOperation::INC:
    return old >= value ? 0 : old + 1;
  case tt::AtomicOperation::DEC:
    return old == 0 || old > value ? value : old - 1;
  case tt::AtomicOperation::XCHG:
  case tt::AtomicOperation::FADD:
  case tt::AtomicOperation::FMAX:
  case tt::AtomicOperation::FMIN:
    return value;
  }
  llvm_unreachable("all operations are listed");
}

Element reference::combineAtomically(Interpreter &interpreter,
                                     tt::AtomicOperation operation,
                                     Type elementType, Element old,
                                     Element value) {
  if (operation == tt::AtomicOperation::FADD)
    return Element::fromReal(interpreter.getRounding().round(
        old.toReal() + value.toReal(), cast<FloatType>(elementType)));
  if (operation == tt::AtomicOperation::FMAX)
    return Element::fromReal(std::fmax(old.toReal(), value.toReal()));
  if (operation == tt::AtomicOperation::FMIN)
    return Element::fromReal(std::fmin(old.toReal(), value.toReal()));
  return {combineBits(operation, old.bits, value.bits,
                      isReal(elementType) ? 64 : getWidth(elementType))};
}

static LogicalResult evaluateReadModifyWrite(Interpreter &interpreter,
                                             tt::AtomicRMWOp op) {
  const RuntimeValue &pointers = interpreter.get(op.getPtr());
  const RuntimeValue &values = interpreter.get(op.getVal());
  const RuntimeValue *mask =
      op.getMask() ? &interpreter.get(op.getMask()) : nullptr;
  Type elementType = getElementTypeOrSelf(op.getType());
  RuntimeValue result = interpreter.makeUndefined(op.getType());
  for (auto [index, element] : llvm::enumerate(result.elements)) {
    if (mask && !mask->at(index).bits)
      continue;
    uint64_t address = pointers.at(index).bits;
    FailureOr<Element> old = interpreter.load(op, elementType, address);
    if (failed(old) ||
        failed(interpreter.store(
            op, elementType, address,
            combineAtomically(interpreter, op.getAtomicRmwOp(), elementType,
                              *old, values.at(index)))))
      return failure();
    element = *old;
  }
  interpreter.set(op.getResult(), std::move(result));
  return success();
}

/// The bits that the element has in memory.
static uint64_t toBits(Type elementType, Element element) {
  auto real = dyn_cast<FloatType>(elementType);
  return real ? encodeReal(real, element.toReal()) : element.bits;
}

static LogicalResult evaluateCompareAndSwap(Interpreter &interpreter,
                                            tt::AtomicCASOp op) {
  const RuntimeValue &pointers = interpreter.get(op.getPtr());
  const RuntimeValue &compared = interpreter.get(op.getCmp());
  const RuntimeValue &values = interpreter.get(op.getVal());
  Type elementType = getElementTypeOrSelf(op.getType());
  auto real = dyn_cast<FloatType>(elementType);
  RuntimeValue result = interpreter.makeUndefined(op.getType());
  for (auto [index, element] : llvm::enumerate(result.elements)) {
    uint64_t address = pointers.at(index).bits;
    FailureOr<uint64_t> old = interpreter.loadBits(op, elementType, address);
    if (failed(old))
      return failure();
    if (*old == toBits(elementType, compared.at(index)) &&
        failed(interpreter.store(op, elementType, address, values.at(index))))
      return failure();
    element = real ? Element::fromReal(decodeReal(real, *old)) : Element{*old};
  }
  interpreter.set(op.getResult(), std::move(result));
  return success();
}

void reference::addAtomicOps(OpTable &table) {
  table.add<tt::AtomicRMWOp>(evaluateReadModifyWrite);
  table.add<tt::AtomicCASOp>(evaluateCompareAndSwap);
}
