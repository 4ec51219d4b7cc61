// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fragments of matrix instructions as the PTX ISA's figures and formulas
// have them (sections "Matrix Fragments for mma.m8n8k4" to "mma.m16n8k64", and
// "Register Fragments" of wgmma), each shape for itself: the table that our
// maps are compared with. It uses nothing of ours.

#ifndef TILEWRIGHT_TEST_UNIT_TILEGPU_FRAGMENTFIGURES_H
#define TILEWRIGHT_TEST_UNIT_TILEGPU_FRAGMENTFIGURES_H

#include <string_view>

namespace tilewright::figures {

/// A place in a matrix.
struct Place {
  unsigned row, column;
  bool operator==(const Place &) const = default;
};

/// Where element `i` of lane `lane` is.
using Fragment = Place (*)(unsigned lane, unsigned i);

/// One shape with operands of one width.
struct Figure {
  std::string_view shape;
  unsigned operandBits, accumulatorBits;
  /// Elements of a lane in A, B and C.
  unsigned aCount, bCount, cCount;
  /// B's places are (k, n).
  Fragment a, b, c;
};

/// The figure of `mma.sync` of this shape (as in "m16n8k16"), or null. Volta's
/// m8n8k4 on f16 is one quad pair's.
const Figure *find(std::string_view shape, unsigned operandBits,
                   unsigned accumulatorBits);

/// D of `wgmma.mma_async` m64nN: `thread` in the warp group, N/2 elements.
Place wgmmaAccumulator(unsigned thread, unsigned i);

/// A of `wgmma.mma_async` in registers, for operands of 8, 16 or 32 bits.
Place wgmmaOperand(unsigned operandBits, unsigned thread, unsigned i);

} // namespace tilewright::figures

#endif // TILEWRIGHT_TEST_UNIT_TILEGPU_FRAGMENTFIGURES_H
