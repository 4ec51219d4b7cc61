// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is followed of a launch: values, trips, and which bytes programs share.

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "passes/Analysis/BlockFrequency.h"
#include "passes/Analysis/GlobalTraffic.h"
#include "passes/Pipelines/Pipelines.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tilewright;

namespace {

class LaunchTest : public ::testing::Test {
protected:
  LaunchTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  FunctionOpInterface parse(StringRef body) {
    std::string text =
        ("tt.func public @f(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %n: i32, "
         "%m: i32) {\n" +
         body + "}\n")
            .str();
    module = parseSourceString<ModuleOp>(text, &context);
    return module ? *module->getOps<FunctionOpInterface>().begin()
                  : FunctionOpInterface();
  }

  /// The only value that `function` hands to an op of that name.
  static Value findOperand(FunctionOpInterface function, StringRef name,
                           unsigned index = 0) {
    Value found;
    function->walk([&](Operation *op) {
      if (op->getName().getStringRef() == name)
        found = op->getOperand(index);
    });
    return found;
  }

  GlobalTraffic getTraffic(FunctionOpInterface function, const Launch &launch,
                           int64_t concurrent) {
    LoopGraph graph(function->getRegion(0));
    ProgramSample sample(graph, launch);
    return GlobalTraffic(graph, sample, launch, concurrent,
                         [](Value) { return nullptr; });
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr uint64_t large = uint64_t(1) << 40;

/// A store of 64 f16 at element `%i`, which `body` computes.
std::string storeAt(StringRef body) {
  return (body + R"(
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %spread = tt.splat %i : i32 -> tensor<64xi32>
    %place = arith.addi %spread, %range : tensor<64xi32>
    %all = tt.splat %a : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
    %to = tt.addptr %all, %place : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
    %value = arith.constant dense<1.0> : tensor<64xf16>
    tt.store %to, %value : tensor<64x!tt.ptr<f16>>
    tt.return
  )")
      .str();
}

TEST_F(LaunchTest, valuesOfAProgram) {
  FunctionOpInterface function = parse(storeAt(R"(
    %x = tt.get_program_id x : i32
    %y = tt.get_program_id y : i32
    %rows = arith.muli %y, %n : i32
    %r = arith.remsi %x, %m : i32
    %i = arith.addi %rows, %r : i32
  )"));
  ASSERT_TRUE(function);
  Launch launch = {{10, 4, 1}, {std::nullopt, std::nullopt, 1000, 3}};
  // Program 25 of 10 x 4 is (5, 2).
  LaunchValues values(launch, 25);
  Value address = findOperand(function, "tt.store");
  const LaunchValue &known = values.get(address);
  EXPECT_EQ(known.base, function.getArgument(0));
  EXPECT_EQ(known.offset, 2 * (2 * 1000 + 5 % 3));
  EXPECT_FALSE(known.isUniform);
  // Not known without the argument.
  Launch open = {{10, 4, 1}, {}};
  EXPECT_FALSE(LaunchValues(open, 25)
                   .get(findOperand(function, "tt.splat"))
                   .getConstant());
}

TEST_F(LaunchTest, programsShareWhatIsUniform) {
  FunctionOpInterface function = parse(storeAt(R"(
    %x = tt.get_program_id x : i32
    %size = arith.muli %n, %m : i32
    %i = arith.muli %x, %size : i32
  )"));
  ASSERT_TRUE(function);
  Launch launch = {{8, 1, 1}, {std::nullopt, std::nullopt, 5, 7}};
  LaunchValues first(launch, 0);
  Value address = findOperand(function, "tt.store");
  first.get(address);
  LaunchValues second(launch, 3, &first);
  EXPECT_EQ(second.get(address).offset, 2 * 3 * 35);
  EXPECT_TRUE(first.get(findOperand(function, "arith.muli", 1)).isUniform);
}

/// All programs write the same, each its own, or 16 together.
TEST_F(LaunchTest, bytesThatProgramsShare) {
  struct {
    const char *place;
    double different;
  } cases[] = {
      {"%i = arith.constant 0 : i32", 1},
      {"%x = tt.get_program_id x : i32\n %s = arith.constant 64 : i32\n"
       "%i = arith.muli %x, %s : i32",
       4096},
      {"%x = tt.get_program_id x : i32\n %s = arith.constant 16 : i32\n"
       "%g = arith.divsi %x, %s : i32\n %e = arith.constant 64 : i32\n"
       "%i = arith.muli %g, %e : i32",
       256},
      {"%x = tt.get_program_id x : i32\n %s = arith.constant 16 : i32\n"
       "%g = arith.remsi %x, %s : i32\n %e = arith.constant 64 : i32\n"
       "%i = arith.muli %g, %e : i32",
       16}};
  Launch launch = {{4096, 1, 1}, {}};
  for (const auto &each : cases) {
    FunctionOpInterface function = parse(storeAt(each.place));
    ASSERT_TRUE(function);
    double bytes = getTraffic(function, launch, 4096).getMemoryBytes(large);
    double different = bytes * 4096 / 128;
    EXPECT_GT(different, each.different / 2.5) << each.place;
    EXPECT_LT(different, each.different * 2.5) << each.place;
  }
}

/// Of few programs a large part is compared, none of them twice.
TEST_F(LaunchTest, bytesThatPairsShare) {
  FunctionOpInterface function = parse(storeAt(R"(
    %x = tt.get_program_id x : i32
    %two = arith.constant 2 : i32
    %pair = arith.divsi %x, %two : i32
    %s = arith.constant 64 : i32
    %i = arith.muli %pair, %s : i32
  )"));
  ASSERT_TRUE(function);
  constexpr int64_t programs = 128;
  Launch launch = {{programs, 1, 1}, {}};
  double bytes = getTraffic(function, launch, programs).getMemoryBytes(large);
  EXPECT_NEAR(bytes, 128 / 2, 12);
}

/// Neighbours share nothing, programs far apart do: what the L2 does not keep
/// comes again.
TEST_F(LaunchTest, whatTheL2DoesNotKeep) {
  FunctionOpInterface function = parse(storeAt(R"(
    %x = tt.get_program_id x : i32
    %s = arith.constant 64 : i32
    %g = arith.remsi %x, %s : i32
    %i = arith.muli %g, %s : i32
  )"));
  ASSERT_TRUE(function);
  Launch launch = {{4096, 1, 1}, {}};
  GlobalTraffic traffic = getTraffic(function, launch, 64);
  double kept = traffic.getMemoryBytes(large);
  EXPECT_LT(kept, 128 / 64 * 2.5);
  EXPECT_GT(traffic.getMemoryBytes(64), 64.);
  // Never more by a larger one.
  double before = traffic.getMemoryBytes(1);
  for (uint64_t l2 = 2; l2 < large; l2 *= 2) {
    double now = traffic.getMemoryBytes(l2);
    EXPECT_LE(now, before);
    before = now;
  }
}

/// Iterations over the same bytes, and over others.
TEST_F(LaunchTest, loops) {
  for (bool moves : {false, true}) {
    std::string next = moves ? "%next = tt.addptr %p, %n : !tt.ptr<f16>, i32\n"
                             : "%next = tt.addptr %p, %zero : !tt.ptr<f16>, "
                               "i32\n";
    FunctionOpInterface function =
        parse("%zero = arith.constant 0 : i32\n"
              "%one = arith.constant 1 : i32\n"
              "cf.br ^head(%zero, %a : i32, !tt.ptr<f16>)\n"
              "^head(%i: i32, %p: !tt.ptr<f16>):\n"
              "%more = arith.cmpi slt, %i, %m : i32\n"
              "cf.cond_br %more, ^body, ^done\n"
              "^body:\n"
              "%value = arith.constant 1.0 : f16\n"
              "tt.store %p, %value : !tt.ptr<f16>\n" +
              next +
              "%j = arith.addi %i, %one : i32\n"
              "cf.br ^head(%j, %next : i32, !tt.ptr<f16>)\n"
              "^done:\n"
              "tt.return\n");
    ASSERT_TRUE(function);
    Launch launch = {{1, 1, 1}, {std::nullopt, std::nullopt, 8, 100}};
    LoopGraph graph(function->getRegion(0));
    ProgramSample sample(graph, launch);
    Block *body = findOperand(function, "tt.store", 1).getParentBlock();
    EXPECT_EQ(sample.getRuns(body), 100);
    EXPECT_TRUE(sample.isKnown(graph.getLoop(body)));
    EXPECT_EQ(sample.getRuns(&function->getRegion(0).back()), 1);
    EXPECT_EQ(getTraffic(function, launch, 1).getMemoryBytes(large),
              moves ? 200 : 2);
  }
}

/// Of a branch that nothing is known of each way runs half as often; of one
/// whose condition is likely the first one as often, and the second a 64th. It
/// is so in a graph of blocks and in regions, for prices and for estimates.
TEST_F(LaunchTest, branchesThatAreLikely) {
  for (bool isLikely : {false, true}) {
    std::string condition = "%y = arith.cmpi slt, %x, %m ";
    condition += isLikely ? "{tile.likely} : i32\n" : ": i32\n";
    std::string beginning = "%x = tt.load %p : !tt.ptr<i32>\n" + condition;
    std::string ways[] = {"tt.store %p, %n : !tt.ptr<i32>\n",
                          "tt.store %p, %m : !tt.ptr<i32>\n"};
    auto check = [&](StringRef body, bool isGraph) {
      FunctionOpInterface function =
          parse(("%p = tt.bitcast %a : !tt.ptr<f16> -> !tt.ptr<i32>\n" +
                 beginning + body)
                    .str());
      ASSERT_TRUE(function);
      SmallVector<Block *> blocks;
      function->walk([&](Operation *op) {
        if (op->getName().getStringRef() == "tt.store")
          blocks.push_back(op->getBlock());
      });
      ASSERT_EQ(blocks.size(), 2u);
      BlockFrequency frequency(function);
      EXPECT_EQ(frequency.get(blocks[0]), isLikely ? 16u : 8u);
      EXPECT_EQ(frequency.get(blocks[1]), isLikely ? 1u : 8u);
      if (!isGraph)
        return;
      LoopGraph graph(function->getRegion(0));
      ProgramSample sample(graph, {{1, 1, 1}, {}});
      EXPECT_EQ(sample.getRuns(blocks[0]), isLikely ? 63. / 64 : 0.5);
      EXPECT_EQ(sample.getRuns(blocks[1]), isLikely ? 1. / 64 : 0.5);
    };
    check("cf.cond_br %y, ^first, ^second\n^first:\n" + ways[0] +
              "cf.br ^end\n^second:\n" + ways[1] +
              "cf.br ^end\n^end:\ntt.return\n",
          /*isGraph=*/true);
    check("scf.if %y {\n" + ways[0] + "} else {\n" + ways[1] + "}\ntt.return\n",
          /*isGraph=*/false);
  }
}

/// A loop of `trips` iterations that reads from `%start` on, an element in
/// each, and goes on at block `next`. `name` tells its values from another
/// loop's.
std::string loopOver(StringRef name, StringRef trips, StringRef next) {
  return formatv(R"(
      cf.br ^head{0}(%zero, %start : i32, !tt.ptr<f16>)
    ^head{0}(%i{0}: i32, %p{0}: !tt.ptr<f16>):
      %more{0} = arith.cmpi slt, %i{0}, {1} : i32
      cf.cond_br %more{0}, ^body{0}, ^{2}
    ^body{0}:
      %x{0} = tt.load %p{0} : !tt.ptr<f16>
      %q{0} = tt.addptr %p{0}, %one : !tt.ptr<f16>, i32
      %j{0} = arith.addi %i{0}, %one : i32
      cf.br ^head{0}(%j{0}, %q{0} : i32, !tt.ptr<f16>)
  )",
                 name, trips, next);
}

constexpr const char *constants = R"(
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %program = tt.get_program_id x : i32
)";

/// Of 64 tiles, each longer than the one before, all are among the programs
/// that are followed, as often as others.
TEST_F(LaunchTest, programsThatAreFollowed) {
  FunctionOpInterface function = parse(constants + std::string(R"(
    %start = tt.addptr %a, %zero : !tt.ptr<f16>, i32
    %trips = arith.remsi %program, %m : i32
  )") + loopOver("1", "%trips", "done") +
                                       "^done: tt.return\n");
  ASSERT_TRUE(function);
  Launch launch = {{2048, 1, 1}, {std::nullopt, std::nullopt, 0, 64}};
  LoopGraph graph(function->getRegion(0));
  ProgramSample sample(graph, launch);
  Block *body = findOperand(function, "tt.load").getParentBlock();
  double trips = sample.getTrips(graph.getLoop(body));
  EXPECT_GT(trips, 31.5 * 0.8);
  EXPECT_LT(trips, 31.5 * 1.2);
}

/// What a second loop reads again comes from the L2, as far as that has kept
/// what the programs that run together have read.
TEST_F(LaunchTest, loopsThatReadTheSame) {
  FunctionOpInterface function =
      parse(constants + std::string(R"(
    %row = arith.muli %program, %m : i32
    %start = tt.addptr %a, %row : !tt.ptr<f16>, i32
  )") + loopOver("1", "%m", "second") +
            "^second:\n" + loopOver("2", "%m", "done") + "^done: tt.return\n");
  ASSERT_TRUE(function);
  Launch launch = {{64, 1, 1}, {std::nullopt, std::nullopt, 0, 1000}};
  GlobalTraffic traffic = getTraffic(function, launch, 64);
  double once = 2 * 1000, together = 64 * once;
  EXPECT_NEAR(traffic.getMemoryBytes(large), once, 1);
  EXPECT_NEAR(traffic.getMemoryBytes(uint64_t(2 * together)), once, 1);
  EXPECT_NEAR(traffic.getMemoryBytes(uint64_t(together)), 1.5 * once, 1);
  EXPECT_GT(traffic.getMemoryBytes(1), 1.99 * once);
}

} // namespace
