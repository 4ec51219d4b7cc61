// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ops do to shared memory: which bytes of which allocation, by which
// warps.
//
// In: ops with effects on shared memory. Out: their accesses, by the layouts of
// the registers and of the tile. Offsets of allocations are the caller's.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_SHAREDACCESSES_H
#define TILEWRIGHT_PASSES_ANALYSIS_SHAREDACCESSES_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "passes/Analysis/WarpFootprint.h"

#include <map>

namespace tilewright::tilegpu {

/// An access to a part of an allocation.
struct SharedAccess {
  LocalAllocOp allocation;
  /// First byte in the allocation.
  int64_t begin = 0;
  const WarpFootprint *footprint = nullptr;
  bool isWrite = false;
  /// Whether it is surely here that the op accesses memory, not one of several
  /// places where it may.
  bool isCertain = true;
  /// Which threads. Writes by Owners from registers of one type to tiles of one
  /// type (which have one footprint) at one place are made by the same threads,
  /// and so are copies, each of which its thread waits for.
  SharedAccessor accessor = SharedAccessor::Holders;
};

/// An allocation that a descriptor may stand for, and where in it the
/// descriptor begins; without a value anywhere.
struct SharedOrigin {
  LocalAllocOp allocation;
  std::optional<int64_t> begin;
};

/// The value of an index where it is known.
using IndexValue = llvm::function_ref<std::optional<int64_t>(mlir::Value)>;

/// What `descriptor` may stand for, through views and block arguments: a block
/// argument stands for whatever its predecessors pass. `lookUp` says what it
/// knows of the indices of buffers; without it constants alone are known.
llvm::SmallVector<SharedOrigin> findOrigins(mlir::Value descriptor,
                                            IndexValue lookUp = {});

/// The descriptors that `op` reads or writes.
llvm::SmallVector<SharedOperand> getSharedOperands(mlir::Operation *op);

/// Computes accesses, and keeps footprints that are the same once. It must
/// outlive the accesses that it gives.
class SharedAccesses {
public:
  /// What `op` does; nothing where it does not touch shared memory. `lookUp`:
  /// see findOrigins.
  llvm::SmallVector<SharedAccess> get(mlir::Operation *op,
                                      IndexValue lookUp = {});

private:
  const WarpFootprint *getFootprint(mlir::Operation *op,
                                    const SharedOperand &operand);

  /// The type of the registers, that of the tile, and which operand of which
  /// kind it is. Only looked up, never listed.
  using Key = std::tuple<const void *, const void *, unsigned>;
  std::map<Key, std::unique_ptr<WarpFootprint>> footprints;
};

/// Where the allocation begins, in bytes; 0 before it has an offset.
inline int64_t getOffset(LocalAllocOp allocation) {
  return allocation.getOffset().value_or(0);
}

/// Diagnoses accesses to shared memory in regions of other ops than the
/// function and its agents': what they do in which order is not known.
llvm::LogicalResult verifyAccessesInBlocks(mlir::FunctionOpInterface function);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_ANALYSIS_SHAREDACCESSES_H
