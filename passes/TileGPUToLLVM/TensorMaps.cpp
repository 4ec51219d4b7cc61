// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/TensorMaps.h"

#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// How a launch knows `value`: the number of an argument (index), or itself
/// (i64); null where it does not.
static IntegerAttr describeNumber(Value value) {
  Builder builder(value.getContext());
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return builder.getI64IntegerAttr(constant.getSExtValue());
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || !isa<tt::FuncOp>(argument.getOwner()->getParentOp()) ||
      !argument.getOwner()->isEntryBlock())
    return {};
  return builder.getIndexAttr(argument.getArgNumber());
}

static FailureOr<DictionaryAttr> describeMap(TensorMapOp op) {
  Builder builder(op.getContext());
  SmallVector<Attribute> numbers;
  for (Value operand : op->getOperands()) {
    IntegerAttr number = describeNumber(operand);
    if (!number)
      return op.emitOpError("expects arguments of the kernel and constants, "
                            "which a launch knows, but got a value that is "
                            "computed");
    numbers.push_back(number);
  }
  // Of pointers there are no constants.
  auto base = cast<IntegerAttr>(numbers.front());
  ArrayRef<Attribute> others = ArrayRef<Attribute>(numbers).drop_front();
  size_t rank = op.getSizes().size();
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("base", builder.getI32IntegerAttr(base.getInt())),
       builder.getNamedAttr("map", TypeAttr::get(op.getType())),
       builder.getNamedAttr("sizes",
                            builder.getArrayAttr(others.take_front(rank))),
       builder.getNamedAttr("strides",
                            builder.getArrayAttr(others.drop_front(rank)))});
}

static LogicalResult passMapsOf(tt::FuncOp function) {
  SmallVector<TensorMapOp> maps;
  function.walk([&](TensorMapOp op) { maps.push_back(op); });
  SmallVector<Attribute> descriptions;
  unsigned first = function.getNumArguments();
  for (TensorMapOp op : maps) {
    FailureOr<DictionaryAttr> description = describeMap(op);
    if (failed(description))
      return failure();
    unsigned number = llvm::find(descriptions, Attribute(*description)) -
                      descriptions.begin();
    if (number == descriptions.size()) {
      descriptions.push_back(*description);
      (void)function.insertArgument(first + number, op.getType(),
                                    DictionaryAttr(), op.getLoc());
    }
    op.replaceAllUsesWith(Value(function.getArgument(first + number)));
    op.erase();
  }
  if (!descriptions.empty())
    function->setAttr(TileGPUDialect::tensorMapsAttrName,
                      ArrayAttr::get(function.getContext(), descriptions));
  return success();
}

LogicalResult tilegpu::passTensorMaps(ModuleOp module) {
  for (auto function : module.getOps<tt::FuncOp>())
    if (!function.isExternal() && failed(passMapsOf(function)))
      return failure();
  return success();
}

void tilegpu::describeMapParameter(LLVM::LLVMFuncOp function, unsigned index) {
  constexpr unsigned mapBytes = 128, mapAlignment = 64;
  Builder builder(function.getContext());
  auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), mapBytes);
  function.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(),
                      TypeAttr::get(bytes));
  function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                      builder.getI64IntegerAttr(mapAlignment));
  function.setArgAttr(index, NVVM::NVVMDialect::getGridConstantAttrName(),
                      builder.getUnitAttr());
}
