// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An access to shared memory, phase by phase: which lane touches which bytes,
// which banks have to serve several words, and how many wavefronts that costs.
//
// In: a register layout, a shared layout and its padding, the width of an
// element. Out: every phase of one warp. The rule is SharedLayout.h's; there it
// prices placements that have no padding, by one phase for all. Here every
// phase is looked at, for people who want to see them, and since padding makes
// phases differ.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_BANKTRACE_H
#define TILEWRIGHT_DIALECTS_LAYOUT_BANKTRACE_H

#include "dialects/Layout/Padding.h"
#include "dialects/Layout/SharedLayout.h"

namespace tilewright::layout {

/// Shared memory serves this many banks of this many bytes at once.
inline constexpr unsigned sharedBanks = 32, sharedBankBytes = 4;

/// What one lane touches in a phase: `bytes` of them from `address` on.
struct LaneAccess {
  unsigned lane;
  uint64_t address;
};

/// The lanes that are served together.
struct AccessPhase {
  unsigned instruction;
  unsigned bytes;
  std::vector<LaneAccess> lanes;

  /// The most distinct words that any bank has to serve, at least 1.
  unsigned wavefronts() const;
  /// The banks that serve more than one word, ascending.
  std::vector<unsigned> conflictingBanks() const;
  /// Whether some lane touches the byte `address`.
  bool touches(uint64_t address) const;
};

/// An access of one warp.
struct BankTrace {
  /// Bytes of one lane's vector.
  unsigned vectorBytes;
  unsigned instructions;
  std::vector<AccessPhase> phases;

  /// All wavefronts, and how many there are without conflicts.
  unsigned wavefronts() const;
  unsigned wavefrontsAtLeast() const { return phases.size(); }
  /// The first of the phases with most wavefronts.
  const AccessPhase &worstPhase() const;
};

/// The widest vectors that layouts and padding allow, and the access of warp
/// `warp` by them. `elementBits`: 8, 16, 32 or 64.
BankTrace traceAccess(const LinearLayout &registers, const LinearLayout &shared,
                      const Padding &padding, unsigned elementBits,
                      unsigned warp = 0);

/// The same of a series of ldmatrix or stmatrix. None where the padding breaks
/// rows apart.
std::optional<BankTrace> traceMatrices(const MatrixAccess &access,
                                       const Padding &padding,
                                       unsigned elementBits, unsigned warp = 0);

/// The series of ldmatrix or stmatrix, plain or transposed, that moves
/// `registers` with the fewest instructions and wavefronts together, if they
/// are fewer than `price`: what a target with the instruction uses instead of
/// vectors of that price. None where no form fits, or where the padding breaks
/// rows apart.
std::optional<MatrixAccess> findCheaperMatrices(const LinearLayout &registers,
                                                const LinearLayout &shared,
                                                const Padding &padding,
                                                unsigned elementBits,
                                                unsigned price);

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_BANKTRACE_H
