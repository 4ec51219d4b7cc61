// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that give elements other coordinates.

#include "test/Random/KernelWriter.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::fuzz;

/// No tile grows beyond this by an operation.
static constexpr int64_t maximumCount = 2048;

static bool isTile(const Value &value) { return value.type.isTile(); }

void KernelWriter::writeSplat() {
  std::optional<Value> found =
      find([](const Value &value) { return !value.type.isTile(); });
  keep(makeSplat(*found, pickShape(1024)));
}

void KernelWriter::writeExpandAndBroadcast() {
  std::optional<Value> found = find(isTile);
  if (!found)
    return;
  Value value = *found;
  if (value.type.shape.size() < 4 && !oneIn(4)) {
    unsigned axis = pick(value.type.shape.size() + 1);
    Shape shape = value.type.shape;
    shape.insert(shape.begin() + axis, 1);
    ValueType type = value.type.with(shape);
    value = make(type,
                 "tt.expand_dims " + value.name +
                     " {axis = " + std::to_string(axis) +
                     " : i32} : " + value.type.str() + " -> " + type.str(),
                 value.range);
    keep(value);
  }
  Shape shape = value.type.shape;
  int64_t count = value.type.getCount();
  for (int64_t &size : shape)
    while (size < 32 && size != 0 && 2 * count <= maximumCount &&
           value.type.shape[&size - shape.data()] == 1 && !oneIn(4)) {
      size *= 2;
      count *= 2;
    }
  if (shape == value.type.shape)
    return;
  ValueType type = value.type.with(shape);
  keep(make(type,
            "tt.broadcast " + value.name + " : " + value.type.str() + " -> " +
                type.str(),
            value.range));
}

void KernelWriter::writeReshape() {
  std::optional<Value> found = find(isTile);
  if (!found)
    return;
  unsigned rank = 1 + pick(3);
  Shape shape(rank, 1);
  for (int64_t count = found->type.getCount(); count > 1; count /= 2)
    shape[pick(rank)] *= 2;
  ValueType type = found->type.with(shape);
  keep(make(type,
            "tt.reshape " + found->name + " : " + found->type.str() + " -> " +
                type.str(),
            found->range));
}

void KernelWriter::writeTrans() {
  std::optional<Value> found =
      find([](const Value &value) { return value.type.shape.size() > 1; });
  if (!found)
    return;
  size_t rank = found->type.shape.size();
  std::vector<unsigned> order(rank);
  for (unsigned dim = 0; dim < rank; ++dim)
    order[dim] = dim;
  for (unsigned dim = rank; dim > 1; --dim)
    std::swap(order[dim - 1], order[pick(dim)]);
  Shape shape;
  std::string text;
  for (unsigned dim : order) {
    shape.push_back(found->type.shape[dim]);
    text += (text.empty() ? "" : ", ") + std::to_string(dim);
  }
  ValueType type = found->type.with(shape);
  keep(make(type,
            "tt.trans " + found->name + " {order = array<i32: " + text +
                ">} : " + found->type.str() + " -> " + type.str(),
            found->range));
}

void KernelWriter::writeJoin() {
  std::optional<Value> found = find([](const Value &value) {
    return isTile(value) && value.type.getCount() < maximumCount &&
           value.type.shape.size() < 4;
  });
  if (!found)
    return;
  Value other = get(found->type);
  Shape shape = found->type.shape;
  shape.push_back(2);
  ValueType type = found->type.with(shape);
  Range range = found->range;
  range.magnitude = std::max(range.magnitude, other.range.magnitude);
  range.error = std::max(range.error, other.range.error);
  range.isInteger &= other.range.isInteger;
  keep(make(type,
            "tt.join " + found->name + ", " + other.name + " : " +
                found->type.str() + " -> " + type.str(),
            range));
}

void KernelWriter::writeSplit() {
  std::optional<Value> found = find([](const Value &value) {
    return value.type.shape.size() > 1 && value.type.shape.back() == 2;
  });
  if (!found) {
    // Cuts pairs out of a tile.
    found = find([](const Value &value) {
      return isTile(value) && value.type.getCount() > 2;
    });
    if (!found)
      return;
    ValueType pairs = found->type.with(Shape{found->type.getCount() / 2, 2});
    found = make(pairs,
                 "tt.reshape " + found->name + " : " + found->type.str() +
                     " -> " + pairs.str(),
                 found->range);
  }
  Shape shape = found->type.shape;
  shape.pop_back();
  ValueType type = found->type.with(shape);
  std::string first = newName(), second = newName();
  emit(first + ", " + second + " = tt.split " + found->name + " : " +
       found->type.str() + " -> " + type.str());
  keep({first, type, found->range});
  keep({second, type, found->range});
}

void KernelWriter::writeRange() {
  int64_t start = int64_t(pick(40)) - 20, size = int64_t(1) << pick(11);
  keep(make({"i32", {size}},
            "tt.make_range {start = " + std::to_string(start) +
                " : i32, end = " + std::to_string(start + size) +
                " : i32} : tensor<" + std::to_string(size) + "xi32>"));
}
