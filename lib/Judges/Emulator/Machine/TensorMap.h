// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps: what cuTensorMapEncodeTiled is told, and which bytes of global
// memory a copy of a box at some coordinates moves where in shared memory (PTX
// ISA, "Tensors", "Tiled Mode"; CUDA driver API, "Tensor Map Object
// Management"). Their 128 bytes are TensorMapObject's. Nothing here touches
// memory.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_TENSORMAP_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_TENSORMAP_H

#include "lib/Judges/Emulator/Machine/MatrixDescriptor.h"

#include <array>
#include <functional>
#include <string>

namespace tilewright::emulator {

/// As the driver has it: dimensions from the fastest on.
struct TensorMap {
  static constexpr unsigned maximumRank = 5;
  static constexpr unsigned bytes = 128, alignment = 64;

  /// CUtensorMapDataType: 0 uint8 ... 12 tfloat32 with flushed subnormals.
  uint32_t dataType = 0;
  uint32_t rank = 1;
  uint64_t address = 0;
  std::array<uint64_t, maximumRank> shape = {1, 1, 1, 1, 1};
  /// In bytes, of dimension i + 1.
  std::array<uint64_t, maximumRank - 1> strides = {};
  std::array<uint32_t, maximumRank> box = {1, 1, 1, 1, 1};
  /// Every so many elements of a box are moved; not of the first dimension.
  std::array<uint32_t, maximumRank> elementStrides = {1, 1, 1, 1, 1};
  /// CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
  /// CUtensorMapFloatOOBfill.
  uint32_t interleave = 0, swizzle = 0, promotion = 0, fill = 0;

  /// What the driver refuses about it, or "".
  std::string verify() const;
  /// What the emulator cannot copy by it though the driver takes it, or "".
  std::string findUnsupported() const;

  unsigned elementBytes() const;
  Swizzle sharedSwizzle() const;
  /// Elements of a box along a dimension that are moved.
  uint32_t extent(unsigned dimension) const;
  /// Bytes of a box in shared memory, those beyond the tensor too.
  uint64_t boxBytes() const;
  /// Whether loads round f32 to tf32: to nearest, ties to even; NaN is tf32's
  /// canonical one (seen on an H100).
  bool roundsToTf32() const;
  /// What elements beyond the tensor are: a pattern of elementBytes().
  uint64_t fillPattern() const;

  /// A part of a row that stands together in global and in shared memory, of at
  /// most 16 bytes where there is a swizzle.
  struct Piece {
    /// In shared memory, from the box's begin, not swizzled.
    uint64_t offset = 0;
    uint64_t address = 0;
    uint32_t bytes = 0;
    /// It is beyond the tensor.
    bool isOutside = false;
  };
  /// Calls `function` with each piece of the box at `coordinates`, for a copy
  /// to global memory (`isStore`) or from it.
  void forPieces(const std::array<int32_t, maximumRank> &coordinates,
                 bool isStore,
                 const std::function<void(const Piece &)> &function) const;

private:
  /// The bytes of a row of the tensor that copies move.
  int64_t rowBytes(bool isStore) const;
  void forRowPieces(int64_t first, uint64_t offset, uint64_t address,
                    int64_t moved,
                    const std::function<void(const Piece &)> &function) const;
};

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_MACHINE_TENSORMAP_H
