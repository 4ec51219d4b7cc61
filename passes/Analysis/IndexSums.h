// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers and tiles of them as sums of products.
//
// In: scalars, tiles of integers and of pointers, in functions of structured
// loops. Out: a scalar as a sum of products of values that are taken as they
// are, its *factors*; a tile as such a sum, and another for each dimension that
// the element's coordinate is multiplied by. The number of an iteration is a
// factor of its own, so that what loops carry is such a sum too.
//
// Sums are those of numbers without an end: signed arithmetic on 32 bits and
// more is taken not to overflow, as in axis analysis (AxisInfo.h).

#ifndef TILEWRIGHT_PASSES_ANALYSIS_INDEXSUMS_H
#define TILEWRIGHT_PASSES_ANALYSIS_INDEXSUMS_H

#include "mlir/IR/Value.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <optional>
#include <vector>

namespace tilewright {

/// A sum of products. Factors are known by numbers (IndexSums::getFactor).
struct IndexSum {
  /// By the factors of a product, ascending, its coefficient, which is not 0.
  /// The product of no factors is 1.
  std::map<std::vector<unsigned>, int64_t> products;

  static IndexSum constant(int64_t value);
  static IndexSum factor(unsigned number);

  bool isZero() const { return products.empty(); }
  /// Its value, where it has no factors.
  std::optional<int64_t> getConstant() const;
  /// The factor that it is; none where it is anything else.
  std::optional<unsigned> getFactor() const;

  IndexSum &operator+=(const IndexSum &other);
  IndexSum &operator-=(const IndexSum &other);
  IndexSum operator*(const IndexSum &other) const;
  IndexSum operator+(const IndexSum &other) const;
  IndexSum operator-(const IndexSum &other) const;
  bool operator==(const IndexSum &) const = default;
};

/// A tile whose element at (i, j, ...) is first + i steps[0] + j steps[1] + ...
struct IndexTile {
  IndexSum first;
  llvm::SmallVector<IndexSum, 4> steps;
};

/// A tile of pointers: `offsets`, in elements, from `base`, which is not
/// computed of another pointer.
struct PointerTile {
  mlir::Value base;
  IndexTile offsets;
};

class IndexSums {
public:
  /// A factor: a value, or, of a loop's induction variable, the number of the
  /// iteration.
  struct Factor {
    mlir::Value value;
    /// The loop whose iterations are counted; null for other factors.
    mlir::LoopLikeOpInterface loop = {};
  };
  const Factor &getFactor(unsigned number) const { return factors[number]; }

  /// An integer, a scalar: whatever is not known is a factor.
  IndexSum getSum(mlir::Value scalar);
  /// A tile of integers; none where it is not of the form.
  std::optional<IndexTile> getTile(mlir::Value tile);
  /// A tile of pointers, or one pointer; likewise.
  std::optional<PointerTile> getPointers(mlir::Value pointers);

  /// The tiles that are negative in exactly the elements for which `mask`, a
  /// tile or a scalar, is true, all of them; none where the mask is of another
  /// form.
  std::optional<llvm::SmallVector<IndexTile>> getBounds(mlir::Value mask);

private:
  unsigned intern(mlir::Value value, mlir::LoopLikeOpInterface loop);
  IndexSum computeSum(mlir::Value scalar);
  std::optional<IndexSum> getIteration(mlir::BlockArgument argument);
  std::optional<IndexTile> getCarried(mlir::BlockArgument argument);
  std::optional<IndexTile> getCarriedStep(mlir::BlockArgument argument,
                                          mlir::LoopLikeOpInterface loop);
  std::optional<IndexTile> findCarried(mlir::BlockArgument argument);
  bool isInvariant(const IndexSum &sum, mlir::LoopLikeOpInterface loop);
  std::optional<PointerTile> getCarriedPointers(mlir::BlockArgument argument);
  std::optional<llvm::SmallVector<IndexTile>>
  getComparison(mlir::Operation *comparison);

  std::vector<Factor> factors;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::DenseMap<mlir::Value, IndexSum> known;
  /// Carried values that are being looked at: what they depend on themselves is
  /// no sum.
  llvm::SmallDenseSet<mlir::Value> open;
};

} // namespace tilewright

#endif // TILEWRIGHT_PASSES_ANALYSIS_INDEXSUMS_H
