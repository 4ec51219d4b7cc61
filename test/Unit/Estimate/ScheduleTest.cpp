// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The latency of schedules whose times are known by arithmetic, and what must
// hold of any: more of anything never takes less.

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "passes/Analysis/ScheduleLatency.h"
#include "passes/Analysis/TimeEstimate.h"
#include "passes/Pipelines/Pipelines.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

class ScheduleTest : public ::testing::Test {
protected:
  ScheduleTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  Region &parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return (*module->getOps<FunctionOpInterface>().begin())->getRegion(0);
  }

  /// The cycles of a body whose ops take what `describe` says, in loops that
  /// make `trips` iterations.
  double run(Region &body, double trips,
             llvm::function_ref<void(ScheduledOp &)> describe) {
    LoopGraph graph(body);
    ScheduleLatency::Ops ops;
    for (Block &block : body)
      for (Operation &op : block) {
        ScheduledOp &scheduled = ops[&block].emplace_back(ScheduledOp{&op, {}});
        describe(scheduled);
      }
    target::Latencies latencies = {.shared = 20, .l2 = 200, .memory = 400};
    return ScheduleLatency(
               graph, ops, latencies, /*stretch=*/1,
               [&](Block *block) { return graph.getLoop(block) ? trips : 1.; },
               [&](CFGLoop *) { return trips; })
        .getCycles();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

void take(ScheduledOp &op, Resource resource, double cycles,
          double latency = 0) {
  op.demand.cycles[unsigned(resource)] = cycles;
  op.latency = latency;
}

StringRef name(const ScheduledOp &op) {
  return op.op->getName().getStringRef();
}

/// Two loads that do not depend on each other wait together, a third for them.
TEST_F(ScheduleTest, chains) {
  Region &body = parse(R"(
    tt.func public @f(%p: !tt.ptr<i32>, %q: !tt.ptr<i32>) {
      %a = tt.load %p : !tt.ptr<i32>
      %b = tt.load %q : !tt.ptr<i32>
      %c = arith.addi %a, %b : i32
      %r = tt.addptr %p, %c : !tt.ptr<i32>, i32
      %d = tt.load %r : !tt.ptr<i32>
      tt.store %p, %d : !tt.ptr<i32>
      tt.return
    })");
  auto describe = [](ScheduledOp &op) {
    if (name(op) == "tt.load")
      take(op, Resource::Sectors, 1), op.globalLatency = 400;
    if (name(op) == "tt.store")
      take(op, Resource::Sectors, 1);
  };
  // 1 + 400 for the second load, 1 + 400 for the third, 1 for the store; what
  // takes parts begins with the first.
  EXPECT_NEAR(run(body, 1, describe), 803, 1);
}

/// What a thread has stored a fence for the asynchronous proxy waits for, and
/// for its own copies until they are there.
TEST_F(ScheduleTest, proxyFences) {
  Region &body = parse(R"(
    tt.func public @f(%p: !tt.ptr<i32>, %c: i32) {
      tt.store %p, %c : !tt.ptr<i32>
      gpu.barrier
      tt.return
    })");
  for (bool isCopy : {false, true})
    EXPECT_NEAR(run(body, 1,
                    [&](ScheduledOp &op) {
                      if (name(op) == "tt.store") {
                        take(op, Resource::Sectors, 1);
                        op.accessesMemory = true;
                        if (isCopy) {
                          op.order = Work::Order::Copy;
                          op.latency = 600;
                        }
                      }
                      if (name(op) == "gpu.barrier") {
                        take(op, Resource::Issue, 1);
                        op.accessesMemory = true;
                        op.order = Work::Order::ProxyFence;
                      }
                    }),
                isCopy ? 601 : 451, 1);
}

/// A product that goes on by itself overlaps with the next iteration; one that
/// does not is waited for at the end of each.
TEST_F(ScheduleTest, asynchronousProducts) {
  Region &body = parse(R"(
    tt.func public @f(%n: i32) {
      %zero = arith.constant 0 : i32
      cf.br ^head(%zero, %zero : i32, i32)
    ^head(%i: i32, %last: i32):
      %more = arith.cmpi slt, %i, %n : i32
      cf.cond_br %more, ^body, ^done
    ^body:
      %loaded = arith.addi %i, %i : i32
      %product = arith.muli %loaded, %loaded : i32
      cf.br ^head(%i, %product : i32, i32)
    ^done:
      %end = arith.subi %last, %last : i32
      tt.return
    })");
  for (bool isAsynchronous : {false, true}) {
    double cycles = run(body, 100, [&](ScheduledOp &op) {
      if (name(op) == "arith.addi")
        take(op, Resource::Shared, 90, 0);
      if (name(op) == "arith.muli") {
        take(op, Resource::Matrix, 100, 0);
        op.parts = 1;
        op.isAsynchronous = isAsynchronous;
      }
      if (name(op) == "arith.subi")
        take(op, Resource::Integer, 1);
    });
    EXPECT_NEAR(cycles / 100, isAsynchronous ? 100 : 190, 11);
  }
}

/// A wait that leaves the last product on its way has the next one follow it at
/// once; one that leaves none waits for its latency too.
TEST_F(ScheduleTest, productsThatAreLeft) {
  Region &body = parse(R"(
    tt.func public @f(%n: i32) {
      %zero = arith.constant 0 : i32
      cf.br ^head(%zero : i32)
    ^head(%i: i32):
      %more = arith.cmpi slt, %i, %n : i32
      cf.cond_br %more, ^body, ^done
    ^body:
      %product = arith.muli %zero, %zero : i32
      %left = arith.addi %product, %zero : i32
      cf.br ^head(%i : i32)
    ^done:
      tt.return
    })");
  for (unsigned leaves : {0u, 1u}) {
    double cycles = run(body, 100, [&](ScheduledOp &op) {
      if (name(op) == "arith.muli") {
        take(op, Resource::Matrix, 100, 60);
        op.isAsynchronous = true;
      }
      if (name(op) == "arith.addi")
        op.leaves = leaves;
    });
    EXPECT_NEAR(cycles / 100, leaves ? 100 : 160, 3);
  }
}

/// Who issues a product with an operand in registers goes on when its last step
/// begins, others at once.
TEST_F(ScheduleTest, productsThatHoldWhoIssuesThem) {
  Region &body = parse(R"(
    tt.func public @f(%n: i32) {
      %product = arith.muli %n, %n : i32
      %beside = arith.addi %n, %n : i32
      tt.return
    })");
  for (bool holds : {false, true}) {
    double cycles = run(body, 1, [&](ScheduledOp &op) {
      if (name(op) == "arith.muli") {
        take(op, Resource::Matrix, 100);
        op.isAsynchronous = true;
        if (holds)
          op.lastStep = 25;
      }
      if (name(op) == "arith.addi")
        take(op, Resource::Floating, 60);
    });
    EXPECT_NEAR(cycles, holds ? 75 + 60 : 60, 1);
  }
}

/// What a product that goes on reads of shared memory comes between what others
/// access, who need not wait for its end.
TEST_F(ScheduleTest, accessesBesideProducts) {
  Region &body = parse(R"(
    tt.func public @f(%n: i32) {
      %zero = arith.constant 0 : i32
      cf.br ^head(%zero : i32)
    ^head(%i: i32):
      %more = arith.cmpi slt, %i, %n : i32
      cf.cond_br %more, ^body, ^done
    ^body:
      %product = arith.muli %zero, %zero : i32
      %loaded = arith.addi %zero, %zero : i32
      cf.br ^head(%i : i32)
    ^done:
      tt.return
    })");
  for (bool isAsynchronous : {false, true}) {
    double cycles = run(body, 100, [&](ScheduledOp &op) {
      if (name(op) == "arith.addi")
        take(op, Resource::Shared, 15, 0);
      if (name(op) == "arith.muli") {
        take(op, Resource::Matrix, 100, 0);
        take(op, Resource::Shared, 100, 0);
        op.isAsynchronous = isAsynchronous;
      }
    });
    EXPECT_NEAR(cycles / 100, isAsynchronous ? 100 : 115, 3);
  }
}

constexpr StringLiteral pipeline = R"(
  tt.func public @f(%n: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    cf.br ^head(%zero : i32)
  ^head(%i: i32):
    %more = arith.cmpi slt, %i, %n : i32
    cf.cond_br %more, ^body, ^done
  ^body:
    %copy = "tilegpu.async_commit"() : () -> !tilegpu.token
    %wait = tilegpu.async_wait {pending = 0 : i32}
    %j = arith.addi %i, %one : i32
    cf.br ^head(%j : i32)
  ^done:
    tt.return
  })";

/// Copies of 400 cycles, waited for so many groups later, beside 100 cycles of
/// work: exposed is what the groups between do not cover.
TEST_F(ScheduleTest, groups) {
  Region &body = parse(pipeline);
  double before = 0;
  for (unsigned pending : {0, 1, 2, 3, 5}) {
    double cycles = run(body, 100, [&](ScheduledOp &op) {
      if (name(op) == "tilegpu.async_commit") {
        // The copy and its group.
        op.order = Work::Order::Copy;
        op.accessesMemory = true;
        take(op, Resource::Sectors, 1, 400);
      }
      if (name(op) == "tilegpu.async_wait") {
        op.order = Work::Order::CloseGroup;
        op.accessesMemory = true;
        take(op, Resource::Matrix, 100);
      }
      if (name(op) == "arith.addi") {
        op.order = Work::Order::AwaitGroups;
        op.accessesMemory = true;
        op.pending = pending;
      }
    });
    double iteration = cycles / 100;
    EXPECT_NEAR(iteration, std::max(100., 401. / (pending + 1)), 12) << pending;
    if (before) {
      EXPECT_LE(cycles, before * 1.001);
    }
    before = cycles;
  }
}

/// More iterations take more, by as much each.
TEST_F(ScheduleTest, iterationsThatAreNotFollowed) {
  Region &body = parse(pipeline);
  auto describe = [](ScheduledOp &op) {
    if (name(op) == "arith.addi")
      take(op, Resource::Integer, 7);
  };
  EXPECT_EQ(run(body, 3, describe), 21);
  EXPECT_EQ(run(body, 1000, describe), 7000);
  EXPECT_EQ(run(body, 0, describe), 0);
  EXPECT_EQ(run(body, 2.5, describe), 17.5);
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

TEST(ResourceDemand, ofWork) {
  const target::Device &device = *target::lookupDevice("A100");
  Work work;
  work.floating = 10;
  work.wavefronts = 3;
  work.shuffles = 1;
  work.multiplyAdds = 2048;
  work.matrices = 1;
  ResourceDemand demand(work, device, 8);
  EXPECT_EQ(demand[Resource::Floating], 8 * 10 / 2.);
  EXPECT_EQ(demand[Resource::Shared], 8 * 4);
  EXPECT_EQ(demand[Resource::Matrix], 8 * 2);
  EXPECT_EQ(demand[Resource::Issue], 8 * 12 / 4.);
  // One warp has a quarter of the units.
  EXPECT_EQ(demand.ofFewWarps(1)[Resource::Matrix], 4 * 16);
  EXPECT_EQ(demand.ofFewWarps(1)[Resource::Shared], 32);
  EXPECT_EQ(demand.ofFewWarps(8)[Resource::Matrix], 16);
  EXPECT_EQ(demand.getMost(), Resource::Floating);
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// More programs never take less time, nor does a smaller or slower device.
TEST_F(ScheduleTest, moreTakesLonger) {
  parse(R"(
    #l = #tilegpu.blocked<elements = [4], threads = [32], warps = [4], order = [0]>
    module attributes {tilegpu.target = "sm_80"} {
      tt.func public @f(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) attributes {tilegpu.num_warps = 4 : i32} {
        %x = tt.get_program_id x : i32
        %s = arith.constant 512 : i32
        %i = arith.muli %x, %s : i32
        %range = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #l>
        %spread = tt.splat %i : i32 -> tensor<512xi32, #l>
        %place = arith.addi %spread, %range : tensor<512xi32, #l>
        %all = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #l>
        %at = tt.addptr %all, %place : tensor<512x!tt.ptr<f32>, #l>, tensor<512xi32, #l>
        %v = tt.load %at : tensor<512x!tt.ptr<f32>, #l>
        %e = math.exp2 %v : tensor<512xf32, #l>
        tt.store %at, %e : tensor<512x!tt.ptr<f32>, #l>
        tt.return
      }
    })");
  FunctionOpInterface function;
  module->walk([&](FunctionOpInterface found) { function = found; });
  const target::Target &target = *target::lookup("sm_80");
  double before = 0;
  for (int64_t programs = 1; programs < 1 << 22; programs *= 3) {
    Launch launch = {{programs, 1, 1}, {}};
    auto estimate =
        estimateTime(function, launch, target, *target::lookupDevice("A100"));
    ASSERT_TRUE(estimate);
    EXPECT_GE(estimate->microseconds, before * 0.999);
    before = estimate->microseconds;
    auto slower =
        estimateTime(function, launch, target, *target::lookupDevice("Orin"));
    EXPECT_GE(slower->microseconds, estimate->microseconds * 0.999);
    auto again =
        estimateTime(function, launch, target, *target::lookupDevice("A100"));
    EXPECT_EQ(again->microseconds, estimate->microseconds);
  }
}

} // namespace
