// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory seen through layouts: how registers reach a tensor in shared
// memory, at what price, and which placement serves a conversion between two
// register layouts best.
//
// In: register layouts (register, lane, warp) -> coordinates; shared layouts
// offset -> coordinates, bijective, the offset in elements and before any
// padding; the width of an element. Out: vector widths, wavefronts, matrix
// loads, placements. It knows the bank rule and the fragment of `ldmatrix`, and
// no target: whether an instruction exists is the caller's question.
//
// The bank rule, the same from Volta to Hopper: 32 banks of 4 bytes. A warp's
// access of at most 4 bytes per lane is one phase; of 8 bytes, one for each
// half of the warp; of 16 bytes, one for each quarter; two of these are one
// where all lanes share their addresses with their neighbours (one or two lanes
// away). A phase costs as many wavefronts as the bank with most distinct words
// has of them; lanes that name the same word share it. Lanes that take no part
// count nothing.

#ifndef TILEWRIGHT_DIALECTS_LAYOUT_SHAREDLAYOUT_H
#define TILEWRIGHT_DIALECTS_LAYOUT_SHAREDLAYOUT_H

#include "dialects/Layout/LinearLayout.h"

namespace tilewright::layout {

/// How the registers of a thread are accessed as vectors.
struct VectorAccess {
  /// Elements of one vector, a power of two.
  unsigned vectorElements;
  /// Registers in the order of access: each run of `vectorElements` of them is
  /// one vector, at consecutive offsets, the first one aligned to the vector.
  /// Registers that copy another one are left out.
  std::vector<unsigned> order;
  /// For each register the one in `order` that holds the same element: itself,
  /// or the one it copies.
  std::vector<unsigned> representative;

  unsigned instructions() const { return order.size() / vectorElements; }
};

/// The widest vectors, up to `maxBits` (a power of two, at least elementBits),
/// by which threads that hold a tensor as `registers` can access it in
/// `shared`. `elementBits` is 8, 16, 32 or 64.
VectorAccess accessVector(const LinearLayout &registers,
                          const LinearLayout &shared, unsigned elementBits,
                          unsigned maxBits = 128);

/// The byte addresses of a warp's lanes; none of a lane that takes no part.
using LaneStarts = std::vector<std::optional<uint64_t>>;

/// Wavefronts of one instruction, of which each lane accesses `bytes`.
unsigned instructionWavefronts(const LaneStarts &starts, unsigned bytes);

/// Wavefronts of one warp's whole access, all its instructions together, in
/// vectors of `vectorElements` (at most what accessVector allows), counted by
/// the bank rule. Of lanes that hold copies of each other `ownersOnly` lets the
/// lowest alone take part, as in a store.
unsigned wavefronts(const LinearLayout &registers, const LinearLayout &shared,
                    unsigned elementBits, unsigned vectorElements,
                    bool ownersOnly = false);

/// A series of `ldmatrix` (or, the other way, `stmatrix`) of 8x8 matrices of
/// 16-bit elements, each row 16 bytes in shared memory (PTX ISA, "ldmatrix").
struct MatrixAccess {
  bool transposed;
  /// Matrices of one instruction: 1, 2 or 4, which is also its 32-bit
  /// registers.
  unsigned matrices;
  /// Elements of one 32-bit register.
  unsigned wordElements;
  /// Registers in the order that the instructions yield them: `matrices *
  /// wordElements` for each instruction, the lowest element of each 32-bit
  /// register first. Registers that copy another one are left out.
  std::vector<unsigned> order;
  /// As in VectorAccess.
  std::vector<unsigned> representative;
  /// (register, lane, warp) -> offset: where the row starts that a lane
  /// supplies, in elements. `register` is the index of the instruction here;
  /// lane bits 0..2 are the row, bits 3 and 4 the matrix. Lanes past the last
  /// matrix repeat the addresses of earlier ones.
  LinearLayout address;

  unsigned instructions() const {
    return order.size() / (matrices * wordElements);
  }
};

/// Whether threads that want `registers` can get them from `shared` by
/// `ldmatrix`, or by `ldmatrix.trans`, and how. The transposed form moves
/// 16-bit elements only; the other one moves rows of 16 bytes of which lanes
/// receive 32-bit words, so it takes elements of 8, 16 and 32 bits.
std::optional<MatrixAccess> matchLdMatrix(const LinearLayout &registers,
                                          const LinearLayout &shared,
                                          unsigned elementBits,
                                          bool transposed);

/// Wavefronts of one warp's whole series, by the bank rule: eight rows of 16
/// bytes are a phase.
unsigned wavefronts(const MatrixAccess &access, unsigned elementBits);

/// What the target offers to a conversion through shared memory.
struct SharedOptions {
  bool ldMatrix = false;
  bool stMatrix = false;
  /// Elements, a power of two, of the source's lowest registers that stay side
  /// by side: who copies past registers cannot take them apart. 0: every
  /// arrangement will do.
  unsigned copyElements = 0;
};

/// A conversion through shared memory.
struct SharedPlan {
  /// offset -> coordinates, a bijection; the coordinates as in the source.
  LinearLayout shared;
  VectorAccess store, load;
  /// Wavefronts of one warp, as vectors; of warps that hold copies of each
  /// other one stores.
  unsigned storeWavefronts, loadWavefronts;
  /// Set where the target has the instruction, it fits, and it is cheaper than
  /// the vectors.
  std::optional<MatrixAccess> matrixStore, matrixLoad;
  unsigned elementBits;

  /// Wavefronts of one warp, by what is used.
  unsigned countStoreWavefronts() const;
  unsigned countLoadWavefronts() const;
};

/// Plans the placement of a tensor of `elementBits` (8, 16, 32 or 64) that is
/// stored from `source` and loaded as `destination`; both layouts reach every
/// element, and have the same coordinates of the same sizes. Accesses are as
/// wide as the layouts allow and free of bank conflicts wherever both sides can
/// have that at once. Considered are common vectors, wider vectors on one side,
/// and the rows of matrix instructions; instructions plus wavefronts decide.
SharedPlan planShared(const LinearLayout &source,
                      const LinearLayout &destination, unsigned elementBits,
                      SharedOptions options = {});

/// The same with the placement given.
SharedPlan planSharedUnder(const LinearLayout &shared,
                           const LinearLayout &source,
                           const LinearLayout &destination,
                           unsigned elementBits, SharedOptions options = {});

/// Instructions and wavefronts of one warp, stores and loads together.
struct SharedEstimate {
  unsigned accesses, wavefronts;
  /// The stores among them.
  unsigned storeAccesses = 0, storeWavefronts = 0;
};

/// What planShared's plan would take if no access had a bank conflict, at a
/// small part of its time.
SharedEstimate estimateShared(const LinearLayout &source,
                              const LinearLayout &destination,
                              unsigned elementBits, SharedOptions options = {});

} // namespace tilewright::layout

#endif // TILEWRIGHT_DIALECTS_LAYOUT_SHAREDLAYOUT_H
