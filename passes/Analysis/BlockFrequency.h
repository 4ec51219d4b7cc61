// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often a block runs, roughly: what all prices are multiplied by.
//
// In: a function, structured or as a graph of blocks, or both. Out: a number
// for each block, relative to the function's entry. It holds for the function
// as it was when it was asked for, and for blocks in regions whatever is done
// to them.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_BLOCKFREQUENCY_H
#define TILEWRIGHT_PASSES_ANALYSIS_BLOCKFREQUENCY_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright {

class BlockFrequency {
public:
  explicit BlockFrequency(mlir::FunctionOpInterface function);

  /// In sixteenths, 16 for the entry: a loop multiplies by the trips that it is
  /// known to make (at most 64), or by 16; what may be skipped runs half as
  /// often, but for branches of a condition that is likely (tile.likely): as
  /// often, and a 64th. At least 1, and at most 2^24.
  uint64_t get(mlir::Block *block) const;

private:
  mlir::FunctionOpInterface function;
  /// Of blocks in regions with several, relative to the region's entry.
  llvm::DenseMap<mlir::Block *, uint64_t> frequencies;
};

} // namespace tilewright

#endif // TILEWRIGHT_PASSES_ANALYSIS_BLOCKFREQUENCY_H
