// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/LinearLayout.h"

#include "dialects/Layout/F2.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace tilewright::layout {

namespace {

constexpr const char *resourceNames[] = {"register", "lane", "warp", "block",
                                         "offset"};

uint64_t lowMask(unsigned bits) { return (uint64_t(1) << bits) - 1; }

unsigned totalBits(std::span<const AxisBits> axes) {
  unsigned total = 0;
  for (const AxisBits &axis : axes)
    total += axis.bits;
  return total;
}

/// The entry of `axis`, or null.
const AxisBits *find(const std::vector<AxisBits> &axes, Axis axis) {
  for (const AxisBits &entry : axes)
    if (entry.axis == axis)
      return &entry;
  return nullptr;
}

unsigned bitsOf(const std::vector<AxisBits> &axes, Axis axis) {
  const AxisBits *entry = find(axes, axis);
  return entry ? entry->bits : 0;
}

unsigned offsetOf(const std::vector<AxisBits> &axes, Axis axis) {
  unsigned offset = 0;
  for (const AxisBits &entry : axes) {
    if (entry.axis == axis)
      return offset;
    offset += entry.bits;
  }
  assert(false && "the layout does not have this axis");
  return offset;
}

/// Both lists of axes, those of `first` first; sizes of an axis that both have
/// add up.
std::vector<AxisBits> joinAxes(const std::vector<AxisBits> &first,
                               const std::vector<AxisBits> &second) {
  std::vector<AxisBits> result = first;
  for (const AxisBits &entry : second) {
    auto it =
        std::find_if(result.begin(), result.end(),
                     [&](const AxisBits &r) { return r.axis == entry.axis; });
    if (it == result.end())
      result.push_back(entry);
    else
      it->bits += entry.bits;
  }
  return result;
}

[[maybe_unused]] bool distinct(const std::vector<AxisBits> &axes) {
  for (size_t i = 0; i < axes.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (axes[i].axis == axes[j].axis)
        return false;
  return true;
}

/// `axes` in the order named; those named only.
std::vector<AxisBits> select(const std::vector<AxisBits> &axes,
                             std::span<const Axis> order) {
  std::vector<AxisBits> result;
  for (Axis axis : order) {
    const AxisBits *entry = find(axes, axis);
    assert(entry && "the layout does not have this axis");
    result.push_back(*entry);
  }
  return result;
}

std::vector<Axis> names(const std::vector<AxisBits> &axes) {
  std::vector<Axis> result;
  for (const AxisBits &entry : axes)
    result.push_back(entry.axis);
  return result;
}

bool areInOrder(const std::vector<AxisBits> &axes,
                std::span<const Axis> order) {
  return std::ranges::equal(axes, order, {}, &AxisBits::axis);
}

std::vector<Axis> without(const std::vector<AxisBits> &axes, Axis axis) {
  std::vector<Axis> result = names(axes);
  std::erase(result, axis);
  return result;
}

/// Moves the rows of a flat value from the axes `from` to the axes `to`, each
/// axis `shift(axis)` bits up in `to`. Axes that `to` lacks are dropped.
template <typename Shift>
uint64_t moveRows(uint64_t value, const std::vector<AxisBits> &from,
                  const std::vector<AxisBits> &to, Shift shift) {
  uint64_t result = 0;
  for (const AxisBits &entry : from) {
    if (find(to, entry.axis))
      result |= (value & lowMask(entry.bits))
                << (offsetOf(to, entry.axis) + shift(entry.axis));
    value >>= entry.bits;
  }
  return result;
}

uint64_t moveRows(uint64_t value, const std::vector<AxisBits> &from,
                  const std::vector<AxisBits> &to) {
  return moveRows(value, from, to, [](Axis) { return 0u; });
}

std::string listNames(const std::vector<AxisBits> &axes) {
  std::string result = "(";
  for (const AxisBits &entry : axes) {
    if (result.size() > 1)
      result += ", ";
    result += entry.axis.name();
  }
  return result + ")";
}

} // namespace

std::string Axis::name() const {
  if (isCoordinate())
    return "dim" + std::to_string(dimension());
  return resourceNames[value];
}

std::optional<Axis> Axis::fromName(std::string_view name) {
  for (unsigned kind = Register; kind < Coordinate; ++kind)
    if (name == resourceNames[kind])
      return Axis(static_cast<Kind>(kind));
  if (!name.starts_with("dim"))
    return std::nullopt;
  name.remove_prefix(3);
  // One spelling for each axis: no sign, no leading zero, no number that does
  // not fit.
  if (name.empty() || name.size() > 3 || (name.size() > 1 && name[0] == '0'))
    return std::nullopt;
  unsigned dimension = 0;
  for (char digit : name) {
    if (digit < '0' || digit > '9')
      return std::nullopt;
    dimension = dimension * 10 + (digit - '0');
  }
  if (dimension > 255u - Coordinate)
    return std::nullopt;
  return coordinate(dimension);
}

LinearLayout::LinearLayout(std::vector<AxisBits> inputs,
                           std::vector<AxisBits> outputs,
                           std::vector<uint64_t> columns)
    : inputAxes(std::move(inputs)), outputAxes(std::move(outputs)),
      matrix(std::move(columns)) {
  assert(distinct(inputAxes) && distinct(outputAxes) && "axis named twice");
  assert(totalInputBits() <= 63 && totalOutputBits() <= 63 &&
         "a layout has at most 63 bits on each side");
  assert(matrix.size() == totalInputBits() &&
         "a layout has one column for each input bit");
  for ([[maybe_unused]] uint64_t column : matrix)
    assert(column >> totalOutputBits() == 0 &&
           "a column has more bits than the outputs");
}

LinearLayout LinearLayout::identity(Axis input, Axis output, unsigned bits) {
  std::vector<uint64_t> columns;
  for (unsigned bit = 0; bit < bits; ++bit)
    columns.push_back(uint64_t(1) << bit);
  return LinearLayout({{input, bits}}, {{output, bits}}, std::move(columns));
}

LinearLayout LinearLayout::zeros(Axis input, Axis output, unsigned bits,
                                 unsigned outputBits) {
  return LinearLayout({{input, bits}}, {{output, outputBits}},
                      std::vector<uint64_t>(bits, 0));
}

LinearLayout LinearLayout::empty(std::span<const Axis> inputs,
                                 std::span<const Axis> outputs) {
  LinearLayout result;
  for (Axis axis : inputs)
    result.inputAxes.push_back({axis, 0});
  for (Axis axis : outputs)
    result.outputAxes.push_back({axis, 0});
  assert(distinct(result.inputAxes) && distinct(result.outputAxes) &&
         "axis named twice");
  return result;
}

bool LinearLayout::hasInput(Axis axis) const { return find(inputAxes, axis); }
bool LinearLayout::hasOutput(Axis axis) const { return find(outputAxes, axis); }

unsigned LinearLayout::inputBits(Axis axis) const {
  return bitsOf(inputAxes, axis);
}
unsigned LinearLayout::outputBits(Axis axis) const {
  return bitsOf(outputAxes, axis);
}
unsigned LinearLayout::totalInputBits() const { return totalBits(inputAxes); }
unsigned LinearLayout::totalOutputBits() const { return totalBits(outputAxes); }
unsigned LinearLayout::inputOffset(Axis axis) const {
  return offsetOf(inputAxes, axis);
}
unsigned LinearLayout::outputOffset(Axis axis) const {
  return offsetOf(outputAxes, axis);
}

uint64_t LinearLayout::column(Axis input, unsigned bit) const {
  assert(bit < inputBits(input) && "the axis does not have this bit");
  return matrix[inputOffset(input) + bit];
}

uint64_t LinearLayout::basis(Axis input, unsigned bit, Axis output) const {
  return (column(input, bit) >> outputOffset(output)) &
         lowMask(outputBits(output));
}

bool LinearLayout::reaches(Axis input, Axis output) const {
  for (unsigned bit = 0; bit < inputBits(input); ++bit)
    if (basis(input, bit, output) != 0)
      return true;
  return false;
}

uint64_t LinearLayout::apply(uint64_t input) const {
  return f2::apply(matrix, input);
}

std::vector<AxisValue>
LinearLayout::apply(std::span<const AxisValue> input) const {
  uint64_t flat = 0;
  for (const AxisValue &entry : input) {
    assert(entry.value >> inputBits(entry.axis) == 0 &&
           "a value is outside its axis");
    flat |= entry.value << inputOffset(entry.axis);
  }
  uint64_t output = apply(flat);
  std::vector<AxisValue> result;
  for (const AxisBits &entry : outputAxes) {
    result.push_back({entry.axis, output & lowMask(entry.bits)});
    output >>= entry.bits;
  }
  return result;
}

LinearLayout LinearLayout::operator*(const LinearLayout &other) const {
  std::vector<AxisBits> inputs = joinAxes(inputAxes, other.inputAxes);
  std::vector<AxisBits> outputs = joinAxes(outputAxes, other.outputAxes);
  auto above = [&](Axis axis) { return outputBits(axis); };
  std::vector<uint64_t> columns;
  for (const AxisBits &input : inputs) {
    unsigned mine = inputBits(input.axis);
    for (unsigned bit = 0; bit < mine; ++bit)
      columns.push_back(moveRows(column(input.axis, bit), outputAxes, outputs));
    for (unsigned bit = mine; bit < input.bits; ++bit)
      columns.push_back(moveRows(other.column(input.axis, bit - mine),
                                 other.outputAxes, outputs, above));
  }
  return LinearLayout(std::move(inputs), std::move(outputs),
                      std::move(columns));
}

std::optional<LinearLayout>
LinearLayout::divideLeft(const LinearLayout &divisor) const {
  auto remainder = [](const std::vector<AxisBits> &all,
                      const std::vector<AxisBits> &part)
      -> std::optional<std::vector<AxisBits>> {
    for (const AxisBits &entry : part)
      if (!find(all, entry.axis) || bitsOf(all, entry.axis) < entry.bits)
        return std::nullopt;
    std::vector<AxisBits> result = all;
    for (AxisBits &entry : result)
      entry.bits -= bitsOf(part, entry.axis);
    return result;
  };
  std::optional<std::vector<AxisBits>> inputs =
      remainder(inputAxes, divisor.inputAxes);
  std::optional<std::vector<AxisBits>> outputs =
      remainder(outputAxes, divisor.outputAxes);
  if (!inputs || !outputs)
    return std::nullopt;

  std::vector<uint64_t> columns;
  for (const AxisBits &input : *inputs) {
    unsigned skipped = divisor.inputBits(input.axis);
    for (unsigned bit = 0; bit < input.bits; ++bit) {
      uint64_t column = 0;
      for (const AxisBits &output : *outputs)
        column |= (basis(input.axis, skipped + bit, output.axis) >>
                   divisor.outputBits(output.axis))
                  << offsetOf(*outputs, output.axis);
      columns.push_back(column);
    }
  }
  LinearLayout quotient(std::move(*inputs), std::move(*outputs),
                        std::move(columns));
  LinearLayout product = divisor * quotient;
  if (product.reorderInputs(names(inputAxes))
          .reorderOutputs(names(outputAxes)) != *this)
    return std::nullopt;
  return quotient;
}

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  assert(outputAxes.size() == outer.inputAxes.size() &&
         "the outer layout must take exactly the outputs of the inner one");
  for ([[maybe_unused]] const AxisBits &entry : outputAxes)
    assert(outer.hasInput(entry.axis) &&
           entry.bits <= outer.inputBits(entry.axis) &&
           "the outer layout must take every output of the inner one");
  std::vector<uint64_t> columns;
  for (uint64_t column : matrix)
    columns.push_back(
        outer.apply(moveRows(column, outputAxes, outer.inputAxes)));
  return LinearLayout(inputAxes, outer.outputAxes, std::move(columns));
}

std::optional<LinearLayout> LinearLayout::invert() const {
  if (!isBijective())
    return std::nullopt;
  return rightInverse();
}

std::optional<LinearLayout> LinearLayout::rightInverse() const {
  f2::System system(matrix);
  if (system.rank() != totalOutputBits())
    return std::nullopt;
  std::vector<uint64_t> columns;
  for (unsigned bit = 0; bit < totalOutputBits(); ++bit)
    columns.push_back(*system.solve(uint64_t(1) << bit));
  return LinearLayout(outputAxes, inputAxes, std::move(columns));
}

std::optional<LinearLayout>
LinearLayout::convertTo(const LinearLayout &target) const {
  assert(outputAxes.size() == target.outputAxes.size() &&
         "a conversion keeps the outputs");
  for ([[maybe_unused]] const AxisBits &entry : outputAxes)
    assert(target.hasOutput(entry.axis) &&
           target.outputBits(entry.axis) == entry.bits &&
           "a conversion keeps the outputs");
  f2::System system(target.matrix);
  std::vector<uint64_t> columns;
  for (const AxisBits &input : inputAxes)
    for (unsigned bit = 0; bit < input.bits; ++bit) {
      uint64_t wanted =
          moveRows(column(input.axis, bit), outputAxes, target.outputAxes);
      if (bit < target.inputBits(input.axis) &&
          target.column(input.axis, bit) == wanted) {
        columns.push_back(uint64_t(1)
                          << (target.inputOffset(input.axis) + bit));
        continue;
      }
      std::optional<uint64_t> source = system.solve(wanted);
      if (!source)
        return std::nullopt;
      columns.push_back(*source);
    }
  return LinearLayout(inputAxes, target.inputAxes, std::move(columns));
}

unsigned LinearLayout::rank() const { return f2::Span(matrix).dimension(); }

std::vector<uint64_t> LinearLayout::kernel() const {
  return f2::System(matrix).kernel();
}

std::vector<uint64_t> LinearLayout::image() const {
  return f2::Span(matrix).basis();
}

uint64_t LinearLayout::redundantBits(Axis input) const {
  unsigned first = inputOffset(input);
  f2::Span span(std::span<const uint64_t>(matrix).first(first));
  uint64_t mask = 0;
  for (unsigned bit = 0; bit < inputBits(input); ++bit)
    if (!span.add(matrix[first + bit]))
      mask |= uint64_t(1) << bit;
  return mask;
}

LinearLayout LinearLayout::sublayout(std::span<const Axis> inputs,
                                     std::span<const Axis> outputs) const {
  std::vector<AxisBits> newInputs = select(inputAxes, inputs);
  std::vector<AxisBits> newOutputs = select(outputAxes, outputs);
  std::vector<uint64_t> columns;
  for (const AxisBits &input : newInputs)
    for (unsigned bit = 0; bit < input.bits; ++bit)
      columns.push_back(
          moveRows(column(input.axis, bit), outputAxes, newOutputs));
  return LinearLayout(std::move(newInputs), std::move(newOutputs),
                      std::move(columns));
}

LinearLayout LinearLayout::reorderInputs(std::span<const Axis> order) const {
  assert(order.size() == inputAxes.size() && "every axis must be named");
  return areInOrder(inputAxes, order) ? *this
                                      : sublayout(order, names(outputAxes));
}

LinearLayout LinearLayout::reorderOutputs(std::span<const Axis> order) const {
  assert(order.size() == outputAxes.size() && "every axis must be named");
  return areInOrder(outputAxes, order) ? *this
                                       : sublayout(names(inputAxes), order);
}

LinearLayout LinearLayout::reshapeInputs(std::vector<AxisBits> inputs) const {
  assert(totalBits(inputs) == totalInputBits() && "a reshape keeps the bits");
  return LinearLayout(std::move(inputs), outputAxes, matrix);
}

LinearLayout LinearLayout::reshapeOutputs(std::vector<AxisBits> outputs) const {
  assert(totalBits(outputs) == totalOutputBits() && "a reshape keeps the bits");
  return LinearLayout(inputAxes, std::move(outputs), matrix);
}

LinearLayout LinearLayout::removeOutput(Axis axis) const {
  assert(hasOutput(axis) && "the layout does not have this axis");
  return sublayout(names(inputAxes), without(outputAxes, axis));
}

LinearLayout LinearLayout::removeInput(Axis axis) const {
  assert(hasInput(axis) && "the layout does not have this axis");
  return sublayout(without(inputAxes, axis), names(outputAxes));
}

LinearLayout LinearLayout::removeZeroBits(Axis input) const {
  std::vector<AxisBits> inputs = inputAxes;
  std::vector<uint64_t> columns;
  size_t next = 0;
  for (AxisBits &entry : inputs) {
    unsigned kept = 0;
    for (unsigned bit = 0; bit < entry.bits; ++bit) {
      uint64_t column = matrix[next++];
      if (entry.axis == input && !column)
        continue;
      columns.push_back(column);
      ++kept;
    }
    entry.bits = kept;
  }
  return LinearLayout(std::move(inputs), outputAxes, std::move(columns));
}

LinearLayout
LinearLayout::transposeCoordinates(std::span<const unsigned> order) const {
  std::vector<Axis> sources;
  std::vector<AxisBits> outputs;
  for (const AxisBits &entry : outputAxes) {
    assert(
        (!entry.axis.isCoordinate() || entry.axis.dimension() < order.size()) &&
        "the order must name every coordinate");
    Axis source = entry.axis.isCoordinate()
                      ? Axis::coordinate(order[entry.axis.dimension()])
                      : entry.axis;
    sources.push_back(source);
    outputs.push_back({entry.axis, outputBits(source)});
  }
  return reorderOutputs(sources).reshapeOutputs(std::move(outputs));
}

unsigned LinearLayout::contiguousBits(Axis input, Axis output) const {
  if (!hasInput(input) || !hasOutput(output))
    return 0;
  unsigned first = inputOffset(input), row = outputOffset(output);
  unsigned limit = std::min(inputBits(input), outputBits(output));
  unsigned bits = 0;
  // Each row is reached by its own column alone, and that column reaches no
  // other row.
  for (; bits < limit; ++bits) {
    uint64_t unit = uint64_t(1) << (row + bits);
    if (matrix[first + bits] != unit ||
        std::count_if(matrix.begin(), matrix.end(),
                      [&](uint64_t column) { return column & unit; }) != 1)
      break;
  }
  return bits;
}

std::string LinearLayout::str() const {
  std::string result = listNames(inputAxes) + " -> " + listNames(outputAxes);
  const char *separator = ": ";
  for (const AxisBits &input : inputAxes) {
    for (unsigned bit = 0; bit < input.bits; ++bit) {
      result += separator;
      separator = ", ";
      result += input.axis.name() + "=" + std::to_string(uint64_t(1) << bit) +
                " -> (";
      const char *comma = "";
      for (const AxisBits &output : outputAxes) {
        result += comma + std::to_string(basis(input.axis, bit, output.axis));
        comma = ", ";
      }
      result += ")";
    }
    if (input.bits)
      separator = "; ";
  }
  return result;
}

unsigned log2Exact(uint64_t value) {
  assert(isPowerOfTwo(value) && "log2Exact expects a power of two");
  return std::countr_zero(value);
}

} // namespace tilewright::layout
