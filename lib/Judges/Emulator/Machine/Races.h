// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data races: two accesses of one place by different threads, one of them a
// write, that nothing orders.
//
// Accesses are ordered by barriers, among the warps that come to them, and
// within a warp by `bar.warp.sync` of all its lanes: other instructions that
// lanes execute together (shuffles, votes, matrix instructions) exchange values
// and order no memory. Each warp
// counts its synchronisations (its epoch), and knows of each other warp up to
// which epoch that one's accesses come before its own. A place of shared memory
// remembers its last write, and when each warp has read it since; one of global
// memory who has read it since the barrier (or the mbarrier's phase) before,
// and when its last reader did.
//
// What the asynchronous proxy writes and an mbarrier tells of counts as the
// access of an agent, which has epochs as a warp has: one that has waited for
// the mbarrier knows of them.
//
// CTAs of a launch are not ordered with each other. One that has executed an
// atomic on global memory may have waited for others by it: its accesses are
// not reported against theirs.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_RACES_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_RACES_H

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tilewright::emulator {

enum class AccessKind : uint8_t;

/// Who accesses memory.
struct Accessor {
  /// The CTA's number in the grid; of shared memory 0. The warp's party.
  uint32_t cta = 0, warp = 0, lane = 0;
};

/// An earlier access that a later one is not ordered with.
struct RaceParty {
  Accessor accessor;
  bool wasWrite = false;
  /// Whether the warp and the lane are known.
  bool hasWarp = true, hasLane = true;
};

/// The order among the warps and agents of a cluster's CTAs, its parties. A
/// warp's party is its number behind those of the CTAs of lower ranks.
class CtaOrder {
public:
  /// `warps`: of each of `ctas` CTAs.
  explicit CtaOrder(unsigned warps, unsigned ctas = 1);

  /// All lanes of a warp have executed a bar.warp.sync.
  void synchronizeWarp(uint32_t warp) { ++epochs[warp]; }
  /// A warp has come to barrier `number` of its CTA; `waits`: it goes on when
  /// the barrier opens.
  void arrive(uint32_t warp, unsigned number, bool waits);
  /// Of the CTA of `rank`.
  void openBarrier(unsigned rank, unsigned number);
  /// The same for an mbarrier: what the warp knows is added to `known`.
  void arrive(uint32_t warp, std::vector<uint32_t> &known);
  /// The warp knows what `known` has.
  void acquire(uint32_t warp, const std::vector<uint32_t> &known);
  /// A new agent's number, behind the warps'.
  uint32_t addAgent();
  /// What an agent has done so far is added to `known`.
  void complete(uint32_t agent, std::vector<uint32_t> &known);
  /// Reads so far are before what follows.
  void beginPhase() { ++openings; }

  /// A party's synchronisations so far.
  uint32_t epoch(uint32_t warp) const { return epochs[warp]; }
  /// Whether an access of a warp in `epoch` comes before what `warp` does now.
  bool isBefore(uint32_t earlier, uint32_t epoch, uint32_t warp) const {
    return epoch < (earlier == warp ? epochs[warp] : known[warp][earlier]);
  }
  /// Barriers and phases that have opened so far, plus one.
  uint32_t phase() const { return openings; }

  /// Set when the CTA executes an atomic on global memory.
  bool mayKnowOtherCtas = false;

private:
  uint32_t openings = 1;
  std::vector<uint32_t> epochs;
  /// known[a][b]: accesses of warp b before this epoch come before a's next
  /// one.
  std::vector<std::vector<uint32_t>> known;
  /// By barrier: what those who came know, and who waits.
  struct Arrivals {
    std::vector<uint32_t> known;
    std::vector<uint32_t> waiting;
  };
  static constexpr unsigned barriersOfCta = 16;
  unsigned warpsOfCta;
  std::vector<Arrivals> arrivals;
};

/// The last accesses of each unit of a range of memory.
class RaceTable {
public:
  /// `readers`: the warps whose reads are told apart by their epochs; 0: reads
  /// count up to the next phase.
  explicit RaceTable(uint64_t bytes, unsigned readers = 0)
      : readers(readers), cells((bytes + unit - 1) / unit) {}

  /// Records an access of `bytes` bytes at `offset`; the first earlier one that
  /// it races with, or none.
  std::optional<RaceParty> access(const CtaOrder &order,
                                  const Accessor &accessor, uint64_t offset,
                                  unsigned bytes, AccessKind kind);
  /// Records it alone: it was checked before.
  void note(const CtaOrder &order, const Accessor &accessor, uint64_t offset,
            unsigned bytes, AccessKind kind);

private:
  /// What is known of one unit of memory.
  struct Cell {
    /// The last write: 1 + the thread (0: none), its warp's epoch, its CTA.
    uint16_t writer = 0;
    bool isAtomic = false;
    /// Whether several CTAs have read it.
    bool hasSeveralReaders = false;
    uint32_t writeEpoch = 0, writeCta = 0;
    /// The warps of CTA `readCta` that read it in phase `readPhase`.
    uint32_t readCta = 0, readPhase = 0, readWarps = 0;
    /// The lanes of the last reading warp, in its epoch `laneEpoch`.
    uint32_t readLanes = 0, laneEpoch = 0, laneWarp = 0;
  };

  static std::optional<RaceParty> checkWrite(const CtaOrder &order,
                                             const Cell &cell,
                                             const Accessor &accessor,
                                             AccessKind kind);
  static std::optional<RaceParty>
  checkReads(const CtaOrder &order, const Cell &cell, const Accessor &accessor);
  /// As checkReads, by epochs.
  std::optional<RaceParty> checkEpochs(const CtaOrder &order, uint64_t index,
                                       const Accessor &accessor) const;
  static std::optional<RaceParty>
  checkLanes(const CtaOrder &order, const Cell &cell, const Accessor &accessor);
  void record(const CtaOrder &order, uint64_t index, const Accessor &accessor,
              AccessKind kind);
  /// Makes cells so small that the access is of whole ones.
  void refineFor(uint64_t offset, unsigned bytes);

  /// Bytes of a cell: as small as the accesses so far want them.
  unsigned unit = 16;
  unsigned readers;
  std::vector<Cell> cells;
  /// Of each cell, of each reader: its epoch at its last read since the last
  /// write; 0: none. Empty: nobody has read anything.
  std::vector<uint32_t> readEpochs;
};

/// The global memory that one launch touches.
class GlobalRaces {
public:
  /// `areConcurrent`: CTAs run in several threads of the host.
  explicit GlobalRaces(bool areConcurrent) : areConcurrent(areConcurrent) {}

  /// As RaceTable::access, at an address; an access does not cross a multiple
  /// of 32 bytes.
  std::optional<RaceParty> access(const CtaOrder &order,
                                  const Accessor &accessor, uint64_t address,
                                  unsigned bytes, AccessKind kind);

private:
  static constexpr unsigned pageBits = 12;
  using Pages = std::unordered_map<uint64_t, std::unique_ptr<RaceTable>>;
  struct Shard {
    std::mutex mutex;
    Pages pages;
  };

  const bool areConcurrent;
  /// By the low bits of a page's number, so that threads seldom meet.
  std::array<Shard, 64> shards;
  /// The page of the last access, where there is one thread.
  uint64_t lastPage = ~uint64_t(0);
  RaceTable *lastTable = nullptr;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_RACES_H
