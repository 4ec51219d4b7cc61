// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/BankTrace.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <set>

namespace tilewright::layout {

namespace {

/// The distinct words of each bank.
std::array<unsigned, sharedBanks> countWords(const AccessPhase &phase) {
  std::set<uint64_t> words;
  for (const LaneAccess &lane : phase.lanes)
    for (uint64_t byte = 0; byte < phase.bytes; ++byte)
      words.insert((lane.address + byte) / sharedBankBytes);
  std::array<unsigned, sharedBanks> counts = {};
  for (uint64_t word : words)
    ++counts[word % sharedBanks];
  return counts;
}

/// Adds the phases of one instruction: 128 bytes of lanes at a time.
void addPhases(BankTrace &trace, unsigned instruction, unsigned lanes,
               std::span<const uint64_t> addresses) {
  size_t together = std::min<size_t>(lanes, sharedBanks * sharedBankBytes /
                                                trace.vectorBytes);
  for (size_t first = 0; first < lanes; first += together) {
    AccessPhase &phase = trace.phases.emplace_back(
        AccessPhase{instruction, trace.vectorBytes, {}});
    for (size_t lane = first; lane < first + together; ++lane)
      phase.lanes.push_back({static_cast<unsigned>(lane), addresses[lane]});
  }
}

/// The byte addresses of `lanes` lanes, given the offsets of a map with the
/// inputs register, lane, warp.
std::vector<uint64_t> addressesOf(const LinearLayout &offsets,
                                  const Padding &padding, unsigned elementBits,
                                  unsigned registerIndex, unsigned lanes,
                                  unsigned warp) {
  std::vector<uint64_t> result;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const AxisValue at[] = {{Axis::Register, registerIndex},
                            {Axis::Lane, lane},
                            {Axis::Warp, warp}};
    uint64_t offset = offsets.apply(at)[0].value;
    result.push_back(padding.apply(offset) * elementBits / 8);
  }
  return result;
}

} // namespace

unsigned AccessPhase::wavefronts() const {
  auto counts = countWords(*this);
  return *std::max_element(counts.begin(), counts.end());
}

std::vector<unsigned> AccessPhase::conflictingBanks() const {
  std::vector<unsigned> banks;
  auto counts = countWords(*this);
  for (unsigned bank = 0; bank < sharedBanks; ++bank)
    if (counts[bank] > 1)
      banks.push_back(bank);
  return banks;
}

bool AccessPhase::touches(uint64_t address) const {
  for (const LaneAccess &lane : lanes)
    if (address >= lane.address && address < lane.address + bytes)
      return true;
  return false;
}

unsigned BankTrace::wavefronts() const {
  unsigned total = 0;
  for (const AccessPhase &phase : phases)
    total += phase.wavefronts();
  return total;
}

const AccessPhase &BankTrace::worstPhase() const {
  return *std::max_element(phases.begin(), phases.end(),
                           [](const AccessPhase &a, const AccessPhase &b) {
                             return a.wavefronts() < b.wavefronts();
                           });
}

BankTrace traceAccess(const LinearLayout &registers, const LinearLayout &shared,
                      const Padding &padding, unsigned elementBits,
                      unsigned warp) {
  unsigned widest = log2Exact(128 / elementBits);
  VectorAccess access = accessVector(registers, shared, elementBits,
                                     elementBits << padding.runBits(widest));
  LinearLayout offsets = registers.compose(*shared.invert());
  unsigned lanes = 1u << registers.inputBits(Axis::Lane);
  BankTrace trace = {
      access.vectorElements * elementBits / 8, access.instructions(), {}};
  for (unsigned i = 0; i < access.instructions(); ++i)
    addPhases(trace, i, lanes,
              addressesOf(offsets, padding, elementBits,
                          access.order[i * access.vectorElements], lanes,
                          warp));
  return trace;
}

std::optional<BankTrace> traceMatrices(const MatrixAccess &access,
                                       const Padding &padding,
                                       unsigned elementBits, unsigned warp) {
  constexpr unsigned rowBytes = 16;
  unsigned rowBits = log2Exact(rowBytes * 8 / elementBits);
  if (padding.runBits(rowBits) < rowBits)
    return std::nullopt;
  BankTrace trace = {rowBytes, access.instructions(), {}};
  for (unsigned i = 0; i < access.instructions(); ++i)
    addPhases(trace, i, 8 * access.matrices,
              addressesOf(access.address, padding, elementBits, i,
                          8 * access.matrices, warp));
  return trace;
}

/// Wavefronts of one warp; none where the padding breaks rows apart.
static std::optional<unsigned> countWavefronts(const MatrixAccess &access,
                                               const Padding &padding,
                                               unsigned elementBits) {
  if (padding.empty())
    return wavefronts(access, elementBits);
  std::optional<BankTrace> trace = traceMatrices(access, padding, elementBits);
  if (!trace)
    return std::nullopt;
  return trace->wavefronts();
}

std::optional<MatrixAccess> findCheaperMatrices(const LinearLayout &registers,
                                                const LinearLayout &shared,
                                                const Padding &padding,
                                                unsigned elementBits,
                                                unsigned price) {
  std::optional<MatrixAccess> best;
  for (bool transposed : {false, true}) {
    std::optional<MatrixAccess> access =
        matchLdMatrix(registers, shared, elementBits, transposed);
    if (!access)
      continue;
    std::optional<unsigned> served =
        countWavefronts(*access, padding, elementBits);
    if (!served || access->instructions() + *served >= price)
      continue;
    price = access->instructions() + *served;
    best = std::move(access);
  }
  return best;
}

} // namespace tilewright::layout
