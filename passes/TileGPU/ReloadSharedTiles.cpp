// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads tiles from shared memory again where they are used, where a thread has
// no registers to hold them so long.

#include "dialects/Layout/SharedLayout.h"
#include "dialects/TileGPU/Agents.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "passes/Analysis/BlockFrequency.h"
#include "passes/Analysis/LaunchFrequency.h"
#include "passes/Analysis/Occupancy.h"
#include "passes/Analysis/RegisterPressure.h"
#include "passes/Analysis/SharedLiveness.h"
#include "passes/TileGPU/Passes.h"
#include "passes/TileGPU/SharedTile.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_RELOADSHAREDTILES
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using target::Capability;

namespace {

/// Uses of one tile, before the first of which it is loaded.
struct Reload {
  Operation *before = nullptr;
  SmallVector<OpOperand *> uses;
};

/// How a tile need not be held at some op.
struct Relief {
  /// The value that has the registers.
  Value holder;
  unsigned registers;
  /// How often, roughly, the tile is stored and loaded.
  uint64_t price;
  SmallVector<Reload> reloads;
  /// Whether it is stored to a tile of shared memory of its own before.
  bool isStored = false;
  /// Whether products read it where it was loaded from, all of its uses.
  bool isInPlace = false;
};

/// Relieves one function.
class Reloading {
public:
  Reloading(FunctionOpInterface function, const target::Target &target)
      : function(function), target(target), dominance(function),
        frequency(function), loops(function.getFunctionBody()) {
    unsigned threads = lookupNumWarps(function) * target::Target::warpSize;
    limit = target.maxTileRegistersOf(threads);
    // Pressure is counted from below: rows, masks and addresses of the tiles,
    // and what the assembler moves for products, take more where tiles are
    // many. (Of 1140 kernels for sm_80 six spilled for want of 2 to 16
    // registers.)
    limit -= std::min(limit / 8, 16u);
    int64_t bytes = SharedLiveness(function).getPeakBytes();
    budget = Occupancy(function, target).getBytesOfSameCount(bytes);
  }

  void run() {
    relieveAll();
    // More than seven eighths of all registers would be spilled, and a CTA less
    // is better than that.
    Occupancy occupancy(function, target);
    unsigned threads = lookupNumWarps(function) * target::Target::warpSize;
    if (unsigned ctas = occupancy.countCtas(budget); ctas > 1) {
      limit = std::max(limit, target.maxRegistersOf(threads) / 8 * 7);
      budget = occupancy.getMostBytes(ctas - 1);
      rejected.clear();
      notInPlace.clear();
      hopeless.clear();
      relieveAll();
    }
  }

private:
  void relieveAll() {
    while (relieveSome(RegisterPressure(function.getFunctionBody(), registers)))
      ;
  }

  /// Changes one thing where it helps; false where nothing does.
  bool relieveSome(const RegisterPressure &pressure) {
    while (Operation *peak = findPeak(pressure)) {
      if (relieve(peak, pressure))
        return true;
      hopeless.insert(peak);
    }
    return false;
  }

  /// Where most tiles are held, if these are too many and something may be done
  /// about it. What an op loads or renames counts at its user: between loads
  /// for one user, each could go behind the others without end.
  Operation *findPeak(const RegisterPressure &pressure) {
    Operation *peak = nullptr;
    unsigned most = limit;
    for (Block &block : function.getFunctionBody())
      for (Operation &op : block)
        if (unsigned here = pressure.getAt(&op);
            here > most && !hopeless.contains(&op) && !isa<LocalLoadOp>(op) &&
            !registers.getRenamed(&op)) {
          most = here;
          peak = &op;
        }
    return peak;
  }

  /// Has some tile not be held at `peak`; false if there is none.
  bool relieve(Operation *peak, const RegisterPressure &pressure) {
    unsigned excess = pressure.getAt(peak) - limit;
    std::vector<Relief> reliefs;
    auto consider = [&](Value value) {
      if (pressure.isHeldAt(value, peak) && value.getDefiningOp() != peak &&
          !rejected.contains(value))
        if (std::optional<Relief> relief = plan(value, peak))
          reliefs.push_back(std::move(*relief));
    };
    for (Block &block : function.getFunctionBody()) {
      llvm::for_each(block.getArguments(), consider);
      for (Operation &op : block)
        llvm::for_each(op.getResults(), consider);
    }
    // Those that are loaded least often; of these the smallest that is enough,
    // or else the largest.
    llvm::stable_sort(reliefs, [&](const Relief &a, const Relief &b) {
      bool isEnoughA = a.registers >= excess, isEnoughB = b.registers >= excess;
      if (a.price != b.price)
        return a.price < b.price;
      if (isEnoughA != isEnoughB)
        return isEnoughA;
      return isEnoughA ? a.registers < b.registers : a.registers > b.registers;
    });
    bool isAnyInPlace = false;
    for (const Relief &relief : reliefs) {
      if (apply(relief))
        return true;
      isAnyInPlace |= relief.isInPlace;
    }
    // What may not stay in its place may still be loaded again.
    return isAnyInPlace && relieve(peak, pressure);
  }

  //===--------------------------------------------------------------------===//
  // Plans
  //===--------------------------------------------------------------------===//

  /// The uses of a tile by whatever name, those by renamings left out.
  SmallVector<OpOperand *> collectUses(Value holder) {
    SmallVector<OpOperand *> uses;
    SmallVector<Value> names = {holder};
    for (size_t next = 0; next < names.size(); ++next)
      for (OpOperand &use : names[next].getUses())
        if (registers.getRenamed(use.getOwner()))
          names.push_back(use.getOwner()->getResult(0));
        else
          uses.push_back(&use);
    return uses;
  }

  /// None where `peak` uses the tile in registers, or it cannot be loaded
  /// later.
  std::optional<Relief> plan(Value holder, Operation *peak) {
    Block *home = holder.getParentBlock();
    Relief relief = {holder, registers.count(holder), 0, {}};
    if (isReadableInPlace(holder)) {
      relief.isInPlace = true;
      for (OpOperand &use : holder.getUses()) {
        relief.price += frequency.get(use.getOwner()->getBlock());
        relief.reloads.push_back({use.getOwner(), {&use}});
      }
      return relief;
    }
    // One load in each block, in the peak's own one on either side of it.
    llvm::MapVector<std::pair<Block *, unsigned>, Reload> reloads;
    for (OpOperand *use : collectUses(holder)) {
      Operation *user = use->getOwner();
      if (user == peak)
        return std::nullopt;
      Block *block = user->getBlock();
      bool isBehind = block == peak->getBlock() && peak->isBeforeInBlock(user);
      if (block == home && !isBehind)
        continue;
      Reload &reload = reloads[{block, isBehind}];
      if (!reload.before || user->isBeforeInBlock(reload.before))
        reload.before = user;
      reload.uses.push_back(use);
    }
    for (auto &[place, reload] : reloads) {
      relief.price += frequency.get(place.first);
      relief.reloads.push_back(std::move(reload));
    }
    relief.isStored = !isReloadable(holder, relief);
    if (relief.isStored) {
      // A store and its barrier are worth it for a loop that is inside.
      if (frequency.get(home) >= frequency.get(peak->getBlock()) ||
          !isStorable(holder))
        return std::nullopt;
      relief.price += frequency.get(home);
    }
    return relief;
  }

  /// Whether products alone use the tile, all of which can take it from where
  /// it is loaded from. They read as many bytes there as threads would, and no
  /// registers and no instructions are in between. In a loop the tile might be
  /// written anew while a product is in flight, which has been scheduled as one
  /// that reads registers.
  bool isReadableInPlace(Value holder) {
    auto load = holder.getDefiningOp<LocalLoadOp>();
    return load && !notInPlace.contains(holder) && isUnchangedBehind(load) &&
           !loops.getLoop(load->getBlock()) &&
           llvm::all_of(holder.getUses(), [&](OpOperand &use) {
             auto product = dyn_cast<WgmmaOp>(use.getOwner());
             return product && use.getOperandNumber() == 0 &&
                    findMatrixDescriptor(load.getSource().getType(),
                                         getAccumulator(product),
                                         /*operand=*/0);
           });
  }

  static WgmmaAttr getAccumulator(WgmmaOp product) {
    RankedTensorType result = product.getType().getTensor();
    return cast<WgmmaAttr>(result.getEncoding());
  }

  /// Whether the tile of the load is written before the load alone, on every
  /// way to it. Whatever is behind a write is then behind the load too, so that
  /// no use sees another tile. A copy writes until it is waited for; but one
  /// that is not yet, at the load, is to another buffer of a pipeline, or the
  /// load itself would see it.
  bool isUnchangedBehind(LocalLoadOp load) {
    Value tile = getAllocation(load);
    return !load.getToken() && tile.getDefiningOp<LocalAllocOp>() &&
           isWrittenBefore(tile, load);
  }

  /// Whether the tile may be loaded again from where it was loaded from.
  bool isReloadable(Value holder, const Relief &relief) {
    auto load = holder.getDefiningOp<LocalLoadOp>();
    return load && isUnchangedBehind(load) &&
           (!isCopiedTo(getAllocation(load)) || !isMoreFrequent(relief));
  }

  static Value getAllocation(LocalLoadOp load) {
    Value tile = load.getSource();
    while (Operation *view = getView(tile.getDefiningOp()))
      tile = view->getOperand(0);
    return tile;
  }

  /// Whether the tile would be loaded more often than it is. Of one as copies
  /// lay it out a loop would hold an address for each way in which bits are
  /// swizzled; of one that is stored for these loads, one address.
  bool isMoreFrequent(const Relief &relief) {
    Value holder = relief.holder;
    uint64_t once = frequency.get(holder.getParentBlock());
    return llvm::any_of(relief.reloads, [&](const Reload &reload) {
      return frequency.get(reload.before->getBlock()) > once;
    });
  }

  static bool isCopiedTo(Value allocation) {
    return llvm::any_of(allocation.getUsers(), [](Operation *user) {
      Operation *view = getView(user);
      return isa<AsyncCopyOp>(user) || (view && isCopiedTo(view->getResult(0)));
    });
  }

  /// `op`, if it names a tile of shared memory, or a buffer of it, anew.
  static Operation *getView(Operation *op) {
    return isa_and_nonnull<MemDescTransOp, MemDescIndexOp>(op) ? op : nullptr;
  }

  bool isWrittenBefore(Value allocation, Operation *load) {
    SmallVector<Value> views = {allocation};
    for (size_t next = 0; next < views.size(); ++next)
      for (Operation *user : views[next].getUsers()) {
        if (Operation *view = getView(user))
          views.push_back(view->getResult(0));
        else if (isa<LocalStoreOp, AsyncCopyOp>(user)
                     ? !dominance.properlyDominates(user, load)
                     : !isa<LocalLoadOp, LocalGatherOp, WgmmaOp>(user))
          return false;
      }
    return true;
  }

  static bool isStorable(Value holder) {
    // Not what may still be computed.
    if (!isa<RankedTensorType>(holder.getType()))
      return false;
    unsigned bits = getMemoryBits(getElementTypeOrSelf(holder));
    return bits >= 8 && bits <= 64 && llvm::isPowerOf2_32(bits);
  }

  //===--------------------------------------------------------------------===//
  // Changes
  //===--------------------------------------------------------------------===//

  /// Takes them back where tiles would then live together in shared memory that
  /// take more of it than there is.
  bool apply(const Relief &relief) {
    SmallVector<std::pair<OpOperand *, Value>> changed;
    made.clear();
    Value tile;
    if (relief.isStored)
      tile = store(relief.holder);
    for (const Reload &reload : relief.reloads) {
      OpBuilder builder(reload.before);
      llvm::SmallDenseMap<Value, Value> known;
      for (OpOperand *use : reload.uses) {
        changed.push_back({use, use->get()});
        use->set(relief.isInPlace
                     ? relief.holder.getDefiningOp<LocalLoadOp>().getSource()
                     : load(use->get(), tile, builder, known));
      }
    }
    if (SharedLiveness(function).getPeakBytes() > budget) {
      for (auto [use, value] : changed)
        use->set(value);
      for (Operation *op : llvm::reverse(made))
        op->erase();
      (relief.isInPlace ? notInPlace : rejected).insert(relief.holder);
      return false;
    }
    for (auto [use, value] : changed)
      names.push_back(value);
    eraseUnused();
    return true;
  }

  /// Stores a tile behind its definition, for loads into the same layout.
  Value store(Value holder) {
    auto type = cast<RankedTensorType>(holder.getType());
    layout::LinearLayout layout = toLinearLayout(type);
    layout::SharedPlan plan = layout::planShared(
        layout, layout, getMemoryBits(type.getElementType()),
        {target.has(Capability::LdMatrix), target.has(Capability::StMatrix)});
    OpBuilder builder(holder.getContext());
    builder.setInsertionPointAfterValue(holder);
    Value tile =
        createSharedTile(builder, holder.getLoc(), holder, plan.shared);
    made.push_back(tile.getDefiningOp());
    made.push_back(tile.getDefiningOp()->getNextNode());
    return tile;
  }

  /// What `name` names, loaded again: from `tile` if there is one. `known` has
  /// what stands there already.
  Value load(Value name, Value tile, OpBuilder &builder,
             llvm::SmallDenseMap<Value, Value> &known) {
    if (Value done = known.lookup(name))
      return done;
    Operation *op = name.getDefiningOp();
    if (Value renamed = registers.getRenamed(op)) {
      IRMapping mapping;
      mapping.map(renamed, load(renamed, tile, builder, known));
      made.push_back(builder.clone(*op, mapping));
    } else if (tile) {
      made.push_back(LocalLoadOp::create(builder, name.getLoc(), name.getType(),
                                         tile, /*token=*/Value()));
    } else {
      made.push_back(builder.clone(*op));
    }
    return known[name] = made.back()->getResult(0);
  }

  /// Erases loads and renamings whose uses are gone, so that nothing is held
  /// for them.
  void eraseUnused() {
    while (!names.empty()) {
      Operation *op = names.pop_back_val().getDefiningOp();
      if (!op || !op->use_empty())
        continue;
      if (Value renamed = registers.getRenamed(op))
        names.push_back(renamed);
      else if (!isa<LocalLoadOp>(op))
        continue;
      llvm::erase_if(names,
                     [&](Value name) { return name == op->getResult(0); });
      op->erase();
    }
  }

  FunctionOpInterface function;
  const target::Target &target;
  DominanceInfo dominance;
  TileRegisters registers;
  BlockFrequency frequency;
  LoopGraph loops;
  /// Registers that tiles may take.
  unsigned limit = 0;
  /// Bytes of shared memory that may live together.
  int64_t budget = 0;
  /// Ops at which nothing can be loaded later.
  llvm::SmallDenseSet<Operation *> hopeless;
  /// Tiles that shared memory cannot hold longer.
  llvm::SmallDenseSet<Value> rejected;
  /// The same of those that products would read where they are.
  llvm::SmallDenseSet<Value> notInPlace;
  /// Ops that the last change has made.
  SmallVector<Operation *> made;
  /// Values that may have lost their uses.
  SmallVector<Value> names;
};

struct ReloadSharedTiles
    : tilegpu::impl::ReloadSharedTilesBase<ReloadSharedTiles> {
  void runOnOperation() override {
    const target::Target *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      // What agents load is ordered by barriers that are there already. Without
      // products no tile is needed as a whole: the assembler computes element
      // by element what is too much at once.
      if (!function.isExternal() && lookupNumWarps(function) &&
          !hasAgents(function) && hasProducts(function))
        Reloading(function, *target).run();
  }
};

} // namespace
