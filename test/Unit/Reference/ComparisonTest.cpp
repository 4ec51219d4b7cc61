// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparing memories, and a function with what a pass could make of it.

#include "test/Unit/Reference/ReferenceTest.h"

#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

namespace {
class ComparisonTest : public ReferenceTest {
protected:
  /// A kernel that stores `count` of its four loaded elements: those whose
  /// index is below it. Each is changed by `body`, from %v to %w.
  tt::FuncOp makeKernel(const std::string &body) {
    return parse(R"(
tt.func @f(%p: !tt.ptr<f32>, %count: i32) {
  %i = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %n = tt.splat %count : i32 -> tensor<4xi32>
  %m = arith.cmpi slt, %i, %n : tensor<4xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %q = tt.addptr %s, %i : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %v = tt.load %q, %m : tensor<4x!tt.ptr<f32>>
  )" + body + R"(
  tt.store %q, %w, %m : tensor<4x!tt.ptr<f32>>
  tt.return
})");
  }
  LogicalResult compare(tt::FuncOp before, tt::FuncOp after,
                        Tolerance tolerance = {}) {
    return compareFunctions(
        before, after,
        {Argument::pointer(memory.getAddress(0)), Argument::integer(3)}, {},
        memory, tolerance);
  }
};
} // namespace

TEST_F(ComparisonTest, EqualFunctions) {
  unsigned number = addReals("f32", {1.0, -3.0, 0.5});
  tt::FuncOp doubled = makeKernel("%w = arith.addf %v, %v : tensor<4xf32>");
  tt::FuncOp multiplied =
      makeKernel("%two = arith.constant dense<2.0> : tensor<4xf32>\n"
                 "%w = arith.mulf %two, %v : tensor<4xf32>");
  EXPECT_TRUE(succeeded(compare(doubled, multiplied))) << diagnostics;
  // Neither run has touched the inputs.
  EXPECT_EQ(memory.getReals(number), (Reals{1.0, -3.0, 0.5}));
}

TEST_F(ComparisonTest, DifferentFunctions) {
  addReals("f32", {2.0, -3.0, 0.0});
  tt::FuncOp doubled = makeKernel("%w = arith.addf %v, %v : tensor<4xf32>");
  tt::FuncOp squared = makeKernel("%w = arith.mulf %v, %v : tensor<4xf32>");
  EXPECT_TRUE(failed(compare(doubled, squared)));
  EXPECT_EQ(diagnostics.substr(0, diagnostics.find('\n')),
            "expects -6.000000e+00 as element 1 of 'p0', but got 9.000000e+00 "
            "(1 such)");
}

TEST_F(ComparisonTest, TolerancesAreOfTheExpectedValue) {
  addReals("f32", {1.0, -100.0, 0.0});
  tt::FuncOp same = makeKernel("%w = arith.addf %v, %v : tensor<4xf32>");
  tt::FuncOp near =
      makeKernel("%two = arith.constant dense<2.25> : tensor<4xf32>\n"
                 "%w = arith.mulf %two, %v : tensor<4xf32>");
  EXPECT_TRUE(succeeded(compare(same, near, {0.0, 0.125})));
  EXPECT_TRUE(failed(compare(same, near, {0.0, 0.12})));
  EXPECT_TRUE(succeeded(compare(same, near, {25.0, 0.0})));
  EXPECT_TRUE(failed(compare(same, near, {24.0, 0.0})));
}

TEST_F(ComparisonTest, SpecialValues) {
  ReferenceMemory other;
  Location location = UnknownLoc::get(&context);
  addReals("f32", {NAN, INFINITY, 0.0});
  other.addReals("p0", getType("f32"), {NAN, INFINITY, -0.0});
  EXPECT_TRUE(succeeded(compareMemories(location, memory, other)));
  ReferenceMemory infinite;
  infinite.addReals("p0", getType("f32"), {NAN, -INFINITY, 0.0});
  EXPECT_TRUE(failed(compareMemories(location, memory, infinite, {1.0, 1.0})));
}

TEST_F(ComparisonTest, DifferentBuffersAreAnError) {
  addReals("f32", {1.0, 2.0});
  ReferenceMemory shorter;
  shorter.addReals("p0", getType("f32"), {1.0});
  EXPECT_TRUE(
      failed(compareMemories(UnknownLoc::get(&context), memory, shorter)));
  EXPECT_TRUE(
      failed(compareMemories(UnknownLoc::get(&context), shorter, memory)));
  EXPECT_TRUE(failed(
      compareMemories(UnknownLoc::get(&context), memory, ReferenceMemory())));
}

/// The undefined element shows in what is stored, and differs between runs with
/// different bits.
TEST_F(ComparisonTest, FindsDependenceOnUndefinedElements) {
  unsigned number = addReals("f32", {1.0, 2.0, 3.0, 4.0});
  tt::FuncOp function = makeKernel(R"(
  %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<4xf32>) -> f32
  %w = tt.splat %sum : f32 -> tensor<4xf32>)");
  ReferenceMemory other = memory;
  options.undefinedBits = 0x40e00000; // 7 as an f32.
  ASSERT_TRUE(succeeded(run(function, {}, {Argument::integer(3)})));
  std::swap(memory, other);
  options.undefinedBits = 0;
  ASSERT_TRUE(succeeded(run(function, {}, {Argument::integer(3)})));
  EXPECT_EQ(memory.getReals(number)[0], 6.0);
  EXPECT_EQ(other.getReals(number)[0], 13.0);
}
