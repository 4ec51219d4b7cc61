// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The option `launch`: for which grid and arguments times are estimated.
//
// In: its texts. Out: numbers, or which text is none.

#ifndef TILEWRIGHT_LIB_COMPILER_LAUNCHOPTION_H
#define TILEWRIGHT_LIB_COMPILER_LAUNCHOPTION_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::compiler {

struct LaunchOption {
  /// Programs along x, y and z: 1024 along x where none are given.
  std::array<int64_t, 3> grid = {1024, 1, 1};
  /// By the arguments' names.
  std::vector<std::pair<std::string, int64_t>> arguments;

  /// The first of `texts` that is neither the grid ("64", "64x8", "64x8x2"),
  /// which comes first, nor an argument ("K=4096"); none where all are.
  static std::optional<std::string>
  findWrong(const std::vector<std::string> &texts);
  /// `texts`, of which none is wrong.
  static LaunchOption parse(const std::vector<std::string> &texts);
};

} // namespace tilewright::compiler

#endif // TILEWRIGHT_LIB_COMPILER_LAUNCHOPTION_H
