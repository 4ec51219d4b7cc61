// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts a barrier before a store that may overwrite what another thread has yet
// to read, and before a load of what another thread may have yet to write.
//
// A program of tile IR reads and writes one after the other, but warps do not
// run in step. A scalar is read by every thread and written by one; a tile
// smaller than the CTA is read by several warps; and a tile written through
// other pointers than it is read through is written by other threads. Where
// each thread writes only what it reads itself, nothing is needed; so a scalar
// that nothing but scalar stores needs is read by the thread that stores.

#include "dialects/Interfaces/AxisRules.h"
#include "dialects/TileGPU/Agents.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "passes/TileGPU/FirstThreadLoads.h"
#include "passes/TileGPU/Passes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_ORDERGLOBALACCESSES
#include "passes/TileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;

namespace {

/// Who has to wait for whom.
enum class Scope { None, Warp, Cta };

/// Where pointers come from: parameters of the function, or anywhere. Pointers
/// of different parameters are taken to be of different buffers.
struct Roots {
  llvm::SmallSetVector<Value, 2> parameters;
  bool isUnknown = false;

  bool mayMeet(const Roots &other) const {
    return isUnknown || other.isUnknown ||
           llvm::any_of(parameters, [&](Value root) {
             return other.parameters.contains(root);
           });
  }
};

/// An access to global memory.
struct OrderedAccess {
  Operation *op;
  Value pointers;
  Roots roots;
  bool isWrite = false;
  /// Which threads read the same element, of a read.
  Scope copies = Scope::None;
  /// Whether the agent's first thread makes it, and no other.
  bool isFirstThreads = false;
};

class GlobalHazards {
public:
  /// Of the accesses in `region`, a function's body or an agent's.
  explicit GlobalHazards(Region &region);

  /// Leaves loads to the thread that stores scalars where it alone needs them
  /// and it may store to one of their buffers.
  void leaveToFirstThread();
  /// Where barriers are needed, and for whom.
  llvm::MapVector<Operation *, Scope> findPlaces();
  /// An access here and one of `other` that may be of one buffer, one of which
  /// writes.
  std::optional<std::pair<Operation *, Operation *>>
  findConflict(const GlobalHazards &other) const;

private:
  /// Accesses since the last barrier of the CTA, and whether a barrier of the
  /// warp came since.
  using State = llvm::MapVector<unsigned, bool>;

  void addAccess(Operation *op, Value pointers, bool isWrite);
  Roots findRoots(Value pointers) const;
  /// What the access has to wait for.
  Scope compare(const OrderedAccess &access, const State &state) const;
  /// Runs over a block from its `entry`; adds the places it finds.
  void runBlock(Block *block, State &state,
                llvm::MapVector<Operation *, Scope> &places) const;
  /// Adds what is not in `into` yet; whether that was anything.
  static bool merge(State &into, const State &from);

  Region &region;
  bool isOneWarp;
  SmallVector<OrderedAccess> accesses;
  /// By the op of a block of `region`, which may be one around them.
  llvm::DenseMap<Operation *, SmallVector<unsigned, 1>> accessesOf;
};

} // namespace

/// Which threads hold copies of a value's elements.
static Scope getCopies(Type type, bool isOneWarp) {
  RegisterLayoutInterface encoding = getRegisterLayout(type);
  Scope most = isOneWarp ? Scope::Warp : Scope::Cta;
  if (!encoding)
    return most;
  layout::LinearLayout map = toLinearLayout(cast<RankedTensorType>(type));
  if (map.redundantBits(Axis::Warp))
    return most;
  return map.redundantBits(Axis::Lane) ? Scope::Warp : Scope::None;
}

/// Warps of the agent that runs `region`.
static unsigned countWarps(Region &region) {
  std::optional<Agent> agent = lookupAgent(&region);
  return agent ? agent->numWarps : lookupNumWarps(region.getParentOp());
}

GlobalHazards::GlobalHazards(Region &region)
    : region(region), isOneWarp(countWarps(region) == 1) {
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<WarpSpecializeOp>(op))
      return WalkResult::skip();
    if (std::optional<tilewright::GlobalAccess> access = getGlobalAccess(op))
      addAccess(op, access->pointers, access->isWrite);
    return WalkResult::advance();
  });
}

void GlobalHazards::addAccess(Operation *op, Value pointers, bool isWrite) {
  accessesOf[region.findAncestorOpInRegion(*op)].push_back(accesses.size());
  Scope copies =
      isWrite ? Scope::None : getCopies(pointers.getType(), isOneWarp);
  bool isFirstThreads =
      isScalarStore(op) || op->hasAttr(TileGPUDialect::firstThreadAttrName);
  accesses.push_back(
      {op, pointers, findRoots(pointers), isWrite, copies, isFirstThreads});
}

void GlobalHazards::leaveToFirstThread() {
  if (llvm::none_of(accesses, [](const OrderedAccess &access) {
        return isScalarStore(access.op);
      }))
    return;
  FirstThreadLoads alone(region);
  SmallVector<OrderedAccess *> loads;
  bool savesBarrier = false;
  for (OrderedAccess &load : accesses) {
    if (!alone.contains(load.op))
      continue;
    loads.push_back(&load);
    savesBarrier |= llvm::any_of(accesses, [&](const OrderedAccess &store) {
      return isScalarStore(store.op) && store.roots.mayMeet(load.roots);
    });
  }
  // Others stay as they are: LLVM knows more of what every thread loads.
  if (!savesBarrier)
    return;
  for (OrderedAccess *load : loads) {
    load->isFirstThreads = true;
    load->op->setAttr(TileGPUDialect::firstThreadAttrName,
                      UnitAttr::get(load->op->getContext()));
  }
}

/// The operands that an op takes its pointers from: a pure op makes no others
/// than those that it is given.
static SmallVector<Value> getPointerOperands(Operation *op) {
  if (!isPure(op))
    return {};
  return llvm::filter_to_vector(op->getOperands(), [](Value operand) {
    return axis::isPointerLike(operand.getType());
  });
}

Roots GlobalHazards::findRoots(Value pointers) const {
  Roots roots;
  llvm::SmallSetVector<Value, 8> worklist;
  worklist.insert(pointers);
  for (size_t next = 0; next < worklist.size(); ++next) {
    Value value = worklist[next];
    if (Operation *op = value.getDefiningOp()) {
      SmallVector<Value> sources = getPointerOperands(op);
      worklist.insert_range(sources);
      roots.isUnknown |= sources.empty();
      continue;
    }
    auto argument = cast<BlockArgument>(value);
    if (argument.getOwner()->isEntryBlock()) {
      // What a region within the code is given may be anything.
      if (isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
        roots.parameters.insert(value);
      else
        roots.isUnknown = true;
      continue;
    }
    for (auto it = argument.getOwner()->pred_begin(),
              end = argument.getOwner()->pred_end();
         it != end; ++it) {
      auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator());
      Value passed = branch
                         ? branch.getSuccessorOperands(
                               it.getSuccessorIndex())[argument.getArgNumber()]
                         : Value();
      if (passed)
        worklist.insert(passed);
      else
        roots.isUnknown = true;
    }
  }
  return roots;
}

Scope GlobalHazards::compare(const OrderedAccess &access,
                             const State &state) const {
  Scope needed = Scope::None;
  for (auto [index, isWarpOrdered] : state) {
    const OrderedAccess &earlier = accesses[index];
    // Two stores of one tile each are parts of one result, mostly: that the
    // later one wins where they meet is left to the kernel.
    if (earlier.isWrite == access.isWrite ||
        !earlier.roots.mayMeet(access.roots))
      continue;
    // A thread's own accesses are in order.
    if (earlier.isFirstThreads && access.isFirstThreads)
      continue;
    const OrderedAccess &read = access.isWrite ? earlier : access;
    // Through the same pointers each thread writes what it reads, and only
    // copies of it are others'.
    Scope scope =
        earlier.pointers == access.pointers ? read.copies : Scope::Cta;
    if (isOneWarp)
      scope = std::min(scope, Scope::Warp);
    if (scope == Scope::Warp && isWarpOrdered)
      continue;
    needed = std::max(needed, scope);
  }
  return needed;
}

void GlobalHazards::runBlock(
    Block *block, State &state,
    llvm::MapVector<Operation *, Scope> &places) const {
  auto order = [&](Scope scope) {
    if (scope == Scope::Cta)
      state.clear();
    else if (scope == Scope::Warp)
      for (auto &entry : state)
        entry.second = true;
  };
  for (Operation &op : *block) {
    if (isa<BarrierOp>(op) || joinsAgent(&op)) {
      order(joinsAgent(&op) || isOneWarp ? Scope::Cta : Scope::Warp);
      continue;
    }
    auto found = accessesOf.find(&op);
    if (found == accessesOf.end())
      continue;
    Scope &place = places[&op];
    for (unsigned access : found->second)
      place = std::max(place, compare(accesses[access], state));
    order(place);
    for (unsigned access : found->second)
      state[access] = false;
  }
}

bool GlobalHazards::merge(State &into, const State &from) {
  bool isChanged = false;
  for (auto [index, isWarpOrdered] : from) {
    auto [entry, isNew] = into.insert({index, isWarpOrdered});
    isChanged |= isNew || (entry->second && !isWarpOrdered);
    entry->second &= isWarpOrdered;
  }
  return isChanged;
}

llvm::MapVector<Operation *, Scope> GlobalHazards::findPlaces() {
  llvm::MapVector<Operation *, Scope> places;
  llvm::DenseMap<Block *, State> entry;
  // Places only grow, and so do entries.
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (Block &block : region) {
      State state = entry[&block];
      runBlock(&block, state, places);
      for (Block *successor : block.getSuccessors())
        isChanged |= merge(entry[successor], state);
    }
  }
  return places;
}

std::optional<std::pair<Operation *, Operation *>>
GlobalHazards::findConflict(const GlobalHazards &other) const {
  for (const OrderedAccess &first : accesses)
    for (const OrderedAccess &second : other.accesses)
      if ((first.isWrite || second.isWrite) &&
          first.roots.mayMeet(second.roots))
        return std::pair(first.op, second.op);
  return std::nullopt;
}

namespace {
struct OrderGlobalAccesses
    : tilegpu::impl::OrderGlobalAccessesBase<OrderGlobalAccesses> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      for (auto op : function.getFunctionBody().getOps<WarpSpecializeOp>())
        if (failed(verifyAgents(op)))
          return signalPassFailure();
      for (Region *region : getAgentRegions(function))
        insert(*region);
    }
  }

private:
  static void insert(Region &region) {
    bool isOneWarp = countWarps(region) == 1;
    GlobalHazards hazards(region);
    hazards.leaveToFirstThread();
    for (auto [op, scope] : hazards.findPlaces()) {
      if (scope == Scope::None)
        continue;
      OpBuilder builder(op);
      auto barrier = BarrierOp::create(builder, op->getLoc());
      barrier.setWarp(scope == Scope::Warp || isOneWarp);
    }
  }

  /// Agents that may touch one buffer, one of them to write it, are refused:
  /// named barriers are followed for shared memory alone.
  static LogicalResult verifyAgents(WarpSpecializeOp op) {
    std::vector<GlobalHazards> hazards;
    for (Region &region : op.getAgents())
      hazards.emplace_back(region);
    for (unsigned i = 0; i < hazards.size(); ++i)
      for (unsigned j = 0; j < i; ++j)
        if (auto pair = hazards[j].findConflict(hazards[i])) {
          InFlightDiagnostic diagnostic = pair->second->emitOpError(
              "expects agents to share buffers in global memory only to read "
              "them, but got an access of what another agent may touch, and "
              "one of them writes");
          diagnostic.attachNote(pair->first->getLoc())
              << "the other agent's access is here";
          return diagnostic;
        }
    return success();
  }
};
} // namespace
