// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How integers and pointers of a tile differ between the registers of one
// thread.
//
// Index arithmetic is affine: where bit b of the register index is set, an
// element of `row * stride + column` is a fixed amount further than where it is
// clear, and this amount is the same in every thread. So a thread needs the
// element of one register and a few uniform amounts instead of a value for each
// register. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_REGISTERSTEPS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_REGISTERSTEPS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace tilewright::tilegpu {

/// constant + sum of factor * scalar, where the scalars are integers of the
/// function, taken as signed, each at most once. The numbers are below 2^48 in
/// magnitude (more than any memory), so that sums of steps need no care.
struct Step {
  int64_t constant = 0;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>, 1> terms;

  bool operator==(const Step &) const = default;
  bool isZero() const { return constant == 0 && terms.empty(); }
};

/// a - b; none where a number leaves the bounds of a step.
std::optional<Step> subtract(const Step &a, const Step &b);

/// For each bit of a tensor's register index: the element of a register that
/// has the bit set less the element of the same register with the bit clear,
/// whatever the other bits, the lane and the warp; none where it is not known
/// to be one uniform number. In elements of integers, in bytes of pointers.
using RegisterSteps = llvm::SmallVector<std::optional<Step>, 8>;

/// The steps of the tensors below an operation: a forward data flow, optimistic
/// around loops.
///
/// It believes what AxisAnalysis believes: signed arithmetic on offsets of 32
/// bits and more does not overflow.
class RegisterStepAnalysis {
public:
  /// `root` must hold tensors with register layouts, and branches instead of
  /// structured control flow.
  explicit RegisterStepAnalysis(mlir::Operation *root);

  /// The steps of a tensor with a register layout; null for other values and
  /// for what is never computed. Valid as long as the analysis.
  const RegisterSteps *lookup(mlir::Value value) const;

private:
  llvm::DenseMap<mlir::Value, RegisterSteps> steps;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_REGISTERSTEPS_H
