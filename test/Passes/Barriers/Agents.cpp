// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Passes/Barriers/Agents.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::test;
using namespace tilewright::tilegpu;

namespace {
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
                MbarrierWaitOp, MbarrierArriveOp, WgmmaWaitOp, BulkStoreWaitOp>(
               op))
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
} // namespace

std::optional<Finding> test::findUnknownAccess(WarpSpecializeOp op,
                                               const Counting &counting,
                                               TouchList &touches) {
  return AgentCheck(op, counting, touches).run();
}
