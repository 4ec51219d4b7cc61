// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load moves its bytes at the latest legal moment, when everybody waits for
// its mbarrier; a store reads when its reads are waited for, and writes when it
// is, or at the CTA's end. With a seed each does at any moment before. Both
// sides are checked when a copy begins; what it will write or may still read is
// marked until it is known to be done.

#include "lib/Judges/Emulator/Machine/BulkCopies.h"

#include "lib/Judges/Emulator/Machine/MemoryAccess.h"
#include "lib/Judges/Emulator/Machine/TensorMap.h"
#include "lib/Judges/Emulator/Numeric/Numeric.h"

#include <algorithm>
#include <utility>

using namespace tilewright::emulator;

bool BulkCopies::concernsGlobal(uint64_t address, uint64_t bytes,
                                bool isWrite) const {
  for (const BulkCopy &copy : pending) {
    if (isWrite && copy.map && !copy.isReadKnown &&
        address < copy.map + TensorMap::bytes && copy.map < address + bytes)
      return true;
    if ((copy.kind == BulkCopy::Kind::Load && !isWrite) ||
        copy.globalBegin >= address + bytes || copy.globalEnd <= address)
      continue;
    for (const BulkCopy::Piece &piece : copy.pieces)
      if (!piece.isOutside && piece.global < address + bytes &&
          address < piece.global + piece.bytes)
        return true;
  }
  return false;
}

void BulkCopies::commit(uint32_t thread) {
  uint32_t group = committed[thread]++;
  for (BulkCopy &copy : pending)
    if (copy.kind != BulkCopy::Kind::Load &&
        copy.warp * warpSize + copy.lane == thread &&
        copy.group == BulkCopy::open)
      copy.group = group;
}

namespace {

/// Calls `function` with parts of a range that accesses may have: at most 16
/// bytes, a power of two, at a multiple of it. Stops where it gives false.
template <typename Function>
bool forAligned(uint64_t address, uint64_t bytes, Function function) {
  while (bytes) {
    unsigned part = 16;
    while (part > bytes || address % part)
      part /= 2;
    if (!function(address, part))
      return false;
    address += part;
    bytes -= part;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Begin
//===----------------------------------------------------------------------===//

AccessKind accessOf(BulkCopy::Kind kind, bool isGlobal) {
  if (isGlobal == (kind == BulkCopy::Kind::Load))
    return AccessKind::Load;
  return kind == BulkCopy::Kind::Reduce ? AccessKind::Atomic
                                        : AccessKind::Store;
}

/// The units of the pieces that it touches: all of a load's, those of a store
/// that has something to write.
void findUnits(BulkCopy &copy) {
  for (const BulkCopy::Piece &piece : copy.pieces) {
    if (piece.isOutside && copy.kind != BulkCopy::Kind::Load)
      continue;
    for (uint32_t unit = piece.shared / 16 * 16;
         unit < piece.shared + piece.bytes; unit += 16)
      if (copy.units.empty() || copy.units.back() != unit)
        copy.units.push_back(unit);
  }
}

void mark(Cta &cta, const BulkCopy &copy, int change) {
  for (uint32_t unit : copy.units)
    if (copy.kind == BulkCopy::Kind::Load)
      cta.markInFlight(unit, 16, change);
    else
      cta.markPendingRead(unit, 16, change);
}

bool checkSides(Warp &warp, const BulkCopy &copy, const Cta &owner) {
  auto access = [&](StateSpace space, uint64_t address, unsigned bytes) {
    return accessMemory(warp, copy.lane, space, address, bytes, bytes,
                        accessOf(copy.kind, space == StateSpace::Global),
                        /*value=*/nullptr, Proxy::Async)
               .data != nullptr;
  };
  for (const BulkCopy::Piece &piece : copy.pieces)
    if (!piece.isOutside && !forAligned(piece.global, piece.bytes,
                                        [&](uint64_t address, unsigned bytes) {
                                          return access(StateSpace::Global,
                                                        address, bytes);
                                        }))
      return false;
  uint64_t base =
      &owner == &warp.cta ? 0 : uint64_t(owner.rank + 1) << clusterShift;
  for (uint32_t unit : copy.units)
    if (!access(StateSpace::Shared, base + unit, 16))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// Rounds the f32 of `content`, `bytes` long, to tf32.
void roundToTf32(uint8_t *content, uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; i += sizeof(uint32_t)) {
    uint32_t number;
    std::memcpy(&number, content + i, sizeof(number));
    number = convertFloat(number, FloatFormat::F32, FloatFormat::TF32, {});
    std::memcpy(content + i, &number, sizeof(number));
  }
}

void read(Cta &cta, BulkCopy &copy) {
  if (std::exchange(copy.hasRead, true))
    return;
  for (const BulkCopy::Piece &piece : copy.pieces) {
    size_t at = copy.content.size();
    copy.content.resize(at + piece.bytes);
    if (copy.kind != BulkCopy::Kind::Load)
      std::memcpy(&copy.content[at], &cta.shared.data[piece.shared],
                  piece.bytes);
    else if (!piece.isOutside)
      cta.memory.read(piece.global, &copy.content[at], piece.bytes);
    else
      for (uint32_t i = 0; i < piece.bytes; i += copy.elementBytes)
        std::memcpy(&copy.content[at + i], &copy.fill, copy.elementBytes);
    if (copy.roundsToTf32 && !piece.isOutside)
      roundToTf32(&copy.content[at], piece.bytes);
  }
}

void writeShared(Cta &cta, const BulkCopy &copy) {
  size_t at = 0;
  for (const BulkCopy::Piece &piece : copy.pieces) {
    std::memcpy(&cta.shared.data[piece.shared], &copy.content[at], piece.bytes);
    at += piece.bytes;
  }
}

/// What a reduction leaves at `address`.
void combine(Cta &cta, const BulkCopy &copy, uint64_t address, uint8_t *content,
             uint32_t bytes) {
  for (uint32_t i = 0; i < bytes; i += copy.elementBytes) {
    uint64_t old = 0, value = 0;
    cta.memory.read(address + i, &old, copy.elementBytes);
    std::memcpy(&value, content + i, copy.elementBytes);
    value = combineAtomically(copy.operation, copy.type, old, value, 0);
    std::memcpy(content + i, &value, copy.elementBytes);
  }
}

void writeGlobal(Cta &cta, BulkCopy &copy) {
  size_t at = 0;
  for (const BulkCopy::Piece &piece : copy.pieces) {
    uint8_t *content = &copy.content[at];
    at += piece.bytes;
    if (piece.isOutside)
      continue;
    if (copy.kind == BulkCopy::Kind::Reduce)
      combine(cta, copy, piece.global, content, piece.bytes);
    cta.memory.write(piece.global, content, piece.bytes);
  }
}

//===----------------------------------------------------------------------===//
// End
//===----------------------------------------------------------------------===//

void report(const BulkCopy &copy, const char *message) {
  Warp &warp = copy.issuer->warps[copy.warp];
  uint32_t running = std::exchange(warp.current, copy.instruction);
  warp.report(Check::AsynchronousCopy, message, 1u << copy.lane);
  warp.current = running;
}

/// Its bytes are there, and its mbarrier is told.
void completeLoad(Cta &cta, BulkCopy &copy) {
  if (!copy.hasRead) {
    read(cta, copy);
    writeShared(cta, copy);
  }
  mark(cta, copy, -1);
  std::optional<uint32_t> number =
      cta.memoryBarriers.agentOf(cta.order, copy.barrier);
  if (!number)
    return report(copy,
                  "expects an mbarrier that is there until it is complete, but "
                  "it was invalidated");
  Accessor agent = {0, *number, 0};
  for (uint32_t unit : copy.units)
    cta.sharedRaces.note(cta.order, agent, unit, 16, AccessKind::Store);
  cta.memoryBarriers.complete(cta.order, copy.barrier, copy.bytes);
}

/// That a store has read its memory is known to its thread now.
void finishReads(Cta &cta, BulkCopy &copy) {
  read(cta, copy);
  if (std::exchange(copy.isReadKnown, true))
    return;
  mark(cta, copy, -1);
  noteSharedReads(cta.warps[copy.warp], copy.units, 16);
}

} // namespace

bool tilewright::emulator::beginBulkCopy(Warp &warp, BulkCopy copy, Cta &cta) {
  copy.issuer = &warp.cta;
  copy.instruction = warp.current;
  copy.warp = warp.number;
  findUnits(copy);
  if (!checkSides(warp, copy, cta))
    return false;
  mark(cta, copy, 1);
  for (const BulkCopy::Piece &piece : copy.pieces)
    if (!piece.isOutside) {
      copy.globalBegin = std::min(copy.globalBegin, piece.global);
      copy.globalEnd = std::max(copy.globalEnd, piece.global + piece.bytes);
    }
  warp.counts().bulkBytes += copy.bytes;
  // Half of them soon, the others when they are waited for.
  uint64_t draw = cta.options.seed ? cta.random() : 1;
  if (draw % 2 == 0) {
    copy.moment = cta.clock + draw / 2 % 512;
    copy.completesEarly = draw >> 32 & 1;
  }
  cta.bulkCopies.pending.push_back(std::move(copy));
  return true;
}

bool tilewright::emulator::completeBulkLoads(Cta &cta, uint64_t barrier) {
  std::deque<BulkCopy> left;
  bool any = false;
  for (BulkCopy &copy : std::exchange(cta.bulkCopies.pending, {})) {
    if (copy.kind != BulkCopy::Kind::Load || copy.barrier != barrier) {
      left.push_back(std::move(copy));
      continue;
    }
    completeLoad(cta, copy);
    any = true;
  }
  cta.bulkCopies.pending = std::move(left);
  return any;
}

void tilewright::emulator::moveBulkCopies(Cta &cta) {
  std::erase_if(cta.bulkCopies.pending, [&](BulkCopy &copy) {
    if (copy.moment > cta.clock)
      return false;
    bool isLoad = copy.kind == BulkCopy::Kind::Load;
    if (!copy.hasRead) {
      read(cta, copy);
      if (isLoad)
        writeShared(cta, copy);
    }
    if (!isLoad || !copy.completesEarly)
      return false;
    completeLoad(cta, copy);
    return true;
  });
}

void tilewright::emulator::waitForBulkGroups(Warp &warp, uint32_t lane,
                                             uint32_t groups, bool onlyReads) {
  Cta &cta = warp.cta;
  uint32_t committed = cta.bulkCopies.committed[warp.number * warpSize + lane];
  std::erase_if(cta.bulkCopies.pending, [&](BulkCopy &copy) {
    bool isAwaited = copy.kind != BulkCopy::Kind::Load &&
                     copy.warp == warp.number && copy.lane == lane &&
                     copy.group != BulkCopy::open &&
                     copy.group + groups < committed;
    if (!isAwaited)
      return false;
    finishReads(cta, copy);
    if (onlyReads)
      return false;
    writeGlobal(cta, copy);
    return true;
  });
}

void tilewright::emulator::endBulkCopies(Cta &cta) {
  for (BulkCopy &copy : std::exchange(cta.bulkCopies.pending, {})) {
    if (copy.kind == BulkCopy::Kind::Load) {
      report(copy,
             "expects a wait for its mbarrier, but the CTA has ended before it "
             "is complete");
      continue;
    }
    if (!copy.isReadKnown)
      report(copy,
             "expects a wait for its group, but the CTA has ended before it is "
             "known to have read its memory");
    read(cta, copy);
    writeGlobal(cta, copy);
  }
}
