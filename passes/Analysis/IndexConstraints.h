// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What bounds, minima and quotients say of the integers at one place of a
// kernel: linear constraints, asked whether one number is always less than
// another there. So the last of a row's blocks is known to have elements, and
// none to have more than a block's.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_INDEXCONSTRAINTS_H
#define TILEWRIGHT_PASSES_ANALYSIS_INDEXCONSTRAINTS_H

#include "passes/Analysis/IndexSums.h"

namespace mlir::presburger {
class Simplex;
} // namespace mlir::presburger

namespace tilewright {

/// Sums are those of IndexSums, with its assumption on overflow. What is not
/// linear in them (a product of two factors) is a number of which nothing is
/// known.
class IndexConstraints {
public:
  /// `place` must outlive the constraints. Whatever encloses it is used: loops
  /// have an iteration, and branches' conditions hold or not.
  explicit IndexConstraints(mlir::Operation *place);

  /// Whether left < right + offset is known of the scalar integers `left` and
  /// `right` whenever `place` is reached. False where it is not known.
  bool isLess(mlir::Value left, mlir::Value right, int64_t offset = 0);

private:
  /// Sums that are not negative, all of them.
  using Facts = llvm::SmallVector<IndexSum, 4>;
  /// Of which the facts of one hold.
  using Choice = llvm::SmallVector<Facts, 2>;

  void addEnclosing(mlir::Operation *op);
  void addCondition(mlir::Value condition, bool holds);
  void addFact(const IndexSum &sum);
  void addChoice(const Choice &choice);
  void mention(const IndexSum &sum);
  void explain(unsigned factor);
  void explainIteration(mlir::LoopLikeOpInterface loop);
  void explainExtreme(const IndexSum &result, mlir::Operation *op, int sign);
  void explainQuotient(const IndexSum &result, mlir::Operation *op);
  void constrain(mlir::presburger::Simplex &simplex, const IndexSum &sum) const;
  bool isPossible(mlir::presburger::Simplex &simplex,
                  llvm::ArrayRef<Choice> left) const;

  IndexSums sums;
  Facts facts;
  llvm::SmallVector<Choice, 4> choices;
  /// By the factors of a product, its column among the unknowns.
  std::map<std::vector<unsigned>, unsigned> columns;
  llvm::DenseSet<unsigned> explained;
  llvm::DenseSet<mlir::Operation *> explainedLoops;
};

} // namespace tilewright

#endif // TILEWRIGHT_PASSES_ANALYSIS_INDEXCONSTRAINTS_H
