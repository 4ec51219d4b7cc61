// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a tensor's elements live, and the ways that an op has to be carried
// out.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_PLACEMENT_H
#define TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_PLACEMENT_H

#include "dialects/Layout/DescriptorSharing.h"
#include "dialects/TileGPU/TileGPU.h"

#include <functional>

namespace tilewright::tilegpu {

/// A tile in shared memory, as one asks for it or gives it. Writers and readers
/// decide how it is arranged (planSharedTile).
struct SharedPlacement {
  /// Threads find it there that want it under this layout; null where a matrix
  /// descriptor reads it.
  RegisterLayoutInterface readers;
  /// They load it by ldmatrix where that fits; else by ordinary loads.
  bool isForMatrixLoads = false;
  /// The operand of a matrix instruction that a descriptor reads there.
  std::optional<layout::DescriptorOperand> descriptor = std::nullopt;

  /// Whether who asks for `demand` may take this tile, of `shape`, as it is.
  bool serves(const SharedPlacement &demand,
              llvm::ArrayRef<int64_t> shape) const {
    if (descriptor && demand.descriptor)
      return layout::shareDescriptorTile(
          llvm::map_to_vector(shape, layout::log2Exact), *descriptor,
          *demand.descriptor);
    return !descriptor && !demand.descriptor && readers == demand.readers &&
           isForMatrixLoads == demand.isForMatrixLoads;
  }
};

/// What an op asks of an operand, or gives as a result: a tensor in registers
/// under a layout, a tile in shared memory, or anything (of scalars, and of
/// tensors that it finds wherever they are).
class Placement {
public:
  Placement() = default;
  Placement(RegisterLayoutInterface layout)
      : space(layout ? Space::Registers : Space::Anywhere), tile{layout} {}
  Placement(const SharedPlacement &tile) : space(Space::Shared), tile(tile) {}

  bool isAnywhere() const { return space == Space::Anywhere; }
  /// The layout in registers; null where the tensor is elsewhere.
  RegisterLayoutInterface getRegisters() const {
    return space == Space::Registers ? tile.readers : RegisterLayoutInterface();
  }
  /// The tile in shared memory; none where the tensor is elsewhere.
  std::optional<SharedPlacement> getTile() const {
    return space == Space::Shared ? std::optional(tile) : std::nullopt;
  }

private:
  enum class Space { Anywhere, Registers, Shared };
  Space space = Space::Anywhere;
  /// In registers: of its parts the layout alone.
  SharedPlacement tile;
};

/// One way to carry out an op.
struct Implementation {
  /// The op's own layout, which the others follow from.
  RegisterLayoutInterface layout;
  /// One for each operand, and one for each result.
  llvm::SmallVector<Placement, 3> operands;
  llvm::SmallVector<Placement, 1> results;
  /// What else the op needs to know to be rewritten so (`realize`): the plan of
  /// a dot, the elements of one copy to shared memory (an integer). Null for
  /// ops that stay as they are, but for where their results go.
  mlir::Attribute plan;

  /// Whether something else takes the op's place (`realize`).
  bool replacesOp() const {
    return plan || llvm::any_of(results, [](const Placement &result) {
             return result.getTile().has_value();
           });
  }
};

/// What an op may ask when it lists and prices implementations.
struct PlacementContext {
  using OwnReaders = llvm::DenseMap<mlir::Operation *, RegisterLayoutInterface>;
  const target::Target &target;
  unsigned numWarps;
  /// Stages that loops may have which ask for none themselves.
  unsigned numStages;
  /// Whether the function has dots, beside which it matters little how results
  /// are written, and which need the shared memory.
  bool hasProducts;
  /// What is known of an integer or a pointer; null where nothing is.
  std::function<const AxisInfo *(mlir::Value)> lookupAxisInfo;
  /// Loads that, if they go to shared memory, do so for readers under this
  /// layout alone, and each warp copies what it reads itself.
  OwnReaders ownReaders = OwnReaders();
};

/// The first tensor among the results of `op`, or else among its operands.
mlir::RankedTensorType getFirstTensor(mlir::Operation *op);

/// The implementation of `op` with all tensors under `layout`.
Implementation implementUniformly(mlir::Operation *op,
                                  RegisterLayoutInterface layout);

/// A blocked layout in row-major order with one element a thread at a time:
/// what a tensor gets that nothing else decides.
BlockedAttr getDefaultLayout(mlir::MLIRContext *context,
                             llvm::ArrayRef<int64_t> shape, unsigned numWarps);

/// Spreads `count` units (threads or warps) over `left[dim]` places, which it
/// divides, in order; what remains goes to the slowest dimension, where units
/// hold copies. Gives the units in each dimension.
llvm::SmallVector<unsigned> spreadUnits(unsigned count,
                                        llvm::SmallVectorImpl<int64_t> &left,
                                        llvm::ArrayRef<unsigned> order);

/// The arrangement in shared memory of a tensor of `type`, which is stored by
/// threads that hold it under `writers`, for those who ask for `demand`.
/// `copyElements`: see layout::SharedOptions. Any writers can arrange a tile
/// for a descriptor, if not by wide accesses.
SharedLayoutInterface planSharedTile(mlir::RankedTensorType type,
                                     RegisterLayoutInterface writers,
                                     const SharedPlacement &demand,
                                     const target::Target &target,
                                     unsigned copyElements = 0);

/// The arrangement for a descriptor of a tile of `type` with dimension `inner`
/// contiguous; null where there is none.
SharedLayoutInterface
arrangeForDescriptor(mlir::RankedTensorType type,
                     const layout::DescriptorOperand &operand, unsigned inner);

/// The layout of a code book of `entries`, a power of two, from which any code
/// is looked up in the warp: entry i is in lane i mod 32, further ones in
/// further registers, and all lanes and `numWarps` warps hold copies.
RegisterLayoutInterface getCodeBookLayout(mlir::MLIRContext *context,
                                          unsigned entries, unsigned numWarps);

/// What an access to global memory takes of one warp.
struct AccessCount {
  uint64_t instructions;
  /// Sectors of 32 bytes that an instruction touches.
  uint64_t sectors;
  /// Elements that a lane takes at a time.
  unsigned vectorElements;
  /// Whether it touches all bytes of its sectors.
  bool fillsSectors;
};

/// That of `access`, whose pointers are a tile, under `layout`, by what is
/// known of its addresses.
AccessCount countAccess(const GlobalAccess &access,
                        RegisterLayoutInterface layout,
                        const PlacementContext &context);

/// Registers of a thread that holds a tensor of `type` under `layout`.
unsigned countRegisters(mlir::RankedTensorType type,
                        RegisterLayoutInterface layout);

} // namespace tilewright::tilegpu

#include "dialects/TileGPU/Placement/PlacementOpInterface.h.inc"

namespace tilewright::tilegpu {

/// Has the ops of `tt`, `arith`, `math` and `ub` implement
/// PlacementOpInterface. TileGPUDialect calls it.
void attachPlacementModels(mlir::MLIRContext &context);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_PLACEMENT_H
