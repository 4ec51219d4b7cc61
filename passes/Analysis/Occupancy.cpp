// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/Occupancy.h"

#include "dialects/TileGPU/Agents.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "passes/Analysis/RegisterPressure.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// A thread needs some registers besides its tiles: addresses, a counter.
static constexpr unsigned otherRegisters = 16;

/// More registers than the tiles take, since several elements are computed at a
/// time. So it is, at the median, for 597 kernels on sm_80.
unsigned tilegpu::estimateRegisters(unsigned tileRegisters) {
  return tileRegisters + std::min(tileRegisters / 2, 32u);
}

/// Registers of a thread that hold tiles where most of them live, in structured
/// loops and branches too.
static unsigned countMost(Region &region, TileRegisters &registers) {
  RegisterPressure pressure(region, registers);
  unsigned most = pressure.getMost();
  for (Operation &op : region.getOps())
    if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op))
      for (Region &inner : op.getRegions())
        most = std::max(most, pressure.getAround(&op, registers) +
                                  countMost(inner, registers));
  return most;
}

static unsigned countMost(FunctionOpInterface function,
                          TileRegisters registers) {
  unsigned tiles = 0;
  for (Region *region : getAgentRegions(function))
    tiles = std::max(tiles, countMost(*region, registers));
  return tiles;
}

/// The same in a graph of blocks, if products take what is loaded for them step
/// by step, as an assembler has it that may take no more.
static unsigned countMostStreaming(FunctionOpInterface function,
                                   TileRegisters &registers,
                                   const target::Target &target) {
  unsigned most = 0;
  for (Region *region : getAgentRegions(function)) {
    RegisterPressure pressure(*region, registers);
    most = std::max(most, pressure.getMostStreaming(
                              findStreamedTiles(*region, target), registers));
  }
  return most;
}

/// Registers of a thread at launch, besides addresses and counters, if its
/// agents' threads hold at most `registers`: agents with registers of their own
/// share what they are in sum.
static unsigned getRegistersAtLaunch(FunctionOpInterface function,
                                     const target::Target &target,
                                     unsigned registers) {
  if (!target.has(target::Capability::SetMaxRegisters))
    return registers;
  for (auto op : function.getFunctionBody().getOps<WarpSpecializeOp>()) {
    if (!op.getRegisters())
      continue;
    unsigned sum = 0, warps = 0;
    for (auto [count, own] :
         llvm::zip_equal(op.getWarps(), *op.getRegisters())) {
      sum += count * own;
      warps += count;
    }
    unsigned mean = llvm::divideCeil(sum, std::max(1u, warps));
    return mean - std::min(mean, otherRegisters);
  }
  return registers;
}

bool tilegpu::fitAgentRegisters(FunctionOpInterface function) {
  TileRegisters tiles;
  for (auto op : function.getFunctionBody().getOps<WarpSpecializeOp>()) {
    if (!op.getRegisters())
      continue;
    for (auto [agent, own] :
         llvm::zip_equal(op.getAgents(), *op.getRegisters()))
      if (countMost(agent, tiles) > unsigned(own))
        return false;
  }
  return true;
}

Occupancy::Occupancy(FunctionOpInterface function, const target::Target &target)
    : Occupancy(function, target,
                estimateRegisters(countMost(function, TileRegisters()))) {}

Occupancy::Occupancy(FunctionOpInterface function, const target::Target &target,
                     unsigned registers)
    : Occupancy(target, lookupNumWarps(function),
                getRegistersAtLaunch(function, target, registers)) {}

Occupancy::Occupancy(const target::Target &target, unsigned numWarps,
                     unsigned tileRegisters)
    : target(target), warps(std::max(1u, numWarps)),
      registers(std::min(target.registersPerThread,
                         tileRegisters + otherRegisters)) {}

unsigned tilegpu::countCtas(const target::Target &target, unsigned warps,
                            unsigned registers, int64_t sharedBytes) {
  if (sharedBytes > target.sharedMemoryLimit)
    return 0;
  // Threads are given registers in eights.
  unsigned given = llvm::alignTo(std::max(1u, registers), 8);
  unsigned byRegisters = target.registersPerMultiprocessor /
                         (warps * target::Target::warpSize * given);
  unsigned most = std::min({target.maxCtasPerMultiprocessor,
                            target.maxWarpsPerMultiprocessor / warps,
                            std::max(1u, byRegisters)});
  int64_t taken = sharedBytes + target.sharedMemoryReservedPerCta;
  if (taken == 0)
    return most;
  return std::min<int64_t>(most, target.sharedMemoryPerMultiprocessor / taken);
}

unsigned Occupancy::countCtas(int64_t sharedBytes) const {
  return tilegpu::countCtas(target, warps, registers, sharedBytes);
}

unsigned Occupancy::getMostRegisters(int64_t sharedBytes) const {
  unsigned threads = warps * target::Target::warpSize;
  return target.maxRegistersOf(threads * std::max(1u, countCtas(sharedBytes)));
}

int64_t Occupancy::getMostBytes(unsigned ctas) const {
  int64_t most = target.sharedMemoryPerMultiprocessor / std::max(1u, ctas) -
                 target.sharedMemoryReservedPerCta;
  return std::min<int64_t>(most, target.sharedMemoryLimit);
}

int64_t Occupancy::getBytesOfSameCount(int64_t sharedBytes) const {
  return std::max(sharedBytes, getMostBytes(countCtas(sharedBytes)));
}

/// What an assembler needs besides tiles, addresses and counters so as not to
/// spill: fitted on the same kernels.
static constexpr unsigned scratchRegisters = 20;

/// Whether nothing but other CTAs hides that threads wait, in blocks that run:
/// for memory, since no loop loads ahead and no product takes long, and for
/// each other. Long functions need more registers than tiles say, for calls in
/// their rare cases: rotary embeddings that compute their angles spilled 560
/// bytes.
static bool hidesByOccupancy(FunctionOpInterface function,
                             function_ref<bool(Block &)> runs) {
  // First what most functions are told by: it takes least.
  WalkResult others = function->walk([](Operation *op) {
    return WalkResult(
        failure(isa<tt::DotOp, MmaOp, MultiplyAddOp, WarpSpecializeOp,
                    AsyncStepOpInterface, math::SinOp, math::CosOp, math::TanOp,
                    math::SincosOp, tt::ExternElementwiseOp>(op)));
  });
  if (others.wasInterrupted())
    return false;
  Region &body = function.getFunctionBody();
  DominanceInfo dominance(function);
  std::optional<CFGLoopInfo> loops;
  if (!body.hasOneBlock())
    loops.emplace(dominance.getDomTree(&body));
  bool waits = false;
  for (Block &block : body) {
    bool isInLoop = loops && loops->getLoopFor(&block);
    bool hasBarrier = !block.getOps<BarrierOp>().empty();
    if (!(isInLoop || hasBarrier) || !runs(block))
      continue;
    if (isInLoop)
      return false;
    waits = true;
  }
  return waits;
}

/// Registers of a thread that hold tiles where most of them live, if what is
/// elementwise is computed late, in blocks that run.
static unsigned countHeld(FunctionOpInterface function,
                          TileRegisters &registers,
                          function_ref<bool(Block &)> runs) {
  RegisterPressure pressure(function.getFunctionBody(), registers,
                            ElementwiseResults::ComputedLate);
  unsigned most = 0;
  for (Block &block : function.getFunctionBody())
    if (runs(block))
      most = std::max(most, pressure.getMost(block));
  return most;
}

unsigned tilegpu::getRegistersOfOccupancy(FunctionOpInterface function,
                                          const target::Target &target,
                                          function_ref<bool(Block &)> runs) {
  TileRegisters data(TileRegisters::Counted::Data);
  auto attr =
      function->getAttrOfType<IntegerAttr>(TileGPUDialect::sharedBytesAttrName);
  int64_t shared = attr ? attr.getInt() : 0;
  auto limit = [&](unsigned tiles, unsigned least) {
    return std::max(Occupancy(function, target, tiles).getMostRegisters(shared),
                    least);
  };
  // Scalars count nowhere. Half of the warps that a multiprocessor can hold are
  // enough to hide what loops and products leave, or else three quarters.
  unsigned ofAllWarps =
      target.registersPerMultiprocessor /
      (target.maxWarpsPerMultiprocessor * target::Target::warpSize);
  unsigned registers =
      limit(countMostStreaming(function, data, target) + scratchRegisters,
            2 * ofAllWarps);
  if (!hidesByOccupancy(function, runs))
    return registers;
  return std::min(registers, limit(countHeld(function, data, runs),
                                   llvm::alignDown(ofAllWarps * 4 / 3, 8)));
}

/// Whether the block loads from global memory into registers, and does not
/// multiply tiles.
static bool onlyLoads(Block &block) {
  return !block.getOps<tt::LoadOp>().empty() &&
         llvm::none_of(block, [](Operation &op) { return hasProducts(&op); });
}

/// Registers of the loads of a short loop, addresses included, that CUDA's
/// assembler has together as it unrolls the loop by four; 0 where it does not,
/// or cannot move loads of one iteration past what another one does.
static unsigned countUnrolledLoads(CFGLoop &loop, TileRegisters &tiles) {
  constexpr unsigned factor = 4, addressRegisters = 2, mostOps = 96;
  unsigned registers = 0, ops = 0;
  for (Block *block : loop.getBlocks())
    for (Operation &op : block->without_terminator()) {
      auto load = dyn_cast<tt::LoadOp>(op);
      if (++ops > mostOps || !(load || isMemoryEffectFree(&op)))
        return 0;
      if (load)
        registers +=
            addressRegisters + std::max(tiles.count(load.getResult()), 1u);
    }
  return loop.isInnermost() ? factor * registers : 0;
}

unsigned tilegpu::countRegistersOfLoads(FunctionOpInterface function) {
  Region &body = function.getFunctionBody();
  if (body.hasOneBlock())
    return 0;
  DominanceInfo dominance(function);
  CFGLoopInfo loops(dominance.getDomTree(&body));
  SmallVector<Block *> loading;
  for (Block &block : body)
    if (loops.getLoopFor(&block) && onlyLoads(block))
      loading.push_back(&block);
  if (loading.empty())
    return 0;
  TileRegisters data(TileRegisters::Counted::Data);
  // As loads are all held until something takes them that is not elementwise.
  RegisterPressure pressure(body, data, ElementwiseResults::ComputedLate);
  unsigned most = 0;
  for (Block *block : loading)
    most = std::max({most, pressure.getMost(*block),
                     countUnrolledLoads(*loops.getLoopFor(block), data)});
  return most ? most + otherRegisters : 0;
}
