// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps in global memory that a launch's kernel has written, and which
// threads may copy by them (PTX ISA, "Proxies", "membar/fence":
// fence.proxy.tensormap::generic). Copies read maps through a proxy of its own.
// The thread that has written one releases it, with what copied it there
// (tensormap.cp_fenceproxy) or by a fence behind its write. The thread that
// begins a copy acquires it, behind the write and what orders the two. The end
// of a launch does both.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_TENSORMAPFENCES_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_TENSORMAPFENCES_H

#include "lib/Judges/Emulator/Machine/Races.h"

#include <string>
#include <unordered_set>

namespace tilewright::emulator {

class TensorMapFences {
public:
  /// A thread has written a map; `isReleased`: and released it.
  void write(const CtaOrder &order, const Accessor &writer, uint64_t address,
             bool isReleased);
  /// A thread releases what it has written.
  void release(const Accessor &thread);
  /// A thread acquires the map at `address`.
  void acquire(const CtaOrder &order, const Accessor &thread, uint64_t address);

  /// Why `thread` may not copy by the map at `address`, in words that follow
  /// "a tensor map that"; or "".
  std::string findUnfenced(const Accessor &thread, uint64_t address) const;

private:
  /// A half of a map, which is as much as its alignment says.
  struct Half {
    Accessor writer;
    /// Of the writer's warp, and releases of the writer before.
    uint32_t epoch = 0;
    uint64_t releases = 0;
    bool isReleased = false;
    /// The threads that have acquired it since.
    std::unordered_set<uint64_t> acquirers;
  };
  bool isReleased(const Half &half) const;

  mutable std::mutex mutex;
  /// By the address, in halves.
  std::unordered_map<uint64_t, Half> halves;
  /// By thread.
  std::unordered_map<uint64_t, uint64_t> releases;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_TENSORMAPFENCES_H
