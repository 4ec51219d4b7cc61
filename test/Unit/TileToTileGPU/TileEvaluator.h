// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates the integers and pointers of a tile program, as written by
// RandomTileProgram, for tests. In: a function, its arguments, a program id.
// Out: each value, reported as soon as it is computed. No memory, no floats.

#ifndef TILEWRIGHT_TEST_UNIT_TILETOTILEGPU_TILEEVALUATOR_H
#define TILEWRIGHT_TEST_UNIT_TILETOTILEGPU_TILEEVALUATOR_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace tilewright::test {

/// The elements of a value in row-major order, sign-extended; pointers are byte
/// addresses. A scalar has the shape [1].
struct Tile {
  llvm::SmallVector<int64_t> shape;
  std::vector<int64_t> elements;
};

/// Runs one function for one program of the grid.
class TileEvaluator {
public:
  using Observer = llvm::function_ref<void(mlir::Value, const Tile &)>;
  /// Whether the sign of a divisor is known, so that it may be negative.
  using SignOracle = llvm::function_ref<bool(mlir::Value)>;

  TileEvaluator(int64_t programId, Observer observe, SignOracle isSignKnown)
      : programId(programId), observe(observe), isSignKnown(isSignKnown) {}

  /// Gives an argument its value.
  void setArgument(mlir::Value argument, int64_t value) {
    set(argument, {{1}, {value}});
  }

  /// Evaluates the ops of `block` in order. Stops, and returns false, before an
  /// op whose result is undefined, breaks an assumption of the axis analysis
  /// (overflow, a negative divisor of unknown sign), or is not supported; the
  /// name of an unsupported op is then in `unsupported`.
  bool run(mlir::Block &block);

  std::string unsupported;

private:
  bool evaluate(mlir::Operation &op);
  bool evaluateLoop(mlir::Operation &op);
  bool evaluateIf(mlir::Operation &op);
  bool evaluateShape(mlir::Operation &op, Tile &result);
  bool evaluateElements(mlir::Operation &op, Tile &result);
  const Tile &get(mlir::Value value) { return tiles.at(value); }
  void set(mlir::Value value, Tile tile) {
    observe(value, tile);
    tiles[value] = std::move(tile);
  }

  int64_t programId;
  Observer observe;
  SignOracle isSignKnown;
  llvm::DenseMap<mlir::Value, Tile> tiles;
};

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_UNIT_TILETOTILEGPU_TILEEVALUATOR_H
