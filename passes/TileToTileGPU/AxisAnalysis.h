// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axis analysis: what is known of integers and pointers along each dimension of
// a tile.
//
// In: functions of `tt`, `arith`, `scf` and `cf` ops, on plain tensors or on
// tensors with layouts. Out: for each integer or pointer its contiguity,
// divisibility and constancy (AxisInfo), and from these the widest vector that
// an access may use. It changes no IR, and chooses no layout.
//
// Every claim holds for every execution under two assumptions, which kernels
// meet and which no compiler could do without:
//  1. Signed arithmetic on, and truncation to, 32 bits and more does not
//  overflow
//     (Triton assumes this too). Unsigned arithmetic, and anything on narrower
//     integers, may wrap: claims about those hold nevertheless.
//  2. A divisor of unknown sign is not negative, so that dividing a number that
//     is not negative (a program id, say, by a number of tiles) gives another.
//     Kernels divide by sizes, and those come as arguments without a sign.
// Attributes `tt.divisibility`, `tt.contiguity` and `tt.constancy`, on
// arguments and on ops, are promises of the kernel's author: they are believed.

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_AXISANALYSIS_H
#define TILEWRIGHT_PASSES_TILETOTILEGPU_AXISANALYSIS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <memory>
#include <optional>

namespace mlir {
class Pass;
} // namespace mlir

namespace tilewright::tilegpu {

/// What is known of an integer or a pointer, or of a tile of them, in each
/// dimension. A scalar counts as one dimension of one element. An *aligned run*
/// of r elements along d is [k r, (k + 1) r) for an integer k, the coordinates
/// in the other dimensions being fixed. All sizes are powers of two.
struct AxisInfo {
  /// contiguity[d]: the longest c known such that each aligned run of c
  /// elements along d holds consecutive values (pointers: consecutive elements
  /// of the pointee's size).
  llvm::SmallVector<int64_t> contiguity;
  /// divisibility[d]: the largest power of two known, at most 2^30, that
  /// divides the first value of every aligned run of contiguity[d] elements
  /// along d (pointers: in bytes).
  llvm::SmallVector<int64_t> divisibility;
  /// constancy[d]: the longest c known such that each aligned run of c elements
  /// along d holds one value.
  llvm::SmallVector<int64_t> constancy;
  /// The value of all elements, sign-extended; integers only.
  std::optional<int64_t> constant;
  /// Every element is known to be at least 0 as a signed number; integers only.
  bool nonNegative = false;

  bool operator==(const AxisInfo &) const = default;

  /// `contiguity = [..], divisibility = [..], constancy = [..]`, followed by
  /// `, constant = N` and `, non-negative` where they hold.
  void print(llvm::raw_ostream &os) const;
};

/// The axis information of every integer and pointer below an operation: a
/// forward data flow, optimistic around loops. Usable with getAnalysis<>.
class AxisAnalysis {
public:
  /// Analyses all functions in `root`, which may be one function itself.
  explicit AxisAnalysis(mlir::Operation *root);

  /// What is known of `value`; null if it is neither an integer of at most 64
  /// bits, a pointer to scalars, nor a tile of them, or if it is never
  /// computed. The pointer is valid as long as the analysis.
  const AxisInfo *lookup(mlir::Value value) const;

  /// The largest power of two of elements along dimension `dim` that one access
  /// through `pointers` may take together: their addresses are consecutive, and
  /// aligned to their total size, which is at most 16 bytes; and `mask` (null:
  /// no mask) is constant over them. 1 where nothing is known.
  unsigned getVectorElements(mlir::Value pointers, mlir::Value mask,
                             unsigned dim) const;

  /// For each function its name, then one line for each block argument and op
  /// result that lookup knows, in the order of the ops.
  void print(llvm::raw_ostream &os) const;

private:
  mlir::Operation *root;
  llvm::DenseMap<mlir::Value, AxisInfo> infos;
};

/// A pass that prints the axis analysis of a module to the standard error
/// stream
/// (`--test-print-axis-info`).
std::unique_ptr<mlir::Pass> createTestPrintAxisInfoPass();

/// Makes that pass known to tilewright-opt.
void registerTestPrintAxisInfoPass();

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_AXISANALYSIS_H
