// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/TensorMaps.h"

#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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
  for (Value operand : op->getOperands())
    if (!describeNumber(operand))
      return op.emitOpError("expects arguments of the kernel and constants, "
                            "which a launch knows, but got a value that is "
                            "computed");
  auto list = [&](StringRef name, OperandRange numbers) {
    return builder.getNamedAttr(
        name, builder.getArrayAttr(
                  llvm::map_to_vector(numbers, [](Value number) -> Attribute {
                    return describeNumber(number);
                  })));
  };
  // Of pointers there are no constants.
  int64_t base = describeNumber(op.getBase()).getInt();
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("base", builder.getI32IntegerAttr(base)),
       builder.getNamedAttr("map", TypeAttr::get(op.getType())),
       list("sizes", op.getSizes()), list("strides", op.getStrides()),
       list("nonnegative", op.getNonNegative()),
       builder.getNamedAttr("signed_dims", op.getSignedDimsAttr())});
}

static LogicalResult passMapsOf(tt::FuncOp function) {
  SmallVector<TensorMapOp> maps;
  function.walk([&](TensorMapOp op) {
    if (!op.getStaging())
      maps.push_back(op);
  });
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

/// The number of the CTA in its grid, for ops at the builder's place.
static Value createCtaNumber(OpBuilder &builder, Location location) {
  Value number;
  for (tt::ProgramAxis axis :
       {tt::ProgramAxis::Z, tt::ProgramAxis::Y, tt::ProgramAxis::X}) {
    Value place = tt::GetProgramIdOp::create(builder, location, axis);
    if (number) {
      Value size = tt::GetNumProgramsOp::create(builder, location, axis);
      number = arith::MulIOp::create(builder, location, number, size);
      place = arith::AddIOp::create(builder, location, number, place);
    }
    number = place;
  }
  return number;
}

/// Gives the maps that the kernel makes their places.
static void placeMapsOf(tt::FuncOp function) {
  // The map, and what zerosOffset is of, at a multiple of 128 bytes.
  constexpr int64_t placeBytes = 256;
  SmallVector<TensorMapOp> maps;
  function.walk([&](TensorMapOp op) {
    if (op.getStaging())
      maps.push_back(op);
  });
  if (maps.empty())
    return;
  int64_t bytes = placeBytes * int64_t(maps.size());
  unsigned last = function.getNumArguments();
  Location location = function.getLoc();
  OpBuilder builder(function.getContext());
  (void)function.insertArgument(
      last, tt::PointerType::get(builder.getI8Type(), /*addressSpace=*/1),
      DictionaryAttr(), location);
  function->setAttr(TileGPUDialect::scratchBytesAttrName,
                    builder.getI32IntegerAttr(bytes));
  builder.setInsertionPointToStart(&function.getBody().front());
  Type i64 = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, location, value, 64);
  };
  Value number = arith::ExtUIOp::create(builder, location, i64,
                                        createCtaNumber(builder, location));
  Value first =
      arith::MulIOp::create(builder, location, number, constant(bytes));
  for (auto [index, map] : llvm::enumerate(maps)) {
    Value offset = arith::AddIOp::create(builder, location, first,
                                         constant(placeBytes * int64_t(index)));
    Value argument = function.getArgument(last);
    map.getScratchMutable().assign(tt::AddPtrOp::create(
        builder, location, argument.getType(), argument, offset));
  }
}

LogicalResult tilegpu::passTensorMaps(ModuleOp module) {
  for (auto function : module.getOps<tt::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (failed(passMapsOf(function)))
      return failure();
    placeMapsOf(function);
  }
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
