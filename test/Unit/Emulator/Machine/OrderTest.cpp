// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of lanes, warps and CTAs: who may wait for whom, and what a seed
// changes.

#include "SmallKernel.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace tilewright::emulator;

namespace {

void expectClean(const SmallRun &run) {
  EXPECT_EQ(run.error, "");
  for (const Fault &fault : run.faults)
    ADD_FAILURE() << fault.location.line << ": " << fault.message;
}

TEST(Order, LanesMayWaitForLanesOfTheirWarp) {
  // Lane 0 waits in a loop for what lane 1 does behind the branch.
  for (uint64_t seed : {0, 1, 2})
    expectClean(runSmall("setp.eq.u32 %p0, %t, 0;\n@%p0 bra L;\n"
                         "atom.global.exch.b32 %r0, [%out], 9;\nbra E;\n"
                         "L:\natom.global.cas.b32 %r0, [%out], 9, 10;\n"
                         "setp.ne.u32 %p1, %r0, 9;\n@%p1 bra L;\nE:",
                         2, 256, true, seed));
}

TEST(Order, CtasMayWaitForLaterOnes) {
  // Every CTA counts itself and waits until both have.
  std::string body = "red.global.add.u32 [%out], 1;\nL:\n"
                     "ld.acquire.gpu.global.u32 %r0, [%out];\n"
                     "setp.lt.u32 %p0, %r0, 9;\n@%p0 bra L;";
  SmallLaunch small;
  small.threads = 1;
  small.ctas = 2;
  small.maximumSteps = uint64_t(1) << 23;
  SmallRun run = runSmall(body, small);
  expectClean(run);
  EXPECT_EQ(run.words[0], 9u);
}

/// Of `ctas` CTAs in `hostThreads` threads: what progress was told, sorted.
std::vector<std::pair<uint64_t, uint64_t>> progressOf(uint32_t ctas,
                                                      unsigned hostThreads) {
  std::vector<std::pair<uint64_t, uint64_t>> told;
  SmallLaunch small;
  small.ctas = ctas;
  small.hostThreads = hostThreads;
  small.progress = [&](uint64_t done, uint64_t total) {
    told.emplace_back(done, total);
  };
  expectClean(runSmall("add.u32 %r0, %t, 1;", small));
  std::sort(told.begin(), told.end());
  return told;
}

TEST(Order, ProgressIsToldOfEachCta) {
  using Told = std::vector<std::pair<uint64_t, uint64_t>>;
  EXPECT_EQ(progressOf(3, 1), (Told{{1, 3}, {2, 3}, {3, 3}}));
  Told told = progressOf(200, 4);
  ASSERT_EQ(told.size(), 200u);
  for (uint64_t count = 0; count < told.size(); ++count)
    EXPECT_EQ(told[count], (std::pair<uint64_t, uint64_t>{count + 1, 200}));
}

TEST(Order, ASeedMovesLanesApart) {
  // Without a seed the lanes keep together, and read what they wrote; with one
  // some run ahead. The race is reported either way.
  std::string body = "mov.u32 %r0, tile;\nmad.lo.u32 %r1, %t, 4, %r0;\n"
                     "st.shared.u32 [%r1], 1;\nbar.warp.sync -1;\n"
                     "st.shared.u32 [%r1], 2;\nxor.b32 %r2, %r1, 4;\n"
                     "ld.shared.u32 %r3, [%r2];\nst.global.u32 [%mine], %r3;";
  auto count = [&](uint64_t seed) {
    SmallRun run = runSmall(body, 32, 256, true, seed);
    EXPECT_TRUE(run.found(Check::SharedRace));
    return std::count(run.words.begin(), run.words.end(), 1u);
  };
  EXPECT_EQ(count(0), 0);
  int moved = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed)
    moved += count(seed) > 0;
  EXPECT_GT(moved, 0);
  EXPECT_EQ(count(7), count(7));
}

TEST(Order, ShufflesOrderNoMemory) {
  // A lane reads what its neighbour wrote: ordered by a barrier of the warp,
  // not by values that lanes exchange.
  std::string begin = "mov.u32 %r0, tile;\nmad.lo.u32 %r1, %t, 4, %r0;\n"
                      "st.shared.u32 [%r1], 1;\n";
  std::string end = "xor.b32 %r2, %r1, 4;\nld.shared.u32 %r3, [%r2];\n"
                    "st.global.u32 [%mine], %r3;";
  expectClean(runSmall(begin + "bar.warp.sync -1;\n" + end, 32, 256));
  for (const char *between : {"shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1;\n",
                              "vote.sync.ballot.b32 %r4, 1, -1;\n"}) {
    SmallRun run = runSmall(begin + between + end, 32, 256);
    EXPECT_TRUE(run.found(Check::SharedRace)) << between;
  }
}

TEST(Order, LanesThatRunAheadMeetWhereOthersWait) {
  // The branches meet before the barrier, which every lane reaches at once.
  for (uint64_t seed = 1; seed <= 40; ++seed)
    expectClean(runSmall("setp.lt.u32 %p0, %t, 7;\n@%p0 bra L;\n"
                         "add.u32 %r0, %t, 1;\nadd.u32 %r1, %r0, 1;\n"
                         "bra E;\nL:\nadd.u32 %r0, %t, 2;\n"
                         "add.u32 %r1, %r0, 2;\nadd.u32 %r2, %r1, 1;\nE:\n"
                         "add.u32 %r0, %t, 2;\nadd.u32 %r0, %r0, 2;\n"
                         "bar.sync 0;",
                         32, 256, true, seed));
}

TEST(Order, ASeedMovesCopies) {
  // A copy's source is changed before its wait: both contents are seen.
  std::string body = "mov.u32 %r0, tile;\nmad.lo.u32 %r1, %t, 4, %r0;\n"
                     "cp.async.ca.shared.global [%r1], [%mine], 4;\n"
                     "cp.async.commit_group;\n";
  for (int i = 0; i < 100; ++i)
    body += "add.u32 %r2, %r1, 1;\n";
  body += "st.global.u32 [%mine], 5;\ncp.async.wait_group 0;\n"
          "ld.shared.u32 %r3, [%r1];\nst.global.u32 [%mine], %r3;";
  auto run = [&](uint64_t seed) {
    return runSmall(body, 32, 256, true, seed).words;
  };
  EXPECT_EQ(run(0), std::vector<uint32_t>(32, 5));
  std::vector<uint32_t> words = run(1);
  EXPECT_GT(std::count(words.begin(), words.end(), 5u), 0);
  EXPECT_GT(std::count(words.begin(), words.end(), 7u), 0);
  EXPECT_EQ(words, run(1));
}

TEST(Order, HostThreadsChangeNothing) {
  SmallLaunch small;
  small.threads = 64;
  small.ctas = 8;
  // Each CTA has its own word; then two have the same one.
  std::string start = "setp.ne.u32 %p7, %t, 0;\n@%p7 ret;\n"
                      "mov.u32 %r0, %ctaid.x;\n";
  std::string own = "mad.wide.u32 %d0, %r0, 4, %out;\n"
                    "st.global.u32 [%d0], %r0;";
  std::string shared = "and.b32 %r1, %r0, 3;\n"
                       "mad.wide.u32 %d0, %r1, 4, %out;\n"
                       "st.global.u32 [%d0], %r0;";
  for (const std::string &body : {start + own, start + shared}) {
    small.hostThreads = 1;
    SmallRun one = runSmall(body, small);
    small.hostThreads = 4;
    SmallRun four = runSmall(body, small);
    EXPECT_EQ(one.words, four.words);
    ASSERT_EQ(one.faults.size(), four.faults.size());
    for (size_t i = 0; i < one.faults.size(); ++i) {
      EXPECT_EQ(one.faults[i].message, four.faults[i].message);
      EXPECT_EQ(one.faults[i].cta, four.faults[i].cta);
    }
    for (size_t i = 0; i < one.counts.size(); ++i)
      EXPECT_EQ(one.counts[i].lanes, four.counts[i].lanes);
    EXPECT_EQ(one.faults.empty(), body == start + own);
  }
}

} // namespace
