// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Counting.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

using namespace tilewright;
using namespace tilewright::kernels;

namespace {

/// An integer scalar, where it is known.
using Known = std::optional<int64_t>;

/// What is known of a value.
struct Facts {
  Known integer;
  /// How many loops there were around where a tile was loaded; -1: it was not.
  int loadedAt = -1;
  /// Whether all elements of a tile are one number.
  bool isUniform = false;
  /// How many loops there were around a dot whose result the tile is made of,
  /// or that carry it: another dot adds to it in place; -1: none does.
  int summedAt = -1;
};

class Counting : public Reading {
public:
  Counting(const Signature &signature, unsigned warps)
      : Reading(signature), warps(warps) {}
  Counts counts;

  void setProgram(int64_t x, int64_t y, int64_t z) { place = {x, y, z}; }

  Value number(unsigned index) override {
    const Number &number = signature().numbers[index];
    return scalar(number.isInteger() ? Known(number.integer()) : std::nullopt,
                  number.type);
  }
  Value program(unsigned axis) override {
    return scalar(place[axis], ElementType::I32);
  }
  Value constant(double value, ElementType type, Shape shape) override {
    if (shape.empty() && !run::isFloat(type))
      return scalar(static_cast<int64_t>(value), type);
    Facts facts;
    facts.isUniform = true;
    return {*this, type, std::move(shape), std::make_shared<Facts>(facts)};
  }
  Value range(int64_t size) override { return make(ElementType::I32, {size}); }
  Value unary(Unary, const Value &a) override {
    counts.special += weight * elements(a.shape());
    return make(a.type(), a.shape());
  }
  Value binary(Binary operation, const Value &a, const Value &b) override;
  Value select(const Value &condition, const Value &a,
               const Value &b) override {
    if (a.shape().empty() && known(condition))
      return *known(condition) ? a : b;
    counts.arithmetic += weight * elements(a.shape());
    return make(a.type(), a.shape());
  }
  Value convert(const Value &a, ElementType type) override {
    if (a.shape().empty() && known(a) && !run::isFloat(type))
      return scalar(known(a), type);
    counts.arithmetic += weight * elements(a.shape());
    return {*this, type, a.shape(), a.content()};
  }
  Value expand(const Value &a, unsigned axis) override {
    Shape shape = a.shape();
    shape.insert(shape.begin() + axis, 1);
    return make(a.type(), std::move(shape));
  }
  Value broadcast(const Value &a, const Shape &shape) override {
    return make(a.type(), shape);
  }
  Value transpose(const Value &a) override {
    return {
        *this, a.type(), {a.shape().rbegin(), a.shape().rend()}, a.content()};
  }
  Value reorder(const Value &a, unsigned,
                const std::vector<unsigned> &) override {
    return a;
  }
  std::array<Value, 2> halve(const Value &a, unsigned axis, unsigned) override {
    Shape shape = a.shape();
    shape[axis] /= 2;
    Value half{*this, a.type(), std::move(shape), a.content()};
    return {half, half};
  }
  Value reshape(const Value &a, const Shape &shape) override {
    return make(a.type(), shape);
  }
  Value reduce(const Value &a, unsigned axis, Combination) override {
    counts.arithmetic += weight * elements(a.shape());
    Shape shape = a.shape();
    shape.erase(shape.begin() + axis);
    return make(a.type(), std::move(shape));
  }
  Value sumsAlong(const Value &a, unsigned) override {
    counts.arithmetic += 5 * weight * elements(a.shape());
    return make(a.type(), a.shape());
  }
  Value reduceScatter(int64_t programs, unsigned axis,
                      const std::function<Value(Value)> &part) override {
    Value sum = part(program(0) % double(programs));
    Shape shape = sum.shape();
    counts.arithmetic += weight * elements(shape);
    counts.clusterPrograms = programs;
    shape[axis] /= programs;
    return make(sum.type(), std::move(shape));
  }
  Value gatherRows(const Value &a, const Value &) override {
    counts.arithmetic += weight * elements(a.shape());
    return make(a.type(), a.shape());
  }
  Value invertUnitLower(const Value &lower, Precision precision) override;
  Value dot(const Value &a, const Value &b, const Value &sum,
            Precision precision) override {
    double rows = a.shape()[a.shape().size() - 2], columns = b.shape().back();
    double multiplyAdds = weight * elements(a.shape()) * columns;
    // Sums of one operand stand beside another product of it. Of rows or
    // columns that are alike an instruction makes all.
    if (isUniform(a) || isUniform(b)) {
      double alike = (isUniform(a) ? rows : columns) / 16;
      counts.multiplyAdds += multiplyAdds / std::max(alike, 1.0);
      return make(sum.type(), sum.shape());
    }
    bool isFull = precision == Precision::Full && a.type() == ElementType::F32;
    (isFull ? counts.fullMultiplyAdds : counts.multiplyAdds) += multiplyAdds;
    counts.operandBytes += weight * operandBytes(a, b, /*together=*/1);
    counts.groupOperandBytes += weight * operandBytes(a, b, /*together=*/4);
    counts.dotSteps += isFull ? 0 : weight * std::ceil(a.shape().back() / 16.0);
    counts.operandType = a.type();
    if (!isSum(sum))
      dotElements.push_back(elements(sum.shape()));
    for (const Value *operand : {&a, &b})
      if (!isLoadedHere(*operand))
        residentBytes +=
            elements(operand->shape()) * run::byteSize(operand->type());
    counts.residentOperandBytes =
        std::max(counts.residentOperandBytes, residentBytes);
    worksHere = true;
    return makeSum(sum.type(), sum.shape());
  }
  Value dequantize(const CodedTile &tile, ElementType type) override {
    // By pairs where scales and zeros allow it (docs/Numbers.md).
    bool isWide = (tile.scales && tile.scales.type() != type) ||
                  (tile.zeros && run::isFloat(tile.zeros.type()));
    double each = tile.inBytes                                     ? 0.75
                  : !run::isFloat(type)                            ? 2
                  : tile.coding.format == Coding::Format::CodeBook ? 8
                  : isWide                                         ? 4
                                                                   : 2;
    if (!tile.scales)
      each -= isWide ? 1 : 0.5;
    counts.arithmetic += each * weight * elements(tile.shape());
    counts.unpackedTiles += weight;
    return make(type, tile.shape());
  }
  Value load(const Tensor &tensor, const Box &box) override;
  void store(const Tensor &tensor, const Box &box,
             const Value &value) override {
    counts.storedBytes += weight * bytesOf(tensor, box);
    counts.lineBytes += weight * linesOf(tensor, box);
    counts.boxBytes = std::max(counts.boxBytes, wholeBytesOf(tensor, box));
  }
  std::vector<Value> forEach(const Value &begin, const Value &end, int64_t step,
                             std::vector<Value> carried,
                             const Iteration &iteration) override;
  void when(const Value &condition,
            const std::function<void()> &then) override {
    if (known(condition).value_or(1))
      then();
  }
  std::vector<Value> choose(const Value &condition, const Way &then,
                            const Way &otherwise) override {
    return known(condition).value_or(1) ? then() : otherwise();
  }

private:
  static double elements(const Shape &shape) {
    double count = 1;
    for (int64_t size : shape)
      count *= size;
    return count;
  }
  /// Of a value of which nothing is known, none.
  static Facts factsOf(const Value &value) {
    return value.content() ? *static_cast<Facts *>(value.content().get())
                           : Facts();
  }
  static Known known(const Value &value) { return factsOf(value).integer; }
  Value make(ElementType type, Shape shape) {
    return {*this, type, std::move(shape), nullptr};
  }
  bool isSum(const Value &tile) const {
    return factsOf(tile).summedAt == depth;
  }
  /// What dots of this iteration add to in place.
  Value makeSum(ElementType type, Shape shape) {
    auto facts = std::make_shared<Facts>();
    facts->summedAt = depth;
    return {*this, type, std::move(shape), std::move(facts)};
  }
  Value scalar(Known value, ElementType type) {
    return {*this, type, {}, std::make_shared<Facts>(Facts{value})};
  }
  /// Whether this iteration has loaded the tile.
  bool isLoadedHere(const Value &tile) const {
    return factsOf(tile).loadedAt == depth;
  }
  static bool isUniform(const Value &tile) { return factsOf(tile).isUniform; }
  double bytesOf(const Tensor &tensor, const Box &box);
  static double wholeBytesOf(const Tensor &tensor, const Box &box);
  Known expected(const Tensor &tensor, const Box &box);
  double linesOf(const Tensor &tensor, const Box &box);
  double operandBytes(const Value &a, const Value &b, unsigned together) const;

  unsigned warps;
  std::array<int64_t, 3> place = {};
  /// How often what is being read happens, and in how many loops.
  double weight = 1;
  int depth = 0;
  /// Of the dots of the iteration being read, elements of the results that
  /// take a place of their own.
  std::vector<double> dotElements;
  /// Of their operands that it has not loaded, in bytes.
  double residentBytes = 0;
  /// Loaded so far, in whole boxes.
  double loadedBoxes = 0;
  /// Whether the loop being read loads or multiplies, outside inner loops.
  bool worksHere = false;
};

} // namespace

static int64_t compute(Binary operation, int64_t a, int64_t b) {
  switch (operation) {
  case Binary::Add:
    return a + b;
  case Binary::Subtract:
    return a - b;
  case Binary::Multiply:
    return a * b;
  case Binary::Divide:
    return b ? a / b : 0;
  case Binary::Remainder:
    return b ? a % b : 0;
  case Binary::Minimum:
    return std::min(a, b);
  case Binary::Maximum:
    return std::max(a, b);
  case Binary::And:
    return a & b;
  case Binary::Or:
    return a | b;
  case Binary::Less:
    return a < b;
  case Binary::LessOrEqual:
    return a <= b;
  case Binary::Equal:
    return a == b;
  }
  return 0;
}

Value Counting::binary(Binary operation, const Value &a, const Value &b) {
  bool isComparison = operation == Binary::Less ||
                      operation == Binary::LessOrEqual ||
                      operation == Binary::Equal;
  ElementType type = isComparison ? ElementType::I1 : a.type();
  if (run::isFloat(a.type()))
    counts.arithmetic += weight * elements(a.shape());
  if (known(a) && known(b))
    return scalar(compute(operation, *known(a), *known(b)), type);
  // In the place of the operand.
  if (!isComparison && (isSum(a) || isSum(b)))
    return makeSum(type, a.shape());
  return make(type, a.shape());
}

/// Diagonal blocks of 16 row by row, then two products for each doubling of the
/// blocks, or as many multiply-adds where f32 must not be rounded.
Value Counting::invertUnitLower(const Value &lower, Precision precision) {
  double n = double(lower.shape()[0]);
  counts.arithmetic += 4 * weight * 15 * 16 * n;
  // One row waits for the other as a loop's iteration does for a load.
  counts.iterations += 15 * weight;
  double doublings = std::max(std::log2(n) - 4, 0.0);
  (precision == Precision::Full ? counts.fullMultiplyAdds
                                : counts.multiplyAdds) +=
      weight * 2 * doublings * n * n * n;
  return make(lower.type(), lower.shape());
}

/// Of a box, as far as it is inside the tensor.
double Counting::bytesOf(const Tensor &tensor, const Box &box) {
  double bytes = run::byteSize(tensor.type);
  for (size_t d = 0; d < box.size(); ++d) {
    if (!box[d].size)
      continue;
    Known start = known(box[d].start), size = known(tensor.sizes[d]);
    int64_t inside = box[d].size;
    if (start && size)
      inside = std::clamp<int64_t>(*size - *start, 0, inside);
    bytes *= inside;
  }
  return bytes;
}

/// Of a box, in and outside of the tensor.
double Counting::wholeBytesOf(const Tensor &tensor, const Box &box) {
  double bytes = run::byteSize(tensor.type);
  for (const Along &along : box)
    bytes *= std::max<int64_t>(along.size, 1);
  return bytes;
}

/// Of a dot whose warps divide the result among them so that they read least:
/// `together` of them at a time, by 16 rows each, read these rows of one
/// operand and their columns of the other once. What this iteration has not
/// loaded is in registers. Where a result has too few rows for so many its
/// columns, if there are enough of them, are the rows of its transpose.
double Counting::operandBytes(const Value &a, const Value &b,
                              unsigned together) const {
  double bytes = run::byteSize(a.type());
  double left = isLoadedHere(a) ? elements(a.shape()) : 0;
  double right = isLoadedHere(b) ? elements(b.shape()) : 0;
  // Those of several dots are divided among them first.
  size_t rank = a.shape().size();
  double dots = rank > 2 ? a.shape()[0] : 1;
  unsigned ofOne = std::max(1u, unsigned(warps / dots));
  unsigned parties = std::max(1u, ofOne / together);
  int64_t size = a.shape()[rank - 2], others = b.shape()[rank - 1];
  if (together > 1 && size < 16 * together && others >= 16 * together) {
    std::swap(left, right);
    std::swap(size, others);
  }
  if (together > 1 && (ofOne < together || size < 16 * together))
    return operandBytes(a, b, /*together=*/1);
  double least = left * parties + right;
  for (unsigned rows = 1; rows <= parties; rows *= 2)
    if (size >= 16 * together * rows)
      least = std::min(least, left * (parties / rows) + right * rows);
  return least * bytes;
}

/// Bytes of the lines that a box touches, where the dimension with stride 1 is
/// what lies together.
double Counting::linesOf(const Tensor &tensor, const Box &box) {
  constexpr double line = 128;
  double bytes = bytesOf(tensor, box), run = run::byteSize(tensor.type);
  for (size_t d = 0; d < box.size(); ++d)
    if (box[d].size && known(tensor.strides[d]) == 1)
      run *= box[d].size;
  return run < line ? bytes * (line / run) : bytes;
}

/// The integer that a tensor has there, as far as what is promised of it says:
/// parts between offsets are alike, lengths are the longest.
Known Counting::expected(const Tensor &tensor, const Box &box) {
  const TensorParameter &parameter = signature().tensors[tensor.index];
  const Content &content = parameter.content;
  Known last = known(box.back().start);
  Known size = known(tensor.sizes.back());
  switch (content.kind) {
  case Content::Kind::Any:
  case Content::Kind::Codes:
  case Content::Kind::Decays:
  case Content::Kind::Ascending:
    return std::nullopt;
  case Content::Kind::Below:
  case Content::Kind::Distinct:
  case Content::Kind::Slots:
    return 0;
  case Content::Kind::Lengths:
    return content.limit;
  case Content::Kind::Offsets:
    if (!last)
      return std::nullopt;
    if (!size || *size < 2)
      return 0;
    return content.limit * *last / (*size - 1);
  }
  return std::nullopt;
}

Value Counting::load(const Tensor &tensor, const Box &box) {
  counts.loadedBytes += weight * bytesOf(tensor, box);
  counts.lineBytes += weight * linesOf(tensor, box);
  loadedBoxes += weight * wholeBytesOf(tensor, box);
  counts.boxBytes = std::max(counts.boxBytes, wholeBytesOf(tensor, box));
  worksHere = true;
  Shape shape;
  for (const Along &along : box)
    if (along.size)
      shape.push_back(along.size);
  if (shape.empty())
    return scalar(expected(tensor, box), tensor.type);
  return {*this, tensor.type, std::move(shape),
          std::make_shared<Facts>(Facts{std::nullopt, depth})};
}

std::vector<Value> Counting::forEach(const Value &begin, const Value &end,
                                     int64_t step, std::vector<Value> carried,
                                     const Iteration &iteration) {
  int64_t first = known(begin).value_or(0), last = known(end).value_or(step);
  int64_t iterations = std::max<int64_t>((last - first + step - 1) / step, 0);
  double outer = weight, loadedBefore = loadedBoxes;
  bool outerWorks = worksHere;
  std::vector<double> outerDots = std::exchange(dotElements, {});
  double outerResident = std::exchange(residentBytes, 0);
  worksHere = false;
  weight = outer * iterations;
  ++depth;
  // What is known of a tile before the loop is not known of it within.
  for (Value &value : carried)
    if (!value.shape().empty())
      value = makeSum(value.type(), value.shape());
  std::vector<Value> results =
      iteration(scalar(first, ElementType::I32), carried);
  weight = outer;
  --depth;
  double elementsCarried = 0;
  for (const Value &value : carried)
    elementsCarried += value.shape().empty() ? 0 : elements(value.shape());
  // Of more results one is made of another.
  std::sort(dotElements.begin(), dotElements.end(), std::greater<>());
  dotElements.resize(2);
  counts.liveElements = std::max(
      counts.liveElements, elementsCarried + dotElements[0] + dotElements[1]);
  dotElements = std::move(outerDots);
  if (iterations > 0 && worksHere) {
    counts.iterations += outer * iterations;
    counts.loadedBytesPerIteration =
        std::max(counts.loadedBytesPerIteration,
                 (loadedBoxes - loadedBefore) / (outer * iterations));
  }
  residentBytes = outerResident;
  worksHere = outerWorks;
  return results;
}

Counts kernels::count(const Signature &signature, const Grid &grid,
                      unsigned warps,
                      const std::function<void(Reading &)> &text) {
  Counting counting(signature, warps);
  int64_t programs = grid.programs();
  int64_t samples = std::min<int64_t>(programs, 16);
  for (int64_t sample = 0; sample < samples; ++sample) {
    // The middle of its share.
    int64_t program = (2 * sample + 1) * programs / (2 * samples);
    counting.setProgram(program % grid.x, program / grid.x % grid.y,
                        program / grid.x / grid.y);
    text(counting);
  }
  Counts counts = counting.counts;
  double scale = samples ? double(programs) / samples : 0;
  for (double *count :
       {&counts.multiplyAdds, &counts.fullMultiplyAdds, &counts.arithmetic,
        &counts.special, &counts.loadedBytes, &counts.storedBytes,
        &counts.lineBytes, &counts.operandBytes, &counts.groupOperandBytes})
    *count *= scale;
  for (double *mean :
       {&counts.iterations, &counts.dotSteps, &counts.unpackedTiles})
    *mean = samples ? *mean / samples : 0;
  counts.programs = static_cast<double>(programs);
  return counts;
}

double kernels::compulsoryBytes(const Signature &signature) {
  double bytes = 0;
  for (const TensorParameter &tensor : signature.tensors) {
    if (tensor.role == Role::Workspace)
      continue;
    double elements = 1;
    std::vector<int64_t> sizes = signature.sizesOf(tensor);
    std::vector<int64_t> strides = signature.stridesOf(tensor);
    for (size_t d = 0; d < sizes.size(); ++d)
      elements *= strides[d] ? sizes[d] : 1;
    bytes += elements * run::byteSize(tensor.type);
  }
  return bytes;
}
