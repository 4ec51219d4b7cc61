// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The evaluator of tile programs; see the header. It is written straight from
// the meaning of each op, apart from the analysis that it checks.

#include "test/Unit/TileToTileGPU/TileEvaluator.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using llvm::APInt;

namespace tilewright::test {

namespace {

/// Loops that run longer are cut off: their first iterations are checked.
constexpr int maxIterations = 12;

SmallVector<int64_t> getShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? llvm::to_vector(tensor.getShape()) : SmallVector<int64_t>{1};
}

unsigned getWidth(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isInteger() ? element.getIntOrFloatBitWidth() : 64;
}

int64_t getPointeeBytes(Type type) {
  auto pointer = cast<tt::PointerType>(getElementTypeOrSelf(type));
  return pointer.getPointeeType().getIntOrFloatBitWidth() / 8;
}

Tile makeTile(Type type) {
  Tile tile{getShape(type), {}};
  tile.elements.assign(llvm::product_of(tile.shape), 0);
  return tile;
}

SmallVector<int64_t> getCoordinates(ArrayRef<int64_t> shape, int64_t index) {
  SmallVector<int64_t> coordinates(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; index /= shape[dim])
    coordinates[dim] = index % shape[dim];
  return coordinates;
}

int64_t getIndex(ArrayRef<int64_t> shape, ArrayRef<int64_t> coordinates) {
  int64_t index = 0;
  for (auto [size, coordinate] : llvm::zip_equal(shape, coordinates))
    index = index * size + coordinate;
  return index;
}

/// lhs op rhs, or nothing if it is undefined, or if a number of 32 bits or more
/// overflows.
std::optional<APInt> evaluateBinary(Operation &op, const APInt &lhs,
                                    const APInt &rhs) {
  using Result = std::optional<APInt>;
  bool overflow = false;
  auto checked = [&](APInt value) -> Result {
    return overflow && lhs.getBitWidth() >= 32 ? Result() : Result(value);
  };
  bool isDivisible =
      !rhs.isZero() && !(lhs.isMinSignedValue() && rhs.isAllOnes());
  bool isShift = rhs.ult(lhs.getBitWidth());
  auto when = [](bool isDefined, auto value) {
    return isDefined ? Result(value()) : Result();
  };
  return llvm::TypeSwitch<Operation *, Result>(&op)
      .Case([&](arith::AddIOp) { return checked(lhs.sadd_ov(rhs, overflow)); })
      .Case([&](arith::SubIOp) { return checked(lhs.ssub_ov(rhs, overflow)); })
      .Case([&](arith::MulIOp) { return checked(lhs.smul_ov(rhs, overflow)); })
      .Case([&](arith::ShLIOp) -> Result {
        if (!isShift)
          return std::nullopt;
        APInt shifted = lhs.shl(rhs);
        overflow = shifted.ashr(rhs) != lhs;
        return checked(shifted);
      })
      .Case([&](arith::DivSIOp) {
        return when(isDivisible, [&] { return lhs.sdiv(rhs); });
      })
      .Case([&](arith::RemSIOp) {
        return when(isDivisible, [&] { return lhs.srem(rhs); });
      })
      .Case([&](arith::DivUIOp) {
        return when(!rhs.isZero(), [&] { return lhs.udiv(rhs); });
      })
      .Case([&](arith::RemUIOp) {
        return when(!rhs.isZero(), [&] { return lhs.urem(rhs); });
      })
      .Case([&](arith::ShRSIOp) {
        return when(isShift, [&] { return lhs.ashr(rhs); });
      })
      .Case([&](arith::ShRUIOp) {
        return when(isShift, [&] { return lhs.lshr(rhs); });
      })
      .Case([&](arith::AndIOp) { return lhs & rhs; })
      .Case([&](arith::OrIOp) { return lhs | rhs; })
      .Case([&](arith::XOrIOp) { return lhs ^ rhs; })
      .Case([&](arith::MinSIOp) { return lhs.slt(rhs) ? lhs : rhs; })
      .Case([&](arith::MaxSIOp) { return lhs.slt(rhs) ? rhs : lhs; })
      .Case([&](arith::MinUIOp) { return lhs.ult(rhs) ? lhs : rhs; })
      .Case([&](arith::MaxUIOp) { return lhs.ult(rhs) ? rhs : lhs; })
      .Case([&](arith::CmpIOp cmp) {
        return APInt(1, arith::applyCmpPredicate(cmp.getPredicate(), lhs, rhs));
      })
      .Default([](Operation *) { return Result(); });
}

} // namespace

bool TileEvaluator::run(Block &block) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      return true;
    if (!evaluate(op))
      return false;
  }
  return true;
}

bool TileEvaluator::evaluate(Operation &op) {
  if (isa<scf::ForOp>(op))
    return evaluateLoop(op);
  if (isa<scf::IfOp>(op))
    return evaluateIf(op);
  Tile result = makeTile(op.getResult(0).getType());
  if (!evaluateShape(op, result) && !evaluateElements(op, result))
    return false;
  set(op.getResult(0), std::move(result));
  return true;
}

bool TileEvaluator::evaluateLoop(Operation &op) {
  auto loop = cast<scf::ForOp>(op);
  int64_t index = get(loop.getLowerBound()).elements[0];
  int64_t upper = get(loop.getUpperBound()).elements[0];
  int64_t step = get(loop.getStep()).elements[0];
  Tile carried = get(loop.getInitArgs()[0]);
  for (int count = 0; index < upper; ++count, index += step) {
    if (count == maxIterations)
      return false;
    set(loop.getInductionVar(), {{1}, {index}});
    set(loop.getRegionIterArgs()[0], carried);
    if (!run(*loop.getBody()))
      return false;
    carried = get(loop.getYieldedValues()[0]);
  }
  set(loop.getResult(0), carried);
  return true;
}

bool TileEvaluator::evaluateIf(Operation &op) {
  auto branch = cast<scf::IfOp>(op);
  bool condition = get(branch.getCondition()).elements[0];
  Block *block = condition ? branch.thenBlock() : branch.elseBlock();
  if (!run(*block))
    return false;
  set(branch.getResult(0), get(block->getTerminator()->getOperand(0)));
  return true;
}

/// Ops whose elements are elements of an operand, or a function of where they
/// are. False if `op` is another.
bool TileEvaluator::evaluateShape(Operation &op, Tile &result) {
  std::vector<int64_t> &elements = result.elements;
  if (isa<tt::GetProgramIdOp>(op)) {
    elements[0] = programId;
    return true;
  }
  if (auto range = dyn_cast<tt::MakeRangeOp>(op)) {
    for (auto [index, element] : llvm::enumerate(elements))
      element = static_cast<int32_t>(range.getStart()) + int64_t(index);
    return true;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    APInt value = isa<IntegerAttr>(constant.getValue())
                      ? cast<IntegerAttr>(constant.getValue()).getValue()
                      : cast<DenseIntElementsAttr>(constant.getValue())
                            .getSplatValue<APInt>();
    llvm::fill(elements, value.getSExtValue());
    return true;
  }
  if (isa<tt::ExpandDimsOp, tt::ReshapeOp, tt::BitcastOp, tt::IntToPtrOp,
          tt::PtrToIntOp>(op)) {
    elements = get(op.getOperand(0)).elements;
    auto reshape = dyn_cast<tt::ReshapeOp>(op);
    if (reshape && reshape.getAllowReorder())
      std::reverse(elements.begin(), elements.end());
    return true;
  }
  if (!isa<tt::SplatOp, tt::BroadcastOp, tt::TransOp, tt::JoinOp>(op))
    return false;

  for (auto [index, element] : llvm::enumerate(elements)) {
    SmallVector<int64_t> at = getCoordinates(result.shape, index);
    const Tile *source = &get(op.getOperand(0));
    if (isa<tt::SplatOp>(op)) {
      at = {0};
    } else if (isa<tt::BroadcastOp>(op)) {
      for (auto [coordinate, size] : llvm::zip_equal(at, source->shape))
        coordinate = size == 1 ? 0 : coordinate;
    } else if (auto trans = dyn_cast<tt::TransOp>(op)) {
      SmallVector<int64_t> from(at.size());
      for (auto [dim, origin] : llvm::enumerate(trans.getOrder()))
        from[origin] = at[dim];
      at = from;
    } else {
      source = &get(op.getOperand(at.pop_back_val()));
    }
    element = source->elements[getIndex(source->shape, at)];
  }
  return true;
}

/// Ops that compute element by element. False if an element is undefined,
/// breaks an assumption, or if `op` is unknown.
bool TileEvaluator::evaluateElements(Operation &op, Tile &result) {
  if (op.getNumOperands() == 0) {
    unsupported = op.getName().getStringRef().str();
    return false;
  }
  unsigned width = getWidth(op.getOperand(0).getType());
  for (auto [index, element] : llvm::enumerate(result.elements)) {
    auto at = [&, index = index](unsigned operand) {
      const Tile &tile = get(op.getOperand(operand));
      return tile.elements.size() == 1 ? tile.elements[0]
                                       : tile.elements[index];
    };
    if (isa<arith::SelectOp>(op)) {
      element = at(0) ? at(1) : at(2);
    } else if (isa<tt::AddPtrOp>(op)) {
      int64_t bytes;
      if (llvm::MulOverflow(at(1), getPointeeBytes(op.getResult(0).getType()),
                            bytes) ||
          llvm::AddOverflow(at(0), bytes, element))
        return false;
    } else if (isa<arith::ExtSIOp>(op)) {
      element = at(0);
    } else if (isa<arith::ExtUIOp>(op)) {
      element = APInt(width, at(0), /*isSigned=*/true).getZExtValue();
    } else if (isa<arith::TruncIOp>(op)) {
      unsigned narrow = getWidth(op.getResult(0).getType());
      element = llvm::SignExtend64(at(0), narrow);
      if (narrow >= 32 && element != at(0))
        return false;
    } else if (op.getNumOperands() == 2 &&
               isa<arith::ArithDialect>(op.getDialect())) {
      if (isa<arith::DivSIOp>(op) && at(1) < 0 &&
          !isSignKnown(op.getOperand(1)))
        return false;
      std::optional<APInt> value =
          evaluateBinary(op, APInt(width, at(0), /*isSigned=*/true),
                         APInt(width, at(1), /*isSigned=*/true));
      if (!value)
        return false;
      element = value->getSExtValue();
    } else {
      unsupported = op.getName().getStringRef().str();
      return false;
    }
  }
  return true;
}

} // namespace tilewright::test
