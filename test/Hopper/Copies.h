// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of bulk copies: ranges and boxes of tensors, loads, stores and
// reductions, with what plain loops give.

#ifndef TILEWRIGHT_TEST_HOPPER_COPIES_H
#define TILEWRIGHT_TEST_HOPPER_COPIES_H

#include "test/Hopper/Program.h"

namespace tilewright::hopper {

/// Boxes of tensors, loaded: each rank, element size and swizzle, at the
/// tensor's borders, with element strides.
std::vector<HopperProgram> boxLoads();
/// By maps that the kernel makes in global memory, with NaN or 0 beyond the
/// tensor.
std::vector<HopperProgram> boxLoadsByMadeMaps();
/// As boxLoads, with NaN beyond the tensor.
std::vector<HopperProgram> boxLoadsWithNan();
/// As boxLoads, stored, none of them beginning below 0.
std::vector<HopperProgram> boxStores();
/// Plain copies, and reductions of integers.
std::vector<HopperProgram> rangeCopies();
/// A box whose rows begin one f16 behind a multiple of 16 bytes: a mistake.
HopperProgram makeShiftedBox(bool isStore);
/// A box of three dimensions stored from below 0 along one of them: a mistake.
HopperProgram makeStoreBelow(unsigned dimension);
/// A box stored over the end of a row with which the output ends, in the middle
/// of 16 bytes: a mistake.
HopperProgram makeStoreBehind();
/// A box stored through a map of tf32, of which it is known what loads make.
HopperProgram makeRoundingStore();
/// To shared memory, changed there, and back (CopyMistakes.cpp).
HopperProgram makeRoundTrip();

} // namespace tilewright::hopper

#endif // TILEWRIGHT_TEST_HOPPER_COPIES_H
