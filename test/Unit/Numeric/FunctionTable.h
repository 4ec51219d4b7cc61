// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of Functions/ on the host, beside the C library's in more
// precision, with the errors that docs/Numbers.md promises.

#ifndef TILEWRIGHT_TEST_UNIT_NUMERIC_FUNCTIONTABLE_H
#define TILEWRIGHT_TEST_UNIT_NUMERIC_FUNCTIONTABLE_H

#include <vector>

namespace tilewright::numeric {

struct UnaryFunction {
  const char *name;
  float (*ofFloat)(float);
  double (*ofDouble)(double);
  /// Far closer than a double's half unit.
  long double (*exact)(long double);
  /// In units in the last place.
  double floatBound, doubleBound;
  /// What an f64 may be off by near a zero of the function, where units mean
  /// nothing; 0 where it has none.
  double absoluteBound;
};

struct BinaryFunction {
  const char *name;
  float (*ofFloat)(float, float);
  double (*ofDouble)(double, double);
  long double (*exact)(long double, long double);
  double floatBound, doubleBound;
};

const std::vector<UnaryFunction> &getUnaryFunctions();
const std::vector<BinaryFunction> &getBinaryFunctions();

} // namespace tilewright::numeric

#endif // TILEWRIGHT_TEST_UNIT_NUMERIC_FUNCTIONTABLE_H
