// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding up or down at random, by which a few runs tell how far a machine's
// floats may be from those of exact arithmetic (stochastic arithmetic: J.
// Vignes, "A stochastic arithmetic for reliable scientific computation", 1993).

#ifndef TILEWRIGHT_LIB_JUDGES_REFERENCE_RANDOMROUNDING_H
#define TILEWRIGHT_LIB_JUDGES_REFERENCE_RANDOMROUNDING_H

#include "lib/Judges/Reference/OpTable.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>

namespace tilewright::reference {

class RandomRounding {
public:
  /// Seed 0: nothing is rounded.
  explicit RandomRounding(uint64_t seed) : state(seed), cuts(seed % 2) {}

  bool isOn() const { return state != 0; }
  /// One of the two numbers of `precision` bits nearest to `value`; `value`
  /// where it is one. The range of the exponent is not looked at.
  double round(double value, unsigned precision);
  /// The same by an element type's precision; beyond the type's numbers,
  /// infinity. Of types with the exponents of f32, numbers below the smallest
  /// normal one are zero with odd seeds: some instructions do so, some do not.
  double round(double value, mlir::FloatType type);
  /// An operand of which a product keeps `precision` bits: some instructions
  /// round it, others cut it. With odd seeds all are cut, as errors that go one
  /// way add up.
  double roundOperand(double value, unsigned precision);
  /// A result that is not exact as a GPU may give it: by the error that
  /// instructions and functions have, then rounded.
  double disturb(double value, mlir::FloatType type, Accuracy accuracy);

private:
  uint64_t next();
  /// From -1 to 1.
  double nextFraction();

  uint64_t state;
  bool cuts;
};

} // namespace tilewright::reference

#endif // TILEWRIGHT_LIB_JUDGES_REFERENCE_RANDOMROUNDING_H
