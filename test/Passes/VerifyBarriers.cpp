// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks barriers by another way than the one that places them: it lists which
// warp touches which byte, thread by thread, and follows every path from each
// access, op by op, with what has happened on it so far.
//
// It shares no code with SharedMemoryHazards and the footprints there, and uses
// no algebra of layouts beyond applying one.

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "test/Passes/Passes.h"

#include <map>
#include <set>

namespace tilewright::test {
#define GEN_PASS_DEF_VERIFYBARRIERS
#include "test/Passes/Passes.h.inc"
} // namespace tilewright::test

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;

namespace {

//===----------------------------------------------------------------------===//
// Numbers of buffers
//===----------------------------------------------------------------------===//

/// What block arguments hold, of those that choose buffers.
using Numbers = std::map<const void *, int64_t>;

/// The phase that an op names at an mbarrier; null where it names none.
Value getPhase(Operation *op) {
  auto wait = dyn_cast<MbarrierWaitOp>(op);
  return wait ? wait.getPhase() : Value();
}

/// Under which condition an op does what it does at an mbarrier; null: always.
Value getPredicate(Operation *op) {
  if (auto wait = dyn_cast<MbarrierWaitOp>(op))
    return wait.getPredicate();
  if (auto arrival = dyn_cast<MbarrierArriveOp>(op))
    return arrival.getPredicate();
  auto copy = dyn_cast<BulkCopyOp>(op);
  return copy ? copy.getPredicate() : Value();
}

/// Runs the arithmetic that chooses buffers and phases.
class Counting {
public:
  explicit Counting(ArrayRef<Region *> regions) {
    for (Region *region : regions) {
      for (auto view : region->getOps<MemDescIndexOp>())
        collect(view.getIndex());
      for (Block &block : *region)
        for (Operation &op : block)
          for (Value value : {getPhase(&op), getPredicate(&op)})
            if (value)
              collect(value);
      for (Block &block : *region) {
        std::set<Block *> &behind = reached[&block];
        for (Block &other : *region)
          if (block.isReachable(&other))
            behind.insert(&other);
      }
    }
    while (!run(regions))
      ;
  }

  /// With which numbers a path may come to `block`.
  const std::set<Numbers> &getNumbers(Block *block) { return found[block]; }

  Numbers enter(Block *from, unsigned successor, const Numbers &numbers) const {
    Block *to = from->getSuccessor(successor);
    Numbers next;
    for (auto [pointer, value] : numbers) {
      Block *home = Value::getFromOpaquePointer(pointer).getParentBlock();
      if (home != to && reached.at(to).contains(home))
        next[pointer] = value;
    }
    auto branch = dyn_cast<BranchOpInterface>(from->getTerminator());
    for (BlockArgument argument : to->getArguments())
      if (const void *key = argument.getAsOpaquePointer();
          branch && followed.contains(key))
        if (Value passed =
                branch.getSuccessorOperands(successor)[argument.getArgNumber()])
          if (auto value = evaluate(passed, numbers))
            next[key] = *value;
    return next;
  }

  static std::optional<int64_t> evaluate(Value value, const Numbers &numbers) {
    std::map<const void *, std::optional<int64_t>> results;
    return evaluate(value, numbers, results);
  }

private:
  using Results = std::map<const void *, std::optional<int64_t>>;

  void collect(Value value) {
    const void *key = value.getAsOpaquePointer();
    if (!asked.insert(key).second)
      return;
    if (Operation *op = value.getDefiningOp()) {
      for (Value operand : op->getOperands())
        collect(operand);
      return;
    }
    auto argument = cast<BlockArgument>(value);
    Block *block = argument.getOwner();
    if (block->isEntryBlock())
      return;
    followed.insert(key);
    for (Block *before : block->getPredecessors())
      if (auto branch = dyn_cast<BranchOpInterface>(before->getTerminator()))
        for (unsigned next = 0; next < before->getNumSuccessors(); ++next)
          if (before->getSuccessor(next) == block)
            if (Value passed =
                    branch.getSuccessorOperands(next)[argument.getArgNumber()])
              collect(passed);
  }

  /// False where a number has too many values, and is followed no more.
  bool run(ArrayRef<Region *> regions) {
    found.clear();
    std::map<const void *, std::set<int64_t>> values;
    std::vector<std::pair<Block *, Numbers>> open;
    auto push = [&](Block *block, Numbers numbers) {
      if (found[block].insert(numbers).second)
        open.emplace_back(block, std::move(numbers));
    };
    for (Region *region : regions)
      push(&region->front(), {});
    while (!open.empty()) {
      auto [block, numbers] = open.back();
      open.pop_back();
      for (auto [key, value] : numbers)
        if (values[key].insert(value).second && values[key].size() > 16) {
          followed.erase(key);
          return false;
        }
      for (unsigned next = 0; next < block->getNumSuccessors(); ++next)
        push(block->getSuccessor(next), enter(block, next, numbers));
    }
    return true;
  }

  static std::optional<int64_t> evaluate(Value value, const Numbers &numbers,
                                         Results &results) {
    const void *key = value.getAsOpaquePointer();
    if (auto it = numbers.find(key); it != numbers.end())
      return it->second;
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return constant.getSExtValue();
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (auto it = results.find(key); it != results.end())
      return it->second;
    SmallVector<int64_t> operands;
    for (Value operand : op->getOperands()) {
      auto known = evaluate(operand, numbers, results);
      if (!known)
        return std::nullopt;
      operands.push_back(*known);
    }
    return results[key] = compute(op, operands);
  }

  /// What counts buffers, by hand or by a pass.
  static std::optional<int64_t> compute(Operation *op, ArrayRef<int64_t> of) {
    if (isa<arith::AddIOp>(op))
      return int32_t(of[0] + of[1]);
    if (isa<arith::SubIOp>(op))
      return int32_t(of[0] - of[1]);
    if (isa<arith::XOrIOp>(op))
      return of[0] ^ of[1];
    if (isa<arith::RemSIOp, arith::RemUIOp>(op) && of[0] >= 0 && of[1] > 0)
      return of[0] % of[1];
    if (isa<arith::SelectOp>(op))
      return of[0] & 1 ? of[1] : of[2];
    auto comparison = dyn_cast<arith::CmpIOp>(op);
    if (!comparison)
      return std::nullopt;
    switch (comparison.getPredicate()) {
    case arith::CmpIPredicate::eq:
      return of[0] == of[1];
    case arith::CmpIPredicate::ne:
      return of[0] != of[1];
    case arith::CmpIPredicate::slt:
      return of[0] < of[1];
    case arith::CmpIPredicate::sge:
      return of[0] >= of[1];
    default:
      return std::nullopt;
    }
  }

  std::set<const void *> asked, followed;
  std::map<Block *, std::set<Block *>> reached;
  std::map<Block *, std::set<Numbers>> found;
};

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// The warps, as bits, that touch each element of a tile, by its offset.
using Elements = std::vector<uint32_t>;

/// Coordinates of all places of a layout, by flat place: flat, dimension 0
/// lowest.
std::vector<uint64_t> listCoordinates(const LinearLayout &layout) {
  std::vector<Axis> order;
  for (unsigned dim = 0; dim < layout.outputs().size(); ++dim)
    order.push_back(Axis::coordinate(dim));
  LinearLayout ordered = layout.reorderOutputs(order);
  std::vector<uint64_t> coordinates;
  for (uint64_t at = 0; at < uint64_t(1) << ordered.totalInputBits(); ++at)
    coordinates.push_back(ordered.apply(at));
  return coordinates;
}

/// The offset of each coordinate of a tile.
std::vector<uint64_t> listOffsets(MemDescType tile) {
  std::vector<uint64_t> coordinates = listCoordinates(tile.toLinearLayout());
  std::vector<uint64_t> offsets(coordinates.size());
  for (auto [offset, coordinate] : llvm::enumerate(coordinates))
    offsets[coordinate] = offset;
  return offsets;
}

/// The warp of each flat place of a register layout.
unsigned getWarp(const LinearLayout &layout, uint64_t place) {
  return place >> layout.inputOffset(Axis::Warp) &
         ((uint64_t(1) << layout.inputBits(Axis::Warp)) - 1);
}

/// Of threads that hold the same element the first one stores it.
Elements listStored(RankedTensorType tensor, MemDescType tile) {
  LinearLayout layout = toLinearLayout(tensor);
  std::vector<uint64_t> offsets = listOffsets(tile);
  Elements elements(offsets.size());
  for (auto [place, coordinate] : llvm::enumerate(listCoordinates(layout))) {
    uint32_t &warps = elements[offsets[coordinate]];
    uint32_t own = 1u << getWarp(layout, place);
    warps = warps == 0 ? own : std::min(warps, own);
  }
  return elements;
}

Elements listLoaded(RankedTensorType tensor, MemDescType tile) {
  LinearLayout layout = toLinearLayout(tensor);
  std::vector<uint64_t> offsets = listOffsets(tile);
  Elements elements(offsets.size());
  for (auto [place, coordinate] : llvm::enumerate(listCoordinates(layout)))
    elements[offsets[coordinate]] |= 1u << getWarp(layout, place);
  return elements;
}

/// A dot's threads read the rows (or columns) of the elements that they
/// compute.
Elements listMultiplied(RankedTensorType result, MemDescType tile,
                        bool isLeft) {
  LinearLayout layout = toLinearLayout(result);
  unsigned rank = result.getRank();
  // The result's coordinate along which the operand has K instead.
  unsigned replaced = isLeft ? rank - 1 : rank - 2;
  std::map<uint64_t, uint32_t> warpsOf;
  unsigned shift = 0, bits = 0;
  for (unsigned dim = 0; dim < rank; ++dim) {
    unsigned own = llvm::Log2_64(result.getDimSize(dim));
    if (dim == replaced)
      bits = own;
    else if (dim < replaced)
      shift += own;
  }
  uint64_t low = (uint64_t(1) << shift) - 1;
  for (auto [place, coordinate] : llvm::enumerate(listCoordinates(layout)))
    warpsOf[(coordinate >> (shift + bits) << shift) | (coordinate & low)] |=
        1u << getWarp(layout, place);
  std::vector<uint64_t> offsets = listOffsets(tile);
  unsigned ownBits = llvm::Log2_64(tile.getShape()[replaced]);
  Elements elements(offsets.size());
  for (auto [coordinate, offset] : llvm::enumerate(offsets))
    elements[offset] = warpsOf.at((coordinate >> (shift + ownBits) << shift) |
                                  (coordinate & low));
  return elements;
}

/// What an op does to one tile.
struct Touch {
  LocalAllocOp allocation;
  /// First byte in all of shared memory, and of how many bytes an element is.
  int64_t begin, elementBytes;
  const Elements *elements;
  bool isWrite;
  /// Whether it is certain that these bytes are touched.
  bool isCertain;
  /// Whether each thread writes what it holds when it executes the op.
  bool isStore;

  int64_t end() const { return begin + elements->size() * elementBytes; }
  uint32_t warpsAt(int64_t byte) const {
    return (*elements)[(byte - begin) / elementBytes];
  }
};

class TouchList {
public:
  /// `numbers`: what is known where `op` is; of one op and numbers always the
  /// same vector.
  const std::vector<Touch> &get(Operation *op, const Numbers &numbers = {}) {
    auto [it, isNew] = known.try_emplace({op, numbers});
    if (!isNew)
      return it->second;
    current = &it->first.second;
    std::vector<Touch> &touches = it->second;
    if (auto store = dyn_cast<LocalStoreOp>(op))
      add(touches, op, store.getDestination(), store.getSource().getType(),
          Stored);
    else if (auto alloc = dyn_cast<LocalAllocOp>(op);
             alloc && alloc.getSource())
      add(touches, op, alloc.getResult(), alloc.getSource().getType(), Stored);
    else if (auto load = dyn_cast<LocalLoadOp>(op))
      add(touches, op, load.getSource(), load.getType(), Loaded);
    else if (auto gather = dyn_cast<LocalGatherOp>(op))
      add(touches, op, gather.getSource(), gather.getType(), Everything);
    else if (auto copy = dyn_cast<AsyncCopyOp>(op))
      add(touches, op, copy.getDestination(), copy.getPointers().getType(),
          Stored);
    else if (auto dot = dyn_cast<MultiplyAddOp>(op)) {
      add(touches, op, dot.getLhs(), dot.getType(), MultipliedLeft);
      add(touches, op, dot.getRhs(), dot.getType(), MultipliedRight);
    } else {
      addByEffects(touches, op);
    }
    return touches;
  }

private:
  enum Kind { Stored, Loaded, Everything, MultipliedLeft, MultipliedRight };

  const Elements *list(Operation *op, Kind kind, Type registers,
                       MemDescType tile) {
    unsigned warps = std::max(1u, lookupNumWarps(op));
    auto [it, isNew] =
        lists.try_emplace({kind, warps, registers.getAsOpaquePointer(),
                           tile.getAsOpaquePointer()});
    if (!isNew)
      return &it->second;
    auto tensor = dyn_cast_if_present<RankedTensorType>(registers);
    Elements &elements = it->second;
    bool isListed = tensor && getRegisterLayout(tensor) &&
                    tile.toLinearLayout().isBijective();
    if (!isListed || kind == Everything)
      elements.assign(tile.getNumElements(), (uint64_t(1) << warps) - 1);
    else if (kind == Stored)
      elements = listStored(tensor, tile);
    else if (kind == Loaded)
      elements = listLoaded(tensor, tile);
    else
      elements = listMultiplied(tensor, tile, kind == MultipliedLeft);
    return &elements;
  }

  /// Any other op may touch all of the tiles that it says it reads or writes.
  void addByEffects(std::vector<Touch> &touches, Operation *op) {
    auto interface = dyn_cast<MemoryEffectOpInterface>(op);
    if (!interface)
      return;
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects) {
      Value value = effect.getValue();
      bool isWrite = isa<MemoryEffects::Write>(effect.getEffect());
      if (value && isa<MemDescType>(value.getType()) &&
          (isWrite || isa<MemoryEffects::Read>(effect.getEffect())))
        add(touches, op, value, Type(), Everything, isWrite);
    }
  }

  /// Follows the descriptor back to where it may have been allocated.
  void add(std::vector<Touch> &touches, Operation *op, Value descriptor,
           Type registers, Kind kind, bool isWrite = false) {
    auto tile = cast<MemDescType>(descriptor.getType());
    const Elements *elements = list(op, kind, registers, tile);
    std::set<std::pair<Operation *, int64_t>> places;
    std::set<std::tuple<void *, int64_t, bool>> seen;
    bool isCertain = true;
    trace(descriptor, 0, places, seen, isCertain, true);
    for (auto [allocation, begin] : places) {
      auto alloc = cast<LocalAllocOp>(allocation);
      touches.push_back({alloc, int64_t(alloc.getOffset().value_or(0)) + begin,
                         int64_t(tile.getElementBits() / 8), elements,
                         isWrite || kind == Stored,
                         isCertain && places.size() == 1,
                         kind == Stored && !isa<AsyncCopyOp>(op)});
    }
  }

  void trace(Value value, int64_t begin,
             std::set<std::pair<Operation *, int64_t>> &places,
             std::set<std::tuple<void *, int64_t, bool>> &seen, bool &isCertain,
             bool isHere) {
    if (!value ||
        !seen.insert({value.getAsOpaquePointer(), begin, isHere}).second)
      return;
    if (auto allocation = value.getDefiningOp<LocalAllocOp>()) {
      places.insert({allocation, begin});
    } else if (auto index = value.getDefiningOp<MemDescIndexOp>()) {
      MemDescType source = index.getSource().getType();
      // What was passed on since may have been another buffer's number.
      auto number =
          Counting::evaluate(index.getIndex(), isHere ? *current : Numbers());
      isCertain &= number.has_value();
      for (unsigned buffer = 0; buffer < source.getBuffers(); ++buffer)
        if (!number || *number == buffer)
          trace(index.getSource(), begin + buffer * source.getBufferBytes(),
                places, seen, isCertain, isHere);
    } else if (auto transposed = value.getDefiningOp<MemDescTransOp>()) {
      trace(transposed.getSource(), begin, places, seen, isCertain, isHere);
    } else if (auto argument = dyn_cast<BlockArgument>(value)) {
      for (Block *before : argument.getOwner()->getPredecessors())
        if (auto branch = dyn_cast<BranchOpInterface>(before->getTerminator()))
          for (unsigned next = 0; next < before->getNumSuccessors(); ++next)
            if (before->getSuccessor(next) == argument.getOwner())
              trace(branch.getSuccessorOperands(next)[argument.getArgNumber()],
                    begin, places, seen, isCertain, false);
    }
  }

  std::map<std::tuple<Kind, unsigned, const void *, const void *>, Elements>
      lists;
  std::map<std::pair<Operation *, Numbers>, std::vector<Touch>> known;
  /// Of the op that is looked at.
  const Numbers *current = nullptr;
};

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

/// What two ops need between them, in the bytes that both touch.
struct Need {
  bool sameWarp = false, otherWarp = false, isCertain = false;
};

/// How a barrier is looked at.
enum class Role { AsItIs, Absent, OfWarp };

/// A conflict that a path leaves unordered.
struct Finding {
  Operation *first, *second;
  enum { Barrier, WarpBarrier, Wait, Fence, TooLong } missing;
};

/// Groups behind which the work is that `op` starts, or -1 where it starts
/// none: a copy's group is still open, a product is one.
int startGroups(Operation *op) {
  return isa<AsyncCopyOp>(op) ? 0 : isa<WgmmaOp, BulkCopyOp>(op) ? 1 : -1;
}

/// The groups behind `op`, of the work that `first` has started; -1 where `op`
/// has waited for it.
int countGroups(Operation *first, Operation *op, int groups) {
  // Groups beyond these are not told apart.
  constexpr int mostGroups = 32;
  std::optional<unsigned> left;
  bool closes = false;
  if (isa<WgmmaOp>(first)) {
    closes = isa<WgmmaOp>(op);
    if (auto wait = dyn_cast<WgmmaWaitOp>(op))
      left = wait.getPending();
  } else if (isa<BulkCopyOp>(first)) {
    closes = isa<BulkCopyOp>(op);
    if (auto wait = dyn_cast<MbarrierWaitOp>(op))
      left = wait.getPending();
    else if (isa<MbarrierInvalOp>(op))
      left = 0;
  } else {
    closes = isa<AsyncCommitOp>(op);
    if (auto wait = dyn_cast<AsyncWaitOp>(op))
      left = wait.getPending();
  }
  if (left && groups > int(*left))
    return -1;
  return closes ? std::min(groups + 1, mostGroups) : groups;
}

/// Whether `touch` is of an mbarrier.
bool isOfBarrier(const Touch &touch) {
  LocalAllocOp allocation = touch.allocation;
  return llvm::any_of(allocation->getUsers(), [](Operation *user) {
    return isa<MbarrierInitOp>(user);
  });
}

/// Whether the hardware orders `a`, which a bulk copy touches, with `b` of
/// `second`: all threads wait for the copy, each for itself, and a phase of an
/// mbarrier may begin before others wait for it.
bool isOrderedByPhase(Operation *first, const Touch &a, Operation *second,
                      bool landed) {
  // Agents count phases, which AgentCheck follows.
  auto counts = [](Operation *op) {
    return isa<BulkCopyOp, MbarrierWaitOp, MbarrierArriveOp>(op) &&
           op->getParentOfType<WarpSpecializeOp>();
  };
  if (isOfBarrier(a) && counts(first) && counts(second))
    return true;
  return isa<BulkCopyOp>(first) &&
         (landed || (isOfBarrier(a) &&
                     isa<BulkCopyOp, MbarrierWaitOp, MbarrierInvalOp>(second)));
}

/// The regions that one set of warps runs each.
std::vector<Region *> listRegions(FunctionOpInterface function) {
  std::vector<Region *> regions = {&function.getFunctionBody()};
  function.walk([&](WarpSpecializeOp op) {
    for (Region &region : op.getAgents())
      regions.push_back(&region);
  });
  return regions;
}

/// Whether `op` starts bulk copies for whatever agent waits for them.
bool isOfAgents(Operation *op) {
  return isa<BulkCopyOp>(op) && op->getParentOfType<WarpSpecializeOp>();
}

/// Paths of one set of warps.
class PathCheck {
public:
  PathCheck(FunctionOpInterface function, TouchList &touches)
      : counting(listRegions(function)), touches(touches) {}

  /// The first conflict that some path leaves, if `changed` played `role`.
  std::optional<Finding> run(FunctionOpInterface function, Operation *changed,
                             Role role) {
    for (Region *region : listRegions(function))
      for (Block &block : *region)
        for (Operation &op : block)
          if (!touches.get(&op).empty() && !isOfAgents(&op))
            for (const Numbers &numbers : counting.getNumbers(&block))
              if (auto finding = follow(&op, numbers, changed, role))
                return finding;
    return std::nullopt;
  }

private:
  /// Where a path is, and what has happened on it: which numbers choose
  /// buffers; whether a barrier of the warp has been passed; groups closed
  /// since the copy or product at its start, or -1 where it is waited for.
  struct State {
    Operation *op;
    Numbers numbers;
    bool passedWarpBarrier;
    int groups;
    auto operator<=>(const State &) const = default;
  };

  std::optional<Finding> follow(Operation *first, const Numbers &numbers,
                                Operation *changed, Role role) {
    const std::vector<Touch> &touched = touches.get(first, numbers);
    std::set<State> seen;
    std::vector<State> open;
    auto push = [&](State state) {
      if (seen.insert(state).second)
        open.push_back(state);
    };
    push({first->getNextNode(), numbers, false, startGroups(first)});
    while (!open.empty()) {
      State state = open.back();
      open.pop_back();
      Operation *op = state.op;
      if (auto finding = check(first, touched, state))
        return finding;
      if (state.groups >= 0) {
        state.groups = countGroups(first, op, state.groups);
      } else if (isa<WarpSpecializeOp, BarrierWaitOp>(op)) {
        continue;
      } else if (auto barrier = dyn_cast<BarrierOp>(op)) {
        Role own = op == changed ? role : Role::AsItIs;
        bool ofWarp = barrier.getWarp() || own == Role::OfWarp;
        if (own != Role::Absent && !ofWarp)
          continue;
        state.passedWarpBarrier |= own != Role::Absent;
      }
      if (Operation *next = op->getNextNode()) {
        push({next, state.numbers, state.passedWarpBarrier, state.groups});
        continue;
      }
      Block *block = op->getBlock();
      for (unsigned next = 0; next < block->getNumSuccessors(); ++next)
        push({&block->getSuccessor(next)->front(),
              counting.enter(block, next, state.numbers),
              state.passedWarpBarrier, state.groups});
    }
    return std::nullopt;
  }

  std::optional<Finding> check(Operation *first,
                               const std::vector<Touch> &touched,
                               const State &state) {
    // Nobody else can wait for it.
    if (state.groups >= 0 && isa<WarpSpecializeOp, AgentReturnOp>(state.op))
      return Finding{first, state.op, Finding::Wait};
    if (touches.get(state.op).empty())
      return std::nullopt;
    const Need &need =
        compare(first, touched, state.op, touches.get(state.op, state.numbers),
                state.groups < 0);
    if (!need.sameWarp && !need.otherWarp)
      return std::nullopt;
    if (state.groups >= 0)
      return need.isCertain
                 ? std::optional(Finding{first, state.op, Finding::Wait})
                 : std::nullopt;
    if (need.otherWarp)
      return Finding{first, state.op, Finding::Barrier};
    if (need.sameWarp && !state.passedWarpBarrier)
      return Finding{first, state.op, Finding::WarpBarrier};
    return std::nullopt;
  }

  /// `landed`: what `first` copies has been waited for.
  const Need &compare(Operation *first, const std::vector<Touch> &touched,
                      Operation *second, const std::vector<Touch> &touching,
                      bool landed) {
    auto [it, isNew] = needs.try_emplace({&touched, &touching, landed});
    if (!isNew)
      return it->second;
    Need need;
    for (const Touch &a : touched)
      for (const Touch &b : touching) {
        if ((!a.isWrite && !b.isWrite) ||
            isOrderedByPhase(first, a, second, landed))
          continue;
        // The same stores again: each thread's are in the program's order. So
        // are copies, once a thread has waited for its own.
        bool areCopies =
            landed && isa<AsyncCopyOp>(first) && isa<AsyncCopyOp>(second);
        if (((a.isStore && b.isStore) || areCopies) &&
            a.elements == b.elements && a.begin == b.begin)
          continue;
        int64_t step = std::min(a.elementBytes, b.elementBytes);
        for (int64_t byte = std::max(a.begin, b.begin),
                     end = std::min(a.end(), b.end());
             byte < end; byte += step) {
          uint32_t left = a.warpsAt(byte), right = b.warpsAt(byte);
          need.sameWarp |= (left & right) != 0;
          need.otherWarp |=
              left && right &&
              (left & ~right || right & ~left || (left & (left - 1)));
          need.isCertain |= left && right && a.isCertain && b.isCertain;
        }
      }
    return it->second = need;
  }

  Counting counting;
  TouchList &touches;
  std::map<
      std::tuple<const std::vector<Touch> *, const std::vector<Touch> *, bool>,
      Need>
      needs;
};

//===----------------------------------------------------------------------===//
// Proxies
//===----------------------------------------------------------------------===//

/// Follows each write of threads, or of their copies, to the products that read
/// it, and the bulk copies that write over it, through the other proxy: on the
/// way there must be a fence, and behind it a barrier of all warps, which of a
/// single one is its own.
class FenceCheck {
public:
  FenceCheck(FunctionOpInterface function, TouchList &touches)
      : counting(listRegions(function)), touches(touches) {}

  std::optional<Finding> run(FunctionOpInterface function) {
    for (Region *region : listRegions(function))
      for (Block &block : *region)
        for (Operation &op : block)
          if (!isa<BulkCopyOp>(op) &&
              llvm::any_of(touches.get(&op), [](const Touch &touch) {
                return touch.isWrite && !isOfBarrier(touch);
              }))
            for (const Numbers &numbers : counting.getNumbers(&block))
              if (auto finding = follow(&op, numbers))
                return finding;
    return std::nullopt;
  }

private:
  /// Where a path is, which numbers choose buffers, the groups closed since a
  /// copy at its start (-1: it has come), and whether a fence has been passed
  /// since.
  using State = std::tuple<Operation *, Numbers, int, bool>;

  std::optional<Finding> follow(Operation *write, const Numbers &numbers) {
    const std::vector<Touch> &written = touches.get(write, numbers);
    std::set<State> seen;
    std::vector<State> open = {
        {write->getNextNode(), numbers, startGroups(write), false}};
    while (!open.empty()) {
      State state = open.back();
      open.pop_back();
      if (!seen.insert(state).second)
        continue;
      auto [op, now, groups, isFenced] = state;
      if (isa<WgmmaOp, BulkCopyOp>(op) &&
          haveCommonBytes(written, touches.get(op, now), groups >= 0))
        return Finding{write, op, Finding::Fence};
      auto barrier = dyn_cast<BarrierOp>(op);
      bool joins =
          (barrier && (!barrier.getWarp() || lookupNumWarps(barrier) == 1)) ||
          isa<WarpSpecializeOp, BarrierWaitOp>(op);
      if (joins && isFenced)
        continue;
      if (groups >= 0)
        groups = countGroups(write, op, groups);
      else
        isFenced |= isa<ProxyFenceOp>(op);
      if (Operation *next = op->getNextNode())
        open.push_back({next, now, groups, isFenced});
      Block *block = op->getBlock();
      for (unsigned next = 0; next < op->getNumSuccessors(); ++next)
        open.push_back({&op->getSuccessor(next)->front(),
                        counting.enter(block, next, now), groups, isFenced});
    }
    return std::nullopt;
  }

  /// Of a copy on its way, where it is certain.
  static bool haveCommonBytes(const std::vector<Touch> &written,
                              const std::vector<Touch> &read, bool inFlight) {
    for (const Touch &a : written)
      for (const Touch &b : read)
        if (a.isWrite &&
            std::max(a.begin, b.begin) < std::min(a.end(), b.end()) &&
            (!inFlight || (a.isCertain && b.isCertain)))
          return true;
    return false;
  }

  Counting counting;
  TouchList &touches;
};

//===----------------------------------------------------------------------===//
// Agents
//===----------------------------------------------------------------------===//

/// Follows what agents know of one access: it marks one execution of it, lets
/// knowledge of that go from the agent to whoever waits for it, and looks for a
/// conflicting access of an agent that knows nothing of it. A bulk copy is done
/// at any time, and then whoever waits for its phase knows: until then nobody
/// does, also not the agent that has started it.
class AgentCheck {
public:
  AgentCheck(WarpSpecializeOp op, const Counting &counting, TouchList &touches)
      : counting(counting), touches(touches) {
    for (auto [region, count] :
         llvm::zip_equal(op.getAgents(), op.getWarps())) {
      entries.push_back(&region.front().front());
      warps.push_back(count);
    }
    op.walk([&](Operation *use) {
      if (isa<BarrierArriveOp, BarrierWaitOp>(use))
        numbers.try_emplace(use->getOperand(0).getAsOpaquePointer(),
                            numbers.size());
    });
    op->getParentRegion()->walk([&](MbarrierInitOp init) {
      if (auto allocation = init.getBarrier().getDefiningOp<LocalAllocOp>())
        for (unsigned buffer = 0; buffer < allocation.getType().getBuffers();
             ++buffer)
          words.try_emplace({allocation, buffer},
                            std::pair(words.size(), init.getArrivals()));
    });
  }

  std::optional<Finding> run() {
    for (unsigned agent = 0; agent < entries.size(); ++agent)
      for (Block &block : *entries[agent]->getParentRegion())
        for (Operation &op : block)
          if (touchesTiles(&op))
            if (auto finding = follow(&op, agent))
              return finding;
    return std::nullopt;
  }

private:
  enum : int { Unmarked = -2, Done = -1 };
  /// Beyond so many nobody would wait for the answer.
  static constexpr size_t mostStates = 300000;
  /// An mbarrier: its phase, odd or even; what has arrived at it; whether a
  /// copy is on its way that will; whether one of these knew of the marked
  /// access, and whether one of the phase before did.
  struct Word {
    bool isOdd = false, isAwaiting = false, tells = false, told = false;
    int32_t arrived = 0;
    auto operator<=>(const Word &) const = default;
  };
  struct State {
    std::vector<Operation *> at;
    /// What each agent counts.
    std::vector<Numbers> counted;
    std::vector<Word> words;
    /// Named barriers at which one has arrived, and those of them at which the
    /// one knew of the marked access.
    uint64_t arrived = 0, told = 0;
    /// Agents that know that the marked access is done.
    uint32_t knowing = 0;
    /// Groups closed since the mark, or one of the above.
    int mark = Unmarked;
    /// What its agent had counted at the mark; the mbarrier of a bulk copy.
    Numbers marked = {};
    int markedWord = -1;
    auto operator<=>(const State &) const = default;
  };
  using Push = llvm::function_ref<void(State)>;

  std::optional<Finding> follow(Operation *marked, unsigned owner) {
    std::set<State> seen;
    std::vector<State> open;
    uint32_t everybody = (uint32_t(1) << entries.size()) - 1;
    auto push = [&](State state) {
      // Nothing of the mark is left to be seen where everybody knows.
      if (state.knowing != everybody && seen.insert(state).second)
        open.push_back(std::move(state));
    };
    State first = {entries, std::vector<Numbers>(entries.size()),
                   std::vector<Word>(words.size())};
    for (unsigned agent = 0; agent < entries.size(); ++agent)
      first.at[agent] = skip(first.at[agent]);
    push(first);
    while (!open.empty()) {
      if (seen.size() > mostStates)
        return Finding{marked, marked, Finding::TooLong};
      State state = open.back();
      open.pop_back();
      for (unsigned agent = 0; agent < entries.size(); ++agent) {
        Operation *op = state.at[agent];
        bool isAhead = state.mark != Unmarked &&
                       (agent != owner || isa<BulkCopyOp>(marked)) &&
                       !(state.knowing >> agent & 1);
        if (isAhead && holds(op, state.counted[agent]) &&
            conflicts(marked, state.marked, op, state.counted[agent]))
          return Finding{marked, op, Finding::Barrier};
        if (agent == owner && op == marked && state.mark == Unmarked &&
            holds(op, state.counted[agent])) {
          State next = state;
          next.mark = startGroups(op);
          next.marked = state.counted[agent];
          next.knowing = next.mark >= 0 ? 0 : 1u << agent;
          bool isStarted = !isa<BulkCopyOp>(op) || start(next, agent, true);
          if (isStarted)
            goOn(next, agent, push);
        }
        advance(state, agent, owner, marked, push);
      }
      // Copies are done whenever it suits them.
      for (unsigned word = 0; word < state.words.size(); ++word)
        if (state.words[word].isAwaiting) {
          State next = state;
          next.words[word].isAwaiting = false;
          if (next.markedWord == int(word) && next.mark >= 0) {
            next.mark = Done;
            next.words[word].tells = true;
          }
          complete(next.words[word]);
          push(std::move(next));
        }
    }
    return std::nullopt;
  }

  /// One op of one agent, where it need not wait.
  void advance(State state, unsigned agent, unsigned owner, Operation *marked,
               Push push) {
    Operation *op = state.at[agent];
    if (agent == owner && state.mark >= 0 && !isa<BulkCopyOp>(marked)) {
      state.mark = countGroups(marked, op, state.mark);
      if (state.mark == Done)
        state.knowing = 1u << agent;
    }
    if (isa<BarrierArriveOp, BarrierWaitOp>(op)) {
      uint64_t bit = uint64_t(1)
                     << numbers.at(op->getOperand(0).getAsOpaquePointer());
      bool isArrived = state.arrived & bit, knows = state.knowing >> agent & 1;
      if (isArrived != isa<BarrierWaitOp>(op))
        return;
      if (isArrived && (state.told & bit))
        state.knowing |= 1u << agent;
      state.told &= ~bit;
      if (!isArrived && knows)
        state.told |= bit;
      state.arrived ^= bit;
    }
    if (holds(op, state.counted[agent])) {
      if (isa<BulkCopyOp>(op) && !start(state, agent, false))
        return;
      if (auto wait = dyn_cast<MbarrierWaitOp>(op))
        if (!await(state, agent, wait))
          return;
      if (auto arrival = dyn_cast<MbarrierArriveOp>(op))
        arrive(state, agent, arrival);
    }
    goOn(state, agent, push);
  }

  //===--------------------------------------------------------------------===//
  // mbarriers
  //===--------------------------------------------------------------------===//

  /// Conditions that are not known are taken to hold: where they do not, it is
  /// as in a shorter loop.
  static bool holds(Operation *op, const Numbers &counted) {
    Value predicate = getPredicate(op);
    if (!predicate)
      return true;
    std::optional<int64_t> value = Counting::evaluate(predicate, counted);
    return !value || *value & 1;
  }

  /// The number of the mbarrier; -1 where it is not known.
  int findWord(Value barrier, const Numbers &counted) const {
    unsigned buffer = 0;
    if (auto index = barrier.getDefiningOp<MemDescIndexOp>()) {
      auto number = Counting::evaluate(index.getIndex(), counted);
      if (!number)
        return -1;
      buffer = *number;
      barrier = index.getSource();
    }
    auto found = words.find({barrier.getDefiningOp(), buffer});
    return found == words.end() ? -1 : int(found->second.first);
  }

  static void complete(Word &word) {
    word.isOdd = !word.isOdd;
    word.told = word.tells;
    word.tells = false;
    word.arrived = 0;
  }

  /// Starts the copy where the agent is; false where the one before, of the
  /// same mbarrier, is on its way.
  bool start(State &state, unsigned agent, bool isMarked) {
    auto copy = cast<BulkCopyOp>(state.at[agent]);
    int number = findWord(copy.getBarrier(), state.counted[agent]);
    if (isMarked)
      state.markedWord = number;
    if (number < 0)
      return true;
    Word &word = state.words[number];
    if (word.isAwaiting)
      return false;
    word.isAwaiting = true;
    word.tells |= state.knowing >> agent & 1;
    return true;
  }

  /// Whether the wait may be passed; who passes knows what those knew who have
  /// arrived. Of an unknown phase nobody learns anything.
  bool await(State &state, unsigned agent, MbarrierWaitOp wait) {
    int number = findWord(wait.getBarrier(), state.counted[agent]);
    std::optional<int64_t> phase = 0;
    if (Value given = wait.getPhase())
      phase = Counting::evaluate(given, state.counted[agent]);
    if (number < 0 || !phase)
      return true;
    const Word &word = state.words[number];
    bool isOdd = (*phase & 1) != wait.getBefore();
    if (word.isOdd == isOdd)
      return false;
    if (word.told)
      state.knowing |= 1u << agent;
    return true;
  }

  void arrive(State &state, unsigned agent, MbarrierArriveOp arrival) {
    int number = findWord(arrival.getBarrier(), state.counted[agent]);
    if (number < 0)
      return;
    Word &word = state.words[number];
    word.tells |= state.knowing >> agent & 1;
    word.arrived += warps[agent];
    for (auto &[key, known] : words)
      if (int(known.first) == number && word.arrived >= known.second)
        complete(word);
  }

  //===--------------------------------------------------------------------===//
  // Going on
  //===--------------------------------------------------------------------===//

  void goOn(State state, unsigned agent, Push push) {
    Operation *op = state.at[agent];
    if (Operation *next = op->getNextNode()) {
      state.at[agent] = skip(next);
      return push(std::move(state));
    }
    Numbers before = state.counted[agent];
    Block *block = op->getBlock();
    for (unsigned number = 0; number < block->getNumSuccessors(); ++number) {
      state.at[agent] = skip(&block->getSuccessor(number)->front());
      state.counted[agent] = counting.enter(block, number, before);
      push(state);
    }
  }

  /// The next op that does anything here.
  Operation *skip(Operation *op) {
    while (!touchesTiles(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
           !isa<BarrierArriveOp, BarrierWaitOp, AsyncCommitOp, AsyncWaitOp,
                MbarrierWaitOp, MbarrierArriveOp, WgmmaWaitOp>(op))
      op = op->getNextNode();
    return op;
  }

  bool touchesTiles(Operation *op) {
    return llvm::any_of(touches.get(op),
                        [](const Touch &touch) { return !isOfBarrier(touch); });
  }

  bool conflicts(Operation *first, const Numbers &firstNumbers,
                 Operation *second, const Numbers &secondNumbers) {
    const std::vector<Touch> *of = &touches.get(first, firstNumbers);
    const std::vector<Touch> *with = &touches.get(second, secondNumbers);
    auto [it, isNew] = known.try_emplace({of, with}, false);
    if (!isNew)
      return it->second;
    bool found = false;
    for (const Touch &a : *of)
      for (const Touch &b : *with)
        for (int64_t byte = std::max(a.begin, b.begin),
                     end = std::min(a.end(), b.end());
             byte < end && (a.isWrite || b.isWrite) && !isOfBarrier(a) &&
             !isOfBarrier(b);
             ++byte)
          found |= a.warpsAt(byte) && b.warpsAt(byte);
    return it->second = found;
  }

  const Counting &counting;
  TouchList &touches;
  std::vector<Operation *> entries;
  std::vector<int32_t> warps;
  std::map<const void *, unsigned> numbers;
  /// The number of each mbarrier, by its memory and buffer, and what arrives in
  /// a phase.
  std::map<std::pair<Operation *, unsigned>, std::pair<unsigned, int32_t>>
      words;
  std::map<std::pair<const std::vector<Touch> *, const std::vector<Touch> *>,
           bool>
      known;
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct VerifyBarriers : test::impl::VerifyBarriersBase<VerifyBarriers> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal() && failed(verify(function)))
        signalPassFailure();
  }

private:
  static LogicalResult verify(FunctionOpInterface function) {
    TouchList touches;
    PathCheck check(function, touches);
    if (auto finding = check.run(function, nullptr, Role::AsItIs))
      return diagnose(*finding);
    if (auto finding = FenceCheck(function, touches).run(function))
      return diagnose(*finding);
    Counting counting(listRegions(function));
    for (auto op : function.getFunctionBody().getOps<WarpSpecializeOp>())
      if (auto finding = AgentCheck(op, counting, touches).run())
        return diagnoseAgents(*finding);
    LogicalResult result = success();
    SmallVector<BarrierOp> barriers;
    function.walk([&](BarrierOp op) {
      if (op.getShared())
        barriers.push_back(op);
    });
    for (BarrierOp op : barriers) {
      if (!check.run(function, op, Role::Absent)) {
        result = op.emitOpError("orders nothing that others do not: it can be "
                                "removed");
      } else if (!op.getWarp() && !check.run(function, op, Role::OfWarp)) {
        result = op.emitOpError("orders accesses of the same warps alone: a "
                                "barrier of the warp is enough");
      }
    }
    return result;
  }

  static LogicalResult diagnoseAgents(const Finding &finding) {
    if (finding.missing == Finding::TooLong)
      return finding.first->emitOpError("expects agents whose orders can be "
                                        "followed in 300000 states, but they "
                                        "have more");
    InFlightDiagnostic diagnostic = finding.second->emitOpError(
        "expects its agent to know that an access of the same bytes by another "
        "one is done, but it need not");
    diagnostic.attachNote(finding.first->getLoc()) << "that access is here";
    return diagnostic;
  }

  static LogicalResult diagnose(const Finding &finding) {
    constexpr StringLiteral names[] = {
        "a barrier of all warps", "a barrier", "a wait",
        "a proxy fence and a barrier behind it", "fewer orders"};
    StringRef missing = names[finding.missing];
    InFlightDiagnostic diagnostic = finding.second->emitOpError("expects ")
                                    << missing
                                    << " before it on every path from an "
                                       "access of the same bytes, but got "
                                       "none on one";
    diagnostic.attachNote(finding.first->getLoc()) << "that access is here";
    return diagnostic;
  }
};

} // namespace
