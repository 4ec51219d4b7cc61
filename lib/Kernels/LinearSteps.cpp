// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear attention token by token, the state in registers; and where the rows
// of a sequence are in memory.

#include "lib/Kernels/LinearAttention.h"

using namespace tilewright;
using namespace tilewright::kernels;
using namespace tilewright::kernels::linear;

//===----------------------------------------------------------------------===//
// A sequence's rows
//===----------------------------------------------------------------------===//

Part::Part(Reading &k, const Parameters &p, Value sequence, Value valueHead)
    : k(k), p(p), sequence(sequence), valueHead(valueHead),
      head(valueHead / double(p.group)) {
  batch = sequence;
  length = k.number(p.tokens);
  if (p.sequences) {
    batch = k.integer(0);
    Tensor offsets = k.tensor(*p.offsets);
    begin = k.load(offsets, {sequence}).to(ElementType::I32);
    length = k.load(offsets, {sequence + 1.0}).to(ElementType::I32) - begin;
    if (p.updates > 1) {
      begin = begin * double(p.updates);
      length = length * double(p.updates);
    }
  }
  tokens = length;
}

void Part::findState() {
  if (!p.slots && !p.accepted)
    return;
  if (p.accepted) {
    Value count = k.load(k.tensor(*p.accepted), {sequence});
    Value column = maximum(count.to(ElementType::I32), 1.0) - 1.0;
    slot = k.load(k.tensor(*p.after),
                  {sequence, minimum(column, k.number(p.drafts) - 1.0)});
  } else {
    slot = k.load(k.tensor(*p.slots), {sequence});
  }
  slot = slot.to(ElementType::I32);
  tokens = select(slot < 0.0, k.integer(0), length);
}

bool Part::isOfTokens(unsigned tensor) const {
  return tensor == p.q || tensor == p.out || tensor == p.decays;
}

Value Part::isUpdate(const Along &rows, int64_t update) const {
  Value row = rows.size ? rows.start + k.range(rows.size) : rows.start;
  return row % double(p.updates) == double(update);
}

Along Part::tokenRows(const Along &rows, int64_t update) const {
  double updates = double(p.updates);
  if (p.updates == 1)
    return rows;
  if (!rows.size)
    return rows.start / updates;
  Value token = (rows.start + k.range(rows.size)) / updates;
  return Along::gathered(select(isUpdate(rows, update), token, length),
                         /*mayExceed=*/true);
}

Tensor Part::rowsOf(unsigned tensor, unsigned dimension) const {
  Tensor rows = k.tensor(tensor);
  if (!p.sequences)
    return rows;
  double updates = double(p.updates);
  if (p.updates > 1 && isOfTokens(tensor))
    return rows.slice(dimension, begin / updates, length / updates);
  return rows.slice(dimension, begin, length);
}

/// 1 / sqrt(sum of squares + 1e-6) of each row, as FLA's l2norm has it.
static Value inverseLengths(const Value &x) {
  Value wide = x.to(ElementType::F32);
  unsigned last = unsigned(x.shape().size()) - 1;
  Value sum = x.reading().reduce(wide * wide, last, Combination::Sum);
  Value factor = apply(Unary::ReciprocalSquareRoot, sum + 1e-6);
  return last ? factor.expand(1) : factor;
}

Value Part::keyRows(unsigned tensor, const Along &rows,
                    const Along &channels) const {
  Along places = tensor == p.q ? tokenRows(rows, p.updates - 1) : rows;
  auto load = [&](const Along &channels) {
    return k.load(rowsOf(tensor, 1), {batch, places, head, channels});
  };
  Value x = load(channels);
  if (!p.normalizes || (tensor != p.q && tensor != p.k))
    return x;
  bool isWhole = channels.size == p.dimTile;
  Value factor = inverseLengths(isWhole ? x : load(whole()));
  return (x.to(ElementType::F32) * factor).to(x.type());
}

Value Part::valueRows(unsigned tensor, const Along &rows,
                      const std::optional<Along> &last) const {
  Box box = {batch, rows, valueHead};
  if (last)
    box.push_back(*last);
  return k.load(rowsOf(tensor, 1), box);
}

/// A sequence without a state still has an address.
Box Part::stateBox(const Value &place, const Along &columns) const {
  return {maximum(place, 0.0), valueHead, whole(), columns};
}

Value Part::initialState(const Along &columns) const {
  if (!p.initial)
    return k.constant(0, ElementType::F32, {p.dimTile, columns.size});
  return k.load(k.tensor(*p.initial), stateBox(slot ? slot : sequence, columns))
      .to(ElementType::F32);
}

void Part::storeState(const Value &slot, const Along &columns,
                      const Value &state) const {
  Tensor to = k.tensor(*p.final);
  k.store(to, stateBox(slot, columns), state.to(to.type));
}

void Part::storeFinalState(const Along &columns, const Value &state) const {
  if (!p.final || p.after)
    return;
  if (!slot)
    return storeState(sequence, columns, state);
  k.when(0.0 <= slot, [&] { storeState(slot, columns, state); });
}

void Part::storeStateAfter(const Value &row, const Along &columns,
                           const Value &state) const {
  if (!p.final || !p.after)
    return;
  Value token = tokenRows(row, p.updates - 1).start;
  Value drafts = k.number(p.drafts);
  Value place =
      k.load(k.tensor(*p.after), {sequence, minimum(token, drafts - 1.0)})
          .to(ElementType::I32);
  place = select(token < drafts, place, -1.0);
  k.when(0.0 <= place, [&] { storeState(place, columns, state); });
}

Value Part::loadPrepared(unsigned tensor, const Along &rows,
                         const Along &columns) const {
  return k.load(rowsOf(tensor, 2), {batch, valueHead, rows, columns});
}

void Part::storePrepared(unsigned tensor, const Along &rows,
                         const Along &columns, const Value &value) const {
  Tensor to = rowsOf(tensor, 2);
  k.store(to, {batch, valueHead, rows, columns}, value.to(to.type));
}

/// A sequence that begins at token b and has n has chunks from b / size + its
/// index on, which end before those of the next: n / size rounded up is at most
/// 1 more than rounded down.
Value Part::loadRows(unsigned tensor, const Along &rows) const {
  return k.load(rowsOf(tensor, 2), {batch, valueHead, rows});
}
void Part::storeRows(unsigned tensor, const Along &rows,
                     const Value &value) const {
  k.store(rowsOf(tensor, 2), {batch, valueHead, rows}, value);
}
Box Part::factorBox(const Along &rows, const Along &channels) const {
  double size = double(rows.size);
  Value chunk = rows.start / size;
  if (p.sequences)
    chunk = chunk + begin / size + sequence;
  return {batch, valueHead, chunk, channels};
}

Value Part::loadFactor(const Along &rows) const {
  return k.load(k.tensor(*p.factors), factorBox(rows, whole()));
}

void Part::storeFactor(const Along &rows, const Along &channels,
                       const Value &value) const {
  k.store(k.tensor(*p.factors), factorBox(rows, channels), value);
}

Value Part::loadPart(const Value &index, const Along &columns) const {
  return k.load(k.tensor(*p.partStates),
                {sequence, valueHead, index, whole(), columns});
}
void Part::storePart(const Value &index, const Along &columns,
                     const Value &state) const {
  k.store(k.tensor(*p.partStates),
          {sequence, valueHead, index, whole(), columns}, state);
}
Value Part::loadPartFactor(const Value &index) const {
  return k.load(k.tensor(*p.partFactors),
                {sequence, valueHead, index, whole()});
}
void Part::storePartFactor(const Value &index, const Value &factor) const {
  k.store(k.tensor(*p.partFactors), {sequence, valueHead, index, whole()},
          factor);
}

Columns linear::programColumns(Reading &k, const Parameters &p,
                               const Configuration &c, int64_t valueDim) {
  double blocks = double(ceilDivide(valueDim, c.tile[1]));
  Value program = k.program(0), rest = program / blocks;
  Value heads = k.number(p.valueHeads);
  Part part(k, p, rest / heads, rest % heads);
  part.findState();
  return {part, {program % blocks * double(c.tile[1]), c.tile[1]}};
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

namespace {

/// A token's numbers, f32, as columns beside the state's rows or as rows.
class Token {
public:
  Token(const Columns &columns, const Value &index)
      : part(columns.part), columns(columns), index(index) {}

  Value key(unsigned tensor) const {
    return part.keyRows(tensor, index, part.whole())
        .to(ElementType::F32)
        .expand(1);
  }
  Value values() const {
    return part.values(index, columns.along).to(ElementType::F32);
  }
  /// The state with the token's decay.
  Value decay(const Value &state) const {
    if (part.p.gate == Gate::None)
      return state;
    Value factor = exp2(part.decays(index, part.whole()));
    return state * (factor.shape().empty() ? factor : factor.expand(1));
  }
  /// What the token's query reads: `next` is the state with what the token did
  /// to it.
  Value result(const Value &state, const Value &next) const;
  /// The state with what the token does to it.
  Value advance(const Value &state) const;
  /// What the token's last update leaves.
  void store(const Value &result, const Value &next) const;

private:
  const Part &part;
  const Columns &columns;
  Value index;
};

} // namespace

/// state^T x.
static Value read(const Value &state, const Value &column) {
  return state.reading().reduce(state * column, 0, Combination::Sum);
}

Value Token::advance(const Value &state) const {
  const Parameters &p = part.p;
  Value next = decay(state), added = values(), column = key(p.k);
  if (p.rule == Rule::Delta) {
    added = (added - read(next, column)) * part.betas(index);
  }
  if (p.rule == Rule::LowRank)
    next = next + key(*p.b) * read(state, key(*p.a)).expand(0);
  return next + column * added.expand(0);
}

Value Token::result(const Value &state, const Value &next) const {
  Value query = key(part.p.q);
  if (!part.p.bonus)
    return read(next, query);
  return read(state, query) + values() * part.bonuses(index);
}

void Token::store(const Value &result, const Value &next) const {
  auto storeBoth = [&] {
    part.storeResult(index, columns.along, result);
    part.storeStateAfter(index, columns.along, next);
  };
  if (part.p.updates == 1)
    return storeBoth();
  part.k.when(part.isUpdate(index, part.p.updates - 1), storeBoth);
}

void linear::steps(Reading &k, const Parameters &p, const Configuration &c,
                   int64_t valueDim) {
  Columns columns = programColumns(k, p, c, valueDim);
  const Part &part = columns.part;
  Value state = k.forEach(k.integer(0), part.tokens, 1,
                          {part.initialState(columns.along)},
                          [&](Value index, const std::vector<Value> &carried) {
                            Token token(columns, index);
                            Value next = token.advance(carried[0]);
                            token.store(token.result(carried[0], next), next);
                            return std::vector<Value>{next};
                          })[0];
  part.storeFinalState(columns.along, state);
}
