// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checking and packing of kernel arguments; see Parameters.h.

#include "runtime/Parameters.h"

#include <algorithm>
#include <cstring>

using namespace tilewright::runtime;

Argument Argument::pointer(uint64_t address) {
  Argument argument;
  argument.kind = ParameterKind::Pointer;
  argument.size = 8;
  argument.bits = address;
  return argument;
}

Argument Argument::integer(int64_t value, uint32_t size) {
  Argument argument;
  argument.kind = ParameterKind::Integer;
  argument.size = size;
  argument.bits = uint64_t(value);
  return argument;
}

Argument Argument::floating(uint64_t bits, uint32_t size) {
  Argument argument;
  argument.kind = ParameterKind::Float;
  argument.size = size;
  argument.bits = bits;
  return argument;
}

Argument Argument::descriptor(uint64_t address, std::vector<int64_t> shape,
                              std::vector<int64_t> strides) {
  Argument argument;
  argument.kind = ParameterKind::Descriptor;
  argument.bits = address;
  argument.shape = std::move(shape);
  argument.strides = std::move(strides);
  return argument;
}

Argument Argument::untyped(std::vector<uint8_t> bytes) {
  Argument argument;
  argument.kind = ParameterKind::Untyped;
  argument.size = uint32_t(bytes.size());
  argument.bytes = std::move(bytes);
  return argument;
}

ArgumentView::ArgumentView(const Argument &argument)
    : kind(argument.kind), size(argument.size), bits(argument.bits),
      shape(argument.shape.data()), strides(argument.strides.data()),
      // Where the two differ, no parameter fits.
      rank(argument.shape.size() == argument.strides.size()
               ? uint32_t(argument.shape.size())
               : 0),
      bytes(argument.bytes.empty() ? nullptr : argument.bytes.data()) {}

ArgumentViews::ArgumentViews(std::span<const Argument> arguments) {
  if (arguments.size() <= fewCount) {
    std::copy(arguments.begin(), arguments.end(), few.views);
    views = std::span<const ArgumentView>(few.views, arguments.size());
    return;
  }
  many.assign(arguments.begin(), arguments.end());
  views = many;
}

static std::string describe(ParameterKind kind, uint32_t size, size_t rank) {
  switch (kind) {
  case ParameterKind::Pointer:
    return "a pointer";
  case ParameterKind::Integer:
    return "an integer of " + std::to_string(size) + " bytes";
  case ParameterKind::Float:
    return "a floating-point number of " + std::to_string(size) + " bytes";
  case ParameterKind::Descriptor:
    return "a descriptor of rank " + std::to_string(rank);
  case ParameterKind::Untyped:
    return std::to_string(size) + " bytes";
  }
  return "an unknown kind";
}

static bool fits(const Parameter &parameter, const ArgumentView &argument) {
  bool isDescriptor = parameter.kind == ParameterKind::Descriptor;
  if (isDescriptor != (argument.kind == ParameterKind::Descriptor))
    return false;
  if (isDescriptor)
    return argument.rank == parameter.rank && argument.rank > 0 &&
           argument.shape && argument.strides;
  bool isUntyped = parameter.kind == ParameterKind::Untyped ||
                   argument.kind == ParameterKind::Untyped;
  return (isUntyped || parameter.kind == argument.kind) &&
         parameter.size == argument.size;
}

static Result<void> checkArgument(const Kernel &kernel, size_t index,
                                  const ArgumentView &argument) {
  const Parameter &parameter = kernel.parameters[index];
  auto where = [&] {
    return "argument " + std::to_string(index) +
           (parameter.name.empty() ? "" : " ('" + parameter.name + "')") +
           " of kernel '" + kernel.name + "': ";
  };
  if (!fits(parameter, argument))
    return Error{ErrorCode::InvalidArgument,
                 where() + "expects " +
                     describe(parameter.kind, parameter.size, parameter.rank) +
                     ", but got " +
                     describe(argument.kind, argument.size, argument.rank)};
  bool isAddress = argument.kind == ParameterKind::Pointer ||
                   argument.kind == ParameterKind::Descriptor;
  if (isAddress && argument.bits % parameter.pointerAlignment != 0)
    return Error{ErrorCode::InvalidArgument,
                 where() + "expects an address that is a multiple of " +
                     std::to_string(parameter.pointerAlignment) + ", but got " +
                     std::to_string(argument.bits)};
  return success();
}

static int64_t evaluate(const Value &value,
                        std::span<const ArgumentView> arguments) {
  switch (value.source) {
  case ValueSource::Constant:
    return value.constant;
  case ValueSource::Argument: {
    // Integers count as signed: sizes and strides.
    const ArgumentView &argument = arguments[value.argument];
    unsigned unused = argument.size < 8 ? 64 - 8 * argument.size : 0;
    return argument.size == 0 ? 0 : int64_t(argument.bits << unused) >> unused;
  }
  case ValueSource::DescriptorPointer:
    return int64_t(arguments[value.argument].bits);
  case ValueSource::DescriptorShape:
    return arguments[value.argument].shape[value.dimension];
  case ValueSource::DescriptorStride:
    return arguments[value.argument].strides[value.dimension];
  }
  return 0;
}

/// What addresses and strides are multiples of, in bytes
/// (cuTensorMapEncodeTiled).
static constexpr uint64_t tensorMapGranularity = 16;

/// What the driver would refuse without saying why.
static Result<void> checkAlignment(const TensorMapValues &values) {
  auto refuse = [](const char *what, uint64_t value) {
    return Error{ErrorCode::InvalidArgument,
                 std::string("a tensor map expects ") + what +
                     " that is a multiple of 16 bytes, but got " +
                     std::to_string(value)};
  };
  if (values.address % tensorMapGranularity)
    return refuse("an address", values.address);
  for (uint32_t d = 0; d + 1 < values.rank; ++d)
    if (values.strideBytes[d] % tensorMapGranularity)
      return refuse("a stride", values.strideBytes[d]);
  return success();
}

/// Elements of a dimension of a map, at most. (The driver makes maps of up to
/// 2^32; copies by those of more than 2^31 ended in an illegal instruction on
/// an H200.)
static constexpr uint64_t largestSize = (uint64_t(1) << 31) - 1;

/// The sizes. Coordinates have 32 bits and a sign: sizes beyond what a map can
/// have bound them as its largest does.
static void evaluateShape(const TensorMapRecipe &recipe,
                          std::span<const ArgumentView> arguments,
                          TensorMapValues &values) {
  for (uint32_t d = 0; d < values.rank; ++d) {
    int64_t size = evaluate(recipe.shape[d], arguments);
    values.isEmpty |= size < 1;
    values.shape[d] = std::min(uint64_t(size), largestSize);
  }
}

/// Moves the tensor's begin to where its signed dimensions begin.
static Result<void> addSignedDimensions(const TensorMapRecipe &recipe,
                                        std::span<const ArgumentView> arguments,
                                        TensorMapValues &values) {
  constexpr int64_t reach = int64_t(1) << 31;
  for (uint32_t d : recipe.signedDimensions) {
    int64_t stride = evaluate(recipe.strides[d - 1], arguments);
    int64_t least = int64_t(tensorMapGranularity) / recipe.elementBytes;
    int64_t bias = reach / std::max(stride, least);
    values.shape[d] = std::min(values.shape[d] + uint64_t(bias), largestSize);
    // At most `reach` elements, if a map can have the stride at all.
    uint64_t bytes = uint64_t(bias * stride) * recipe.elementBytes;
    if (stride > 0 && bytes > values.address)
      return Error{ErrorCode::InvalidArgument,
                   "a tensor map expects an address of at least " +
                       std::to_string(bytes) + ", but got " +
                       std::to_string(values.address)};
    values.address -= bytes;
  }
  return success();
}

static Result<TensorMapValues>
evaluateRecipe(const TensorMapRecipe &recipe,
               std::span<const ArgumentView> arguments) {
  for (const Value &number : recipe.nonNegative)
    if (int64_t value = evaluate(number, arguments); value < 0)
      return Error{ErrorCode::InvalidArgument,
                   "bulk copies expect argument " +
                       std::to_string(number.argument) +
                       " to be 0 or more, but got " + std::to_string(value) +
                       "; compile without tensor maps for such arguments"};
  TensorMapValues values;
  values.recipe = &recipe;
  values.rank = uint32_t(recipe.shape.size());
  evaluateShape(recipe, arguments, values);
  if (values.isEmpty) {
    std::fill_n(values.shape.begin(), values.rank, 1);
  } else {
    values.address = uint64_t(evaluate(recipe.base, arguments));
    if (Result<void> good = addSignedDimensions(recipe, arguments, values);
        !good)
      return good.takeError();
  }
  for (uint32_t d = 1; d < values.rank; ++d) {
    // Nothing is taken by the stride of a dimension of one element: frameworks
    // have any number there.
    if (values.shape[d] == 1) {
      values.strideBytes[d - 1] = tensorMapGranularity;
      continue;
    }
    // The driver's limit is 2^40 bytes, so the product does not overflow.
    int64_t stride = evaluate(recipe.strides[d - 1], arguments);
    if (stride < 0 || stride >= int64_t(1) << 40)
      return Error{ErrorCode::InvalidArgument,
                   "a tensor map expects strides from 0 to 2^40 - 1, but got " +
                       std::to_string(stride)};
    values.strideBytes[d - 1] = uint64_t(stride) * recipe.elementBytes;
  }
  if (Result<void> good = checkAlignment(values); !good)
    return good.takeError();
  return values;
}

/// Writes a number that is no argument into `size` bytes, if it fits there.
static Result<void> writeNumber(int64_t number, uint32_t size, uint8_t *to) {
  unsigned bits = 8 * size;
  if (size < 8 && (number >= int64_t(1) << (bits - 1) ||
                   number < -(int64_t(1) << (bits - 1))))
    return Error{ErrorCode::InvalidArgument,
                 "expects a shape or stride that fits in " +
                     std::to_string(bits) + " bits, but got " +
                     std::to_string(number)};
  std::memcpy(to, &number, size);
  return success();
}

static void writeArgument(const ArgumentView &argument, uint32_t size,
                          uint8_t *to) {
  if (argument.bytes)
    std::memcpy(to, argument.bytes, size);
  else
    std::memcpy(to, &argument.bits, size);
}

static Result<void> writeTensorMap(const TensorMapRecipe &recipe,
                                   std::span<const ArgumentView> arguments,
                                   const TensorMapEncoder &encode,
                                   uint8_t *to) {
  Result<TensorMapValues> values = evaluateRecipe(recipe, arguments);
  if (!values)
    return values.takeError();
  if (!encode)
    return Error{ErrorCode::Unsupported, "tensor maps are not available"};
  // CUDA 13's headers align tensor maps to 128 bytes, older ones to 64.
  alignas(128) uint8_t map[tensorMapBytes] = {};
  Result<void> encoded = encode(*values, map);
  std::memcpy(to, map, tensorMapBytes);
  return encoded;
}

static Result<void> writeSlot(const Slot &slot, const Variant &variant,
                              std::span<const ArgumentView> arguments,
                              uint64_t scratch, const TensorMapEncoder &encode,
                              uint8_t *to) {
  switch (slot.kind) {
  case SlotKind::Value:
    if (slot.value.source != ValueSource::Argument)
      return writeNumber(evaluate(slot.value, arguments), slot.size, to);
    writeArgument(arguments[slot.value.argument], slot.size, to);
    return success();
  case SlotKind::TensorMap:
    return writeTensorMap(variant.tensorMaps[slot.recipe], arguments, encode,
                          to);
  case SlotKind::GlobalScratch:
    std::memcpy(to, &scratch, sizeof(scratch));
    return success();
  }
  return success();
}

uint32_t tilewright::runtime::parameterBytes(const Variant &variant) {
  return variant.slots.empty()
             ? 0
             : variant.slots.back().offset + variant.slots.back().size;
}

Result<void> tilewright::runtime::fillParameters(
    const Kernel &kernel, const Variant &variant,
    std::span<const ArgumentView> arguments, uint64_t scratch,
    const TensorMapEncoder &encode, uint8_t *to) {
  if (arguments.size() != kernel.parameters.size())
    return Error{ErrorCode::InvalidArgument,
                 "kernel '" + kernel.name + "' expects " +
                     std::to_string(kernel.parameters.size()) +
                     " arguments, but got " + std::to_string(arguments.size())};
  for (size_t i = 0; i < arguments.size(); ++i)
    if (Result<void> good = checkArgument(kernel, i, arguments[i]); !good)
      return good;
  std::memset(to, 0, parameterBytes(variant));
  for (const Slot &slot : variant.slots)
    if (Result<void> written = writeSlot(slot, variant, arguments, scratch,
                                         encode, to + slot.offset);
        !written)
      return Error{written.error().code,
                   "kernel '" + kernel.name + "': " + written.error().message};
  return success();
}

Result<void> ParameterBlock::fill(const Kernel &kernel, const Variant &variant,
                                  std::span<const Argument> arguments,
                                  uint64_t scratch,
                                  const TensorMapEncoder &encode) {
  usedBytes = parameterBytes(variant);
  chunks.assign(usedBytes / sizeof(Chunk) + 1, Chunk{});
  return fillParameters(kernel, variant, ArgumentViews(arguments).get(),
                        scratch, encode, chunks[0].bytes);
}

std::span<const uint8_t> ParameterBlock::bytes() const {
  return {chunks.empty() ? nullptr : chunks[0].bytes, usedBytes};
}
