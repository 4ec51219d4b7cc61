// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Tile/Tile.h"
#include "dialects/TileGPU/Agents.h"
#include "dialects/TileGPU/ConversionRules.h"
#include "dialects/TileGPU/Placement/Placement.h"
#include "dialects/TileGPU/RegisterMaps.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/TileGPU/Work/Work.h"
#include "dialects/Triton/Triton.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FoldInterfaces.h"
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

/// A constant tile in an agent is distributed among its warps: it must not move
/// to where others run.
struct TileGPUFolding : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;

  bool shouldMaterializeInto(Region *region) const final {
    return isa<WarpSpecializeOp>(region->getParentOp());
  }
};
} // namespace

void TileGPUDialect::initialize() {
  addInterfaces<TileGPUAliases, TileGPUFolding, RegisterMaps>();
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/TileGPU/TileGPUOps.cpp.inc"
      >();
  // The dialects that `tilegpu` depends on are loaded by now.
  attachPlacementModels(*getContext());
  attachWorkModels(*getContext());
}

RegisterLayoutInterface tilegpu::getRegisterLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {};
  return dyn_cast_if_present<RegisterLayoutInterface>(tensor.getEncoding());
}

layout::LinearLayout tilegpu::toLinearLayout(RankedTensorType type) {
  return getRegisterMap(type, getRegisterLayout(type));
}

RankedTensorType tilegpu::withEncoding(RankedTensorType type,
                                       Attribute encoding) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               encoding);
}

unsigned tilegpu::getMemoryBits(Type elementType) {
  if (!elementType.isIntOrFloat())
    return 64;
  if (isa<FloatTF32Type>(elementType))
    return 32;
  return std::max(8u, elementType.getIntOrFloatBitWidth());
}

bool tilegpu::isZero(Value value) {
  return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat());
}

/// The attribute `name` of `op`, or of the innermost op around it that has one;
/// null where none has.
template <typename Attr>
static Attr lookupAttribute(Operation *op, StringRef name) {
  for (; op; op = op->getParentOp())
    if (auto found = op->getAttrOfType<Attr>(name))
      return found;
  return {};
}

bool tilegpu::hasProducts(Operation *op) {
  return op
      ->walk([](Operation *nested) {
        return isa<MmaOp, WgmmaOp, MultiplyAddOp>(nested)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

unsigned tilegpu::lookupNumWarps(Operation *op) {
  if (std::optional<Agent> agent = lookupAgent(op))
    return agent->numWarps;
  auto warps =
      lookupAttribute<IntegerAttr>(op, TileGPUDialect::numWarpsAttrName);
  return warps ? warps.getInt() : 0;
}

unsigned tilegpu::lookupCluster(Operation *op) {
  auto ctas = lookupAttribute<IntegerAttr>(op, TileGPUDialect::clusterAttrName);
  return ctas ? ctas.getInt() : 1;
}

StringRef tilegpu::lookupTargetName(Operation *op) {
  auto target = lookupAttribute<StringAttr>(op, TileGPUDialect::targetAttrName);
  return target ? target.getValue() : "";
}

const target::Target *tilegpu::requireTarget(Operation *op) {
  StringRef name = lookupTargetName(op);
  const target::Target *target = target::lookup(name);
  if (!target)
    op->emitError(target::unknownTargetMessage(name));
  return target;
}

/// Every tensor in the regions of `root`, a function or agents, must be
/// distributed among just `numWarps`; in those of agents, among theirs.
static LogicalResult verifyWarps(Operation *root,
                                 MutableArrayRef<Region> regions,
                                 unsigned numWarps) {
  auto check = [&](Operation *op, Type type) -> LogicalResult {
    RegisterLayoutInterface encoding = getRegisterLayout(type);
    if (!encoding || encoding.getNumWarps() == numWarps)
      return success();
    return op->emitOpError("expects layouts for ")
           << numWarps << " warps ("
           << (isa<WarpSpecializeOp>(root) ? "the agent's"
                                           : "the function's tilegpu.num_warps")
           << "), but got " << type << ", which is for "
           << encoding.getNumWarps();
  };
  auto checkOp = [&](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (failed(check(op, type)))
        return WalkResult::interrupt();
    if (auto specialize = dyn_cast<WarpSpecializeOp>(op)) {
      // Regions without a number of warps are its own verifier's.
      for (auto [region, warps] :
           llvm::zip(op->getRegions(), specialize.getWarps()))
        if (failed(verifyWarps(op, region, warps)))
          return WalkResult::interrupt();
      return WalkResult::skip();
    }
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          if (failed(check(op, type)))
            return WalkResult::interrupt();
    return WalkResult::advance();
  };
  for (Region &region : regions) {
    for (Block &block : region) {
      for (Type type : block.getArgumentTypes())
        if (failed(check(root, type)))
          return failure();
      if (block.walk<WalkOrder::PreOrder>(checkOp).wasInterrupted())
        return failure();
    }
  }
  return success();
}

/// The number of warps that a function's attribute may state.
static LogicalResult verifyNumWarps(Operation *op, Attribute value) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitOpError("expects ")
           << TileGPUDialect::numWarpsAttrName << " on functions only";
  auto warps = dyn_cast<IntegerAttr>(value);
  bool isNumber = warps && warps.getType().isInteger(32) &&
                  warps.getInt() >= 1 && warps.getInt() <= 32;
  // Agents share any number, a power of two each.
  if (!isNumber ||
      (!layout::isPowerOfTwo(warps.getInt()) && !hasAgents(function)))
    return op->emitOpError("expects ")
           << TileGPUDialect::numWarpsAttrName
           << " to be an i32 power of two from 1 to 32, but got " << value;
  return verifyWarps(op, op->getRegions(), warps.getInt());
}

LogicalResult TileGPUDialect::verifyOperationAttribute(Operation *op,
                                                       NamedAttribute attr) {
  StringRef name = attr.getName();
  if (name == numWarpsAttrName)
    return verifyNumWarps(op, attr.getValue());
  if (name == targetAttrName || name == kernelNameAttrName) {
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
  if (name == registersAttrName || name == registersOfLoadsAttrName) {
    auto registers = dyn_cast<IntegerAttr>(attr.getValue());
    if (!isa<FunctionOpInterface>(op) || !registers ||
        !registers.getType().isInteger(32) || registers.getInt() < 1)
      return op->emitOpError("expects ")
             << name << " on functions, as an i32 of 1 or more, but got "
             << attr.getValue();
    return success();
  }
  if (name == clusterAttrName) {
    auto ctas = dyn_cast<IntegerAttr>(attr.getValue());
    if (!isa<FunctionOpInterface>(op) || !ctas ||
        !ctas.getType().isInteger(32) ||
        !llvm::is_contained({2, 4, 8}, ctas.getInt()))
      return op->emitOpError("expects ")
             << name << " on functions, as an i32 of 2, 4 or 8, but got "
             << attr.getValue();
    return success();
  }
  if (name == layoutSeedAttrName) {
    auto seed = dyn_cast<IntegerAttr>(attr.getValue());
    if (!seed || !seed.getType().isInteger(64))
      return op->emitOpError("expects ")
             << name << " to be an i64, but got " << attr.getValue();
    return success();
  }
  if (name == scheduleAttrName) {
    auto times = dyn_cast<DenseI32ArrayAttr>(attr.getValue());
    if (!times || times.size() != 2 || times[0] < 0)
      return op->emitOpError("expects ")
             << name << " to be a stage of 0 or more and an order, but got "
             << attr.getValue();
    return success();
  }
  if (name == bufferedAttrName) {
    if (!isa<UnitAttr>(attr.getValue()) || !isa<scf::ForOp, LocalAllocOp>(op))
      return op->emitOpError("expects ")
             << name << " on loops and allocations, without a value, but got "
             << attr.getValue();
    return success();
  }
  if (name == firstThreadAttrName) {
    if (!isa<UnitAttr>(attr.getValue()) || !isa<tt::LoadOp>(op) ||
        isa<RankedTensorType>(op->getResult(0).getType()))
      return op->emitOpError("expects ")
             << name << " on loads of scalars, without a value, but got "
             << attr.getValue();
    return success();
  }
  if (name == longestFirstAttrName || name == longestLastAttrName) {
    auto axis = dyn_cast<StringAttr>(attr.getValue());
    if (!isa<FunctionOpInterface>(op) || !axis ||
        !tt::symbolizeProgramAxis(axis.getValue()))
      return op->emitOpError("expects ")
             << name << " on functions, as \"x\", \"y\" or \"z\", but got "
             << attr.getValue();
    return success();
  }
  if (name == tensorMapsAttrName || name == scratchBytesAttrName) {
    bool isOne = name == tensorMapsAttrName ? isa<ArrayAttr>(attr.getValue())
                                            : isa<IntegerAttr>(attr.getValue());
    if (op->getName().getDialectNamespace() != "llvm" || !isOne)
      return op->emitOpError("expects ")
             << name
             << " on kernels of the LLVM dialect alone, where lowering "
                "writes it";
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
