// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear attention as its formula says, in float64, with plain loops: what the
// texts of the kernels are held against.

#include "lib/Kernels/LinearAttention.h"

#include <cmath>

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
        offsets(s, p.offsets, tensors), initial(s, p.initial, tensors),
        final(s, p.final, tensors), slots(s, p.slots, tensors),
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

  const Signature &s;
  const Parameters &p;
  View q, k, v, out, g, beta, a, b, offsets, initial, final, slots;
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

double Recurrence::decay(int64_t batch, int64_t token, int64_t head,
                         int64_t d) const {
  switch (p.gate) {
  case Gate::None:
    return 1;
  case Gate::Head:
    return std::exp(g({head}));
  case Gate::Token:
    return std::exp(g({batch, token, head}));
  case Gate::Channel:
    return std::exp(g({batch, token, head, d}));
  }
  return 1;
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
  double weight = 1;
  if (p.rule == Rule::Delta) {
    removed = read(key);
    weight = beta({batch, token, head});
  }
  for (int64_t d = 0; d < dim; ++d)
    for (int64_t e = 0; e < valueDim; ++e) {
      double value = v({batch, token, head, e});
      double &element = state[d * valueDim + e];
      if (p.rule == Rule::LowRank)
        element += low[d] * removed[e] + key[d] * value;
      else
        element += weight * key[d] * (value - removed[e]);
    }
}

void Recurrence::runHead(int64_t sequence, int64_t head) {
  int64_t first = 0, last = size(p.tokens), batch = sequence, slot = sequence;
  if (offsets) {
    first = static_cast<int64_t>(offsets({sequence}));
    last = static_cast<int64_t>(offsets({sequence + 1}));
    batch = 0;
  }
  if (slots)
    slot = static_cast<int64_t>(slots({sequence}));
  state.assign(dim * valueDim, 0);
  for (int64_t d = 0; d < dim; ++d)
    for (int64_t e = 0; e < valueDim; ++e)
      if (initial)
        state[d * valueDim + e] = initial({slot, head, d, e});
  double scale = static_cast<float>(s.numbers[p.scale].value);
  for (int64_t token = first; token < last; ++token) {
    advance(batch, token, head);
    std::vector<double> result = read(row(q, batch, token, head));
    for (int64_t e = 0; e < valueDim; ++e)
      out({batch, token, head, e}) = scale * result[e];
  }
  for (int64_t d = 0; d < dim; ++d)
    for (int64_t e = 0; e < valueDim; ++e)
      if (final)
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
