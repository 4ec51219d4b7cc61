// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots without a matrix instruction: multiply-adds on registers. Comes in:
// tt.dot whose operands stand under #tilegpu.dot_operand of the result's
// layout, so that a thread holds all of K for its rows and columns. The code is
// unrolled: its size is rows * columns * K of a thread, which layout assignment
// bounds.

#include "passes/TileGPUToLLVM/DotOperands.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using target::Capability;

namespace {

/// Emits the sums of one tt.dot.
class MultiplyAddEmitter {
public:
  MultiplyAddEmitter(Emitter &emitter, const DotRegisters &registers,
                     Type accumulatorType)
      : emitter(emitter), registers(registers), type(accumulatorType) {}

  /// Every result element of the thread, K upward; sums of independent elements
  /// alternate.
  SmallVector<Value> emit(ArrayRef<Value> lhs, ArrayRef<Value> rhs,
                          SmallVector<Value> sums) {
    for (uint64_t k : registers.getLaneK())
      for (unsigned index = 0; index < sums.size(); ++index) {
        auto [batch, row, column] = registers.getResultCoordinate(index);
        sums[index] =
            multiplyAdd(lhs[registers.findLhs(batch, row, k)],
                        rhs[registers.findRhs(batch, k, column)], sums[index]);
      }
    return sums;
  }

  /// As emit, for 8-bit integers: four elements of K at once (PTX ISA, dp4a).
  SmallVector<Value> emitFourWay(ValueRange lhs, ValueRange rhs,
                                 SmallVector<Value> sums) {
    ArrayRef<uint64_t> laneK = registers.getLaneK();
    for (size_t first = 0; first < laneK.size(); first += 4)
      for (unsigned index = 0; index < sums.size(); ++index) {
        auto [batch, row, column] = registers.getResultCoordinate(index);
        SmallVector<unsigned> left, right;
        for (uint64_t k : laneK.slice(first, 4)) {
          left.push_back(registers.findLhs(batch, row, k));
          right.push_back(registers.findRhs(batch, k, column));
        }
        sums[index] =
            emitter.intrinsic("llvm.nvvm.idp4a.s.s", type,
                              {packFour(lhs, left, lhsWords),
                               packFour(rhs, right, rhsWords), sums[index]});
      }
    return sums;
  }

private:
  Value multiplyAdd(Value a, Value b, Value sum) {
    if (isa<FloatType>(type))
      return LLVM::FMAOp::create(emitter.builder, emitter.location, a, b, sum);
    return emitter.add(emitter.multiply(a, b), sum);
  }

  Value packFour(ValueRange values, ArrayRef<unsigned> registers,
                 std::map<unsigned, Value> &words) {
    // The first register names the word: all of its K is in ascending order.
    Value &word = words[registers.front()];
    if (word)
      return word;
    SmallVector<Value> elements = llvm::map_to_vector(
        registers, [&](unsigned index) { return values[index]; });
    return word = emitter.bitcast(emitter.packVector(elements),
                                  emitter.builder.getI32Type());
  }

  Emitter &emitter;
  const DotRegisters &registers;
  Type type;
  std::map<unsigned, Value> lhsWords, rhsWords;
};

/// Lower tt.dot on layouts that keep K within threads. Floats are summed in f32
/// (f64 in f64) and rounded once to a narrower accumulator; every multiply-add
/// is fused. Integers wrap.
struct LowerDot : TileGPUPattern<tt::DotOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::DotOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType();
    Type operands[] = {getElementTypeOrSelf(op.getA()),
                       getElementTypeOrSelf(op.getB())};
    FailureOr<Type> sumType = getSumType(op, operands, element);
    if (failed(sumType))
      return failure();
    std::optional<DotRegisters> registers =
        DotRegisters::create(cast<RankedTensorType>(op.getA().getType()),
                             cast<RankedTensorType>(op.getB().getType()), type);
    if (!registers || !registers->isThreadLocal())
      return op.emitOpError("expects operands of which each thread holds all "
                            "of K for its part of the result (under "
                            "#tilegpu.dot_operand of the result's layout), but "
                            "got ")
             << op.getA().getType() << " and " << op.getB().getType() << " for "
             << type;
    Emitter emitter(rewriter, op.getLoc());
    SmallVector<Value> sums =
        convert(adaptor.getC(), element, *sumType, emitter);
    MultiplyAddEmitter multiplyAdd(emitter, *registers, *sumType);
    if (canUseFourWay(operands, *sumType, *registers))
      sums = multiplyAdd.emitFourWay(adaptor.getA(), adaptor.getB(),
                                     std::move(sums));
    else
      sums = multiplyAdd.emit(
          convert(adaptor.getA(), operands[0], *sumType, emitter),
          convert(adaptor.getB(), operands[1], *sumType, emitter),
          std::move(sums));
    if (*sumType != element)
      for (Value &sum : sums)
        sum = LLVM::FPTruncOp::create(rewriter, op.getLoc(), element, sum);
    rewriter.replaceOpWithMultiple(op, {sums});
    return success();
  }

private:
  bool canUseFourWay(ArrayRef<Type> operands, Type sumType,
                     const DotRegisters &registers) const {
    return operands[0].isInteger(8) && operands[1].isInteger(8) &&
           sumType.isInteger(32) && target.has(Capability::Dp4a) &&
           registers.getLaneK().size() % 4 == 0;
  }

  /// The type in which the sums are kept.
  static FailureOr<Type> getSumType(tt::DotOp op, ArrayRef<Type> operands,
                                    Type accumulator) {
    bool floats = isa<FloatType>(accumulator) &&
                  llvm::all_of(operands, llvm::IsaPred<FloatType>);
    bool integers =
        isa<IntegerType>(accumulator) && llvm::all_of(operands, [&](Type type) {
          return isa<IntegerType>(type) &&
                 type.getIntOrFloatBitWidth() <=
                     accumulator.getIntOrFloatBitWidth();
        });
    bool isNarrow = floats && accumulator.getIntOrFloatBitWidth() < 16;
    bool isNarrowing = floats && llvm::any_of(operands, [&](Type type) {
                         return type.isF64() && !accumulator.isF64();
                       });
    if ((!floats && !integers) || isNarrow || isNarrowing)
      return op.emitOpError("expects float operands and an accumulator of 16 "
                            "bits or more, or integer operands and an "
                            "accumulator at least as wide, but got ")
             << operands[0] << " and " << operands[1] << " -> " << accumulator;
    if (integers || accumulator.getIntOrFloatBitWidth() >= 32)
      return accumulator;
    return Type(Float32Type::get(op.getContext()));
  }

  /// Widens registers of the tile type `from`.
  SmallVector<Value> convert(ValueRange values, Type from, Type to,
                             Emitter &emitter) const {
    SmallVector<Value> wide(values);
    if (from == to)
      return wide;
    OpBuilder &builder = emitter.builder;
    Location location = emitter.location;
    for (Value &value : wide) {
      if (isa<IntegerType>(to)) {
        value = LLVM::SExtOp::create(builder, location, to, value);
        continue;
      }
      if (from.getIntOrFloatBitWidth() > 8) {
        value = LLVM::FPExtOp::create(builder, location, to, value);
        continue;
      }
      // 8-bit floats have no LLVM type; their scalar conversion is lowered with
      // the rest.
      Value small =
          UnrealizedConversionCastOp::create(builder, location, from, value)
              .getResult(0);
      value = arith::ExtFOp::create(builder, location, to, small);
    }
    return wide;
  }
};

} // namespace

void tilegpu::populateMultiplyAddPatterns(const TileGPUTypeConverter &converter,
                                          const target::Target &target,
                                          RewritePatternSet &patterns) {
  patterns.add<LowerDot>(converter, target);
}
