// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a token the layers around linear attention make before they call it,
// in the same launches: decays of projections, steps, weights of corrections;
// and what of a token goes past the state.

#include "lib/Kernels/LinearAttention.h"

using namespace tilewright;
using namespace tilewright::kernels;
using namespace tilewright::kernels::linear;

/// log2(1 + e^x) of x log2 e. Of large numbers it is the number, and no
/// exponential is too large.
static Value softplusLog2(const Value &y) {
  return maximum(y, 0.0) + log2(exp2(-apply(Unary::Absolute, y)) + 1.0);
}

/// Of a head, or of its channels: one row for all tokens of the box.
Value Part::headRow(unsigned tensor, const Along &rows,
                    const Along &channels) const {
  Box box = {valueHead};
  if (k.signature().tensors[tensor].sizes.size() > 1)
    box.push_back(channels);
  Value row = k.load(k.tensor(tensor), box).to(ElementType::F32);
  return rows.size && !row.shape().empty() ? row.expand(0) : row;
}

/// g + bias, f32.
Value Part::gateInput(const Along &rows, const Along &channels) const {
  std::optional<Along> last;
  if (p.gate == Gate::Channel)
    last = channels;
  Along places = tokenRows(rows, 0);
  Value x = valueRows(*p.decays, places, last).to(ElementType::F32);
  return p.bias ? x + headRow(*p.bias, rows, channels) : x;
}

/// What a gate says, of x log2 e; the logarithm to the base 2.
static Value applyForm(GateForm form, const Value &y, const Value &rate) {
  auto times = [&](const Value &x) { return rate ? x * rate : x; };
  switch (form) {
  case GateForm::Logarithm:
    return times(y);
  case GateForm::Softplus:
    return -times(softplusLog2(y));
  case GateForm::LogSigmoid:
    return -times(softplusLog2(-y));
  case GateForm::Sigmoid:
    return log2e / (exp2(-times(y)) + 1.0) * -1.0;
  }
  return y;
}

Value Part::decays(const Along &rows, const Along &channels) const {
  if (p.gate == Gate::Head)
    return k.load(k.tensor(*p.decays), {valueHead}).to(ElementType::F32) *
           log2e;
  Value rate;
  if (p.rate)
    rate = exp2(k.load(k.tensor(*p.rate), {valueHead}).to(ElementType::F32) *
                log2e);
  Value y = gateInput(rows, channels) * log2e;
  Value logarithms = applyForm(p.form, y, rate);
  if (p.factor)
    logarithms = logarithms * k.number(*p.factor);
  if (p.updates > 1 && !rows.size)
    return select(isUpdate(rows, 0), logarithms, 0.0);
  bool isPlain = p.form == GateForm::Logarithm && !p.bias;
  bool hasOthers =
      p.updates > 1 || rowsOf(*p.decays, 1).mayExceed(1, rows.size);
  if (isPlain || !hasOthers)
    return logarithms;
  // Behind the last token nothing decays, nor beside its later updates.
  Value isToken = rows.start + k.range(rows.size) < length;
  if (p.updates > 1)
    isToken = isToken & isUpdate(rows, 0);
  if (p.gate == Gate::Channel)
    isToken = isToken.expand(1);
  return select(isToken, logarithms, 0.0);
}

Value Part::betas(const Along &rows) const {
  Value x = valueRows(*p.beta, rows, std::nullopt).to(ElementType::F32);
  if (p.betaForm == BetaForm::Plain)
    return x;
  return sigmoid(x) * (p.betaForm == BetaForm::DoubleSigmoid ? 2.0 : 1.0);
}

Value Part::values(const Along &rows, const Along &columns) const {
  Value v = valueRows(p.v, rows, columns);
  if (!p.weighs)
    return v;
  Value step = softplusLog2(gateInput(rows, whole()) * log2e) * (1 / log2e);
  if (rows.size)
    step = step.expand(1);
  return (v.to(ElementType::F32) * step).to(v.type());
}

Value Part::bonuses(const Along &rows) const {
  Value q = keyRows(p.q, rows, whole()).to(ElementType::F32);
  Value key = keyRows(p.k, rows, whole()).to(ElementType::F32);
  unsigned last = rows.size ? 1 : 0;
  return k.reduce(q * key * headRow(*p.bonus, rows, whole()), last,
                  Combination::Sum);
}

void Part::storeResult(const Along &rows, const Along &columns,
                       const Value &read) const {
  Value result = read * k.number(p.scale);
  if (p.skip) {
    Value v = valueRows(p.v, rows, columns).to(ElementType::F32);
    Value weight = k.load(k.tensor(*p.skip), {valueHead}).to(ElementType::F32);
    result = result + v * weight;
  }
  Tensor to = rowsOf(p.out, 1);
  Along places = tokenRows(rows, p.updates - 1);
  k.store(to, {batch, places, valueHead, columns}, result.to(to.type));
}
