// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far an array is from the expected one. In: two arrays of the same shape,
// a tolerance. Out: numbers. It judges elements one by one, nothing else.

#ifndef TILEWRIGHT_LIB_RUN_COMPARE_H
#define TILEWRIGHT_LIB_RUN_COMPARE_H

#include "lib/Run/Tensor.h"

namespace tilewright::run {

/// An element matches when |actual - expected| <= absolute + relative *
/// |expected|. Infinities match those of the same sign.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
  /// Whether NaN matches NaN. NaN never matches a number.
  bool nanMatchesNan = true;
};

/// The result of comparing.
struct Comparison {
  uint64_t elements = 0;
  uint64_t mismatches = 0;
  /// Largest |actual - expected|, and the same divided by |expected| where that
  /// is not 0; over the elements that are finite on both sides.
  double maxAbsoluteError = 0;
  double maxRelativeError = 0;
  /// Flat index of the first mismatch, with both values.
  uint64_t firstMismatch = 0;
  double firstActual = 0;
  double firstExpected = 0;

  bool matches() const { return mismatches == 0; }
};

/// Compares; the element types may differ. Two integer arrays are compared
/// exactly, beyond double's 53 bits, when both tolerances are 0. Fails when the
/// shapes differ.
Result<Comparison> compare(const HostTensor &actual, const HostTensor &expected,
                           const Tolerance &tolerance);

/// "0 of 16384 differ, max abs 1.2e-05, max rel 3.4e-03"; with mismatches, also
/// where the first is: "first at [3, 7]: expects 1, but got 2".
std::string describe(const Comparison &comparison, const HostTensor &actual);

} // namespace tilewright::run

#endif // TILEWRIGHT_LIB_RUN_COMPARE_H
