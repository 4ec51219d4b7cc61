// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of the first elements of runs: what index arithmetic would have
// computed, had it been done for one element of each run alone.
//
// A run along a dimension is aligned, and a power of two of elements: of the
// tile [0 .. 15] and runs of 4, [0, 4, 8, 12] are the first elements. They are
// computed anew, from ranges and scalars, through elementwise ops, views and
// the loops that carry them.

#ifndef TILEWRIGHT_PASSES_TILE_FIRSTELEMENTS_H
#define TILEWRIGHT_PASSES_TILE_FIRSTELEMENTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace tilewright::tile {

/// For each dimension of a tile the elements of a run: a power of two that
/// divides the dimension.
using Runs = llvm::SmallVector<int64_t>;

/// Whether each run is one element.
bool areSingle(llvm::ArrayRef<int64_t> runs);

/// `type` with one element for each run.
mlir::RankedTensorType getTypeOfFirst(mlir::RankedTensorType type,
                                      llvm::ArrayRef<int64_t> runs);

/// The runs of the source of `view` (isView) of which those of its result are
/// made; none where these are no runs there.
std::optional<Runs> getRunsOfSource(mlir::Operation *view,
                                    llvm::ArrayRef<int64_t> runs);

/// The longest runs of the result of `view` that lie in runs of its source.
Runs getRunsOfResult(mlir::Operation *view, llvm::ArrayRef<int64_t> runs);

class FirstElements {
public:
  explicit FirstElements(mlir::IRRewriter &rewriter) : rewriter(rewriter) {}

  /// Whether `make` can give each of `tiles`; changes nothing.
  static bool canMake(mlir::ValueRange tiles, llvm::ArrayRef<int64_t> runs);
  /// The tile of the first elements of the runs of `tile`. Loops that carry
  /// what it is made of are replaced by ones that carry a value more, and so
  /// are their results: what was made of those before, too. Made once more,
  /// it is the same and replaces none.
  mlir::Value make(mlir::Value tile, const Runs &runs);
  /// Has loops leave as it is what they still carry for nobody, since its first
  /// elements are carried instead: canonicalization removes it.
  void freezeUnused();

private:
  mlir::Value makeCarried(mlir::BlockArgument argument, const Runs &runs);
  mlir::Value makeOfOperands(mlir::Value tile, const Runs &runs);

  mlir::IRRewriter &rewriter;
  /// Results of loops are not among them: they are replaced with their loops.
  std::map<std::pair<void *, Runs>, mlir::Value> made;
  /// What loops carry of which first elements were made.
  llvm::SetVector<mlir::BlockArgument> carried;
};

} // namespace tilewright::tile

#endif // TILEWRIGHT_PASSES_TILE_FIRSTELEMENTS_H
