// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the text of one random kernel, operation by operation, from a pool of
// values that are visible where it writes. The families of operations are in
// files of their own.

#ifndef TILEWRIGHT_TEST_RANDOM_KERNELWRITER_H
#define TILEWRIGHT_TEST_RANDOM_KERNELWRITER_H

#include "test/Random/KernelCase.h"
#include "test/Random/Values.h"

#include <functional>

namespace tilewright::fuzz {

class KernelWriter {
public:
  KernelWriter(uint64_t seed, unsigned numOps) : seed(seed), numOps(numOps) {}

  KernelCase write(const std::vector<std::string> &targets);

private:
  // Chances.
  uint64_t next();
  unsigned pick(unsigned bound) { return next() % bound; }
  bool oneIn(unsigned count) { return pick(count) == 0; }
  template <typename T>
  T pickFrom(const std::vector<T> &choices) {
    return choices[pick(choices.size())];
  }
  std::string pickName(const std::vector<const char *> &choices) {
    return choices[pick(choices.size())];
  }
  /// A shape of rank 1 to 3 with at most `maximum` elements.
  Shape pickShape(int64_t maximum);
  std::string pickElement();

  // Text.
  void emit(const std::string &text);
  std::string newName() { return "%v" + std::to_string(numValues++); }
  /// Defines a value by `text`, for this writer alone.
  Value make(const ValueType &type, const std::string &text, Range range = {});
  /// Makes a value one that later operations may use.
  void keep(const Value &value) { pool.push_back(value); }
  /// op a, b : type
  Value makeBinary(const std::string &op, const Value &a, const Value &b,
                   Range range = {});
  Value makeUnary(const std::string &op, const Value &a, Range range = {});
  /// All elements are `number`: an integer, also for floats.
  Value makeConstant(const ValueType &type, int64_t number);
  Value makeRandomConstant(const ValueType &type);
  /// op source : type to type
  Value makeCast(const std::string &op, const Value &source,
                 const std::string &element, Range range = {});
  Value makeSplat(const Value &scalar, const Shape &shape);

  // Values.
  using Predicate = std::function<bool(const Value &)>;
  std::optional<Value> find(const Predicate &isWanted);
  std::optional<Value> findOfType(const ValueType &type);
  /// A value of the type: an old one, a loaded one, or a constant.
  Value get(const ValueType &type);
  /// An old value of any of these elements, or a loaded tile.
  Value getInteger(bool allowsBool);
  Value getFloat();
  /// A condition for each element of a tile, or a scalar one.
  Value getCondition(const Shape &shape);
  /// `value`, or where that is no small exact integer, it clamped (and rounded
  /// down) to integers of at most 4.
  Value makeSmall(const Value &value);
  /// `value` between two integers.
  Value makeClamp(const Value &value, int64_t low, int64_t high);
  /// |value| + 1.
  std::optional<Value> makePositive(const Value &value);

  // Elementwise operations. Each writes nothing, or one or more operations.
  void writeIntegerBinary();
  void writeDivision();
  void writeShift();
  void writeIntegerUnary();
  void writeComparison();
  void writeSelect();
  void writeIntegerCast();
  void writeFloatBinary();
  void writeFloatDivision();
  void writeFloatUnary();
  void writeFunction();
  void writeFma();
  void writeFloatCast();
  void writeFloatToInteger();
  void writeIntegerToFloat();

  // Shapes.
  void writeSplat();
  void writeExpandAndBroadcast();
  void writeReshape();
  void writeTrans();
  void writeJoin();
  void writeSplit();
  void writeRange();

  // Across elements.
  void writeReduce();
  void writeScan();
  void writeDot();
  /// Sources of one shape and a region that combines two elements of each.
  struct Combination {
    std::vector<Value> sources;
    std::vector<Range> ranges;
    /// Lines, with %x0, %x1, ... and %y0, ... as operands.
    std::string body;
    std::vector<std::string> results;
  };
  /// Makes one for lines of `length` elements; without `sources` there is none.
  Combination makeSimpleCombination(const Value &source, int64_t length);
  Combination makeLargestWithIndex(const Value &source);
  Combination makePair(const Value &source, int64_t length);
  Combination makeComposition(const Value &source);
  /// Writes "tt.reduce" or "tt.scan".
  void writeCombination(const std::string &op, const std::string &attributes,
                        const Combination &combination,
                        const Shape &resultShape);
  struct DotForm {
    const char *operand, *accumulator, *precision;
  };
  /// accumulator + a * b; nothing where it would not be exact for `repeats`
  /// sums.
  std::optional<Value> makeDot(const DotForm &form, const Value &accumulator,
                               int64_t inner, unsigned repeats);
  DotForm pickDotForm();
  Shape pickDotShape();

  // Memory.
  /// Where the elements of a tile are in a buffer.
  struct Access {
    /// Scalar offset of the program (may have no name), and the tile's.
    Value base, offsets;
    int64_t baseLimit = 0, limit = 0;
    int64_t getLimit() const { return baseLimit + limit; }
  };
  /// The offsets of a tile's elements, all different where `isInjective`.
  Access makeAccess(const Shape &shape, bool isInjective);
  /// coordinate along a dimension, in the tile's shape
  Value makeCoordinate(const Shape &shape, size_t dim);
  Value makePointers(const std::string &pointer, const std::string &element,
                     const Access &access, const Shape &shape);
  /// What is before a bound, at which a buffer of `count` elements ends.
  Value makeBoundMask(const Access &access, const Shape &shape, int64_t &count);
  void writeLoad();
  void writeGatherLoad();
  Value makeLoad(const ValueType &type);
  void writeStore(const Value &value);
  void writeAtomic();
  std::string makeLoadText(const Value &pointers, const ValueType &type,
                           const std::string &mask, const std::string &other);
  /// A number of the program and of the iterations around, from 0 on.
  Value makeInstance(int64_t &count);
  std::string addBuffer(const std::string &element, int64_t count,
                        bool isOutput, double tolerance);
  /// An i32 of this value: a constant or a parameter.
  Value makeScalar(int64_t value);
  Range getLoadedRange(const std::string &name, const std::string &element);

  // Control flow.
  void writeOps(unsigned count);
  void writeOp();
  void writeFor();
  void writeIf();
  void writeWhile();
  void writeEarlyReturn();
  /// A value that goes from iteration to iteration.
  struct Carried {
    enum class Kind {
      Integer,
      Clamped,
      Sum,
      Product,
      Pointers
    } kind = Kind::Integer;
    Value initial, inside, result;
    /// Of a product.
    DotForm form;
    int64_t inner = 0;
    /// Of pointers.
    std::string element;
    int64_t step = 0;
    std::string pointerType;
  };
  std::optional<Carried> makeCarried(unsigned trips);
  Carried makeCarriedPointers(unsigned trips);
  std::string getCarriedType(const Carried &carried) const;
  /// Writes what gives the value of the next iteration.
  std::string writeNext(Carried &carried, unsigned trips);
  std::string writeBranch(const std::vector<Value> &results,
                          std::vector<Range> &ranges);
  struct Loop {
    std::string variable;
    int64_t first, step, trips;
    ValueType type;
  };

  uint64_t seed, counter = 0;
  unsigned numOps, numValues = 0, depth = 0;
  KernelCase result;
  std::string body;
  std::vector<Value> pool;
  std::vector<Loop> loops;
};

} // namespace tilewright::fuzz

#endif // TILEWRIGHT_TEST_RANDOM_KERNELWRITER_H
