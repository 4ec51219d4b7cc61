// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores. Every buffer is just as large as what is accessed, and
// every element of an output is written by one program, in one iteration.

#include "test/Random/KernelWriter.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::fuzz;

/// Buffers that a kernel may have; more accesses use old ones.
static constexpr size_t maximumInputs = 8;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

std::string KernelWriter::addBuffer(const std::string &element, int64_t count,
                                    bool isOutput, double tolerance) {
  size_t inputs = 0;
  for (Parameter &parameter : result.parameters) {
    bool isInput = parameter.isPointer && parameter.name[0] == 'a';
    inputs += isInput;
    // An old buffer may be larger than this access, or grow.
    if (isOutput || !isInput || parameter.element != element)
      continue;
    if (oneIn(3) || inputs >= maximumInputs) {
      parameter.count = std::max(parameter.count, count);
      return parameter.name;
    }
  }
  Parameter parameter;
  parameter.name =
      (isOutput ? "out" : "a") + std::to_string(result.parameters.size());
  parameter.element = element;
  parameter.isPointer = true;
  parameter.count = count;
  parameter.content = oneIn(3) ? Content::Fractions : Content::Numbers;
  parameter.tolerance = tolerance;
  parameter.divisibility = oneIn(3) ? 0 : 16;
  // Without a promise a pointer may be at any element.
  if (!parameter.divisibility && oneIn(2))
    parameter.gap = 1 + pick(7);
  result.parameters.push_back(parameter);
  return parameter.name;
}

Range KernelWriter::getLoadedRange(const std::string &name,
                                   const std::string &element) {
  if (element[0] == 'i')
    return {};
  for (const Parameter &parameter : result.parameters)
    if (parameter.name == name && parameter.content == Content::Fractions)
      return {2.0, 0.0, false};
  return {8.0, 0.0, true};
}

Value KernelWriter::makeScalar(int64_t value) {
  ValueType type{"i32", {}};
  if (oneIn(2))
    return makeConstant(type, value);
  for (const Parameter &parameter : result.parameters)
    if (!parameter.isPointer && parameter.value == value)
      return {"%" + parameter.name, type, {}};
  Parameter parameter;
  parameter.name = "n" + std::to_string(result.parameters.size());
  parameter.element = "i32";
  parameter.value = value;
  parameter.divisibility = value % 16 == 0 && oneIn(2) ? 16 : 0;
  result.parameters.push_back(parameter);
  return {"%" + parameter.name, type, {}};
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

Value KernelWriter::makeInstance(int64_t &count) {
  ValueType type{"i32", {}};
  Value number = makeBinary("arith.muli", {"%y", type, {}},
                            makeConstant(type, result.grid[0]));
  number = makeBinary("arith.addi", number, {"%x", type, {}});
  count = result.grid[0] * result.grid[1];
  for (const Loop &loop : loops) {
    Value iteration{loop.variable, loop.type, {}};
    if (loop.type.element == "i64")
      iteration = makeCast("arith.trunci", iteration, "i32");
    iteration =
        makeBinary("arith.subi", iteration, makeConstant(type, loop.first));
    iteration =
        makeBinary("arith.divsi", iteration, makeConstant(type, loop.step));
    number = makeBinary("arith.muli", number, makeConstant(type, loop.trips));
    number = makeBinary("arith.addi", number, iteration);
    count *= loop.trips;
  }
  return number;
}

Value KernelWriter::makeCoordinate(const Shape &shape, size_t dim) {
  int64_t size = shape[dim];
  Value value =
      make({"i32", {size}},
           "tt.make_range {start = 0 : i32, end = " + std::to_string(size) +
               " : i32} : tensor<" + std::to_string(size) + "xi32>");
  for (size_t other = 0; other < shape.size(); ++other) {
    if (other == dim)
      continue;
    Shape expanded = value.type.shape;
    expanded.insert(expanded.begin() + std::min(other, expanded.size()), 1);
    ValueType type = value.type.with(expanded);
    value = make(type, "tt.expand_dims " + value.name +
                           " {axis = " + std::to_string(other) + " : i32} : " +
                           value.type.str() + " -> " + type.str());
  }
  ValueType type = value.type.with(shape);
  if (value.type == type)
    return value;
  return make(type, "tt.broadcast " + value.name + " : " + value.type.str() +
                        " -> " + type.str());
}

KernelWriter::Access KernelWriter::makeAccess(const Shape &shape,
                                              bool isInjective) {
  Access access;
  ValueType type{"i32", shape};
  // The last dimension is dense mostly; rows may have a gap between them.
  std::vector<size_t> order(shape.size());
  for (size_t dim = 0; dim < order.size(); ++dim)
    order[dim] = order.size() - 1 - dim;
  if (oneIn(4))
    std::reverse(order.begin(), order.end());
  int64_t stride = oneIn(6) ? 2 : 1;
  for (size_t dim : order) {
    if (shape[dim] > 1 || access.offsets.name.empty()) {
      int64_t used = !isInjective && oneIn(8) ? 0 : stride;
      Value term = makeCoordinate(shape, dim);
      if (used != 1 || oneIn(8))
        term =
            makeBinary("arith.muli", term, makeSplat(makeScalar(used), shape));
      access.offsets = access.offsets.name.empty()
                           ? term
                           : makeBinary("arith.addi", access.offsets, term);
      access.limit += used * (shape[dim] - 1);
    }
    stride *= shape[dim];
    if (oneIn(4))
      stride += pickFrom<int64_t>({1, 8, 16});
  }
  if (isInjective || oneIn(2)) {
    int64_t instances = 1;
    ValueType scalar{"i32", {}};
    Value instance = makeInstance(instances);
    access.base = makeBinary("arith.muli", instance, makeScalar(stride));
    access.baseLimit = stride * std::max<int64_t>(instances - 1, 0);
  }
  return access;
}

/// pointer + base + offsets, in one of the ways that people write it.
Value KernelWriter::makePointers(const std::string &pointer,
                                 const std::string &element,
                                 const Access &access, const Shape &shape) {
  ValueType type{"!tt.ptr<" + element + ">", {}};
  Value scalar{"%" + pointer, type, {}}, offsets = access.offsets;
  if (!access.base.name.empty() && (shape.empty() || oneIn(2)))
    scalar = make(type, "tt.addptr " + scalar.name + ", " + access.base.name +
                            " : " + type.str() + ", i32");
  else if (!access.base.name.empty())
    offsets = makeBinary("arith.addi", offsets, makeSplat(access.base, shape));
  if (shape.empty())
    return scalar;
  if (oneIn(4))
    offsets = makeCast("arith.extsi", offsets, "i64");
  Value pointers = makeSplat(scalar, shape);
  return make(pointers.type, "tt.addptr " + pointers.name + ", " +
                                 offsets.name + " : " + pointers.type.str() +
                                 ", " + offsets.type.str());
}

Value KernelWriter::makeBoundMask(const Access &access, const Shape &shape,
                                  int64_t &count) {
  int64_t bound = pick(access.limit + 2);
  count = std::max<int64_t>(access.baseLimit + bound, 1);
  Value limit = makeSplat(makeScalar(bound), shape);
  return make(limit.type.with("i1"), "arith.cmpi slt, " + access.offsets.name +
                                         ", " + limit.name + " : " +
                                         limit.type.str());
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

std::string KernelWriter::makeLoadText(const Value &pointers,
                                       const ValueType &type,
                                       const std::string &mask,
                                       const std::string &other) {
  std::string text = "tt.load " + pointers.name;
  if (!mask.empty())
    text += ", " + mask;
  if (!other.empty())
    text += ", " + other;
  if (oneIn(8))
    text += " cacheModifier = " + pickName({"ca", "cg"});
  if (oneIn(8))
    text += " evictionPolicy = " + pickName({"evict_first", "evict_last"});
  return text + " : " + pointers.type.str();
}

Value KernelWriter::makeLoad(const ValueType &type) {
  if (!type.isTile()) {
    std::string buffer = addBuffer(type.element, 1, false, 0.0);
    return make(type, "tt.load %" + buffer + " : !tt.ptr<" + type.element + ">",
                getLoadedRange(buffer, type.element));
  }
  Access access = makeAccess(type.shape, /*isInjective=*/false);
  int64_t count = access.getLimit() + 1;
  // 0: no mask; 1: those before a bound, which ends the buffer; 2: any.
  unsigned form = oneIn(2) ? 0 : 1 + pick(2);
  Value mask;
  if (form == 1)
    mask = makeBoundMask(access, type.shape, count);
  else if (form == 2)
    mask = getCondition(type.shape);
  std::string buffer = addBuffer(type.element, count, false, 0.0);
  Value pointers = makePointers(buffer, type.element, access, type.shape);
  Range range = getLoadedRange(buffer, type.element);
  if (!form)
    return make(type, makeLoadText(pointers, type, "", ""), range);
  Value other = makeRandomConstant(type);
  range.magnitude = std::max(range.magnitude, other.range.magnitude);
  if (!oneIn(4))
    return make(type, makeLoadText(pointers, type, mask.name, other.name),
                range);
  // What is not loaded is replaced afterwards.
  Value loaded = make(type, makeLoadText(pointers, type, mask.name, ""));
  return make(type,
              "arith.select " + mask.name + ", " + loaded.name + ", " +
                  other.name + " : " + mask.type.str() + ", " + type.str(),
              range);
}

void KernelWriter::writeLoad() {
  keep(makeLoad({pickElement(), pickShape(1024)}));
}

/// Through a table of offsets.
void KernelWriter::writeGatherLoad() {
  std::optional<Value> found = find([](const Value &value) {
    return value.type.isTile() && value.type.element == "i32";
  });
  if (!found)
    return;
  int64_t size = int64_t(16) << pick(4);
  ValueType type = found->type.with(pickElement());
  Access access;
  access.offsets =
      makeBinary("arith.andi", *found, makeConstant(found->type, size - 1));
  std::string buffer = addBuffer(type.element, size, false, 0.0);
  Value pointers = makePointers(buffer, type.element, access, type.shape);
  keep(make(type, makeLoadText(pointers, type, "", ""),
            getLoadedRange(buffer, type.element)));
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void KernelWriter::writeStore(const Value &value) {
  const Shape &shape = value.type.shape;
  Access access;
  if (shape.empty()) {
    int64_t instances = 1;
    access.base = makeInstance(instances);
    access.baseLimit = instances - 1;
  } else {
    access = makeAccess(shape, /*isInjective=*/true);
  }
  int64_t count = access.getLimit() + 1;
  std::string mask;
  if (oneIn(3)) {
    bool isBound = !shape.empty() && oneIn(2);
    mask = ", " +
           (isBound ? makeBoundMask(access, shape, count) : getCondition(shape))
               .name;
  }
  const std::string &element = value.type.element;
  double tolerance =
      value.type.isFloat() ? getTolerance(value.range, element) : 0.0;
  std::string buffer = addBuffer(element, count, /*isOutput=*/true, tolerance);
  Value pointers = makePointers(buffer, element, access, shape);
  emit("tt.store " + pointers.name + ", " + value.name + mask + " : " +
       pointers.type.str());
}

/// On places of its own for every element, so that what was there before is
/// known too.
void KernelWriter::writeAtomic() {
  std::optional<Value> found = find([](const Value &value) {
    return value.type.isTile() &&
           (value.type.element == "i32" || value.type.element == "i64");
  });
  if (!found)
    return;
  Value value = *found;
  const ValueType &type = value.type;
  Access access = makeAccess(type.shape, /*isInjective=*/true);
  std::optional<Value> mask;
  if (oneIn(2))
    mask = getCondition(type.shape);
  std::string buffer = addBuffer(type.element, access.getLimit() + 1,
                                 /*isOutput=*/true, 0.0);
  Value pointers = makePointers(buffer, type.element, access, type.shape);
  std::string operands = pointers.name + ", " + value.name;
  std::string types = pointers.type.str() + ", " + type.str();
  if (mask) {
    operands += ", " + mask->name;
    types += ", " + mask->type.str();
  }
  Value old =
      make(type, "tt.atomic_rmw " +
                     pickName({"add", "and", "or", "xor", "max", "min", "umax",
                               "umin", "exch"}) +
                     ", " + pickName({"relaxed", "acq_rel"}) + ", gpu, " +
                     operands + " : (" + types + ") -> " + type.str());
  if (mask)
    old = make(type, "arith.select " + mask->name + ", " + old.name + ", " +
                         value.name + " : " + mask->type.str() + ", " +
                         type.str());
  keep(old);
}
