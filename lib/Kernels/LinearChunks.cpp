// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a chunk's own tokens make.
//
// No decay is ever the exponential of a large difference: a token's that
// belongs to a head factors out of dots and multiplies their results where they
// are not masked; one of a channel enters the operands, from the middle of the
// chunk's range both ways, or where that range is too large, half by half.

#include "lib/Kernels/LinearChunks.h"

#include <cmath>

using namespace tilewright;
using namespace tilewright::kernels;
using namespace tilewright::kernels::linear;

//===----------------------------------------------------------------------===//
// A chunk
//===----------------------------------------------------------------------===//

/// G and its last row.
void Chunk::sumDecays(const Value &before) {
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
  if (before) {
    sums = sums + before;
    whole = whole + before;
  }
  queries.decay = keys.decay = b.decay = sums;
  if (part.p.bonus)
    queries.decay = sums - each;
  // The state that `a` reads is not yet decayed by its own token.
  a.decay = sums - each;
}

Chunk::Chunk(const Part &part, const Along &rows, const Along &channels,
             const Value &before)
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
    sumDecays(before);
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

Precision linear::precisionOfDecayed(const Part &part) {
  ElementType type = part.k.signature().tensors[part.p.q].type;
  return type == ElementType::F32 ? part.p.precision : Precision::TF32;
}

std::vector<Value> Chunk::addProducts(const std::vector<Value> &sums,
                                      Prepared &prepared) const {
  if (isOfChannels())
    return productsOfChannels(sums, prepared, /*consume=*/{});
  makeOperands(prepared, whole);
  return productsWith(*this, sums);
}

std::vector<Value> Chunk::addProducts(const std::vector<Value> &sums,
                                      const Consumer &consume) const {
  Prepared none;
  return productsOfChannels(sums, none, consume);
}

std::vector<Value> Chunk::productsWith(const Chunk &block,
                                       const std::vector<Value> &sums) const {
  std::vector<Value> results;
  for (const Rows &right : block.rights)
    for (const Rows &left : lefts) {
      Value product = k.dot(left.tile, right.tile.transpose(),
                            sums[results.size()], part.p.precision);
      if (part.p.gate != Gate::None) {
        Value decay = left.decay.expand(1) - right.decay.expand(0);
        if (&block == this)
          decay = select(meets(k, size, left.isStrict), decay, -INFINITY);
        product = product * exp2(decay);
      }
      results.push_back(product);
    }
  return results;
}

/// What meets the state and has decays of channels: Q e^G, and, as the rule has
/// them, K e^G or A e^G; then K e^(G_last - G) and B e^(G_last - G).
void Chunk::fill(Prepared &prepared, const std::vector<Value> &tiles) const {
  std::vector<Operand *> operands = {&prepared.queries};
  if (part.p.rule != Rule::Add)
    operands.push_back(&prepared.inner);
  operands.push_back(&prepared.keys);
  if (part.p.rule == Rule::LowRank)
    operands.push_back(&prepared.low);
  for (size_t i = 0; i < operands.size(); ++i)
    operands[i]->tile = tiles[i];
  prepared.factor = exp2(whole);
}

/// How far from the middle of the range powers of 2 may be: products of two are
/// finite where they count, and what they lose to f32's smallest is below a
/// rounding.
static constexpr double largestPower = 100;

/// Exponentials are what there is most of. Since the middle of the range is
/// half of it, the same two of an element serve the products and, times that of
/// the middle, what meets the state.
std::vector<Value> Chunk::productsOfChannels(const std::vector<Value> &sums,
                                             Prepared &prepared,
                                             const Consumer &consume) const {
  Value middle = (whole * 0.5).expand(0);
  Value far = apply(Unary::Absolute, keys.decay - middle);
  Value farthest =
      k.reduce(k.reduce(far, 1, Combination::Maximum), 0, Combination::Maximum);
  auto decayed = [&](const Rows &rows, const Value &decay) {
    return rows.tile.to(ElementType::F32) * exp2(decay);
  };
  auto withOperands = [&](std::vector<Value> results,
                          const std::vector<Value> &operands) {
    if (!consume) {
      results.insert(results.end(), operands.begin(), operands.end());
      return results;
    }
    Prepared made;
    fill(made, operands);
    consume(made);
    return results;
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
    return withOperands(std::move(results), operands);
  };
  auto byHalves = [&] {
    std::vector<Value> results = productsByHalves(sums), operands;
    for (const Rows &left : lefts)
      operands.push_back(decayed(left, left.decay).to(queries.tile.type()));
    for (const Rows &right : rights)
      operands.push_back(decayed(right, whole.expand(0) - right.decay)
                             .to(queries.tile.type()));
    return withOperands(std::move(results), operands);
  };
  std::vector<Value> results =
      k.choose(farthest < largestPower, together, byHalves);
  if (!consume)
    fill(prepared, {results.begin() + sums.size(), results.end()});
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

std::vector<Value> linear::noProducts(const Part &part, int64_t size) {
  Rule rule = part.p.rule;
  size_t count = rule == Rule::Add ? 1 : rule == Rule::Delta ? 2 : 4;
  return {count, part.k.constant(0, ElementType::F32, {size, size})};
}

Value linear::multiply(const Part &part, const Value &a, const Value &b,
                       const Value &sum) {
  ElementType type = part.k.signature().tensors[part.p.v].type;
  Value begin =
      sum ? sum
          : part.k.constant(0, ElementType::F32, {a.shape()[0], b.shape()[1]});
  return part.k.dot(a.to(type), b.to(type), begin, part.p.precision);
}

void linear::finishPairs(const Part &part, const Along &rows,
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

Value linear::makeStateWeights(const Part &part, const Value &innerWeights,
                               const Operand &inner) {
  Value weights = innerWeights;
  if (inner.factor)
    weights = weights * inner.factor.expand(0);
  return multiply(part, weights, inner.tile, Value());
}

/// Rows' decays stay beside them.
void Chunk::makeOperands(Prepared &prepared, const Value &all) const {
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
  prepared.keys = decayed(keys, all - keys.decay);
  prepared.factor = exp2(all);
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

void linear::store(const Part &part, const Along &rows, const Along &channels,
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

Prepared linear::load(const Part &part, const Along &rows) {
  const Parameters &p = part.p;
  Prepared prepared;
  if (p.factors) {
    prepared.factor = part.loadFactor(rows);
  } else if (p.decayed) {
    loadOperands(part, rows, prepared);
  } else {
    Chunk chunk(part, rows, part.whole());
    if (p.scores)
      chunk.makeOperands(prepared, chunk.decayUntilEnd());
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
