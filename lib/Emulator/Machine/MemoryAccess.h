// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One lane's access to memory, checked. Private to this folder.

#ifndef TILEWRIGHT_LIB_EMULATOR_MACHINE_MEMORYACCESS_H
#define TILEWRIGHT_LIB_EMULATOR_MACHINE_MEMORYACCESS_H

#include "lib/Emulator/Machine/Cta.h"

namespace tilewright::emulator {

/// Bytes that an access may touch, and their marks; null data: the access was
/// refused and reported.
struct MemoryPlace {
  uint8_t *data = nullptr;
  /// Null where everything counts as written.
  uint8_t *written = nullptr;
  /// The space that a generic address is in, and the offset there.
  StateSpace space = StateSpace::Global;
  uint64_t offset = 0;
};

/// What an access does.
enum class AccessKind : uint8_t { Load, Store, Atomic };

/// The place of `bytes` bytes at `address` for `lane`. Reports what is out of
/// bounds, misaligned (to `alignment`), read before it is written, in flight,
/// or raced for. `value`: the bytes that a store will write, if known: threads
/// that write the same do not race with each other.
MemoryPlace accessMemory(Warp &warp, unsigned lane, StateSpace space,
                         uint64_t address, unsigned bytes, unsigned alignment,
                         AccessKind kind, const void *value = nullptr);

/// The address of each lane of an instruction.
inline uint64_t getAddress(const Warp &warp, const Decoded &instruction,
                           unsigned lane) {
  const AddressSource &address = instruction.address;
  uint64_t base = address.is64Bit ? warp.read<uint64_t>(address.base)[lane]
                                  : warp.read<uint32_t>(address.base)[lane];
  return base + address.offset;
}

/// Counts the wavefronts or sectors of a request: the lanes of `mask`, each
/// with `bytes` at its address.
void countRequest(Warp &warp, StateSpace space, const uint64_t *addresses,
                  uint32_t mask, unsigned bytes);

/// Shared-memory wavefronts of one request: 32 banks of 4 bytes; lanes with 8
/// bytes go by half warps, with 16 by quarters, two of which go together where
/// all neighbours (lanes 1 apart, or all 2 apart) share their addresses. Seen
/// to be what an H200 counts, on the corpus (test/Corpus/counters.py).
unsigned countWavefronts(const uint64_t *addresses, uint32_t mask,
                         unsigned bytes);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_EMULATOR_MACHINE_MEMORYACCESS_H
