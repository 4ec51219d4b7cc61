// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which image runs where.

#include "SampleArtifact.h"

#include "runtime/ImageChoice.h"

#include <gtest/gtest.h>

using namespace tilewright::runtime;

static Artifact withImages(std::initializer_list<Image> images) {
  Artifact artifact;
  artifact.images = images;
  artifact.kernels = {{"k", {}}};
  for (uint32_t i = 0; i < artifact.images.size(); ++i) {
    Variant variant;
    variant.image = i;
    artifact.variants.push_back(variant);
  }
  return artifact;
}

static Image cubin(const char *target) {
  return {ImageKind::Cubin, *Architecture::fromName(target), 0, false, {1}};
}
static Image ptx(const char *target, uint32_t version, bool portable = false) {
  return {
      ImageKind::Ptx, *Architecture::fromName(target), version, portable, {1}};
}

/// The index of the image chosen, or -1.
static int choose(std::initializer_list<Image> images, const char *device,
                  int driver = 12040) {
  Artifact artifact = withImages(images);
  Result<const Variant *> variant =
      chooseVariant(artifact, 0, {*Architecture::fromName(device), driver});
  return variant ? int((*variant)->image) : -1;
}

TEST(ImageChoice, ExactCubinFirst) {
  EXPECT_EQ(choose({ptx("sm_86", 71), cubin("sm_80"), cubin("sm_86")}, "sm_86"),
            2);
  EXPECT_EQ(choose({cubin("sm_90"), cubin("sm_90a")}, "sm_90"), 1);
}

TEST(ImageChoice, LowerMinorCubinBeforePtx) {
  EXPECT_EQ(choose({ptx("sm_86", 71), cubin("sm_80")}, "sm_86"), 1);
  EXPECT_EQ(choose({cubin("sm_80"), cubin("sm_86")}, "sm_89"), 1);
}

TEST(ImageChoice, CubinsStayWithinTheirMajorNumber) {
  EXPECT_EQ(choose({cubin("sm_80")}, "sm_90"), -1);
  EXPECT_EQ(choose({cubin("sm_86")}, "sm_80"), -1);
  EXPECT_EQ(choose({cubin("sm_70"), ptx("sm_70", 60)}, "sm_90"), 1);
}

TEST(ImageChoice, ArchitectureSpecificCodeIsNeverForward) {
  EXPECT_EQ(choose({cubin("sm_90a")}, "sm_90"), 0);
  EXPECT_EQ(choose({cubin("sm_90a"), ptx("sm_90a", 80)}, "sm_100"), -1);
  EXPECT_EQ(choose({ptx("sm_90a", 80), ptx("sm_90", 80)}, "sm_100"), 1);
}

TEST(ImageChoice, FamilyCodeStaysInItsFamily) {
  EXPECT_EQ(choose({ptx("sm_100f", 86)}, "sm_103", 13000), 0);
  EXPECT_EQ(choose({ptx("sm_100f", 86)}, "sm_120", 13000), -1);
}

TEST(ImageChoice, EmbeddedPartsDoNotShareCubins) {
  EXPECT_EQ(choose({cubin("sm_86")}, "sm_87"), -1);
  EXPECT_EQ(choose({cubin("sm_87")}, "sm_89"), -1);
  EXPECT_EQ(choose({cubin("sm_87")}, "sm_87"), 0);
  EXPECT_EQ(choose({cubin("sm_86"), ptx("sm_80", 70)}, "sm_87"), 1);
}

TEST(ImageChoice, DriversBoundThePtxVersion) {
  EXPECT_EQ(choose({ptx("sm_80", 85)}, "sm_80", 12040), -1);
  EXPECT_EQ(choose({ptx("sm_80", 84)}, "sm_80", 12040), 0);
  EXPECT_EQ(choose({ptx("sm_80", 85), ptx("sm_70", 60)}, "sm_80", 12040), 1);
  EXPECT_EQ(choose({ptx("sm_70", 60)}, "sm_80", 0), -1);
  EXPECT_EQ(newestPtxVersion(12060), 85u);
  EXPECT_EQ(newestPtxVersion(14000), 90u);
}

TEST(ImageChoice, PortableFallbackLast) {
  EXPECT_EQ(choose({ptx("sm_80", 70, true), ptx("sm_70", 60)}, "sm_80"), 1);
  EXPECT_EQ(choose({ptx("sm_70", 60, true), ptx("sm_90", 80)}, "sm_80"), 0);
}

TEST(ImageChoice, ErrorsListTheImages) {
  Artifact artifact = withImages({cubin("sm_90a"), ptx("sm_75", 85)});
  Result<const Variant *> variant =
      chooseVariant(artifact, 0, {{8, 0, 0}, 11040});
  ASSERT_FALSE(bool(variant));
  EXPECT_EQ(variant.error().message,
            "no image of kernel 'k' runs on sm_80 with a driver for CUDA 11.4 "
            "(cubin sm_90a: code for sm_90a runs on no other architecture; PTX "
            "8.5 for sm_75: the driver knows PTX up to version 7.4 alone)");
}
