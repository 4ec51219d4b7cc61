// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product of two matrices as kernels for sm_90a compute it: one warp loads
// tiles through tensor maps into stages, a warp group multiplies them, and
// mbarriers tell the two of full and of empty stages; the result goes back
// through shared memory. And the same with a mistake.

#ifndef TILEWRIGHT_TEST_HOPPER_PIPELINES_H
#define TILEWRIGHT_TEST_HOPPER_PIPELINES_H

#include "test/Hopper/Program.h"

namespace tilewright::hopper {

/// One way to make the loop.
struct Pipeline {
  unsigned stages = 2, tiles = 5;
  /// Products that stay under way while the next tile is waited for: 0 or 1.
  unsigned inFlight = 0;
  /// One lane of each consumer warp arrives instead of every thread.
  bool arrivesByWarp = false;
  /// A wgmma.fence before the first product alone.
  bool fencesOnce = false;
  /// The mistake's name (pipelineMistakes), or "".
  std::string mistake;
};

HopperProgram makePipeline(const Pipeline &pipeline);

/// Correct ones.
std::vector<HopperProgram> allPipelines();

} // namespace tilewright::hopper

#endif // TILEWRIGHT_TEST_HOPPER_PIPELINES_H
