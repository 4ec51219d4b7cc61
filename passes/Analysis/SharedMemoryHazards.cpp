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
                                         OffsetOf offsetOf) {
  SmallVector<Region *> regions = getAgentRegions(function);
  for (Region *region : regions)
    for (Block &block : *region)
      addEvents(block);
  successors.resize(gaps.size());
  for (unsigned gap = 0; gap < gaps.size(); ++gap)
    if (eventAfter[gap] < 0)
      for (Block *successor : gaps[gap].before->getSuccessors())
        successors[gap].push_back(firstGap[successor]);
  for (Event &event : events)
    for (const SharedAccess &access : event.accesses) {
      auto [it, isNew] = offsets.try_emplace(access.allocation);
      if (isNew)
        it->second = offsetOf(access.allocation);
      int64_t begin = it->second + access.begin;
      event.begin = std::min(event.begin, begin);
      event.end = std::max(event.end, begin + access.footprint->bytes());
    }
  setPrices(function);
}

void SharedMemoryHazards::addEvents(Block &block) {
  auto addGap = [&](Operation *before, int event) {
    gaps.push_back({before, 0});
    eventAfter.push_back(event);
  };
  firstGap[&block] = gaps.size();
  for (Operation &op : block) {
    Event event = {&op, accesses.get(&op)};
    if (joinsAgent(&op))
      event.barrier = Ordering::Cta;
    else if (isa<BarrierOp>(op))
      event.barrier = Ordering::Warp;
    if (auto step = dyn_cast<AsyncStepOpInterface>(op))
      event.step = step.getAsyncStep();
    if (event.step && event.step->leaves)
      // Larger counts than any program has make no more phases.
      maxGroups = std::max(maxGroups, 1 + std::min(*event.step->leaves, 16u));
    else if (event.accesses.empty() && event.barrier == Ordering::None &&
             !event.step && !isa<ProxyFenceOp>(op))
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
    return event >= 0 && !events[event].accesses.empty() &&
           llvm::none_of(events[event].accesses,
                         [](const SharedAccess &a) { return a.isWrite; });
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

Ordering SharedMemoryHazards::compare(const Event &a, const Event &b,
                                      bool landed) const {
  // Most pairs of a long function; looking them up would take longer.
  if (a.end <= b.begin || b.end <= a.begin)
    return Ordering::None;
  auto [it, isNew] = compared[landed].try_emplace({&a, &b}, Ordering::None);
  if (!isNew)
    return it->second;
  Ordering needed = Ordering::None;
  for (const SharedAccess &first : a.accesses)
    for (const SharedAccess &second : b.accesses)
      needed = std::max(needed, compare(first, second, landed));
  return compared[landed][{&a, &b}] = needed;
}

Ordering SharedMemoryHazards::compare(const SharedAccess &a,
                                      const SharedAccess &b,
                                      bool landed) const {
  if (!a.isWrite && !b.isWrite)
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

void SharedMemoryHazards::walk(unsigned start, GoOn goOn) const {
  llvm::BitVector seen(gaps.size() * (maxGroups + 2));
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
  push({gapAfter[start], phase}, -1);
  for (unsigned next = 0; next < steps.size(); ++next) {
    Position position = steps[next].position;
    int index = eventAfter[position.gap];
    const Event *event = index < 0 ? nullptr : &events[index];
    if (!goOn(position, event, steps, next))
      continue;
    if (event) {
      push({gapAfter[index], advance(*event, work, position.phase)}, next);
      continue;
    }
    for (unsigned gap : successors[position.gap])
      push({gap, position.phase}, next);
  }
}

SmallVector<SharedMemoryHazards::Hazard>
SharedMemoryHazards::findHazards(const BarrierChoice &barriers,
                                 Ordering needed) const {
  SmallVector<Hazard> hazards;
  for (unsigned start = 0; start < events.size(); ++start) {
    const Event &first = events[start];
    if (first.accesses.empty())
      continue;
    walk(start, [&](Position position, const Event *event, ArrayRef<Step> steps,
                    unsigned step) {
      if (position.phase != landed())
        return true;
      if (barriers.strength[position.gap] >= needed)
        return false;
      if (!event)
        return true;
      if (event->barrier >= needed)
        return false;
      if (event->accesses.empty() ||
          compare(first, *event, /*landed=*/true) < needed)
        return true;
      Hazard hazard = {first.op, event->op, {}};
      for (int at = step; at >= 0; at = steps[at].before)
        if (steps[at].position.phase == landed())
          hazard.path.push_back(steps[at].position.gap);
      llvm::sort(hazard.path);
      hazards.push_back(std::move(hazard));
      return false;
    });
  }
  return hazards;
}

std::optional<SharedMemoryHazards::Hazard>
SharedMemoryHazards::findMissingWait() const {
  std::optional<Hazard> found;
  auto isCertain = [](const Event &event) {
    return llvm::all_of(event.accesses,
                        [](const SharedAccess &a) { return a.isCertain; });
  };
  for (unsigned start = 0; start < events.size() && !found; ++start) {
    const Event &first = events[start];
    if (!startsWork(first))
      continue;
    bool isFirstCertain = isCertain(first);
    walk(start,
         [&](Position position, const Event *event, ArrayRef<Step>, unsigned) {
           if (found || position.phase == landed())
             return false;
           // Other warps could not wait for it.
           Operation *next = event ? event->op : gaps[position.gap].before;
           if (isa<WarpSpecializeOp, AgentReturnOp>(next))
             found = Hazard{first.op, next, {}};
           else if (event && !event->accesses.empty() && isFirstCertain &&
                    isCertain(*event) &&
                    compare(first, *event, /*landed=*/false) != Ordering::None)
             found = Hazard{first.op, event->op, {}};
           return true;
         });
  }
  return found;
}

void SharedMemoryHazards::forEachUnordered(
    const BarrierChoice &barriers, Ordering stopping,
    llvm::function_ref<void(const SharedAccess &, const SharedAccess &,
                            uint64_t, bool)>
        visit) const {
  for (unsigned start = 0; start < events.size(); ++start) {
    const Event &first = events[start];
    if (first.accesses.empty())
      continue;
    walk(start,
         [&](Position position, const Event *event, ArrayRef<Step>, unsigned) {
           bool inFlight = position.phase != landed();
           if (!inFlight && barriers.strength[position.gap] >= stopping)
             return false;
           if (!event)
             return true;
           if (!inFlight && event->barrier >= stopping)
             return false;
           for (const SharedAccess &a : first.accesses)
             for (const SharedAccess &b : event->accesses)
               if (a.isWrite || b.isWrite)
                 visit(a, b, gaps[position.gap].price, inFlight);
           return true;
         });
  }
}

//===----------------------------------------------------------------------===//
// Proxies
//===----------------------------------------------------------------------===//

/// Whether `reader` has the asynchronous proxy read what `writer` writes.
bool SharedMemoryHazards::readsByProxy(const Event &reader,
                                       const Event &writer) const {
  for (const SharedAccess &read : reader.accesses)
    if (read.accessor == SharedAccessor::AsynchronousProxy)
      for (const SharedAccess &write : writer.accesses)
        if (write.isWrite &&
            compare(write, read, /*landed=*/true) != Ordering::None)
          return true;
  return false;
}

/// Whether a path from `gap` leads to a reader of what `writer` writes.
bool SharedMemoryHazards::leadsToProxyReader(unsigned gap,
                                             const Event &writer) const {
  llvm::BitVector seen(gaps.size());
  SmallVector<unsigned> open = {gap};
  while (!open.empty()) {
    unsigned here = open.pop_back_val();
    if (seen.test(here))
      continue;
    seen.set(here);
    if (eventAfter[here] < 0) {
      llvm::append_range(open, successors[here]);
      continue;
    }
    if (readsByProxy(events[eventAfter[here]], writer))
      return true;
    open.push_back(gapAfter[eventAfter[here]]);
  }
  return false;
}

llvm::SmallVector<unsigned>
SharedMemoryHazards::findProxyFences(const BarrierChoice &barriers) const {
  llvm::BitVector fenced(gaps.size());
  for (unsigned start = 0; start < events.size(); ++start) {
    const Event &first = events[start];
    if (llvm::none_of(events, [&](const Event &other) {
          return readsByProxy(other, first);
        }))
      continue;
    walk(start,
         [&](Position position, const Event *event, ArrayRef<Step>, unsigned) {
           if (position.phase != landed())
             return true;
           if (event && isa<ProxyFenceOp>(event->op))
             return false;
           bool isBarrier = barriers.strength[position.gap] == Ordering::Cta ||
                            (event && event->barrier == Ordering::Cta);
           if (isBarrier && leadsToProxyReader(position.gap, first))
             fenced.set(position.gap);
           return !isBarrier;
         });
  }
  return llvm::to_vector(fenced.set_bits());
}
