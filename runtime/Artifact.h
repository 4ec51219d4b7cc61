// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The artifact: what the compiler hands to the runtime, version 1.
//
// In: the facts of compiled kernels, or the bytes of an artifact file. Out: the
// other of the two. One artifact holds several kernels, each in several images
// (device code for one architecture); what may differ from image to image is in
// a Variant, one for each (kernel, image) pair. This file neither compiles nor
// loads: Device.h does the latter, and ImageChoice.h picks among the images.
//
// The file: a header, sections with numbers and lengths, and a SHA-256 trailer;
// ArtifactFormat.cpp says it byte by byte. Equal artifacts give equal bytes.

#ifndef TILEWRIGHT_RUNTIME_ARTIFACT_H
#define TILEWRIGHT_RUNTIME_ARTIFACT_H

#include "runtime/Result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

/// A GPU architecture or the target of code: "sm_86", "sm_90a", "sm_100f".
struct Architecture {
  uint32_t major = 0;
  uint32_t minor = 0;
  /// 0; or 'a': the code runs on exactly this architecture; or 'f': on the
  /// architectures of this major number from this minor number on.
  char suffix = 0;

  bool operator==(const Architecture &) const = default;
  /// "sm_90a".
  std::string name() const;
  /// The inverse of name(); nothing for other text.
  static std::optional<Architecture> fromName(std::string_view name);
};

/// The form of an image's bytes.
enum class ImageKind : uint8_t {
  Cubin = 0, ///< machine code (ELF) for one architecture
  Ptx = 1,   ///< PTX text without a terminating zero; the driver compiles it
};

/// Device code for one architecture, with one or more kernels.
struct Image {
  ImageKind kind = ImageKind::Cubin;
  Architecture architecture;
  /// The PTX version of the text, or of the text that the cubin was made from:
  /// major * 10 + minor; 0 where it is not known (cubins alone).
  uint32_t ptxVersion = 0;
  /// True for the code to fall back on where no other image runs.
  bool portableFallback = false;
  std::vector<uint8_t> bytes;

  bool operator==(const Image &) const = default;
};

/// What a caller passes for one parameter of a kernel.
enum class ParameterKind : uint8_t {
  Pointer = 0, ///< a device address, 8 bytes
  Integer = 1, ///< an integer of `size` bytes
  Float = 2,   ///< a floating-point number of `size` bytes
  /// A tensor descriptor: device address, shape and strides. How it reaches the
  /// kernel is the variant's matter: as a tensor map or as its components.
  Descriptor = 3,
  /// `size` bytes whose meaning is not known (PTX alone does not say).
  Untyped = 4,
};

/// One parameter, as the caller sees it: the same in every image.
struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::Pointer;
  /// Bytes of the value; 0 for descriptors.
  uint32_t size = 8;
  /// Dimensions of a descriptor; 0 for other kinds.
  uint32_t rank = 0;
  /// The alignment in bytes that the compiled code relies on for an address
  /// (the caller's promise, `tt.divisibility`), or 1.
  uint32_t pointerAlignment = 1;
  /// What an address points to, and what a descriptor's tensor is of; of a
  /// number, its own type. As in IR: "f32", "bf16", "i1", "f8E4M3FN",
  /// "!tt.ptr<f32>". "": not known (PTX does not say; artifacts made before
  /// this field was).
  std::string elementType = {};

  bool operator==(const Parameter &) const = default;
};

/// Where a number in a parameter or a tensor map comes from at launch.
enum class ValueSource : uint8_t {
  Constant = 0,          ///< `constant`
  Argument = 1,          ///< the value of argument `argument`
  DescriptorPointer = 2, ///< the address of descriptor `argument`
  DescriptorShape = 3,   ///< its size, in elements, in dimension `dimension`
  DescriptorStride = 4,  ///< its stride, in elements, in dimension `dimension`
};

/// A number that a launch computes from its arguments.
struct Value {
  ValueSource source = ValueSource::Constant;
  uint32_t argument = 0;
  /// Counted from the slowest (leftmost) dimension.
  uint32_t dimension = 0;
  int64_t constant = 0;

  bool operator==(const Value &) const = default;
};

/// How to make one tensor map (`CUtensorMap`, 128 bytes) at launch. Dimensions
/// are listed from the fastest (rightmost) on, as the driver lists them. The
/// numbers of the enumerations are the driver's (CUtensorMapDataType and so
/// on), which are also the hardware's.
struct TensorMapRecipe {
  uint32_t dataType = 0;
  uint32_t interleave = 0;
  uint32_t swizzle = 0;
  uint32_t l2Promotion = 0;
  uint32_t outOfBoundsFill = 0;
  /// Bytes of an element: turns strides in elements into the driver's bytes.
  uint32_t elementBytes = 1;
  Value base;
  /// Sizes in elements; 1 to 5 entries, which set the rank.
  std::vector<Value> shape;
  /// Strides in elements, of all dimensions but the first.
  std::vector<Value> strides;
  /// The box that one copy moves, in elements; as many as `shape`.
  std::vector<uint32_t> box;
  /// Steps between the elements taken; as many as `shape`.
  std::vector<uint32_t> elementStrides;
  /// What the kernel relies on being 0 or more where it computes coordinates:
  /// a launch with less is an error.
  std::vector<Value> nonNegative;
  /// Dimensions, as `shape` lists them, but never the first, in which elements
  /// before the base belong to the tensor: the map begins by 2^31 / stride
  /// elements before it, the stride counted as at least 16 bytes, and is by as
  /// many larger. The kernel adds as many to its coordinates.
  std::vector<uint32_t> signedDimensions;

  bool operator==(const TensorMapRecipe &) const = default;
};

/// What fills a slot of the kernel's parameter space.
enum class SlotKind : uint8_t {
  Value = 0,         ///< `value`, cut to the slot's size
  TensorMap = 1,     ///< the tensor map of recipe `recipe`, 128 bytes
  GlobalScratch = 2, ///< the address of the launch's global scratch memory
};

/// One `.param` of the compiled kernel.
struct Slot {
  uint32_t offset = 0;    ///< bytes from the start of the parameter space
  uint32_t size = 8;      ///< bytes
  uint32_t alignment = 8; ///< bytes, a power of two
  SlotKind kind = SlotKind::Value;
  Value value;
  uint32_t recipe = 0;

  bool operator==(const Slot &) const = default;
};

/// Sizes in the three directions of a grid, a block or a cluster.
struct Dimensions {
  uint32_t x = 1, y = 1, z = 1;

  bool operator==(const Dimensions &) const = default;
};

/// A kernel as it is in one image: everything that may differ per target.
struct Variant {
  uint32_t kernel = 0; ///< index into Artifact::kernels
  uint32_t image = 0;  ///< index into Artifact::images
  std::string symbol;  ///< name of the entry in the image
  std::vector<Slot> slots;
  std::vector<TensorMapRecipe> tensorMaps;

  /// Warps of the tile program; the block may have more (specialised warps).
  uint32_t numWarps = 1;
  /// Threads in each direction of a block.
  Dimensions block{32, 1, 1};
  Dimensions cluster;
  uint32_t staticSharedBytes = 0;
  uint32_t dynamicSharedBytes = 0;
  /// The register cap the code was compiled with (`.maxnreg`); 0: none.
  uint32_t registerCap = 0;
  /// What the assembler reported; nothing where it did not run.
  std::optional<uint32_t> registers;
  std::optional<uint32_t> spillBytes;
  /// Global scratch memory for each block, in bytes, and its alignment.
  uint64_t globalScratchBytes = 0;
  uint32_t globalScratchAlignment = 1;
  /// The kernel synchronises its grid: all blocks must be resident at once.
  bool cooperative = false;
  /// The kernel may begin before its predecessor ends (it waits by itself).
  bool dependentLaunch = false;
  /// Source lines of the code, for profilers; may be empty.
  std::string lineTable;

  /// Bytes of global scratch memory that a launch on `grid` needs.
  uint64_t scratchBytes(const Dimensions &grid) const;

  bool operator==(const Variant &) const = default;
};

/// A kernel as its caller sees it.
struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;

  bool operator==(const Kernel &) const = default;
};

/// What a remark reports (mlir::remark's kinds).
enum class RemarkKind : uint8_t {
  Passed = 0,
  Missed = 1,
  Failed = 2,
  Analysis = 3,
};

/// A remark of the compiler.
struct Remark {
  std::string id; ///< stable name
  RemarkKind kind = RemarkKind::Analysis;
  std::string message;
  std::string location;           ///< "file:line:column", or empty
  std::optional<uint32_t> kernel; ///< index into Artifact::kernels
  std::optional<uint32_t> image;  ///< index into Artifact::images

  bool operator==(const Remark &) const = default;
};

/// Compiled kernels and all that launching them takes.
struct Artifact {
  /// The compiler that made it, with its build; for people.
  std::string producer;
  /// The cache key it was made under, or empty.
  std::string key;
  std::vector<Image> images;
  std::vector<Kernel> kernels;
  std::vector<Variant> variants;
  std::vector<Remark> remarks;

  bool operator==(const Artifact &) const = default;

  /// The index of the kernel called `name`. An empty name stands for the only
  /// kernel. Fails with the names there are.
  Result<uint32_t> findKernel(std::string_view name) const;
  /// The variant of `kernel` in `image`, or null.
  const Variant *findVariant(uint32_t kernel, uint32_t image) const;
};

/// The newest version of the format, which this code reads.
inline constexpr uint32_t artifactVersion = 2;
/// Bytes that a file may have at most.
inline constexpr uint64_t artifactSizeLimit = uint64_t(1) << 30;
/// Bytes of parameters that any kernel may have: 32764 since CUDA 12.1 on
/// Volta and later (before, 4096).
inline constexpr uint32_t parameterBytesLimit = 32764;
/// Bytes of a tensor map, and its alignment (CUtensorMap in the driver's API).
inline constexpr uint32_t tensorMapBytes = 128;
inline constexpr uint32_t tensorMapAlignment = 64;

/// Checks what the parts of an artifact say about each other: indices in range,
/// names unique, slots disjoint and aligned, sizes within what any GPU has.
Result<void> verifyArtifact(const Artifact &artifact);

/// The bytes of a (verified) artifact: the same for equal artifacts.
Result<std::vector<uint8_t>> serializeArtifact(const Artifact &artifact);

/// The artifact in `bytes`, verified. Any bytes may be given: what is no
/// artifact, or is damaged, gives an error. Memory stays within a small
/// multiple of the bytes' number.
Result<Artifact> parseArtifact(std::span<const uint8_t> bytes);

/// Whether `bytes` begin as an artifact does.
bool isArtifact(std::span<const uint8_t> bytes);

/// parseArtifact and serializeArtifact on files; errors name the path.
Result<Artifact> readArtifact(const std::string &path);
Result<void> writeArtifact(const std::string &path, const Artifact &artifact);

/// Appends the slots that pass `kernel`'s parameters one after the other, each
/// at its natural alignment: values as they are, a descriptor as its address,
/// then its shape, then its strides, each of `descriptorIntegerBytes` bytes.
/// This is the form for targets without tensor maps.
void appendNaturalSlots(const Kernel &kernel, uint32_t descriptorIntegerBytes,
                        std::vector<Slot> &slots);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_ARTIFACT_H
