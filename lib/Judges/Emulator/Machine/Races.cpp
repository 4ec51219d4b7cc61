// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/Races.h"

#include "lib/Judges/Emulator/Machine/MemoryAccess.h"

#include <algorithm>
#include <bit>

using namespace tilewright::emulator;

//===----------------------------------------------------------------------===//
// CtaOrder
//===----------------------------------------------------------------------===//

CtaOrder::CtaOrder(unsigned warps)
    : warps(warps), epochs(warps, 1),
      known(warps, std::vector<uint32_t>(warps, 0)), arrivals(16) {}

void CtaOrder::arrive(uint32_t warp, std::vector<uint32_t> &others) {
  others.resize(warps, 0);
  for (unsigned other = 0; other < warps; ++other)
    others[other] = std::max(others[other], known[warp][other]);
  // Its accesses so far.
  others[warp] = ++epochs[warp];
}

void CtaOrder::acquire(uint32_t warp, const std::vector<uint32_t> &others) {
  for (unsigned other = 0; other < others.size(); ++other)
    known[warp][other] = std::max(known[warp][other], others[other]);
}

void CtaOrder::arrive(uint32_t warp, unsigned number, bool waits) {
  Arrivals &here = arrivals[number];
  arrive(warp, here.known);
  if (waits)
    here.waiting |= 1u << warp;
}

void CtaOrder::openBarrier(unsigned number) {
  Arrivals &here = arrivals[number];
  for (uint32_t left = here.waiting; left; left &= left - 1)
    acquire(std::countr_zero(left), here.known);
  here = Arrivals();
  beginPhase();
}

//===----------------------------------------------------------------------===//
// RaceTable
//===----------------------------------------------------------------------===//

/// Makes cells of `bytes` bytes.
void RaceTable::refine(unsigned bytes) {
  unsigned parts = unit / bytes;
  std::vector<Cell> finer;
  finer.reserve(cells.size() * parts);
  for (const Cell &cell : cells)
    finer.insert(finer.end(), parts, cell);
  cells = std::move(finer);
  unit = bytes;
}

std::optional<RaceParty> RaceTable::checkWrite(const CtaOrder &order,
                                               const Cell &cell,
                                               const Accessor &accessor,
                                               AccessKind kind) {
  if (!cell.writer || (cell.isAtomic && kind == AccessKind::Atomic))
    return std::nullopt;
  uint32_t thread = cell.writer - 1;
  Accessor writer = {cell.writeCta, thread / warpSize, thread % warpSize};
  bool ordered =
      writer.cta != accessor.cta
          ? order.mayKnowOtherCtas
          : (writer.warp == accessor.warp && writer.lane == accessor.lane) ||
                order.isBefore(writer.warp, cell.writeEpoch, accessor.warp);
  if (ordered)
    return std::nullopt;
  return RaceParty{writer, true};
}

std::optional<RaceParty> RaceTable::checkReads(const CtaOrder &order,
                                               const Cell &cell,
                                               const Accessor &accessor) {
  if (cell.readPhase == 0)
    return std::nullopt;
  if (cell.readCta != accessor.cta || cell.hasSeveralReaders) {
    if (order.mayKnowOtherCtas)
      return std::nullopt;
    return RaceParty{{cell.readCta, 0, 0}, false, false, false};
  }
  if (cell.readPhase != order.phase())
    return std::nullopt;
  if (uint32_t others = cell.readWarps & ~(1u << accessor.warp))
    return RaceParty{{accessor.cta, uint32_t(std::countr_zero(others)), 0},
                     false,
                     true,
                     false};
  if (cell.laneWarp != accessor.warp ||
      cell.laneEpoch != order.epoch(accessor.warp))
    return std::nullopt;
  if (uint32_t others = cell.readLanes & ~(1u << accessor.lane))
    return RaceParty{
        {accessor.cta, accessor.warp, uint32_t(std::countr_zero(others))},
        false};
  return std::nullopt;
}

void RaceTable::record(const CtaOrder &order, Cell &cell,
                       const Accessor &accessor, AccessKind kind) {
  uint32_t epoch = order.epoch(accessor.warp);
  if (kind != AccessKind::Load) {
    cell.writer = 1 + accessor.warp * warpSize + accessor.lane;
    cell.writeEpoch = epoch;
    cell.writeCta = accessor.cta;
    cell.isAtomic = kind == AccessKind::Atomic;
    cell.readPhase = cell.readWarps = cell.readLanes = 0;
    cell.hasSeveralReaders = false;
    return;
  }
  if (cell.readCta != accessor.cta || cell.readPhase != order.phase()) {
    cell.hasSeveralReaders |= cell.readPhase && cell.readCta != accessor.cta;
    cell.readCta = accessor.cta;
    cell.readPhase = order.phase();
    cell.readWarps = cell.readLanes = 0;
  }
  cell.readWarps |= 1u << accessor.warp;
  if (cell.laneWarp != accessor.warp || cell.laneEpoch != epoch) {
    cell.laneWarp = accessor.warp;
    cell.laneEpoch = epoch;
    cell.readLanes = 0;
  }
  cell.readLanes |= 1u << accessor.lane;
}

std::optional<RaceParty> RaceTable::access(const CtaOrder &order,
                                           const Accessor &accessor,
                                           uint64_t offset, unsigned bytes,
                                           AccessKind kind) {
  if (bytes < unit)
    refine(bytes);
  std::optional<RaceParty> race;
  for (uint64_t index = offset / unit, end = (offset + bytes) / unit;
       index < end; ++index) {
    Cell &cell = cells[index];
    if (!race)
      race = checkWrite(order, cell, accessor, kind);
    if (!race && kind != AccessKind::Load)
      race = checkReads(order, cell, accessor);
    record(order, cell, accessor, kind);
  }
  return race;
}

//===----------------------------------------------------------------------===//
// GlobalRaces
//===----------------------------------------------------------------------===//

std::optional<RaceParty> GlobalRaces::access(const CtaOrder &order,
                                             const Accessor &accessor,
                                             uint64_t address, unsigned bytes,
                                             AccessKind kind) {
  uint64_t page = address >> pageBits;
  uint64_t offset = address & ((uint64_t(1) << pageBits) - 1);
  if (page == lastPage)
    return lastTable->access(order, accessor, offset, bytes, kind);
  Shard &shard = shards[page % shards.size()];
  std::unique_lock<std::mutex> lock;
  if (areConcurrent)
    lock = std::unique_lock(shard.mutex);
  std::unique_ptr<RaceTable> &table = shard.pages[page];
  if (!table)
    table = std::make_unique<RaceTable>(uint64_t(1) << pageBits);
  if (!areConcurrent) {
    lastPage = page;
    lastTable = table.get();
  }
  return table->access(order, accessor, offset, bytes, kind);
}
