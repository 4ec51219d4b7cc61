// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/LoopMemory.h"

#include "dialects/Tile/Tile.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

static bool isPointer(Value value) {
  return isa<tt::PointerType>(getElementTypeOrSelf(value.getType()));
}

/// What `pointers` may have been computed from in one step; nothing where that
/// is not known.
static SmallVector<Value> listSteps(Value pointers) {
  auto argument = dyn_cast<BlockArgument>(pointers);
  Operation *op =
      argument ? argument.getOwner()->getParentOp() : pointers.getDefiningOp();
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    OpOperand *init = argument ? loop.getTiedLoopInit(argument)
                               : loop.getTiedLoopInit(cast<OpResult>(pointers));
    BlockArgument carried =
        init ? loop.getTiedLoopRegionIterArg(init) : BlockArgument();
    OpOperand *yielded =
        carried ? loop.getTiedLoopYieldedValue(carried) : nullptr;
    if (!yielded)
      return {};
    return {init->get(), yielded->get()};
  }
  if (argument || !isPure(op))
    return {};
  return SmallVector<Value>(
      llvm::make_filter_range(op->getOperands(), isPointer));
}

/// The kernel's argument that a pointer, or a tile of them, was computed from;
/// null where that is not known, or may be several.
static Value findBase(Value pointers) {
  llvm::SmallSetVector<Value, 8> values;
  values.insert(pointers);
  Value base;
  for (size_t next = 0; next < values.size(); ++next) {
    Value value = values[next];
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument &&
        isa<FunctionOpInterface>(argument.getOwner()->getParentOp())) {
      if (base && base != value)
        return {};
      base = value;
      continue;
    }
    SmallVector<Value> steps = listSteps(value);
    if (steps.empty())
      return {};
    values.insert(steps.begin(), steps.end());
  }
  return base;
}

//===----------------------------------------------------------------------===//
// Tiles that do not meet
//===----------------------------------------------------------------------===//

namespace {
/// A dimension of a tile in memory: its stride, in elements, and its size.
struct Extent {
  int64_t stride, size;

  /// The largest difference of two places.
  int64_t reach() const { return std::abs(stride) * (size - 1); }
};
} // namespace

static int64_t sumReach(ArrayRef<Extent> extents) {
  int64_t sum = 0;
  for (const Extent &extent : extents)
    sum += extent.reach();
  return sum;
}

/// Whether two tiles of these extents, the widest stride first, of which one
/// lies `distance` behind the other, have an element in common.
static bool meet(ArrayRef<Extent> extents, int64_t distance) {
  if (extents.empty())
    return distance == 0;
  auto [stride, size] = extents.front();
  ArrayRef<Extent> others = extents.drop_front();
  int64_t reach = sumReach(others);
  if (stride == 0)
    return meet(others, distance);
  // |distance - steps * stride| is at most what the others reach.
  int64_t width = std::abs(stride);
  int64_t first =
      std::max(1 - size, llvm::divideCeilSigned(distance - reach, width));
  int64_t last =
      std::min(size - 1, llvm::divideFloorSigned(distance + reach, width));
  for (int64_t steps = first; steps <= last; ++steps)
    if (meet(others, distance - steps * width))
      return true;
  return false;
}

/// The extents of a tile, or none of one pointer; nothing where strides are not
/// constant.
static std::optional<SmallVector<Extent>> listExtents(Value pointers,
                                                      const IndexTile &tile) {
  SmallVector<Extent> extents;
  auto type = dyn_cast<RankedTensorType>(pointers.getType());
  for (auto [dim, step] : llvm::enumerate(tile.steps)) {
    std::optional<int64_t> stride = step.getConstant();
    if (!type || !stride)
      return std::nullopt;
    extents.push_back({*stride, type.getDimSize(dim)});
  }
  llvm::stable_sort(extents, [](const Extent &a, const Extent &b) {
    return std::abs(a.stride) > std::abs(b.stride);
  });
  return extents;
}

/// What `sum` grows by from one iteration of the loop to the next; nothing
/// where that is no constant.
static std::optional<int64_t>
findGrowth(const IndexSum &sum, const IndexSums &sums, scf::ForOp loop) {
  int64_t growth = 0;
  for (const auto &[factors, coefficient] : sum.products) {
    bool varies = llvm::any_of(factors, [&](unsigned factor) {
      return sums.getFactor(factor).loop == loop;
    });
    if (varies && factors.size() > 1)
      return std::nullopt;
    if (varies)
      growth = coefficient;
  }
  return growth;
}

/// Of one pointer, none.
static ArrayRef<int64_t> getShape(Value pointers) {
  auto type = dyn_cast<RankedTensorType>(pointers.getType());
  return type ? type.getShape() : ArrayRef<int64_t>();
}

/// Whether a later iteration may read of what one writes: tiles of the same
/// form, at the same place but for a constant and the iteration's number, are
/// compared for each number of iterations in between that brings them together.
bool LoopWrites::mayMeet(Value read, const Write &write) {
  constexpr int64_t mostDistances = 1024;
  if (!loop || !write.pointers || getShape(read) != getShape(write.pointers))
    return true;
  std::optional<PointerTile> from = sums.getPointers(write.pointers);
  std::optional<PointerTile> to = sums.getPointers(read);
  if (!from || !to || from->base != to->base ||
      from->offsets.steps != to->offsets.steps)
    return true;
  auto extents = listExtents(read, to->offsets);
  auto apart = (to->offsets.first - from->offsets.first).getConstant();
  auto growth = findGrowth(to->offsets.first, sums, loop);
  if (!extents || !apart || !growth)
    return true;
  int64_t reach = sumReach(*extents);
  std::optional<APInt> iterations = loop.getStaticTripCount();
  for (int64_t later = 1; !iterations || iterations->ugt(later); ++later) {
    int64_t distance = *apart + later * *growth;
    if (meet(*extents, distance) || later == mostDistances)
      return true;
    bool isLeaving = *growth > 0 ? distance > reach : distance < -reach;
    if (isLeaving || *growth == 0)
      return false;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// LoopWrites
//===----------------------------------------------------------------------===//

/// Whether `op` itself writes something that is not what the programs of a
/// cluster give to each other, which is in no global memory.
static bool writesMemory(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::any_of(
      instances, [](const MemoryEffects::EffectInstance &effect) {
        return isa<MemoryEffects::Write>(effect.getEffect()) &&
               effect.getResource() != tile::ClusterResource::get();
      });
}

/// Whether `op`, which is no access that is known, may write anything, or
/// synchronise with other programs by global memory.
static bool mayDoAnything(Operation *op) {
  if (auto barrier = dyn_cast<BarrierOp>(op))
    return !barrier.getShared();
  if (isa<tilegpu::TileGPUDialect>(op->getDialect()))
    return false;
  // Inline assembly, for one.
  bool isKnown = isa<MemoryEffectOpInterface>(op) ||
                 op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
  return !isKnown || writesMemory(op);
}

LoopWrites::LoopWrites(Operation *of) : loop(dyn_cast<scf::ForOp>(of)) {
  of->walk([&](Operation *op) {
    // What is in it is looked at op by op.
    if (op == of)
      return;
    std::optional<GlobalAccess> access = getGlobalAccess(op);
    if (access && (access->isWrite || access->isAtomic)) {
      Value base = findBase(access->pointers);
      isUnknown |= !base;
      // By atomic accesses other programs are told something.
      writes.push_back({base, access->isAtomic ? Value() : access->pointers});
      return;
    }
    isAnything |= !access && mayDoAnything(op);
  });
}

bool LoopWrites::mayReach(ArrayRef<Value> reads) {
  if (isAnything || isUnknown)
    return true;
  return !writes.empty() && llvm::any_of(reads, [&](Value pointers) {
    Value base = findBase(pointers);
    return !base || llvm::any_of(writes, [&](const Write &write) {
      return write.base == base && mayMeet(pointers, write);
    });
  });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Whether `op` may access what `base` points at, or tell other programs of it.
static bool mayAccess(Operation *op, Value base) {
  if (auto map = dyn_cast<TensorMapOp>(op))
    return map.getBase() == base;
  std::optional<GlobalAccess> access = getGlobalAccess(op);
  if (!access)
    return mayDoAnything(op);
  Value own = findBase(access->pointers);
  return access->isAtomic || !own || own == base;
}

bool tilegpu::accessAlone(Operation *function, Value base,
                          ArrayRef<Operation *> stores) {
  return !function
              ->walk([&](Operation *op) {
                bool isOther = op != function && op->getNumRegions() == 0 &&
                               !llvm::is_contained(stores, op);
                return isOther && mayAccess(op, base) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
              })
              .wasInterrupted();
}
