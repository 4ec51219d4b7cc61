// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile.dequantize: where the codes of a word stand, against the orders that
// checkpoints document.

#include "dialects/Tile/Tile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilewright;

namespace {
class DequantizeTest : public ::testing::Test {
protected:
  DequantizeTest() {
    context.loadDialect<tile::TileDialect, tt::TritonDialect>();
  }

  /// The places of the elements of one word of `type` with codes of 4 bits.
  SmallVector<int64_t> getPlaces(StringRef type, int64_t codes,
                                 StringRef order) {
    std::string text =
        ("tt.func @f(%q: tensor<1x" + type +
         ">, %s: tensor<1xf16>) {\n"
         "  %w = tile.dequantize %q scale %s format = unsigned order = " +
         order +
         " {axis = 0 : i32, bits = 4 : i32, group_size = 64 : i32} : "
         "tensor<1x" +
         type + "> scale tensor<1xf16> -> tensor<" + Twine(codes) +
         "xf16>\n  tt.return\n}")
            .str();
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    SmallVector<int64_t> places;
    if (!module)
      return places;
    module->walk([&](tile::DequantizeOp op) {
      for (int64_t index = 0; index < op.getCodesPerWord(); ++index)
        places.push_back(op.getPlace(index));
    });
    return places;
  }

  MLIRContext context;
};
} // namespace

/// GPTQ: nibble i of a word is row 8r + i.
TEST_F(DequantizeTest, LowFirstIsGptq) {
  EXPECT_EQ(getPlaces("i32", 8, "low_first"),
            (SmallVector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

/// bitsandbytes: byte = q[2i] << 4 | q[2i + 1].
TEST_F(DequantizeTest, HighFirstIsBitsandbytes) {
  EXPECT_EQ(getPlaces("i8", 2, "high_first"), (SmallVector<int64_t>{1, 0}));
}

/// AWQ: nibble i of a word is column 8c + {0, 2, 4, 6, 1, 3, 5, 7}[i].
TEST_F(DequantizeTest, EvenFirstIsAwq) {
  SmallVector<int64_t> places = getPlaces("i32", 8, "even_first");
  const int64_t columns[] = {0, 2, 4, 6, 1, 3, 5, 7};
  ASSERT_EQ(places.size(), 8u);
  for (int64_t nibble = 0; nibble < 8; ++nibble)
    EXPECT_EQ(places[columns[nibble]], nibble);
}
