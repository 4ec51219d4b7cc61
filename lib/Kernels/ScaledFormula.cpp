// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products whose scales multiply sums, by their formula: plain loops in
// float64, which share nothing with the kernels' text and judge it.

#include "lib/Kernels/Formula.h"
#include "lib/Kernels/ScaledProduct.h"

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

class Formula {
public:
  Formula(const Signature &signature, const ScaledParameters &p,
          NamedArrays &arrays)
      : s(signature), p(p), arrays(arrays) {
    if (p.coded)
      coded.emplace(signature, *p.coded, arrays);
  }
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
      return elements(*p.coded->scales).at({e, 0, y});
    return p.block > 1 ? get(p.scales, 1, {e, 0, y / p.block})
                       : get(p.scales, 1, {e, y});
  }
  /// Row x of a, times its scales.
  std::vector<double> row(int64_t x) const;
  double finished(int64_t x, int64_t y, const double sums[2]) const;

  const Signature &s;
  const ScaledParameters &p;
  NamedArrays &arrays;
  std::optional<WeightFormula> coded;
};

} // namespace

double Formula::weight(int64_t e, int64_t z, int64_t y) const {
  int64_t group = p.group ? z / p.group : 0;
  if (!coded)
    return elements(*p.w).at({e, z, y}) *
           (p.group || p.block > 1 ? get(p.scales, 1, {e, group, y / p.block})
                                   : get(p.scales, 1, {e, y}));
  return coded->at(e, z, y);
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

double Formula::finished(int64_t x, int64_t y, const double sums[2]) const {
  double result = activated(sums[0], p.activation);
  if (p.isGated)
    result *= sums[1];
  result += get(p.residual, 0, {x, y});
  return overflown(result, s.tensors[p.c].type);
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
