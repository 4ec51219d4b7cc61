// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of floats: ops of `math` by an instruction where its error is small
// enough, and by a function of Functions/ elsewhere; so too arith.remf, whose
// quotient may have more bits than any type. f16 and bf16 go by way of f32. The
// bounds are listed in docs/Numbers.md.

#include "passes/TileGPUToLLVM/Functions/FunctionLibrary.h"
#include "passes/TileGPUToLLVM/ScalarPattern.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

Value widen(Value value, Emitter &emitter) {
  if (!isHalf(value.getType()))
    return value;
  return LLVM::FPExtOp::create(emitter.builder, emitter.location,
                               emitter.builder.getF32Type(), value);
}

Value narrow(Value value, Type type, Emitter &emitter) {
  if (value.getType() == type)
    return value;
  return LLVM::FPTruncOp::create(emitter.builder, emitter.location, type,
                                 value);
}

//===----------------------------------------------------------------------===//
// By instructions of f32
//===----------------------------------------------------------------------===//

Value emitScaled(Value value, double factor, Emitter &emitter) {
  Type type = value.getType();
  Value constant =
      LLVM::ConstantOp::create(emitter.builder, emitter.location, type,
                               emitter.builder.getFloatAttr(type, factor));
  return LLVM::FMulOp::create(emitter.builder, emitter.location, value,
                              constant);
}

/// 2^x by `ex2.approx.f32`: relative error 2^-22.5 (PTX ISA, ex2). Where it
/// flushes them, subnormal results of f32 are 0, as the unit itself has it:
/// keeping them takes a comparison and two products more, half of a softmax's
/// instructions. bf16 keeps its own.
template <bool flushes>
Value emitExp2(Value value, Type result, Emitter &emitter) {
  return emitter.intrinsic(flushes && result.isF32()
                               ? "llvm.nvvm.ex2.approx.ftz.f32"
                               : "llvm.nvvm.ex2.approx.f32",
                           value.getType(), value);
}

/// e^x = 2^(x log2 e). The rounding of the product adds a relative error of up
/// to |x| 2^-24.
template <bool flushes>
Value emitExp(Value value, Type result, Emitter &emitter) {
  return emitExp2<flushes>(emitScaled(value, 1.4426950408889634, emitter),
                           result, emitter);
}

/// log2 x by `lg2.approx.f32`: absolute error 2^-22 in [0.5, 2], relative 2^-22
/// outside (PTX ISA, lg2).
Value emitLog2(Value value, Type, Emitter &emitter) {
  return emitter.intrinsic("llvm.nvvm.lg2.approx.f", value.getType(), value);
}

/// ln x = log2 x * ln 2.
Value emitLog(Value value, Type result, Emitter &emitter) {
  return emitScaled(emitLog2(value, result, emitter), 0.6931471805599453,
                    emitter);
}

/// 1 / sqrt(x) by `rsqrt.approx.f32`: relative error 2^-22.9 (PTX ISA, rsqrt).
Value emitRsqrt(Value value, Type, Emitter &emitter) {
  return emitter.intrinsic("llvm.nvvm.rsqrt.approx.f", value.getType(), value);
}

/// Correctly rounded; a root of a half is so too by way of f32.
Value emitSqrt(Value value, Type, Emitter &emitter) {
  return LLVM::SqrtOp::create(emitter.builder, emitter.location, value);
}

/// Of a register of f32, for a result of a type.
using Emission = Value (*)(Value, Type, Emitter &);

/// Where the instruction is close enough.
enum class Serves { Halves, HalvesAndF32, All };

/// Lower a unary op by an instruction for some widths.
template <typename OpT, Emission emission, Serves serves>
struct LowerByInstruction : ScalarPattern<OpT> {
  using ScalarPattern<OpT>::ScalarPattern;
  Value lower(OpT op, ValueRange operands, Type type,
              Emitter &emitter) const override {
    if (!isHalf(type) && (serves == Serves::Halves ||
                          (serves == Serves::HalvesAndF32 && !type.isF32())))
      return {};
    return narrow(emission(widen(operands[0], emitter), type, emitter), type,
                  emitter);
  }
};

//===----------------------------------------------------------------------===//
// By functions
//===----------------------------------------------------------------------===//

/// Lower an op by the function of this name.
template <typename OpT>
struct LowerByFunction : ScalarPattern<OpT> {
  LowerByFunction(const TileGPUTypeConverter &converter,
                  const target::Target &target, StringRef name)
      : ScalarPattern<OpT>(converter, target), name(name) {}

  Value lower(OpT op, ValueRange operands, Type type,
              Emitter &emitter) const override {
    SmallVector<Value> wide;
    for (Value operand : operands)
      wide.push_back(widen(operand, emitter));
    return narrow(
        functions::callFunction(emitter.builder, emitter.location, name, wide),
        type, emitter);
  }

private:
  StringRef name;
};

/// Lower math.fpowi by the function for exponents of 32 bits.
struct LowerIntegerPower : ScalarPattern<math::FPowIOp> {
  using ScalarPattern::ScalarPattern;
  Value lower(math::FPowIOp op, ValueRange operands, Type type,
              Emitter &emitter) const override {
    Value exponent = operands[1];
    Type word = emitter.builder.getI32Type();
    if (exponent.getType().getIntOrFloatBitWidth() > 32)
      return {};
    if (exponent.getType() != word)
      exponent = LLVM::SExtOp::create(emitter.builder, emitter.location, word,
                                      exponent);
    Value power =
        functions::callFunction(emitter.builder, emitter.location, "powi",
                                {widen(operands[0], emitter), exponent});
    return narrow(power, type, emitter);
  }
};

/// Lower math.sincos by the function of both.
struct LowerSineAndCosine : TileGPUPattern<math::SincosOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(math::SincosOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (isa<RankedTensorType>(op.getOperand().getType()))
      return rewriter.notifyMatchFailure(op, "a tensor");
    Emitter emitter(rewriter, op.getLoc());
    Value number = adaptor.getOperand().front();
    Value both = functions::callFunction(rewriter, op.getLoc(), "sincos",
                                         widen(number, emitter));
    SmallVector<Value> results;
    for (int64_t index : {0, 1})
      results.push_back(narrow(
          LLVM::ExtractValueOp::create(rewriter, op.getLoc(), both, index),
          number.getType(), emitter));
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// Lower math.isinf: |x| = infinity.
struct LowerIsInf : ScalarPattern<math::IsInfOp> {
  using ScalarPattern::ScalarPattern;
  Value lower(math::IsInfOp op, ValueRange operands, Type,
              Emitter &emitter) const override {
    auto type = cast<FloatType>(operands[0].getType());
    Value magnitude =
        LLVM::FAbsOp::create(emitter.builder, emitter.location, operands[0]);
    Value infinity = LLVM::ConstantOp::create(
        emitter.builder, emitter.location, type,
        emitter.builder.getFloatAttr(
            type, APFloat::getInf(type.getFloatSemantics())));
    return LLVM::FCmpOp::create(emitter.builder, emitter.location,
                                LLVM::FCmpPredicate::oeq, magnitude, infinity);
  }
};

} // namespace

template <typename... Ops>
static void
addFunctions(const TileGPUTypeConverter &converter,
             const target::Target &target, RewritePatternSet &patterns,
             std::pair<StringRef, std::type_identity<Ops>>... rows) {
  (patterns.add<LowerByFunction<Ops>>(converter, target, rows.first), ...);
}

template <typename OpT>
static std::pair<StringRef, std::type_identity<OpT>> row(StringRef name) {
  return {name, {}};
}

template <bool flushes>
static void addExponentials(const TileGPUTypeConverter &converter,
                            const target::Target &target,
                            RewritePatternSet &patterns) {
  patterns.add<
      LowerByInstruction<math::Exp2Op, emitExp2<flushes>, Serves::HalvesAndF32>,
      LowerByInstruction<math::ExpOp, emitExp<flushes>, Serves::HalvesAndF32>>(
      converter, target, /*benefit=*/2);
}

void tilegpu::populateMathFunctionPatterns(
    const TileGPUTypeConverter &converter, const target::Target &target,
    bool flushSubnormals, RewritePatternSet &patterns) {
  addFunctions(converter, target, patterns, row<arith::RemFOp>("fmod"),
               row<math::AcosOp>("acos"), row<math::AcoshOp>("acosh"),
               row<math::AsinOp>("asin"), row<math::AsinhOp>("asinh"),
               row<math::AtanOp>("atan"), row<math::Atan2Op>("atan2"),
               row<math::AtanhOp>("atanh"), row<math::CbrtOp>("cbrt"),
               row<math::CosOp>("cos"), row<math::CoshOp>("cosh"),
               row<math::ErfOp>("erf"), row<math::ErfcOp>("erfc"),
               row<math::ExpOp>("exp"), row<math::Exp2Op>("exp2"),
               row<math::ExpM1Op>("expm1"), row<math::LogOp>("log"),
               row<math::Log10Op>("log10"), row<math::Log1pOp>("log1p"),
               row<math::Log2Op>("log2"), row<math::PowFOp>("pow"),
               row<math::RsqrtOp>("rsqrt"), row<math::SinOp>("sin"),
               row<math::SinhOp>("sinh"), row<math::TanOp>("tan"),
               row<math::TanhOp>("tanh"));
  patterns.add<LowerIntegerPower, LowerSineAndCosine, LowerIsInf>(converter,
                                                                  target);
  // Where an instruction serves, it does rather than the function.
  (flushSubnormals ? addExponentials<true>
                   : addExponentials<false>)(converter, target, patterns);
  patterns
      .add<LowerByInstruction<math::Log2Op, emitLog2, Serves::Halves>,
           LowerByInstruction<math::LogOp, emitLog, Serves::Halves>,
           LowerByInstruction<math::RsqrtOp, emitRsqrt, Serves::HalvesAndF32>,
           LowerByInstruction<math::SqrtOp, emitSqrt, Serves::All>,
           LowerByInstruction<tt::PreciseSqrtOp, emitSqrt, Serves::All>>(
          converter, target, /*benefit=*/2);
}
