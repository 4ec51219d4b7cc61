// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to shared memory that nothing orders, and the paths between them on
// which a barrier could.
//
// In: a function as a graph of blocks, or several where it has agents, offsets
// of its allocations, barriers thought to stand at some of its gaps. Out: for
// two accesses of common bytes, one of them a write, a path from the one to the
// other without a barrier of the strength that they need, as the gaps on it.
//
// An asynchronous copy writes, and a product by a warp group reads, from where
// it starts to the wait that takes its group: no barrier orders it before that
// wait, and the wait alone orders it for no other thread.
//
// Which of its buffers an access takes where the index rotates is known on each
// path (BufferIndices): two accesses conflict where they take the same one.
//
// Paths are those of one agent, whose barriers are its own: where warps part
// and meet again all accesses are ordered. Accesses of different agents are
// AgentHazards'.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_SHAREDMEMORYHAZARDS_H
#define TILEWRIGHT_PASSES_ANALYSIS_SHAREDMEMORYHAZARDS_H

#include "passes/Analysis/BufferIndices.h"
#include "passes/Analysis/SharedAccesses.h"

#include "llvm/ADT/MapVector.h"

#include <limits>

namespace tilewright::tilegpu {

/// Gaps, by number, at which barriers are thought to stand.
struct BarrierChoice {
  explicit BarrierChoice(unsigned gaps) : strength(gaps, Ordering::None) {}
  void add(llvm::ArrayRef<unsigned> gaps, Ordering of) {
    for (unsigned gap : gaps)
      strength[gap] = std::max(strength[gap], of);
  }
  llvm::SmallVector<Ordering> strength;
};

class SharedMemoryHazards {
public:
  using OffsetOf = llvm::function_ref<int64_t(LocalAllocOp)>;
  /// `offsetOf` is asked for each allocation that is accessed.
  SharedMemoryHazards(mlir::FunctionOpInterface function, OffsetOf offsetOf);

  /// A place for a barrier: before an op that touches shared memory or
  /// synchronises, or before a block's terminator. Between two gaps of a block
  /// stands one such op.
  struct Gap {
    mlir::Operation *before;
    /// What a barrier here costs, compared with one elsewhere: how often it is
    /// executed, and a little for places that are as often executed but worse.
    uint64_t price;
  };
  llvm::ArrayRef<Gap> getGaps() const { return gaps; }

  /// Two accesses and the gaps, ascending, of a path between them.
  struct Hazard {
    mlir::Operation *first, *second;
    std::vector<unsigned> path;
  };
  /// For each access one path to each first op after it that conflicts with it,
  /// where `barriers` and those of the function do not stop the path: with
  /// Ordering::Cta the conflicts that need a barrier of all warps, with
  /// Ordering::Warp those that need any.
  llvm::SmallVector<Hazard> findHazards(const BarrierChoice &barriers,
                                        Ordering needed) const;

  /// Asynchronous work, and an access that conflicts with it, or where its
  /// agent's warps part or end, on a path from it without a wait for its group:
  /// no barrier could help. Nothing where all is well.
  std::optional<Hazard> findMissingWait() const;

  /// Calls `visit` with each pair of accesses, the second on a path from the
  /// first without a barrier of strength `stopping`, of which at least one
  /// writes, whatever bytes they touch. `inFlight`: the path has not come to
  /// the wait for the first, which is asynchronous. The price is that of the
  /// gap before the second.
  void forEachUnordered(
      const BarrierChoice &barriers, Ordering stopping,
      llvm::function_ref<void(const SharedAccess &, const SharedAccess &,
                              uint64_t price, bool inFlight)>
          visit) const;

  /// The gaps, ascending, at whose barrier (of `barriers`, or the function's
  /// own, of all warps) threads must have shown what they have written to the
  /// asynchronous proxy: the first barrier behind a write, on a path to where
  /// the proxy reads it, or writes over it. A proxy fence on the way does.
  llvm::SmallVector<unsigned>
  findProxyFences(const BarrierChoice &barriers) const;

private:
  /// What an op does to shared memory, where the indices of buffers are known.
  struct Touch {
    llvm::SmallVector<SharedAccess, 2> accesses;
    /// From the first byte that it may access to behind the last one.
    int64_t begin = std::numeric_limits<int64_t>::max(), end = 0;
  };
  /// An op between two gaps.
  struct Event {
    mlir::Operation *op;
    /// The strength, where it is a barrier.
    Ordering barrier = Ordering::None;
    /// What it does to groups of asynchronous work.
    std::optional<AsyncStep> step = std::nullopt;
    /// By state of the indices, the number of what it touches then; one for
    /// all states where they do not matter.
    llvm::SmallVector<unsigned, 1> touches = {};
  };
  /// Where a path is: before the event of a gap, how far asynchronous work at
  /// its start has come, and which buffers indices choose. Phase 0 to
  /// maxGroups: as many groups have been closed since, its own included;
  /// landed: a wait has taken it.
  struct Position {
    unsigned gap, phase;
    BufferIndices::State state;
  };

  void addEvents(mlir::Block &block);
  void addTouches(Event &event, OffsetOf offsetOf);
  unsigned addTouch(mlir::Operation *op, IndexValue lookUp, OffsetOf offsetOf);
  void setPrices(mlir::FunctionOpInterface function);
  unsigned getTouch(const Event &event, BufferIndices::State state) const {
    return event.touches[event.touches.size() == 1 ? 0 : state];
  }
  /// In which a path may come to the event.
  llvm::ArrayRef<BufferIndices::State> getStates(const Event &event) const {
    return indices.getStates(event.op->getBlock());
  }
  /// What two touches need between them; `landed`: where the first one is
  /// asynchronous, the path has come to the wait for it.
  Ordering compare(unsigned a, unsigned b, bool landed) const;
  Ordering compare(const SharedAccess &a, const SharedAccess &b,
                   bool landed) const;
  unsigned landed() const { return maxGroups + 1; }
  unsigned numberOf(Position position) const {
    return (position.gap * (maxGroups + 2) + position.phase) * indices.size() +
           position.state;
  }
  static bool startsWork(const Event &event) {
    return event.step && event.step->starts;
  }
  /// The phase behind an event, of `work` of one kind.
  unsigned advance(const Event &event, AsyncWork work, unsigned phase) const;
  /// Calls `visit` with each event that touches memory and each state in which
  /// a path may come to it.
  void forEachStart(
      llvm::function_ref<void(unsigned, BufferIndices::State)> visit) const;
  /// An access by the asynchronous proxy, the touch that it is of, and the
  /// barrier that orders the writes before it: all warps', or where the threads
  /// are one warp that warp's.
  struct ProxyRead {
    unsigned touch;
    const SharedAccess *access;
    Ordering needed;
  };
  llvm::SmallVector<ProxyRead> findProxyReads(unsigned writer) const;
  bool overwrites(unsigned later, unsigned writer,
                  const SharedAccess &read) const;
  bool leadsToProxyRead(unsigned gap, BufferIndices::State state,
                        unsigned writer, const ProxyRead &read) const;
  /// A position on the way from a start, and the one before it (-1: none).
  struct Step {
    Position position;
    int before;
  };
  /// Follows all paths from after event `start`, to which a path came in
  /// `state`, each position once. `goOn` is called with a position and the
  /// event after its gap, null at a block's end, and with the steps so far, its
  /// own last; it says whether paths go on behind it.
  using GoOn = llvm::function_ref<bool(Position, const Event *,
                                       llvm::ArrayRef<Step>, unsigned)>;
  void walk(unsigned start, BufferIndices::State state, GoOn goOn) const;

  llvm::SmallVector<Gap> gaps;
  /// The event after each gap; -1 at a block's end.
  llvm::SmallVector<int> eventAfter;
  /// Gaps that follow the last one of a block.
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>> successors;
  llvm::SmallVector<Event> events;
  /// The gap after each event.
  llvm::SmallVector<unsigned> gapAfter;
  std::vector<Touch> touches;
  llvm::DenseMap<LocalAllocOp, int64_t> offsets;
  llvm::DenseMap<mlir::Block *, unsigned> firstGap;
  BufferIndices indices;
  SharedAccesses accesses;
  /// Groups that a wait may leave in flight, at most, plus one.
  unsigned maxGroups = 1;
  /// Without and with `landed`.
  mutable llvm::DenseMap<std::pair<unsigned, unsigned>, Ordering> compared[2];
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_ANALYSIS_SHAREDMEMORYHAZARDS_H
