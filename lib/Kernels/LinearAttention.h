// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear attention, forward: each head keeps a state S of dim x value_dim,
// which every token decays, corrects, adds to and reads:
//   S_t = decay_t (S_{t-1}) + what the rule adds,   out_t = scale S_t^T q_t
// Decays and weights may come as the layers project them (LinearGates.cpp).
// Two texts compute it. LinearSteps.cpp goes token by token, as the formula
// does: for decoding, and wherever nothing else fits. LinearScan.cpp and
// LinearPreparation.cpp take chunks of tokens, whose products are dots
// (LinearChunks.h; S. Yang et al., "Gated Linear Attention Transformers with
// Hardware-Efficient Training", 2024; "Parallelizing Linear Transformers with
// the Delta Rule over Sequence Length",
// 2024). LinearRecurrence.cpp is the formula again, in float64 and without the
// notation: it judges both.

#ifndef TILEWRIGHT_LIB_KERNELS_LINEARATTENTION_H
#define TILEWRIGHT_LIB_KERNELS_LINEARATTENTION_H

#include "lib/Kernels/Operator.h"
#include "lib/Kernels/Pieces.h"

namespace tilewright::kernels::linear {

/// What a token's decay e^g belongs to.
enum class Gate : uint8_t {
  None,
  Head,    ///< g[head], the same for all tokens
  Token,   ///< g[token, head]
  Channel, ///< g[token, head, dim]: each row of S has its own
};

/// What g, with a bias, says of the logarithm of a decay; `rate` is e^rate of
/// the head, or 1.
enum class GateForm : uint8_t {
  Logarithm,  ///< rate g
  Softplus,   ///< -rate log(1 + e^g)
  Sigmoid,    ///< -1 / (1 + e^(-rate g))
  LogSigmoid, ///< -rate log(1 + e^-g)
};

/// What beta is made of.
enum class BetaForm : uint8_t { Plain, Sigmoid, DoubleSigmoid };

/// What a token does to the decayed state.
enum class Rule : uint8_t {
  Add,     ///< + k v^T
  Delta,   ///< + beta k (v - S^T k)^T
  LowRank, ///< + b (a^T S_{t-1}) + k v^T, where S_{t-1} is not decayed
};

/// Where in the signature things are, and what is written into the kernel.
struct Parameters {
  Gate gate = Gate::None;
  Rule rule = Rule::Add;
  unsigned batch, tokens, heads, valueHeads, dim, valueDim;
  unsigned q, k, v, out, scale;
  std::optional<unsigned> decays, beta, a, b, offsets, initial, final, slots;
  /// Sequences x drafts: which state is that after each token; sequences: how
  /// many tokens of these it is begun behind.
  std::optional<unsigned> after, accepted;
  unsigned drafts = 0;
  /// Of gates: value heads; value heads [x dim]; a number.
  std::optional<unsigned> rate, bias, factor;
  GateForm form = GateForm::Logarithm;
  BetaForm betaForm = BetaForm::Plain;
  /// Whether values are multiplied by log(1 + e^(g + bias)), their step.
  bool weighs = false;
  /// Value heads x dim: what a token's own key is weighed by; its query then
  /// reads the state before the token's decay.
  std::optional<unsigned> bonus;
  /// Value heads: what a token's value is weighed by that its result is added.
  std::optional<unsigned> skip;
  /// Of two launches, what the first one makes of each chunk: tokens x chunk.
  std::optional<unsigned> scores, lowScores, valueWeights;
  /// Where gates are of tokens: tokens; what a token has decayed by since its
  /// chunk's begin, and what it is to decay by until the chunk's end.
  std::optional<unsigned> decayed, remaining;
  /// And where gates are of channels: tokens x dim; chunks x dim.
  std::optional<unsigned> decayedQueries, stateWeights, decayedKeys, decayedLow;
  std::optional<unsigned> factors;
  /// Of sequences that are cut into parts: what a part adds to the state (or,
  /// where a rule corrects, the state behind it), and what the state before it
  /// decays by meanwhile. Sequences x value heads x
  /// parts x dim [x value dim].
  std::optional<unsigned> partStates, partFactors;
  /// Of value heads, how many share a head of q and k.
  int64_t group = 1;
  /// How many rows of k, v and beta each token has, of which `tokens` counts
  /// all: its decay comes before the first of them, its query behind the last.
  int64_t updates = 1;
  /// Sequences that are packed one behind the other, where they are.
  std::optional<int64_t> sequences;
  /// Whether q and k are divided by their lengths.
  bool normalizes = false;
  /// Whether the scan has tiles with the state's columns transposed.
  bool isTransposed = false;
  Precision precision = Precision::Full;
  /// A tile's of dim, which is not cut.
  int64_t dimTile = 16;
};

/// A sequence and a head of it, as programs have them: where their rows are in
/// memory. Tensors are batch x tokens x heads [x last].
class Part {
public:
  /// Of the sequence `sequence`, which begins at an offset where sequences are
  /// packed.
  Part(Reading &k, const Parameters &p, Value sequence, Value valueHead);

  /// Rows of q, k, a or b: one token's, or as many as the box has; with the
  /// length of all channels taken off where asked for.
  Value keyRows(unsigned tensor, const Along &rows,
                const Along &channels) const;
  /// Of tensors that have value heads; `last` is missing of those without.
  Value valueRows(unsigned tensor, const Along &rows,
                  const std::optional<Along> &last) const;
  /// Stores rows of the result: what was read, scaled.
  void storeResult(const Along &rows, const Along &columns,
                   const Value &read) const;
  /// The decays' logarithms to the base 2, f32: 0 for tokens beyond the last,
  /// where they are of tokens; a scalar of a head.
  Value decays(const Along &rows, const Along &channels) const;
  /// What corrections are weighed by, f32.
  Value betas(const Along &rows) const;
  /// What is added to the state.
  Value values(const Along &rows, const Along &columns) const;
  /// Of each row its query times its own key, weighed.
  Value bonuses(const Along &rows) const;
  /// Finds the sequence's state, where a tensor says which it is.
  void findState();
  /// f32; dimTile x `columns`'.
  Value initialState(const Along &columns) const;
  void storeFinalState(const Along &columns, const Value &state) const;
  /// The state after a token's last row, where states are kept of each.
  void storeStateAfter(const Value &row, const Along &columns,
                       const Value &state) const;
  /// Rows of a workspace that is batch x value heads x tokens x columns.
  Value loadPrepared(unsigned tensor, const Along &rows,
                     const Along &columns) const;
  void storePrepared(unsigned tensor, const Along &rows, const Along &columns,
                     const Value &value) const;
  /// Of a workspace that is batch x value heads x tokens; one token's where
  /// rows have no size.
  Value loadRows(unsigned tensor, const Along &rows) const;
  void storeRows(unsigned tensor, const Along &rows, const Value &value) const;
  /// What is one row for a chunk.
  Value loadFactor(const Along &rows) const;
  void storeFactor(const Along &rows, const Along &channels,
                   const Value &value) const;
  /// What the part `index` of the sequence adds to the state, or the state
  /// behind it: dimTile x `columns`'.
  Value loadPart(const Value &index, const Along &columns) const;
  void storePart(const Value &index, const Along &columns,
                 const Value &state) const;
  /// And what it has the state decay by, one for each channel.
  Value loadPartFactor(const Value &index) const;
  void storePartFactor(const Value &index, const Value &factor) const;
  /// Which of the rows are the update `update` of a token.
  Value isUpdate(const Along &rows, int64_t update) const;
  /// All of dim.
  Along whole() const { return {k.integer(0), p.dimTile}; }

  Reading &k;
  const Parameters &p;
  Value length; ///< tokens
  Value tokens; ///< that are gone over: none where a sequence has no state

private:
  /// Whether the tensor has a row for each token, and not for each update.
  bool isOfTokens(unsigned tensor) const;
  /// The rows of such a tensor that stand beside the update `update` of their
  /// tokens; beside others there is none.
  Along tokenRows(const Along &rows, int64_t update) const;
  Tensor rowsOf(unsigned tensor, unsigned dimension) const;
  Value headRow(unsigned tensor, const Along &rows,
                const Along &channels) const;
  Value gateInput(const Along &rows, const Along &channels) const;
  Box stateBox(const Value &place, const Along &columns) const;
  void storeState(const Value &slot, const Along &columns,
                  const Value &state) const;
  Box factorBox(const Along &rows, const Along &channels) const;

  Value sequence, valueHead, head;
  Value batch; ///< in tensors
  Value begin; ///< of a packed sequence
  Value slot;  ///< of the states; below 0: the sequence has none
};

/// The sequence, head and columns of the values that a program has, which goes
/// over all tokens.
struct Columns {
  Part part;
  Along along;
};
Columns programColumns(Reading &k, const Parameters &p, const Configuration &c,
                       int64_t valueDim);

/// Token by token.
void steps(Reading &k, const Parameters &p, const Configuration &c,
           int64_t valueDim);

/// Chunk by chunk; what is made of the tokens of a chunk alone is loaded where
/// the parameters have workspaces for it. Of sequences that the configuration
/// splits, programs of the grid's second dimension have a part each, and begin
/// with what sumParts made of those before.
void scanChunks(Reading &k, const Parameters &p, const Configuration &c,
                int64_t valueDim);
/// What each part of a sequence adds to the state, where a rule only adds; else
/// the state behind it. For all parts but the last.
void sumParts(Reading &k, const Parameters &p, const Configuration &c,
              int64_t valueDim);
/// How prepareChunks goes about a chunk: its warps, and how many rows and
/// channels it has at a time.
struct Preparation {
  unsigned warps;
  int64_t rows, channels;
};
Preparation preparationOf(const Signature &signature, const Parameters &p,
                          int64_t chunk);
/// What is made of the tokens of a chunk alone: a program for each chunk and
/// value head.
void prepareChunks(Reading &k, const Parameters &p, const Configuration &c,
                   const Preparation &by);

/// The formula in float64: fills `out` and the final state.
void recur(const Signature &signature, const Parameters &p,
           NamedArrays &tensors);

} // namespace tilewright::kernels::linear

#endif // TILEWRIGHT_LIB_KERNELS_LINEARATTENTION_H
