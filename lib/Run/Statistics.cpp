// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The emulator's counts as text and as JSON.

#include "lib/Run/EmulatorDevice.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

using namespace tilewright;
using namespace tilewright::run;
using emulator::InstructionCounts;

namespace {

/// The counts of a source line, or of a kernel.
struct Sum {
  InstructionCounts counts;
  uint64_t matrix = 0, barriers = 0;

  void add(const InstructionStatistics &instruction) {
    counts += instruction.counts;
    if (instruction.name.starts_with("mma.") ||
        instruction.name.starts_with("wgmma.mma_async."))
      matrix += instruction.counts.warps;
    if (instruction.name.starts_with("bar.sync") ||
        instruction.name.starts_with("barrier.sync"))
      barriers += instruction.counts.warps;
  }
};

std::string place(const InstructionStatistics &instruction) {
  if (instruction.file.empty())
    return "(no source)";
  return instruction.file + ":" + std::to_string(instruction.line);
}

/// By file and line, in their order.
std::map<std::pair<std::string, uint32_t>, Sum>
sumByLine(const KernelStatistics &statistics) {
  std::map<std::pair<std::string, uint32_t>, Sum> lines;
  for (const InstructionStatistics &instruction : statistics.instructions)
    if (instruction.counts.warps)
      lines[{instruction.file, instruction.line}].add(instruction);
  return lines;
}

/// `isHopper`: with the counts that only sm_90a's instructions have.
std::string formatRow(const std::string &name, const Sum &sum, bool isHopper) {
  char text[256];
  const InstructionCounts &counts = sum.counts;
  std::snprintf(
      text, sizeof(text),
      "%-40s %12llu %14llu %10llu %10llu %12llu %8llu %8llu\n", name.c_str(),
      (unsigned long long)counts.warps, (unsigned long long)counts.lanes,
      (unsigned long long)counts.wavefronts, (unsigned long long)counts.sectors,
      (unsigned long long)counts.bytes, (unsigned long long)sum.matrix,
      (unsigned long long)sum.barriers);
  if (!isHopper)
    return text;
  char more[64];
  std::snprintf(more, sizeof(more), " %12llu %12llu\n",
                (unsigned long long)counts.bulkBytes,
                (unsigned long long)counts.matrixCycles);
  return std::string(text, std::strlen(text) - 1) + more;
}

std::string quote(std::string_view text) {
  std::string result = "\"";
  for (char letter : text) {
    if (letter == '"' || letter == '\\')
      result += '\\';
    if (static_cast<unsigned char>(letter) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", letter);
      result += escape;
    } else {
      result += letter;
    }
  }
  return result + "\"";
}

std::string formatCounts(const InstructionCounts &counts) {
  return "\"warps\": " + std::to_string(counts.warps) +
         ", \"lanes\": " + std::to_string(counts.lanes) +
         ", \"wavefronts\": " + std::to_string(counts.wavefronts) +
         ", \"sectors\": " + std::to_string(counts.sectors) +
         ", \"bytes\": " + std::to_string(counts.bytes) +
         ", \"bulkBytes\": " + std::to_string(counts.bulkBytes) +
         ", \"matrixCycles\": " + std::to_string(counts.matrixCycles);
}

std::string formatSum(const Sum &sum) {
  return formatCounts(sum.counts) + ", \"mma\": " + std::to_string(sum.matrix) +
         ", \"barriers\": " + std::to_string(sum.barriers);
}

Sum sumAll(const KernelStatistics &statistics) {
  Sum total;
  for (const InstructionStatistics &instruction : statistics.instructions)
    total.add(instruction);
  return total;
}

} // namespace

uint64_t run::countGlobalBytes(const KernelStatistics &statistics) {
  constexpr uint64_t sectorBytes = 32;
  InstructionCounts counts = sumAll(statistics).counts;
  return counts.sectors * sectorBytes + counts.bulkBytes;
}

std::string run::formatStatistics(const KernelStatistics &statistics) {
  char header[256];
  std::snprintf(header, sizeof(header),
                "%-40s %12s %14s %10s %10s %12s %8s %8s\n",
                statistics.kernel.c_str(), "warp instr.", "lanes", "wavefronts",
                "sectors", "bytes", "mma", "barriers");
  std::string text = header;
  Sum total = sumAll(statistics);
  bool isHopper = total.counts.bulkBytes || total.counts.matrixCycles;
  if (isHopper)
    text.replace(text.size() - 1, 1, "   bulk bytes   matrix cyc\n");
  for (const auto &[line, sum] : sumByLine(statistics)) {
    InstructionStatistics where;
    where.file = line.first;
    where.line = line.second;
    text += formatRow(place(where), sum, isHopper);
  }
  return text + formatRow("all", total, isHopper);
}

std::string run::formatStatisticsAsJson(const KernelStatistics &statistics) {
  std::string text = "{\"kernel\": " + quote(statistics.kernel) +
                     ", \"total\": {" + formatSum(sumAll(statistics)) +
                     "}, \"lines\": [";
  const char *separator = "\n";
  for (const auto &[line, sum] : sumByLine(statistics)) {
    text += separator + ("  {\"file\": " + quote(line.first)) +
            ", \"line\": " + std::to_string(line.second) + ", " +
            formatSum(sum) + "}";
    separator = ",\n";
  }
  text += "], \"instructions\": [";
  separator = "\n";
  for (const InstructionStatistics &instruction : statistics.instructions) {
    if (!instruction.counts.warps)
      continue;
    text += separator + ("  {\"name\": " + quote(instruction.name)) +
            ", \"ptxLine\": " + std::to_string(instruction.ptxLine) + ", " +
            formatCounts(instruction.counts) + "}";
    separator = ",\n";
  }
  return text + "]}\n";
}

Result<std::bitset<emulator::numChecks>>
run::parseChecks(std::string_view text) {
  std::bitset<emulator::numChecks> checks;
  // Leaving out comes from all.
  if (text.starts_with("-"))
    checks.set();
  while (!text.empty()) {
    size_t comma = std::min(text.find(','), text.size());
    std::string_view name = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    bool isOn = !name.starts_with("-");
    if (!isOn)
      name.remove_prefix(1);
    if (name == "all" || name == "none") {
      checks = isOn == (name == "all") ? checks.set() : checks.reset();
      continue;
    }
    unsigned found = 0;
    while (found < emulator::numChecks &&
           name != emulator::checkName(static_cast<emulator::Check>(found)))
      ++found;
    if (found == emulator::numChecks) {
      std::string known;
      for (unsigned i = 0; i < emulator::numChecks; ++i)
        known += std::string(", ") +
                 emulator::checkName(static_cast<emulator::Check>(i));
      return runtime::Error{runtime::ErrorCode::InvalidArgument,
                            "expects all, none" + known + ", but got '" +
                                std::string(name) + "'"};
    }
    checks[found] = isOn;
  }
  return checks;
}
