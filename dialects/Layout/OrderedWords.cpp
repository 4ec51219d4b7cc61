// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/OrderedWords.h"

#include <cassert>

using namespace tilewright::layout;

std::optional<OrderedWords> OrderedWords::of(const WordOrder &order,
                                             Word shape) {
  OrderedWords result;
  result.depth = order.depthAxis().dimension();
  result.shape = shape;
  for (unsigned dim : {0, 1}) {
    result.unit[dim] = uint64_t(1)
                       << order.unit().outputBits(Axis::coordinate(dim));
    if (shape[dim] % result.unit[dim])
      return std::nullopt;
  }
  uint64_t count = result.unit[0] * result.unit[1];
  result.offsets.resize(count);
  for (uint64_t offset = 0; offset < count; ++offset) {
    const AxisValue at[] = {{Axis::Offset, offset}};
    std::vector<AxisValue> word = order.unit().apply(at);
    result.words.push_back({word[0].value, word[1].value});
    result.offsets[word[0].value + word[1].value * result.unit[0]] = offset;
  }
  return result;
}

uint64_t OrderedWords::offsetOf(Word word) const {
  assert(word[0] < shape[0] && word[1] < shape[1] && "expects a word of it");
  uint64_t alongDepth = shape[depth] / unit[depth];
  uint64_t index = word[1 - depth] / unit[1 - depth] * alongDepth +
                   word[depth] / unit[depth];
  return index * offsets.size() +
         offsets[word[0] % unit[0] + word[1] % unit[1] * unit[0]];
}

OrderedWords::Word OrderedWords::wordAt(uint64_t offset) const {
  assert(offset < size() && "expects a place of it");
  uint64_t alongDepth = shape[depth] / unit[depth];
  uint64_t index = offset / words.size();
  Word word = words[offset % words.size()];
  word[depth] += index % alongDepth * unit[depth];
  word[1 - depth] += index / alongDepth * unit[1 - depth];
  return word;
}

void OrderedWords::arrange(std::span<const uint32_t> from, Strides strides,
                           std::span<uint32_t> to) const {
  assert(to.size() == size() && "expects as many words");
  for (uint64_t offset = 0; offset < size(); ++offset) {
    Word word = wordAt(offset);
    to[offset] = from[word[0] * strides[0] + word[1] * strides[1]];
  }
}

void OrderedWords::restore(std::span<const uint32_t> from,
                           std::span<uint32_t> to, Strides strides) const {
  assert(from.size() == size() && "expects as many words");
  for (uint64_t offset = 0; offset < size(); ++offset) {
    Word word = wordAt(offset);
    to[word[0] * strides[0] + word[1] * strides[1]] = from[offset];
  }
}
