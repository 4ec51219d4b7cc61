// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/PrepackedOrder.h"

#include <algorithm>
#include <bit>
#include <cassert>

using namespace tilewright;
using namespace tilewright::kernels;
using layout::Axis;
using layout::LinearLayout;
using layout::WordOrder;

namespace {

struct Family {
  std::string_view name;
  layout::Fragment fragment;
};
/// `m16n8`: mma.sync from Turing on, and wgmma, whose left operand is the same
/// in a warp. `m8n8k4`: Volta's.
constexpr Family allFamilies[] = {{"m16n8", layout::Fragment::M16N8},
                                  {"m8n8k4", layout::Fragment::M8N8K4}};

/// log2 of the 32-bit words of a 16-byte load.
constexpr unsigned vectorBits = 2;

} // namespace

std::vector<std::string_view> PrepackedOrder::families() {
  std::vector<std::string_view> names;
  for (const Family &family : allFamilies)
    names.push_back(family.name);
  return names;
}

std::string_view PrepackedOrder::familyOf(const target::Target &target) {
  return target.has(target::Capability::MmaTuring) ? "m16n8" : "m8n8k4";
}

/// Weights are the left operand, of the transposed product, of 16-bit elements.
PrepackedOrder PrepackedOrder::of(std::string_view family,
                                  const Coding &coding) {
  const Family *named =
      std::find_if(std::begin(allFamilies), std::end(allFamilies),
                   [&](const Family &known) { return known.name == family; });
  assert(named != std::end(allFamilies) && "expects a family's name");
  unsigned codes = coding.codesPerWord(run::ElementType::I32);
  unsigned codeBits = std::countr_zero(codes);
  const unsigned warps[] = {0, 0};
  // Sixteen columns, and rows enough for four words of a thread.
  const unsigned shape[] = {4, codeBits + 4};
  LinearLayout operand =
      layout::mmaOperand(named->fragment, 0, /*widthBits=*/1, warps, shape);
  std::optional<WordOrder> order = WordOrder::of(
      operand, {Axis::coordinate(1), codeBits, coding.bitAcrossHalves(codes)},
      vectorBits);
  assert(order && "a thread of any fragment has whole words of such tiles");
  return {std::move(*order), coding};
}

int64_t PrepackedOrder::span() const {
  std::vector<unsigned> rows =
      rowOrder(std::countr_zero(uint64_t(this->rows())));
  int64_t span = 1;
  for (unsigned bit = 0; bit < rows.size(); ++bit)
    if (rows[bit] != bit)
      span = int64_t(2) << bit;
  return span;
}

int64_t PrepackedOrder::packedRow(int64_t row) const {
  int64_t result = row / rows() * rows();
  std::vector<unsigned> order =
      rowOrder(std::countr_zero(uint64_t(this->rows())));
  for (unsigned bit = 0; bit < order.size(); ++bit)
    result |= (row >> bit & 1) << order[bit];
  return result;
}

std::vector<unsigned> PrepackedOrder::wordOrder(int64_t rows, int64_t columns,
                                                bool isTransposed) const {
  assert(rows % this->rows() == 0 && columns % this->columns() == 0 &&
         "expects whole units");
  // Each bit of an offset is a bit of one coordinate, as fragments have no XOR.
  // Along each dimension, where its bits are in the index of what is loaded:
  // those of a word in its unit, of the unit along k, of the unit along n.
  std::vector<unsigned> places[2] = {std::vector<unsigned>(unitBits(0)),
                                     std::vector<unsigned>(unitBits(1))};
  unsigned next = order.unit().totalInputBits();
  for (unsigned dimension : {0, 1})
    for (unsigned bit = 0; bit < order.unit().totalInputBits(); ++bit)
      if (uint64_t along = order.unit().basis(Axis::Offset, bit,
                                              Axis::coordinate(dimension)))
        places[dimension][std::countr_zero(along)] = bit;
  for (int64_t units = rows / this->rows(); units > 1; units /= 2)
    places[1].push_back(next++);
  for (int64_t units = columns / this->columns(); units > 1; units /= 2)
    places[0].push_back(next++);
  std::vector<unsigned> result = places[isTransposed ? 1 : 0];
  const std::vector<unsigned> &upper = places[isTransposed ? 0 : 1];
  result.insert(result.end(), upper.begin(), upper.end());
  return result;
}

std::vector<unsigned> PrepackedOrder::columnOrder(int64_t columns) const {
  std::vector<unsigned> own, result;
  for (unsigned bit = 0; bit < vectorBits; ++bit)
    if (uint64_t along =
            order.unit().basis(Axis::Offset, bit, Axis::coordinate(0)))
      own.push_back(std::countr_zero(along));
  for (unsigned bit = 0; int64_t(1) << bit < columns; ++bit)
    if (std::find(own.begin(), own.end(), bit) == own.end())
      result.push_back(bit);
  result.insert(result.end(), own.begin(), own.end());
  return result;
}

std::vector<uint32_t> PrepackedOrder::codePlaces() const {
  std::vector<uint32_t> result(rows() * columns());
  layout::OrderedWords words = places(rows(), columns());
  for (int64_t row = 0; row < rows(); ++row) {
    int64_t packed = packedRow(row);
    unsigned code = coding.bitOf(packed % codes, codes) / coding.bits;
    for (int64_t column = 0; column < columns(); ++column) {
      uint64_t word =
          words.offsetOf({uint64_t(column), uint64_t(packed / codes)});
      result[word * codes + code] = uint32_t(row * columns() + column);
    }
  }
  return result;
}

layout::OrderedWords PrepackedOrder::places(int64_t rows,
                                            int64_t columns) const {
  return *layout::OrderedWords::of(order,
                                   {uint64_t(columns), uint64_t(rows / codes)});
}
