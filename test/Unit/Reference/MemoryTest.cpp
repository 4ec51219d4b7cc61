// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers, loads, stores and atomics.

#include "test/Unit/Reference/ReferenceTest.h"

#include <cmath>

using namespace mlir;
using namespace tilewright::reference;

namespace {
class MemoryTest : public ReferenceTest {
protected:
  /// %q, a tile of pointers to the first four elements of %p0, and %i, 0 to 3.
  std::string pointers(const std::string &type) {
    std::string tile = "tensor<4x!tt.ptr<" + type + ">>";
    return "%i = tt.make_range {start = 0 : i32, end = 4 : i32} : "
           "tensor<4xi32>\n%s = tt.splat %p0 : !tt.ptr<" +
           type + "> -> " + tile + "\n%q = tt.addptr %s, %i : " + tile +
           ", tensor<4xi32>\n";
  }
  const std::string mask = "%m = arith.constant dense<[true, false, true, "
                           "false]> : tensor<4xi1>\n";

  /// A kernel of one parameter, %p0.
  LogicalResult runBody(const std::string &type, const std::string &body) {
    return run(parse("tt.func @f(%p0: !tt.ptr<" + type + ">) {\n" + body +
                     "\ntt.return\n}"));
  }
};
} // namespace

TEST_F(MemoryTest, BuffersHoldTheirType) {
  unsigned halves = addReals("f16", {1.0, 65519.0, 1.0e6, -0.1});
  unsigned bytes = addIntegers("i8", {300, -1});
  unsigned flags = addIntegers("i1", {1, 0});
  EXPECT_EQ(memory.getReals(halves),
            (Reals{1.0, 65504.0, INFINITY, -0.0999755859375}));
  EXPECT_EQ(memory.getIntegers(bytes), (Integers{44, -1}));
  EXPECT_EQ(memory.getBuffer(flags).bytes, (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(memory.getAddress(bytes) % 256, 0u);
  EXPECT_GE(memory.getAddress(bytes), memory.getAddress(halves) + 8 + 256);
}

TEST_F(MemoryTest, FindsOnlyWhatIsInside) {
  unsigned number = addIntegers("i32", {1, 2});
  uint64_t address = memory.getAddress(number);
  EXPECT_EQ(memory.find(address + 4, 4),
            memory.getBuffer(number).bytes.data() + 4);
  EXPECT_EQ(memory.find(address + 5, 4), nullptr);
  EXPECT_EQ(memory.find(address - 1, 1), nullptr);
  EXPECT_EQ(memory.find(0, 1), nullptr);
  EXPECT_EQ(memory.find(~uint64_t(0), 8), nullptr);
  EXPECT_EQ(memory.describe(address + 12), "4 bytes after the end of 'p0'");
  EXPECT_EQ(memory.describe(address - 3), "3 bytes before 'p0'");
}

/// No index of 32 bits leads from one buffer into another.
TEST_F(MemoryTest, FarStepsEndInNoBuffer) {
  unsigned first = addIntegers("i64", std::vector<int64_t>(512, 7));
  unsigned second = addIntegers("i64", std::vector<int64_t>(512, 8));
  for (int64_t index : {int64_t(-1), int64_t(-64), int64_t(-512),
                        int64_t(-4096), int64_t(INT32_MIN)})
    EXPECT_EQ(memory.find(memory.getAddress(second) + 8 * index, 8), nullptr)
        << index;
  for (int64_t index : {int64_t(512), int64_t(600), int64_t(INT32_MAX)})
    EXPECT_EQ(memory.find(memory.getAddress(first) + 8 * index, 8), nullptr)
        << index;
  EXPECT_EQ(memory.describe(memory.getAddress(second) - 3584),
            "3584 bytes before 'p1'");
  EXPECT_EQ(memory.describe(memory.getAddress(first) + 4096 + 3584),
            "3584 bytes after the end of 'p0'");
}

TEST_F(MemoryTest, LoadsEveryType) {
  addReals("bf16", {1.0, -2.5, 3.0e38, 0.0});
  EXPECT_EQ(evaluateReals(pointers("bf16") +
                              "%r = tt.load %q : tensor<4x!tt.ptr<bf16>>",
                          "bf16", 4)[1],
            -2.5);
  memory = ReferenceMemory();
  addIntegers("i64", {-1, 1, 1 << 30, -7});
  EXPECT_EQ(evaluateIntegers(pointers("i64") +
                                 "%r = tt.load %q : tensor<4x!tt.ptr<i64>>",
                             "i64", 4),
            (Integers{-1, 1, 1 << 30, -7}));
}

/// Elements that a mask leaves out come from `other`, or are undefined.
TEST_F(MemoryTest, MaskedLoads) {
  options.undefinedBits = 99;
  addIntegers("i32", {10, 11, 12, 13});
  std::string head = pointers("i32") + mask;
  EXPECT_EQ(
      evaluateIntegers(
          head + "%r = tt.load %q, %m, %i : tensor<4x!tt.ptr<i32>>", "i32", 4),
      (Integers{10, 1, 12, 3}));
  EXPECT_EQ(
      evaluateIntegers(head + "%r = tt.load %q, %m : tensor<4x!tt.ptr<i32>>",
                       "i32", 4),
      (Integers{10, 99, 12, 99}));
}

/// The buffer has three elements: the fourth is not accessed.
TEST_F(MemoryTest, MaskedElementsAreNotAccessed) {
  unsigned number = addIntegers("i32", {10, 11, 12});
  EXPECT_TRUE(succeeded(
      runBody("i32", pointers("i32") + mask +
                         "tt.store %q, %i, %m : tensor<4x!tt.ptr<i32>>")));
  EXPECT_EQ(memory.getIntegers(number), (Integers{0, 11, 2}));
  EXPECT_TRUE(failed(runBody(
      "i32", pointers("i32") + "tt.store %q, %i : tensor<4x!tt.ptr<i32>>")));
  EXPECT_EQ(diagnostics,
            "expects to write 4 bytes inside a buffer, but got address "
            "0x1000c, 0 bytes after the end of 'p0'\n");
}

TEST_F(MemoryTest, MisalignedAccessesAreErrors) {
  addIntegers("i32", {10, 11});
  EXPECT_TRUE(failed(runBody("i32", R"(
%a = tt.ptr_to_int %p0 : !tt.ptr<i32> -> i64
%c2 = arith.constant 2 : i64
%b = arith.addi %a, %c2 : i64
%p = tt.int_to_ptr %b : i64 -> !tt.ptr<i32>
%x = tt.load %p : !tt.ptr<i32>)")));
  EXPECT_EQ(diagnostics, "expects to read at a multiple of 4 bytes, but got "
                         "address 0x10002, at byte 2 of the 8 of 'p0'\n");
}

/// The diagnostic is at the operation, and its note names the program.
TEST_F(MemoryTest, ErrorsHaveAPlace) {
  addIntegers("i32", {10, 11});
  std::string note;
  unsigned line = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    line = cast<FileLineColLoc>(diagnostic.getLocation()).getLine();
    for (Diagnostic &attached : diagnostic.getNotes())
      if (StringRef(attached.str()).starts_with("in program"))
        note = attached.str();
    return success();
  });
  EXPECT_TRUE(failed(run(parse("tt.func @f(%p: !tt.ptr<i32>) {\n"
                               "  %y = tt.get_program_id y : i32\n"
                               "  %q = tt.addptr %p, %y : !tt.ptr<i32>, i32\n"
                               "  %v = tt.load %q : !tt.ptr<i32>\n"
                               "  tt.return\n}"),
                         {1, 5, 1})));
  EXPECT_EQ(line, 4u);
  EXPECT_EQ(note, "in program (0, 2, 0)");
}

TEST_F(MemoryTest, PointersMoveBackwards) {
  addIntegers("i16", {10, 11, 12, 13});
  EXPECT_EQ(evaluateIntegers(R"(
%c3 = arith.constant 3 : i32
%end = tt.addptr %p0, %c3 : !tt.ptr<i16>, i32
%c = arith.constant dense<[0, -1, -2, -3]> : tensor<4xi8>
%s = tt.splat %end : !tt.ptr<i16> -> tensor<4x!tt.ptr<i16>>
%q = tt.addptr %s, %c : tensor<4x!tt.ptr<i16>>, tensor<4xi8>
%r = tt.load %q : tensor<4x!tt.ptr<i16>>)",
                             "i16", 4),
            (Integers{13, 12, 11, 10}));
}

TEST_F(MemoryTest, StoresRoundToTheirType) {
  unsigned number = addReals("f16", {0, 0, 0, 0});
  EXPECT_TRUE(succeeded(runBody("f16", pointers("f16") + R"(
%a = arith.constant dense<[1.0, 3.0, 10.0, 65504.0]> : tensor<4xf16>
%b = arith.constant dense<[3.0, 3.0, 3.0, 0.5]> : tensor<4xf16>
%d = arith.divf %a, %b : tensor<4xf16>
tt.store %q, %d : tensor<4x!tt.ptr<f16>>)")));
  EXPECT_EQ(memory.getReals(number),
            (Reals{0.333251953125, 1.0, 3.333984375, INFINITY}));
}

/// One program after another, and one element of a tile after another.
TEST_F(MemoryTest, AtomicsAdd) {
  addIntegers("i32", {100});
  EXPECT_EQ(evaluateIntegers(R"(
%v = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
%q = tt.splat %p0 : !tt.ptr<i32> -> tensor<4x!tt.ptr<i32>>
%r = tt.atomic_rmw add, acq_rel, gpu, %q, %v : (tensor<4x!tt.ptr<i32>>, tensor<4xi32>) -> tensor<4xi32>)",
                             "i32", 4),
            (Integers{100, 101, 103, 106}));
}

TEST_F(MemoryTest, AtomicsCombine) {
  auto combine = [&](const std::string &op) {
    memory = ReferenceMemory();
    unsigned number = addIntegers("i16", {-3, 12, 5, 7});
    EXPECT_TRUE(succeeded(runBody(
        "i16", pointers("i16") +
                   "%m = arith.constant dense<[true, true, true, "
                   "false]> : tensor<4xi1>\n"
                   "%v = arith.constant dense<[2, 10, 5, 1]> : "
                   "tensor<4xi16>\n%r = tt.atomic_rmw " +
                   op +
                   ", acq_rel, gpu, %q, %v, %m : (tensor<4x!tt.ptr<i16>>, "
                   "tensor<4xi16>, tensor<4xi1>) -> tensor<4xi16>")))
        << diagnostics;
    return memory.getIntegers(number);
  };
  EXPECT_EQ(combine("max"), (Integers{2, 12, 5, 7}));
  EXPECT_EQ(combine("umax"), (Integers{-3, 12, 5, 7}));
  EXPECT_EQ(combine("min"), (Integers{-3, 10, 5, 7}));
  EXPECT_EQ(combine("umin"), (Integers{2, 10, 5, 7}));
  EXPECT_EQ(combine("and"), (Integers{0, 8, 5, 7}));
  EXPECT_EQ(combine("or"), (Integers{-1, 14, 5, 7}));
  EXPECT_EQ(combine("xor"), (Integers{-1, 6, 0, 7}));
  EXPECT_EQ(combine("exch"), (Integers{2, 10, 5, 7}));
}

TEST_F(MemoryTest, AtomicsAddFloats) {
  unsigned number = addReals("f32", {1.5});
  EXPECT_TRUE(succeeded(runBody("f32", R"(
%v = arith.constant 2.25 : f32
%r = tt.atomic_rmw fadd, relaxed, cta, %p0, %v : (!tt.ptr<f32>, f32) -> f32
%s = tt.atomic_rmw fadd, relaxed, cta, %p0, %r : (!tt.ptr<f32>, f32) -> f32)")));
  EXPECT_EQ(memory.getReals(number), (Reals{5.25}));
}

/// -0 and 0 are one number, but not the same bits.
TEST_F(MemoryTest, ComparesBitsToSwap) {
  addReals("f32", {0.0, 1.0, -0.0, 4.0});
  EXPECT_EQ(evaluateReals(pointers("f32") + R"(
%c = arith.constant dense<[0.0, 2.0, 0.0, 4.0]> : tensor<4xf32>
%v = arith.constant dense<[7.0, 8.0, 9.0, 10.0]> : tensor<4xf32>
%old = tt.atomic_cas acq_rel, gpu, %q, %c, %v : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
%new = tt.load %q : tensor<4x!tt.ptr<f32>>
%j = tt.join %old, %new : tensor<4xf32> -> tensor<4x2xf32>
%r = tt.reshape %j : tensor<4x2xf32> -> tensor<8xf32>)",
                          "f32", 8),
            (Reals{0.0, 7.0, 1.0, 1.0, -0.0, -0.0, 4.0, 10.0}));
}
