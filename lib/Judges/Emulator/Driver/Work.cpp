// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Driver/Work.h"

#include "lib/Judges/Emulator/Driver/State.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace tilewright::emulator;
using namespace tilewright::emulator::driver;

bool driver::isDeviceRange(const GlobalMemory &memory, uint64_t address,
                           uint64_t bytes) {
  const Allocation *found = memory.find(address);
  if (!found || address < found->address)
    return false;
  uint64_t offset = address - found->address;
  return offset <= found->bytes && bytes <= found->bytes - offset;
}

static Status statusOf(Check check) {
  switch (check) {
  case Check::OutOfBounds:
    return illegalAddress;
  case Check::Misaligned:
    return misalignedAddress;
  default:
    return launchFailed;
  }
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

static void performOne(ContextState &context, const LaunchWork &work) {
  const LoadedFunction &function = *work.function;
  LaunchResult result =
      launch(*function.kernel, work.parameters, context.memory, work.options);
  std::fwrite(result.printed.data(), 1, result.printed.size(), stdout);
  std::fflush(stdout);
  for (const InstructionCounts &counts : result.counts)
    context.nanoseconds += counts.warps;
  for (const Fault &fault : result.faults)
    std::fprintf(stderr, "%s\n",
                 describe(fault, function.program->files()).c_str());
  if (!result.faults.empty())
    context.fault = statusOf(result.faults.front().check);
}

/// Copies within the device, and with the bytes whether they were written.
static void copyWithin(GlobalMemory &memory, const CopyWork &work) {
  Allocation *to = memory.find(work.to.address);
  Allocation *from = memory.find(work.from.address);
  uint64_t toOffset = work.to.address - to->address;
  uint64_t fromOffset = work.from.address - from->address;
  std::memmove(to->data.get() + toOffset, from->data.get() + fromOffset,
               work.bytes);
  std::memmove(to->written.get() + toOffset, from->written.get() + fromOffset,
               work.bytes);
}

/// A graph's copy may come after its memory was freed.
static void noteLostMemory(ContextState &context, uint64_t address) {
  std::fprintf(stderr,
               "expects a range inside an allocation for a copy or fill, but "
               "got address %llu\n",
               static_cast<unsigned long long>(address));
  context.fault = illegalAddress;
}

static void performOne(ContextState &context, const CopyWork &work) {
  GlobalMemory &memory = context.memory;
  for (const Place &place : {work.to, work.from})
    if (place.isOnDevice && !isDeviceRange(memory, place.address, work.bytes))
      return noteLostMemory(context, place.address);
  context.nanoseconds += (work.bytes + 31) / 32;
  auto host = [](const Place &place) {
    return reinterpret_cast<void *>(uintptr_t(place.address));
  };
  if (work.bytes == 0)
    return;
  if (work.to.isOnDevice && work.from.isOnDevice)
    copyWithin(memory, work);
  else if (work.to.isOnDevice)
    memory.write(work.to.address, host(work.from), work.bytes);
  else if (work.from.isOnDevice)
    memory.read(work.from.address, host(work.to), work.bytes);
  else
    std::memmove(host(work.to), host(work.from), work.bytes);
}

static void performOne(ContextState &context, const FillWork &work) {
  uint64_t bytes = work.count * work.width;
  if (!isDeviceRange(context.memory, work.address, bytes))
    return noteLostMemory(context, work.address);
  context.nanoseconds += (bytes + 31) / 32;
  if (bytes == 0)
    return;
  Allocation *allocation = context.memory.find(work.address);
  uint64_t offset = work.address - allocation->address;
  for (uint64_t i = 0; i < work.count; ++i)
    std::memcpy(allocation->data.get() + offset + i * work.width, &work.value,
                work.width);
  std::fill_n(allocation->written.get() + offset, bytes, uint8_t(1));
}

void driver::perform(ContextState &context, const Work &work) {
  if (context.fault)
    return;
  std::visit([&](const auto &one) { performOne(context, one); }, work);
}
