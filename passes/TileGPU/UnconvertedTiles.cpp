// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/UnconvertedTiles.h"

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/TileGPU/ConversionRules.h"
#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

static bool goesByWayOfSharedMemory(ConvertLayoutOp convert,
                                    const target::Target &target) {
  auto from = cast<RankedTensorType>(convert.getSource().getType());
  auto to = cast<RankedTensorType>(convert.getType());
  std::vector<layout::ConversionPlan> plans = listPlansOf(
      convert, toLinearLayout(from), toLinearLayout(to),
      getMemoryBits(to.getElementType()), target, target.sharedMemoryLimit);
  return !plans.empty() && (plans.front().shared || plans.front().rounds);
}

namespace {
class LayoutSearch {
public:
  explicit LayoutSearch(const target::Target &target) : target(target) {}

  Attribute find(Value tile) { return collect(tile) ? layout : Attribute(); }

private:
  bool collect(Value value);

  const target::Target &target;
  Attribute layout;
  llvm::SmallPtrSet<Operation *, 4> computed;
};
} // namespace

bool LayoutSearch::collect(Value value) {
  constexpr unsigned mostOps = 8;
  if (auto convert = value.getDefiningOp<ConvertLayoutOp>()) {
    Attribute from =
        cast<RankedTensorType>(convert.getSource().getType()).getEncoding();
    bool isSame = !layout || layout == from;
    layout = from;
    return isSame && goesByWayOfSharedMemory(convert, target);
  }
  Operation *op = value.getDefiningOp();
  if (isSplatConstant(value))
    return true;
  if (!op || !OpTrait::hasElementwiseMappableTraits(op) ||
      op->getNumResults() != 1 || !isPure(op) || computed.size() == mostOps)
    return false;
  computed.insert(op);
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return isa<RankedTensorType>(operand.getType()) && collect(operand);
  });
}

Attribute tilegpu::findUnconvertedLayout(Value tile,
                                         const target::Target &target) {
  return LayoutSearch(target).find(tile);
}

Value UnconvertedTiles::make(Value tile) {
  if (Value known = made.lookup(tile))
    return known;
  Operation *op = tile.getDefiningOp();
  if (auto convert = dyn_cast<ConvertLayoutOp>(op))
    return convert.getSource();
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, make(operand));
  auto type = cast<RankedTensorType>(tile.getType()).cloneWithEncoding(layout);
  Operation *clone = builder.clone(*op, mapping);
  clone->getResult(0).setType(type);
  if (auto constant = dyn_cast<arith::ConstantOp>(clone))
    constant.setValueAttr(
        cast<DenseElementsAttr>(constant.getValue()).resizeSplat(type));
  return made[tile] = clone->getResult(0);
}
