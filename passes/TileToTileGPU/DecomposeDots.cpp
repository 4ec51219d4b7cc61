// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites dots that a target has no instruction for as dots that it has one
// for: operands in a wider type, sums in a wider type, f32 products as products
// of parts, or of the 16 bits that operands were widened from. Still tile IR,
// and no layouts. Dots that no instruction can do are left as they are.

#include "dialects/TileGPU/Placement/DotInstructions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Pass/Pass.h"
#include "passes/TileToTileGPU/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_DECOMPOSEDOTS
#include "passes/TileToTileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

//===----------------------------------------------------------------------===//
// Elementwise arithmetic
//===----------------------------------------------------------------------===//

Type withElement(Value tile, Type element) {
  return cast<RankedTensorType>(tile.getType()).clone(element);
}

/// Makes tile IR for one dot.
class DotBuilder {
public:
  DotBuilder(tt::DotOp op)
      : builder(op), location(op.getLoc()),
        impreciseSums(op.getMaxNumImpreciseAcc()) {}

  Value dot(Value a, Value b, Value c, tt::InputPrecision precision) {
    return tt::DotOp::create(builder, location, a, b, c, precision,
                             impreciseSums);
  }
  /// A tile like `tile`, of `bits` in every element.
  Value splat(Value tile, Type element, uint64_t bits) {
    APInt value(element.getIntOrFloatBitWidth(), bits);
    TypedAttr number;
    if (auto real = dyn_cast<FloatType>(element))
      number = FloatAttr::get(real, APFloat(real.getFloatSemantics(), value));
    else
      number = IntegerAttr::get(element, value);
    auto type = cast<RankedTensorType>(withElement(tile, element));
    return arith::ConstantOp::create(builder, location,
                                     DenseElementsAttr::get(type, number));
  }
  Value zeros(Value tile) { return splat(tile, getElementTypeOrSelf(tile), 0); }
  /// The same numbers in another type, rounded to nearest where it is narrower
  /// and wrapped where it is an integer.
  Value convert(Value tile, Type element) {
    Type from = getElementTypeOrSelf(tile), to = withElement(tile, element);
    if (from == element)
      return tile;
    unsigned fromBits = from.getIntOrFloatBitWidth();
    unsigned toBits = element.getIntOrFloatBitWidth();
    if (isa<IntegerType>(element))
      return fromBits < toBits ? create<arith::ExtSIOp>(to, tile)
                               : create<arith::TruncIOp>(to, tile);
    if (fromBits == 8)
      return tt::FpToFpOp::create(builder, location, to, tile,
                                  /*rbits=*/Value(), tt::RoundingModeAttr());
    return fromBits < toBits ? create<arith::ExtFOp>(to, tile)
                             : create<arith::TruncFOp>(to, tile);
  }
  Value add(Value a, Value b) {
    if (isa<IntegerType>(getElementTypeOrSelf(a)))
      return arith::AddIOp::create(builder, location, a, b);
    return arith::AddFOp::create(builder, location, a, b);
  }
  Value subtract(Value a, Value b) {
    return arith::SubFOp::create(builder, location, a, b);
  }
  /// f32 rounded to the 11 bits of tf32, to nearest, ties away from zero;
  /// infinities, NaNs, and what would overflow stay as they are.
  Value roundToTf32(Value tile) {
    Type i32 = builder.getI32Type();
    Value bits = create<arith::BitcastOp>(withElement(tile, i32), tile);
    auto constant = [&](uint64_t value) { return splat(tile, i32, value); };
    Value magnitude =
        arith::AndIOp::create(builder, location, bits, constant(0x7fffffff));
    Value isRounded =
        arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ult,
                              magnitude, constant(0x7f7ff000));
    Value rounded = arith::AndIOp::create(
        builder, location, add(bits, constant(0x1000)), constant(0xffffe000));
    Value chosen =
        arith::SelectOp::create(builder, location, isRounded, rounded, bits);
    return create<arith::BitcastOp>(tile.getType(), chosen);
  }
  /// Zero where `tile` is infinite or no number.
  Value clearNonFinite(Value tile) {
    Type element = getElementTypeOrSelf(tile);
    APFloat infinity =
        APFloat::getInf(cast<FloatType>(element).getFloatSemantics());
    Value limit =
        splat(tile, element, infinity.bitcastToAPInt().getZExtValue());
    Value isFinite = arith::CmpFOp::create(
        builder, location, arith::CmpFPredicate::OLT,
        math::AbsFOp::create(builder, location, tile), limit);
    return arith::SelectOp::create(builder, location, isFinite, tile,
                                   zeros(tile));
  }

  /// The halves of `tile` along `dim`, the lower first.
  std::pair<Value, Value> halve(Value tile, unsigned dim) {
    auto type = cast<RankedTensorType>(tile.getType());
    unsigned rank = type.getRank();
    SmallVector<int64_t> shape(type.getShape()), half;
    shape[dim] /= 2;
    half = shape;
    shape.insert(shape.begin() + dim, 2);
    Value parts =
        tt::ReshapeOp::create(builder, location, type.clone(shape), tile);
    // Which half it is goes last, where tt.split takes it.
    SmallVector<int32_t> order;
    for (unsigned other = 0; other <= rank; ++other)
      if (other != dim)
        order.push_back(other);
    order.push_back(dim);
    SmallVector<int64_t> moved(half);
    moved.push_back(2);
    parts =
        tt::TransOp::create(builder, location, type.clone(moved), parts, order);
    auto split = tt::SplitOp::create(builder, location, type.clone(half),
                                     type.clone(half), parts);
    return {split.getOutLHS(), split.getOutRHS()};
  }

  OpBuilder builder;

private:
  template <typename OpT>
  Value create(Type type, Value operand) {
    return OpT::create(builder, location, type, operand);
  }

  Location location;
  int32_t impreciseSums;
};

//===----------------------------------------------------------------------===//
// Products of parts
//===----------------------------------------------------------------------===//

/// How f32 operands are split: parts of `element`, the largest first.
struct Parts {
  unsigned count;
  bool isTf32;
};

std::optional<Parts> getParts(tt::InputPrecision precision) {
  switch (precision) {
  case tt::InputPrecision::TF32x3:
    return Parts{2, true};
  case tt::InputPrecision::BF16x3:
    return Parts{2, false};
  case tt::InputPrecision::BF16x6:
    return Parts{3, false};
  case tt::InputPrecision::TF32:
  case tt::InputPrecision::IEEE:
    return std::nullopt;
  }
  llvm_unreachable("all precisions are listed");
}

/// The parts of `tile`, whose sum it is but for what the last one rounds.
SmallVector<Value> split(DotBuilder &builder, Value tile, Parts parts) {
  SmallVector<Value> result;
  Type element = getElementTypeOrSelf(tile);
  for (unsigned index = 0; index < parts.count; ++index) {
    bool isLast = index + 1 == parts.count;
    // The instruction itself rounds to tf32 what it takes.
    Value part = tile;
    if (!parts.isTf32)
      part = builder.convert(tile, builder.builder.getBF16Type());
    else if (!isLast)
      part = builder.roundToTf32(tile);
    result.push_back(part);
    if (!isLast)
      tile = builder.subtract(tile, builder.convert(part, element));
  }
  return result;
}

/// a * b + c from the products of parts i and j with i + j < count; the
/// smallest are summed first. An infinite operand has no smaller parts: what
/// they would give is left out. `c` is added last, and rounded to nearest:
/// matrix units cut off what a sum has too many bits of, and a loop that adds
/// to the sums of its other iterations there loses more than the parts have
/// gained (2048 products of tf32x3 on an H200: rms error 4.8e-6; apart, 2e-7).
Value emitProductOfParts(DotBuilder &builder, tt::DotOp op, Parts parts) {
  tt::InputPrecision precision =
      parts.isTf32 ? tt::InputPrecision::TF32 : tt::InputPrecision::IEEE;
  SmallVector<Value> a = split(builder, op.getA(), parts);
  SmallVector<Value> b = split(builder, op.getB(), parts);
  Value sum = builder.zeros(op.getC());
  for (unsigned order = parts.count - 1; order > 0; --order)
    for (unsigned index = 0; index <= order; ++index)
      sum = builder.dot(a[order - index], b[index], sum, precision);
  sum = builder.dot(a[0], b[0], builder.clearNonFinite(sum), precision);
  return builder.add(op.getC(), sum);
}

//===----------------------------------------------------------------------===//
// Widened operands
//===----------------------------------------------------------------------===//

/// Tiles of f32 as they were before they were widened from 16 bits.
class NarrowTiles {
public:
  /// The type of 16 bits whose numbers `tile` has; null where it is none.
  static Type findType(Value tile);
  /// The tile in that type, which `findType` has found.
  Value get(Value tile);
  /// Erases what nothing reads any more.
  void eraseUnused();

private:
  /// Whether the op puts elements in other places, and does nothing else.
  static bool isMove(Operation *op) {
    return isa<tt::TransOp, tt::ReshapeOp, tt::BroadcastOp, tt::ExpandDimsOp>(
        op);
  }

  llvm::DenseMap<Value, Value> narrow;
  /// What made the wide tiles, each op behind those of its operands.
  llvm::SetVector<Operation *> wide;
};

Type NarrowTiles::findType(Value tile) {
  Operation *op = tile.getDefiningOp();
  while (op && isMove(op))
    op = op->getOperand(0).getDefiningOp();
  auto extension = dyn_cast_or_null<arith::ExtFOp>(op);
  if (!extension)
    return Type();
  Type type = getElementTypeOrSelf(extension.getIn());
  return type.getIntOrFloatBitWidth() == 16 ? type : Type();
}

Value NarrowTiles::get(Value tile) {
  if (Value known = narrow.lookup(tile))
    return known;
  Operation *op = tile.getDefiningOp();
  Value result;
  if (auto extension = dyn_cast<arith::ExtFOp>(op)) {
    result = extension.getIn();
  } else {
    // Where the wide one is made, so that other dots may read it too.
    IRMapping mapping;
    mapping.map(op->getOperand(0), get(op->getOperand(0)));
    Type element = getElementTypeOrSelf(mapping.lookup(op->getOperand(0)));
    OpBuilder builder(op);
    result = builder.clone(*op, mapping)->getResult(0);
    result.setType(cast<RankedTensorType>(tile.getType()).clone(element));
  }
  wide.insert(op);
  narrow[tile] = result;
  return result;
}

void NarrowTiles::eraseUnused() {
  for (Operation *op : llvm::reverse(wide))
    if (op->use_empty())
      op->erase();
}

//===----------------------------------------------------------------------===//
// Other types
//===----------------------------------------------------------------------===//

/// Types that hold the operands of `types` exactly, its own first.
SmallVector<Type> getOperandTypes(const DotTypes &types) {
  SmallVector<Type> wider;
  MLIRContext *context = types.lhs.getContext();
  bool isFloat = isa<FloatType>(types.lhs);
  if (isFloat && types.lhs.getIntOrFloatBitWidth() == 8)
    wider.push_back(Float16Type::get(context));
  if (isFloat && types.accumulator.isF64() && !types.lhs.isF64())
    wider.push_back(Float64Type::get(context));
  return wider;
}

/// Types in which the sums of `types` may be kept instead of the accumulator's
/// own.
SmallVector<Type> getSumTypes(const DotTypes &types) {
  MLIRContext *context = types.lhs.getContext();
  SmallVector<Type> sums = {types.accumulator};
  unsigned bits = types.accumulator.getIntOrFloatBitWidth();
  if (isa<FloatType>(types.accumulator)) {
    if (bits == 16)
      sums.push_back(Float32Type::get(context));
    return sums;
  }
  // Products of 8 bits have 15 bits with their sign: 2^16 of them fit.
  bool fits = types.lhs.isInteger(8) && types.k <= 1 << 16;
  if (bits < 32 || (bits == 64 && fits))
    sums.push_back(IntegerType::get(context, 32));
  return sums;
}

/// The types nearest to `types` for which the target has an instruction.
std::optional<DotTypes> findWiderTypes(const target::Target &target,
                                       const DotTypes &types) {
  SmallVector<std::pair<Type, Type>> operands = {{types.lhs, types.rhs}};
  for (Type type : getOperandTypes(types))
    operands.emplace_back(type, type);
  for (auto [lhs, rhs] : operands)
    for (Type sum : getSumTypes(types)) {
      DotTypes wider{lhs, rhs, sum, types.allowsTf32, types.k};
      if (findDotInstruction(target, wider))
        return wider;
    }
  return std::nullopt;
}

Value emitInTypes(DotBuilder &builder, tt::DotOp op, const DotTypes &types) {
  Value a = builder.convert(op.getA(), types.lhs);
  Value b = builder.convert(op.getB(), types.rhs);
  Value c = op.getC();
  Type element = getElementTypeOrSelf(c);
  bool isNarrower = types.accumulator.getIntOrFloatBitWidth() <
                    element.getIntOrFloatBitWidth();
  if (isNarrower) {
    Value zeros = builder.splat(c, types.accumulator, 0);
    Value product = builder.dot(a, b, zeros, op.getInputPrecision());
    return builder.add(c, builder.convert(product, element));
  }
  Value sum = builder.dot(a, b, builder.convert(c, types.accumulator),
                          op.getInputPrecision());
  return builder.convert(sum, element);
}

//===----------------------------------------------------------------------===//
// Deep dots
//===----------------------------------------------------------------------===//

int64_t countBytes(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  return type.getNumElements() * getMemoryBits(type.getElementType()) / 8;
}

/// a * b + c, one half of K after the other until operands have at most `limit`
/// bytes.
Value emitHalves(DotBuilder &builder, Value a, Value b, Value c,
                 tt::InputPrecision precision, int64_t limit) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(a.getType()).getShape();
  if (countBytes(a) + countBytes(b) <= limit || shape.back() == 1)
    return builder.dot(a, b, c, precision);
  auto [lowerA, upperA] = builder.halve(a, shape.size() - 1);
  auto [lowerB, upperB] = builder.halve(b, shape.size() - 2);
  Value sum = emitHalves(builder, lowerA, lowerB, c, precision, limit);
  return emitHalves(builder, upperA, upperB, sum, precision, limit);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

remark::RemarkOpts getRemarkOptions(tt::DotOp op) {
  return remark::RemarkOpts::name("dot-decomposition")
      .category("dot")
      .function(op->getParentOfType<FunctionOpInterface>().getName());
}

struct DecomposeDots : tilegpu::impl::DecomposeDotsBase<DecomposeDots> {
  using DecomposeDotsBase::DecomposeDotsBase;

  void runOnOperation() override {
    const target::Target *target = target::lookup(targetName.getValue());
    if (!target) {
      getOperation().emitError(
          target::unknownTargetMessage(targetName.getValue()));
      return signalPassFailure();
    }
    SmallVector<tt::DotOp> dots;
    getOperation().walk([&](tt::DotOp op) { dots.push_back(op); });
    NarrowTiles tiles;
    for (tt::DotOp op : dots)
      if (!narrow(op, *target, tiles))
        decompose(op, *target);
    tiles.eraseUnused();
  }

private:
  static void replace(tt::DotOp op, Value value) {
    op.getResult().replaceAllUsesWith(value);
    op.erase();
  }

  /// Multiplies f32 in the type of 16 bits that both operands were widened
  /// from, if there is one with an instruction: its numbers are exact in tf32
  /// and in the sum of two or three bf16, and products of either are summed in
  /// f32. Parts are asked for by who wants more than matrix units sum, so that
  /// theirs are added to what there is outside (emitProductOfParts).
  static bool narrow(tt::DotOp op, const target::Target &target,
                     NarrowTiles &tiles) {
    bool isF32 = getElementTypeOrSelf(op.getA()).isF32() &&
                 getElementTypeOrSelf(op.getC()).isF32();
    Type type = NarrowTiles::findType(op.getA());
    if (!isF32 || op.getInputPrecision() == tt::InputPrecision::IEEE || !type ||
        NarrowTiles::findType(op.getB()) != type)
      return false;
    DotTypes types = getDotTypes(op);
    types.lhs = types.rhs = type;
    types.allowsTf32 = false;
    if (!findDotInstruction(target, types))
      return false;
    std::string text;
    llvm::raw_string_ostream(text) << "this dot of f32 is computed in " << type
                                   << ", which both operands are widened from";
    remark::passed(op.getLoc(), getRemarkOptions(op)) << text;
    DotBuilder builder(op);
    bool isInParts = getParts(op.getInputPrecision()).has_value();
    Value c = op.getC();
    Value product =
        builder.dot(tiles.get(op.getA()), tiles.get(op.getB()),
                    isInParts ? builder.zeros(c) : c, tt::InputPrecision::IEEE);
    replace(op, isInParts ? builder.add(c, product) : product);
    return true;
  }

  static void decompose(tt::DotOp op, const target::Target &target) {
    bool isF32 = getElementTypeOrSelf(op.getA()).isF32();
    std::optional<Parts> parts = getParts(op.getInputPrecision());
    if (isF32 && parts)
      decomposeIntoParts(op, *parts, target);
    else
      decomposeTypes(op, target);
  }

  /// The parts' sums are kept in f32.
  static void decomposeIntoParts(tt::DotOp op, Parts parts,
                                 const target::Target &target) {
    Builder types(op.getContext());
    Type part = parts.isTf32 ? Type(types.getF32Type()) : types.getBF16Type();
    auto lhs = cast<RankedTensorType>(op.getA().getType());
    bool hasInstruction =
        getElementTypeOrSelf(op.getC()).isF32() &&
        findDotInstruction(target, {part, part, types.getF32Type(),
                                    parts.isTf32, lhs.getShape().back()});
    if (!hasInstruction) {
      // Nothing is faster than exact operands then.
      op.setInputPrecision(tt::InputPrecision::IEEE);
      return decomposeTypes(op, target);
    }
    remark::passed(op.getLoc(), getRemarkOptions(op))
        << llvm::formatv("this dot of f32 is computed as {0} dots of {1} parts",
                         parts.count * (parts.count + 1) / 2,
                         parts.isTf32 ? "tf32" : "bf16")
               .str();
    DotBuilder builder(op);
    replace(op, emitProductOfParts(builder, op, parts));
  }

  static void decomposeTypes(tt::DotOp op, const target::Target &target) {
    DotTypes types = getDotTypes(op);
    if (findDotInstruction(target, types))
      return;
    std::optional<DotTypes> wider = findWiderTypes(target, types);
    if (!wider)
      return decomposeDeep(op, target);
    std::string text;
    llvm::raw_string_ostream(text)
        << "this dot of " << types.lhs << " x " << types.rhs << " -> "
        << types.accumulator << " is computed as " << wider->lhs << " x "
        << wider->rhs << " -> " << wider->accumulator << ", for which "
        << StringRef(target.name) << " has an instruction";
    remark::missed(op.getLoc(), getRemarkOptions(op)) << text;
    DotBuilder builder(op);
    replace(op, emitInTypes(builder, op, *wider));
  }

  /// Multiply-adds read operands from shared memory, of which half is left to
  /// what else is there at the time. Sums of 16 bits are still rounded once.
  static void decomposeDeep(tt::DotOp op, const target::Target &target) {
    int64_t limit = target.sharedMemoryLimit / 2;
    if (countBytes(op.getA()) + countBytes(op.getB()) <= limit)
      return;
    DotBuilder builder(op);
    Type element = getElementTypeOrSelf(op.getC()), sum = element;
    if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 16)
      sum = Float32Type::get(op.getContext());
    Value product = emitHalves(builder, op.getA(), op.getB(),
                               builder.convert(op.getC(), sum),
                               op.getInputPrecision(), limit);
    replace(op, builder.convert(product, element));
  }
};

} // namespace
