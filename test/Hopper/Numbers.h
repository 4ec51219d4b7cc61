// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small integers as the elements that matrix instructions have.

#ifndef TILEWRIGHT_TEST_HOPPER_NUMBERS_H
#define TILEWRIGHT_TEST_HOPPER_NUMBERS_H

#include <cstdint>
#include <string>

namespace tilewright::hopper {

/// An element type of PTX, by its facts.
struct ElementType {
  /// "bf16", as PTX spells it.
  std::string name;
  unsigned bytes;
  /// Of floats; 0: an integer.
  unsigned exponentBits, fractionBits;
  /// Integers that are drawn, all of them exact.
  int least, most;

  bool isInteger() const { return exponentBits == 0; }
};

inline const ElementType f16 = {"f16", 2, 5, 10, -4, 4};
inline const ElementType bf16 = {"bf16", 2, 8, 7, -4, 4};
inline const ElementType tf32 = {"tf32", 4, 8, 23, -4, 4};
inline const ElementType f32 = {"f32", 4, 8, 23, -64, 64};
inline const ElementType e4m3 = {"e4m3", 1, 4, 3, -4, 4};
inline const ElementType e5m2 = {"e5m2", 1, 5, 2, -4, 4};
inline const ElementType s8 = {"s8", 1, 0, 0, -128, 127};
inline const ElementType u8 = {"u8", 1, 0, 0, 0, 255};
inline const ElementType s32 = {"s32", 4, 0, 0, -100000, 100000};

/// The bits of an integer that the type has exactly.
uint32_t encode(const ElementType &type, int value);

} // namespace tilewright::hopper

#endif // TILEWRIGHT_TEST_HOPPER_NUMBERS_H
