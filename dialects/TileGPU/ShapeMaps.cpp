// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/TileGPU/ShapeMaps.h"

#include "dialects/Triton/Triton.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;

/// log2 of each dimension.
static SmallVector<unsigned> bitsOf(ArrayRef<int64_t> shape) {
  return llvm::map_to_vector(
      shape, [](int64_t size) { return layout::log2Exact(size); });
}

/// Positions of the dimensions' lowest bits in a flat value: dim0 first.
static SmallVector<unsigned> dim0First(ArrayRef<unsigned> bits) {
  SmallVector<unsigned> offsets;
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
makeMap(ArrayRef<unsigned> result, ArrayRef<unsigned> source,
        function_ref<uint64_t(unsigned dim, unsigned bit)> column) {
  std::vector<AxisBits> inputs, outputs;
  std::vector<uint64_t> columns;
  for (auto [dim, bits] : llvm::enumerate(result)) {
    inputs.push_back({Axis::coordinate(dim), bits});
    for (unsigned bit = 0; bit < bits; ++bit)
      columns.push_back(column(dim, bit));
  }
  for (auto [dim, bits] : llvm::enumerate(source))
    outputs.push_back({Axis::coordinate(dim), bits});
  return LinearLayout(inputs, outputs, columns);
}

/// A map that sends result dimension d to source dimension target(d), or
/// nowhere where that is negative or the source has one element there.
static LinearLayout makeDimensionMap(ArrayRef<int64_t> result,
                                     ArrayRef<int64_t> source,
                                     function_ref<int(unsigned)> target) {
  SmallVector<unsigned> sourceBits = bitsOf(source);
  SmallVector<unsigned> offsets = dim0First(sourceBits);
  return makeMap(bitsOf(result), sourceBits, [&](unsigned dim, unsigned bit) {
    int to = target(dim);
    if (to < 0 || bit >= sourceBits[to])
      return uint64_t(0);
    return uint64_t(1) << (offsets[to] + bit);
  });
}

/// Both shapes number the same elements in row-major order.
static LinearLayout makeReshapeMap(ArrayRef<int64_t> result,
                                   ArrayRef<int64_t> source) {
  SmallVector<unsigned> resultBits = bitsOf(result);
  SmallVector<unsigned> sourceBits = bitsOf(source);
  SmallVector<unsigned> offsets = dim0First(sourceBits);
  // For each row-major bit, the source's flat column.
  SmallVector<uint64_t> rowMajor;
  for (int dim = sourceBits.size() - 1; dim >= 0; --dim)
    for (unsigned bit = 0; bit < sourceBits[dim]; ++bit)
      rowMajor.push_back(uint64_t(1) << (offsets[dim] + bit));
  return makeMap(resultBits, sourceBits, [&](unsigned dim, unsigned bit) {
    for (unsigned faster = dim + 1; faster < resultBits.size(); ++faster)
      bit += resultBits[faster];
    return rowMajor[bit];
  });
}

bool tilegpu::isRenaming(Operation *op) {
  return isa<tt::ExpandDimsOp, tt::BroadcastOp, tt::TransOp, tt::ReshapeOp,
             tt::JoinOp>(op);
}

LinearLayout tilegpu::getResultToSourceMap(Operation *op) {
  ArrayRef<int64_t> source =
      cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  ArrayRef<int64_t> result =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  return TypeSwitch<Operation *, LinearLayout>(op)
      .Case<tt::ExpandDimsOp>([&](tt::ExpandDimsOp expand) {
        int axis = expand.getAxis();
        return makeDimensionMap(result, source, [&](unsigned dim) {
          return int(dim) == axis ? -1 : int(dim) - (int(dim) > axis ? 1 : 0);
        });
      })
      .Case<tt::BroadcastOp>([&](tt::BroadcastOp) {
        return makeDimensionMap(result, source,
                                [](unsigned dim) { return int(dim); });
      })
      .Case<tt::TransOp>([&](tt::TransOp trans) {
        return makeDimensionMap(result, source, [&](unsigned dim) {
          return int(trans.getOrder()[dim]);
        });
      })
      .Case<tt::ReshapeOp>(
          [&](tt::ReshapeOp) { return makeReshapeMap(result, source); })
      .Case<tt::JoinOp>([&](tt::JoinOp) {
        return makeDimensionMap(result, source, [&](unsigned dim) {
          return dim < source.size() ? int(dim) : -1;
        });
      })
      .DefaultUnreachable("the op is a renaming");
}

LinearLayout tilegpu::getSplitMap(RankedTensorType resultType) {
  SmallVector<int64_t> source(resultType.getShape());
  source.push_back(2);
  return makeDimensionMap(resultType.getShape(), source,
                          [](unsigned dim) { return int(dim); });
}
