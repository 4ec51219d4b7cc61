// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/AgentHazards.h"

#include "dialects/TileGPU/Agents.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

#include <set>

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
// One agent
//===----------------------------------------------------------------------===//

/// Work in flight, and how many groups have been closed since it started, its
/// own included.
using Flight = std::pair<Operation *, unsigned>;

/// What `op` does to groups of work.
std::optional<AsyncStep> getStepOf(Operation *op) {
  if (auto step = dyn_cast<AsyncStepOpInterface>(op))
    return step.getAsyncStep();
  return std::nullopt;
}

/// Where an agent is: before `op`, with work in flight.
struct Step {
  Operation *op;
  /// What touches shared memory now: `op`, and the work.
  SmallVector<Operation *, 2> touching;
  SmallVector<unsigned, 2> next;
};

/// Ops of agents that conflict with one of another agent.
using ConflictingOps = llvm::DenseSet<Operation *>;

/// The steps of one agent; step 0 is its beginning. Ops that neither conflict
/// with another agent's nor order anything are left out.
class AgentSteps {
public:
  AgentSteps(Region &region, const ConflictingOps &conflicting)
      : conflicting(conflicting) {
    getStep(skip(&region.front().front()), {});
    for (unsigned step = 0; step < steps.size(); ++step)
      addSuccessors(step);
  }

  const Step &operator[](unsigned step) const { return steps[step]; }

private:
  bool matters(Operation *op) const {
    return isa<BarrierArriveOp, BarrierWaitOp, AsyncStepOpInterface>(op) ||
           op->hasTrait<OpTrait::IsTerminator>() || conflicting.contains(op);
  }
  /// The first op from `op` on, in its block, that matters.
  Operation *skip(Operation *op) const {
    while (!matters(op))
      op = op->getNextNode();
    return op;
  }

  unsigned getStep(Operation *op, std::set<Flight> flights) {
    auto [it, isNew] = numbers.try_emplace({op, flights}, steps.size());
    if (!isNew)
      return it->second;
    Step step = {op, {}, {}};
    if (conflicting.contains(op))
      step.touching.push_back(op);
    for (const Flight &flight : flights)
      step.touching.push_back(flight.first);
    steps.push_back(std::move(step));
    inFlight.push_back(std::move(flights));
    return it->second;
  }

  void addSuccessors(unsigned step) {
    Operation *op = steps[step].op;
    std::set<Flight> after;
    std::optional<AsyncStep> here = getStepOf(op);
    for (auto [work, groups] : inFlight[step]) {
      bool isSame = here && here->work == getStepOf(work)->work;
      if (isSame && here->leaves && groups > *here->leaves)
        continue;
      bool closes = isSame && here->closes;
      after.insert({work, std::min(groups + closes, mostGroups)});
    }
    if (here && here->starts && conflicting.contains(op))
      after.insert({op, here->closes ? 1 : 0});
    SmallVector<unsigned, 2> next;
    if (Operation *behind = op->getNextNode())
      next.push_back(getStep(skip(behind), after));
    for (Block *successor : op->getSuccessors())
      next.push_back(getStep(skip(&successor->front()), after));
    steps[step].next = std::move(next);
  }

  const ConflictingOps &conflicting;
  std::map<std::pair<Operation *, std::set<Flight>>, unsigned> numbers;
  std::vector<Step> steps;
  std::vector<std::set<Flight>> inFlight;
};

//===----------------------------------------------------------------------===//
// All agents
//===----------------------------------------------------------------------===//

class Interleavings {
public:
  using OffsetOf = llvm::function_ref<int64_t(LocalAllocOp)>;

  Interleavings(WarpSpecializeOp op, OffsetOf offsetOf) : op(op) {
    findConflicts(offsetOf);
    for (Region &region : op.getAgents())
      agents.emplace_back(region, conflicting);
    op.walk([&](Operation *use) {
      if (isa<BarrierArriveOp, BarrierWaitOp>(use))
        barriers.try_emplace(use->getOperand(0), barriers.size());
    });
  }

  std::optional<AgentHazard> find() {
    if (barriers.size() > 32)
      return AgentHazard{AgentHazard::TooMany, op};
    push({std::vector<unsigned>(agents.size(), 0), 0});
    while (!open.empty()) {
      if (seen.size() > mostStates)
        return AgentHazard{AgentHazard::TooMany, op};
      State state = open.back();
      open.pop_back();
      if (auto hazard = findConflict(state))
        return hazard;
      // What conflicts comes first, wherever it is.
      bool isEnd = areAtEnd(state);
      if (isEnd && !misuse)
        misuse = findArrivalLeft(state);
      canEnd |= isEnd;
      bool goesOn = false;
      for (unsigned agent = 0; agent < agents.size(); ++agent)
        goesOn |= advance(state, agent);
      if (!goesOn && !isEnd && !stuck)
        stuck = findWait(state);
    }
    if (!misuse && !canEnd && stuck)
      return AgentHazard{AgentHazard::NeverEnds, stuck};
    return misuse;
  }

private:
  /// The step of each agent, and the barriers at which one has arrived.
  struct State {
    std::vector<unsigned> steps;
    uint32_t arrived;
    auto operator<=>(const State &) const = default;
  };

  void push(State state) {
    if (seen.insert(state).second)
      open.push_back(std::move(state));
  }

  std::optional<AgentHazard> findConflict(const State &state) const {
    for (unsigned i = 0; i < agents.size(); ++i)
      for (unsigned j = 0; j < i; ++j)
        for (Operation *first : agents[j][state.steps[j]].touching)
          for (Operation *second : agents[i][state.steps[i]].touching)
            if (conflicts.contains({first, second}))
              return AgentHazard{AgentHazard::Unordered, first, second};
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
      if (isa<BarrierWaitOp>(steps[step].op))
        return steps[step].op;
    return nullptr;
  }

  /// Adds what follows by a step of one agent; whether it can make one.
  bool advance(State state, unsigned agent) {
    const Step &step = agents[agent][state.steps[agent]];
    if (isa<BarrierArriveOp, BarrierWaitOp>(step.op)) {
      uint32_t bit = 1u << barriers.lookup(step.op->getOperand(0));
      bool isThere = state.arrived & bit, waits = isa<BarrierWaitOp>(step.op);
      if (isThere && !waits && !misuse)
        misuse = AgentHazard{AgentHazard::ArrivesAgain, step.op};
      if (isThere != waits)
        return false;
      state.arrived ^= bit;
    }
    for (unsigned next : step.next) {
      state.steps[agent] = next;
      push(state);
    }
    return !step.next.empty();
  }

  /// Finds the pairs of ops of different agents that touch a common byte, which
  /// one of them writes.
  void findConflicts(OffsetOf offsetOf) {
    SharedAccesses shared;
    std::vector<std::pair<Operation *, SharedAccess>> earlier, own;
    for (Region &region : op.getAgents()) {
      for (Block &block : region)
        for (Operation &inner : block)
          for (SharedAccess &access : shared.get(&inner))
            own.emplace_back(&inner, access);
      for (auto &[first, a] : earlier)
        for (auto &[second, b] : own)
          if ((a.isWrite || b.isWrite) && haveCommonByte(a, b, offsetOf)) {
            conflicts.insert({first, second});
            conflicting.insert_range(ArrayRef{first, second});
          }
      earlier.insert(earlier.end(), own.begin(), own.end());
      own.clear();
    }
  }

  /// Their warps are different ones, whatever their numbers are.
  static bool haveCommonByte(const SharedAccess &a, const SharedAccess &b,
                             OffsetOf offsetOf) {
    return compareFootprints(*a.footprint, offsetOf(a.allocation) + a.begin,
                             *b.footprint, offsetOf(b.allocation) + b.begin) !=
           Ordering::None;
  }

  WarpSpecializeOp op;
  /// The op of the agent that comes first in each pair is the first.
  llvm::DenseSet<std::pair<Operation *, Operation *>> conflicts;
  ConflictingOps conflicting;
  std::vector<AgentSteps> agents;
  llvm::MapVector<Value, unsigned> barriers;
  std::set<State> seen;
  std::vector<State> open;
  /// The first use of a named barrier that breaks its rules.
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
