// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Compiler/LaunchOption.h"

#include "dialects/Target/GridLimits.h"
#include "llvm/ADT/StringExtras.h"

using namespace tilewright;
using namespace tilewright::compiler;
using llvm::StringRef;

static std::optional<std::array<int64_t, 3>> parseGrid(StringRef text) {
  std::array<int64_t, 3> grid = {1, 1, 1};
  llvm::SmallVector<StringRef> sizes;
  text.split(sizes, 'x');
  if (sizes.size() > grid.size())
    return std::nullopt;
  for (auto [axis, size] : llvm::enumerate(sizes))
    if (!llvm::to_integer(size, grid[axis], 10) || grid[axis] < 1 ||
        grid[axis] > target::maxGridSize[axis])
      return std::nullopt;
  return grid;
}

static std::optional<std::pair<std::string, int64_t>>
parseArgument(StringRef text) {
  auto [name, number] = text.split('=');
  int64_t value;
  if (name.empty() || !llvm::to_integer(number, value, 10))
    return std::nullopt;
  return std::pair(name.str(), value);
}

std::optional<std::string>
LaunchOption::findWrong(const std::vector<std::string> &texts) {
  for (const auto &[index, text] : llvm::enumerate(texts))
    if (index == 0 ? !parseGrid(text) : !parseArgument(text))
      return text;
  return std::nullopt;
}

LaunchOption LaunchOption::parse(const std::vector<std::string> &texts) {
  LaunchOption option;
  for (const auto &[index, text] : llvm::enumerate(texts)) {
    if (index == 0)
      option.grid = *parseGrid(text);
    else
      option.arguments.push_back(*parseArgument(text));
  }
  return option;
}
