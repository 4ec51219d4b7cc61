// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, scans and gathers: along one axis of tiles. Regions are run for
// two elements at a time, in the order of the axis. Histograms, and functions
// of scalars.

#include "lib/Judges/Reference/Elementwise.h"
#include "lib/Judges/Reference/Numbers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

namespace {
/// A tile cut into lines along an axis: element `place` of a line is at
/// `start + place * step`.
struct Lines {
  int64_t length, step = 1, count = 1;

  Lines(ArrayRef<int64_t> shape, int64_t axis) : length(shape[axis]) {
    step = llvm::product_of(shape.drop_front(axis + 1));
    count = llvm::product_of(shape) / length;
  }

  int64_t getStart(int64_t line) const {
    return line / step * step * length + line % step;
  }
};
} // namespace

/// The values of all sources at one index, as scalars.
static RuntimeValues getScalars(const RuntimeValues &sources, int64_t index) {
  RuntimeValues scalars;
  for (const RuntimeValue &source : sources)
    scalars.push_back({{}, {source.elements[index]}, nullptr});
  return scalars;
}

/// What the region makes of values so far and the next ones.
static FailureOr<RuntimeValues> combine(Interpreter &interpreter,
                                        Region &region, RuntimeValues values,
                                        RuntimeValues next) {
  llvm::append_range(values, next);
  return interpreter.runRegion(region, std::move(values));
}

FailureOr<RuntimeValues> reference::reduceParts(Interpreter &interpreter,
                                                const RuntimeValues &sources,
                                                unsigned axis, int64_t parts,
                                                Region &region) {
  // With the axis cut in two, `parts` x `length`, the lines are along the
  // latter, and their order is that of the results.
  Shape shape = sources[0].shape, cut = shape;
  int64_t length = shape[axis] / parts;
  cut[axis] = parts;
  cut.insert(cut.begin() + axis + 1, length);
  shape[axis] = parts;
  Lines lines(cut, axis + 1);
  RuntimeValues results(sources.size(), RuntimeValue::uninitialized(shape));
  for (int64_t line = 0; line < lines.count; ++line) {
    int64_t start = lines.getStart(line);
    RuntimeValues values = getScalars(sources, start);
    for (int64_t place = 1; place < length; ++place) {
      FailureOr<RuntimeValues> combined =
          combine(interpreter, region, std::move(values),
                  getScalars(sources, start + place * lines.step));
      if (failed(combined))
        return failure();
      values = std::move(*combined);
    }
    for (auto [result, value] : llvm::zip_equal(results, values))
      result.elements[line] = value.elements[0];
  }
  return results;
}

static LogicalResult evaluateReduce(Interpreter &interpreter, tt::ReduceOp op) {
  FailureOr<RuntimeValues> results =
      reduceParts(interpreter, interpreter.getAll(op.getSrcs()), op.getAxis(),
                  /*parts=*/1, op.getCombineOp());
  if (failed(results))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op.getResults(), *results)) {
    value.shape = getShape(result.getType());
    interpreter.set(result, std::move(value));
  }
  return success();
}

/// The region of a reversed scan gets what was combined so far, which comes
/// from the end of the axis, first too.
static LogicalResult evaluateScan(Interpreter &interpreter, tt::ScanOp op) {
  RuntimeValues sources = interpreter.getAll(op.getSrcs());
  RuntimeValues results = sources;
  Lines lines(sources[0].shape, op.getAxis());
  for (int64_t line = 0; line < lines.count; ++line) {
    int64_t start = lines.getStart(line), step = lines.step;
    if (op.getReverse()) {
      start += (lines.length - 1) * step;
      step = -step;
    }
    RuntimeValues values = getScalars(sources, start);
    for (int64_t place = 1; place < lines.length; ++place) {
      int64_t index = start + place * step;
      FailureOr<RuntimeValues> combined =
          combine(interpreter, op.getCombineOp(), std::move(values),
                  getScalars(sources, index));
      if (failed(combined))
        return failure();
      values = std::move(*combined);
      for (auto [result, value] : llvm::zip_equal(results, values))
        result.elements[index] = value.elements[0];
    }
  }
  interpreter.setAll(op.getResults(), std::move(results));
  return success();
}

LogicalResult reference::gatherElements(Interpreter &interpreter, Operation *op,
                                        const RuntimeValue &source,
                                        const TypedTile &indices,
                                        unsigned axis) {
  unsigned width = getWidth(indices.type);
  Element undefined = interpreter.getUndefined(op->getResult(0).getType());
  return setElements(interpreter, op, [&](size_t index) {
    Shape at = getCoordinates(indices.value.shape, index);
    at[axis] = signExtend(indices.value.elements[index].bits, width);
    if (at[axis] < 0 || at[axis] >= source.shape[axis])
      return undefined;
    return source.elements[getIndex(source.shape, at)];
  });
}

static LogicalResult evaluateGather(Interpreter &interpreter, tt::GatherOp op) {
  return gatherElements(interpreter, op, interpreter.get(op.getSrc()),
                        interpreter.getTyped(op.getIndices()), op.getAxis());
}

RuntimeValue reference::countElements(const RuntimeValue &elements,
                                      const RuntimeValue *mask,
                                      RuntimeValue bins) {
  for (auto [index, element] : llvm::enumerate(elements.elements))
    if ((!mask || mask->at(index).bits) && element.bits < bins.elements.size())
      bins.elements[element.bits] = {
          wrapInteger(bins.elements[element.bits].bits + 1, 32)};
  return bins;
}

static LogicalResult evaluateHistogram(Interpreter &interpreter,
                                       tt::HistogramOp op) {
  const RuntimeValue *mask =
      op.getMask() ? &interpreter.get(op.getMask()) : nullptr;
  interpreter.set(
      op.getResult(),
      countElements(interpreter.get(op.getSrc()), mask,
                    RuntimeValue::uninitialized(getShape(op.getType()))));
  return success();
}

//===----------------------------------------------------------------------===//
// Functions of scalars
//===----------------------------------------------------------------------===//

/// Packs are neighbours in row-major order.
static LogicalResult evaluateMap(Interpreter &interpreter,
                                 tt::MapElementwiseOp op) {
  RuntimeValues sources = interpreter.getAll(op.getSrcs());
  RuntimeValues results;
  for (Type type : op.getResultTypes())
    results.push_back(RuntimeValue::uninitialized(getShape(type)));
  int64_t pack = op.getPack(), count = llvm::product_of(sources[0].shape);
  for (int64_t first = 0; first < count; first += pack) {
    RuntimeValues arguments;
    for (const RuntimeValue &source : sources)
      for (int64_t index = first; index < first + pack; ++index)
        arguments.push_back({{}, {source.elements[index]}, nullptr});
    FailureOr<RuntimeValues> values =
        interpreter.runRegion(op.getScalarOp(), std::move(arguments));
    if (failed(values))
      return failure();
    for (auto [number, value] : llvm::enumerate(*values))
      results[number / pack].elements[first + number % pack] =
          value.elements[0];
  }
  interpreter.setAll(op.getResults(), std::move(results));
  return success();
}

void reference::addReductionOps(OpTable &table) {
  table.add<tt::HistogramOp>(evaluateHistogram);
  table.add<tt::MapElementwiseOp>(evaluateMap);
  table.add<tt::ReduceOp>(evaluateReduce);
  table.add<tt::ScanOp>(evaluateScan);
  table.add<tt::GatherOp>(evaluateGather);
}
