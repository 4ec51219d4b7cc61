// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls: what goes to a function and comes back, in lanes that are together or
// apart, and which calls are refused.

#include "test/Unit/Emulator/Machine/SmallKernel.h"

#include <gtest/gtest.h>

using namespace tilewright::emulator;

namespace {

/// A function that gives three times its argument, as LLVM writes it.
const char *triple = ".func (.param .b32 result) triple(.param .b32 a) {\n"
                     ".reg .b32 %r<3>;\n"
                     "ld.param.b32 %r1, [a];\n"
                     "mul.lo.s32 %r2, %r1, 3;\n"
                     "st.param.b32 [result], %r2;\n"
                     "ret;\n}\n";

/// The lines of a call of `function` with one word and one result.
std::string callWith(const std::string &function, const std::string &argument,
                     const std::string &result) {
  return "{ .param .b32 p0; .param .b32 r0;\nst.param.b32 [p0], " + argument +
         ";\ncall.uni (r0), " + function + ", (p0);\nld.param.b32 " + result +
         ", [r0]; }\n";
}

const char *storeResult = "st.global.b32 [%mine], %r0;";

/// The words of the buffer; a failed test where there is an error or a fault.
std::vector<uint32_t> compute(const std::string &declarations,
                              const std::string &body,
                              const SmallLaunch &how = {}) {
  SmallRun run = runSmallModule(declarations, body, how);
  EXPECT_EQ(run.error, "");
  for (const Fault &fault : run.faults)
    ADD_FAILURE() << fault.location.line << ": " << fault.message;
  run.words.resize(how.threads);
  return run.words;
}

std::string errorOf(const std::string &declarations, const std::string &body) {
  return runSmallModule(declarations, body).error;
}

//===----------------------------------------------------------------------===//
// What goes there and comes back
//===----------------------------------------------------------------------===//

TEST(Call, GivesAResult) {
  auto words = compute(triple, callWith("triple", "%t", "%r0") + storeResult);
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(words[lane], 3 * lane);
}

TEST(Call, OfOneFunctionTwice) {
  auto words = compute(triple, callWith("triple", "%t", "%r1") +
                                   callWith("triple", "%r1", "%r2") +
                                   "add.u32 %r0, %r1, %r2;" + storeResult);
  EXPECT_EQ(words[5], 60u);
}

TEST(Call, OfAFunctionThatIsDefinedLater) {
  std::string declaration =
      ".func (.param .b32 result) triple(.param .b32 anything);\n"
      ".func (.param .b32 result) next(.param .b32 a) {\n.reg .b32 %r<4>;\n"
      "ld.param.b32 %r1, [a];\n" +
      callWith("triple", "%r1", "%r2") +
      "add.u32 %r2, %r2, 1; st.param.b32 [result], %r2;\nret;\n}\n";
  auto words = compute(declaration + triple,
                       callWith("next", "%t", "%r0") + storeResult);
  EXPECT_EQ(words[5], 16u);
}

TEST(Call, KeepsTheRegistersOfTheCallers) {
  // The callers' values are read behind the calls.
  std::string outer = std::string(triple) +
                      ".func (.param .b32 result) outer(.param .b32 a) {\n"
                      ".reg .b32 %r<9>; ld.param.b32 %r1, [a];\n" +
                      callWith("triple", "%r1", "%r2") +
                      "add.u32 %r3, %r1, %r2; st.param.b32 [result], %r3;\n}\n";
  auto words = compute(outer, "add.u32 %r5, %t, 100;\n" +
                                  callWith("outer", "%t", "%r1") +
                                  "add.u32 %r0, %r1, %r5;" + storeResult);
  EXPECT_EQ(words[7], 7 * 4 + 107u);
}

TEST(Call, TakesVectorsAndStructures) {
  const char *sum = ".func (.param .align 8 .b8 result[12]) sum("
                    ".param .align 16 .b8 v[16], .param .align 4 .b8 s[12]) {\n"
                    ".reg .b32 %r<12>; .reg .b16 %h<4>;\n"
                    "ld.param.v4.b32 {%r1, %r2, %r3, %r4}, [v];\n"
                    "ld.param.b32 %r5, [s+4]; ld.param.s8 %h1, [s+9];\n"
                    "ld.param.v2.b8 {%h2, %h3}, [s];\n"
                    "cvt.s32.s16 %r6, %h1; cvt.u32.u16 %r8, %h3;\n"
                    "add.u32 %r7, %r1, %r4; add.u32 %r7, %r7, %r5;\n"
                    "add.u32 %r7, %r7, %r6; add.u32 %r7, %r7, %r8;\n"
                    "st.param.b32 [result+8], %r7;\n"
                    "st.param.b64 [result], 0x100000002;\nret;\n}\n";
  auto words = compute(
      sum, "{ .param .align 16 .b8 p0[16]; .param .align 4 .b8 p1[12];\n"
           ".param .align 8 .b8 r0[12];\n"
           "st.param.v4.b32 [p0], {%t, 2, 3, 1000};\n"
           "st.param.b32 [p1+4], 30000; st.param.b8 [p1+9], -1;\n"
           "st.param.v2.b8 [p1], {0, 200};\n"
           "call (r0), sum, (p0, p1);\n"
           "ld.param.b32 %r1, [r0+8]; ld.param.v2.b32 {%r2, %r3}, [r0]; }\n"
           "mad.lo.u32 %r0, %r2, %r3, %r1;" +
               std::string(storeResult));
  EXPECT_EQ(words[9], 9 + 1000 + 30000 - 1 + 200 + 2u);
}

TEST(Call, ParameterHasAnAddress) {
  // As LLVM reads an array that is passed by value.
  const char *pick = ".func (.param .b32 result) pick("
                     ".param .align 4 .b8 a[16], .param .b32 i) {\n"
                     ".reg .b32 %r<4>; .reg .b64 %d<4>;\n"
                     "mov.b64 %d1, a; ld.param.b32 %r1, [i];\n"
                     "mul.wide.s32 %d2, %r1, 4; add.s64 %d3, %d1, %d2;\n"
                     "ld.local.b32 %r2, [%d3]; st.local.b32 [%d3], 9;\n"
                     "ld.param.b32 %r3, [%d3]; add.u32 %r2, %r2, %r3;\n"
                     "st.param.b32 [result], %r2; ret;\n}\n";
  auto words = compute(
      pick, "and.b32 %r1, %t, 3;\n"
            "{ .param .align 4 .b8 p0[16]; .param .b32 p1; .param .b32 r0;\n"
            "st.param.v4.b32 [p0], {10, 20, 30, 40};\n"
            "st.param.b32 [p1], %r1;\ncall.uni (r0), pick, (p0, p1);\n"
            "ld.param.b32 %r0, [r0]; }\n" +
                std::string(storeResult));
  EXPECT_EQ(words[2], 39u);
  EXPECT_EQ(words[7], 49u);
}

TEST(Call, TakesRegistersAndNumbers) {
  const char *registers = ".func (.reg .b32 %result) f(.reg .b32 %a, "
                          ".param .s16 b, .reg .u64 %c) {\n"
                          ".reg .b16 %h; .reg .b32 %r<3>;\n"
                          "ld.param.s16 %r1, [b]; cvt.u32.u64 %r2, %c;\n"
                          "add.u32 %result, %a, %r1;\n"
                          "add.u32 %result, %result, %r2; ret;\n}\n";
  auto words =
      compute(registers, "mov.u64 %d1, 1000; mov.b32 %r1, -3;\n.reg .b16 %h;\n"
                         "cvt.u16.u32 %h, %r1;\n"
                         "call (%r0), f, (%t, %h, %d1);\n"
                         "call (%r2), f, (5, 1, 0x100000001);\n"
                         "add.u32 %r0, %r0, %r2;" +
                             std::string(storeResult));
  EXPECT_EQ(words[4], 4 - 3 + 1000 + 7u);
  // A result of `.param` goes to a register too, and one that nobody wants.
  words = compute(triple, std::string("call (%r0), triple, (%t);\n"
                                      "call (_), triple, (1);\n") +
                              storeResult);
  EXPECT_EQ(words[4], 12u);
}

TEST(Call, TakesAQuadword) {
  const char *swap = ".func (.reg .b64 %r) f(.param .b64 a) {\n"
                     ".reg .b64 %d<2>; ld.param.b64 %d1, [a];\n"
                     "add.u64 %r, %d1, 0x500000000;\n}\n";
  auto words = compute(swap, std::string("call (%d1), f, (0x300000001);\n"
                                         "shr.u64 %d2, %d1, 32;\n"
                                         "cvt.u32.u64 %r0, %d2;") +
                                 storeResult);
  EXPECT_EQ(words[0], 8u);
}

TEST(Call, ThroughAnAlias) {
  auto words = compute(std::string(".func (.param .b32 r) other(.param .b32 a)"
                                   ";\n") +
                           triple + ".alias other, triple;",
                       callWith("other", "%t", "%r0") + storeResult);
  EXPECT_EQ(words[3], 9u);
}

TEST(Call, FunctionsHaveLocalAndSharedMemoryOfTheirOwn) {
  // Local memory is each call's, shared memory is one.
  const char *function = ".func (.param .b32 result) f(.param .b32 a) {\n"
                         ".shared .align 4 .b8 counter[4];\n"
                         ".local .align 8 .b8 depot[8]; .reg .b32 %r<4>;\n"
                         "ld.param.b32 %r1, [a]; st.local.b32 [depot+4], %r1;\n"
                         "atom.shared.add.u32 %r3, [counter], 1;\n"
                         "ld.local.b32 %r2, [depot+4];\n"
                         "add.u32 %r2, %r2, %r3;\n"
                         "st.param.b32 [result], %r2; ret;\n}\n";
  std::string start = ".local .align 4 .b8 own[4]; st.local.b32 [own], 77;\n";
  SmallLaunch one;
  one.threads = 1;
  SmallRun run = runSmallModule(
      function,
      start + callWith("f", "100", "%r1") + callWith("f", "200", "%r2") +
          "ld.local.b32 %r3, [own]; add.u32 %r0, %r1, %r2;\n"
          "add.u32 %r0, %r0, %r3;" +
          storeResult,
      one);
  EXPECT_EQ(run.error, "");
  // The counter starts at what shared memory holds: the two differ by one.
  EXPECT_EQ(run.words[0], 377u + 2 * 0xcdcdcdcd + 1);
}

TEST(Call, FunctionsReadSpecialRegisters) {
  // Those that the kernel does not name, too.
  const char *place = ".func (.reg .b32 %r) place() {\n.reg .b32 %x<2>;\n"
                      "mov.u32 %x0, %ntid.x; mad.lo.u32 %r, %laneid, 2, %x0;\n"
                      "ret;\n}\n.func (.reg .b32 %r) more() {\n"
                      "call (%r), place, ();\n"
                      "mad.lo.u32 %r, %nctaid.x, 1000, %r;\n}\n";
  auto words =
      compute(place, std::string("call (%r0), more, ();\n") + storeResult);
  EXPECT_EQ(words[9], 1000 + 32 + 18u);
}

//===----------------------------------------------------------------------===//
// Lanes that are apart
//===----------------------------------------------------------------------===//

TEST(Call, InALoop) {
  auto words = compute(triple, "mov.u32 %r0, 1; mov.u32 %r1, 0;\nL:\n" +
                                   callWith("triple", "%r0", "%r0") +
                                   "add.u32 %r1, %r1, 1;\n"
                                   "and.b32 %r2, %t, 3;\n"
                                   "setp.le.u32 %p0, %r1, %r2;\n"
                                   "@%p0 bra L;\n" +
                                   storeResult);
  EXPECT_EQ(words[0], 3u);
  EXPECT_EQ(words[3], 81u);
  EXPECT_EQ(words[4], 3u);
}

TEST(Call, InSomeLanesAlone) {
  // Half of the lanes call, and those behind the call come together again.
  auto words = compute(
      triple, "setp.lt.u32 %p0, %t, 16; mov.u32 %r0, 5;\n"
              "@!%p0 bra E;\n" +
                  callWith("triple", "%t", "%r0") + "E:\n" +
                  "shfl.sync.bfly.b32 %r0, %r0, 16, 31, -1;\n" + storeResult);
  EXPECT_EQ(words[20], 12u);
  EXPECT_EQ(words[4], 5u);
}

TEST(Call, WithAGuard) {
  auto words = compute(triple, "setp.lt.u32 %p0, %t, 16; mov.u32 %r0, 5;\n"
                               "@%p0 call (%r0), triple, (%t);\n"
                               "shfl.sync.bfly.b32 %r0, %r0, 16, 31, -1;\n" +
                                   std::string(storeResult));
  EXPECT_EQ(words[20], 12u);
  EXPECT_EQ(words[4], 5u);
}

TEST(Call, ReturnsInSomeLanesEarlier) {
  const char *function = ".func (.param .b32 result) f(.param .b32 a) {\n"
                         ".reg .b32 %r<4>; .reg .pred %p<3>;\n"
                         "ld.param.b32 %r1, [a]; st.param.b32 [result], 1;\n"
                         "setp.lt.u32 %p1, %r1, 8;\n@%p1 ret;\n"
                         "st.param.b32 [result], 2;\n"
                         "setp.lt.u32 %p1, %r1, 16;\n@%p1 bra L;\n"
                         "st.param.b32 [result], 3;\nret;\nL:\n}\n";
  auto words = compute(function, callWith("f", "%t", "%r0") + "bar.sync 0;\n" +
                                     storeResult);
  EXPECT_EQ(words[7], 1u);
  EXPECT_EQ(words[8], 2u);
  EXPECT_EQ(words[31], 3u);
}

TEST(Call, FunctionMayEndTheThread) {
  const char *stop = ".func stop(.param .b32 a) .noreturn {\nexit;\n}\n";
  auto words = compute(stop, "setp.lt.u32 %p0, %t, 16;\n@%p0 bra L;\n"
                             "{ .param .b32 p0; st.param.b32 [p0], 1;\n"
                             "call.uni stop, (p0); }\nL:\n"
                             "st.global.b32 [%mine], 1;");
  EXPECT_EQ(words[15], 1u);
  EXPECT_EQ(words[16], 7u);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

TEST(Call, UnwrittenArgumentsMayPassThrough) {
  // The second word of the structure has no value, and nobody looks at it.
  const char *same = ".func (.param .align 4 .b8 result[8]) same("
                     ".param .align 4 .b8 a[8]) {\n.reg .b32 %r<3>;\n"
                     "ld.param.b32 %r1, [a]; ld.param.b32 %r2, [a+4];\n"
                     "st.param.b32 [result], %r1;\n"
                     "st.param.b32 [result+4], %r2; ret;\n}\n";
  std::string call = "{ .param .align 4 .b8 p0[8]; .param .align 4 .b8 r0[8];\n"
                     "st.param.b32 [p0], %t; st.param.b32 [p0+4], %r9;\n"
                     "call (r0), same, (p0);\n"
                     "ld.param.b32 %r0, [r0]; ld.param.b32 %r1, [r0+4]; }\n";
  EXPECT_EQ(compute(same, call + storeResult)[3], 3u);
  SmallRun run = runSmallModule(same, call + "st.global.b32 [%mine], %r1;");
  EXPECT_TRUE(run.found(Check::UninitializedRegister));
}

TEST(Call, FunctionsStartWithoutValues) {
  // The second call finds nothing of the first one: no registers, no local
  // memory, no result.
  std::string head = ".func (.param .b32 result) f(.param .b32 a) {\n"
                     ".reg .b32 %r<4>; .reg .pred %p<2>;\n"
                     ".local .align 4 .b8 depot[4];\n"
                     "ld.param.b32 %r1, [a]; setp.eq.u32 %p1, %r1, 0;\n";
  std::string calls = ".param .b32 p0; .param .b32 r0;\n"
                      "st.param.b32 [p0], 0; call (r0), f, (p0);\n"
                      "ld.param.b32 %r1, [r0];\n"
                      "st.param.b32 [p0], 1; call (r0), f, (p0);\n"
                      "ld.param.b32 %r0, [r0];\n";
  auto finds = [&](const std::string &body, Check check) {
    SmallRun run =
        runSmallModule(head + body + "ret;\n}\n", calls + storeResult);
    EXPECT_EQ(run.error, "");
    return run.found(check);
  };
  EXPECT_TRUE(finds("@%p1 mov.u32 %r2, 5;\nst.param.b32 [result], %r2;\n",
                    Check::UninitializedRegister));
  EXPECT_FALSE(finds("mov.u32 %r2, 5;\nst.param.b32 [result], %r2;\n",
                     Check::UninitializedRegister));
  EXPECT_TRUE(
      finds("@%p1 st.param.b32 [result], 5;\n", Check::UninitializedRegister));
  EXPECT_TRUE(finds("@%p1 st.local.b32 [depot], 5;\n"
                    "ld.local.b32 %r2, [depot];\n",
                    Check::UninitializedMemory));
  EXPECT_FALSE(finds("st.local.b32 [depot], 5;\nld.local.b32 %r2, [depot];\n",
                     Check::UninitializedMemory));
}

TEST(Call, FaultIsAtTheFunctionsLine) {
  const char *load = ".func f(.param .b64 a) {\n.reg .b64 %d1; .reg .b32 %r1;\n"
                     "ld.param.b64 %d1, [a];\nld.global.b32 %r1, [%d1];\n}\n";
  SmallRun run = runSmallModule(load, "call f, (16);");
  ASSERT_TRUE(run.found(Check::OutOfBounds));
  EXPECT_EQ(run.faults[0].location.line, 7u);
}

TEST(Call, CountsAreByTheFunctionsLines) {
  SmallRun run = runSmallModule(
      triple, "setp.lt.u32 %p0, %t, 16;\n@%p0 call (%r0), triple, (%t);\n" +
                  callWith("triple", "%t", "%r0"));
  EXPECT_EQ(run.error, "");
  auto lanesAt = [&](uint32_t line) {
    uint64_t lanes = 0;
    for (size_t i = 0; i < run.counts.size(); ++i)
      if (run.locations[i].line == line)
        lanes += run.counts[i].lanes;
    return lanes;
  };
  // The multiplication of both calls, and the call with a guard.
  EXPECT_EQ(lanesAt(7), 48u);
  EXPECT_EQ(lanesAt(22), 16u);
}

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

TEST(Call, RecursionIsRefused) {
  const char *direct = ".func f(.param .b32 a) {\n"
                       "{ .param .b32 p0; st.param.b32 [p0], 1;\n"
                       "call f, (p0); }\nret;\n}\n";
  EXPECT_EQ(errorOf(direct, "call f, (1);"),
            "6: expects calls without recursion, but 'f' comes to call itself "
            "here");
  const char *mutual = ".func g();\n.func f() { call g; ret; }\n"
                       ".func g() { call f; ret; }\n";
  EXPECT_EQ(errorOf(mutual, "call f;"),
            "6: expects calls without recursion, but 'f' comes to call itself "
            "here");
  // Nobody calls it.
  EXPECT_EQ(errorOf(direct, ""), "");
}

TEST(Call, ExplosionIsRefused) {
  std::string text = ".func f0() { ret; }\n";
  for (unsigned i = 1; i < 40; ++i) {
    std::string call = "call f" + std::to_string(i - 1) + "; ";
    text += ".func f" + std::to_string(i) + "() { " + call + call + "}\n";
  }
  EXPECT_EQ(
      errorOf(text, "call f39;"),
      "45: expects at most 262144 instructions once the code of functions "
      "stands at each of their calls, but kernel 'k' has more");
  EXPECT_EQ(errorOf(text, "call f9;"), "");
}

TEST(Call, TooMuchLocalMemoryIsRefused) {
  auto text = [](const std::string &bytes) {
    return ".func f() {\n.local .b8 depot[" + bytes +
           "];\nret;\n}\n"
           ".func g() {\n.local .b8 depot[500000];\ncall f;\nret;\n}\n";
  };
  EXPECT_EQ(errorOf(text("1000"), "call g;"), "");
  EXPECT_EQ(errorOf(text("100000"), "call g;"),
            "4: expects at most 524288 bytes of local memory, but those of 'f' "
            "and its callers exceed them");
  EXPECT_EQ(errorOf(text("1000000"), "call f;"),
            "5: expects at most 524288 bytes of local memory, but 'depot' "
            "exceeds them");
}

TEST(Call, LongChainsAreNoProblem) {
  std::string text = ".func f0() { ret; }\n";
  for (unsigned i = 1; i < 20000; ++i)
    text += ".func f" + std::to_string(i) + "() { call f" +
            std::to_string(i - 1) + "; }\n";
  EXPECT_EQ(errorOf(text, "call f19999;"), "");
}

TEST(Call, WhatItCannotCall) {
  auto error = [](const std::string &body) { return errorOf(triple, body); };
  EXPECT_EQ(error("mov.b64 %d1, triple;\nP: .callprototype _ ();\n"
                  "call %d1, (), P;"),
            "23: the emulator cannot execute 'call': expects a function's "
            "name, as calls by an address are not known");
  EXPECT_EQ(errorOf(".extern .func f();", "call f;"),
            "14: the emulator cannot execute 'call': expects a function with a "
            "body in this module, vprintf or __assertfail, but got 'f'");
  EXPECT_EQ(errorOf(".extern .func (.param .b64 r) malloc(.param .b64 a);",
                    "call (%d1), malloc, (4);"),
            "14: the emulator cannot execute 'call': 'malloc' needs a heap on "
            "the device, which the emulator does not have");
  EXPECT_EQ(error("call k, (%d1);"),
            "21: the emulator cannot execute 'call': expects a function that "
            "is no kernel, but got 'k'");
  EXPECT_EQ(error("call triple, (%t);"),
            "21: the emulator cannot execute 'call': expects 1 results of "
            "'triple', but got 0");
  EXPECT_EQ(error("call (%r0), triple, (%t, %t);"),
            "21: the emulator cannot execute 'call': expects 1 arguments of "
            "'triple', but got 2");
  EXPECT_EQ(error(".param .b64 p0; call (%r0), triple, (p0);"),
            "21: the emulator cannot execute 'call': expects 4 bytes for 'a' "
            "of 'triple', but 'p0' has 8");
  EXPECT_EQ(error("call (%r0), triple, (tile);"),
            "21: the emulator cannot execute 'call': expects a '.param' "
            "variable for 'a' of 'triple', but got 'tile'");
  EXPECT_EQ(error("call (%r0), triple, (%d1);"),
            "21: the emulator cannot execute 'call': expects a register of 32 "
            "bits, but got one of 64");
  EXPECT_EQ(error(".param .b32 p0; st.param.b64 [p0], %d1;"),
            "21: the emulator cannot execute 'st.param.b64': expects a place "
            "in the 4 bytes of a parameter, at a multiple of the 8 bytes of "
            "the access, but got byte 0");
  EXPECT_EQ(error(".param .b64 p0; st.param.b32 [p0+-4], %t;"),
            "21: the emulator cannot execute 'st.param.b32': expects a place "
            "in the 8 bytes of a parameter, at a multiple of the 4 bytes of "
            "the access, but got byte -4");
}

} // namespace
