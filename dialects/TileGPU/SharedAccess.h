// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What SharedAccessOpInterface answers with.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_SHAREDACCESS_H
#define TILEWRIGHT_DIALECTS_TILEGPU_SHAREDACCESS_H

#include "dialects/Layout/LinearLayout.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace tilewright::tilegpu {

/// The registers through which an op accesses a tile: what they are of, and
/// their map to the tile's coordinates. Without a map every warp may touch all
/// of the tile.
struct SharedRegisters {
  mlir::RankedTensorType tensor;
  std::optional<layout::LinearLayout> map;
  /// Tells maps of one tensor's type and one tile's apart: 0 is the tensor's
  /// own layout, others are the op's.
  unsigned role = 0;
};

/// Which threads make an access.
enum class SharedAccessor {
  /// For each byte the one thread that holds it, when the op is executed: of
  /// threads with copies one is chosen, by the two types alone.
  Owners,
  /// Every thread that holds an element, when the op is executed.
  Holders,
  /// The hardware, at any time from the op to the wait for it.
  AsynchronousProxy,
};

/// A descriptor that an op reads or writes.
struct SharedOperand {
  mlir::Value descriptor;
  bool isWrite;
  SharedRegisters registers = {};
  SharedAccessor accessor = SharedAccessor::Holders;
};

/// The descriptors that `op` has effects on, of which every warp may touch all.
llvm::SmallVector<SharedOperand> listSharedEffects(mlir::Operation *op);

} // namespace tilewright::tilegpu

#include "dialects/TileGPU/SharedAccessOpInterface.h.inc"

#endif // TILEWRIGHT_DIALECTS_TILEGPU_SHAREDACCESS_H
