// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/RegisterPressure.h"

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/Layout/Conversion.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/TileGPU/Work/Work.h"
#include "passes/Analysis/LiveRanges.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

unsigned tilegpu::countTileRegisters(RankedTensorType type,
                                     RegisterLayoutInterface layout) {
  if (!isa<FloatType>(type.getElementType()))
    return 0;
  return llvm::divideCeil(uint64_t(countRegisters(type, layout)) *
                              type.getElementTypeBitWidth(),
                          32);
}

Value TileRegisters::getRenamed(Operation *op) {
  if (!op || !isView(op))
    return {};
  auto conversion = dyn_cast<ConvertLayoutOp>(op);
  if (!conversion)
    return op->getOperand(0);
  auto from = cast<RankedTensorType>(conversion.getSource().getType());
  auto to = cast<RankedTensorType>(conversion.getType());
  auto [known, isNew] = renames.try_emplace({from, to});
  if (isNew)
    known->second =
        getRegisterLayout(from) && getRegisterLayout(to) &&
        layout::haveSameThreads(toLinearLayout(from), toLinearLayout(to));
  return known->second ? Value(conversion.getSource()) : Value();
}

Value TileRegisters::findHolder(Value value) {
  while (Value renamed = getRenamed(value.getDefiningOp()))
    value = renamed;
  return value;
}

bool TileRegisters::isIndex(Value value) {
  Operation *op = value.getDefiningOp();
  for (; op && isView(op); op = value.getDefiningOp())
    value = op->getOperand(0);
  if (!isa<RankedTensorType>(value.getType()))
    return true;
  if (!op || makesTileOfScalars(op))
    return op;
  // Until it is known: a value that depends on itself is loop-carried.
  auto [known, isNew] = indices.try_emplace(value, false);
  if (!isNew || !isElementwise(op) || !isMemoryEffectFree(op) ||
      !getElementCost(op).isRematerializable)
    return known->second;
  bool result = llvm::all_of(op->getOperands(),
                             [&](Value operand) { return isIndex(operand); });
  return indices[value] = result;
}

/// Registers of 32 bits that hold a tile of integers or pointers, each of them
/// by itself; masks are bits.
static unsigned countIntegers(RankedTensorType type,
                              RegisterLayoutInterface layout) {
  Type element = type.getElementType();
  unsigned count = countRegisters(type, layout);
  if (element.isInteger(1))
    return llvm::divideCeil(count, 32);
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return count * llvm::divideCeil(bits, 32);
}

unsigned TileRegisters::count(Value value) {
  RankedTensorType type = getHeldTensor(value.getType());
  if (!type || !getRegisterLayout(type))
    return 0;
  if (Operation *op = value.getDefiningOp(); op && makesTileOfScalars(op))
    return 0;
  if (!isa<FloatType>(type.getElementType()))
    return counted == Counted::Floats || isIndex(value)
               ? 0
               : countIntegers(type, getRegisterLayout(type));
  auto [known, isNew] = counts.try_emplace(type);
  if (isNew)
    known->second = countTileRegisters(type, getRegisterLayout(type));
  return known->second;
}

SmallVector<StreamedTile>
tilegpu::findStreamedTiles(Region &body, const target::Target &target) {
  PlacementContext context = {target, lookupNumWarps(&body.front().front()),
                              /*numStages=*/1, /*hasProducts=*/true,
                              [](Value) { return nullptr; }};
  SmallVector<StreamedTile> streamed;
  for (Operation &op : body.getOps()) {
    if (!isa<MmaOp, WgmmaOp>(op))
      continue;
    unsigned steps = getWork(&op, context).chain.matrix;
    for (Value operand : op.getOperands()) {
      Operation *load = operand.getDefiningOp();
      if (steps > 1 && load && operand.hasOneUse() &&
          load->getBlock() == op.getBlock() &&
          getWork(load, context).chain.sharedLoads)
        streamed.push_back({operand, steps});
    }
  }
  return streamed;
}

/// Whether threads need each other for `op`, or may; not for what each computes
/// of its elements, loads and stores.
static bool isOfThreadsTogether(Operation *op) {
  auto isTile = [](Type type) { return isa<RankedTensorType>(type); };
  bool isOfScalars = llvm::none_of(op->getOperandTypes(), isTile) &&
                     llvm::none_of(op->getResultTypes(), isTile) &&
                     isMemoryEffectFree(op);
  return !isOfScalars && !isElementwise(op) && !isView(op) &&
         !makesTileOfScalars(op) && !getGlobalAccess(op);
}

/// Registers into which a thread loads the operands of `product` ahead of its
/// multiply-adds: of each row and column as much of K as one load of 16 bytes
/// has. With fewer, loads wait for each other.
static unsigned countLoadedOperands(MultiplyAddOp product) {
  uint64_t depth = product.getLhs().getType().getShape().back();
  uint64_t loadedBits = 0;
  for (const SharedOperand &operand : product.getSharedOperands()) {
    auto tile = cast<MemDescType>(operand.descriptor.getType());
    uint64_t bits = tile.getElementBits();
    if (operand.registers.map)
      loadedBits +=
          (bits << operand.registers.map->inputBits(layout::Axis::Register)) *
          std::min(depth, 128 / bits) / depth;
  }
  return loadedBits / 32;
}

RegisterPressure::RegisterPressure(Region &body, TileRegisters &tiles,
                                   ElementwiseResults results)
    : results(results) {
  // Each block has a number before its first op's.
  unsigned count = 0;
  for (Block &block : body) {
    together.push_back(count);
    for (Operation &op : block) {
      numbers[&op] = together.size();
      together.push_back(count += isOfThreadsTogether(&op));
    }
  }
  places = together.size();
  for (Block &block : body) {
    for (Value argument : block.getArguments())
      add(argument, tiles);
    for (Operation &op : block)
      for (Value result : op.getResults())
        add(result, tiles);
  }
  behind.assign(places, 0);
  for (const auto &[holder, where] : held)
    for (unsigned op : where.set_bits())
      behind[op] += tiles.count(holder);
  for (Block &block : body)
    for (auto product : block.getOps<MultiplyAddOp>())
      behind[numbers[product]] += countLoadedOperands(product);
}

bool RegisterPressure::isTakenSoon(Value value, Operation *from) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user->getBlock() == from->getBlock() &&
           together[numbers.at(user) - 1] == together[numbers.at(from)] &&
           (!isView(user) || isTakenSoon(user->getResult(0), from));
  });
}

bool RegisterPressure::isComputedLate(Value value) {
  Operation *op = value.getDefiningOp();
  return results == ElementwiseResults::ComputedLate && op &&
         isElementwise(op) && isMemoryEffectFree(op) &&
         !makesTileOfScalars(op) && isTakenSoon(value, op);
}

SmallVector<Value, 2> RegisterPressure::findHolders(Value value,
                                                    TileRegisters &tiles) {
  Value holder = tiles.findHolder(value);
  if (!isComputedLate(holder))
    return tiles.count(holder) ? SmallVector<Value, 2>{holder}
                               : SmallVector<Value, 2>();
  auto [known, isNew] = sources.try_emplace(holder);
  if (!isNew)
    return known->second;
  llvm::SmallSetVector<Value, 2> found;
  for (Value operand : holder.getDefiningOp()->getOperands())
    found.insert_range(findHolders(operand, tiles));
  return sources[holder] = SmallVector<Value, 2>(found.getArrayRef());
}

void RegisterPressure::add(Value value, TileRegisters &tiles) {
  SmallVector<Value, 2> holders = findHolders(value, tiles);
  if (holders.empty())
    return;
  for (LiveRange range : getLiveRanges(value)) {
    bool beginsThere = range.first == value.getDefiningOp();
    bool endsThere = llvm::is_contained(value.getUsers(), range.last) &&
                     !range.last->hasTrait<OpTrait::IsTerminator>();
    for (Value holder : holders) {
      llvm::BitVector &where = held[holder];
      where.resize(places);
      where.set(numbers.at(range.first) - (beginsThere ? 0 : 1),
                numbers.at(range.last) + (endsThere ? 0 : 1));
    }
  }
}

unsigned RegisterPressure::getAt(Operation *op) const {
  unsigned number = numbers.at(op);
  return std::max(behind[number - 1], behind[number]);
}

unsigned RegisterPressure::getAround(Operation *op,
                                     TileRegisters &tiles) const {
  unsigned number = numbers.at(op), around = behind[number - 1];
  llvm::SmallSetVector<Value, 4> ending;
  for (Value operand : op->getOperands())
    ending.insert(tiles.findHolder(operand));
  for (Value holder : ending)
    if (auto found = held.find(holder); found != held.end() &&
                                        found->second.test(number - 1) &&
                                        !found->second.test(number))
      around -= tiles.count(holder);
  return around;
}

unsigned RegisterPressure::getMost() const {
  return behind.empty() ? 0 : *llvm::max_element(behind);
}

unsigned RegisterPressure::getMost(Block &block) const {
  unsigned most = 0;
  for (Operation &op : block)
    most = std::max(most, getAt(&op));
  return most;
}

void RegisterPressure::spare(Value holder, unsigned registers,
                             MutableArrayRef<unsigned> places) const {
  if (auto found = held.find(holder); found != held.end())
    for (unsigned place : found->second.set_bits())
      places[place] -= registers;
}

unsigned RegisterPressure::getMostWithout(ArrayRef<Value> holders,
                                          TileRegisters &tiles) const {
  SmallVector<unsigned> others = behind;
  for (Value holder : holders)
    spare(holder, tiles.count(holder), others);
  return others.empty() ? 0 : *llvm::max_element(others);
}

unsigned RegisterPressure::getMostStreaming(ArrayRef<StreamedTile> streamed,
                                            TileRegisters &tiles) const {
  SmallVector<unsigned> others = behind;
  for (const StreamedTile &tile : streamed) {
    unsigned all = tiles.count(tile.value);
    spare(tile.value, all - 2 * all / std::max(2u, tile.steps), others);
  }
  return others.empty() ? 0 : *llvm::max_element(others);
}

bool RegisterPressure::isHeldAt(Value holder, Operation *op) const {
  auto found = held.find(holder);
  return found != held.end() && found->second.test(numbers.at(op));
}
