// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Unit/TileGPU/FragmentFigures.h"

namespace tilewright::figures {

namespace {

/// The names that the PTX ISA uses.
unsigned group(unsigned lane) { return lane >> 2; }
unsigned thread(unsigned lane) { return lane % 4; }

/// C of all m16n8 shapes, and of the m8n8 shapes.
Place c16(unsigned lane, unsigned i) {
  return {i < 2 ? group(lane) : group(lane) + 8, thread(lane) * 2 + (i & 1)};
}
Place c8(unsigned lane, unsigned i) {
  return {group(lane), thread(lane) * 2 + i};
}

constexpr Figure figures[] = {
    // Volta. Lanes 0 to 15 have the upper half of the quad pair.
    {"m8n8k4", 16, 16, 4, 4, 8,
     [](unsigned lane, unsigned i) -> Place {
       return {lane < 16 ? lane % 4 : lane % 4 + 4, i};
     },
     [](unsigned lane, unsigned i) -> Place {
       return {i, lane < 16 ? lane % 4 : lane % 4 + 4};
     },
     [](unsigned lane, unsigned i) -> Place {
       return {lane < 16 ? lane % 4 : lane % 4 + 4, i};
     }},
    {"m8n8k4", 16, 32, 4, 4, 8,
     [](unsigned lane, unsigned i) -> Place {
       return {lane < 16 ? lane % 4 : lane % 4 + 4, i};
     },
     [](unsigned lane, unsigned i) -> Place {
       return {i, lane < 16 ? lane % 4 : lane % 4 + 4};
     },
     [](unsigned lane, unsigned i) -> Place {
       unsigned x = (lane & 0b1) + (i & 0b10);
       return {lane < 16 ? x : x + 4, (i & 0b100) + (lane & 0b10) + (i & 0b1)};
     }},
    {"m8n8k4", 64, 64, 1, 1, 2,
     [](unsigned lane, unsigned) -> Place {
       return {group(lane), thread(lane)};
     },
     [](unsigned lane, unsigned) -> Place {
       return {thread(lane), group(lane)};
     },
     c8},
    {"m8n8k16", 8, 32, 4, 4, 2,
     [](unsigned lane, unsigned i) -> Place {
       return {group(lane), thread(lane) * 4 + i};
     },
     [](unsigned lane, unsigned i) -> Place {
       return {thread(lane) * 4 + i, group(lane)};
     },
     c8},
    {"m8n8k32", 4, 32, 8, 8, 2,
     [](unsigned lane, unsigned i) -> Place {
       return {group(lane), thread(lane) * 8 + i};
     },
     [](unsigned lane, unsigned i) -> Place {
       return {thread(lane) * 8 + i, group(lane)};
     },
     c8},
    {"m16n8k4", 32, 32, 2, 1, 4,
     [](unsigned lane, unsigned i) -> Place {
       return {i == 0 ? group(lane) : group(lane) + 8, thread(lane)};
     },
     [](unsigned lane, unsigned) -> Place {
       return {thread(lane), group(lane)};
     },
     c16},
    {"m16n8k4", 64, 64, 2, 1, 4,
     [](unsigned lane, unsigned i) -> Place {
       return {i == 0 ? group(lane) : group(lane) + 8, thread(lane)};
     },
     [](unsigned lane, unsigned) -> Place {
       return {thread(lane), group(lane)};
     },
     c16},
    {"m16n8k8", 16, 0, 4, 2, 4,
     [](unsigned lane, unsigned i) -> Place {
       return {i < 2 ? group(lane) : group(lane) + 8,
               thread(lane) * 2 + (i & 1)};
     },
     [](unsigned lane, unsigned i) -> Place {
       return {thread(lane) * 2 + i, group(lane)};
     },
     c16},
    {"m16n8k8", 32, 32, 4, 2, 4,
     [](unsigned lane, unsigned i) -> Place {
       return {i == 0 || i == 2 ? group(lane) : group(lane) + 8,
               i < 2 ? thread(lane) : thread(lane) + 4};
     },
     [](unsigned lane, unsigned i) -> Place {
       return {i == 0 ? thread(lane) : thread(lane) + 4, group(lane)};
     },
     c16},
    {"m16n8k8", 64, 64, 4, 2, 4,
     [](unsigned lane, unsigned i) -> Place {
       return {i == 0 || i == 2 ? group(lane) : group(lane) + 8,
               i < 2 ? thread(lane) : thread(lane) + 4};
     },
     [](unsigned lane, unsigned i) -> Place {
       return {i == 0 ? thread(lane) : thread(lane) + 4, group(lane)};
     },
     c16},
    {"m16n8k16", 16, 0, 8, 4, 4,
     [](unsigned lane, unsigned i) -> Place {
       return {i < 2 || (i >= 4 && i < 6) ? group(lane) : group(lane) + 8,
               thread(lane) * 2 + (i & 1) + (i < 4 ? 0 : 8)};
     },
     [](unsigned lane, unsigned i) -> Place {
       return {thread(lane) * 2 + (i & 1) + (i < 2 ? 0 : 8), group(lane)};
     },
     c16},
    {"m16n8k16", 8, 0, 8, 4, 4,
     [](unsigned lane, unsigned i) -> Place {
       return {i < 4 ? group(lane) : group(lane) + 8,
               thread(lane) * 4 + (i & 3)};
     },
     [](unsigned lane, unsigned i) -> Place {
       return {thread(lane) * 4 + (i & 3), group(lane)};
     },
     c16},
    {"m16n8k16", 64, 64, 8, 4, 4,
     [](unsigned lane, unsigned i) -> Place {
       bool even = i % 2 == 0;
       return {even ? group(lane) : group(lane) + 8,
               (even ? i * 2 : i * 2 - 2) + thread(lane)};
     },
     [](unsigned lane, unsigned i) -> Place {
       return {thread(lane) + i * 4, group(lane)};
     },
     c16},
    {"m16n8k32", 8, 0, 16, 8, 4,
     [](unsigned lane, unsigned i) -> Place {
       return {i < 4 || (i >= 8 && i < 12) ? group(lane) : group(lane) + 8,
               thread(lane) * 4 + (i & 3) + (i < 8 ? 0 : 16)};
     },
     [](unsigned lane, unsigned i) -> Place {
       return {thread(lane) * 4 + (i & 3) + (i < 4 ? 0 : 16), group(lane)};
     },
     c16},
    {"m16n8k32", 4, 32, 16, 8, 4,
     [](unsigned lane, unsigned i) -> Place {
       return {i < 8 ? group(lane) : group(lane) + 8,
               thread(lane) * 8 + (i & 7)};
     },
     [](unsigned lane, unsigned i) -> Place {
       return {thread(lane) * 8 + (i & 7), group(lane)};
     },
     c16},
    {"m16n8k64", 4, 32, 32, 16, 4,
     [](unsigned lane, unsigned i) -> Place {
       return {i < 8 || (i >= 16 && i < 24) ? group(lane) : group(lane) + 8,
               thread(lane) * 8 + (i & 7) + (i < 16 ? 0 : 32)};
     },
     [](unsigned lane, unsigned i) -> Place {
       return {thread(lane) * 8 + (i & 7) + (i < 8 ? 0 : 32), group(lane)};
     },
     c16},
};

} // namespace

const Figure *find(std::string_view shape, unsigned operandBits,
                   unsigned accumulatorBits) {
  for (const Figure &figure : figures)
    if (figure.shape == shape && figure.operandBits == operandBits &&
        (figure.accumulatorBits == 0 ||
         figure.accumulatorBits == accumulatorBits))
      return &figure;
  return nullptr;
}

Place wgmmaAccumulator(unsigned x, unsigned i) {
  unsigned warp = x / 32, lane = x % 32;
  return {warp * 16 + lane / 4 + (i / 2 % 2) * 8,
          i / 4 * 8 + lane % 4 * 2 + i % 2};
}

Place wgmmaOperand(unsigned operandBits, unsigned x, unsigned i) {
  unsigned warp = x / 32, lane = x % 32;
  switch (operandBits) {
  case 8:
    return {warp * 16 + lane / 4 + (i / 4 % 2) * 8,
            lane % 4 * 4 + i % 4 + i / 8 * 16};
  case 16:
    return {warp * 16 + lane / 4 + (i / 2 % 2) * 8,
            lane % 4 * 2 + i % 2 + i / 4 * 8};
  default:
    return {warp * 16 + lane / 4 + i % 2 * 8, lane % 4 + i / 2 * 4};
  }
}

} // namespace tilewright::figures
