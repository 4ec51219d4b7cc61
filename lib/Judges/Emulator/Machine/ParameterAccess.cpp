// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves between registers and the parameters of calls.

#include "lib/Judges/Emulator/Machine/Call.h"
#include "lib/Judges/Emulator/Machine/MemoryAccess.h"

#include <algorithm>
#include <cstring>

using namespace tilewright::emulator;

void tilewright::emulator::forgetLocal(Warp &warp, uint32_t mask,
                                       const LocalPlace &place) {
  if (!place.bytes)
    return;
  for (; mask; mask &= mask - 1) {
    CheckedBytes &local = localMemory(warp, std::countr_zero(mask));
    std::memset(local.written.data() + place.offset, 0, place.bytes);
  }
}

void tilewright::emulator::storeLocal(Warp &warp, uint32_t mask,
                                      const Source &source,
                                      const LocalPlace &place) {
  uint32_t unknown = warp.undefinedLanes(source);
  for (; mask; mask &= mask - 1) {
    unsigned lane = std::countr_zero(mask);
    CheckedBytes &local = localMemory(warp, lane);
    storeRegister(warp, source, lane, local.data.data() + place.offset,
                  place.bytes);
    std::memset(local.written.data() + place.offset, ~unknown >> lane & 1,
                place.bytes);
  }
}

void tilewright::emulator::loadLocal(Warp &warp, uint32_t mask,
                                     const Destination &destination,
                                     const LocalPlace &place, bool isSigned) {
  uint32_t unknown = 0;
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    CheckedBytes &local = localMemory(warp, lane);
    loadRegister(warp, destination, lane, local.data.data() + place.offset,
                 place.bytes, isSigned);
    const uint8_t *written = local.written.data() + place.offset;
    bool isUnknown =
        std::find(written, written + place.bytes, 1) == written + place.bytes;
    unknown |= uint32_t(isUnknown) << lane;
  }
  warp.define(destination, mask, unknown);
}

static LocalPlace elementPlace(const Decoded &instruction, unsigned element) {
  return {uint32_t(instruction.address.offset) +
              element * instruction.elementBytes,
          instruction.elementBytes};
}

void tilewright::emulator::executeParameterLoad(Warp &warp,
                                                const Decoded &instruction,
                                                uint32_t mask) {
  for (unsigned i = 0; i < instruction.vectorElements; ++i)
    loadLocal(warp, mask, instruction.destinations[i],
              elementPlace(instruction, i), instruction.flags[0]);
}

void tilewright::emulator::executeParameterStore(Warp &warp,
                                                 const Decoded &instruction,
                                                 uint32_t mask) {
  for (unsigned i = 0; i < instruction.vectorElements; ++i)
    storeLocal(warp, mask, instruction.sources[i],
               elementPlace(instruction, i));
}
