// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/Races.h"

#include "lib/Judges/Emulator/Machine/MemoryAccess.h"

#include <algorithm>
#include <bit>

using namespace tilewright::emulator;

//===----------------------------------------------------------------------===//
// CtaOrder
//===----------------------------------------------------------------------===//

CtaOrder::CtaOrder(unsigned warps, unsigned ctas)
    : epochs(warps * ctas, 1),
      known(warps * ctas, std::vector<uint32_t>(warps * ctas, 0)),
      warpsOfCta(warps), arrivals(barriersOfCta * ctas) {}

uint32_t CtaOrder::addAgent() {
  epochs.push_back(1);
  for (std::vector<uint32_t> &row : known)
    row.push_back(0);
  return epochs.size() - 1;
}

void CtaOrder::complete(uint32_t agent, std::vector<uint32_t> &others) {
  others.resize(epochs.size(), 0);
  others[agent] = ++epochs[agent];
}

void CtaOrder::arrive(uint32_t warp, std::vector<uint32_t> &others) {
  others.resize(epochs.size(), 0);
  for (unsigned other = 0; other < epochs.size(); ++other)
    others[other] = std::max(others[other], known[warp][other]);
  // Its accesses so far.
  others[warp] = ++epochs[warp];
}

void CtaOrder::acquire(uint32_t warp, const std::vector<uint32_t> &others) {
  for (unsigned other = 0; other < others.size(); ++other)
    known[warp][other] = std::max(known[warp][other], others[other]);
}

void CtaOrder::arrive(uint32_t warp, unsigned number, bool waits) {
  Arrivals &here = arrivals[warp / warpsOfCta * barriersOfCta + number];
  arrive(warp, here.known);
  if (waits)
    here.waiting.push_back(warp);
}

void CtaOrder::openBarrier(unsigned rank, unsigned number) {
  Arrivals &here = arrivals[rank * barriersOfCta + number];
  for (uint32_t warp : here.waiting)
    acquire(warp, here.known);
  here = Arrivals();
  beginPhase();
}

//===----------------------------------------------------------------------===//
// RaceTable
//===----------------------------------------------------------------------===//

/// Makes cells of `bytes` bytes.
void RaceTable::refineFor(uint64_t offset, unsigned bytes) {
  // What divides both: a copy may read the first three of four elements.
  unsigned divisor = 1u << std::min(4, std::countr_zero(offset | bytes));
  if (divisor >= unit)
    return;
  unsigned parts = unit / divisor;
  std::vector<Cell> finer;
  finer.reserve(cells.size() * parts);
  for (const Cell &cell : cells)
    finer.insert(finer.end(), parts, cell);
  cells = std::move(finer);
  std::vector<uint32_t> finerEpochs;
  finerEpochs.reserve(readEpochs.size() * parts);
  for (size_t first = 0; first < readEpochs.size(); first += readers)
    for (unsigned part = 0; part < parts; ++part)
      finerEpochs.insert(finerEpochs.end(), readEpochs.begin() + first,
                         readEpochs.begin() + first + readers);
  readEpochs = std::move(finerEpochs);
  unit = divisor;
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
  // Of earlier phases the last reader alone is known.
  if (cell.readPhase != order.phase())
    return cell.laneWarp == accessor.warp ||
                   order.isBefore(cell.laneWarp, cell.laneEpoch, accessor.warp)
               ? std::nullopt
               : std::optional(RaceParty{
                     {accessor.cta, cell.laneWarp, 0}, false, true, false});
  if (uint32_t others = cell.readWarps & ~(1u << accessor.warp % warpSize))
    return RaceParty{{accessor.cta, uint32_t(std::countr_zero(others)), 0},
                     false,
                     true,
                     false};
  return checkLanes(order, cell, accessor);
}

std::optional<RaceParty>
RaceTable::checkEpochs(const CtaOrder &order, uint64_t index,
                       const Accessor &accessor) const {
  if (readEpochs.empty())
    return std::nullopt;
  const uint32_t *epochs = &readEpochs[index * readers];
  for (uint32_t warp = 0; warp < readers; ++warp)
    if (epochs[warp] && warp != accessor.warp &&
        !order.isBefore(warp, epochs[warp], accessor.warp))
      return RaceParty{{accessor.cta, warp, 0}, false, true, false};
  return checkLanes(order, cells[index], accessor);
}

/// Lanes of the same warp.
std::optional<RaceParty> RaceTable::checkLanes(const CtaOrder &order,
                                               const Cell &cell,
                                               const Accessor &accessor) {
  if (cell.laneWarp != accessor.warp ||
      cell.laneEpoch != order.epoch(accessor.warp))
    return std::nullopt;
  if (uint32_t others = cell.readLanes & ~(1u << accessor.lane))
    return RaceParty{
        {accessor.cta, accessor.warp, uint32_t(std::countr_zero(others))},
        false};
  return std::nullopt;
}

void RaceTable::record(const CtaOrder &order, uint64_t index,
                       const Accessor &accessor, AccessKind kind) {
  Cell &cell = cells[index];
  uint32_t epoch = order.epoch(accessor.warp);
  if (kind != AccessKind::Load) {
    cell.writer = 1 + accessor.warp * warpSize + accessor.lane;
    cell.writeEpoch = epoch;
    cell.writeCta = accessor.cta;
    cell.isAtomic = kind == AccessKind::Atomic;
    cell.readPhase = cell.readWarps = cell.readLanes = 0;
    cell.hasSeveralReaders = false;
    if (!readEpochs.empty())
      std::fill_n(&readEpochs[index * readers], readers, 0);
    return;
  }
  if (readers) {
    if (readEpochs.empty())
      readEpochs.resize(cells.size() * readers);
    readEpochs[index * readers + accessor.warp] = epoch;
  }
  if (cell.readCta != accessor.cta || cell.readPhase != order.phase()) {
    cell.hasSeveralReaders |= cell.readPhase && cell.readCta != accessor.cta;
    cell.readCta = accessor.cta;
    cell.readPhase = order.phase();
    cell.readWarps = cell.readLanes = 0;
  }
  cell.readWarps |= 1u << accessor.warp % warpSize;
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
  refineFor(offset, bytes);
  std::optional<RaceParty> race;
  for (uint64_t index = offset / unit, end = (offset + bytes) / unit;
       index < end; ++index) {
    Cell &cell = cells[index];
    if (!race)
      race = checkWrite(order, cell, accessor, kind);
    if (!race && kind != AccessKind::Load)
      race = readers ? checkEpochs(order, index, accessor)
                     : checkReads(order, cell, accessor);
    record(order, index, accessor, kind);
  }
  return race;
}

void RaceTable::note(const CtaOrder &order, const Accessor &accessor,
                     uint64_t offset, unsigned bytes, AccessKind kind) {
  refineFor(offset, bytes);
  for (uint64_t index = offset / unit, end = (offset + bytes) / unit;
       index < end; ++index)
    record(order, index, accessor, kind);
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
