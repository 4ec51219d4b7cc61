// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/BankTrace.h"

#include "test/Unit/Layout/LayoutTestSupport.h"

#include <gtest/gtest.h>

using namespace tilewright::layout;

namespace {

const unsigned rowMajor[] = {1, 0};

LinearLayout plain(std::vector<unsigned> shape) {
  return sharedSwizzled(0, 0, 0, rowMajor, shape);
}

/// Lane l reads row l of a 32 x 32 tile of words, one column after the other.
LinearLayout columnReader() { return blocked({0, 5}, {5, 0}, {0, 0}, {5, 5}); }

TEST(BankTrace, AddressesArePadded) {
  LinearLayout lanes = blocked({0, 0}, {5, 0}, {0, 0}, {5, 0});
  // A gap of one word after every word: the lanes meet in every other bank.
  BankTrace trace = traceAccess(lanes, plain({5, 0}), {{{0, 0}}}, 32);
  EXPECT_EQ(trace.phases.size(), 1u);
  EXPECT_EQ(trace.vectorBytes, 4u);
  EXPECT_EQ(trace.worstPhase().lanes[3].address, 6u * 4);
  EXPECT_EQ(trace.wavefronts(), 2u);
  EXPECT_EQ(trace.worstPhase().conflictingBanks().size(), 16u);
}

TEST(BankTrace, PaddingFreesTheColumns) {
  LinearLayout lanes = columnReader();
  // Vectors of four words: eight lanes a phase, all in the same four banks.
  BankTrace dense = traceAccess(lanes, plain({5, 5}), {}, 32);
  EXPECT_EQ(dense.vectorBytes, 16u);
  EXPECT_EQ(dense.instructions, 8u);
  EXPECT_EQ(dense.phases.size(), 32u);
  EXPECT_EQ(dense.wavefronts(), 8u * 32);
  EXPECT_EQ(dense.worstPhase().conflictingBanks(),
            (std::vector<unsigned>{0, 1, 2, 3}));
  // A gap of one word forbids vectors and conflicts.
  BankTrace single = traceAccess(lanes, plain({5, 5}), {{{5, 0}}}, 32);
  EXPECT_EQ(single.vectorBytes, 4u);
  EXPECT_EQ(single.wavefronts(), 32u);
  EXPECT_TRUE(single.worstPhase().conflictingBanks().empty());
  // A gap of four words keeps the vectors.
  BankTrace vectors = traceAccess(lanes, plain({5, 5}), {{{5, 2}}}, 32);
  EXPECT_EQ(vectors.vectorBytes, 16u);
  EXPECT_EQ(vectors.wavefronts(), vectors.wavefrontsAtLeast());
}

TEST(BankTrace, TouchesSaysWhichBytesAPhaseReads) {
  BankTrace trace = traceAccess(columnReader(), plain({5, 5}), {}, 32);
  const AccessPhase &phase = trace.phases.front();
  EXPECT_TRUE(phase.touches(0));
  EXPECT_TRUE(phase.touches(15));
  EXPECT_FALSE(phase.touches(16));
  EXPECT_TRUE(phase.touches(7 * 128));
  EXPECT_FALSE(phase.touches(8 * 128));
}

/// Without padding both counts are the same rule.
TEST(BankTrace, AgreesWithThePriceOfPlacements) {
  RandomMaps random(7);
  for (unsigned i = 0; i < 200; ++i) {
    LinearLayout registers = random.permutation(4, 5, 1, 5, 5);
    LinearLayout shared =
        sharedSwizzled(random.below(4), random.below(3), random.below(4),
                       rowMajor, std::vector<unsigned>{5, 5});
    for (unsigned bits : {8u, 16u, 32u, 64u}) {
      BankTrace trace = traceAccess(registers, shared, {}, bits);
      EXPECT_EQ(trace.wavefronts(), wavefronts(registers, shared, bits,
                                               trace.vectorBytes * 8 / bits));
    }
  }
}

TEST(BankTrace, MatricesPhaseByPhase) {
  const unsigned warps[] = {0, 0}, shape[] = {4, 4};
  LinearLayout operand = mmaOperand(Fragment::M16N8, 0, 1, warps, shape);
  LinearLayout shared = plain({4, 4});
  auto access = matchLdMatrix(operand, shared, 16, false);
  ASSERT_TRUE(access);
  auto trace = traceMatrices(*access, {}, 16);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->phases.size(), 4u);
  EXPECT_EQ(trace->wavefronts(), wavefronts(*access, 16));
  // Rows of 32 bytes: eight of them are two lines' worth of each bank.
  EXPECT_EQ(trace->wavefronts(), 8u);
  auto padded = traceMatrices(*access, {{{4, 3}}}, 16);
  ASSERT_TRUE(padded);
  EXPECT_EQ(padded->wavefronts(), 4u);
  EXPECT_FALSE(traceMatrices(*access, {{{4, 2}}}, 16));
}

} // namespace
