// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ordinary writes of shared memory, and whether the asynchronous proxy knows of
// them (PTX ISA, "Proxies", "fence.proxy.async"). A thread that has written
// executes the fence, and what orders it with the asynchronous access comes
// behind. (The ISA's memory model would also let another thread execute the
// fence behind the barrier. Here the writers must, as NVIDIA's own libraries
// have them do.)

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_PROXYFENCES_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_PROXYFENCES_H

#include <cstdint>
#include <optional>
#include <vector>

namespace tilewright::emulator {

class CtaOrder;

class ProxyFences {
public:
  /// Of `bytes` bytes; 0: nothing is kept.
  ProxyFences(uint64_t bytes, unsigned warps)
      : words((bytes + wordBytes - 1) / wordBytes), fences(warps) {}

  /// A thread has written.
  void write(uint32_t warp, uint32_t lane, uint64_t offset, unsigned bytes);
  /// The lanes of a warp, in its epoch `epoch`, execute the fence.
  void fence(uint32_t warp, uint32_t lanes, uint32_t epoch);
  /// The asynchronous proxy has written: no fence is needed any more.
  void overwrite(uint64_t offset, uint64_t bytes);

  /// The thread (32 * warp + lane) that has written some of the bytes without a
  /// fence that comes before what `warp` does now; or none.
  std::optional<uint32_t> findUnfenced(const CtaOrder &order, uint32_t warp,
                                       uint64_t offset, uint64_t bytes) const;

private:
  static constexpr unsigned wordBytes = 4;
  struct Word {
    /// 1 + the thread that wrote it last; 0: none since the proxy did.
    uint32_t writer = 0;
    /// The fences that its warp had executed before.
    uint32_t fences = 0;
  };
  struct Fence {
    uint32_t lanes = 0, epoch = 0;
  };
  bool isFenced(const CtaOrder &order, uint32_t warp, const Word &word) const;

  std::vector<Word> words;
  /// By warp.
  std::vector<std::vector<Fence>> fences;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_PROXYFENCES_H
