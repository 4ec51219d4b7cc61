// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who brings tiles to shared memory, taken at random.

#ifndef TILEWRIGHT_TEST_RANDOM_SCHEDULE_H
#define TILEWRIGHT_TEST_RANDOM_SCHEDULE_H

#include "tilewright/CompileOptions.h"

namespace tilewright::fuzz {

/// Takes bulk copies and warps of their own wherever they are possible,
/// nowhere, or as is estimated: each combination for one of nine successive
/// seeds. Gives the seed's rest. Targets leave alone what they have not.
inline uint64_t takeCopies(uint64_t seed, CompileOptions &options) {
  constexpr Preference preferences[] = {Preference::Auto, Preference::On,
                                        Preference::Off};
  options.bulkCopies = preferences[seed % 3];
  options.specializeWarps = preferences[seed / 3 % 3];
  return seed / 9;
}

} // namespace tilewright::fuzz

#endif // TILEWRIGHT_TEST_RANDOM_SCHEDULE_H
