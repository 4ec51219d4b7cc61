// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes of shared memory each warp touches, and what two accesses that
// touch the same ones need between them.
//
// In: the map of an access, (register, lane, warp) -> offset. Out: the warps
// that touch each byte, exactly; of two accesses, whether they need nothing,
// the lanes of each warp to wait for each other, or all warps. It holds no IR.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_WARPFOOTPRINT_H
#define TILEWRIGHT_PASSES_ANALYSIS_WARPFOOTPRINT_H

#include "dialects/Layout/LinearLayout.h"

namespace tilewright::tilegpu {

/// What must stand between two accesses, the weakest first.
enum class Ordering : uint8_t {
  /// Nothing: they touch no common byte, or both read.
  None,
  /// A barrier of each warp: each common byte is touched by one warp alone.
  Warp,
  /// A barrier of all warps that run the accesses.
  Cta,
};

/// The warps that touch each byte of a tile.
class WarpFootprint {
public:
  /// The access by threads whose registers lie at `offsets`, (register, lane,
  /// warp) -> offset in elements of `elementBytes` (a power of two). With
  /// `ownersOnly`, of the warps that hold the same elements the lowest alone
  /// acts.
  WarpFootprint(const layout::LinearLayout &offsets, unsigned elementBytes,
                bool ownersOnly);
  /// Every warp touches all of `bytes` bytes.
  static WarpFootprint ofEveryWarp(int64_t bytes, unsigned warps);

  int64_t bytes() const { return masks.size() * granule; }
  /// The warps that touch byte `offset`, one bit each.
  uint32_t warpsAt(int64_t offset) const { return masks[offset / granule]; }
  /// Bytes from `offset` on, up to the end of those that surely have the same
  /// warps.
  int64_t runFrom(int64_t offset) const { return granule - offset % granule; }

private:
  WarpFootprint(int64_t granule, std::vector<uint32_t> masks)
      : granule(granule), masks(std::move(masks)) {}

  /// Each run of so many bytes, at a multiple of them, has one set of warps.
  int64_t granule;
  std::vector<uint32_t> masks;
};

/// What an access of `a`, whose tile begins at byte `beginA`, and one of `b`
/// need between them where at least one of them writes.
Ordering compareFootprints(const WarpFootprint &a, int64_t beginA,
                           const WarpFootprint &b, int64_t beginB);

/// Whether `b`, whose tile begins at byte `beginB`, touches each byte that `a`
/// does, whose tile begins at `beginA`.
bool coversFootprint(const WarpFootprint &a, int64_t beginA,
                     const WarpFootprint &b, int64_t beginB);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_ANALYSIS_WARPFOOTPRINT_H
