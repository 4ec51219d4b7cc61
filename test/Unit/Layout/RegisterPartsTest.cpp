// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of tensors by registers: every element of every register is where the
// part's map says, and what no register number says is refused.

#include "dialects/Layout/RegisterParts.h"

#include <gtest/gtest.h>

using namespace tilewright;
using layout::Axis;
using layout::LinearLayout;
using layout::RegisterParts;

namespace {

constexpr Axis rows = Axis::coordinate(0), columns = Axis::coordinate(1);

/// 8 x 16: columns 1 and 8 are bits 0 and 1 of the register, and column 4
/// bit 2.
LinearLayout makeMixed() {
  return LinearLayout({{Axis::Register, 3}, {Axis::Lane, 3}, {Axis::Warp, 1}},
                      {{rows, 3}, {columns, 4}},
                      {1 << 3, 8 << 3, 4 << 3, 1, 2, 4, 2 << 3});
}

} // namespace

TEST(RegisterParts, AreWhereTheTensorWas) {
  LinearLayout map = makeMixed();
  std::optional<RegisterParts> parts = RegisterParts::get(map, columns, 2);
  ASSERT_TRUE(parts);
  const LinearLayout &part = parts->getLayout();
  ASSERT_EQ(part.inputBits(Axis::Register), 1u);
  ASSERT_EQ(part.outputBits(columns), 2u);
  for (unsigned number = 0; number < 4; ++number) {
    std::vector<unsigned> registers = parts->getRegisters(number);
    ASSERT_EQ(registers.size(), 2u);
    for (unsigned index = 0; index < 2; ++index)
      for (unsigned thread = 0; thread < 16; ++thread) {
        uint64_t whole = map.apply(registers[index] | thread << 3);
        uint64_t own = part.apply(index | thread << 1);
        EXPECT_EQ(whole & 7, own & 7);
        EXPECT_EQ(whole >> 3, (own >> 3) + 4 * number);
      }
  }
}

TEST(RegisterParts, AreInNoOrderOfRegisters) {
  // Of columns 8 and 4 the lower one is the higher bit of the register.
  std::optional<RegisterParts> parts =
      RegisterParts::get(makeMixed(), columns, 2);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->getRegisters(1), (std::vector<unsigned>{4, 5}));
  EXPECT_EQ(parts->getRegisters(2), (std::vector<unsigned>{2, 3}));
}

TEST(RegisterParts, AreNotOfLanesWarpsAndCopies) {
  EXPECT_FALSE(RegisterParts::get(makeMixed(), rows, 1));
  EXPECT_FALSE(RegisterParts::get(makeMixed(), columns, 3));
  EXPECT_FALSE(RegisterParts::get(makeMixed(), columns, 5));
  auto inRegisters = [](std::vector<uint64_t> columns) {
    unsigned bits = columns.size();
    return LinearLayout({{Axis::Register, bits}}, {{rows, 2}},
                        std::move(columns));
  };
  EXPECT_TRUE(RegisterParts::get(inRegisters({1, 2}), rows, 1));
  // Two registers that hold copies, and one whose bit takes part in two.
  EXPECT_FALSE(RegisterParts::get(inRegisters({1, 2, 2}), rows, 1));
  EXPECT_FALSE(RegisterParts::get(inRegisters({1, 3}), rows, 1));
}
