// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures as text.

#include "lib/LayoutView/LayoutView.h"

#include <algorithm>

namespace tilewright::view {

namespace {

std::string cellText(const Cell &cell) {
  switch (cell.mark) {
  case Mark::Copy:
    return cell.text + "'";
  case Mark::Accessed:
    return cell.text + "*";
  case Mark::Conflict:
    return cell.text + "!";
  default:
    return cell.text;
  }
}

std::string padded(const std::string &text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

/// A line without blanks at its end.
void addLine(std::string &out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

void writeGrid(const Grid &grid, std::string &out) {
  out += "\n" + grid.title + "\n";
  std::string corner = grid.rowName + " \\ " + grid.columnName;
  size_t headWidth = corner.size();
  for (const std::string &head : grid.rows)
    headWidth = std::max(headWidth, head.size());
  std::vector<size_t> widths;
  for (size_t column = 0; column < grid.columns.size(); ++column) {
    size_t width = grid.columns[column].size();
    for (const std::vector<Cell> &row : grid.cells)
      width = std::max(width, cellText(row[column]).size());
    widths.push_back(width);
  }
  std::string line = padded(corner, headWidth) + " |";
  for (size_t column = 0; column < widths.size(); ++column)
    line += " " + padded(grid.columns[column], widths[column]);
  addLine(out, line);
  for (size_t row = 0; row < grid.rows.size(); ++row) {
    line = padded(grid.rows[row], headWidth) + " |";
    for (size_t column = 0; column < widths.size(); ++column)
      line += " " + padded(cellText(grid.cells[row][column]), widths[column]);
    addLine(out, line);
  }
  for (const std::string &note : grid.notes)
    out += "(" + note + ")\n";
}

const char *signOf(Mark mark) {
  switch (mark) {
  case Mark::Copy:
    return "'";
  case Mark::Accessed:
    return "*";
  case Mark::Conflict:
    return "!";
  case Mark::Gap:
    return "--";
  default:
    return nullptr;
  }
}

} // namespace

std::string toText(const Picture &picture) {
  std::string out = picture.title + "\n";
  for (const std::string &fact : picture.facts)
    out += fact + "\n";
  for (const LegendEntry &entry : picture.legend)
    if (const char *sign = signOf(entry.cell.mark))
      out += std::string(sign) + "  " + entry.meaning + "\n";
  for (const Grid &grid : picture.grids)
    writeGrid(grid, out);
  return out;
}

} // namespace tilewright::view
