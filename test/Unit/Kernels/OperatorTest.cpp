// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operators refuse, and the choice of configurations.

#include "lib/Kernels/Choice.h"
#include "lib/Kernels/Counting.h"
#include "gtest/gtest.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

std::string problemOf(const char *name, const Options::Words &words) {
  auto problem = (*findOperator(name))->prepare(words);
  return problem ? "" : problem.error().message;
}

std::vector<Candidate> rankOn(const char *targetName,
                              const Options::Words &words) {
  auto problem = (*findOperator("matmul"))->prepare(words);
  const target::Target *target = target::lookup(targetName);
  return rank(**problem, *target, target::getDefaultDevice(*target));
}

} // namespace

TEST(Operators, SayWhatIsWrong) {
  EXPECT_EQ(problemOf("matmul", {{"m", "1"}, {"n", "1"}}),
            "expects k=..., columns of a, rows of b");
  EXPECT_EQ(problemOf("matmul", {{"m", "-1"}, {"n", "1"}, {"k", "1"}}),
            "expects m=an integer from 0 to 2147483647, but got '-1'");
  EXPECT_EQ(
      problemOf("softmax", {{"rows", "1"}, {"columns", "2"}, {"type", "i4"}}),
      "expects type=one of f16, bf16, f32, but got 'i4'");
  EXPECT_EQ(
      problemOf("softmax", {{"rows", "1"}, {"columns", "2"}, {"scale", "x"}}),
      "expects scale=a finite number, but got 'x'");
  EXPECT_EQ(
      problemOf("softmax", {{"rows", "1"}, {"columns", "2"}, {"row", "1"}}),
      "expects an option of 'softmax' (rows, columns, type, out, "
      "residual, scale), but got 'row'");
  EXPECT_EQ(problemOf("softmax",
                      {{"rows", "1"}, {"columns", "2"}, {"x.strides", "1"}}),
            "expects 2 strides of 'x', but got 1");
  EXPECT_EQ(problemOf("softmax",
                      {{"rows", "1"}, {"columns", "2"}, {"z.strides", "1,1"}}),
            "expects a tensor of x, y, residual, sum, weight, bias, gate, "
            "scales, but got 'z'");
  EXPECT_EQ(problemOf("softmax",
                      {{"rows", "1"}, {"columns", "2"}, {"x.alignment", "3"}}),
            "expects x.alignment=1, 2, 4, 8 or 16, but got '3'");
  EXPECT_EQ(problemOf("softmax",
                      {{"rows", "1"}, {"columns", "2"}, {"x.strides", "1,,1"}}),
            "expects x.strides=integers of 0 and more with commas between "
            "them, but got '1,,1'");
  EXPECT_EQ(problemOf("softmax",
                      {{"rows", "1"}, {"columns", "2"}, {"dynamic", "type"}}),
            "expects dynamic=sizes of rows, columns, but got 'type'");
  EXPECT_EQ(findOperator("conv").error().message,
            "expects an operator (attention, delta_rule, dequantize, "
            "dplr_delta_rule, "
            "gated_delta_rule, gla, grouped_matmul, kda, layer_norm, "
            "linear_attention, matmul, prepack, quantize, quantized_matmul, "
            "retention, rms_norm, scaled_matmul, simple_gla, softmax), but got "
            "'conv'");
}

TEST(Operators, AttentionSaysWhatIsWrong) {
  auto problem = [](Options::Words words) {
    for (auto [name, value] : {std::pair("heads", "2"),
                               {"kv_heads", "1"},
                               {"queries", "4"},
                               {"dim", "16"},
                               {"value_dim", "16"}})
      words.emplace(name, value);
    return problemOf("attention", words);
  };
  EXPECT_EQ(problem({}), "");
  EXPECT_EQ(problem({{"kv_heads", "3"}}),
            "expects heads to be a multiple of kv_heads=3, but got 2");
  EXPECT_EQ(problem({{"kv_heads", "0"}}),
            "expects heads to be a multiple of kv_heads=0, but got 2");
  EXPECT_EQ(problem({{"dim", "300"}}), "expects dim=1 to 256, but got 300");
  EXPECT_EQ(problem({{"soft_cap", "-1"}}),
            "expects soft_cap of 0 and more, but got -1");
  EXPECT_EQ(problem({{"q.strides", "1"}}),
            "expects 4 strides of 'q', but got 1");
  EXPECT_EQ(problem({{"bounds", "3"}, {"lengths", "yes"}}),
            "expects bounds=0 or lengths=no, but got both");
  EXPECT_EQ(problem({{"bounds", "3"}, {"bias", "f16"}}),
            "expects bounds=0 or bias=no, but got both");
  EXPECT_EQ(problem({{"bounds", "3"}, {"batch", "2"}}),
            "expects batch=1 of packed sequences, but got 2");
  EXPECT_EQ(
      problem({{"bounds", "3"}, {"page_size", "16"}, {"page_count", "1"}}),
      "expects bounds=0 or page_size=0, but got both");
  EXPECT_EQ(problem({{"page_size", "24"}, {"page_count", "1"}}),
            "expects page_size=0, 16 or a larger power of two, but got 24");
  EXPECT_EQ(problem({{"page_size", "16"}}), "expects page_count of 1 and more");
}

TEST(Operators, LinearAttentionSaysWhatIsWrong) {
  auto problem = [](Options::Words words) {
    for (auto [name, value] : {std::pair("tokens", "4"),
                               {"heads", "2"},
                               {"dim", "16"},
                               {"value_dim", "16"}})
      words.emplace(name, value);
    return problemOf("gated_delta_rule", words);
  };
  EXPECT_EQ(problem({}), "");
  EXPECT_EQ(problem({{"value_heads", "3"}}),
            "expects value_heads to be a multiple of heads=2, but got 3");
  EXPECT_EQ(problem({{"heads", "0"}}),
            "expects value_heads to be a multiple of heads=0, but got 0");
  EXPECT_EQ(problem({{"dim", "257"}}), "expects dim=1 to 256, but got 257");
  EXPECT_EQ(problem({{"value_dim", "0"}}),
            "expects value_dim=1 to 4096, but got 0");
  EXPECT_EQ(problem({{"bounds", "3"}, {"batch", "2"}}),
            "expects batch=1 of packed sequences, but got 2");
  EXPECT_EQ(problem({{"beta.strides", "1"}}),
            "expects 3 strides of 'beta', but got 1");
  EXPECT_EQ(problem({{"states", "3"}, {"initial", "f32"}}),
            "expects states=1, one for each sequence, but got 3");
  EXPECT_EQ(problem({{"bounds", "4"}, {"states", "2"}, {"slots", "yes"}}),
            "expects states of 3 and more, but got 2");
  EXPECT_EQ(problem({{"bounds", "4"}, {"states", "8"}, {"drafts", "3"}}),
            "expects states of 9 and more, but got 8");
  EXPECT_EQ(problem({{"accepted", "yes"}, {"drafts", "2"}, {"slots", "yes"}}),
            "expects slots=no with accepted=yes, but got yes");
}

TEST(Configurations, AreWords) {
  Configuration c{{128, 64, 32}, 4, 8, 3};
  EXPECT_EQ(c.word(), "128x64x32w8s3k4");
  EXPECT_EQ(Configuration::parse(c.word()), c);
  EXPECT_EQ(Configuration::parse("1x128w1s1k1"),
            (Configuration{{1, 128, 1}, 1, 1, 1}));
  c.parts = 2;
  EXPECT_EQ(c.word(), "128x64x32w8s3k4p2");
  EXPECT_EQ(Configuration::parse(c.word()), c);
  c.isDequantized = true;
  EXPECT_EQ(c.word(), "128x64x32w8s3k4p2d");
  EXPECT_EQ(Configuration::parse(c.word()), c);
  c.isTransposed = true;
  EXPECT_EQ(c.word(), "128x64x32w8s3k4p2dt");
  EXPECT_EQ(Configuration::parse(c.word()), c);
  c.isClustered = true;
  EXPECT_EQ(c.word(), "128x64x32w8s3k4cp2dt");
  EXPECT_EQ(Configuration::parse(c.word()), c);
  for (const char *word :
       {"", "128", "128x64x32", "128x64w8s3k4 ", "0x1w1s1k1", "1x1w1s1k1p",
        "1x1w1s1k1p0", "1x1w1s1k1dp2", "1x1w1s1k1dd", "1x1w1s1k1td",
        "1x1w1s1k1c", "1x1w1s1k16c", "1x1w1s1k2p2c"})
    EXPECT_EQ(Configuration::parse(word), std::nullopt) << word;
}

TEST(Choice, LargeProductsHaveLargeTiles) {
  for (const target::Target &target : target::allTargets()) {
    Candidate best = rankOn(std::string(target.name).c_str(),
                            {{"m", "4096"}, {"n", "4096"}, {"k", "4096"}})
                         .front();
    EXPECT_GE(best.configuration.tile[0] * best.configuration.tile[1],
              128 * 128)
        << target.name;
    EXPECT_EQ(best.configuration.split, 1);
  }
}

/// A product of one tile and one iteration.
static Counts countProduct(const char *m, const char *n, const char *word) {
  auto problem =
      (*findOperator("matmul"))->prepare({{"m", m}, {"n", n}, {"k", "64"}});
  Kernel kernel = (*problem)->kernels(*Configuration::parse(word)).front();
  return count(kernel.signature, kernel.grid, kernel.warps, kernel.text);
}

TEST(Counting, WarpsReadOperandsByThemselvesOrInGroups) {
  // 8 warps by 2 x 4: each row of A is read by 4 warps, each column of B by 2;
  // of 2 groups one has all rows.
  Counts square = countProduct("128", "128", "128x128x64w8s1k1");
  EXPECT_EQ(square.operandBytes, (4 + 2) * 128 * 64 * 2);
  EXPECT_EQ(square.groupOperandBytes, (1 + 2) * 128 * 64 * 2);
  // Columns are the rows of a group where there are more of these.
  Counts flat = countProduct("16", "128", "16x128x64w4s1k1");
  EXPECT_EQ(flat.operandBytes, (4 * 16 + 128) * 64 * 2);
  EXPECT_EQ(flat.groupOperandBytes, (16 + 128) * 64 * 2);
  // No warp group has rows enough.
  Counts small = countProduct("16", "32", "16x32x64w4s1k1");
  EXPECT_EQ(small.groupOperandBytes, small.operandBytes);
}

TEST(Choice, RefusesWithReasons) {
  Options::Words words = {{"m", "4096"}, {"n", "4096"}, {"k", "4096"}};
  std::vector<Candidate> candidates = rankOn("sm_75", words);
  for (const char *reason : {"expects at most 65536 bytes of shared memory",
                             "expects clusters, which sm_75 does not have"}) {
    auto candidate = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const Candidate &each) {
                                    return each.refusal.starts_with(reason);
                                  });
    ASSERT_NE(candidate, candidates.end()) << reason;
    auto refused = choose(candidates, candidate->configuration);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              candidate->configuration.word() + ": " + candidate->refusal);
  }
  Configuration odd{{48, 16, 16}, 1, 1, 1};
  auto unknown = choose(candidates, odd);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message.find(
                "expects one of this problem's configurations, but got "
                "'48x16x16w1s1k1'; the best are\n  "),
            0u);
}

TEST(Choice, GridsHaveLimits) {
  std::vector<Candidate> candidates =
      rankOn("sm_80", {{"m", "2147483647"}, {"n", "2147483647"}, {"k", "1"}});
  auto refused = choose(candidates, std::nullopt);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message.find(
                "expects a grid of at most 2147483647 x 65535 x 65535 "
                "programs, but it is "),
            0u);
}

// With more rows than the largest tile weights may be made numbers in memory
// first: a launch writes what the other one reads, once.
TEST(Choice, WeightsOfManyRowsMayBeDequantizedBefore) {
  auto prepare = [](const char *m) {
    return std::move(*(*findOperator("quantized_matmul"))
                          ->prepare({{"m", m}, {"n", "4096"}, {"k", "4096"}}));
  };
  auto isDequantized = [](const Configuration &c) { return c.isDequantized; };
  EXPECT_TRUE(
      std::ranges::none_of(prepare("256")->configurations(), isDequantized));
  auto problem = prepare("257");
  std::vector<Configuration> all = problem->configurations();
  auto found = std::ranges::find_if(all, isDequantized);
  ASSERT_NE(found, all.end());
  std::vector<Kernel> kernels = problem->kernels(*found);
  ASSERT_EQ(kernels.size(), 2u);
  double numbers = 4096. * 4096 * 2;
  Counts made = count(kernels[0].signature, kernels[0].grid, kernels[0].warps,
                      kernels[0].text);
  EXPECT_EQ(made.storedBytes, numbers);
  EXPECT_EQ(made.multiplyAdds, 0);
  // Neither counts the other one's tensors as its own.
  EXPECT_EQ(compulsoryBytes(kernels[0].signature), numbers / 4 + 4096 * 2);
  EXPECT_EQ(compulsoryBytes(kernels[1].signature), 2 * 257 * 4096. * 2);
}

// There is always one: also for what is empty, and for sizes near the limits.
TEST(Choice, IsNeverEmpty) {
  for (const char *size : {"0", "1", "17", "65537"})
    for (const target::Target &target : target::allTargets()) {
      std::vector<Candidate> candidates =
          rankOn(std::string(target.name).c_str(),
                 {{"m", size}, {"n", size}, {"k", size}});
      EXPECT_EQ(candidates.front().refusal, "") << size << " " << target.name;
    }
}
