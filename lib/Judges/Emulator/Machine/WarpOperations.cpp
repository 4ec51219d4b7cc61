// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lanes of a warp do together (PTX ISA: shfl, vote, match, redux,
// activemask, elect, bar.warp.sync).

#include "lib/Judges/Emulator/Machine/Cta.h"
#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/Lanes.h"

#include <algorithm>

using namespace tilewright::emulator;

namespace {

/// The lanes named by the member mask, which must be those that execute.
/// Reports others.
bool checkMembers(Warp &warp, const Source &members, uint32_t mask) {
  mask = warp.requireDefined(members, mask, "a member mask");
  const uint32_t *lanes = warp.read<uint32_t>(members);
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    uint32_t expected = lanes[lane] & warp.live;
    if (expected == mask)
      continue;
    warp.report(Check::Divergence,
                expected & ~mask
                    ? "expects every lane of its member mask, but some are "
                      "elsewhere"
                    : "expects a member mask with every lane that executes it",
                expected & ~mask ? expected & ~mask : mask & ~expected);
    return false;
  }
  return mask != 0;
}

/// Of what lanes execute together this alone orders their accesses (PTX ISA,
/// "bar.warp.sync": memory ordering among participating threads).
void executeSynchronization(Warp &warp, const Decoded &instruction,
                            uint32_t mask) {
  if (checkMembers(warp, instruction.sources[0], mask) && mask == warp.live)
    warp.cta.order.synchronizeWarp(warp.party);
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

enum class Shuffle : uint8_t { Up, Down, Butterfly, Index };

/// PTX ISA, shfl.sync: the lane read, and whether it is in range.
bool findShuffleLane(Shuffle mode, unsigned lane, uint32_t b, uint32_t c,
                     unsigned &from) {
  int clamp = c & 31, segment = c >> 8 & 31, offset = b & 31;
  int least = lane & segment, most = least | (clamp & ~segment);
  int source = 0;
  bool inRange = false;
  switch (mode) {
  case Shuffle::Up:
    source = int(lane) - offset;
    inRange = source >= most;
    break;
  case Shuffle::Down:
    source = int(lane) + offset;
    inRange = source <= most;
    break;
  case Shuffle::Butterfly:
    source = int(lane) ^ offset;
    inRange = source <= most;
    break;
  case Shuffle::Index:
    source = least | (offset & ~segment);
    inRange = source <= most;
    break;
  }
  from = inRange ? source : lane;
  return inRange;
}

void executeShuffle(Warp &warp, const Decoded &instruction, uint32_t mask) {
  if (!checkMembers(warp, instruction.sources[3], mask))
    return;
  const uint32_t *a = warp.read<uint32_t>(instruction.sources[0]);
  const uint32_t *b = warp.read<uint32_t>(instruction.sources[1]);
  const uint32_t *c = warp.read<uint32_t>(instruction.sources[2]);
  uint32_t unknown = warp.undefinedLanes(instruction.sources[0]);
  uint32_t results[warpSize], inRange = 0, undefined = 0, absent = 0;
  forLanes(mask, [&](unsigned lane) {
    unsigned from;
    inRange |=
        uint32_t(findShuffleLane(static_cast<Shuffle>(instruction.flags[0]),
                                 lane, b[lane], c[lane], from))
        << lane;
    results[lane] = a[from];
    undefined |= (unknown >> from & 1) << lane;
    absent |= (~mask >> from & 1) << lane;
  });
  if (absent)
    warp.report(Check::Divergence,
                "expects the lane that it reads to take part, but it does not",
                absent);
  uint32_t *d = warp.write<uint32_t>(instruction.destinations[0]);
  forLanes(mask, [&](unsigned lane) { d[lane] = results[lane]; });
  warp.define(instruction.destinations[0], mask, undefined);
  if (instruction.destinations.size() > 1) {
    warp.writePredicate(instruction.destinations[1], inRange, mask);
    warp.define(instruction.destinations[1], mask);
  }
}

/// `d` or `d|p`.
bool decodeResults(DecodeContext &context, unsigned bits) {
  if (context.in.operands.empty())
    return false;
  const auto *pair = std::get_if<PairOperand>(&context.in.operands[0].value);
  if (!pair)
    return context.destination(0, bits);
  return pair->elements.size() == 2 &&
         context.destination(pair->elements[0], bits) &&
         context.destination(pair->elements[1], 1);
}

bool decodeShuffle(DecodeContext &context) {
  bool isSync = context.take("sync");
  std::optional<unsigned> mode =
      context.takeOneOf({"up", "down", "bfly", "idx"});
  if (!isSync || !mode || !context.take("b32") || !context.expectOperands(5) ||
      !decodeResults(context, 32))
    return false;
  context.out.flags[0] = *mode;
  context.out.execute = executeShuffle;
  return context.source(1, 32) && context.source(2, 32) &&
         context.source(3, 32) && context.source(4, 32);
}

//===----------------------------------------------------------------------===//
// Votes
//===----------------------------------------------------------------------===//

enum class Vote : uint8_t { All, Any, Uniform, Ballot };

void executeVote(Warp &warp, const Decoded &instruction, uint32_t mask) {
  if (!checkMembers(warp, instruction.sources[1], mask) ||
      warp.requireDefined(instruction.sources[0], mask, "a vote") != mask)
    return;
  uint32_t votes = warp.readPredicate(instruction.sources[0]) & mask;
  const Destination &destination = instruction.destinations[0];
  bool result = false;
  switch (static_cast<Vote>(instruction.flags[0])) {
  case Vote::All:
    result = votes == mask;
    break;
  case Vote::Any:
    result = votes != 0;
    break;
  case Vote::Uniform:
    result = votes == mask || votes == 0;
    break;
  case Vote::Ballot: {
    uint32_t *d = warp.write<uint32_t>(destination);
    forLanes(mask, [&](unsigned lane) { d[lane] = votes; });
    return warp.define(destination, mask);
  }
  }
  warp.writePredicate(destination, result ? allLanes : 0, mask);
  warp.define(destination, mask);
}

bool decodeVote(DecodeContext &context) {
  bool isSync = context.take("sync");
  std::optional<unsigned> vote =
      context.takeOneOf({"all", "any", "uni", "ballot"});
  if (!isSync || !vote || !context.expectOperands(3))
    return false;
  bool isBallot = static_cast<Vote>(*vote) == Vote::Ballot;
  context.out.flags[0] = *vote;
  context.out.execute = executeVote;
  return context.take(isBallot ? "b32" : "pred") &&
         context.destination(0, isBallot ? 32 : 1) && context.source(1, 1) &&
         context.source(2, 32);
}

/// match.any: the lanes with one's own value; match.all: all lanes if they have
/// one value, else none.
template <typename Word>
void executeMatch(Warp &warp, const Decoded &instruction, uint32_t mask) {
  if (!checkMembers(warp, instruction.sources[1], mask) ||
      warp.requireDefined(instruction.sources[0], mask, "a match") != mask)
    return;
  const Word *a = warp.read<Word>(instruction.sources[0]);
  uint32_t results[warpSize] = {};
  forLanes(mask, [&](unsigned lane) {
    for (uint32_t left = mask; left; left &= left - 1) {
      unsigned other = std::countr_zero(left);
      results[lane] |= uint32_t(a[other] == a[lane]) << other;
    }
  });
  uint32_t agree = 0;
  uint32_t *d = warp.write<uint32_t>(instruction.destinations[0]);
  forLanes(mask, [&](unsigned lane) {
    bool all = results[lane] == mask;
    agree |= uint32_t(all) << lane;
    d[lane] = instruction.flags[0] && !all ? 0 : results[lane];
  });
  warp.define(instruction.destinations[0], mask);
  if (instruction.destinations.size() > 1) {
    warp.writePredicate(instruction.destinations[1], agree, mask);
    warp.define(instruction.destinations[1], mask);
  }
}

bool decodeMatch(DecodeContext &context) {
  std::optional<unsigned> kind = context.takeOneOf({"any", "all"});
  bool isSync = context.take("sync");
  std::optional<DataType> type = context.takeType();
  if (!kind || !isSync || !type || !context.expectOperands(3))
    return false;
  unsigned bits = bitWidth(*type);
  context.out.flags[0] = *kind;
  context.out.execute =
      bits == 64 ? executeMatch<uint64_t> : executeMatch<uint32_t>;
  return (bits == 32 || bits == 64) && decodeResults(context, 32) &&
         context.source(1, bits) && context.source(2, 32);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

enum class Reduction : uint8_t { Add, Min, Max, And, Or, Xor };

uint32_t reduce(Reduction operation, bool isSigned, uint32_t a, uint32_t b) {
  auto less = [&] { return isSigned ? int32_t(a) < int32_t(b) : a < b; };
  switch (operation) {
  case Reduction::Add:
    return a + b;
  case Reduction::Min:
    return less() ? a : b;
  case Reduction::Max:
    return less() ? b : a;
  case Reduction::And:
    return a & b;
  case Reduction::Or:
    return a | b;
  case Reduction::Xor:
    return a ^ b;
  }
  return a;
}

void executeReduction(Warp &warp, const Decoded &instruction, uint32_t mask) {
  if (!checkMembers(warp, instruction.sources[1], mask) ||
      warp.requireDefined(instruction.sources[0], mask, "a reduction") != mask)
    return;
  const uint32_t *a = warp.read<uint32_t>(instruction.sources[0]);
  uint32_t result = a[std::countr_zero(mask)];
  for (uint32_t left = mask & (mask - 1); left; left &= left - 1)
    result = reduce(static_cast<Reduction>(instruction.flags[0]),
                    instruction.flags[1], result, a[std::countr_zero(left)]);
  uint32_t *d = warp.write<uint32_t>(instruction.destinations[0]);
  forLanes(mask, [&](unsigned lane) { d[lane] = result; });
  warp.define(instruction.destinations[0], mask);
}

bool decodeReduction(DecodeContext &context) {
  bool isSync = context.take("sync");
  std::optional<unsigned> operation =
      context.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  std::optional<DataType> type = context.takeType();
  if (!isSync || !operation || !type || !context.expectOperands(3))
    return false;
  context.out.flags[0] = *operation;
  context.out.flags[1] = *type == DataType::S32;
  context.out.execute = executeReduction;
  return bitWidth(*type) == 32 && *type != DataType::F32 &&
         context.destination(0, 32) && context.source(1, 32) &&
         context.source(2, 32);
}

void executeActiveMask(Warp &warp, const Decoded &instruction, uint32_t mask) {
  uint32_t *d = warp.write<uint32_t>(instruction.destinations[0]);
  forLanes(mask, [&](unsigned lane) { d[lane] = mask; });
  warp.define(instruction.destinations[0], mask);
}

bool decodeActiveMask(DecodeContext &context) {
  context.out.execute = executeActiveMask;
  return context.take("b32") && context.expectOperands(1) &&
         context.destination(0, 32);
}

/// elect.sync d|p: the lowest member.
void executeElect(Warp &warp, const Decoded &instruction, uint32_t mask) {
  if (!checkMembers(warp, instruction.sources[0], mask))
    return;
  unsigned leader = std::countr_zero(mask);
  uint32_t *d = warp.write<uint32_t>(instruction.destinations[0]);
  forLanes(mask, [&](unsigned lane) { d[lane] = leader; });
  warp.define(instruction.destinations[0], mask);
  warp.writePredicate(instruction.destinations[1], 1u << leader, mask);
  warp.define(instruction.destinations[1], mask);
}

bool decodeElect(DecodeContext &context) {
  context.out.execute = executeElect;
  return context.take("sync") && context.expectOperands(2) &&
         decodeResults(context, 32) && context.out.destinations.size() == 2 &&
         context.source(1, 32);
}

} // namespace

bool tilewright::emulator::decodeWarpSynchronization(DecodeContext &context) {
  context.out.execute = executeSynchronization;
  return true;
}

Family tilewright::emulator::warpFamily() {
  return {{"shfl", decodeShuffle, true}, {"vote", decodeVote, true},
          {"match", decodeMatch, true},  {"redux", decodeReduction, true},
          {"elect", decodeElect, true},  {"activemask", decodeActiveMask}};
}
