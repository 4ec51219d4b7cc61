// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops, branches, calls and assertions.

#include "test/Unit/Reference/ReferenceTest.h"

using namespace mlir;
using namespace tilewright::reference;

namespace {
class ControlFlowTest : public ReferenceTest {
protected:
  /// Runs a kernel of a pointer %out and an i32 %n, for each %n, and gives what
  /// it stores.
  Integers runFor(const std::string &text, const Integers &numbers) {
    Integers results;
    unsigned out = addIntegers("i32", {0});
    auto function = parse(text);
    for (int64_t number : numbers) {
      EXPECT_TRUE(succeeded(run(function, {}, {Argument::integer(number)})))
          << diagnostics;
      results.push_back(memory.getIntegers(out)[0]);
    }
    return results;
  }
};
} // namespace

TEST_F(ControlFlowTest, ForLoops) {
  EXPECT_EQ(runFor(R"(
tt.func @f(%out: !tt.ptr<i32>, %n: i32) {
  %c3 = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  %s = scf.for %i = %c3 to %n step %c3 iter_args(%sum = %zero) -> (i32) : i32 {
    %t = arith.addi %sum, %i : i32
    scf.yield %t : i32
  }
  tt.store %out, %s : !tt.ptr<i32>
  tt.return
})",
                   {-4, 3, 4, 12, 13}),
            (Integers{0, 0, 3, 18, 30}));
}

/// Two values that change places: both are read before one is set.
TEST_F(ControlFlowTest, CarriedValuesChangeTogether) {
  EXPECT_EQ(runFor(R"(
tt.func @f(%out: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0, %y = %c1) -> (i32, i32) : i32 {
    %z = arith.addi %x, %y : i32
    scf.yield %y, %z : i32, i32
  }
  tt.store %out, %a : !tt.ptr<i32>
  tt.return
})",
                   {0, 1, 2, 10}),
            (Integers{0, 1, 1, 55}));
}

TEST_F(ControlFlowTest, StepsMustBePositive) {
  addIntegers("i32", {0});
  EXPECT_TRUE(failed(run(parse(R"(
tt.func @f(%out: !tt.ptr<i32>, %n: i32) {
  %c9 = arith.constant 9 : i32
  scf.for %i = %n to %c9 step %n : i32 {
  }
  tt.return
})"),
                         {}, {Argument::integer(0)})));
  EXPECT_EQ(diagnostics, "expects a positive step, but got 0\n");
}

/// n - 1 for a power of two, as the sum of its halves; the condition is in the
/// middle of the loop.
TEST_F(ControlFlowTest, WhileLoops) {
  EXPECT_EQ(runFor(R"(
tt.func @f(%out: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.while (%x = %n, %k = %c0) : (i32, i32) -> i32 {
    %h = arith.shrui %x, %c1 : i32
    %more = arith.cmpi ne, %h, %c0 : i32
    %j = arith.addi %k, %h : i32
    scf.condition(%more) %j : i32
  } do {
  ^bb0(%j: i32):
    %x2 = arith.subi %n, %j : i32
    scf.yield %x2, %j : i32, i32
  }
  tt.store %out, %r : !tt.ptr<i32>
  tt.return
})",
                   {1, 2, 8}),
            (Integers{0, 1, 7}));
}

TEST_F(ControlFlowTest, IfWithAndWithoutElse) {
  EXPECT_EQ(runFor(R"(
tt.func @f(%out: !tt.ptr<i32>, %n: i32) {
  %c5 = arith.constant 5 : i32
  %c7 = arith.constant 7 : i32
  %less = arith.cmpi slt, %n, %c5 : i32
  %v = scf.if %less -> i32 {
    scf.yield %n : i32
  } else {
    scf.yield %c7 : i32
  }
  tt.store %out, %v : !tt.ptr<i32>
  %same = arith.cmpi eq, %n, %c5 : i32
  scf.if %same {
    tt.store %out, %c5 : !tt.ptr<i32>
  }
  tt.return
})",
                   {4, 5, 6}),
            (Integers{4, 5, 7}));
}

/// Blocks with arguments that change places, as runs of a loop.
TEST_F(ControlFlowTest, Branches) {
  EXPECT_EQ(runFor(R"(
tt.func @f(%out: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^head(%n, %c0, %c1 : i32, i32, i32)
^head(%left: i32, %x: i32, %y: i32):
  %done = arith.cmpi sle, %left, %c0 : i32
  cf.cond_br %done, ^end(%x : i32), ^body
^body:
  %next = arith.subi %left, %c1 : i32
  cf.br ^head(%next, %y, %x : i32, i32, i32)
^end(%v: i32):
  tt.store %out, %v : !tt.ptr<i32>
  tt.return
})",
                   {0, 1, 2, 7}),
            (Integers{0, 1, 0, 1}));
}

TEST_F(ControlFlowTest, Switches) {
  EXPECT_EQ(runFor(R"(
tt.func @f(%out: !tt.ptr<i32>, %n: i32) {
  %c10 = arith.constant 10 : i32
  %c20 = arith.constant 20 : i32
  cf.switch %n : i32, [default: ^end(%n : i32), -1: ^end(%c10 : i32), 2: ^end(%c20 : i32)]
^end(%v: i32):
  %i = arith.index_cast %n : i32 to index
  %w = scf.index_switch %i -> i32
  case 2 {
    %s = arith.addi %v, %c10 : i32
    scf.yield %s : i32
  }
  default {
    scf.yield %v : i32
  }
  tt.store %out, %w : !tt.ptr<i32>
  tt.return
})",
                   {-1, 2, 5}),
            (Integers{10, 30, 5}));
}

/// A recursive function: values of one call are not those of another.
TEST_F(ControlFlowTest, Calls) {
  EXPECT_EQ(runFor(R"(
tt.func @f(%out: !tt.ptr<i32>, %n: i32) {
  %v = tt.call @factorial(%n) : (i32) -> i32
  tt.store %out, %v : !tt.ptr<i32>
  tt.return
}
tt.func private @factorial(%n: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %small = arith.cmpi sle, %n, %c1 : i32
  cf.cond_br %small, ^one, ^more
^one:
  tt.return %c1 : i32
^more:
  %m = arith.subi %n, %c1 : i32
  %v = tt.call @factorial(%m) : (i32) -> i32
  %w = arith.muli %v, %n : i32
  tt.return %w : i32
})",
                   {1, 5, 7}),
            (Integers{1, 120, 5040}));
}

TEST_F(ControlFlowTest, Assertions) {
  auto function = parse(R"(
tt.func @f(%n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %s = tt.splat %n : i32 -> tensor<4xi32>
  %c = arith.cmpi slt, %i, %s : tensor<4xi32>
  tt.assert %c, "n is large enough" : tensor<4xi1>
  tt.print "n: " {hex = false, isSigned = array<i32: 1>} : %n : i32
  tt.return
})");
  EXPECT_TRUE(succeeded(run(function, {}, {Argument::integer(4)})));
  EXPECT_TRUE(failed(run(function, {}, {Argument::integer(2)})));
  EXPECT_EQ(diagnostics,
            "expects 'n is large enough' to hold, but element 2 is false\n");
}

TEST_F(ControlFlowTest, FunctionsNeedABody) {
  EXPECT_TRUE(failed(run(parse("tt.func private @f()"))));
  EXPECT_EQ(diagnostics, "expects a function with a body\n");
}
