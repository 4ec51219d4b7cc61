// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Machine/ProxyFences.h"

#include "lib/Judges/Emulator/Machine/Program.h"
#include "lib/Judges/Emulator/Machine/Races.h"

using namespace tilewright::emulator;

void ProxyFences::write(uint32_t warp, uint32_t lane, uint64_t offset,
                        unsigned bytes) {
  if (words.empty())
    return;
  for (uint64_t i = offset / wordBytes; i <= (offset + bytes - 1) / wordBytes;
       ++i)
    words[i] = {1 + warp * warpSize + lane, uint32_t(fences[warp].size())};
}

void ProxyFences::fence(uint32_t warp, uint32_t lanes, uint32_t epoch) {
  if (!words.empty())
    fences[warp].push_back({lanes, epoch});
}

void ProxyFences::overwrite(uint64_t offset, uint64_t bytes) {
  for (uint64_t i = offset / wordBytes; i < (offset + bytes) / wordBytes; ++i)
    words[i] = {};
}

/// The first fence behind the write is the one that the others may know of.
bool ProxyFences::isFenced(const CtaOrder &order, uint32_t warp,
                           const Word &word) const {
  uint32_t thread = word.writer - 1;
  uint32_t writer = thread / warpSize, lane = thread % warpSize;
  const std::vector<Fence> &later = fences[writer];
  for (uint32_t i = word.fences; i < later.size(); ++i)
    if (later[i].lanes >> lane & 1)
      return writer == warp || order.isBefore(writer, later[i].epoch, warp);
  return false;
}

std::optional<uint32_t> ProxyFences::findUnfenced(const CtaOrder &order,
                                                  uint32_t warp,
                                                  uint64_t offset,
                                                  uint64_t bytes) const {
  for (uint64_t i = offset / wordBytes; i < (offset + bytes) / wordBytes; ++i)
    if (words[i].writer && !isFenced(order, warp, words[i]))
      return words[i].writer - 1;
  return std::nullopt;
}
