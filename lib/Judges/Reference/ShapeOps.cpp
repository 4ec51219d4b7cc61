// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making tiles, and giving their elements other coordinates.

#include "lib/Judges/Reference/Elementwise.h"
#include "lib/Judges/Reference/Numbers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

/// The op's result, whose element at some coordinates is the source's element
/// at those that `toSource` gives.
static Outcome rearrange(Interpreter &interpreter, Operation *op,
                         const RuntimeValue &source,
                         llvm::function_ref<Shape(Shape)> toSource) {
  Shape shape = getShape(op->getResult(0).getType());
  return setElements(interpreter, op, [&](size_t index) {
    return source.elements[getIndex(source.shape,
                                    toSource(getCoordinates(shape, index)))];
  });
}

static Outcome evaluateRange(Interpreter &interpreter, tt::MakeRangeOp op) {
  return setElements(interpreter, op, [&](size_t index) {
    return Element{wrapInteger(op.getStart() + index, 32)};
  });
}

/// The same elements in the same row-major order.
static Outcome evaluateReshape(Interpreter &interpreter, Operation *op) {
  RuntimeValue result = interpreter.get(op->getOperand(0));
  result.shape = getShape(op->getResult(0).getType());
  interpreter.set(op->getResult(0), std::move(result));
  return Outcome::Evaluated;
}

static Outcome evaluateBroadcast(Interpreter &interpreter, tt::BroadcastOp op) {
  const RuntimeValue &source = interpreter.get(op.getSrc());
  return rearrange(interpreter, op, source, [&](Shape at) {
    for (auto [coordinate, size] : llvm::zip_equal(at, source.shape))
      coordinate = size == 1 ? 0 : coordinate;
    return at;
  });
}

static Outcome evaluateTrans(Interpreter &interpreter, tt::TransOp op) {
  const RuntimeValue &source = interpreter.get(op.getSrc());
  return rearrange(interpreter, op, source, [&](const Shape &at) {
    Shape from(at.size());
    for (auto [dim, origin] : llvm::enumerate(op.getOrder()))
      from[origin] = at[dim];
    return from;
  });
}

static Outcome evaluateJoin(Interpreter &interpreter, tt::JoinOp op) {
  const RuntimeValue &lhs = interpreter.get(op.getLhs());
  const RuntimeValue &rhs = interpreter.get(op.getRhs());
  return setElements(interpreter, op, [&](size_t index) {
    return (index % 2 ? rhs : lhs).elements[index / 2];
  });
}

static Outcome evaluateSplit(Interpreter &interpreter, tt::SplitOp op) {
  RuntimeValue source = interpreter.get(op.getSrc());
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    RuntimeValue half = RuntimeValue::uninitialized(getShape(result.getType()));
    for (auto [index, element] : llvm::enumerate(half.elements))
      element = source.elements[2 * index + number];
    interpreter.set(result, std::move(half));
  }
  return Outcome::Evaluated;
}

static Outcome evaluateCat(Interpreter &interpreter, tt::CatOp op) {
  const RuntimeValue &lhs = interpreter.get(op.getLhs());
  const RuntimeValue &rhs = interpreter.get(op.getRhs());
  size_t count = lhs.elements.size();
  return setElements(interpreter, op, [&](size_t index) {
    return index < count ? lhs.elements[index] : rhs.elements[index - count];
  });
}

Outcome reference::evaluateShapeOp(Interpreter &interpreter, Operation *op) {
  return llvm::TypeSwitch<Operation *, Outcome>(op)
      .Case([&](tt::MakeRangeOp op) { return evaluateRange(interpreter, op); })
      .Case([&](tt::SplatOp op) {
        Element element = interpreter.get(op.getSrc()).elements[0];
        return setElements(interpreter, op, [&](size_t) { return element; });
      })
      .Case<tt::UnsplatOp, tt::ExpandDimsOp, tt::ReshapeOp>(
          [&](auto op) { return evaluateReshape(interpreter, op); })
      .Case([&](tt::BroadcastOp op) {
        return evaluateBroadcast(interpreter, op);
      })
      .Case([&](tt::TransOp op) { return evaluateTrans(interpreter, op); })
      .Case([&](tt::JoinOp op) { return evaluateJoin(interpreter, op); })
      .Case([&](tt::SplitOp op) { return evaluateSplit(interpreter, op); })
      .Case([&](tt::CatOp op) { return evaluateCat(interpreter, op); })
      .Default([](Operation *) { return Outcome::Unknown; });
}
