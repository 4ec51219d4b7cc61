// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mbarrier objects of a CTA's shared memory (PTX ISA, "mbarrier"). Their
// state is kept here; the eight bytes in memory are only marked.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_MEMORYBARRIERS_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_MEMORYBARRIERS_H

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilewright::emulator {

class CtaOrder;

class MemoryBarriers {
public:
  /// "The maximum count": PTX ISA, "Contents of the mbarrier object".
  static constexpr uint32_t maximumCount = (1u << 20) - 1;

  // What goes wrong is returned as text, "" where nothing does.

  /// By thread 32 * warp + lane.
  std::string initialize(uint64_t offset, uint32_t count, uint32_t thread);
  std::string invalidate(uint64_t offset);
  /// `count` arrivals by a warp; `drop`: later phases expect as many fewer.
  /// Fills `token`, what the phase is known by, with the state before.
  std::string arrive(CtaOrder &order, uint32_t warp, uint64_t offset,
                     uint32_t count, bool drop, uint64_t &token);
  /// One arrival more is expected in this phase.
  std::string expectArrival(uint64_t offset);
  /// The lanes of a warp make the objects that they have initialized known to
  /// the asynchronous proxy (`fence.mbarrier_init`, `fence.proxy.async`).
  void fence(uint32_t warp, uint32_t lanes);
  /// A bulk copy will tell of its bytes here.
  std::string track(uint64_t offset);
  /// It does. What it has written was noted for the agent of the object, whom
  /// those who wait for the phase know of.
  void complete(CtaOrder &order, uint64_t offset, uint64_t bytes);
  /// The object's agent; none: there is no object any more.
  std::optional<uint32_t> agentOf(CtaOrder &order, uint64_t offset);
  /// "phase 1: 2 arrivals and 64 bytes to come"; "" where there is none.
  std::string describe(uint64_t offset) const;
  /// Objects whose phase still expects bytes, or has got too many: their
  /// offsets in ascending order.
  std::vector<uint64_t> findUnbalanced() const;

  /// Changes the bytes that are still to come in this phase.
  std::string expectBytes(uint64_t offset, int64_t bytes);
  /// After a change of the count or the bytes: the phase may be complete.
  void settle(CtaOrder &order, uint64_t offset);
  /// Whether the phase of `token`, or the phase of parity `token`, is complete;
  /// what came before it is known to the warp then.
  std::string test(CtaOrder &order, uint32_t warp, uint64_t offset,
                   uint64_t token, bool isParity, bool &isComplete);

  /// Arrivals that were pending when `token` was made.
  static uint32_t pendingOf(uint64_t token) { return token & maximumCount; }

private:
  struct Object {
    uint32_t expected = 0, pending = 0;
    int64_t bytes = 0;
    uint64_t phase = 0;
    uint32_t initializer = 0;
    bool isFenced = false;
    /// 0: none yet.
    uint32_t agent = 0;
    /// What those who came know, and what those of the phase before knew.
    std::vector<uint32_t> arriving, complete;
  };
  Object *find(uint64_t offset, std::string &problem);

  std::unordered_map<uint64_t, Object> objects;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_MEMORYBARRIERS_H
