// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures of layouts: which place holds which element, and which element each
// place holds.
//
// In: maps (dialects/Layout) with the names that people gave them. Out: text,
// or SVG, of one picture: facts, and grids in two views. The tensor view is
// drawn over the tensor's elements; the hardware view over the registers of
// lanes and warps, or over the banks of shared memory. It knows no IR and no
// target.

#ifndef TILEWRIGHT_LIB_LAYOUTVIEW_LAYOUTVIEW_H
#define TILEWRIGHT_LIB_LAYOUTVIEW_LAYOUTVIEW_H

#include "dialects/Layout/LinearLayout.h"
#include "dialects/Layout/Padding.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::view {

/// A layout of a tensor.
struct Subject {
  /// The encoding as it was written.
  std::string name;
  /// Powers of two.
  std::vector<uint64_t> shape;
  /// 4, 8, 16, 32 or 64.
  unsigned elementBits;
  /// (register, lane, warp) -> coordinates, surjective; or offset ->
  /// coordinates, a bijection.
  layout::LinearLayout map;
  /// Of shared layouts.
  layout::Padding padding;
  /// More that is known of it, a line each.
  std::vector<std::string> remarks;

  bool isShared() const { return map.hasInput(layout::Axis::Offset); }
};

/// The threads that access a subject in shared memory.
struct Access {
  std::string name;
  /// (register, lane, warp) -> coordinates of the subject's tensor.
  layout::LinearLayout registers;
  /// The target has ldmatrix or stmatrix; they are told where they fit.
  bool ldMatrix = false, stMatrix = false;
};

struct Options {
  bool tensorView = true, hardwareView = true;
  /// Nothing is left out. Otherwise a grid has at most `rows` and `columns`,
  /// and a view at most `grids`: of more, the first three quarters of as many
  /// and the last quarter are shown.
  bool full = false;
  unsigned rows = 32, columns = 16, grids = 4;
};

/// What is special about a cell, beside its text.
enum class Mark : uint8_t {
  None,
  Copy,     ///< holds what an earlier place holds
  Accessed, ///< touched by the phase that is shown
  Conflict, ///< touched by it, and its bank has other words to serve
  Gap,      ///< padding
  LeftOut,  ///< stands for what is not shown
  Outside   ///< past the end: nothing is drawn
};

struct Cell {
  std::string text;
  /// One of `colorCount` colours, plain or light.
  unsigned color = 0;
  bool isLight = false;
  Mark mark = Mark::None;
};

inline constexpr unsigned colorCount = 8;

/// A table of cells with heads.
struct Grid {
  std::string title;
  /// The first grid of the tensor view or of the hardware view.
  bool startsView = false;
  /// What the heads of rows and of columns count.
  std::string rowName, columnName;
  std::vector<std::string> rows, columns;
  std::vector<std::vector<Cell>> cells;
  /// What is left out.
  std::vector<std::string> notes;
};

struct LegendEntry {
  Cell cell;
  std::string meaning;
};

/// Everything that is drawn, in order.
struct Picture {
  std::string title;
  std::vector<std::string> facts;
  std::vector<LegendEntry> legend;
  std::vector<Grid> grids;
};

/// The picture of a layout. `access` where the subject is shared memory and the
/// conflicts of an access to it are asked for.
Picture drawLayout(const Subject &subject, const std::optional<Access> &access,
                   const Options &options);

/// As text in a fixed-width font. Marks stand behind a cell's text: ' of a
/// copy,
/// * of what is accessed, ! of a conflict.
std::string toText(const Picture &picture);

/// As a scalable picture that stands alone. Colours never carry a meaning
/// alone.
std::string toSvg(const Picture &picture);

} // namespace tilewright::view

#endif // TILEWRIGHT_LIB_LAYOUTVIEW_LAYOUTVIEW_H
