// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mbarrier objects of a CTA's shared memory (PTX ISA, "mbarrier"). Their
// state is kept here; the eight bytes in memory are only marked.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_MEMORYBARRIERS_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_MEMORYBARRIERS_H

#include <cstdint>
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

  std::string initialize(uint64_t offset, uint32_t count);
  std::string invalidate(uint64_t offset);
  /// `count` arrivals by a warp; `drop`: later phases expect as many fewer.
  /// Fills `token`, what the phase is known by, with the state before.
  std::string arrive(CtaOrder &order, uint32_t warp, uint64_t offset,
                     uint32_t count, bool drop, uint64_t &token);
  /// One arrival more is expected in this phase.
  std::string expectArrival(uint64_t offset);
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
    /// What those who came know, and what those of the phase before knew.
    std::vector<uint32_t> arriving, complete;
  };
  Object *find(uint64_t offset, std::string &problem);

  std::unordered_map<uint64_t, Object> objects;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_MEMORYBARRIERS_H
