// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Notation.h"

#include <algorithm>
#include <cassert>

using namespace tilewright;
using namespace tilewright::kernels;

Value Value::expand(unsigned axis) const { return owner->expand(*this, axis); }
Value Value::to(ElementType type) const {
  return type == elementType ? *this : owner->convert(*this, type);
}
Value Value::transpose() const { return owner->transpose(*this); }

Tensor Tensor::slice(unsigned d, Value begin, Value length,
                     int64_t lengthDivisor) const {
  Tensor part = *this;
  Value distance = begin.to(strides[d].type()) * strides[d];
  part.offset =
      offset ? offset.to(distance.type()) + distance : std::move(distance);
  part.sizes[d] = std::move(length);
  part.divisibility[d] = lengthDivisor;
  return part;
}

Tensor Tensor::at(unsigned d, const Value &index) const {
  Tensor part = slice(d, index, index);
  part.sizes.erase(part.sizes.begin() + d);
  part.strides.erase(part.strides.begin() + d);
  part.divisibility.erase(part.divisibility.begin() + d);
  return part;
}

Tensor Tensor::transposed() const {
  Tensor other = *this;
  std::reverse(other.sizes.begin(), other.sizes.end());
  std::reverse(other.strides.begin(), other.strides.end());
  std::reverse(other.divisibility.begin(), other.divisibility.end());
  return other;
}

Tensor Tensor::parted(unsigned d, int64_t parts) const {
  Tensor view = *this;
  view.sizes[d] = sizes[d] / double(parts);
  view.divisibility[d] = std::max<int64_t>(divisibility[d] / parts, 1);
  Value distance = view.sizes[d].to(strides[d].type()) * strides[d];
  view.sizes.insert(view.sizes.begin(), sizes[d].reading().integer(parts));
  view.strides.insert(view.strides.begin(), std::move(distance));
  view.divisibility.insert(view.divisibility.begin(), parts);
  return view;
}

Tensor Tensor::blocked(unsigned d, int64_t size) const {
  Tensor view = *this;
  view.sizes[d] = sizes[d] / double(size);
  view.strides[d] = strides[d] * double(size);
  view.divisibility[d] = std::max<int64_t>(divisibility[d] / size, 1);
  view.sizes.insert(view.sizes.begin() + d + 1,
                    sizes[d].reading().integer(size));
  view.strides.insert(view.strides.begin() + d + 1, strides[d]);
  view.divisibility.insert(view.divisibility.begin() + d + 1, size);
  return view;
}

Shape CodedTile::shape() const {
  Shape shape = words.shape();
  shape[axis] *= coding.codesPerWord(words.type());
  return shape;
}

std::vector<unsigned>
kernels::inverseOrder(const std::vector<unsigned> &order) {
  std::vector<unsigned> result(order.size());
  for (unsigned bit = 0; bit < order.size(); ++bit)
    result[order[bit]] = bit;
  return result;
}

Tensor Reading::tensor(unsigned index) {
  const TensorParameter &parameter = parameters.tensors[index];
  Tensor tensor;
  tensor.index = index;
  tensor.type = parameter.type;
  for (unsigned size : parameter.sizes) {
    tensor.sizes.push_back(number(size));
    tensor.divisibility.push_back(parameters.numbers[size].divisibility());
  }
  for (unsigned stride : parameter.strides)
    tensor.strides.push_back(number(stride));
  return tensor;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static Shape commonShape(const Shape &a, const Shape &b) {
  if (a.empty() || b.empty())
    return a.empty() ? b : a;
  assert(a.size() == b.size() && "expects tiles of one rank");
  Shape shape = a;
  for (size_t d = 0; d < a.size(); ++d) {
    assert(a[d] == b[d] || a[d] == 1 || b[d] == 1);
    shape[d] = std::max(a[d], b[d]);
  }
  return shape;
}

static Value repeat(const Value &a, const Shape &shape) {
  return a.shape() == shape ? a : a.reading().broadcast(a, shape);
}

Value kernels::combine(Binary operation, const Value &a, const Value &b) {
  assert(a.type() == b.type() && "expects operands of one type");
  Shape shape = commonShape(a.shape(), b.shape());
  return a.reading().binary(operation, repeat(a, shape), repeat(b, shape));
}
Value kernels::combine(Binary operation, const Value &a, double b) {
  return combine(operation, a, a.reading().constant(b, a.type(), a.shape()));
}
Value kernels::combine(Binary operation, double a, const Value &b) {
  return combine(operation, b.reading().constant(a, b.type(), b.shape()), b);
}

Value kernels::select(const Value &condition, const Value &a, const Value &b) {
  Shape shape =
      commonShape(commonShape(condition.shape(), a.shape()), b.shape());
  return a.reading().select(repeat(condition, shape), repeat(a, shape),
                            repeat(b, shape));
}
Value kernels::select(const Value &condition, const Value &a, double b) {
  return select(condition, a, a.reading().constant(b, a.type()));
}

Value kernels::apply(Unary operation, const Value &a) {
  return a.reading().unary(operation, a);
}
