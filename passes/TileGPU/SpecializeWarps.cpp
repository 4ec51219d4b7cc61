// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives bulk copies that wait for the readers of their tiles at mbarriers warps
// of their own: the function's body becomes two agents, of which one copies and
// the other computes.

#include "dialects/TileGPU/Agents.h"
#include "dialects/TileGPU/SharedAccess.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/TileGPU/CopyingAgent.h"
#include "passes/TileGPU/DeadLoopValues.h"
#include "passes/TileGPU/LoopSchedule.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/TileReleases.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_SPECIALIZEWARPS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// `setmaxnreg` speaks to four warps.
constexpr int32_t warpsOfGroup = 4;

/// Warps that copy beside `warps` that compute: a group, which gives those its
/// registers, or one where they are no groups.
int32_t countCopyingWarps(int32_t warps) {
  return warps % warpsOfGroup == 0 ? warpsOfGroup : 1;
}

/// Registers of a thread at the function's entry that CUDA's assembler asks for
/// to compile its widest product, though those that compute have more by then:
/// those of the sums, and some (13.0: with 256 columns and fewer than 154,
/// C7602 is an error).
int32_t countRegistersOfProducts(FunctionOpInterface function) {
  constexpr int32_t others = 26;
  int32_t most = 0;
  function.walk([&](WgmmaOp product) {
    auto type =
        cast<RankedTensorType>(product.getResult().getType().getTensor());
    int32_t rows = 64, threads = warpsOfGroup * target::Target::warpSize;
    int32_t elements =
        rows * cast<WgmmaAttr>(type.getEncoding()).getN() / threads;
    int32_t bits = type.getElementTypeBitWidth();
    most = std::max(most, elements * bits / 32 + others);
  });
  return most;
}

/// Registers of a thread that computes, and of one that copies.
struct AgentRegisters {
  int32_t computing, copying;
};

/// Those that copy need some for addresses and coordinates, the fewest that
/// there are; those that compute get what these leave of as many CTAs as a
/// multiprocessor may have by its threads' registers, in eights. On the average
/// a thread has `needed` at least.
AgentRegisters shareRegisters(int32_t warps, int32_t needed,
                              const target::Target &target) {
  constexpr int32_t most = 240, step = 8, fewest = 24;
  int32_t all = warps + warpsOfGroup, threads = all * target::Target::warpSize;
  auto countAtEntry = [&](int32_t ctas) {
    return int32_t(target.registersPerMultiprocessor) / (ctas * threads) /
           step * step;
  };
  // At 128 registers of each thread.
  int32_t ctas =
      std::max<int32_t>(1, target.registersPerMultiprocessor / (threads * 128));
  while (ctas > 1 && countAtEntry(ctas) < needed)
    --ctas;
  int32_t left = countAtEntry(ctas) * all - fewest * warpsOfGroup;
  int32_t computing = std::min(most, left / warps / step * step);
  int32_t missing = needed * all - computing * warps;
  int32_t copying =
      int32_t(llvm::divideCeil(std::max(missing, 0), warpsOfGroup * step)) *
      step;
  return {computing, std::max(copying, fewest)};
}

class FunctionSplit {
public:
  FunctionSplit(FunctionOpInterface function, ArrayRef<BulkCopyOp> copies,
                const target::Target &target)
      : function(function), body(&function.getFunctionBody().front()),
        copies(copies), target(target) {}

  void run(const CopyingAgent &copying) {
    findShared();
    auto op = createAgents();
    OpBuilder builder = OpBuilder::atBlockEnd(&op.getAgents()[1].front());
    copying.write(op.getAgents()[0].front(), builder);
    AgentReturnOp::create(builder, op.getLoc());
    scheduleCopies(op.getAgents()[1]);
    llvm::SmallSetVector<Operation *, 2> scheduled;
    for (BulkCopyOp copy : copies) {
      auto loop = dyn_cast<scf::ForOp>(copy->getParentOp());
      if (loop && isScheduled(loop))
        scheduled.insert(loop);
      findAcquire(copy).erase();
      copy.erase();
    }
    for (Operation *loop : scheduled)
      normalizeSchedule(dropDeadValues(cast<scf::ForOp>(loop)));
  }

private:
  /// Whether all that the op is of are numbers.
  static bool isOfNumbers(Operation *op) {
    auto isTile = [](Type type) {
      return isa<ShapedType, PendingType, TokenType>(type);
    };
    return isPure(op) && op->getNumRegions() == 0 &&
           llvm::none_of(op->getOperandTypes(), isTile) &&
           llvm::none_of(op->getResultTypes(), isTile);
  }

  /// Whether the op makes or undoes an mbarrier that both agents use.
  bool isOfShared(Operation &op) const {
    return shared.contains(op.getOperand(0).getDefiningOp());
  }

  /// Has the loops of the agent that copies run one iteration after the other,
  /// but where late products want tiles of the next iteration before some of
  /// this one: there copies keep their stages. (Attention of 1000 x 3000 by
  /// 128 x 128 tiles of 96 columns on an H200: 47.8 us so, 57 with iterations
  /// one after the other, though the copies are the same, in the same order,
  /// and so are the warps that compute; 53.3 with an iteration's values before
  /// its keys. Of 8192 x 8192, causal: 917, 915, 911.)
  static void scheduleCopies(Region &agent) {
    SmallVector<scf::ForOp> loops;
    agent.walk([&](scf::ForOp loop) {
      if (isScheduled(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      if (isa<scf::ForOp>(loop->getParentOp())) {
        dropSchedule(loop);
        continue;
      }
      loop = dropDeadValues(loop);
      loop->setAttr(TileGPUDialect::bufferedAttrName,
                    UnitAttr::get(loop.getContext()));
      normalizeSchedule(loop);
    }
  }

  /// Finds what stays outside of the agents: memory that both use, and numbers
  /// of arguments.
  void findShared() {
    for (BulkCopyOp copy : copies) {
      for (Value tile : copy.getDestinations())
        shared.insert(findMemory(tile).getDefiningOp());
      shared.insert(findMemory(copy.getBarrier()).getDefiningOp());
      shared.insert(findMemory(findAcquire(copy).getBarrier()).getDefiningOp());
    }
    for (Operation &op : body->without_terminator()) {
      if (isa<MbarrierInitOp>(op) && isOfShared(op))
        shared.insert(&op);
      bool isGiven = llvm::all_of(op.getOperands(), [&](Value operand) {
        Operation *source = operand.getDefiningOp();
        return !source || shared.contains(source);
      });
      if (isOfNumbers(&op) && isGiven)
        shared.insert(&op);
    }
  }

  /// All that is not shared goes to the agent that computes.
  WarpSpecializeOp createAgents() {
    SmallVector<Operation *> moved;
    for (Operation &op : llvm::make_early_inc_range(body->without_terminator()))
      if (isa<MbarrierInvalOp>(op) && isOfShared(op))
        // The function ends, and its memory with it.
        op.erase();
      else if (!shared.contains(&op))
        moved.push_back(&op);
    OpBuilder builder(body->getTerminator());
    int32_t warps = lookupNumWarps(function);
    int32_t copyingWarps = countCopyingWarps(warps);
    DenseI32ArrayAttr registers;
    if (copyingWarps == warpsOfGroup) {
      auto [computing, copying] =
          shareRegisters(warps, countRegistersOfProducts(function), target);
      registers = builder.getDenseI32ArrayAttr({computing, copying});
    }
    auto op = WarpSpecializeOp::create(
        builder, function.getLoc(),
        builder.getDenseI32ArrayAttr({warps, copyingWarps}), registers,
        /*barrier_ids=*/DenseI32ArrayAttr(), /*agentsCount=*/2);
    for (Region &region : op.getAgents())
      region.emplaceBlock();
    Block &computing = op.getAgents()[0].front();
    for (Operation *inner : moved)
      inner->moveBefore(&computing, computing.end());
    builder.setInsertionPointToEnd(&computing);
    AgentReturnOp::create(builder, function.getLoc());
    function->setAttr(TileGPUDialect::numWarpsAttrName,
                      builder.getI32IntegerAttr(warps + copyingWarps));
    return op;
  }

  FunctionOpInterface function;
  Block *body;
  ArrayRef<BulkCopyOp> copies;
  const target::Target &target;
  llvm::SmallPtrSet<Operation *, 32> shared;
};

struct SpecializeWarps : tilegpu::impl::SpecializeWarpsBase<SpecializeWarps> {
  void runOnOperation() override {
    const target::Target *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal() && !hasAgents(function))
        specialize(function, *target);
  }

private:
  static void specialize(FunctionOpInterface function,
                         const target::Target &target) {
    SmallVector<BulkCopyOp> copies;
    function.walk([&](BulkCopyOp copy) {
      if (findAcquire(copy))
        copies.push_back(copy);
    });
    if (copies.empty())
      return;
    CopyingAgent copying(function, copies);
    if (std::optional<StringRef> obstacle = copying.findObstacle())
      return remarkOnObstacle(copies.front(), *obstacle);
    int32_t warps = countCopyingWarps(lookupNumWarps(function));
    remark::passed(copies.front().getLoc(),
                   remark::RemarkOpts::name("specialized-warps")
                       .category("loop")
                       .function(function.getName()))
        << std::to_string(warps) + (warps == 1
                                        ? " warp of its own runs copies"
                                        : " warps of their own run copies");
    FunctionSplit(function, copies, target).run(copying);
  }
};

} // namespace
