// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices of packed words in the orders of every family of matrix
// instructions, as left and as right operands, of sizes that are no powers of
// two.

#include "dialects/Layout/OrderedWords.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>

using namespace tilewright::layout;

namespace {

using Word = OrderedWords::Word;
using Bits = std::array<unsigned, 2>;

struct Case {
  const char *name;
  LinearLayout operand;
  unsigned depth;
};

/// Operands with 128 elements of 16 bits along the depth.
std::vector<Case> cases() {
  const Bits none = {0, 0}, left = {4, 7}, right = {7, 4};
  return {
      {"sm_70, left", mmaOperand(Fragment::M8N8K4, 0, 1, none, left), 1},
      {"sm_70, right", mmaOperand(Fragment::M8N8K4, 1, 1, none, right), 0},
      {"m16n8, left", mmaOperand(Fragment::M16N8, 0, 1, none, left), 1},
      {"m16n8, right", mmaOperand(Fragment::M16N8, 1, 1, none, right), 0},
      {"wgmma, left", wgmmaOperand(1, Bits{2, 0}, Bits{6, 7}), 1},
  };
}

/// Calls `visit` with each order, its depth's dimension and its unit's size.
void forAll(
    const std::function<void(const WordOrder &, unsigned, Word)> &visit) {
  for (const Case &one : cases())
    for (unsigned codeBits : {3, 2}) {
      SCOPED_TRACE(std::string(one.name) + ", words of " +
                   std::to_string(1 << codeBits) + " codes");
      auto order = WordOrder::of(one.operand,
                                 {Axis::coordinate(one.depth), codeBits, 0}, 2);
      ASSERT_TRUE(order);
      visit(*order, one.depth,
            {uint64_t(1) << order->unit().outputBits(Axis::coordinate(0)),
             uint64_t(1) << order->unit().outputBits(Axis::coordinate(1))});
    }
}

} // namespace

TEST(OrderedWords, EveryWordHasAPlaceOfItsOwn) {
  forAll([](const WordOrder &order, unsigned, Word unit) {
    Word shape = {3 * unit[0], 5 * unit[1]};
    auto ordered = OrderedWords::of(order, shape);
    ASSERT_TRUE(ordered);
    std::vector<bool> taken(shape[0] * shape[1]);
    for (uint64_t row = 0; row < shape[0]; ++row)
      for (uint64_t column = 0; column < shape[1]; ++column) {
        uint64_t offset = ordered->offsetOf({row, column});
        ASSERT_LT(offset, taken.size());
        EXPECT_FALSE(taken[offset]);
        taken[offset] = true;
        EXPECT_EQ(ordered->wordAt(offset), (Word{row, column}));
      }
  });
}

/// Where both have a matrix, they agree: by the algebra, and by division.
TEST(OrderedWords, AgreeWithTheMapOfPowersOfTwo) {
  forAll([](const WordOrder &order, unsigned, Word unit) {
    Word shape = {4 * unit[0], 2 * unit[1]};
    auto ordered = OrderedWords::of(order, shape);
    ASSERT_TRUE(ordered);
    LinearLayout map =
        order.over(Bits{log2Exact(shape[0]), log2Exact(shape[1])});
    for (uint64_t offset = 0; offset < ordered->size(); ++offset) {
      const AxisValue at[] = {{Axis::Offset, offset}};
      std::vector<AxisValue> word = map.apply(at);
      EXPECT_EQ(ordered->wordAt(offset), (Word{word[0].value, word[1].value}));
    }
  });
}

TEST(OrderedWords, RestoreWhatTheyArranged) {
  forAll([](const WordOrder &order, unsigned, Word unit) {
    Word shape = {3 * unit[0], 5 * unit[1]};
    auto ordered = OrderedWords::of(order, shape);
    ASSERT_TRUE(ordered);
    // Rows are padded by two words, which stay as they are.
    const uint64_t pitch = shape[1] + 2;
    std::vector<uint32_t> matrix(shape[0] * pitch), arranged(ordered->size());
    std::iota(matrix.begin(), matrix.end(), 7);
    ordered->arrange(matrix, {pitch, 1}, arranged);
    EXPECT_EQ(arranged[ordered->offsetOf({1, 2})], matrix[pitch + 2]);
    // Stored the other way round, it is the same.
    std::vector<uint32_t> turned(ordered->size()), again(ordered->size());
    for (uint64_t row = 0; row < shape[0]; ++row)
      for (uint64_t column = 0; column < shape[1]; ++column)
        turned[row + column * shape[0]] = matrix[row * pitch + column];
    ordered->arrange(turned, {1, shape[0]}, again);
    EXPECT_EQ(again, arranged);
    std::vector<uint32_t> restored = matrix;
    for (uint64_t row = 0; row < shape[0]; ++row)
      std::fill_n(restored.begin() + row * pitch, shape[1], 0);
    ordered->restore(arranged, restored, {pitch, 1});
    EXPECT_EQ(restored, matrix);
  });
}

TEST(OrderedWords, AreNoneOfPartsOfUnits) {
  forAll([](const WordOrder &order, unsigned, Word unit) {
    EXPECT_FALSE(OrderedWords::of(order, {unit[0] + 1, unit[1]}));
    EXPECT_FALSE(OrderedWords::of(order, {unit[0], 2 * unit[1] - 1}));
  });
}
