// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/TileGPU/ConversionRules.h"
#include "dialects/TileGPU/Placement/Placement.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

#include "dialects/TileGPU/TileGPUDialect.cpp.inc"

#include "dialects/TileGPU/TileGPUInterfaces.cpp.inc"

llvm::hash_code layout::hash_value(const LinearLayout &layout) {
  llvm::hash_code hash = llvm::hash_combine_range(layout.columns());
  for (const AxisBits &axis : layout.inputs())
    hash = llvm::hash_combine(hash, axis.axis.name(), axis.bits);
  for (const AxisBits &axis : layout.outputs())
    hash = llvm::hash_combine(hash, axis.axis.name(), axis.bits);
  return hash;
}

namespace {
/// Layouts are long: modules name them once (#blocked, #mma, ...).
struct TileGPUAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const final {
    if (!isa<RegisterLayoutInterface, SharedLayoutInterface>(attribute))
      return AliasResult::NoAlias;
    os << attribute.getAbstractAttribute().getName().rsplit('.').second;
    return AliasResult::FinalAlias;
  }
};
} // namespace

void TileGPUDialect::initialize() {
  addInterfaces<TileGPUAliases>();
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/TileGPU/TileGPUOps.cpp.inc"
      >();
  // The dialects that `tilegpu` depends on are loaded by now.
  attachPlacementModels(*getContext());
}

RegisterLayoutInterface tilegpu::getRegisterLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {};
  return dyn_cast_if_present<RegisterLayoutInterface>(tensor.getEncoding());
}

layout::LinearLayout tilegpu::toLinearLayout(RankedTensorType type) {
  return getRegisterLayout(type).toLinearLayout(type.getShape());
}

RankedTensorType tilegpu::withEncoding(RankedTensorType type,
                                       Attribute encoding) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               encoding);
}

unsigned tilegpu::getMemoryBits(Type elementType) {
  if (!elementType.isIntOrFloat())
    return 64;
  return std::max(8u, elementType.getIntOrFloatBitWidth());
}

unsigned tilegpu::lookupNumWarps(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto warps =
            op->getAttrOfType<IntegerAttr>(TileGPUDialect::numWarpsAttrName))
      return warps.getInt();
  return 0;
}

StringRef tilegpu::lookupTargetName(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target =
            op->getAttrOfType<StringAttr>(TileGPUDialect::targetAttrName))
      return target.getValue();
  return "";
}

const target::Target *tilegpu::requireTarget(Operation *op) {
  StringRef name = lookupTargetName(op);
  const target::Target *target = target::lookup(name);
  if (!target)
    op->emitError(target::unknownTargetMessage(name));
  return target;
}

/// Every tensor of a function with a number of warps must be distributed among
/// just that many.
static LogicalResult verifyWarps(Operation *function, unsigned numWarps) {
  auto check = [&](Operation *op, Type type) -> LogicalResult {
    RegisterLayoutInterface encoding = getRegisterLayout(type);
    if (!encoding || encoding.getNumWarps() == numWarps)
      return success();
    return op->emitOpError("expects layouts for ")
           << numWarps << " warps (the function's tilegpu.num_warps), but got "
           << type << ", which is for " << encoding.getNumWarps();
  };
  WalkResult result = function->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (failed(check(op, type)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (failed(check(op, type)))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult TileGPUDialect::verifyOperationAttribute(Operation *op,
                                                       NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == numWarpsAttrName) {
    auto warps = dyn_cast<IntegerAttr>(attr.getValue());
    if (!isa<FunctionOpInterface>(op))
      return op->emitOpError("expects ") << name << " on functions only";
    if (!warps || !warps.getType().isInteger(32) || warps.getInt() < 1 ||
        warps.getInt() > 32 || !layout::isPowerOfTwo(warps.getInt()))
      return op->emitOpError("expects ")
             << name << " to be an i32 power of two from 1 to 32, but got "
             << attr.getValue();
    return verifyWarps(op, warps.getInt());
  }
  if (name == targetAttrName) {
    if (!isa<StringAttr>(attr.getValue()))
      return op->emitOpError("expects ")
             << name << " to be a string, but got " << attr.getValue();
    return success();
  }
  if (name == sharedBytesAttrName) {
    auto bytes = dyn_cast<IntegerAttr>(attr.getValue());
    bool isNumber = bytes && bytes.getType().isSignlessInteger() &&
                    bytes.getValue().getSignificantBits() <= 64;
    if (!isNumber || bytes.getInt() < 0)
      return op->emitOpError("expects ")
             << name << " to be a number of bytes, but got " << attr.getValue();
    return success();
  }
  if (name == layoutSeedAttrName) {
    auto seed = dyn_cast<IntegerAttr>(attr.getValue());
    if (!seed || !seed.getType().isInteger(64))
      return op->emitOpError("expects ")
             << name << " to be an i64, but got " << attr.getValue();
    return success();
  }
  if (name == meansAttrName) {
    auto means = dyn_cast<StringAttr>(attr.getValue());
    if (!isa<ConvertLayoutOp>(op) || !means ||
        !layout::meansOfName(means.getValue()))
      return op->emitOpError("expects ")
             << name << " to be what a layout conversion is done by, but got "
             << attr.getValue();
    return success();
  }
  return op->emitOpError("has an unknown attribute ") << name;
}
