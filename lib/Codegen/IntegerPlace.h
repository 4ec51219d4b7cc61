// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_INTEGERPLACE_H
#define TILEWRIGHT_LIB_CODEGEN_INTEGERPLACE_H

#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace tilewright::codegen {

/// Where the bits of an integer stand that has few: in another one, from which
/// shifts and masks took it. What is around them there is any.
class IntegerPlace {
public:
  /// That of `number`, of which a conversion takes the sign if `isSigned`; none
  /// of constants, and of those of more than 16 bits.
  static std::optional<IntegerPlace> find(llvm::Value *number, bool isSigned,
                                          const llvm::Instruction &user);

  /// The number's bits, whether the highest one is a sign, and, at the lowest
  /// bits of a word, all of them and the sign's.
  unsigned getBits() const { return bits; }
  bool isSigned() const { return hasSign; }
  uint32_t getMask() const { return (1u << bits) - 1; }
  uint32_t getSignBit() const { return hasSign ? 1u << (bits - 1) : 0; }

  /// Whether instructions took the number from its place.
  bool isWithin() const { return isTaken; }

  /// The instruction or argument around it.
  llvm::Value *getSource() const { return source; }

  /// Whether both have the same i32 around them.
  bool isInWordOf(const IntegerPlace &other) const {
    return source == other.source && wordOfVector == other.wordOfVector &&
           bit + bits <= 32 && other.bit + other.bits <= 32;
  }

  /// The i32 around it, and its lowest bit there.
  std::pair<llvm::Value *, unsigned> getWord(llvm::IRBuilder<> &builder) const;

  /// Whether the other number has as many bits, and as few signs.
  bool isLike(const IntegerPlace &other) const {
    return bits == other.bits && hasSign == other.hasSign;
  }

private:
  bool look();
  bool follow(llvm::Value *inner, unsigned from);

  llvm::Value *source;
  /// Whether `source` is a vector, of which 32 bits are meant that begin here.
  std::optional<uint64_t> wordOfVector;
  unsigned bit = 0, bits = 0;
  bool hasSign = false, isTaken = false;
};

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_INTEGERPLACE_H
