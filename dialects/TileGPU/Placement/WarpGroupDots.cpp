// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/TileGPU/Placement/WarpGroupDots.h"

#include "dialects/TileGPU/MatrixFragments.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using target::MatrixInstruction;

/// Warps of a group (PTX ISA, "wgmma": four that follow each other).
static constexpr unsigned warpsOfGroup = 4;

/// Registers of a thread besides the sums: descriptors, addresses, counters. An
/// m64n256 product in a loop was seen to take 26 of them, and assemblers that
/// lack them serialise the products.
static constexpr unsigned otherRegisters = 32;

static RankedTensorType getResultType(tt::DotOp dot) {
  return cast<RankedTensorType>(dot.getType());
}

static const MatrixInstruction *findInstruction(tt::DotOp dot,
                                                const target::Target &target) {
  const DotTypes types = getDotTypes(dot);
  // What reads shared memory takes the bits as they are: f32 would be cut off
  // to tf32, not rounded.
  bool isHalf = types.lhs.isF16() || types.lhs.isBF16();
  if (!isHalf || types.lhs != types.rhs)
    return nullptr;
  std::optional<target::ElementType> accumulator =
      getMatrixAccumulatorType(types.accumulator);
  if (!accumulator)
    return nullptr;
  target::ElementType element = *getMatrixOperandType(types.lhs);
  for (const MatrixInstruction *row :
       target.findMatrixInstructions({.a = element,
                                      .b = element,
                                      .accumulator = *accumulator,
                                      .k = unsigned(types.k),
                                      .allowAsynchronous = true}))
    if (row->asynchronous)
      return row;
  return nullptr;
}

/// The accumulators under which each group has 64 rows at least, and no two
/// have the same part of the result; more groups along the rows first, which
/// read fewer bytes of the right operand.
static SmallVector<WgmmaAttr>
listAccumulators(tt::DotOp dot, const MatrixInstruction &instruction,
                 unsigned numWarps) {
  ArrayRef<int64_t> shape = getResultType(dot).getShape();
  SmallVector<WgmmaAttr> accumulators;
  for (unsigned rows = numWarps / warpsOfGroup; rows >= 1; rows /= 2) {
    unsigned columns = numWarps / warpsOfGroup / rows;
    int64_t n = std::min<int64_t>(shape[1] / columns, instruction.nLargest);
    if (rows * int64_t(instruction.m) <= shape[0] && n >= instruction.n)
      accumulators.push_back(
          WgmmaAttr::get(dot.getContext(), n, {rows * warpsOfGroup, columns}));
  }
  return accumulators;
}

/// Whether a thread has registers for its sums.
static bool fitsRegisters(RankedTensorType result, unsigned numWarps,
                          const target::Target &target) {
  unsigned threads = numWarps * target::Target::warpSize;
  int64_t sums =
      result.getNumElements() * result.getElementTypeBitWidth() / 32 / threads;
  return sums + otherRegisters <= target.maxRegistersOf(threads);
}

static SharedPlacement placeForDescriptor(Value operand, unsigned index,
                                          WgmmaAttr accumulator) {
  unsigned bits = getMemoryBits(getElementTypeOrSelf(operand.getType()));
  SharedPlacement placement;
  placement.descriptor = getDescriptorOperand(bits, accumulator, index);
  return placement;
}

SmallVector<Implementation>
tilegpu::listWarpGroupDots(tt::DotOp dot, const PlacementContext &context) {
  RankedTensorType result = getResultType(dot);
  if (result.getRank() != 2 || context.numWarps % warpsOfGroup != 0 ||
      !fitsRegisters(result, context.numWarps, context.target))
    return {};
  const MatrixInstruction *instruction = findInstruction(dot, context.target);
  if (!instruction)
    return {};
  SmallVector<Implementation> list;
  for (WgmmaAttr accumulator :
       listAccumulators(dot, *instruction, context.numWarps)) {
    Placement rhs = placeForDescriptor(dot.getB(), 1, accumulator);
    auto plan = DotPlanAttr::get(dot.getContext(), accumulator,
                                 /*isTransposed=*/false);
    auto fragment = DotOperandAttr::get(dot.getContext(), 0, accumulator,
                                        getRegisterElements(*instruction));
    for (const Placement &lhs :
         {Placement(placeForDescriptor(dot.getA(), 0, accumulator)),
          Placement(fragment)})
      list.push_back({accumulator,
                      {lhs, rhs, Placement(accumulator)},
                      {Placement(accumulator)},
                      plan});
  }
  return list;
}

bool tilegpu::isWarpGroupDot(const Implementation &implementation) {
  auto plan = dyn_cast_if_present<DotPlanAttr>(implementation.plan);
  return plan && isa<WgmmaAttr>(plan.getAccumulator());
}

const MatrixInstruction &
tilegpu::getWarpGroupInstruction(tt::DotOp dot,
                                 const PlacementContext &context) {
  return *findInstruction(dot, context.target);
}

/// An instruction takes as long as its multiply-adds or as the bytes that it
/// reads from shared memory, whichever is longer; the group's warps share it.
uint64_t tilegpu::getWarpGroupPrice(tt::DotOp dot,
                                    const Implementation &implementation,
                                    const PlacementContext &context) {
  const MatrixInstruction &instruction = getWarpGroupInstruction(dot, context);
  const target::InstructionPrices &prices = context.target.prices;
  auto accumulator =
      cast<WgmmaAttr>(cast<DotPlanAttr>(implementation.plan).getAccumulator());
  uint64_t rows = instruction.m, columns = accumulator.getN();
  uint64_t instructions =
      uint64_t(countRegisters(getResultType(dot), accumulator)) *
      target::Target::warpSize * warpsOfGroup / (rows * columns) *
      llvm::divideCeil(getDotTypes(dot).k, instruction.k);
  uint64_t computing =
      rows * columns * instruction.k / prices.groupMultiplyAdds;
  uint64_t readRows =
      columns + (implementation.operands[0].getTile() ? rows : 0);
  uint64_t reading =
      llvm::divideCeil(readRows * layout::descriptorKBytes, 128) *
      prices.sharedWavefront;
  return instructions *
             llvm::divideCeil(std::max(computing, reading), warpsOfGroup) +
         prices.groupLatency;
}

Value tilegpu::createWarpGroupDot(tt::DotOp dot, ValueRange operands) {
  OpBuilder builder(dot);
  auto tensor = cast<RankedTensorType>(operands[2].getType());
  auto type = PendingType::get(dot.getContext(), tensor);
  Value accumulator = PendOp::create(builder, dot.getLoc(), type, operands[2]);
  Value product = WgmmaOp::create(builder, dot.getLoc(), type, operands[0],
                                  operands[1], accumulator);
  return WgmmaWaitOp::create(builder, dot.getLoc(), tensor, product,
                             /*pending=*/0);
}
