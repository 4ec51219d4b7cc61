// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilegpu` on whole tiles; see the header.

#include "lib/Judges/Validation/TileGPUReading.h"
#include "dialects/Triton/TritonGPU.h"
#include "lib/Judges/Reference/Numbers.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;
using namespace tilewright::validation;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

void TileGPUReading::setView(Interpreter &interpreter, Value descriptor,
                             SharedView view) {
  interpreter.set(descriptor, RuntimeValue::scalar(views.size()));
  views.push_back(std::move(view));
}

const TileGPUReading::SharedView &
TileGPUReading::getView(Interpreter &interpreter, Value descriptor) const {
  return views[interpreter.get(descriptor).getBits()];
}

template <typename Visit>
void TileGPUReading::visitElements(const SharedView &view, Visit visit) {
  SharedMemory &memory = memories[view.memory];
  Shape shape;
  for (int32_t dim : view.order)
    shape.push_back(memory.shape[dim]);
  int64_t count = llvm::product_of(shape);
  Element *buffer = memory.elements.data() + view.buffer * count;
  for (int64_t index = 0; index < count; ++index) {
    Shape at = getCoordinates(shape, index), from(at.size());
    for (auto [dim, origin] : llvm::enumerate(view.order))
      from[origin] = at[dim];
    visit(buffer[getIndex(memory.shape, from)], index);
  }
}

void TileGPUReading::write(Interpreter &interpreter, Value descriptor,
                           const RuntimeValue &value) {
  visitElements(
      getView(interpreter, descriptor),
      [&](Element &element, int64_t index) { element = value.at(index); });
}

RuntimeValue TileGPUReading::read(Interpreter &interpreter, Value descriptor) {
  auto type = cast<tilegpu::MemDescType>(descriptor.getType());
  RuntimeValue value = RuntimeValue::uninitialized(type.getShape());
  visitElements(getView(interpreter, descriptor),
                [&](Element &element, int64_t index) {
                  value.elements[index] = element;
                });
  return value;
}

LogicalResult TileGPUReading::allocate(Interpreter &interpreter,
                                       tilegpu::LocalAllocOp op) {
  tilegpu::MemDescType type = op.getType();
  Shape shape(type.getShape());
  size_t count = llvm::product_of(shape) * type.getBuffers();
  Element undefined = interpreter.getUndefined(type.getElementType());
  memories.push_back({shape, std::vector<Element>(count, undefined)});
  setView(interpreter, op.getResult(),
          {memories.size() - 1, 0,
           llvm::to_vector<4>(llvm::seq<int32_t>(0, shape.size()))});
  if (op.getSource())
    write(interpreter, op.getResult(), interpreter.get(op.getSource()));
  return success();
}

static LogicalResult checkIndex(Interpreter &interpreter,
                                tilegpu::MemDescIndexOp op, int64_t index) {
  int64_t buffers = op.getSource().getType().getBuffers();
  if (index >= 0 && index < buffers)
    return success();
  return interpreter.emitError(op) << "expects a buffer from 0 to "
                                   << buffers - 1 << ", but got " << index;
}

LogicalResult TileGPUReading::selectBuffer(Interpreter &interpreter,
                                           tilegpu::MemDescIndexOp op) {
  int64_t index = signExtend(interpreter.get(op.getIndex()).getBits(), 32);
  if (failed(checkIndex(interpreter, op, index)))
    return failure();
  SharedView view = getView(interpreter, op.getSource());
  view.buffer += index;
  setView(interpreter, op.getResult(), std::move(view));
  return success();
}

LogicalResult TileGPUReading::permute(Interpreter &interpreter,
                                      tilegpu::MemDescTransOp op) {
  SharedView view = getView(interpreter, op.getSource());
  SmallVector<int32_t, 4> order = view.order;
  for (auto [dim, from] : llvm::enumerate(op.getOrder()))
    order[dim] = view.order[from];
  view.order = std::move(order);
  setView(interpreter, op.getResult(), std::move(view));
  return success();
}

//===----------------------------------------------------------------------===//
// Copies, gathers, products, reductions, assumptions
//===----------------------------------------------------------------------===//

/// A masked load whose result goes to shared memory, with 0 where there is
/// neither an element nor another value.
LogicalResult TileGPUReading::copy(Interpreter &interpreter,
                                   tilegpu::AsyncCopyOp op) {
  const RuntimeValue &pointers = interpreter.get(op.getPointers());
  Type type = op.getDestination().getType().getElementType();
  RuntimeValue value = RuntimeValue::uninitialized(pointers.shape);
  for (auto [index, element] : llvm::enumerate(value.elements)) {
    if (op.getMask() && !interpreter.get(op.getMask()).at(index).bits) {
      if (op.getOther())
        element = interpreter.get(op.getOther()).at(index);
      continue;
    }
    FailureOr<Element> loaded =
        interpreter.load(op, type, pointers.at(index).bits);
    if (failed(loaded))
      return failure();
    element = *loaded;
  }
  write(interpreter, op.getDestination(), value);
  interpreter.set(op.getToken(), RuntimeValue::scalar(0));
  return success();
}

LogicalResult TileGPUReading::describe(Interpreter &interpreter,
                                       tilegpu::TensorMapOp op) {
  auto list = [&](OperandRange operands) {
    Shape numbers;
    for (Value operand : operands)
      numbers.push_back(signExtend(interpreter.get(operand).getBits(),
                                   operand.getType().getIntOrFloatBitWidth()));
    return numbers;
  };
  Tensor tensor = {interpreter.get(op.getBase()).getBits(), list(op.getSizes()),
                   list(op.getStrides())};
  tensor.strides.push_back(1);
  int64_t bytes = op.getType().getElementBits() / 8;
  for (int32_t dim : op.getSignedDims()) {
    int64_t bias =
        tilegpu::TensorMapOp::getCoordinateBias(tensor.strides[dim], bytes);
    tensor.base -= bias * tensor.strides[dim] * bytes;
    tensor.sizes[dim] += bias;
  }
  interpreter.set(op.getResult(), RuntimeValue::scalar(tensors.size()));
  tensors.push_back(std::move(tensor));
  return success();
}

/// Calls `visit`, until that fails, with the number of each element of the tile
/// and its address, none outside of the tensor. Elements of the box in the
/// order of its dimensions are those of the tile in the order of its memory.
LogicalResult TileGPUReading::visitBox(
    Interpreter &interpreter, Value map, OperandRange coordinates,
    tilegpu::MemDescType tile,
    function_ref<LogicalResult(int64_t, std::optional<uint64_t>)> visit) {
  const Tensor tensor = tensors[interpreter.get(map).getBits()];
  auto box = cast<tilegpu::TensorMapType>(map.getType());
  auto order = cast<tilegpu::SharedNvmmaAttr>(tile.getEncoding()).getOrder();
  Shape inMemory;
  for (unsigned dim : llvm::reverse(order))
    inMemory.push_back(tile.getShape()[dim]);
  for (int64_t index = 0; index < llvm::product_of(box.getBox()); ++index) {
    std::optional<uint64_t> address = tensor.base;
    Shape at = getCoordinates(Shape(box.getBox()), index);
    for (auto [place, first, size, stride] :
         llvm::zip_equal(at, coordinates, tensor.sizes, tensor.strides)) {
      place += signExtend(interpreter.get(first).getBits(), 32);
      if (place < 0 || place >= size)
        address = std::nullopt;
      if (address)
        *address += uint64_t(place) * uint64_t(stride) *
                    (box.getMemoryType().getIntOrFloatBitWidth() / 8);
    }
    Shape place = getCoordinates(inMemory, index), to(place.size());
    for (auto [from, dim] : llvm::zip_equal(place, llvm::reverse(order)))
      to[dim] = from;
    if (failed(visit(getIndex(Shape(tile.getShape()), to), address)))
      return failure();
  }
  return success();
}

/// What is outside of the tensor is 0.
LogicalResult TileGPUReading::copyBoxes(Interpreter &interpreter,
                                        tilegpu::BulkCopyOp op) {
  if (op.getPredicate() && !interpreter.get(op.getPredicate()).getBits())
    return success();
  for (auto [number, map, destination] :
       llvm::enumerate(op.getMaps(), op.getDestinations())) {
    auto tile = cast<tilegpu::MemDescType>(destination.getType());
    Type type = cast<tilegpu::TensorMapType>(map.getType()).getMemoryType();
    RuntimeValue value = RuntimeValue::uninitialized(tile.getShape());
    auto load = [&](int64_t to, std::optional<uint64_t> from) {
      FailureOr<Element> loaded = from ? interpreter.load(op, type, *from)
                                       : FailureOr<Element>(Element());
      if (succeeded(loaded))
        value.elements[to] = *loaded;
      return LogicalResult(loaded);
    };
    if (failed(visitBox(interpreter, map, op.getCoordinatesOf(number), tile,
                        load)))
      return failure();
    write(interpreter, destination, value);
  }
  return success();
}

LogicalResult TileGPUReading::storeBox(Interpreter &interpreter,
                                       tilegpu::BulkStoreOp op) {
  RuntimeValue value = read(interpreter, op.getSource());
  Type type = op.getMap().getType().getMemoryType();
  auto store = [&](int64_t from, std::optional<uint64_t> to) {
    return to ? interpreter.store(op, type, *to, value.elements[from])
              : success();
  };
  return visitBox(interpreter, op.getMap(), op.getCoordinates(),
                  op.getSource().getType(), store);
}

/// As tt.gather; an index outside the source gives an undefined element.
LogicalResult TileGPUReading::gather(Interpreter &interpreter,
                                     tilegpu::LocalGatherOp op) {
  return gatherElements(interpreter, op, read(interpreter, op.getSource()),
                        interpreter.getTyped(op.getIndices()), op.getAxis());
}

/// As tt.histogram, on top of what is there.
LogicalResult TileGPUReading::count(Interpreter &interpreter,
                                    tilegpu::LocalCountOp op) {
  const RuntimeValue *mask =
      op.getMask() ? &interpreter.get(op.getMask()) : nullptr;
  write(interpreter, op.getDestination(),
        countElements(interpreter.get(op.getElements()), mask,
                      read(interpreter, op.getDestination())));
  return success();
}

LogicalResult TileGPUReading::multiplyAdd(Interpreter &interpreter,
                                          tilegpu::MultiplyAddOp op) {
  RuntimeValue lhs = read(interpreter, op.getLhs());
  RuntimeValue rhs = read(interpreter, op.getRhs());
  evaluateProduct(interpreter, {lhs, op.getLhs().getType().getElementType()},
                  {rhs, op.getRhs().getType().getElementType()},
                  interpreter.getTyped(op.getAccumulator()), op.getResult());
  return success();
}

static LogicalResult reduce(Interpreter &interpreter,
                            tilegpu::PartialReduceOp op) {
  auto type = cast<RankedTensorType>(op.getPartials()[0].getType());
  FailureOr<RuntimeValues> results =
      reduceParts(interpreter, interpreter.getAll(op.getSources()),
                  op.getAxis(), type.getDimSize(op.getAxis()), op.getCombine());
  if (failed(results))
    return failure();
  interpreter.setAll(op.getPartials(), std::move(*results));
  return success();
}

static LogicalResult assume(Interpreter &interpreter, LLVM::AssumeOp op) {
  if (interpreter.get(op.getCond()).getBits())
    return success();
  return interpreter.emitError(op)
         << "expects what is assumed to hold, but it is false";
}

//===----------------------------------------------------------------------===//
// All operations
//===----------------------------------------------------------------------===//

void TileGPUReading::addSharedMemoryOps() {
  auto by = [this](auto method) {
    return [this, method](Interpreter &interpreter, auto op) {
      return (this->*method)(interpreter, op);
    };
  };
  ops.add<tilegpu::LocalAllocOp>(by(&TileGPUReading::allocate));
  ops.add<tilegpu::MemDescIndexOp>(by(&TileGPUReading::selectBuffer));
  ops.add<tilegpu::MemDescTransOp>(by(&TileGPUReading::permute));
  ops.add<tilegpu::AsyncCopyOp>(by(&TileGPUReading::copy));
  ops.add<tilegpu::LocalGatherOp>(by(&TileGPUReading::gather));
  ops.add<tilegpu::LocalCountOp>(by(&TileGPUReading::count));
  ops.add<tilegpu::MultiplyAddOp>(by(&TileGPUReading::multiplyAdd));
  ops.add<tilegpu::LocalLoadOp>(
      [this](Interpreter &interpreter, tilegpu::LocalLoadOp op) {
        interpreter.set(op.getResult(), read(interpreter, op.getSource()));
        return success();
      });
  ops.add<tilegpu::LocalStoreOp>([this](Interpreter &interpreter,
                                        tilegpu::LocalStoreOp op) {
    write(interpreter, op.getDestination(), interpreter.get(op.getSource()));
    return success();
  });
}

void TileGPUReading::addBulkCopyOps() {
  ops.add<tilegpu::TensorMapOp>(
      [this](Interpreter &interpreter, tilegpu::TensorMapOp op) {
        return describe(interpreter, op);
      });
  ops.add<tilegpu::BulkCopyOp>(
      [this](Interpreter &interpreter, tilegpu::BulkCopyOp op) {
        return copyBoxes(interpreter, op);
      });
  ops.add<tilegpu::BulkStoreOp>(
      [this](Interpreter &interpreter, tilegpu::BulkStoreOp op) {
        return storeBox(interpreter, op);
      });
  ops.add<tilegpu::BulkStoreWaitOp, tilegpu::MbarrierInitOp,
          tilegpu::MbarrierInvalOp, tilegpu::MbarrierWaitOp,
          tilegpu::MbarrierArriveOp>(
      [](Interpreter &, Operation *) { return success(); });
}

void TileGPUReading::addComputeOps() {
  ops.add<tilegpu::ConvertLayoutOp, tilegpu::ConvertInRoundsOp>(
      [](Interpreter &interpreter, auto op) {
        interpreter.set(op.getResult(), interpreter.get(op.getSource()));
        return success();
      });
  ops.add<tilegpu::PartialReduceOp>(reduce);
  ops.add<tilegpu::AsyncCommitOp, tilegpu::AsyncWaitOp>(
      [](Interpreter &interpreter, auto op) {
        interpreter.set(op.getResult(), RuntimeValue::scalar(0));
        return success();
      });
  ops.add<tilegpu::MmaOp>([](Interpreter &interpreter, tilegpu::MmaOp op) {
    evaluateProduct(interpreter, interpreter.getTyped(op.getLhs()),
                    interpreter.getTyped(op.getRhs()),
                    interpreter.getTyped(op.getAccumulator()), op.getResult());
    return success();
  });
  ops.add<tilegpu::BarrierOp, tilegpu::ProxyFenceOp, gpu::BarrierOp,
          ttg::BarrierOp>([](Interpreter &, Operation *) { return success(); });
  ops.add<LLVM::AssumeOp>(assume);
}

/// Products are complete at once, and pending ones the tensors that they will
/// be.
void TileGPUReading::addWarpGroupOps() {
  ops.add<tilegpu::PendOp, tilegpu::WgmmaWaitOp>(
      [](Interpreter &interpreter, auto op) {
        interpreter.set(op->getResult(0), interpreter.get(op->getOperand(0)));
        return success();
      });
  ops.add<tilegpu::WgmmaOp>(
      [this](Interpreter &interpreter, tilegpu::WgmmaOp op) {
        auto lhsTile = dyn_cast<TypedValue<tilegpu::MemDescType>>(op.getLhs());
        RuntimeValue lhs =
            lhsTile ? read(interpreter, lhsTile) : interpreter.get(op.getLhs());
        RuntimeValue rhs = read(interpreter, op.getRhs());
        Type lhsType = lhsTile ? lhsTile.getType().getElementType()
                               : getElementTypeOrSelf(op.getLhs());
        evaluateProduct(
            interpreter, {lhs, lhsType},
            {rhs, op.getRhs().getType().getElementType()},
            {interpreter.get(op.getAccumulator()), op.getType().getTensor()},
            op.getResult());
        return success();
      });
}

void TileGPUReading::addAgentOps() {
  ops.add<tilegpu::NamedBarrierOp>(
      [](Interpreter &interpreter, tilegpu::NamedBarrierOp op) {
        interpreter.set(op.getResult(), RuntimeValue::scalar(0));
        return success();
      });
  ops.add<tilegpu::BarrierArriveOp, tilegpu::BarrierWaitOp>(
      [](Interpreter &, Operation *) { return success(); });
  ops.add<tilegpu::WarpSpecializeOp>([](Interpreter &interpreter,
                                        tilegpu::WarpSpecializeOp op) {
    return LogicalResult(interpreter.emitError(op)
                         << "expects ops that run one after the other, but got "
                         << op.getAgents().size()
                         << " agents that run at the same time");
  });
}

TileGPUReading::TileGPUReading() {
  addSharedMemoryOps();
  addBulkCopyOps();
  addComputeOps();
  addWarpGroupOps();
  addAgentOps();
}
