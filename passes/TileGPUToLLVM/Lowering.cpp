// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type conversion and the questions about registers and threads that all
// families of ops ask.

#include "passes/TileGPUToLLVM/Lowering.h"

#include "dialects/Layout/IndexArithmetic.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "passes/TileGPUToLLVM/Pointers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;

TileGPUTypeConverter::TileGPUTypeConverter(MLIRContext *context,
                                           const PointerRegisters &pointers)
    : LLVMTypeConverter(context), pointers(pointers) {
  addConversion([](tt::PointerType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(),
                                      type.getAddressSpace());
  });
  addConversion([](MemDescType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext(), sharedSpace);
  });
  addConversion(
      [](TokenType, SmallVectorImpl<Type> &results) { return success(); });
  addConversion([](FloatType type) -> std::optional<Type> {
    if (type.getWidth() != 8)
      return std::nullopt;
    return IntegerType::get(type.getContext(), 8);
  });
  addConversion(
      [this](RankedTensorType type,
             SmallVectorImpl<Type> &results) -> std::optional<LogicalResult> {
        RegisterLayoutInterface encoding = getRegisterLayout(type);
        Type element = convertElement(type.getElementType());
        if (!encoding || !element)
          return failure();
        results.append(countRegisters(type), element);
        return success();
      });
  // Asked first: conversions are tried from the last one added.
  addConversion(
      [this](Value value,
             SmallVectorImpl<Type> &results) -> std::optional<LogicalResult> {
        if (!this->pointers.getOmittedBits(value))
          return std::nullopt;
        Type element = convertElement(getElementTypeOrSelf(value.getType()));
        results.append(this->pointers.getKept(value).size(), element);
        return success();
      });
}

Type TileGPUTypeConverter::convertElement(Type element) const {
  return convertType(element);
}

//===----------------------------------------------------------------------===//
// Emitter
//===----------------------------------------------------------------------===//

Value Emitter::constant(int64_t value, unsigned bits) {
  Value &known = constants[{value, bits}];
  if (!known) {
    Type type = builder.getIntegerType(bits);
    known = LLVM::ConstantOp::create(builder, location, type,
                                     builder.getIntegerAttr(type, value));
  }
  return known;
}

Value Emitter::zero(Type type) {
  return LLVM::ZeroOp::create(builder, location, type);
}

Value Emitter::add(Value a, Value b) {
  return LLVM::AddOp::create(builder, location, a, b);
}

Value Emitter::addConstant(Value a, int64_t b) {
  if (b == 0)
    return a;
  return add(a, constant(b, a.getType().getIntOrFloatBitWidth()));
}

Value Emitter::multiply(Value a, Value b) {
  return LLVM::MulOp::create(builder, location, a, b);
}

Value Emitter::bitAnd(Value a, Value b) {
  return LLVM::AndOp::create(builder, location, a, b);
}

Value Emitter::bitOr(Value a, Value b) {
  return LLVM::OrOp::create(builder, location, a, b);
}

Value Emitter::bitXor(Value a, Value b) {
  return LLVM::XOrOp::create(builder, location, a, b);
}

Value Emitter::equal(Value a, Value b) {
  return LLVM::ICmpOp::create(builder, location, LLVM::ICmpPredicate::eq, a, b);
}

Value Emitter::select(Value condition, Value a, Value b) {
  return LLVM::SelectOp::create(builder, location, condition, a, b);
}

Value Emitter::bitcast(Value value, Type type) {
  // A word that was taken apart and is put together again is the word: the
  // code would mean the same without this, but cost several times as long.
  if (auto cast = value.getDefiningOp<LLVM::BitcastOp>())
    value = cast.getArg();
  if (value.getType() == type)
    return value;
  return LLVM::BitcastOp::create(builder, location, type, value);
}

Value Emitter::toInteger(Value value) {
  Type type = value.getType();
  if (isa<IntegerType>(type))
    return value;
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::PtrToIntOp::create(builder, location, builder.getI64Type(),
                                    value);
  return bitcast(value, builder.getIntegerType(type.getIntOrFloatBitWidth()));
}

Value Emitter::fromInteger(Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(builder, location, type, value);
  return bitcast(value, type);
}

Value Emitter::gep(Value base, Type element, Value index) {
  return LLVM::GEPOp::create(builder, location, base.getType(), element, base,
                             ArrayRef<LLVM::GEPArg>{index});
}

static bool isConstant(Value value, int64_t number) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) &&
         constant.getSExtValue() == number;
}

Value Emitter::advance(Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return gep(pointer, builder.getI8Type(), constant(bytes, 64));
}

/// `values` as a part of the vector that they were taken from: consecutive
/// elements of one, in order. Null where they were not.
static Value extractSubvector(ValueRange values, OpBuilder &builder,
                              Location location) {
  Value vector;
  APInt first;
  for (auto [index, value] : llvm::enumerate(values)) {
    auto extract = value.getDefiningOp<LLVM::ExtractElementOp>();
    APInt position;
    if (!extract ||
        !matchPattern(extract.getPosition(), m_ConstantInt(&position)))
      return {};
    if (index == 0) {
      vector = extract.getVector();
      first = position;
    }
    if (extract.getVector() != vector || position != first + index)
      return {};
  }
  int64_t count = values.size();
  if (cast<VectorType>(vector.getType()).getNumElements() == count)
    return vector;
  SmallVector<int32_t> positions = llvm::to_vector(
      llvm::seq<int32_t>(first.getSExtValue(), first.getSExtValue() + count));
  return LLVM::ShuffleVectorOp::create(builder, location, vector, vector,
                                       positions);
}

/// The values that packVector made `vector` of, or nothing.
static SmallVector<Value> findPacked(Value vector) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  SmallVector<Value> values(count);
  for (int64_t index = count - 1; index >= 0; --index) {
    auto insert = vector.getDefiningOp<LLVM::InsertElementOp>();
    if (!insert || !isConstant(insert.getPosition(), index))
      return {};
    values[index] = insert.getValue();
    vector = insert.getVector();
  }
  return values;
}

Value Emitter::packVector(ValueRange values) {
  if (values.size() == 1)
    return values.front();
  if (Value vector = extractSubvector(values, builder, location))
    return vector;
  Type type = VectorType::get(values.size(), values.front().getType());
  Value vector = LLVM::UndefOp::create(builder, location, type);
  for (auto [index, value] : llvm::enumerate(values))
    vector = LLVM::InsertElementOp::create(builder, location, vector, value,
                                           constant(index));
  return vector;
}

SmallVector<Value> Emitter::unpackVector(Value vector) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type)
    return {vector};
  SmallVector<Value> values = findPacked(vector);
  if (!values.empty())
    return values;
  for (int64_t index = 0; index < type.getNumElements(); ++index)
    values.push_back(LLVM::ExtractElementOp::create(builder, location, vector,
                                                    constant(index)));
  return values;
}

Value Emitter::threadId() {
  return NVVM::ThreadIdXOp::create(builder, location, builder.getI32Type());
}

Value Emitter::laneId() { return bitAnd(threadId(), constant(31)); }

Value Emitter::warpId() {
  return LLVM::LShrOp::create(builder, location, threadId(), constant(5));
}

/// shfl.sync moves 32 bits: narrower values are widened, wider ones cut in two.
Value Emitter::shuffle(Value value, Value lane, NVVM::ShflKind kind) {
  Type type = value.getType(), i32 = builder.getI32Type();
  Value bits = toInteger(value);
  unsigned width = bits.getType().getIntOrFloatBitWidth();
  // Bits 0 to 4: the clamp; up takes lanes from 0 on, the others to 31.
  Value clamp = constant(kind == NVVM::ShflKind::up ? 0 : 31);
  auto shuffleWord = [&](Value word) -> Value {
    return NVVM::ShflOp::create(builder, location, i32, constant(-1), word,
                                lane, clamp, kind,
                                /*return_value_and_is_valid=*/UnitAttr());
  };
  Value moved;
  if (width < 32) {
    Value wide = LLVM::ZExtOp::create(builder, location, i32, bits);
    moved = LLVM::TruncOp::create(builder, location, bits.getType(),
                                  shuffleWord(wide));
  } else if (width == 32) {
    moved = shuffleWord(bits);
  } else {
    Type pair = VectorType::get(width / 32, i32);
    SmallVector<Value> words = unpackVector(bitcast(bits, pair));
    for (Value &word : words)
      word = shuffleWord(word);
    moved = bitcast(packVector(words), bits.getType());
  }
  return fromInteger(moved, type);
}

Value Emitter::shuffleXor(Value value, unsigned laneMask) {
  return shuffle(value, constant(laneMask), NVVM::ShflKind::bfly);
}

Value Emitter::shuffleIndex(Value value, Value lane) {
  return shuffle(value, lane, NVVM::ShflKind::idx);
}

Value Emitter::shuffleUp(Value value, unsigned delta) {
  return shuffle(value, constant(delta), NVVM::ShflKind::up);
}

Value Emitter::shuffleDown(Value value, unsigned delta) {
  return shuffle(value, constant(delta), NVVM::ShflKind::down);
}

Value Emitter::intrinsic(StringRef name, Type result, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(builder, location, result,
                                       builder.getStringAttr(name), operands)
      .getResult(0);
}

SmallVector<Value> Emitter::inlineAssembly(StringRef text,
                                           StringRef constraints,
                                           ArrayRef<Type> results,
                                           ValueRange operands,
                                           bool hasEffects) {
  // Null: no result.
  Type type;
  if (results.size() == 1)
    type = results.front();
  else if (results.size() > 1)
    type = LLVM::LLVMStructType::getLiteral(builder.getContext(), results);
  auto assembly = LLVM::InlineAsmOp::create(
      builder, location, type, operands, text, constraints, hasEffects,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      /*asm_dialect=*/LLVM::AsmDialectAttr(), /*operand_attrs=*/ArrayAttr());
  if (results.size() <= 1)
    return SmallVector<Value>(assembly->getResults());
  SmallVector<Value> values;
  for (int64_t index = 0, count = results.size(); index < count; ++index)
    values.push_back(LLVM::ExtractValueOp::create(
        builder, location, assembly.getResult(0), index));
  return values;
}

Value Emitter::pureAssembly(StringRef text, StringRef constraints, Type result,
                            ValueRange operands) {
  return LLVM::InlineAsmOp::create(
             builder, location, result, operands, text, constraints,
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::tailcallkind::TailCallKind::None,
             /*asm_dialect=*/LLVM::AsmDialectAttr(),
             /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

/// A type of `width` bits that values of `type` can be reinterpreted as one by
/// one: `type` itself where it has just this width.
static Type getPackedElement(Type type, unsigned width, OpBuilder &builder) {
  if (type.isIntOrFloat() && type.getIntOrFloatBitWidth() == width)
    return type;
  return builder.getIntegerType(width);
}

Value tilegpu::packElements(Emitter &emitter, ValueRange elements,
                            unsigned elementBits) {
  OpBuilder &builder = emitter.builder;
  Type element =
      getPackedElement(elements.front().getType(), elementBits, builder);
  SmallVector<Value> values;
  for (Value value : elements) {
    if (value.getType() != element)
      value = emitter.toInteger(value);
    if (value.getType() != element)
      value = LLVM::ZExtOp::create(builder, emitter.location, element, value);
    values.push_back(value);
  }
  unsigned total = elementBits * elements.size();
  if (total <= 32 || elements.size() == 1)
    return emitter.bitcast(emitter.packVector(values),
                           builder.getIntegerType(total));
  if (elementBits > 32)
    return emitter.bitcast(emitter.packVector(values),
                           VectorType::get(total / 32, builder.getI32Type()));
  // Word by word: so a word that comes from memory or from an instruction as a
  // whole is found again.
  SmallVector<Value> words;
  for (unsigned first = 0, width = 32 / elementBits; first < values.size();
       first += width)
    words.push_back(emitter.bitcast(
        emitter.packVector(ArrayRef(values).slice(first, width)),
        builder.getI32Type()));
  return emitter.packVector(words);
}

SmallVector<Value> tilegpu::unpackElements(Emitter &emitter, Value packed,
                                           unsigned count, Type type,
                                           unsigned elementBits) {
  OpBuilder &builder = emitter.builder;
  Type element = getPackedElement(type, elementBits, builder);
  Type vector = count == 1 ? element : Type(VectorType::get(count, element));
  SmallVector<Value> elements =
      emitter.unpackVector(emitter.bitcast(packed, vector));
  for (Value &value : elements) {
    if (type.isInteger() && type != element)
      value = LLVM::TruncOp::create(builder, emitter.location, type, value);
    else
      value = emitter.fromInteger(value, type);
  }
  return elements;
}

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

/// The XOR over the bits of `index` of their columns' part in `output`.
static uint64_t registerPart(const LinearLayout &layout, unsigned index,
                             Axis output) {
  uint64_t value = 0;
  for (unsigned bit = 0; bit < layout.inputBits(Axis::Register); ++bit)
    if (index >> bit & 1)
      value ^= layout.basis(Axis::Register, bit, output);
  return value;
}

namespace {
/// Emits index arithmetic as LLVM IR on i32.
struct IndexEmitter {
  using Value = mlir::Value;

  Value constant(uint64_t number) { return emitter.constant(number); }
  Value bitwiseAnd(Value value, uint64_t mask) {
    return emitter.bitAnd(value, emitter.constant(mask));
  }
  Value bitwiseOr(Value a, Value b) {
    return LLVM::OrOp::create(emitter.builder, emitter.location, a, b,
                              /*isDisjoint=*/true);
  }
  Value bitwiseXor(Value a, Value b) { return emitter.bitXor(a, b); }
  Value shiftLeft(Value value, unsigned bits) {
    return LLVM::ShlOp::create(emitter.builder, emitter.location, value,
                               emitter.constant(bits));
  }
  Value shiftRight(Value value, unsigned bits) {
    return LLVM::LShrOp::create(emitter.builder, emitter.location, value,
                                emitter.constant(bits));
  }
  Value multiply(Value value, uint64_t factor) {
    return emitter.multiply(value, emitter.constant(factor));
  }

  Emitter &emitter;
};

/// Whether some bit of `input` reaches an output.
bool isUsed(const LinearLayout &layout, Axis input) {
  for (unsigned bit = 0; bit < layout.inputBits(input); ++bit)
    if (layout.column(input, bit))
      return true;
  return false;
}
} // namespace

ThreadCoordinates::ThreadCoordinates(Emitter &emitter,
                                     const LinearLayout &layout)
    : emitter(emitter), layout(layout) {
  const Axis threadAxes[] = {Axis::Lane, Axis::Warp};
  std::vector<layout::IndexInput<Value>> inputs;
  if (isUsed(layout, Axis::Lane))
    inputs.push_back({Axis::Lane, emitter.laneId()});
  if (isUsed(layout, Axis::Warp))
    inputs.push_back({Axis::Warp, emitter.warpId()});
  IndexEmitter builder{emitter};
  for (auto [axis, value] :
       layout::emitApply<IndexEmitter>(layout, inputs, builder)) {
    threadBits.push_back(layout::reachableBits(layout, threadAxes, axis));
    // Where no thread bit reaches, registers alone decide.
    base.emplace_back(axis, threadBits.back() ? value : Value());
  }
}

Value ThreadCoordinates::get(unsigned registerIndex, Axis axis) {
  for (auto [entry, touched] : llvm::zip_equal(base, threadBits)) {
    if (entry.first != axis)
      continue;
    uint64_t constant = registerPart(layout, registerIndex, axis);
    if (!entry.second)
      return emitter.constant(constant);
    if (constant == 0)
      return entry.second;
    // Bits that no thread bit reaches can be added: LLVM then folds the
    // constant into the address.
    if (constant & touched)
      return emitter.bitXor(entry.second, emitter.constant(constant));
    return LLVM::AddOp::create(emitter.builder, emitter.location, entry.second,
                               emitter.constant(constant),
                               LLVM::IntegerOverflowFlags::nuw |
                                   LLVM::IntegerOverflowFlags::nsw);
  }
  llvm_unreachable("the layout has every axis that is asked for");
}

Value tilegpu::emitAxisPart(Emitter &emitter, const LinearLayout &layout,
                            Axis input, Value value, Axis output) {
  const Axis inputs[] = {input}, outputs[] = {output};
  LinearLayout part = layout.sublayout(inputs, outputs);
  if (!isUsed(part, input))
    return {};
  IndexEmitter builder{emitter};
  const layout::IndexInput<Value> given[] = {{input, value}};
  return layout::emitApply<IndexEmitter>(part, given, builder).front().second;
}

Value tilegpu::emitOwnerPredicate(Emitter &emitter,
                                  const LinearLayout &layout) {
  Value predicate;
  for (Axis input : {Axis(Axis::Lane), Axis(Axis::Warp)}) {
    uint64_t redundant = layout.redundantBits(input);
    if (!redundant)
      continue;
    Value index =
        input == Axis(Axis::Lane) ? emitter.laneId() : emitter.warpId();
    Value isOwner =
        emitter.equal(emitter.bitAnd(index, emitter.constant(redundant)),
                      emitter.constant(0));
    predicate = predicate ? emitter.bitAnd(predicate, isOwner) : isOwner;
  }
  return predicate;
}

unsigned tilegpu::countRegisters(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? 1u << toLinearLayout(tensor).inputBits(Axis::Register) : 1;
}

std::optional<SmallVector<unsigned>>
tilegpu::matchRegisters(const LinearLayout &source, const LinearLayout &result,
                        const LinearLayout &map) {
  LinearLayout wanted = result.compose(map);
  // A thread finds every element at home when lanes and warps stand for the
  // same coordinates on both sides...
  for (Axis axis : {Axis(Axis::Lane), Axis(Axis::Warp)}) {
    if (wanted.inputBits(axis) != source.inputBits(axis))
      return std::nullopt;
    for (unsigned bit = 0; bit < source.inputBits(axis); ++bit)
      for (const AxisBits &output : source.outputs())
        if (wanted.basis(axis, bit, output.axis) !=
            source.basis(axis, bit, output.axis))
          return std::nullopt;
  }
  // ... and its own registers reach what is left.
  std::vector<Axis> coordinates;
  for (const AxisBits &output : source.outputs())
    coordinates.push_back(output.axis);
  const Axis registerAxis[] = {Axis::Register};
  std::optional<LinearLayout> moves =
      wanted.sublayout(registerAxis, coordinates)
          .convertTo(source.sublayout(registerAxis, coordinates));
  if (!moves)
    return std::nullopt;
  SmallVector<unsigned> registers;
  unsigned count = 1u << result.inputBits(Axis::Register);
  for (unsigned index = 0; index < count; ++index)
    registers.push_back(registerPart(*moves, index, Axis::Register));
  return registers;
}

SmallVector<Value>
tilegpu::inlineScalarRegion(ConversionPatternRewriter &rewriter,
                            const TileGPUTypeConverter &converter,
                            Region &region, ValueRange arguments) {
  Block &body = region.front();
  IRMapping mapping;
  for (auto [parameter, argument] :
       llvm::zip_equal(body.getArguments(), arguments)) {
    // The clones still speak of tile types: pointers and small floats.
    Value value = argument;
    if (parameter.getType() != argument.getType())
      value = UnrealizedConversionCastOp::create(rewriter, argument.getLoc(),
                                                 parameter.getType(), argument)
                  .getResult(0);
    mapping.map(parameter, value);
  }
  for (Operation &op : body.without_terminator())
    rewriter.clone(op, mapping);
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands()) {
    Value result = mapping.lookupOrDefault(value);
    Type type = converter.convertElement(result.getType());
    if (type != result.getType())
      result = UnrealizedConversionCastOp::create(rewriter, result.getLoc(),
                                                  type, result)
                   .getResult(0);
    results.push_back(result);
  }
  return results;
}
