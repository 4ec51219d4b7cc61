// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says when the ops of a loop run in its software pipeline: copies to shared
// memory (CopiesAhead), or loads into registers where a target has none
// (LoadsAhead), and what they need, run iterations ahead of what uses them.

#include "dialects/Target/Device.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/Analysis/GridStride.h"
#include "passes/TileGPU/CopiesAhead.h"
#include "passes/TileGPU/LoadsAhead.h"
#include "passes/TileGPU/LoopSchedule.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/TileReleases.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_SCHEDULELOOPS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void remarkOn(scf::ForOp loop, bool isPassed, const Twine &text) {
  auto options =
      remark::RemarkOpts::name("software-pipeline")
          .category("loop")
          .function(loop->getParentOfType<FunctionOpInterface>().getName());
  if (isPassed)
    remark::passed(loop.getLoc(), options) << text.str();
  else
    remark::missed(loop.getLoc(), options) << text.str();
}

struct ScheduleLoops : tilegpu::impl::ScheduleLoopsBase<ScheduleLoops> {
  using ScheduleLoopsBase::ScheduleLoopsBase;

  void runOnOperation() override {
    const target::Target *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      bool hasOwnWarps =
          specializeWarps ||
          llvm::is_contained(specializedFunctions, function.getName());
      specializes =
          hasOwnWarps && target->has(target::Capability::SetMaxRegisters);
      usesBulk = (hasOwnWarps || bulkCopies ||
                  llvm::is_contained(bulkFunctions, function.getName())) &&
                 target->has(target::Capability::BulkTensorCopy);
      moreBytes.clear();
      hasSpecialized = false;
      mostBytes = ringBytes = 0;
      // Inner loops first: what they are given, those around them lack.
      function.walk([&](scf::ForOp loop) {
        if (!isScheduled(loop) && !loop->getParentOfType<WarpSpecializeOp>())
          schedule(loop, SharedMemoryBudget(function, *target), *target);
      });
    }
  }

private:
  /// CTAs that the launch gives a multiprocessor; 0 where that is not known.
  unsigned countLaunchedCtas(scf::ForOp loop, const target::Target &target) {
    if (ctasPerMultiprocessor)
      return ctasPerMultiprocessor;
    std::optional<int64_t> programs = findGridStride(loop);
    return programs ? llvm::divideCeil(
                          *programs,
                          target::getDefaultDevice(target).multiprocessors)
                    : 0;
  }

  void schedule(scf::ForOp loop, const SharedMemoryBudget &budget,
                const target::Target &target) {
    unsigned wanted = getMostStages(loop, numStages);
    if (wanted < 2)
      return;
    if (hasRing(loop))
      return remarkOn(loop, /*isPassed=*/false,
                      "iterations of this loop overlap by the warps alone that "
                      "run the copies in it");
    std::optional<StringRef> togetherFor = specializes
                                               ? findWhyTogether(loop, wanted)
                                               : std::optional<StringRef>("");
    CopiesAhead scheduler(loop, target, countLaunchedCtas(loop, target),
                          /*acquires=*/!togetherFor);
    if (!scheduler.hasCopies()) {
      // CUDA's assembler unrolls streaming loops, for which no copies were
      // chosen either.
      if (!target.has(target::Capability::CpAsync) || !tt::isStreaming(loop))
        loadAhead(loop, wanted, budget, target);
      return;
    }
    if (std::optional<StringRef> obstacle = scheduler.findObstacle())
      return remarkOn(loop, /*isPassed=*/false,
                      "iterations of this loop do not overlap: " + *obstacle);
    int64_t beside =
        togetherFor ? ringBytes : countBytesBesideRing(loop, scheduler, budget);
    int64_t inner =
        countInnerBytes(loop) + (usesBulk ? barrierBytes : 0) + beside;
    CopiesAhead::Depth depth =
        scheduler.findDepth(wanted, budget, inner, overlapProducts);
    if (!togetherFor && depth.hasLateProducts &&
        !isa<FunctionOpInterface>(loop->getParentOp())) {
      togetherFor = "it is inside of another loop, and has waits for tiles of "
                    "the next iteration";
      scheduler.releaseByBarriers();
    }
    unsigned stages = depth.stages;
    if (stages < 2)
      return remarkOn(loop, /*isPassed=*/false,
                      "iterations of this loop do not overlap: shared memory "
                      "has no room for its tiles twice");
    // Threads' copies would bring a barrier to loops that have none.
    if (stages > 2 && !usesBulk)
      scheduler.copyNumbers();
    StringRef late =
        depth.hasLateProducts
            ? ", with products under the arithmetic of the next iteration"
            : "";
    remarkOn(loop, /*isPassed=*/stages == wanted,
             stages == wanted
                 ? "this loop is a software pipeline of " + Twine(stages) +
                       " stages" + late
                 : "this loop has " + Twine(stages) + " stages" + late +
                       " where " + Twine(wanted) +
                       " are asked for: tiles of more would leave a "
                       "multiprocessor fewer programs, or find no room in "
                       "shared memory");
    int64_t taken = inner - beside + scheduler.countBytesBeyond(depth);
    int64_t bytes = scheduler.countBytes(depth);
    if (unsigned tiles = usesBulk ? scheduler.useBulkCopies(depth) : 0) {
      loop = scheduler.getLoop();
      // Threads that copy anyhow bring numbers too.
      if (scheduler.hasCopies()) {
        int64_t numbers = stages * scheduler.copyNumbers();
        taken += numbers;
        bytes += numbers;
      }
      remarkOn(loop, /*isPassed=*/true,
               "bulk copies bring " + Twine(tiles) + " tiles of this loop");
    } else if (specializes && !togetherFor) {
      togetherFor = "no tile of it comes by bulk copies";
    }
    hasSpecialized |= !togetherFor;
    (togetherFor ? mostBytes : ringBytes) =
        togetherFor ? std::max(mostBytes, bytes) : bytes;
    if (specializes && togetherFor)
      remarkOn(loop, /*isPassed=*/false,
               "no warps of their own run copies of this loop: " +
                   *togetherFor);
    moreBytes[scheduler.schedule(depth)] = taken;
  }

  /// Whether products of the loop may be in flight behind it that are waited
  /// for elsewhere: when its last tiles are done with is not known then.
  static bool leavesProducts(scf::ForOp loop) {
    return llvm::any_of(loop.getResults(), [&](Value result) {
      return isa<PendingType>(result.getType()) &&
             llvm::any_of(result.getUsers(), [&](Operation *user) {
               return !isa<WgmmaWaitOp>(user) ||
                      user->getBlock() != loop->getBlock();
             });
    });
  }

  /// Whether warps of their own run copies in the loop.
  static bool hasRing(scf::ForOp loop) {
    return loop
        .walk([](BulkCopyOp copy) {
          return findAcquire(copy) ? WalkResult::interrupt()
                                   : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Why copies of the loop cannot be run by other warps than what reads them;
  /// nothing where they can.
  std::optional<StringRef> findWhyTogether(scf::ForOp loop,
                                           unsigned stages) const {
    scf::ForOp outermost = getOutermostLoop(loop);
    if (!isa<FunctionOpInterface>(outermost->getParentOp()))
      return "it is inside of a branch";
    if (outermost != loop && leavesProducts(loop))
      return "it is inside of another loop, which carries its products on";
    if (lookupNumWarps(loop) > mostConsumers)
      return "a program has no more warps";
    if (stages > mostStages)
      return "it has more stages than the order of agents is followed for";
    // Its buffers would have to wait for the other loop's readers.
    if (hasSpecialized)
      return "an earlier loop of the function has them";
    return std::nullopt;
  }

  /// `wanted` stages: loads of as many iterations less one are on their way.
  void loadAhead(scf::ForOp loop, unsigned wanted,
                 const SharedMemoryBudget &budget,
                 const target::Target &target) {
    LoadsAhead loads(loop, target, budget);
    if (!loads.hasLoads())
      return;
    if (std::optional<StringRef> obstacle = loads.findObstacle())
      return remarkOn(loop, /*isPassed=*/false,
                      "iterations of this loop do not overlap: " + *obstacle);
    int distance = loads.plan(wanted - 1);
    if (target.has(target::Capability::CpAsync) && !loads.pay())
      return;
    if (distance < 1)
      return remarkOn(loop, /*isPassed=*/false,
                      "iterations of this loop do not overlap: a thread has no "
                      "registers for what would be loaded ahead");
    std::string text =
        "loads of this loop are issued " + std::to_string(distance) + " of " +
        std::to_string(wanted - 1) + " iterations ahead, into registers";
    if (unsigned leftOut = loads.countLeftOut())
      text += ", but for " + std::to_string(leftOut) +
              " that a thread has no registers for";
    remarkOn(loop, distance + 1u == wanted && !loads.countLeftOut(), text);
    if (distance == 1) {
      moreBytes[loop] = loads.schedule(distance);
      return;
    }
    // Loaded several iterations ahead they would be moved from register to
    // register, and a move waits for what is loaded: as many iterations become
    // one, in which their loads for the next such one have their own.
    auto function = loop->getParentOfType<FunctionOpInterface>();
    loop = unroll(loop, distance);
    if (!loop)
      return;
    SharedMemoryBudget budgetNow(function, target);
    LoadsAhead several(loop, target, budgetNow);
    if (!several.findObstacle() && several.plan(1) == 1)
      moreBytes[loop] = several.schedule(/*distance=*/1);
  }

  /// The loop of which an iteration is so many of `loop`; null where there are
  /// no more iterations than that.
  static scf::ForOp unroll(scf::ForOp loop, int iterations) {
    if (!loop.getStaticTripCount()) {
      // The number of iterations is divided as one that is not negative.
      OpBuilder builder(loop);
      loop.setUpperBound(arith::MaxSIOp::create(
          builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound()));
    }
    FailureOr<UnrolledLoopInfo> unrolled = loopUnrollByFactor(loop, iterations);
    return succeeded(unrolled) && unrolled->mainLoopOp ? *unrolled->mainLoopOp
                                                       : scf::ForOp();
  }

  /// What pipelines in the loop, of which one runs at a time, will take beyond
  /// what they take now.
  int64_t countInnerBytes(scf::ForOp loop) const {
    int64_t most = 0;
    for (auto [inner, bytes] : moreBytes)
      if (loop->isProperAncestor(inner))
        most = std::max(most, bytes);
    return most;
  }

  /// Bytes that a loop must leave whose buffers live as long as the function,
  /// beyond those that live in the loop itself: what is elsewhere wants room at
  /// the same time.
  int64_t countBytesBesideRing(scf::ForOp loop, CopiesAhead &scheduler,
                               const SharedMemoryBudget &budget) const {
    int64_t most = 0;
    loop->getParentOfType<FunctionOpInterface>().walk([&](Operation *op) {
      if (!loop->isAncestor(op))
        most = std::max(most, budget.getTakenBytes(op));
    });
    return std::max(mostBytes + restBytes,
                    most - scheduler.countBytesBeside(budget));
  }

  /// Of the mbarriers of a loop's stages, rounded up.
  static constexpr int64_t barrierBytes = 256;
  /// Stages whose buffers AgentHazards tells apart, and soon.
  static constexpr unsigned mostStages = 8;
  /// Warps beside which four more may run.
  static constexpr unsigned mostConsumers = 16;
  /// What is left for the rest of a function beside tiles that live throughout
  /// it: conversions are in rounds then.
  static constexpr int64_t restBytes = 8192;
  /// By loop that has a schedule: bytes of its further buffers, and of those of
  /// the loops in it.
  llvm::MapVector<Operation *, int64_t> moreBytes;
  /// Whether bulk copies are to bring tiles of the function, and warps of their
  /// own to run them.
  bool usesBulk = false, specializes = false;
  /// Whether a loop of the function has copies for warps of their own.
  bool hasSpecialized = false;
  /// Of the tiles of its buffers, which live as long as the function, and the
  /// most of those of other loops.
  int64_t ringBytes = 0, mostBytes = 0;
};

} // namespace
