// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses that no barrier and no wait orders, on the paths of one set of
// warps.

#ifndef TILEWRIGHT_TEST_PASSES_BARRIERS_PATHS_H
#define TILEWRIGHT_TEST_PASSES_BARRIERS_PATHS_H

#include "test/Passes/Barriers/Findings.h"

namespace tilewright::test {

/// How a barrier is looked at.
enum class Role { AsItIs, Absent, OfWarp };

/// What two ops need between them, in the bytes that both touch.
struct Need {
  bool sameWarp = false, otherWarp = false, isCertain = false;
};

/// Paths of one set of warps.
class PathCheck {
public:
  PathCheck(mlir::FunctionOpInterface function, TouchList &touches)
      : counting(listRegions(function)), touches(touches) {}

  /// The first conflict that some path leaves, if `changed` played `role`.
  std::optional<Finding> run(mlir::FunctionOpInterface function,
                             mlir::Operation *changed, Role role);

private:
  /// Where a path is, and what has happened on it: which numbers choose
  /// buffers; whether a barrier of the warp has been passed; groups closed
  /// since the copy or product at its start, or -1 where it is waited for.
  struct State {
    mlir::Operation *op;
    Numbers numbers;
    bool passedWarpBarrier;
    int groups;
    auto operator<=>(const State &) const = default;
  };

  std::optional<Finding> follow(mlir::Operation *first, const Numbers &numbers,
                                mlir::Operation *changed, Role role);

  std::optional<Finding> check(mlir::Operation *first,
                               const std::vector<Touch> &touched,
                               const State &state);

  /// `landed`: what `first` copies has been waited for.
  const Need &compare(mlir::Operation *first, const std::vector<Touch> &touched,
                      mlir::Operation *second,
                      const std::vector<Touch> &touching, bool landed);

  Counting counting;
  TouchList &touches;
  std::map<
      std::tuple<const std::vector<Touch> *, const std::vector<Touch> *, bool>,
      Need>
      needs;
};

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_PASSES_BARRIERS_PATHS_H
