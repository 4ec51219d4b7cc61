// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padding of shared memory: the gaps between an element's offset, which a
// linear layout speaks of, and its place in memory.
//
// A gap moves everything behind it by a sum, not by a XOR: no linear map can
// say it. So a padded layout is a pair of a bijective linear map and a padding,
// and whoever needs addresses applies them one after the other.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_PADDING_H
#define TILEWRIGHT_DIALECTS_LAYOUT_PADDING_H

#include <cstdint>
#include <vector>

namespace tilewright::layout {

/// A gap of 2^gapBits elements after every 2^intervalBits elements.
struct PaddingStep {
  unsigned intervalBits, gapBits;
  bool operator==(const PaddingStep &) const = default;
};

/// Gaps at one or more distances; their sum counts. Without steps every element
/// stays at its offset.
struct Padding {
  std::vector<PaddingStep> steps;

  bool empty() const { return steps.empty(); }

  /// offset -> place, both in elements. Injective and ascending.
  uint64_t apply(uint64_t offset) const {
    uint64_t place = offset;
    for (PaddingStep step : steps)
      place += (offset >> step.intervalBits) << step.gapBits;
    return place;
  }

  /// Elements that an allocation of `count` (a power of two) takes. Gaps behind
  /// the last element count where their interval is full, so that tiles one
  /// after the other continue the pattern.
  uint64_t size(uint64_t count) const { return apply(count); }

  /// log2 of the longest aligned runs of elements that stay aligned and
  /// together, at most `limit`.
  unsigned runBits(unsigned limit) const {
    for (PaddingStep step : steps) {
      limit = step.intervalBits < limit ? step.intervalBits : limit;
      limit = step.gapBits < limit ? step.gapBits : limit;
    }
    return limit;
  }

  bool operator==(const Padding &) const = default;
};

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_PADDING_H
