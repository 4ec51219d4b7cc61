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
  /// The thread that starts the copy, at any time from there to its wait for
  /// it.
  Copier,
  /// The matrix units, by a descriptor, or bulk copies, at any time from the op
  /// to the wait for it. They see, and write over, what threads and their
  /// copies have written behind a proxy fence.
  AsynchronousProxy,
  /// Whoever has a phase of an mbarrier begin (a write), or waits for one (a
  /// read): what begins a phase comes behind the waits for the one before.
  Mbarrier,
};

/// A descriptor that an op reads or writes.
struct SharedOperand {
  mlir::Value descriptor;
  bool isWrite;
  SharedRegisters registers = {};
  SharedAccessor accessor = SharedAccessor::Holders;
};

/// Work that threads start and wait for by groups, in the order of the groups.
/// Each kind has groups of its own.
enum class AsyncWork {
  /// Copies to shared memory (PTX ISA, "cp.async.wait_group").
  Copies,
  /// Products by warp groups (PTX ISA, "wgmma.wait_group").
  Products,
  /// Bulk copies, whose groups are phases of mbarriers. All threads wait for
  /// them, so that no barrier need follow.
  BulkCopies,
  /// Bulk stores, which the thread waits for that has started them (PTX ISA,
  /// "cp.async.bulk.wait_group").
  BulkStores,
};

/// What an op does to the groups of one kind.
struct AsyncStep {
  AsyncWork work;
  /// It starts work, which belongs to the group that is closed next.
  bool starts = false;
  /// It closes a group, what it starts itself included.
  bool closes = false;
  /// It waits until at most so many of the last groups are in flight.
  std::optional<unsigned> leaves = std::nullopt;
};

/// The descriptors that `op` has effects on, of which every warp may touch all.
llvm::SmallVector<SharedOperand> listSharedEffects(mlir::Operation *op);

/// The ops that use `memory` or views of it, each once.
llvm::SmallVector<mlir::Operation *> listUsers(mlir::Value memory);

/// What the views of shared memory that lead to `view` are of: what an
/// allocation gives, or a block argument.
mlir::Value findMemory(mlir::Value view);

} // namespace tilewright::tilegpu

#include "dialects/TileGPU/SharedAccessOpInterface.h.inc"

#endif // TILEWRIGHT_DIALECTS_TILEGPU_SHAREDACCESS_H
