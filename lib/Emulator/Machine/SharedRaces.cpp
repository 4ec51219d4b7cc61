// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Emulator/Machine/SharedRaces.h"

#include "lib/Emulator/Machine/MemoryAccess.h"

#include <algorithm>
#include <bit>

using namespace tilewright::emulator;

SharedRaces::SharedRaces(uint64_t bytes, unsigned warps)
    : warps(warps), cells((bytes + 3) / 4), epochs(warps, 1),
      known(warps, std::vector<uint32_t>(warps, 0)), arrivals(16) {}

/// Makes cells of `bytes` bytes.
void SharedRaces::refine(unsigned bytes) {
  unsigned parts = unit / bytes;
  std::vector<Cell> finer;
  finer.reserve(cells.size() * parts);
  for (const Cell &cell : cells)
    finer.insert(finer.end(), parts, cell);
  cells = std::move(finer);
  unit = bytes;
}

std::optional<RaceParty> SharedRaces::check(const Cell &cell, uint32_t warp,
                                            uint32_t lane,
                                            AccessKind kind) const {
  if (cell.writer && !(cell.isAtomic && kind == AccessKind::Atomic)) {
    uint32_t writer = cell.writer - 1, writerWarp = writer / warpSize;
    bool ordered =
        writerWarp == warp
            ? writer % warpSize == lane || cell.writeEpoch < epochs[warp]
            : cell.writeEpoch < known[warp][writerWarp];
    if (!ordered)
      return RaceParty{writerWarp, writer % warpSize, true, true};
  }
  if (kind == AccessKind::Load || cell.readPhase != phase)
    return std::nullopt;
  if (uint32_t others = cell.readWarps & ~(1u << warp))
    return RaceParty{uint32_t(std::countr_zero(others)), 0, false, false};
  if (cell.laneWarp != warp || cell.laneEpoch != epochs[warp])
    return std::nullopt;
  if (uint32_t others = cell.readLanes & ~(1u << lane))
    return RaceParty{warp, uint32_t(std::countr_zero(others)), false, true};
  return std::nullopt;
}

void SharedRaces::record(Cell &cell, uint32_t warp, uint32_t lane,
                         AccessKind kind) {
  if (kind != AccessKind::Load) {
    cell.writer = 1 + warp * warpSize + lane;
    cell.writeEpoch = epochs[warp];
    cell.isAtomic = kind == AccessKind::Atomic;
    cell.readWarps = cell.readLanes = 0;
    return;
  }
  if (cell.readPhase != phase) {
    cell.readPhase = phase;
    cell.readWarps = 0;
  }
  cell.readWarps |= 1u << warp;
  if (cell.laneWarp != warp || cell.laneEpoch != epochs[warp]) {
    cell.laneWarp = warp;
    cell.laneEpoch = epochs[warp];
    cell.readLanes = 0;
  }
  cell.readLanes |= 1u << lane;
}

std::optional<RaceParty> SharedRaces::access(uint32_t warp, uint32_t lane,
                                             uint64_t offset, unsigned bytes,
                                             AccessKind kind) {
  if (bytes < unit)
    refine(bytes);
  std::optional<RaceParty> race;
  for (uint64_t index = offset / unit, end = (offset + bytes) / unit;
       index < end; ++index) {
    Cell &cell = cells[index];
    if (!race)
      race = check(cell, warp, lane, kind);
    record(cell, warp, lane, kind);
  }
  return race;
}

void SharedRaces::arrive(uint32_t warp, unsigned number, bool waits) {
  Arrivals &here = arrivals[number];
  here.known.resize(warps, 0);
  for (unsigned other = 0; other < warps; ++other)
    here.known[other] = std::max(here.known[other], known[warp][other]);
  // Its accesses so far.
  here.known[warp] = ++epochs[warp];
  if (waits)
    here.waiting |= 1u << warp;
}

void SharedRaces::openBarrier(unsigned number) {
  Arrivals &here = arrivals[number];
  for (uint32_t left = here.waiting; left; left &= left - 1) {
    std::vector<uint32_t> &mine = known[std::countr_zero(left)];
    for (unsigned other = 0; other < warps; ++other)
      mine[other] = std::max(mine[other], here.known[other]);
  }
  here = Arrivals();
  ++phase;
}
