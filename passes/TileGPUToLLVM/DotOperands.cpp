// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/DotOperands.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;

/// (batch, row, column) of a flat output; the batch is 0 in rank 2.
static std::array<uint64_t, 3> splitFlat(const LinearLayout &layout,
                                         uint64_t flat) {
  std::array<uint64_t, 3> coordinates = {0, 0, 0};
  unsigned rank = layout.outputs().size();
  for (unsigned dim = 0; dim < rank; ++dim) {
    Axis axis = Axis::coordinate(dim);
    coordinates[3 - rank + dim] =
        flat >> layout.outputOffset(axis) &
        ((uint64_t(1) << layout.outputBits(axis)) - 1);
  }
  return coordinates;
}

unsigned DotRegisters::Operand::find(Coordinates coordinates) const {
  for (unsigned dim = 0; dim < 3; ++dim)
    coordinates[dim] &= mask[dim];
  auto it = registers.find(coordinates);
  assert(it != registers.end() && "create() compared the layouts");
  return it->second;
}

DotRegisters::Operand DotRegisters::getOperand(const LinearLayout &layout) {
  Operand operand;
  uint64_t all = (uint64_t(1) << layout.totalOutputBits()) - 1;
  operand.mask = splitFlat(layout, all);
  unsigned count = 1u << layout.inputBits(Axis::Register);
  for (unsigned index = 0; index < count; ++index)
    operand.registers.try_emplace(splitFlat(layout, layout.apply(index)),
                                  index);
  return operand;
}

/// In every thread, the parts of two layouts that the lane and the warp give
/// are the same in a dimension of each.
static bool areThreadsEqual(const LinearLayout &a, unsigned dimA,
                            const LinearLayout &b, unsigned dimB,
                            ArrayRef<Axis> inputs) {
  for (Axis input : inputs) {
    if (a.inputBits(input) != b.inputBits(input))
      return false;
    for (unsigned bit = 0; bit < a.inputBits(input); ++bit)
      if (splitFlat(a, a.column(input, bit))[dimA] !=
          splitFlat(b, b.column(input, bit))[dimB])
        return false;
  }
  return true;
}

/// Lanes and registers hold K of both operands in the same way.
static bool haveSameK(const LinearLayout &lhs, const LinearLayout &rhs) {
  auto collect = [](const LinearLayout &layout, unsigned dim) {
    std::vector<uint64_t> held;
    for (unsigned bit = 0; bit < layout.inputBits(Axis::Register); ++bit)
      if (uint64_t k =
              splitFlat(layout, layout.column(Axis::Register, bit))[dim])
        held.push_back(k);
    llvm::sort(held);
    return held;
  };
  return collect(lhs, 2) == collect(rhs, 1) &&
         areThreadsEqual(lhs, 2, rhs, 1, {Axis::Lane, Axis::Warp});
}

std::optional<DotRegisters> DotRegisters::create(const LinearLayout &lhs,
                                                 const LinearLayout &rhs,
                                                 const LinearLayout &result) {
  const Axis warps[] = {Axis::Warp};
  if (!areThreadsEqual(lhs, 0, result, 0, warps) ||
      !areThreadsEqual(rhs, 0, result, 0, warps) ||
      !areThreadsEqual(lhs, 1, result, 1, warps) ||
      !areThreadsEqual(rhs, 2, result, 2, warps))
    return std::nullopt;
  DotRegisters registers;
  registers.lhs = getOperand(lhs);
  registers.rhs = getOperand(rhs);
  registers.result = getOperand(result);
  unsigned count = 1u << result.inputBits(Axis::Register);
  for (unsigned index = 0; index < count; ++index) {
    auto [batch, row, column] = splitFlat(result, result.apply(index));
    registers.resultCoordinates.push_back({batch, row, column});
  }
  for (const auto &[coordinates, index] : registers.lhs.registers)
    registers.laneK.push_back(coordinates[2]);
  llvm::sort(registers.laneK);
  registers.laneK.erase(llvm::unique(registers.laneK), registers.laneK.end());
  registers.sameK = haveSameK(lhs, rhs);
  return registers;
}

unsigned DotRegisters::findResult(const DotCoordinate &coordinate) const {
  return result.find({coordinate.batch, coordinate.row, coordinate.column});
}

unsigned DotRegisters::findLhs(uint64_t batch, uint64_t row, uint64_t k) const {
  return lhs.find({batch, row, k});
}

unsigned DotRegisters::findRhs(uint64_t batch, uint64_t k,
                               uint64_t column) const {
  return rhs.find({batch, k, column});
}
