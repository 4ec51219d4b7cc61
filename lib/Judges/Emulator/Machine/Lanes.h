// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers of instructions that compute each lane by itself. Private to this
// folder.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_LANES_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_LANES_H

#include "lib/Judges/Emulator/Machine/Warp.h"

#include <type_traits>

namespace tilewright::emulator {

/// How registers hold a T: in words of 64 bits, or of 32, zero-extended.
template <typename T>
using WordOf = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T>
inline T fromWord(WordOf<T> word) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<T>(word);
  else
    return static_cast<T>(word);
}

template <typename T>
inline WordOf<T> toWord(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<WordOf<T>>(value);
  else
    return static_cast<std::make_unsigned_t<T>>(value);
}

/// result = Operation(a), of T to R.
template <typename T, typename R, typename Operation>
void executeUnary(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const auto *a = warp.read<WordOf<T>>(instruction.sources[0]);
  auto *d = warp.write<WordOf<R>>(instruction.destinations[0]);
  forLanes(mask, [&](unsigned lane) {
    d[lane] = toWord<R>(Operation()(fromWord<T>(a[lane])));
  });
  warp.define(instruction.destinations[0], mask,
              warp.undefinedLanes(instruction.sources[0]));
}

template <typename T, typename R, typename Operation>
void executeBinary(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const auto *a = warp.read<WordOf<T>>(instruction.sources[0]);
  const auto *b = warp.read<WordOf<T>>(instruction.sources[1]);
  auto *d = warp.write<WordOf<R>>(instruction.destinations[0]);
  forLanes(mask, [&](unsigned lane) {
    d[lane] =
        toWord<R>(Operation()(fromWord<T>(a[lane]), fromWord<T>(b[lane])));
  });
  warp.define(instruction.destinations[0], mask,
              warp.undefinedLanes(instruction.sources[0]) |
                  warp.undefinedLanes(instruction.sources[1]));
}

/// The third operand is an R: an addend of the result's width.
template <typename T, typename R, typename Operation>
void executeTernary(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const auto *a = warp.read<WordOf<T>>(instruction.sources[0]);
  const auto *b = warp.read<WordOf<T>>(instruction.sources[1]);
  const auto *c = warp.read<WordOf<R>>(instruction.sources[2]);
  auto *d = warp.write<WordOf<R>>(instruction.destinations[0]);
  forLanes(mask, [&](unsigned lane) {
    d[lane] = toWord<R>(Operation()(fromWord<T>(a[lane]), fromWord<T>(b[lane]),
                                    fromWord<R>(c[lane])));
  });
  warp.define(instruction.destinations[0], mask,
              warp.undefinedLanes(instruction.sources[0]) |
                  warp.undefinedLanes(instruction.sources[1]) |
                  warp.undefinedLanes(instruction.sources[2]));
}

/// result = Operation(instruction, words) for operations with more to know than
/// their type: `words` are the sources' bits, 0 where there are fewer than
/// four. Bit i of flags[5] says that source i has 64 bits.
template <typename Operation>
void executeWords(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const Destination &destination = instruction.destinations[0];
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    uint64_t words[4] = {0, 0, 0, 0};
    for (size_t i = 0; i < instruction.sources.size() && i < 4; ++i) {
      const Source &source = instruction.sources[i];
      words[i] = instruction.flags[5] >> i & 1
                     ? warp.read<uint64_t>(source)[lane]
                     : warp.read<uint32_t>(source)[lane];
    }
    uint64_t result = Operation()(instruction, words);
    if (destination.bits == 64)
      warp.write<uint64_t>(destination)[lane] = result;
    else
      warp.write<uint32_t>(destination)[lane] =
          destination.bits < 32 ? result & ((1u << destination.bits) - 1)
                                : result;
  }
  warp.define(destination, mask, warp.undefinedLanes(instruction));
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_LANES_H
