// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commonest arithmetic of f16, bf16 and pairs of them, as loops over the
// lanes that the host's compiler can make vectors of.

#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/Lanes.h"
#include "lib/Judges/Emulator/Numeric/FastFloat.h"

using namespace tilewright::emulator;

namespace {

constexpr uint16_t signBit = 0x8000;

template <bool isBrain>
struct Add {
  uint16_t operator()(uint16_t a, uint16_t b, uint16_t) const {
    return isBrain ? addBfloat(a, b) : addHalf(a, b);
  }
};
template <bool isBrain>
struct Subtract {
  uint16_t operator()(uint16_t a, uint16_t b, uint16_t) const {
    return isBrain ? addBfloat(a, b ^ signBit) : addHalf(a, b ^ signBit);
  }
};
template <bool isBrain>
struct Multiply {
  uint16_t operator()(uint16_t a, uint16_t b, uint16_t) const {
    return isBrain ? multiplyBfloat(a, b) : multiplyHalf(a, b);
  }
};
template <bool isBrain>
struct MultiplyAdd {
  uint16_t operator()(uint16_t a, uint16_t b, uint16_t c) const {
    return isBrain ? fuseBfloat(a, b, c) : fuseHalf(a, b, c);
  }
};

/// Of two or three sources; the third of two is the first once more, which the
/// operation does not look at.
template <typename Operation, bool isPair>
void execute(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const std::vector<Source> &sources = instruction.sources;
  const auto *a = warp.read<uint32_t>(sources[0]);
  const auto *b = warp.read<uint32_t>(sources[1]);
  const auto *c = warp.read<uint32_t>(sources[sources.size() == 3 ? 2 : 0]);
  auto *d = warp.write<uint32_t>(instruction.destinations[0]);
  forLanes(mask, [&](unsigned lane) {
    uint32_t result = Operation()(a[lane], b[lane], c[lane]);
    if constexpr (isPair)
      result |=
          uint32_t(Operation()(a[lane] >> 16, b[lane] >> 16, c[lane] >> 16))
          << 16;
    d[lane] = result;
  });
  warp.define(instruction.destinations[0], mask,
              warp.undefinedLanes(instruction));
}

template <bool isBrain, bool isPair>
Handler find(std::string_view name) {
  if (name == "add")
    return execute<Add<isBrain>, isPair>;
  if (name == "sub")
    return execute<Subtract<isBrain>, isPair>;
  if (name == "mul")
    return execute<Multiply<isBrain>, isPair>;
  if (name == "fma")
    return execute<MultiplyAdd<isBrain>, isPair>;
  return nullptr;
}

} // namespace

Handler tilewright::emulator::findHalfHandler(std::string_view name,
                                              bool isBrain, bool isPair) {
  if (isBrain)
    return isPair ? find<true, true>(name) : find<true, false>(name);
  return isPair ? find<false, true>(name) : find<false, false>(name);
}
