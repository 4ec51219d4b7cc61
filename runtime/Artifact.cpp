// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Look-up in artifacts and the rules that hold between their parts. The file
// format is in ArtifactFormat.cpp.

#include "runtime/Artifact.h"

#include <algorithm>
#include <bit>
#include <charconv>

using namespace tilewright::runtime;

std::string Architecture::name() const {
  std::string text = "sm_" + std::to_string(major) + std::to_string(minor);
  if (suffix)
    text += suffix;
  return text;
}

std::optional<Architecture> Architecture::fromName(std::string_view name) {
  if (!name.starts_with("sm_"))
    return std::nullopt;
  name.remove_prefix(3);
  Architecture result;
  if (!name.empty() && (name.back() == 'a' || name.back() == 'f')) {
    result.suffix = name.back();
    name.remove_suffix(1);
  }
  uint32_t number = 0;
  const char *end = name.data() + name.size();
  auto [rest, error] = std::from_chars(name.data(), end, number);
  if (error != std::errc() || rest != end || name.front() == '0' ||
      name.size() < 2 || name.size() > 4)
    return std::nullopt;
  result.major = number / 10;
  result.minor = number % 10;
  return result;
}

Result<uint32_t> Artifact::findKernel(std::string_view name) const {
  if (name.empty() && kernels.size() == 1)
    return uint32_t(0);
  std::string names;
  for (uint32_t i = 0; i < kernels.size(); ++i) {
    if (!name.empty() && kernels[i].name == name)
      return i;
    names += (i ? ", '" : "'") + kernels[i].name + "'";
  }
  if (kernels.empty())
    return Error{ErrorCode::NotFound, "the artifact has no kernels"};
  if (name.empty())
    return Error{ErrorCode::InvalidArgument,
                 "expects the name of a kernel, as the artifact has several: " +
                     names};
  return Error{ErrorCode::NotFound, "the artifact has no kernel '" +
                                        std::string(name) + "', only " + names};
}

const Variant *Artifact::findVariant(uint32_t kernel, uint32_t image) const {
  for (const Variant &variant : variants)
    if (variant.kernel == kernel && variant.image == image)
      return &variant;
  return nullptr;
}

void tilewright::runtime::appendNaturalSlots(const Kernel &kernel,
                                             uint32_t descriptorIntegerBytes,
                                             std::vector<Slot> &slots) {
  uint64_t offset = slots.empty() ? 0 : slots.back().offset + slots.back().size;
  auto append = [&](uint32_t size, Value value) {
    // Sizes that are no power of two are byte arrays: no alignment is known.
    uint32_t alignment = std::has_single_bit(size) ? std::min(size, 16u) : 1;
    offset = (offset + alignment - 1) / alignment * alignment;
    slots.push_back({uint32_t(offset), size, alignment, SlotKind::Value, value,
                     /*recipe=*/0});
    offset += size;
  };
  for (uint32_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter &parameter = kernel.parameters[i];
    if (parameter.kind != ParameterKind::Descriptor) {
      append(parameter.size, {ValueSource::Argument, i, 0, 0});
      continue;
    }
    append(8, {ValueSource::DescriptorPointer, i, 0, 0});
    for (ValueSource source :
         {ValueSource::DescriptorShape, ValueSource::DescriptorStride})
      for (uint32_t d = 0; d < parameter.rank; ++d)
        append(descriptorIntegerBytes, {source, i, d, 0});
  }
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {
/// Collects the first violation; `where` says which part is being looked at.
class Verifier {
public:
  explicit Verifier(const Artifact &artifact) : artifact(artifact) {}
  Result<void> run();

private:
  /// Notes a violation unless `condition`. Returns `condition`.
  bool expect(bool condition, const std::string &message) {
    if (!condition && failure.empty())
      failure = where + ": " + message;
    return condition;
  }
  void checkImage(const Image &image);
  void checkKernel(const Kernel &kernel);
  void checkParameter(const Parameter &parameter);
  void checkVariant(const Variant &variant);
  void checkSlots(const Variant &variant, const Kernel &kernel);
  void checkValue(const Value &value, const Kernel &kernel);
  void checkRecipe(const TensorMapRecipe &recipe, const Kernel &kernel);
  void checkUniqueness();

  const Artifact &artifact;
  std::string where;
  std::string failure;
};
} // namespace

static bool isAlignment(uint32_t value) {
  return std::has_single_bit(value) && value <= (1u << 20);
}

void Verifier::checkImage(const Image &image) {
  expect(image.architecture.major > 0 && image.architecture.major < 1000 &&
             image.architecture.minor < 10,
         "expects an architecture from sm_10 on, but got " +
             image.architecture.name());
  char suffix = image.architecture.suffix;
  expect(suffix == 0 || suffix == 'a' || suffix == 'f',
         "expects an architecture suffix of none, 'a' or 'f'");
  expect(image.kind != ImageKind::Ptx || image.ptxVersion != 0,
         "expects the PTX version of PTX text");
  expect(!image.bytes.empty(), "expects code, but got no bytes");
}

void Verifier::checkParameter(const Parameter &parameter) {
  uint32_t size = parameter.size;
  switch (parameter.kind) {
  case ParameterKind::Pointer:
    expect(size == 8,
           "expects pointers of 8 bytes, but got " + std::to_string(size));
    break;
  case ParameterKind::Integer:
  case ParameterKind::Float:
    expect(std::has_single_bit(size) && size <= 8,
           "expects numbers of 1, 2, 4 or 8 bytes, but got " +
               std::to_string(size));
    break;
  case ParameterKind::Descriptor:
    expect(size == 0, "expects descriptors without a size");
    break;
  case ParameterKind::Untyped:
    expect(size >= 1 && size <= parameterBytesLimit,
           "expects between 1 and " + std::to_string(parameterBytesLimit) +
               " bytes, but got " + std::to_string(size));
    break;
  }
  bool isDescriptor = parameter.kind == ParameterKind::Descriptor;
  expect(isDescriptor ? parameter.rank >= 1 && parameter.rank <= 5
                      : parameter.rank == 0,
         "expects a rank of 1 to 5 for descriptors and 0 for the rest, but "
         "got " +
             std::to_string(parameter.rank));
  expect(isAlignment(parameter.pointerAlignment),
         "expects a power of two as alignment, but got " +
             std::to_string(parameter.pointerAlignment));
}

void Verifier::checkKernel(const Kernel &kernel) {
  expect(!kernel.name.empty(), "expects a name");
  expect(kernel.name.find('\0') == std::string::npos,
         "expects a name without zero bytes");
  std::string kernelName = where + " '" + kernel.name + "'";
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    where = kernelName + ", parameter " + std::to_string(i);
    checkParameter(kernel.parameters[i]);
  }
}

void Verifier::checkValue(const Value &value, const Kernel &kernel) {
  if (value.source == ValueSource::Constant)
    return;
  if (!expect(value.argument < kernel.parameters.size(),
              "expects an argument below " +
                  std::to_string(kernel.parameters.size()) + ", but got " +
                  std::to_string(value.argument)))
    return;
  const Parameter &parameter = kernel.parameters[value.argument];
  bool isDescriptor = parameter.kind == ParameterKind::Descriptor;
  expect(isDescriptor == (value.source != ValueSource::Argument),
         "expects descriptors, and only those, to be passed by component");
  if (value.source == ValueSource::DescriptorShape ||
      value.source == ValueSource::DescriptorStride)
    expect(value.dimension < parameter.rank,
           "expects a dimension below " + std::to_string(parameter.rank) +
               ", but got " + std::to_string(value.dimension));
}

void Verifier::checkRecipe(const TensorMapRecipe &recipe,
                           const Kernel &kernel) {
  size_t rank = recipe.shape.size();
  expect(rank >= 1 && rank <= 5,
         "expects tensor maps of rank 1 to 5, but got " + std::to_string(rank));
  expect(recipe.strides.size() + 1 == rank && recipe.box.size() == rank &&
             recipe.elementStrides.size() == rank,
         "expects strides, box and element strides of rank " +
             std::to_string(rank));
  expect(recipe.elementBytes >= 1 && recipe.elementBytes <= 16,
         "expects elements of 1 to 16 bytes, but got " +
             std::to_string(recipe.elementBytes));
  checkValue(recipe.base, kernel);
  for (const Value &value : recipe.shape)
    checkValue(value, kernel);
  for (const Value &value : recipe.strides)
    checkValue(value, kernel);
  for (const Value &value : recipe.nonNegative)
    checkValue(value, kernel);
  for (uint32_t d : recipe.signedDimensions)
    expect(d >= 1 && d < rank, "expects signed dimensions from 1 to " +
                                   std::to_string(rank - 1) + ", but got " +
                                   std::to_string(d));
}

void Verifier::checkSlots(const Variant &variant, const Kernel &kernel) {
  std::string variantName = where;
  uint64_t end = 0;
  for (size_t i = 0; i < variant.slots.size(); ++i) {
    where = variantName + ", slot " + std::to_string(i);
    const Slot &slot = variant.slots[i];
    expect(slot.offset >= end, "expects an offset of at least " +
                                   std::to_string(end) + ", but got " +
                                   std::to_string(slot.offset));
    end = uint64_t(slot.offset) + slot.size;
    expect(slot.size >= 1 && end <= parameterBytesLimit,
           "expects parameters within " + std::to_string(parameterBytesLimit) +
               " bytes, but got one from " + std::to_string(slot.offset) +
               " to " + std::to_string(end));
    expect(isAlignment(slot.alignment) && slot.offset % slot.alignment == 0,
           "expects an offset that is a multiple of a power of two, but got " +
               std::to_string(slot.offset) + " and " +
               std::to_string(slot.alignment));
    switch (slot.kind) {
    case SlotKind::Value: {
      checkValue(slot.value, kernel);
      bool isArgument = slot.value.source == ValueSource::Argument &&
                        slot.value.argument < kernel.parameters.size();
      uint32_t size =
          isArgument ? kernel.parameters[slot.value.argument].size : 0;
      expect(isArgument ? slot.size == size : slot.size <= 8,
             "expects a slot as large as its value, but got " +
                 std::to_string(slot.size) + " bytes");
      break;
    }
    case SlotKind::TensorMap:
      expect(slot.recipe < variant.tensorMaps.size(),
             "expects a tensor map below " +
                 std::to_string(variant.tensorMaps.size()) + ", but got " +
                 std::to_string(slot.recipe));
      expect(slot.size == tensorMapBytes &&
                 slot.offset % tensorMapAlignment == 0,
             "expects tensor maps of 128 bytes at multiples of 64");
      break;
    case SlotKind::GlobalScratch:
      expect(slot.size == 8, "expects an address of 8 bytes");
      break;
    }
  }
}

void Verifier::checkVariant(const Variant &variant) {
  if (!expect(variant.kernel < artifact.kernels.size() &&
                  variant.image < artifact.images.size(),
              "expects a kernel and an image of the artifact"))
    return;
  const Kernel &kernel = artifact.kernels[variant.kernel];
  where += " (kernel '" + kernel.name + "', " +
           artifact.images[variant.image].architecture.name() + ")";
  expect(!variant.symbol.empty() &&
             variant.symbol.find('\0') == std::string::npos,
         "expects the name of the entry");
  const Dimensions &block = variant.block, &cluster = variant.cluster;
  // 1024 threads a block and 16 blocks a cluster are what the largest GPUs
  // have (CUDA C++ programming guide, technical specifications).
  uint64_t threads = block.x <= 1024 && block.y <= 1024 && block.z <= 1024
                         ? uint64_t(block.x) * block.y * block.z
                         : 0;
  expect(threads >= 1 && threads <= 1024,
         "expects 1 to 1024 threads a block, but got " +
             std::to_string(block.x) + " x " + std::to_string(block.y) + " x " +
             std::to_string(block.z));
  expect(variant.numWarps >= 1 && variant.numWarps <= 32,
         "expects 1 to 32 warps, but got " + std::to_string(variant.numWarps));
  uint64_t blocks = cluster.x <= 16 && cluster.y <= 16 && cluster.z <= 16
                        ? uint64_t(cluster.x) * cluster.y * cluster.z
                        : 0;
  expect(blocks >= 1 && blocks <= 16,
         "expects 1 to 16 blocks a cluster, but got " +
             std::to_string(cluster.x) + " x " + std::to_string(cluster.y) +
             " x " + std::to_string(cluster.z));
  expect(variant.registerCap <= 255, "expects a register cap of at most 255");
  expect(isAlignment(variant.globalScratchAlignment),
         "expects a power of two as scratch alignment");
  expect(variant.staticSharedBytes <= (1u << 20) &&
             variant.dynamicSharedBytes <= (1u << 20),
         "expects at most 1 MiB of shared memory");
  std::string variantName = where;
  for (size_t i = 0; i < variant.tensorMaps.size(); ++i) {
    where = variantName + ", tensor map " + std::to_string(i);
    checkRecipe(variant.tensorMaps[i], kernel);
  }
  where = variantName;
  checkSlots(variant, kernel);
}

void Verifier::checkUniqueness() {
  std::vector<std::string_view> names;
  for (const Kernel &kernel : artifact.kernels)
    names.push_back(kernel.name);
  std::sort(names.begin(), names.end());
  auto twice = std::adjacent_find(names.begin(), names.end());
  where = "kernels";
  expect(twice == names.end(),
         "expects distinct names, but got '" +
             (twice == names.end() ? "" : std::string(*twice)) + "' twice");
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (const Variant &variant : artifact.variants)
    pairs.emplace_back(variant.kernel, variant.image);
  std::sort(pairs.begin(), pairs.end());
  where = "variants";
  expect(std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end(),
         "expects at most one variant for a kernel and an image");
}

Result<void> Verifier::run() {
  for (size_t i = 0; i < artifact.images.size(); ++i) {
    where = "image " + std::to_string(i);
    checkImage(artifact.images[i]);
  }
  for (size_t i = 0; i < artifact.kernels.size(); ++i) {
    where = "kernel " + std::to_string(i);
    checkKernel(artifact.kernels[i]);
  }
  for (size_t i = 0; i < artifact.variants.size(); ++i) {
    where = "variant " + std::to_string(i);
    checkVariant(artifact.variants[i]);
  }
  for (size_t i = 0; i < artifact.remarks.size(); ++i) {
    where = "remark " + std::to_string(i);
    const Remark &remark = artifact.remarks[i];
    expect(!remark.kernel || *remark.kernel < artifact.kernels.size(),
           "expects a kernel of the artifact");
    expect(!remark.image || *remark.image < artifact.images.size(),
           "expects an image of the artifact");
  }
  checkUniqueness();
  if (!failure.empty())
    return Error{ErrorCode::InvalidArgument, "bad artifact: " + failure};
  return success();
}

Result<void> tilewright::runtime::verifyArtifact(const Artifact &artifact) {
  return Verifier(artifact).run();
}
