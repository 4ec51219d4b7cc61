// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix descriptors: where the hardware looks for each element, computed from
// the descriptor's fields as the PTX ISA draws the canonical layouts, against
// where the layout has it.

#include "dialects/Layout/DescriptorSharing.h"

#include <gtest/gtest.h>

using namespace tilewright::layout;

namespace {

/// Byte of an element of an operand that begins at byte `start`, which is row
/// `row` and byte `k` along K of it.
uint64_t findByte(const MatrixDescriptor &descriptor, uint64_t start,
                  uint64_t row, uint64_t k, unsigned elementBytes) {
  uint64_t s = descriptor.swizzleBytes, lbo = descriptor.leadingBytes,
           sbo = descriptor.strideBytes, at = 0;
  if (descriptor.isKMajor && s) {
    at = row % 8 * s + row / 8 * sbo + k;
  } else if (descriptor.isKMajor) {
    at = row % 8 * 16 + row / 8 * sbo + k / 16 * lbo + k % 16;
  } else {
    uint64_t inner = row * elementBytes, outer = k / elementBytes;
    if (s)
      at = inner % s + inner / s * lbo + outer % 8 * s + outer / 8 * sbo;
    else
      at = inner % 16 + inner / 16 * sbo + outer % 8 * 16 + outer / 8 * lbo;
  }
  uint64_t address = start + at;
  uint64_t mask = s == 128 ? 7 : s == 64 ? 3 : s == 32 ? 1 : 0;
  return address ^ (address >> 7 & mask) << 4;
}

/// Byte of an element by the inverse of the layout.
uint64_t placeOf(const LinearLayout &offsets, const DescriptorOperand &operand,
                 uint64_t row, uint64_t k) {
  const AxisValue at[] = {{Axis::coordinate(operand.rowDim), row},
                          {Axis::coordinate(operand.kDim), k}};
  return offsets.apply(at)[0].value * operand.elementBits / 8;
}

/// Every element of every instruction that a tile of `rows` x `depth` takes.
void checkElements(const LinearLayout &shared, const DescriptorOperand &operand,
                   const MatrixDescriptor &descriptor, uint64_t rows,
                   uint64_t depth) {
  unsigned bytes = operand.elementBits / 8;
  uint64_t each = uint64_t(1) << operand.rowBits, step = 32 / bytes;
  LinearLayout offsets = *shared.invert();
  for (uint64_t row = 0; row < rows; row += each)
    for (uint64_t k = 0; k < depth; k += step) {
      // Begins add up.
      uint64_t start =
          placeOf(offsets, operand, row, 0) + placeOf(offsets, operand, 0, k);
      ASSERT_EQ(start % 16, 0u);
      ASSERT_EQ(start, placeOf(offsets, operand, row, k));
      for (uint64_t i = 0; i < each; ++i)
        for (uint64_t j = 0; j < step; ++j)
          ASSERT_EQ(findByte(descriptor, start, i, j * bytes, bytes),
                    placeOf(offsets, operand, row + i, k + j))
              << "row " << row + i << ", k " << k + j;
    }
}

/// Both major orders of a tile, as the left or right operand.
unsigned checkTile(unsigned elementBits, unsigned rowDim, unsigned rowsOfTile,
                   unsigned rowsOfInstruction, unsigned depth) {
  DescriptorOperand operand = {elementBits, rowDim, 1 - rowDim,
                               log2Exact(rowsOfInstruction)};
  unsigned shape[2];
  shape[rowDim] = log2Exact(rowsOfTile);
  shape[1 - rowDim] = log2Exact(depth);
  unsigned found = 0;
  for (unsigned inner : {0u, 1u})
    for (unsigned swizzle : {0u, 32u, 64u, 128u}) {
      TensorCopyTile tile = {swizzle, elementBits};
      if (tile.atomBits() > shape[inner])
        continue;
      const unsigned order[] = {inner, 1 - inner};
      LinearLayout shared = sharedTensorCopy(tile, order, shape);
      std::optional<MatrixDescriptor> descriptor =
          matchMatrixDescriptor(shared, operand);
      if (!descriptor)
        continue;
      EXPECT_EQ(descriptor->swizzleBytes, swizzle);
      EXPECT_EQ(descriptor->isKMajor, inner == operand.kDim);
      checkElements(shared, operand, *descriptor, rowsOfTile, depth);
      ++found;
    }
  return found;
}

TEST(MatrixDescriptor, FindsEveryElement) {
  unsigned found = 0;
  for (unsigned bits : {8u, 16u, 32u})
    for (unsigned rows : {8u, 16u, 64u, 256u})
      for (unsigned depth : {256 / bits, 512 / bits, 2048 / bits})
        for (unsigned each : {8u, 16u, 64u, 256u})
          if (each <= rows)
            for (unsigned rowDim : {0u, 1u})
              found += checkTile(bits, rowDim, rows, each, depth);
  EXPECT_EQ(found, 672u);
}

TEST(MatrixDescriptor, FieldsOfCommonTiles) {
  // 128 x 64 of f16, K contiguous: eight rows of 128 bytes, no second stride.
  const unsigned shape[] = {7, 6}, rows[] = {1, 0}, columns[] = {0, 1};
  DescriptorOperand left = {16, 0, 1, 6};
  EXPECT_EQ(
      matchMatrixDescriptor(sharedTensorCopy({128, 16}, rows, shape), left),
      (MatrixDescriptor{128, true, 16, 1024}));
  // Rows contiguous: the next 64 of them behind all of K.
  EXPECT_EQ(
      matchMatrixDescriptor(sharedTensorCopy({128, 16}, columns, shape), left),
      (MatrixDescriptor{128, false, 16, 1024}));
  DescriptorOperand right = {16, 0, 1, 7};
  EXPECT_EQ(
      matchMatrixDescriptor(sharedTensorCopy({128, 16}, columns, shape), right),
      (MatrixDescriptor{128, false, 8192, 1024}));
  EXPECT_EQ((MatrixDescriptor{128, false, 8192, 1024}).encode(),
            uint64_t(1) << 62 | uint64_t(64) << 32 | uint64_t(512) << 16);
  EXPECT_EQ((MatrixDescriptor{64, true, 16, 512}).encode() >> 62, 2u);
  EXPECT_EQ((MatrixDescriptor{32, true, 16, 256}).encode() >> 62, 3u);
  EXPECT_EQ((MatrixDescriptor{0, true, 16, 256}).encode() >> 62, 0u);
}

TEST(MatrixDescriptor, RefusesOtherLayouts) {
  const unsigned shape[] = {7, 6}, rows[] = {1, 0}, columns[] = {0, 1};
  DescriptorOperand operand = {16, 0, 1, 6};
  // Another swizzle, none of the hardware's, and plain rows of 128 bytes.
  EXPECT_FALSE(
      matchMatrixDescriptor(sharedSwizzled(3, 1, 3, rows, shape), operand));
  EXPECT_FALSE(
      matchMatrixDescriptor(sharedSwizzled(0, 0, 0, rows, shape), operand));
  // 8-bit and 32-bit elements with contiguous rows.
  for (unsigned bits : {8u, 32u})
    EXPECT_FALSE(matchMatrixDescriptor(
        sharedTensorCopy({128, bits}, columns, shape), {bits, 0, 1, 6}));
}

TEST(MatrixDescriptor, ChoosesTheWidestSwizzle) {
  auto choose = [](unsigned rows, unsigned depth, unsigned each,
                   unsigned inner) {
    const unsigned shape[] = {log2Exact(rows), log2Exact(depth)};
    return chooseDescriptorTile(shape, {16, 0, 1, log2Exact(each)}, inner);
  };
  EXPECT_EQ(choose(64, 64, 64, 1)->swizzleBytes, 128u);
  EXPECT_EQ(choose(64, 32, 64, 1)->swizzleBytes, 64u);
  EXPECT_EQ(choose(64, 16, 64, 1)->swizzleBytes, 32u);
  EXPECT_EQ(choose(64, 16, 64, 0)->swizzleBytes, 128u);
  // Instructions of few rows take whole atoms of them.
  EXPECT_EQ(choose(64, 16, 32, 0)->swizzleBytes, 64u);
  EXPECT_EQ(choose(64, 16, 8, 0)->swizzleBytes, 0u);
}

/// Who shares a tile reads it, whichever of them it was arranged for.
TEST(MatrixDescriptor, SharesTiles) {
  unsigned shared = 0;
  auto check = [&](const DescriptorOperand &a, const DescriptorOperand &b,
                   const std::vector<unsigned> &shape) {
    if (!shareDescriptorTile(shape, a, b))
      return;
    for (unsigned inner : {0u, 1u}) {
      std::optional<TensorCopyTile> tile =
          chooseDescriptorTile(shape, a, inner);
      if (!tile || !chooseDescriptorTile(shape, b, inner))
        continue;
      const unsigned order[] = {inner, 1 - inner};
      EXPECT_TRUE(
          matchMatrixDescriptor(sharedTensorCopy(*tile, order, shape), b));
      ++shared;
    }
  };
  for (unsigned bits : {8u, 16u, 32u})
    for (std::vector<unsigned> shape :
         {std::vector<unsigned>{6, 6}, {7, 5}, {5, 7}, {8, 6}, {6, 4}})
      for (unsigned rowsOfA : {3u, 5u, 6u, 7u})
        for (unsigned rowsOfB : {3u, 5u, 6u, 8u})
          for (unsigned dim : {0u, 1u})
            if (rowsOfA <= shape[0] && rowsOfB <= shape[dim])
              check({bits, 0, 1, rowsOfA}, {bits, dim, 1 - dim, rowsOfB},
                    shape);
  EXPECT_EQ(shared, 139u);
}

} // namespace
