// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves, packing and unpacking of words, and addresses of state spaces (PTX
// ISA, "Data Movement": mov, cvta, isspacep).

#include "lib/Judges/Emulator/Machine/Cluster.h"
#include "lib/Judges/Emulator/Machine/Cta.h"
#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/Decoder.h"
#include "lib/Judges/Emulator/Machine/Lanes.h"
#include "lib/Judges/Emulator/Machine/MemoryAccess.h"

using namespace tilewright::emulator;

namespace {

template <typename T>
struct Same {
  T operator()(T a) const { return a; }
};

void executePredicateMove(Warp &warp, const Decoded &instruction,
                          uint32_t mask) {
  warp.writePredicate(instruction.destinations[0],
                      warp.readPredicate(instruction.sources[0]), mask);
  warp.define(instruction.destinations[0], mask,
              warp.undefinedLanes(instruction.sources[0]));
}

/// Several words to one, the first in the low bits. In flags: [0] the bits of a
/// part. Compilers pack registers that were never written where nobody will
/// look at the part: the result has a value if any part has one.
void executePack(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const Destination &destination = instruction.destinations[0];
  unsigned bits = instruction.flags[0];
  // A register that was never written holds more bits than its type has.
  uint32_t part = bits == 32 ? ~0u : (1u << bits) - 1;
  uint32_t unknown = allLanes;
  for (const Source &source : instruction.sources)
    unknown &= warp.undefinedLanes(source);
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    uint64_t word = 0;
    for (size_t i = 0; i < instruction.sources.size(); ++i)
      word |= uint64_t(warp.read<uint32_t>(instruction.sources[i])[lane] & part)
              << (i * bits);
    if (destination.bits == 64)
      warp.write<uint64_t>(destination)[lane] = word;
    else
      warp.write<uint32_t>(destination)[lane] = word;
  }
  warp.define(destination, mask, unknown);
}

void executeUnpack(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const Source &source = instruction.sources[0];
  unsigned bits = instruction.flags[0];
  bool isWide = instruction.flags[1];
  uint32_t part = bits == 32 ? ~0u : (1u << bits) - 1;
  for (size_t i = 0; i < instruction.destinations.size(); ++i) {
    const Destination &destination = instruction.destinations[i];
    uint32_t *d = warp.write<uint32_t>(destination);
    if (isWide) {
      const uint64_t *a = warp.read<uint64_t>(source);
      forLanes(mask, [&](unsigned lane) {
        d[lane] = uint32_t(a[lane] >> (i * bits)) & part;
      });
    } else {
      const uint32_t *a = warp.read<uint32_t>(source);
      forLanes(mask, [&](unsigned lane) {
        d[lane] = (a[lane] >> (i * bits)) & part;
      });
    }
    warp.define(destination, mask, warp.undefinedLanes(source));
  }
}

/// Clocks count the CTA's steps: they go on, and are the same in every run.
void executeClock(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const Destination &destination = instruction.destinations[0];
  uint64_t now = warp.cta.clock;
  forLanes(mask, [&](unsigned lane) {
    if (destination.bits == 64)
      warp.write<uint64_t>(destination)[lane] = now;
    else
      warp.write<uint32_t>(destination)[lane] = now;
  });
  warp.define(destination, mask);
}

bool decodePacking(DecodeContext &context, unsigned bits) {
  std::vector<const Operand *> parts = context.elements(1);
  if (parts.size() < 2 || bits % parts.size() || bits / parts.size() > 32)
    return false;
  unsigned part = bits / parts.size();
  context.out.flags[0] = part;
  context.out.execute = executePack;
  for (const Operand *operand : parts)
    if (!context.source(*operand, part))
      return false;
  return context.destination(0, bits);
}

bool decodeUnpacking(DecodeContext &context, unsigned bits) {
  std::vector<const Operand *> parts = context.elements(0);
  if (parts.size() < 2 || bits % parts.size() || bits / parts.size() > 32)
    return false;
  unsigned part = bits / parts.size();
  context.out.flags[0] = part;
  context.out.flags[1] = bits == 64;
  context.out.execute = executeUnpack;
  for (const Operand *operand : parts)
    if (!context.destination(*operand, part))
      return false;
  return context.source(1, bits);
}

/// Two words of 64 bits to one of 128 and back, and words of 128 bits: in lanes
/// of two words, the low one first. A result has a value if any part has one.
void executeWidePack(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const Destination &destination = instruction.destinations[0];
  auto *d = warp.write<uint64_t>(destination);
  uint32_t unknown = allLanes;
  for (size_t i = 0; i < 2; ++i) {
    const auto *part = warp.read<uint64_t>(instruction.sources[i]);
    forLanes(mask, [&](unsigned lane) { d[2 * lane + i] = part[lane]; });
    unknown &= warp.undefinedLanes(instruction.sources[i]);
  }
  warp.define(destination, mask, unknown);
}

void executeWideUnpack(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const auto *a = warp.read<uint64_t>(instruction.sources[0]);
  for (size_t i = 0; i < 2; ++i) {
    const Destination &destination = instruction.destinations[i];
    auto *part = warp.write<uint64_t>(destination);
    forLanes(mask, [&](unsigned lane) { part[lane] = a[2 * lane + i]; });
    warp.define(destination, mask, warp.undefinedLanes(instruction.sources[0]));
  }
}

void executeWideMove(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const auto *a = warp.read<uint64_t>(instruction.sources[0]);
  auto *d = warp.write<uint64_t>(instruction.destinations[0]);
  forLanes(mask, [&](unsigned lane) {
    d[2 * lane] = a[2 * lane];
    d[2 * lane + 1] = a[2 * lane + 1];
  });
  warp.define(instruction.destinations[0], mask,
              warp.undefinedLanes(instruction.sources[0]));
}

bool isVector(const Operand &operand) {
  return std::holds_alternative<VectorOperand>(operand.value);
}

bool decodeWideMove(DecodeContext &context) {
  std::vector<const Operand *> from = context.elements(1);
  std::vector<const Operand *> to = context.elements(0);
  if (from.size() > 2 || to.size() > 2 || from.size() + to.size() > 3)
    return false;
  context.out.execute = from.size() == 2 ? executeWidePack
                        : to.size() == 2 ? executeWideUnpack
                                         : executeWideMove;
  for (const Operand *operand : from)
    if (!context.source(*operand, 128 / from.size()))
      return false;
  for (const Operand *operand : to)
    if (!context.destination(*operand, 128 / to.size()))
      return false;
  return true;
}

/// The address of a variable in shared memory. In a cluster it says whose it is
/// (on an H200 bits from 24 on are the CTA's rank): who makes an offset of it
/// has to take that off.
template <typename Word>
void executeSharedAddress(Warp &warp, const Decoded &instruction,
                          uint32_t mask) {
  const Word *a = warp.read<Word>(instruction.sources[0]);
  Word *d = warp.write<Word>(instruction.destinations[0]);
  bool isAlone = warp.cta.cluster.ctas.size() == 1;
  Word owner = isAlone ? 0 : Word(warp.cta.rank + 1) << clusterShift;
  forLanes(mask, [&](unsigned lane) { d[lane] = a[lane] | owner; });
  warp.define(instruction.destinations[0], mask,
              warp.undefinedLanes(instruction.sources[0]));
}

bool decodeMove(DecodeContext &context) {
  std::optional<DataType> type = context.takeType();
  if (!type || !context.expectOperands(2))
    return false;
  unsigned bits = bitWidth(*type);
  if (bits == 128)
    return decodeWideMove(context);
  if (bits == 8)
    return false;
  if (isVector(context.in.operands[1]))
    return decodePacking(context, bits);
  if (isVector(context.in.operands[0]))
    return decodeUnpacking(context, bits);
  const auto *special =
      std::get_if<SpecialRegisterOperand>(&context.in.operands[1].value);
  if (special &&
      (special->name == "clock" || special->name == "clock64" ||
       special->name == "clock_hi" || special->name == "globaltimer")) {
    context.out.execute = executeClock;
    return context.destination(0, bits);
  }
  const auto *symbol =
      std::get_if<SymbolOperand>(&context.in.operands[1].value);
  if (symbol && bits >= 32 && context.decoder.getSharedAddress(symbol->name)) {
    context.out.execute = bits == 64 ? executeSharedAddress<uint64_t>
                                     : executeSharedAddress<uint32_t>;
    return context.destination(0, bits) && context.source(1, bits);
  }
  context.out.execute = bits == 1 ? executePredicateMove
                        : bits == 64
                            ? executeUnary<uint64_t, uint64_t, Same<uint64_t>>
                            : executeUnary<uint32_t, uint32_t, Same<uint32_t>>;
  return context.destination(0, bits) && context.source(1, bits);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Global and constant variables have their generic addresses.
std::optional<uint64_t> takeWindow(DecodeContext &context) {
  std::optional<unsigned> space = context.takeOneOf(
      {"shared", "shared::cta", "local", "param", "global", "const"});
  constexpr uint64_t windows[] = {
      sharedWindow, sharedWindow, localWindow, parameterWindow, 0, 0};
  if (!space)
    return std::nullopt;
  return windows[*space];
}

/// a + address.offset.
void executeOffset(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const uint64_t *a = warp.read<uint64_t>(instruction.sources[0]);
  uint64_t *d = warp.write<uint64_t>(instruction.destinations[0]);
  uint64_t offset = instruction.address.offset;
  forLanes(mask, [&](unsigned lane) { d[lane] = a[lane] + offset; });
  warp.define(instruction.destinations[0], mask,
              warp.undefinedLanes(instruction.sources[0]));
}

bool decodeAddressConversion(DecodeContext &context) {
  bool isToSpace = context.take("to");
  std::optional<uint64_t> window = takeWindow(context);
  std::optional<DataType> type = context.takeType();
  if (!window || !type || bitWidth(*type) != 64)
    return false;
  context.out.address.offset = isToSpace ? -int64_t(*window) : *window;
  context.out.execute = executeOffset;
  return context.expectOperands(2) && context.destination(0, 64) &&
         context.source(1, 64);
}

void executeIsInSpace(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const uint64_t *a = warp.read<uint64_t>(instruction.sources[0]);
  uint64_t window = instruction.address.offset;
  uint32_t result = 0;
  forLanes(mask, [&](unsigned lane) {
    bool isInWindow = window ? a[lane] - window < windowBytes
                             : warp.cta.memory.find(a[lane]) != nullptr;
    result |= uint32_t(isInWindow) << lane;
  });
  warp.writePredicate(instruction.destinations[0], result, mask);
  warp.define(instruction.destinations[0], mask,
              warp.undefinedLanes(instruction.sources[0]));
}

bool decodeIsInSpace(DecodeContext &context) {
  std::optional<uint64_t> window = takeWindow(context);
  if (!window)
    return false;
  context.out.address.offset = *window;
  context.out.execute = executeIsInSpace;
  return context.expectOperands(2) && context.destination(0, 1) &&
         context.source(1, 64);
}

//===----------------------------------------------------------------------===//
// Shared memory of a cluster
//===----------------------------------------------------------------------===//

/// mapa: the same place in the CTA of a rank. In flags: [0] words have 64 bits.
/// Generic addresses keep their window.
void executeMap(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const uint32_t *ranks = warp.read<uint32_t>(instruction.sources[1]);
  auto map = [&](uint64_t address, uint32_t rank) {
    return (address & ~(windowBytes - 1)) | (address & clusterMask) |
           uint64_t(rank + 1) << clusterShift;
  };
  forLanes(mask, [&](unsigned lane) {
    if (instruction.flags[0])
      warp.write<uint64_t>(instruction.destinations[0])[lane] =
          map(warp.read<uint64_t>(instruction.sources[0])[lane], ranks[lane]);
    else
      warp.write<uint32_t>(instruction.destinations[0])[lane] =
          map(warp.read<uint32_t>(instruction.sources[0])[lane], ranks[lane]);
  });
  warp.define(instruction.destinations[0], mask,
              warp.undefinedLanes(instruction));
}

bool decodeMap(DecodeContext &context) {
  context.take("shared::cluster");
  bool isWide = context.take("u64");
  context.out.flags[0] = isWide;
  context.out.execute = executeMap;
  unsigned bits = isWide ? 64 : 32;
  return (isWide || context.take("u32")) && context.expectOperands(3) &&
         context.destination(0, bits) && context.source(1, bits) &&
         context.source(2, 32);
}

/// getctarank. In flags: [0] the address has 64 bits.
void executeRank(Warp &warp, const Decoded &instruction, uint32_t mask) {
  uint32_t *d = warp.write<uint32_t>(instruction.destinations[0]);
  forLanes(mask, [&](unsigned lane) {
    uint64_t address = instruction.flags[0]
                           ? warp.read<uint64_t>(instruction.sources[0])[lane]
                           : warp.read<uint32_t>(instruction.sources[0])[lane];
    uint64_t rank = (address & (windowBytes - 1)) >> clusterShift;
    d[lane] = rank ? rank - 1 : warp.cta.rank;
  });
  warp.define(instruction.destinations[0], mask,
              warp.undefinedLanes(instruction));
}

bool decodeRank(DecodeContext &context) {
  context.take("shared::cluster");
  bool isWide = context.take("u64");
  context.out.flags[0] = isWide;
  context.out.execute = executeRank;
  return (isWide || context.take("u32")) && context.expectOperands(2) &&
         context.destination(0, 32) && context.source(1, isWide ? 64 : 32);
}

} // namespace

Family tilewright::emulator::moveFamily() {
  return {{"mov", decodeMove},
          {"cvta", decodeAddressConversion},
          {"mapa", decodeMap},
          {"getctarank", decodeRank},
          {"isspacep", decodeIsInSpace}};
}
