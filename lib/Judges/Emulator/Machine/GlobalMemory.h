// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device's memory: allocations in a simulated address space, apart from
// each other, so that an access beyond one never falls into the next.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_GLOBALMEMORY_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_GLOBALMEMORY_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::emulator {

/// A range of memory.
struct Allocation {
  uint64_t address = 0;
  uint64_t bytes = 0;
  std::unique_ptr<uint8_t[]> data;
  /// One byte for each: 1 once it was written.
  std::unique_ptr<uint8_t[]> written;
};

class GlobalMemory {
public:
  /// Bytes of all ranges together that are enough for tests: the host takes
  /// twice as many, and systems that promise memory and do not have it end the
  /// process.
  static constexpr uint64_t defaultLimit = uint64_t(4) << 30;

  /// Of ranges, as a GPU's driver has it.
  static constexpr uint64_t alignment = 512;

  explicit GlobalMemory(uint64_t limit = defaultLimit);

  /// A new range of at least one byte at a multiple of `alignment`. Its content
  /// counts as never written. 0: it is beyond the limit, or the host has no
  /// memory for it; see explainRefusal.
  uint64_t allocate(uint64_t bytes);
  /// Why there is no range of so many bytes.
  std::string explainRefusal(uint64_t bytes) const;
  /// False where `address` is not the start of a range.
  bool free(uint64_t address);

  /// Copies, from and to the host; false where the range is not inside one
  /// allocation. A copy in counts as written.
  bool write(uint64_t address, const void *source, uint64_t bytes);
  bool read(uint64_t address, void *destination, uint64_t bytes) const;

  /// The content of every allocation, and a way back to it.
  struct Content {
    std::vector<std::vector<uint8_t>> data, written;
  };
  Content save() const;
  void restore(const Content &content);
  /// Bytes of all allocations.
  uint64_t size() const;

  /// The allocation whose block of addresses `address` lies in, which may be
  /// beyond its bytes; or null.
  Allocation *find(uint64_t address) const {
    uint64_t block = (address - firstAddress) >> blockBits;
    return address >= firstAddress && block < blocks.size() ? blocks[block]
                                                            : nullptr;
  }

private:
  /// Ranges begin this far into a block of addresses of their own, and end this
  /// far before the next one at least.
  static constexpr uint64_t redzone = 4096;
  static constexpr unsigned blockBits = 21;
  static constexpr uint64_t firstAddress = uint64_t(0x7f) << 40;

  uint64_t limit, used = 0;
  std::vector<std::unique_ptr<Allocation>> allocations;
  /// By (address - firstAddress) >> blockBits.
  std::vector<Allocation *> blocks;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_GLOBALMEMORY_H
