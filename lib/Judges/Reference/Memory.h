// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global memory as the reference sees it: named buffers of one element type
// each, at fixed places of a 64-bit address space.
//
// A copy is a snapshot. Buffers of the same sizes, added in the same order,
// have the same addresses, so that two runs see the same pointers.

#ifndef TILEWRIGHT_LIB_JUDGES_REFERENCE_MEMORY_H
#define TILEWRIGHT_LIB_JUDGES_REFERENCE_MEMORY_H

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::reference {

/// Elements of one type, one after another, little-endian.
struct Buffer {
  std::string name;
  /// A float, an integer or a pointer; see Numbers.h for the bytes it takes.
  mlir::Type elementType;
  uint64_t address;
  std::vector<uint8_t> bytes;
  /// For each byte whether a run has stored to it.
  std::vector<bool> written = {};

  int64_t getCount() const;
  /// Whether a run has stored to the element.
  bool isWritten(int64_t index) const;
};

class ReferenceMemory {
public:
  /// Adds a buffer of zeros and gives its number: 0, 1, ... Its address is a
  /// multiple of 256, and no other buffer is within 2^36 bytes of it.
  unsigned addBuffer(mlir::StringRef name, mlir::Type elementType,
                     int64_t count);
  /// The same with its content; floats are rounded to the element type, and
  /// integers wrap to it.
  unsigned addReals(mlir::StringRef name, mlir::Type elementType,
                    mlir::ArrayRef<double> values);
  unsigned addIntegers(mlir::StringRef name, mlir::Type elementType,
                       mlir::ArrayRef<int64_t> values);

  mlir::ArrayRef<Buffer> getBuffers() const { return buffers; }
  Buffer &getBuffer(unsigned number) { return buffers[number]; }
  uint64_t getAddress(unsigned number) const { return buffers[number].address; }
  /// The content of a buffer of floats.
  std::vector<double> getReals(unsigned number) const;
  /// The content of a buffer of integers or pointers, sign-extended.
  std::vector<int64_t> getIntegers(unsigned number) const;

  /// The `count` bytes at `address`; null unless one buffer holds all of them.
  uint8_t *find(uint64_t address, uint64_t count);
  /// Notes that the `count` bytes that find() gave for `address` are stored to.
  void markWritten(uint64_t address, uint64_t count);
  /// Where `address` is, for messages: "8 bytes after the end of 'x'".
  std::string describe(uint64_t address) const;

private:
  /// The last buffer that starts at or before `address`, or null.
  Buffer *findBuffer(uint64_t address);

  std::vector<Buffer> buffers;
  /// No buffer starts at 0 or near it.
  uint64_t nextAddress = 0x10000;
};

/// Reads an integer of `count` (at most 8) bytes, and writes one.
uint64_t readBytes(const uint8_t *bytes, unsigned count);
void writeBytes(uint8_t *bytes, unsigned count, uint64_t value);

} // namespace tilewright::reference

#endif // TILEWRIGHT_LIB_JUDGES_REFERENCE_MEMORY_H
