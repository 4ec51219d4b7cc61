// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Formula.h"

#include <cmath>

using namespace tilewright;
using namespace tilewright::kernels;

WeightFormula::WeightFormula(const Signature &signature,
                             const CodedWeights &weights, NamedArrays &arrays)
    : s(signature), weights(weights), arrays(arrays),
      words(signature, weights.words, arrays), scales(find(weights.scales)),
      zeros(find(weights.zeros)), book(find(weights.book)) {
  std::vector<int64_t> sizes = s.sizesOf(s.tensors[weights.words]);
  rows = sizes[sizes.size() - 2];
  columns = sizes.back();
  (weights.packed == 0 ? rows : columns) *= weights.codes;
  if (!weights.prepacked)
    return;
  const PrepackedOrder &order = *weights.prepacked;
  rows = sizes.back() / order.words() * order.rows();
  columns = sizes[sizes.size() - 2] * order.columns();
  places = order.places(rows, columns);
}

std::array<int64_t, 3> WeightFormula::place(int64_t z, int64_t y) const {
  int64_t codes = weights.codes;
  if (!places)
    return weights.packed == 0 ? std::array{z / codes, y, z % codes}
                               : std::array{z, y / codes, y % codes};
  // Of each row of the tensor its words, one behind the other.
  int64_t ofRow = s.sizesOf(s.tensors[weights.words]).back();
  int64_t row = weights.prepacked->packedRow(z);
  auto offset = int64_t(places->offsetOf({uint64_t(y), uint64_t(row / codes)}));
  return {offset / ofRow, offset % ofRow, row % codes};
}

uint64_t WeightFormula::codeAt(int64_t e, int64_t z, int64_t y) const {
  if (z >= rows || y >= columns)
    return 0;
  auto [row, column, index] = place(z, y);
  auto word = uint64_t(int64_t(words.at({e, row, column})));
  return word >> weights.coding.bitOf(unsigned(index), weights.codes) &
         ((uint64_t(1) << weights.coding.bits) - 1);
}

double WeightFormula::at(int64_t e, int64_t z, int64_t y) const {
  int64_t group = weights.group ? z / weights.group : 0;
  double number = weights.coding.valueOf(codeAt(e, z, y));
  if (book)
    number = book->at({int64_t(number)});
  if (zeros)
    number -= zeros->at({e, group, y});
  return number * scales->at({e, group, y});
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
