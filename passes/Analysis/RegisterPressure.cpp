// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/RegisterPressure.h"

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/Layout/Conversion.h"
#include "dialects/TileGPU/TileGPU.h"
#include "passes/Analysis/LiveRanges.h"

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

RegisterPressure::RegisterPressure(Region &body, TileRegisters &tiles) {
  // Each block has a number before its first op's.
  for (Block &block : body) {
    ++places;
    for (Operation &op : block)
      numbers[&op] = places++;
  }
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
}

void RegisterPressure::add(Value value, TileRegisters &tiles) {
  Value holder = tiles.findHolder(value);
  if (!tiles.count(holder))
    return;
  llvm::BitVector &where = held[holder];
  where.resize(places);
  for (LiveRange range : getLiveRanges(value)) {
    bool beginsThere = range.first == value.getDefiningOp();
    bool endsThere = llvm::is_contained(value.getUsers(), range.last) &&
                     !range.last->hasTrait<OpTrait::IsTerminator>();
    where.set(numbers.at(range.first) - (beginsThere ? 0 : 1),
              numbers.at(range.last) + (endsThere ? 0 : 1));
  }
}

unsigned RegisterPressure::getAt(Operation *op) const {
  unsigned number = numbers.at(op);
  return std::max(behind[number - 1], behind[number]);
}

unsigned RegisterPressure::getMost() const {
  return behind.empty() ? 0 : *llvm::max_element(behind);
}

unsigned RegisterPressure::getMostWithout(ArrayRef<Value> holders,
                                          TileRegisters &tiles) const {
  SmallVector<unsigned> others = behind;
  for (Value holder : holders)
    if (auto found = held.find(holder); found != held.end())
      for (unsigned op : found->second.set_bits())
        others[op] -= tiles.count(holder);
  return others.empty() ? 0 : *llvm::max_element(others);
}

bool RegisterPressure::isHeldAt(Value holder, Operation *op) const {
  auto found = held.find(holder);
  return found != held.end() && found->second.test(numbers.at(op));
}
