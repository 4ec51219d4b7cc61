// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One lane's access to memory, checked. Private to this folder.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_MEMORYACCESS_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_MEMORYACCESS_H

#include "lib/Judges/Emulator/Machine/Cta.h"

#include <cstring>

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
  /// Of shared memory: the CTA whose it is.
  Cta *owner = nullptr;
};

/// Addresses of shared memory of the cluster's CTA of a rank, as `mapa` gives
/// them, begin at (rank + 1) << clusterShift; those below are the CTA's own.
constexpr unsigned clusterShift = 24;
constexpr uint64_t clusterMask = (uint64_t(1) << clusterShift) - 1;

/// What an access does.
enum class AccessKind : uint8_t { Load, Store, Atomic };

/// By which way it comes to memory (PTX ISA, "Proxies").
enum class Proxy : uint8_t { Generic, Async };

/// Whether reading what was never written is reported, or whoever reads makes
/// values of it that are none.
enum class Unwritten : uint8_t { Reported, Allowed };

/// Whether all `bytes` marks are set.
bool isWritten(const uint8_t *written, unsigned bytes);

/// The place of `bytes` bytes at `address` for `lane`. Reports what is out of
/// bounds, misaligned (to `alignment`), read before it is written (but for
/// `unwritten`), in flight, or raced for. `value`: the bytes that a store will
/// write, if known: threads that write the same do not race with each other.
/// The asynchronous proxy accesses shared memory in multiples of 4 bytes; that
/// a fence has made known to it what it finds there is checked.
MemoryPlace accessMemory(Warp &warp, unsigned lane, StateSpace space,
                         uint64_t address, unsigned bytes, unsigned alignment,
                         AccessKind kind, const void *value = nullptr,
                         Proxy proxy = Proxy::Generic,
                         Unwritten unwritten = Unwritten::Reported);

/// Notes that a warp has read `bytes` at each offset until now, where that was
/// checked when the reads began.
void noteSharedReads(Warp &warp, const std::vector<uint32_t> &offsets,
                     unsigned bytes);

/// The address of each lane of an instruction.
inline uint64_t getAddress(const Warp &warp, const AddressSource &address,
                           unsigned lane) {
  // As many bits as the register has: what lies below 0 comes back.
  if (!address.is64Bit)
    return uint32_t(warp.read<uint32_t>(address.base)[lane] + address.offset);
  return warp.read<uint64_t>(address.base)[lane] + address.offset;
}
inline uint64_t getAddress(const Warp &warp, const Decoded &instruction,
                           unsigned lane) {
  return getAddress(warp, instruction.address, lane);
}

/// An integer of 1, 2, 4 or 8 bytes, extended to 64 bits.
inline uint64_t loadElement(const uint8_t *data, unsigned bytes,
                            bool isSigned) {
  switch (bytes) {
  case 1:
    return isSigned ? uint64_t(int64_t(int8_t(*data))) : *data;
  case 2: {
    uint16_t value;
    std::memcpy(&value, data, 2);
    return isSigned ? uint64_t(int64_t(int16_t(value))) : value;
  }
  case 4: {
    uint32_t value;
    std::memcpy(&value, data, 4);
    return isSigned ? uint64_t(int64_t(int32_t(value))) : value;
  }
  default: {
    uint64_t value;
    std::memcpy(&value, data, 8);
    return value;
  }
  }
}

/// Writes a lane of a register of at most 64 bits.
inline void writeRegister(Warp &warp, const Destination &destination,
                          unsigned lane, uint64_t value) {
  if (destination.bits == 64)
    warp.write<uint64_t>(destination)[lane] = value;
  else
    warp.write<uint32_t>(destination)[lane] =
        destination.bits == 16 ? value & 0xffff : value;
}

/// Writes a lane of a register from an element of 1 to 16 bytes in memory.
inline void loadRegister(Warp &warp, const Destination &destination,
                         unsigned lane, const uint8_t *data, unsigned bytes,
                         bool isSigned) {
  if (bytes == 16)
    std::memcpy(warp.write<uint8_t>(destination) + 16 * lane, data, 16);
  else
    writeRegister(warp, destination, lane, loadElement(data, bytes, isSigned));
}

/// The other way: the low bytes of a register that may be wider.
inline void storeRegister(const Warp &warp, const Source &source, unsigned lane,
                          uint8_t *data, unsigned bytes) {
  std::memcpy(data, warp.read<uint8_t>(source) + source.wordBytes * lane,
              bytes);
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

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_MEMORYACCESS_H
