// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of clusters: shared memory of other CTAs, barriers of the cluster,
// remote arrivals at mbarriers, loads to several CTAs.

#ifndef TILEWRIGHT_TEST_HOPPER_CLUSTERS_H
#define TILEWRIGHT_TEST_HOPPER_CLUSTERS_H

#include "test/Hopper/Program.h"

namespace tilewright::hopper {

/// Correct ones; their mistakes are clusterMistakes (Mistakes.h).
std::vector<HopperProgram> allClusters();

} // namespace tilewright::hopper

#endif // TILEWRIGHT_TEST_HOPPER_CLUSTERS_H
