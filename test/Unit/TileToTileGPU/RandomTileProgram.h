// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random tile programs of index arithmetic, as text: for tests that compare
// what an analysis claims with what the program computes. In: a seed. Out: a
// module with one kernel. Every program is valid; it may divide by zero or
// overflow for some inputs.

#ifndef TILEWRIGHT_TEST_UNIT_TILETOTILEGPU_RANDOMTILEPROGRAM_H
#define TILEWRIGHT_TEST_UNIT_TILETOTILEGPU_RANDOMTILEPROGRAM_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tilewright::test {

/// The type of a value: the element's type as text, and the sizes (none:
/// scalar).
struct ValueType {
  std::string element;
  std::vector<int64_t> shape;

  bool operator==(const ValueType &) const = default;
  bool isInteger() const { return element.front() == 'i'; }
  /// As MLIR writes it.
  std::string str() const;
};

/// Writes the text of one random program.
class RandomTileProgram {
public:
  explicit RandomTileProgram(unsigned seed) : random(seed) {}

  /// A module with a kernel of arguments `i32` and pointers, some of which
  /// promise divisibility, and about `numOps` ops.
  std::string write(unsigned numOps);

private:
  struct Value {
    std::string name;
    ValueType type;
  };

  unsigned pick(unsigned bound) { return random() % bound; }
  template <typename T>
  const T &pickFrom(const std::vector<T> &values) {
    return values[pick(values.size())];
  }
  /// A value with `hasProperty`, or null.
  template <typename Predicate>
  const Value *pickValue(Predicate hasProperty);
  /// Writes `text` as the definition of a new value of `type`.
  Value define(const ValueType &type, const std::string &text);
  /// A value of `type`, made where there is none.
  Value get(const ValueType &type);

  void writeOp(unsigned depth);
  /// Writes consecutive numbers from a random start.
  Value writeRange(int64_t size);
  /// Writes consecutive numbers along `dim` of a tile of 8 x 8 x 8.
  Value writeCube(unsigned dim);
  void writeLeaf();
  void writeBinary();
  void writeCompare();
  void writeSelect();
  void writeConversion();
  void writeShape();
  void writePointer();
  void writeLoop(unsigned depth);
  void writeIf(unsigned depth);

  std::mt19937 random;
  std::vector<Value> values;
  std::string text;
  unsigned numNames = 0;
};

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_UNIT_TILETOTILEGPU_RANDOMTILEPROGRAM_H
