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
// No decay is ever the exponential of a large difference: a token's that
// belongs to a head factors out of dots and multiplies their results where they
// are not masked; one of a channel enters the operands, from the middle of the
// chunk's range both ways, or where that range is too large, half by half.

#include "lib/Kernels/LinearAttention.h"

#include <cmath>

using namespace tilewright;
using namespace tilewright::kernels;
using namespace tilewright::kernels::linear;

//===----------------------------------------------------------------------===//
// A chunk
//===----------------------------------------------------------------------===//

namespace {

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
  Chunk(const Part &part, const Along &rows, const Along &channels);
  /// Adds the products of rows with rows over these channels, decayed: of all
  /// lefts with the first right, and so on. Where rows do not meet they are 0
  /// or not looked at. Fills in what meets the state.
  std::vector<Value> addProducts(const std::vector<Value> &sums,
                                 Prepared &prepared) const;
  /// Fills in what meets the state, where no channel has a decay of its own.
  void makeOperands(Prepared &prepared) const;

private:
  bool isOfChannels() const { return part.p.gate == Gate::Channel; }
  std::vector<Value> productsOfChannels(const std::vector<Value> &sums,
                                        Prepared &prepared) const;
  std::vector<Value> productsByHalves(const std::vector<Value> &sums) const;
  std::vector<Operand *> operandsOf(Prepared &prepared) const;
  void sumDecays();

  const Part &part;
  Reading &k;
  Along along, channels;
  int64_t size;
  Rows queries, keys, a, b;
  /// Which rows meet which.
  std::vector<Rows> lefts, rights;
  /// The logarithm of what the whole chunk decays by: a number, or one for each
  /// channel.
  Value whole;
};

} // namespace

/// G and its last row.
void Chunk::sumDecays() {
  Value each = part.decays(along, channels), sums;
  if (part.p.gate == Gate::Head) {
    // Up to the last token: behind it nothing decays.
    Value left = minimum(part.length - along.start, double(size));
    sums = minimum(k.range(size) + 1.0, left).to(ElementType::F32) * each;
    whole = left.to(ElementType::F32) * each;
  } else {
    sums = k.sumsAlong(each, 0);
    whole = k.reduce(each, 0, Combination::Sum);
  }
  queries.decay = keys.decay = b.decay = sums;
  if (part.p.bonus)
    queries.decay = sums - each;
  // The state that `a` reads is not yet decayed by its own token.
  a.decay = sums - each;
}

Chunk::Chunk(const Part &part, const Along &rows, const Along &channels)
    : part(part), k(part.k), along(rows), channels(channels), size(rows.size) {
  const Parameters &p = part.p;
  auto load = [&](unsigned tensor) {
    return part.keyRows(tensor, along, channels);
  };
  queries.tile = load(p.q);
  keys.tile = load(p.k);
  if (p.rule == Rule::LowRank) {
    a.tile = load(*p.a);
    b.tile = load(*p.b);
  }
  if (p.gate != Gate::None)
    sumDecays();
  lefts = {queries};
  if (p.rule != Rule::Add)
    lefts.push_back(p.rule == Rule::Delta ? keys : a);
  rights = {keys};
  if (p.rule == Rule::LowRank)
    rights.push_back(b);
  // The second left is what U is made of: rows meet only earlier ones.
  lefts.back().isStrict = lefts.size() > 1 || p.bonus;
}

//===----------------------------------------------------------------------===//
// Products of rows with rows
//===----------------------------------------------------------------------===//

/// Which rows j a row i meets: size x size.
static Value meets(Reading &k, int64_t size, bool isStrict) {
  Value row = k.range(size).expand(1), column = k.range(size).expand(0);
  return isStrict ? column < row : column <= row;
}

/// Of what is made of decayed operands, in f32: tf32 is no coarser than inputs
/// of 16 bits.
static Precision precisionOfDecayed(const Part &part) {
  ElementType type = part.k.signature().tensors[part.p.q].type;
  return type == ElementType::F32 ? part.p.precision : Precision::TF32;
}

std::vector<Value> Chunk::addProducts(const std::vector<Value> &sums,
                                      Prepared &prepared) const {
  if (isOfChannels())
    return productsOfChannels(sums, prepared);
  makeOperands(prepared);
  std::vector<Value> results;
  for (const Rows &right : rights)
    for (const Rows &left : lefts) {
      Value product = k.dot(left.tile, right.tile.transpose(),
                            sums[results.size()], part.p.precision);
      if (part.p.gate != Gate::None)
        product =
            product * exp2(select(meets(k, size, left.isStrict),
                                  left.decay.expand(1) - right.decay.expand(0),
                                  -INFINITY));
      results.push_back(product);
    }
  return results;
}

/// How far from the middle of the range powers of 2 may be: products of two are
/// finite where they count, and what they lose to f32's smallest is below a
/// rounding.
static constexpr double largestPower = 100;

/// What meets the state and has decays of channels: Q e^G, and, as the rule has
/// them, K e^G or A e^G; then K e^(G_last - G) and B e^(G_last - G).
std::vector<Operand *> Chunk::operandsOf(Prepared &prepared) const {
  std::vector<Operand *> operands = {&prepared.queries};
  if (part.p.rule != Rule::Add)
    operands.push_back(&prepared.inner);
  operands.push_back(&prepared.keys);
  if (part.p.rule == Rule::LowRank)
    operands.push_back(&prepared.low);
  return operands;
}

/// Exponentials are what there is most of. Since the middle of the range is
/// half of it, the same two of an element serve the products and, times that of
/// the middle, what meets the state.
std::vector<Value> Chunk::productsOfChannels(const std::vector<Value> &sums,
                                             Prepared &prepared) const {
  Value middle = (whole * 0.5).expand(0);
  Value far = apply(Unary::Absolute, keys.decay - middle);
  Value farthest =
      k.reduce(k.reduce(far, 1, Combination::Maximum), 0, Combination::Maximum);
  auto decayed = [&](const Rows &rows, const Value &decay) {
    return rows.tile.to(ElementType::F32) * exp2(decay);
  };
  auto together = [&] {
    std::vector<Value> results, operands, rows;
    Value half = exp2(middle);
    auto addOperand = [&](const Value &tile) {
      operands.push_back((tile * half).to(queries.tile.type()));
    };
    for (const Rows &left : lefts) {
      rows.push_back(decayed(left, left.decay - middle));
      addOperand(rows.back());
    }
    for (const Rows &right : rights) {
      Value columns = decayed(right, middle - right.decay);
      addOperand(columns);
      for (const Value &row : rows)
        results.push_back(k.dot(row, columns.transpose(), sums[results.size()],
                                precisionOfDecayed(part)));
    }
    results.insert(results.end(), operands.begin(), operands.end());
    return results;
  };
  auto byHalves = [&] {
    std::vector<Value> results = productsByHalves(sums);
    for (const Rows &left : lefts)
      results.push_back(decayed(left, left.decay).to(queries.tile.type()));
    for (const Rows &right : rights)
      results.push_back(decayed(right, whole.expand(0) - right.decay)
                            .to(queries.tile.type()));
    return results;
  };
  std::vector<Value> results =
      k.choose(farthest < largestPower, together, byHalves);
  size_t next = sums.size();
  for (Operand *operand : operandsOf(prepared))
    operand->tile = results[next++];
  prepared.factor = exp2(whole);
  results.resize(sums.size());
  return results;
}

/// Of halves of blocks of 2, 4, 8 and so on: rows of the second half meet those
/// of the first with decays from the row between them, of which none grows; and
/// each row itself, without any.
std::vector<Value>
Chunk::productsByHalves(const std::vector<Value> &sums) const {
  Value row = k.range(size).expand(1), column = k.range(size).expand(0);
  Value zeros = k.constant(0, ElementType::F32, {size, size});
  std::vector<Value> carried = {k.integer(1)};
  for (const Rows &right : rights)
    for (const Rows &left : lefts) {
      Value own = k.reduce(left.tile.to(ElementType::F32) *
                               right.tile.to(ElementType::F32),
                           1, Combination::Sum);
      carried.push_back(sums[carried.size() - 1] +
                        select(row == column, own.expand(1), 0.0));
    }
  auto level = [&](Value, const std::vector<Value> &carried) {
    Value half = carried[0], block = half * 2.0;
    Value begin = row / block * block;
    Value isSecond = half <= row - begin;
    Value isTogether = column / block == row / block;
    Value middle = k.gatherRows(keys.decay, begin + half - 1.0);
    Value none = k.constant(-INFINITY, ElementType::F32, middle.shape());
    std::vector<Value> next = {block};
    for (const Rows &right : rights) {
      Value factor = exp2(select(isSecond, none, middle - right.decay));
      Value columns = right.tile.to(ElementType::F32) * factor;
      for (const Rows &left : lefts) {
        factor = exp2(select(isSecond, left.decay - middle, none));
        Value product =
            k.dot(left.tile.to(ElementType::F32) * factor, columns.transpose(),
                  zeros, precisionOfDecayed(part));
        const Value &before = carried[next.size()];
        next.push_back(before + select(isTogether, product, 0.0));
      }
    }
    return next;
  };
  int64_t levels = 0;
  while (size >> (levels + 1))
    ++levels;
  carried = k.forEach(k.integer(0), k.integer(levels), 1, carried, level);
  return {carried.begin() + 1, carried.end()};
}

//===----------------------------------------------------------------------===//
// What is made of the tokens alone
//===----------------------------------------------------------------------===//

/// What Chunk::addProducts() begins with.
static std::vector<Value> noProducts(const Part &part, int64_t size) {
  Rule rule = part.p.rule;
  size_t count = rule == Rule::Add ? 1 : rule == Rule::Delta ? 2 : 4;
  return {count, part.k.constant(0, ElementType::F32, {size, size})};
}

/// sum + a b, by operands of the type that values have; no sum: 0.
static Value multiply(const Part &part, const Value &a, const Value &b,
                      const Value &sum) {
  ElementType type = part.k.signature().tensors[part.p.v].type;
  Value begin =
      sum ? sum
          : part.k.constant(0, ElementType::F32, {a.shape()[0], b.shape()[1]});
  return part.k.dot(a.to(type), b.to(type), begin, part.p.precision);
}

/// Fills in what is made of the products of all channels.
static void finishPairs(const Part &part, const Along &rows,
                        std::vector<Value> products, Prepared &prepared) {
  const Parameters &p = part.p;
  bool isMasked = p.gate == Gate::Head || p.gate == Gate::Token;
  for (size_t index = 0; index < products.size() && !isMasked; ++index)
    products[index] =
        select(meets(part.k, rows.size, /*isStrict=*/index % 2 || p.bonus),
               products[index], 0.0);
  prepared.scores = products[0];
  if (p.bonus) {
    Value row = part.k.range(rows.size);
    prepared.scores = select(row.expand(1) == row.expand(0),
                             part.bonuses(rows).expand(1), products[0]);
  }
  if (p.rule == Rule::Add)
    return;
  Precision precision = precisionOfDecayed(part);
  if (p.rule == Rule::Delta) {
    Value beta = part.betas(rows);
    Value inverse =
        part.k.invertUnitLower(products[1] * beta.expand(1), precision);
    prepared.valueWeights = inverse * beta.expand(0);
    if (p.gate == Gate::Channel)
      prepared.innerWeights = -prepared.valueWeights;
    return;
  }
  prepared.lowScores = products[2];
  prepared.innerWeights = part.k.invertUnitLower(-products[3], precision);
  prepared.valueWeights =
      multiply(part, prepared.innerWeights, products[1], Value());
}

/// W, or some channels of it.
static Value makeStateWeights(const Part &part, const Value &innerWeights,
                              const Operand &inner) {
  Value weights = innerWeights;
  if (inner.factor)
    weights = weights * inner.factor.expand(0);
  return multiply(part, weights, inner.tile, Value());
}

/// Rows' decays stay beside them.
void Chunk::makeOperands(Prepared &prepared) const {
  auto decayed = [&](const Rows &rows, const Value &decay) {
    return Operand{rows.tile, decay ? exp2(decay) : Value()};
  };
  prepared.queries = decayed(queries, queries.decay);
  if (part.p.rule == Rule::Delta)
    prepared.inner = decayed(keys, keys.decay);
  if (part.p.gate == Gate::None) {
    prepared.keys = decayed(keys, {});
    return;
  }
  prepared.keys = decayed(keys, whole - keys.decay);
  prepared.factor = exp2(whole);
}

//===----------------------------------------------------------------------===//
// Between the launches
//===----------------------------------------------------------------------===//

namespace {

/// Calls visit(workspace, value, columns) for each that the parameters have of
/// rows.
template <typename Prepared, typename Visit>
void forWorkspaces(const Part &part, int64_t size, const Along &channels,
                   Prepared &prepared, Visit visit) {
  const Parameters &p = part.p;
  Along pairs(part.k.integer(0), size);
  auto given = [&](const std::optional<unsigned> &workspace, auto &value,
                   const Along &columns) {
    if (workspace)
      visit(*workspace, value, columns);
  };
  given(p.scores, prepared.scores, pairs);
  given(p.valueWeights, prepared.valueWeights, pairs);
  given(p.lowScores, prepared.lowScores, pairs);
  given(p.stateWeights, prepared.stateWeights, channels);
  given(p.decayedQueries, prepared.queries.tile, channels);
  given(p.decayedKeys, prepared.keys.tile, channels);
  given(p.decayedLow, prepared.low.tile, channels);
}

} // namespace

/// What there is of it.
static void store(const Part &part, const Along &rows, const Along &channels,
                  const Prepared &prepared) {
  forWorkspaces(
      part, rows.size, channels, prepared,
      [&](unsigned workspace, const Value &value, const Along &columns) {
        if (value)
          part.storePrepared(workspace, rows, columns, value);
      });
  if (part.p.factors && prepared.factor)
    part.storeFactor(rows, channels, prepared.factor);
  if (part.p.decayed && prepared.factor) {
    part.storeRows(*part.p.decayed, rows, prepared.queries.factor);
    part.storeRows(*part.p.remaining, rows, prepared.keys.factor);
  }
}

/// Queries and keys as they are, and what the launch before made of decays.
static void loadOperands(const Part &part, const Along &rows,
                         Prepared &prepared) {
  const Parameters &p = part.p;
  prepared.queries = {part.keyRows(p.q, rows, part.whole()),
                      part.loadRows(*p.decayed, rows)};
  prepared.keys = {part.keyRows(p.k, rows, part.whole()),
                   part.loadRows(*p.remaining, rows)};
  prepared.inner = {prepared.keys.tile, prepared.queries.factor};
  Along first(rows.start);
  prepared.factor =
      part.loadRows(*p.decayed, first) * part.loadRows(*p.remaining, first);
}

/// What is not in workspaces is made.
static Prepared load(const Part &part, const Along &rows) {
  const Parameters &p = part.p;
  Prepared prepared;
  if (p.factors) {
    prepared.factor = part.loadFactor(rows);
  } else if (p.decayed) {
    loadOperands(part, rows, prepared);
  } else {
    Chunk chunk(part, rows, part.whole());
    if (p.scores)
      chunk.makeOperands(prepared);
    else
      finishPairs(part, rows,
                  chunk.addProducts(noProducts(part, rows.size), prepared),
                  prepared);
    if (prepared.innerWeights)
      prepared.stateWeights =
          makeStateWeights(part, prepared.innerWeights, prepared.inner);
  }
  forWorkspaces(part, rows.size, part.whole(), prepared,
                [&](unsigned workspace, Value &value, const Along &columns) {
                  value = part.loadPrepared(workspace, rows, columns);
                });
  return prepared;
}

//===----------------------------------------------------------------------===//
// With the state
//===----------------------------------------------------------------------===//

namespace {

/// A chunk's results, and the state behind it.
class Step {
public:
  Step(const Part &part, const Prepared &prepared, const Value &values,
       const Value &state)
      : part(part), prepared(prepared), values(values), state(state),
        rest(findRest()), seen(read(prepared.queries)), corrected(correct()) {}
  Value result() const;
  Value next() const;

private:
  bool isLowRank() const { return part.p.rule == Rule::LowRank; }
  Value read(const Operand &rows) const;
  Value add(const Operand &rows, const Value &right, const Value &sum) const;
  Value findRest() const;
  Value correct() const;

  const Part &part;
  const Prepared &prepared;
  Value values, state;
  /// V - (K e^G) S, or U itself. The next state waits for it, so that its
  /// product is the first of the chunk.
  Value rest;
  /// (Q e^G) S, for which nothing waits but the result.
  Value seen;
  Value corrected; ///< U, in f32 where it is computed
};

} // namespace

/// factor (rows state).
Value Step::read(const Operand &rows) const {
  Value product = multiply(part, rows.tile, state, Value());
  return rows.factor ? product * rows.factor.expand(1) : product;
}

/// sum + (factor rows)^T right.
Value Step::add(const Operand &rows, const Value &right,
                const Value &sum) const {
  Value decayed = right;
  if (rows.factor)
    decayed = right.to(ElementType::F32) * rows.factor.expand(1);
  return multiply(part, rows.tile.transpose(), decayed, sum);
}

Value Step::findRest() const {
  if (part.p.rule == Rule::Add)
    return values;
  if (!prepared.stateWeights)
    return values.to(ElementType::F32) - read(prepared.inner);
  return multiply(part, prepared.stateWeights, state,
                  multiply(part, prepared.valueWeights, values, Value()));
}

Value Step::correct() const {
  bool isDone = part.p.rule == Rule::Add || prepared.stateWeights;
  return isDone ? rest : multiply(part, prepared.valueWeights, rest, Value());
}

Value Step::result() const {
  if (!isLowRank())
    return multiply(part, prepared.scores, corrected, seen);
  Value sum = multiply(part, prepared.scores, values, seen);
  return multiply(part, prepared.lowScores, corrected, sum);
}

Value Step::next() const {
  Value sum = state;
  if (const Value &factor = prepared.factor)
    sum = sum * (factor.shape().empty() ? factor : factor.expand(1));
  if (!isLowRank())
    return add(prepared.keys, corrected, sum);
  return add(prepared.low, corrected, add(prepared.keys, values, sum));
}

//===----------------------------------------------------------------------===//
// Parts of a sequence
//===----------------------------------------------------------------------===//

namespace {

/// The tokens that a program goes over: whole chunks, to the sequence's end.
struct Stretch {
  Value begin, end;
  /// Which part of the sequence it is; none where that is not cut.
  Value index;
};

} // namespace

static Stretch programStretch(const Part &part, const Configuration &c) {
  Reading &k = part.k;
  if (c.split == 1)
    return {k.integer(0), part.tokens, {}};
  Value index = k.program(1);
  Value size =
      tilesOf(tilesOf(part.tokens, c.tile[0]), c.split) * double(c.tile[0]);
  Value begin = index * size;
  return {begin, minimum(begin + size, part.tokens), index};
}

/// A factor for each row of the state: a number, or one for each channel.
static Value decay(const Value &state, const Value &factor) {
  return state * (factor.shape().empty() ? factor : factor.expand(1));
}

/// The state that a program begins with: what the parts before have added to
/// the initial one.
static Value stateBefore(const Columns &columns, const Stretch &stretch) {
  const Part &part = columns.part;
  Value initial = part.initialState(columns.along);
  if (!stretch.index)
    return initial;
  return part.k.forEach(part.k.integer(0), stretch.index, 1, {initial},
                        [&](Value before, const std::vector<Value> &carried) {
                          Value state = carried[0];
                          if (part.p.partFactors)
                            state = decay(state, part.loadPartFactor(before));
                          return std::vector<Value>{
                              state + part.loadPart(before, columns.along)};
                        })[0];
}

void linear::sumParts(Reading &k, const Parameters &p, const Configuration &c,
                      int64_t valueDim) {
  Columns columns = programColumns(k, p, c, valueDim);
  const Part &part = columns.part;
  Stretch stretch = programStretch(part, c);
  std::vector<Value> begin = {
      k.constant(0, ElementType::F32, {p.dimTile, columns.along.size})};
  Shape channels;
  if (p.gate == Gate::Channel)
    channels.push_back(p.dimTile);
  if (p.partFactors)
    begin.push_back(k.constant(1, ElementType::F32, channels));
  std::vector<Value> sums =
      k.forEach(stretch.begin, stretch.end, c.tile[0], begin,
                [&](Value start, const std::vector<Value> &carried) {
                  Along rows(start, c.tile[0]);
                  Prepared prepared = load(part, rows);
                  Value values = part.values(rows, columns.along);
                  Step step(part, prepared, values, carried[0]);
                  std::vector<Value> next = {step.next()};
                  if (p.partFactors)
                    next.push_back(carried[1] * prepared.factor);
                  return next;
                });
  part.storePart(stretch.index, columns.along, sums[0]);
  if (!p.partFactors)
    return;
  // Programs that have other columns have the same.
  Value ones = k.constant(1, ElementType::F32, {p.dimTile});
  k.when(columns.along.start == 0.0,
         [&] { part.storePartFactor(stretch.index, ones * sums[1]); });
}

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

void linear::scanChunks(Reading &k, const Parameters &p, const Configuration &c,
                        int64_t valueDim) {
  Columns columns = programColumns(k, p, c, valueDim);
  const Part &part = columns.part;
  Stretch stretch = programStretch(part, c);
  Value state = k.forEach(
      stretch.begin, stretch.end, c.tile[0], {stateBefore(columns, stretch)},
      [&](Value start, const std::vector<Value> &carried) {
        Along rows(start, c.tile[0]);
        Prepared prepared = load(part, rows);
        Value values = part.values(rows, columns.along);
        Step step(part, prepared, values, carried[0]);
        // Of the two that wait for nothing the state comes first, which the
        // next chunk waits for. What is corrected before the state takes it
        // makes the result meanwhile: by two warps, 32 x 32 tiles of Gated
        // DeltaNet took 316 us on an H200, and 404 the other way.
        Value next;
        if (p.rule == Rule::Add)
          next = step.next();
        part.storeResult(rows, columns.along, step.result());
        if (p.rule != Rule::Add)
          next = step.next();
        return std::vector<Value>{next};
      })[0];
  if (!stretch.index)
    return part.storeFinalState(columns.along, state);
  k.when(stretch.index == double(c.split - 1),
         [&] { part.storeFinalState(columns.along, state); });
}

/// Over all channels, `few` at a time; what meets the state is stored on the
/// way, and what W is made of in its place. Where they are all at once that is
/// left in `inner`.
static std::vector<Value> addAllProducts(const Part &part, const Along &rows,
                                         int64_t few, Operand &inner) {
  const Parameters &p = part.p;
  auto add = [&](const Along &channels, const std::vector<Value> &sums) {
    Chunk chunk(part, rows, channels);
    Prepared operands;
    std::vector<Value> results = chunk.addProducts(sums, operands);
    inner = operands.inner;
    if (few < p.dimTile)
      operands.stateWeights = inner.tile;
    store(part, rows, channels, operands);
    return results;
  };
  std::vector<Value> none = noProducts(part, rows.size);
  if (few == p.dimTile)
    return add(part.whole(), none);
  return part.k.forEach(part.k.integer(0), part.k.number(p.dim), few, none,
                        [&](Value first, const std::vector<Value> &sums) {
                          return add({first, few}, sums);
                        });
}

/// Stores W, whose place has what it is made of, unless that is given.
static void storeStateWeights(const Part &part, const Along &rows, int64_t few,
                              const Value &innerWeights, const Operand &inner) {
  const Parameters &p = part.p;
  auto storeOf = [&](const Along &channels, const Operand &made) {
    part.storePrepared(*p.stateWeights, rows, channels,
                       makeStateWeights(part, innerWeights, made));
  };
  if (few == p.dimTile)
    return storeOf(part.whole(), inner);
  part.k.forEach(
      part.k.integer(0), part.k.number(p.dim), few, {},
      [&](Value first, const std::vector<Value> &) {
        Along channels(first, few);
        storeOf(channels,
                {part.loadPrepared(*p.stateWeights, rows, channels), {}});
        return std::vector<Value>{};
      });
}

void linear::prepareChunks(Reading &k, const Parameters &p,
                           const Configuration &c, const Preparation &by) {
  Value program = k.program(0), heads = k.number(p.valueHeads);
  Value place = program / heads, head = program % heads;
  auto prepare = [&](const Value &sequence, const Value &chunk) {
    Part part(k, p, sequence, head);
    Along rows(chunk * double(c.tile[0]), c.tile[0]);
    Operand inner;
    std::vector<Value> products =
        addAllProducts(part, rows, by.channels, inner);
    Prepared prepared;
    finishPairs(part, rows, std::move(products), prepared);
    store(part, rows, part.whole(), prepared);
    if (prepared.innerWeights)
      storeStateWeights(part, rows, by.channels, prepared.innerWeights, inner);
  };
  if (!p.sequences) {
    Value chunks = tilesOf(k.number(p.tokens), c.tile[0]);
    return prepare(place / chunks, place % chunks);
  }
  // There are programs for as many chunks as there can be.
  PackedPlace found =
      findPacked(k, k.tensor(*p.offsets), *p.sequences, place, c.tile[0]);
  k.when(found.sequence < double(*p.sequences),
         [&] { prepare(found.sequence, found.tile); });
}
