// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Layout/CoordinateMaps.h"

#include "dialects/Layout/F2.h"

using namespace tilewright;
using namespace tilewright::layout;

/// log2 of each dimension.
static std::vector<unsigned> bitsOf(std::span<const int64_t> shape) {
  std::vector<unsigned> bits;
  for (int64_t size : shape)
    bits.push_back(log2Exact(size));
  return bits;
}

/// Positions of the dimensions' lowest bits in a flat value: dim0 first.
static std::vector<unsigned> dim0First(std::span<const unsigned> bits) {
  std::vector<unsigned> offsets;
  unsigned total = 0;
  for (unsigned count : bits) {
    offsets.push_back(total);
    total += count;
  }
  return offsets;
}

/// A map given by where each bit of each result dimension goes: a flat value
/// of source coordinates, dim0 in the low bits.
static LinearLayout
makeMap(std::span<const unsigned> result, std::span<const unsigned> source,
        const std::function<uint64_t(unsigned dim, unsigned bit)> &column) {
  std::vector<AxisBits> inputs, outputs;
  std::vector<uint64_t> columns;
  for (unsigned dim = 0; dim < result.size(); ++dim) {
    inputs.push_back({Axis::coordinate(dim), result[dim]});
    for (unsigned bit = 0; bit < result[dim]; ++bit)
      columns.push_back(column(dim, bit));
  }
  for (unsigned dim = 0; dim < source.size(); ++dim)
    outputs.push_back({Axis::coordinate(dim), source[dim]});
  return LinearLayout(inputs, outputs, columns);
}

LinearLayout
layout::makeDimensionMap(std::span<const int64_t> result,
                         std::span<const int64_t> source,
                         const std::function<int(unsigned)> &target) {
  std::vector<unsigned> sourceBits = bitsOf(source);
  std::vector<unsigned> offsets = dim0First(sourceBits);
  return makeMap(bitsOf(result), sourceBits, [&](unsigned dim, unsigned bit) {
    int to = target(dim);
    if (to < 0 || bit >= sourceBits[to])
      return uint64_t(0);
    return uint64_t(1) << (offsets[to] + bit);
  });
}

LinearLayout layout::makeGroupMap(std::span<const int64_t> result,
                                  std::span<const int64_t> source) {
  std::vector<unsigned> resultBits = bitsOf(result);
  std::vector<unsigned> sourceBits = bitsOf(source);
  std::vector<unsigned> offsets = dim0First(sourceBits);
  return makeMap(resultBits, sourceBits, [&](unsigned dim, unsigned bit) {
    unsigned within = resultBits[dim] - sourceBits[dim];
    return bit < within ? uint64_t(0)
                        : uint64_t(1) << (offsets[dim] + bit - within);
  });
}

LinearLayout layout::makeReshapeMap(std::span<const int64_t> result,
                                    std::span<const int64_t> source) {
  std::vector<unsigned> resultBits = bitsOf(result);
  std::vector<unsigned> sourceBits = bitsOf(source);
  std::vector<unsigned> offsets = dim0First(sourceBits);
  // For each row-major bit, the source's flat column.
  std::vector<uint64_t> rowMajor;
  for (int dim = sourceBits.size() - 1; dim >= 0; --dim)
    for (unsigned bit = 0; bit < sourceBits[dim]; ++bit)
      rowMajor.push_back(uint64_t(1) << (offsets[dim] + bit));
  return makeMap(resultBits, sourceBits, [&](unsigned dim, unsigned bit) {
    for (unsigned faster = dim + 1; faster < resultBits.size(); ++faster)
      bit += resultBits[faster];
    return rowMajor[bit];
  });
}
