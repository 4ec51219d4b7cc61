// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making tiles, and giving their elements other coordinates.

#include "lib/Judges/Reference/Elementwise.h"
#include "lib/Judges/Reference/Numbers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

/// The op's result, whose element at some coordinates is the source's element
/// at those that `toSource` gives.
static LogicalResult rearrange(Interpreter &interpreter, Operation *op,
                               const RuntimeValue &source,
                               llvm::function_ref<Shape(Shape)> toSource) {
  Shape shape = getShape(op->getResult(0).getType());
  return setElements(interpreter, op, [&](size_t index) {
    return source.elements[getIndex(source.shape,
                                    toSource(getCoordinates(shape, index)))];
  });
}

static LogicalResult evaluateRange(Interpreter &interpreter,
                                   tt::MakeRangeOp op) {
  return setElements(interpreter, op, [&](size_t index) {
    return Element{wrapInteger(op.getStart() + index, 32)};
  });
}

static LogicalResult evaluateSplat(Interpreter &interpreter, tt::SplatOp op) {
  Element element = interpreter.get(op.getSrc()).elements[0];
  return setElements(interpreter, op, [&](size_t) { return element; });
}

/// The same elements in the same row-major order.
static LogicalResult evaluateReshape(Interpreter &interpreter, Operation *op) {
  RuntimeValue result = interpreter.get(op->getOperand(0));
  result.shape = getShape(op->getResult(0).getType());
  interpreter.set(op->getResult(0), std::move(result));
  return success();
}

static LogicalResult evaluateBroadcast(Interpreter &interpreter,
                                       tt::BroadcastOp op) {
  const RuntimeValue &source = interpreter.get(op.getSrc());
  return rearrange(interpreter, op, source, [&](Shape at) {
    for (auto [coordinate, size] : llvm::zip_equal(at, source.shape))
      coordinate = size == 1 ? 0 : coordinate;
    return at;
  });
}

static LogicalResult evaluateTrans(Interpreter &interpreter, tt::TransOp op) {
  const RuntimeValue &source = interpreter.get(op.getSrc());
  return rearrange(interpreter, op, source, [&](const Shape &at) {
    Shape from(at.size());
    for (auto [dim, origin] : llvm::enumerate(op.getOrder()))
      from[origin] = at[dim];
    return from;
  });
}

static LogicalResult evaluateJoin(Interpreter &interpreter, tt::JoinOp op) {
  const RuntimeValue &lhs = interpreter.get(op.getLhs());
  const RuntimeValue &rhs = interpreter.get(op.getRhs());
  return setElements(interpreter, op, [&](size_t index) {
    return (index % 2 ? rhs : lhs).elements[index / 2];
  });
}

static LogicalResult evaluateSplit(Interpreter &interpreter, tt::SplitOp op) {
  RuntimeValue source = interpreter.get(op.getSrc());
  for (auto [number, result] : llvm::enumerate(op->getResults())) {
    RuntimeValue half = RuntimeValue::uninitialized(getShape(result.getType()));
    for (auto [index, element] : llvm::enumerate(half.elements))
      element = source.elements[2 * index + number];
    interpreter.set(result, std::move(half));
  }
  return success();
}

static LogicalResult evaluateCat(Interpreter &interpreter, tt::CatOp op) {
  const RuntimeValue &lhs = interpreter.get(op.getLhs());
  const RuntimeValue &rhs = interpreter.get(op.getRhs());
  size_t count = lhs.elements.size();
  return setElements(interpreter, op, [&](size_t index) {
    return index < count ? lhs.elements[index] : rhs.elements[index - count];
  });
}

void reference::addShapeOps(OpTable &table) {
  table.add<tt::MakeRangeOp>(evaluateRange);
  table.add<tt::SplatOp>(evaluateSplat);
  table.add<tt::UnsplatOp, tt::ExpandDimsOp, tt::ReshapeOp>(evaluateReshape);
  table.add<tt::BroadcastOp>(evaluateBroadcast);
  table.add<tt::TransOp>(evaluateTrans);
  table.add<tt::JoinOp>(evaluateJoin);
  table.add<tt::SplitOp>(evaluateSplit);
  table.add<tt::CatOp>(evaluateCat);
}
