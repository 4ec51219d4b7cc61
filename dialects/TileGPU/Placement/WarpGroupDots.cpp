// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/TileGPU/Placement/WarpGroupDots.h"

#include "dialects/TileGPU/MatrixFragments.h"
#include "dialects/TileGPU/Placement/TransposedDots.h"
#include "dialects/TileGPU/SharedAccess.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using target::MatrixInstruction;

/// Warps of a group (PTX ISA, "wgmma": four that follow each other).
static constexpr unsigned warpsOfGroup = 4;

static RankedTensorType getResultType(tt::DotOp dot) {
  return cast<RankedTensorType>(dot.getType());
}

static const MatrixInstruction *findInstruction(tt::DotOp dot,
                                                bool isTransposed,
                                                const target::Target &target) {
  const DotTypes types = getDotTypes(dot);
  std::optional<target::ElementType> lhs = getMatrixOperandType(types.lhs);
  std::optional<target::ElementType> rhs = getMatrixOperandType(types.rhs);
  if (isTransposed)
    std::swap(lhs, rhs);
  std::optional<target::ElementType> accumulator =
      getMatrixAccumulatorType(types.accumulator);
  if (!lhs || !rhs || !accumulator ||
      (lhs == target::ElementType::TF32 && !types.allowsTf32))
    return nullptr;
  for (const MatrixInstruction *row :
       target.findMatrixInstructions({.a = *lhs,
                                      .b = *rhs,
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
listAccumulators(MLIRContext *context, ArrayRef<int64_t> shape,
                 const MatrixInstruction &instruction, unsigned numWarps) {
  SmallVector<WgmmaAttr> accumulators;
  for (unsigned rows = numWarps / warpsOfGroup; rows >= 1; rows /= 2) {
    unsigned columns = numWarps / warpsOfGroup / rows;
    int64_t n = std::min<int64_t>(shape[1] / columns, instruction.nLargest);
    if (rows * int64_t(instruction.m) <= shape[0] && n >= instruction.n)
      accumulators.push_back(
          WgmmaAttr::get(context, n, {rows * warpsOfGroup, columns}));
  }
  return accumulators;
}

/// Where the instruction's operand `index` is read by a descriptor: the dot's
/// own one, or, transposed, the other one, whose dimensions are exchanged.
static SharedPlacement placeForDescriptor(tt::DotOp dot, unsigned index,
                                          WgmmaAttr accumulator,
                                          bool isTransposed) {
  Value operand = dot->getOperand(isTransposed ? 1 - index : index);
  unsigned bits = getMemoryBits(getElementTypeOrSelf(operand.getType()));
  SharedPlacement placement;
  placement.descriptor = getDescriptorOperand(bits, accumulator, index);
  if (isTransposed)
    std::swap(placement.descriptor->rowDim, placement.descriptor->kDim);
  return placement;
}

/// The dot with its result under `accumulator`, the instruction's left operand
/// at `lhs`.
static Implementation implement(tt::DotOp dot, WgmmaAttr accumulator,
                                unsigned kWidth, bool isTransposed,
                                const Placement &lhs) {
  RegisterLayoutInterface result = accumulator;
  Placement rhs = placeForDescriptor(dot, 1, accumulator, isTransposed);
  SmallVector<int64_t> shape(getResultType(dot).getShape());
  SmallVector<Placement, 3> operands = {lhs, rhs};
  if (isTransposed) {
    std::swap(shape[0], shape[1]);
    result = transposeLayout(accumulator, shape);
    std::swap(operands[0], operands[1]);
  }
  operands.push_back(result);
  return {
      result,
      operands,
      {Placement(result)},
      DotPlanAttr::get(dot.getContext(), accumulator, kWidth, isTransposed)};
}

static void addDots(tt::DotOp dot, bool isTransposed,
                    const PlacementContext &context,
                    SmallVectorImpl<Implementation> &list) {
  const MatrixInstruction *instruction =
      findInstruction(dot, isTransposed, context.target);
  if (!instruction)
    return;
  SmallVector<int64_t> shape(getResultType(dot).getShape());
  if (isTransposed)
    std::swap(shape[0], shape[1]);
  for (WgmmaAttr accumulator : listAccumulators(
           dot.getContext(), shape, *instruction, context.numWarps)) {
    unsigned kWidth = getRegisterElements(*instruction);
    RegisterLayoutInterface fragment =
        DotOperandAttr::get(dot.getContext(), 0, accumulator, kWidth);
    if (isTransposed)
      fragment = transposeLayout(fragment, {shape[0], getDotTypes(dot).k});
    list.push_back(
        implement(dot, accumulator, kWidth, isTransposed,
                  placeForDescriptor(dot, 0, accumulator, isTransposed)));
    list.push_back(implement(dot, accumulator, kWidth, isTransposed, fragment));
  }
}

SmallVector<Implementation>
tilegpu::listWarpGroupDots(tt::DotOp dot, const PlacementContext &context) {
  RankedTensorType result = getResultType(dot);
  SmallVector<Implementation> list;
  if (result.getRank() != 2 || context.numWarps % warpsOfGroup != 0 ||
      !hasRegistersForSums(result, context.numWarps, context.target))
    return list;
  for (bool isTransposed : {false, true})
    addDots(dot, isTransposed, context, list);
  return list;
}

bool tilegpu::isWarpGroupDot(const Implementation &implementation) {
  auto plan = dyn_cast_if_present<DotPlanAttr>(implementation.plan);
  return plan && isa<WgmmaAttr>(plan.getAccumulator());
}

static DotPlanAttr getPlan(const Implementation &implementation) {
  return cast<DotPlanAttr>(implementation.plan);
}

const MatrixInstruction &
tilegpu::getWarpGroupInstruction(tt::DotOp dot,
                                 const Implementation &implementation,
                                 const PlacementContext &context) {
  return *findInstruction(dot, getPlan(implementation).getIsTransposed(),
                          context.target);
}

/// Of the time of reads, one part in so many counts also where multiply-adds
/// take longer: copies need the same banks. With one in 16, backward passes of
/// linear attention read less and took more registers than four CTAs have.
static constexpr uint64_t partsOfReads = 32;

/// An instruction takes as long as its multiply-adds or as the bytes that it
/// reads from shared memory, whichever is longer; the group's warps share it.
uint64_t tilegpu::getWarpGroupPrice(tt::DotOp dot,
                                    const Implementation &implementation,
                                    const PlacementContext &context) {
  const MatrixInstruction &instruction =
      getWarpGroupInstruction(dot, implementation, context);
  const target::InstructionPrices &prices = context.target.prices;
  DotPlanAttr plan = getPlan(implementation);
  auto accumulator = cast<WgmmaAttr>(plan.getAccumulator());
  uint64_t rows = instruction.m, columns = accumulator.getN();
  uint64_t instructions =
      uint64_t(countRegisters(getResultType(dot), implementation.layout)) *
      target::Target::warpSize * warpsOfGroup / (rows * columns) *
      llvm::divideCeil(getDotTypes(dot).k, instruction.k);
  // Of 8-bit operands as many bytes as of others take as long.
  uint64_t computing =
      rows * columns * layout::descriptorKBytes / 2 / prices.groupMultiplyAdds;
  uint64_t readRows =
      columns +
      (implementation.operands[plan.getIsTransposed()].getTile() ? rows : 0);
  uint64_t reading =
      llvm::divideCeil(readRows * layout::descriptorKBytes, 128) *
      prices.sharedWavefront;
  uint64_t parts = std::max(computing, reading) * partsOfReads + reading;
  return llvm::divideCeil(instructions * parts, warpsOfGroup * partsOfReads) +
         prices.groupLatency;
}

/// Whether the dot's products are summed apart and added as f32: the tensor
/// cores keep sums of 8-bit floats with fewer bits than f32 has (13 or 14 of
/// the mantissa, as measured on an H100).
static bool addsApart(tt::DotOp dot) {
  const DotTypes types = getDotTypes(dot);
  return types.accumulator.isF32() && types.lhs.getIntOrFloatBitWidth() == 8 &&
         types.k > int64_t(dot.getMaxNumImpreciseAcc());
}

//===----------------------------------------------------------------------===//
// Rounding to tf32
//===----------------------------------------------------------------------===//

/// `tensor`, of f32, with the numbers of tf32 that are nearest.
static Value roundToTf32(OpBuilder &builder, Location location, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value rounded = arith::TruncFOp::create(
      builder, location, type.clone(builder.getTF32Type()), tensor);
  return arith::ExtFOp::create(builder, location, type, rounded);
}

static bool isRoundedToTf32(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  return op && op->getNumOperands() == 1 &&
         getElementTypeOrSelf(op->getOperand(0)).isTF32();
}

/// The layout under which threads go over a tile of f32, 16 bytes at a time.
static BlockedAttr getRoundingLayout(MemDescType tile, unsigned numWarps) {
  constexpr unsigned elements = 4;
  SmallVector<unsigned> order;
  if (auto encoding = dyn_cast<SharedNvmmaAttr>(tile.getEncoding()))
    llvm::append_range(order, encoding.getOrder());
  else
    order = llvm::to_vector(
        llvm::reverse(llvm::seq<unsigned>(0, tile.getShape().size())));
  SmallVector<int64_t> left(tile.getShape());
  SmallVector<unsigned> held(left.size(), 1);
  held[order[0]] = std::min<int64_t>(elements, left[order[0]]);
  left[order[0]] /= held[order[0]];
  SmallVector<unsigned> threads = spreadUnits(32, left, order);
  SmallVector<unsigned> warps = spreadUnits(numWarps, left, order);
  return BlockedAttr::get(tile.getContext(), held, threads, warps, order);
}

/// Whether products of tf32 alone use `value`, as it is or in other places:
/// they take it rounded wherever they read it.
static bool isForTf32Alone(Value value) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    if (isView(use.getOwner()))
      return isForTf32Alone(use.getOwner()->getResult(0));
    auto dot = dyn_cast<tt::DotOp>(use.getOwner());
    return dot && use.getOperandNumber() < 2 &&
           dot.getInputPrecision() == tt::InputPrecision::TF32;
  });
}

/// The store that rounds `tile` in its place; null where nothing does.
static LocalStoreOp findRounding(Value tile) {
  for (Operation *user : tile.getUsers())
    if (auto store = dyn_cast<LocalStoreOp>(user))
      if (isRoundedToTf32(store.getSource()))
        return store;
  return {};
}

/// Whether `tile`, that of `value`, may be rounded in its place: nobody else
/// reads it, neither the ops that do so already nor those to come.
static bool mayBeRounded(Value tile, Value value) {
  return isForTf32Alone(value) &&
         llvm::none_of(listUsers(tile), llvm::IsaPred<LocalLoadOp>);
}

/// The rounded elements of `tile`, in registers.
static Value loadRounded(OpBuilder &builder, Location location,
                         TypedValue<MemDescType> tile, unsigned numWarps) {
  MemDescType type = tile.getType();
  auto tensor = RankedTensorType::get(type.getShape(), type.getElementType(),
                                      getRoundingLayout(type, numWarps));
  Value loaded = LocalLoadOp::create(builder, location, tensor, tile,
                                     /*token=*/Value());
  return roundToTf32(builder, location, loaded);
}

/// `tile`, where a descriptor reads operand `index` of `dot`, in f32, with
/// numbers of tf32: the hardware takes its bits as they are, and would round
/// towards zero. A tile that is stored from registers is rounded there; what is
/// copied is rounded in its place, or, if others read it, to another tile.
static Value roundTileToTf32(tt::DotOp dot, unsigned index,
                             TypedValue<MemDescType> tile, unsigned numWarps) {
  Location location = dot.getLoc();
  Value value = dot->getOperand(index), root = findMemory(tile);
  while (value.getDefiningOp() && isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto alloc = root.getDefiningOp<LocalAllocOp>();
  if (Value source = alloc.getSource()) {
    OpBuilder builder(alloc);
    if (!isRoundedToTf32(source))
      alloc.getSourceMutable().assign(roundToTf32(builder, location, source));
    return tile;
  }
  if (findRounding(root))
    return tile;
  if (!mayBeRounded(root, value)) {
    OpBuilder builder(dot);
    MemDescType type = tile.getType();
    auto held = MemDescType::get(type.getContext(), type.getShape(),
                                 type.getElementType(), type.getEncoding(),
                                 /*buffers=*/1, /*isMutable=*/false);
    return LocalAllocOp::create(builder, location, held,
                                loadRounded(builder, location, tile, numWarps),
                                /*offset=*/IntegerAttr());
  }
  OpBuilder builder(alloc->getBlock()->findAncestorOpInBlock(*dot));
  auto memory = cast<TypedValue<MemDescType>>(root);
  LocalStoreOp::create(builder, location,
                       loadRounded(builder, location, memory, numWarps),
                       memory);
  return tile;
}

/// The instruction's operand `index` of the dot's, which are placed.
static Value getOperand(OpBuilder &builder, tt::DotOp dot, ValueRange operands,
                        unsigned index, DotPlanAttr plan) {
  if (!plan.getIsTransposed())
    return operands[index];
  Value operand = operands[1 - index];
  if (isa<MemDescType>(operand.getType()))
    return transposeTile(builder, dot.getLoc(), operand, {1, 0});
  return transposeInRegisters(builder, operand,
                              DotOperandAttr::get(dot.getContext(), 0,
                                                  plan.getAccumulator(),
                                                  plan.getKWidth()));
}

/// Warps of the CTA.
static unsigned countWarps(DotPlanAttr plan) {
  return llvm::product_of(cast<WgmmaAttr>(plan.getAccumulator()).getWarps());
}

Value tilegpu::createWarpGroupDot(tt::DotOp dot, ValueRange operands,
                                  const Implementation &implementation) {
  OpBuilder builder(dot);
  Location location = dot.getLoc();
  DotPlanAttr plan = getPlan(implementation);
  bool isTransposed = plan.getIsTransposed(), isApart = addsApart(dot);
  SmallVector<Value> placed(operands);
  for (unsigned index : {0, 1})
    if (auto tile = dyn_cast<TypedValue<MemDescType>>(placed[index]);
        tile && tile.getType().getElementType().isF32())
      placed[index] = roundTileToTf32(dot, index, tile, countWarps(plan));
  Value lhs = getOperand(builder, dot, placed, 0, plan);
  Value rhs = getOperand(builder, dot, placed, 1, plan);
  Value before = placed[2];
  if (isTransposed)
    before = transposeInRegisters(builder, before, plan.getAccumulator());
  auto tensor = cast<RankedTensorType>(before.getType());
  auto type = PendingType::get(dot.getContext(), tensor);
  Value sums = before;
  if (isApart)
    sums = arith::ConstantOp::create(
        builder, location,
        DenseElementsAttr::get(tensor, builder.getF32FloatAttr(0)));
  sums = PendOp::create(builder, location, type, sums);
  sums = WgmmaOp::create(builder, location, type, lhs, rhs, sums);
  sums = WgmmaWaitOp::create(builder, location, tensor, sums, /*pending=*/0);
  if (isApart)
    sums = arith::AddFOp::create(builder, location, before, sums);
  return isTransposed
             ? transposeInRegisters(builder, sums, implementation.layout)
             : sums;
}
