// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products by warp groups in flight together: what does not need a product's
// result runs while it is computed.
//
// A product is made with a wait right behind it. Here the wait sinks to the
// first op that takes the result, or that may write what the product reads; and
// later products that do not need the result either are started before the
// wait, with what they need. Groups complete in the order in which they were
// started, so a wait leaves in flight those that were started later.

#include "dialects/TileGPU/SharedAccess.h"
#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/Analysis/RegisterPressure.h"
#include "passes/TileGPU/CopyGroups.h"
#include "passes/TileGPU/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_OVERLAPPRODUCTS
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// The products of a block, whose waits are in it too.
class BlockProducts {
public:
  /// `registers` of a thread may hold tiles, and the target gives a CTA so many
  /// bytes.
  BlockProducts(Block &block, unsigned registers, int64_t sharedBytes)
      : block(block), mostInFlight(registers / 2), mostHeld(sharedBytes / 8) {}
  void run();

private:
  bool isEligible() const;
  void joinAccumulations();
  void sink(WgmmaWaitOp wait);
  void startBefore(WgmmaWaitOp wait);
  bool findNeeded(Operation *op, Operation *place,
                  llvm::SetVector<Operation *> &needed) const;
  void readCarriedSums();
  /// What products take that are in flight.
  struct InFlight {
    /// Registers of their sums, and bytes of the tiles that are made for them.
    unsigned registers = 0;
    int64_t bytes = 0;
  };
  InFlight countInFlight(WgmmaWaitOp wait,
                         const llvm::SetVector<Operation *> &moved) const;
  void numberProducts();
  template <typename OpT>
  SmallVector<OpT> list() const {
    return llvm::to_vector(block.getOps<OpT>());
  }

  Block &block;
  /// Registers of a thread that sums of products in flight may take, and bytes
  /// of tiles that are made for them: more would cost buffers and CTAs.
  unsigned mostInFlight;
  int64_t mostHeld;
  mutable TileRegisters registers;
};

struct OverlapProducts : tilegpu::impl::OverlapProductsBase<OverlapProducts> {
  void runOnOperation() override {
    const target::Target *target =
        target::lookup(lookupTargetName(getOperation()));
    if (!target || !target->has(target::Capability::Wgmma))
      return;
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      unsigned threads = lookupNumWarps(function) * target::Target::warpSize;
      unsigned registers = target->maxTileRegistersOf(threads);
      function.walk([&](Block *block) {
        BlockProducts(*block, registers, target->sharedMemoryLimit).run();
      });
    }
  }
};

} // namespace

/// Each product ends in a wait of the block, and no other group is in flight.
bool BlockProducts::isEligible() const {
  auto isOwn = [&](Operation *op) { return op && op->getBlock() == &block; };
  for (auto wait : block.getOps<WgmmaWaitOp>())
    if (wait.getPending() != 0 || !isa<RankedTensorType>(wait.getType()) ||
        !isOwn(wait.getProduct().getDefiningOp<WgmmaOp>()))
      return false;
  return llvm::all_of(block.getOps<WgmmaOp>(), [&](WgmmaOp product) {
    return product->hasOneUse() && isOwn(*product->user_begin()) &&
           isa_and_present<PendOp>(product.getAccumulator().getDefiningOp());
  });
}

/// Bytes of the tiles that threads store for the product's sake, and hold until
/// it is complete.
static int64_t countMadeBytes(WgmmaOp product) {
  llvm::SmallSetVector<Value, 2> tiles;
  for (const SharedOperand &operand : product.getSharedOperands())
    tiles.insert(findMemory(operand.descriptor));
  int64_t bytes = 0;
  for (Value tile : tiles)
    if (auto allocation = tile.getDefiningOp<LocalAllocOp>();
        allocation && allocation.getSource())
      bytes += allocation.getType().getSizeInBytes();
  return bytes;
}

/// Products whose sums are those of `last`, one after the other, the last one
/// first.
static SmallVector<WgmmaOp> listProducts(WgmmaOp last) {
  SmallVector<WgmmaOp> products;
  for (WgmmaOp product = last; product;
       product = product.getAccumulator().getDefiningOp<WgmmaOp>())
    products.push_back(product);
  return products;
}

static SmallVector<WgmmaOp> listProducts(WgmmaWaitOp wait) {
  return listProducts(wait.getProduct().getDefiningOp<WgmmaOp>());
}

static int64_t countMadeBytes(ArrayRef<WgmmaOp> products) {
  int64_t bytes = 0;
  for (WgmmaOp product : products)
    bytes += countMadeBytes(product);
  return bytes;
}

/// Products on one accumulator follow each other without a wait.
void BlockProducts::joinAccumulations() {
  for (PendOp pend : list<PendOp>()) {
    auto wait = pend.getTensor().getDefiningOp<WgmmaWaitOp>();
    if (!wait || !wait->hasOneUse() || wait->getBlock() != &block)
      continue;
    int64_t bytes = countMadeBytes(listProducts(wait));
    for (Operation *user : pend->getUsers())
      bytes += countMadeBytes(cast<WgmmaOp>(user));
    if (bytes > mostHeld)
      continue;
    pend.replaceAllUsesWith(wait.getProduct());
    pend.erase();
    wait.erase();
  }
}

/// Whether `op`, which reads no product's sums, may run while products that
/// read `tiles` are in flight. Across branches CUDA's assembler follows them
/// less well.
static bool mayRunUnder(Operation *op, const llvm::SetVector<Value> &tiles) {
  if (isa<RegionBranchOpInterface>(op))
    return false;
  if (isa<WgmmaOp, WgmmaWaitOp>(op) || isMemoryEffectFree(op))
    return true;
  auto step = dyn_cast<AsyncStepOpInterface>(op);
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return step && step.getAsyncStep().work == AsyncWork::Copies;
  SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  return llvm::all_of(all, [&](const MemoryEffects::EffectInstance &effect) {
    if (effect.getResource() != SharedMemoryResource::get())
      return true;
    Value memory = effect.getValue();
    return memory && (isa<MemoryEffects::Read>(effect.getEffect()) ||
                      !tiles.contains(findMemory(memory)));
  });
}

/// Whether what `op` does is the same before ops that touch none of the memory
/// that it reads.
static bool mayMove(Operation *op) {
  if (isa<RegionBranchOpInterface>(op))
    return false;
  return isa<WgmmaOp, WgmmaWaitOp, LocalAllocOp, LocalLoadOp, AsyncCopyOp,
             AsyncCommitOp, AsyncWaitOp>(op) ||
         isMemoryEffectFree(op);
}

/// The allocations that `op` reads.
static SmallVector<Value> listTilesRead(Operation *op) {
  SmallVector<Value> tiles;
  if (auto load = dyn_cast<LocalLoadOp>(op))
    tiles.push_back(findMemory(load.getSource()));
  if (auto product = dyn_cast<WgmmaOp>(op))
    for (const SharedOperand &operand : product.getSharedOperands())
      tiles.push_back(findMemory(operand.descriptor));
  return tiles;
}

/// The waits for the copies that bring a tile, which give no value to its
/// readers; none where one of them cannot be told.
static std::optional<SmallVector<Operation *>> findWaits(Value tile) {
  SmallVector<Operation *> waits;
  for (Operation *user : tile.getUsers()) {
    auto copy = dyn_cast<AsyncCopyOp>(user);
    if (!copy)
      continue;
    size_t known = waits.size();
    for (Operation *group : copy->getUsers())
      if (isa<AsyncCommitOp>(group))
        for (Operation *wait : group->getUsers())
          if (isa<AsyncWaitOp>(wait))
            waits.push_back(wait);
    if (waits.size() == known)
      return std::nullopt;
  }
  return waits;
}

/// Whether `op` may write memory that threads' copies read.
static bool mayWriteGlobal(Operation *op) {
  if (isMemoryEffectFree(op) || isa<AsyncStepOpInterface>(op))
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return true;
  SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  return llvm::any_of(all, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) &&
           effect.getResource() != SharedMemoryResource::get();
  });
}

void BlockProducts::sink(WgmmaWaitOp wait) {
  llvm::SetVector<Value> tiles;
  for (WgmmaOp product : listProducts(wait)) {
    // What writes the registers that a product reads would have CUDA's
    // assembler wait for each instruction by itself (C7513).
    if (isa<RankedTensorType>(product.getLhs().getType()))
      return;
    tiles.insert_range(listTilesRead(product));
  }
  llvm::SmallPtrSet<Operation *, 8> users;
  for (Operation *user : wait->getUsers())
    users.insert(block.findAncestorOpInBlock(*user));
  // Tiles that are made meanwhile live beside those of the product.
  int64_t held = countMadeBytes(listProducts(wait));
  auto holdsMore = [&](Operation *op) {
    auto made = dyn_cast<LocalAllocOp>(op);
    if (held && made && made.getSource())
      held += made.getType().getSizeInBytes();
    return held > mostHeld;
  };
  Operation *place = wait->getNextNode();
  while (!users.contains(place) && !place->hasTrait<OpTrait::IsTerminator>() &&
         mayRunUnder(place, tiles) && !holdsMore(place))
    place = place->getNextNode();
  wait->moveBefore(place);
}

/// Finds what `op`, which follows `place`, needs of the ops from there on,
/// itself included. False where that is `place`, or may not change places with
/// the others.
bool BlockProducts::findNeeded(Operation *op, Operation *place,
                               llvm::SetVector<Operation *> &needed) const {
  SmallVector<Operation *> worklist = {op};
  llvm::SetVector<Value> tiles;
  bool hasCopies = false;
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    if (next->getBlock() != &block || next->isBeforeInBlock(place))
      continue;
    if (next == place || !mayMove(next))
      return false;
    if (!needed.insert(next))
      continue;
    hasCopies |= isa<AsyncCopyOp>(next);
    for (Value tile : listTilesRead(next)) {
      tiles.insert(tile);
      std::optional<SmallVector<Operation *>> waits = findWaits(tile);
      if (!waits)
        return false;
      llvm::append_range(worklist, *waits);
    }
    for (Value operand : next->getOperands())
      if (Operation *source = operand.getDefiningOp())
        worklist.push_back(source);
  }
  for (Operation *other = place; other != op; other = other->getNextNode())
    if (!needed.contains(other) &&
        (!mayRunUnder(other, tiles) || (hasCopies && mayWriteGlobal(other))))
      return false;
  return true;
}

/// Moves ops of the block before `place`, in their order.
static void moveBefore(llvm::SetVector<Operation *> &ops, Operation *place) {
  SmallVector<Operation *> moved = ops.takeVector();
  llvm::sort(moved,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : moved)
    op->moveBefore(place);
}

/// Reads the sums of products of the iteration before ahead of the first
/// product of this one: with that in flight CUDA's assembler would wait for it
/// before it lets their registers be read (C7517).
void BlockProducts::readCarriedSums() {
  auto loop = dyn_cast<scf::ForOp>(block.getParentOp());
  if (!loop)
    return;
  for (BlockArgument sums : loop.getRegionIterArgs()) {
    if (!loop.getTiedLoopYieldedValue(sums)->get().getDefiningOp<WgmmaWaitOp>())
      continue;
    for (Operation *user : llvm::to_vector(sums.getUsers())) {
      Operation *first = *block.getOps<WgmmaOp>().begin();
      llvm::SetVector<Operation *> needed;
      if (user->getBlock() == &block && !isa<PendOp>(user) &&
          first->isBeforeInBlock(user) && findNeeded(user, first, needed))
        moveBefore(needed, first);
    }
  }
}

/// What is in flight at the wait once `moved` are before it.
BlockProducts::InFlight
BlockProducts::countInFlight(WgmmaWaitOp wait,
                             const llvm::SetVector<Operation *> &moved) const {
  auto isBefore = [&](Operation *op) {
    return op->isBeforeInBlock(wait) || moved.contains(op);
  };
  InFlight sum;
  for (auto other : block.getOps<WgmmaWaitOp>()) {
    SmallVector<WgmmaOp> products = listProducts(other);
    if (isBefore(other) || !isBefore(products.back()))
      continue;
    sum.registers += registers.count(other.getResult());
    sum.bytes += countMadeBytes(products);
  }
  return sum;
}

/// Whether one of `ops` waits for a product that was started after the one of
/// `wait`. Groups complete in the order in which they were started: what is
/// behind both has nothing to run under, and would only stand before products
/// that take the result of `wait`.
static bool awaitLater(const llvm::SetVector<Operation *> &ops,
                       WgmmaWaitOp wait) {
  Operation *product = wait.getProduct().getDefiningOp();
  return llvm::any_of(ops, [&](Operation *op) {
    auto other = dyn_cast<WgmmaWaitOp>(op);
    return other &&
           product->isBeforeInBlock(other.getProduct().getDefiningOp());
  });
}

/// Starts later products before the wait, in their order, as long as registers
/// hold their sums.
void BlockProducts::startBefore(WgmmaWaitOp wait) {
  for (WgmmaOp product : list<WgmmaOp>()) {
    llvm::SetVector<Operation *> needed;
    if (product->isBeforeInBlock(wait) ||
        isa<RankedTensorType>(product.getLhs().getType()) ||
        !findNeeded(product, wait, needed) || awaitLater(needed, wait))
      continue;
    InFlight then = countInFlight(wait, needed);
    if (then.registers <= mostInFlight && then.bytes <= mostHeld)
      moveBefore(needed, wait);
  }
}

/// A wait leaves those in flight that were started after its own, as far as no
/// wait before it has taken them.
void BlockProducts::numberProducts() {
  unsigned started = 0, inFlight = 0;
  llvm::SmallDenseMap<Operation *, unsigned> numbers;
  for (Operation &op : block) {
    if (isa<WgmmaOp>(op)) {
      numbers[&op] = ++started;
      ++inFlight;
    }
    if (auto wait = dyn_cast<WgmmaWaitOp>(op)) {
      unsigned later = started - numbers[wait.getProduct().getDefiningOp()];
      inFlight = std::min(inFlight, later);
      wait.setPending(inFlight);
    }
  }
}

void BlockProducts::run() {
  if (block.getOps<WgmmaOp>().empty() || !isEligible())
    return;
  joinAccumulations();
  for (WgmmaWaitOp wait : list<WgmmaWaitOp>())
    sink(wait);
  for (WgmmaWaitOp wait : list<WgmmaWaitOp>())
    startBefore(wait);
  readCarriedSums();
  numberProducts();
  numberCopyWaits(block);
}
