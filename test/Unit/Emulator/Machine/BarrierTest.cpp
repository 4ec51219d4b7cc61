// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers with results, barriers of lanes that are apart, and mbarriers, each
// with the faults that they are reported for.

#include "SmallKernel.h"

#include "gtest/gtest.h"

using namespace tilewright::emulator;

namespace {

void expectClean(const SmallRun &run) {
  EXPECT_EQ(run.error, "");
  for (const Fault &fault : run.faults)
    ADD_FAILURE() << fault.location.line << ": " << fault.message;
}

TEST(Barrier, Reductions) {
  std::string start = "setp.lt.u32 %p0, %t, 40;\n";
  std::string finish = "st.global.u32 [%mine], %r0;";
  for (uint64_t seed : {0, 3}) {
    SmallRun run = runSmall(start + "bar.red.popc.u32 %r0, 0, %p0;\n" + finish,
                            64, 256, true, seed);
    expectClean(run);
    EXPECT_EQ(run.words, std::vector<uint32_t>(64, 40));
  }
  auto predicate = [&](const char *operation, const char *input) {
    SmallRun run = runSmall(start + "barrier.cta.red." + operation +
                                ".aligned.pred %p1, 1, 64, " + input +
                                ";\nselp.u32 %r0, 1, 0, %p1;\n" + finish,
                            64);
    expectClean(run);
    EXPECT_EQ(run.words, std::vector<uint32_t>(64, run.words[0]));
    return run.words[0];
  };
  EXPECT_EQ(predicate("and", "%p0"), 0u);
  EXPECT_EQ(predicate("or", "%p0"), 1u);
  EXPECT_EQ(predicate("or", "!%p0"), 1u);
  EXPECT_EQ(runSmall("bar.red.popc.u32 %r0, 0, %p0;")
                .found(Check::UninitializedRegister),
            true);
}

TEST(Barrier, LanesThatAreApartComeOneByOne) {
  std::string apart = "setp.lt.u32 %p0, %t, 16;\n@%p0 bra L;\n"
                      "barrier.sync 0;\nbra E;\nL:\n";
  expectClean(runSmall(apart + "barrier.sync 0;\nE:", 64));
  SmallRun run = runSmall(apart + "barrier.sync 1;\nE:", 64);
  EXPECT_TRUE(run.found(Check::Deadlock));
}

//===----------------------------------------------------------------------===//
// mbarrier
//===----------------------------------------------------------------------===//

/// An mbarrier for `count` arrivals behind 256 bytes of shared memory.
std::string initialize(const char *count) {
  return std::string("setp.eq.u32 %p0, %t, 0;\n@%p0 mbarrier.init.shared.b64 "
                     "[tile+256], ") +
         count + ";\nbar.sync 0;\n";
}

const char *const waitForPhase0 =
    "L:\nmbarrier.try_wait.parity.shared.b64 %p1, [tile+256], 0;\n"
    "@!%p1 bra L;\n";

/// Each thread stores its word, arrives, waits, and reads another warp's.
std::string exchange(const char *between) {
  return "mov.u32 %r0, tile;\nmad.lo.u32 %r1, %t, 4, %r0;\n"
         "st.shared.u32 [%r1], %t;\n" +
         std::string(between) +
         "xor.b32 %r2, %r1, 128;\nld.shared.u32 %r3, [%r2];\n"
         "st.global.u32 [%mine], %r3;";
}

TEST(MemoryBarrier, OrdersThoseWhoWait) {
  std::string arrive = "mbarrier.arrive.shared.b64 _, [tile+256];\n";
  for (uint64_t seed : {0, 1, 2, 3}) {
    SmallRun run =
        runSmall(initialize("64") + exchange((arrive + waitForPhase0).c_str()),
                 64, 264, true, seed);
    expectClean(run);
    for (uint32_t thread = 0; thread < 64; ++thread)
      EXPECT_EQ(run.words[thread], thread ^ 32);
  }
  // By its token.
  expectClean(runSmall(
      initialize("64") +
          exchange("mbarrier.arrive.shared.b64 %d0, [tile+256];\nL:\n"
                   "mbarrier.test_wait.shared.b64 %p1, [tile+256], %d0;\n"
                   "@!%p1 bra L;\n"),
      64, 264));
  // Arriving without waiting orders nothing.
  SmallRun run = runSmall(initialize("64") + exchange(arrive.c_str()), 64, 264);
  EXPECT_TRUE(run.found(Check::SharedRace) ||
              run.found(Check::UninitializedMemory));
}

TEST(MemoryBarrier, WaitsForBytes) {
  std::string start =
      initialize("1") +
      "@!%p0 bra L;\n"
      "mbarrier.arrive.expect_tx.shared.b64 _, [tile+256], 8;\n";
  expectClean(runSmall(
      start + "mbarrier.complete_tx.relaxed.cta.shared.b64 [tile+256], 8;\n" +
          waitForPhase0,
      64, 264));
  EXPECT_TRUE(runSmall(start + waitForPhase0, 64, 264).found(Check::Deadlock));
}

TEST(MemoryBarrier, Faults) {
  std::string arrive = "mbarrier.arrive.shared.b64 _, [tile+256];\n";
  // Too few, too many, none there, not a count.
  SmallRun run = runSmall(initialize("65") + arrive + waitForPhase0, 64, 264);
  ASSERT_TRUE(run.found(Check::Deadlock));
  EXPECT_NE(run.faults[0].message.find("the mbarrier at 256"),
            std::string::npos);
  EXPECT_TRUE(
      runSmall(initialize("2") + "mbarrier.arrive.shared.b64 _, [tile+256], 3;",
               32, 264)
          .found(Check::BarrierMismatch));
  EXPECT_TRUE(runSmall("st.shared.u64 [tile+256], 0;\n" + arrive, 1, 264)
                  .found(Check::BarrierMismatch));
  EXPECT_TRUE(runSmall(initialize("0"), 32, 264).found(Check::BarrierMismatch));
  EXPECT_TRUE(runSmall(initialize("1") + initialize("1"), 32, 264)
                  .found(Check::BarrierMismatch));
  expectClean(runSmall(initialize("1") +
                           "@%p0 mbarrier.inval.shared.b64 [tile+256];\n" +
                           initialize("1"),
                       32, 264));
}

TEST(MemoryBarrier, TracksCopies) {
  std::string copy = "mov.u32 %r0, tile;\nmad.lo.u32 %r1, %t, 4, %r0;\n"
                     "cp.async.ca.shared.global [%r1], [%mine], 4;\n";
  std::string track = "cp.async.mbarrier.arrive.noinc.shared.b64 [tile+256];\n";
  std::string read = "xor.b32 %r2, %r1, 128;\nld.shared.u32 %r3, [%r2];\n"
                     "st.global.u32 [%mine], %r3;";
  for (uint64_t seed : {0, 1, 2}) {
    SmallRun run =
        runSmall(initialize("64") + copy + track + waitForPhase0 + read, 64,
                 264, true, seed);
    expectClean(run);
    EXPECT_EQ(run.words, std::vector<uint32_t>(64, 7));
  }
  EXPECT_TRUE(runSmall(initialize("64") + copy + track + read, 64, 264)
                  .found(Check::AsynchronousCopy));
  // Counted in: the threads' own arrivals are expected beside it.
  expectClean(runSmall(initialize("64") + copy +
                           "cp.async.mbarrier.arrive.shared.b64 [tile+256];\n"
                           "mbarrier.arrive.shared.b64 _, [tile+256];\n" +
                           waitForPhase0 + read,
                       64, 264));
}

} // namespace
