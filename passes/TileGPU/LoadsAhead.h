// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Software pipelines of loads into registers, for targets without asynchronous
// copies: loads are issued iterations before their values are used, and what
// goes through shared memory is stored there an iteration before it is read, to
// the other buffer of two, so that one barrier orders both. Private to this
// folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_LOADSAHEAD_H
#define TILEWRIGHT_PASSES_TILEGPU_LOADSAHEAD_H

#include "dialects/Layout/ConversionPlan.h"
#include "passes/Analysis/SharedLiveness.h"
#include "passes/TileGPU/EarlyOps.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tilegpu {

/// Whether `op` reads global memory, and does nothing else.
bool isLoad(mlir::Operation &op);

/// Registers of a thread that hold a value of `type`, indices and masks too:
/// what was loaded cannot be computed again.
unsigned countRegistersOf(mlir::Type type);

class LoadsAhead {
public:
  /// `budget`, of the function as it is, must outlive this.
  LoadsAhead(mlir::scf::ForOp loop, const target::Target &target,
             const SharedMemoryBudget &budget);

  /// Whether the body loads tiles from global memory, in more than one
  /// iteration.
  bool hasLoads();

  /// Why no load of the loop may be issued ahead; nothing where some may.
  /// Changes nothing.
  std::optional<llvm::StringRef> findObstacle();

  /// How many iterations ahead loads are issued, up to `wanted`: one if a
  /// thread has the registers, more in a small loop as long as a multiprocessor
  /// runs as many CTAs, or enough. Loads that are too much are left out, the
  /// largest first; 0: all are.
  int plan(int wanted);
  /// Whether loads one iteration ahead pay on a target whose other loops have
  /// asynchronous copies: each fills at most two registers, or eight beside
  /// larger tiles that are computed, and enough CTAs run on a multiprocessor;
  /// or the loop has products, and as many run as without. Loops that load more
  /// for less arithmetic, a layer norm's, take 1.2 of their time on an H200,
  /// and those whose addresses are quotients 1.6 (of a batch and a head).
  bool pay();
  /// Loads that plan() has left out.
  unsigned countLeftOut() const { return leftOut; }

  /// Gives every op of the body its stage and order, with loads `distance`
  /// iterations ahead (at least one), and has what is stored ahead be stored
  /// and loaded by ops of its own. Gives the bytes that its tiles will take
  /// beyond one buffer each.
  int64_t schedule(int distance);

private:
  /// A value that goes through shared memory, and the ops that put it there to
  /// read it, or to have others read it.
  struct Tile {
    mlir::Value source;
    MemDescType type;
    llvm::SmallVector<mlir::Operation *, 2> readers;
  };

  /// Whether iterations are short, and several of them take few registers: of
  /// each tile a thread holds one element.
  bool isSmall();
  void findTiles();
  void addTile(mlir::Operation *reader);
  unsigned countCtas(unsigned tileRegisters, int64_t sharedBytes) const;
  /// Whether loads `to` iterations ahead leave a multiprocessor as many CTAs as
  /// those `from` ahead, or enough.
  bool leavesCtas(int from, int to);
  bool computesMore();
  bool dividesAhead();
  bool isMadeOfLoads(mlir::Value value,
                     llvm::SetVector<mlir::Operation *> &ops) const;
  MemDescType planTile(mlir::Operation *reader);
  llvm::ArrayRef<layout::ConversionPlan> getPlans(ConvertLayoutOp conversion);
  bool haveRoom();
  bool isReader(mlir::Operation *op) const;
  /// Whether the value of a load is stored ahead, and whether the last stage
  /// uses it itself.
  std::pair<bool, bool> findUses(mlir::Operation *load);
  unsigned countHeld(int distance);
  unsigned countBeside();
  unsigned countRegistersAt(int distance) {
    return countBeside() + countHeld(distance);
  }
  int getLastStage(int distance) const {
    return distance + (tiles.empty() ? 0 : 1);
  }
  void makeTile(const Tile &tile, EarlyOps &early, int stage);

  mlir::scf::ForOp loop;
  const target::Target &target;
  const SharedMemoryBudget &budget;
  unsigned warps;
  unsigned leftOut = 0;
  llvm::SetVector<mlir::Operation *> loads;
  /// The loads, and what they need.
  EarlyOps addressing;
  std::vector<Tile> tiles;
  /// Of the conversions of the body, the cheapest first.
  llvm::DenseMap<mlir::Operation *, std::vector<layout::ConversionPlan>> plans;
  /// What is computed of loads to be stored.
  llvm::SetVector<mlir::Operation *> storing;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_LOADSAHEAD_H
