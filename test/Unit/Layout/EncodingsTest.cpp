// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocked layouts, slices, operands of threads and shared layouts, element by
// element against arithmetic that uses no map. The fragments of matrix
// instructions are in test/Unit/TileGPU.

#include "dialects/Layout/Padding.h"
#include "test/Unit/Layout/LayoutTestSupport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

using namespace tilewright::layout;

namespace {

using Sizes = std::vector<unsigned>;

Sizes log2Of(const Sizes &sizes) {
  Sizes result;
  for (unsigned size : sizes)
    result.push_back(log2Exact(size));
  return result;
}

Sizes coordinates(const LinearLayout &map, unsigned index, unsigned lane,
                  unsigned warp) {
  const AxisValue at[] = {
      {Axis::Register, index}, {Axis::Lane, lane}, {Axis::Warp, warp}};
  Sizes result;
  for (const AxisValue &value : map.apply(at))
    result.push_back(value.value);
  return result;
}

/// The digits of `number` in the mixed radix of `sizes`, the dimension order[0]
/// lowest.
Sizes digits(unsigned number, const Sizes &sizes, const Sizes &order) {
  Sizes result(sizes.size());
  for (unsigned dim : order) {
    result[dim] = number % sizes[dim];
    number /= sizes[dim];
  }
  return result;
}

struct BlockedCase {
  Sizes elements, threads, warps, order, shape;
};

/// What a thread holds by the definition: its block, repeated over the tensor.
void checkBlocked(const BlockedCase &test) {
  unsigned rank = test.shape.size();
  LinearLayout map =
      blockedLayout(log2Of(test.elements), log2Of(test.threads),
                    log2Of(test.warps), test.order, log2Of(test.shape));
  ASSERT_TRUE(map.isSurjective());
  Sizes block(rank), repeats(rank);
  unsigned registers = 1, warps = 1;
  for (unsigned dim = 0; dim < rank; ++dim) {
    unsigned tile = test.elements[dim] * test.threads[dim] * test.warps[dim];
    block[dim] = std::min(test.elements[dim], test.shape[dim]);
    repeats[dim] = std::max(1u, test.shape[dim] / tile);
    registers *= block[dim] * repeats[dim];
    warps *= test.warps[dim];
  }
  ASSERT_EQ(1u << map.inputBits(Axis::Register), registers);
  unsigned blockSize =
      std::accumulate(block.begin(), block.end(), 1u, std::multiplies<>());
  for (unsigned warp = 0; warp < warps; ++warp)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned index = 0; index < registers; ++index) {
        Sizes e = digits(index % blockSize, block, test.order);
        Sizes r = digits(index / blockSize, repeats, test.order);
        Sizes t = digits(lane, test.threads, test.order);
        Sizes w = digits(warp, test.warps, test.order);
        Sizes expected(rank);
        for (unsigned dim = 0; dim < rank; ++dim)
          expected[dim] =
              (e[dim] +
               test.elements[dim] *
                   (t[dim] +
                    test.threads[dim] * (w[dim] + test.warps[dim] * r[dim]))) %
              test.shape[dim];
        ASSERT_EQ(coordinates(map, index, lane, warp), expected)
            << map.str() << " warp " << warp << " lane " << lane << " register "
            << index;
      }
}

/// More elements than threads and fewer, copies along every dimension, all
/// orders.
TEST(Encodings, BlockedOfRankTwo) {
  for (unsigned lanes = 1; lanes <= 32; lanes *= 2)
    for (Sizes elements : {Sizes{1, 1}, {1, 4}, {2, 2}, {8, 1}})
      for (Sizes warps : {Sizes{1, 1}, {4, 1}, {1, 2}, {2, 2}})
        for (Sizes order : {Sizes{0, 1}, {1, 0}})
          for (Sizes shape :
               {Sizes{1, 1}, {1, 64}, {16, 2}, {32, 32}, {4, 128}})
            checkBlocked({elements, {lanes, 32 / lanes}, warps, order, shape});
}

TEST(Encodings, BlockedOfRankOneAndThree) {
  for (unsigned elements : {1u, 4u})
    for (unsigned warps : {1u, 4u})
      for (unsigned size : {1u, 2u, 32u, 64u, 2048u})
        checkBlocked({{elements}, {32}, {warps}, {0}, {size}});
  Sizes order = {0, 1, 2};
  do
    for (Sizes shape : {Sizes{1, 1, 1}, {2, 8, 32}, {16, 4, 4}})
      checkBlocked({{1, 2, 4}, {2, 4, 4}, {2, 1, 2}, order, shape});
  while (std::next_permutation(order.begin(), order.end()));
}

/// The places (lane, warp, coordinates) of a layout.
std::set<Sizes> holders(const LinearLayout &map) {
  std::set<Sizes> result;
  for (unsigned warp = 0; warp < 1u << map.inputBits(Axis::Warp); ++warp)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 1u << map.inputBits(Axis::Register); ++i) {
        Sizes place = {lane, warp};
        Sizes at = coordinates(map, i, lane, warp);
        place.insert(place.end(), at.begin(), at.end());
        result.insert(place);
      }
  return result;
}

/// A thread holds an element of a slice where it held one of the same row (or
/// column) before.
void checkSlice(const LinearLayout &whole, const LinearLayout &collapsed,
                unsigned dim) {
  std::set<Sizes> expected;
  for (Sizes place : holders(whole)) {
    place.erase(place.begin() + 2 + dim);
    expected.insert(place);
  }
  LinearLayout slice = sliceLayout(collapsed, dim);
  EXPECT_EQ(holders(slice), expected) << slice.str();
}

TEST(Encodings, SlicesAreProjections) {
  const unsigned rows[] = {5, 0}, columns[] = {0, 6}, shape[] = {5, 6};
  const unsigned e[] = {1, 2}, t[] = {2, 3}, w[] = {1, 1}, order[] = {1, 0};
  LinearLayout block = blockedLayout(e, t, w, order, shape);
  checkSlice(block, blockedLayout(e, t, w, order, rows), 1);
  checkSlice(block, blockedLayout(e, t, w, order, columns), 0);
  for (Fragment fragment : {Fragment::M8N8K4, Fragment::M8N8K4F16,
                            Fragment::M8N8, Fragment::M16N8}) {
    LinearLayout whole = mmaAccumulator(fragment, w, shape);
    checkSlice(whole, mmaAccumulator(fragment, w, rows), 1);
    checkSlice(whole, mmaAccumulator(fragment, w, columns), 0);
  }
  const unsigned groups[] = {2, 1}, large[] = {7, 5}, tall[] = {7, 0},
                 wide[] = {0, 5};
  LinearLayout whole = wgmmaAccumulator(4, groups, large);
  checkSlice(whole, wgmmaAccumulator(4, groups, tall), 1);
  checkSlice(whole, wgmmaAccumulator(4, groups, wide), 0);
}

TEST(Encodings, OperandsOfThreadsHaveAllOfK) {
  const unsigned e[] = {1, 2}, t[] = {2, 3}, w[] = {1, 0}, order[] = {1, 0};
  const unsigned result[] = {4, 5}, left[] = {4, 3}, right[] = {3, 5};
  const unsigned leftResult[] = {4, 0}, rightResult[] = {0, 5};
  LinearLayout whole = blockedLayout(e, t, w, order, result);
  LinearLayout a =
      threadOperand(blockedLayout(e, t, w, order, leftResult), 0, left);
  LinearLayout b =
      threadOperand(blockedLayout(e, t, w, order, rightResult), 1, right);
  std::set<Sizes> heldA = holders(a), heldB = holders(b);
  for (const Sizes &place : holders(whole))
    for (unsigned k = 0; k < 8; ++k) {
      EXPECT_TRUE(heldA.count({place[0], place[1], place[2], k}));
      EXPECT_TRUE(heldB.count({place[0], place[1], k, place[3]}));
    }
}

/// A permutation of bits with copies: a distributed layout of the paper.
bool isDistributed(const LinearLayout &map) {
  uint64_t seen = 0;
  for (uint64_t column : map.columns()) {
    if (column && (!isPowerOfTwo(column) || (seen & column)))
      return false;
    seen |= column;
  }
  return map.isSurjective();
}

TEST(Encodings, RegisterFamiliesAreDistributedLayouts) {
  const unsigned shape[] = {7, 6}, warps[] = {2, 1}, k[] = {7, 5};
  const unsigned e[] = {1, 2}, t[] = {2, 3}, order[] = {1, 0};
  EXPECT_TRUE(isDistributed(blockedLayout(e, t, warps, order, shape)));
  for (Fragment fragment : {Fragment::M8N8K4, Fragment::M8N8K4F16,
                            Fragment::M8N8, Fragment::M16N8}) {
    EXPECT_TRUE(isDistributed(mmaAccumulator(fragment, warps, shape)));
    for (unsigned index : {0u, 1u})
      EXPECT_TRUE(isDistributed(mmaOperand(fragment, index, 1, warps, k)));
  }
  EXPECT_TRUE(isDistributed(wgmmaAccumulator(4, warps, shape)));
  EXPECT_TRUE(isDistributed(wgmmaOperand(1, warps, k)));
}

//===----------------------------------------------------------------------===//
// Shared layouts
//===----------------------------------------------------------------------===//

/// The offset of (row, column).
uint64_t offsetOf(const LinearLayout &inverse, unsigned row, unsigned column) {
  const AxisValue at[] = {{dim(0), row}, {dim(1), column}};
  return inverse.apply(at)[0].value;
}

TEST(Encodings, SwizzledRowsExchangeVectors) {
  for (unsigned vector : {1u, 4u, 8u})
    for (unsigned perPhase : {1u, 2u, 4u})
      for (unsigned maxPhase : {1u, 2u, 8u})
        for (bool transposed : {false, true}) {
          const unsigned shape[] = {5, 6};
          Sizes order = transposed ? Sizes{0, 1} : Sizes{1, 0};
          LinearLayout map =
              sharedSwizzled(log2Exact(vector), log2Exact(perPhase),
                             log2Exact(maxPhase), order, shape);
          ASSERT_TRUE(map.isBijective());
          LinearLayout inverse = *map.invert();
          unsigned rows = transposed ? 64 : 32, columns = transposed ? 32 : 64;
          for (unsigned row = 0; row < rows; ++row)
            for (unsigned column = 0; column < columns; ++column) {
              unsigned phase = row / perPhase % maxPhase;
              unsigned place = (column / vector ^ phase) % (columns / vector);
              // Bits of the phase that no vector has are left out.
              uint64_t expected =
                  row * columns + place * vector + column % vector;
              ASSERT_EQ(transposed ? offsetOf(inverse, column, row)
                                   : offsetOf(inverse, row, column),
                        expected);
            }
        }
}

/// What the 16-byte vectors of 128-byte lines hold: the figures of the tensor
/// copy's swizzles, line by line; the pattern repeats below.
const std::vector<std::vector<unsigned>> swizzleFigures[] = {
    {{0, 1, 2, 3, 4, 5, 6, 7}},
    {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}},
    {{0, 1, 2, 3, 4, 5, 6, 7},
     {1, 0, 3, 2, 5, 4, 7, 6},
     {2, 3, 0, 1, 6, 7, 4, 5},
     {3, 2, 1, 0, 7, 6, 5, 4}},
    {{0, 1, 2, 3, 4, 5, 6, 7},
     {1, 0, 3, 2, 5, 4, 7, 6},
     {2, 3, 0, 1, 6, 7, 4, 5},
     {3, 2, 1, 0, 7, 6, 5, 4},
     {4, 5, 6, 7, 0, 1, 2, 3},
     {5, 4, 7, 6, 1, 0, 3, 2},
     {6, 7, 4, 5, 2, 3, 0, 1},
     {7, 6, 5, 4, 3, 2, 1, 0}}};

/// The bit address of the element at `column` of row `row`, by the figures:
/// atoms one after the other, each with all rows.
uint64_t figureBit(unsigned swizzle, unsigned elementBits, bool halfVectors,
                   unsigned rows, unsigned row, unsigned column) {
  unsigned figure = swizzle == 0 ? 0 : log2Exact(swizzle / 16);
  unsigned atomBytes = swizzle ? swizzle : 16;
  unsigned vectorElements = (halfVectors ? 64 : 128) / elementBits;
  unsigned atomElements = atomBytes / 16 * vectorElements;
  uint64_t address = uint64_t(column / atomElements) * rows * atomBytes +
                     row * atomBytes +
                     column % atomElements / vectorElements * 16;
  const auto &lines = swizzleFigures[figure];
  const std::vector<unsigned> &line = lines[address / 128 % lines.size()];
  unsigned place =
      std::find(line.begin(), line.end(), address / 16 % 8) - line.begin();
  return (address / 128 * 128 + place * 16) * 8 +
         column % vectorElements * elementBits;
}

TEST(Encodings, TensorCopySwizzlesAreTheFigures) {
  for (unsigned swizzle : {0u, 32u, 64u, 128u})
    for (unsigned elementBits : {4u, 8u, 16u, 32u, 64u})
      for (unsigned rows : {4u, 8u, 32u})
        for (bool transposed : {false, true}) {
          TensorCopyTile tile = {swizzle, elementBits};
          unsigned columns = 2u << tile.atomBits();
          Sizes shape =
              log2Of(transposed ? Sizes{columns, rows} : Sizes{rows, columns});
          Sizes order = transposed ? Sizes{0, 1} : Sizes{1, 0};
          LinearLayout map = sharedTensorCopy(tile, order, shape);
          ASSERT_TRUE(map.isBijective());
          LinearLayout inverse = *map.invert();
          for (unsigned row = 0; row < rows; ++row)
            for (unsigned column = 0; column < columns; ++column)
              ASSERT_EQ(
                  (transposed ? offsetOf(inverse, column, row)
                              : offsetOf(inverse, row, column)) *
                      elementBits,
                  figureBit(swizzle, elementBits, false, rows, row, column))
                  << swizzle << " bytes, " << elementBits << " bits, row "
                  << row << ", column " << column;
        }
}

/// b4x16_p64: sixteen elements of 4 bits, then 8 bytes of nothing.
TEST(Encodings, HalfVectorsArePaddedBehindTheSwizzle) {
  for (unsigned swizzle : {0u, 128u})
    for (unsigned elementBits : {4u, 8u}) {
      TensorCopyTile tile = {swizzle, elementBits, true};
      Padding padding = {{{tile.vectorBits(), tile.vectorBits()}}};
      unsigned columns = 2u << tile.atomBits(), rows = 16;
      Sizes shape = log2Of({rows, columns}), order = {1, 0};
      LinearLayout inverse = *sharedTensorCopy(tile, order, shape).invert();
      for (unsigned row = 0; row < rows; ++row)
        for (unsigned column = 0; column < columns; ++column)
          ASSERT_EQ(padding.apply(offsetOf(inverse, row, column)) * elementBits,
                    figureBit(swizzle, elementBits, true, rows, row, column));
      EXPECT_EQ(padding.size(rows * columns), 2 * rows * columns);
    }
}

/// The swizzle looks at the address: a batch of tiles with fewer than eight
/// rows continues the pattern.
TEST(Encodings, SwizzlesOfBatchesFollowTheAddress) {
  const unsigned shape[] = {2, 1, 6}, order[] = {2, 1, 0};
  LinearLayout inverse = *sharedTensorCopy({128, 16}, order, shape).invert();
  for (unsigned batch = 0; batch < 4; ++batch)
    for (unsigned row = 0; row < 2; ++row)
      for (unsigned column = 0; column < 64; ++column) {
        const AxisValue at[] = {
            {dim(0), batch}, {dim(1), row}, {dim(2), column}};
        ASSERT_EQ(inverse.apply(at)[0].value * 16,
                  figureBit(128, 16, false, 8, batch * 2 + row, column));
      }
}

} // namespace
