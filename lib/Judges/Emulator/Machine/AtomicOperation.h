// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What atomics and reductions make of two values. Private to this folder.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_ATOMICOPERATION_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_ATOMICOPERATION_H

#include "lib/Judges/Emulator/Numeric/Numeric.h"
#include "lib/Judges/Emulator/Syntax/Syntax.h"

namespace tilewright::emulator {

enum class AtomicOperation : uint8_t {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Exchange,
  CompareAndSwap,
  Increment,
  Decrement
};

/// The format of a type of floats or pairs of them; none: integers.
std::optional<FloatFormat> getAtomicFormat(DataType type);

/// The new content of memory that holds `old`; `c` counts for
/// CompareAndSwap alone.
uint64_t combineAtomically(AtomicOperation operation, DataType type,
                           uint64_t old, uint64_t b, uint64_t c);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_ATOMICOPERATION_H
