// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/LayoutView/LayoutView.h"

#include "lib/LayoutView/Parts.h"

namespace tilewright::view {

Selection::Selection(uint64_t count, uint64_t limit, bool full) : count(count) {
  bool all = full || count <= limit;
  first = all ? count : limit - limit / 4;
  last = all ? count : count - limit / 4;
  for (uint64_t i = 0; i < first; ++i)
    shown.push_back(i);
  if (all)
    return;
  shown.push_back(std::nullopt);
  for (uint64_t i = last; i < count; ++i)
    shown.push_back(i);
}

std::string Selection::note(const std::string &what) const {
  if (first == count)
    return "";
  return what + " " + std::to_string(first) + " to " +
         std::to_string(last - 1) + " of " + std::to_string(count) +
         " are left out; --full shows all";
}

std::string plural(uint64_t count, const std::string &noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string joinNumbers(const std::vector<uint64_t> &numbers) {
  std::string result;
  for (uint64_t number : numbers)
    result += (result.empty() ? "" : ",") + std::to_string(number);
  return result;
}

/// One entry for each colour that the picture has.
static std::vector<LegendEntry> makeLegend(const Subject &subject,
                                           const std::vector<Grid> &grids) {
  bool usesColor[colorCount] = {};
  bool usesMark[static_cast<size_t>(Mark::Outside) + 1] = {};
  for (const Grid &grid : grids)
    for (const std::vector<Cell> &row : grid.cells)
      for (const Cell &cell : row) {
        usesMark[static_cast<size_t>(cell.mark)] = true;
        if (cell.mark < Mark::Gap)
          usesColor[cell.color] = true;
      }
  std::vector<LegendEntry> legend;
  uint64_t warps = uint64_t(1) << subject.map.inputBits(layout::Axis::Warp);
  for (unsigned color = 0; color < colorCount; ++color) {
    if (!usesColor[color])
      continue;
    std::string number = std::to_string(color);
    std::string meaning =
        subject.isShared()
            ? "banks " + std::to_string(4 * color) + " to " +
                  std::to_string(4 * color + 3)
            : "warp " + number + (warps > colorCount ? ", and so on by 8" : "");
    legend.push_back({{"", color, false, Mark::None}, meaning});
  }
  auto add = [&](Mark mark, const char *meaning) {
    if (usesMark[static_cast<size_t>(mark)])
      legend.push_back({{"", 0, true, mark}, meaning});
  };
  add(Mark::Copy, "a copy of what an earlier place holds");
  add(Mark::Accessed, "touched by the phase that is shown");
  add(Mark::Conflict,
      "touched by it, in a bank that has to serve several words");
  add(Mark::Gap, "padding");
  return legend;
}

Picture drawLayout(const Subject &subject, const std::optional<Access> &access,
                   const Options &options) {
  Picture picture;
  std::string shape;
  for (uint64_t size : subject.shape)
    shape += (shape.empty() ? "" : " x ") + std::to_string(size);
  picture.title = subject.name + " of " + shape + " elements of " +
                  plural(subject.elementBits, "bit");
  picture.facts = describeLayout(subject);
  std::optional<layout::AccessPhase> phase;
  if (access) {
    AccessReport report = reportAccess(subject, *access);
    picture.facts.insert(picture.facts.end(), report.facts.begin(),
                         report.facts.end());
    phase = std::move(report.phase);
  }
  picture.grids = subject.isShared() ? drawShared(subject, phase, options)
                                     : drawRegisters(subject, options);
  picture.legend = makeLegend(subject, picture.grids);
  return picture;
}

} // namespace tilewright::view
