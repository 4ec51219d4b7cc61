// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/WarpFootprint.h"

#include "dialects/Layout/F2.h"

#include <algorithm>
#include <bit>

using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;
namespace f2 = layout::f2;

/// Low bits of an offset that take all values within one warp, whatever the
/// others are.
static unsigned countFreeBits(const f2::Span &warp, unsigned bits) {
  unsigned free = 0;
  while (free < bits && warp.contains(uint64_t(1) << free))
    ++free;
  return free;
}

// What a warp touches is a coset of the span of its register and lane columns:
// runs of all values of the free bits, at the places that the others span.
WarpFootprint::WarpFootprint(const LinearLayout &offsets, unsigned elementBytes,
                             bool ownersOnly) {
  unsigned bits = offsets.outputBits(Axis::Offset);
  f2::Span warp;
  for (Axis input : {Axis(Axis::Register), Axis(Axis::Lane)})
    for (unsigned bit = 0; bit < offsets.inputBits(input); ++bit)
      warp.add(offsets.basis(input, bit, Axis::Offset));
  unsigned free = countFreeBits(warp, bits);
  granule = int64_t(elementBytes) << free;
  masks.assign(uint64_t(1) << (bits - free), 0);
  f2::Span places;
  for (uint64_t vector : warp.basis())
    places.add(vector >> free);
  std::span<const uint64_t> basis = places.basis();

  std::vector<uint64_t> columns;
  for (unsigned bit = 0; bit < offsets.inputBits(Axis::Warp); ++bit)
    columns.push_back(offsets.basis(Axis::Warp, bit, Axis::Offset) >> free);
  uint64_t redundant = ownersOnly ? offsets.redundantBits(Axis::Warp) : 0;
  for (uint64_t number = 0; number < uint64_t(1) << columns.size(); ++number) {
    if (number & redundant)
      continue;
    uint64_t place = f2::apply(columns, number);
    masks[place] |= 1u << number;
    // In the order of a Gray code: one vector changes at a time.
    for (uint64_t step = 1; step < uint64_t(1) << basis.size(); ++step) {
      place ^= basis[std::countr_zero(step)];
      masks[place] |= 1u << number;
    }
  }
}

WarpFootprint WarpFootprint::ofEveryWarp(int64_t bytes, unsigned warps) {
  return WarpFootprint(bytes, {warps >= 32 ? ~0u : (1u << warps) - 1});
}

Ordering tilegpu::compareFootprints(const WarpFootprint &a, int64_t beginA,
                                    const WarpFootprint &b, int64_t beginB) {
  int64_t end = std::min(beginA + a.bytes(), beginB + b.bytes());
  Ordering needed = Ordering::None;
  for (int64_t at = std::max(beginA, beginB); at < end;) {
    uint32_t first = a.warpsAt(at - beginA), second = b.warpsAt(at - beginB);
    if (first && second) {
      if (first != second || !std::has_single_bit(first))
        return Ordering::Cta;
      needed = Ordering::Warp;
    }
    at += std::min(a.runFrom(at - beginA), b.runFrom(at - beginB));
  }
  return needed;
}

bool tilegpu::coversFootprint(const WarpFootprint &a, int64_t beginA,
                              const WarpFootprint &b, int64_t beginB) {
  int64_t shift = beginA - beginB;
  for (int64_t at = 0; at < a.bytes();) {
    bool isInside = at + shift >= 0 && at + shift < b.bytes();
    if (a.warpsAt(at) && (!isInside || !b.warpsAt(at + shift)))
      return false;
    at += isInside ? std::min(a.runFrom(at), b.runFrom(at + shift)) : 1;
  }
  return true;
}
