// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is the same in all CTAs of a cluster.
//
// In: a function of structured control flow, and how many programs, of
// consecutive numbers along x, are a cluster; a grid has a multiple of them.
// Out: which values are the same in all of them: what is computed of arguments,
// numbers along other axes, and of the number along x nothing but its quotient
// by a multiple of the cluster. What is loaded may change between one CTA's
// load and another one's, and is taken to differ.

#ifndef TILEWRIGHT_PASSES_ANALYSIS_CLUSTERUNIFORMITY_H
#define TILEWRIGHT_PASSES_ANALYSIS_CLUSTERUNIFORMITY_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseSet.h"

namespace tilewright {

class ClusterUniformity {
public:
  ClusterUniformity(mlir::FunctionOpInterface function, unsigned ctas);

  /// Whether `value` is the same in all CTAs, in the same iteration of the
  /// loops around it.
  bool isUniform(mlir::Value value) const { return !varying.contains(value); }
  /// Whether all CTAs come to `op` equally often, in loops and agents alone.
  bool isReachedAlike(mlir::Operation *op) const;

private:
  void add(mlir::ValueRange values);
  void addSource(mlir::Operation *op);
  void addUser(mlir::OpOperand &use);

  unsigned ctas;
  llvm::DenseSet<mlir::Value> varying;
  /// Those of them whose users are yet to be looked at.
  llvm::SmallVector<mlir::Value> open;
};

} // namespace tilewright

#endif // TILEWRIGHT_PASSES_ANALYSIS_CLUSTERUNIFORMITY_H
