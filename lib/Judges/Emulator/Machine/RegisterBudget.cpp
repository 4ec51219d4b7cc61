// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/RegisterBudget.h"

#include "lib/Judges/Emulator/Machine/Cta.h"

#include <algorithm>

using namespace tilewright::emulator;

uint32_t tilewright::emulator::registersAtEntry(const Kernel &kernel) {
  constexpr uint32_t ofSm = 65536, mostOfThread = 255;
  if (kernel.maximumRegisters)
    return kernel.maximumRegisters;
  const uint32_t *sizes = kernel.requiredThreads[0] ? kernel.requiredThreads
                                                    : kernel.maximumThreads;
  uint64_t threads = 1;
  for (unsigned axis = 0; axis < 3; ++axis)
    threads *= std::max(1u, sizes[axis]);
  if (sizes[0] == 0 || threads > ofSm)
    return 0;
  return std::min<uint32_t>(ofSm / threads / 8 * 8, mostOfThread / 8 * 8 + 8);
}

void tilewright::emulator::setRegisters(Warp &warp, uint32_t count,
                                        bool isDecrease) {
  Cta &cta = warp.cta;
  RegisterBudget &budget = cta.registerBudget;
  budget.ofWarp.resize(cta.warps.size());
  uint32_t &own = budget.ofWarp[warp.number];
  uint32_t before = own ? own : registersAtEntry(cta.kernel);
  if (before && (isDecrease ? count > before : count < before))
    warp.report(Check::Execution,
                "expects at " + std::string(isDecrease ? "most " : "least ") +
                    std::to_string(before) + " registers, but got " +
                    std::to_string(count),
                warp.live);
  own = count;
  budget.last = warp.current;
  if (!isDecrease)
    budget.lastIncrease = warp.current;
}

static void reportAt(Cta &cta, uint32_t instruction,
                     const std::string &message) {
  Fault fault;
  fault.instruction = instruction;
  fault.location = cta.kernel.locations[instruction];
  fault.source = cta.kernel.sources[instruction];
  fault.message = cta.kernel.names[instruction] + ": " + message;
  cta.report(std::move(fault));
}

/// Whether the warps of each group have asked for the same.
static bool agreeInGroups(const RegisterBudget &budget) {
  constexpr size_t warpsOfGroup = 4;
  for (size_t warp = 0; warp < budget.ofWarp.size(); ++warp)
    if (budget.ofWarp[warp] !=
        budget.ofWarp[warp / warpsOfGroup * warpsOfGroup])
      return false;
  return true;
}

void tilewright::emulator::checkRegisterBudget(Cta &cta) {
  const RegisterBudget &budget = cta.registerBudget;
  if (budget.last == ~0u || !cta.checks(Check::Execution))
    return;
  if (!agreeInGroups(budget))
    return reportAt(cta, budget.last,
                    "expects the four warps of each warp group to ask "
                    "for the same number of registers");
  uint32_t atEntry = registersAtEntry(cta.kernel);
  if (!atEntry || budget.lastIncrease == ~0u)
    return;
  uint64_t available = uint64_t(atEntry) * cta.warps.size(), asked = 0;
  for (uint32_t own : budget.ofWarp)
    asked += own ? own : atEntry;
  if (asked > available)
    reportAt(cta, budget.lastIncrease,
             "expects at most " + std::to_string(available * warpSize) +
                 " registers in the CTA, " + std::to_string(atEntry) +
                 " of each thread at entry, but its warps ask for " +
                 std::to_string(asked * warpSize) + ", and so wait for ever");
}
