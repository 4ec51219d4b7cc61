// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of a picture share. Private to this folder.

#ifndef TILEWRIGHT_LIB_LAYOUTVIEW_PARTS_H
#define TILEWRIGHT_LIB_LAYOUTVIEW_PARTS_H

#include "dialects/Layout/BankTrace.h"
#include "lib/LayoutView/LayoutView.h"

namespace tilewright::view {

/// Which of `count` things are shown; an entry without a value stands for what
/// is left out.
struct Selection {
  Selection(uint64_t count, uint64_t limit, bool full);

  std::vector<std::optional<uint64_t>> shown;
  /// Says what is left out of `what`, e.g. "rows 24 to 55 of 64 are left out";
  /// empty where nothing is.
  std::string note(const std::string &what) const;

private:
  uint64_t count, first, last;
};

/// What an access does in shared memory: the whole of warp 0.
struct AccessReport {
  /// Lines of text.
  std::vector<std::string> facts;
  /// The phase whose cells are marked; none where elements do not move in whole
  /// bytes.
  std::optional<layout::AccessPhase> phase;
};

AccessReport reportAccess(const Subject &subject, const Access &access);

/// Draws those of `count` grids of a view that are shown, by calls of `draw`;
/// the last one says what is left out of `what`.
template <typename Draw>
void drawView(std::vector<Grid> &grids, uint64_t count, const std::string &what,
              const Options &options, Draw draw) {
  size_t first = grids.size();
  Selection selection(count, options.grids, options.full);
  for (std::optional<uint64_t> index : selection.shown)
    if (index)
      grids.push_back(draw(*index));
  grids[first].startsView = true;
  if (std::string note = selection.note(what); !note.empty())
    grids.back().notes.push_back(note);
}

/// log2 of the elements that stand together, consecutive along dimension
/// `dimension`: at most 16 bytes.
struct Run {
  unsigned bits = 0, dimension = 0;
  uint64_t elements() const { return uint64_t(1) << bits; }
};
Run findRun(const Subject &subject);

/// The lines above the grids.
std::vector<std::string> describeLayout(const Subject &subject);

/// The grids of both kinds of layout.
std::vector<Grid> drawRegisters(const Subject &subject, const Options &options);
std::vector<Grid> drawShared(const Subject &subject,
                             const std::optional<layout::AccessPhase> &phase,
                             const Options &options);

/// "3 elements", "1 element".
std::string plural(uint64_t count, const std::string &noun);

/// "(0, 3, 17)" without its parentheses and blanks: "0,3,17".
std::string joinNumbers(const std::vector<uint64_t> &numbers);

} // namespace tilewright::view

#endif // TILEWRIGHT_LIB_LAYOUTVIEW_PARTS_H
