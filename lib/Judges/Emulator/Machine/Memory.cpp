// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics (PTX ISA, "Data Movement": ld, st; "Parallel
// Synchronization": atom, red).

#include "lib/Judges/Emulator/Machine/AtomicOperation.h"
#include "lib/Judges/Emulator/Machine/Call.h"
#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/Lanes.h"
#include "lib/Judges/Emulator/Machine/MemoryAccess.h"
#include "lib/Judges/Emulator/Numeric/Numeric.h"

#include <cstring>

using namespace tilewright::emulator;

namespace {

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// In flags: [0] signed.
void executeLoad(Warp &warp, const Decoded &instruction, uint32_t mask) {
  mask = warp.requireDefined(instruction.address.base, mask, "an address");
  unsigned bytes = instruction.elementBytes;
  unsigned total = bytes * instruction.vectorElements;
  uint64_t addresses[warpSize];
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    addresses[lane] = getAddress(warp, instruction, lane);
    MemoryPlace place =
        accessMemory(warp, lane, instruction.space, addresses[lane], total,
                     total, AccessKind::Load);
    static const uint8_t nothing[32] = {};
    const uint8_t *data = place.data ? place.data : nothing;
    for (unsigned i = 0; i < instruction.vectorElements; ++i)
      loadRegister(warp, instruction.destinations[i], lane, data + i * bytes,
                   bytes, instruction.flags[0]);
  }
  countRequest(warp, instruction.space, addresses, mask, total);
  for (const Destination &destination : instruction.destinations)
    warp.define(destination, mask);
}

void executeStore(Warp &warp, const Decoded &instruction, uint32_t mask) {
  mask = warp.requireDefined(instruction.address.base, mask, "an address");
  for (const Source &source : instruction.sources)
    mask = warp.requireDefined(source, mask, "what is stored");
  unsigned bytes = instruction.elementBytes;
  unsigned total = bytes * instruction.vectorElements;
  uint64_t addresses[warpSize];
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    addresses[lane] = getAddress(warp, instruction, lane);
    uint8_t content[32];
    for (unsigned i = 0; i < instruction.vectorElements; ++i)
      storeRegister(warp, instruction.sources[i], lane, content + i * bytes,
                    bytes);
    MemoryPlace place =
        accessMemory(warp, lane, instruction.space, addresses[lane], total,
                     total, AccessKind::Store, content);
    if (place.data)
      std::memcpy(place.data, content, total);
  }
  countRequest(warp, instruction.space, addresses, mask, total);
}

/// Hints and orders that change nothing here: every access is performed at
/// once.
void takeHints(DecodeContext &context) {
  while (context.takeOneOf({"relaxed",
                            "acquire",
                            "release",
                            "acq_rel",
                            "weak",
                            "volatile",
                            "cta",
                            "gpu",
                            "sys",
                            "cluster",
                            "ca",
                            "cg",
                            "cs",
                            "lu",
                            "cv",
                            "wb",
                            "wt",
                            "nc",
                            "mmio",
                            "L1::evict_normal",
                            "L1::evict_unchanged",
                            "L1::evict_first",
                            "L1::evict_last",
                            "L1::no_allocate",
                            "L2::evict_normal",
                            "L2::evict_first",
                            "L2::evict_last",
                            "L2::cache_hint",
                            "L2::64B",
                            "L2::128B",
                            "L2::256B",
                            "noftz"}))
    ;
}

StateSpace takeSpace(DecodeContext &context) {
  std::optional<unsigned> space =
      context.takeOneOf({"global", "shared", "shared::cta", "local", "param",
                         "param::entry", "param::func", "const"});
  constexpr StateSpace spaces[] = {StateSpace::Global,    StateSpace::Shared,
                                   StateSpace::Shared,    StateSpace::Local,
                                   StateSpace::Parameter, StateSpace::Parameter,
                                   StateSpace::Parameter, StateSpace::Global};
  return space ? spaces[*space] : StateSpace::Generic;
}

/// Reads what loads and stores have in common.
bool decodeAccess(DecodeContext &context, size_t addressIndex, DataType &type) {
  StateSpace space = takeSpace(context);
  takeHints(context);
  std::optional<unsigned> vector = context.takeOneOf({"v2", "v4", "v8"});
  std::optional<DataType> found = context.takeType();
  if (!found || *found == DataType::Predicate)
    return false;
  type = *found;
  Decoded &out = context.out;
  out.elementBytes = bitWidth(type) / 8;
  out.vectorElements = vector ? 2u << *vector : 1;
  unsigned total = out.elementBytes * out.vectorElements;
  if (total > 32 || (out.elementBytes == 16 && vector))
    return context.fail("expects at most 32 bytes, and 128-bit elements alone");
  if (!context.address(addressIndex, space))
    return false;
  const std::optional<LocalPlace> &variable = context.callParameter;
  uint64_t offset = variable ? out.address.offset - variable->offset : 0;
  if (variable && (offset > variable->bytes ||
                   total > variable->bytes - offset || offset % total != 0))
    return context.fail(
        "expects a place in the " + std::to_string(variable->bytes) +
        " bytes of a parameter, at a multiple of the " + std::to_string(total) +
        " bytes of the access, but "
        "got byte " +
        std::to_string(int64_t(offset)));
  return true;
}

bool decodeLoad(DecodeContext &context) {
  DataType type;
  if (!context.expectOperands(2, 3) || !decodeAccess(context, 1, type))
    return false;
  std::vector<const Operand *> elements = context.elements(0);
  if (elements.size() != context.out.vectorElements)
    return false;
  for (const Operand *element : elements)
    if (!context.wideDestination(*element, std::max(16u, bitWidth(type))))
      return false;
  context.out.flags[0] =
      type == DataType::S8 || type == DataType::S16 || type == DataType::S32;
  context.out.execute =
      context.callParameter ? executeParameterLoad : executeLoad;
  return true;
}

bool decodeStore(DecodeContext &context) {
  DataType type;
  if (!context.expectOperands(2, 3) || !decodeAccess(context, 0, type))
    return false;
  std::vector<const Operand *> elements = context.elements(1);
  if (elements.size() != context.out.vectorElements)
    return false;
  for (const Operand *element : elements) {
    unsigned held;
    if (!context.wideSource(*element, std::max(16u, bitWidth(type)), held))
      return false;
  }
  context.out.execute =
      context.callParameter ? executeParameterStore : executeStore;
  return true;
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

/// One element of one lane: updates memory, and says what was there.
uint64_t updateElement(Warp &warp, const Decoded &instruction, unsigned lane,
                       unsigned element, uint64_t address) {
  unsigned bytes = instruction.elementBytes;
  auto read = [&](size_t index) -> uint64_t {
    if (index >= instruction.sources.size())
      return 0;
    const Source &source = instruction.sources[index];
    return instruction.flags[2] ? warp.read<uint64_t>(source)[lane]
                                : warp.read<uint32_t>(source)[lane];
  };
  // The whole vector must be aligned, which its first element tells.
  unsigned alignment =
      element == 0 ? bytes * instruction.vectorElements : bytes;
  MemoryPlace place = accessMemory(warp, lane, instruction.space, address,
                                   bytes, alignment, AccessKind::Atomic);
  uint64_t old = place.data ? loadElement(place.data, bytes, false) : 0;
  uint64_t value =
      combineAtomically(static_cast<AtomicOperation>(instruction.flags[0]),
                        static_cast<DataType>(instruction.flags[1]), old,
                        read(element), read(element + 1));
  if (place.data)
    std::memcpy(place.data, &value, bytes);
  return old;
}

/// In flags: [0] the operation, [1] the type, [2] wide words.
void executeAtomic(Warp &warp, const Decoded &instruction, uint32_t mask) {
  mask = warp.requireDefined(instruction.address.base, mask, "an address");
  for (const Source &source : instruction.sources)
    mask = warp.requireDefined(source, mask, "an operand of an atomic");
  unsigned bytes = instruction.elementBytes;
  unsigned count = instruction.vectorElements;
  uint64_t addresses[warpSize];
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    addresses[lane] = getAddress(warp, instruction, lane);
    for (unsigned element = 0; element < count; ++element) {
      uint64_t old = updateElement(warp, instruction, lane, element,
                                   addresses[lane] + element * bytes);
      if (!instruction.destinations.empty())
        writeRegister(warp, instruction.destinations[element], lane, old);
    }
  }
  countRequest(warp, instruction.space, addresses, mask, bytes * count);
  for (const Destination &destination : instruction.destinations)
    warp.define(destination, mask);
}

/// Reads what add of several floats has for an operand (PTX ISA, atom,
/// ".vec_32_bit"): as many registers.
bool decodeAtomicVector(DecodeContext &context, size_t operand, bool isResult) {
  std::vector<const Operand *> elements = context.elements(operand);
  if (elements.size() != context.out.vectorElements)
    return false;
  unsigned bits = 8 * context.out.elementBytes;
  for (const Operand *element : elements)
    if (isResult ? !context.destination(*element, bits)
                 : !context.source(*element, bits))
      return false;
  return true;
}

bool decodeAtomic(DecodeContext &context) {
  bool hasResult = context.in.name == "atom";
  StateSpace space = takeSpace(context);
  takeHints(context);
  std::optional<unsigned> operation = context.takeOneOf(
      {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
  std::optional<unsigned> vector = context.takeOneOf({"v2", "v4", "v8"});
  std::optional<DataType> type = context.takeType();
  if (!operation || !type)
    return false;
  unsigned bits = bitWidth(*type), first = hasResult ? 1 : 0;
  unsigned count = vector ? 2u << *vector : 1;
  bool isSum = static_cast<AtomicOperation>(*operation) == AtomicOperation::Add;
  if (vector && (!isSum || !getAtomicFormat(*type) || bits * count > 128 ||
                 space != StateSpace::Global))
    return false;
  bool isSwap = static_cast<AtomicOperation>(*operation) ==
                AtomicOperation::CompareAndSwap;
  Decoded &out = context.out;
  out.flags[0] = *operation;
  out.flags[1] = static_cast<uint8_t>(*type);
  out.flags[2] = bits == 64;
  out.elementBytes = bits / 8;
  out.vectorElements = count;
  out.execute = executeAtomic;
  if (bits < 16 || bits > 64 ||
      !context.expectOperands(first + (isSwap ? 3 : 2), first + 4) ||
      !context.address(first, space) ||
      !decodeAtomicVector(context, first + 1, /*isResult=*/false) ||
      (isSwap && !context.source(first + 2, bits)))
    return false;
  return !hasResult || decodeAtomicVector(context, 0, /*isResult=*/true);
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

void executeNothing(Warp &, const Decoded &, uint32_t) {}

bool decodePrefetch(DecodeContext &context) {
  takeSpace(context);
  context.takeOneOf({"L1", "L2", "tensormap"});
  takeHints(context);
  context.out.execute = executeNothing;
  return true;
}

/// A policy is a word that only hints read.
void executeCachePolicy(Warp &warp, const Decoded &instruction, uint32_t mask) {
  auto *words = warp.write<uint64_t>(instruction.destinations[0]);
  forLanes(mask, [&](unsigned lane) { words[lane] = 0; });
  warp.define(instruction.destinations[0], mask);
}

bool decodeCachePolicy(DecodeContext &context) {
  const std::initializer_list<std::string_view> priorities = {
      "L2::evict_last", "L2::evict_normal", "L2::evict_first",
      "L2::evict_unchanged"};
  context.out.execute = executeCachePolicy;
  if (!context.take("fractional") || !context.takeOneOf(priorities) ||
      context.takeType() != DataType::B64 || !context.expectOperands(1, 2) ||
      !context.destination(0, 64))
    return false;
  // The priority of the rest of the fraction.
  context.takeOneOf(priorities);
  return context.in.operands.size() == 1 || context.source(1, 32);
}

} // namespace

Family tilewright::emulator::memoryFamily() {
  return {{"ld", decodeLoad},
          {"ldu", decodeLoad},
          {"st", decodeStore},
          {"atom", decodeAtomic},
          {"red", decodeAtomic},
          {"prefetch", decodePrefetch},
          {"prefetchu", decodePrefetch},
          {"createpolicy", decodeCachePolicy}};
}
