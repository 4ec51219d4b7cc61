// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/MemoryAccess.h"

#include "lib/Judges/Emulator/Machine/Cluster.h"

#include <algorithm>
#include <cstring>

using namespace tilewright::emulator;

namespace {

std::string hexadecimal(uint64_t value) {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  do
    text.insert(text.begin(), digits[value & 15]);
  while (value >>= 4);
  return "0x" + text;
}

std::string describeBytes(uint64_t address, unsigned bytes) {
  return std::to_string(bytes) + " bytes at " + hexadecimal(address);
}

/// The space and offset of an address.
void resolve(StateSpace &space, uint64_t &address) {
  if (space != StateSpace::Generic)
    return;
  space = StateSpace::Global;
  const std::pair<uint64_t, StateSpace> windows[] = {
      {sharedWindow, StateSpace::Shared},
      {localWindow, StateSpace::Local},
      {parameterWindow, StateSpace::Parameter}};
  for (auto [start, inner] : windows)
    if (address - start < windowBytes) {
      space = inner;
      address -= start;
      return;
    }
}

bool isInside(uint64_t offset, unsigned bytes, uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

/// Bytes of one of the spaces that a CTA has, or null.
uint8_t *findBytes(CheckedBytes &memory, uint64_t offset, unsigned bytes,
                   MemoryPlace &place) {
  if (!isInside(offset, bytes, memory.data.size()))
    return nullptr;
  place.written = memory.written.data() + offset;
  return place.data = memory.data.data() + offset;
}

/// Finds whose shared memory `place.offset` means; what went wrong, or "".
std::string findOwner(Warp &warp, MemoryPlace &place) {
  uint64_t rank = place.offset >> clusterShift;
  place.owner = &warp.cta;
  if (rank == 0)
    return "";
  place.offset &= clusterMask;
  Cluster &cluster = warp.cta.cluster;
  if (rank > cluster.ctas.size())
    return "shared memory of one of the cluster's " +
           std::to_string(cluster.ctas.size()) + " CTAs";
  place.owner = cluster.ctas[rank - 1].get();
  if (place.owner == &warp.cta)
    return "";
  if (!cluster.hasSynchronized())
    return "shared memory of a CTA that is known to have begun, by "
           "barrier.cluster";
  return place.owner->hasEnded() ? "shared memory of a CTA that has not ended"
                                 : "";
}

/// Fills in data and marks; what went wrong, or "".
std::string findPlace(Warp &warp, unsigned lane, uint64_t address,
                      unsigned bytes, AccessKind kind, MemoryPlace &place) {
  Cta &cta = warp.cta;
  place.offset = address;
  switch (place.space) {
  case StateSpace::Shared: {
    if (std::string problem = findOwner(warp, place); !problem.empty())
      return problem;
    CheckedBytes &shared = place.owner->shared;
    if (findBytes(shared, place.offset, bytes, place))
      return "";
    return "the " + std::to_string(shared.data.size()) +
           " bytes of shared memory";
  }
  case StateSpace::Local: {
    CheckedBytes &local = cta.local(warp.number * warpSize + lane);
    if (findBytes(local, address, bytes, place))
      return "";
    return "the " + std::to_string(local.data.size()) +
           " bytes of local memory";
  }
  case StateSpace::Parameter:
    if (kind == AccessKind::Load &&
        isInside(address, bytes, cta.parameters.size())) {
      place.data = const_cast<uint8_t *>(cta.parameters.data()) + address;
      return "";
    }
    return "the " + std::to_string(cta.parameters.size()) +
           " bytes of parameters";
  default:
    break;
  }
  Allocation *allocation = cta.memory.find(address);
  if (!allocation)
    return "an allocation";
  place.offset = address - allocation->address;
  if (address < allocation->address ||
      !isInside(place.offset, bytes, allocation->bytes))
    return "the " + std::to_string(allocation->bytes) + " bytes allocated at " +
           hexadecimal(allocation->address);
  place.data = allocation->data.get() + place.offset;
  place.written = allocation->written.get() + place.offset;
  return "";
}

const char *verb(bool isWrite) { return isWrite ? "written" : "read"; }

/// Parties beyond the cluster's warps are agents of mbarriers.
std::string describe(const RaceParty &party, const Accessor &accessor,
                     const Cta &cta) {
  std::string text;
  auto add = [&](const std::string &part) {
    text += (text.empty() ? "" : ", ") + part;
  };
  unsigned warps = cta.warps.size(), number = party.accessor.warp;
  if (party.accessor.cta != accessor.cta)
    add("CTA " + std::to_string(party.accessor.cta) +
        " (by number in the grid)");
  if (number >= warps * cta.cluster.ctas.size())
    return "a bulk copy that its mbarrier has not told of";
  if (party.accessor.cta == accessor.cta && number / warps != cta.rank)
    add("CTA " + std::to_string(number / warps) + " of the cluster");
  if (party.hasWarp)
    add("warp " + std::to_string(number % warps));
  if (party.hasLane)
    add("lane " + std::to_string(party.accessor.lane));
  return text;
}

void checkRace(Warp &warp, unsigned lane, uint64_t address,
               const MemoryPlace &place, unsigned bytes, AccessKind kind,
               const void *value) {
  Cta &cta = warp.cta;
  bool isShared = place.space == StateSpace::Shared;
  Check check = isShared ? Check::SharedRace : Check::GlobalRace;
  if (!cta.checks(check))
    return;
  Accessor accessor = {isShared ? 0 : cta.number(), warp.party, lane};
  cta.order.mayKnowOtherCtas |= !isShared && kind == AccessKind::Atomic;
  std::optional<RaceParty> race =
      isShared
          ? place.owner->sharedRaces.access(cta.order, accessor, place.offset,
                                            bytes, kind)
          : cta.globalRaces.access(cta.order, accessor, address, bytes, kind);
  bool isSame = race && race->wasWrite && value &&
                std::memcmp(place.data, value, bytes) == 0;
  if (race && !isSame)
    warp.report(check,
                describeBytes(address, bytes) + " are " +
                    verb(kind != AccessKind::Load) + ", but " +
                    describe(*race, accessor, cta) + " has " +
                    verb(race->wasWrite) + " them, and nothing orders the two",
                1u << lane);
}

/// Reports bytes that an ordinary write left behind which no fence.proxy.async
/// has made known to the asynchronous proxy, which `warp` has access them.
void requireProxyFence(Warp &warp, unsigned lane, const MemoryPlace &place,
                       unsigned bytes) {
  Cta &cta = *place.owner;
  if (!cta.checks(Check::ProxyFence))
    return;
  std::optional<uint32_t> writer =
      cta.proxyFences.findUnfenced(cta.order, warp.party, place.offset, bytes);
  if (writer)
    warp.report(Check::ProxyFence,
                "accesses " + describeBytes(place.offset, bytes) +
                    " of shared memory through the asynchronous proxy, but "
                    "warp " +
                    std::to_string(*writer / warpSize % cta.warps.size()) +
                    ", lane " + std::to_string(*writer % warpSize) +
                    ", which has written them, executed no fence.proxy.async "
                    "between its write and what orders the two",
                1u << lane);
}

/// What an access of shared memory means for what is under way there, and for
/// the two proxies' knowledge of each other.
void checkProxies(Warp &warp, unsigned lane, uint64_t address,
                  const MemoryPlace &place, unsigned bytes, AccessKind kind,
                  Proxy proxy) {
  Cta &cta = *place.owner;
  bool isWrite = kind != AccessKind::Load;
  if (cta.touchesInFlight(place.offset, bytes))
    warp.report(Check::AsynchronousCopy,
                "touches " + describeBytes(address, bytes) +
                    ", which a copy that is not waited for yet will write",
                1u << lane);
  if (isWrite && cta.touchesPendingRead(place.offset, bytes))
    warp.report(Check::SharedRace,
                "writes " + describeBytes(address, bytes) +
                    ", which a matrix product or a copy that is not waited for "
                    "yet may still read",
                1u << lane);
  if (proxy == Proxy::Async)
    requireProxyFence(warp, lane, place, bytes);
  if (isWrite && proxy == Proxy::Async)
    cta.proxyFences.overwrite(place.offset, bytes);
  else if (isWrite)
    cta.proxyFences.write(warp.party, lane, place.offset, bytes);
}

/// Reports an access to global memory that the launch ahead may still have.
void checkLaunchOrder(Warp &warp, unsigned lane, uint64_t address,
                      unsigned bytes) {
  if (!(warp.awaited >> lane & 1))
    warp.report(Check::GlobalRace,
                "accesses " + describeBytes(address, bytes) +
                    " in a launch that may begin before the one ahead of it "
                    "has ended, but expects griddepcontrol.wait before",
                1u << lane);
}

} // namespace

bool tilewright::emulator::isWritten(const uint8_t *written, unsigned bytes) {
  for (; bytes >= 8; bytes -= 8, written += 8) {
    uint64_t marks;
    std::memcpy(&marks, written, 8);
    if (marks != 0x0101010101010101)
      return false;
  }
  for (; bytes; --bytes, ++written)
    if (!*written)
      return false;
  return true;
}

MemoryPlace tilewright::emulator::accessMemory(
    Warp &warp, unsigned lane, StateSpace space, uint64_t address,
    unsigned bytes, unsigned alignment, AccessKind kind, const void *value,
    Proxy proxy, Unwritten unwritten) {
  MemoryPlace place;
  place.space = space;
  uint64_t offset = address;
  resolve(place.space, offset);
  // Windows begin at multiples of more than any access is aligned to, but that
  // of parameters.
  uint64_t start =
      place.space == StateSpace::Parameter ? parameterSpaceStart : 0;
  if ((start + offset) & (alignment - 1)) {
    warp.report(Check::Misaligned,
                "expects an address that is a multiple of " +
                    std::to_string(alignment) + ", but got " +
                    hexadecimal(address),
                1u << lane);
    return {};
  }
  std::string missed = findPlace(warp, lane, offset, bytes, kind, place);
  if (!missed.empty()) {
    warp.report(Check::OutOfBounds,
                "expects an address in " + missed + ", but got " +
                    describeBytes(address, bytes),
                1u << lane);
    return {};
  }
  if (place.owner && place.owner != &warp.cta && proxy == Proxy::Generic)
    place.owner->noteRemoteAccess(warp);
  if (place.space == StateSpace::Shared)
    checkProxies(warp, lane, address, place, bytes, kind, proxy);
  if (place.space == StateSpace::Global)
    checkLaunchOrder(warp, lane, address, bytes);
  if (place.space == StateSpace::Global &&
      (proxy == Proxy::Generic || kind == AccessKind::Load) &&
      warp.cta.bulkCopies.concernsGlobal(address, bytes,
                                         kind != AccessKind::Load))
    warp.report(Check::AsynchronousCopy,
                "touches " + describeBytes(address, bytes) +
                    ", which a bulk copy that is not waited for yet will write "
                    "or may still read",
                1u << lane);
  if (place.space == StateSpace::Shared || place.space == StateSpace::Global)
    checkRace(warp, lane, address, place, bytes, kind, value);
  if (!place.written)
    return place;
  if (kind != AccessKind::Store && unwritten == Unwritten::Reported &&
      !isWritten(place.written, bytes)) {
    warp.report(Check::UninitializedMemory,
                "reads " + describeBytes(address, bytes) +
                    ", which were never written",
                1u << lane);
  }
  if (kind != AccessKind::Load)
    std::memset(place.written, 1, bytes);
  return place;
}

void tilewright::emulator::noteSharedReads(Warp &warp,
                                           const std::vector<uint32_t> &offsets,
                                           unsigned bytes) {
  Cta &cta = warp.cta;
  if (!cta.checks(Check::SharedRace))
    return;
  Accessor accessor = {0, warp.party, 0};
  for (uint32_t offset : offsets)
    cta.sharedRaces.note(cta.order, accessor, offset, bytes, AccessKind::Load);
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// Whether each active lane of `lanes` has the address of its neighbour `step`
/// away, if that one is active.
static bool sharesWithNeighbour(const uint64_t *addresses, uint32_t lanes,
                                unsigned step) {
  for (uint32_t left = lanes; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left), other = lane ^ step;
    if ((lanes >> other & 1) && addresses[lane] != addresses[other])
      return false;
  }
  return true;
}

/// The most distinct words that `lanes` have in one bank.
static unsigned countBankWords(const uint64_t *addresses, uint32_t lanes,
                               unsigned bytes) {
  uint64_t words[32][32];
  uint8_t counts[32] = {};
  unsigned most = 0;
  for (; lanes; lanes &= lanes - 1) {
    uint64_t address = addresses[std::countr_zero(lanes)];
    for (uint64_t word = address / 4; word <= (address + bytes - 1) / 4;
         ++word) {
      unsigned bank = word % 32;
      uint64_t *known = words[bank], *end = known + counts[bank];
      if (std::find(known, end, word) != end)
        continue;
      known[counts[bank]++] = word;
      most = std::max<unsigned>(most, counts[bank]);
    }
  }
  return most;
}

unsigned tilewright::emulator::countWavefronts(const uint64_t *addresses,
                                               uint32_t mask, unsigned bytes) {
  if (bytes <= 4)
    return countBankWords(addresses, mask, bytes);
  // Lanes go by halves (8 bytes) or quarters (16) of a warp; two of these go
  // together where neighbours share their addresses.
  unsigned width = bytes == 8 ? 32 : 16, total = 0;
  for (unsigned first = 0; first < warpSize; first += width) {
    uint32_t lanes = mask & (width == 32 ? allLanes : 0xffffu << first);
    if (sharesWithNeighbour(addresses, lanes, 1) ||
        sharesWithNeighbour(addresses, lanes, 2)) {
      total += countBankWords(addresses, lanes, bytes);
      continue;
    }
    uint32_t low = (width == 32 ? 0xffffu : 0xffu) << first;
    total += countBankWords(addresses, lanes & low, bytes) +
             countBankWords(addresses, lanes & ~low, bytes);
  }
  return total;
}

static unsigned countSectors(const uint64_t *addresses, uint32_t mask,
                             unsigned bytes) {
  // 16 bytes at most: a lane touches one sector, being aligned.
  uint64_t sectors[warpSize];
  unsigned count = 0;
  for (; mask; mask &= mask - 1) {
    uint64_t sector = addresses[std::countr_zero(mask)] / 32;
    if (std::find(sectors, sectors + count, sector) == sectors + count)
      sectors[count++] = sector;
  }
  return count;
}

void tilewright::emulator::countRequest(Warp &warp, StateSpace space,
                                        const uint64_t *addresses,
                                        uint32_t mask, unsigned bytes) {
  InstructionCounts &counts = warp.counts();
  counts.bytes += uint64_t(bytes) * std::popcount(mask);
  if (space == StateSpace::Shared)
    counts.wavefronts += countWavefronts(addresses, mask, bytes);
  else if (space == StateSpace::Global || space == StateSpace::Generic)
    counts.sectors += countSectors(addresses, mask, bytes);
}
