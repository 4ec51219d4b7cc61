// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Target/Machine.h"

using namespace tilewright::target;

namespace {
/// A GPU by its compute capability.
struct Row {
  unsigned computeCapability;
  Machine machine;
};
} // namespace

static constexpr Row machines[] = {
    {70, {"V100", 80, 1.53, 800, 18, 512}},
    {75, {"T4", 40, 1.35, 270, 20, 512}},
    {80, {"A100", 108, 1.41, 1400, 30, 1024}},
    {86, {"A6000", 84, 1.70, 690, 22, 512}},
    {87, {"Orin", 16, 1.30, 170, 22, 512}},
    {89, {"L40S", 142, 2.20, 780, 22, 512}},
    {90, {"H200", 132, 1.75, 4250, 30, 1300}},
};

const Machine &tilewright::target::representative(const Target &target) {
  const Row *found = &machines[0];
  for (const Row &row : machines)
    if (row.computeCapability <= target.computeCapability)
      found = &row;
  return found->machine;
}
