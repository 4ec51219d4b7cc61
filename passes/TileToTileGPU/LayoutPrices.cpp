// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileToTileGPU/LayoutPrices.h"

#include "dialects/Layout/F2.h"
#include "dialects/TileGPU/MatrixFragments.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;
namespace f2 = layout::f2;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

unsigned tilegpu::countRegisters(RankedTensorType type,
                                 RegisterLayoutInterface layout) {
  return 1u << layout.toLinearLayout(type.getShape()).inputBits(Axis::Register);
}

/// Lane or warp bits that reach coordinate `axis`.
static unsigned countBitsAlong(const LinearLayout &map, Axis input, Axis axis) {
  f2::Span span;
  for (unsigned bit = 0; bit < map.inputBits(input); ++bit)
    span.add(map.basis(input, bit, axis));
  return span.dimension();
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Attribute LayoutPrices::intern(RankedTensorType type,
                               RegisterLayoutInterface layout) {
  auto shape = RankedTensorType::get(type.getShape(),
                                     IntegerType::get(type.getContext(), 32));
  Attribute &known = interned[{layout, shape}];
  if (!known)
    known = LinearAttr::get(type.getContext(),
                            layout.toLinearLayout(type.getShape()));
  return known;
}

uint64_t LayoutPrices::ofConversion(RankedTensorType type,
                                    RegisterLayoutInterface source,
                                    RegisterLayoutInterface destination) {
  if (source == destination)
    return 0;
  Attribute from = intern(type, source), to = intern(type, destination);
  if (from == to)
    return 0;
  unsigned bits = getMemoryBits(type.getElementType());
  auto [known, isNew] = conversions.try_emplace({from, to, bits});
  if (!isNew)
    return known->second;
  std::optional<uint64_t> estimate = layout::estimateConversion(
      source.toLinearLayout(type.getShape()),
      destination.toLinearLayout(type.getShape()), bits, rules);
  // Elements that fit no shared memory are rare and large.
  uint64_t price = estimate.value_or(uint64_t(1) << 20);
  return conversions[{from, to, bits}] = price;
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

/// Half cycles of a warp for one register's worth of an elementwise op.
static unsigned priceOfElement(Operation *op,
                               const target::InstructionPrices &prices) {
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp, arith::RemFOp, tt::PreciseDivFOp, tt::PreciseSqrtOp>(
          op))
    return 2 * prices.special + 8 * prices.arithmetic;
  if (isa<math::MathDialect>(op->getDialect()) &&
      !isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::CopySignOp>(op))
    return prices.special + 2 * prices.arithmetic;
  if (isa<tt::ExternElementwiseOp, tt::ElementwiseInlineAsmOp>(op))
    return 2 * prices.special;
  if (isa<tt::FpToFpOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
          arith::FPToUIOp>(op))
    return 2 * prices.arithmetic;
  return prices.arithmetic;
}

bool tilegpu::isCheap(Operation *op) {
  if (isa<math::MathDialect, tt::TritonDialect>(op->getDialect()))
    return isa<tt::AddPtrOp, tt::BitcastOp, tt::IntToPtrOp, tt::PtrToIntOp,
               math::AbsIOp>(op);
  return !isa<arith::DivFOp, arith::RemFOp>(op);
}

//===----------------------------------------------------------------------===//
// Memory accesses
//===----------------------------------------------------------------------===//

uint64_t LayoutPrices::ofAccess(const tt::MemoryAccess &access,
                                RegisterLayoutInterface layout) {
  Value pointers = access.pointers;
  RankedTensorType type = tensorType(pointers);
  LinearLayout map = layout.toLinearLayout(type.getShape());
  unsigned rank = type.getRank(), fastest = rank - 1;
  const AxisInfo *info = axes.lookup(pointers);
  SmallVector<unsigned> sameSector(rank, 0);
  Type pointee = cast<tt::PointerType>(type.getElementType()).getPointeeType();
  unsigned bytes = std::max(1u, getMemoryBits(pointee) / 8);
  int64_t perSector = std::max<int64_t>(1, 32 / bytes);
  if (info) {
    for (unsigned dim = 0; dim < rank; ++dim)
      if (info->contiguity[dim] > info->contiguity[fastest])
        fastest = dim;
    for (unsigned dim = 0; dim < rank; ++dim)
      sameSector[dim] = llvm::Log2_64(std::max(
          info->constancy[dim], std::min(info->contiguity[dim], perSector)));
  }
  // Where no stride is known, the last dimension's is most often 1.
  if (!info || info->contiguity[fastest] == 1)
    sameSector[fastest] =
        std::max<unsigned>(sameSector[fastest], llvm::Log2_64(perSector));
  // Registers that run along the fastest dimension form vectors.
  unsigned vectorBits = 0;
  Axis along = Axis::coordinate(fastest);
  unsigned limit = access.isAtomic ? 0
                                   : llvm::Log2_32(axes.getVectorElements(
                                         pointers, access.mask, fastest));
  auto reaches = [&](unsigned position) {
    for (unsigned bit = 0; bit < map.inputBits(Axis::Register); ++bit)
      if (map.column(Axis::Register, bit) ==
          uint64_t(1) << (map.outputOffset(along) + position))
        return true;
    return false;
  };
  while (vectorBits < limit && vectorBits < map.outputBits(along) &&
         reaches(vectorBits))
    ++vectorBits;
  // Sectors that the lanes of one access touch.
  f2::Span sectors;
  uint64_t apart = 0;
  for (unsigned dim = 0; dim < rank; ++dim) {
    Axis axis = Axis::coordinate(dim);
    uint64_t mask = (uint64_t(1) << map.outputBits(axis)) - 1;
    apart |= (mask >> sameSector[dim] << sameSector[dim])
             << map.outputOffset(axis);
  }
  for (unsigned bit = 0; bit < map.inputBits(Axis::Lane); ++bit)
    sectors.add(map.column(Axis::Lane, bit) & apart);
  for (unsigned position = 0; position < vectorBits; ++position)
    sectors.add(uint64_t(1) << (map.outputOffset(along) + position) & apart);
  uint64_t accesses = uint64_t(1)
                      << (map.inputBits(Axis::Register) -
                          std::min(vectorBits, map.inputBits(Axis::Register)));
  return accesses *
         (target.prices.globalAccess +
          (uint64_t(target.prices.globalSector) << sectors.dimension()));
}

//===----------------------------------------------------------------------===//
// Reductions, scans, dots
//===----------------------------------------------------------------------===//

namespace {
/// What a thread and its warp hold of a tensor along an axis.
struct AxisShare {
  /// Registers of a thread, and how many differ beside the axis.
  uint64_t registers, rows;
  /// Bits of the lane and of the warp that reach the axis.
  unsigned laneBits, warpBits;

  AxisShare(Value tensor, RegisterLayoutInterface layout, unsigned dim) {
    LinearLayout map = layout.toLinearLayout(tensorType(tensor).getShape());
    Axis axis = Axis::coordinate(dim);
    registers = uint64_t(1) << map.inputBits(Axis::Register);
    rows = registers >> countBitsAlong(map, Axis::Register, axis);
    laneBits = countBitsAlong(map, Axis::Lane, axis);
    warpBits = countBitsAlong(map, Axis::Warp, axis);
  }
};
} // namespace

uint64_t LayoutPrices::ofReduction(tt::ReduceOp op,
                                   RegisterLayoutInterface layout) {
  AxisShare share(op->getOperand(0), layout, op.getAxis());
  uint64_t operands = op->getNumOperands();
  const target::InstructionPrices &prices = target.prices;
  uint64_t combine =
      prices.arithmetic *
      std::max<size_t>(1, op->getRegion(0).front().getOperations().size() - 1);
  uint64_t price =
      share.registers * combine +
      share.laneBits * share.rows * (operands * prices.shuffle + combine);
  if (share.warpBits)
    price +=
        2 * prices.barrier + operands * 2 * share.rows *
                                 (prices.sharedAccess + prices.sharedWavefront);
  return price;
}

uint64_t LayoutPrices::ofScan(tt::ScanOp op, RegisterLayoutInterface layout) {
  AxisShare share(op->getOperand(0), layout, op.getAxis());
  const target::InstructionPrices &prices = target.prices;
  return op->getNumOperands() * (2 * share.registers * prices.arithmetic +
                                 share.laneBits * share.rows *
                                     (prices.shuffle + 2 * prices.arithmetic));
}

uint64_t LayoutPrices::ofDot(tt::DotOp dot, const DotChoice &choice) {
  RankedTensorType type = tensorType(dot.getResult());
  uint64_t registers = countRegisters(type, choice.result);
  uint64_t depth = tensorType(dot.getA()).getShape().back();
  if (!choice.instruction)
    return registers * depth * target.prices.arithmetic;
  const target::MatrixInstruction &instruction = *choice.instruction;
  uint64_t steps = llvm::divideCeil(depth, instruction.k);
  uint64_t instructions =
      llvm::divideCeil(registers * 32, instruction.m * instruction.n) * steps;
  return instructions *
         std::max<uint64_t>(1, instruction.m * instruction.n * instruction.k /
                                   target.prices.matrixMultiplyAdds);
}

unsigned LayoutPrices::getRegisters(RankedTensorType type,
                                    RegisterLayoutInterface layout) {
  auto [known, isNew] = registers.try_emplace({layout, type});
  if (isNew)
    known->second = countRegisters(type, layout);
  return known->second;
}

uint64_t LayoutPrices::ofOp(Operation *op, RegisterLayoutInterface layout) {
  if (std::optional<tt::MemoryAccess> access = tt::getMemoryAccess(op))
    return ofAccess(*access, layout);
  if (auto reduce = dyn_cast<tt::ReduceOp>(op))
    return ofReduction(reduce, layout);
  if (auto scan = dyn_cast<tt::ScanOp>(op))
    return ofScan(scan, layout);
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || isa<tt::TransOp, tt::ReshapeOp, tt::JoinOp, tt::SplitOp,
                   tt::ExpandDimsOp, tt::BroadcastOp>(op))
    return 0;
  return uint64_t(getRegisters(type, layout)) *
         priceOfElement(op, target.prices);
}
