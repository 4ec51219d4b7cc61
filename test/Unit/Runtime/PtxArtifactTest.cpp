// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Artifacts from the declarations of PTX text.

#include "lib/Run/PtxArtifact.h"

#include <gtest/gtest.h>

using namespace tilewright::run;
using namespace tilewright::runtime;

static const char *const sample = R"(
// a comment with .entry in it
.version 8.4
.target sm_90a, debug
.address_size 64
/* .version 1.0
*/
.extern .shared .align 16 .b8 dynamic_memory[];
.shared .align 4 .b8 module_memory[6];
.func (.param .b32 result) helper(.param .b32 x) { ret; }
.visible .entry first(
  .param .u64 .ptr .global .align 16 first_param_0,
  .param .u32 first_param_1,
  .param .f32 first_param_2,
  .param .align 8 .b8 first_param_3[20],
  .param .u64 first_param_4
)
.reqntid 128, 2
.maxnreg 168
.reqnctapercluster 2, 1, 1
{
  .shared .align 16 .b8 a[100];
  .shared .f64 b;
  .reg .b32 %r<4>;
  { .loc 1 2 3 }
  ret;
}
.file 1 "unbalanced { in a string.py"
.entry second() .maxntid 64 { ret; }
)";

TEST(PtxArtifact, Declarations) {
  Result<Artifact> artifact = artifactFromPtx(sample, {std::nullopt, 4096});
  ASSERT_TRUE(bool(artifact)) << artifact.error().message;
  ASSERT_EQ(artifact->kernels.size(), 2u);
  EXPECT_EQ(artifact->images[0].ptxVersion, 84u);
  EXPECT_EQ(artifact->images[0].architecture.name(), "sm_90a");
  EXPECT_EQ(artifact->images[0].bytes.size(), std::string(sample).size());
  const Kernel &kernel = artifact->kernels[0];
  EXPECT_EQ(kernel.name, "first");
  ASSERT_EQ(kernel.parameters.size(), 5u);
  EXPECT_EQ(kernel.parameters[0].kind, ParameterKind::Pointer);
  EXPECT_EQ(kernel.parameters[0].pointerAlignment, 16u);
  EXPECT_EQ(kernel.parameters[0].name, "first_param_0");
  EXPECT_EQ(kernel.parameters[1].kind, ParameterKind::Integer);
  EXPECT_EQ(kernel.parameters[2].kind, ParameterKind::Float);
  EXPECT_EQ(kernel.parameters[3].kind, ParameterKind::Untyped);
  EXPECT_EQ(kernel.parameters[4].kind, ParameterKind::Untyped);
  const Variant &variant = artifact->variants[0];
  std::vector<std::pair<uint32_t, uint32_t>> layout;
  for (const Slot &slot : variant.slots)
    layout.emplace_back(slot.offset, slot.size);
  EXPECT_EQ(layout, (std::vector<std::pair<uint32_t, uint32_t>>{
                        {0, 8}, {8, 4}, {12, 4}, {16, 20}, {40, 8}}));
  EXPECT_EQ(variant.block, (Dimensions{128, 2, 1}));
  EXPECT_EQ(variant.numWarps, 8u);
  EXPECT_EQ(variant.registerCap, 168u);
  EXPECT_EQ(variant.cluster, (Dimensions{2, 1, 1}));
  EXPECT_EQ(variant.staticSharedBytes, 112u + 6u);
  EXPECT_EQ(variant.dynamicSharedBytes, 4096u);
  EXPECT_EQ(artifact->variants[1].block, (Dimensions{64, 1, 1}));
  EXPECT_EQ(artifact->variants[1].staticSharedBytes, 6u);
}

TEST(PtxArtifact, BlockOptionYieldsToReqntid) {
  Result<Artifact> artifact =
      artifactFromPtx(sample, {Dimensions{96, 1, 1}, 0});
  ASSERT_TRUE(bool(artifact));
  EXPECT_EQ(artifact->variants[0].block.x, 128u);
  EXPECT_EQ(artifact->variants[1].block.x, 96u);
}

static std::string failureOf(std::string_view text) {
  Result<Artifact> artifact = artifactFromPtx(text, {});
  return artifact ? "" : artifact.error().message;
}

TEST(PtxArtifact, ErrorsNameTheLine) {
  EXPECT_EQ(failureOf(""),
            "line 1: expects '.version', but got the end of the text");
  EXPECT_EQ(failureOf(".version eight"),
            "line 1: expects a version like '8.0', but got 'eight'");
  EXPECT_EQ(failureOf(".version 8.0\n.target compute_80"),
            "line 2: expects a target like 'sm_80'");
  EXPECT_EQ(failureOf(".version 8.0\n.target sm_80\n"),
            "expects an '.entry' with a body");
  EXPECT_EQ(failureOf(".version 8.0\n.target sm_80\n.entry k();"),
            "expects an '.entry' with a body");
  EXPECT_EQ(failureOf(".version 8.0\n.target sm_80\n.entry k(\n.param .u32)"),
            "line 4: expects a parameter's name, but got ')'");
  EXPECT_EQ(
      failureOf(".version 8.0 .target sm_80 .entry k() {\n"),
      "line 2: expects an instruction, a label, a directive or '}', but got "
      "the end of the text");
  EXPECT_NE(failureOf(".version 8.0 .target sm_80 .entry k() .reqntid 4096 "
                      "{ ret; }"),
            "");
  EXPECT_EQ(failureOf(".version 8.0 .target sm_80 "
                      ".entry k(.param .u32 n, .param .b8 x[40000]) { ret; }"),
            "expects parameters of at most 32764 bytes, but 'x' of 'k' has "
            "40000 from byte 4 on");
}

TEST(PtxArtifact, TruncationsAreHandled) {
  // Some prefixes are complete PTX; the rest must give an error, not a crash.
  std::string text = sample;
  unsigned good = 0;
  for (size_t size = 0; size < text.size(); ++size)
    good += failureOf(std::string_view(text).substr(0, size)).empty();
  EXPECT_GT(good, 0u);
  EXPECT_LT(good, text.size() / 3);
}
