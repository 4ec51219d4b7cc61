// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear attention chunk by chunk. With G the sums of the decays' logarithms in
// a chunk, S the state before it, and products of rows i and j decayed by
// e^(G_i - G_j) (P: of q and k, where i >= j; L: of k and k, where i > j):
//   O  = (Q e^G) S + P U
//   S' = e^G_last S + (K e^(G_last - G))^T U
// where U = V if the rule adds, and if it corrects
//   U  = N (V - (K e^G) S),   N = (I + diag(beta) L)^-1 diag(beta)
// or, where K e^G has to be made anyhow, as decays are of channels,
//   U  = N V + W S,           W = -N (K e^G)
// With a low rank, L is of a and b, decays of a end before its token, and
//   U  = N V + W S,   N = (I - L)^-1 L',  W = (I - L)^-1 (A e^G), L' of a and k
//   O  = (Q e^G) S + P V + P' U,          P' of q and b
//   S' = e^G_last S + (K e^(G_last - G))^T V + (B e^(G_last - G))^T U
// N and W are made of the tokens alone.
//
// LinearPreparation.cpp makes what is made of the tokens alone in a launch of
// its own, LinearScan.cpp goes over the chunks with the state.

#ifndef TILEWRIGHT_LIB_KERNELS_LINEARCHUNKS_H
#define TILEWRIGHT_LIB_KERNELS_LINEARCHUNKS_H

#include "lib/Kernels/LinearAttention.h"

#include <functional>

namespace tilewright::kernels::linear {

/// Rows of q, k, a or b, with the logarithm of their decay since the chunk's
/// begin: of each row, or of each element.
struct Rows {
  Value tile;
  Value decay;
  /// Whether a row meets only earlier ones.
  bool isStrict = false;
};

/// Rows that meet the state, and what multiplies each, where that is not in the
/// tile.
struct Operand {
  Value tile;
  Value factor;
};

/// What of a chunk is made of its tokens alone.
struct Prepared {
  /// P and P'.
  Value scores, lowScores;
  /// N, and W where it is made.
  Value valueWeights, stateWeights;
  /// K e^G or A e^G, and what W is made of by it: -N or (I - L)^-1, in f32.
  Operand inner;
  Value innerWeights;
  /// What reads the state for results: Q e^G.
  Operand queries;
  /// What is added to it: K e^(G_last - G), B e^(G_last - G).
  Operand keys, low;
  /// e^G_last: a number, or one for each channel.
  Value factor;
};

/// The tokens of a chunk, or some channels of them.
class Chunk {
public:
  /// `before`: the logarithm of what the rows have decayed by before the first
  /// of them, where they are a later block of a chunk.
  Chunk(const Part &part, const Along &rows, const Along &channels,
        const Value &before = Value());
  /// Adds the products of rows with rows over these channels, decayed: of all
  /// lefts with the first right, and so on. Where rows do not meet they are 0
  /// or not looked at. Fills in what meets the state.
  std::vector<Value> addProducts(const std::vector<Value> &sums,
                                 Prepared &prepared) const;
  using Consumer = std::function<void(const Prepared &)>;
  /// The same of channels that have decays of their own; what meets the state
  /// goes to `consume` where it is made. (There are two ways to make it: what
  /// both yield would be held in registers until their ends.)
  std::vector<Value> addProducts(const std::vector<Value> &sums,
                                 const Consumer &consume) const;
  /// The same, where no channel has a decay of its own, of these lefts with
  /// the rights of a block of the chunk, this or one before.
  std::vector<Value> productsWith(const Chunk &block,
                                  const std::vector<Value> &sums) const;
  /// Fills in what meets the state, where no channel has a decay of its own;
  /// `all`: the logarithm of what the whole chunk decays by.
  void makeOperands(Prepared &prepared, const Value &all) const;
  /// The logarithm of what the state decays by until the rows' end.
  const Value &decayUntilEnd() const { return whole; }
  const Along &rows() const { return along; }

private:
  bool isOfChannels() const { return part.p.gate == Gate::Channel; }
  std::vector<Value> productsOfChannels(const std::vector<Value> &sums,
                                        Prepared &prepared,
                                        const Consumer &consume) const;
  void fill(Prepared &prepared, const std::vector<Value> &tiles) const;
  std::vector<Value> productsByHalves(const std::vector<Value> &sums) const;
  void sumDecays(const Value &before);

  const Part &part;
  Reading &k;
  Along along, channels;
  int64_t size;
  Rows queries, keys, a, b;
  /// Which rows meet which.
  std::vector<Rows> lefts, rights;
  /// The logarithm of what the chunk decays by until its end: a number, or one
  /// for each channel.
  Value whole;
};

/// What Chunk::addProducts() begins with.
std::vector<Value> noProducts(const Part &part, int64_t size);

/// sum + a b, by operands of the type that values have; no sum: 0.
Value multiply(const Part &part, const Value &a, const Value &b,
               const Value &sum);

/// Of what is made of decayed operands, in f32: tf32 is no coarser than inputs
/// of 16 bits.
Precision precisionOfDecayed(const Part &part);

/// Fills in what is made of the products of all channels.
void finishPairs(const Part &part, const Along &rows,
                 std::vector<Value> products, Prepared &prepared);

/// W, or some channels of it.
Value makeStateWeights(const Part &part, const Value &innerWeights,
                       const Operand &inner);

/// Stores what there is of it in the workspaces that the parameters have, for
/// load() in the launch that follows; what is not in workspaces is made there.
void store(const Part &part, const Along &rows, const Along &channels,
           const Prepared &prepared);
Prepared load(const Part &part, const Along &rows);

} // namespace tilewright::kernels::linear

#endif // TILEWRIGHT_LIB_KERNELS_LINEARCHUNKS_H
