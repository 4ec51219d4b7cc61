// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By which instructions threads move a tensor between their registers and a
// tile in shared memory.
//
// In: the layouts of both, and what the target has. Out: vectors or matrix
// instructions, as data: the lowering emits them, estimates count them.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_TILEACCESS_H
#define TILEWRIGHT_DIALECTS_TILEGPU_TILEACCESS_H

#include "dialects/Layout/SharedLayout.h"
#include "dialects/TileGPU/TileGPU.h"

namespace tilewright::tilegpu {

/// The bits of the widest vector whose elements stay together in spite of
/// `padding`.
unsigned getVectorLimit(const layout::Padding &padding, unsigned elementBits);

/// A tensor in registers and the tile in shared memory that it is loaded from
/// or stored to.
struct TileAccess {
  layout::LinearLayout registers, shared;
  layout::Padding padding;
  unsigned elementBits;

  /// Between tensors of `tensor` and tiles of `descriptor`; none where elements
  /// are not of 8, 16, 32 or 64 bits.
  static std::optional<TileAccess> get(mlir::RankedTensorType tensor,
                                       MemDescType descriptor);

  /// The widest vectors.
  layout::VectorAccess getVectors() const;
  /// Wavefronts of one warp by these vectors.
  unsigned countWavefronts(const layout::VectorAccess &vectors) const;
  /// The series of ldmatrix that `target` loads by, of stmatrix that it stores
  /// by, where it has one that beats these vectors.
  std::optional<layout::MatrixAccess>
  getMatrixLoads(const layout::VectorAccess &vectors,
                 const target::Target &target) const;
  std::optional<layout::MatrixAccess>
  getMatrixStores(const layout::VectorAccess &vectors,
                  const target::Target &target) const;
  /// (register, lane, warp) -> offset.
  layout::LinearLayout getOffsets() const {
    return registers.compose(*shared.invert());
  }
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECTS_TILEGPU_TILEACCESS_H
