// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets for tiles in shared memory, such that tiles which must be apart do
// not overlap: the colouring of an interference graph by intervals.
//
// In: sizes, alignments, which pairs must be apart. Out: offsets and the bytes
// needed in all. It holds no IR, and knows no reason why tiles must be apart.

#ifndef TILEWRIGHT_PASSES_TILEGPU_OFFSETPLAN_H
#define TILEWRIGHT_PASSES_TILEGPU_OFFSETPLAN_H

#include <cstdint>
#include <vector>

namespace tilewright::tilegpu {

struct TileSize {
  int64_t bytes;
  /// A power of two.
  int64_t alignment;
};

/// Pairs of tiles, by number; symmetric.
class TilePairs {
public:
  explicit TilePairs(unsigned tiles)
      : tiles(tiles), bits(uint64_t(tiles) * tiles) {}
  unsigned size() const { return tiles; }
  void add(unsigned a, unsigned b) {
    bits[uint64_t(a) * tiles + b] = bits[uint64_t(b) * tiles + a] = true;
  }
  bool contains(unsigned a, unsigned b) const {
    return bits[uint64_t(a) * tiles + b];
  }

private:
  unsigned tiles;
  std::vector<bool> bits;
};

struct OffsetPlan {
  std::vector<int64_t> offsets;
  int64_t bytes = 0;
};

/// Offsets under which no two tiles of `apart` overlap. Tiles are placed one
/// after the other into the gap that they fill best; of several orders (by
/// size, by size and number of neighbours, as numbered and backwards) the one
/// that needs least bytes is kept, of equal ones the first.
OffsetPlan planOffsets(const std::vector<TileSize> &tiles,
                       const TilePairs &apart);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_OFFSETPLAN_H
