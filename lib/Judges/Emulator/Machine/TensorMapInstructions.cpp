// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How kernels make tensor maps themselves (PTX ISA, "Data Movement:
// tensormap.replace", "Parallel Synchronization: tensormap.cp_fenceproxy",
// "membar/fence": fence.proxy.tensormap::generic).

#include "lib/Judges/Emulator/Machine/Decode.h"
#include "lib/Judges/Emulator/Machine/TensorMapAccess.h"
#include "lib/Judges/Emulator/Machine/TensorMapObject.h"

using namespace tilewright::emulator;

namespace {

//===----------------------------------------------------------------------===//
// tensormap.replace
//===----------------------------------------------------------------------===//

/// A lane reads the object and writes it back: one weak access of all its
/// bytes. Whether it has changed one in global memory; what it refuses is
/// reported.
bool replaceField(Warp &warp, const Decoded &instruction, unsigned lane,
                  TensorMapField field, uint64_t value) {
  uint64_t address = getAddress(warp, instruction, lane);
  MemoryPlace place =
      accessTensorMap(warp, lane, instruction.space, address, AccessKind::Load);
  if (!place.data)
    return false;
  bool isOwnShared =
      place.space == StateSpace::Shared && place.owner == &warp.cta;
  uint8_t object[TensorMap::bytes];
  std::memcpy(object, place.data, sizeof(object));
  std::string problem =
      place.space == StateSpace::Global || isOwnShared
          ? replaceTensorMapField(object, field, instruction.flags[1], value)
          : "expects a tensor map in global memory or the CTA's shared memory, "
            "but got another space";
  if (!problem.empty()) {
    warp.report(Check::Execution, std::move(problem), 1u << lane);
    return false;
  }
  accessTensorMap(warp, lane, instruction.space, address, AccessKind::Store,
                  object);
  std::memcpy(place.data, object, sizeof(object));
  return place.space == StateSpace::Global;
}

/// In flags: [0] the field, [1] its dimension.
void executeReplace(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const Source &source = instruction.sources[0];
  mask = warp.requireDefined(instruction.address.base, mask, "an address");
  mask = warp.requireDefined(source, mask, "a field of a tensor map");
  auto field = static_cast<TensorMapField>(instruction.flags[0]);
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    uint64_t value = instruction.elementBytes == 8
                         ? warp.read<uint64_t>(source)[lane]
                         : warp.read<uint32_t>(source)[lane];
    // Ranks are counted from 0.
    if (field == TensorMapField::Rank)
      value = uint32_t(value + 1);
    if (replaceField(warp, instruction, lane, field, value))
      warp.cta.tensorMapFences.write(warp.cta.order, accessorOf(warp, lane),
                                     getAddress(warp, instruction, lane),
                                     /*isReleased=*/false);
  }
}

/// Adds the value of a field that must be a number in the instruction: PTX's,
/// as the driver's enumerations have it (PTX ISA, "Tensormap new_val
/// validity"). What sm_90 does not have is refused, as ptxas does.
bool decodeEnumeration(DecodeContext &context, TensorMapField field) {
  const auto *number =
      context.in.operands.size() == 2
          ? std::get_if<IntegerOperand>(&context.in.operands[1].value)
          : nullptr;
  if (!number)
    return context.fail("expects a number for this field");
  // .u8 .u16 .u32 .s32 .u64 .s64 .f16 .f32 .f32.ftz .f64 .bf16 .tf32 .tf32.ftz
  // as CUtensorMapDataType.
  constexpr uint8_t types[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12};
  uint64_t count = field == TensorMapField::DataType     ? std::size(types)
                   : field == TensorMapField::Interleave ? 3
                   : field == TensorMapField::Swizzle    ? 4
                                                         : 2;
  uint64_t value = number->bits;
  if (value >= count)
    return context.fail("expects a number from 0 to " +
                        std::to_string(count - 1) + " on sm_90, but got " +
                        std::to_string(value));
  Operand translated = context.in.operands[1];
  if (field == TensorMapField::DataType)
    std::get<IntegerOperand>(translated.value).bits = types[value];
  return context.source(translated, 32);
}

/// Reads the ordinal of a field that each dimension has; global_stride is that
/// of the next dimension.
bool decodeOrdinal(DecodeContext &context, TensorMapField field) {
  const auto *number =
      context.in.operands.size() == 3
          ? std::get_if<IntegerOperand>(&context.in.operands[1].value)
          : nullptr;
  unsigned count =
      TensorMap::maximumRank - (field == TensorMapField::Stride ? 1 : 0);
  if (!number || number->bits >= count)
    return context.fail("expects a number from 0 to " +
                        std::to_string(count - 1) + " for the dimension");
  context.out.flags[1] = number->bits;
  return true;
}

bool decodeReplace(DecodeContext &context) {
  if (!context.take("tile"))
    return false;
  std::optional<unsigned> index = context.takeOneOf(tensorMapFieldNames);
  if (!index)
    return false;
  auto field = static_cast<TensorMapField>(*index);
  bool isWide =
      field == TensorMapField::Address || field == TensorMapField::Stride;
  StateSpace space = context.take("global")        ? StateSpace::Global
                     : context.take("shared::cta") ? StateSpace::Shared
                                                   : StateSpace::Generic;
  context.out.execute = executeReplace;
  context.out.flags[0] = *index;
  context.out.elementBytes = isWide ? 8 : 4;
  if (!context.take("b1024") || !context.take(isWide ? "b64" : "b32") ||
      !context.address(0, space))
    return false;
  unsigned bits = isWide ? 64 : 32;
  if (field >= TensorMapField::Box)
    return decodeOrdinal(context, field) && context.source(2, bits);
  if (field >= TensorMapField::DataType)
    return decodeEnumeration(context, field);
  return context.expectOperands(2) && context.source(1, bits);
}

//===----------------------------------------------------------------------===//
// tensormap.cp_fenceproxy
//===----------------------------------------------------------------------===//

struct CopyDetails {
  AddressSource destination, source;
};

/// Whether all lanes of the warp have come, with one address each.
bool checkTogether(Warp &warp, const CopyDetails &details, uint32_t mask) {
  if (mask != allLanes) {
    warp.report(Check::Divergence,
                "expects all lanes of the warp, but some are elsewhere", ~mask);
    return false;
  }
  for (const AddressSource *address : {&details.destination, &details.source}) {
    if (warp.requireDefined(address->base, mask, "an address") != allLanes)
      return false;
    for (unsigned lane = 1; lane < warpSize; ++lane) {
      if (getAddress(warp, *address, lane) == getAddress(warp, *address, 0))
        continue;
      warp.report(Check::Divergence,
                  "expects the same addresses in all lanes of the warp",
                  1u << lane);
      return false;
    }
  }
  return true;
}

/// Each lane copies 4 bytes, as a GPU's do (so ptxas of CUDA 13.0 has it). What
/// follows is behind it for all lanes.
void executeCopy(Warp &warp, const Decoded &instruction, uint32_t mask) {
  const auto &details =
      *static_cast<const CopyDetails *>(instruction.details.get());
  if (!checkTogether(warp, details, mask))
    return;
  uint64_t to = getAddress(warp, details.destination, 0);
  uint64_t from = getAddress(warp, details.source, 0);
  for (uint64_t address : {to, from})
    if (address % TensorMap::alignment)
      return warp.report(Check::Misaligned,
                         "expects addresses that are multiples of " +
                             std::to_string(TensorMap::alignment) +
                             ", but got " + std::to_string(address),
                         1);
  constexpr unsigned part = TensorMap::bytes / warpSize;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    MemoryPlace source =
        accessMemory(warp, lane, StateSpace::Shared, from + lane * part, part,
                     part, AccessKind::Load);
    if (!source.data)
      return;
    MemoryPlace destination =
        accessMemory(warp, lane, StateSpace::Global, to + lane * part, part,
                     part, AccessKind::Store, source.data);
    if (!destination.data)
      return;
    std::memcpy(destination.data, source.data, part);
  }
  warp.cta.tensorMapFences.write(warp.cta.order, accessorOf(warp, 0), to,
                                 /*isReleased=*/true);
  warp.cta.order.synchronizeWarp(warp.party);
}

/// What follows an address must be this number of bytes.
bool checkSize(DecodeContext &context, size_t index) {
  const auto *number =
      context.expectOperands(index + 1)
          ? std::get_if<IntegerOperand>(&context.in.operands[index].value)
          : nullptr;
  return number && number->bits == TensorMap::bytes;
}

bool takeScope(DecodeContext &context) {
  return context.takeOneOf({"cta", "cluster", "gpu", "sys"}).has_value();
}

bool decodeCopy(DecodeContext &context) {
  auto details = std::make_shared<CopyDetails>();
  context.out.isCollective = true;
  context.out.execute = executeCopy;
  if (!context.take("global") || !context.take("shared::cta") ||
      !context.take("tensormap::generic") || !context.take("release") ||
      !takeScope(context) || !context.take("sync") ||
      !context.take("aligned") || !checkSize(context, 2) ||
      !context.address(0, StateSpace::Global))
    return false;
  details->destination = context.out.address;
  context.out.address = AddressSource();
  if (!context.address(1, StateSpace::Shared))
    return false;
  details->source = context.out.address;
  context.out.details = std::move(details);
  return true;
}

bool decodeInstruction(DecodeContext &context) {
  return context.take("cp_fenceproxy") ? decodeCopy(context)
         : context.take("replace")     ? decodeReplace(context)
                                       : false;
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

void executeRelease(Warp &warp, const Decoded &, uint32_t mask) {
  for (uint32_t left = mask; left; left &= left - 1)
    warp.cta.tensorMapFences.release(accessorOf(warp, std::countr_zero(left)));
}

/// It accesses nothing, but its range must be in global memory.
void executeAcquire(Warp &warp, const Decoded &instruction, uint32_t mask) {
  mask = warp.requireDefined(instruction.address.base, mask, "an address");
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned lane = std::countr_zero(left);
    uint64_t address = getAddress(warp, instruction, lane);
    uint8_t object[TensorMap::bytes];
    if (!warp.cta.memory.read(address, object, sizeof(object)))
      warp.report(Check::OutOfBounds,
                  "expects 128 bytes of global memory to acquire, but got " +
                      std::to_string(address),
                  1u << lane);
    else if (address % TensorMap::alignment)
      warp.report(Check::Misaligned,
                  "expects an address that is a multiple of " +
                      std::to_string(TensorMap::alignment) + ", but got " +
                      std::to_string(address),
                  1u << lane);
    else
      warp.cta.tensorMapFences.acquire(warp.cta.order, accessorOf(warp, lane),
                                       address);
  }
}

} // namespace

bool tilewright::emulator::decodeTensorMapFence(DecodeContext &context) {
  bool isRelease = context.take("release");
  if ((!isRelease && !context.take("acquire")) || !takeScope(context))
    return false;
  context.out.execute = isRelease ? executeRelease : executeAcquire;
  if (isRelease)
    return context.expectOperands(0);
  return checkSize(context, 1) && context.address(0, StateSpace::Generic);
}

Family tilewright::emulator::tensorMapFamily() {
  return {{"tensormap", decodeInstruction}};
}
