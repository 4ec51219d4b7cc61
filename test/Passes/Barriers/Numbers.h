// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers that choose buffers and phases, on each path.

#ifndef TILEWRIGHT_TEST_PASSES_BARRIERS_NUMBERS_H
#define TILEWRIGHT_TEST_PASSES_BARRIERS_NUMBERS_H

#include "dialects/TileGPU/TileGPU.h"

#include <map>
#include <set>

namespace tilewright::test {

/// What block arguments hold, of those that choose buffers.
using Numbers = std::map<const void *, int64_t>;

/// Under which condition an op does what it does at an mbarrier; null: always.
mlir::Value getPredicate(mlir::Operation *op);

/// Runs the arithmetic that chooses buffers and phases.
class Counting {
public:
  explicit Counting(llvm::ArrayRef<mlir::Region *> regions);

  /// With which numbers a path may come to `block`.
  const std::set<Numbers> &getNumbers(mlir::Block *block) {
    return found[block];
  }

  /// What a path knows behind the edge from `from` to that successor.
  Numbers enter(mlir::Block *from, unsigned successor,
                const Numbers &numbers) const;

  /// The value where `numbers` tell; nothing where they do not.
  static std::optional<int64_t> evaluate(mlir::Value value,
                                         const Numbers &numbers);

private:
  using Results = std::map<const void *, std::optional<int64_t>>;

  void collect(mlir::Value value);

  /// False where a number has too many values, and is followed no more.
  bool run(llvm::ArrayRef<mlir::Region *> regions);

  static std::optional<int64_t>
  evaluate(mlir::Value value, const Numbers &numbers, Results &results);

  /// What counts buffers, by hand or by a pass.
  static std::optional<int64_t> compute(mlir::Operation *op,
                                        llvm::ArrayRef<int64_t> of);

  std::set<const void *> asked, followed;
  std::map<mlir::Block *, std::set<mlir::Block *>> reached;
  std::map<mlir::Block *, std::set<Numbers>> found;
};

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_PASSES_BARRIERS_NUMBERS_H
