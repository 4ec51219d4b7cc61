// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/Occupancy.h"

#include "dialects/TileGPU/TileGPU.h"
#include "passes/TileGPU/LiveRanges.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;

/// A thread needs some registers besides its tiles: addresses, a counter.
static constexpr unsigned otherRegisters = 16;

/// Registers of a thread that hold a tile; 0 for what is no tile of floats.
static unsigned countRegisters(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !isa<FloatType>(type.getElementType()) ||
      !getRegisterLayout(type))
    return 0;
  if (Operation *op = value.getDefiningOp();
      op && op->hasTrait<OpTrait::ConstantLike>())
    return 0;
  unsigned held = 1u << toLinearLayout(type).inputBits(Axis::Register);
  return llvm::divideCeil(held * type.getElementTypeBitWidth(), 32);
}

namespace {
/// Sums what lives at each op of a function's blocks.
class PressureCount {
public:
  explicit PressureCount(FunctionOpInterface function) {
    Region &body = function.getFunctionBody();
    unsigned next = 0;
    for (Block &block : body)
      for (Operation &op : block)
        numbers[&op] = next++;
    changes.assign(next + 1, 0);
    for (Block &block : body) {
      for (Value argument : block.getArguments())
        add(argument);
      for (Operation &op : block)
        for (Value result : op.getResults())
          add(result);
    }
  }

  unsigned getMost() const {
    int64_t most = 0, now = 0;
    for (int64_t change : changes)
      most = std::max(most, now += change);
    return most;
  }

private:
  void add(Value value) {
    unsigned registers = countRegisters(value);
    if (!registers)
      return;
    for (LiveRange range : getLiveRanges(value)) {
      changes[numbers.at(range.first)] += registers;
      changes[numbers.at(range.last) + 1] -= registers;
    }
  }

  llvm::DenseMap<Operation *, unsigned> numbers;
  /// By how much more lives at an op than at the one before.
  SmallVector<int64_t> changes;
};
} // namespace

unsigned tilegpu::countTileRegisters(FunctionOpInterface function) {
  return PressureCount(function).getMost();
}

Occupancy::Occupancy(FunctionOpInterface function, const target::Target &target)
    : Occupancy(target, lookupNumWarps(function),
                countTileRegisters(function)) {}

Occupancy::Occupancy(const target::Target &target, unsigned warps,
                     unsigned registers)
    : target(target) {
  warps = std::max(1u, warps);
  unsigned ofThread =
      std::min(target.registersPerThread, registers + otherRegisters);
  unsigned byRegisters = target.registersPerMultiprocessor /
                         (warps * target::Target::warpSize * ofThread);
  mostCtas = std::min({target.maxCtasPerMultiprocessor,
                       target.maxWarpsPerMultiprocessor / warps,
                       std::max(1u, byRegisters)});
}

unsigned Occupancy::countCtas(int64_t sharedBytes) const {
  if (sharedBytes > target.sharedMemoryLimit)
    return 0;
  int64_t taken = sharedBytes + target.sharedMemoryReservedPerCta;
  if (taken == 0)
    return mostCtas;
  return std::min<int64_t>(mostCtas,
                           target.sharedMemoryPerMultiprocessor / taken);
}

int64_t Occupancy::getBytesOfSameCount(int64_t sharedBytes) const {
  unsigned ctas = std::max(1u, countCtas(sharedBytes));
  int64_t most = target.sharedMemoryPerMultiprocessor / ctas -
                 target.sharedMemoryReservedPerCta;
  return std::max(sharedBytes,
                  std::min<int64_t>(most, target.sharedMemoryLimit));
}
