// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Conversions/Families.h"

#include "dialects/Layout/Encodings.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::conversions;
using layout::Axis;
using layout::Fragment;
using layout::LinearLayout;

namespace {

using Sizes = std::vector<unsigned>;

constexpr unsigned laneBits = 5;

/// `total` bits dealt out to `parts` dimensions.
Sizes split(unsigned total, unsigned parts, Random &random) {
  Sizes sizes(parts, 0);
  for (unsigned bit = 0; bit < total; ++bit)
    ++sizes[random.below(parts)];
  return sizes;
}

/// A blocked layout of any rank; `order[0]` is the dimension of its vectors.
LinearLayout blocked(const Sizes &shape, const Sizes &order, unsigned warps,
                     Random &random) {
  Sizes elements(shape.size(), 0);
  elements[order[0]] = random.below(5);
  elements[order.back()] += random.below(2);
  return layout::blockedLayout(elements, split(laneBits, shape.size(), random),
                               split(warps, shape.size(), random), order,
                               shape);
}

LinearLayout blockedRows(const Tensor &tensor, Random &random) {
  return blocked({tensor.rows, tensor.columns}, {1, 0}, tensor.warps, random);
}

LinearLayout blockedColumns(const Tensor &tensor, Random &random) {
  return blocked({tensor.rows, tensor.columns}, {0, 1}, tensor.warps, random);
}

/// The tile is longer than the tensor along one dimension: lanes or warps hold
/// copies.
LinearLayout blockedCopies(const Tensor &tensor, Random &random) {
  Sizes shape = {tensor.rows, tensor.columns};
  unsigned dim = random.below(2);
  Sizes elements = {0, 0}, threads = {0, 0}, warps = {0, 0};
  threads[dim] = random.between(1, 3);
  threads[1 - dim] = laneBits - threads[dim];
  elements[dim] = shape[dim] - std::min(shape[dim], random.below(2));
  warps[random.below(2)] = tensor.warps;
  return layout::blockedLayout(elements, threads, warps,
                               random.below(2) ? Sizes{0, 1} : Sizes{1, 0},
                               shape);
}

/// The shape of a parent of rank 3 whose dimension `dim` has one element.
Sizes parentShape(const Tensor &tensor, unsigned dim) {
  Sizes shape = {tensor.rows, tensor.columns};
  shape.insert(shape.begin() + dim, 0);
  return shape;
}

LinearLayout sliceOfBlocked(const Tensor &tensor, Random &random) {
  unsigned dim = random.below(3);
  Sizes order = {2, 1, 0};
  std::swap(order[0], order[random.below(3)]);
  return layout::sliceLayout(
      blocked(parentShape(tensor, dim), order, tensor.warps, random), dim);
}

LinearLayout sliceOfMma(const Tensor &tensor, Random &random) {
  static const Fragment fragments[] = {Fragment::M16N8, Fragment::M8N8,
                                       Fragment::M8N8K4, Fragment::M8N8K4F16};
  unsigned dim = random.below(3);
  return layout::sliceLayout(
      layout::mmaAccumulator(fragments[random.below(4)],
                             split(tensor.warps, 3, random),
                             parentShape(tensor, dim)),
      dim);
}

template <Fragment fragment>
LinearLayout accumulator(const Tensor &tensor, Random &random) {
  return layout::mmaAccumulator(fragment, split(tensor.warps, 2, random),
                                Sizes{tensor.rows, tensor.columns});
}

/// What transposing an accumulator leaves.
LinearLayout transposedAccumulator(const Tensor &tensor, Random &random) {
  static const unsigned order[] = {1, 0};
  return accumulator<Fragment::M16N8>(
             {tensor.columns, tensor.rows, tensor.warps}, random)
      .transposeCoordinates(order);
}

template <Fragment fragment, unsigned index>
LinearLayout operand(const Tensor &tensor, Random &random) {
  return layout::mmaOperand(fragment, index, random.below(3),
                            split(tensor.warps, 2, random),
                            Sizes{tensor.rows, tensor.columns});
}

template <unsigned index>
LinearLayout threadOperand(const Tensor &tensor, Random &random) {
  Sizes shape = {tensor.rows, tensor.columns};
  return layout::threadOperand(blocked(shape, {1, 0}, tensor.warps, random),
                               index, shape);
}

/// Each place bit a coordinate bit or, as many as `copies` and what the threads
/// have too many, a copy.
LinearLayout permuted(const Tensor &tensor, unsigned copies, Random &random) {
  unsigned bits = tensor.rows + tensor.columns;
  unsigned threads = laneBits + tensor.warps;
  unsigned places = std::max(bits + copies, threads);
  std::vector<uint64_t> columns(places, 0);
  for (unsigned bit = 0; bit < bits; ++bit)
    columns[bit] = uint64_t(1) << bit;
  for (unsigned bit = places; bit > 1; --bit)
    std::swap(columns[bit - 1], columns[random.below(bit)]);
  return LinearLayout({{Axis::Register, places - threads},
                       {Axis::Lane, laneBits},
                       {Axis::Warp, tensor.warps}},
                      {{Axis::coordinate(0), tensor.rows},
                       {Axis::coordinate(1), tensor.columns}},
                      std::move(columns));
}

/// The same with coordinate bits added to each other.
LinearLayout mix(const LinearLayout &layout, Random &random) {
  unsigned bits = layout.totalOutputBits();
  std::vector<uint64_t> columns = layout.columns();
  for (unsigned step = 0; step < 2 * bits; ++step) {
    unsigned from = random.below(bits), to = random.below(bits);
    if (from == to)
      continue;
    for (uint64_t &column : columns)
      column ^= (column >> from & 1) << to;
  }
  return LinearLayout(layout.inputs(), layout.outputs(), std::move(columns));
}

/// A few places hold sums of what others hold.
LinearLayout mixedCopies(const Tensor &tensor, Random &random) {
  LinearLayout layout = permuted(tensor, random.between(1, 2), random);
  std::vector<uint64_t> columns = layout.columns();
  uint64_t all = (uint64_t(1) << layout.totalOutputBits()) - 1;
  for (uint64_t &column : columns)
    if (!column && random.below(2))
      column = random.bits() & all;
  return mix(LinearLayout(layout.inputs(), layout.outputs(), columns), random);
}

} // namespace

const std::vector<Family> &conversions::allFamilies() {
  static const std::vector<Family> families = {
      {"blocked-rows", blockedRows},
      {"blocked-columns", blockedColumns},
      {"blocked-copies", blockedCopies},
      {"slice-of-blocked", sliceOfBlocked},
      {"slice-of-mma", sliceOfMma},
      {"m16n8", accumulator<Fragment::M16N8>},
      {"m16n8-transposed", transposedAccumulator},
      {"m8n8", accumulator<Fragment::M8N8>},
      {"m8n8k4", accumulator<Fragment::M8N8K4>},
      {"m8n8k4f16", accumulator<Fragment::M8N8K4F16>},
      {"m16n8-left", operand<Fragment::M16N8, 0>},
      {"m16n8-right", operand<Fragment::M16N8, 1>},
      {"m8n8-left", operand<Fragment::M8N8, 0>},
      {"m8n8-right", operand<Fragment::M8N8, 1>},
      {"m8n8k4-left", operand<Fragment::M8N8K4, 0>},
      {"m8n8k4-right", operand<Fragment::M8N8K4, 1>},
      {"threads-left", threadOperand<0>},
      {"threads-right", threadOperand<1>},
      {"permuted", [](const Tensor &tensor,
                      Random &random) { return permuted(tensor, 0, random); }},
      {"permuted-copies",
       [](const Tensor &tensor, Random &random) {
         return permuted(tensor, random.between(1, 2), random);
       }},
      {"mixed",
       [](const Tensor &tensor, Random &random) {
         return mix(permuted(tensor, 0, random), random);
       }},
      {"mixed-copies", mixedCopies}};
  return families;
}
