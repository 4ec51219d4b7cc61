// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What executing an op takes of one warp: instructions by the unit that carries
// them out, the longest chain of them that depend on each other, and what waits
// for what.
//
// In: an op of tilegpu IR whose tensors have layouts. Out: counts, which no
// clock and no device is in: target::Device has the rates. They are what the
// lowering emits, as far as it can be known before LLVM: addresses and masks
// that only differ by a constant from register to register count once.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_WORK_WORK_H
#define TILEWRIGHT_DIALECTS_TILEGPU_WORK_WORK_H

#include "dialects/TileGPU/Placement/Placement.h"

namespace tilewright::tilegpu {

/// Instructions of one warp that depend on each other.
struct WorkChain {
  unsigned arithmetic = 0, special = 0, shuffles = 0, sharedLoads = 0,
           globalLoads = 0, matrix = 0;
};

struct Work {
  /// What an op orders.
  enum class Order : uint8_t {
    Nothing,
    /// The lanes of each warp, all warps of the agent.
    WarpBarrier,
    Barrier,
    /// What was accessed is there for the asynchronous proxy.
    ProxyFence,
    /// It starts a copy that goes on by itself,
    Copy,
    /// or copies that are a group by themselves,
    CopyGroup,
    /// makes one group of the copies that were started,
    CloseGroup,
    /// waits until at most `pending` groups are on their way.
    AwaitGroups,
  };

  static bool startsCopies(Order order) {
    return order == Order::Copy || order == Order::CopyGroup;
  }

  /// Instructions.
  double floating = 0, integer = 0, special = 0, doubles = 0, shuffles = 0;
  double sharedAccesses = 0, globalAccesses = 0, matrices = 0;
  /// Wavefronts of the accesses to shared memory, sectors of those to global
  /// memory, multiply-adds of the matrix instructions, whose operands are of
  /// type `matrixType`.
  double wavefronts = 0, sectors = 0, multiplyAdds = 0;
  target::ElementType matrixType = target::ElementType::F16;
  /// The matrix instructions are `wgmma`.
  bool isAsynchronous = false;
  /// They take an operand from registers: a warp goes on when the last of them
  /// has begun. (Attention, 128 x 128 tiles, on an H200: a warp stands at the
  /// second product's instructions, not at the wait behind them.)
  bool holdsWarps = false;
  /// In how many parts, one after the other, it takes operands that are
  /// computed for it; 0: in small ones.
  unsigned parts = 0;
  WorkChain chain = {};
  Order order = Order::Nothing;
  unsigned pending = 0;

  /// Instructions of any kind.
  double instructions() const {
    return floating + integer + special + doubles + shuffles + sharedAccesses +
           globalAccesses + matrices;
  }
  /// Adds the counts of `other` so many times.
  void add(const Work &other, double times);
};

/// The work of `op` itself, without what stands in its regions.
Work getWork(mlir::Operation *op, const PlacementContext &context);

/// The type of a matrix instruction's operand whose elements are of `type`.
target::ElementType getMatrixType(mlir::Type type);

} // namespace tilewright::tilegpu

#include "dialects/TileGPU/Work/WorkOpInterface.h.inc"

namespace tilewright::tilegpu {

/// Has the ops of `tilegpu`, and those of `tt` and `tile` that need it,
/// implement WorkOpInterface. TileGPUDialect calls it.
void attachWorkModels(mlir::MLIRContext &context);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECTS_TILEGPU_WORK_WORK_H
