// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bulk copies and reductions that are under way (PTX ISA, "Bulk copy",
// "Tensor copy"): between global and shared memory, through the asynchronous
// proxy.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_BULKCOPIES_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_BULKCOPIES_H

#include "lib/Judges/Emulator/Machine/AtomicOperation.h"

#include <deque>
#include <vector>

namespace tilewright::emulator {

class Cta;
class Warp;

/// One copy of one thread.
struct BulkCopy {
  static constexpr uint32_t open = ~0u;
  enum class Kind : uint8_t {
    /// From global to shared memory, told of by an mbarrier.
    Load,
    /// From shared to global memory, waited for by its group.
    Store,
    /// The same, combined with what is there.
    Reduce
  };
  /// Bytes that stand together on both sides.
  struct Piece {
    uint32_t shared = 0;
    uint64_t global = 0;
    uint32_t bytes = 0;
    /// There are none in global memory: loads fill them.
    bool isOutside = false;
  };

  Kind kind = Kind::Load;
  /// Who has begun it.
  Cta *issuer = nullptr;
  uint32_t instruction = 0, warp = 0, lane = 0;
  std::vector<Piece> pieces;
  /// The 16-byte units of shared memory that it touches.
  std::vector<uint32_t> units;
  /// The tensor map's address; 0: there is none.
  uint64_t map = 0;
  /// What loads write outside, an element's bits, and the type of reductions.
  uint64_t fill = 0;
  uint32_t elementBytes = 1;
  /// Loads: of f32, which are rounded.
  bool roundsToTf32 = false;
  AtomicOperation operation = AtomicOperation::Add;
  DataType type = DataType::U32;
  /// Loads: the mbarrier, and the bytes that it is told of.
  uint64_t barrier = 0, bytes = 0;
  /// Others: the thread's commit that it belongs to.
  uint32_t group = open;
  /// Global addresses from the lowest to behind the highest.
  uint64_t globalBegin = ~uint64_t(0), globalEnd = 0;
  /// With a seed: the CTA's clock when it reads, and loads write, if that comes
  /// before they are waited for; and whether they are complete then.
  uint64_t moment = ~uint64_t(0);
  bool completesEarly = false;
  /// What it has read, piece by piece, once it has.
  bool hasRead = false;
  std::vector<uint8_t> content;
  /// Others: that it has read was waited for.
  bool isReadKnown = false;
};

/// Those of a CTA, in the order in which they began.
class BulkCopies {
public:
  /// Those of `threads` threads.
  explicit BulkCopies(uint32_t threads) : committed(threads, 0) {}

  /// Whether a store under way will write some of the bytes of global memory,
  /// or, where they are written, a load may still read some, or a copy its map.
  bool concernsGlobal(uint64_t address, uint64_t bytes, bool isWrite) const;
  /// The thread's open copies are a group.
  void commit(uint32_t thread);

  std::deque<BulkCopy> pending;
  /// Groups of each thread so far.
  std::vector<uint32_t> committed;
};

/// Begins a copy: checks both sides, and marks shared memory, that of `owner`,
/// a CTA of the cluster. False: it was refused and reported.
bool beginBulkCopy(Warp &warp, BulkCopy copy, Cta &owner);

/// Completes the loads that the mbarrier at `barrier` tells of; whether there
/// were any.
bool completeBulkLoads(Cta &cta, uint64_t barrier);

/// With a seed: moves the bytes of the copies whose moment has come.
void moveBulkCopies(Cta &cta);

/// The thread waits until at most `groups` of its groups are under way, or have
/// not read their memory yet (`onlyReads`).
void waitForBulkGroups(Warp &warp, uint32_t lane, uint32_t groups,
                       bool onlyReads);

/// The CTA has ended: reports what must not be under way then, and completes
/// the rest.
void endBulkCopies(Cta &cta);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_BULKCOPIES_H
