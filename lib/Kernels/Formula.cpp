// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Formula.h"

#include <cmath>

using namespace tilewright;
using namespace tilewright::kernels;

WeightFormula::WeightFormula(const Signature &signature,
                             const CodedWeights &weights, NamedArrays &arrays)
    : s(signature), weights(weights), arrays(arrays),
      words(signature, weights.words, arrays),
      scales(signature, weights.scales, arrays), zeros(find(weights.zeros)),
      book(find(weights.book)) {
  if (!weights.prepacked)
    return;
  const PrepackedOrder &order = *weights.prepacked;
  auto padded = [&](unsigned number, int64_t unit) {
    return ceilDivide(s.numbers[number].integer(), unit) * unit;
  };
  places = order.places(padded(weights.k, order.rows()),
                        padded(weights.n, order.columns()));
}

std::pair<uint64_t, unsigned> WeightFormula::find(int64_t e, int64_t z,
                                                  int64_t y) const {
  int64_t codes = weights.codes;
  auto word = [&](double bits) { return uint64_t(int64_t(bits)); };
  if (places) {
    const PrepackedOrder &order = *weights.prepacked;
    int64_t row = order.packedRow(z);
    // Of each column of units its words, one behind the other.
    int64_t ofColumns =
        int64_t(places->size()) / s.sizesOf(s.tensors[weights.words])[0];
    auto place =
        int64_t(places->offsetOf({uint64_t(y), uint64_t(row / codes)}));
    return {word(words.at({e, place / ofColumns, place % ofColumns})),
            unsigned(row % codes)};
  }
  return weights.packed == 0
             ? std::pair(word(words.at({e, z / codes, y})), unsigned(z % codes))
             : std::pair(word(words.at({e, z, y / codes})),
                         unsigned(y % codes));
}

double WeightFormula::at(int64_t e, int64_t z, int64_t y) const {
  auto [word, index] = find(e, z, y);
  int64_t group = weights.group ? z / weights.group : 0;
  double number = weights.coding.valueOf(
      word >> weights.coding.bitOf(index, weights.codes));
  if (book)
    number = book->at({int64_t(number)});
  if (zeros)
    number -= zeros->at({e, group, y});
  return number * scales.at({e, group, y});
}

double kernels::activated(double x, Activation activation) {
  auto sigmoid = [](double y) { return 1 / (1 + std::exp(-y)); };
  switch (activation) {
  case Activation::None:
    return x;
  case Activation::Relu:
    return std::fmax(x, 0);
  case Activation::Gelu:
    return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0)));
  case Activation::GeluTanh:
    return x * 0.5 *
           (1 + std::tanh(std::sqrt(2 / 3.14159265358979324) *
                          (x + 0.044715 * x * x * x)));
  case Activation::Silu:
    return x * sigmoid(x);
  case Activation::Sigmoid:
    return sigmoid(x);
  }
  return x;
}

double kernels::overflown(double x, ElementType type) {
  bool isInfinite = type == ElementType::F16 && std::abs(x) >= 65520;
  return isInfinite ? std::copysign(HUGE_VAL, x) : x;
}

double kernels::finished(double sum, const ProductEpilogue &epilogue,
                         const Signature &signature, NamedArrays &arrays,
                         int64_t x, int64_t y) {
  if (epilogue.scale)
    sum *= static_cast<float>(signature.numbers[*epilogue.scale].value);
  if (epilogue.bias)
    sum += Elements(signature, *epilogue.bias, arrays).at({y});
  double result = activated(sum, epilogue.activation);
  if (epilogue.residual)
    result += Elements(signature, *epilogue.residual, arrays).at({x, y});
  return result;
}
