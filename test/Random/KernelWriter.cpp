// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chances, values and the frame of a kernel.

#include "test/Random/KernelWriter.h"
#include "lib/Run/Arguments.h"

using namespace tilewright;
using namespace tilewright::fuzz;

//===----------------------------------------------------------------------===//
// Chances
//===----------------------------------------------------------------------===//

uint64_t KernelWriter::next() { return run::randomBits(seed, counter++) >> 7; }

Shape KernelWriter::pickShape(int64_t maximum) {
  unsigned rank = pickFrom<unsigned>({1, 1, 1, 2, 2, 2, 2, 3});
  Shape shape(rank, 1);
  int64_t count = 1;
  // Some tiles have fewer elements than there are threads.
  unsigned doublings = oneIn(4) ? pick(6) : 5 + pick(6);
  for (unsigned step = 0; step < doublings && 2 * count <= maximum; ++step) {
    shape[pick(rank)] *= 2;
    count *= 2;
  }
  return shape;
}

std::string KernelWriter::pickElement() {
  return pickName({"i1", "i8", "i16", "i32", "i32", "i64", "f16", "f16", "bf16",
                   "f32", "f32", "f32", "f64"});
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void KernelWriter::emit(const std::string &text) {
  body += std::string(2 + 2 * depth, ' ') + text + "\n";
}

Value KernelWriter::make(const ValueType &type, const std::string &text,
                         Range range) {
  std::string name = newName();
  emit(name + " = " + text);
  return {name, type, range};
}

Value KernelWriter::makeBinary(const std::string &op, const Value &a,
                               const Value &b, Range range) {
  return make(a.type, op + " " + a.name + ", " + b.name + " : " + a.type.str(),
              range);
}

Value KernelWriter::makeUnary(const std::string &op, const Value &a,
                              Range range) {
  return make(a.type, op + " " + a.name + " : " + a.type.str(), range);
}

Value KernelWriter::makeConstant(const ValueType &type, int64_t number) {
  std::string text = std::to_string(number);
  if (type.isFloat())
    text += ".0";
  if (type.element == "i1")
    text = number % 2 ? "true" : "false";
  if (type.isTile())
    text = "dense<" + text + ">";
  bool isBool = type.element == "i1" && !type.isTile();
  return make(type,
              "arith.constant " + text + (isBool ? "" : " : " + type.str()),
              {double(std::abs(number)), 0.0, true});
}

Value KernelWriter::makeRandomConstant(const ValueType &type) {
  return makeConstant(type,
                      type.element == "i1" ? pick(2) : int64_t(pick(16)) - 6);
}

Value KernelWriter::makeCast(const std::string &op, const Value &source,
                             const std::string &element, Range range) {
  ValueType type = source.type.with(element);
  return make(type,
              op + " " + source.name + " : " + source.type.str() + " to " +
                  type.str(),
              range);
}

Value KernelWriter::makeSplat(const Value &scalar, const Shape &shape) {
  ValueType type = scalar.type.with(shape);
  return make(type,
              "tt.splat " + scalar.name + " : " + scalar.type.str() + " -> " +
                  type.str(),
              scalar.range);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<Value> KernelWriter::find(const Predicate &isWanted) {
  std::vector<Value> found;
  for (const Value &value : pool)
    if (isWanted(value))
      found.push_back(value);
  if (found.empty())
    return std::nullopt;
  // Chains are more telling than many short ends.
  size_t recent = found.size() > 3 && !oneIn(3) ? 3 : found.size();
  return found[found.size() - 1 - pick(recent)];
}

std::optional<Value> KernelWriter::findOfType(const ValueType &type) {
  return find([&](const Value &value) { return value.type == type; });
}

Value KernelWriter::get(const ValueType &type) {
  std::optional<Value> old = findOfType(type);
  if (old && !oneIn(8))
    return *old;
  if (!type.isTile())
    return makeRandomConstant(type);
  std::optional<Value> scalar = findOfType(type.with(Shape()));
  if (scalar && oneIn(3))
    return makeSplat(*scalar, type.shape);
  return oneIn(3) ? makeRandomConstant(type) : makeLoad(type);
}

Value KernelWriter::getInteger(bool allowsBool) {
  std::optional<Value> old = find([&](const Value &value) {
    return value.type.isInteger() && (allowsBool || value.type.element != "i1");
  });
  if (old)
    return *old;
  return makeLoad({pickName({"i8", "i16", "i32", "i64"}), pickShape(1024)});
}

Value KernelWriter::getFloat() {
  std::optional<Value> old =
      find([](const Value &value) { return value.type.isFloat(); });
  if (old)
    return *old;
  return makeLoad({pickName({"f16", "bf16", "f32", "f64"}), pickShape(1024)});
}

Value KernelWriter::getCondition(const Shape &shape) {
  std::optional<Value> old = findOfType({"i1", shape});
  if (old && !oneIn(3))
    return *old;
  ValueType type{"i32", shape};
  Value number =
      shape.empty() ? get(type) : makeCoordinate(shape, pick(shape.size()));
  int64_t bound = shape.empty() ? 3 : 1 + pick(2 * shape.back());
  Value limit = makeScalar(bound);
  if (!shape.empty())
    limit = makeSplat(limit, shape);
  ValueType result = type.with("i1");
  return make(result, "arith.cmpi " + pickName({"slt", "sge", "ne", "ult"}) +
                          ", " + number.name + ", " + limit.name + " : " +
                          type.str());
}

Value KernelWriter::makeClamp(const Value &value, int64_t low, int64_t high) {
  Value lower = makeConstant(value.type, low);
  Value upper = makeConstant(value.type, high);
  Range range = value.range;
  range.magnitude = std::max(std::abs(low), std::abs(high));
  if (value.type.element == "f64" || oneIn(2)) {
    Value atLeast = makeBinary("arith.maxnumf", value, lower, range);
    return makeBinary("arith.minnumf", atLeast, upper, range);
  }
  return make(value.type,
              "tt.clampf " + value.name + ", " + lower.name + ", " +
                  upper.name + ", propagateNan = " + pickName({"none", "all"}) +
                  " : " + value.type.str(),
              range);
}

Value KernelWriter::makeSmall(const Value &value) {
  if (value.range.isInteger && value.range.magnitude <= 8)
    return value;
  if (!value.range.isExact())
    return makeConstant(value.type, pick(4));
  Value whole = value;
  if (!value.range.isInteger) {
    Range range = value.range;
    range.isInteger = true;
    range.magnitude += 1;
    whole = makeUnary("math.floor", value, range);
  }
  return makeClamp(whole, -4, 4);
}

std::optional<Value> KernelWriter::makePositive(const Value &value) {
  Value absolute = makeUnary("math.absf", value, value.range);
  Value one = makeConstant(value.type, 1);
  Range sum = value.range;
  sum.magnitude += 1;
  std::optional<Range> range = round(sum, value.type.element);
  if (!range || range->error > 0.1)
    return std::nullopt;
  return makeBinary("arith.addf", absolute, one, *range);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void KernelWriter::writeOp() {
  using Writer = void (KernelWriter::*)();
  struct Choice {
    unsigned weight;
    Writer write;
  };
  static const Choice choices[] = {
      {4, &KernelWriter::writeIntegerBinary},
      {2, &KernelWriter::writeDivision},
      {2, &KernelWriter::writeShift},
      {1, &KernelWriter::writeIntegerUnary},
      {2, &KernelWriter::writeComparison},
      {2, &KernelWriter::writeSelect},
      {3, &KernelWriter::writeIntegerCast},
      {4, &KernelWriter::writeFloatBinary},
      {1, &KernelWriter::writeFloatDivision},
      {2, &KernelWriter::writeFloatUnary},
      {2, &KernelWriter::writeFunction},
      {1, &KernelWriter::writeFma},
      {3, &KernelWriter::writeFloatCast},
      {1, &KernelWriter::writeFloatToInteger},
      {1, &KernelWriter::writeIntegerToFloat},
      {1, &KernelWriter::writeSplat},
      {4, &KernelWriter::writeExpandAndBroadcast},
      {3, &KernelWriter::writeReshape},
      {3, &KernelWriter::writeTrans},
      {2, &KernelWriter::writeJoin},
      {2, &KernelWriter::writeSplit},
      {1, &KernelWriter::writeRange},
      {5, &KernelWriter::writeReduce},
      {3, &KernelWriter::writeScan},
      {3, &KernelWriter::writeDot},
      {4, &KernelWriter::writeLoad},
      {1, &KernelWriter::writeGatherLoad},
      {1, &KernelWriter::writeAtomic},
      {3, &KernelWriter::writeFor},
      {2, &KernelWriter::writeIf},
      {1, &KernelWriter::writeWhile},
  };
  unsigned total = 0;
  for (const Choice &choice : choices)
    total += choice.weight;
  unsigned at = pick(total);
  for (const Choice &choice : choices) {
    if (at < choice.weight)
      return (this->*choice.write)();
    at -= choice.weight;
  }
}

void KernelWriter::writeOps(unsigned count) {
  for (unsigned op = 0; op < count; ++op)
    writeOp();
}

KernelCase KernelWriter::write(const std::vector<std::string> &targets) {
  result.seed = seed;
  result.target = pickFrom(targets);
  result.numWarps = 1u << pick(4);
  result.grid = {1 + pick(3), 1 + pick(2)};
  ValueType i32{"i32", {}};
  emit("%x = tt.get_program_id x : i32");
  emit("%y = tt.get_program_id y : i32");
  keep({"%x", i32, {}});
  keep({"%y", i32, {}});
  for (unsigned load = 0; load < 2; ++load)
    writeLoad();
  if (oneIn(8))
    writeEarlyReturn();
  writeOps(numOps);
  // What came last, and something of what came before.
  for (unsigned store = 0; store < 4 && !pool.empty(); ++store) {
    size_t index = store < 2 ? pool.size() - 1 : pick(pool.size());
    Value value = pool[index];
    pool.erase(pool.begin() + index);
    writeStore(value);
  }
  std::string signature;
  for (const Parameter &parameter : result.parameters) {
    signature += signature.empty() ? "" : ", ";
    signature += "%" + parameter.name + ": " +
                 (parameter.isPointer ? "!tt.ptr<" + parameter.element + ">"
                                      : parameter.element);
    if (parameter.divisibility)
      signature +=
          " {tt.divisibility = " + std::to_string(parameter.divisibility) +
          " : i32}";
  }
  result.text = "tt.func public @kernel(" + signature + ") {\n" + body +
                "  tt.return\n}\n";
  return result;
}

KernelCase fuzz::makeRandomKernel(uint64_t seed, unsigned numOps,
                                  const std::vector<std::string> &targets) {
  return KernelWriter(seed, numOps).write(targets);
}
