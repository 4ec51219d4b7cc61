// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Passes/Barriers/Touches.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::test;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;

/// Coordinates of all places of a layout, by flat place: flat, dimension 0
/// lowest.
static std::vector<uint64_t> listCoordinates(const LinearLayout &layout) {
  std::vector<Axis> order;
  for (unsigned dim = 0; dim < layout.outputs().size(); ++dim)
    order.push_back(Axis::coordinate(dim));
  LinearLayout ordered = layout.reorderOutputs(order);
  std::vector<uint64_t> coordinates;
  for (uint64_t at = 0; at < uint64_t(1) << ordered.totalInputBits(); ++at)
    coordinates.push_back(ordered.apply(at));
  return coordinates;
}

/// The offset of each coordinate of a tile.
static std::vector<uint64_t> listOffsets(MemDescType tile) {
  std::vector<uint64_t> coordinates = listCoordinates(tile.toLinearLayout());
  std::vector<uint64_t> offsets(coordinates.size());
  for (auto [offset, coordinate] : llvm::enumerate(coordinates))
    offsets[coordinate] = offset;
  return offsets;
}

/// The warp of each flat place of a register layout.
static unsigned getWarp(const LinearLayout &layout, uint64_t place) {
  return place >> layout.inputOffset(Axis::Warp) &
         ((uint64_t(1) << layout.inputBits(Axis::Warp)) - 1);
}

/// Of threads that hold the same element the first one stores it.
static Elements listStored(RankedTensorType tensor, MemDescType tile) {
  LinearLayout layout = toLinearLayout(tensor);
  std::vector<uint64_t> offsets = listOffsets(tile);
  Elements elements(offsets.size());
  for (auto [place, coordinate] : llvm::enumerate(listCoordinates(layout))) {
    uint32_t &warps = elements[offsets[coordinate]];
    uint32_t own = 1u << getWarp(layout, place);
    warps = warps == 0 ? own : std::min(warps, own);
  }
  return elements;
}

static Elements listLoaded(RankedTensorType tensor, MemDescType tile) {
  LinearLayout layout = toLinearLayout(tensor);
  std::vector<uint64_t> offsets = listOffsets(tile);
  Elements elements(offsets.size());
  for (auto [place, coordinate] : llvm::enumerate(listCoordinates(layout)))
    elements[offsets[coordinate]] |= 1u << getWarp(layout, place);
  return elements;
}

/// A dot's threads read the rows (or columns) of the elements that they
/// compute.
static Elements listMultiplied(RankedTensorType result, MemDescType tile,
                               bool isLeft) {
  LinearLayout layout = toLinearLayout(result);
  unsigned rank = result.getRank();
  // The result's coordinate along which the operand has K instead.
  unsigned replaced = isLeft ? rank - 1 : rank - 2;
  std::map<uint64_t, uint32_t> warpsOf;
  unsigned shift = 0, bits = 0;
  for (unsigned dim = 0; dim < rank; ++dim) {
    unsigned own = llvm::Log2_64(result.getDimSize(dim));
    if (dim == replaced)
      bits = own;
    else if (dim < replaced)
      shift += own;
  }
  uint64_t low = (uint64_t(1) << shift) - 1;
  for (auto [place, coordinate] : llvm::enumerate(listCoordinates(layout)))
    warpsOf[(coordinate >> (shift + bits) << shift) | (coordinate & low)] |=
        1u << getWarp(layout, place);
  std::vector<uint64_t> offsets = listOffsets(tile);
  unsigned ownBits = llvm::Log2_64(tile.getShape()[replaced]);
  Elements elements(offsets.size());
  for (auto [coordinate, offset] : llvm::enumerate(offsets))
    elements[offset] = warpsOf.at((coordinate >> (shift + ownBits) << shift) |
                                  (coordinate & low));
  return elements;
}

const std::vector<Touch> &TouchList::get(Operation *op,
                                         const Numbers &numbers) {
  auto [it, isNew] = known.try_emplace({op, numbers});
  if (!isNew)
    return it->second;
  current = &it->first.second;
  std::vector<Touch> &touches = it->second;
  if (auto store = dyn_cast<LocalStoreOp>(op))
    add(touches, op, store.getDestination(), store.getSource().getType(),
        Stored);
  else if (auto alloc = dyn_cast<LocalAllocOp>(op); alloc && alloc.getSource())
    add(touches, op, alloc.getResult(), alloc.getSource().getType(), Stored);
  else if (auto load = dyn_cast<LocalLoadOp>(op))
    add(touches, op, load.getSource(), load.getType(), Loaded);
  else if (auto gather = dyn_cast<LocalGatherOp>(op))
    add(touches, op, gather.getSource(), gather.getType(), Everything);
  else if (auto copy = dyn_cast<AsyncCopyOp>(op))
    add(touches, op, copy.getDestination(), copy.getPointers().getType(),
        Stored);
  else if (auto dot = dyn_cast<MultiplyAddOp>(op)) {
    add(touches, op, dot.getLhs(), dot.getType(), MultipliedLeft);
    add(touches, op, dot.getRhs(), dot.getType(), MultipliedRight);
  } else {
    addByEffects(touches, op);
  }
  return touches;
}

/// Those of all buffers, one behind the other.
static int64_t countElements(MemDescType tile) {
  int64_t bytes = std::max(1u, tile.getElementBits() / 8);
  return tile.getNumElements() +
         (tile.getBuffers() - 1) * (tile.getBufferBytes() / bytes);
}

const Elements *TouchList::list(Operation *op, Kind kind, Type registers,
                                MemDescType tile) {
  unsigned warps = std::max(1u, lookupNumWarps(op));
  auto [it, isNew] = lists.try_emplace(
      {kind, warps, registers.getAsOpaquePointer(), tile.getAsOpaquePointer()});
  if (!isNew)
    return &it->second;
  auto tensor = dyn_cast_if_present<RankedTensorType>(registers);
  Elements &elements = it->second;
  bool isListed = tensor && getRegisterLayout(tensor) &&
                  tile.toLinearLayout().isBijective();
  if (!isListed || kind == Everything)
    elements.assign(countElements(tile), (uint64_t(1) << warps) - 1);
  else if (kind == Stored)
    elements = listStored(tensor, tile);
  else if (kind == Loaded)
    elements = listLoaded(tensor, tile);
  else
    elements = listMultiplied(tensor, tile, kind == MultipliedLeft);
  return &elements;
}

void TouchList::addByEffects(std::vector<Touch> &touches, Operation *op) {
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    Value value = effect.getValue();
    bool isWrite = isa<MemoryEffects::Write>(effect.getEffect());
    if (value && isa<MemDescType>(value.getType()) &&
        (isWrite || isa<MemoryEffects::Read>(effect.getEffect())))
      add(touches, op, value, Type(), Everything, isWrite);
  }
}

void TouchList::add(std::vector<Touch> &touches, Operation *op,
                    Value descriptor, Type registers, Kind kind, bool isWrite) {
  auto tile = cast<MemDescType>(descriptor.getType());
  const Elements *elements = list(op, kind, registers, tile);
  std::set<std::pair<Operation *, int64_t>> places;
  std::set<std::tuple<void *, int64_t, bool>> seen;
  bool isCertain = true;
  trace(descriptor, 0, places, seen, isCertain, true);
  for (auto [allocation, begin] : places) {
    auto alloc = cast<LocalAllocOp>(allocation);
    touches.push_back({alloc, int64_t(alloc.getOffset().value_or(0)) + begin,
                       int64_t(tile.getElementBits() / 8), elements,
                       isWrite || kind == Stored,
                       isCertain && places.size() == 1,
                       kind == Stored && !isa<AsyncCopyOp>(op)});
  }
}

void TouchList::trace(Value value, int64_t begin,
                      std::set<std::pair<Operation *, int64_t>> &places,
                      std::set<std::tuple<void *, int64_t, bool>> &seen,
                      bool &isCertain, bool isHere) {
  if (!value ||
      !seen.insert({value.getAsOpaquePointer(), begin, isHere}).second)
    return;
  if (auto allocation = value.getDefiningOp<LocalAllocOp>()) {
    places.insert({allocation, begin});
  } else if (auto index = value.getDefiningOp<MemDescIndexOp>()) {
    MemDescType source = index.getSource().getType();
    // What was passed on since may have been another buffer's number.
    auto number =
        Counting::evaluate(index.getIndex(), isHere ? *current : Numbers());
    isCertain &= number.has_value();
    for (unsigned buffer = 0; buffer < source.getBuffers(); ++buffer)
      if (!number || *number == buffer)
        trace(index.getSource(), begin + buffer * source.getBufferBytes(),
              places, seen, isCertain, isHere);
  } else if (auto transposed = value.getDefiningOp<MemDescTransOp>()) {
    trace(transposed.getSource(), begin, places, seen, isCertain, isHere);
  } else if (auto argument = dyn_cast<BlockArgument>(value)) {
    for (Block *before : argument.getOwner()->getPredecessors())
      if (auto branch = dyn_cast<BranchOpInterface>(before->getTerminator()))
        for (unsigned next = 0; next < before->getNumSuccessors(); ++next)
          if (before->getSuccessor(next) == argument.getOwner())
            trace(branch.getSuccessorOperands(next)[argument.getArgNumber()],
                  begin, places, seen, isCertain, false);
  }
}
