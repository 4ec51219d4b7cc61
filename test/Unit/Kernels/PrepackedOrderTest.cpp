// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders of prepacked weights, for every family and width of codes: each code
// has a place of its own, and the two ways in which kernels and the host find
// it agree.

#include "lib/Kernels/PrepackedOrder.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

using namespace tilewright::kernels;

namespace {

void forAll(
    const std::function<void(const PrepackedOrder &, unsigned)> &visit) {
  for (std::string_view family : PrepackedOrder::families())
    for (unsigned bits : {2, 4, 8})
      for (Coding::Order order :
           {Coding::Order::LowFirst, Coding::Order::HighFirst,
            Coding::Order::EvenFirst}) {
        SCOPED_TRACE(std::string(family) + ", " + std::to_string(bits) +
                     " bits");
        visit(
            PrepackedOrder::of(family, {Coding::Format::Unsigned, bits, order}),
            32 / bits);
      }
}

/// `index` with bit order[b] moved to bit b.
uint64_t gathered(uint64_t index, const std::vector<unsigned> &order) {
  uint64_t result = 0;
  for (unsigned bit = 0; bit < order.size(); ++bit)
    result |= (index >> order[bit] & 1) << bit;
  return result;
}

} // namespace

TEST(PrepackedOrder, RowsChangePlacesWithinSpans) {
  forAll([](const PrepackedOrder &order, unsigned) {
    EXPECT_EQ(order.rows() % order.span(), 0);
    std::set<int64_t> rows;
    for (int64_t row = 0; row < 2 * order.rows(); ++row) {
      int64_t packed = order.packedRow(row);
      EXPECT_EQ(packed / order.span(), row / order.span());
      rows.insert(packed);
    }
    EXPECT_EQ(int64_t(rows.size()), 2 * order.rows());
  });
}

/// What kernels do to a tile of whole units by bits, against the place of each
/// word of a matrix that is the tile.
TEST(PrepackedOrder, TilesHaveWordsWhereMatricesHave) {
  forAll([](const PrepackedOrder &order, unsigned codes) {
    int64_t rows = 4 * order.rows(), columns = 2 * order.columns();
    auto places = order.places(rows, columns);
    int64_t wordRows = rows / codes;
    ASSERT_EQ(int64_t(places.size()), columns * wordRows);
    for (bool isTransposed : {false, true}) {
      std::vector<unsigned> bits = order.wordOrder(rows, columns, isTransposed);
      for (uint64_t offset = 0; offset < places.size(); ++offset) {
        auto [column, row] = places.wordAt(offset);
        EXPECT_EQ(gathered(offset, bits), isTransposed
                                              ? column * wordRows + row
                                              : row * columns + column);
      }
    }
  });
}

/// Word by word, what a matrix of one unit has.
TEST(PrepackedOrder, EachCodeOfAUnitHasAnElementOfItsOwn) {
  forAll([](const PrepackedOrder &order, unsigned codes) {
    std::vector<uint32_t> elements = order.codePlaces();
    ASSERT_EQ(int64_t(elements.size()), order.rows() * order.columns());
    EXPECT_EQ(std::set(elements.begin(), elements.end()).size(),
              elements.size());
    auto places = order.places(order.rows(), order.columns());
    for (size_t code = 0; code < elements.size(); ++code) {
      auto [column, row] = places.wordAt(code / codes);
      EXPECT_EQ(elements[code] % order.columns(), column);
      EXPECT_EQ(order.packedRow(elements[code] / order.columns()) / codes, row);
    }
  });
}

TEST(PrepackedOrder, UnitsAreWholeLines) {
  forAll([](const PrepackedOrder &order, unsigned codes) {
    EXPECT_EQ(order.rows() * order.columns() / codes, order.words());
    EXPECT_EQ(order.words() * 4 % 128, 0);
    std::vector<unsigned> columns = order.columnOrder(4 * order.columns());
    EXPECT_EQ(int64_t(1) << columns.size(), 4 * order.columns());
    EXPECT_EQ(std::set(columns.begin(), columns.end()).size(), columns.size());
  });
}
