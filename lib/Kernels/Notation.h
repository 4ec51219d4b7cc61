// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels of the library are written in: tiles, loads of boxes, dots,
// reductions, loops. A kernel is one C++ function of a `Reading`, which decides
// what running that function does:
//   Emission.h    writes tile IR
//   Evaluation.h  computes on the host in float64, with a bound of what the
//                 kernel's own arithmetic may differ by
//   Counting.h    counts multiply-adds and bytes
// A kernel says *which* elements a box has. Addresses, masks, and pointers that
// move with a loop are the emission's; the evaluation indexes arrays. So the
// evaluation is a judge of the emission.

#ifndef TILEWRIGHT_LIB_KERNELS_NOTATION_H
#define TILEWRIGHT_LIB_KERNELS_NOTATION_H

#include "lib/Kernels/Coding.h"
#include "lib/Kernels/Signature.h"

#include <array>
#include <functional>
#include <memory>

namespace tilewright::kernels {

class Reading;
using Shape = std::vector<int64_t>;

/// A scalar (no dimensions) or a tile, as the reading at hand has it. Integers
/// are I32 (I64 and I8 come from memory alone), conditions I1.
class Value {
public:
  Value() = default;
  Value(Reading &reading, ElementType type, Shape shape,
        std::shared_ptr<void> content)
      : owner(&reading), elementType(type), extents(std::move(shape)),
        held(std::move(content)) {}

  explicit operator bool() const { return owner != nullptr; }
  Reading &reading() const { return *owner; }
  ElementType type() const { return elementType; }
  const Shape &shape() const { return extents; }
  /// What the reading made it with.
  const std::shared_ptr<void> &content() const { return held; }

  /// With a dimension of one element more, at `axis`.
  Value expand(unsigned axis) const;
  /// Elements rounded to another type; integers become floats exactly or
  /// rounded, floats integers towards zero.
  Value to(ElementType type) const;
  /// The transpose of a tile of two dimensions.
  Value transpose() const;

private:
  Reading *owner = nullptr;
  ElementType elementType = ElementType::F32;
  Shape extents;
  std::shared_ptr<void> held;
};

enum class Unary : uint8_t {
  Negate,
  Absolute,
  Exp2,
  Log2,
  SquareRoot,
  ReciprocalSquareRoot,
  Erf,
  /// To the nearest integer, ties to even.
  Round,
};

enum class Binary : uint8_t {
  Add,
  Subtract,
  Multiply,
  /// Of integers: towards zero.
  Divide,
  Remainder,
  Minimum,
  Maximum,
  And,
  Or,
  Less,
  LessOrEqual,
  Equal,
};

/// How elements along an axis are combined.
enum class Combination : uint8_t { Sum, Maximum };

/// How a dot may round f32 operands.
enum class Precision : uint8_t { Full, TF32 };

/// What a box has along one dimension of a tensor: the one index `start`, which
/// is no dimension of the tile; `size` indices from `start` on, a multiple of
/// `size` wherever the tensor's extent is known to be one; or, of a box that is
/// loaded, the indices that a tile `start` of one dimension has, each of which
/// is inside the tensor.
struct Along {
  Along(Value start, int64_t size = 0)
      : start(std::move(start)), size(size), tile(size) {}
  /// A part of a tile of `tile` indices, which begins inside the tensor; the
  /// part may be beyond it.
  static Along part(Value start, int64_t size, int64_t tile) {
    Along along(std::move(start), size);
    along.tile = tile;
    return along;
  }
  /// Where a tile of indices says; `mayExceed`: some of them may be beyond the
  /// tensor.
  static Along gathered(Value indices, bool mayExceed = false) {
    int64_t size = indices.shape()[0];
    Along along(std::move(indices), size);
    along.mayExceed = mayExceed;
    return along;
  }
  bool isGathered() const { return !start.shape().empty(); }
  Value start;
  int64_t size, tile;
  bool mayExceed = false; ///< where it is gathered
};
using Box = std::vector<Along>;

/// A tensor in memory, or a part of one.
struct Tensor {
  /// Of the signature.
  unsigned index = 0;
  ElementType type = ElementType::F32;
  /// In elements.
  std::vector<Value> sizes, strides;
  /// The offset, in elements, of a part of a tensor; missing: 0.
  Value offset;
  /// A power of two that divides each size, as far as it is known.
  std::vector<int64_t> divisibility;

  /// Whether a box of `size` along `d` may reach beyond the tensor.
  bool mayExceed(unsigned d, int64_t size) const {
    return size > 0 && divisibility[d] % size != 0;
  }
  bool mayExceed(unsigned d, const Along &along) const {
    return along.isGathered() ? along.mayExceed : mayExceed(d, along.tile);
  }
  /// Indices [begin, begin + length) along `d`, counted from 0 again.
  /// `lengthDivisor`: a power of two that is known to divide the length.
  Tensor slice(unsigned d, Value begin, Value length,
               int64_t lengthDivisor = 1) const;
  /// What has that one index along `d`, which is no dimension any more.
  Tensor at(unsigned d, const Value &index) const;
  /// Of two dimensions: the other one first.
  Tensor transposed() const;
  /// Dimension `d`, whose size is a multiple of `parts`, as so many parts of
  /// it: which one is a new first dimension.
  Tensor parted(unsigned d, int64_t parts) const;
  /// Dimension `d`, whose size is a multiple of `size`, as two: which block of
  /// so many indices it is, and which index of that block.
  Tensor blocked(unsigned d, int64_t size) const;
};

/// A tile of coded weights. Scales have one element for each group along the
/// axis of groups (of which the tile may be a part), and the tile's size or 1
/// elsewhere; without any, weights are what their codes stand for.
struct CodedTile {
  Value words, scales;
  /// What is subtracted from codes, of the scales' shape (without scales: of
  /// one element for each group), and the code book, of one dimension; where
  /// there are any.
  Value zeros, book;
  Coding coding;
  /// The dimension along which words are packed, and that of groups.
  unsigned axis = 0, groupAxis = 0;
  /// Elements of a group.
  int64_t group = 1;
  /// Whether numbers are larger by the power of two at which their codes stand
  /// in their bytes (`in_bytes` of tile.dequantize).
  bool inBytes = false;

  /// Of the weights.
  Shape shape() const;
};

/// One iteration: from the index and what is carried to what is carried on.
using Iteration =
    std::function<std::vector<Value>(Value, const std::vector<Value> &)>;

/// One way to read a kernel. Operands have one shape and one type, but where it
/// says otherwise; the operators below see to that.
class Reading {
public:
  explicit Reading(const Signature &signature) : parameters(signature) {}
  virtual ~Reading() = default;
  const Signature &signature() const { return parameters; }

  /// What the kernel takes, by the index in the signature.
  virtual Value number(unsigned index) = 0;
  Tensor tensor(unsigned index);
  /// Which program of the grid this is.
  virtual Value program(unsigned axis) = 0;

  virtual Value constant(double value, ElementType type, Shape shape = {}) = 0;
  /// 0, 1, ... size - 1.
  virtual Value range(int64_t size) = 0;
  virtual Value unary(Unary operation, const Value &a) = 0;
  virtual Value binary(Binary operation, const Value &a, const Value &b) = 0;
  virtual Value select(const Value &condition, const Value &a,
                       const Value &b) = 0;
  virtual Value convert(const Value &a, ElementType type) = 0;
  virtual Value expand(const Value &a, unsigned axis) = 0;
  /// Of a scalar, or of a tile of the same rank whose sizes are these or 1.
  virtual Value broadcast(const Value &a, const Shape &shape) = 0;
  virtual Value transpose(const Value &a) = 0;
  /// The elements along `axis`, a power of two of them, in another order: bit b
  /// of an index of the result is bit order[b] of the index in `a`.
  virtual Value reorder(const Value &a, unsigned axis,
                        const std::vector<unsigned> &order) = 0;
  /// The elements of which bit `bit` of the index along `axis`, which has a
  /// power of two of them, is 0, and the others.
  virtual std::array<Value, 2> halve(const Value &a, unsigned axis,
                                     unsigned bit) = 0;
  /// The same elements under another shape, the last dimension fastest.
  virtual Value reshape(const Value &a, const Shape &shape) = 0;
  virtual Value reduce(const Value &a, unsigned axis, Combination how) = 0;
  /// Of each element and those before it along the axis: their sum.
  virtual Value sumsAlong(const Value &a, unsigned axis) = 0;
  /// Of `programs` programs of consecutive numbers along x, a cluster, each
  /// computes `part` of its number in it. The sum of all parts is cut along
  /// `axis` into as many slices, of which the program gets that of its number.
  /// Not in a loop, and under no condition.
  virtual Value reduceScatter(int64_t programs, unsigned axis,
                              const std::function<Value(Value)> &part) = 0;
  /// Row `rows[i]` of a tile of two dimensions as row i; `rows`: n x 1, each
  /// below n.
  virtual Value gatherRows(const Value &a, const Value &rows) = 0;
  /// sum + a b; a and b have one element type. Of tiles of three dimensions,
  /// for each index of the first one.
  virtual Value dot(const Value &a, const Value &b, const Value &sum,
                    Precision precision) = 0;
  /// (value of the code - zero) * scale, rounded to `type` (tile.dequantize);
  /// without scales the scale is 1. Of integers without scales `type` may be
  /// I8, where that holds their differences from zeros of I8.
  virtual Value dequantize(const CodedTile &tile, ElementType type) = 0;
  /// The inverse of I + S, where S is the part of an n x n tile of f32 that is
  /// below its diagonal. `precision`: of the products of its blocks.
  virtual Value invertUnitLower(const Value &lower, Precision precision) = 0;
  /// The box's elements; 0 beyond the tensor.
  virtual Value load(const Tensor &tensor, const Box &box) = 0;
  /// Writes what of the box is inside the tensor.
  virtual void store(const Tensor &tensor, const Box &box,
                     const Value &value) = 0;
  /// For begin, begin + step, ... below end.
  virtual std::vector<Value> forEach(const Value &begin, const Value &end,
                                     int64_t step, std::vector<Value> carried,
                                     const Iteration &iteration) = 0;
  /// What `then` does where a scalar condition holds.
  virtual void when(const Value &condition,
                    const std::function<void()> &then) = 0;
  /// Values of one of two ways to compute them, by a scalar condition; only
  /// that one is gone. `then` is what is expected, for counts.
  using Way = std::function<std::vector<Value>()>;
  virtual std::vector<Value> choose(const Value &condition, const Way &then,
                                    const Way &otherwise) = 0;

  Value integer(int64_t value) {
    return constant(static_cast<double>(value), ElementType::I32);
  }

private:
  const Signature &parameters;
};

/// The order of a dimension's bits (Reading::reorder) that undoes another one.
std::vector<unsigned> inverseOrder(const std::vector<unsigned> &order);

//===----------------------------------------------------------------------===//
// Arithmetic: scalars and dimensions of one element are repeated
//===----------------------------------------------------------------------===//

Value combine(Binary operation, const Value &a, const Value &b);
Value combine(Binary operation, const Value &a, double b);
Value combine(Binary operation, double a, const Value &b);
Value select(const Value &condition, const Value &a, const Value &b);
Value select(const Value &condition, const Value &a, double b);
Value apply(Unary operation, const Value &a);

inline Value operator-(const Value &a) { return apply(Unary::Negate, a); }
inline Value exp2(const Value &a) { return apply(Unary::Exp2, a); }
inline Value log2(const Value &a) { return apply(Unary::Log2, a); }

#define TILEWRIGHT_OPERATION(NAME, OPERATION)                                  \
  inline Value NAME(const Value &a, const Value &b) {                          \
    return combine(Binary::OPERATION, a, b);                                   \
  }                                                                            \
  inline Value NAME(const Value &a, double b) {                                \
    return combine(Binary::OPERATION, a, b);                                   \
  }                                                                            \
  inline Value NAME(double a, const Value &b) {                                \
    return combine(Binary::OPERATION, a, b);                                   \
  }
TILEWRIGHT_OPERATION(operator+, Add)
TILEWRIGHT_OPERATION(operator-, Subtract)
TILEWRIGHT_OPERATION(operator*, Multiply)
TILEWRIGHT_OPERATION(operator/, Divide)
TILEWRIGHT_OPERATION(operator%, Remainder)
TILEWRIGHT_OPERATION(operator<, Less)
TILEWRIGHT_OPERATION(operator<=, LessOrEqual)
TILEWRIGHT_OPERATION(operator==, Equal)
TILEWRIGHT_OPERATION(operator&, And)
TILEWRIGHT_OPERATION(operator|, Or)
TILEWRIGHT_OPERATION(minimum, Minimum)
TILEWRIGHT_OPERATION(maximum, Maximum)
#undef TILEWRIGHT_OPERATION

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_NOTATION_H
