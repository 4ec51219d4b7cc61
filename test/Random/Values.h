// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the generator knows of a value: its type, and for floats how large they
// are and how far a GPU's may be from exact ones. Plain C++.

#ifndef TILEWRIGHT_TEST_RANDOM_VALUES_H
#define TILEWRIGHT_TEST_RANDOM_VALUES_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::fuzz {

using Shape = std::vector<int64_t>;

/// A scalar (no shape) or a tile.
struct ValueType {
  std::string element;
  Shape shape;

  bool operator==(const ValueType &) const = default;
  bool isFloat() const { return element[0] == 'f' || element[0] == 'b'; }
  bool isInteger() const { return element[0] == 'i'; }
  bool isTile() const { return !shape.empty(); }
  /// Bits of an element.
  unsigned getWidth() const;
  int64_t getCount() const;
  /// As MLIR writes it.
  std::string str() const;
  /// The same shape with other elements, and other shapes.
  ValueType with(const std::string &newElement) const {
    return {newElement, shape};
  }
  ValueType with(const Shape &newShape) const { return {element, newShape}; }
};

/// The size of a float format: bits of precision, the largest finite value, and
/// half the distance of its smallest numbers.
struct FloatFormat {
  int precision;
  double maximum;
  double tiny;

  /// The relative error of rounding to nearest.
  double getUnit() const;
};

/// f16, bf16, f32 or f64.
FloatFormat getFormat(const std::string &element);

/// What is known of all elements of a float value. The reference calculates in
/// float64 without rounding to the type, so it stands for the exact value.
struct Range {
  /// A bound of absolute values.
  double magnitude = 0.0;
  /// A bound of the distance between the reference's and a GPU's value.
  double error = 0.0;
  /// All are integers; then `error` is 0.
  bool isInteger = false;

  bool isExact() const { return error == 0.0; }
  /// Integers that sums and products keep exactly in `element`.
  bool isExactIn(const std::string &element) const;
};

/// The range of a result that is rounded to `element`, from that of the result
/// before; nothing where it could overflow or the error becomes too large to
/// say anything.
std::optional<Range> round(Range ideal, const std::string &element);

/// The tolerance with which a value of this range is compared in memory.
double getTolerance(const Range &range, const std::string &element);

/// A value in the text.
struct Value {
  std::string name;
  ValueType type;
  Range range;
};

} // namespace tilewright::fuzz

#endif // TILEWRIGHT_TEST_RANDOM_VALUES_H
