// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilegpu` on whole tiles; see the header.

#include "lib/Validation/TileGPUReading.h"
#include "dialects/TileGPU/TileGPU.h"
#include "lib/Reference/Numbers.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

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

void TileGPUReading::allocate(Interpreter &interpreter, Operation *op) {
  auto alloc = cast<tilegpu::LocalAllocOp>(op);
  tilegpu::MemDescType type = alloc.getType();
  Shape shape(type.getShape());
  size_t count = llvm::product_of(shape) * type.getBuffers();
  Element undefined = interpreter.getUndefined(type.getElementType());
  memories.push_back({shape, std::vector<Element>(count, undefined)});
  setView(interpreter, alloc.getResult(),
          {memories.size() - 1, 0,
           llvm::to_vector<4>(llvm::seq<int32_t>(0, shape.size()))});
  if (alloc.getSource())
    write(interpreter, alloc.getResult(), interpreter.get(alloc.getSource()));
}

static LogicalResult checkIndex(Interpreter &interpreter,
                                tilegpu::MemDescIndexOp op, int64_t index) {
  int64_t buffers = op.getSource().getType().getBuffers();
  if (index >= 0 && index < buffers)
    return success();
  return interpreter.emitError(op) << "expects a buffer from 0 to "
                                   << buffers - 1 << ", but got " << index;
}

//===----------------------------------------------------------------------===//
// Copies, reductions, assumptions
//===----------------------------------------------------------------------===//

/// A masked load whose result goes to shared memory, with 0 where there is
/// neither an element nor another value.
LogicalResult TileGPUReading::copy(Interpreter &interpreter, Operation *op) {
  auto start = cast<tilegpu::AsyncCopyOp>(op);
  const RuntimeValue &pointers = interpreter.get(start.getPointers());
  Type type = start.getDestination().getType().getElementType();
  RuntimeValue value = RuntimeValue::uninitialized(pointers.shape);
  for (auto [index, element] : llvm::enumerate(value.elements)) {
    if (start.getMask() && !interpreter.get(start.getMask()).at(index).bits) {
      if (start.getOther())
        element = interpreter.get(start.getOther()).at(index);
      continue;
    }
    FailureOr<Element> loaded =
        interpreter.load(op, type, pointers.at(index).bits);
    if (failed(loaded))
      return failure();
    element = *loaded;
  }
  write(interpreter, start.getDestination(), value);
  interpreter.set(start.getToken(), RuntimeValue::scalar(0));
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

bool TileGPUReading::knows(Operation *op) {
  return isa<tilegpu::ConvertLayoutOp, tilegpu::ConvertInRoundsOp,
             tilegpu::PartialReduceOp, tilegpu::PartialReduceReturnOp,
             tilegpu::LocalAllocOp, tilegpu::LocalLoadOp, tilegpu::LocalStoreOp,
             tilegpu::MemDescIndexOp, tilegpu::MemDescTransOp,
             tilegpu::AsyncCopyOp, tilegpu::AsyncCommitOp, tilegpu::AsyncWaitOp,
             tilegpu::BarrierOp, tilegpu::MmaOp, tilegpu::NamedBarrierOp,
             tilegpu::BarrierArriveOp, tilegpu::BarrierWaitOp,
             tilegpu::WarpSpecializeOp, tilegpu::AgentReturnOp, gpu::BarrierOp,
             LLVM::AssumeOp>(op);
}

Outcome TileGPUReading::evaluate(Interpreter &interpreter, Operation *op) {
  return llvm::TypeSwitch<Operation *, Outcome>(op)
      .Case<tilegpu::ConvertLayoutOp, tilegpu::ConvertInRoundsOp>([&](auto op) {
        interpreter.set(op.getResult(), interpreter.get(op.getSource()));
        return Outcome::Evaluated;
      })
      .Case([&](tilegpu::PartialReduceOp op) {
        return toOutcome(reduce(interpreter, op));
      })
      .Case([&](tilegpu::LocalAllocOp op) {
        allocate(interpreter, op);
        return Outcome::Evaluated;
      })
      .Case([&](tilegpu::LocalLoadOp op) {
        interpreter.set(op.getResult(), read(interpreter, op.getSource()));
        return Outcome::Evaluated;
      })
      .Case([&](tilegpu::LocalStoreOp op) {
        write(interpreter, op.getDestination(),
              interpreter.get(op.getSource()));
        return Outcome::Evaluated;
      })
      .Case([&](tilegpu::MemDescIndexOp op) {
        int64_t index =
            signExtend(interpreter.get(op.getIndex()).getBits(), 32);
        if (failed(checkIndex(interpreter, op, index)))
          return Outcome::Failed;
        SharedView view = getView(interpreter, op.getSource());
        view.buffer += index;
        setView(interpreter, op.getResult(), std::move(view));
        return Outcome::Evaluated;
      })
      .Case([&](tilegpu::MemDescTransOp op) {
        SharedView view = getView(interpreter, op.getSource());
        SmallVector<int32_t, 4> order = view.order;
        for (auto [dim, from] : llvm::enumerate(op.getOrder()))
          order[dim] = view.order[from];
        view.order = std::move(order);
        setView(interpreter, op.getResult(), std::move(view));
        return Outcome::Evaluated;
      })
      .Case([&](tilegpu::AsyncCopyOp op) {
        return toOutcome(copy(interpreter, op));
      })
      .Case<tilegpu::AsyncCommitOp, tilegpu::AsyncWaitOp>([&](auto op) {
        interpreter.set(op.getResult(), RuntimeValue::scalar(0));
        return Outcome::Evaluated;
      })
      .Case([&](tilegpu::MmaOp op) {
        evaluateProduct(interpreter, op.getLhs(), op.getRhs(),
                        op.getAccumulator(), op.getResult());
        return Outcome::Evaluated;
      })
      .Case([&](tilegpu::NamedBarrierOp op) {
        interpreter.set(op.getResult(), RuntimeValue::scalar(0));
        return Outcome::Evaluated;
      })
      .Case([&](tilegpu::WarpSpecializeOp op) {
        interpreter.emitError(op)
            << "expects ops that run one after the other, but got "
            << op.getAgents().size() << " agents that run at the same time";
        return Outcome::Failed;
      })
      .Case<tilegpu::BarrierOp, gpu::BarrierOp>(
          [](Operation *) { return Outcome::Evaluated; })
      .Case(
          [&](LLVM::AssumeOp op) { return toOutcome(assume(interpreter, op)); })
      .Default([](Operation *) { return Outcome::Unknown; });
}
