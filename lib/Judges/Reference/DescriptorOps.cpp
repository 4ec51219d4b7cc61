// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that indices pick from a described tensor, and updates of its blocks.

#include "lib/Judges/Reference/Interpreter.h"
#include "lib/Judges/Reference/Numbers.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

static FailureOr<BlockView> getView(Interpreter &interpreter, Operation *op,
                                    Value descriptor) {
  const RuntimeValue &value = interpreter.get(descriptor);
  if (!value.view)
    return interpreter.emitError(op)
           << "expects a tensor descriptor that is defined";
  return *value.view;
}

static int64_t getNumber(const TypedTile &tile, size_t index) {
  return signExtend(tile.value.at(index).bits, getWidth(tile.type));
}

/// The address of the element at some coordinates; nothing outside.
static std::optional<uint64_t> findAddress(const BlockView &view,
                                           ArrayRef<int64_t> at, Type element) {
  uint64_t elements = 0;
  for (auto [coordinate, size, stride] :
       llvm::zip_equal(at, view.shape, view.strides)) {
    if (coordinate < 0 || coordinate >= size)
      return std::nullopt;
    elements += uint64_t(coordinate) * uint64_t(stride);
  }
  return view.base + elements * getElementBytes(element);
}

/// Calls `visit` with each index of an element of the rows that `op` picks, and
/// its address, if it lies in the tensor.
template <typename OpT, typename Visit>
static LogicalResult visitRows(Interpreter &interpreter, OpT op, Type tile,
                               Visit visit) {
  FailureOr<BlockView> view = getView(interpreter, op, op.getDesc());
  if (failed(view))
    return failure();
  TypedTile rows = interpreter.getTyped(op.getXOffsets());
  int64_t column = getNumber(interpreter.getTyped(op.getYOffset()), 0);
  Shape shape = getShape(tile);
  for (int64_t index = 0; index < llvm::product_of(shape); ++index) {
    Shape at = getCoordinates(shape, index);
    const int64_t place[] = {getNumber(rows, at[0]), column + at[1]};
    if (failed(visit(index,
                     findAddress(*view, place, getElementTypeOrSelf(tile)))))
      return failure();
  }
  return success();
}

static LogicalResult evaluateGather(Interpreter &interpreter,
                                    tt::DescriptorGatherOp op) {
  FailureOr<BlockView> view = getView(interpreter, op, op.getDesc());
  if (failed(view))
    return failure();
  Type element = getElementTypeOrSelf(op.getType());
  bool isNaN =
      view->padding == tt::PaddingOption::PAD_NAN && isReal(op.getType());
  RuntimeValue result = RuntimeValue::uninitialized(getShape(op.getType()));
  auto read = [&](int64_t index, std::optional<uint64_t> address) {
    Element &target = result.elements[index];
    target = isNaN ? Element::fromReal(NAN) : Element{0};
    if (!address)
      return success();
    FailureOr<Element> loaded = interpreter.load(op, element, *address);
    if (succeeded(loaded))
      target = *loaded;
    return LogicalResult(loaded);
  };
  if (failed(visitRows(interpreter, op, op.getType(), read)))
    return failure();
  interpreter.set(op.getResult(), std::move(result));
  return success();
}

static LogicalResult evaluateScatter(Interpreter &interpreter,
                                     tt::DescriptorScatterOp op) {
  RuntimeValue value = interpreter.get(op.getSrc());
  Type tile = op.getSrc().getType();
  return visitRows(interpreter, op, tile,
                   [&](int64_t index, std::optional<uint64_t> address) {
                     return address ? interpreter.store(
                                          op, getElementTypeOrSelf(tile),
                                          *address, value.elements[index])
                                    : success();
                   });
}

static LogicalResult evaluateUpdate(Interpreter &interpreter,
                                    tt::DescriptorReduceOp op) {
  FailureOr<BlockView> view = getView(interpreter, op, op.getDesc());
  if (failed(view))
    return failure();
  Type element = getElementTypeOrSelf(op.getSrc());
  const RuntimeValue &value = interpreter.get(op.getSrc());
  Shape shape(op.getDesc().getType().getBlockType().getShape());
  for (int64_t index = 0; index < llvm::product_of(shape); ++index) {
    Shape at = getCoordinates(shape, index);
    for (auto [coordinate, first] : llvm::zip_equal(at, op.getIndices()))
      coordinate += getNumber(interpreter.getTyped(first), 0);
    std::optional<uint64_t> address = findAddress(*view, at, element);
    if (!address)
      continue;
    FailureOr<Element> old = interpreter.load(op, element, *address);
    if (failed(old) ||
        failed(interpreter.store(
            op, element, *address,
            combineAtomically(interpreter, op.getAtomicOperation(), element,
                              *old, value.elements[index]))))
      return failure();
  }
  return success();
}

void reference::addDescriptorOps(OpTable &table) {
  table.add<tt::DescriptorGatherOp>(evaluateGather);
  table.add<tt::DescriptorScatterOp>(evaluateScatter);
  table.add<tt::DescriptorReduceOp>(evaluateUpdate);
}
