// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target table's facts and queries, spelled out a second time where a
// wrong number would make a kernel fail to launch or to assemble.

#include "dialects/Target/Target.h"

#include "gtest/gtest.h"

#include <set>
#include <string>
#include <tuple>

using namespace tilewright::target;

static const Target &get(std::string_view name) {
  const Target *target = lookup(name);
  EXPECT_NE(target, nullptr) << name;
  return target ? *target : allTargets().front();
}

static std::vector<std::string> names(const Target &target, MatrixQuery query) {
  std::vector<std::string> result;
  for (const MatrixInstruction *row : target.findMatrixInstructions(query))
    result.push_back(std::string(row->name));
  return result;
}

TEST(Target, LooksUpEveryTargetByName) {
  std::vector<std::string_view> expected = {"sm_70", "sm_75", "sm_80", "sm_86",
                                            "sm_87", "sm_89", "sm_90a"};
  ASSERT_EQ(allTargets().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(allTargets()[i].name, expected[i]);
    EXPECT_EQ(lookup(expected[i]), &allTargets()[i]);
  }
}

TEST(Target, UnknownNamesListTheSupportedOnes) {
  EXPECT_EQ(lookup("sm_90"), nullptr);
  EXPECT_EQ(lookup(""), nullptr);
  EXPECT_EQ(lookup("SM_80"), nullptr);
  EXPECT_EQ(unknownTargetMessage("sm_90"),
            "expects one of the targets sm_70, sm_75, sm_80, sm_86, sm_87, "
            "sm_89, sm_90a, but got 'sm_90'; for that GPU use 'sm_90a'");
  EXPECT_EQ(unknownTargetMessage("gfx942"),
            "expects one of the targets sm_70, sm_75, sm_80, sm_86, sm_87, "
            "sm_89, sm_90a, but got 'gfx942'");
}

TEST(Target, DevicesFindTheirTarget) {
  EXPECT_EQ(lookupForDevice(61), nullptr);
  EXPECT_EQ(lookupForDevice(72)->name, "sm_70");
  EXPECT_EQ(lookupForDevice(86)->name, "sm_86");
  EXPECT_EQ(lookupForDevice(90)->name, "sm_90a");
  // Code for sm_90a runs on 9.0 alone.
  EXPECT_EQ(lookupForDevice(120)->name, "sm_89");
  EXPECT_TRUE(lookup("sm_90a")->runsOn(90));
  EXPECT_FALSE(lookup("sm_90a")->runsOn(100));
  EXPECT_TRUE(lookup("sm_75")->runsOn(86));
  EXPECT_FALSE(lookup("sm_86")->runsOn(80));
}

TEST(Target, SharedMemoryLimits) {
  std::tuple<const char *, unsigned> limits[] = {
      {"sm_70", 96 * 1024},  {"sm_75", 64 * 1024},  {"sm_80", 163 * 1024},
      {"sm_86", 99 * 1024},  {"sm_87", 163 * 1024}, {"sm_89", 99 * 1024},
      {"sm_90a", 227 * 1024}};
  for (auto [name, limit] : limits) {
    EXPECT_EQ(get(name).sharedMemoryLimit, limit) << name;
    EXPECT_EQ(get(name).staticSharedMemoryLimit, 48u * 1024) << name;
    EXPECT_EQ(get(name).sharedMemoryPerMultiprocessor -
                  get(name).sharedMemoryReservedPerCta,
              limit)
        << name;
  }
}

TEST(Target, RegistersOfThreads) {
  for (unsigned threads : {32u, 128u, 256u})
    EXPECT_EQ(get("sm_80").maxRegistersOf(threads), 255u) << threads;
  EXPECT_EQ(get("sm_80").maxRegistersOf(512), 128u);
  EXPECT_EQ(get("sm_80").maxRegistersOf(1024), 64u);
  EXPECT_EQ(get("sm_80").maxTileRegistersOf(128), 191u);
  EXPECT_EQ(get("sm_80").maxTileRegistersOf(512), 64u);
  EXPECT_EQ(get("sm_80").maxTileRegistersOf(1024), 32u);
}

TEST(Target, PtxVersions) {
  std::tuple<const char *, unsigned> versions[] = {
      {"sm_70", 60}, {"sm_75", 63}, {"sm_80", 70}, {"sm_86", 71},
      {"sm_87", 74}, {"sm_89", 78}, {"sm_90a", 80}};
  for (auto [name, version] : versions)
    EXPECT_EQ(get(name).ptxVersion({}), version) << name;
  EXPECT_EQ(formatPtxVersion(63), "6.3");

  Capability ldmatrix[] = {Capability::LdMatrix};
  EXPECT_EQ(get("sm_75").ptxVersion(ldmatrix), 65u);
  EXPECT_EQ(get("sm_89").ptxVersion(ldmatrix), 78u);
  Capability fp8[] = {Capability::Fp8Conversion, Capability::LdMatrix};
  EXPECT_EQ(get("sm_89").ptxVersion(fp8), 81u);
  EXPECT_EQ(get("sm_90a").ptxVersion(fp8), 80u);
  EXPECT_EQ(get("sm_70").ptxVersion(fp8), 60u);
  EXPECT_EQ(get("sm_70").ptxVersion({}, 64), 64u);
}

TEST(Target, EveryCapabilityHasANameAndSomeTarget) {
  std::set<std::string_view> seen;
  for (unsigned i = 0; i < capabilityCount; ++i) {
    auto capability = static_cast<Capability>(i);
    EXPECT_FALSE(capabilityName(capability).empty()) << i;
    EXPECT_TRUE(seen.insert(capabilityName(capability)).second) << i;
    bool exists = false;
    for (const Target &target : allTargets()) {
      EXPECT_EQ(target.has(capability),
                target.ptxVersionOf(capability).has_value());
      exists |= target.has(capability);
    }
    EXPECT_TRUE(exists) << capabilityName(capability);
  }
}

TEST(Target, CapabilitiesStartWhereTheHardwareDoes) {
  std::tuple<Capability, const char *, const char *> firsts[] = {
      {Capability::LdMatrix, "sm_70", "sm_75"},
      {Capability::TanhApprox, "sm_70", "sm_75"},
      {Capability::CpAsync, "sm_75", "sm_80"},
      {Capability::Redux, "sm_75", "sm_80"},
      {Capability::MBarrier, "sm_75", "sm_80"},
      {Capability::Bf16Arithmetic, "sm_75", "sm_80"},
      {Capability::Fp8Conversion, "sm_87", "sm_89"},
      {Capability::StMatrix, "sm_89", "sm_90a"},
      {Capability::Wgmma, "sm_89", "sm_90a"},
      {Capability::Clusters, "sm_89", "sm_90a"},
      {Capability::BulkTensorCopy, "sm_89", "sm_90a"},
  };
  for (auto [capability, without, with] : firsts) {
    EXPECT_FALSE(get(without).has(capability)) << capabilityName(capability);
    EXPECT_TRUE(get(with).has(capability)) << capabilityName(capability);
  }
  EXPECT_TRUE(get("sm_70").has(Capability::MmaQuadPair));
  EXPECT_FALSE(get("sm_75").has(Capability::MmaQuadPair));
}

TEST(MatrixInstruction, EachTargetsBestF16Dot) {
  using Names = std::vector<std::string>;
  MatrixQuery f16{ElementType::F16, ElementType::F16, ElementType::F32};
  EXPECT_EQ(names(get("sm_70"), f16), Names{"mma.sync.aligned.m8n8k4"});
  EXPECT_EQ(names(get("sm_75"), f16), Names{"mma.sync.aligned.m16n8k8"});
  Names ampere = {"mma.sync.aligned.m16n8k16", "mma.sync.aligned.m16n8k8"};
  for (const char *name : {"sm_80", "sm_86", "sm_87", "sm_89", "sm_90a"})
    EXPECT_EQ(names(get(name), f16), ampere) << name;
}

TEST(MatrixInstruction, TypesWithoutAnInstructionHaveNoCandidate) {
  MatrixQuery bf16{ElementType::BF16, ElementType::BF16, ElementType::F32};
  EXPECT_TRUE(names(get("sm_75"), bf16).empty());
  EXPECT_FALSE(names(get("sm_80"), bf16).empty());
  MatrixQuery fp8{ElementType::E4M3, ElementType::E5M2, ElementType::F32};
  EXPECT_TRUE(names(get("sm_87"), fp8).empty());
  EXPECT_EQ(names(get("sm_89"), fp8).front(), "mma.sync.aligned.m16n8k32");
  MatrixQuery int8{ElementType::S8, ElementType::U8, ElementType::S32};
  EXPECT_TRUE(names(get("sm_70"), int8).empty());
  EXPECT_EQ(names(get("sm_75"), int8).front(), "mma.sync.aligned.m8n8k16");
  EXPECT_EQ(names(get("sm_86"), int8).front(), "mma.sync.aligned.m16n8k32");
}

TEST(MatrixInstruction, ExtentsAndWarpsExclude) {
  using Names = std::vector<std::string>;
  MatrixQuery query{ElementType::F16, ElementType::F16, ElementType::F32};
  query.m = 16, query.n = 8, query.k = 8;
  EXPECT_EQ(names(get("sm_80"), query), Names{"mma.sync.aligned.m16n8k8"});
  query.m = 8;
  EXPECT_TRUE(names(get("sm_80"), query).empty());

  query.m = 64, query.n = 128, query.k = 64;
  query.allowAsynchronous = true;
  query.warps = 4;
  EXPECT_EQ(names(get("sm_90a"), query).front(),
            "wgmma.mma_async.sync.aligned.m64nNk16");
  query.warps = 1;
  EXPECT_EQ(names(get("sm_90a"), query).front(), "mma.sync.aligned.m16n8k16");
  query.warps = 4, query.m = 16;
  EXPECT_EQ(names(get("sm_90a"), query).front(), "mma.sync.aligned.m16n8k16");
}

TEST(MatrixInstruction, WgmmaShapes) {
  MatrixQuery query{ElementType::F16, ElementType::F16, ElementType::F32};
  query.allowAsynchronous = true;
  const MatrixInstruction *row =
      get("sm_90a").findMatrixInstructions(query).front();
  EXPECT_TRUE(row->asynchronous);
  EXPECT_EQ(row->minimumRows(), 64u);
  EXPECT_EQ(row->warps, 4u);
  EXPECT_TRUE(row->admitsN(8));
  EXPECT_TRUE(row->admitsN(256));
  EXPECT_FALSE(row->admitsN(12));
  EXPECT_FALSE(row->admitsN(264));
}

TEST(MatrixInstruction, RowsAreDistinctAndFollowTheFragmentRule) {
  std::set<std::tuple<unsigned, unsigned, unsigned, bool, ElementType,
                      ElementType, ElementType>>
      seen;
  for (const MatrixInstruction &row : allMatrixInstructions()) {
    EXPECT_TRUE(seen.insert({row.m, row.n, row.k, row.asynchronous, row.a,
                             row.b, row.accumulator})
                    .second)
        << row.name;
    EXPECT_EQ(elementTypeBits(row.a), elementTypeBits(row.b)) << row.name;
    std::string shape = row.nStep ? "m64nNk" + std::to_string(row.k)
                                  : "m" + std::to_string(row.m) + "n" +
                                        std::to_string(row.n) + "k" +
                                        std::to_string(row.k);
    EXPECT_TRUE(row.name.ends_with(shape)) << row.name;
    if (row.asynchronous)
      EXPECT_EQ(row.k * elementTypeBits(row.a), 256u) << row.name;
  }
}
