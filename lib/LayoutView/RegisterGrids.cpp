// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The views of a layout in registers.

#include "lib/LayoutView/Parts.h"
#include "lib/LayoutView/Planes.h"

namespace tilewright::view {

using layout::Axis;
using layout::AxisValue;
using layout::LinearLayout;

namespace {

std::vector<std::string> headsOf(const Selection &selection,
                                 const std::string &prefix = "") {
  std::vector<std::string> heads;
  for (std::optional<uint64_t> index : selection.shown)
    heads.push_back(index ? prefix + std::to_string(*index) : "...");
  return heads;
}

void addNotes(Grid &grid, const Selection &rows, const std::string &rowsName,
              const Selection &columns, const std::string &columnsName) {
  for (std::string note : {rows.note(rowsName), columns.note(columnsName)})
    if (!note.empty())
      grid.notes.push_back(note);
}

/// The view of the tensor: warp, lane and register of each element.
class TensorView {
public:
  TensorView(const Subject &subject, const Options &options)
      : planes(subject.shape), places(*subject.map.rightInverse()),
        rows(planes.rows, options.rows, options.full),
        columns(planes.columns, options.columns, options.full) {}

  Grid draw(uint64_t plane) const {
    Grid grid;
    grid.title = "tensor view" + planes.title(plane) +
                 ": warp:lane:register of each element";
    grid.rowName = planes.rowName();
    grid.columnName = planes.columnName();
    grid.columns = headsOf(columns);
    for (std::optional<uint64_t> row : rows.shown) {
      grid.rows.push_back(row ? planes.rowHead(*row) : "...");
      std::vector<Cell> &line = grid.cells.emplace_back();
      for (std::optional<uint64_t> column : columns.shown)
        line.push_back(row && column ? drawCell(plane, *row, *column)
                                     : leftOutCell());
    }
    addNotes(grid, rows, "rows", columns, "columns");
    return grid;
  }

  Planes planes;

private:
  Cell drawCell(uint64_t plane, uint64_t row, uint64_t column) const {
    std::vector<AxisValue> at;
    for (uint64_t value : planes.coordinates(plane, row, column))
      at.push_back({Axis::coordinate(at.size()), value});
    uint64_t place[3] = {};
    for (const AxisValue &value : places.apply(at))
      place[value.axis == Axis::Warp   ? 0
            : value.axis == Axis::Lane ? 1
                                       : 2] = value.value;
    return {std::to_string(place[0]) + ":" + std::to_string(place[1]) + ":" +
                std::to_string(place[2]),
            unsigned(place[0] % colorCount), place[1] % 2 != 0, Mark::None};
  }

  LinearLayout places;
  Selection rows, columns;
};

/// The view of the hardware: the coordinates in each register of a warp.
Grid drawWarp(const Subject &subject, const Options &options, uint64_t warp) {
  const LinearLayout &map = subject.map;
  Selection lanes(uint64_t(1) << map.inputBits(Axis::Lane), options.rows,
                  options.full);
  Selection registers(uint64_t(1) << map.inputBits(Axis::Register),
                      options.columns, options.full);
  uint64_t copied[] = {map.redundantBits(Axis::Register),
                       map.redundantBits(Axis::Lane),
                       map.redundantBits(Axis::Warp)};
  Grid grid;
  grid.title = "hardware view, warp " + std::to_string(warp) +
               ": coordinates in each register of each lane";
  grid.rowName = "lane";
  grid.columnName = "register";
  grid.columns = headsOf(registers);
  grid.rows = headsOf(lanes);
  for (std::optional<uint64_t> lane : lanes.shown) {
    std::vector<Cell> &line = grid.cells.emplace_back();
    for (std::optional<uint64_t> index : registers.shown) {
      if (!lane || !index) {
        line.push_back(leftOutCell());
        continue;
      }
      const AxisValue at[] = {
          {Axis::Register, *index}, {Axis::Lane, *lane}, {Axis::Warp, warp}};
      std::vector<uint64_t> coordinates;
      for (const AxisValue &value : map.apply(at))
        coordinates.push_back(value.value);
      bool isCopy = *index & copied[0] || *lane & copied[1] || warp & copied[2];
      line.push_back({joinNumbers(coordinates), unsigned(warp % colorCount),
                      *lane % 2 != 0, isCopy ? Mark::Copy : Mark::None});
    }
  }
  addNotes(grid, lanes, "lanes", registers, "registers");
  return grid;
}

} // namespace

std::vector<Grid> drawRegisters(const Subject &subject,
                                const Options &options) {
  std::vector<Grid> grids;
  if (options.tensorView) {
    TensorView view(subject, options);
    drawView(grids, view.planes.count, "slices", options,
             [&](uint64_t plane) { return view.draw(plane); });
  }
  if (options.hardwareView)
    drawView(grids, uint64_t(1) << subject.map.inputBits(Axis::Warp), "warps",
             options,
             [&](uint64_t warp) { return drawWarp(subject, options, warp); });
  return grids;
}

} // namespace tilewright::view
