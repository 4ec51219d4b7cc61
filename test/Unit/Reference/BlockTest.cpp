// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block pointers and tensor descriptors, on a tensor of 3 x 3 elements whose
// rows are 4 elements apart.

#include "test/Unit/Reference/ReferenceTest.h"

#include <cmath>

using namespace mlir;
using namespace tilewright::reference;

namespace {
class BlockTest : public ReferenceTest {
protected:
  const Reals tensor = {0, 1, 2, -1, 10, 11, 12, -1, 20, 21, 22, -1};
  const std::string sizes = "%c0 = arith.constant 0 : i32\n"
                            "%c1 = arith.constant 1 : i32\n"
                            "%c2 = arith.constant 2 : i32\n"
                            "%n = arith.constant 3 : i64\n"
                            "%m = arith.constant 3 : i32\n"
                            "%row = arith.constant 4 : i64\n"
                            "%one = arith.constant 1 : i64\n";
  /// %b, a block of 2 x 2 at (1, 0).
  const std::string pointer =
      sizes + "%b = tt.make_tensor_ptr %p0, [%n, %n], [%row, %one], [%c1, "
              "%c0] {order = array<i32: 1, 0>} : <tensor<2x2xf32>>\n";
  const std::string flatten =
      "%r = tt.reshape %v : tensor<2x2xf32> -> tensor<4xf32>";
};
} // namespace

TEST_F(BlockTest, LoadsBlocks) {
  addReals("f32", tensor);
  EXPECT_EQ(evaluateReals(pointer +
                              "%v = tt.load %b : "
                              "!tt.ptr<tensor<2x2xf32>>\n" +
                              flatten,
                          "f32", 4),
            (Reals{10, 11, 20, 21}));
}

TEST_F(BlockTest, PadsOutside) {
  addReals("f32", tensor);
  options.undefinedBits = 0x40e00000; // 7 as an f32.
  auto load = [&](const std::string &attributes) {
    return evaluateReals(
        pointer +
            "%d = tt.advance %b, [%c1, %c2] : <tensor<2x2xf32>>\n%v = "
            "tt.load %d {" +
            attributes +
            "} : "
            "!tt.ptr<tensor<2x2xf32>>\n" +
            flatten,
        "f32", 4);
  };
  EXPECT_EQ(load("boundaryCheck = array<i32: 0, 1>, padding = 1 : i32"),
            (Reals{22, 0, 0, 0}));
  EXPECT_EQ(load("boundaryCheck = array<i32: 0, 1>"), (Reals{22, 7, 7, 7}));
  EXPECT_TRUE(std::isnan(
      load("boundaryCheck = array<i32: 0, 1>, padding = 2 : i32")[3]));
  // Only the rows are checked: the element after the row's end is read.
  EXPECT_EQ(load("boundaryCheck = array<i32: 0>, padding = 1 : i32"),
            (Reals{22, -1, 0, 0}));
}

TEST_F(BlockTest, UncheckedAccessesMustBeInside) {
  addReals("f32", tensor);
  EXPECT_TRUE(failed(run(parse(
      "tt.func @f(%p0: !tt.ptr<f32>) {\n" + pointer +
      "%d = tt.advance %b, [%c1, %c0] : <tensor<2x2xf32>>\n%v = tt.load %d : "
      "!tt.ptr<tensor<2x2xf32>>\ntt.return\n}"))));
  EXPECT_NE(diagnostics.find("0 bytes after the end of 'p0'"),
            std::string::npos)
      << diagnostics;
}

TEST_F(BlockTest, StoresBlocks) {
  unsigned number = addReals("f32", tensor);
  ASSERT_TRUE(succeeded(run(parse(
      "tt.func @f(%p0: !tt.ptr<f32>) {\n" + pointer +
      "%d = tt.advance %b, [%c1, %c1] : <tensor<2x2xf32>>\n"
      "%v = arith.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : "
      "tensor<2x2xf32>\ntt.store %d, %v {boundaryCheck = array<i32: 0, 1>} : "
      "!tt.ptr<tensor<2x2xf32>>\ntt.return\n}"))))
      << diagnostics;
  EXPECT_EQ(memory.getReals(number),
            (Reals{0, 1, 2, -1, 10, 11, 12, -1, 20, 5, 6, -1}));
}

/// A block pointer is carried by a loop as any value.
TEST_F(BlockTest, LoopsCarryBlockPointers) {
  addReals("f32", tensor);
  EXPECT_EQ(evaluateReals(pointer + R"(
%zero = arith.constant dense<0.0> : tensor<2x2xf32>
%q, %v = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %b, %s = %zero) -> (!tt.ptr<tensor<2x2xf32>>, tensor<2x2xf32>) : i32 {
  %x = tt.load %a : !tt.ptr<tensor<2x2xf32>>
  %t = arith.addf %s, %x : tensor<2x2xf32>
  %next = tt.advance %a, [%c0, %c1] : <tensor<2x2xf32>>
  scf.yield %next, %t : !tt.ptr<tensor<2x2xf32>>, tensor<2x2xf32>
}
)" + flatten,
                          "f32", 4),
            (Reals{21, 23, 41, 43}));
}

TEST_F(BlockTest, DescriptorsCheckEveryDimension) {
  unsigned number = addReals("f32", tensor);
  std::string descriptor =
      sizes + "%D = tt.make_tensor_descriptor %p0, [%m, %m], [%row, %one] : "
              "!tt.ptr<f32>, !tt.tensordesc<2x2xf32>\n";
  EXPECT_EQ(evaluateReals(descriptor +
                              "%v = tt.descriptor_load %D[%c1, %c2] : "
                              "!tt.tensordesc<2x2xf32> -> tensor<2x2xf32>\n" +
                              flatten,
                          "f32", 4),
            (Reals{12, 0, 22, 0}));
  ASSERT_TRUE(succeeded(
      run(parse("tt.func @f(%p0: !tt.ptr<f32>) {\n" + descriptor +
                "%minus = arith.constant -1 : i32\n"
                "%v = arith.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : "
                "tensor<2x2xf32>\ntt.descriptor_store %D[%minus, %c2], %v : "
                "!tt.tensordesc<2x2xf32>, tensor<2x2xf32>\ntt.return\n}"))))
      << diagnostics;
  EXPECT_EQ(memory.getReals(number),
            (Reals{0, 1, 7, -1, 10, 11, 12, -1, 20, 21, 22, -1}));
}

TEST_F(BlockTest, DescriptorsNeedADenseDimension) {
  addReals("f32", tensor);
  EXPECT_TRUE(failed(
      run(parse("tt.func @f(%p0: !tt.ptr<f32>) {\n" + sizes +
                "%D = tt.make_tensor_descriptor %p0, [%m, %m], [%one, %row] : "
                "!tt.ptr<f32>, !tt.tensordesc<2x2xf32>\ntt.return\n}"))));
  EXPECT_EQ(diagnostics, "expects 1 as last stride, but got 4\n");
}

TEST_F(BlockTest, RowsThatAreSaidToBeAlignedAre) {
  addReals("f32", tensor);
  auto make = [&](const std::string &row) {
    return run(parse("tt.func @f(%p0: !tt.ptr<f32>) {\n" + sizes +
                     "%odd = arith.constant 3 : i64\n"
                     "%D = tt.make_tensor_descriptor %p0, [%m, %m], [%" +
                     row +
                     ", %one] {tt.divisibility = 16 : i32} : !tt.ptr<f32>, "
                     "!tt.tensordesc<2x2xf32>\ntt.return\n}"));
  };
  EXPECT_TRUE(succeeded(make("row"))) << diagnostics;
  EXPECT_TRUE(failed(make("odd")));
  EXPECT_EQ(diagnostics,
            "expects a stride that is a multiple of 16 bytes, but got 12\n");
}
