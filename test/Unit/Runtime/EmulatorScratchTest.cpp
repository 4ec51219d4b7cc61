// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scratch memory that the emulator's device gives to launches.

#include "lib/Run/EmulatorDevice.h"
#include "lib/Run/PtxArtifact.h"

#include <gtest/gtest.h>

using namespace tilewright::run;
using namespace tilewright::runtime;

namespace {

constexpr uint32_t scratchBytes = 100;

/// Kernel `k` of an output and of scratch memory of 100 bytes for each CTA,
/// where %mine points to that of its own. Thread 0 alone.
Artifact makeArtifact(const std::string &body, uint32_t alignment) {
  std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 .ptr .global output, .param .u64 scratch)"
      "\n.reqntid 1\n{\n.reg .pred %p;\n.reg .b32 %c, %v;\n.reg .b64 %out, "
      "%mine, %base;\n"
      "ld.param.u64 %out, [output];\nld.param.u64 %base, [scratch];\n"
      "mov.u32 %c, %ctaid.x;\nmad.wide.u32 %mine, %c, 100, %base;\n"
      "mad.wide.u32 %out, %c, 8, %out;\n" +
      body + "\nret;\n}\n";
  Artifact artifact = *artifactFromPtx(text, {});
  artifact.kernels[0].parameters.pop_back();
  Variant &variant = artifact.variants[0];
  variant.slots[1] = {8, 8, 8, SlotKind::GlobalScratch, {}, 0};
  variant.globalScratchBytes = scratchBytes;
  variant.globalScratchAlignment = alignment;
  return artifact;
}

/// What a launch of `ctas` CTAs wrote, a word for each, or what is wrong.
Result<std::vector<uint64_t>> launch(const std::string &body, uint32_t ctas = 3,
                                     uint32_t alignment = 128,
                                     unsigned launches = 1) {
  EmulatorOptions options;
  options.maximumMemory = 4 << 20;
  std::unique_ptr<ExecutionDevice> device = openEmulator(options, nullptr);
  std::vector<uint64_t> words(ctas);
  auto *bytes = reinterpret_cast<uint8_t *>(words.data());
  uint64_t output = *device->allocate(8 * ctas);
  if (Result<void> good = device->copyIn(output, {bytes, 8 * ctas}); !good)
    return good.takeError();
  Result<std::unique_ptr<ExecutionKernel>> kernel =
      device->prepare(makeArtifact(body, alignment), "k");
  if (!kernel)
    return kernel.takeError();
  for (unsigned i = 0; i < launches; ++i) {
    std::vector<Argument> arguments = {Argument::pointer(output)};
    if (Result<void> good = (*kernel)->launch({ctas, 1, 1}, arguments); !good)
      return good.takeError();
    if (Result<void> good = device->synchronize(); !good)
      return good.takeError();
  }
  if (Result<void> good = device->copyOut({bytes, 8 * ctas}, output); !good)
    return good.takeError();
  return words;
}

void expectError(const Result<std::vector<uint64_t>> &result,
                 const std::string &words) {
  ASSERT_FALSE(bool(result)) << "expects: " << words;
  EXPECT_NE(result.error().message.find(words), std::string::npos)
      << result.error().message;
}

TEST(EmulatorScratch, IsAlignedAndForEachCta) {
  for (uint32_t alignment : {1u, 128u, 4096u, 1u << 20}) {
    auto words = launch("st.global.u32 [%mine+96], %c;\n"
                        "ld.global.u32 %v, [%mine+96];\n"
                        "st.global.u64 [%out], %base;",
                        3, alignment, /*launches=*/2);
    ASSERT_TRUE(bool(words)) << words.error().message;
    EXPECT_NE((*words)[0], 0u);
    EXPECT_EQ((*words)[0] % alignment, 0u);
    EXPECT_EQ((*words)[2], (*words)[0]);
  }
}

TEST(EmulatorScratch, IsNoMoreThanThat) {
  expectError(launch("st.global.u32 [%mine+100], %c;"), "the 300 bytes");
}

TEST(EmulatorScratch, IsNotWrittenAtFirst) {
  expectError(launch("ld.global.u32 %v, [%mine];"), "never written");
  // Nor by the launch before, which the output tells of.
  expectError(launch("ld.global.u32 %v, [%out];\n"
                     "setp.ne.u32 %p, %v, 0;\n"
                     "@%p ld.global.u32 %v, [%mine];\n"
                     "@!%p st.global.u32 [%mine], 1;\n"
                     "st.global.u32 [%out], 1;",
                     3, 128, /*launches=*/2),
              "never written");
}

TEST(EmulatorScratch, DoesNotFit) {
  expectError(launch("", 1 << 16), "bytes of device memory in all");
  // It is given back: together they would not fit.
  EXPECT_TRUE(bool(launch("", 1 << 14, 128, /*launches=*/8)));
}

} // namespace
