// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/AgentHazards.h"

#include "dialects/TileGPU/Agents.h"
#include "passes/Analysis/BufferIndices.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"

#include <set>
#include <unordered_set>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// More states than these, of all agents together, are not followed: a few
/// seconds.
constexpr size_t mostStates = 300'000;
/// Groups of copies beyond these are not told apart.
constexpr unsigned mostGroups = 17;

//===----------------------------------------------------------------------===//
// Touches
//===----------------------------------------------------------------------===//

/// What ops of agents touch, by op and by the values of the indices of buffers
/// that it depends on.
class AgentTouches {
public:
  using OffsetOf = llvm::function_ref<int64_t(LocalAllocOp)>;
  /// Touches nothing.
  static constexpr unsigned nothing = 0;

  AgentTouches(const BufferIndices &indices, OffsetOf offsetOf)
      : indices(indices), offsetOf(offsetOf), touches(1) {}

  /// What `op`, in a block that was come to in `state`, touches.
  unsigned get(Operation *op, BufferIndices::State state) {
    std::vector<std::optional<int64_t>> asked;
    auto lookUp = [&](Value index) {
      return asked.emplace_back(indices.evaluate(index, state));
    };
    SmallVector<SharedOperand> operands = getSharedOperands(op);
    if (operands.empty())
      return nothing;
    for (const SharedOperand &operand : operands)
      findOrigins(operand.descriptor, lookUp);
    auto [it, isNew] = numbers.try_emplace({op, asked}, touches.size());
    if (isNew) {
      touches.push_back(shared.get(op, lookUp));
      ops.push_back(op);
    }
    return it->second;
  }

  /// The op whose touch it is.
  Operation *getOp(unsigned touch) const { return ops[touch]; }

  /// Whether they have a common byte, which one of them writes. Their warps are
  /// different ones, whatever their numbers are; uses of an mbarrier are in
  /// order by themselves.
  bool conflict(unsigned a, unsigned b) {
    if (a > b)
      std::swap(a, b);
    auto [it, isNew] = compared.try_emplace({a, b}, false);
    if (!isNew || a == nothing)
      return it->second;
    for (const SharedAccess &first : touches[a])
      for (const SharedAccess &second : touches[b])
        it->second |= conflict(first, second);
    return it->second;
  }

  /// The byte at which the memory of `descriptor` begins; none where it is not
  /// known.
  std::optional<int64_t> findBegin(Value descriptor,
                                   BufferIndices::State state) const {
    SmallVector<SharedOrigin> origins =
        findOrigins(descriptor, [&](Value index) {
          return indices.evaluate(index, state);
        });
    if (origins.size() != 1 || !origins.front().begin)
      return std::nullopt;
    return offsetOf(origins.front().allocation) + *origins.front().begin;
  }

private:
  bool conflict(const SharedAccess &a, const SharedAccess &b) const {
    bool areOfPhase = a.accessor == SharedAccessor::Mbarrier &&
                      b.accessor == SharedAccessor::Mbarrier;
    return (a.isWrite || b.isWrite) && !areOfPhase &&
           compareFootprints(*a.footprint, offsetOf(a.allocation) + a.begin,
                             *b.footprint, offsetOf(b.allocation) + b.begin) !=
               Ordering::None;
  }

  const BufferIndices &indices;
  OffsetOf offsetOf;
  SharedAccesses shared;
  std::map<std::pair<Operation *, std::vector<std::optional<int64_t>>>,
           unsigned>
      numbers;
  std::vector<SmallVector<SharedAccess>> touches;
  std::vector<Operation *> ops = {nullptr};
  llvm::DenseMap<std::pair<unsigned, unsigned>, bool> compared;
};

//===----------------------------------------------------------------------===//
// One agent
//===----------------------------------------------------------------------===//

/// Work in flight: what it touches, its kind, and how many groups have been
/// closed since it started, its own included.
using Flight = std::tuple<unsigned, AsyncWork, unsigned>;

/// What `op` does to groups that its agent waits for. Bulk copies are waited
/// for at mbarriers, by anyone.
std::optional<AsyncStep> getStepOf(Operation *op) {
  auto step = dyn_cast<AsyncStepOpInterface>(op);
  if (!step || step.getAsyncStep().work == AsyncWork::BulkCopies)
    return std::nullopt;
  return step.getAsyncStep();
}

/// Where an agent is: before `op`, with work in flight.
struct Step {
  Operation *op;
  BufferIndices::State state;
  /// What `op` touches, and what is touched now: by it, and by the work.
  unsigned own;
  SmallVector<unsigned, 2> touching;
  SmallVector<unsigned, 2> next;
};

using OpSet = llvm::DenseSet<Operation *>;

/// The steps of one agent; step 0 is its beginning. Ops that neither conflict
/// with another agent's (`conflicting`) nor order anything between agents
/// (`ordering`) are left out.
class AgentSteps {
public:
  AgentSteps(Region &region, const BufferIndices &indices,
             AgentTouches &touches, const OpSet &conflicting,
             const OpSet &ordering)
      : indices(indices), touches(touches), conflicting(conflicting),
        ordering(ordering) {
    for (Block &block : region)
      for (Operation &op : block)
        if (conflicting.contains(&op))
          if (std::optional<AsyncStep> step = getStepOf(&op))
            works.insert(unsigned(step->work));
    getStep(skip(&region.front().front()), {}, /*state=*/0);
    for (unsigned step = 0; step < steps.size() && step < mostStates; ++step)
      addSuccessors(step);
  }

  const Step &operator[](unsigned step) const { return steps[step]; }

private:
  bool matters(Operation *op) const {
    std::optional<AsyncStep> step = getStepOf(op);
    return op->hasTrait<OpTrait::IsTerminator>() || conflicting.contains(op) ||
           ordering.contains(op) ||
           (step && works.contains(unsigned(step->work)));
  }
  /// The first op from `op` on, in its block, that matters.
  Operation *skip(Operation *op) const {
    while (!matters(op))
      op = op->getNextNode();
    return op;
  }

  unsigned getStep(Operation *op, const std::set<Flight> &flights,
                   BufferIndices::State state) {
    auto [it, isNew] = numbers.try_emplace({op, flights, state}, steps.size());
    if (!isNew)
      return it->second;
    Step step = {op, state, AgentTouches::nothing, {}, {}};
    if (conflicting.contains(op))
      step.touching.push_back(step.own = touches.get(op, state));
    for (const Flight &flight : flights)
      step.touching.push_back(std::get<0>(flight));
    steps.push_back(std::move(step));
    inFlight.push_back(flights);
    return it->second;
  }

  void addSuccessors(unsigned step) {
    auto [op, state, own, touching, none] = steps[step];
    std::set<Flight> after;
    std::optional<AsyncStep> here = getStepOf(op);
    for (auto [touch, work, groups] : inFlight[step]) {
      bool isSame = here && here->work == work;
      if (isSame && here->leaves && groups > *here->leaves)
        continue;
      bool closes = isSame && here->closes;
      after.insert({touch, work, std::min(groups + closes, mostGroups)});
    }
    if (here && here->starts && own != AgentTouches::nothing)
      after.insert({own, here->work, here->closes ? 1 : 0});
    // Nobody is known to wait for it.
    if (isa<BulkCopyOp>(op) && !ordering.contains(op) &&
        own != AgentTouches::nothing)
      after.insert({own, AsyncWork::BulkCopies, 0});
    SmallVector<unsigned, 2> next;
    if (Operation *behind = op->getNextNode())
      next.push_back(getStep(skip(behind), after, state));
    for (auto [number, successor] : llvm::enumerate(op->getSuccessors()))
      next.push_back(getStep(skip(&successor->front()), after,
                             indices.follow(state, op->getBlock(), number)));
    steps[step].next = std::move(next);
  }

  const BufferIndices &indices;
  AgentTouches &touches;
  const OpSet &conflicting, &ordering;
  /// Kinds of work that conflicting ops start.
  llvm::SmallSet<unsigned, 4> works;
  std::map<std::tuple<Operation *, std::set<Flight>, BufferIndices::State>,
           unsigned>
      numbers;
  std::vector<Step> steps;
  std::vector<std::set<Flight>> inFlight;
};

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

/// An mbarrier of several agents, in one of its phases.
struct Mbarrier {
  /// Whether the phase's number is odd.
  bool isOdd = false;
  /// Arrivals to come.
  unsigned missing = 0;
  /// The agents, by bits, that have yet to wait for the phase before.
  uint32_t untaken = 0;
  /// What the copies touch that it will be told of.
  SmallVector<unsigned, 2> copies;
  bool operator==(const Mbarrier &) const = default;
};

/// What does not change of it.
struct MbarrierUse {
  unsigned arrivals = 1;
  /// The agents that arrive, or copy, and those that wait, by bits.
  uint32_t arriving = 0, waiting = 0;
};

/// The arrivals that phases of the mbarrier `descriptor` expect.
unsigned findArrivals(Value descriptor) {
  for (const SharedOrigin &origin : findOrigins(descriptor))
    for (Operation *user : origin.allocation->getUsers())
      if (auto init = dyn_cast<MbarrierInitOp>(user))
        return init.getArrivals();
  return 1;
}

//===----------------------------------------------------------------------===//
// All agents
//===----------------------------------------------------------------------===//

class Interleavings {
public:
  using OffsetOf = llvm::function_ref<int64_t(LocalAllocOp)>;

  Interleavings(WarpSpecializeOp op, OffsetOf offsetOf)
      : op(op), indices(listRegions(op), isOfSeveral),
        touches(indices, offsetOf) {
    op.walk([&](Operation *use) {
      if (!isa<BarrierArriveOp, BarrierWaitOp>(use))
        return;
      barriers.try_emplace(use->getOperand(0), barriers.size());
      ordering.insert(use);
    });
    findMbarriers();
    findConflicts();
    for (Region &region : op.getAgents())
      agents.emplace_back(region, indices, touches, conflicting, ordering);
  }

  std::optional<AgentHazard> find() {
    if (barriers.size() > 32 || agents.size() > 32)
      return AgentHazard{AgentHazard::TooMany, op};
    State first = {SmallVector<unsigned, 4>(agents.size(), 0), 0, {}};
    for (const auto &[begin, use] : mbarriers)
      first.mbarriers.push_back({false, use.arrivals, 0, {}});
    push(std::move(first));
    while (!open.empty()) {
      if (seen.size() > mostStates)
        return AgentHazard{AgentHazard::TooMany, op};
      const State &state = *open.back();
      open.pop_back();
      if (auto hazard = findConflict(state))
        return hazard;
      // What conflicts comes first, wherever it is.
      bool isEnd = areAtEnd(state);
      if (isEnd && !misuse)
        misuse = findArrivalLeft(state);
      canEnd |= isEnd;
      bool goesOn = land(state);
      for (unsigned agent = 0; agent < agents.size(); ++agent)
        goesOn |= advance(state, agent);
      if (!goesOn && !isEnd && !stuck)
        stuck = findWait(state);
    }
    if (!misuse && !canEnd && stuck)
      return AgentHazard{AgentHazard::NeverEnds, stuck};
    if (!misuse)
      for (auto [wait, isPassed] : waits)
        if (!isPassed)
          return AgentHazard{AgentHazard::NeverEnds,
                             agents[wait.first][wait.second].op};
    return misuse;
  }

private:
  /// The step of each agent, the barriers at which one has arrived, and the
  /// mbarriers.
  struct State {
    SmallVector<unsigned, 4> steps;
    uint32_t arrived;
    SmallVector<Mbarrier, 8> mbarriers;
    bool operator==(const State &) const = default;
  };
  struct HashOfState {
    size_t operator()(const State &state) const {
      llvm::hash_code hash = llvm::hash_combine(
          state.arrived,
          llvm::hash_combine_range(state.steps.begin(), state.steps.end()));
      for (const Mbarrier &of : state.mbarriers)
        hash = llvm::hash_combine(
            hash, of.isOdd, of.missing, of.untaken,
            llvm::hash_combine_range(of.copies.begin(), of.copies.end()));
      return hash;
    }
  };

  /// Whether the memory is allocated outside of the agent that has the
  /// descriptor, and so may be others' too.
  static bool isOfSeveral(Value descriptor) {
    return isa<MemDescType>(descriptor.getType()) &&
           llvm::any_of(findOrigins(descriptor), [&](const SharedOrigin &of) {
             return !lookupAgent(of.allocation);
           });
  }

  static SmallVector<Region *> listRegions(WarpSpecializeOp op) {
    return llvm::map_to_vector(op.getAgents(),
                               [](Region &region) { return &region; });
  }

  void push(State state) {
    auto [it, isNew] = seen.insert(std::move(state));
    if (isNew)
      open.push_back(&*it);
  }

  std::optional<AgentHazard> findConflict(const State &state) {
    for (unsigned i = 0; i < agents.size(); ++i) {
      const Step &step = agents[i][state.steps[i]];
      for (const Mbarrier &mbarrier : state.mbarriers)
        if (auto hazard = findConflict(mbarrier.copies, step.own))
          return hazard;
      for (unsigned j = 0; j < i; ++j) {
        const Step &other = agents[j][state.steps[j]];
        for (unsigned touch : step.touching)
          if (auto hazard = findConflict(other.touching, touch))
            return hazard;
      }
    }
    return std::nullopt;
  }

  std::optional<AgentHazard> findConflict(ArrayRef<unsigned> first,
                                          unsigned second) {
    for (unsigned touch : first)
      if (touches.conflict(touch, second))
        return AgentHazard{AgentHazard::Unordered, touches.getOp(touch),
                           touches.getOp(second)};
    return std::nullopt;
  }

  bool areAtEnd(const State &state) const {
    return llvm::all_of(llvm::zip_equal(agents, state.steps),
                        [](const auto &agent) {
                          const auto &[steps, step] = agent;
                          return isa<AgentReturnOp>(steps[step].op);
                        });
  }

  std::optional<AgentHazard> findArrivalLeft(const State &end) const {
    for (auto [barrier, number] : barriers)
      if (end.arrived >> number & 1)
        for (Operation *user : barrier.getUsers())
          if (isa<BarrierArriveOp>(user))
            return AgentHazard{AgentHazard::NeverTaken, user};
    return std::nullopt;
  }

  /// The first op at which an agent waits; null where none does.
  Operation *findWait(const State &state) const {
    for (auto [steps, step] : llvm::zip_equal(agents, state.steps))
      if (isa<BarrierWaitOp, MbarrierWaitOp>(steps[step].op))
        return steps[step].op;
    return nullptr;
  }

  //===--- mbarriers ------------------------------------------------------===//

  void findMbarriers() {
    for (auto [agent, region] : llvm::enumerate(op.getAgents()))
      for (Block &block : region)
        for (Operation &inner : block)
          for (BufferIndices::State state : indices.getStates(&block))
            // Of an agent's own memory buffers are not followed.
            if (Value barrier = getMbarrier(&inner);
                barrier && isOfSeveral(barrier))
              if (auto begin = touches.findBegin(barrier, state)) {
                MbarrierUse &use = mbarriers[*begin];
                use.arrivals = findArrivals(barrier);
                bool waits = isa<MbarrierWaitOp>(inner);
                (waits ? use.waiting : use.arriving) |= 1u << agent;
              }
    // Of those of one agent its own barriers tell.
    std::erase_if(mbarriers, [](const auto &entry) {
      const MbarrierUse &use = entry.second;
      return use.arriving == use.waiting && llvm::isPowerOf2_32(use.waiting);
    });
    op.walk([&](Operation *use) {
      Value barrier = getMbarrier(use);
      if (!barrier)
        return;
      for (BufferIndices::State state : indices.getStates(use->getBlock()))
        if (auto begin = touches.findBegin(barrier, state);
            begin && mbarriers.count(*begin))
          ordering.insert(use);
    });
  }

  static Value getMbarrier(Operation *op) {
    if (auto wait = dyn_cast<MbarrierWaitOp>(op))
      return wait.getBarrier();
    if (auto arrive = dyn_cast<MbarrierArriveOp>(op))
      return arrive.getBarrier();
    if (auto copy = dyn_cast<BulkCopyOp>(op))
      return copy.getBarrier();
    return {};
  }

  /// The number of that which `step` is at; none where its buffer is not known.
  /// Found once for each step: states that have it are many.
  std::optional<unsigned> findMbarrier(const Step &step) {
    auto [known, isNew] = mbarriersOfSteps.try_emplace(&step, std::nullopt);
    if (!isNew)
      return known->second;
    auto begin = touches.findBegin(getMbarrier(step.op), step.state);
    auto it = begin ? mbarriers.find(*begin) : mbarriers.end();
    if (it != mbarriers.end())
      known->second = std::distance(mbarriers.begin(), it);
    return known->second;
  }

  /// That which `step` is at; null where its buffer is not known.
  Mbarrier *lookUp(State &state, const Step &step) {
    std::optional<unsigned> number = findMbarrier(step);
    return number ? &state.mbarriers[*number] : nullptr;
  }

  /// Has the phase end where all has come. Whoever waits for the one before
  /// could not tell it from this one then.
  void settle(State &state, Mbarrier &mbarrier, Operation *by) {
    if (mbarrier.missing || !mbarrier.copies.empty())
      return;
    if (mbarrier.untaken && !misuse)
      misuse = AgentHazard{AgentHazard::ArrivesAgain, by};
    const MbarrierUse &use =
        std::next(mbarriers.begin(), &mbarrier - state.mbarriers.data())
            ->second;
    mbarrier.isOdd = !mbarrier.isOdd;
    mbarrier.missing = use.arrivals;
    mbarrier.untaken = use.waiting;
  }

  /// Whether an agent is about to wait at the mbarrier of that number.
  bool isAwaited(const State &state, unsigned index) {
    for (auto [steps, at] : llvm::zip_equal(agents, state.steps))
      if (const Step &step = steps[at]; isa<MbarrierWaitOp>(step.op) &&
                                        ordering.contains(step.op) &&
                                        findMbarrier(step) == index)
        return true;
    return false;
  }

  /// Adds the states in which copies of one mbarrier have come; whether there
  /// are any. They come when someone waits: sooner they would be in nobody's
  /// way, and later nobody could go on.
  bool land(const State &state) {
    bool any = false;
    for (unsigned index = 0; index < state.mbarriers.size(); ++index) {
      if (state.mbarriers[index].copies.empty() || !isAwaited(state, index))
        continue;
      State next = state;
      Operation *copy = touches.getOp(next.mbarriers[index].copies.front());
      next.mbarriers[index].copies.clear();
      settle(next, next.mbarriers[index], copy);
      push(std::move(next));
      any = true;
    }
    return any;
  }

  void arrive(State &state, const Step &step, unsigned arrivals) {
    Mbarrier *mbarrier = lookUp(state, step);
    if (!mbarrier)
      return;
    if (mbarrier->missing < arrivals) {
      if (!misuse)
        misuse = AgentHazard{AgentHazard::ArrivesAgain, step.op};
      return;
    }
    mbarrier->missing -= arrivals;
    if (isa<BulkCopyOp>(step.op)) {
      mbarrier->copies.push_back(step.own);
      llvm::sort(mbarrier->copies);
    }
    settle(state, *mbarrier, step.op);
  }

  /// Whether `agent` may go on behind the wait. Of one that has a predicate
  /// what follows is taken to need it.
  bool passes(State &state, unsigned agent, const Step &step) {
    auto wait = cast<MbarrierWaitOp>(step.op);
    Mbarrier *mbarrier = lookUp(state, step);
    std::optional<int64_t> phase = 0;
    if (wait.getPhase())
      phase = indices.evaluate(wait.getPhase(), step.state);
    if (!mbarrier || !phase)
      return true;
    if (mbarrier->isOdd == ((*phase & 1) != wait.getBefore()))
      return false;
    mbarrier->untaken &= ~(1u << agent);
    return true;
  }

  //===--- Steps ----------------------------------------------------------===//

  /// Whether the op may do what it does, and whether it may leave it: where the
  /// predicate's value is not known, both.
  std::pair<bool, bool> mayBe(Value predicate, BufferIndices::State at) const {
    std::optional<int64_t> value =
        predicate ? indices.evaluate(predicate, at) : std::optional<int64_t>(1);
    return {!value || *value, !value || !*value};
  }

  /// Adds what follows by a step of one agent; whether it can make one.
  bool advance(const State &state, unsigned agent) {
    const Step &step = agents[agent][state.steps[agent]];
    if (!ordering.contains(step.op))
      return goOn(state, agent, step);
    if (isa<BarrierArriveOp, BarrierWaitOp>(step.op))
      return advanceBarrier(state, agent, step);
    if (isa<MbarrierWaitOp>(step.op)) {
      State next = state;
      bool &isPassed = waits[{agent, state.steps[agent]}];
      bool canPass = passes(next, agent, step);
      isPassed |= canPass;
      return canPass && goOn(std::move(next), agent, step);
    }
    auto copy = dyn_cast<BulkCopyOp>(step.op);
    auto arrival = dyn_cast<MbarrierArriveOp>(step.op);
    // A copy that is not there is in nobody's way, and whoever waits for it
    // never goes on.
    auto [does, doesNot] =
        mayBe(copy ? Value() : arrival.getPredicate(), step.state);
    if (does) {
      State next = state;
      arrive(next, step, copy ? 1 : op.getWarps()[agent]);
      goOn(std::move(next), agent, step);
    }
    return doesNot ? goOn(state, agent, step) : true;
  }

  bool advanceBarrier(State state, unsigned agent, const Step &step) {
    uint32_t bit = 1u << barriers.lookup(step.op->getOperand(0));
    bool isThere = state.arrived & bit, waits = isa<BarrierWaitOp>(step.op);
    if (isThere && !waits && !misuse)
      misuse = AgentHazard{AgentHazard::ArrivesAgain, step.op};
    if (isThere != waits)
      return false;
    state.arrived ^= bit;
    return goOn(std::move(state), agent, step);
  }

  bool goOn(State state, unsigned agent, const Step &step) {
    if (step.next.empty())
      return false;
    for (unsigned next : ArrayRef(step.next).drop_back()) {
      State other = state;
      other.steps[agent] = next;
      push(std::move(other));
    }
    state.steps[agent] = step.next.back();
    push(std::move(state));
    return true;
  }

  /// Finds the ops that touch, in some state, a byte that one of another agent
  /// touches in some, and one of them writes; and copies, which may conflict
  /// with what their own agent does.
  void findConflicts() {
    std::vector<std::pair<Operation *, unsigned>> earlier, own;
    for (Region &region : op.getAgents()) {
      for (Block &block : region)
        for (Operation &inner : block) {
          if (isa<BulkCopyOp>(inner) && ordering.contains(&inner))
            conflicting.insert(&inner);
          llvm::SmallSet<unsigned, 8> known;
          for (BufferIndices::State state : indices.getStates(&block))
            if (unsigned touch = touches.get(&inner, state);
                touch != AgentTouches::nothing && known.insert(touch).second)
              own.emplace_back(&inner, touch);
        }
      for (auto &[first, a] : earlier)
        for (auto &[second, b] : own)
          if (touches.conflict(a, b))
            conflicting.insert_range(ArrayRef{first, second});
      earlier.insert(earlier.end(), own.begin(), own.end());
      own.clear();
    }
  }

  WarpSpecializeOp op;
  BufferIndices indices;
  AgentTouches touches;
  OpSet conflicting, ordering;
  std::vector<AgentSteps> agents;
  llvm::MapVector<Value, unsigned> barriers;
  /// By their place in shared memory; a state's are in the same order.
  std::map<int64_t, MbarrierUse> mbarriers;
  llvm::DenseMap<const Step *, std::optional<unsigned>> mbarriersOfSteps;
  /// For each wait at an mbarrier, by agent and step, whether it was passed.
  std::map<std::pair<unsigned, unsigned>, bool> waits;
  std::unordered_set<State, HashOfState> seen;
  std::vector<const State *> open;
  /// The first use of a barrier that breaks its rules.
  std::optional<AgentHazard> misuse;
  /// Whether all agents may end, and where one waits when none can go on.
  bool canEnd = false;
  Operation *stuck = nullptr;
};

} // namespace

std::optional<AgentHazard>
tilegpu::findAgentHazard(WarpSpecializeOp op,
                         llvm::function_ref<int64_t(LocalAllocOp)> offsetOf) {
  return Interleavings(op, offsetOf).find();
}
