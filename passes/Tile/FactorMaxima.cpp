// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes positive factors out of maxima: of products with one factor the largest
// is the product of the largest, rounded alike. Softmax takes the maximum of
// scores times their scale, and subtracts it from these; then the products are
// only subtracted from, which one fused multiply-add does for each score.

#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/Tile/Passes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_FACTORMAXIMA
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

//===----------------------------------------------------------------------===//
// What is multiplied, and who uses it
//===----------------------------------------------------------------------===//

namespace {
/// A tile times a factor that all of its elements have in common.
struct ScaledTile {
  arith::MulFOp product;
  Value tile;
  /// A scalar; null where it is a constant.
  Value factor;
  FloatAttr constant;
  /// In which the product is the other value beside -inf, each the only user of
  /// the one before.
  SmallVector<arith::SelectOp, 2> masks;
  SmallVector<tt::ReduceOp, 1> maxima;

  /// The product under all masks.
  Value getMasked() const {
    return masks.empty() ? Value(arith::MulFOp(product))
                         : Value(arith::SelectOp(masks.back()));
  }
};
} // namespace

static bool mayContract(arith::ArithFastMathInterface op) {
  return arith::bitEnumContainsAll(op.getFastMathFlagsAttr().getValue(),
                                   arith::FastMathFlags::contract);
}

/// Whether `op` reduces one tile to its largest elements.
static bool isMaximum(tt::ReduceOp op) {
  if (op->getNumOperands() != 1)
    return false;
  Block &body = op->getRegion(0).front();
  Operation *combine = &body.front();
  return isa<arith::MaxNumFOp, arith::MaximumFOp>(combine) &&
         combine->getNextNode() == body.getTerminator() &&
         llvm::equal(combine->getOperands(), body.getArguments()) &&
         body.getTerminator()->getOperand(0) == combine->getResult(0);
}

static bool isNegativeInfinity(Value value) {
  return matchPattern(value, m_NegInfFloat());
}

/// Whether `mask` leaves out, by -inf, elements of `tile`.
static bool isMaskOf(arith::SelectOp mask, Value tile) {
  return (mask.getTrueValue() == tile &&
          isNegativeInfinity(mask.getFalseValue())) ||
         (mask.getFalseValue() == tile &&
          isNegativeInfinity(mask.getTrueValue()));
}

/// Finds masks and maxima; false where there are no maxima, or users for which
/// the product has to be computed anyway.
static bool findUsers(ScaledTile &scaled) {
  Value tile = scaled.product;
  while (tile.hasOneUse()) {
    auto mask = dyn_cast<arith::SelectOp>(*tile.user_begin());
    if (!mask || !isMaskOf(mask, tile))
      break;
    scaled.masks.push_back(mask);
    tile = mask;
  }
  for (Operation *user : tile.getUsers()) {
    auto maximum = dyn_cast<tt::ReduceOp>(user);
    if (maximum && isMaximum(maximum))
      scaled.maxima.push_back(maximum);
    else if (user->getBlock() != scaled.product->getBlock() ||
             !isa<arith::AddFOp, arith::SubFOp>(user) ||
             !mayContract(cast<arith::ArithFastMathInterface>(user)))
      return false;
  }
  return !scaled.maxima.empty();
}

/// Whether multiplying by the constant keeps order, -inf and what is no number.
static bool isPositive(const APFloat &constant) {
  return constant.isFiniteNonZero() && !constant.isNegative() &&
         !constant.isDenormal();
}

static std::optional<ScaledTile> findScaledTile(arith::MulFOp product) {
  auto type = dyn_cast<RankedTensorType>(product.getType());
  if (!type || !type.getElementType().isF32() || !mayContract(product))
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    ScaledTile scaled = {product, product->getOperand(i), {}, {}, {}, {}};
    Value other = product->getOperand(1 - i);
    APFloat constant(0.0);
    if (auto splat = other.getDefiningOp<tt::SplatOp>())
      scaled.factor = splat.getSrc();
    else if (matchPattern(other, m_ConstantFloat(&constant)) &&
             isPositive(constant))
      scaled.constant = FloatAttr::get(type.getElementType(), constant);
    else
      continue;
    if (findUsers(scaled))
      return scaled;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Factors of either sign
//===----------------------------------------------------------------------===//

namespace {
class MaximaRewriter {
public:
  void rewrite(ScaledTile scaled);

private:
  Value makePositive(ScaledTile &scaled);

  struct Positive {
    Value factor, operand;
  };
  /// What became, in front of the first loop of a block that has them, of
  /// factors and the operands that have their signs.
  llvm::DenseMap<std::tuple<Value, Value, Block *>, Positive> positive;
};
} // namespace

/// The operand of `dot` that is the same in all iterations of the loop around
/// it, as `factor` is; null where there is none, or the sums begin with another
/// number. What is computed of an operand stays in registers where results have
/// few columns, and blocks warp groups: causal attention by tiles of 64 x 64 is
/// estimated at 1.05 of its time then, 128 x 128 takes 0.96 on an H200.
static OpOperand *findInvariantOperand(tt::DotOp dot, Value factor) {
  constexpr int64_t fewestColumns = 128;
  auto loop =
      dot ? dot->getParentOfType<LoopLikeOpInterface>() : LoopLikeOpInterface();
  if (!loop || dot.getType().getShape().back() < fewestColumns ||
      !dot->hasOneUse() || !loop.isDefinedOutsideOfLoop(factor) ||
      !matchPattern(dot.getC(), m_AnyZeroFloat()))
    return nullptr;
  for (OpOperand *operand : {&dot.getAMutable(), &dot.getBMutable()}) {
    Type element = getElementTypeOrSelf(operand->get());
    if (loop.isDefinedOutsideOfLoop(operand->get()) &&
        (element.isF16() || element.isBF16() || element.isF32()))
      return operand;
  }
  return nullptr;
}

/// Multiplies a dot's operand by the factor's sign, which is exact, and gives
/// the factor's magnitude: at least the least normal number, by which 0 stays 0
/// for all that exponentials tell, and -inf what it is. Null where it cannot.
Value MaximaRewriter::makePositive(ScaledTile &scaled) {
  auto dot = scaled.tile.getDefiningOp<tt::DotOp>();
  OpOperand *operand = findInvariantOperand(dot, scaled.factor);
  if (!operand)
    return {};
  auto loop = dot->getParentOfType<LoopLikeOpInterface>();
  Positive &made = positive[{scaled.factor, operand->get(), loop->getBlock()}];
  if (!made.factor) {
    OpBuilder builder(loop);
    Location location = scaled.product.getLoc();
    Type type = scaled.factor.getType();
    auto number = [&](Type of, double value) -> Value {
      return arith::ConstantOp::create(builder, location,
                                       builder.getFloatAttr(of, value));
    };
    auto tile = cast<RankedTensorType>(operand->get().getType());
    Type element = tile.getElementType();
    Value isNegative =
        arith::CmpFOp::create(builder, location, arith::CmpFPredicate::OLT,
                              scaled.factor, number(type, 0));
    Value sign = arith::SelectOp::create(
        builder, location, isNegative, number(element, -1), number(element, 1));
    Value signs = tt::SplatOp::create(builder, location, tile, sign);
    made.operand =
        arith::MulFOp::create(builder, location, operand->get(), signs);
    made.factor = arith::MaximumFOp::create(
        builder, location,
        math::AbsFOp::create(builder, location, scaled.factor),
        number(type, 0x1p-126));
  }
  operand->set(made.operand);
  return made.factor;
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

/// The factor as a scalar or tile of `type`.
static Value createFactor(OpBuilder &builder, const ScaledTile &scaled,
                          Type type) {
  Location location = arith::MulFOp(scaled.product).getLoc();
  auto tile = dyn_cast<RankedTensorType>(type);
  if (scaled.constant)
    return arith::ConstantOp::create(
        builder, location,
        tile ? TypedAttr(DenseElementsAttr::get(tile, scaled.constant))
             : TypedAttr(scaled.constant));
  if (!tile)
    return scaled.factor;
  return tt::SplatOp::create(builder, location, tile, scaled.factor);
}

/// The tile under the masks of the product.
static Value createMasked(OpBuilder &builder, const ScaledTile &scaled) {
  Value tile = scaled.tile;
  for (arith::SelectOp mask : scaled.masks) {
    bool isTrue = !isNegativeInfinity(mask.getTrueValue());
    tile = arith::SelectOp::create(builder, mask.getLoc(), mask.getCondition(),
                                   isTrue ? tile : mask.getTrueValue(),
                                   isTrue ? mask.getFalseValue() : tile);
  }
  return tile;
}

void MaximaRewriter::rewrite(ScaledTile scaled) {
  if (scaled.factor && !(scaled.factor = makePositive(scaled)))
    return;
  Value masked = scaled.getMasked();
  OpBuilder builder(masked.getDefiningOp());
  Value tile = createMasked(builder, scaled);
  auto multiply = [&](Value by, arith::FastMathFlags flags) {
    return arith::MulFOp::create(builder, scaled.product.getLoc(), by,
                                 createFactor(builder, scaled, by.getType()),
                                 flags);
  };
  llvm::SetVector<Operation *> users(masked.user_begin(), masked.user_end());
  for (Operation *user : users)
    // Where it is used, so that no registers hold both tiles meanwhile.
    if (!isa<tt::ReduceOp>(user)) {
      builder.setInsertionPoint(user);
      user->replaceUsesOfWith(masked,
                              multiply(tile, scaled.product.getFastmath()));
    }
  for (tt::ReduceOp maximum : scaled.maxima) {
    maximum->setOperand(0, tile);
    builder.setInsertionPointAfter(maximum);
    Value largest = maximum->getResult(0);
    arith::MulFOp product = multiply(largest, arith::FastMathFlags::none);
    largest.replaceAllUsesExcept(product, product);
  }
  for (arith::SelectOp mask : llvm::reverse(scaled.masks))
    mask.erase();
  scaled.product.erase();
}

namespace {
struct FactorMaxima : tile::impl::FactorMaximaBase<FactorMaxima> {
  void runOnOperation() override {
    SmallVector<arith::MulFOp> products;
    getOperation().walk(
        [&](arith::MulFOp product) { products.push_back(product); });
    MaximaRewriter rewriter;
    for (arith::MulFOp product : products)
      if (std::optional<ScaledTile> scaled = findScaledTile(product))
        rewriter.rewrite(std::move(*scaled));
  }
};
} // namespace
