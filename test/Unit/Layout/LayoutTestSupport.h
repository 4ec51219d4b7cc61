// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts for the tests of the layout algebra: all small maps, seeded random
// ones, and a few of real kernels.

#ifndef TILEWRIGHT_TEST_UNIT_LAYOUT_LAYOUTTESTSUPPORT_H
#define TILEWRIGHT_TEST_UNIT_LAYOUT_LAYOUTTESTSUPPORT_H

#include "dialects/Layout/Encodings.h"
#include "dialects/Layout/LinearLayout.h"

#include <functional>
#include <random>
#include <set>

namespace tilewright::layout {

inline Axis dim(unsigned dimension) { return Axis::coordinate(dimension); }

/// Calls `visit` with every map from `inputs` to `outputs`.
inline void forAllMaps(const std::vector<AxisBits> &inputs,
                       const std::vector<AxisBits> &outputs,
                       const std::function<void(const LinearLayout &)> &visit) {
  unsigned in = 0, out = 0;
  for (const AxisBits &axis : inputs)
    in += axis.bits;
  for (const AxisBits &axis : outputs)
    out += axis.bits;
  for (uint64_t index = 0; index < uint64_t(1) << (in * out); ++index) {
    std::vector<uint64_t> columns;
    for (unsigned bit = 0; bit < in; ++bit)
      columns.push_back(index >> (bit * out) & ((uint64_t(1) << out) - 1));
    visit(LinearLayout(inputs, outputs, columns));
  }
}

/// Seeded random maps; the generator's own operators, since distributions
/// differ between standard libraries.
class RandomMaps {
public:
  explicit RandomMaps(uint64_t seed) : engine(seed) {}
  uint64_t below(uint64_t bound) { return engine() % bound; }

  LinearLayout map(const std::vector<AxisBits> &inputs,
                   const std::vector<AxisBits> &outputs) {
    unsigned in = 0, out = 0;
    for (const AxisBits &axis : inputs)
      in += axis.bits;
    for (const AxisBits &axis : outputs)
      out += axis.bits;
    std::vector<uint64_t> columns;
    for (unsigned bit = 0; bit < in; ++bit)
      columns.push_back(below(uint64_t(1) << out));
    return LinearLayout(inputs, outputs, columns);
  }

  /// (register, lane, warp) -> (dim0, dim1), surjective, each input bit one
  /// coordinate bit or a replica.
  LinearLayout permutation(unsigned registers, unsigned lanes, unsigned warps,
                           unsigned rows, unsigned columns) {
    std::vector<uint64_t> all(registers + lanes + warps, 0);
    for (unsigned bit = 0; bit < rows + columns; ++bit)
      all[bit] = uint64_t(1) << bit;
    for (size_t i = all.size(); i > 1; --i)
      std::swap(all[i - 1], all[below(i)]);
    return LinearLayout(
        {{Axis::Register, registers}, {Axis::Lane, lanes}, {Axis::Warp, warps}},
        {{dim(0), rows}, {dim(1), columns}}, all);
  }

private:
  std::mt19937_64 engine;
};

/// The values of a map at every input, by adding up columns here.
inline std::vector<uint64_t> table(const LinearLayout &layout) {
  std::vector<uint64_t> result = {0};
  for (uint64_t column : layout.columns()) {
    size_t size = result.size();
    for (size_t i = 0; i < size; ++i)
      result.push_back(result[i] ^ column);
  }
  return result;
}

inline std::set<uint64_t> imageSet(const LinearLayout &layout) {
  std::vector<uint64_t> values = table(layout);
  return {values.begin(), values.end()};
}

/// A row-major blocked layout of rank 2; all sizes are log2.
inline LinearLayout blocked(std::vector<unsigned> elements,
                            std::vector<unsigned> threads,
                            std::vector<unsigned> warps,
                            std::vector<unsigned> shape,
                            std::vector<unsigned> order = {1, 0}) {
  return blockedLayout(elements, threads, warps, order, shape);
}

} // namespace tilewright::layout

#endif // TILEWRIGHT_TEST_UNIT_LAYOUT_LAYOUTTESTSUPPORT_H
