// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planes of a tensor that are drawn: slices along the last two dimensions.
// Private to this folder.

#ifndef TILEWRIGHT_LIB_LAYOUTVIEW_PLANES_H
#define TILEWRIGHT_LIB_LAYOUTVIEW_PLANES_H

#include "lib/LayoutView/LayoutView.h"

#include <algorithm>

namespace tilewright::view {

/// A tensor as planes of rows and columns. A tensor of one dimension is folded
/// into rows of 32.
class Planes {
public:
  explicit Planes(const std::vector<uint64_t> &shape) : shape(shape) {
    columns =
        shape.size() == 1 ? std::min<uint64_t>(shape[0], 32) : shape.back();
    rows = shape.size() == 1 ? shape[0] / columns : shape[shape.size() - 2];
    for (size_t dim = 0; dim + 2 < shape.size(); ++dim)
      count *= shape[dim];
  }

  uint64_t rows, columns, count = 1;

  /// The coordinates of an element, those of the first dimension first.
  std::vector<uint64_t> coordinates(uint64_t plane, uint64_t row,
                                    uint64_t column) const {
    if (shape.size() == 1)
      return {row * columns + column};
    std::vector<uint64_t> result(shape.size());
    result[shape.size() - 1] = column;
    result[shape.size() - 2] = row;
    for (size_t dim = shape.size() - 2; dim-- > 0;) {
      result[dim] = plane % shape[dim];
      plane /= shape[dim];
    }
    return result;
  }

  /// "[2, :, :]", empty where there is one plane alone.
  std::string title(uint64_t plane) const {
    if (shape.size() < 3)
      return "";
    std::string text;
    for (size_t dim = 0; dim + 2 < shape.size(); ++dim)
      text += std::to_string(coordinates(plane, 0, 0)[dim]) + ", ";
    return " [" + text + ":, :]";
  }

  /// What heads count.
  std::string rowName() const {
    return shape.size() == 1 ? "dim0"
                             : "dim" + std::to_string(shape.size() - 2);
  }
  std::string columnName() const {
    return shape.size() == 1 ? "+" : "dim" + std::to_string(shape.size() - 1);
  }
  /// The head of a row: its first element where rows are folded.
  std::string rowHead(uint64_t row) const {
    return std::to_string(shape.size() == 1 ? row * columns : row);
  }

private:
  std::vector<uint64_t> shape;
};

/// Cells that stand for what is left out.
inline Cell leftOutCell() { return {"...", 0, false, Mark::LeftOut}; }

} // namespace tilewright::view

#endif // TILEWRIGHT_LIB_LAYOUTVIEW_PLANES_H
