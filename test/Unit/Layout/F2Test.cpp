// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/F2.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>

using namespace tilewright::layout;

namespace {

std::set<uint64_t> sums(const std::vector<uint64_t> &vectors) {
  std::set<uint64_t> result = {0};
  for (uint64_t vector : vectors) {
    std::set<uint64_t> more;
    for (uint64_t value : result)
      more.insert(value ^ vector);
    result.insert(more.begin(), more.end());
  }
  return result;
}

/// Lists of up to `count` vectors of `bits` bits.
std::vector<std::vector<uint64_t>> randomLists(unsigned count, unsigned bits) {
  std::mt19937_64 engine(count * 64 + bits);
  std::vector<std::vector<uint64_t>> lists;
  for (unsigned i = 0; i < 400; ++i) {
    std::vector<uint64_t> list(engine() % (count + 1));
    for (uint64_t &vector : list)
      vector = engine() % (uint64_t(1) << bits);
    lists.push_back(list);
  }
  return lists;
}

TEST(F2, SpanIsTheSetOfSums) {
  for (const std::vector<uint64_t> &list : randomLists(6, 5)) {
    f2::Span span(list);
    std::set<uint64_t> expected = sums(list);
    EXPECT_EQ(expected.size(), uint64_t(1) << span.dimension());
    for (uint64_t value = 0; value < 32; ++value) {
      EXPECT_EQ(span.contains(value), expected.count(value) == 1);
      uint64_t smallest = value;
      for (uint64_t sum : expected)
        smallest = std::min(smallest, value ^ sum);
      EXPECT_EQ(span.reduce(value), smallest);
    }
  }
}

TEST(F2, SpansAndSystemsHaveRoomForEveryBit) {
  // Of full rank, and no vector in reduced form.
  std::vector<uint64_t> all;
  for (unsigned bit = 0; bit < 64; ++bit)
    all.push_back(~uint64_t(0) >> bit);
  f2::Span span(all);
  EXPECT_EQ(span.dimension(), 64u);
  EXPECT_EQ(f2::Span(span).basis().size(), 64u);
  f2::System system(all);
  EXPECT_EQ(system.rank(), 64u);
  EXPECT_EQ(f2::System(system).solve(1), uint64_t(1) << 63);
  std::vector<uint64_t> zeros(64, 0);
  EXPECT_EQ(f2::System(zeros).kernel().size(), 64u);
}

TEST(F2, SpanBasisIsReducedAndAscending) {
  for (const std::vector<uint64_t> &list : randomLists(8, 7)) {
    f2::Span span(list);
    std::span<const uint64_t> basis = span.basis();
    for (size_t i = 0; i < basis.size(); ++i)
      for (size_t j = 0; j < basis.size(); ++j) {
        if (i < j)
          EXPECT_LT(basis[i], basis[j]);
        if (i != j)
          EXPECT_FALSE(basis[j] & std::bit_floor(basis[i]));
      }
  }
}

TEST(F2, SolveFindsTheSmallestPreimage) {
  for (const std::vector<uint64_t> &list : randomLists(6, 4)) {
    f2::System system(list);
    for (uint64_t b = 0; b < 16; ++b) {
      std::optional<uint64_t> expected;
      for (uint64_t x = 0; x < uint64_t(1) << list.size() && !expected; ++x)
        if (f2::apply(list, x) == b)
          expected = x;
      EXPECT_EQ(system.solve(b), expected);
    }
  }
}

TEST(F2, IntersectionOfWideSpans) {
  for (const std::vector<uint64_t> &a : randomLists(4, 5)) {
    std::vector<uint64_t> b = {a.empty() ? 3 : a[0] ^ 1, 6, 17};
    std::set<uint64_t> expected, left = sums(a);
    for (uint64_t value : sums(b))
      if (left.count(value))
        expected.insert(value);
    EXPECT_EQ(sums(f2::intersection(a, b)), expected);
  }
  std::vector<uint64_t> units = f2::complement({}, 63);
  EXPECT_EQ(f2::intersection(units, units), units);
}

TEST(F2, ComplementCompletesTheBasis) {
  for (const std::vector<uint64_t> &list : randomLists(5, 6)) {
    std::vector<uint64_t> rest = f2::complement(list, 6);
    EXPECT_EQ(rest.size(), 6 - f2::Span(list).dimension());
    std::vector<uint64_t> all = list;
    all.insert(all.end(), rest.begin(), rest.end());
    EXPECT_EQ(f2::Span(all).dimension(), 6u);
  }
}

} // namespace
