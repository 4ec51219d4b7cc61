// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders of packed words, for the operands of every family of matrix
// instructions and codes of 2, 4 and 8 bits, element by element: every code has
// a place of its own, and what a thread loads at once is its own.

#include "dialects/Layout/WordOrder.h"
#include "test/Unit/Layout/LayoutTestSupport.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

using namespace tilewright::layout;

namespace {

/// log2 of the 32-bit words of a 16-byte load.
constexpr unsigned VECTOR_BITS = 2;

using Bits = std::array<unsigned, 2>;

/// An operand of 16-bit elements by log2 of its warps and its shape.
struct Operand {
  const char *name;
  unsigned depthDimension;
  /// log2 of the warps and of the other dimension's elements of its tiles.
  unsigned warps, others;
  std::function<LinearLayout(Bits warps, Bits shape)> layout;
};

/// Which dimension is the depth's decides whether weights are the left operand.
Operand synchronous(const char *name, Fragment fragment, unsigned index) {
  return {name, 1 - index, 0, 4, [=](Bits warps, Bits shape) {
            return mmaOperand(fragment, index, 1, warps, shape);
          }};
}

/// sm_70; sm_75 and sm_80 to sm_90, whose depths of 8 and 16 differ in what an
/// instruction takes, not in who holds it; sm_90a, by a warp of a group.
const Operand OPERANDS[] = {
    synchronous("m8n8k4, left", Fragment::M8N8K4, 0),
    synchronous("m8n8k4, right", Fragment::M8N8K4, 1),
    synchronous("m16n8, left", Fragment::M16N8, 0),
    synchronous("m16n8, right", Fragment::M16N8, 1),
    {"wgmma, left", 1, 2, 6,
     [](Bits warps, Bits shape) { return wgmmaOperand(1, warps, shape); }},
};

/// A tile of the operand for one warp, or one group of warps.
LinearLayout tileOf(const Operand &operand, unsigned depthBits) {
  Bits warps = {0, 0}, shape;
  warps[1 - operand.depthDimension] = operand.warps;
  shape[1 - operand.depthDimension] = operand.others;
  shape[operand.depthDimension] = depthBits;
  return operand.layout(warps, shape);
}

PackedWords packedIn(const Operand &operand, unsigned codeBits,
                     unsigned pairBit) {
  return {Axis::coordinate(operand.depthDimension), codeBits, pairBit};
}

/// The coordinates of a word of a unit.
Bits wordAt(const WordOrder &order, unsigned offset) {
  const AxisValue at[] = {{Axis::Offset, offset}};
  std::vector<AxisValue> word = order.unit().apply(at);
  return {unsigned(word[0].value), unsigned(word[1].value)};
}

/// Who of the first warp holds which element of the operand: lane -> register.
std::map<Bits, std::map<unsigned, unsigned>>
holders(const LinearLayout &operand) {
  std::map<Bits, std::map<unsigned, unsigned>> result;
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned index = 0; index < 1u << operand.inputBits(Axis::Register);
         ++index) {
      const AxisValue at[] = {{Axis::Register, index}, {Axis::Lane, lane}};
      std::vector<AxisValue> held = operand.apply(at);
      result[{unsigned(held[0].value), unsigned(held[1].value)}][lane] = index;
    }
  return result;
}

/// The element of the operand that an element of the matrix is.
unsigned operandDepth(const WordOrder &order, unsigned bits, unsigned index) {
  std::vector<unsigned> depth = order.depth(bits);
  unsigned result = 0;
  for (unsigned bit = 0; bit < bits; ++bit)
    result |= (index >> depth[bit] & 1) << bit;
  return result;
}

/// Calls `visit` with each operand and log2 of the codes of a word: 16, 8 or 4
/// of 2, 4 or 8 bits, for which a thread needs a depth of 2^(codes + 3) or 4.
void forAll(const std::function<void(const Operand &, unsigned)> &visit) {
  for (const Operand &operand : OPERANDS)
    for (unsigned codeBits : {4, 3, 2}) {
      SCOPED_TRACE(std::string(operand.name) + ", words of " +
                   std::to_string(1 << codeBits) + " codes");
      visit(operand, codeBits);
    }
}

unsigned enoughDepth(unsigned codeBits) { return codeBits + 4; }

} // namespace

TEST(WordOrder, EveryCodeHasAPlaceOfItsOwn) {
  forAll([](const Operand &operand, unsigned codeBits) {
    unsigned depthBits = enoughDepth(codeBits);
    auto order =
        WordOrder::of(tileOf(operand, depthBits),
                      packedIn(operand, codeBits, codeBits - 1), VECTOR_BITS);
    ASSERT_TRUE(order);
    Bits shape = {6, 6};
    shape[operand.depthDimension] = depthBits + 1 - codeBits;
    LinearLayout places = order->over(shape);
    EXPECT_TRUE(places.isBijective());
    // By another way than the algebra's own: all are reached, and so each once.
    std::set<std::pair<unsigned, unsigned>> words;
    for (unsigned offset = 0; offset < 1u << (shape[0] + shape[1]); ++offset) {
      const AxisValue at[] = {{Axis::Offset, offset}};
      std::vector<AxisValue> word = places.apply(at);
      words.insert({word[0].value, word[1].value});
    }
    EXPECT_EQ(words.size(), size_t(1) << (shape[0] + shape[1]));
    std::set<unsigned> depths;
    for (unsigned index = 0; index < 1u << (depthBits + 1); ++index)
      depths.insert(operandDepth(*order, depthBits + 1, index));
    EXPECT_EQ(depths.size(), size_t(1) << (depthBits + 1));
    EXPECT_EQ(*depths.rbegin(), (2u << depthBits) - 1);
  });
}

TEST(WordOrder, WhatAThreadLoadsIsItsOwn) {
  forAll([](const Operand &operand, unsigned codeBits) {
    unsigned depthBits = enoughDepth(codeBits), pairBit = codeBits - 1;
    LinearLayout tile = tileOf(operand, depthBits);
    auto order =
        WordOrder::of(tile, packedIn(operand, codeBits, pairBit), VECTOR_BITS);
    ASSERT_TRUE(order);
    unsigned words = 1u << order->unit().totalInputBits();
    auto held = holders(tile);
    std::set<unsigned> loaded;
    for (unsigned vector = 0; vector < words >> VECTOR_BITS; ++vector) {
      std::set<unsigned> lanes;
      for (unsigned i = 0; i < 1u << VECTOR_BITS; ++i)
        for (unsigned code = 0; code < 1u << codeBits; ++code) {
          Bits element = wordAt(*order, (vector << VECTOR_BITS) + i);
          unsigned &depth = element[operand.depthDimension];
          depth = operandDepth(*order, depthBits, (depth << codeBits) + code);
          std::set<unsigned> holding;
          for (auto [lane, index] : held[element]) {
            holding.insert(lane);
            EXPECT_EQ(index & 1, code >> pairBit & 1);
          }
          if (lanes.empty())
            lanes = holding;
          EXPECT_EQ(holding, lanes);
        }
      for (unsigned lane : lanes)
        EXPECT_TRUE(loaded.insert(lane).second);
    }
    EXPECT_EQ(loaded.size(), 32u);
    // Lines of 128 bytes.
    EXPECT_EQ(words * 4 % 128, 0u);
  });
}

TEST(WordOrder, IsTheSameForLargerTiles) {
  forAll([](const Operand &operand, unsigned codeBits) {
    PackedWords packed = packedIn(operand, codeBits, 0);
    unsigned depthBits = enoughDepth(codeBits);
    auto order = WordOrder::of(tileOf(operand, depthBits), packed, VECTOR_BITS);
    ASSERT_TRUE(order);
    for (unsigned more : {0, 1, 3})
      EXPECT_TRUE(order->serves(tileOf(operand, depthBits + more)));
  });
}

TEST(WordOrder, OneOrderServesWarpsAndGroupsOfWarps) {
  for (unsigned codeBits : {4, 3, 2}) {
    unsigned depthBits = enoughDepth(codeBits);
    auto order = WordOrder::of(tileOf(OPERANDS[2], depthBits),
                               packedIn(OPERANDS[2], codeBits, 0), VECTOR_BITS);
    ASSERT_TRUE(order);
    for (unsigned warps : {1, 2, 3})
      EXPECT_TRUE(order->serves(mmaOperand(
          Fragment::M16N8, 0, 1, Bits{warps, 0}, Bits{7, depthBits})));
    EXPECT_TRUE(order->serves(wgmmaOperand(1, Bits{2, 0}, Bits{7, depthBits})));
  }
}

/// Warps along the columns of a right operand divide what one warp would load.
TEST(WordOrder, ServesOnlyThreadsThatHaveWhatTheyLoad) {
  const Operand &right = OPERANDS[3];
  auto order =
      WordOrder::of(mmaOperand(Fragment::M16N8, 1, 1, Bits{0, 0}, Bits{6, 4}),
                    packedIn(right, 3, 0), VECTOR_BITS);
  ASSERT_TRUE(order);
  LinearLayout divided =
      mmaOperand(Fragment::M16N8, 1, 1, Bits{0, 1}, Bits{6, 4});
  EXPECT_FALSE(order->serves(divided));
  // Volta's order is another one than Turing's, and refused by it.
  auto volta = WordOrder::of(tileOf(OPERANDS[0], 6),
                             packedIn(OPERANDS[0], 3, 0), VECTOR_BITS);
  ASSERT_TRUE(volta);
  EXPECT_FALSE(volta->serves(tileOf(OPERANDS[2], 6)));
}

TEST(WordOrder, IsNoneForTilesThatAreTooSmall) {
  const Operand &left = OPERANDS[2];
  // 32 codes along the depth: 4 threads have a word each, and 16 rows give a
  // thread two of them.
  EXPECT_FALSE(
      WordOrder::of(tileOf(left, 5), packedIn(left, 3, 0), VECTOR_BITS));
  EXPECT_TRUE(WordOrder::of(tileOf(left, 5), packedIn(left, 3, 0), 1));
  // 16 codes: two threads share a word.
  EXPECT_FALSE(WordOrder::of(tileOf(left, 4), packedIn(left, 3, 0), 0));
}

/// The register of m16n8k16's left operand (PTX ISA, "Matrix Fragments for
/// mma.m16n8k16"): bits 0 and 3 of the depth and bit 3 of the rows.
TEST(WordOrder, OfWordsOfEightCodesForM16N8K16) {
  auto order = WordOrder::of(tileOf(OPERANDS[2], 6),
                             packedIn(OPERANDS[2], 3, 2), VECTOR_BITS);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->depth(7), (std::vector<unsigned>{2, 3, 4, 0, 1, 5, 6}));
  EXPECT_EQ(order->unit().str(),
            "(offset) -> (dim0, dim1): offset=1 -> (8, 0), offset=2 -> (0, 4), "
            "offset=4 -> (0, 1), offset=8 -> (0, 2), offset=16 -> (1, 0), "
            "offset=32 -> (2, 0), offset=64 -> (4, 0)");
}
