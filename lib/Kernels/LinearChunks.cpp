// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear attention chunk by chunk. With G the sums of the decays' logarithms in
// a chunk, S the state before it, and products of rows i and j decayed by
// e^(G_i - G_j) (P: of q and k, where i >= j; L: of k and k, where i > j):
//   U  = (I + diag(beta) L)^-1 diag(beta) (V - (K e^G) S)      delta; else U =
//   V O  = (Q e^G) S + P U S' = e^G_last S + (K e^(G_last - G))^T U
// With a low rank, L is of a and b, decays of a end before its token, and
//   U  = (I - L)^-1 ((A e^G) S + L' V),   L' of a and k
//   O  = (Q e^G) S + P V + P' U,          P' of q and b
//   S' = e^G_last S + (K e^(G_last - G))^T V + (B e^(G_last - G))^T U
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

/// What of a chunk is made of its tokens alone.
struct Pairs {
  /// P and P'.
  Value scores, lowScores;
  /// (I + ...)^-1, its columns times beta; and L'.
  Value inverse, lowInner;
};

/// The tokens of a chunk.
class Chunk {
public:
  Chunk(const Part &part, Value start, int64_t size);

  Pairs makePairs() const;
  Pairs loadPairs() const;
  void storePairs(const Pairs &pairs) const;

  /// U, and V in the type of the operands.
  Value correct(const Pairs &pairs, const Value &values,
                const Value &state) const;
  Value result(const Pairs &pairs, const Value &values, const Value &corrected,
               const Value &state) const;
  Value advance(const Value &values, const Value &corrected,
                const Value &state) const;
  Along along() const { return {start, size}; }

private:
  bool isOfChannels() const { return part.p.gate == Gate::Channel; }
  bool isOfRows() const { return part.p.gate != Gate::None && !isOfChannels(); }
  Value zeros(int64_t rows, int64_t columns) const {
    return k.constant(0, ElementType::F32, {rows, columns});
  }
  Value multiply(const Value &a, const Value &b, const Value &sum) const {
    return k.dot(a, b.to(a.type()), sum, part.p.precision);
  }
  Value timesState(const Rows &rows, const Value &state) const;
  Value addTransposed(const Rows &rows, const Value &values,
                      const Value &state) const;
  std::vector<Value> products(const std::vector<Rows> &lefts,
                              const std::vector<Rows> &rights) const;
  std::vector<Value> productsOfChannels(const std::vector<Rows> &lefts,
                                        const std::vector<Rows> &rights) const;
  std::vector<Value> productsByHalves(const std::vector<Rows> &lefts,
                                      const std::vector<Rows> &rights) const;
  /// Of dots whose operands are decayed, in f32.
  Precision precisionOfDecayed() const {
    return queries.tile.type() == ElementType::F32 ? part.p.precision
                                                   : Precision::TF32;
  }
  Value meets(bool isStrict) const;
  void sumDecays();

  const Part &part;
  Reading &k;
  Value start;
  int64_t size;
  Rows queries, keys, a, b;
  /// The logarithm of what the whole chunk decays by: a number, or dimTile.
  Value whole;
};

} // namespace

/// G and its last row.
void Chunk::sumDecays() {
  Value each = part.decays(along()), sums;
  if (part.p.gate == Gate::Head) {
    // Up to the last token: behind it nothing decays.
    Value left = minimum(part.length - start, double(size));
    sums = minimum(k.range(size) + 1.0, left).to(ElementType::F32) * each;
    whole = left.to(ElementType::F32) * each;
  } else {
    sums = k.sumsAlong(each, 0);
    whole = k.reduce(each, 0, Combination::Sum);
  }
  queries.decay = keys.decay = b.decay = sums;
  // The state that `a` reads is not yet decayed by its own token.
  a.decay = sums - each;
}

Chunk::Chunk(const Part &part, Value start, int64_t size)
    : part(part), k(part.k), start(start), size(size) {
  const Parameters &p = part.p;
  queries.tile = part.keyRows(p.q, along());
  keys.tile = part.keyRows(p.k, along());
  if (p.rule == Rule::LowRank) {
    a.tile = part.keyRows(*p.a, along());
    b.tile = part.keyRows(*p.b, along());
    a.isStrict = true;
  }
  if (p.gate != Gate::None)
    sumDecays();
}

//===----------------------------------------------------------------------===//
// Products of rows with rows
//===----------------------------------------------------------------------===//

/// Which rows j a row i meets: size x size.
Value Chunk::meets(bool isStrict) const {
  Value row = k.range(size).expand(1), column = k.range(size).expand(0);
  return isStrict ? column < row : column <= row;
}

/// Row i of a left by row j of a right, decayed, 0 where they do not meet; all
/// lefts by the first right, and so on.
std::vector<Value> Chunk::products(const std::vector<Rows> &lefts,
                                   const std::vector<Rows> &rights) const {
  std::vector<Value> results;
  if (isOfChannels())
    results = productsOfChannels(lefts, rights);
  else
    for (const Rows &right : rights)
      for (const Rows &left : lefts)
        results.push_back(
            multiply(left.tile, right.tile.transpose(), zeros(size, size)));
  size_t index = 0;
  for (const Rows &right : rights)
    for (const Rows &left : lefts) {
      Value &product = results[index++];
      Value inside = meets(left.isStrict);
      if (isOfRows())
        product =
            product *
            exp2(select(inside, left.decay.expand(1) - right.decay.expand(0),
                        -INFINITY));
      else
        product = select(inside, product, 0.0);
    }
  return results;
}

/// How far from the middle of the range powers of 2 may be: products of two are
/// finite where they count, and what they lose to f32's smallest is below a
/// rounding.
static constexpr double largestPower = 100;

std::vector<Value>
Chunk::productsOfChannels(const std::vector<Rows> &lefts,
                          const std::vector<Rows> &rights) const {
  Value middle = (whole * 0.5).expand(0);
  Value far = apply(Unary::Absolute, keys.decay - middle);
  Value farthest =
      k.reduce(k.reduce(far, 1, Combination::Maximum), 0, Combination::Maximum);
  auto together = [&] {
    std::vector<Value> results;
    for (const Rows &right : rights) {
      Value columns =
          right.tile.to(ElementType::F32) * exp2(middle - right.decay);
      for (const Rows &left : lefts)
        results.push_back(k.dot(
            left.tile.to(ElementType::F32) * exp2(left.decay - middle),
            columns.transpose(), zeros(size, size), precisionOfDecayed()));
    }
    return results;
  };
  return k.choose(farthest < largestPower, together,
                  [&] { return productsByHalves(lefts, rights); });
}

/// Of halves of blocks of 2, 4, 8 and so on: rows of the second half meet those
/// of the first with decays from the row between them, of which none grows; and
/// each row itself, without any.
std::vector<Value>
Chunk::productsByHalves(const std::vector<Rows> &lefts,
                        const std::vector<Rows> &rights) const {
  Value row = k.range(size).expand(1), column = k.range(size).expand(0);
  std::vector<Value> carried = {k.integer(1)};
  for (const Rows &right : rights)
    for (const Rows &left : lefts) {
      Value own = k.reduce(left.tile.to(ElementType::F32) *
                               right.tile.to(ElementType::F32),
                           1, Combination::Sum);
      carried.push_back(select(row == column, own.expand(1), 0.0));
    }
  auto level = [&](Value, const std::vector<Value> &carried) {
    Value half = carried[0], block = half * 2.0;
    Value begin = row / block * block;
    Value isSecond = half <= row - begin;
    Value isTogether = column / block == row / block;
    Value between = begin + half - 1.0;
    Value middle = k.gatherRows(keys.decay, between);
    std::vector<Value> next = {block};
    for (const Rows &right : rights) {
      Value factor = exp2(select(
          isSecond, k.constant(-INFINITY, ElementType::F32, middle.shape()),
          middle - right.decay));
      Value columns = right.tile.to(ElementType::F32) * factor;
      for (const Rows &left : lefts) {
        factor = exp2(select(isSecond, left.decay - middle, -INFINITY));
        Value product =
            k.dot(left.tile.to(ElementType::F32) * factor, columns.transpose(),
                  zeros(size, size), precisionOfDecayed());
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

Pairs Chunk::makePairs() const {
  const Parameters &p = part.p;
  // Rounding f32 to tf32 is no coarser than the type that the inverse gets.
  Precision precision = precisionOfDecayed();
  switch (p.rule) {
  case Rule::Add:
    return {products({queries}, {keys})[0], {}, {}, {}};
  case Rule::Delta: {
    Rows strict = keys;
    strict.isStrict = true;
    std::vector<Value> made = products({queries, strict}, {keys});
    Value beta =
        part.valueRows(*p.beta, along(), std::nullopt).to(ElementType::F32);
    Value inverse = k.invertUnitLower(made[1] * beta.expand(1), precision);
    return {made[0], {}, inverse * beta.expand(0), {}};
  }
  case Rule::LowRank: {
    std::vector<Value> made = products({queries, a}, {keys, b});
    return {made[0], made[2], k.invertUnitLower(-made[3], precision), made[1]};
  }
  }
  return {};
}

Pairs Chunk::loadPairs() const {
  const Parameters &p = part.p;
  auto load = [&](const std::optional<unsigned> &tensor) {
    return tensor ? part.loadPairs(*tensor, along(), size) : Value();
  };
  return {load(p.scores), load(p.lowScores), load(p.inverse), load(p.lowInner)};
}

void Chunk::storePairs(const Pairs &pairs) const {
  const Parameters &p = part.p;
  auto store = [&](const std::optional<unsigned> &tensor, const Value &value) {
    if (tensor)
      part.storePairs(*tensor, along(), value);
  };
  store(p.scores, pairs.scores);
  store(p.lowScores, pairs.lowScores);
  store(p.inverse, pairs.inverse);
  store(p.lowInner, pairs.lowInner);
}

//===----------------------------------------------------------------------===//
// With the state
//===----------------------------------------------------------------------===//

/// (rows e^decay) state.
Value Chunk::timesState(const Rows &rows, const Value &state) const {
  Value none = zeros(size, state.shape()[1]);
  ElementType type = rows.tile.type();
  if (isOfChannels())
    return multiply(
        (rows.tile.to(ElementType::F32) * exp2(rows.decay)).to(type), state,
        none);
  Value product = multiply(rows.tile, state, none);
  return isOfRows() ? product * exp2(rows.decay).expand(1) : product;
}

/// state + (rows e^(whole - decay))^T values.
Value Chunk::addTransposed(const Rows &rows, const Value &values,
                           const Value &state) const {
  ElementType type = rows.tile.type();
  if (isOfChannels()) {
    Value left = exp2(whole.expand(0) - rows.decay);
    left = (rows.tile.to(ElementType::F32) * left).to(type);
    return multiply(left.transpose(), values, state);
  }
  if (!isOfRows())
    return multiply(rows.tile.transpose(), values, state);
  Value right =
      values.to(ElementType::F32) * exp2(whole - rows.decay).expand(1);
  return multiply(rows.tile.transpose(), right.to(type), state);
}

Value Chunk::correct(const Pairs &pairs, const Value &values,
                     const Value &state) const {
  const Parameters &p = part.p;
  ElementType type = values.type();
  Value none = zeros(size, state.shape()[1]), right;
  if (p.rule == Rule::Add)
    return values;
  if (p.rule == Rule::Delta)
    right = values.to(ElementType::F32) - timesState(keys, state);
  else
    right = multiply(pairs.lowInner.to(type), values, timesState(a, state));
  return multiply(pairs.inverse.to(type), right.to(type), none).to(type);
}

Value Chunk::result(const Pairs &pairs, const Value &values,
                    const Value &corrected, const Value &state) const {
  ElementType type = values.type();
  Value sum = timesState(queries, state);
  if (part.p.rule != Rule::LowRank)
    return multiply(pairs.scores.to(type), corrected, sum);
  sum = multiply(pairs.scores.to(type), values, sum);
  return multiply(pairs.lowScores.to(type), corrected, sum);
}

Value Chunk::advance(const Value &values, const Value &corrected,
                     const Value &state) const {
  Value next = state;
  if (part.p.gate != Gate::None) {
    Value factor = exp2(whole);
    next = next * (isOfChannels() ? factor.expand(1) : factor);
  }
  if (part.p.rule != Rule::LowRank)
    return addTransposed(keys, corrected, next);
  return addTransposed(b, corrected, addTransposed(keys, values, next));
}

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

void linear::scanChunks(Reading &k, const Parameters &p, const Configuration &c,
                        int64_t valueDim) {
  Columns columns = programColumns(k, p, c, valueDim);
  const Part &part = columns.part;
  Value state = k.forEach(
      k.integer(0), part.length, c.tile[0], {part.initialState(columns.along)},
      [&](Value start, const std::vector<Value> &carried) {
        Chunk chunk(part, start, c.tile[0]);
        Pairs pairs = p.scores ? chunk.loadPairs() : chunk.makePairs();
        Value values = part.valueRows(p.v, chunk.along(), columns.along);
        Value corrected = chunk.correct(pairs, values, carried[0]);
        Value result = chunk.result(pairs, values, corrected, carried[0]);
        part.storeRows(p.out, chunk.along(), columns.along,
                       result * k.number(p.scale));
        return std::vector<Value>{chunk.advance(values, corrected, carried[0])};
      })[0];
  part.storeFinalState(columns.along, state);
}

namespace {

/// A chunk of a packed sequence.
struct Place {
  Value sequence, chunk;
};

} // namespace

/// Of all chunks one behind the other, the one at `place`: as many sequences
/// lie before it as end there or before, and their chunks.
static Place findChunk(Reading &k, const Parameters &p, const Value &place,
                       int64_t chunk) {
  int64_t count = *p.sequences;
  int64_t tile = std::min<int64_t>(ceilPowerOfTwo(count), 1024);
  Tensor offsets = k.tensor(*p.offsets);
  auto bounds = [&](int64_t first, const Value &start) {
    Tensor part = offsets.slice(0, k.integer(first), k.integer(count), 1);
    return k.load(part, {Along(start, tile)}).to(ElementType::I32);
  };
  std::vector<Value> found = k.forEach(
      k.integer(0), k.integer(count), tile,
      {k.integer(0), k.integer(0), k.integer(0)},
      [&](Value start, const std::vector<Value> &carried) {
        // Beyond the last both bounds are 0.
        Value chunks = tilesOf(bounds(1, start) - bounds(0, start), chunk);
        Value ends = k.sumsAlong(chunks, 0) + carried[0];
        Value isBefore = ends <= place;
        Value is = start + k.range(tile) < double(count);
        return std::vector<Value>{
            carried[0] + k.reduce(chunks, 0, Combination::Sum),
            carried[1] + k.reduce((isBefore & is).to(ElementType::I32), 0,
                                  Combination::Sum),
            carried[2] +
                k.reduce(select(isBefore, chunks, 0.0), 0, Combination::Sum)};
      });
  return {found[1], place - found[2]};
}

void linear::prepareChunks(Reading &k, const Parameters &p,
                           const Configuration &c) {
  Value program = k.program(0), heads = k.number(p.valueHeads);
  Value place = program / heads, head = program % heads;
  auto prepare = [&](const Value &sequence, const Value &chunk) {
    Part part(k, p, sequence, head);
    Chunk tokens(part, chunk * double(c.tile[0]), c.tile[0]);
    tokens.storePairs(tokens.makePairs());
  };
  if (!p.sequences) {
    Value chunks = tilesOf(k.number(p.tokens), c.tile[0]);
    return prepare(place / chunks, place % chunks);
  }
  // There are programs for as many chunks as there can be.
  Place found = findChunk(k, p, place, c.tile[0]);
  k.when(found.sequence < double(*p.sequences),
         [&] { prepare(found.sequence, found.chunk); });
}
