// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data races in a CTA's shared memory: two accesses of one place by different
// threads, one of them a write, that nothing orders.
//
// Accesses are ordered by barriers, among the warps that come to them, and
// within a warp by instructions that all its lanes execute together. Each warp
// counts its synchronisations (its epoch), and knows of each other warp up to
// which epoch that one's accesses come before its own. A place remembers its
// last write, and which warps and lanes have read it since the barrier before.

#ifndef TILEWRIGHT_LIB_EMULATOR_MACHINE_SHAREDRACES_H
#define TILEWRIGHT_LIB_EMULATOR_MACHINE_SHAREDRACES_H

#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright::emulator {

enum class AccessKind : uint8_t;

/// An earlier access that a later one is not ordered with.
struct RaceParty {
  uint32_t warp = 0, lane = 0;
  bool wasWrite = false;
  /// The lane is the only one, or one of several.
  bool isExact = true;
};

class SharedRaces {
public:
  SharedRaces(uint64_t bytes, unsigned warps);

  /// Records an access of `bytes` bytes at `offset`; the first earlier one that
  /// it races with, or none.
  std::optional<RaceParty> access(uint32_t warp, uint32_t lane, uint64_t offset,
                                  unsigned bytes, AccessKind kind);

  /// All lanes of a warp have executed one instruction together.
  void synchronizeWarp(uint32_t warp) { ++epochs[warp]; }

  /// A warp has come to barrier `number`; `waits`: it goes on when the barrier
  /// opens.
  void arrive(uint32_t warp, unsigned number, bool waits);
  void openBarrier(unsigned number);

private:
  /// What is known of one unit of memory.
  struct Cell {
    /// The last write: 1 + the thread, 0 for none; its warp's epoch.
    uint16_t writer = 0;
    bool isAtomic = false;
    uint32_t writeEpoch = 0;
    /// The warps that read it in phase `readPhase`.
    uint32_t readPhase = 0, readWarps = 0;
    /// The lanes of the last reading warp, in its epoch `laneEpoch`.
    uint32_t readLanes = 0, laneEpoch = 0;
    uint32_t laneWarp = 0;
  };

  std::optional<RaceParty> check(const Cell &cell, uint32_t warp, uint32_t lane,
                                 AccessKind kind) const;
  void record(Cell &cell, uint32_t warp, uint32_t lane, AccessKind kind);
  void refine(unsigned bytes);

  unsigned warps;
  /// Bytes of a cell: as small as the smallest access so far.
  unsigned unit = 4;
  std::vector<Cell> cells;
  /// Barriers that have opened so far, plus one.
  uint32_t phase = 1;
  std::vector<uint32_t> epochs;
  /// known[a][b]: accesses of warp b before this epoch come before a's next
  /// one.
  std::vector<std::vector<uint32_t>> known;
  /// By barrier: what those who came know, and who waits.
  struct Arrivals {
    std::vector<uint32_t> known;
    uint32_t waiting = 0;
  };
  std::vector<Arrivals> arrivals;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_MACHINE_SHAREDRACES_H
