// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Pieces.h"

#include <limits>

using namespace tilewright;
using namespace tilewright::kernels;

Value kernels::tilesOf(const Value &size, int64_t tile) {
  return (size + double(tile - 1)) / double(tile);
}

std::pair<Value, Value> kernels::programTile(const Value &program,
                                             const Value &m, const Value &n,
                                             int64_t tileM, int64_t tileN,
                                             int64_t group) {
  Value tilesM = tilesOf(m, tileM), tilesN = tilesOf(n, tileN);
  Value inGroup = tilesN * double(group);
  Value firstRow = program / inGroup * double(group);
  Value rows = minimum(tilesM - firstRow, double(group));
  Value place = program % inGroup;
  return {(firstRow + place % rows) * double(tileM),
          place / rows * double(tileN)};
}

std::vector<std::string_view> kernels::activationNames() {
  return {"none", "relu", "gelu", "gelu-tanh", "silu", "sigmoid"};
}

Activation kernels::activationFromName(std::string_view name) {
  unsigned index = 0;
  for (std::string_view known : activationNames()) {
    if (known == name)
      return static_cast<Activation>(index);
    ++index;
  }
  return Activation::None;
}

OnlineSoftmax OnlineSoftmax::begin(Reading &k, int64_t rows) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  return {k.constant(none, ElementType::F32, {rows}),
          k.constant(0, ElementType::F32, {rows}),
          {},
          {}};
}

OnlineSoftmax OnlineSoftmax::add(const Value &x) const {
  constexpr double none = -std::numeric_limits<double>::infinity();
  Reading &k = x.reading();
  OnlineSoftmax next;
  next.largest = maximum(largest, k.reduce(x, 1, Combination::Maximum));
  // Rows that have had nothing yet.
  Value from = select(
      next.largest == none,
      next.largest.reading().constant(0, ElementType::F32, largest.shape()),
      next.largest);
  next.correction = exp2(largest - from);
  next.weights = exp2(x - from.expand(1));
  next.sum =
      sum * next.correction + k.reduce(next.weights, 1, Combination::Sum);
  return next;
}

Value kernels::hyperbolicTangent(const Value &x) {
  return sigmoid(x * 2.0) * 2.0 - 1.0;
}

Value kernels::sigmoid(const Value &x) {
  // 2^-x overflows to infinity, whose reciprocal is 0, as it should be.
  return 1.0 / (exp2(x * -log2e) + 1.0);
}

Value kernels::activate(const Value &x, Activation activation) {
  switch (activation) {
  case Activation::None:
    return x;
  case Activation::Relu:
    return maximum(x, 0.0);
  case Activation::Gelu:
    return x * 0.5 * (apply(Unary::Erf, x * 0.70710678118654752) + 1.0);
  case Activation::GeluTanh:
    // 0.5 (1 + tanh y) = sigmoid(2 y).
    return x * sigmoid((x + x * x * x * 0.044715) * 1.5957691216057308);
  case Activation::Silu:
    return x * sigmoid(x);
  case Activation::Sigmoid:
    return sigmoid(x);
  }
  return x;
}

Value kernels::toStored(const Value &x, ElementType type) {
  if (type != ElementType::I8)
    return x.to(type);
  Value clamped = minimum(maximum(x, -128.0), 127.0);
  return apply(Unary::Round, clamped).to(ElementType::I32).to(type);
}
