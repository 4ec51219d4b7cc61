// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear attention over the chunks of a sequence, with the state. What is made
// of a chunk's tokens alone is loaded, or made on the way (LinearChunks.h).

#include "lib/Kernels/LinearChunks.h"

using namespace tilewright;
using namespace tilewright::kernels;
using namespace tilewright::kernels::linear;

//===----------------------------------------------------------------------===//
// A chunk, with the state
//===----------------------------------------------------------------------===//

/// A tile with the state's columns, transposed or not; and back.
static Value orient(const Part &part, const Value &tile) {
  return part.p.isTransposed ? tile.transpose() : tile;
}

/// A number for each row of what is oriented.
static Value expandRows(const Part &part, const Value &numbers) {
  return numbers.expand(part.p.isTransposed ? 0 : 1);
}

/// The state times a factor: a number, or one for each channel.
static Value decay(const Part &part, const Value &state, const Value &factor) {
  return state * (factor.shape().empty() ? factor : expandRows(part, factor));
}

namespace {

/// A chunk's results, and the state behind it. Tiles with the state's columns
/// are oriented.
class Step {
public:
  Step(const Columns &columns, const Along &rows, const Value &state)
      : part(columns.part), prepared(load(part, rows)),
        values(orient(part, part.values(rows, columns.along))), state(state),
        rest(findRest()), seen(read(prepared.queries)), corrected(correct()) {}
  Value result() const;
  Value next() const;
  /// What the chunk adds to the state, added to a sum; where the rule only
  /// adds.
  Value addition(const Value &sum) const {
    return add(prepared.keys, corrected, sum);
  }
  /// What the state decays by: a number, or one for each channel.
  const Value &factor() const { return prepared.factor; }

private:
  bool isLowRank() const { return part.p.rule == Rule::LowRank; }
  Value product(const Value &rows, const Value &right, const Value &sum) const;
  Value scaleRows(const Value &tile, const Value &factors) const;
  Value read(const Operand &rows) const;
  Value add(const Operand &rows, const Value &right, const Value &sum) const;
  Value findRest() const;
  Value correct() const;

  const Part &part;
  const Prepared prepared;
  const Value values, state;
  /// V - (K e^G) S, or U itself. The next state waits for it, so that its
  /// product is the first of the chunk.
  Value rest;
  /// (Q e^G) S, for which nothing waits but the result.
  Value seen;
  Value corrected; ///< U, in f32 where it is computed
};

} // namespace

/// rows right + sum, of which `rows` alone is not oriented.
Value Step::product(const Value &rows, const Value &right,
                    const Value &sum) const {
  return part.p.isTransposed ? multiply(part, right, rows.transpose(), sum)
                             : multiply(part, rows, right, sum);
}

/// Each row of a tile times its factor, where there are any.
Value Step::scaleRows(const Value &tile, const Value &factors) const {
  return factors ? tile.to(ElementType::F32) * expandRows(part, factors) : tile;
}

/// factor (rows state).
Value Step::read(const Operand &rows) const {
  return scaleRows(product(rows.tile, state, Value()), rows.factor);
}

/// sum + (factor rows)^T right.
Value Step::add(const Operand &rows, const Value &right,
                const Value &sum) const {
  return product(rows.tile.transpose(), scaleRows(right, rows.factor), sum);
}

Value Step::findRest() const {
  if (part.p.rule == Rule::Add)
    return values;
  if (!prepared.stateWeights)
    return values.to(ElementType::F32) - read(prepared.inner);
  return product(prepared.stateWeights, state,
                 product(prepared.valueWeights, values, Value()));
}

Value Step::correct() const {
  bool isDone = part.p.rule == Rule::Add || prepared.stateWeights;
  return isDone ? rest : product(prepared.valueWeights, rest, Value());
}

Value Step::result() const {
  if (!isLowRank())
    return product(prepared.scores, corrected, seen);
  Value sum = product(prepared.scores, values, seen);
  return product(prepared.lowScores, corrected, sum);
}

Value Step::next() const {
  Value sum = factor() ? decay(part, state, factor()) : state;
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

static Stretch stretchOf(const Part &part, const Configuration &c,
                         const Value &index) {
  auto [begin, end] = partOf(part.tokens, c.tile[0], c.split, index);
  return {begin, end, index};
}

static Stretch programStretch(const Part &part, const Configuration &c) {
  if (c.split == 1)
    return {part.k.integer(0), part.tokens, {}};
  return stretchOf(part, c, part.k.program(1));
}

/// The state that a program begins with: what the parts before have added to
/// the initial one; or, where a rule corrects, what is behind the last of them.
static Value stateBefore(const Columns &columns, const Stretch &stretch) {
  const Part &part = columns.part;
  Value initial = part.initialState(columns.along);
  if (!stretch.index)
    return initial;
  if (part.p.rule != Rule::Add)
    return part.k.choose(
        stretch.index == 0.0, [&] { return std::vector<Value>{initial}; },
        [&] {
          return std::vector<Value>{
              part.loadPart(stretch.index - 1.0, columns.along)};
        })[0];
  return part.k.forEach(
      part.k.integer(0), stretch.index, 1, {initial},
      [&](Value before, const std::vector<Value> &carried) {
        Value state = carried[0];
        if (part.p.partFactors)
          state = decay(part, state, part.loadPartFactor(before));
        return std::vector<Value>{state + part.loadPart(before, columns.along)};
      })[0];
}

/// What a stretch makes of a state, which is oriented.
static Value advance(const Columns &columns, const Configuration &c,
                     const Stretch &stretch, const Value &begin) {
  return columns.part.k.forEach(
      stretch.begin, stretch.end, c.tile[0], {begin},
      [&](Value start, const std::vector<Value> &carried) {
        Step step(columns, {start, c.tile[0]}, carried[0]);
        return std::vector<Value>{step.next()};
      })[0];
}

/// Where a rule only adds: what each part adds, by programs of its own. They go
/// from the last chunk to the first: what is read last stays in the L2, and
/// scans begin with it. Nor does a product wait for the sum to decay then.
static void storeAdditions(const Columns &columns, const Configuration &c) {
  const Part &part = columns.part;
  Reading &k = part.k;
  Stretch stretch = programStretch(part, c);
  Value none =
      k.constant(0, ElementType::F32, {part.p.dimTile, columns.along.size});
  std::vector<Value> begin = {none};
  Shape channels;
  if (part.p.gate == Gate::Channel)
    channels.push_back(part.p.dimTile);
  if (part.p.partFactors)
    begin.push_back(k.constant(1, ElementType::F32, channels));
  double size = static_cast<double>(c.tile[0]);
  Value last = (stretch.end - stretch.begin - 1.0) / size * size;
  Value ends = stretch.begin + last + stretch.begin;
  std::vector<Value> sums = k.forEach(
      stretch.begin, stretch.end, c.tile[0], begin,
      [&](Value place, const std::vector<Value> &carried) {
        Along rows(ends - place, c.tile[0]);
        Step step(columns, rows, none);
        if (!part.p.partFactors)
          return std::vector<Value>{step.addition(carried[0])};
        // What later chunks have it decay by.
        const Value &later = carried[1];
        Value added = decay(part, step.addition(Value()), later);
        return std::vector<Value>{carried[0] + added, later * step.factor()};
      });
  part.storePart(stretch.index, columns.along, sums[0]);
  if (!part.p.partFactors)
    return;
  // Programs that have other columns have the same.
  Value ones = k.constant(1, ElementType::F32, {part.p.dimTile});
  k.when(columns.along.start == 0.0,
         [&] { part.storePartFactor(stretch.index, ones * sums[1]); });
}

/// Where it corrects: the state behind each part, one after the other. What a
/// part makes of any state is a matrix of dim x dim; a state goes through
/// without the results in less time than with them.
static void storeStates(const Columns &columns, const Configuration &c) {
  const Part &part = columns.part;
  Value initial = orient(part, part.initialState(columns.along));
  part.k.forEach(part.k.integer(0), part.k.integer(c.split - 1), 1, {initial},
                 [&](Value index, const std::vector<Value> &carried) {
                   Value state = advance(columns, c, stretchOf(part, c, index),
                                         carried[0]);
                   part.storePart(index, columns.along, orient(part, state));
                   return std::vector<Value>{state};
                 });
}

void linear::sumParts(Reading &k, const Parameters &p, const Configuration &c,
                      int64_t valueDim) {
  Columns columns = programColumns(k, p, c, valueDim);
  p.rule == Rule::Add ? storeAdditions(columns, c) : storeStates(columns, c);
}

//===----------------------------------------------------------------------===//
// The scan
//===----------------------------------------------------------------------===//

void linear::scanChunks(Reading &k, const Parameters &p, const Configuration &c,
                        int64_t valueDim) {
  Columns columns = programColumns(k, p, c, valueDim);
  const Part &part = columns.part;
  Stretch stretch = programStretch(part, c);
  Value state = k.forEach(stretch.begin, stretch.end, c.tile[0],
                          {orient(part, stateBefore(columns, stretch))},
                          [&](Value start, const std::vector<Value> &carried) {
                            Along rows(start, c.tile[0]);
                            Step step(columns, rows, carried[0]);
                            // Of the two that wait for nothing the state comes
                            // first, which the next chunk waits for. What is
                            // corrected before the state takes it makes the
                            // result meanwhile: by two warps, 32 x 32 tiles of
                            // Gated DeltaNet took 316 us on an H200, and 404
                            // the other way.
                            Value next;
                            if (p.rule == Rule::Add)
                              next = step.next();
                            part.storeResult(rows, columns.along,
                                             orient(part, step.result()));
                            if (p.rule != Rule::Add)
                              next = step.next();
                            return std::vector<Value>{next};
                          })[0];
  state = orient(part, state);
  if (!stretch.index)
    return part.storeFinalState(columns.along, state);
  k.when(stretch.index == double(c.split - 1),
         [&] { part.storeFinalState(columns.along, state); });
}
