// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The views of a layout in shared memory. A cell is a run of elements that
// stand together (findRun).

#include "lib/LayoutView/Parts.h"
#include "lib/LayoutView/Planes.h"

#include <cstdio>

namespace tilewright::view {

using layout::AccessPhase;
using layout::Axis;
using layout::AxisValue;
using layout::LinearLayout;
using layout::sharedBankBytes;
using layout::sharedBanks;

namespace {

constexpr uint64_t lineBytes = uint64_t(sharedBanks) * sharedBankBytes;

class SharedView {
public:
  SharedView(const Subject &subject, const std::optional<AccessPhase> &phase,
             const Options &options)
      : planes(subject.shape), subject(subject), options(options),
        run(findRun(subject)), offsets(*subject.map.invert()), phase(phase) {
    if (phase)
      for (unsigned bank : phase->conflictingBanks())
        conflicts |= uint64_t(1) << bank;
  }

  Grid drawPlane(uint64_t plane) const;
  Grid drawMemory() const;

  Planes planes;

private:
  /// The place (in elements) of the run with these coordinates.
  uint64_t placeOf(const std::vector<uint64_t> &coordinates) const {
    std::vector<AxisValue> at;
    for (uint64_t value : coordinates)
      at.push_back({Axis::coordinate(at.size()), value});
    return subject.padding.apply(offsets.apply(at)[0].value);
  }
  /// Colour and mark of the run at `place`.
  Cell startCell(uint64_t place) const;
  Mark markOf(uint64_t place) const;
  /// The coordinates of the run at `offset`, a range in the run's dimension.
  std::string nameRun(uint64_t offset) const;
  /// "128" or, where several elements share a byte, "128.4".
  std::string nameByte(uint64_t place) const;
  /// The places of memory: the offset of the run that starts at each of them,
  /// or none where there is padding.
  std::vector<std::optional<uint64_t>> listPlaces() const;

  const Subject &subject;
  const Options &options;
  Run run;
  LinearLayout offsets;
  std::optional<AccessPhase> phase;
  uint64_t conflicts = 0;
};

std::string SharedView::nameByte(uint64_t place) const {
  uint64_t bit = place * subject.elementBits;
  std::string name = std::to_string(bit / 8);
  return run.elements() * subject.elementBits < 8
             ? name + "." + std::to_string(bit % 8)
             : name;
}

std::string SharedView::nameRun(uint64_t offset) const {
  const AxisValue at[] = {{Axis::Offset, offset}};
  std::string name;
  for (const AxisValue &value : subject.map.apply(at)) {
    name += (name.empty() ? "" : ",") + std::to_string(value.value);
    if (run.bits && value.axis == Axis::coordinate(run.dimension))
      name += ":" + std::to_string(value.value + run.elements() - 1);
  }
  return name;
}

Mark SharedView::markOf(uint64_t place) const {
  if (!phase)
    return Mark::None;
  Mark mark = Mark::None;
  uint64_t begin = place * subject.elementBits / 8;
  uint64_t end = ((place + run.elements()) * subject.elementBits + 7) / 8;
  for (uint64_t byte = begin; byte < end; ++byte) {
    if (!phase->touches(byte))
      continue;
    if (conflicts >> (byte / sharedBankBytes % sharedBanks) & 1)
      return Mark::Conflict;
    mark = Mark::Accessed;
  }
  return mark;
}

Cell SharedView::startCell(uint64_t place) const {
  uint64_t byte = place * subject.elementBits / 8;
  return {"", unsigned(byte % lineBytes / 16), byte / lineBytes % 2 != 0,
          markOf(place)};
}

std::vector<std::optional<uint64_t>> SharedView::listPlaces() const {
  uint64_t count = uint64_t(1) << subject.map.inputBits(Axis::Offset);
  std::vector<std::optional<uint64_t>> places(subject.padding.size(count) /
                                              run.elements());
  for (uint64_t offset = 0; offset < count; offset += run.elements())
    places[subject.padding.apply(offset) / run.elements()] = offset;
  return places;
}

/// Heads of runs: "8:15".
std::vector<std::string> headsOf(const Selection &selection, uint64_t length) {
  std::vector<std::string> heads;
  for (std::optional<uint64_t> index : selection.shown) {
    std::string head = "...";
    if (index) {
      head = std::to_string(*index * length);
      if (length > 1)
        head += ":" + std::to_string(*index * length + length - 1);
    }
    heads.push_back(head);
  }
  return heads;
}

Grid SharedView::drawPlane(uint64_t plane) const {
  bool alongRows = subject.shape.size() > 1 && run.bits &&
                   run.dimension + 2 == subject.shape.size();
  uint64_t height = alongRows ? run.elements() : 1;
  uint64_t width = alongRows ? 1 : run.elements();
  Selection rows(planes.rows / height, options.rows, options.full);
  Selection columns(planes.columns / width, options.columns, options.full);
  Grid grid;
  grid.title = "tensor view" + planes.title(plane) + ": byte/bank of each " +
               (run.bits ? "run" : "element");
  grid.rowName = planes.rowName();
  grid.columnName = planes.columnName();
  grid.columns = headsOf(columns, width);
  grid.rows = headsOf(rows, height);
  for (size_t i = 0; i < rows.shown.size(); ++i) {
    std::optional<uint64_t> row = rows.shown[i];
    if (row && height == 1)
      grid.rows[i] = planes.rowHead(*row);
    std::vector<Cell> &line = grid.cells.emplace_back();
    for (std::optional<uint64_t> column : columns.shown) {
      if (!row || !column) {
        line.push_back(leftOutCell());
        continue;
      }
      uint64_t place =
          placeOf(planes.coordinates(plane, *row * height, *column * width));
      Cell cell = startCell(place);
      uint64_t byte = place * subject.elementBits / 8;
      cell.text = nameByte(place) + "/" +
                  std::to_string(byte / sharedBankBytes % sharedBanks);
      line.push_back(std::move(cell));
    }
  }
  for (std::string note : {rows.note(height > 1 ? "runs of rows" : "rows"),
                           columns.note(width > 1 ? "runs" : "columns")})
    if (!note.empty())
      grid.notes.push_back(note);
  return grid;
}

Grid SharedView::drawMemory() const {
  std::vector<std::optional<uint64_t>> places = listPlaces();
  uint64_t lineRuns = lineBytes * 8 / subject.elementBits / run.elements();
  uint64_t perLine = std::min<uint64_t>(lineRuns, places.size());
  Selection rows((places.size() + perLine - 1) / perLine, options.rows,
                 options.full);
  Selection columns(perLine, options.columns, options.full);
  Grid grid;
  grid.title = "hardware view: coordinates in lines of 128 bytes, 32 banks";
  grid.rowName = "byte";
  grid.columnName = "bank";
  for (std::optional<uint64_t> column : columns.shown) {
    uint64_t bit = column ? *column * run.elements() * subject.elementBits : 0;
    grid.columns.push_back(column ? std::to_string(bit / 8 / sharedBankBytes)
                                  : "...");
  }
  for (std::optional<uint64_t> row : rows.shown) {
    char head[24] = "...";
    if (row)
      std::snprintf(head, sizeof(head), "0x%04llx",
                    static_cast<unsigned long long>(*row * lineBytes));
    grid.rows.push_back(head);
    std::vector<Cell> &line = grid.cells.emplace_back();
    for (std::optional<uint64_t> column : columns.shown) {
      uint64_t index = row && column ? *row * perLine + *column : 0;
      if (!row || !column) {
        line.push_back(leftOutCell());
      } else if (index >= places.size()) {
        line.push_back({"", 0, false, Mark::Outside});
      } else if (!places[index]) {
        line.push_back({"--", 0, false, Mark::Gap});
      } else {
        Cell cell = startCell(index * run.elements());
        cell.text = nameRun(*places[index]);
        line.push_back(std::move(cell));
      }
    }
  }
  for (std::string note : {rows.note("lines"), columns.note("columns")})
    if (!note.empty())
      grid.notes.push_back(note);
  return grid;
}

} // namespace

std::vector<Grid> drawShared(const Subject &subject,
                             const std::optional<AccessPhase> &phase,
                             const Options &options) {
  SharedView view(subject, phase, options);
  std::vector<Grid> grids;
  if (options.tensorView)
    drawView(grids, view.planes.count, "slices", options,
             [&](uint64_t plane) { return view.drawPlane(plane); });
  if (options.hardwareView)
    drawView(grids, 1, "memory", options,
             [&](uint64_t) { return view.drawMemory(); });
  return grids;
}

} // namespace tilewright::view
