// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that part and meet: what each computes, and that they run together
// again behind the place where their paths meet.

#include "SmallKernel.h"

#include "gtest/gtest.h"

using namespace tilewright::emulator;

namespace {

void expectClean(const SmallRun &run) {
  EXPECT_EQ(run.error, "");
  for (const Fault &fault : run.faults)
    ADD_FAILURE() << fault.location.line << ": " << fault.message;
}

/// Stores activemask, which names the lanes that run together.
const char *storeTogether = "activemask.b32 %r9;\nst.global.u32 [%mine], %r9;";

TEST(ControlFlow, LanesMeetBehindABranch) {
  SmallRun run = runSmall(std::string("setp.lt.u32 %p0, %t, 5;\n"
                                      "@%p0 bra L;\nmov.u32 %r0, 1;\nL:\n") +
                          storeTogether);
  expectClean(run);
  for (uint32_t mask : run.words)
    EXPECT_EQ(mask, ~0u);
}

TEST(ControlFlow, BothSidesOfABranch) {
  SmallRun run = runSmall("and.b32 %r1, %t, 1;\nsetp.eq.u32 %p0, %r1, 1;\n"
                          "@%p0 bra ODD;\nmov.u32 %r0, 100;\nbra E;\nODD:\n"
                          "mov.u32 %r0, 200;\nE:\nadd.u32 %r0, %r0, %t;\n"
                          "st.global.u32 [%mine], %r0;");
  expectClean(run);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(run.words[i], (i & 1 ? 200 : 100) + i);
}

TEST(ControlFlow, BranchesByAnIndex) {
  // Every third lane goes elsewhere; all meet behind.
  std::string body = "rem.u32 %r1, %t, 3;\nT: .branchtargets A, B, A;\n"
                     "brx.idx %r1, T;\nA:\nmov.u32 %r0, 100;\nbra E;\nB:\n"
                     "mov.u32 %r0, 200;\nE:\n";
  for (uint64_t seed : {0, 1, 2, 3}) {
    SmallRun run = runSmall(body + "add.u32 %r0, %r0, %t;\n"
                                   "st.global.u32 [%mine], %r0;",
                            32, 256, true, seed);
    expectClean(run);
    for (uint32_t i = 0; i < 32; ++i)
      EXPECT_EQ(run.words[i], (i % 3 == 1 ? 200 : 100) + i);
  }
  SmallRun run = runSmall(body + storeTogether);
  for (uint32_t mask : run.words)
    EXPECT_EQ(mask, ~0u);
  EXPECT_TRUE(runSmall("T: .branchtargets A, A;\nbrx.idx %t, T;\nA:\n")
                  .found(Check::Execution));
}

TEST(ControlFlow, LoopsOfDifferentLength) {
  // The sum of 0..tid, and all lanes together behind the loop.
  std::string loop = "mov.u32 %r0, 0;\nmov.u32 %r1, 0;\nL:\n"
                     "add.u32 %r0, %r0, %r1;\nadd.u32 %r1, %r1, 1;\n"
                     "setp.le.u32 %p0, %r1, %t;\n@%p0 bra L;\n";
  SmallRun run = runSmall(loop + "st.global.u32 [%mine], %r0;");
  expectClean(run);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(run.words[i], i * (i + 1) / 2);
  run = runSmall(loop + storeTogether);
  for (uint32_t mask : run.words)
    EXPECT_EQ(mask, ~0u);
}

TEST(ControlFlow, LoopInsideALoop) {
  // The inner count depends on the lane and on the outer round.
  SmallRun run = runSmall(
      "mov.u32 %r0, 0;\nmov.u32 %r1, 0;\nOUTER:\nand.b32 %r2, %t, 3;\n"
      "add.u32 %r2, %r2, %r1;\nINNER:\nsetp.eq.u32 %p0, %r2, 0;\n"
      "@%p0 bra DONE;\nadd.u32 %r0, %r0, 1;\nsub.u32 %r2, %r2, 1;\n"
      "bra INNER;\nDONE:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 4;\n"
      "@%p1 bra OUTER;\nst.global.u32 [%mine], %r0;");
  expectClean(run);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(run.words[i], 4 * (i & 3) + 0 + 1 + 2 + 3);
}

TEST(ControlFlow, LanesThatEndEarly) {
  SmallRun run = runSmall("setp.ge.u32 %p0, %t, 20;\n@%p0 ret;\n"
                          "bar.sync 0;\nst.global.u32 [%mine], %t;",
                          64);
  expectClean(run);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(run.words[i], i < 20 ? i : 7);
}

TEST(ControlFlow, PartOfAWarp) {
  SmallRun run = runSmall(storeTogether, 40);
  expectClean(run);
  EXPECT_EQ(run.words[0], ~0u);
  EXPECT_EQ(run.words[39], 0xffu);
}

TEST(ControlFlow, CountsAreThoseOfTheLanes) {
  SmallRun run = runSmall("setp.lt.u32 %p0, %t, 5;\n"
                          "@%p0 st.global.u32 [%mine], %t;",
                          64);
  expectClean(run);
  // Behind the three instructions of the frame.
  EXPECT_EQ(run.counts[3].warps, 2u);
  EXPECT_EQ(run.counts[3].lanes, 64u);
  EXPECT_EQ(run.counts[4].warps, 1u);
  EXPECT_EQ(run.counts[4].lanes, 5u);
  EXPECT_EQ(run.counts[4].bytes, 20u);
  EXPECT_EQ(run.counts[4].sectors, 1u);
}

} // namespace
