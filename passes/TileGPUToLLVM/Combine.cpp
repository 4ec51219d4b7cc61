// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/Combine.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;

Tuple Combiner::combine(ArrayRef<Value> a, ArrayRef<Value> b) {
  SmallVector<Value> arguments(a);
  arguments.append(b.begin(), b.end());
  return Tuple(inlineScalarRegion(rewriter, converter, region, arguments));
}

Tuple Combiner::shuffleXor(ArrayRef<Value> values, unsigned laneMask) {
  Tuple moved;
  for (Value value : values)
    moved.push_back(emitter.shuffleXor(value, laneMask));
  return moved;
}

Tuple Combiner::shuffleIndex(ArrayRef<Value> values, Value lane) {
  Tuple moved;
  for (Value value : values)
    moved.push_back(emitter.shuffleIndex(value, lane));
  return moved;
}

Tuple Combiner::select(Value condition, ArrayRef<Value> a, ArrayRef<Value> b) {
  Tuple chosen;
  for (auto [first, second] : llvm::zip_equal(a, b))
    chosen.push_back(emitter.select(condition, first, second));
  return chosen;
}

SmallVector<Tuple> tilegpu::zipOperands(ArrayRef<ValueRange> operands) {
  SmallVector<Tuple> tuples(operands.front().size());
  for (ValueRange registers : operands)
    for (auto [tuple, value] : llvm::zip_equal(tuples, registers))
      tuple.push_back(value);
  return tuples;
}

SmallVector<SmallVector<Value>> tilegpu::unzipTuples(ArrayRef<Tuple> tuples,
                                                     size_t sources) {
  SmallVector<SmallVector<Value>> results(sources);
  for (const Tuple &tuple : tuples)
    for (auto [registers, value] : llvm::zip_equal(results, tuple))
      registers.push_back(value);
  return results;
}

FailureOr<LinearLayout> tilegpu::getCommonLayout(Operation *op) {
  if (op->getNumOperands() == 0)
    return op->emitOpError("expects at least one source");
  std::optional<LinearLayout> common;
  for (Value source : op->getOperands()) {
    if (!getRegisterLayout(source.getType()))
      return op->emitOpError("expects sources with a register layout, but got ")
             << source.getType();
    LinearLayout layout =
        toLinearLayout(cast<RankedTensorType>(source.getType()));
    if (common && *common != layout)
      return op->emitOpError("expects sources of one layout, but got ")
             << op->getOperand(0).getType() << " and " << source.getType();
    common = std::move(layout);
  }
  return *common;
}

static std::vector<uint64_t> getColumns(const LinearLayout &layout,
                                        ArrayRef<Axis> inputs) {
  std::vector<uint64_t> columns;
  for (Axis input : inputs)
    for (unsigned bit = 0; bit < layout.inputBits(input); ++bit)
      columns.push_back(layout.column(input, bit));
  return columns;
}

std::vector<uint64_t> tilegpu::getRegisterColumns(const LinearLayout &layout) {
  return getColumns(layout, {Axis::Register});
}

std::vector<uint64_t> tilegpu::getThreadColumns(const LinearLayout &layout) {
  return getColumns(layout, {Axis::Register, Axis::Lane});
}
