// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pictures as SVG: text, rectangles and three patterns; no script, no link, no
// font that must be there.

#include "lib/LayoutView/LayoutView.h"

#include <algorithm>

namespace tilewright::view {

namespace {

// In pixels. Text is fixed-width: a character of 11 px is at most 7 px wide.
constexpr unsigned characterWidth = 7, lineHeight = 18, cellHeight = 20,
                   margin = 16, gridGap = 28, widestFlow = 1800;

// Tints on which dark text has a contrast of at least 7 to 1; hues that people
// who see few colours can tell apart by lightness too.
constexpr const char *plainTints[colorCount] = {"#9cc4f2", "#f7b267", "#8fd6a5",
                                                "#f4a6bb", "#c3aeee", "#ecd94f",
                                                "#7fd3d8", "#cdb79e"};
constexpr const char *lightTints[colorCount] = {"#cfe2f9", "#fbdab5", "#c9ecd3",
                                                "#fad4de", "#e2d8f7", "#f6edab",
                                                "#c1eaed", "#e7dccf"};

std::string number(uint64_t value) { return std::to_string(value); }

std::string escape(const std::string &text) {
  std::string result;
  for (char character : text)
    switch (character) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += character;
    }
  return result;
}

/// Lines of at most `width` characters, broken at blanks; the next ones are
/// indented.
std::vector<std::string> wrap(const std::string &text, size_t width) {
  std::vector<std::string> lines;
  std::string rest = text;
  while (rest.size() > width) {
    size_t at = rest.rfind(' ', width);
    if (at == std::string::npos || at < width / 2)
      at = width;
    lines.push_back(rest.substr(0, at));
    size_t next = rest.find_first_not_of(' ', at);
    rest = next == std::string::npos ? "" : "    " + rest.substr(next);
  }
  if (!rest.empty() || lines.empty())
    lines.push_back(rest);
  return lines;
}

class Writer {
public:
  std::string body;

  void text(unsigned x, unsigned y, const char *kind,
            const std::string &value) {
    body += "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" class=\"" +
            kind + "\">" + escape(value) + "</text>\n";
  }

  /// A cell with its text, `width` wide.
  void cell(unsigned x, unsigned y, unsigned width, const Cell &cell) {
    if (cell.mark == Mark::Outside)
      return;
    std::string kind = cell.mark == Mark::Gap       ? "gap"
                       : cell.mark == Mark::LeftOut ? "out"
                                                    : tint(cell);
    rectangle(x, y, width, cellHeight, kind);
    if (cell.mark == Mark::Copy)
      rectangle(x, y, width, cellHeight, "copy");
    // Frames stand within the cell, so that neighbours do not hide them.
    if (cell.mark == Mark::Accessed || cell.mark == Mark::Conflict)
      rectangle(x + 2, y + 2, width - 4, cellHeight - 4,
                cell.mark == Mark::Conflict ? "conflict" : "accessed");
    std::string value = cell.text;
    if (cell.mark == Mark::Conflict)
      value += "!";
    if (cell.mark == Mark::Copy)
      value += "'";
    if (!value.empty())
      text(x + width / 2, y + cellHeight - 6, "c", value);
  }

private:
  static std::string tint(const Cell &cell) {
    return (cell.isLight ? "l" : "p") + number(cell.color);
  }
  void rectangle(unsigned x, unsigned y, unsigned width, unsigned height,
                 const std::string &kind) {
    body += "<rect x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" +
            number(width) + "\" height=\"" + number(height) + "\" class=\"" +
            kind + "\"/>\n";
  }
};

/// The measures of a grid.
struct GridSize {
  explicit GridSize(const Grid &grid) {
    size_t head = grid.rowName.size() + 3 + grid.columnName.size(), cell = 3;
    for (const std::string &row : grid.rows)
      head = std::max(head, row.size());
    for (const std::string &column : grid.columns)
      cell = std::max(cell, column.size());
    for (const std::vector<Cell> &row : grid.cells)
      for (const Cell &entry : row)
        cell = std::max(cell, entry.text.size() + 1);
    size_t title = grid.title.size();
    for (const std::string &note : grid.notes)
      title = std::max(title, note.size() + 2);
    headWidth = head * characterWidth + 8;
    cellWidth = cell * characterWidth + 6;
    width = std::max<unsigned>(headWidth + cellWidth * grid.columns.size(),
                               title * characterWidth);
    height = 2 * lineHeight + cellHeight * grid.rows.size() +
             lineHeight * grid.notes.size();
  }
  unsigned headWidth, cellWidth, width, height;
};

void writeGrid(Writer &writer, const Grid &grid, unsigned x, unsigned y) {
  GridSize size(grid);
  writer.body += "<g>\n<title>" + escape(grid.title) + "</title>\n";
  writer.text(x, y + 12, "h", grid.title);
  y += lineHeight;
  writer.text(x + size.headWidth - 6, y + 13, "r",
              grid.rowName + " \\ " + grid.columnName);
  for (size_t column = 0; column < grid.columns.size(); ++column)
    writer.text(x + size.headWidth + size.cellWidth * column +
                    size.cellWidth / 2,
                y + 13, "c", grid.columns[column]);
  y += lineHeight;
  for (size_t row = 0; row < grid.rows.size(); ++row, y += cellHeight) {
    writer.text(x + size.headWidth - 6, y + cellHeight - 6, "r",
                grid.rows[row]);
    for (size_t column = 0; column < grid.columns.size(); ++column)
      writer.cell(x + size.headWidth + size.cellWidth * column, y,
                  size.cellWidth, grid.cells[row][column]);
  }
  for (const std::string &note : grid.notes) {
    writer.text(x, y + 13, "t", "(" + note + ")");
    y += lineHeight;
  }
  writer.body += "</g>\n";
}

std::string styles() {
  std::string css =
      "text{font:11px ui-monospace,Menlo,Consolas,'DejaVu Sans "
      "Mono',monospace;fill:#1a1a1a;white-space:pre}\n"
      ".c{text-anchor:middle}.r{text-anchor:end}.h{font-weight:bold}\n"
      "rect{stroke:#5c5c5c;stroke-width:0.5}\n"
      ".page{fill:#ffffff;stroke:none}.gap{fill:#e4e4e4}"
      ".out{fill:#ffffff;stroke:none}\n"
      ".copy{fill:url(#hatch)}\n"
      ".accessed{fill:none;stroke:#1a1a1a;stroke-width:2}\n"
      ".conflict{fill:none;stroke:#b00020;stroke-width:3;"
      "stroke-dasharray:5 2}\n";
  for (unsigned color = 0; color < colorCount; ++color)
    css += ".p" + number(color) + "{fill:" + plainTints[color] + "}.l" +
           number(color) + "{fill:" + lightTints[color] + "}\n";
  return css;
}

/// Writes the lines above the grids; gives where they end.
unsigned writeHead(Writer &writer, const Picture &picture, unsigned width) {
  unsigned y = margin;
  size_t characters = width / characterWidth;
  for (const std::string &line : wrap(picture.title, characters)) {
    writer.text(margin, y + 12, "h", line);
    y += lineHeight;
  }
  for (const std::string &fact : picture.facts)
    for (const std::string &line : wrap(fact, characters)) {
      writer.text(margin, y + 12, "t", line);
      y += lineHeight;
    }
  y += lineHeight / 2;
  unsigned x = margin;
  for (const LegendEntry &entry : picture.legend) {
    unsigned needed = 34 + entry.meaning.size() * characterWidth + 18;
    if (x > margin && x + needed > margin + width) {
      x = margin;
      y += cellHeight + 4;
    }
    writer.cell(x, y, 28, entry.cell);
    writer.text(x + 34, y + cellHeight - 6, "t", entry.meaning);
    x += needed;
  }
  return y + cellHeight + gridGap;
}

/// The width of the grids of one view, from `first` on, side by side.
unsigned viewWidth(const std::vector<Grid> &grids, size_t first) {
  unsigned width = GridSize(grids[first]).width;
  for (size_t i = first + 1; i < grids.size() && !grids[i].startsView; ++i)
    width += gridGap + GridSize(grids[i]).width;
  return width;
}

/// A corner of what has been drawn.
struct Extent {
  unsigned right, bottom;
};

/// Writes the grids side by side while they fit, from the height `y` on. A view
/// that would be torn apart starts a row.
Extent writeGrids(Writer &writer, const std::vector<Grid> &grids, unsigned y) {
  unsigned widest = widestFlow, x = margin, rowHeight = 0;
  for (const Grid &grid : grids)
    widest = std::max(widest, GridSize(grid).width);
  Extent extent = {0, y};
  for (size_t i = 0; i < grids.size(); ++i) {
    GridSize size(grids[i]);
    unsigned needed = grids[i].startsView ? viewWidth(grids, i) : size.width;
    if (x > margin && x + needed > margin + widest) {
      x = margin;
      y += rowHeight + gridGap;
      rowHeight = 0;
    }
    writeGrid(writer, grids[i], x, y);
    rowHeight = std::max(rowHeight, size.height);
    extent = {std::max(extent.right, x + size.width), y + rowHeight};
    x += size.width + gridGap;
  }
  return extent;
}

} // namespace

std::string toSvg(const Picture &picture) {
  unsigned headWidth = 900;
  for (const Grid &grid : picture.grids)
    headWidth = std::max(headWidth, GridSize(grid).width);
  Writer writer;
  unsigned y = writeHead(writer, picture, headWidth);
  Extent extent = writeGrids(writer, picture.grids, y);
  std::string width =
      number(std::max(extent.right, margin + headWidth) + margin);
  std::string height = number(extent.bottom + margin);
  std::string description;
  for (const std::string &fact : picture.facts)
    description += fact + "\n";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
         width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " +
         height +
         "\" role=\"img\" aria-labelledby=\"title description\" "
         "xml:space=\"preserve\">\n<title id=\"title\">" +
         escape(picture.title) + "</title>\n<desc id=\"description\">" +
         escape(description) + "</desc>\n<style>\n" + styles() +
         "</style>\n<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" "
         "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
         "<rect width=\"1\" height=\"6\" fill=\"#5c5c5c\" "
         "fill-opacity=\"0.45\" stroke=\"none\"/></pattern></defs>\n"
         "<rect class=\"page\" width=\"" +
         width + "\" height=\"" + height + "\"/>\n" + writer.body + "</svg>\n";
}

} // namespace tilewright::view
