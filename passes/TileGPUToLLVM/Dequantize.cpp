// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile.dequantize: each thread takes its codes out of the words that it holds,
// and makes them the numbers that they stand for. All of it in f32, as the op
// is defined.

#include "dialects/Tile/Tile.h"
#include "dialects/TileGPU/Placement/Placement.h"
#include "passes/TileGPUToLLVM/Lowering.h"
#include "passes/TileGPUToLLVM/SmallFloats.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;
using tile::CodeFormat;
using tile::DequantizeOp;

namespace {

/// Makes f32 of codes, which are the lowest bits of i32.
class Decoder {
public:
  Decoder(Emitter &emitter, const target::Target &target, DequantizeOp op)
      : emitter(emitter), target(target), builder(emitter.builder),
        location(emitter.location), f32(builder.getF32Type()), op(op) {}

  /// `codes` have other bits above their own. `book`: the registers of a code
  /// book in f32.
  SmallVector<Value> decode(ValueRange codes, ValueRange book) {
    switch (op.getFormat()) {
    case CodeFormat::UnsignedInteger:
    case CodeFormat::SignedInteger:
      return map(codes, [&](Value code) { return decodeInteger(code); });
    case CodeFormat::CodeBook:
      return map(codes, [&](Value code) { return lookUp(code, book); });
    case CodeFormat::E2M1:
      return map(codes, [&](Value code) { return decodeE2M1(code); });
    case CodeFormat::E4M3:
      return decodeBytes(codes, Float8E4M3FNType::get(op.getContext()));
    case CodeFormat::E5M2:
      return decodeBytes(codes, Float8E5M2Type::get(op.getContext()));
    }
    llvm_unreachable("all formats are listed");
  }

private:
  SmallVector<Value> map(ValueRange codes,
                         llvm::function_ref<Value(Value)> decode) {
    return llvm::map_to_vector(codes, decode);
  }

  Value bitAnd(Value value, uint32_t mask) {
    return emitter.bitAnd(value, emitter.constant(int32_t(mask)));
  }
  Value bitOr(Value value, uint32_t bits) {
    return emitter.bitOr(value, emitter.constant(int32_t(bits)));
  }
  Value shiftLeft(Value value, unsigned bits) {
    return LLVM::ShlOp::create(builder, location, value,
                               emitter.constant(bits));
  }
  Value constant(double value) {
    return LLVM::ConstantOp::create(builder, location, f32,
                                    builder.getF32FloatAttr(value));
  }
  Value cut(Value code) { return bitAnd(code, (1u << op.getBits()) - 1); }

  /// Put below 2^23, whose lowest mantissa bit stands for 1, and taken from
  /// there by a subtraction, both exact: conversions of integers take four
  /// times as long (CUDA C++ Programming Guide, "Arithmetic Instructions").
  /// Two's complement is the unsigned code with its sign bit flipped, less
  /// 2^(bits - 1).
  Value decodeInteger(Value code) {
    double offset = 0x1p23;
    Value number = cut(code);
    if (op.getFormat() == CodeFormat::SignedInteger) {
      uint32_t sign = 1u << (op.getBits() - 1);
      number = emitter.bitXor(number, emitter.constant(sign));
      offset += sign;
    }
    Value shifted = emitter.bitcast(bitOr(number, 0x4b000000), f32);
    return LLVM::FSubOp::create(builder, location, shifted, constant(offset));
  }

  /// The bits under f32's exponent, brought from there by a power of two.
  Value decodeE2M1(Value code) {
    Value magnitude = shiftLeft(bitAnd(code, 7), 22);
    Value sign = shiftLeft(bitAnd(code, 8), 28);
    Value number = emitter.bitcast(emitter.bitOr(magnitude, sign), f32);
    return LLVM::FMulOp::create(builder, location, number, constant(0x1p126));
  }

  SmallVector<Value> decodeBytes(ValueRange codes, FloatType format) {
    SmallVector<Value> bytes = map(codes, [&](Value code) -> Value {
      return LLVM::TruncOp::create(builder, location, builder.getI8Type(),
                                   code);
    });
    return convertFloats(emitter, target, bytes, format, cast<FloatType>(f32));
  }

  /// The entry from the lane that has it; of several registers of that lane the
  /// one that the code's further bits name.
  Value lookUp(Value code, ValueRange book) {
    code = cut(code);
    Value lane = book.size() > 1 ? bitAnd(code, 31) : code;
    SmallVector<Value> entries = map(
        book, [&](Value entry) { return emitter.shuffleIndex(entry, lane); });
    SmallVector<unsigned> bits =
        llvm::to_vector(llvm::seq(5u, std::max(5u, op.getBits())));
    return emitter.selectByBits(std::move(entries), code, bits);
  }

  Emitter &emitter;
  const target::Target &target;
  OpBuilder &builder;
  Location location;
  Type f32;
  DequantizeOp op;
};

struct LowerDequantize : TileGPUPattern<DequantizeOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(DequantizeOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinearLayout result = toLinearLayout(typeOf(op.getResult()));
    Registers words = matchRegisters(toLinearLayout(typeOf(op.getWeights())),
                                     result, op.getWordMap());
    Registers scales = matchRegisters(toLinearLayout(typeOf(op.getScales())),
                                      result, op.getGroupMap());
    Registers zeros = scales;
    if (op.getZeros())
      zeros = matchRegisters(toLinearLayout(typeOf(op.getZeros())), result,
                             op.getGroupMap());
    if (!words || !scales || !zeros)
      return op.emitOpError("expects layouts under which every thread holds "
                            "the words, scales and zeros of its numbers, but "
                            "got ")
             << op->getOperandTypes() << " for " << op.getType();
    if (failed(verifyCodeBook(op)))
      return failure();
    Emitter emitter(rewriter, op.getLoc());
    SmallVector<Value> numbers =
        Decoder(emitter, target, op)
            .decode(extractCodes(op, adaptor.getWeights(), *words, emitter),
                    toF32(op.getCodeBook(), adaptor.getCodeBook(), emitter));
    subtract(numbers, toF32(op.getZeros(), adaptor.getZeros(), emitter), *zeros,
             emitter);
    multiply(numbers, toF32(op.getScales(), adaptor.getScales(), emitter),
             *scales, emitter);
    rewriter.replaceOpWithMultiple(
        op,
        {convertFloats(
            emitter, target, numbers, cast<FloatType>(rewriter.getF32Type()),
            cast<FloatType>(typeOf(op.getResult()).getElementType()))});
    return success();
  }

private:
  /// For each register of the result the one of an operand.
  using Registers = std::optional<SmallVector<unsigned>>;

  static RankedTensorType typeOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }

  static LogicalResult verifyCodeBook(DequantizeOp op) {
    if (!op.getCodeBook())
      return success();
    RankedTensorType type = typeOf(op.getCodeBook());
    RegisterLayoutInterface expected =
        getCodeBookLayout(op.getContext(), type.getNumElements(),
                          getRegisterLayout(op.getType()).getNumWarps());
    if (toLinearLayout(type) == expected.toLinearLayout(type.getShape()))
      return success();
    return op.emitOpError("expects a code book under ")
           << expected << ", but got " << type;
  }

  /// A thread's codes at the lowest bits of i32, with others above them.
  SmallVector<Value> extractCodes(DequantizeOp op, ValueRange words,
                                  ArrayRef<unsigned> registers,
                                  Emitter &emitter) const {
    OpBuilder &builder = emitter.builder;
    SmallVector<Value> wide;
    for (Value word : words)
      wide.push_back(word.getType().isInteger(32)
                         ? word
                         : LLVM::ZExtOp::create(builder, op.getLoc(),
                                                builder.getI32Type(), word)
                               .getResult());
    ThreadCoordinates places(
        emitter,
        toLinearLayout(typeOf(op.getResult())).compose(op.getPlaceMap()));
    SmallVector<Value> codes;
    for (auto [index, word] : llvm::enumerate(registers)) {
      Value place = emitter.bitXor(places.get(index, Axis::Offset),
                                   emitter.constant(op.getPlace(0)));
      Value shift = emitter.multiply(place, emitter.constant(op.getBits()));
      codes.push_back(
          LLVM::LShrOp::create(builder, op.getLoc(), wide[word], shift));
    }
    return codes;
  }

  /// The registers of an operand, which may be null, in f32.
  SmallVector<Value> toF32(Value operand, ValueRange registers,
                           Emitter &emitter) const {
    if (!operand)
      return {};
    Type element = typeOf(operand).getElementType();
    auto f32 = cast<FloatType>(emitter.builder.getF32Type());
    if (auto type = dyn_cast<FloatType>(element))
      return convertFloats(emitter, target, registers, type, f32);
    return llvm::map_to_vector(registers, [&](Value number) -> Value {
      return LLVM::SIToFPOp::create(emitter.builder, emitter.location, f32,
                                    number);
    });
  }

  static void subtract(MutableArrayRef<Value> numbers, ArrayRef<Value> zeros,
                       ArrayRef<unsigned> registers, Emitter &emitter) {
    if (!zeros.empty())
      for (auto [number, index] : llvm::zip_equal(numbers, registers))
        number = LLVM::FSubOp::create(emitter.builder, emitter.location, number,
                                      zeros[index]);
  }

  static void multiply(MutableArrayRef<Value> numbers, ArrayRef<Value> scales,
                       ArrayRef<unsigned> registers, Emitter &emitter) {
    for (auto [number, index] : llvm::zip_equal(numbers, registers))
      number = LLVM::FMulOp::create(emitter.builder, emitter.location, number,
                                    scales[index]);
  }
};

} // namespace

void tilegpu::populateDequantizePatterns(const TileGPUTypeConverter &converter,
                                         const target::Target &target,
                                         RewritePatternSet &patterns) {
  patterns.add<LowerDequantize>(converter, target);
}
