// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of any op: of elementwise ops and of accesses to memory from what
// they say of themselves, of the others by their models.

#include "dialects/TileGPU/Work/Work.h"

#include "dialects/Layout/F2.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;

#include "dialects/TileGPU/Work/WorkOpInterface.cpp.inc"

void Work::add(const Work &other, double times) {
  for (double Work::*count :
       {&Work::floating, &Work::integer, &Work::special, &Work::doubles,
        &Work::shuffles, &Work::sharedAccesses, &Work::globalAccesses,
        &Work::matrices, &Work::wavefronts, &Work::sectors,
        &Work::multiplyAdds})
    this->*count += times * other.*count;
}

target::ElementType tilegpu::getMatrixType(Type type) {
  using enum target::ElementType;
  if (isa<IntegerType>(type))
    return type.getIntOrFloatBitWidth() <= 4 ? S4 : S8;
  switch (type.getIntOrFloatBitWidth()) {
  case 8:
    return E4M3;
  case 32:
    return TF32;
  case 64:
    return F64;
  default:
    return F16;
  }
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// Registers of a thread whose values do not follow from another's by a
/// constant: those that runs of consecutive or equal values keep apart.
static unsigned countDistinct(RankedTensorType type, const AxisInfo *info) {
  LinearLayout map = toLinearLayout(type);
  if (!info || isa<FloatType>(type.getElementType()))
    return 1u << map.inputBits(Axis::Register);
  bool isMask = type.getElementType().isInteger(1);
  uint64_t apart = 0;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    Axis axis = Axis::coordinate(dim);
    uint64_t run = info->constancy[dim];
    // Of a comparison the run is known, but where it begins is not.
    if (!isMask)
      run = std::max<uint64_t>(run, info->contiguity[dim]);
    uint64_t all = (uint64_t(1) << map.outputBits(axis)) - 1;
    unsigned bits = std::min(63u, llvm::Log2_64(run));
    apart |= (all >> bits << bits) << map.outputOffset(axis);
  }
  layout::f2::Span span;
  for (unsigned bit = 0; bit < map.inputBits(Axis::Register); ++bit)
    span.add(map.column(Axis::Register, bit) & apart);
  return 1u << span.dimension();
}

static Work getElementwiseWork(Operation *op, const PlacementContext &context) {
  ElementCost cost = getElementCost(op);
  RankedTensorType type = getFirstTensor(op);
  double count = 1;
  if (type && getRegisterLayout(type)) {
    Value first = op->getNumResults() ? op->getResult(0) : Value();
    count = countDistinct(type, first && first.getType() == type
                                    ? context.lookupAxisInfo(first)
                                    : nullptr);
  }
  Work work;
  Type element =
      getElementTypeOrSelf(op->getNumResults() ? op->getResult(0).getType()
                                               : op->getOperand(0).getType());
  double &arithmetic = element.isF64()           ? work.doubles
                       : isa<FloatType>(element) ? work.floating
                                                 : work.integer;
  arithmetic = count * cost.arithmetic;
  work.special = count * cost.special;
  work.chain.arithmetic = cost.arithmetic;
  work.chain.special = cost.special;
  return work;
}

//===----------------------------------------------------------------------===//
// Accesses to global memory
//===----------------------------------------------------------------------===//

static Work getAccessWork(Operation *op, const GlobalAccess &access,
                          const PlacementContext &context) {
  Work work;
  work.globalAccesses = work.sectors = 1;
  auto type = dyn_cast<RankedTensorType>(access.pointers.getType());
  RegisterLayoutInterface layout = type ? getRegisterLayout(type) : nullptr;
  if (layout) {
    AccessCount count = countAccess(access, layout, context);
    work.globalAccesses = count.instructions;
    work.sectors = count.instructions * count.sectors;
    // Of warps that hold copies one writes.
    if (access.isWrite || access.isAtomic) {
      double owners =
          1. / (1 << toLinearLayout(type).redundantBits(Axis::Warp));
      work.globalAccesses *= owners;
      work.sectors *= owners;
    }
  }
  if (op->getNumResults() && !op->use_empty())
    work.chain.globalLoads = 1;
  return work;
}

//===----------------------------------------------------------------------===//
// Accesses to shared memory
//===----------------------------------------------------------------------===//

/// Of an op that says no more than which tiles it accesses: vectors of 16 bytes
/// without conflicts, the tile shared out among the warps where it does not say
/// through which registers.
static Work getSharedWork(SharedAccessOpInterface op,
                          const PlacementContext &context) {
  Work work;
  for (const SharedOperand &operand : op.getSharedOperands()) {
    auto tile = cast<MemDescType>(operand.descriptor.getType());
    double bytes = double(tile.getBufferBytes()) / context.numWarps;
    if (operand.registers.map)
      bytes = 4. * tile.getElementBits() *
              (1u << operand.registers.map->inputBits(Axis::Register));
    work.sharedAccesses += std::max(1., bytes / 512);
    work.wavefronts += std::max(1., bytes / 128);
    work.chain.sharedLoads |= !operand.isWrite;
  }
  return work;
}

//===----------------------------------------------------------------------===//
// Any op
//===----------------------------------------------------------------------===//

Work tilegpu::getWork(Operation *op, const PlacementContext &context) {
  if (auto worker = dyn_cast<WorkOpInterface>(op))
    return worker.getWork(context);
  if (std::optional<GlobalAccess> access = getGlobalAccess(op))
    return getAccessWork(op, *access, context);
  if (auto access = dyn_cast<SharedAccessOpInterface>(op))
    return getSharedWork(access, context);
  // Registers are named anew, or hold what is known before.
  if (isView(op) || makesTileOfScalars(op) ||
      op->hasTrait<OpTrait::ConstantLike>())
    return {};
  if (isElementwise(op))
    return getElementwiseWork(op, context);
  Work work;
  work.integer = 1;
  work.chain.arithmetic = 1;
  return work;
}
