// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lane's access to a tensor map in memory, checked. Private to this folder.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_TENSORMAPACCESS_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_TENSORMAPACCESS_H

#include "lib/Judges/Emulator/Machine/MemoryAccess.h"
#include "lib/Judges/Emulator/Machine/TensorMap.h"

#include <optional>

namespace tilewright::emulator {

/// The place of the 128 bytes at `address`, as accessMemory has it. `value`:
/// what a store will write.
MemoryPlace accessTensorMap(Warp &warp, unsigned lane, StateSpace space,
                            uint64_t address, AccessKind kind,
                            const uint8_t *value = nullptr);

/// The map of `rank` dimensions at a generic address, for a copy that begins.
/// Nothing: it was refused and reported.
std::optional<TensorMap> readTensorMap(Warp &warp, unsigned lane,
                                       uint64_t address, unsigned rank);

/// Who a lane is to other threads of the launch.
inline Accessor accessorOf(const Warp &warp, unsigned lane) {
  return {warp.cta.number(), warp.party, lane};
}

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_TENSORMAPACCESS_H
