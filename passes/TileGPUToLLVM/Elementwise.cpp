// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise ops: on tensors they become the same op on each register, which
// the scalar patterns then take. Scalars that LLVM's own patterns do not serve
// on NVPTX (pointers, exponentials, square roots, small floats) are lowered
// here.

#include "passes/TileGPUToLLVM/EqualRegisters.h"
#include "passes/TileGPUToLLVM/ScalarPattern.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Unrolls an elementwise op on tensors into scalar ops, one for each register,
/// or for each number where registers are known to hold the same integer.
/// Scalar ops keep tile types (tt.ptr, small floats) until their own patterns
/// run.
struct UnrollElementwise : ConversionPattern {
  UnrollElementwise(const TileGPUTypeConverter &converter,
                    const AxisAnalysis &axes, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context),
        converter(converter), axes(axes) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (op->getNumResults() == 0 || op->getNumRegions() != 0 ||
        !isElementwise(op))
      return rewriter.notifyMatchFailure(op, "no elementwise op");
    if (!llvm::all_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
      return rewriter.notifyMatchFailure(op, "a scalar");
    size_t count = 0;
    for (ValueRange range : operands)
      count = std::max(count, range.size());
    uint64_t equal = getSharedBits(op);
    SmallVector<SmallVector<Value>> results(op->getNumResults());
    for (size_t index = 0; index < count; ++index) {
      if (index & equal) {
        for (SmallVector<Value> &registers : results)
          registers.push_back(registers[index & ~equal]);
        continue;
      }
      FailureOr<SmallVector<Value>> scalars =
          createScalar(op, operands, index, rewriter);
      if (failed(scalars))
        return failure();
      for (auto [registers, scalar] : llvm::zip_equal(results, *scalars))
        registers.push_back(scalar);
    }
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }

private:
  /// The bits of the register index that none of the results, integers all,
  /// depends on.
  uint64_t getSharedBits(Operation *op) const {
    uint64_t bits = ~uint64_t(0);
    for (Value result : op->getResults())
      bits &= getElementTypeOrSelf(result.getType()).isIntOrIndex()
                  ? getEqualBits(result, axes)
                  : 0;
    return bits;
  }

  /// The op on register `index` of its operands: its results.
  FailureOr<SmallVector<Value>>
  createScalar(Operation *op, ArrayRef<ValueRange> operands, size_t index,
               ConversionPatternRewriter &rewriter) const {
    SmallVector<Value> scalars;
    for (auto [operand, range] : llvm::zip_equal(op->getOperands(), operands)) {
      // A scalar beside tensors (the condition of arith.select) is shared.
      if (range.size() != 1 && index >= range.size())
        return rewriter.notifyMatchFailure(op, "operands of other layouts");
      Value scalar = range.size() == 1 ? range.front() : range[index];
      scalars.push_back(
          cast(scalar, getElementTypeOrSelf(operand.getType()), rewriter));
    }
    SmallVector<Type> types =
        llvm::map_to_vector(op->getResultTypes(), [](Type type) {
          return getElementTypeOrSelf(type);
        });
    OperationState state(op->getLoc(), op->getName(), scalars, types,
                         op->getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    SmallVector<Value> results;
    for (Value result : rewriter.create(state)->getResults())
      results.push_back(
          cast(result, converter.convertElement(result.getType()), rewriter));
    return results;
  }

  static Value cast(Value value, Type type, OpBuilder &builder) {
    if (value.getType() == type)
      return value;
    return UnrealizedConversionCastOp::create(builder, value.getLoc(), type,
                                              value)
        .getResult(0);
  }

  const TileGPUTypeConverter &converter;
  const AxisAnalysis &axes;
};

/// Lower ub.poison of tensors: poison registers.
struct LowerPoison : TileGPUPattern<ub::PoisonOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(ub::PoisonOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(converter.convertType(op.getType(), types)))
      return rewriter.notifyMatchFailure(op, "the type has no LLVM form");
    SmallVector<Value> registers;
    for (Type type : types)
      registers.push_back(LLVM::PoisonOp::create(rewriter, op.getLoc(), type));
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

/// Lower tt.addptr: a pointer moves by elements of its pointee (i1 takes a
/// byte).
struct LowerAddPtr : ScalarPattern<tt::AddPtrOp> {
  using ScalarPattern::ScalarPattern;
  Value lower(tt::AddPtrOp op, ValueRange operands, Type type,
              Emitter &emitter) const override {
    Type pointee = cast<tt::PointerType>(op.getType()).getPointeeType();
    Type element = emitter.builder.getIntegerType(getMemoryBits(pointee));
    return emitter.gep(operands[0], element, operands[1]);
  }
};

/// Lower tt.bitcast, tt.int_to_ptr and tt.ptr_to_int.
template <typename OpT>
struct LowerReinterpret : ScalarPattern<OpT> {
  using ScalarPattern<OpT>::ScalarPattern;
  Value lower(OpT op, ValueRange operands, Type type,
              Emitter &emitter) const override {
    Value source = operands[0];
    bool fromPointer = isa<LLVM::LLVMPointerType>(source.getType());
    bool toPointer = isa<LLVM::LLVMPointerType>(type);
    if (fromPointer && toPointer)
      return source;
    if (!fromPointer && !toPointer)
      return emitter.bitcast(source, type);
    Value bits = emitter.toInteger(source);
    if (toPointer)
      return emitter.fromInteger(bits, type);
    unsigned width = type.getIntOrFloatBitWidth();
    if (width < 64)
      return LLVM::TruncOp::create(emitter.builder, emitter.location, type,
                                   bits);
    return bits;
  }
};

/// Lower arith.select of scalars that arith's own lowering does not take:
/// pointers.
struct LowerSelect : ScalarPattern<arith::SelectOp> {
  using ScalarPattern::ScalarPattern;
  Value lower(arith::SelectOp op, ValueRange operands, Type type,
              Emitter &emitter) const override {
    return emitter.select(operands[0], operands[1], operands[2]);
  }
};

/// Lower arith.bitcast, where 8-bit floats are already i8.
struct LowerBitcast : ScalarPattern<arith::BitcastOp> {
  using ScalarPattern::ScalarPattern;
  Value lower(arith::BitcastOp op, ValueRange operands, Type type,
              Emitter &emitter) const override {
    return emitter.bitcast(operands[0], type);
  }
};

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Lower f32 division: `div.full.f32`, 2 ulp over the whole range (PTX ISA,
/// div). Other widths keep LLVM's.
template <typename OpT>
struct LowerDivF : ScalarPattern<OpT> {
  using ScalarPattern<OpT>::ScalarPattern;
  Value lower(OpT op, ValueRange operands, Type type,
              Emitter &emitter) const override {
    if (!type.isF32())
      return {};
    return emitter.intrinsic("llvm.nvvm.div.full", type, operands);
  }
};

/// Lower tt.precise_divf: correctly rounded division, as LLVM divides without
/// fast-math flags.
struct LowerPreciseDivF : ScalarPattern<tt::PreciseDivFOp> {
  using ScalarPattern::ScalarPattern;
  Value lower(tt::PreciseDivFOp op, ValueRange operands, Type type,
              Emitter &emitter) const override {
    return LLVM::FDivOp::create(emitter.builder, emitter.location, operands[0],
                                operands[1]);
  }
};

/// Lower conversions of integers to bf16. Where the target has none, LLVM's own
/// go through f32 and round twice. Here the number is first cut to the
/// precision of a wider float such that what is cut off shows in the lowest bit
/// ("round to odd": Boldo and Melquiond, "Emulation of a FMA and Correctly
/// Rounded Sums", 2008); the conversion to that float is then exact.
template <typename OpT>
struct LowerIntegerToBf16 : ScalarPattern<OpT> {
  using ScalarPattern<OpT>::ScalarPattern;
  Value lower(OpT op, ValueRange operands, Type type,
              Emitter &emitter) const override {
    Value number = operands[0];
    unsigned width = number.getType().getIntOrFloatBitWidth();
    if (!type.isBF16())
      return {};
    OpBuilder &builder = emitter.builder;
    Location location = emitter.location;
    if (width < 32 ||
        this->target.has(target::Capability::Bf16IntegerConversion))
      return convert(number, type, emitter);
    Type wide = width == 32 ? Type(builder.getF32Type()) : builder.getF64Type();
    Value cut = cutToPrecision(number, width == 32 ? 24 : 53, emitter);
    return LLVM::FPTruncOp::create(builder, location, type,
                                   convert(cut, wide, emitter));
  }

private:
  static constexpr bool isSigned = std::is_same_v<OpT, arith::SIToFPOp>;

  static Value convert(Value number, Type type, Emitter &emitter) {
    if (isSigned)
      return LLVM::SIToFPOp::create(emitter.builder, emitter.location, type,
                                    number);
    return LLVM::UIToFPOp::create(emitter.builder, emitter.location, type,
                                  number);
  }

  /// The number itself where it has at most `precision` bits.
  static Value cutToPrecision(Value number, unsigned precision,
                              Emitter &emitter) {
    OpBuilder &builder = emitter.builder;
    Location location = emitter.location;
    unsigned width = number.getType().getIntOrFloatBitWidth();
    unsigned dropped = width - precision;
    auto constant = [&](uint64_t value) {
      return emitter.constant(int64_t(value), width);
    };
    uint64_t low = (uint64_t(1) << dropped) - 1;
    Value rest = LLVM::AndOp::create(builder, location, number, constant(low));
    Value isInexact = LLVM::ICmpOp::create(
        builder, location, LLVM::ICmpPredicate::ne, rest, constant(0));
    Value kept = LLVM::AndOp::create(builder, location, number, constant(~low));
    Value sticky = LLVM::OrOp::create(builder, location, kept,
                                      constant(uint64_t(1) << dropped));
    Value odd = emitter.select(isInexact, sticky, kept);
    Value magnitude =
        isSigned ? Value(LLVM::AbsOp::create(builder, location,
                                             number.getType(), number,
                                             /*is_int_min_poison=*/false))
                 : number;
    Value isLong =
        LLVM::ICmpOp::create(builder, location, LLVM::ICmpPredicate::uge,
                             magnitude, constant(uint64_t(1) << precision));
    return emitter.select(isLong, odd, number);
  }
};

/// Lower conversions of floats to i1, which NVPTX's instruction selection makes
/// x == 0 (LLVM 22.1): the low bit of the integer that it would be, 0, 1 or -1.
template <typename OpT>
struct LowerFloatToBit : ScalarPattern<OpT> {
  using ScalarPattern<OpT>::ScalarPattern;
  Value lower(OpT op, ValueRange operands, Type type,
              Emitter &emitter) const override {
    if (!type.isInteger(1))
      return {};
    Value word =
        LLVM::FPToSIOp::create(emitter.builder, emitter.location,
                               emitter.builder.getI32Type(), operands[0]);
    return LLVM::TruncOp::create(emitter.builder, emitter.location, type, word);
  }
};

/// Lower the ops that change nothing but the sign, of 8-bit floats: on bits, as
/// Triton does. The code of -0 is NaN, which stays, where formats have no -0.
template <typename OpT>
struct LowerSignOf8Bits : ScalarPattern<OpT> {
  using ScalarPattern<OpT>::ScalarPattern;
  Value lower(OpT op, ValueRange operands, Type type,
              Emitter &emitter) const override {
    if (!type.isInteger(8))
      return {};
    Value code = operands[0];
    Value changed = std::is_same_v<OpT, math::AbsFOp>
                        ? emitter.bitAnd(code, emitter.constant(0x7f, 8))
                        : emitter.bitXor(code, emitter.constant(0x80, 8));
    if (!isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(op.getType()))
      return changed;
    Value isAlone =
        emitter.equal(emitter.bitAnd(code, emitter.constant(0x7f, 8)),
                      emitter.constant(0, 8));
    return emitter.select(isAlone, code, changed);
  }
};

/// Lower tt.mulhiui: the high half of the unsigned product.
struct LowerMulhiUI : ScalarPattern<tt::MulhiUIOp> {
  using ScalarPattern::ScalarPattern;
  Value lower(tt::MulhiUIOp op, ValueRange operands, Type type,
              Emitter &emitter) const override {
    unsigned width = type.getIntOrFloatBitWidth();
    if (width == 64)
      return emitter.intrinsic("llvm.nvvm.mulhi.ull", type, operands);
    OpBuilder &builder = emitter.builder;
    Type wide = builder.getIntegerType(2 * width);
    Value a =
        LLVM::ZExtOp::create(builder, emitter.location, wide, operands[0]);
    Value b =
        LLVM::ZExtOp::create(builder, emitter.location, wide, operands[1]);
    Value high =
        LLVM::LShrOp::create(builder, emitter.location, emitter.multiply(a, b),
                             emitter.constant(width, 2 * width));
    return LLVM::TruncOp::create(builder, emitter.location, type, high);
  }
};

/// Lower products of 64 bits with both their halves, for which LLVM's own form
/// has 128 bits, which no target holds.
template <typename OpT>
struct LowerWideProduct : TileGPUPattern<OpT> {
  using TileGPUPattern<OpT>::TileGPUPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename TileGPUPattern<OpT>::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getLow().getType().isInteger(64))
      return rewriter.notifyMatchFailure(op, "no scalars of 64 bits");
    Emitter emitter(rewriter, op.getLoc());
    Value operands[] = {adaptor.getLhs().front(), adaptor.getRhs().front()};
    StringRef name = std::is_same_v<OpT, arith::MulSIExtendedOp>
                         ? "llvm.nvvm.mulhi.ll"
                         : "llvm.nvvm.mulhi.ull";
    rewriter.replaceOp(
        op, {emitter.multiply(operands[0], operands[1]),
             emitter.intrinsic(name, op.getLow().getType(), operands)});
    return success();
  }
};

/// Lower tt.clampf: max then min; with propagateNan, a NaN operand is the
/// result.
struct LowerClampF : ScalarPattern<tt::ClampFOp> {
  using ScalarPattern::ScalarPattern;
  Value lower(tt::ClampFOp op, ValueRange operands, Type type,
              Emitter &emitter) const override {
    OpBuilder &builder = emitter.builder;
    Location location = emitter.location;
    bool propagates = op.getPropagateNan() == tt::PropagateNan::ALL;
    // max.NaN and min.NaN, which bounds of NaN come through as well.
    if (propagates && !type.isF64() &&
        target.has(target::Capability::MinMaxNan)) {
      Value atLeast =
          LLVM::MaximumOp::create(builder, location, operands[0], operands[1]);
      return LLVM::MinimumOp::create(builder, location, atLeast, operands[2]);
    }
    Value atLeast =
        LLVM::MaxNumOp::create(builder, location, operands[0], operands[1]);
    Value clamped =
        LLVM::MinNumOp::create(builder, location, atLeast, operands[2]);
    if (!propagates)
      return clamped;
    Value isNan = LLVM::FCmpOp::create(
        builder, location, LLVM::FCmpPredicate::uno, operands[0], operands[0]);
    return emitter.select(isNan, operands[0], clamped);
  }
};

} // namespace

void tilegpu::populateElementwisePatterns(const TileGPUTypeConverter &converter,
                                          const target::Target &target,
                                          const AxisAnalysis &axes,
                                          RewritePatternSet &patterns) {
  patterns.add<UnrollElementwise>(converter, axes, &converter.getContext());
  patterns.add<LowerPoison>(converter, target);
  patterns.add<LowerAddPtr, LowerSelect, LowerBitcast>(converter, target);
  patterns.add<LowerReinterpret<tt::BitcastOp>>(converter, target);
  patterns.add<LowerReinterpret<tt::IntToPtrOp>>(converter, target);
  patterns.add<LowerReinterpret<tt::PtrToIntOp>>(converter, target);
  patterns.add<LowerDivF<arith::DivFOp>, LowerDivF<tt::ApproxDivFOp>,
               LowerPreciseDivF>(converter, target);
  patterns.add<LowerMulhiUI, LowerClampF>(converter, target);
  patterns.add<LowerWideProduct<arith::MulSIExtendedOp>,
               LowerWideProduct<arith::MulUIExtendedOp>>(converter, target);
  patterns.add<LowerSignOf8Bits<math::AbsFOp>>(converter, target);
  patterns.add<LowerSignOf8Bits<arith::NegFOp>>(converter, target);
  patterns.add<LowerIntegerToBf16<arith::SIToFPOp>>(converter, target);
  patterns.add<LowerIntegerToBf16<arith::UIToFPOp>>(converter, target);
  patterns.add<LowerFloatToBit<arith::FPToSIOp>>(converter, target);
  patterns.add<LowerFloatToBit<arith::FPToUIOp>>(converter, target);
}
