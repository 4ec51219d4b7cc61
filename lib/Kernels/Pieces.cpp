// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Pieces.h"

#include <algorithm>
#include <bit>
#include <limits>

using namespace tilewright;
using namespace tilewright::kernels;

Value kernels::tilesOf(const Value &size, int64_t tile) {
  return (size + double(tile - 1)) / double(tile);
}

std::pair<Value, Value> kernels::partOf(const Value &size, int64_t tile,
                                        int64_t parts, const Value &part) {
  Value most = tilesOf(tilesOf(size, tile), parts) * double(tile);
  Value first = part * most;
  return {first, minimum(first + most, size)};
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

/// As many sequences lie before the place as end there or before, and their
/// tiles.
PackedPlace kernels::findPacked(Reading &k, const Tensor &offsets,
                                int64_t count, const Value &place, int64_t rows,
                                int64_t rowsOfOne) {
  int64_t few =
      std::min<int64_t>(std::bit_ceil(static_cast<uint64_t>(count)), 1024);
  auto bounds = [&](int64_t first, const Value &start) {
    Tensor part = offsets.slice(0, k.integer(first), k.integer(count), 1);
    return k.load(part, {Along(start, few)}).to(ElementType::I32);
  };
  std::vector<Value> found = k.forEach(
      k.integer(0), k.integer(count), few,
      {k.integer(0), k.integer(0), k.integer(0)},
      [&](Value start, const std::vector<Value> &carried) {
        // Beyond the last both bounds are 0.
        Value length = bounds(1, start) - bounds(0, start);
        if (rowsOfOne > 1)
          length = length * double(rowsOfOne);
        Value tiles = tilesOf(length, rows);
        Value ends = k.sumsAlong(tiles, 0) + carried[0];
        Value isBefore = ends <= place;
        Value is = start + k.range(few) < double(count);
        return std::vector<Value>{
            carried[0] + k.reduce(tiles, 0, Combination::Sum),
            carried[1] + k.reduce((isBefore & is).to(ElementType::I32), 0,
                                  Combination::Sum),
            carried[2] +
                k.reduce(select(isBefore, tiles, 0.0), 0, Combination::Sum)};
      });
  return {found[1], place - found[2]};
}

Value kernels::sumOfParts(Reading &k, const Tensor &partial, Box box,
                          int64_t parts) {
  box.insert(box.begin(), Along(k.integer(0)));
  Value sum = k.load(partial, box);
  for (int64_t part = 1; part < parts; ++part) {
    box[0].start = k.integer(part);
    sum = sum + k.load(partial, box);
  }
  return sum;
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

OnlineSoftmax OnlineSoftmax::add(const Value &x, const Value &factor,
                                 bool mayBeEmpty) const {
  constexpr double none = -std::numeric_limits<double>::infinity();
  Reading &k = x.reading();
  OnlineSoftmax next;
  next.largest = maximum(largest, k.reduce(x, 1, Combination::Maximum));
  Value from = next.largest;
  if (mayBeEmpty)
    from = select(from == none,
                  k.constant(0, ElementType::F32, largest.shape()), from);
  from = from * factor;
  next.correction = exp2(largest * factor - from);
  next.weights = exp2(x * factor - from.expand(1));
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
