// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparing arrays; see Compare.h.

#include "lib/Run/Compare.h"

#include <cmath>
#include <cstdio>

using namespace tilewright::run;

static bool elementMatches(double actual, double expected,
                           const Tolerance &tolerance) {
  if (std::isnan(actual) || std::isnan(expected))
    return tolerance.nanMatchesNan && std::isnan(actual) &&
           std::isnan(expected);
  if (std::isinf(actual) || std::isinf(expected))
    return actual == expected;
  return std::fabs(actual - expected) <=
         tolerance.absolute + tolerance.relative * std::fabs(expected);
}

static bool integersMatch(const HostTensor &actual, const HostTensor &expected,
                          uint64_t index) {
  int64_t a = toInteger(actual.type, actual.element(index));
  int64_t e = toInteger(expected.type, expected.element(index));
  // The same 64 bits mean different numbers when only one side is U64.
  bool sameMeaning = (actual.type == ElementType::U64) ==
                         (expected.type == ElementType::U64) ||
                     a >= 0;
  return a == e && sameMeaning;
}

Result<Comparison> tilewright::run::compare(const HostTensor &actual,
                                            const HostTensor &expected,
                                            const Tolerance &tolerance) {
  if (actual.shape != expected.shape)
    return Error{ErrorCode::InvalidArgument, "expects " + expected.typeName() +
                                                 ", but got " +
                                                 actual.typeName()};
  bool isExact = !isFloat(actual.type) && !isFloat(expected.type) &&
                 tolerance.relative == 0 && tolerance.absolute == 0;
  Comparison result;
  result.elements = actual.elementCount();
  for (uint64_t i = 0; i < result.elements; ++i) {
    double a = toDouble(actual.type, actual.element(i));
    double e = toDouble(expected.type, expected.element(i));
    if (std::isfinite(a) && std::isfinite(e)) {
      double error = std::fabs(a - e);
      result.maxAbsoluteError = std::max(result.maxAbsoluteError, error);
      if (e != 0)
        result.maxRelativeError =
            std::max(result.maxRelativeError, error / std::fabs(e));
    }
    if (isExact ? integersMatch(actual, expected, i)
                : elementMatches(a, e, tolerance))
      continue;
    if (result.mismatches++ == 0) {
      result.firstMismatch = i;
      result.firstActual = a;
      result.firstExpected = e;
    }
  }
  return result;
}

static std::string number(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

std::string tilewright::run::describe(const Comparison &comparison,
                                      const HostTensor &actual) {
  std::string text = std::to_string(comparison.mismatches) + " of " +
                     std::to_string(comparison.elements) + " differ, max abs " +
                     number("%.3g", comparison.maxAbsoluteError) +
                     ", max rel " + number("%.3g", comparison.maxRelativeError);
  if (comparison.matches())
    return text;
  std::string place;
  uint64_t rest = comparison.firstMismatch;
  for (size_t d = actual.shape.size(); d-- > 0;) {
    place = std::to_string(rest % uint64_t(actual.shape[d])) +
            (place.empty() ? "" : ", " + place);
    rest /= uint64_t(actual.shape[d]);
  }
  return text + ", first at [" + place + "]: expects " +
         number("%.9g", comparison.firstExpected) + ", but got " +
         number("%.9g", comparison.firstActual);
}
