// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Has kernels wait for the launch before them by themselves, as late as their
// accesses to memory let them, so that what comes before is done while that
// launch ends.

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "passes/TileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_OVERLAPLAUNCHES
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

/// Whether the op, or one inside of it, may access other memory than shared.
static bool mayAccessGlobalMemory(Operation &op) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(&op);
  return !effects ||
         llvm::any_of(*effects,
                      [](const MemoryEffects::EffectInstance &effect) {
                        return !isa<SharedMemoryResource, NamedBarrierResource>(
                            effect.getResource());
                      });
}

namespace {
struct OverlapLaunches : tilegpu::impl::OverlapLaunchesBase<OverlapLaunches> {
  using OverlapLaunchesBase::OverlapLaunchesBase;

  void runOnOperation() override {
    const target::Target *target =
        target::lookup(lookupTargetName(getOperation()));
    if (!target || !target->has(target::Capability::GridDependencyControl))
      return;
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      insertWait(function);
      if (ctasPerMultiprocessor == 1) {
        launchDependents(function);
        takeThirdOfSharedMemory(function, *target);
      }
    }
  }

private:
  /// All threads wait, on every path: what follows this launch may read what
  /// the one before has written.
  static void insertWait(FunctionOpInterface function) {
    Block &entry = function.getFunctionBody().front();
    auto first =
        llvm::find_if(entry.without_terminator(), mayAccessGlobalMemory);
    insert(*first, NVVM::GridDepActionKind::wait);
  }

  /// Of agents the first says so, which computes: those that copy are done
  /// iterations earlier, and those of their warps that copy nothing at once.
  static void launchDependents(FunctionOpInterface function) {
    Region *body = &function.getFunctionBody();
    for (auto op : function.getFunctionBody().getOps<WarpSpecializeOp>())
      body = &op.getAgents().front();
    for (Block &block : *body)
      if (block.hasNoSuccessors())
        insert(findEnd(block), NVVM::GridDepActionKind::launch_dependents);
  }

  /// From where on a block that returns computes and writes alone.
  static Operation &findEnd(Block &block) {
    Operation *end = &block.front();
    for (Operation &op : block.without_terminator()) {
      bool reads = hasEffect<MemoryEffects::Read>(&op) && getGlobalAccess(&op);
      if (reads || isa<NVVM::GriddepcontrolOp>(op))
        end = op.getNextNode();
    }
    return *end;
  }

  /// So that at most two CTAs fit a multiprocessor, one of this launch and one
  /// of the next, which begins when the first multiprocessors are free. With
  /// room for more they would take several CTAs each, and others none. Launches
  /// that use no shared memory take as much: the sums of split products begin
  /// 1 us earlier so (docs/Hopper.md).
  static void takeThirdOfSharedMemory(FunctionOpInterface function,
                                      const target::Target &target) {
    StringRef name = TileGPUDialect::sharedBytesAttrName;
    auto bytes = function->getAttrOfType<IntegerAttr>(name);
    int64_t third = target.sharedMemoryPerMultiprocessor / 3;
    if (bytes && bytes.getInt() < third)
      function->setAttr(name, IntegerAttr::get(bytes.getType(), third));
  }

  static void insert(Operation &before, NVVM::GridDepActionKind kind) {
    OpBuilder builder(&before);
    NVVM::GriddepcontrolOp::create(builder, before.getLoc(), kind);
  }
};
} // namespace
