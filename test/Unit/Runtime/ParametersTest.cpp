// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From arguments to parameter bytes.

#include "SampleArtifact.h"

#include "runtime/Parameters.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tilewright::runtime;

template <typename T>
static T read(const ParameterBlock &block, size_t offset) {
  T value;
  std::memcpy(&value, block.bytes().data() + offset, sizeof(T));
  return value;
}

static std::string failureOf(const Kernel &kernel, const Variant &variant,
                             std::vector<Argument> arguments) {
  ParameterBlock block;
  Result<void> filled = block.fill(kernel, variant, arguments, 0, nullptr);
  return filled ? "" : filled.error().message;
}

TEST(Parameters, NaturalLayout) {
  Kernel kernel = {"k",
                   {{"a", ParameterKind::Integer, 1, 0, 1},
                    {"b", ParameterKind::Float, 4, 0, 1},
                    {"c", ParameterKind::Pointer, 8, 0, 1},
                    {"d", ParameterKind::Integer, 2, 0, 1}}};
  Variant variant;
  appendNaturalSlots(kernel, 8, variant.slots);
  ParameterBlock block;
  std::vector<Argument> arguments = {
      Argument::integer(-2, 1), Argument::floating(0x3f800000, 4),
      Argument::pointer(0x123456789a), Argument::integer(515, 2)};
  ASSERT_TRUE(bool(block.fill(kernel, variant, arguments, 0, nullptr)));
  EXPECT_EQ(block.bytes().size(), 18u);
  EXPECT_EQ(read<int8_t>(block, 0), -2);
  EXPECT_EQ(read<float>(block, 4), 1.0f);
  EXPECT_EQ(read<uint64_t>(block, 8), 0x123456789au);
  EXPECT_EQ(read<int16_t>(block, 16), 515);
}

TEST(Parameters, ArgumentsMustFit) {
  Artifact artifact = sampleArtifact();
  const Kernel &kernel = artifact.kernels[0];
  const Variant &variant = artifact.variants[0];
  Argument pointer = Argument::pointer(256), number = Argument::integer(1, 4);
  EXPECT_EQ(failureOf(kernel, variant, {pointer, pointer, number}), "");
  EXPECT_EQ(failureOf(kernel, variant, {pointer, pointer}),
            "kernel 'add' expects 3 arguments, but got 2");
  EXPECT_EQ(
      failureOf(kernel, variant, {pointer, pointer, Argument::integer(1, 8)}),
      "argument 2 ('n') of kernel 'add': expects an integer of 4 bytes, but "
      "got an integer of 8 bytes");
  EXPECT_EQ(
      failureOf(kernel, variant, {pointer, pointer, Argument::floating(1, 4)}),
      "argument 2 ('n') of kernel 'add': expects an integer of 4 bytes, but "
      "got a floating-point number of 4 bytes");
  EXPECT_EQ(
      failureOf(kernel, variant, {pointer, Argument::pointer(8), number}),
      "argument 1 ('y') of kernel 'add': expects an address that is a multiple "
      "of 16, but got 8");
}

TEST(Parameters, UntypedTakesAnyValueOfItsSize) {
  Kernel kernel = {"k", {{"a", ParameterKind::Untyped, 8, 0, 1}}};
  Variant variant;
  appendNaturalSlots(kernel, 8, variant.slots);
  EXPECT_EQ(failureOf(kernel, variant, {Argument::pointer(3)}), "");
  EXPECT_EQ(failureOf(kernel, variant, {Argument::integer(3, 8)}), "");
  EXPECT_NE(failureOf(kernel, variant, {Argument::integer(3, 4)}), "");
  EXPECT_EQ(
      failureOf(kernel, variant, {Argument::untyped({1, 2, 3, 4, 5, 6, 7, 8})}),
      "");
}

TEST(Parameters, DescriptorsByComponent) {
  Kernel kernel = {"k", {{"t", ParameterKind::Descriptor, 0, 2, 16}}};
  Variant variant;
  appendNaturalSlots(kernel, 4, variant.slots);
  ParameterBlock block;
  std::vector<Argument> arguments = {
      Argument::descriptor(4096, {3, 5}, {5, 1})};
  ASSERT_TRUE(bool(block.fill(kernel, variant, arguments, 0, nullptr)));
  EXPECT_EQ(read<uint64_t>(block, 0), 4096u);
  EXPECT_EQ(read<int32_t>(block, 8), 3);
  EXPECT_EQ(read<int32_t>(block, 12), 5);
  EXPECT_EQ(read<int32_t>(block, 16), 5);
  EXPECT_EQ(read<int32_t>(block, 20), 1);
  EXPECT_EQ(failureOf(kernel, variant,
                      {Argument::descriptor(0, {int64_t(1) << 31, 5}, {5, 1})}),
            "kernel 'k': expects a shape or stride that fits in 32 bits, but "
            "got 2147483648");
  EXPECT_EQ(failureOf(kernel, variant, {Argument::pointer(0)}),
            "argument 0 ('t') of kernel 'k': expects a descriptor of rank 2, "
            "but got a pointer");
}

TEST(Parameters, TensorMapsAndScratch) {
  Kernel kernel = {"k", {{"t", ParameterKind::Descriptor, 0, 2, 16}}};
  Variant variant;
  TensorMapRecipe recipe;
  recipe.elementBytes = 2;
  recipe.base = {ValueSource::DescriptorPointer, 0, 0, 0};
  recipe.shape = {{ValueSource::DescriptorShape, 0, 1, 0},
                  {ValueSource::DescriptorShape, 0, 0, 0}};
  recipe.strides = {{ValueSource::DescriptorStride, 0, 0, 0}};
  recipe.box = {64, 32};
  recipe.elementStrides = {1, 1};
  variant.tensorMaps = {recipe};
  variant.slots = {{0, 128, 64, SlotKind::TensorMap, {}, 0},
                   {128, 8, 8, SlotKind::GlobalScratch, {}, 0}};
  ParameterBlock block;
  std::vector<Argument> arguments = {
      Argument::descriptor(4096, {30, 50}, {64, 1})};
  TensorMapValues seen;
  auto encode = [&](const TensorMapValues &values, void *map) -> Result<void> {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(map) % 128, 0u);
    seen = values;
    std::memset(map, 0x55, 128);
    return success();
  };
  ASSERT_TRUE(bool(block.fill(kernel, variant, arguments, 0xabc000, encode)));
  EXPECT_EQ(seen.rank, 2u);
  EXPECT_EQ(seen.address, 4096u);
  EXPECT_EQ(seen.shape[0], 50u);
  EXPECT_EQ(seen.shape[1], 30u);
  EXPECT_EQ(seen.strideBytes[0], 128u);
  EXPECT_EQ(read<uint8_t>(block, 127), 0x55);
  EXPECT_EQ(read<uint64_t>(block, 128), 0xabc000u);
  EXPECT_NE(failureOf(kernel, variant, arguments), "");
  // What the driver would refuse without a word.
  auto refuse = [&](uint64_t address, std::vector<int64_t> strides) {
    arguments = {Argument::descriptor(address, {30, 50}, std::move(strides))};
    kernel.parameters[0].pointerAlignment = 1;
    Result<void> result = block.fill(kernel, variant, arguments, 0, encode);
    return result ? std::string() : result.error().message;
  };
  EXPECT_EQ(refuse(4104, {64, 1}),
            "kernel 'k': a tensor map expects an address that is a multiple of "
            "16 bytes, but got 4104");
  EXPECT_EQ(
      refuse(4096, {63, 1}),
      "kernel 'k': a tensor map expects a stride that is a multiple of 16 "
      "bytes, but got 126");
  EXPECT_EQ(refuse(4096, {64, 1}), "");
  EXPECT_EQ(refuse(4096, {-64, 1}), "kernel 'k': a tensor map expects strides "
                                    "from 0 to 2^40 - 1, but got -64");
  // The stride of one row is nobody's.
  arguments = {Argument::descriptor(4096, {1, 50}, {-3, 1})};
  ASSERT_TRUE(bool(block.fill(kernel, variant, arguments, 0, encode)));
  EXPECT_EQ(seen.strideBytes[0], 16u);
  EXPECT_FALSE(seen.isEmpty);
  // Beyond what coordinates reach.
  arguments = {Argument::descriptor(4096, {int64_t(1) << 40, 50}, {64, 1})};
  ASSERT_TRUE(bool(block.fill(kernel, variant, arguments, 0, encode)));
  EXPECT_EQ(seen.shape[1], (uint64_t(1) << 31) - 1);
  // Without elements it is nowhere.
  for (int64_t size : {0, -1}) {
    arguments = {Argument::descriptor(7, {30, size}, {63, 1})};
    ASSERT_TRUE(bool(block.fill(kernel, variant, arguments, 0, encode)));
    EXPECT_TRUE(seen.isEmpty);
    EXPECT_EQ(seen.shape[0], 1u);
    EXPECT_EQ(seen.shape[1], 1u);
    EXPECT_EQ(seen.strideBytes[0], 16u);
  }
}

TEST(Parameters, CoordinatesThatRelyOnArguments) {
  Kernel kernel = {"k",
                   {{"t", ParameterKind::Pointer, 8, 0, 16},
                    {"keys", ParameterKind::Integer, 4, 0, 1}}};
  Variant variant;
  TensorMapRecipe recipe;
  recipe.base = {ValueSource::Argument, 0, 0, 0};
  recipe.shape = {{ValueSource::Constant, 0, 0, 64}};
  recipe.box = {64};
  recipe.elementStrides = {1};
  recipe.nonNegative = {{ValueSource::Argument, 1, 0, 0}};
  variant.tensorMaps = {recipe};
  variant.slots = {{0, 128, 64, SlotKind::TensorMap, {}, 0}};
  ParameterBlock block;
  auto launch = [&](int64_t keys) {
    std::vector<Argument> arguments = {Argument::pointer(4096),
                                       Argument::integer(keys, 4)};
    auto encode = [](const TensorMapValues &, void *) { return success(); };
    Result<void> result = block.fill(kernel, variant, arguments, 0, encode);
    return result ? std::string() : result.error().message;
  };
  EXPECT_EQ(launch(0), "");
  EXPECT_EQ(launch(-3),
            "kernel 'k': bulk copies expect argument 1 to be 0 or "
            "more, but got -3; compile without tensor maps for such "
            "arguments");
}

TEST(Parameters, SignedDimensionsBeginBeforeTheBase) {
  Kernel kernel = {"k",
                   {{"t", ParameterKind::Pointer, 8, 0, 16},
                    {"stride", ParameterKind::Integer, 8, 0, 1}}};
  Variant variant;
  TensorMapRecipe recipe;
  recipe.elementBytes = 2;
  recipe.base = {ValueSource::Argument, 0, 0, 0};
  recipe.shape = {{ValueSource::Constant, 0, 0, 64},
                  {ValueSource::Constant, 0, 0, 100}};
  recipe.strides = {{ValueSource::Argument, 1, 0, 0}};
  recipe.box = {64, 32};
  recipe.elementStrides = {1, 1};
  recipe.signedDimensions = {1};
  variant.tensorMaps = {recipe};
  variant.slots = {{0, 128, 64, SlotKind::TensorMap, {}, 0}};
  TensorMapValues seen;
  auto launch = [&](uint64_t address, int64_t stride) {
    std::vector<Argument> arguments = {Argument::pointer(address),
                                       Argument::integer(stride, 8)};
    auto encode = [&](const TensorMapValues &values, void *) {
      seen = values;
      return success();
    };
    ParameterBlock block;
    Result<void> result = block.fill(kernel, variant, arguments, 0, encode);
    return result ? std::string() : result.error().message;
  };
  constexpr uint64_t address = uint64_t(1) << 40, reach = uint64_t(1) << 31;
  // Whole rows: 24 divides no power of two.
  for (int64_t stride : {64, 24, 8, 1 << 20}) {
    ASSERT_EQ(launch(address, stride), "");
    uint64_t rows = reach / stride;
    EXPECT_EQ(seen.shape[1], 100 + rows);
    EXPECT_EQ(seen.address, address - 2 * rows * stride);
  }
  // Coordinates reach no further.
  variant.tensorMaps[0].shape[1].constant = (int64_t(1) << 31) - 10;
  ASSERT_EQ(launch(address, 64), "");
  EXPECT_EQ(seen.shape[1], reach - 1);
  variant.tensorMaps[0].shape[1].constant = 100;
  // All rows are the same one, but for their coordinates.
  ASSERT_EQ(launch(address, 0), "");
  EXPECT_EQ(seen.shape[1], 100 + reach / 8);
  EXPECT_EQ(seen.address, address);
  EXPECT_EQ(launch(4096, 64), "kernel 'k': a tensor map expects an address of "
                              "at least 4294967296, but got 4096");
  EXPECT_EQ(launch(address, -64), "kernel 'k': a tensor map expects strides "
                                  "from 0 to 2^40 - 1, but got -64");
}
