// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a caller's arguments to the bytes of a kernel's parameters. In: a
// kernel, one of its variants, argument values. Out: the parameter bytes and a
// pointer to each slot, as launches want them; or an error that names the
// parameter. It calls no driver: tensor maps are made by a function that the
// caller gives.

#ifndef TILEWRIGHT_RUNTIME_PARAMETERS_H
#define TILEWRIGHT_RUNTIME_PARAMETERS_H

#include "runtime/Artifact.h"

#include <functional>

namespace tilewright::runtime {

/// The value of one argument.
struct Argument {
  ParameterKind kind = ParameterKind::Integer;
  /// Bytes of the value (0 for descriptors).
  uint32_t size = 0;
  /// The value, in the low `size` bytes: an address, an integer, the bits of a
  /// floating-point number, the address of a descriptor.
  uint64_t bits = 0;
  /// Of a descriptor, in elements, slowest dimension first.
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  /// The value of an untyped argument.
  std::vector<uint8_t> bytes;

  static Argument pointer(uint64_t address);
  /// An integer of `size` bytes: 1, 2, 4 or 8.
  static Argument integer(int64_t value, uint32_t size);
  /// The bits of a floating-point number of `size` bytes: 1, 2, 4 or 8.
  static Argument floating(uint64_t bits, uint32_t size);
  static Argument descriptor(uint64_t address, std::vector<int64_t> shape,
                             std::vector<int64_t> strides);
  static Argument untyped(std::vector<uint8_t> bytes);
};

/// The value of one argument, without owning what it points to: what launches
/// take, so that they allocate nothing.
struct ArgumentView {
  ParameterKind kind = ParameterKind::Integer;
  /// Bytes of the value (0 for descriptors).
  uint32_t size = 0;
  /// As Argument's.
  uint64_t bits = 0;
  /// Of a descriptor: `rank` numbers each.
  const int64_t *shape = nullptr;
  const int64_t *strides = nullptr;
  uint32_t rank = 0;
  /// The value of an untyped argument: `size` bytes.
  const uint8_t *bytes = nullptr;

  ArgumentView() = default;
  ArgumentView(const Argument &argument);
};

/// Room for a few views, which costs nothing until it is used.
template <size_t count>
union ViewRoom {
  ViewRoom() {}
  ArgumentView views[count];
};

/// Views of arguments, which they must outlive; on the stack up to 32 of them.
class ArgumentViews {
public:
  explicit ArgumentViews(std::span<const Argument> arguments);
  ArgumentViews(const ArgumentViews &) = delete;
  ArgumentViews &operator=(const ArgumentViews &) = delete;
  std::span<const ArgumentView> get() const { return views; }

private:
  static constexpr size_t fewCount = 32;
  ViewRoom<fewCount> few;
  std::vector<ArgumentView> many;
  std::span<const ArgumentView> views;
};

/// Bytes of a tensor that stands for one without elements.
inline constexpr size_t emptyTensorBytes = 16;

/// The numbers of one tensor map, ready for cuTensorMapEncodeTiled. The first
/// `rank` entries count; the fastest dimension comes first.
struct TensorMapValues {
  const TensorMapRecipe *recipe = nullptr; ///< one of the variant's
  /// A size is 0 or less, which no map can have. Each copy brings zeros then,
  /// and so does a tensor of one element that is 0: `shape` is that, and who
  /// makes the map puts the address of emptyTensorBytes zeros in the place of
  /// `address`.
  bool isEmpty = false;
  uint32_t rank = 0;
  uint64_t address = 0;
  std::array<uint64_t, 5> shape{};
  std::array<uint64_t, 5> strideBytes{}; ///< of all dimensions but the first
};

/// Writes the 128 bytes of a tensor map to `map`, which is 128-byte aligned.
using TensorMapEncoder =
    std::function<Result<void>(const TensorMapValues &, void *map)>;

/// Bytes of the variant's parameter space.
uint32_t parameterBytes(const Variant &variant);

/// Writes the parameterBytes(variant) bytes of the parameter space for a launch
/// to `to`. `scratch` is the address of the launch's global scratch memory, 0
/// where the variant needs none. Allocates nothing where it succeeds. Fails
/// when the number, kind or size of the arguments is not the kernel's, or when
/// an address breaks the alignment that the code relies on.
Result<void> fillParameters(const Kernel &kernel, const Variant &variant,
                            std::span<const ArgumentView> arguments,
                            uint64_t scratch, const TensorMapEncoder &encode,
                            uint8_t *to);

/// The parameters of one launch, owned.
class ParameterBlock {
public:
  /// Fills the block for a launch; see fillParameters.
  Result<void> fill(const Kernel &kernel, const Variant &variant,
                    std::span<const Argument> arguments, uint64_t scratch,
                    const TensorMapEncoder &encode);

  /// The parameter space, slots at their offsets.
  std::span<const uint8_t> bytes() const;

private:
  struct alignas(64) Chunk {
    uint8_t bytes[64];
  };
  std::vector<Chunk> chunks;
  size_t usedBytes = 0;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_PARAMETERS_H
