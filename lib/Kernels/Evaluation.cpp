// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Evaluation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Of exponentials, logarithms, roots, quotients (docs/Numbers.md).
constexpr double functionError = 0x1p-22;

/// A tile on the host, the last dimension fastest.
struct Tile {
  std::vector<double> values, bounds;
  explicit Tile(size_t size) : values(size), bounds(size) {}
};

/// A number with its bound.
struct Bounded {
  double value, bound;
};

int64_t countElements(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

class Evaluation : public Reading {
public:
  Evaluation(const Signature &signature, std::vector<Array> &arrays)
      : Reading(signature), arrays(arrays) {}

  void setProgram(int64_t x, int64_t y, int64_t z) { place = {x, y, z}; }
  const std::string &problem() const { return violation; }

  Value number(unsigned index) override {
    const Number &number = signature().numbers[index];
    // Factors reach the kernel as f32.
    double value =
        number.isInteger() ? number.value : static_cast<float>(number.value);
    return constant(value, number.type, {});
  }
  Value program(unsigned axis) override { return integer(place[axis]); }
  Value constant(double value, ElementType type, Shape shape) override;
  Value range(int64_t size) override;
  Value unary(Unary operation, const Value &a) override;
  Value binary(Binary operation, const Value &a, const Value &b) override;
  Value select(const Value &condition, const Value &a, const Value &b) override;
  Value convert(const Value &a, ElementType type) override;
  Value expand(const Value &a, unsigned axis) override;
  Value broadcast(const Value &a, const Shape &shape) override;
  Value transpose(const Value &a) override;
  Value reorder(const Value &a, unsigned axis,
                const std::vector<unsigned> &order) override;
  std::array<Value, 2> halve(const Value &a, unsigned axis,
                             unsigned bit) override;
  Value reshape(const Value &a, const Shape &shape) override {
    return {*this, a.type(), shape, a.content()};
  }
  Value reduce(const Value &a, unsigned axis, Combination how) override;
  Value sumsAlong(const Value &a, unsigned axis) override;
  Value reduceScatter(int64_t programs, unsigned axis,
                      const std::function<Value(Value)> &part) override;
  Value gatherRows(const Value &a, const Value &rows) override;
  Value dot(const Value &a, const Value &b, const Value &sum,
            Precision precision) override;
  Value dequantize(const CodedTile &tile, ElementType type) override;
  Value invertUnitLower(const Value &lower, Precision precision) override;
  Value load(const Tensor &tensor, const Box &box) override;
  void store(const Tensor &tensor, const Box &box, const Value &value) override;
  std::vector<Value> forEach(const Value &begin, const Value &end, int64_t step,
                             std::vector<Value> carried,
                             const Iteration &iteration) override;
  void when(const Value &condition,
            const std::function<void()> &then) override {
    if (scalar(condition) != 0)
      then();
  }
  std::vector<Value> choose(const Value &condition, const Way &then,
                            const Way &otherwise) override {
    return scalar(condition) != 0 ? then() : otherwise();
  }

private:
  using Reading::integer;
  static const Tile &tile(const Value &value) {
    return *static_cast<const Tile *>(value.content().get());
  }
  static double scalar(const Value &value) { return tile(value).values[0]; }
  static int64_t index(const Value &value) {
    return static_cast<int64_t>(scalar(value));
  }
  Value wrap(std::shared_ptr<Tile> tile, ElementType type, Shape shape) {
    return {*this, type, std::move(shape), std::move(tile)};
  }
  template <typename Function>
  Value forElements(ElementType type, const Shape &shape, Function function);
  template <typename Visit>
  void visit(const Tensor &tensor, const Box &box, Visit visit);
  bool admits(const Tensor &tensor, unsigned d, int64_t place,
              const Along &along);

  std::vector<Array> &arrays;
  std::array<int64_t, 3> place = {};
  std::string violation;
};

} // namespace

Rounding kernels::roundingOf(ElementType type) {
  switch (type) {
  case ElementType::F8E4M3:
    return {0x1p-4, 0x1p-10};
  case ElementType::F8E5M2:
    return {0x1p-3, 0x1p-17};
  case ElementType::F16:
    return {0x1p-11, 0x1p-25};
  case ElementType::BF16:
    return {0x1p-8, 0x1p-126};
  case ElementType::F32:
    return {0x1p-24, 0x1p-126};
  default:
    return {};
  }
}

double kernels::largestOf(ElementType type) {
  switch (type) {
  case ElementType::F8E4M3:
    return 448;
  case ElementType::F8E5M2:
    return 57344;
  case ElementType::F16:
    return 65504;
  case ElementType::BF16:
    return 0x1.fep127;
  case ElementType::F32:
    return 0x1.fffffep127;
  default:
    return std::numeric_limits<double>::max();
  }
}

/// The exponent of the lowest bit that is set; of 0 there is none.
static int lowestBit(double value) {
  if (value == 0)
    return std::numeric_limits<int>::max();
  int exponent;
  double mantissa = std::frexp(std::abs(value), &exponent);
  auto bits = static_cast<uint64_t>(std::ldexp(mantissa, 53));
  return exponent - 53 + std::countr_zero(bits);
}

/// Whether a finite number is one of the type, which keeps it through
/// roundings.
static bool isHeld(double value, ElementType type) {
  if (value == 0)
    return true;
  Rounding rounding = roundingOf(type);
  // What is smaller than the smallest normal number of f32 may become 0.
  double least =
      type == ElementType::F32 ? rounding.absolute : 2 * rounding.absolute;
  double unit = std::ldexp(1.0, lowestBit(value));
  return std::abs(value) <= largestOf(type) && unit >= least &&
         std::abs(value) < unit / rounding.relative;
}

/// `bound`; infinite where it was made of 0 times what may be anything.
static double knownBound(double bound) {
  return std::isnan(bound) ? infinity : bound;
}

/// The bound after an operation whose result is rounded to the type.
static Bounded rounded(Bounded number, ElementType type) {
  if (!std::isfinite(number.value))
    return {number.value, 0};
  number.bound = knownBound(number.bound);
  if (number.bound == 0 && isHeld(number.value, type))
    return number;
  Rounding rounding = roundingOf(type);
  // What is smaller than the smallest normal number may become 0.
  double flushed = type == ElementType::F32 ? rounding.absolute : 0;
  return {number.value,
          number.bound + flushed + rounding.relative * std::abs(number.value)};
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// A tile whose element i is function(i).
template <typename Function>
Value Evaluation::forElements(ElementType type, const Shape &shape,
                              Function function) {
  size_t count = countElements(shape);
  auto result = std::make_shared<Tile>(count);
  for (size_t i = 0; i < count; ++i) {
    Bounded element = function(i);
    result->values[i] = element.value;
    result->bounds[i] = element.bound;
  }
  return wrap(std::move(result), type, shape);
}

Value Evaluation::constant(double value, ElementType type, Shape shape) {
  return forElements(type, shape, [&](size_t) { return Bounded{value, 0}; });
}

Value Evaluation::range(int64_t size) {
  return forElements(ElementType::I32, {size}, [&](size_t i) {
    return Bounded{static_cast<double>(i), 0};
  });
}

static double compute(Unary operation, double x) {
  switch (operation) {
  case Unary::Negate:
    return -x;
  case Unary::Absolute:
    return std::abs(x);
  case Unary::Exp2:
    return std::exp2(x);
  case Unary::Log2:
    return std::log2(std::max(x, 0.0));
  case Unary::SquareRoot:
    return std::sqrt(std::max(x, 0.0));
  case Unary::ReciprocalSquareRoot:
    return 1 / std::sqrt(std::max(x, 0.0));
  case Unary::Erf:
    return std::erf(x);
  case Unary::Round:
    return std::nearbyint(x);
  }
  return 0;
}

/// A monotone function: what it gives at both ends of where its argument may
/// be.
static Bounded computeBounded(Unary operation, double x, double bound) {
  double value = compute(operation, x);
  if (operation == Unary::Negate || operation == Unary::Absolute)
    return {value, bound};
  if (!std::isfinite(value))
    return {value, 0};
  double spread =
      bound == 0 ? 0
                 : std::max(std::abs(compute(operation, x - bound) - value),
                            std::abs(compute(operation, x + bound) - value));
  double own = operation == Unary::Round ? 0
               : operation == Unary::Log2
                   ? functionError * std::max(1.0, std::abs(value))
                   : functionError * std::abs(value) + 0x1p-126;
  return {value, spread + own};
}

Value Evaluation::unary(Unary operation, const Value &a) {
  const Tile &x = tile(a);
  return forElements(a.type(), a.shape(), [&](size_t i) {
    return computeBounded(operation, x.values[i], x.bounds[i]);
  });
}

static double computeInteger(Binary operation, double x, double y) {
  int64_t a = static_cast<int64_t>(x), b = static_cast<int64_t>(y);
  switch (operation) {
  case Binary::Divide:
    return static_cast<double>(a / b);
  case Binary::Remainder:
    return static_cast<double>(a % b);
  case Binary::And:
    return static_cast<double>(a & b);
  case Binary::Or:
    return static_cast<double>(a | b);
  default:
    return 0;
  }
}

static Bounded computeFloat(Binary operation, Bounded a, Bounded b) {
  double x = a.value, y = b.value;
  // Of comparisons: whether the bounds leave both answers.
  auto mayDiffer = [&] {
    double bounds = a.bound + b.bound;
    return double(bounds > 0 && std::abs(x - y) <= bounds);
  };
  switch (operation) {
  case Binary::Add:
    return {x + y, a.bound + b.bound};
  case Binary::Subtract:
    return {x - y, a.bound + b.bound};
  case Binary::Multiply:
    return {x * y,
            std::abs(x) * b.bound + std::abs(y) * a.bound + a.bound * b.bound};
  case Binary::Divide: {
    double least = std::abs(y) - b.bound;
    double quotient = x / y;
    return {quotient, least > 0
                          ? (a.bound + std::abs(quotient) * b.bound) / least +
                                functionError * std::abs(quotient)
                          : infinity};
  }
  case Binary::Minimum:
    return {std::fmin(x, y), std::max(a.bound, b.bound)};
  case Binary::Maximum:
    return {std::fmax(x, y), std::max(a.bound, b.bound)};
  case Binary::Less:
    return {double(x < y), mayDiffer()};
  case Binary::LessOrEqual:
    return {double(x <= y), mayDiffer()};
  case Binary::Equal:
    return {double(x == y), mayDiffer()};
  default:
    return {std::nan(""), 0};
  }
}

Value Evaluation::binary(Binary operation, const Value &a, const Value &b) {
  const Tile &x = tile(a), &y = tile(b);
  bool isFloat = run::isFloat(a.type());
  bool isComparison = operation == Binary::Less ||
                      operation == Binary::LessOrEqual ||
                      operation == Binary::Equal;
  bool isOfWords =
      !isFloat &&
      (operation == Binary::Divide || operation == Binary::Remainder ||
       operation == Binary::And || operation == Binary::Or);
  bool rounds = isFloat && !isComparison && operation != Binary::Minimum &&
                operation != Binary::Maximum;
  ElementType type = isComparison ? ElementType::I1 : a.type();
  return forElements(type, a.shape(), [&](size_t i) {
    if (isOfWords)
      return Bounded{computeInteger(operation, x.values[i], y.values[i]), 0};
    Bounded result = computeFloat(operation, {x.values[i], x.bounds[i]},
                                  {y.values[i], y.bounds[i]});
    // What 32 bits do not hold comes around.
    if (type == ElementType::I32 && std::abs(result.value) < 0x1p62)
      result.value = static_cast<int32_t>(static_cast<int64_t>(result.value));
    return rounds ? rounded(result, type) : result;
  });
}

Value Evaluation::select(const Value &condition, const Value &a,
                         const Value &b) {
  const Tile &which = tile(condition), &x = tile(a), &y = tile(b);
  return forElements(a.type(), a.shape(), [&](size_t i) {
    const Tile &chosen = which.values[i] != 0 ? x : y;
    return Bounded{chosen.values[i], chosen.bounds[i]};
  });
}

/// A number rounded to a floating-point type: kept as it is, but for what the
/// type cannot hold. fp8 saturates.
static Bounded roundTo(Bounded number, ElementType type) {
  Rounding rounding = roundingOf(type);
  double largest = largestOf(type);
  bool saturates = type == ElementType::F8E4M3 || type == ElementType::F8E5M2;
  Bounded result = rounded(number, type);
  if (std::isfinite(number.value) && result.bound > 0)
    result.bound += rounding.absolute;
  if (saturates)
    result.value = std::clamp(result.value, -largest, largest);
  if (saturates || !std::isfinite(number.value))
    return result;
  // Infinite from half a unit above the largest number on.
  double limit =
      largest + std::exp2(std::floor(std::log2(largest))) * rounding.relative;
  double magnitude = std::abs(number.value);
  if (magnitude - number.bound >= limit)
    return {std::copysign(infinity, result.value), 0};
  if (magnitude + number.bound >= limit)
    result.bound = infinity;
  return result;
}

Value Evaluation::convert(const Value &a, ElementType type) {
  const Tile &x = tile(a);
  bool fromFloat = run::isFloat(a.type()), toFloat = run::isFloat(type);
  bool isWider = fromFloat && toFloat &&
                 roundingOf(type).relative <= roundingOf(a.type()).relative;
  return forElements(type, a.shape(), [&](size_t i) {
    Bounded from{x.values[i], x.bounds[i]};
    if (fromFloat && !toFloat)
      return Bounded{std::trunc(from.value),
                     std::max(std::abs(std::trunc(from.value + from.bound) -
                                       std::trunc(from.value)),
                              std::abs(std::trunc(from.value - from.bound) -
                                       std::trunc(from.value)))};
    if (!toFloat || isWider)
      return from;
    bool isExact = !fromFloat && std::abs(from.value) <= 256;
    return isExact ? from : roundTo(from, type);
  });
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Value Evaluation::expand(const Value &a, unsigned axis) {
  Shape shape = a.shape();
  shape.insert(shape.begin() + axis, 1);
  return {*this, a.type(), std::move(shape), a.content()};
}

/// The row-major index of coordinates that count through `shape` as `i` does,
/// where dimensions of one element in `of` do not count.
static size_t indexIn(size_t i, const Shape &shape, const Shape &of) {
  size_t index = 0, stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    size_t coordinate = i % shape[d];
    i /= shape[d];
    if (of[d] != 1)
      index += coordinate * stride;
    stride *= of[d];
  }
  return index;
}

Value Evaluation::broadcast(const Value &a, const Shape &shape) {
  const Tile &x = tile(a);
  return forElements(a.type(), shape, [&](size_t i) {
    size_t from = a.shape().empty() ? 0 : indexIn(i, shape, a.shape());
    return Bounded{x.values[from], x.bounds[from]};
  });
}

Value Evaluation::transpose(const Value &a) {
  const Tile &x = tile(a);
  int64_t rows = a.shape()[0], columns = a.shape()[1];
  return forElements(a.type(), {columns, rows}, [&](size_t i) {
    size_t from = (i % rows) * columns + i / rows;
    return Bounded{x.values[from], x.bounds[from]};
  });
}

Value Evaluation::reorder(const Value &a, unsigned axis,
                          const std::vector<unsigned> &order) {
  const Tile &x = tile(a);
  size_t inner = 1, size = a.shape()[axis];
  for (size_t d = axis + 1; d < a.shape().size(); ++d)
    inner *= a.shape()[d];
  return forElements(a.type(), a.shape(), [&](size_t i) {
    size_t at = i / inner % size, from = 0;
    for (size_t bit = 0; bit < order.size(); ++bit)
      from |= (at >> bit & 1) << order[bit];
    size_t place = i + (from - at) * inner;
    return Bounded{x.values[place], x.bounds[place]};
  });
}

std::array<Value, 2> Evaluation::halve(const Value &a, unsigned axis,
                                       unsigned bit) {
  const Tile &x = tile(a);
  Shape shape = a.shape();
  size_t below = size_t(1) << bit;
  for (size_t d = axis + 1; d < shape.size(); ++d)
    below *= shape[d];
  shape[axis] /= 2;
  auto part = [&](size_t which) {
    return forElements(a.type(), shape, [&](size_t i) {
      size_t from = (i / below * 2 + which) * below + i % below;
      return Bounded{x.values[from], x.bounds[from]};
    });
  };
  return {part(0), part(1)};
}

/// Each program of the cluster computes all parts anew: there are few.
Value Evaluation::reduceScatter(int64_t programs, unsigned axis,
                                const std::function<Value(Value)> &part) {
  Value sum = part(integer(0));
  for (int64_t i = 1; i < programs; ++i)
    sum = sum + part(integer(i));
  const Tile &x = tile(sum);
  Shape shape = sum.shape();
  shape[axis] /= programs;
  size_t slice = 1;
  for (size_t d = axis; d < shape.size(); ++d)
    slice *= shape[d];
  size_t own = place[0] % programs;
  return forElements(sum.type(), shape, [&](size_t i) {
    size_t from = (i / slice * programs + own) * slice + i % slice;
    return Bounded{x.values[from], x.bounds[from]};
  });
}

Value Evaluation::reduce(const Value &a, unsigned axis, Combination how) {
  const Tile &x = tile(a);
  Shape shape = a.shape();
  int64_t count = shape[axis], inner = 1;
  for (size_t d = axis + 1; d < shape.size(); ++d)
    inner *= shape[d];
  shape.erase(shape.begin() + axis);
  double perElement = count * roundingOf(a.type()).relative;
  return forElements(a.type(), shape, [&](size_t i) {
    size_t first = i / inner * inner * count + i % inner;
    double sum = 0, magnitudes = 0, bounds = 0;
    double largest = -infinity, largestBound = 0;
    for (int64_t j = 0; j < count; ++j) {
      double value = x.values[first + j * inner];
      double bound = x.bounds[first + j * inner];
      sum += value;
      magnitudes += std::abs(value);
      bounds += bound;
      largest = std::fmax(largest, value);
      largestBound = std::max(largestBound, bound);
    }
    return how == Combination::Sum
               ? Bounded{sum, bounds + perElement * magnitudes}
               : Bounded{largest, largestBound};
  });
}

/// Sums in any order, as a reduction's: each of at most `count` terms.
Value Evaluation::sumsAlong(const Value &a, unsigned axis) {
  const Tile &x = tile(a);
  int64_t count = a.shape()[axis], inner = 1;
  for (size_t d = axis + 1; d < a.shape().size(); ++d)
    inner *= a.shape()[d];
  double perElement = count * roundingOf(a.type()).relative;
  auto result = std::make_shared<Tile>(x);
  std::vector<double> magnitudes(x.values.size());
  for (size_t i = 0; i < x.values.size(); ++i) {
    magnitudes[i] = std::abs(x.values[i]);
    if (i / inner % count == 0)
      continue;
    result->values[i] += result->values[i - inner];
    result->bounds[i] += result->bounds[i - inner];
    magnitudes[i] += magnitudes[i - inner];
  }
  for (size_t i = 0; i < x.values.size(); ++i)
    result->bounds[i] += perElement * magnitudes[i];
  return wrap(std::move(result), a.type(), a.shape());
}

Value Evaluation::gatherRows(const Value &a, const Value &rows) {
  const Tile &x = tile(a), &of = tile(rows);
  int64_t columns = a.shape()[1];
  return forElements(a.type(), a.shape(), [&](size_t i) {
    size_t row = static_cast<size_t>(of.values[i / columns]);
    size_t from = row * columns + i % columns;
    return Bounded{x.values[from], x.bounds[from]};
  });
}

//===----------------------------------------------------------------------===//
// Triangular systems
//===----------------------------------------------------------------------===//

/// X = (I + S)^-1 by substitution. What is computed is the inverse for an
/// S + D with |D| <= bounds of S + gamma |S| (N. Higham, "Accuracy and
/// Stability of Numerical Algorithms", 2nd ed., section 14.2, where it holds
/// for substitution and for blocks that are merged by products), so that it
/// differs from X by at most Y = |X| |D| (|X| + Y), and a rounding.
Value Evaluation::invertUnitLower(const Value &lower, Precision precision) {
  const Tile &s = tile(lower);
  int64_t n = lower.shape()[0];
  // Each of up to n terms is rounded; for each doubling of the blocks two
  // operands of two products may be rounded to tf32.
  double gamma = 4 * double(n) * 0x1p-24;
  for (int64_t size = 16; size < n && precision == Precision::TF32; size *= 2)
    gamma += 4 * 0x1p-10;
  auto result = std::make_shared<Tile>(n * n);
  std::vector<double> &x = result->values, &y = result->bounds;
  std::vector<double> moved(n * n); // |D| (|X| + Y)
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t column = 0; column <= i; ++column) {
      double sum = i == column, away = 0;
      for (int64_t j = column; j < i; ++j) {
        size_t at = i * n + j, of = j * n + column;
        sum -= s.values[at] * x[of];
        away += (s.bounds[at] + gamma * std::abs(s.values[at])) *
                (std::abs(x[of]) + y[of]);
      }
      x[i * n + column] = sum;
      moved[i * n + column] = away;
    }
    for (int64_t column = 0; column < i; ++column) {
      double bound = gamma * std::abs(x[i * n + column]);
      for (int64_t j = column; j <= i; ++j)
        bound += std::abs(x[i * n + j]) * moved[j * n + column];
      y[i * n + column] = knownBound(bound);
    }
  }
  return wrap(std::move(result), lower.type(), lower.shape());
}

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

/// What each addition of a matrix instruction may lose of the sum's magnitude:
/// they truncate to about f32's precision, and on some GPUs sums of fp8
/// products keep 14 bits (DeepSeek-V3 technical report, section 3.3.2).
static double additionError(ElementType operand, ElementType sum) {
  if (!run::isFloat(sum))
    return 0;
  bool isFp8 = operand == ElementType::F8E4M3 || operand == ElementType::F8E5M2;
  return isFp8 ? 0x1p-13 : 0x1p-23;
}

/// The exponent of the lowest bit of any number of a tile; the smallest one
/// where one of them has a bound.
static int lowestExactBit(const Tile &tile) {
  int lowest = std::numeric_limits<int>::max();
  for (size_t i = 0; i < tile.values.size(); ++i) {
    if (tile.bounds[i] != 0 || !std::isfinite(tile.values[i]))
      return -100000;
    lowest = std::min(lowest, lowestBit(tile.values[i]));
  }
  return lowest;
}

/// Up to which magnitude sums of a x b to c are exact in any order: their terms
/// are multiples of one unit, of which a sum holds so many. 0: up to none.
static double exactMagnitude(const Tile &a, const Tile &b, const Tile &c,
                             double sumError) {
  int64_t unit = int64_t(lowestExactBit(a)) + lowestExactBit(b);
  unit = std::min<int64_t>(unit, lowestExactBit(c));
  if (unit < -1000 || sumError == 0)
    return 0;
  return std::ldexp(1 / sumError,
                    static_cast<int>(std::min<int64_t>(unit, 900)));
}

Value Evaluation::dot(const Value &a, const Value &b, const Value &sum,
                      Precision precision) {
  const Tile &x = tile(a), &y = tile(b), &c = tile(sum);
  int64_t k = a.shape().back(), n = b.shape().back();
  int64_t rows = countElements(sum.shape()) / n;
  int64_t rowsOfOne = sum.shape()[sum.shape().size() - 2];
  double operandError = precision == Precision::TF32 ? 0x1p-10 : 0;
  double perSum = additionError(a.type(), sum.type()) * (k > 64 ? 64 : k);
  double exact =
      operandError == 0
          ? exactMagnitude(x, y, c, additionError(a.type(), sum.type()))
          : 0;
  auto result = std::make_shared<Tile>(c);
  std::vector<double> magnitudes(n);
  for (int64_t row = 0; row < rows; ++row) {
    int64_t firstOfRight = row / rowsOfOne * k;
    double *values = &result->values[row * n],
           *bounds = &result->bounds[row * n];
    std::fill(magnitudes.begin(), magnitudes.end(), 0.0);
    for (int64_t j = 0; j < k; ++j) {
      double p = x.values[row * k + j];
      double pBound = x.bounds[row * k + j] + operandError * std::abs(p);
      if (p == 0 && pBound == 0)
        continue;
      const double *q = &y.values[(firstOfRight + j) * n];
      const double *qBounds = &y.bounds[(firstOfRight + j) * n];
      for (int64_t column = 0; column < n; ++column) {
        double qBound = qBounds[column] + operandError * std::abs(q[column]);
        values[column] += p * q[column];
        magnitudes[column] += std::abs(p * q[column]);
        bounds[column] +=
            std::abs(p) * qBound + pBound * (std::abs(q[column]) + qBound);
      }
    }
    for (int64_t column = 0; column < n; ++column) {
      double magnitude =
          magnitudes[column] + std::abs(c.values[row * n + column]);
      if (magnitude > exact)
        bounds[column] += perSum * magnitude;
      bounds[column] = knownBound(bounds[column]);
    }
  }
  return wrap(std::move(result), sum.type(), sum.shape());
}

//===----------------------------------------------------------------------===//
// Coded weights
//===----------------------------------------------------------------------===//

/// A code with others above it, and its lowest bit in the word.
struct PlacedCode {
  uint64_t bits;
  unsigned bit;
};

/// The code of the element at `place`, of weights of `shape`.
static PlacedCode codeAt(const CodedTile &coded, const Tile &words,
                         const Shape &shape, size_t place) {
  unsigned codes = coded.coding.codesPerWord(coded.words.type());
  size_t inner = 1;
  for (size_t d = coded.axis + 1; d < shape.size(); ++d)
    inner *= shape[d];
  size_t along = place / inner % shape[coded.axis];
  // A word has the `codes` elements from a multiple of it on.
  size_t word = place / inner / codes * inner + place % inner;
  auto bits = static_cast<uint64_t>(static_cast<int64_t>(words.values[word]));
  unsigned bit = coded.coding.bitOf(along % codes, codes);
  return {bits >> bit, bit};
}

/// Where the scale and the zero are of the element at `place`.
static size_t groupOf(const CodedTile &coded, const Shape &shape,
                      size_t place) {
  const Value &values = coded.scales ? coded.scales : coded.zeros;
  const Shape &of = values.shape();
  size_t index = 0, stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    size_t at = place % shape[d];
    place /= shape[d];
    if (d == coded.groupAxis)
      at /= coded.group;
    index += (of[d] == 1 ? 0 : at) * stride;
    stride *= of[d];
  }
  return index;
}

Value Evaluation::dequantize(const CodedTile &coded, ElementType type) {
  const Tile &words = tile(coded.words);
  const Coding &coding = coded.coding;
  Shape shape = coded.shape();
  auto multiply = [](Bounded a, Bounded b) {
    return rounded(computeFloat(Binary::Multiply, a, b), ElementType::F32);
  };
  return forElements(type, shape, [&](size_t i) {
    auto [code, bit] = codeAt(coded, words, shape, i);
    size_t group = coded.scales || coded.zeros ? groupOf(coded, shape, i) : 0;
    Bounded value{coding.valueOf(code), 0};
    if (coded.book) {
      size_t entry = code & ((uint64_t(1) << coding.bits) - 1);
      value = {tile(coded.book).values[entry], tile(coded.book).bounds[entry]};
    }
    if (coded.zeros) {
      const Tile &zeros = tile(coded.zeros);
      value = computeFloat(Binary::Subtract, value,
                           {zeros.values[group], zeros.bounds[group]});
      // Integers of a few bits are exact.
      if (run::isFloat(coded.zeros.type()))
        value = rounded(value, ElementType::F32);
    }
    Bounded product = value;
    if (coded.scales) {
      const Tile &scales = tile(coded.scales);
      product = multiply(value, {scales.values[group], scales.bounds[group]});
    }
    if (coded.inBytes) {
      double power = double(1u << bit % 8);
      product = {product.value * power, product.bound * power};
    }
    return type == ElementType::F32 ? product : roundTo(product, type);
  });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Whether the place is inside the tensor; beyond it without a mask is a fault
/// of the kernel.
bool Evaluation::admits(const Tensor &tensor, unsigned d, int64_t place,
                        const Along &along) {
  int64_t size = index(tensor.sizes[d]);
  if (place >= 0 && place < size)
    return true;
  if (place < 0 || !tensor.mayExceed(d, along))
    violation = "expects index " + std::to_string(place) + " of dimension " +
                std::to_string(d) + " of '" +
                signature().tensors[tensor.index].name + "' to be below " +
                std::to_string(size);
  return false;
}

/// Calls visit(index in the tile, offset or -1) for each element of a box.
template <typename Visit>
void Evaluation::visit(const Tensor &tensor, const Box &box, Visit visit) {
  int64_t base = tensor.offset ? index(tensor.offset) : 0;
  Shape shape;
  for (const Along &along : box)
    if (along.size)
      shape.push_back(along.size);
  for (int64_t i = 0, count = countElements(shape); i < count; ++i) {
    int64_t offset = base, rest = i;
    bool isInside = true;
    for (size_t d = box.size(); d-- > 0;) {
      int64_t place = index(box[d].start);
      if (box[d].isGathered())
        place =
            static_cast<int64_t>(tile(box[d].start).values[rest % box[d].size]);
      else if (box[d].size)
        place += rest % box[d].size;
      if (box[d].size)
        rest /= box[d].size;
      isInside &= admits(tensor, d, place, box[d]);
      offset += place * index(tensor.strides[d]);
    }
    visit(i, isInside ? offset : -1);
  }
}

Value Evaluation::load(const Tensor &tensor, const Box &box) {
  Shape shape;
  for (const Along &along : box)
    if (along.size)
      shape.push_back(along.size);
  auto result = std::make_shared<Tile>(countElements(shape));
  const Array &array = arrays[tensor.index];
  visit(tensor, box, [&](int64_t i, int64_t offset) {
    if (offset < 0)
      return;
    result->values[i] = array.values[offset];
    result->bounds[i] = array.bounds[offset];
  });
  return wrap(std::move(result), tensor.type, std::move(shape));
}

void Evaluation::store(const Tensor &tensor, const Box &box,
                       const Value &value) {
  const Tile &from = tile(value);
  Array &array = arrays[tensor.index];
  visit(tensor, box, [&](int64_t i, int64_t offset) {
    if (offset < 0)
      return;
    array.values[offset] = from.values[i];
    array.bounds[offset] = from.bounds[i];
  });
}

std::vector<Value> Evaluation::forEach(const Value &begin, const Value &end,
                                       int64_t step, std::vector<Value> carried,
                                       const Iteration &iteration) {
  for (int64_t i = index(begin), last = index(end); i < last; i += step)
    carried = iteration(integer(i), carried);
  return carried;
}

Result<void> kernels::evaluate(const Signature &signature, const Grid &grid,
                               const std::function<void(Reading &)> &text,
                               std::vector<Array> &arrays) {
  Evaluation evaluation(signature, arrays);
  for (int64_t z = 0; z < grid.z; ++z)
    for (int64_t y = 0; y < grid.y; ++y)
      for (int64_t x = 0; x < grid.x; ++x) {
        evaluation.setProgram(x, y, z);
        text(evaluation);
        if (!evaluation.problem().empty())
          return Error{ErrorCode::InvalidArgument, evaluation.problem()};
      }
  return runtime::success();
}
