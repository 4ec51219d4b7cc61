// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How weights are coded and packed into words: what `tile.dequantize` has as
// attributes (docs/dialects/Tile.md), for kernels and for what packs on the
// host. Plain values, no IR.

#ifndef TILEWRIGHT_LIB_KERNELS_CODING_H
#define TILEWRIGHT_LIB_KERNELS_CODING_H

#include "lib/Run/Tensor.h"

#include <optional>
#include <string_view>

namespace tilewright::kernels {

/// What codes stand for and where in their words they are. The values of the
/// enumerations are those of the dialect's.
struct Coding {
  enum class Format : uint8_t {
    Unsigned,
    Signed,   ///< two's complement
    CodeBook, ///< what a table says
    E2M1,     ///< 1 sign, 2 exponent, 1 mantissa bit, all finite
    E4M3,     ///< OCP E4M3
    E5M2,     ///< OCP E5M2
  };
  /// Where the code of a word's element j is, counted from the lowest bits on.
  enum class Order : uint8_t {
    LowFirst,  ///< j
    HighFirst, ///< the last of the word less j
    EvenFirst, ///< even ones in the lower half, odd ones in the upper
  };
  /// low_first, high_first or even_first; none: neither.
  static std::optional<Order> orderFromName(std::string_view name);
  Format format = Format::Unsigned;
  unsigned bits = 4;
  Order order = Order::LowFirst;

  bool isInteger() const {
    return format == Format::Unsigned || format == Format::Signed;
  }
  unsigned codesPerWord(run::ElementType word) const {
    return 8 * run::byteSize(word) / bits;
  }
  /// The lowest bit of element `index` of a word of `codes` codes.
  unsigned bitOf(unsigned index, unsigned codes) const;
  /// The bit of an element's index, along a dimension of words of `codes`
  /// codes, that moves its code by 16 bits. A register of two integers has them
  /// 16 bits apart, so that codes which are so already need not be brought
  /// there; codes that stand for other numbers are unpacked one by one, and
  /// neighbours, which bit 0 tells apart, are as good.
  unsigned bitAcrossHalves(unsigned codes) const;
  /// The number that a code stands for, whose other bits are ignored; of a code
  /// book the code itself.
  double valueOf(uint64_t code) const;
};

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_CODING_H
