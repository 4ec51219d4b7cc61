// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/Agents.h"

#include "passes/Analysis/Occupancy.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using target::Capability;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void tilegpu::emitNamedBarrier(Emitter &emitter, Value id, unsigned numWarps) {
  NVVM::BarrierOp::create(emitter.builder, emitter.location, TypeRange(), id,
                          emitter.constant(numWarps * target::Target::warpSize),
                          NVVM::BarrierReductionAttr(),
                          /*reductionPredicate=*/Value());
}

void tilegpu::emitAgentBarrier(Emitter &emitter) {
  std::optional<Agent> agent =
      lookupAgent(emitter.builder.getInsertionBlock()->getParent());
  if (!agent || agent->isAlone())
    NVVM::Barrier0Op::create(emitter.builder, emitter.location);
  else
    emitNamedBarrier(emitter, emitter.constant(agent->barrierId()),
                     agent->numWarps);
}

void tilegpu::emitClusterBarrier(OpBuilder &builder, Location location) {
  UnitAttr aligned = builder.getUnitAttr();
  NVVM::ClusterArriveOp::create(builder, location, aligned);
  NVVM::ClusterWaitOp::create(builder, location, aligned);
}

LogicalResult tilegpu::verifyAgentBarrier(Operation *op) {
  std::optional<Agent> agent = lookupAgent(op);
  if (!agent || agent->isAlone() || agent->numWarps == 1 || agent->barrierId())
    return success();
  return op->emitOpError("expects a barrier of its agent's own (run "
                         "tilegpu-allocate-named-barriers first)");
}

NamedBarrierWarps::NamedBarrierWarps(ModuleOp module) {
  module.walk([&](NamedBarrierOp barrier) {
    unsigned arriving = 0, waiting = 0;
    for (Operation *user : barrier->getUsers())
      (isa<BarrierArriveOp>(user) ? arriving : waiting) = lookupNumWarps(user);
    for (Operation *user : barrier->getUsers())
      warps[user] = arriving + waiting;
  });
}

namespace {

/// Lower tilegpu.named_barrier to its number.
struct LowerNamedBarrier : TileGPUPattern<NamedBarrierOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(NamedBarrierOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getId())
      return op.emitOpError("expects an id (run "
                            "tilegpu-allocate-named-barriers first)");
    Emitter emitter(rewriter, op.getLoc());
    rewriter.replaceOp(op, emitter.constant(*op.getId()));
    return success();
  }
};

/// Base of the patterns of what uses named barriers.
template <typename OpT>
struct LowerBarrierUse : TileGPUPattern<OpT> {
  LowerBarrierUse(const TileGPUTypeConverter &converter,
                  const target::Target &target, const NamedBarrierWarps &warps)
      : TileGPUPattern<OpT>(converter, target), warps(warps) {}

  const NamedBarrierWarps &warps;
};

/// Lower tilegpu.barrier_arrive to bar.arrive. NVVM's own op becomes inline
/// PTX, which LLVM does not know to concern all lanes.
struct LowerBarrierArrive : LowerBarrierUse<BarrierArriveOp> {
  using LowerBarrierUse::LowerBarrierUse;

  LogicalResult
  matchAndRewrite(BarrierArriveOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc());
    Value threads =
        emitter.constant(warps.lookup(op) * target::Target::warpSize);
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op,
        rewriter.getStringAttr("llvm.nvvm.barrier.cta.arrive.aligned.count"),
        ValueRange{adaptor.getBarrier().front(), threads});
    return success();
  }
};

/// Lower tilegpu.barrier_wait to bar.sync.
struct LowerBarrierWait : LowerBarrierUse<BarrierWaitOp> {
  using LowerBarrierUse::LowerBarrierUse;

  LogicalResult
  matchAndRewrite(BarrierWaitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc());
    emitNamedBarrier(emitter, adaptor.getBarrier().front(), warps.lookup(op));
    rewriter.eraseOp(op);
    return success();
  }
};

/// Gives the blocks of tilegpu.warp_specialize their arguments' LLVM types.
struct ConvertAgentBlocks : TileGPUPattern<WarpSpecializeOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(WarpSpecializeOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    for (Region &region : op.getAgents())
      if (failed(rewriter.convertRegionTypes(&region, converter)))
        return rewriter.notifyMatchFailure(op, "a block argument has no type");
    rewriter.modifyOpInPlace(op, [] {});
    return success();
  }
};

} // namespace

void tilegpu::populateAgentPatterns(const TileGPUTypeConverter &converter,
                                    const target::Target &target,
                                    const NamedBarrierWarps &warps,
                                    RewritePatternSet &patterns) {
  patterns.add<LowerNamedBarrier, ConvertAgentBlocks>(converter, target);
  patterns.add<LowerBarrierArrive, LowerBarrierWait>(converter, target, warps);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// The op of `function` whose agents have registers of their own, the first
/// one; null where there is none.
static WarpSpecializeOp findRegisters(FunctionOpInterface function) {
  for (auto op : function.getFunctionBody().getOps<WarpSpecializeOp>())
    if (op.getRegisters())
      return op;
  return {};
}

/// Registers of all threads.
static unsigned sumRegisters(WarpSpecializeOp op) {
  unsigned sum = 0;
  for (auto [warps, registers] :
       llvm::zip_equal(op.getWarps(), *op.getRegisters()))
    sum += warps * target::Target::warpSize * registers;
  return sum;
}

unsigned tilegpu::getRegistersAtEntry(FunctionOpInterface function,
                                      const target::Target &target) {
  unsigned threads = lookupNumWarps(function) * target::Target::warpSize;
  unsigned most = target.maxRegistersOf(threads);
  WarpSpecializeOp op = findRegisters(function);
  if (!op) {
    auto limit =
        function->getAttrOfType<IntegerAttr>(TileGPUDialect::registersAttrName);
    return std::min(most, limit ? unsigned(limit.getInt())
                                : getRegistersOfOccupancy(function, target));
  }
  if (!target.has(Capability::SetMaxRegisters))
    return most;
  // In eights, as agents' own (PTX ISA, "setmaxnreg").
  return std::min<unsigned>(
      most, llvm::divideCeil(sumRegisters(op), threads * 8) * 8);
}

LogicalResult tilegpu::verifyAgents(ModuleOp module,
                                    const target::Target &target) {
  if (!target.has(Capability::SetMaxRegisters))
    return success();
  for (auto function : module.getOps<FunctionOpInterface>()) {
    WarpSpecializeOp first = findRegisters(function);
    if (!first)
      continue;
    // More could not be had by moving them: warps would wait for ever.
    unsigned threads = lookupNumWarps(function) * target::Target::warpSize;
    unsigned most =
        threads * std::min<unsigned>(256, target.registersPerMultiprocessor /
                                              threads / 8 * 8);
    if (unsigned sum = sumRegisters(first); sum > most)
      return first.emitOpError("expects agents with no more than the ")
             << most << " registers that " << threads << " threads can have on "
             << StringRef(target.name) << " in sum, but got " << sum;
    for (auto op : function.getFunctionBody().getOps<WarpSpecializeOp>())
      if (op != first && op.getRegisters())
        return op.emitOpError("expects one tilegpu.warp_specialize of a "
                              "function to name registers, but got several");
  }
  return success();
}

/// Has the thread's warps, which have `from` registers, go on with `to`.
static void emitSetRegisters(OpBuilder &builder, Location location,
                             unsigned from, unsigned to) {
  if (from == to)
    return;
  NVVM::SetMaxRegisterOp::create(builder, location, to,
                                 to > from
                                     ? NVVM::SetMaxRegisterAction::increase
                                     : NVVM::SetMaxRegisterAction::decrease);
}

//===----------------------------------------------------------------------===//
// Agents
//===----------------------------------------------------------------------===//

/// Whether the op concerns other CTAs of the cluster by itself, with no barrier
/// of the cluster for it.
static bool reachesOtherCtas(Operation *op) {
  auto isShared = [](Value map) {
    return cast<TensorMapType>(map.getType()).getCtas() > 1;
  };
  if (auto copy = dyn_cast<BulkCopyOp>(op))
    return llvm::any_of(copy.getMaps(), isShared);
  if (auto arrive = dyn_cast<MbarrierArriveOp>(op))
    return arrive.getCtas() > 1;
  auto wait = dyn_cast<MbarrierWaitOp>(op);
  return wait && wait.getCtas() > 1;
}

ClusterMeetings::ClusterMeetings(ModuleOp module) {
  module.walk([&](Operation *op) {
    if (reachesOtherCtas(op))
      ops.insert(op->getParentOfType<WarpSpecializeOp>());
  });
}

namespace {

/// Turns one op into branches.
class AgentLowering {
public:
  AgentLowering(WarpSpecializeOp op, const target::Target &target,
                bool meetsCluster)
      : op(op), function(op->getParentOfType<LLVM::LLVMFuncOp>()), builder(op),
        movesRegisters(op.getRegisters() &&
                       target.has(Capability::SetMaxRegisters)),
        meetsCluster(meetsCluster) {}

  void run() {
    emitMeeting();
    Value warp = Emitter(builder, op.getLoc()).warpId();
    Operation *next = op->getNextNode();
    endsFunction = isa<LLVM::ReturnOp>(next);
    Block *block = op->getBlock(), *after = block->splitBlock(next);
    builder.setInsertionPointToStart(after);
    emitMeeting();
    for (const Agent &agent : getAgents(op)) {
      Block *entry = &agent.region().front();
      endAgent(agent, after);
      function.getBody().getBlocks().splice(after->getIterator(),
                                            agent.region().getBlocks());
      block = branchTo(entry, agent, block, warp);
    }
    op.erase();
  }

private:
  /// Has all warps wait for each other, those of the cluster where its CTAs
  /// reach for each other: they have begun then, with their mbarriers, and none
  /// has ended.
  void emitMeeting() {
    if (meetsCluster)
      emitClusterBarrier(builder, op.getLoc());
    else
      NVVM::Barrier0Op::create(builder, op.getLoc());
  }

  unsigned registersAtEntry() {
    return function
        ->getAttrOfType<IntegerAttr>(NVVM::NVVMDialect::getMaxnregAttrName())
        .getInt();
  }

  /// Sets the agent's registers, and lets its ends branch to `after`.
  void endAgent(const Agent &agent, Block *after) {
    unsigned own = movesRegisters ? (*op.getRegisters())[agent.number] : 0;
    for (Block &block : agent.region()) {
      auto end = dyn_cast<AgentReturnOp>(block.back());
      if (!end)
        continue;
      builder.setInsertionPoint(end);
      // Whoever ends the function with fewer needs no more.
      if (movesRegisters && !endsFunction)
        emitSetRegisters(builder, end.getLoc(), own, registersAtEntry());
      LLVM::BrOp::create(builder, end.getLoc(), ValueRange(), after);
      end.erase();
    }
    builder.setInsertionPointToStart(&agent.region().front());
    if (movesRegisters)
      emitSetRegisters(builder, op.getLoc(), registersAtEntry(), own);
  }

  /// Ends `block` with a branch of the agent's warps to `entry`; the block of
  /// the others.
  Block *branchTo(Block *entry, const Agent &agent, Block *block, Value warp) {
    if (block == op->getBlock())
      builder.setInsertionPoint(op);
    else
      builder.setInsertionPointToEnd(block);
    if (agent.number + 1 == op->getNumRegions()) {
      LLVM::BrOp::create(builder, op.getLoc(), ValueRange(), entry);
      return nullptr;
    }
    Emitter emitter(builder, op.getLoc());
    Value isAgent = LLVM::ICmpOp::create(
        builder, op.getLoc(), LLVM::ICmpPredicate::ult, warp,
        emitter.constant(agent.firstWarp + agent.numWarps));
    Block *others = new Block;
    function.getBody().getBlocks().insert(entry->getIterator(), others);
    LLVM::CondBrOp::create(builder, op.getLoc(), isAgent, entry, others);
    return others;
  }

  WarpSpecializeOp op;
  LLVM::LLVMFuncOp function;
  OpBuilder builder;
  bool movesRegisters, meetsCluster, endsFunction = false;
};

} // namespace

void tilegpu::lowerAgents(ModuleOp module, const target::Target &target,
                          const ClusterMeetings &meetings) {
  SmallVector<WarpSpecializeOp> ops;
  module.walk([&](WarpSpecializeOp op) { ops.push_back(op); });
  for (WarpSpecializeOp op : ops)
    AgentLowering(op, target, meetings.contain(op)).run();
}
