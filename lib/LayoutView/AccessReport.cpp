// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an access to shared memory costs, and where its worst phase meets.

#include "dialects/Layout/Packing.h"
#include "lib/LayoutView/Parts.h"

#include <algorithm>

namespace tilewright::view {

using layout::Axis;
using layout::BankTrace;
using layout::LinearLayout;

namespace {

/// Registers and memory in elements of at least a byte.
struct ByteWise {
  LinearLayout registers, shared;
  layout::Padding padding;
  unsigned elementBits;
};

/// Packed elements as bytes; none where those of one byte are not together in
/// both.
std::optional<ByteWise> toBytes(const Subject &subject, const Access &access) {
  if (subject.elementBits >= 8)
    return ByteWise{access.registers, subject.map, subject.padding,
                    subject.elementBits};
  unsigned bits = layout::log2Exact(8 / subject.elementBits);
  std::optional<unsigned> dim = layout::packedDimension(subject.map, bits);
  if (!dim || subject.padding.runBits(bits) < bits)
    return std::nullopt;
  auto shared = layout::packElements(subject.map, Axis::Offset, *dim, bits);
  auto registers =
      layout::packElements(access.registers, Axis::Register, *dim, bits);
  if (!registers)
    return std::nullopt;
  layout::Padding padding = subject.padding;
  for (layout::PaddingStep &step : padding.steps) {
    step.intervalBits -= bits;
    step.gapBits -= bits;
  }
  return ByteWise{*registers, *shared, padding, 8};
}

std::string countWavefronts(const BankTrace &trace) {
  std::string text = plural(trace.wavefronts(), "wavefront");
  if (trace.wavefronts() == trace.wavefrontsAtLeast())
    return text + ", no bank conflicts";
  return text + " where " + std::to_string(trace.wavefrontsAtLeast()) +
         " would do";
}

/// Ascending numbers: "0 to 3, 8 to 11".
std::string listRanges(const std::vector<unsigned> &numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1)
      ++end;
    text += (text.empty() ? "" : ", ") + std::to_string(numbers[i]);
    if (end - i > 1)
      text += " to " + std::to_string(numbers[end - 1]);
    i = end;
  }
  return text;
}

/// The phase whose cells are marked: the first of the worst.
std::string describePhase(const layout::AccessPhase &phase) {
  std::string text = "  shown: instruction " +
                     std::to_string(phase.instruction) + ", lanes " +
                     std::to_string(phase.lanes.front().lane) + " to " +
                     std::to_string(phase.lanes.back().lane) + ": " +
                     plural(phase.wavefronts(), "wavefront");
  std::vector<unsigned> banks = phase.conflictingBanks();
  if (!banks.empty())
    text += std::string(", several words in ") +
            (banks.size() == 1 ? "bank " : "banks ") + listRanges(banks);
  return text;
}

/// The cheapest of the plain and the transposed form, where one fits.
std::string describeMatrices(const char *name, const ByteWise &tile) {
  std::string best;
  unsigned price = 0;
  for (bool transposed : {false, true}) {
    auto access = layout::matchLdMatrix(tile.registers, tile.shared,
                                        tile.elementBits, transposed);
    if (!access)
      continue;
    auto trace = layout::traceMatrices(*access, tile.padding, tile.elementBits);
    if (!trace || (!best.empty() && trace->wavefronts() >= price))
      continue;
    price = trace->wavefronts();
    best = std::string("  as ") + name + ".x" +
           std::to_string(access->matrices) + (transposed ? ".trans" : "") +
           ": " + plural(trace->instructions, "instruction") + ", " +
           countWavefronts(*trace);
  }
  return best;
}

} // namespace

AccessReport reportAccess(const Subject &subject, const Access &access) {
  AccessReport report;
  report.facts.push_back("access by " + access.name + ", one warp:");
  std::optional<ByteWise> tile = toBytes(subject, access);
  if (!tile) {
    report.facts.push_back("  the elements of a byte are not together in a "
                           "thread and in memory: no access moves them");
    return report;
  }
  BankTrace trace = layout::traceAccess(tile->registers, tile->shared,
                                        tile->padding, tile->elementBits);
  report.facts.push_back("  vectors of " + plural(trace.vectorBytes, "byte") +
                         ": " + plural(trace.instructions, "instruction") +
                         ", " + plural(trace.phases.size(), "phase") + ", " +
                         countWavefronts(trace));
  report.facts.push_back(describePhase(trace.worstPhase()));
  for (auto [has, name] : {std::pair(access.ldMatrix, "ldmatrix"),
                           std::pair(access.stMatrix, "stmatrix")})
    if (has)
      if (std::string line = describeMatrices(name, *tile); !line.empty())
        report.facts.push_back(line);
  report.phase = trace.worstPhase();
  return report;
}

} // namespace tilewright::view
