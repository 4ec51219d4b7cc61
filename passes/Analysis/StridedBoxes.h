// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tiles of pointers are boxes of a strided tensor in memory, as bulk
// copies bring them.
//
// In: a tile of pointers and the mask under which it is read, elsewhere 0. Out:
// an argument of the kernel at which a tensor begins, its sizes and strides,
// which the launch knows (arguments and constants), and where the box begins.
// Elements outside of the tensor are exactly those that the mask leaves out.
// Or of a tile that a descriptor describes the same numbers, of which the
// kernel knows all in front of some op.
//
// What is believed: the assumptions of AxisInfo.h, and that coordinates of 32
// bits do not overflow. What is proven: that the base and all strides are
// multiples of 16 bytes (by `tt.divisibility`, which the launch checks of what
// becomes part of a tensor map), that boxes begin at such multiples, and that
// no coordinate is negative where the mask does not ask for it. Some
// coordinates are not as long as arguments are not, by which something else is
// multiplied (`batch * keys`): of those the launch asks it. Others, such as
// rows that a table names, may be (`isSigned`), but for those along the fastest
// dimension: it is believed that they name no element before the base that
// offsets of 32 bits do not reach.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_STRIDEDBOXES_H
#define TILEWRIGHT_PASSES_ANALYSIS_STRIDEDBOXES_H

#include "mlir/IR/Builders.h"
#include "passes/Analysis/AxisAnalysis.h"
#include "passes/Analysis/IndexSums.h"

namespace tilewright::tilegpu {

/// A number that is known where a tensor map is made: at launch an argument of
/// the kernel, or a constant.
struct MapNumber {
  mlir::Value value;
  int64_t constant = 0;

  bool operator==(const MapNumber &) const = default;
};

/// A dimension of a box's tensor.
struct BoxDimension {
  /// Elements of the box.
  int64_t box = 1;
  /// Of the tensor, in elements.
  MapNumber size, stride;
  /// Where the box begins.
  IndexSum begin;
  /// Whether that may be below 0, where the elements are as any others,
  bool isSigned = false;
  /// or where the mask leaves all of them out.
  bool mayBeginBefore = false;
};

struct StridedBox {
  /// A pointer.
  mlir::Value base;
  /// In front of which base, sizes and strides are known; null where they are
  /// at launch.
  mlir::Operation *knownAt = nullptr;
  /// The slowest first; that of the last one is contiguous. Those of the tile
  /// are the last ones, and dimensions of one element may stand before.
  llvm::SmallVector<BoxDimension, 4> dimensions;
  /// Arguments, integers, of which a launch must see that they are 0 or more.
  llvm::SmallVector<mlir::Value, 2> nonNegative;
};

class StridedBoxes {
public:
  /// `axes` of the function, or a module around it.
  explicit StridedBoxes(const AxisAnalysis &axes) : axes(axes) {}

  /// The box that `pointers`, a tile, name under `mask` (null: everywhere).
  /// `order`: dimensions of the tile as they lie in memory, the fastest first.
  std::optional<StridedBox> find(mlir::Value pointers, mlir::Value mask,
                                 llvm::ArrayRef<unsigned> order);

  /// Likewise of a tile that has axis::describedAttrName and is read in `loop`:
  /// by numbers that are known in front of it, or of a loop or branch around
  /// it, the outermost one.
  std::optional<StridedBox> findDescribed(mlir::Value pointers,
                                          mlir::Value mask,
                                          llvm::ArrayRef<unsigned> order,
                                          mlir::Operation *loop);

  /// Whether a bulk store writes the box's elements inside of the tensor, of
  /// `elementBytes` each, and no others: an H200 writes whole units of 16 bytes
  /// at a row's end, and ends stores that begin below 0 in an illegal
  /// instruction (420 boxes: 178 of 178 that do; the others as said).
  bool canStore(const StridedBox &box, int64_t elementBytes) const;

  /// Whether all numbers that say where the box begins are there at `op`, which
  /// is in the block of the access, maybe before it.
  bool isKnownAt(mlir::Operation *op, const StridedBox &box) const;

  /// The value of `sum`, an i32, for ops at the builder's place, which is in
  /// the loops whose iterations are factors of it.
  mlir::Value create(mlir::OpBuilder &builder, mlir::Location location,
                     const IndexSum &sum) const;

private:
  struct Search;
  std::optional<StridedBox> find(Search &search, const PointerTile &tile,
                                 mlir::Value mask,
                                 llvm::ArrayRef<unsigned> order);
  mlir::Value createFactor(mlir::OpBuilder &builder, mlir::Location location,
                           unsigned factor, int64_t &coefficient) const;

  const AxisAnalysis &axes;
  IndexSums sums;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_ANALYSIS_STRIDEDBOXES_H
