// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline PTX on the elements of tiles: one run for each group of
// `packed_element` registers of a thread. All operands and results have one
// layout, so the elements of a group belong together.

#include "dialects/Triton/InlineAssembly.h"

#include "passes/TileGPUToLLVM/Lowering.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// The LLVM type of a register with this constraint.
Type getRegisterType(char letter, OpBuilder &builder) {
  switch (letter) {
  case 'f':
    return builder.getF32Type();
  case 'd':
    return builder.getF64Type();
  default:
    return builder.getIntegerType(tt::AssemblyRegister::getBits(letter));
  }
}

Value zeroExtend(Value value, unsigned bits, Emitter &emitter) {
  Type type = emitter.builder.getIntegerType(bits);
  if (value.getType() == type)
    return value;
  return LLVM::ZExtOp::create(emitter.builder, emitter.location, type, value);
}

Value truncate(Value value, unsigned bits, Emitter &emitter) {
  Type type = emitter.builder.getIntegerType(bits);
  if (value.getType() == type)
    return value;
  return LLVM::TruncOp::create(emitter.builder, emitter.location, type, value);
}

/// The register that holds `elements` side by side, `elementBits` each.
Value packRegister(ValueRange elements, unsigned elementBits, char letter,
                   Emitter &emitter) {
  unsigned bits = tt::AssemblyRegister::getBits(letter);
  Value packed;
  for (auto [index, element] : llvm::enumerate(elements)) {
    Value wide = zeroExtend(emitter.toInteger(element), bits, emitter);
    if (index)
      wide = LLVM::ShlOp::create(emitter.builder, emitter.location, wide,
                                 emitter.constant(index * elementBits, bits));
    packed = packed ? emitter.bitOr(packed, wide) : wide;
  }
  return emitter.bitcast(packed, getRegisterType(letter, emitter.builder));
}

/// A constant, `elements` times side by side, which getAssemblyForm has seen to
/// be one.
Value packConstant(Value value, unsigned elements, Emitter &emitter) {
  APInt bits = *tt::getConstantElement(value);
  APInt all = bits.sext(64);
  if (elements > 1)
    all = APInt::getSplat(elements * bits.getBitWidth(), bits).zext(64);
  return emitter.constant(all.getSExtValue(), 64);
}

/// Element `index` of a register, as `type`.
Value unpackElement(Value packed, unsigned index, unsigned elementBits,
                    Type type, Emitter &emitter) {
  Value bits = emitter.toInteger(packed);
  unsigned width = bits.getType().getIntOrFloatBitWidth();
  if (index)
    bits = LLVM::LShrOp::create(emitter.builder, emitter.location, bits,
                                emitter.constant(index * elementBits, width));
  unsigned wanted =
      isa<LLVM::LLVMPointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
  return emitter.fromInteger(truncate(bits, wanted, emitter), type);
}

struct LowerElementwiseInlineAsm : TileGPUPattern<tt::ElementwiseInlineAsmOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::ElementwiseInlineAsmOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<tt::AssemblyForm> form = tt::getAssemblyForm(op);
    if (failed(form))
      return failure();
    size_t count = countElements(op);
    for (ValueRange argument : adaptor.getArgs())
      if (argument.size() != 1 && argument.size() != count)
        return rewriter.notifyMatchFailure(op, "operands of other layouts");
    Emitter emitter(rewriter, op.getLoc());
    SmallVector<SmallVector<Value>> results(op->getNumResults());
    for (size_t first = 0; first < count; first += op.getPackedElement())
      run(op, *form, adaptor.getArgs(), first, count, results, emitter);
    rewriter.replaceOpWithMultiple(op, results);
    return success();
  }

private:
  /// Elements of a tile that a thread holds.
  static size_t countElements(tt::ElementwiseInlineAsmOp op) {
    size_t count = 1;
    for (Type type : op->getResultTypes())
      count = std::max<size_t>(count, countRegisters(type));
    return count;
  }

  /// The elements of `argument` for one run, zeros where a thread holds fewer
  /// than a run takes. A scalar beside tiles is each of its elements.
  SmallVector<Value> select(ValueRange argument, size_t first, size_t count,
                            unsigned packed, Emitter &emitter) const {
    SmallVector<Value> elements;
    for (size_t index = first; index < first + packed; ++index)
      elements.push_back(index >= count ? emitter.zero(argument[0].getType())
                         : argument.size() == 1 ? argument[0]
                                                : argument[index]);
    return elements;
  }

  /// Runs the assembly on the elements from `first` on and appends what it
  /// gives to `results`.
  void run(tt::ElementwiseInlineAsmOp op, const tt::AssemblyForm &form,
           ArrayRef<ValueRange> arguments, size_t first, size_t count,
           SmallVector<SmallVector<Value>> &results, Emitter &emitter) const {
    unsigned packed = op.getPackedElement();
    SmallVector<Value> inputs;
    for (auto [value, argument, registers] :
         llvm::zip_equal(op.getArgs(), arguments, form.arguments)) {
      unsigned bits = tt::getAssemblyBits(getElementTypeOrSelf(value));
      SmallVector<Value> elements =
          select(argument, first, count, packed, emitter);
      ValueRange rest = elements;
      for (const tt::AssemblyRegister &each : registers) {
        if (each.isConstant()) {
          inputs.push_back(packConstant(value, each.elements, emitter));
          continue;
        }
        inputs.push_back(packRegister(rest.take_front(each.elements), bits,
                                      each.letter, emitter));
        rest = rest.drop_front(each.elements);
      }
    }
    SmallVector<Type> types;
    for (const auto &registers : form.results)
      for (const tt::AssemblyRegister &each : registers)
        types.push_back(getRegisterType(each.letter, emitter.builder));
    SmallVector<Value> outputs =
        emitter.inlineAssembly(op.getAsmString(), form.constraints, types,
                               inputs, /*hasEffects=*/!op.getPure());
    unpackRun(op, form, outputs, first, count, results, emitter);
  }

  void unpackRun(tt::ElementwiseInlineAsmOp op, const tt::AssemblyForm &form,
                 ArrayRef<Value> outputs, size_t first, size_t count,
                 SmallVector<SmallVector<Value>> &results,
                 Emitter &emitter) const {
    for (auto [number, registers] : llvm::enumerate(form.results)) {
      Type element = getElementTypeOrSelf(op->getResult(number));
      unsigned bits = tt::getAssemblyBits(element);
      size_t place = first;
      for (const tt::AssemblyRegister &each : registers) {
        for (unsigned index = 0; index < each.elements; ++index)
          if (place++ < count)
            results[number].push_back(
                unpackElement(outputs.front(), index, bits,
                              converter.convertElement(element), emitter));
        outputs = outputs.drop_front();
      }
    }
  }
};

} // namespace

void tilegpu::populateInlineAssemblyPatterns(
    const TileGPUTypeConverter &converter, const target::Target &target,
    RewritePatternSet &patterns) {
  patterns.add<LowerElementwiseInlineAsm>(converter, target);
}
