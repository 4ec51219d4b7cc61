// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many registers of a thread hold tiles, op by op.
//
// In: a function in tilegpu IR, as a graph of blocks. Out: counts, from below,
// in whole registers of 32 bits: floating-point tiles alone count, or, where
// asked, whatever is no index arithmetic; constants and splats are left out.
// Values that name the same registers (a transposition, a broadcast) count
// once. What ends at an op leaves its registers to what begins there, element
// by element.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_REGISTERPRESSURE_H
#define TILEWRIGHT_PASSES_ANALYSIS_REGISTERPRESSURE_H

#include "dialects/TileGPU/Placement/Placement.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright::tilegpu {

/// Registers of 32 bits in which a thread holds a tensor of `type` (its
/// encoding does not count) under `layout`; 0 where its elements are no floats:
/// indices and masks are made again where they are used.
unsigned countTileRegisters(mlir::RankedTensorType type,
                            RegisterLayoutInterface layout);

/// Which registers hold a value. Answers are kept by type, since those who
/// count again after each change ask for the same few maps each time.
class TileRegisters {
public:
  /// Which tiles count: those of floats, or besides them those of integers and
  /// pointers that are not made again where they are used, because they are
  /// loaded, reduced or loop-carried.
  enum class Counted : uint8_t { Floats, Data };

  explicit TileRegisters(Counted counted = Counted::Floats)
      : counted(counted) {}

  /// The operand in whose registers the result of `op` is, if it only renames
  /// them; or null.
  mlir::Value getRenamed(mlir::Operation *op);

  /// The value that has registers of its own of which `value` names some.
  mlir::Value findHolder(mlir::Value value);

  /// Registers of a thread that hold a tile of its own; 0 for what does not
  /// count, for constants and splats.
  unsigned count(mlir::Value value);

private:
  /// Whether `value` is index arithmetic: cheap, and of scalars alone.
  bool isIndex(mlir::Value value);

  Counted counted;
  llvm::DenseMap<mlir::Value, bool> indices;
  llvm::DenseMap<mlir::Type, unsigned> counts;
  /// Of the types of a conversion: whether no element changes threads.
  llvm::DenseMap<std::pair<mlir::Type, mlir::Type>, bool> renames;
};

/// A tile that a product takes step by step along K, loaded from shared memory
/// for it alone: a thread holds two steps at a time, not all.
struct StreamedTile {
  mlir::Value value;
  unsigned steps;
};

/// Those of the own blocks of `body`, of a function or an agent.
llvm::SmallVector<StreamedTile> findStreamedTiles(mlir::Region &body,
                                                  const target::Target &target);

/// Where the results of elementwise ops are.
enum class ElementwiseResults : uint8_t {
  /// In registers of their own, from their op on.
  Held,
  /// Nowhere: each element is computed where an op that is not elementwise
  /// takes
  /// it, and what it is computed of is held until then. So few registers are
  /// enough, if that is ever fewer, for an assembler that may take no more; but
  /// loads and stores keep their order.
  ComputedLate,
};

class RegisterPressure {
public:
  /// `body`: of a function, or of an agent.
  RegisterPressure(mlir::Region &body, TileRegisters &tiles,
                   ElementwiseResults results = ElementwiseResults::Held);

  /// Registers before or behind `op`, one of the body's own blocks:
  /// whichever are more.
  unsigned getAt(mlir::Operation *op) const;
  /// Registers that stay what they are while `op`, likewise, runs its regions:
  /// without those of its own operands, which end or are renamed there.
  unsigned getAround(mlir::Operation *op, TileRegisters &tiles) const;
  /// Where most of them are; 0 where there are no ops. And where most of them
  /// are in `block`, one of the body's own.
  unsigned getMost() const;
  unsigned getMost(mlir::Block &block) const;
  /// Where most of them are if `holders` had none. `tiles`: the constructor's.
  unsigned getMostWithout(llvm::ArrayRef<mlir::Value> holders,
                          TileRegisters &tiles) const;
  /// The same if of each of `streamed` two steps are held at a time.
  unsigned getMostStreaming(llvm::ArrayRef<StreamedTile> streamed,
                            TileRegisters &tiles) const;
  /// Whether the registers of `holder` are taken behind `op`.
  bool isHeldAt(mlir::Value holder, mlir::Operation *op) const;

private:
  /// Takes `registers` from where `holder` has its own.
  void spare(mlir::Value holder, unsigned registers,
             llvm::MutableArrayRef<unsigned> places) const;
  /// Whether `value`, or what renames it, is taken by no op behind one that
  /// follows `from` and for which threads work together.
  bool isTakenSoon(mlir::Value value, mlir::Operation *from);
  bool isComputedLate(mlir::Value value);
  /// The values in whose registers `value` is held.
  llvm::SmallVector<mlir::Value, 2> findHolders(mlir::Value value,
                                                TileRegisters &tiles);
  void add(mlir::Value value, TileRegisters &tiles);

  ElementwiseResults results;
  /// Of tiles that are computed late.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 2>> sources;
  unsigned places = 0;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  /// By place, ops up to there for which threads work together.
  llvm::SmallVector<unsigned> together;
  /// The places, behind an op or where a block begins, at which a value or what
  /// renames it lives.
  llvm::MapVector<mlir::Value, llvm::BitVector> held;
  /// Registers at each place.
  llvm::SmallVector<unsigned> behind;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_ANALYSIS_REGISTERPRESSURE_H
