// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear attention as its formula says, in float64, with plain loops: what the
// texts of the kernels are held against.

#include "lib/Kernels/LinearAttention.h"

#include <cmath>
#include <utility>

using namespace tilewright;
using namespace tilewright::kernels;
using namespace tilewright::kernels::linear;

namespace {

/// A tensor's elements by their indices.
class View {
public:
  View(const Signature &signature, std::optional<unsigned> index,
       NamedArrays &tensors) {
    if (!index)
      return;
    const TensorParameter &tensor = signature.tensors[*index];
    values = &tensors.at(tensor.name).values;
    strides = signature.stridesOf(tensor);
  }
  double &operator()(std::initializer_list<int64_t> place) const {
    int64_t offset = 0;
    size_t d = 0;
    for (int64_t index : place)
      offset += index * strides[d++];
    return (*values)[offset];
  }
  explicit operator bool() const { return values; }

private:
  std::vector<double> *values = nullptr;
  std::vector<int64_t> strides;
};

/// All heads of all sequences.
class Recurrence {
public:
  Recurrence(const Signature &s, const Parameters &p, NamedArrays &tensors)
      : s(s), p(p), q(s, p.q, tensors), k(s, p.k, tensors), v(s, p.v, tensors),
        out(s, p.out, tensors), g(s, p.decays, tensors),
        beta(s, p.beta, tensors), a(s, p.a, tensors), b(s, p.b, tensors),
        rate(s, p.rate, tensors), bias(s, p.bias, tensors),
        bonus(s, p.bonus, tensors), skip(s, p.skip, tensors),
        offsets(s, p.offsets, tensors), initial(s, p.initial, tensors),
        final(s, p.final, tensors), slots(s, p.slots, tensors),
        after(s, p.after, tensors), accepted(s, p.accepted, tensors),
        dim(size(p.dim)), valueDim(size(p.valueDim)) {}
  void run();

private:
  int64_t size(unsigned number) const { return s.numbers[number].integer(); }
  void runHead(int64_t sequence, int64_t head);
  void advance(int64_t batch, int64_t token, int64_t head);
  std::vector<double> row(const View &of, int64_t batch, int64_t token,
                          int64_t head) const;
  /// x^T state.
  std::vector<double> read(const std::vector<double> &x) const;
  double decay(int64_t batch, int64_t token, int64_t head, int64_t d) const;
  /// g + bias.
  double gateInput(int64_t batch, int64_t token, int64_t head, int64_t d) const;
  double weight(int64_t batch, int64_t token, int64_t head) const;
  double value(int64_t batch, int64_t token, int64_t head, int64_t e) const;
  void readToken(int64_t batch, int64_t token, int64_t head,
                 const std::vector<double> &before);
  void storeState(int64_t slot, int64_t head);

  const Signature &s;
  const Parameters &p;
  View q, k, v, out, g, beta, a, b, rate, bias, bonus, skip;
  View offsets, initial, final, slots, after, accepted;
  int64_t dim, valueDim;
  std::vector<double> state;
};

} // namespace

std::vector<double> Recurrence::row(const View &of, int64_t batch,
                                    int64_t token, int64_t head) const {
  std::vector<double> x;
  double squares = 1e-6;
  for (int64_t d = 0; d < dim; ++d) {
    x.push_back(of({batch, token, head / p.group, d}));
    squares += x.back() * x.back();
  }
  if (p.normalizes && (&of == &q || &of == &k))
    for (double &number : x)
      number /= std::sqrt(squares);
  return x;
}

std::vector<double> Recurrence::read(const std::vector<double> &x) const {
  std::vector<double> result(valueDim);
  for (int64_t d = 0; d < dim; ++d)
    for (int64_t e = 0; e < valueDim; ++e)
      result[e] += x[d] * state[d * valueDim + e];
  return result;
}

double Recurrence::gateInput(int64_t batch, int64_t token, int64_t head,
                             int64_t d) const {
  bool isOfChannels = p.gate == Gate::Channel;
  double x =
      isOfChannels ? g({batch, token, head, d}) : g({batch, token, head});
  if (bias)
    x += isOfChannels ? bias({head, d}) : bias({head});
  return x;
}

static double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

double Recurrence::decay(int64_t batch, int64_t token, int64_t head,
                         int64_t d) const {
  if (p.gate == Gate::None || token % p.updates)
    return 1;
  if (p.gate == Gate::Head)
    return std::exp(g({head}));
  token /= p.updates;
  double x = gateInput(batch, token, head, d);
  double r = rate ? std::exp(rate({head})) : 1;
  double factor =
      p.factor ? static_cast<float>(s.numbers[*p.factor].value) : 1.0;
  switch (p.form) {
  case GateForm::Logarithm:
    return std::exp(factor * r * x);
  case GateForm::Softplus:
    return std::exp(-factor * r * softplus(x));
  case GateForm::Sigmoid:
    return std::exp(-factor / (1 + std::exp(-r * x)));
  case GateForm::LogSigmoid:
    return std::exp(-factor * r * softplus(-x));
  }
  return 1;
}

/// Of a correction.
double Recurrence::weight(int64_t batch, int64_t token, int64_t head) const {
  double x = beta({batch, token, head});
  if (p.betaForm == BetaForm::Plain)
    return x;
  return (p.betaForm == BetaForm::DoubleSigmoid ? 2 : 1) / (1 + std::exp(-x));
}

double Recurrence::value(int64_t batch, int64_t token, int64_t head,
                         int64_t e) const {
  double x = v({batch, token, head, e});
  return p.weighs ? x * softplus(gateInput(batch, token, head, 0)) : x;
}

void Recurrence::advance(int64_t batch, int64_t token, int64_t head) {
  std::vector<double> key = row(k, batch, token, head), removed(valueDim);
  std::vector<double> low;
  if (p.rule == Rule::LowRank) {
    low = row(b, batch, token, head);
    removed = read(row(a, batch, token, head));
  }
  for (int64_t d = 0; d < dim; ++d)
    for (int64_t e = 0; e < valueDim; ++e)
      state[d * valueDim + e] *= decay(batch, token, head, d);
  double factor = 1;
  if (p.rule == Rule::Delta) {
    removed = read(key);
    factor = weight(batch, token, head);
  }
  for (int64_t d = 0; d < dim; ++d)
    for (int64_t e = 0; e < valueDim; ++e) {
      double added = value(batch, token, head, e);
      double &element = state[d * valueDim + e];
      if (p.rule == Rule::LowRank)
        element += low[d] * removed[e] + key[d] * added;
      else
        element += factor * key[d] * (added - removed[e]);
    }
}

/// A token's result. `before`: the state without the token, where it has a
/// bonus.
void Recurrence::readToken(int64_t batch, int64_t token, int64_t head,
                           const std::vector<double> &before) {
  std::vector<double> query = row(q, batch, token, head), result;
  double own = 0;
  if (bonus) {
    std::vector<double> after = std::exchange(state, before);
    result = read(query);
    state = after;
    std::vector<double> key = row(k, batch, token, head);
    for (int64_t d = 0; d < dim; ++d)
      own += query[d] * key[d] * bonus({head, d});
  } else {
    result = read(query);
  }
  double scale = static_cast<float>(s.numbers[p.scale].value);
  for (int64_t e = 0; e < valueDim; ++e) {
    double past = own * value(batch, token, head, e);
    double skipped = skip ? skip({head}) * v({batch, token, head, e}) : 0;
    out({batch, token, head, e}) = scale * (result[e] + past) + skipped;
  }
}

void Recurrence::runHead(int64_t sequence, int64_t head) {
  int64_t first = 0, last = size(p.tokens), batch = sequence, slot = sequence;
  if (offsets) {
    first = static_cast<int64_t>(offsets({sequence})) * p.updates;
    last = static_cast<int64_t>(offsets({sequence + 1})) * p.updates;
    batch = 0;
  }
  if (accepted) {
    int64_t count = static_cast<int64_t>(accepted({sequence}));
    slot = static_cast<int64_t>(
        after({sequence, std::clamp<int64_t>(count, 1, size(p.drafts)) - 1}));
  } else if (slots) {
    slot = static_cast<int64_t>(slots({sequence}));
  }
  if (slot < 0)
    return;
  state.assign(dim * valueDim, 0);
  for (int64_t d = 0; d < dim; ++d)
    for (int64_t e = 0; e < valueDim; ++e)
      if (initial)
        state[d * valueDim + e] = initial({slot, head, d, e});
  for (int64_t row = first; row < last; ++row) {
    std::vector<double> before;
    if (bonus)
      before = state;
    advance(batch, row, head);
    if ((row + 1) % p.updates)
      continue;
    int64_t token = row / p.updates, place = token - first / p.updates;
    readToken(batch, token, head, before);
    if (after && place < size(p.drafts))
      storeState(static_cast<int64_t>(after({sequence, place})), head);
  }
  if (!after)
    storeState(slot, head);
}

void Recurrence::storeState(int64_t slot, int64_t head) {
  for (int64_t d = 0; d < dim; ++d)
    for (int64_t e = 0; e < valueDim; ++e)
      if (final && slot >= 0)
        final({slot, head, d, e}) = state[d * valueDim + e];
}

void Recurrence::run() {
  int64_t sequences = p.sequences.value_or(size(p.batch));
  for (int64_t sequence = 0; sequence < sequences; ++sequence)
    for (int64_t head = 0; head < size(p.valueHeads); ++head)
      runHead(sequence, head);
}

void linear::recur(const Signature &signature, const Parameters &p,
                   NamedArrays &tensors) {
  Recurrence(signature, p, tensors).run();
}
