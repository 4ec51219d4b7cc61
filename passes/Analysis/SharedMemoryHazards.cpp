// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/SharedMemoryHazards.h"

#include "dialects/TileGPU/Agents.h"
#include "passes/Analysis/BlockFrequency.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

//===----------------------------------------------------------------------===//
// Gaps and events
//===----------------------------------------------------------------------===//

SharedMemoryHazards::SharedMemoryHazards(FunctionOpInterface function,
                                         OffsetOf offsetOf)
    : indices(getAgentRegions(function)) {
  for (Region *region : getAgentRegions(function))
    for (Block &block : *region)
      addEvents(block);
  successors.resize(gaps.size());
  for (unsigned gap = 0; gap < gaps.size(); ++gap)
    if (eventAfter[gap] < 0)
      for (Block *successor : gaps[gap].before->getSuccessors())
        successors[gap].push_back(firstGap[successor]);
  for (Event &event : events)
    addTouches(event, offsetOf);
  setPrices(function);
}

unsigned SharedMemoryHazards::addTouch(Operation *op, IndexValue lookUp,
                                       OffsetOf offsetOf) {
  Touch touch = {accesses.get(op, lookUp)};
  for (const SharedAccess &access : touch.accesses) {
    auto [it, isNew] = offsets.try_emplace(access.allocation);
    if (isNew)
      it->second = offsetOf(access.allocation);
    int64_t begin = it->second + access.begin;
    touch.begin = std::min(touch.begin, begin);
    touch.end = std::max(touch.end, begin + access.footprint->bytes());
  }
  touches.push_back(std::move(touch));
  return touches.size() - 1;
}

/// States in which the op's indices have the same values share a touch.
void SharedMemoryHazards::addTouches(Event &event, OffsetOf offsetOf) {
  std::map<std::vector<std::optional<int64_t>>, unsigned> known;
  event.touches.assign(indices.size(), 0);
  for (BufferIndices::State state : getStates(event)) {
    std::vector<std::optional<int64_t>> asked;
    auto lookUp = [&](Value index) {
      return asked.emplace_back(indices.evaluate(index, state));
    };
    for (const SharedOperand &operand : getSharedOperands(event.op))
      findOrigins(operand.descriptor, lookUp);
    auto [it, isNew] = known.try_emplace(std::move(asked), 0);
    if (isNew)
      it->second = addTouch(event.op, lookUp, offsetOf);
    event.touches[state] = it->second;
  }
  if (known.size() == 1)
    event.touches.assign(1, known.begin()->second);
}

/// What `op` does to groups.
static std::optional<AsyncStep> getStep(Operation *op) {
  auto step = dyn_cast<AsyncStepOpInterface>(op);
  return step ? std::optional(step.getAsyncStep()) : std::nullopt;
}

void SharedMemoryHazards::addEvents(Block &block) {
  auto addGap = [&](Operation *before, int event) {
    gaps.push_back({before, 0});
    eventAfter.push_back(event);
  };
  firstGap[&block] = gaps.size();
  for (Operation &op : block) {
    Event event = {&op};
    if (joinsAgent(&op))
      event.barrier = Ordering::Cta;
    else if (isa<BarrierOp>(op))
      event.barrier = Ordering::Warp;
    event.step = getStep(&op);
    if (event.step && event.step->leaves)
      // Larger counts than any program has make no more phases.
      maxGroups = std::max(maxGroups, 1 + std::min(*event.step->leaves, 16u));
    else if (getSharedOperands(&op).empty() &&
             event.barrier == Ordering::None && !event.step &&
             !isa<ProxyFenceOp>(op))
      continue;
    addGap(&op, events.size());
    events.push_back(std::move(event));
    gapAfter.push_back(gaps.size());
  }
  addGap(block.getTerminator(), -1);
}

void SharedMemoryHazards::setPrices(FunctionOpInterface function) {
  BlockFrequency frequency(function);
  auto reads = [&](int event) {
    if (event < 0)
      return false;
    SmallVector<SharedOperand> operands = getSharedOperands(events[event].op);
    return !operands.empty() &&
           llvm::none_of(operands,
                         [](const SharedOperand &a) { return a.isWrite; });
  };
  for (unsigned gap = 0; gap < gaps.size(); ++gap) {
    Block *block = gaps[gap].before->getBlock();
    uint64_t price = 8 * frequency.get(block);
    // Behind a gap's last op what follows may still start before the barrier.
    if (eventAfter[gap] < 0)
      price += 1;
    // Loads that follow each other are for one use, most often.
    bool isFirst = gap == firstGap[block];
    if (!isFirst && reads(eventAfter[gap]) && reads(eventAfter[gap - 1]))
      price += 2;
    gaps[gap].price = price;
  }
}

Ordering SharedMemoryHazards::compare(unsigned a, unsigned b,
                                      bool landed) const {
  // Most pairs of a long function; looking them up would take longer.
  if (touches[a].end <= touches[b].begin || touches[b].end <= touches[a].begin)
    return Ordering::None;
  auto [it, isNew] = compared[landed].try_emplace({a, b}, Ordering::None);
  if (!isNew)
    return it->second;
  Ordering needed = Ordering::None;
  for (const SharedAccess &first : touches[a].accesses)
    for (const SharedAccess &second : touches[b].accesses)
      needed = std::max(needed, compare(first, second, landed));
  return compared[landed][{a, b}] = needed;
}

Ordering SharedMemoryHazards::compare(const SharedAccess &a,
                                      const SharedAccess &b,
                                      bool landed) const {
  if (!a.isWrite && !b.isWrite)
    return Ordering::None;
  // All threads have waited for a bulk copy, each for itself; a phase of an
  // mbarrier may begin before, or while, others wait for it.
  bool isSeenByAll =
      a.accessor == SharedAccessor::AsynchronousProxy && a.isWrite && landed;
  bool isOfPhase = a.accessor == SharedAccessor::Mbarrier &&
                   b.accessor == SharedAccessor::Mbarrier && a.isWrite;
  if (isSeenByAll || isOfPhase)
    return Ordering::None;
  int64_t beginA = offsets.at(a.allocation) + a.begin;
  int64_t beginB = offsets.at(b.allocation) + b.begin;
  // A thread's own writes are in order, and its copies behind those that it has
  // waited for.
  bool isOrdered = a.accessor == SharedAccessor::Owners ||
                   (landed && a.accessor == SharedAccessor::Copier);
  bool isBySameThreads = a.accessor == b.accessor && isOrdered;
  if (isBySameThreads && a.footprint == b.footprint && beginA == beginB)
    return Ordering::None;
  return compareFootprints(*a.footprint, beginA, *b.footprint, beginB);
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

unsigned SharedMemoryHazards::advance(const Event &event, AsyncWork work,
                                      unsigned phase) const {
  if (phase == landed() || !event.step || event.step->work != work)
    return phase;
  if (event.step->leaves && phase > *event.step->leaves)
    return landed();
  return event.step->closes ? std::min(phase + 1, maxGroups) : phase;
}

void SharedMemoryHazards::walk(unsigned start, BufferIndices::State state,
                               GoOn goOn) const {
  llvm::BitVector seen(gaps.size() * (maxGroups + 2) * indices.size());
  SmallVector<Step> steps;
  auto push = [&](Position position, int before) {
    unsigned number = numberOf(position);
    if (seen.test(number))
      return;
    seen.set(number);
    steps.push_back({position, before});
  };
  // Work that was not started here is done here.
  const std::optional<AsyncStep> &step = events[start].step;
  AsyncWork work = step ? step->work : AsyncWork::Copies;
  unsigned phase = !startsWork(events[start]) ? landed() : step->closes ? 1 : 0;
  push({gapAfter[start], phase, state}, -1);
  for (unsigned next = 0; next < steps.size(); ++next) {
    Position position = steps[next].position;
    int index = eventAfter[position.gap];
    const Event *event = index < 0 ? nullptr : &events[index];
    if (!goOn(position, event, steps, next))
      continue;
    if (event) {
      push({gapAfter[index], advance(*event, work, position.phase),
            position.state},
           next);
      continue;
    }
    Block *block = gaps[position.gap].before->getBlock();
    for (auto [successor, gap] : llvm::enumerate(successors[position.gap]))
      push({gap, position.phase,
            indices.follow(position.state, block, successor)},
           next);
  }
}

void SharedMemoryHazards::forEachStart(
    llvm::function_ref<void(unsigned, BufferIndices::State)> visit) const {
  for (unsigned start = 0; start < events.size(); ++start)
    for (BufferIndices::State state : getStates(events[start]))
      if (!touches[getTouch(events[start], state)].accesses.empty())
        visit(start, state);
}

SmallVector<SharedMemoryHazards::Hazard>
SharedMemoryHazards::findHazards(const BarrierChoice &barriers,
                                 Ordering needed) const {
  SmallVector<Hazard> hazards;
  auto findFrom = [&](unsigned start, BufferIndices::State state) {
    unsigned first = getTouch(events[start], state);
    walk(start, state,
         [&](Position position, const Event *event, ArrayRef<Step> steps,
             unsigned step) {
           if (position.phase != landed())
             return true;
           if (barriers.strength[position.gap] >= needed)
             return false;
           if (!event)
             return true;
           if (event->barrier >= needed)
             return false;
           unsigned second = getTouch(*event, position.state);
           if (touches[second].accesses.empty() ||
               compare(first, second, /*landed=*/true) < needed)
             return true;
           Hazard hazard = {events[start].op, event->op, {}};
           for (int at = step; at >= 0; at = steps[at].before)
             if (steps[at].position.phase == landed())
               hazard.path.push_back(steps[at].position.gap);
           llvm::sort(hazard.path);
           // Paths that come by one gap in several states pass it often.
           hazard.path.erase(llvm::unique(hazard.path), hazard.path.end());
           hazards.push_back(std::move(hazard));
           return false;
         });
  };
  forEachStart(findFrom);
  return hazards;
}

std::optional<SharedMemoryHazards::Hazard>
SharedMemoryHazards::findMissingWait() const {
  std::optional<Hazard> found;
  auto isCertain = [&](unsigned touch) {
    return llvm::all_of(touches[touch].accesses,
                        [](const SharedAccess &a) { return a.isCertain; });
  };
  auto findFrom = [&](unsigned start, BufferIndices::State state) {
    if (found || !startsWork(events[start]))
      return;
    unsigned first = getTouch(events[start], state);
    bool isFirstCertain = isCertain(first);
    walk(start, state,
         [&](Position position, const Event *event, ArrayRef<Step>, unsigned) {
           if (found || position.phase == landed())
             return false;
           // Other warps could not wait for it.
           Operation *next = event ? event->op : gaps[position.gap].before;
           // But for bulk copies, at their mbarriers: AgentHazards.
           bool isLeft = isa<AgentReturnOp>(next) &&
                         events[start].step->work == AsyncWork::BulkCopies;
           if (isa<WarpSpecializeOp, AgentReturnOp>(next) && !isLeft) {
             found = Hazard{events[start].op, next, {}};
           } else if (event && isFirstCertain) {
             unsigned second = getTouch(*event, position.state);
             if (!touches[second].accesses.empty() && isCertain(second) &&
                 compare(first, second, /*landed=*/false) != Ordering::None)
               found = Hazard{events[start].op, event->op, {}};
           }
           return true;
         });
  };
  forEachStart(findFrom);
  return found;
}

void SharedMemoryHazards::forEachUnordered(
    const BarrierChoice &barriers, Ordering stopping,
    llvm::function_ref<void(const SharedAccess &, const SharedAccess &,
                            uint64_t, bool)>
        visit) const {
  auto visitFrom = [&](unsigned start, BufferIndices::State state) {
    const Touch &first = touches[getTouch(events[start], state)];
    walk(start, state,
         [&](Position position, const Event *event, ArrayRef<Step>, unsigned) {
           bool inFlight = position.phase != landed();
           if (!inFlight && barriers.strength[position.gap] >= stopping)
             return false;
           if (!event)
             return true;
           if (!inFlight && event->barrier >= stopping)
             return false;
           const Touch &second = touches[getTouch(*event, position.state)];
           for (const SharedAccess &a : first.accesses)
             for (const SharedAccess &b : second.accesses)
               if (a.isWrite || b.isWrite)
                 visit(a, b, gaps[position.gap].price, inFlight);
           return true;
         });
  };
  forEachStart(visitFrom);
}

//===----------------------------------------------------------------------===//
// Proxies
//===----------------------------------------------------------------------===//

/// The accesses, each with its touch, by which the asynchronous proxy reads, or
/// writes over, what touch `writer` writes otherwise.
llvm::SmallVector<SharedMemoryHazards::ProxyRead>
SharedMemoryHazards::findProxyReads(unsigned writer) const {
  SmallVector<ProxyRead> reads;
  for (auto [touch, here] : llvm::enumerate(touches))
    for (const SharedAccess &read : here.accesses) {
      if (read.accessor != SharedAccessor::AsynchronousProxy)
        continue;
      Ordering needed = Ordering::None;
      for (const SharedAccess &write : touches[writer].accesses)
        if (write.isWrite &&
            write.accessor != SharedAccessor::AsynchronousProxy)
          needed = std::max(needed, compare(write, read, /*landed=*/true));
      if (needed != Ordering::None)
        reads.push_back({unsigned(touch), &read, needed});
    }
  return reads;
}

/// Whether threads surely write over all that touch `writer` writes, or that
/// `read` reads, in touch `later`: what the asynchronous proxy is to see behind
/// it, it sees by a fence for that.
bool SharedMemoryHazards::overwrites(unsigned later, unsigned writer,
                                     const SharedAccess &read) const {
  auto isCovered = [&](const SharedAccess &access) {
    return llvm::any_of(touches[later].accesses, [&](const SharedAccess &over) {
      return over.isWrite && over.isCertain &&
             over.accessor == SharedAccessor::Owners &&
             coversFootprint(*access.footprint,
                             offsets.at(access.allocation) + access.begin,
                             *over.footprint,
                             offsets.at(over.allocation) + over.begin);
    });
  };
  return isCovered(read) || llvm::all_of(touches[writer].accesses,
                                         [&](const SharedAccess &access) {
                                           return !access.isWrite ||
                                                  isCovered(access);
                                         });
}

/// Whether a path from `gap`, in `state`, leads to `read` of what touch
/// `writer` writes, before that is written over.
bool SharedMemoryHazards::leadsToProxyRead(unsigned gap,
                                           BufferIndices::State state,
                                           unsigned writer,
                                           const ProxyRead &read) const {
  llvm::BitVector seen(gaps.size() * indices.size());
  SmallVector<std::pair<unsigned, BufferIndices::State>> open = {{gap, state}};
  while (!open.empty()) {
    auto [here, now] = open.pop_back_val();
    unsigned number = here * indices.size() + now;
    if (seen.test(number))
      continue;
    seen.set(number);
    if (int index = eventAfter[here]; index >= 0) {
      unsigned touch = getTouch(events[index], now);
      if (touch == read.touch)
        return true;
      if (!overwrites(touch, writer, *read.access))
        open.push_back({gapAfter[index], now});
      continue;
    }
    Block *block = gaps[here].before->getBlock();
    for (auto [number, successor] : llvm::enumerate(successors[here]))
      open.push_back({successor, indices.follow(now, block, number)});
  }
  return false;
}

llvm::SmallVector<unsigned>
SharedMemoryHazards::findProxyFences(const BarrierChoice &barriers) const {
  llvm::BitVector fenced(gaps.size());
  auto findFrom = [&](unsigned start, BufferIndices::State state) {
    unsigned first = getTouch(events[start], state);
    SmallVector<ProxyRead> reads = findProxyReads(first);
    if (reads.empty())
      return;
    // Of a single warp its own barriers order all.
    Ordering stopping = Ordering::Cta;
    for (const ProxyRead &read : reads)
      stopping = std::min(stopping, read.needed);
    walk(start, state,
         [&](Position position, const Event *event, ArrayRef<Step>, unsigned) {
           if (position.phase != landed())
             return true;
           if (event && isa<ProxyFenceOp>(event->op))
             return false;
           bool isBarrier = barriers.strength[position.gap] >= stopping ||
                            (event && event->barrier >= stopping);
           if (isBarrier && llvm::any_of(reads, [&](const ProxyRead &read) {
                 return leadsToProxyRead(position.gap, position.state, first,
                                         read);
               }))
             fenced.set(position.gap);
           return !isBarrier;
         });
  };
  forEachStart(findFrom);
  return llvm::to_vector(fenced.set_bits());
}
