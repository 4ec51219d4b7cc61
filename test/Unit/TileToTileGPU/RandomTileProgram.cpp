// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random tile programs; see the header.

#include "test/Unit/TileToTileGPU/RandomTileProgram.h"
#include <algorithm>

namespace tilewright::test {

static const std::vector<std::vector<int64_t>> shapes = {
    {4}, {8}, {16}, {32}, {4, 8}, {8, 1}, {1, 8}, {8, 8}, {8, 16}, {2, 4, 8}};

static const std::vector<std::string> pointerElements = {
    "!tt.ptr<f16>", "!tt.ptr<f32>", "!tt.ptr<i8>", "!tt.ptr<i64>"};

/// Larger tiles would only make the tests slow.
static constexpr int64_t maxElements = 1024;

static int64_t getNumElements(const std::vector<int64_t> &shape) {
  int64_t product = 1;
  for (int64_t size : shape)
    product *= size;
  return product;
}

std::string ValueType::str() const {
  if (shape.empty())
    return element;
  std::string result = "tensor<";
  for (int64_t size : shape)
    result += std::to_string(size) + "x";
  return result + element + ">";
}

template <typename Predicate>
const RandomTileProgram::Value *
RandomTileProgram::pickValue(Predicate hasProperty) {
  std::vector<const Value *> candidates;
  for (const Value &value : values)
    if (hasProperty(value))
      candidates.push_back(&value);
  if (candidates.empty())
    return nullptr;
  // Recent values make deeper programs.
  if (pick(2) == 0)
    return candidates[candidates.size() - 1 -
                      pick(std::min<size_t>(4, candidates.size()))];
  return pickFrom(candidates);
}

RandomTileProgram::Value RandomTileProgram::define(const ValueType &type,
                                                   const std::string &op) {
  Value value{"%v" + std::to_string(numNames++), type};
  text += value.name + " = " + op + "\n";
  values.push_back(value);
  return value;
}

RandomTileProgram::Value RandomTileProgram::get(const ValueType &type) {
  if (pick(3) != 0)
    if (const Value *value =
            pickValue([&](const Value &value) { return value.type == type; }))
      return *value;
  if (!type.isInteger()) {
    if (type.shape.empty()) {
      Value base = get({"i64", {}});
      return define(type,
                    "tt.int_to_ptr " + base.name + " : i64 -> " + type.element);
    }
    Value scalar = get({type.element, {}});
    return define(type, "tt.splat " + scalar.name + " : " + type.element +
                            " -> " + type.str());
  }
  if (!type.shape.empty() && pick(2) == 0) {
    Value scalar = get({type.element, {}});
    return define(type, "tt.splat " + scalar.name + " : " + type.element +
                            " -> " + type.str());
  }
  if (type.element == "i32" && type.shape.size() == 1 && pick(2) == 0)
    return writeRange(type.shape[0]);
  if (type == ValueType{"i32", {8, 8, 8}} && pick(2) == 0)
    return writeCube(pick(3));
  if (type.element == "i8" && type.shape.size() == 1 && pick(2) == 0) {
    Value range = writeRange(type.shape[0]);
    return define(type, "arith.trunci " + range.name + " : " +
                            range.type.str() + " to " + type.str());
  }
  static const std::vector<int> numbers = {96, 0,  1,  2,  3,  4,  5,  7, 8,
                                           12, 15, 16, 32, -1, -4, -8, 6, 24};
  std::string number = type.element == "i1" ? (pick(2) ? "true" : "false")
                                            : std::to_string(pickFrom(numbers));
  if (!type.shape.empty())
    return define(type, "arith.constant dense<" + number + "> : " + type.str());
  return define(type, "arith.constant " + number +
                          (type.element == "i1" ? "" : " : " + type.element));
}

RandomTileProgram::Value RandomTileProgram::writeRange(int64_t size) {
  // Some wrap around when truncated to eight bits, some are negative.
  static const std::vector<int> starts = {0,  0,  0,  0,   1,   4, 8,
                                          16, 24, -8, -32, 120, 6, 96};
  int start = pickFrom(starts);
  return define({"i32", {size}},
                "tt.make_range {end = " + std::to_string(start + size) +
                    " : i32, start = " + std::to_string(start) +
                    " : i32} : tensor<" + std::to_string(size) + "xi32>");
}

RandomTileProgram::Value RandomTileProgram::writeCube(unsigned dim) {
  Value value = writeRange(8);
  auto write = [&](const std::string &op, std::vector<int64_t> shape) {
    ValueType type{"i32", shape};
    value = define(type,
                   "tt." + op + " : " + value.type.str() + " -> " + type.str());
  };
  std::vector<int64_t> shape = {8};
  for (unsigned axis = 0; axis < 3; ++axis)
    if (axis != dim) {
      shape.insert(shape.begin() + axis, 1);
      write("expand_dims " + value.name + " {axis = " + std::to_string(axis) +
                " : i32}",
            shape);
    }
  write("broadcast " + value.name, {8, 8, 8});
  return value;
}

void RandomTileProgram::writeLeaf() {
  switch (pick(8)) {
  case 0:
  case 1:
    define({"i32", {}}, "tt.get_program_id x : i32");
    return;
  case 2:
    writeCube(pick(3));
    return;
  default:
    writeRange(int64_t(4) << pick(4));
    return;
  }
}

void RandomTileProgram::writeBinary() {
  static const std::vector<std::string> names = {
      "addi",  "addi",  "addi",  "subi",  "muli",  "divsi", "divui",
      "remsi", "remui", "shli",  "shrsi", "shrui", "andi",  "ori",
      "xori",  "minsi", "maxsi", "minui", "maxui"};
  const Value *found =
      pickValue([](const Value &value) { return value.type.isInteger(); });
  if (!found)
    return;
  Value lhs = *found;
  Value rhs = get(lhs.type);
  if (pick(2) == 0)
    std::swap(lhs, rhs);
  define(lhs.type, "arith." + pickFrom(names) + " " + lhs.name + ", " +
                       rhs.name + " : " + lhs.type.str());
}

void RandomTileProgram::writeCompare() {
  static const std::vector<std::string> predicates = {
      "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
  const Value *found = pickValue([](const Value &value) {
    return value.type.isInteger() && !value.type.shape.empty();
  });
  if (!found)
    return;
  Value lhs = *found;
  Value rhs = get(lhs.type);
  if (pick(2) == 0)
    std::swap(lhs, rhs);
  define({"i1", lhs.type.shape}, "arith.cmpi " + pickFrom(predicates) + ", " +
                                     lhs.name + ", " + rhs.name + " : " +
                                     lhs.type.str());
}

void RandomTileProgram::writeSelect() {
  const Value *found = pickValue([](const Value &) { return true; });
  Value lhs = pick(3) ? *found : writeRange(int64_t(4) << pick(3));
  Value rhs = get(lhs.type);
  bool isScalar = pick(4) == 0 || lhs.type.shape.empty();
  ValueType conditionType{"i1", {}};
  if (!isScalar)
    conditionType.shape = lhs.type.shape;
  if (conditionType.shape.size() == 1) {
    // A condition that changes somewhere along the tile.
    Value range = writeRange(conditionType.shape[0]);
    Value bound = get(range.type);
    define(conditionType, "arith.cmpi slt, " + range.name + ", " + bound.name +
                              " : " + range.type.str());
  }
  Value condition = get(conditionType);
  define(lhs.type, "arith.select " + condition.name + ", " + lhs.name + ", " +
                       rhs.name + " : " +
                       (isScalar ? "" : conditionType.str() + ", ") +
                       lhs.type.str());
}

void RandomTileProgram::writeConversion() {
  const Value *found = pickValue([](const Value &value) {
    return value.type.isInteger() && value.type.element != "i1";
  });
  if (!found)
    return;
  Value source = *found;
  static const std::vector<std::string> widths = {"i8", "i32", "i64"};
  ValueType type{pickFrom(widths), source.type.shape};
  int from = std::stoi(source.type.element.substr(1));
  int to = std::stoi(type.element.substr(1));
  if (from == to)
    return;
  std::string name = to < from ? "trunci" : pick(3) ? "extsi" : "extui";
  define(type, "arith." + name + " " + source.name + " : " + source.type.str() +
                   " to " + type.str());
}

void RandomTileProgram::writeShape() {
  const Value *found = pickValue(
      [](const Value &value) { return value.type.shape.size() <= 3; });
  Value source = *found;
  ValueType type = source.type;
  auto write = [&](const std::string &op, const std::string &attributes = "") {
    define(type, "tt." + op + " " + source.name + attributes + " : " +
                     source.type.str() + " -> " + type.str());
  };
  if (type.shape.empty()) {
    type.shape = pickFrom(shapes);
    return write("splat");
  }
  size_t rank = type.shape.size();
  switch (pick(6)) {
  case 0: {
    if (rank == 3)
      return;
    unsigned axis = pick(rank + 1);
    type.shape.insert(type.shape.begin() + axis, 1);
    return write("expand_dims", " {axis = " + std::to_string(axis) + " : i32}");
  }
  case 1:
  case 2: {
    for (int64_t &size : type.shape)
      if (size == 1)
        size = 8;
    if (type == source.type || getNumElements(type.shape) > maxElements)
      return;
    return write("broadcast");
  }
  case 3: {
    if (rank == 1)
      return;
    std::vector<int> order(rank);
    for (size_t dim = 0; dim < rank; ++dim)
      order[dim] = dim;
    std::shuffle(order.begin(), order.end(), random);
    std::string list;
    for (size_t dim = 0; dim < rank; ++dim) {
      type.shape[dim] = source.type.shape[order[dim]];
      list += (dim ? ", " : " ") + std::to_string(order[dim]);
    }
    return write("trans", " {order = array<i32:" + list + ">}");
  }
  case 4: {
    int64_t total = getNumElements(type.shape);
    type.shape.clear();
    while (total > 1 && type.shape.size() < 2 && pick(3)) {
      int64_t size = int64_t(1) << pick(4);
      size = std::min(size, total);
      type.shape.push_back(size);
      total /= size;
    }
    type.shape.push_back(total);
    return write("reshape", pick(4) == 0 ? " allow_reorder" : "");
  }
  case 5: {
    if (rank == 3)
      return;
    Value other = get(type);
    type.shape.push_back(2);
    if (getNumElements(type.shape) > maxElements)
      return;
    define(type, "tt.join " + source.name + ", " + other.name + " : " +
                     source.type.str() + " -> " + type.str());
    return;
  }
  }
}

void RandomTileProgram::writePointer() {
  if (pick(6) == 0) {
    const Value *found =
        pickValue([](const Value &value) { return !value.type.isInteger(); });
    if (!found)
      return;
    Value source = *found;
    ValueType type{pickFrom(pointerElements), source.type.shape};
    std::string op = "tt.bitcast ";
    if (pick(2)) {
      type.element = "i64";
      op = "tt.ptr_to_int ";
    }
    if (type == source.type)
      return;
    define(type,
           op + source.name + " : " + source.type.str() + " -> " + type.str());
    return;
  }
  const Value *found = pickValue([](const Value &value) {
    return value.type.element == "i32" || value.type.element == "i64";
  });
  if (!found)
    return;
  Value offset = *found;
  const Value *base = pickValue([&](const Value &value) {
    return !value.type.isInteger() && value.type.shape == offset.type.shape;
  });
  Value pointer = base && pick(2)
                      ? *base
                      : get({pickFrom(pointerElements), offset.type.shape});
  define(pointer.type, "tt.addptr " + pointer.name + ", " + offset.name +
                           " : " + pointer.type.str() + ", " +
                           offset.type.str());
}

void RandomTileProgram::writeLoop(unsigned depth) {
  Value initial = *pickValue([](const Value &) { return true; });
  Value lower = get({"i32", {}});
  std::string name = "%v" + std::to_string(numNames++);
  std::string upper =
      define({"i32", {}},
             "arith.constant " + std::to_string(pick(40)) + " : i32")
          .name;
  std::string step =
      define({"i32", {}},
             "arith.constant " + std::to_string(1 << pick(5)) + " : i32")
          .name;
  std::string type = initial.type.str();
  size_t numOuter = values.size();
  text += name + " = scf.for " + name + "_i = " + lower.name + " to " + upper +
          " step " + step + " iter_args(" + name + "_x = " + initial.name +
          ") -> (" + type + ") : i32 {\n";
  values.push_back({name + "_i", {"i32", {}}});
  values.push_back({name + "_x", initial.type});
  for (unsigned count = 2 + pick(5); count > 0; --count)
    writeOp(depth + 1);
  const Value *last =
      pickValue([&](const Value &value) { return value.type == initial.type; });
  text += "scf.yield " + last->name + " : " + type + "\n}\n";
  values.resize(numOuter);
  values.push_back({name, initial.type});
}

void RandomTileProgram::writeIf(unsigned depth) {
  Value condition = get({"i1", {}});
  ValueType type = pickValue([](const Value &) { return true; })->type;
  std::string name = "%v" + std::to_string(numNames++);
  text += name + " = scf.if " + condition.name + " -> (" + type.str() + ") {\n";
  for (unsigned branch = 0; branch < 2; ++branch) {
    if (branch == 1)
      text += "} else {\n";
    size_t numOuter = values.size();
    for (unsigned count = 1 + pick(3); count > 0; --count)
      writeOp(depth + 1);
    text += "scf.yield " + get(type).name + " : " + type.str() + "\n";
    values.resize(numOuter);
  }
  text += "}\n";
  values.push_back({name, type});
}

void RandomTileProgram::writeOp(unsigned depth) {
  switch (pick(depth < 2 ? 20 : 18)) {
  case 0:
  case 1:
    return writeLeaf();
  case 2:
  case 3:
  case 4:
    return writeShape();
  case 5:
  case 6:
    return writeCompare();
  case 7:
    return writeSelect();
  case 8:
    return writeConversion();
  case 9:
  case 10:
  case 11:
    return writePointer();
  case 18:
    return writeLoop(depth);
  case 19:
    return writeIf(depth);
  default:
    return writeBinary();
  }
}

std::string RandomTileProgram::write(unsigned numOps) {
  values = {{"%n", {"i32", {}}},
            {"%m", {"i32", {}}},
            {"%p", {"!tt.ptr<f16>", {}}},
            {"%q", {"!tt.ptr<f32>", {}}}};
  text = "tt.func public @kernel(%n: i32 {tt.divisibility = 8 : i32}, %m: i32, "
         "%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32>) {\n";
  writeLeaf();
  for (unsigned count = 0; count < numOps; ++count)
    writeOp(0);
  text += "tt.return\n}\n";
  return text;
}

} // namespace tilewright::test
