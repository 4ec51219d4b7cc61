// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/Emitter.h"

#include "dialects/TileGPU/Agents.h"
#include "mlir/IR/Matchers.h"
#include "passes/TileGPUToLLVM/VectorParts.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

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

Value Emitter::selectByBits(SmallVector<Value> values, Value number,
                            ArrayRef<unsigned> bits) {
  for (unsigned bit : bits) {
    Value isClear =
        equal(bitAnd(number, constant(int64_t(1) << bit)), constant(0));
    for (size_t pair = 0; pair < values.size() / 2; ++pair)
      values[pair] = select(isClear, values[2 * pair], values[2 * pair + 1]);
    values.truncate(values.size() / 2);
  }
  return values.front();
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
  std::optional<VectorPart> first = findVectorPart(values.front());
  for (auto [index, value] : llvm::enumerate(values)) {
    std::optional<VectorPart> part = findVectorPart(value);
    if (!part || part->vector != first->vector ||
        part->number != first->number + index)
      return {};
  }
  Value vector = first->vector;
  int64_t count = values.size();
  if (cast<VectorType>(vector.getType()).getNumElements() == count)
    return vector;
  SmallVector<int32_t> positions =
      llvm::to_vector(llvm::seq<int32_t>(first->number, first->number + count));
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
  std::optional<Agent> agent =
      lookupAgent(builder.getInsertionBlock()->getParent());
  return addConstant(threadInCta(),
                     agent ? -32 * int64_t(agent->firstWarp) : 0);
}

Value Emitter::laneId() { return bitAnd(threadInCta(), constant(31)); }

Value Emitter::threadInCta() {
  return NVVM::ThreadIdXOp::create(builder, location, builder.getI32Type());
}

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

SmallVector<Value> tilegpu::loadElements(Emitter &emitter, Value address,
                                         unsigned count, Type type,
                                         unsigned elementBits) {
  OpBuilder &builder = emitter.builder;
  unsigned bits = count * elementBits;
  Type packed = bits <= 32 || count == 1
                    ? Type(builder.getIntegerType(bits))
                    : VectorType::get(bits / 32, builder.getI32Type());
  Value loaded = LLVM::LoadOp::create(builder, emitter.location, packed,
                                      address, /*alignment=*/bits / 8);
  return unpackElements(emitter, loaded, count, type, elementBits);
}
