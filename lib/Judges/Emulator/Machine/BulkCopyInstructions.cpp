// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async.bulk, cp.reduce.async.bulk, their tensor forms, prefetches and
// groups (PTX ISA, "Data Movement: Bulk copy", "Tensor copy").

#include "lib/Judges/Emulator/Machine/BulkCopies.h"
#include "lib/Judges/Emulator/Machine/Cluster.h"
#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/Decoder.h"
#include "lib/Judges/Emulator/Machine/TensorMapAccess.h"

using namespace tilewright::emulator;

namespace {

/// What is known of a copy when it is decoded. The instruction's sources: the
/// bytes of a plain copy, or the coordinates of a box.
struct BulkDetails {
  BulkCopy::Kind kind = BulkCopy::Kind::Load;
  /// Of a tensor; 0: a plain copy.
  unsigned rank = 0;
  AddressSource shared, global, barrier;
  /// A load to several CTAs of the cluster, which the last source names.
  bool isMulticast = false;
  AtomicOperation operation = AtomicOperation::Add;
  DataType type = DataType::U32;
};

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

bool checkMultiple(Warp &warp, unsigned lane, const char *what, uint64_t value,
                   unsigned multiple) {
  if (value % multiple == 0)
    return true;
  warp.report(Check::Misaligned,
              std::string("expects ") + what + " that is a multiple of " +
                  std::to_string(multiple) + ", but got " +
                  std::to_string(value),
              1u << lane);
  return false;
}

/// A plain copy's one piece.
bool findRange(Warp &warp, const BulkDetails &details, uint32_t bytes,
               uint64_t global, BulkCopy &copy) {
  unsigned lane = copy.lane;
  uint64_t shared = getAddress(warp, details.shared, lane) & clusterMask;
  if (!checkMultiple(warp, lane, "an address in shared memory", shared, 16) ||
      !checkMultiple(warp, lane, "an address in global memory", global, 16) ||
      !checkMultiple(warp, lane, "a number of bytes", bytes, 16))
    return false;
  copy.bytes = bytes;
  if (bytes)
    copy.pieces.push_back({uint32_t(shared), global, bytes});
  return true;
}

/// Stores from before the tensor, along any dimension, end in an illegal
/// instruction on an H200 (178 of 178), though the ISA has coordinates signed.
/// Loads fill there. Reductions, which the emulator does not take from tensors,
/// were not looked at.
bool checkBegin(Warp &warp, unsigned rank,
                const std::array<int32_t, TensorMap::maximumRank> &coordinates,
                const BulkCopy &copy) {
  if (copy.kind == BulkCopy::Kind::Load)
    return true;
  for (unsigned i = 0; i < rank; ++i) {
    if (coordinates[i] >= 0)
      continue;
    warp.report(Check::OutOfBounds,
                "expects a stored box that begins at 0 or above along each "
                "dimension, but got " +
                    std::to_string(coordinates[i]) + " along dimension " +
                    std::to_string(i),
                1u << copy.lane);
    return false;
  }
  return true;
}

/// The pieces of a box.
bool findBox(Warp &warp, const Decoded &instruction, const BulkDetails &details,
             BulkCopy &copy) {
  unsigned lane = copy.lane;
  copy.map = getAddress(warp, details.global, lane);
  std::optional<TensorMap> map =
      readTensorMap(warp, lane, copy.map, details.rank);
  uint64_t shared = getAddress(warp, details.shared, lane) & clusterMask;
  if (!map ||
      !checkMultiple(warp, lane, "an address in shared memory", shared, 128))
    return false;
  std::array<int32_t, TensorMap::maximumRank> coordinates = {};
  for (unsigned i = 0; i < details.rank; ++i)
    coordinates[i] = warp.read<uint32_t>(instruction.sources[i])[lane];
  // On an H200 any other begin ends in an illegal instruction.
  int64_t begin = int64_t(coordinates[0]) * map->elementBytes();
  if (begin % 16 != 0) {
    warp.report(Check::Misaligned,
                "expects a box that begins at a multiple of 16 bytes along its "
                "first dimension, but got " +
                    std::to_string(begin),
                1u << lane);
    return false;
  }
  if (!checkBegin(warp, details.rank, coordinates, copy))
    return false;
  copy.bytes = map->boxBytes();
  copy.fill = map->fillPattern();
  copy.elementBytes = map->elementBytes();
  copy.roundsToTf32 = map->roundsToTf32();
  if (copy.roundsToTf32 && copy.kind != BulkCopy::Kind::Load) {
    warp.report(Check::Execution,
                "expects loads alone through a map of tf32: the emulator does "
                "not know how others convert",
                1u << lane);
    return false;
  }
  Swizzle swizzle = map->sharedSwizzle();
  bool isStore = copy.kind != BulkCopy::Kind::Load;
  map->forPieces(coordinates, isStore, [&](const TensorMap::Piece &piece) {
    copy.pieces.push_back({uint32_t(swizzle.place(shared + piece.offset)),
                           piece.address, piece.bytes, piece.isOutside});
  });
  return true;
}

/// The same place in another CTA's shared memory, as `warp` sees it.
uint64_t addressIn(const Warp &warp, const Cta &owner, uint64_t address) {
  address &= clusterMask;
  return &owner == &warp.cta
             ? address
             : address | uint64_t(owner.rank + 1) << clusterShift;
}

/// The CTAs that a copy concerns: its own, the one that a load's address is in,
/// or those that a multicast names. Reports others.
std::vector<Cta *> findOwners(Warp &warp, const Decoded &instruction,
                              const BulkDetails &details, unsigned lane) {
  const auto &ctas = warp.cta.cluster.ctas;
  uint32_t ranks = 1u << warp.cta.rank;
  uint64_t rank = getAddress(warp, details.shared, lane) >> clusterShift;
  if (details.isMulticast)
    ranks = warp.read<uint32_t>(instruction.sources.back())[lane] & 0xffff;
  else if (rank)
    ranks = rank <= 16 ? 1u << (rank - 1) : 1u << 16;
  std::vector<Cta *> owners;
  for (uint32_t left = ranks; left; left &= left - 1) {
    unsigned owner = std::countr_zero(left);
    if (owner < ctas.size()) {
      owners.push_back(ctas[owner].get());
      continue;
    }
    warp.report(Check::OutOfBounds,
                "expects CTAs of the cluster's " + std::to_string(ctas.size()) +
                    ", but got rank " + std::to_string(owner),
                1u << lane);
    return {};
  }
  return owners;
}

/// The mbarrier that a load tells, at the address's place in `owner`.
bool findBarrier(Warp &warp, const BulkDetails &details, BulkCopy &copy,
                 const Cta &owner) {
  if (details.kind != BulkCopy::Kind::Load)
    return true;
  uint64_t address =
      addressIn(warp, owner, getAddress(warp, details.barrier, copy.lane));
  MemoryPlace place = accessMemory(warp, copy.lane, StateSpace::Shared, address,
                                   8, 8, AccessKind::Atomic);
  if (!place.data)
    return false;
  copy.barrier = place.offset;
  std::string problem = place.owner->memoryBarriers.track(place.offset);
  if (problem.empty())
    return true;
  warp.report(Check::ProxyFence, std::move(problem), 1u << copy.lane);
  return false;
}

bool findPieces(Warp &warp, const Decoded &instruction,
                const BulkDetails &details, BulkCopy &copy) {
  if (details.rank)
    return findBox(warp, instruction, details, copy);
  if (details.kind == BulkCopy::Kind::Reduce)
    copy.elementBytes = bitWidth(details.type) / 8;
  return findRange(warp, details,
                   warp.read<uint32_t>(instruction.sources[0])[copy.lane],
                   getAddress(warp, details.global, copy.lane), copy);
}

void executeCopy(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const auto &details =
      *static_cast<const BulkDetails *>(instruction.details.get());
  for (const AddressSource *address :
       {&details.shared, &details.global, &details.barrier})
    mask = warp.requireDefined(address->base, mask, "an address");
  for (const Source &source : instruction.sources)
    mask = warp.requireDefined(source, mask, "what is copied");
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    BulkCopy copy;
    copy.kind = details.kind;
    copy.lane = lane;
    copy.operation = details.operation;
    copy.type = details.type;
    if (!findPieces(warp, instruction, details, copy))
      continue;
    for (Cta *owner : findOwners(warp, instruction, details, lane))
      if (findBarrier(warp, details, copy, *owner))
        beginBulkCopy(warp, copy, *owner);
  }
}

void executeNothing(Warp &, const Decoded &, uint32_t) {}

/// Of a box: what is fetched shows nowhere, but the map is used.
void executeBoxPrefetch(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const auto &details =
      *static_cast<const BulkDetails *>(instruction.details.get());
  mask = warp.requireDefined(details.global.base, mask, "an address");
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    readTensorMap(warp, lane, getAddress(warp, details.global, lane),
                  details.rank);
  }
}

void executeCommit(Warp &warp, const Decoded &, uint32_t mask) {
  for (uint32_t left = mask; left; left &= left - 1)
    warp.cta.bulkCopies.commit(warp.number * warpSize + std::countr_zero(left));
}

/// In flags: [0] groups that may stay under way, [1] reads alone.
void executeWait(Warp &warp, const Decoded &instruction, uint32_t mask) {
  for (uint32_t left = mask; left; left &= left - 1)
    waitForBulkGroups(warp, std::countr_zero(left), instruction.flags[0],
                      instruction.flags[1]);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// Reads operand `index` as an address, of a tensor with its coordinates.
bool takeAddress(DecodeContext &context, size_t index, StateSpace space,
                 AddressSource &address, unsigned rank = 0) {
  if (!(rank ? context.tensorAddress(index, space)
             : context.address(index, space)))
    return false;
  address = context.out.address;
  context.out.address = AddressSource();
  context.out.space = StateSpace::Generic;
  if (!rank)
    return true;
  const auto &operand =
      std::get<AddressOperand>(context.in.operands[index].value);
  if (operand.coordinates.size() != rank)
    return context.fail("expects " + std::to_string(rank) +
                        " coordinates, but got " +
                        std::to_string(operand.coordinates.size()));
  for (const Operand &coordinate : operand.coordinates)
    if (!context.source(coordinate, 32))
      return false;
  return true;
}

/// "1d" to "5d" behind "tensor"; 0: a plain copy.
bool takeRank(DecodeContext &context, unsigned &rank) {
  rank = 0;
  if (!context.take("tensor"))
    return true;
  std::optional<unsigned> found =
      context.takeOneOf({"1d", "2d", "3d", "4d", "5d"});
  if (!found)
    return false;
  rank = *found + 1;
  if (context.take("im2col"))
    return context.fail("the emulator copies tiles alone");
  context.take("tile");
  return true;
}

/// The spaces, which say what kind of copy it is.
bool takeSpaces(DecodeContext &context, BulkDetails &details) {
  bool isToShared =
      context.in.modifiers.end() != std::find(context.in.modifiers.begin(),
                                              context.in.modifiers.end(),
                                              "mbarrier::complete_tx::bytes");
  if (!isToShared) {
    if (details.kind == BulkCopy::Kind::Load)
      details.kind = BulkCopy::Kind::Store;
    return context.take("global") && context.take("shared::cta") &&
           context.take("bulk_group");
  }
  bool isOwn = context.take("shared::cta");
  if (!isOwn && !context.take("shared::cluster"))
    return false;
  details.isMulticast = context.take("multicast::cluster");
  if (!context.take("global") || details.kind == BulkCopy::Kind::Reduce)
    return context.fail("the emulator copies nothing from one shared memory to "
                        "another");
  return context.take("mbarrier::complete_tx::bytes");
}

bool takeReduction(DecodeContext &context, BulkDetails &details) {
  if (context.in.name != "cp" || !context.take("reduce"))
    return true;
  details.kind = BulkCopy::Kind::Reduce;
  constexpr AtomicOperation operations[] = {
      AtomicOperation::Add,       AtomicOperation::Min,
      AtomicOperation::Max,       AtomicOperation::And,
      AtomicOperation::Or,        AtomicOperation::Xor,
      AtomicOperation::Increment, AtomicOperation::Decrement};
  std::optional<unsigned> operation = context.takeOneOf(
      {"add", "min", "max", "and", "or", "xor", "inc", "dec"});
  if (!operation)
    return false;
  details.operation = operations[*operation];
  return true;
}

/// The type of a reduction: a plain one names it, a tensor's has it in its map.
bool takeReductionType(DecodeContext &context, BulkDetails &details) {
  if (details.kind != BulkCopy::Kind::Reduce)
    return true;
  if (details.rank)
    return context.fail("the emulator reduces ranges alone, no tensors");
  context.take("noftz");
  std::optional<DataType> type = context.takeType();
  if (!type || bitWidth(*type) < 16 || bitWidth(*type) > 64)
    return false;
  details.type = *type;
  return true;
}

bool decodePrefetch(DecodeContext &context) {
  auto details = std::make_shared<BulkDetails>();
  unsigned &rank = details->rank;
  if (!takeRank(context, rank) || !context.take("L2") ||
      !context.take("global"))
    return false;
  if (rank)
    context.take("tile");
  context.take("L2::cache_hint");
  context.out.execute = rank ? executeBoxPrefetch : executeNothing;
  if (!takeAddress(context, 0, rank ? StateSpace::Generic : StateSpace::Global,
                   details->global, rank))
    return false;
  context.out.details = std::move(details);
  return rank || (context.expectOperands(2, 3) && context.source(1, 32));
}

bool decodeWait(DecodeContext &context) {
  const auto *count =
      context.expectOperands(1)
          ? std::get_if<IntegerOperand>(&context.in.operands[0].value)
          : nullptr;
  if (!count || count->bits > 255)
    return false;
  context.out.flags[0] = count->bits;
  context.out.flags[1] = context.take("read");
  context.out.execute = executeWait;
  return true;
}

/// The operands: where to, where from, the bytes of a plain copy, the mbarrier
/// of a load, a cache policy.
bool decodeOperands(DecodeContext &context, BulkDetails &details) {
  bool hasPolicy = context.take("L2::cache_hint");
  bool isLoad = details.kind == BulkCopy::Kind::Load;
  size_t sharedIndex = isLoad ? 0 : 1, next = 2;
  StateSpace space = details.rank ? StateSpace::Generic : StateSpace::Global;
  if (!context.expectOperands(2 + !details.rank + isLoad + details.isMulticast +
                              hasPolicy) ||
      !takeAddress(context, sharedIndex, StateSpace::Shared, details.shared) ||
      !takeAddress(context, 1 - sharedIndex, space, details.global,
                   details.rank) ||
      (!details.rank && !context.source(next++, 32)))
    return false;
  if (isLoad &&
      !takeAddress(context, next++, StateSpace::Shared, details.barrier))
    return false;
  return !details.isMulticast || context.source(next, 16);
}

} // namespace

bool tilewright::emulator::decodeBulkCopy(DecodeContext &context) {
  context.decoder.useAsyncProxy();
  auto details = std::make_shared<BulkDetails>();
  if (context.take("commit_group")) {
    context.out.execute = executeCommit;
    return context.expectOperands(0);
  }
  if (context.take("wait_group"))
    return decodeWait(context);
  if (context.take("prefetch"))
    return decodePrefetch(context);
  context.out.execute = executeCopy;
  if (!takeReduction(context, *details) || !takeRank(context, details->rank) ||
      !takeSpaces(context, *details) || !takeReductionType(context, *details) ||
      !decodeOperands(context, *details))
    return false;
  context.out.details = std::move(details);
  return true;
}
