// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placement of tile.dequantize: numbers are where their words are, so that it
// is words that move between threads.

#include "dialects/TileGPU/Dequantization.h"
#include "dialects/TileGPU/Placement/Models.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;
using tile::CodeFormat;
using tile::DequantizeOp;

RegisterLayoutInterface tilegpu::getCodeBookLayout(MLIRContext *context,
                                                   unsigned entries,
                                                   unsigned numWarps) {
  Axis dim = Axis::coordinate(0);
  unsigned bits = llvm::Log2_32(entries), lanes = std::min(bits, 5u);
  std::vector<uint64_t> columns;
  for (unsigned bit = lanes; bit < bits; ++bit)
    columns.push_back(uint64_t(1) << bit);
  for (unsigned bit = 0; bit < 5; ++bit)
    columns.push_back(bit < lanes ? uint64_t(1) << bit : 0);
  columns.resize(columns.size() + llvm::Log2_32(numWarps));
  return LinearAttr::get(context,
                         LinearLayout({{Axis::Register, bits - lanes},
                                       {Axis::Lane, 5},
                                       {Axis::Warp, llvm::Log2_32(numWarps)}},
                                      {{dim, bits}}, columns));
}

/// The number that all elements of a constant are.
static std::optional<double> getSplat(Value value) {
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
    return std::nullopt;
  if (auto number = dyn_cast<FloatAttr>(constant.getSplatValue<Attribute>()))
    return number.getValueAsDouble();
  return double(constant.getSplatValue<APInt>().getSExtValue());
}

bool tilegpu::standsInPlace(DequantizeOp op) {
  if (!op.isOfIntegers() || !op.getType().getElementType().isF16() ||
      getSplat(op.getScales()) != 0x1p-24)
    return false;
  bool isSigned = op.getFormat() == CodeFormat::SignedInteger;
  double least = isSigned ? -double(1u << (op.getBits() - 1)) : 0;
  return (op.getZeros() ? getSplat(op.getZeros()) : 0) == least;
}

bool tilegpu::dequantizesInPairs(DequantizeOp op,
                                 const target::Target &target) {
  auto type = cast<FloatType>(op.getType().getElementType());
  if (standsInPlace(op))
    return true;
  if (!op.multipliesIn(type) ||
      (type.isBF16() && !target.has(target::Capability::Bf16Arithmetic)))
    return false;
  // An integer's bits are to fit under the type's exponent.
  return !op.isOfIntegers() || op.getBits() < type.getFPMantissaWidth();
}

DequantizeInstructions tilegpu::countDequantize(DequantizeOp op,
                                                const target::Target &target) {
  // A mask for two, and a shift for four, or for two.
  if (standsInPlace(op))
    return {op.getInBytes() ? 0.75 : 1, 0, 0};
  bool inPairs = dequantizesInPairs(op, target);
  bool isScaled = !matchPattern(op.getScales(), m_OneFloat());
  // Of integers: bytes are brought to their halves and put under an exponent;
  // an addition, a multiplication; in f32 zeros and the conversion besides.
  DequantizeInstructions count{2, 2, 0};
  if (op.getFormat() == CodeFormat::E2M1)
    count = {5, 2, 0};
  if (op.getFormat() == CodeFormat::E4M3 || op.getFormat() == CodeFormat::E5M2)
    count = {3, 2, 0};
  if (op.getFormat() == CodeFormat::CodeBook) {
    // Each code is looked up by itself.
    double multiplication = inPairs ? 0.5 : 1;
    count = {2, (inPairs ? 0.5 : 1.5) - (isScaled ? 0 : multiplication),
             double(llvm::divideCeil(1u << op.getBits(), 32))};
    return count;
  }
  if (!isScaled)
    count.floating -= 1;
  if (inPairs)
    return {count.integer / 2, count.floating / 2, 0};
  count.floating += op.getZeros() ? 1.5 : 0.5;
  return count;
}

static uint64_t getPriceOfNumber(DequantizeOp op,
                                 const target::Target &target) {
  DequantizeInstructions count = countDequantize(op, target);
  return uint64_t(
      std::ceil((count.integer + count.floating) * target.prices.arithmetic +
                count.shuffles * target.prices.shuffle));
}

namespace {
/// The own layout is the result's.
struct DequantizeModel : PlacementModel<DequantizeModel> {
  std::optional<Implementation>
  implementUnder(Operation *op, RegisterLayoutInterface layout) const {
    auto dequantize = cast<DequantizeOp>(op);
    LinearLayout result = layout.toLinearLayout(getFirstTensor(op).getShape());
    auto readThrough = [&](const LinearLayout &map) {
      return RegisterLayoutInterface(
          LinearAttr::get(op->getContext(), inferSource(result, map)));
    };
    Implementation implementation{layout, {}, {layout}, {}};
    auto &operands = implementation.operands;
    operands.push_back(readThrough(dequantize.getWordMap()));
    RegisterLayoutInterface groups = readThrough(dequantize.getGroupMap());
    operands.push_back(groups);
    if (dequantize.getZeros())
      operands.push_back(groups);
    if (dequantize.getCodeBook())
      operands.push_back(getCodeBookLayout(
          op->getContext(), 1u << dequantize.getBits(), layout.getNumWarps()));
    return implementation;
  }

  /// A thread that holds a word has all of its numbers, in the registers' low
  /// bits.
  RegisterLayoutInterface
  proposeForOperand(Operation *op, OpOperand &operand,
                    RegisterLayoutInterface held) const {
    auto dequantize = cast<DequantizeOp>(op);
    auto type = cast<RankedTensorType>(operand.get().getType());
    if (operand.get() != dequantize.getWeights())
      return {};
    LinearLayout numbers = LinearLayout::identity(
        Axis::Register, Axis::coordinate(dequantize.getAxis()),
        llvm::Log2_64(dequantize.getCodesPerWord()));
    return LinearAttr::get(
        op->getContext(),
        inDimensionOrder(numbers * held.toLinearLayout(type.getShape())));
  }

  uint64_t getPrice(Operation *op, const Implementation &implementation,
                    const PlacementContext &context) const {
    return countRegisters(getFirstTensor(op), implementation.layout) *
           getPriceOfNumber(cast<DequantizeOp>(op), context.target);
  }
};
} // namespace

void tilegpu::attachDequantizePlacement(MLIRContext &context) {
  attachPlacement<DequantizeModel, DequantizeOp>(context);
}
