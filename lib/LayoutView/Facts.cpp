// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a layout's map says in words: its bases, its copies, its runs.

#include "lib/LayoutView/Parts.h"

#include <algorithm>

namespace tilewright::view {

using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;

Run findRun(const Subject &subject) {
  unsigned rank = subject.shape.size();
  unsigned widest = layout::log2Exact(128 / subject.elementBits);
  Run best;
  best.dimension = rank - 1;
  // The last two dimensions are those of the planes that are drawn.
  for (unsigned dim = rank > 1 ? rank - 2 : 0; dim < rank; ++dim) {
    unsigned bits = std::min(
        subject.map.contiguousBits(Axis::Offset, Axis::coordinate(dim)),
        subject.padding.runBits(widest));
    if (bits > best.bits)
      best = {bits, dim};
  }
  return best;
}

/// "  lane     = [[0, 2], [1, 0]]", as encodings write bases.
static std::string writeBases(const LinearLayout &map, Axis axis) {
  std::string line = "  " + axis.name();
  line.resize(11, ' ');
  line += "= [";
  for (unsigned bit = 0; bit < map.inputBits(axis); ++bit) {
    line += bit ? ", [" : "[";
    for (const AxisBits &output : map.outputs())
      line += (output.axis.dimension() ? ", " : "") +
              std::to_string(map.basis(axis, bit, output.axis));
    line += "]";
  }
  return line + "]";
}

/// The set bits of a mask: "bits 0, 3".
static std::string listBits(uint64_t mask) {
  std::vector<uint64_t> bits;
  for (unsigned bit = 0; mask >> bit; ++bit)
    if (mask >> bit & 1)
      bits.push_back(bit);
  std::string list = joinNumbers(bits);
  for (size_t at = 0; (at = list.find(',', at)) != std::string::npos; at += 2)
    list.replace(at, 1, ", ");
  return (bits.size() == 1 ? "bit " : "bits ") + list;
}

static uint64_t countOf(const LinearLayout &map, Axis axis) {
  return uint64_t(1) << map.inputBits(axis);
}

/// Who holds copies.
static std::string describeCopies(const LinearLayout &map) {
  uint64_t copies = uint64_t(1)
                    << (map.totalInputBits() - map.totalOutputBits());
  if (copies == 1)
    return "every element is in one place";
  std::string who;
  for (Axis axis : {Axis::Register, Axis::Lane, Axis::Warp})
    if (uint64_t mask = map.redundantBits(axis))
      who += (who.empty() ? "" : "; ") + axis.name() + " " + listBits(mask);
  return "every element is in " + std::to_string(copies) +
         " places (copies: " + who + ")";
}

/// The longest run of consecutive elements in a thread's registers.
static std::string describeVector(const Subject &subject) {
  unsigned best = 0, dim = 0;
  for (unsigned d = 0; d < subject.shape.size(); ++d) {
    unsigned bits =
        subject.map.contiguousBits(Axis::Register, Axis::coordinate(d));
    if (bits > best)
      best = bits, dim = d;
  }
  if (best == 0)
    return "";
  return "consecutive registers of a thread: " +
         plural(uint64_t(1) << best, "element") + " along dim" +
         std::to_string(dim) + " (" +
         std::to_string((uint64_t(1) << best) * subject.elementBits) + " bits)";
}

static void describeRegisters(const Subject &subject,
                              std::vector<std::string> &facts) {
  const LinearLayout &map = subject.map;
  facts.push_back(
      "map (register, lane, warp) -> coordinates, one basis a bit:");
  for (Axis axis : {Axis::Register, Axis::Lane, Axis::Warp})
    facts.push_back(writeBases(map, axis));
  facts.push_back(plural(countOf(map, Axis::Register), "register") + " x " +
                  plural(countOf(map, Axis::Lane), "lane") + " x " +
                  plural(countOf(map, Axis::Warp), "warp") + "; " +
                  describeCopies(map));
  if (std::string vector = describeVector(subject); !vector.empty())
    facts.push_back(vector);
  unsigned packed = 32 / subject.elementBits;
  if (packed > 1)
    facts.push_back("a 32-bit register has " + plural(packed, "element") +
                    ", the first in its low bits");
}

static void describeShared(const Subject &subject,
                           std::vector<std::string> &facts) {
  facts.push_back("map offset -> coordinates, one basis a bit:");
  facts.push_back(writeBases(subject.map, Axis::Offset));
  uint64_t count = countOf(subject.map, Axis::Offset);
  uint64_t bytes = (count * subject.elementBits + 7) / 8;
  uint64_t taken = (subject.padding.size(count) * subject.elementBits + 7) / 8;
  for (layout::PaddingStep step : subject.padding.steps)
    facts.push_back("gaps: " + plural(uint64_t(1) << step.gapBits, "element") +
                    " after every " +
                    std::to_string(uint64_t(1) << step.intervalBits));
  facts.push_back(plural(count, "element") + " in " + plural(taken, "byte") +
                  (taken > bytes
                       ? ", " + std::to_string(taken - bytes) + " of them gaps"
                       : ""));
  Run run = findRun(subject);
  if (run.bits)
    facts.push_back("runs of " + plural(run.elements(), "element") +
                    " along dim" + std::to_string(run.dimension) +
                    " stand together: one cell each, named by the first");
  if (subject.elementBits < 8)
    facts.push_back("a byte has " + plural(8 / subject.elementBits, "element") +
                    ", the first in its low bits");
}

std::vector<std::string> describeLayout(const Subject &subject) {
  std::vector<std::string> facts;
  if (subject.isShared())
    describeShared(subject, facts);
  else
    describeRegisters(subject, facts);
  facts.insert(facts.end(), subject.remarks.begin(), subject.remarks.end());
  return facts;
}

} // namespace tilewright::view
