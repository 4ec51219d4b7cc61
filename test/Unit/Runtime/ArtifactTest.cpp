// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The artifact and its file: round trips, damage, and parts of later versions.

#include "SampleArtifact.h"

#include "runtime/Digest.h"
#include "runtime/File.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace tilewright::runtime;

static std::vector<uint8_t> serialize(const Artifact &artifact) {
  Result<std::vector<uint8_t>> bytes = serializeArtifact(artifact);
  EXPECT_TRUE(bool(bytes)) << (bytes ? "" : bytes.error().message);
  return bytes ? *bytes : std::vector<uint8_t>();
}

/// Puts the right size and digest on changed bytes.
static void reseal(std::vector<uint8_t> &bytes) {
  for (unsigned i = 0; i < 8; ++i)
    bytes[16 + i] = uint8_t(uint64_t(bytes.size()) >> (8 * i));
  Digest seal = digest(std::span(bytes).first(bytes.size() - 32));
  std::copy(seal.begin(), seal.end(), bytes.end() - 32);
}

/// Inserts a section before the trailer.
static void appendSection(std::vector<uint8_t> &bytes, uint8_t id,
                          uint8_t flags) {
  std::vector<uint8_t> section = {id, 0, 0, 0, flags, 0, 0,   0,   3,  0,
                                  0,  0, 0, 0, 0,     0, 'n', 'e', 'w'};
  bytes.insert(bytes.end() - 32, section.begin(), section.end());
  ++bytes[12];
  reseal(bytes);
}

TEST(Digest, KnownAnswers) {
  // FIPS 180-4 example values.
  EXPECT_EQ(toHex(digest({})), "e3b0c44298fc1c149afbf4c8996fb924"
                               "27ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(toHex(digest(bytesOf("abc"))), "ba7816bf8f01cfea414140de5dae2223"
                                           "b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(toHex(digest(bytesOf(
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Digest, PiecesAreAsTheWhole) {
  std::vector<uint8_t> bytes(1000);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = uint8_t(i * 7);
  for (size_t piece : {1u, 55u, 56u, 63u, 64u, 65u, 999u}) {
    Hasher hasher;
    for (size_t at = 0; at < bytes.size(); at += piece)
      hasher.update(
          std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)));
    EXPECT_EQ(hasher.finish(), digest(bytes)) << piece;
  }
}

TEST(Architecture, NamesAreParsedBack) {
  for (const char *name : {"sm_70", "sm_87", "sm_90a", "sm_100f", "sm_120"})
    EXPECT_EQ(Architecture::fromName(name)->name(), name);
  for (const char *name : {"", "sm_", "sm_9", "sm_90b", "sm_0", "sm_08", "90",
                           "sm_90 ", "sm_-1", "sm_99999", "compute_80"})
    EXPECT_FALSE(Architecture::fromName(name).has_value()) << name;
}

// Fields at the ends of records may be younger than a file.
TEST(Artifact, ParametersOfOlderFilesHaveNoElementType) {
  Artifact artifact = sampleArtifact();
  std::vector<Parameter> &parameters = artifact.kernels[0].parameters;
  parameters.erase(parameters.begin(), parameters.begin() + 2);
  for (Variant &variant : artifact.variants) {
    variant.slots.clear();
    appendNaturalSlots(artifact.kernels[0], 8, variant.slots);
  }
  parameters[0].elementType = "";
  std::vector<uint8_t> bytes = serialize(artifact);
  // The parameter's record: its length, the name "n", kind, size, rank and
  // alignment, then the length of the empty text.
  const uint8_t start[] = {30, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 'n'};
  auto record = std::search(bytes.begin(), bytes.end(), std::begin(start),
                            std::end(start));
  ASSERT_NE(record, bytes.end());
  *record -= 8;
  size_t at = record - bytes.begin();
  // Around it: the kernel's record, before its name and its list's length, and
  // the section, before its list's length.
  bytes[at - 4 - 3 - 8 - 4] -= 8;
  bytes[at - 4 - 3 - 8 - 4 - 4 - 8] -= 8;
  bytes.erase(bytes.begin() + at + 4 + 22, bytes.begin() + at + 4 + 30);
  reseal(bytes);
  Result<Artifact> parsed = parseArtifact(bytes);
  ASSERT_TRUE(bool(parsed)) << parsed.error().message;
  EXPECT_EQ(*parsed, artifact);
  // Half a field is damage.
  bytes.insert(bytes.begin() + at + 4 + 22, {1, 0, 0});
  bytes[at] += 3;
  bytes[at - 4 - 3 - 8 - 4] += 3;
  bytes[at - 4 - 3 - 8 - 4 - 4 - 8] += 3;
  reseal(bytes);
  EXPECT_FALSE(bool(parseArtifact(bytes)));
}

TEST(Artifact, RoundTrip) {
  std::vector<uint8_t> bytes = serialize(sampleArtifact());
  Result<Artifact> parsed = parseArtifact(bytes);
  ASSERT_TRUE(bool(parsed)) << parsed.error().message;
  EXPECT_EQ(*parsed, sampleArtifact());
  EXPECT_EQ(serialize(*parsed), bytes);
}

namespace {
/// Valid artifacts with random content.
class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}
  Artifact artifact();

private:
  uint32_t below(uint32_t bound) { return uint32_t(random() % bound); }
  std::string text(const char *prefix) {
    std::string result = prefix;
    for (uint32_t i = below(12); i > 0; --i)
      result += char(1 + below(255));
    return result;
  }
  Kernel kernel(uint32_t index);
  Variant variant(const Artifact &artifact, uint32_t kernel, uint32_t image);
  TensorMapRecipe recipe();
  std::mt19937_64 random;
};
} // namespace

Kernel Generator::kernel(uint32_t index) {
  Kernel kernel;
  kernel.name = text("k") + std::to_string(index);
  for (uint32_t i = below(6); i > 0; --i) {
    Parameter p;
    p.name = text("");
    p.kind = ParameterKind(below(5));
    p.size = p.kind == ParameterKind::Pointer      ? 8
             : p.kind == ParameterKind::Descriptor ? 0
             : p.kind == ParameterKind::Untyped    ? 1 + below(100)
                                                   : 1u << below(4);
    p.rank = p.kind == ParameterKind::Descriptor ? 1 + below(5) : 0;
    p.pointerAlignment = 1u << below(8);
    kernel.parameters.push_back(p);
  }
  return kernel;
}

TensorMapRecipe Generator::recipe() {
  TensorMapRecipe recipe;
  uint32_t rank = 1 + below(5);
  recipe.swizzle = below(4);
  recipe.elementBytes = 1 + below(16);
  for (uint32_t d = 0; d < rank; ++d) {
    recipe.shape.push_back({ValueSource::Constant, 0, 0, int64_t(random())});
    if (d)
      recipe.strides.push_back({ValueSource::Constant, 0, 0, 5});
    recipe.box.push_back(below(256));
    recipe.elementStrides.push_back(1);
  }
  if (below(2))
    recipe.nonNegative.push_back({ValueSource::Constant, 0, 0, 3});
  if (rank > 1 && below(4) == 0)
    recipe.signedDimensions.push_back(1 + below(rank - 1));
  return recipe;
}

Variant Generator::variant(const Artifact &artifact, uint32_t kernel,
                           uint32_t image) {
  Variant v;
  v.kernel = kernel;
  v.image = image;
  v.symbol = text("s");
  appendNaturalSlots(artifact.kernels[kernel], below(2) ? 4 : 8, v.slots);
  if (below(2)) {
    v.tensorMaps.push_back(recipe());
    uint32_t end =
        v.slots.empty() ? 0 : v.slots.back().offset + v.slots.back().size;
    v.slots.push_back(
        {(end + 63) / 64 * 64, 128, 64, SlotKind::TensorMap, {}, 0});
  }
  v.numWarps = 1 + below(32);
  v.block = {1 + below(128), 1 + below(8), 1};
  v.cluster = {1 + below(8), 1 + below(2), 1};
  v.staticSharedBytes = below(50000);
  v.dynamicSharedBytes = below(200000);
  v.registerCap = below(256);
  if (below(2))
    v.registers = below(256);
  if (below(2))
    v.spillBytes = below(100);
  v.globalScratchBytes = random();
  v.globalScratchAlignment = 1u << below(10);
  v.cooperative = below(2);
  v.dependentLaunch = below(2);
  v.lineTable = text("");
  return v;
}

Artifact Generator::artifact() {
  Artifact artifact;
  artifact.producer = text("");
  artifact.key = text("");
  for (uint32_t i = below(4); i > 0; --i)
    artifact.images.push_back(
        {ImageKind(below(2)),
         {1 + below(12), below(10), below(2) ? 'a' : '\0'},
         60 + below(30),
         below(2) == 1,
         bytesOf(text("image"))});
  for (uint32_t i = below(4); i > 0; --i)
    artifact.kernels.push_back(kernel(i));
  for (uint32_t k = 0; k < artifact.kernels.size(); ++k)
    for (uint32_t i = 0; i < artifact.images.size(); ++i)
      if (below(4))
        artifact.variants.push_back(variant(artifact, k, i));
  for (uint32_t i = below(3); i > 0; --i) {
    Remark remark{text("r"), RemarkKind(below(4)), text(""), text(""), {}, {}};
    if (!artifact.kernels.empty())
      remark.kernel = below(uint32_t(artifact.kernels.size()));
    artifact.remarks.push_back(remark);
  }
  return artifact;
}

TEST(Artifact, RandomRoundTrips) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    Artifact artifact = Generator(seed).artifact();
    std::vector<uint8_t> bytes = serialize(artifact);
    Result<Artifact> parsed = parseArtifact(bytes);
    ASSERT_TRUE(bool(parsed)) << seed << ": " << parsed.error().message;
    ASSERT_EQ(*parsed, artifact) << seed;
    ASSERT_EQ(serialize(*parsed), bytes) << seed;
  }
}

TEST(Artifact, EveryTruncationIsAnError) {
  std::vector<uint8_t> bytes = serialize(sampleArtifact());
  for (size_t size = 0; size < bytes.size(); ++size) {
    // A copy of its own, so that AddressSanitizer sees reads beyond the end.
    std::vector<uint8_t> part(bytes.begin(), bytes.begin() + long(size));
    Result<Artifact> parsed = parseArtifact(part);
    ASSERT_FALSE(bool(parsed)) << size;
    EXPECT_FALSE(parsed.error().message.empty());
  }
}

TEST(Artifact, EveryFlippedBitIsAnError) {
  std::vector<uint8_t> bytes = serialize(sampleArtifact());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= uint8_t(1 << bit % 8);
    EXPECT_FALSE(bool(parseArtifact(bytes))) << bit;
    bytes[bit / 8] ^= uint8_t(1 << bit % 8);
  }
}

TEST(Artifact, ResealedDamageIsAnErrorOrAnArtifact) {
  // With the digest made right the parser itself is on trial: whatever it
  // accepts must be valid, and nothing may read out of bounds.
  std::vector<uint8_t> original = serialize(sampleArtifact());
  unsigned rejected = 0;
  for (size_t bit = 0; bit < (original.size() - 32) * 8; ++bit) {
    std::vector<uint8_t> bytes = original;
    bytes[bit / 8] ^= uint8_t(1 << bit % 8);
    Digest seal = digest(std::span(bytes).first(bytes.size() - 32));
    std::copy(seal.begin(), seal.end(), bytes.end() - 32);
    Result<Artifact> parsed = parseArtifact(bytes);
    if (parsed)
      EXPECT_TRUE(bool(verifyArtifact(*parsed))) << bit;
    else
      ++rejected;
  }
  EXPECT_GT(rejected, 1000u);
}

TEST(Artifact, ResealedTruncationIsAnError) {
  std::vector<uint8_t> original = serialize(sampleArtifact());
  for (size_t cut = 1; cut + 56 < original.size(); ++cut) {
    std::vector<uint8_t> bytes = original;
    bytes.erase(bytes.end() - 32 - long(cut), bytes.end() - 32);
    reseal(bytes);
    EXPECT_FALSE(bool(parseArtifact(bytes))) << cut;
  }
}

TEST(Artifact, UnknownSectionsAreSkipped) {
  std::vector<uint8_t> bytes = serialize(sampleArtifact());
  appendSection(bytes, 99, 0);
  Result<Artifact> parsed = parseArtifact(bytes);
  ASSERT_TRUE(bool(parsed)) << parsed.error().message;
  EXPECT_EQ(*parsed, sampleArtifact());
}

TEST(Artifact, SectionsThatMustBeUnderstoodAreNot) {
  std::vector<uint8_t> bytes = serialize(sampleArtifact());
  appendSection(bytes, 99, 1);
  Result<Artifact> parsed = parseArtifact(bytes);
  ASSERT_FALSE(bool(parsed));
  EXPECT_EQ(parsed.error().code, ErrorCode::Unsupported);
  EXPECT_NE(parsed.error().message.find("section 99"), std::string::npos);
}

TEST(Artifact, SectionsOccurOnce) {
  std::vector<uint8_t> bytes = serialize(sampleArtifact());
  appendSection(bytes, 99, 0);
  appendSection(bytes, 99, 0);
  EXPECT_FALSE(bool(parseArtifact(bytes)));
}

TEST(Artifact, FieldsOfLaterVersionsAreSkipped) {
  // The identity record is the first payload: a length at 40, its fields after.
  std::vector<uint8_t> bytes = serialize(sampleArtifact());
  uint8_t recordSize = bytes[40];
  bytes.insert(bytes.begin() + 44 + recordSize, {1, 2, 3});
  bytes[40] = uint8_t(recordSize + 3);
  bytes[32] = uint8_t(bytes[32] + 3);
  reseal(bytes);
  Result<Artifact> parsed = parseArtifact(bytes);
  ASSERT_TRUE(bool(parsed)) << parsed.error().message;
  EXPECT_EQ(*parsed, sampleArtifact());
}

TEST(Artifact, LaterVersionsAreNamed) {
  std::vector<uint8_t> bytes = serialize(sampleArtifact());
  bytes[8] = artifactVersion + 1;
  reseal(bytes);
  Result<Artifact> parsed = parseArtifact(bytes);
  ASSERT_FALSE(bool(parsed));
  EXPECT_NE(parsed.error().message.find("version 3"), std::string::npos);
}

TEST(Artifact, VerifierNamesThePlace) {
  auto messageFor = [](auto change) {
    Artifact artifact = sampleArtifact();
    change(artifact);
    Result<std::vector<uint8_t>> bytes = serializeArtifact(artifact);
    return bytes ? std::string() : bytes.error().message;
  };
  EXPECT_EQ(messageFor([](Artifact &a) { a.variants[1].slots[2].size = 8; }),
            "bad artifact: variant 1 (kernel 'add', sm_70), slot 2: expects a "
            "slot as large as its value, but got 8 bytes");
  EXPECT_EQ(messageFor([](Artifact &a) { a.variants[0].slots[1].offset = 4; }),
            "bad artifact: variant 0 (kernel 'add', sm_80), slot 1: expects an "
            "offset of at least 8, but got 4");
  EXPECT_NE(messageFor([](Artifact &a) { a.variants[0].block.x = 2000; }), "");
  EXPECT_NE(messageFor([](Artifact &a) { a.variants[0].image = 7; }), "");
  EXPECT_NE(messageFor([](Artifact &a) { a.variants[1].image = 0; }), "");
  EXPECT_NE(messageFor([](Artifact &a) { a.images[0].bytes.clear(); }), "");
  EXPECT_NE(messageFor([](Artifact &a) { a.remarks[0].kernel = 1; }), "");
  EXPECT_NE(messageFor([](Artifact &a) { a.kernels.push_back(a.kernels[0]); }),
            "");
  EXPECT_EQ(messageFor([](Artifact &) {}), "");
}

TEST(Artifact, FindsKernels) {
  Artifact artifact = sampleArtifact();
  EXPECT_EQ(*artifact.findKernel("add"), 0u);
  EXPECT_EQ(*artifact.findKernel(""), 0u);
  EXPECT_EQ(artifact.findKernel("sub").error().message,
            "the artifact has no kernel 'sub', only 'add'");
  artifact.kernels.push_back({"mul", {}});
  EXPECT_FALSE(bool(artifact.findKernel("")));
}

TEST(Artifact, Files) {
  std::string path = testing::TempDir() + "tilewright_artifact_test.twa";
  ASSERT_TRUE(bool(writeArtifact(path, sampleArtifact())));
  Result<Artifact> read = readArtifact(path);
  ASSERT_TRUE(bool(read)) << read.error().message;
  EXPECT_EQ(*read, sampleArtifact());
  ASSERT_TRUE(bool(writeFile(path, bytesOf("no artifact"))));
  EXPECT_EQ(readArtifact(path).error().message,
            path + ": bad artifact: the file does not begin as an artifact "
                   "does");
  EXPECT_FALSE(bool(readFile(path, 3)));
  std::remove(path.c_str());
  EXPECT_EQ(readArtifact(path).error().code, ErrorCode::NotFound);
  EXPECT_FALSE(bool(readFile(testing::TempDir(), 1000)));
  EXPECT_FALSE(bool(writeFile("/nonexistent/folder/file", {})));
}
