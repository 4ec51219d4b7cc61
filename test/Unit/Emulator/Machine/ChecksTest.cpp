// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each check: a kernel with the fault, which it reports at its line, and the
// repaired one, which passes.

#include "SmallKernel.h"

#include "gtest/gtest.h"

using namespace tilewright::emulator;

namespace {

/// The first line of a body within the text that runSmall makes.
constexpr uint32_t firstLine = 13;

void expectFault(const SmallRun &run, Check check, uint32_t line) {
  EXPECT_EQ(run.error, "");
  ASSERT_FALSE(run.faults.empty());
  EXPECT_EQ(run.faults[0].check, check) << run.faults[0].message;
  EXPECT_EQ(run.faults[0].location.line, firstLine + line)
      << run.faults[0].message;
}

void expectClean(const SmallRun &run) {
  EXPECT_EQ(run.error, "");
  for (const Fault &fault : run.faults)
    ADD_FAILURE() << fault.location.line << ": " << fault.message;
}

TEST(Checks, OutOfBoundsInGlobalMemory) {
  expectFault(runSmall("st.global.u32 [%mine+4], %t;"), Check::OutOfBounds, 0);
  expectClean(runSmall("st.global.u32 [%mine], %t;"));
  SmallRun run = runSmall("st.global.u32 [%mine+4], %t;");
  EXPECT_EQ(run.faults[0].lane, 31u);
  EXPECT_EQ(run.faults[0].times, 1u);
  // Before the allocation, and nowhere near one.
  expectFault(runSmall("ld.global.u32 %r0, [%mine+-4];"), Check::OutOfBounds,
              0);
  expectFault(runSmall("mov.u64 %d0, 16;\nld.global.u32 %r0, [%d0];"),
              Check::OutOfBounds, 1);
}

// What the launch ahead may still write, and what the next one may read that
// the one ahead of this one writes.
TEST(Checks, DependentLaunches) {
  SmallLaunch how;
  how.isDependent = true;
  const char *early = "st.global.u32 [%mine], %t;\ngriddepcontrol.wait;";
  expectFault(runSmall(early, how), Check::GlobalRace, 0);
  expectClean(runSmall(early));
  expectClean(runSmall("griddepcontrol.wait;\n"
                       "griddepcontrol.launch_dependents;\n"
                       "st.global.u32 [%mine], %t;",
                       how));
  // Some lanes alone have waited.
  const char *some = "setp.lt.u32 %p0, %t, 16;\n@!%p0 bra L;\n"
                     "griddepcontrol.wait;\nL:\nst.global.u32 [%mine], %t;";
  SmallRun run = runSmall(some, how);
  expectFault(run, Check::GlobalRace, 4);
  EXPECT_EQ(run.faults[0].lane, 16u);
  // It ends before the one ahead of it may have.
  expectFault(runSmall("mov.u32 %r0, 1;\nexit;", how), Check::GlobalRace, 1);
}

TEST(Checks, OutOfBoundsInSharedMemory) {
  const char *store = "mov.u32 %r0, tile;\nmad.lo.u32 %r1, %t, 8, %r0;\n"
                      "st.shared.v2.u32 [%r1], {%t, %t};";
  expectFault(runSmall(store, 32, 252), Check::OutOfBounds, 2);
  expectClean(runSmall(store, 32, 256));
}

TEST(Checks, Misaligned) {
  expectFault(runSmall("ld.global.u16 %r0, [%out+1];"), Check::Misaligned, 0);
  expectClean(runSmall("ld.global.u16 %r0, [%out+2];"));
  expectFault(runSmall("ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%out+8];"),
              Check::Misaligned, 0);
  expectClean(runSmall("ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%out+16];"));
}

TEST(Checks, UninitializedRegister) {
  // It is what is done with it that counts.
  expectClean(runSmall("add.u32 %r1, %r0, 1;"));
  expectFault(runSmall("add.u32 %r1, %r0, 1;\nst.global.u32 [%mine], %r1;"),
              Check::UninitializedRegister, 1);
  expectClean(runSmall("mov.u32 %r0, 2;\nadd.u32 %r1, %r0, 1;\n"
                       "st.global.u32 [%mine], %r1;"));
  expectFault(runSmall("ld.global.u32 %r0, [%d0];"),
              Check::UninitializedRegister, 0);
  expectFault(runSmall("@%p0 bra L;\nL:"), Check::UninitializedRegister, 0);
  // Written in some lanes alone.
  expectFault(runSmall("setp.lt.u32 %p0, %t, 16;\n@%p0 mov.u32 %r0, 2;\n"
                       "st.global.u32 [%mine], %r0;"),
              Check::UninitializedRegister, 2);
  expectClean(runSmall("setp.lt.u32 %p0, %t, 16;\n@%p0 mov.u32 %r0, 2;\n"
                       "@%p0 st.global.u32 [%mine], %r0;"));
}

TEST(Checks, UninitializedRegisterOff) {
  // What the register happens to hold is stored then.
  auto run = [](const std::string &body, bool isOn) {
    SmallLaunch how;
    how.checks.set(unsigned(Check::UninitializedRegister), isOn);
    return runSmallModule("", body, how);
  };
  const char *store = "setp.lt.u32 %p0, %t, 16;\n@%p0 mov.u32 %r0, 2;\n"
                      "st.global.u32 [%mine], %r0;";
  SmallRun unchecked = run(store, false), checked = run(store, true);
  expectClean(unchecked);
  EXPECT_TRUE(checked.found(Check::UninitializedRegister));
  EXPECT_EQ(unchecked.words[15], 2u);
  EXPECT_EQ(unchecked.words[16], 0xcdcdcdcdu);
  EXPECT_EQ(checked.words[16], 7u);
  const char *add = "atom.global.add.u32 %r1, [%mine], %r0;";
  EXPECT_EQ(run(add, false).words[0], 0xcdcdcdcdu + 7);
  EXPECT_EQ(run(add, true).words[0], 7u);
}

TEST(Checks, DescribesAFault) {
  Fault fault;
  fault.check = Check::Misaligned;
  fault.message = "so it is";
  fault.kernel = "k";
  EXPECT_EQ(describe(fault, {}), "k: misaligned: so it is");
  fault.location = {12, 3};
  fault.cta = {1, 2, 3};
  fault.warp = 4;
  fault.lane = 5;
  fault.times = 6;
  EXPECT_EQ(describe(fault, {}), "k: misaligned at PTX line 12, CTA (1, 2, 3), "
                                 "warp 4, lane 5: so it is (6 times)");
  fault.source = {1, 7, 8};
  fault.times = 1;
  EXPECT_EQ(describe(fault, {"", "a.py"}),
            "k: misaligned at a.py:7:8 (PTX line 12), CTA (1, 2, 3), warp 4, "
            "lane 5: so it is");
}

// A launch has so many steps, however its CTAs share them, in one thread of the
// host and in several.
TEST(Budget, StepsOfALaunch) {
  for (unsigned threads : {1u, 2u}) {
    SmallLaunch how;
    how.ctas = 1000000000;
    how.hostThreads = threads;
    how.maximumLaunchSteps = 100000;
    SmallRun run = runSmall("add.u32 %r0, %t, 1;", how);
    ASSERT_EQ(run.faults.size(), 1u);
    EXPECT_EQ(run.faults[0].check, Check::Execution);
    EXPECT_EQ(run.faults[0].message,
              "expects an end within 100000 warp instructions of the launch");
    how.ctas = 100;
    expectClean(runSmall("add.u32 %r0, %t, 1;", how));
  }
}

TEST(Budget, DeviceMemory) {
  GlobalMemory memory(1000);
  uint64_t first = memory.allocate(600);
  EXPECT_NE(first, 0u);
  EXPECT_EQ(memory.allocate(401), 0u);
  EXPECT_EQ(memory.explainRefusal(401),
            "expects at most 1000 bytes of device memory in all, but got 401 "
            "beside 600");
  EXPECT_EQ(memory.allocate(UINT64_MAX), 0u);
  EXPECT_TRUE(memory.free(first));
  EXPECT_NE(memory.allocate(1000), 0u);
  SmallRun run = runText(std::string(smallTextHead) +
                         ".global .b8 big[8589934592];\n"
                         ".visible .entry k(.param .u64 p) { ret; }\n");
  EXPECT_EQ(run.error,
            "4: cannot hold 'big': expects at most 4294967296 bytes of device "
            "memory in all, but got 8589934592 beside 0");
}

TEST(Budget, PendingCopies) {
  SmallLaunch how;
  how.maximumSteps = 1 << 20;
  how.isFilled = true;
  SmallRun run = runSmall("mov.u32 %r1, 0; mov.b32 %r2, tile;\n"
                          "mad.lo.u32 %r2, %t, 4, %r2;\n"
                          "L: cp.async.ca.shared.global [%r2], [%mine], 4;\n"
                          "add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 10000;\n"
                          "@%p0 bra L; cp.async.wait_all;",
                          how);
  ASSERT_FALSE(run.faults.empty());
  EXPECT_EQ(run.faults[0].message,
            "cp.async.ca.shared.global: expects fewer than 262144 copies of a "
            "warp that nobody has waited for");
}

TEST(Checks, UninitializedMemory) {
  const char *load = "ld.global.u32 %r0, [%mine];";
  expectFault(runSmall(load, 32, 256, /*isFilled=*/false),
              Check::UninitializedMemory, 0);
  expectClean(runSmall(load));
  expectFault(runSmall("ld.shared.u32 %r0, [tile];"),
              Check::UninitializedMemory, 0);
  expectClean(runSmall("setp.eq.u32 %p0, %t, 0;\n"
                       "@%p0 st.shared.u32 [tile], %t;\n"
                       "bar.sync 0;\nld.shared.u32 %r0, [tile];"));
}

TEST(Checks, Divergence) {
  const char *start = "setp.lt.u32 %p0, %t, 16;\n";
  std::string apart = std::string(start) + "@%p0 bra L;\nbra E;\nL:\n";
  expectFault(runSmall(apart + "shfl.sync.bfly.b32 %r0, %t, 1, 31, -1;\nE:"),
              Check::Divergence, 4);
  expectClean(
      runSmall(apart + "shfl.sync.bfly.b32 %r0, %t, 1, 31, 0xffff;\nE:"));
  expectFault(runSmall(apart + "bar.sync 0;\nE:"), Check::Divergence, 4);
  expectClean(runSmall(apart + "E:\nbar.sync 0;"));
  // A lane that does not take part is read.
  expectFault(
      runSmall(apart + "shfl.sync.bfly.b32 %r0, %t, 16, 31, 0xffff;\nE:"),
      Check::Divergence, 4);
}

TEST(Checks, BarrierMismatch) {
  expectFault(runSmall("bar.sync 16;"), Check::BarrierMismatch, 0);
  expectFault(runSmall("bar.sync 0, 40;", 64), Check::BarrierMismatch, 0);
  std::string apart = "setp.lt.u32 %p0, %t, 32;\n@%p0 bra L;\n"
                      "bar.sync 1, 64;\nbra E;\nL:\n";
  expectFault(runSmall(apart + "bar.sync 1, 32;\nE:", 64),
              Check::BarrierMismatch, 2);
  expectClean(runSmall(apart + "bar.sync 1, 64;\nE:", 64));
}

TEST(Checks, SetRegisters) {
  expectClean(runSmall("setmaxnreg.dec.sync.aligned.u32 24;\n"
                       "setmaxnreg.inc.sync.aligned.u32 256;"));
  expectFault(runSmall("setmaxnreg.dec.sync.aligned.u32 16;"), Check::Execution,
              0);
  expectFault(runSmall("setmaxnreg.inc.sync.aligned.u32 44;"), Check::Execution,
              0);
  std::string apart = "setp.lt.u32 %p0, %t, 16;\n@%p0 bra L;\nbra E;\nL:\n";
  expectFault(runSmall(apart + "setmaxnreg.dec.sync.aligned.u32 24;\nE:"),
              Check::Divergence, 4);
}

TEST(Checks, RegisterBudget) {
  // 8 warps of 64 registers a thread: 512 in all.
  auto run = [](const std::string &increase, const std::string &decrease,
                const std::string &increased = "128") {
    SmallLaunch how;
    how.threads = 256;
    return runText(std::string(smallTextHead) +
                       ".visible .entry k(.param .u64 buffer)\n.maxnreg 64\n"
                       "{\n.reg .b32 %t;\n.reg .pred %p;\n"
                       "mov.u32 %t, %tid.x;\nsetp.lt.u32 %p, %t, " +
                       increased +
                       ";\n@%p bra L;\nsetmaxnreg.dec.sync.aligned.u32 " +
                       decrease +
                       ";\nbra E;\nL:\n"
                       "setmaxnreg.inc.sync.aligned.u32 " +
                       increase + ";\nE:\nret;\n}\n",
                   how);
  };
  expectClean(run("104", "24"));
  EXPECT_TRUE(run("112", "24").found(Check::Execution));
  EXPECT_TRUE(run("104", "72").found(Check::Execution));
  EXPECT_TRUE(run("56", "24").found(Check::Execution));
  // The warps of a group execute the same one.
  EXPECT_TRUE(run("72", "24", "64").found(Check::Execution));
}

TEST(Checks, Deadlock) {
  std::string apart = "setp.lt.u32 %p0, %t, 32;\n@%p0 bra L;\n"
                      "bar.sync 1;\nbra E;\nL:\n";
  SmallRun run = runSmall(apart + "bar.sync 2;\nE:", 64);
  ASSERT_TRUE(run.found(Check::Deadlock));
  EXPECT_NE(run.faults[0].message.find("warp 0 at barrier 2"),
            std::string::npos);
  EXPECT_NE(run.faults[0].message.find("warp 1 at barrier 1"),
            std::string::npos);
  expectClean(runSmall(apart + "bar.sync 1;\nE:", 64));
}

TEST(Checks, EndlessLoop) {
  SmallRun run = runSmall("L:\nbra L;");
  ASSERT_TRUE(run.found(Check::Execution));
}

/// Each thread writes a word, and reads the next one's.
std::string exchange(const char *between) {
  return "mov.u32 %r0, tile;\nmad.lo.u32 %r1, %t, 4, %r0;\n"
         "st.shared.u32 [%r1], %t;\n" +
         std::string(between) +
         "xor.b32 %r2, %r1, 128;\nld.shared.u32 %r3, [%r2];";
}

TEST(Checks, RaceBetweenWarps) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    SmallRun run = runSmall(exchange(""), 64, 256, true, seed);
    EXPECT_TRUE(run.found(Check::SharedRace) ||
                run.found(Check::UninitializedMemory));
    expectClean(runSmall(exchange("bar.sync 0;\n"), 64, 256, true, seed));
    // A warp's own synchronisation orders nothing with others.
    run = runSmall(exchange("bar.warp.sync -1;\n"), 64, 256, true, seed);
    EXPECT_FALSE(run.faults.empty());
  }
}

TEST(Checks, RaceWithinAWarp) {
  std::string within = "mov.u32 %r0, tile;\nmad.lo.u32 %r1, %t, 4, %r0;\n"
                       "st.shared.u32 [%r1], %t;\n";
  std::string read = "xor.b32 %r2, %r1, 4;\nld.shared.u32 %r3, [%r2];";
  expectFault(runSmall(within + read), Check::SharedRace, 4);
  expectClean(runSmall(within + "bar.warp.sync -1;\n" + read));
  // One's own word needs nothing.
  expectClean(runSmall(within + "ld.shared.u32 %r3, [%r1];"));
  // Writing what another has read.
  std::string again = read + "\n" + "st.shared.u32 [%r1], %t;";
  expectFault(runSmall(within + "bar.warp.sync -1;\n" + again),
              Check::SharedRace, 6);
  expectClean(runSmall(within + "bar.warp.sync -1;\n" + read +
                       "\nbar.warp.sync -1;\nst.shared.u32 [%r1], %t;"));
}

TEST(Checks, NeighbouringBytesAreNoRace) {
  expectClean(runSmall("cvt.u64.u32 %d0, %t;\nmov.u64 %d1, tile;\n"
                       "add.u64 %d2, %d0, %d1;\nst.shared.u8 [%d2], %t;"));
  expectFault(runSmall("shr.u32 %r1, %t, 1;\ncvt.u64.u32 %d0, %r1;\n"
                       "mov.u64 %d1, tile;\nadd.u64 %d2, %d0, %d1;\n"
                       "st.shared.u8 [%d2], %t;"),
              Check::SharedRace, 4);
}

TEST(Checks, WritingTheSameIsNoRace) {
  std::string same = "st.shared.u32 [tile], 5;\n";
  expectClean(runSmall(same, 64));
  SmallRun run = runSmall("st.shared.u32 [tile], %t;", 64);
  EXPECT_TRUE(run.found(Check::SharedRace));
  // Reading what another writes is one, whatever it writes.
  run = runSmall(same + "ld.shared.u32 %r0, [tile];", 64);
  EXPECT_TRUE(run.found(Check::SharedRace));
}

TEST(Checks, NamedBarriersOrderTheirWarps) {
  // Warps 0 and 1 meet at barrier 1; warp 2 does not.
  std::string start = "mov.u32 %r0, tile;\nmad.lo.u32 %r1, %t, 4, %r0;\n"
                      "st.shared.u32 [%r1], %t;\n"
                      "setp.ge.u32 %p0, %t, 64;\n@%p0 bra E;\n"
                      "bar.sync 1, 64;\n";
  expectClean(runSmall(start + "xor.b32 %r2, %r1, 128;\n"
                               "ld.shared.u32 %r3, [%r2];\nE:",
                       96, 512));
  SmallRun run = runSmall(start + "add.u32 %r2, %r1, 128;\n"
                                  "ld.shared.u32 %r3, [%r2];\nE:",
                          96, 512);
  EXPECT_TRUE(run.found(Check::SharedRace));
}

TEST(Checks, RaceInGlobalMemory) {
  // Each thread writes its word, and reads the next warp's.
  std::string start = "st.global.u32 [%mine], %t;\n";
  std::string read = "xor.b32 %r0, %t, 32;\n"
                     "mad.wide.u32 %d0, %r0, 4, %out;\n"
                     "ld.global.u32 %r1, [%d0];";
  EXPECT_TRUE(runSmall(start + read, 64).found(Check::GlobalRace));
  expectClean(runSmall(start + "bar.sync 0;\n" + read, 64));
  expectFault(runSmall("st.global.u32 [%out], %t;"), Check::GlobalRace, 0);
  expectClean(runSmall("setp.eq.u32 %p0, %t, 3;\n"
                       "@%p0 st.global.u32 [%out], %t;"));
  expectClean(runSmall("atom.global.add.u32 %r0, [%out], 1;", 64));
}

TEST(Checks, BarriersOfOthersOrderNoReads) {
  // Warps 0 and 1 read a word and meet. Warp 2 writes it long after that,
  // having met neither, or both.
  auto body = [](const std::string &order) {
    return "setp.ge.u32 %p0, %t, 64;\n@%p0 bra L;\n"
           "ld.global.u32 %r0, [%out];\nbar.sync 1, 64;\n" +
           order +
           "bra E;\nL:\nmov.u32 %r1, 0;\nM:\nadd.u32 %r1, %r1, 1;\n"
           "setp.lt.u32 %p1, %r1, 2000;\n@%p1 bra M;\n" +
           order +
           "setp.eq.u32 %p2, %t, 64;\n@%p2 st.global.u32 [%out], 7;\nE:";
  };
  for (uint64_t seed : {0, 1, 2}) {
    EXPECT_TRUE(
        runSmall(body(""), 96, 256, true, seed).found(Check::GlobalRace));
    expectClean(runSmall(body("bar.sync 0;\n"), 96, 256, true, seed));
  }
}

TEST(Checks, RaceBetweenCtas) {
  std::string same = "mov.u32 %r0, %ctaid.x;\nst.global.u32 [%out], %r0;";
  std::string own = "mov.u32 %r0, %ctaid.x;\n"
                    "mad.wide.u32 %d0, %r0, 4, %out;\n"
                    "st.global.u32 [%d0], %r0;";
  auto one = [](const std::string &body) {
    return "setp.ne.u32 %p7, %t, 0;\n@%p7 ret;\n" + body;
  };
  SmallRun run = runSmall(one(same), 32, 256, true, 0, /*ctas=*/2);
  ASSERT_TRUE(run.found(Check::GlobalRace));
  EXPECT_EQ(run.faults[0].cta[0], 1u);
  EXPECT_NE(run.faults[0].message.find("CTA 0"), std::string::npos);
  expectClean(runSmall(one(own), 32, 256, true, 0, 2));
  // Reading what another CTA writes, in either order.
  std::string read = "mov.u32 %r0, %ctaid.x;\nsetp.eq.u32 %p0, %r0, 1;\n";
  EXPECT_TRUE(runSmall(one(read + "@%p0 st.global.u32 [%out], %r0;\n"
                                  "@!%p0 ld.global.u32 %r1, [%out];"),
                       32, 256, true, 0, 2)
                  .found(Check::GlobalRace));
  EXPECT_TRUE(runSmall(one(read + "@!%p0 st.global.u32 [%out], %r0;\n"
                                  "@%p0 ld.global.u32 %r1, [%out];"),
                       32, 256, true, 0, 2)
                  .found(Check::GlobalRace));
  // Adding to it is no race, nor is reading the same.
  expectClean(
      runSmall(one("red.global.add.u32 [%out], 1;"), 32, 256, true, 0, 2));
  expectClean(runSmall("ld.global.u32 %r0, [%out];", 32, 256, true, 0, 2));
}

TEST(Checks, AtomicsDoNotRace) {
  expectClean(runSmall("setp.eq.u32 %p0, %t, 0;\n"
                       "@%p0 st.shared.u32 [tile], 0;\nbar.sync 0;\n"
                       "atom.shared.add.u32 %r0, [tile], 1;",
                       64));
  expectFault(runSmall("setp.eq.u32 %p0, %t, 0;\n"
                       "@%p0 st.shared.u32 [tile], 0;\nbar.sync 0;\n"
                       "atom.shared.add.u32 %r0, [tile], 1;\n"
                       "ld.shared.u32 %r1, [tile];",
                       64),
              Check::SharedRace, 4);
}

TEST(Checks, AsynchronousCopy) {
  std::string copy = "mov.u32 %r0, tile;\nmad.lo.u32 %r1, %t, 4, %r0;\n"
                     "cp.async.ca.shared.global [%r1], [%mine], 4;\n"
                     "cp.async.commit_group;\n";
  std::string read = "ld.shared.u32 %r2, [%r1];\nst.global.u32 [%mine], %r2;";
  expectFault(runSmall(copy + read), Check::AsynchronousCopy, 4);
  expectClean(runSmall(copy + "cp.async.wait_group 0;\n" + read));
  expectFault(runSmall(copy + "cp.async.wait_group 1;\n" + read),
              Check::AsynchronousCopy, 5);
  expectClean(runSmall(copy + "cp.async.wait_all;\n" + read));
  // Another lane's copy is waited for by that lane alone.
  SmallRun run = runSmall(copy + "cp.async.wait_group 0;\n"
                                 "xor.b32 %r3, %r1, 4;\n"
                                 "ld.shared.u32 %r2, [%r3];");
  EXPECT_TRUE(run.found(Check::SharedRace));
}

TEST(Checks, CopiesReadTheirFirstBytes) {
  // Six of eight bytes of two words are written, and read.
  SmallRun run = runSmall(
      "setp.eq.u32 %p0, %t, 0;\nmov.u32 %r0, tile;\n"
      "@%p0 st.global.u32 [%mine], 0x01020304;\n"
      "@%p0 st.global.u16 [%mine+4], 0x0506;\n"
      "mov.u32 %r3, 6;\n"
      "@%p0 cp.async.ca.shared.global [%r0], [%mine], 8, %r3;\n"
      "cp.async.wait_all;\n"
      "@%p0 ld.shared.u32 %r1, [%r0];\n@%p0 ld.shared.u32 %r2, [%r0+4];\n"
      "@%p0 st.global.u32 [%mine], %r1;\n@%p0 st.global.u32 [%mine+4], %r2;",
      {.isFilled = false});
  expectClean(run);
  EXPECT_EQ(run.words[0], 0x01020304u);
  EXPECT_EQ(run.words[1], 0x0506u);
}

TEST(Checks, UnknownInstructionsAreNamed) {
  SmallRun run = runSmall("multimem.ld_reduce.global.add.f32 %r0, [%out];");
  EXPECT_EQ(run.error, "13: the emulator does not know the instruction "
                       "'multimem.ld_reduce.global.add.f32'");
  run = runSmall("add.u32.strange %r0, %t, 1;");
  EXPECT_NE(run.error.find("the modifier '.strange' is not known"),
            std::string::npos);
}

} // namespace
