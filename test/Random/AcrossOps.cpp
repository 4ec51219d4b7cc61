// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, scans and products. Whatever the order in which elements are
// combined, results are the same: integers wrap, and sums of floats are exact
// or have their bounds.

#include "test/Random/KernelWriter.h"

#include <cmath>

using namespace tilewright;
using namespace tilewright::fuzz;

//===----------------------------------------------------------------------===//
// Combinations
//===----------------------------------------------------------------------===//

/// A sum of `length` floats; nothing where it could overflow or say nothing.
static std::optional<Range> getSumRange(const Value &source, double length) {
  Range sum{source.range.magnitude * length, source.range.error * length,
            source.range.isInteger};
  if (!sum.isExactIn(source.type.element))
    sum.error +=
        length * sum.magnitude * getFormat(source.type.element).getUnit();
  return round(sum, source.type.element);
}

KernelWriter::Combination
KernelWriter::makeSimpleCombination(const Value &source, int64_t length) {
  const std::string &element = source.type.element;
  std::string op = pickName({"arith.addi", "arith.muli", "arith.andi",
                             "arith.ori", "arith.xori", "arith.minsi",
                             "arith.maxsi", "arith.minui", "arith.maxui"});
  Range range = source.range;
  if (element == "i1")
    op = pickName({"arith.andi", "arith.ori", "arith.xori"});
  if (source.type.isFloat()) {
    op = pickName(
        {"arith.maxnumf", "arith.minnumf", "arith.maximumf", "arith.minimumf"});
    std::optional<Range> sum = getSumRange(source, length);
    if (sum && !oneIn(4)) {
      op = "arith.addf";
      range = *sum;
    }
  }
  std::string name = newName();
  return {{source},
          {range},
          name + " = " + op + " %x0, %y0 : " + element + "\n",
          {name}};
}

/// The largest element, and the smallest number of those that have it.
KernelWriter::Combination
KernelWriter::makeLargestWithIndex(const Value &source) {
  Value index = get(source.type.with("i32"));
  const std::string &element = source.type.element;
  std::string greater = newName(), equal = newName(), before = newName(),
              first = newName(), take = newName(), value = newName(),
              number = newName();
  bool isFloat = source.type.isFloat();
  std::string compare = isFloat ? "arith.cmpf o" : "arith.cmpi ";
  std::string text = greater + " = " + compare + (isFloat ? "gt" : "sgt") +
                     ", %x0, %y0 : " + element + "\n" + equal + " = " +
                     compare + "eq, %x0, %y0 : " + element + "\n" + before +
                     " = arith.cmpi slt, %x1, %y1 : i32\n" + first +
                     " = arith.andi " + equal + ", " + before + " : i1\n" +
                     take + " = arith.ori " + greater + ", " + first +
                     " : i1\n" + value + " = arith.select " + take +
                     ", %x0, %y0 : " + element + "\n" + number +
                     " = arith.select " + take + ", %x1, %y1 : i32\n";
  return {{source, index}, {source.range, {}}, text, {value, number}};
}

/// Two combinations beside each other.
KernelWriter::Combination KernelWriter::makePair(const Value &source,
                                                 int64_t length) {
  Combination one = makeSimpleCombination(source, length);
  Value second = get(source.type.with(pickElement()));
  Combination other = makeSimpleCombination(second, length);
  for (size_t at = 0; (at = other.body.find("0", at)) != std::string::npos;
       ++at)
    if (at > 1 && other.body[at - 2] == '%' &&
        (other.body[at - 1] == 'x' || other.body[at - 1] == 'y'))
      other.body[at] = '1';
  return {{source, second},
          {one.ranges[0], other.ranges[0]},
          one.body + other.body,
          {one.results[0], other.results[0]}};
}

/// Functions a * t + b after one another: associative, and not commutative.
KernelWriter::Combination KernelWriter::makeComposition(const Value &source) {
  Value second = get(source.type);
  std::string factor = newName(), product = newName(), sum = newName();
  const std::string &element = source.type.element;
  std::string text = factor + " = arith.muli %x0, %y0 : " + element + "\n" +
                     product + " = arith.muli %x1, %y0 : " + element + "\n" +
                     sum + " = arith.addi " + product + ", %y1 : " + element +
                     "\n";
  return {{source, second}, {{}, {}}, text, {factor, sum}};
}

void KernelWriter::writeCombination(const std::string &op,
                                    const std::string &attributes,
                                    const Combination &combination,
                                    const Shape &resultShape) {
  std::string operands, types, results, xs, ys, returned, elements;
  std::vector<Value> values;
  for (size_t index = 0; index < combination.sources.size(); ++index) {
    const Value &source = combination.sources[index];
    std::string comma = index ? ", " : "", number = std::to_string(index);
    ValueType type = source.type.with(resultShape);
    operands += comma + source.name;
    types += comma + source.type.str();
    results += comma + type.str();
    xs += comma + "%x" + number + ": " + source.type.element;
    ys += ", %y" + number + ": " + source.type.element;
    returned += comma + combination.results[index];
    elements += comma + source.type.element;
    values.push_back({newName(), type, combination.ranges[index]});
  }
  std::string names;
  for (const Value &value : values)
    names += (names.empty() ? "" : ", ") + value.name;
  emit(names + " = \"" + op + "\"(" + operands + ") <{" + attributes + "}> ({");
  emit("^bb0(" + xs + ys + "):");
  for (size_t at = 0; at < combination.body.size();) {
    size_t end = combination.body.find('\n', at);
    emit("  " + combination.body.substr(at, end - at));
    at = end + 1;
  }
  emit("  " + op + ".return " + returned + " : " + elements);
  emit("}) : (" + types + ") -> (" + results + ")");
  for (const Value &value : values)
    keep(value);
}

void KernelWriter::writeReduce() {
  std::optional<Value> found =
      find([](const Value &value) { return value.type.isTile(); });
  if (!found)
    return;
  Value source = *found;
  unsigned axis = pick(source.type.shape.size());
  int64_t length = source.type.shape[axis];
  bool hasOrder = source.type.element != "i1" && source.range.isExact();
  Combination combination = oneIn(3) && hasOrder ? makeLargestWithIndex(source)
                            : oneIn(4) ? makePair(source, length)
                                       : makeSimpleCombination(source, length);
  Shape shape = source.type.shape;
  shape.erase(shape.begin() + axis);
  writeCombination("tt.reduce", "axis = " + std::to_string(axis) + " : i32",
                   combination, shape);
}

void KernelWriter::writeScan() {
  std::optional<Value> found =
      find([](const Value &value) { return value.type.isTile(); });
  if (!found)
    return;
  Value source = *found;
  unsigned axis = pick(source.type.shape.size());
  int64_t length = source.type.shape[axis];
  bool isWide = source.type.isInteger() && source.type.element != "i1";
  bool hasOrder = source.type.element != "i1" && source.range.isExact();
  Combination combination = oneIn(3) && isWide ? makeComposition(source)
                            : oneIn(4) && hasOrder
                                ? makeLargestWithIndex(source)
                            : oneIn(4) ? makePair(source, length)
                                       : makeSimpleCombination(source, length);
  writeCombination("tt.scan",
                   "axis = " + std::to_string(axis) +
                       " : i32, reverse = " + (oneIn(3) ? "true" : "false"),
                   combination, source.type.shape);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

KernelWriter::DotForm KernelWriter::pickDotForm() {
  return pickFrom<DotForm>({{"f16", "f32", ""},
                            {"f16", "f32", ""},
                            {"f16", "f16", ""},
                            {"bf16", "f32", ""},
                            {"f32", "f32", ""},
                            {"f32", "f32", ", inputPrecision = tf32"},
                            {"i8", "i32", ""},
                            {"f64", "f64", ""}});
}

/// [batch,] M, N. Most are sizes that matrix instructions have.
Shape KernelWriter::pickDotShape() {
  auto pickSize = [&] {
    return int64_t(1) << (oneIn(4) ? pick(6) : 4 + pick(2));
  };
  Shape shape = {pickSize(), pickSize()};
  if (oneIn(6))
    shape.insert(shape.begin(), 1 + pick(2));
  return shape;
}

std::optional<Value> KernelWriter::makeDot(const DotForm &form,
                                           const Value &accumulator,
                                           int64_t inner, unsigned repeats) {
  Shape left = accumulator.type.shape, right = left;
  left[left.size() - 1] = right[right.size() - 2] = inner;
  Value a = get({form.operand, left}), b = get({form.operand, right});
  Range range;
  if (a.type.isFloat()) {
    a = makeSmall(a);
    b = makeSmall(b);
    range = {accumulator.range.magnitude +
                 repeats * inner * a.range.magnitude * b.range.magnitude,
             0.0, true};
    if (!accumulator.range.isInteger || !range.isExactIn(form.accumulator))
      return std::nullopt;
  }
  return make(accumulator.type,
              "tt.dot " + a.name + ", " + b.name + ", " + accumulator.name +
                  form.precision + " : " + a.type.str() + " * " + b.type.str() +
                  " -> " + accumulator.type.str(),
              range);
}

void KernelWriter::writeDot() {
  DotForm form = pickDotForm();
  ValueType type{form.accumulator, pickDotShape()};
  Value accumulator = oneIn(2) ? makeConstant(type, 0) : get(type);
  if (type.isFloat())
    accumulator = makeSmall(accumulator);
  int64_t inner = oneIn(4) ? 1 << pick(6) : 16 << pick(3);
  if (std::optional<Value> product = makeDot(form, accumulator, inner, 1))
    keep(*product);
}
