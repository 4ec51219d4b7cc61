// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Compiler/Compilation.h"
#include "llvm/Support/JSON.h"

using namespace tilewright;
using llvm::json::OStream;

/// A number, or where a launch takes it from.
static void describeValue(OStream &json, const runtime::Artifact &artifact,
                          const runtime::Variant &variant,
                          const runtime::Value &value) {
  auto argument = [&]() {
    return llvm::json::fixUTF8(
        artifact.kernels[variant.kernel].parameters[value.argument].name);
  };
  switch (value.source) {
  case runtime::ValueSource::Constant:
    return json.value(value.constant);
  case runtime::ValueSource::Argument:
    return json.value(argument());
  case runtime::ValueSource::DescriptorPointer:
    return json.value(argument() + ".pointer");
  case runtime::ValueSource::DescriptorShape:
    return json.value(argument() + ".shape" + std::to_string(value.dimension));
  case runtime::ValueSource::DescriptorStride:
    return json.value(argument() + ".stride" + std::to_string(value.dimension));
  }
}

/// Sizes and strides in elements, the fastest dimension first.
static void describeTensorMap(OStream &json, const runtime::Artifact &artifact,
                              const runtime::Variant &variant,
                              const runtime::TensorMapRecipe &recipe) {
  auto list = [&](llvm::StringRef name, llvm::ArrayRef<runtime::Value> values) {
    json.attributeArray(name, [&]() {
      for (const runtime::Value &value : values)
        describeValue(json, artifact, variant, value);
    });
  };
  json.attributeBegin("base");
  describeValue(json, artifact, variant, recipe.base);
  json.attributeEnd();
  list("shape", recipe.shape);
  list("strides", recipe.strides);
  if (!recipe.nonNegative.empty())
    list("non_negative", recipe.nonNegative);
  auto listNumbers = [&](llvm::StringRef name, llvm::ArrayRef<uint32_t> of) {
    json.attributeArray(name, [&]() {
      for (uint32_t number : of)
        json.value(number);
    });
  };
  if (!recipe.signedDimensions.empty())
    listNumbers("signed_dimensions", recipe.signedDimensions);
  listNumbers("box", recipe.box);
  // CUtensorMapDataType.
  json.attribute("data_type", recipe.dataType);
  json.attribute("element_bytes", recipe.elementBytes);
  json.attribute("swizzle", recipe.swizzle);
}

static void describeVariant(OStream &json, const runtime::Artifact &artifact,
                            const runtime::Variant &variant) {
  const runtime::Image &image = artifact.images[variant.image];
  json.attribute("architecture", image.architecture.name());
  json.attribute("image",
                 image.kind == runtime::ImageKind::Cubin ? "cubin" : "ptx");
  json.attribute("image_bytes", image.bytes.size());
  json.attribute("ptx_version", image.ptxVersion);
  json.attribute("num_warps", variant.numWarps);
  json.attribute("threads",
                 variant.block.x * variant.block.y * variant.block.z);
  json.attribute("shared_bytes", variant.dynamicSharedBytes);
  if (variant.globalScratchBytes)
    json.attribute("scratch_bytes", variant.globalScratchBytes);
  if (variant.dependentLaunch)
    json.attribute("dependent_launch", true);
  if (!variant.tensorMaps.empty())
    json.attributeArray("tensor_maps", [&]() {
      for (const runtime::TensorMapRecipe &recipe : variant.tensorMaps)
        json.object(
            [&]() { describeTensorMap(json, artifact, variant, recipe); });
    });
  if (variant.registers)
    json.attribute("registers", *variant.registers);
  if (variant.spillBytes)
    json.attribute("spill_bytes", *variant.spillBytes);
}

static llvm::StringRef kindName(runtime::ParameterKind kind) {
  switch (kind) {
  case runtime::ParameterKind::Pointer:
    return "pointer";
  case runtime::ParameterKind::Integer:
    return "integer";
  case runtime::ParameterKind::Float:
    return "float";
  case runtime::ParameterKind::Descriptor:
    return "descriptor";
  case runtime::ParameterKind::Untyped:
    return "untyped";
  }
  llvm_unreachable("all kinds are listed");
}

static void describeKernel(OStream &json, const runtime::Artifact &artifact,
                           uint32_t number) {
  const runtime::Kernel &kernel = artifact.kernels[number];
  json.attribute("name", llvm::json::fixUTF8(kernel.name));
  json.attributeArray("parameters", [&]() {
    for (const runtime::Parameter &parameter : kernel.parameters)
      json.object([&]() {
        json.attribute("name", llvm::json::fixUTF8(parameter.name));
        json.attribute("kind", kindName(parameter.kind));
        json.attribute("bytes", parameter.size);
        json.attribute("element_type", parameter.elementType);
      });
  });
  bool first = true;
  for (const runtime::Variant &variant : artifact.variants)
    if (variant.kernel == number && std::exchange(first, false)) {
      json.attribute("num_warps", variant.numWarps);
      json.attribute("shared_bytes", variant.dynamicSharedBytes);
    }
  json.attributeArray("variants", [&]() {
    for (const runtime::Variant &variant : artifact.variants)
      if (variant.kernel == number)
        json.object([&]() { describeVariant(json, artifact, variant); });
  });
}

std::string compiler::describeArtifact(const runtime::Artifact &artifact) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream json(stream, 2);
  json.object([&]() {
    json.attribute("version", runtime::artifactVersion);
    json.attribute("producer", artifact.producer);
    json.attributeArray("kernels", [&]() {
      for (uint32_t number = 0; number < artifact.kernels.size(); ++number)
        json.object([&]() { describeKernel(json, artifact, number); });
    });
  });
  stream << "\n";
  return text;
}
