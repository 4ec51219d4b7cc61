// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In: agents of which one copies boxes that others read, and how many programs
// are a cluster. Out: what all CTAs of a cluster copy at the same time is cut
// into parts, of which each CTA copies one to all of them, so that it comes
// from the L2 once. Whoever fills a buffer then waits for its readers in all of
// them.

#include "dialects/TileGPU/Agents.h"
#include "dialects/TileGPU/SharedAccess.h"
#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/Analysis/ClusterUniformity.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/TileReleases.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_SHARECOPIES
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// The copies of one function.
class CopySharing {
public:
  CopySharing(FunctionOpInterface function, unsigned ctas)
      : function(function), ctas(ctas), uniformity(function, ctas) {
    function.walk([&](BulkCopyOp copy) { copies.push_back(copy); });
    for (BulkCopyOp copy : copies)
      if (MbarrierWaitOp acquire = findAcquire(copy))
        releases[findMemory(acquire.getBarrier())] = true;
    function.walk([&](MbarrierArriveOp arrive) {
      if (!isAlike(arrive, arrive.getPredicate()))
        releases[findMemory(arrive.getBarrier())] = false;
    });
    for (BulkCopyOp copy : copies)
      for (unsigned number = 0; number < copy.getMaps().size(); ++number)
        maps.try_emplace(copy.getMaps()[number], true).first->second &=
            mayShare(copy, number);
  }

  /// Of so many boxes.
  unsigned countBoxes() const { return maps.size(); }
  /// Those that CTAs can share.
  unsigned countShared() const {
    return llvm::count_if(maps, [](const auto &map) { return map.second; });
  }
  Location getLocation() {
    return copies.empty() ? function.getLoc() : copies.front().getLoc();
  }

  void share();

private:
  /// Whether CTAs come to `op` alike, and then do it alike.
  bool isAlike(Operation *op, Value predicate) const {
    return uniformity.isReachedAlike(op) &&
           (!predicate || uniformity.isUniform(predicate));
  }

  /// Whether all CTAs copy the same box, number `number` of `copy`, at the same
  /// time, and can share it.
  bool mayShare(BulkCopyOp copy, unsigned number) {
    MbarrierWaitOp acquire = findAcquire(copy);
    auto type = cast<TensorMapType>(copy.getMaps()[number].getType());
    return acquire && lookupAgent(copy) &&
           releases.lookup(findMemory(acquire.getBarrier())) &&
           isAlike(copy, copy.getPredicate()) &&
           isAlike(acquire, acquire.getPredicate()) &&
           TensorMapType::mayBeShared(type.getBox(), ctas) &&
           llvm::all_of(copy.getCoordinatesOf(number), [&](Value coordinate) {
             return uniformity.isUniform(coordinate);
           });
  }

  FunctionOpInterface function;
  unsigned ctas;
  ClusterUniformity uniformity;
  SmallVector<BulkCopyOp> copies;
  /// Of mbarriers by which copies wait for readers: whether these arrive alike.
  llvm::DenseMap<Value, bool> releases;
  /// Whether CTAs can share the boxes of a map, all of them.
  llvm::MapVector<Value, bool> maps;
};

} // namespace

void CopySharing::share() {
  MLIRContext *context = function.getContext();
  llvm::DenseSet<Value> ofAll;
  for (BulkCopyOp copy : copies)
    if (llvm::any_of(copy.getMaps(),
                     [&](Value map) { return maps.lookup(map); }))
      ofAll.insert(findMemory(findAcquire(copy).getBarrier()));
  for (auto [map, isShared] : maps)
    if (auto type = cast<TensorMapType>(map.getType()); isShared)
      map.setType(TensorMapType::get(context, type.getBox(),
                                     type.getElementType(),
                                     type.getSwizzleBytes(), ctas));
  auto setCtas = [&](auto op) {
    if (ofAll.contains(findMemory(op.getBarrier())))
      op.setCtas(ctas);
  };
  function.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<MbarrierInitOp, MbarrierArriveOp, MbarrierWaitOp>(setCtas);
  });
  function->setAttr(TileGPUDialect::clusterAttrName,
                    Builder(context).getI32IntegerAttr(ctas));
}

namespace {

struct ShareCopies : tilegpu::impl::ShareCopiesBase<ShareCopies> {
  using ShareCopiesBase::ShareCopiesBase;

  void runOnOperation() override {
    const target::Target *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    if (cluster == 1 || !target->has(target::Capability::Clusters))
      return;
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal())
        share(function);
  }

private:
  void share(FunctionOpInterface function) {
    CopySharing sharing(function, cluster);
    auto options = remark::RemarkOpts::name("clusters")
                       .category("loop")
                       .function(function.getName());
    if (lookupCluster(function) > 1) {
      remark::missed(sharing.getLocation(), options)
          << "nothing is shared in the clusters that there are: their programs "
             "sum over each other";
      return;
    }
    unsigned shared = sharing.countShared();
    if (shared == 0) {
      remark::missed(sharing.getLocation(), options)
          << std::string("there are no clusters: ") +
                 (hasAgents(function)
                      ? "the programs of a cluster copy different tiles"
                      : "no warps of their own copy tiles that it could share");
      return;
    }
    remark::passed(sharing.getLocation(), options)
        << "the programs of a cluster share " + std::to_string(shared) +
               " of " + std::to_string(sharing.countBoxes()) +
               " tiles that they copy";
    sharing.share();
  }
};

} // namespace
