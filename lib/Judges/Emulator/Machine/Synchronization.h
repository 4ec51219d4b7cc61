// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the scheduler of a CTA finishes for waiting warps. Private to this
// folder.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_SYNCHRONIZATION_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_SYNCHRONIZATION_H

#include "lib/Judges/Emulator/Machine/Cta.h"

namespace tilewright::emulator {

/// Gives the lanes of `mask`, which have waited by `instruction`, the result of
/// a barrier that opens.
void finishBarrier(Warp &warp, const Decoded &instruction, uint32_t mask,
                   const BarrierState &barrier);

/// With a seed: moves the bytes of those of a warp's copies whose moment has
/// come. They stay in flight until they are waited for.
void moveCopies(Warp &warp);

/// Lets a warp's lanes arrive at the mbarriers that track their copies, as far
/// as these are done; those that the mbarrier at `awaited` tracks are done now.
/// Whether any lane has arrived.
bool completeArrivals(Warp &warp, std::optional<uint64_t> awaited);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_SYNCHRONIZATION_H
