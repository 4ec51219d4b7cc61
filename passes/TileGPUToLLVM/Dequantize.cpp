// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tile.dequantize: each thread takes its codes out of the words that it holds,
// and makes them the numbers that they stand for: in f32, as the op is defined,
// or, where that rounds the same, by pairs in the result's type.

#include "dialects/Layout/IndexArithmetic.h"
#include "dialects/Tile/Tile.h"
#include "dialects/TileGPU/Placement/Placement.h"
#include "passes/TileGPUToLLVM/DequantizePairs.h"
#include "passes/TileGPUToLLVM/Lowering.h"
#include "passes/TileGPUToLLVM/SmallFloats.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;
using tile::CodeFormat;
using tile::DequantizeOp;

namespace {

/// Makes f32 of codes.
class Decoder {
public:
  Decoder(Emitter &emitter, const target::Target &target, DequantizeOp op)
      : emitter(emitter), target(target), builder(emitter.builder),
        location(emitter.location), f32(builder.getF32Type()), op(op) {}

  /// `book`: the registers of a code book in f32.
  SmallVector<Value> decode(ArrayRef<CodePlace> codes, ValueRange book) {
    switch (op.getFormat()) {
    case CodeFormat::UnsignedInteger:
    case CodeFormat::SignedInteger:
      return llvm::map_to_vector(
          codes, [&](CodePlace code) { return decodeInteger(code); });
    case CodeFormat::CodeBook:
      return lookUpCodes(emitter, op.getBits(), bringDown(codes), book);
    case CodeFormat::E2M1:
      return llvm::map_to_vector(bringDown(codes),
                                 [&](Value code) { return decodeE2M1(code); });
    case CodeFormat::E4M3:
      return decodeBytes(codes, Float8E4M3FNType::get(op.getContext()));
    case CodeFormat::E5M2:
      return decodeBytes(codes, Float8E5M2Type::get(op.getContext()));
    }
    llvm_unreachable("all formats are listed");
  }

private:
  Value bitAnd(Value value, uint32_t mask) {
    return emitter.bitAnd(value, emitter.constant(int32_t(mask)));
  }
  Value shiftLeft(Value value, unsigned bits) {
    return LLVM::ShlOp::create(builder, location, value,
                               emitter.constant(bits));
  }
  Value shiftRight(Value value, unsigned bits) {
    return bits == 0 ? value
                     : LLVM::LShrOp::create(builder, location, value,
                                            emitter.constant(bits))
                           .getResult();
  }
  Value constant(double value) {
    return LLVM::ConstantOp::create(builder, location, f32,
                                    builder.getF32FloatAttr(value));
  }
  /// Codes at the lowest bits, with others above them.
  SmallVector<Value> bringDown(ArrayRef<CodePlace> codes) {
    return llvm::map_to_vector(
        codes, [&](CodePlace code) { return shiftRight(code.word, code.bit); });
  }

  /// Put below 2^23, whose lowest mantissa bit stands for 1, and taken from
  /// there by an addition or a multiply-add, both exact: conversions of
  /// integers take four times as long (CUDA C++ Programming Guide, "Arithmetic
  /// Instructions"). Two's complement is the unsigned code with its sign bit
  /// flipped, less 2^(bits - 1).
  Value decodeInteger(CodePlace code) {
    constexpr unsigned mantissaBits = 23;
    // One shift serves all codes of a word's upper half.
    unsigned shift = code.bit + op.getBits() > mantissaBits ? 16 : 0;
    unsigned place = code.bit - shift;
    bool isSigned = op.getFormat() == CodeFormat::SignedInteger;
    uint32_t mask = (1u << op.getBits()) - 1;
    uint32_t sign = isSigned ? 1u << (op.getBits() - 1) : 0;
    Value shifted =
        emitter.bitcast(maskAndFlip(emitter, shiftRight(code.word, shift),
                                    mask << place, 0x4b000000 | sign << place),
                        f32);
    double factor = std::ldexp(1.0, -int(place));
    Value offset = constant(-(0x1p23 * factor + sign));
    if (place == 0)
      return LLVM::FAddOp::create(builder, location, shifted, offset);
    return LLVM::FMAOp::create(builder, location, shifted, constant(factor),
                               offset);
  }

  /// The bits under f32's exponent, brought from there by a power of two.
  Value decodeE2M1(Value code) {
    Value magnitude = shiftLeft(bitAnd(code, 7), 22);
    Value sign = shiftLeft(bitAnd(code, 8), 28);
    Value number = emitter.bitcast(emitter.bitOr(magnitude, sign), f32);
    return LLVM::FMulOp::create(builder, location, number, constant(0x1p126));
  }

  SmallVector<Value> decodeBytes(ArrayRef<CodePlace> codes, FloatType format) {
    SmallVector<Value> bytes = bringDown(codes);
    for (Value &byte : bytes)
      byte =
          LLVM::TruncOp::create(builder, location, builder.getI8Type(), byte);
    return convertFloats(emitter, target, bytes, format, cast<FloatType>(f32));
  }

  Emitter &emitter;
  const target::Target &target;
  OpBuilder &builder;
  Location location;
  Type f32;
  DequantizeOp op;
};

/// Finds the codes of a thread's numbers in the words that it holds.
class CodeFinder {
public:
  /// `registers`: for each number the one of `words` that has its code.
  CodeFinder(Emitter &emitter, DequantizeOp op, ValueRange words,
             ArrayRef<unsigned> registers)
      : emitter(emitter), builder(emitter.builder), op(op), words(words),
        registers(registers),
        places(toLinearLayout(cast<RankedTensorType>(op.getType()))
                   .compose(op.getPlaceMap())),
        ofThread(emitter, places) {}

  SmallVector<CodePlace> find() {
    const Axis threadAxes[] = {Axis::Lane, Axis::Warp};
    uint64_t threadBits =
        layout::reachableBits(places, threadAxes, Axis::Offset);
    SmallVector<CodePlace> codes;
    for (auto [index, word] : llvm::enumerate(registers)) {
      uint64_t place = op.getPlace(0) ^ registerPart(index);
      CodePlace from = widen(word);
      // Shifted by what the thread's own bits of the place are.
      if (threadBits)
        from.word = shiftByThread(from.word, place & threadBits);
      uint64_t own = place & ~threadBits;
      codes.push_back({from.word, from.bit + unsigned(own) * op.getBits(),
                       op.getExponent(int64_t(own)),
                       getPowerOfThread(threadBits, place & threadBits)});
    }
    return codes;
  }

private:
  uint64_t registerPart(unsigned index) const {
    uint64_t part = 0;
    for (unsigned bit = 0; bit < places.inputBits(Axis::Register); ++bit)
      if (index >> bit & 1)
        part ^= places.basis(Axis::Register, bit, Axis::Offset);
    return part;
  }

  /// The word in i32, and its lowest bit there: four bytes are one.
  CodePlace widen(unsigned word) {
    if (words[word].getType().isInteger(32))
      return {words[word], 0};
    bool isWhole = words.size() % 4 == 0;
    unsigned first = isWhole ? word / 4 * 4 : word;
    Value &wide = widened[first];
    if (!wide && isWhole)
      wide = emitter.bitcast(emitter.packVector(words.slice(first, 4)),
                             builder.getI32Type());
    if (!wide)
      wide = LLVM::ZExtOp::create(builder, op.getLoc(), builder.getI32Type(),
                                  words[word]);
    return {wide, 8 * (word - first)};
  }

  /// The thread's own bits of the place.
  Value getPlaceOfThread(uint64_t flips) {
    Value place = ofThread.get(0, Axis::Offset);
    return flips ? emitter.bitXor(place, emitter.constant(flips)) : place;
  }

  /// Two to what these bits add to the number's exponent, in f32; null: always
  /// 1. `in_bytes` counts places within bytes.
  Value getPowerOfThread(uint64_t threadBits, uint64_t flips) {
    uint64_t inByte = threadBits & (8 / op.getBits() - 1);
    if (!op.getInBytes() || !inByte)
      return {};
    Value place = emitter.bitAnd(getPlaceOfThread(flips),
                                 emitter.constant(int32_t(inByte)));
    Value exponent =
        emitter.multiply(place, emitter.constant(op.getBits() << 23));
    Value one = emitter.constant(int32_t(127u << 23));
    return emitter.bitcast(
        LLVM::AddOp::create(builder, op.getLoc(), exponent, one),
        builder.getF32Type());
  }

  Value shiftByThread(Value word, uint64_t flips) {
    Value &shifted = shiftedWords[{word, flips}];
    if (shifted)
      return shifted;
    Value place = getPlaceOfThread(flips);
    Value by = emitter.multiply(place, emitter.constant(op.getBits()));
    shifted = LLVM::LShrOp::create(builder, op.getLoc(), word, by);
    return shifted;
  }

  Emitter &emitter;
  OpBuilder &builder;
  DequantizeOp op;
  ValueRange words;
  ArrayRef<unsigned> registers;
  LinearLayout places;
  ThreadCoordinates ofThread;
  DenseMap<unsigned, Value> widened;
  DenseMap<std::pair<Value, uint64_t>, Value> shiftedWords;
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
    DequantizeOperands operands;
    operands.codes =
        CodeFinder(emitter, op, adaptor.getWeights(), *words).find();
    operands.scales = pick(adaptor.getScales(), *scales);
    if (op.getZeros())
      operands.zeros = pick(adaptor.getZeros(), *zeros);
    llvm::append_range(operands.book, adaptor.getCodeBook());
    SmallVector<Value> numbers =
        dequantizeInPairs(emitter, target, op, operands);
    if (numbers.empty())
      numbers = dequantizeInF32(op, operands, emitter);
    rewriter.replaceOpWithMultiple(op, {numbers});
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

  static SmallVector<Value> pick(ValueRange values,
                                 ArrayRef<unsigned> registers) {
    return llvm::map_to_vector(registers,
                               [&](unsigned index) { return values[index]; });
  }

  SmallVector<Value> dequantizeInF32(DequantizeOp op,
                                     const DequantizeOperands &operands,
                                     Emitter &emitter) const {
    OpBuilder &builder = emitter.builder;
    auto f32 = cast<FloatType>(builder.getF32Type());
    SmallVector<Value> numbers =
        Decoder(emitter, target, op)
            .decode(operands.codes,
                    toF32(op.getCodeBook(), operands.book, emitter));
    SmallVector<Value> zeros = toF32(op.getZeros(), operands.zeros, emitter);
    SmallVector<Value> scales = toF32(op.getScales(), operands.scales, emitter);
    if (!zeros.empty())
      for (auto [number, zero] : llvm::zip_equal(numbers, zeros))
        number = LLVM::FSubOp::create(builder, op.getLoc(), number, zero);
    for (auto [number, scale, code] :
         llvm::zip_equal(numbers, scales, operands.codes)) {
      number = LLVM::FMulOp::create(builder, op.getLoc(), number, scale);
      if (code.exponent)
        number = LLVM::FMulOp::create(
            builder, op.getLoc(), number,
            LLVM::ConstantOp::create(
                builder, op.getLoc(), f32,
                builder.getF32FloatAttr(float(1u << code.exponent))));
      if (code.power)
        number = LLVM::FMulOp::create(builder, op.getLoc(), number, code.power);
    }
    return convertFloats(
        emitter, target, numbers, f32,
        cast<FloatType>(typeOf(op.getResult()).getElementType()));
  }

  /// Registers of an operand, which may be null, in f32; each once.
  SmallVector<Value> toF32(Value operand, ValueRange registers,
                           Emitter &emitter) const {
    if (!operand)
      return {};
    auto f32 = cast<FloatType>(emitter.builder.getF32Type());
    SetVector<Value> different(registers.begin(), registers.end());
    SmallVector<Value> converted;
    if (auto type = dyn_cast<FloatType>(typeOf(operand).getElementType()))
      converted =
          convertFloats(emitter, target, different.getArrayRef(), type, f32);
    else
      converted = llvm::map_to_vector(
          different.getArrayRef(), [&](Value number) -> Value {
            return LLVM::SIToFPOp::create(emitter.builder, emitter.location,
                                          f32, number);
          });
    DenseMap<Value, Value> by;
    for (auto [from, to] : llvm::zip_equal(different, converted))
      by[from] = to;
    return llvm::map_to_vector(registers,
                               [&](Value number) { return by[number]; });
  }
};

} // namespace

void tilegpu::populateDequantizePatterns(const TileGPUTypeConverter &converter,
                                         const target::Target &target,
                                         RewritePatternSet &patterns) {
  patterns.add<LowerDequantize>(converter, target);
}
