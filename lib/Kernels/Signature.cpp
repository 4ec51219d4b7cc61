// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Kernels/Signature.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace tilewright;
using namespace tilewright::kernels;

int64_t Number::divisibility() const {
  int64_t divisor = isDynamic ? 1 : 4096;
  while (integer() % divisor)
    divisor /= 2;
  return divisor;
}

unsigned Signature::add(Number number) {
  for (unsigned index = 0; index < numbers.size(); ++index)
    if (numbers[index].name == number.name)
      return index;
  numbers.push_back(std::move(number));
  return numbers.size() - 1;
}

unsigned Signature::addTensor(std::string name, ElementType type, Role role,
                              std::vector<unsigned> sizes,
                              std::vector<int64_t> strides, int64_t alignment) {
  TensorParameter tensor{std::move(name),  type, role,
                         std::move(sizes), {},   alignment};
  bool isEmpty = false;
  int64_t last = 0;
  for (unsigned d = 0; d < tensor.sizes.size(); ++d) {
    int64_t size = numbers[tensor.sizes[d]].integer();
    isEmpty |= size == 0;
    last += (size - 1) * strides[d];
  }
  tensor.elements = isEmpty ? 0 : last + 1;
  // A tile may reach beyond the last element, by less than its size; addresses
  // there are made, though not used.
  int64_t reach = tensor.elements;
  for (unsigned d = 0; d < strides.size(); ++d) {
    const Number &size = numbers[tensor.sizes[d]];
    int64_t beyond = std::clamp<int64_t>(size.integer(), 16, 255);
    if (size.integer() != 1 || size.isDynamic)
      reach += beyond * strides[d];
  }
  tensor.isWide = reach > std::numeric_limits<int32_t>::max();
  for (unsigned d = 0; d < strides.size(); ++d) {
    // That of a single element is never taken.
    const Number &size = numbers[tensor.sizes[d]];
    bool isSingle = size.integer() == 1 && !size.isDynamic;
    tensor.strides.push_back(
        add({tensor.name + ".stride" + std::to_string(d),
             tensor.isWide ? ElementType::I64 : ElementType::I32,
             isSingle ? 0 : static_cast<double>(strides[d])}));
  }
  tensors.push_back(std::move(tensor));
  return tensors.size() - 1;
}

unsigned Signature::addTensor(std::string name, ElementType type, Role role,
                              std::vector<unsigned> sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;)
    strides[d - 1] =
        strides[d] * std::max<int64_t>(numbers[sizes[d]].integer(), 1);
  return addTensor(std::move(name), type, role, std::move(sizes),
                   std::move(strides));
}

/// The dimensions of a tensor, that of the smallest stride first; of equal ones
/// the last.
static std::vector<unsigned> dimensionsByStride(const Signature &signature,
                                                const TensorParameter &tensor) {
  std::vector<int64_t> strides = signature.stridesOf(tensor);
  std::vector<unsigned> dimensions(strides.size());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  std::sort(dimensions.begin(), dimensions.end(), [&](unsigned a, unsigned b) {
    return std::pair(strides[a], b) < std::pair(strides[b], a);
  });
  return dimensions;
}

void Signature::fix(const std::vector<unsigned> &sizes) {
  for (unsigned size : sizes)
    numbers[size].isFixed = !numbers[size].isDynamic;
  fixStrides();
}

void Signature::fixStrides() {
  for (const TensorParameter &tensor : tensors)
    for (unsigned d : dimensionsByStride(*this, tensor)) {
      numbers[tensor.strides[d]].isFixed = true;
      if (!numbers[tensor.sizes[d]].isConstant())
        break;
    }
}

Signature Signature::withTensors(const std::vector<unsigned *> &indices) const {
  Signature result{numbers, {}};
  for (unsigned *index : indices) {
    result.tensors.push_back(tensors[*index]);
    *index = result.tensors.size() - 1;
  }
  return result;
}

static std::vector<int64_t> valuesOf(const Signature &signature,
                                     const std::vector<unsigned> &indices) {
  std::vector<int64_t> values;
  for (unsigned index : indices)
    values.push_back(signature.numbers[index].integer());
  return values;
}

std::vector<int64_t> Signature::sizesOf(const TensorParameter &tensor) const {
  return valuesOf(*this, tensor.sizes);
}
std::vector<int64_t> Signature::stridesOf(const TensorParameter &tensor) const {
  return valuesOf(*this, tensor.strides);
}
