// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/ScanSteps.h"

#include "dialects/Layout/F2.h"

namespace tilewright::layout {

/// Lanes or warps differ in `bit` of the axis, whatever else they differ in:
/// which register of a thread has it set would depend on the thread.
static bool isReachedByThreads(const LinearLayout &source, Axis axis,
                               unsigned bit) {
  for (Axis input : {Axis(Axis::Lane), Axis(Axis::Warp)})
    for (unsigned i = 0; i < source.inputBits(input); ++i)
      if (source.basis(input, i, axis) >> bit & 1)
        return true;
  return false;
}

ScanSteps findScanSteps(const LinearLayout &source, Axis axis) {
  unsigned registerBits = source.inputBits(Axis::Register);
  std::span<const uint64_t> all =
      std::span(source.columns())
          .first(registerBits + source.inputBits(Axis::Lane));
  f2::System registers(all.first(registerBits)),
      lanes(all.subspan(registerBits)), threads(all);
  ScanSteps steps;
  for (unsigned bit = 0; bit < source.outputBits(axis); ++bit) {
    uint64_t wanted = uint64_t(1) << (source.outputOffset(axis) + bit);
    if (std::optional<uint64_t> flip = registers.solve(wanted)) {
      if (isReachedByThreads(source, axis, bit)) {
        steps.obstacle = "both registers and threads";
        return steps;
      }
      steps.bits.push_back({bit, /*isLane=*/false, *flip});
    } else if (std::optional<uint64_t> flip = lanes.solve(wanted)) {
      steps.bits.push_back({bit, /*isLane=*/true, *flip});
    } else {
      steps.obstacle =
          threads.solve(wanted) ? "registers and lanes together" : "warps";
      return steps;
    }
  }
  return steps;
}

} // namespace tilewright::layout
