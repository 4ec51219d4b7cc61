// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives every allocation in shared memory its offset, by liveness over the
// control-flow graph, and by the barriers that shared bytes would cost.

#include "dialects/Target/Target.h"
#include "dialects/TileGPU/TileGPU.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "passes/Analysis/Occupancy.h"
#include "passes/Analysis/SharedLiveness.h"
#include "passes/TileGPU/BarrierPlacement.h"
#include "passes/TileGPU/OffsetPlan.h"
#include "passes/TileGPU/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_ALLOCATESHAREDMEMORY
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// Two tiles which never live at once, yet whose accesses would need another
/// barrier if they had bytes in common.
struct CostlyPair {
  unsigned a, b;
  /// What the barrier costs; see SharedMemoryHazards::Gap.
  uint64_t price;
};

/// The tiles of a function and which of them should be apart.
class Interference {
public:
  Interference(FunctionOpInterface function, const SharedLiveness &liveness)
      : function(function), liveness(liveness),
        required(liveness.getAllocations().size()) {
    for (LocalAllocOp op : liveness.getAllocations()) {
      MemDescType type = op.getType();
      tiles.push_back(
          {type.getSizeInBytes(),
           type.getEncoding().getAlignmentBytes(type.getElementBits())});
    }
    for (unsigned a = 0; a < tiles.size(); ++a)
      for (unsigned b = 0; b < a; ++b)
        if (liveness.liveTogether(a, b))
          required.add(a, b);
    findCostlyPairs();
  }

  OffsetPlan planSmallest() const { return planOffsets(tiles, required); }

  /// A plan, and what became of the costly pairs.
  struct Choice {
    OffsetPlan plan;
    /// Pairs that may share bytes all the same, and what keeping them apart
    /// too would have taken; 0 where all are apart.
    size_t given = 0;
    int64_t bytesApart = 0;
  };

  /// The plan that keeps apart as many of the costly pairs as `budget` bytes
  /// allow, the dearest first.
  Choice planWithin(int64_t budget) const {
    OffsetPlan apart = planApart(costly.size());
    if (apart.bytes <= budget)
      return {std::move(apart)};
    // More pairs do not always take more bytes, yet nearly so.
    size_t fits = 0, exceeds = costly.size();
    OffsetPlan best = planSmallest();
    while (fits + 1 < exceeds) {
      size_t middle = (fits + exceeds) / 2;
      OffsetPlan plan = planApart(middle);
      if (plan.bytes <= budget) {
        fits = middle;
        best = std::move(plan);
      } else {
        exceeds = middle;
      }
    }
    return {std::move(best), costly.size() - fits, apart.bytes};
  }

  /// Bytes if no tile shared any with another.
  int64_t sumOfBytes() const {
    int64_t sum = 0;
    for (const TileSize &tile : tiles)
      sum = llvm::alignTo(sum, tile.alignment) + tile.bytes;
    return sum;
  }

private:
  OffsetPlan planApart(size_t pairs) const {
    TilePairs apart = required;
    for (const CostlyPair &pair : ArrayRef(costly).take_front(pairs))
      apart.add(pair.a, pair.b);
    return planOffsets(tiles, apart);
  }

  /// Barriers are placed as if all tiles were apart. What these do not order
  /// would need one more.
  void findCostlyPairs() {
    llvm::DenseMap<LocalAllocOp, unsigned> numbers;
    llvm::DenseMap<LocalAllocOp, int64_t> offsets;
    int64_t end = 0;
    for (auto [number, op] : llvm::enumerate(liveness.getAllocations())) {
      numbers[op] = number;
      offsets[op] = end;
      end += tiles[number].bytes;
    }
    SharedMemoryHazards hazards(
        function, [&](LocalAllocOp op) { return offsets.at(op); });
    BarrierChoice barriers = placeBarriers(hazards).barriers;
    bool oneWarp = lookupNumWarps(function) == 1;
    std::map<std::pair<unsigned, unsigned>, uint64_t> prices;
    hazards.forEachUnordered(
        barriers, oneWarp ? Ordering::Warp : Ordering::Cta,
        [&](const SharedAccess &first, const SharedAccess &second,
            uint64_t price, bool inFlight) {
          auto [a, b] = std::minmax(numbers.at(first.allocation),
                                    numbers.at(second.allocation));
          if (a == b || required.contains(a, b))
            return;
          // No barrier orders what a copy in flight writes.
          if (inFlight)
            return required.add(a, b);
          uint64_t &known = prices[{a, b}];
          known = std::max(known, price);
        });
    for (auto [pair, price] : prices)
      if (!required.contains(pair.first, pair.second))
        costly.push_back({pair.first, pair.second, price});
    // The dearest first, others in the order of their tiles.
    llvm::sort(costly, [](const CostlyPair &a, const CostlyPair &b) {
      return std::tuple(b.price, a.a, a.b) < std::tuple(a.price, b.a, b.b);
    });
  }

  FunctionOpInterface function;
  const SharedLiveness &liveness;
  std::vector<TileSize> tiles;
  TilePairs required;
  std::vector<CostlyPair> costly;
};

struct AllocateSharedMemory
    : tilegpu::impl::AllocateSharedMemoryBase<AllocateSharedMemory> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    const target::Target *target = requireTarget(module);
    if (!target)
      return signalPassFailure();
    for (auto function : module.getOps<FunctionOpInterface>())
      if (!function.isExternal() && failed(allocate(function, *target)))
        return signalPassFailure();
  }

private:
  static LogicalResult allocate(FunctionOpInterface function,
                                const target::Target &target) {
    SharedLiveness liveness(function);
    ArrayRef<LocalAllocOp> allocations = liveness.getAllocations();
    OffsetPlan plan;
    if (!allocations.empty()) {
      Interference interference(function, liveness);
      plan = interference.planSmallest();
      if (plan.bytes > target.sharedMemoryLimit)
        return diagnose(function, liveness, plan.bytes, target);
      int64_t budget =
          Occupancy(function, target).getBytesOfSameCount(plan.bytes);
      Interference::Choice choice = interference.planWithin(budget);
      plan = std::move(choice.plan);
      remarkBytes(function, plan.bytes, interference.sumOfBytes(),
                  allocations.size());
      if (choice.given)
        remarkSharing(function, choice, budget);
    }
    Builder builder(function.getContext());
    for (auto [op, offset] : llvm::zip_equal(allocations, plan.offsets))
      LocalAllocOp(op).setOffset(offset);
    function->setAttr(TileGPUDialect::sharedBytesAttrName,
                      builder.getI32IntegerAttr(plan.bytes));
    return success();
  }

  static void remarkBytes(FunctionOpInterface function, int64_t bytes,
                          int64_t sum, unsigned tiles) {
    auto options = remark::RemarkOpts::name("shared-bytes")
                       .category("shared-memory")
                       .function(function.getName());
    remark::passed(function.getLoc(), options)
        << (Twine(bytes) + " bytes of shared memory for " + Twine(tiles) +
            " tiles of " + Twine(sum) + " bytes in '" + function.getName() +
            "'")
               .str();
  }

  static void remarkSharing(FunctionOpInterface function,
                            const Interference::Choice &choice,
                            int64_t budget) {
    auto options = remark::RemarkOpts::name("shared-for-barriers")
                       .category("shared-memory")
                       .function(function.getName());
    remark::missed(function.getLoc(), options)
        << ("tiles share bytes of shared memory, which may cost barriers, in "
            "'" +
            function.getName() + "': apart they would take " +
            Twine(choice.bytesApart) + " bytes, more than the " +
            Twine(budget) +
            " with which a multiprocessor runs as many programs at a time")
               .str();
  }

  static LogicalResult diagnose(FunctionOpInterface function,
                                const SharedLiveness &liveness, int64_t total,
                                const target::Target &target) {
    ArrayRef<LocalAllocOp> allocations = liveness.getAllocations();
    auto getBytes = [&](unsigned number) {
      return LocalAllocOp(allocations[number]).getType().getSizeInBytes();
    };
    SmallVector<unsigned> live = liveness.getLiveAt(liveness.getPeak());
    llvm::sort(live, [&](unsigned a, unsigned b) {
      return std::pair(getBytes(b), a) < std::pair(getBytes(a), b);
    });
    LocalAllocOp largest = allocations[live.front()];
    InFlightDiagnostic diagnostic =
        largest.emitError("expects the kernel's tiles to fit the ")
        << target.sharedMemoryLimit << " bytes of shared memory of "
        << StringRef(target.name) << ", but got " << total
        << " bytes in function '" << function.getName()
        << "'; use smaller tiles or fewer stages";
    diagnostic.attachNote(largest.getLoc())
        << "the largest tile here takes " << getBytes(live.front())
        << " bytes: " << largest.getType();
    for (unsigned number : ArrayRef(live).drop_front().take_front(3)) {
      LocalAllocOp other = allocations[number];
      diagnostic.attachNote(other.getLoc())
          << "beside it lives one of " << getBytes(number)
          << " bytes: " << other.getType();
    }
    return diagnostic;
  }
};

} // namespace
