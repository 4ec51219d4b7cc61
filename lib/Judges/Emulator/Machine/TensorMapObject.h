// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The 128 bytes of a tensor map: the emulator's own, as a GPU's are not public.
// They say which fields were given, so that a map that a kernel makes of zeros
// (PTX ISA, "tensormap.replace") is used with all of them alone, and is then
// the same as one that the host makes.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_TENSORMAPOBJECT_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_TENSORMAPOBJECT_H

#include "lib/Judges/Emulator/Machine/TensorMap.h"

#include <initializer_list>
#include <optional>
#include <string_view>

namespace tilewright::emulator {

/// What tensormap.replace replaces.
enum class TensorMapField : uint8_t {
  Address,
  Rank,
  DataType,
  Interleave,
  Swizzle,
  Fill,
  // Those of each dimension.
  Box,
  Shape,
  ElementStride,
  Stride
};

/// What PTX calls them, in their order (PTX ISA, "tensormap.replace").
inline constexpr std::initializer_list<std::string_view> tensorMapFieldNames = {
    "global_address", "rank",         "elemtype", "interleave_layout",
    "swizzle_mode",   "fill_mode",    "box_dim",  "global_dim",
    "element_stride", "global_stride"};

/// The object of a map that its verify() lets pass.
void encodeTensorMap(const TensorMap &map, uint8_t *object);

/// The map; nothing with `problem`: it is none, or not a whole or a legal one.
std::optional<TensorMap> decodeTensorMap(const uint8_t *object,
                                         std::string &problem);

/// Replaces a field, that of dimension `dimension` where each has one. `value`
/// is as TensorMap has it. What is wrong with the object, or "": it is neither
/// a map nor zeros.
std::string replaceTensorMapField(uint8_t *object, TensorMapField field,
                                  unsigned dimension, uint64_t value);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_TENSORMAPOBJECT_H
