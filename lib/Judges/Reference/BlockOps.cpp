// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of tensors in memory, by block pointers and by tensor descriptors.

#include "lib/Judges/Reference/Interpreter.h"
#include "lib/Judges/Reference/Numbers.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

/// The numbers that scalars hold.
static SmallVector<int64_t, 4> getNumbers(Interpreter &interpreter,
                                          ValueRange values) {
  SmallVector<int64_t, 4> numbers;
  for (Value value : values)
    numbers.push_back(signExtend(interpreter.get(value).getBits(),
                                 getWidth(value.getType())));
  return numbers;
}

static void setView(Interpreter &interpreter, Value result, BlockView view) {
  RuntimeValue value;
  value.view = std::make_shared<const BlockView>(std::move(view));
  interpreter.set(result, std::move(value));
}

//===----------------------------------------------------------------------===//
// Making views
//===----------------------------------------------------------------------===//

static LogicalResult evaluateMakePointer(Interpreter &interpreter,
                                         tt::MakeTensorPtrOp op) {
  setView(interpreter, op.getResult(),
          {interpreter.get(op.getBase()).getBits(),
           getNumbers(interpreter, op.getShape()),
           getNumbers(interpreter, op.getStrides()),
           getNumbers(interpreter, op.getOffsets())});
  return success();
}

static LogicalResult evaluateAdvance(Interpreter &interpreter,
                                     tt::AdvanceOp op) {
  const RuntimeValue &pointer = interpreter.get(op.getPtr());
  if (!pointer.view)
    return interpreter.emitError(op) << "expects a block pointer that is "
                                        "defined";
  BlockView view = *pointer.view;
  for (auto [offset, step] :
       llvm::zip_equal(view.offsets, getNumbers(interpreter, op.getOffsets())))
    // An offset is an i32.
    offset = signExtend(uint64_t(offset) + uint64_t(step), 32);
  setView(interpreter, op.getResult(), std::move(view));
  return success();
}

/// Diagnoses a descriptor whose hint is wrong.
static LogicalResult checkAlignedRows(Interpreter &interpreter,
                                      tt::MakeTensorDescriptorOp op,
                                      const BlockView &view) {
  auto check = [&](const Twine &what, uint64_t bytes) -> LogicalResult {
    if (bytes % tt::rowAlignment == 0)
      return success();
    return interpreter.emitError(op)
           << "expects " << what.str() << " that is a multiple of "
           << tt::rowAlignment << " bytes, but got " << bytes;
  };
  if (failed(check("an address", view.base)))
    return failure();
  uint64_t size = getElementBytes(op.getType().getBlockType().getElementType());
  for (int64_t stride : ArrayRef(view.strides).drop_back())
    if (failed(check("a stride", uint64_t(stride) * size)))
      return failure();
  return success();
}

static LogicalResult evaluateMakeDescriptor(Interpreter &interpreter,
                                            tt::MakeTensorDescriptorOp op) {
  BlockView view{interpreter.get(op.getBase()).getBits(),
                 getNumbers(interpreter, op.getShape()),
                 getNumbers(interpreter, op.getStrides()),
                 {},
                 op.getPadding()};
  view.offsets.assign(view.shape.size(), 0);
  if (!view.strides.empty() && view.strides.back() != 1)
    return interpreter.emitError(op)
           << "expects 1 as last stride, but got " << view.strides.back();
  if (op.hasAlignedRows() && failed(checkAlignedRows(interpreter, op, view)))
    return failure();
  setView(interpreter, op.getResult(), std::move(view));
  return success();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

namespace {
/// The places of a block's elements in memory.
struct BlockAccess {
  const BlockView &view;
  /// The block's size, and the coordinates of its first element.
  Shape blockShape, first;
  /// The dimensions that are checked against the tensor's size.
  SmallVector<int32_t, 4> checked;
  Type elementType;

  /// The address of the element with a row-major index, or nothing where it is
  /// outside the tensor.
  std::optional<uint64_t> getAddress(size_t index) const {
    Shape at = getCoordinates(blockShape, index);
    for (auto [coordinate, offset] : llvm::zip_equal(at, first))
      coordinate += offset;
    for (int32_t dim : checked)
      if (at[dim] < 0 || at[dim] >= view.shape[dim])
        return std::nullopt;
    uint64_t elements = 0;
    for (auto [coordinate, stride] : llvm::zip_equal(at, view.strides))
      elements += uint64_t(coordinate) * uint64_t(stride);
    return view.base + elements * getElementBytes(elementType);
  }
};
} // namespace

static LogicalResult readBlock(Interpreter &interpreter, Operation *op,
                               const BlockAccess &access, Element padding) {
  Value target = op->getResult(0);
  RuntimeValue result = RuntimeValue::uninitialized(getShape(target.getType()));
  for (auto [index, element] : llvm::enumerate(result.elements)) {
    element = padding;
    std::optional<uint64_t> address = access.getAddress(index);
    if (!address)
      continue;
    FailureOr<Element> loaded =
        interpreter.load(op, getElementTypeOrSelf(target.getType()), *address);
    if (failed(loaded))
      return failure();
    element = *loaded;
  }
  interpreter.set(target, std::move(result));
  return success();
}

static LogicalResult writeBlock(Interpreter &interpreter, Operation *op,
                                const BlockAccess &access, Value source) {
  Type elementType = getElementTypeOrSelf(source.getType());
  const RuntimeValue &value = interpreter.get(source);
  for (auto [index, element] : llvm::enumerate(value.elements)) {
    std::optional<uint64_t> address = access.getAddress(index);
    if (address &&
        failed(interpreter.store(op, elementType, *address, element)))
      return failure();
  }
  return success();
}

/// What a load gives outside: nothing of its own where no padding is named.
static Element getPadding(Interpreter &interpreter, Type type,
                          std::optional<tt::PaddingOption> padding) {
  if (!padding)
    return interpreter.getUndefined(type);
  bool isNaN = *padding == tt::PaddingOption::PAD_NAN && isReal(type);
  return isNaN ? Element::fromReal(NAN) : Element{0};
}

/// The access of a block pointer; a pointer without a view is ub.poison.
static FailureOr<BlockAccess> getPointerAccess(Interpreter &interpreter,
                                               Operation *op, Value pointer,
                                               ArrayRef<int32_t> checked) {
  const BlockView *view = interpreter.get(pointer).view.get();
  RankedTensorType block = tt::getBlock(pointer.getType());
  if (!view)
    return interpreter.emitError(op)
           << "expects a block pointer that is defined";
  return BlockAccess{*view, Shape(block.getShape()), Shape(view->offsets),
                     SmallVector<int32_t, 4>(checked), block.getElementType()};
}

static FailureOr<BlockAccess> getDescriptorAccess(Interpreter &interpreter,
                                                  Operation *op,
                                                  Value descriptor,
                                                  ValueRange indices) {
  const BlockView *view = interpreter.get(descriptor).view.get();
  auto type = cast<tt::TensorDescriptorType>(descriptor.getType());
  RankedTensorType block = type.getBlockType();
  if (!view)
    return interpreter.emitError(op)
           << "expects a tensor descriptor that is defined";
  auto dims = llvm::seq<int32_t>(block.getRank());
  return BlockAccess{*view, Shape(block.getShape()),
                     getNumbers(interpreter, indices),
                     SmallVector<int32_t, 4>(dims.begin(), dims.end()),
                     block.getElementType()};
}

LogicalResult reference::loadBlock(Interpreter &interpreter, tt::LoadOp op) {
  FailureOr<BlockAccess> access =
      getPointerAccess(interpreter, op, op.getPtr(), op.getBoundaryCheck());
  if (failed(access))
    return failure();
  return readBlock(interpreter, op, *access,
                   getPadding(interpreter, op.getType(), op.getPadding()));
}

LogicalResult reference::storeBlock(Interpreter &interpreter, tt::StoreOp op) {
  FailureOr<BlockAccess> access =
      getPointerAccess(interpreter, op, op.getPtr(), op.getBoundaryCheck());
  return failed(access) ? failure()
                        : writeBlock(interpreter, op, *access, op.getValue());
}

static LogicalResult evaluateLoad(Interpreter &interpreter,
                                  tt::DescriptorLoadOp op) {
  FailureOr<BlockAccess> access =
      getDescriptorAccess(interpreter, op, op.getDesc(), op.getIndices());
  if (failed(access))
    return failure();
  return readBlock(interpreter, op, *access,
                   getPadding(interpreter, op.getType(), access->view.padding));
}

static LogicalResult evaluateStore(Interpreter &interpreter,
                                   tt::DescriptorStoreOp op) {
  FailureOr<BlockAccess> access =
      getDescriptorAccess(interpreter, op, op.getDesc(), op.getIndices());
  return failed(access) ? failure()
                        : writeBlock(interpreter, op, *access, op.getSrc());
}

void reference::addBlockOps(OpTable &table) {
  table.add<tt::MakeTensorPtrOp>(evaluateMakePointer);
  table.add<tt::AdvanceOp>(evaluateAdvance);
  table.add<tt::MakeTensorDescriptorOp>(evaluateMakeDescriptor);
  table.add<tt::DescriptorLoadOp>(evaluateLoad);
  table.add<tt::DescriptorStoreOp>(evaluateStore);
}
