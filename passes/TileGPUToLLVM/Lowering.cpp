// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type conversion and the questions about registers and threads that all
// families of ops ask.

#include "passes/TileGPUToLLVM/Lowering.h"

#include "dialects/Layout/Conversion.h"
#include "dialects/Layout/IndexArithmetic.h"
#include "dialects/TileGPU/RegisterMaps.h"
#include "mlir/IR/IRMapping.h"
#include "passes/TileGPUToLLVM/Pointers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;

LogicalResult tilegpu::verifyCapability(Operation *op,
                                        const target::Target &target,
                                        target::Capability capability) {
  if (target.has(capability))
    return success();
  return op->emitOpError("expects a target with ")
         << StringRef(target::capabilityName(capability)) << ", but got "
         << StringRef(target.name);
}

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
  // The address of a parameter.
  addConversion([](TensorMapType type) -> Type {
    return LLVM::LLVMPointerType::get(type.getContext());
  });
  addConversion([](NamedBarrierType type) -> Type {
    return IntegerType::get(type.getContext(), 32);
  });
  addConversion([](FloatType type) -> std::optional<Type> {
    if (type.getWidth() != 8)
      return std::nullopt;
    return IntegerType::get(type.getContext(), 8);
  });
  // What tf32 cuts off is 0 there.
  addConversion([](FloatTF32Type type) -> Type {
    return Float32Type::get(type.getContext());
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
  addConversion([this](PendingType type, SmallVectorImpl<Type> &results) {
    return convertType(type.getTensor(), results);
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

void tilegpu::emitIf(ConversionPatternRewriter &rewriter, Location location,
                     Value predicate, function_ref<void()> body) {
  if (!predicate)
    return body();
  Block *head = rewriter.getInsertionBlock();
  Block *rest = rewriter.splitBlock(head, rewriter.getInsertionPoint());
  Block *inner = rewriter.createBlock(rest);
  rewriter.setInsertionPointToEnd(head);
  LLVM::CondBrOp::create(rewriter, location, predicate, inner, rest);
  rewriter.setInsertionPointToEnd(inner);
  body();
  LLVM::BrOp::create(rewriter, location, ValueRange(), rest);
  rewriter.setInsertionPointToStart(rest);
}

unsigned tilegpu::countRegisters(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 1;
  return 1u << getRegisterMap(tensor, getRegisterLayout(tensor))
                   .inputBits(Axis::Register);
}

std::optional<SmallVector<unsigned>>
tilegpu::matchRegisters(const LinearLayout &source, const LinearLayout &result,
                        const LinearLayout &map) {
  LinearLayout wanted = result.compose(map);
  // A thread finds every element at home when lanes and warps stand for the
  // same coordinates on both sides...
  if (!layout::haveSameThreads(source, wanted))
    return std::nullopt;
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
