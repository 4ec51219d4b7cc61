// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products whose scales multiply sums, by their formula: plain loops in
// float64, which share nothing with the kernels' text and judge it.

#include "lib/Kernels/ScaledProduct.h"

#include <cmath>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

/// A tensor's elements by their coordinates.
class Elements {
public:
  Elements(const Signature &signature, unsigned index, NamedArrays &arrays)
      : strides(signature.stridesOf(signature.tensors[index])),
        values(&arrays[signature.tensors[index].name].values) {}
  /// Coordinates of dimensions that the tensor lacks come first, as experts do.
  double &at(std::initializer_list<int64_t> place) const {
    int64_t offset = 0;
    size_t d = place.size() - strides.size();
    for (size_t s = 0; s < strides.size(); ++s)
      offset += strides[s] * *(place.begin() + d + s);
    return (*values)[offset];
  }

private:
  std::vector<int64_t> strides;
  std::vector<double> *values;
};

class Formula {
public:
  Formula(const Signature &signature, const ScaledParameters &p,
          NamedArrays &arrays)
      : s(signature), p(p), arrays(arrays) {}
  void compute() const;

private:
  int64_t size(unsigned number) const { return s.numbers[number].integer(); }
  Elements elements(unsigned index) const { return {s, index, arrays}; }
  double get(std::optional<unsigned> index, double missing,
             std::initializer_list<int64_t> place) const {
    return index ? elements(*index).at(place) : missing;
  }
  /// Row `z` and column `y` of expert `e`, times its scale.
  double weight(int64_t e, int64_t z, int64_t y) const;
  /// What the sum of w's column is multiplied by, where one scale is all of it.
  double scaleOfSums(int64_t e, int64_t y) const {
    if (p.coded)
      return elements(p.coded->scales).at({e, 0, y});
    return p.block > 1 ? get(p.scales, 1, {e, 0, y / p.block})
                       : get(p.scales, 1, {e, y});
  }
  /// Row x of a, times its scales.
  std::vector<double> row(int64_t x) const;
  double finished(int64_t x, int64_t y, const double sums[2]) const;

  const Signature &s;
  const ScaledParameters &p;
  NamedArrays &arrays;
};

} // namespace

double Formula::weight(int64_t e, int64_t z, int64_t y) const {
  int64_t group = p.group ? z / p.group : 0;
  if (!p.coded)
    return elements(*p.w).at({e, z, y}) *
           (p.group || p.block > 1 ? get(p.scales, 1, {e, group, y / p.block})
                                   : get(p.scales, 1, {e, y}));
  const CodedWeights &coded = *p.coded;
  int64_t along = coded.packed == 0 ? z : y, codes = coded.codes;
  double word = coded.packed == 0 ? elements(coded.words).at({e, z / codes, y})
                                  : elements(coded.words).at({e, z, y / codes});
  uint64_t code = uint64_t(int64_t(word)) >>
                  coded.coding.bitOf(unsigned(along % codes), unsigned(codes));
  double number = coded.coding.valueOf(code);
  if (coded.book)
    number = elements(*coded.book).at({int64_t(number)});
  return (number - get(coded.zeros, 0, {e, group, y})) *
         elements(coded.scales).at({e, group, y});
}

std::vector<double> Formula::row(int64_t x) const {
  int64_t from = int64_t(get(p.rows, double(x), {x}));
  std::vector<double> numbers(size(p.k));
  for (int64_t z = 0; z < int64_t(numbers.size()); ++z) {
    double scale = p.aGroup ? get(p.aScales, 1, {from, z / p.aGroup})
                            : get(p.aScales, 1, {from});
    numbers[z] = elements(p.a).at({from, z}) * scale;
  }
  return numbers;
}

static double activated(double x, Activation activation) {
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

double Formula::finished(int64_t x, int64_t y, const double sums[2]) const {
  double result = activated(sums[0], p.activation);
  if (p.isGated)
    result *= sums[1];
  result += get(p.residual, 0, {x, y});
  // What f16 does not hold.
  bool isInfinite =
      s.tensors[p.c].type == ElementType::F16 && std::abs(result) >= 65520;
  return isInfinite ? std::copysign(HUGE_VAL, result) : result;
}

/// The zeros of a row are taken off by the sums that are given, whatever w has.
void Formula::compute() const {
  int64_t n = size(p.n), e = 0;
  for (int64_t x = 0; x < size(p.m); ++x) {
    while (p.experts && elements(*p.offsets).at({e + 1}) <= double(x))
      ++e;
    std::vector<double> numbers = row(x);
    int64_t from = int64_t(get(p.rows, double(x), {x}));
    double zero =
        p.aZeros ? get(p.aZeros, 0, {from}) * get(p.aScales, 1, {from}) : 0;
    for (int64_t y = 0; y < n; ++y) {
      double sums[2] = {};
      for (int64_t half = 0; half < (p.isGated ? 2 : 1); ++half) {
        int64_t column = half * n + y;
        for (size_t z = 0; z < numbers.size(); ++z)
          sums[half] += numbers[z] * weight(e, int64_t(z), column);
        if (p.aZeros)
          sums[half] -=
              zero * get(p.sums, 0, {e, column}) * scaleOfSums(e, column);
        sums[half] += get(p.bias, 0, {e, column});
      }
      elements(p.c).at({x, y}) = finished(x, y, sums);
    }
  }
}

void kernels::recomputeScaled(const Signature &signature,
                              const ScaledParameters &p, NamedArrays &tensors) {
  Formula(signature, p, tensors).compute();
}
