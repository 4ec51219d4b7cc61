// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/Occupancy.h"

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Analysis/Liveness.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;

/// Registers are given to a warp in units of 256, eight for each lane, and a
/// thread needs some besides its tiles: addresses, a counter, a predicate.
static constexpr unsigned registerUnit = 8, otherRegisters = 16;

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

unsigned tilegpu::countTileRegisters(FunctionOpInterface function) {
  Liveness liveness(function);
  unsigned most = 0;
  for (Block &block : function.getFunctionBody()) {
    const LivenessBlockInfo *info = liveness.getLiveness(&block);
    llvm::SmallDenseSet<Value> live;
    unsigned count = 0;
    auto add = [&](Value value) {
      if (live.insert(value).second)
        count += countRegisters(value);
    };
    for (Value value : info->out())
      add(value);
    for (Operation &op : llvm::reverse(block)) {
      for (Value result : op.getResults())
        add(result);
      most = std::max(most, count);
      for (Value result : op.getResults())
        if (live.erase(result))
          count -= countRegisters(result);
      for (Value operand : op.getOperands())
        add(operand);
      most = std::max(most, count);
    }
  }
  return most;
}

Occupancy::Occupancy(FunctionOpInterface function, const target::Target &target)
    : Occupancy(target, lookupNumWarps(function),
                countTileRegisters(function)) {}

Occupancy::Occupancy(const target::Target &target, unsigned warps,
                     unsigned registers)
    : target(target) {
  warps = std::max(1u, warps);
  unsigned ofThread = std::min<unsigned>(
      target.registersPerThread,
      llvm::alignTo(registers + otherRegisters, registerUnit));
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
