// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The maps that the dialect keeps are those that the layouts make.

#include "dialects/TileGPU/RegisterMaps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

struct RegisterMapsTest : testing::Test {
  RegisterMapsTest() { context.loadDialect<TileGPUDialect>(); }

  RegisterLayoutInterface makeLayout(unsigned elements) {
    return LinearAttr::get(
        &context,
        layout::LinearLayout::identity(layout::Axis::Register,
                                       layout::Axis::coordinate(0), elements) *
            layout::LinearLayout::identity(layout::Axis::Lane,
                                           layout::Axis::coordinate(0), 5) *
            layout::LinearLayout::identity(layout::Axis::Warp,
                                           layout::Axis::coordinate(0), 1));
  }

  RankedTensorType makeType(int64_t size, Attribute encoding = {}) {
    return RankedTensorType::get({size}, Float32Type::get(&context), encoding);
  }

  MLIRContext context;
};

TEST_F(RegisterMapsTest, AreThoseOfLayoutAndShape) {
  for (unsigned elements : {0u, 1u, 2u})
    for (int64_t size : {32, 256, 1024}) {
      RegisterLayoutInterface layout = makeLayout(elements);
      for (int round = 0; round < 2; ++round)
        EXPECT_EQ(getRegisterMap(makeType(size), layout),
                  layout.toLinearLayout({size}));
    }
}

TEST_F(RegisterMapsTest, AreMadeOnce) {
  RegisterLayoutInterface layout = makeLayout(1);
  const layout::LinearLayout &first = getRegisterMap(makeType(256), layout);
  for (int64_t size = 1; size <= 4096; size *= 2)
    getRegisterMap(makeType(size), layout);
  EXPECT_EQ(&getRegisterMap(makeType(256), layout), &first);
}

TEST_F(RegisterMapsTest, DoNotDependOnTheTypesOwnEncoding) {
  RegisterLayoutInterface one = makeLayout(0), other = makeLayout(2);
  EXPECT_EQ(getRegisterMap(makeType(256, one), other),
            other.toLinearLayout({256}));
  EXPECT_EQ(toLinearLayout(makeType(256, one)), one.toLinearLayout({256}));
}

} // namespace
