// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/Functions/IRReal.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::functions;

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

static unsigned getWidth(const IRContext &context) {
  return context.format == Format::F64 ? 64 : 32;
}

Type IRContext::getRealType() const {
  return format == Format::F64 ? Type(builder.getF64Type())
                               : Type(builder.getF32Type());
}

Type IRContext::getWordType() const {
  return builder.getIntegerType(getWidth(*this));
}

Value IRContext::makeReal(double number) const {
  Type type = getRealType();
  return LLVM::ConstantOp::create(builder, location, type,
                                  builder.getFloatAttr(type, number));
}

Value IRContext::makeWord(uint64_t number) const {
  unsigned width = getWidth(*this);
  APInt bits(width, number, /*isSigned=*/false, /*implicitTrunc=*/true);
  return LLVM::ConstantOp::create(builder, location, getWordType(),
                                  builder.getIntegerAttr(getWordType(), bits));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Value functions::emitFloat(const IRContext &context, StringRef name,
                           ValueRange operands) {
  OperationState state(context.location, ("llvm." + name).str(), operands,
                       {context.getRealType()});
  return context.builder.create(state)->getResult(0);
}

Value functions::emitIntrinsic(const IRContext &context, StringRef name,
                               ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(
             context.builder, context.location, operands[0].getType(),
             context.builder.getStringAttr(name), operands)
      .getResult(0);
}

Value functions::emitComparison(const IRContext &context,
                                LLVM::FCmpPredicate predicate, Value a,
                                Value b) {
  return LLVM::FCmpOp::create(context.builder, context.location, predicate, a,
                              b);
}

template <typename OpT>
static Value emit(const IRContext *context, Value a, Value b) {
  return OpT::create(context->builder, context->location, a, b);
}

namespace tilewright::functions {

IRCondition operator&&(IRCondition a, IRCondition b) {
  return {*a.context, emit<LLVM::AndOp>(a.context, a.value, b.value)};
}
IRCondition operator||(IRCondition a, IRCondition b) {
  return {*a.context, emit<LLVM::OrOp>(a.context, a.value, b.value)};
}
IRCondition operator!=(IRCondition a, IRCondition b) {
  return {*a.context, emit<LLVM::XOrOp>(a.context, a.value, b.value)};
}
IRCondition operator==(IRCondition a, IRCondition b) { return !(a != b); }
IRCondition operator!(IRCondition a) {
  Value one = LLVM::ConstantOp::create(a.context->builder, a.context->location,
                                       a.context->builder.getI1Type(), 1);
  return {*a.context, emit<LLVM::XOrOp>(a.context, a.value, one)};
}

IRWord operator+(IRWord a, IRWord b) {
  return {*a.context, emit<LLVM::AddOp>(a.context, a.value, b.value)};
}
IRWord operator-(IRWord a, IRWord b) {
  return {*a.context, emit<LLVM::SubOp>(a.context, a.value, b.value)};
}
IRWord operator*(IRWord a, IRWord b) {
  return {*a.context, emit<LLVM::MulOp>(a.context, a.value, b.value)};
}
IRWord operator/(IRWord a, unsigned b) {
  return {*a.context,
          emit<LLVM::UDivOp>(a.context, a.value, a.context->makeWord(b))};
}
IRWord operator&(IRWord a, IRWord b) {
  return {*a.context, emit<LLVM::AndOp>(a.context, a.value, b.value)};
}
IRWord operator|(IRWord a, IRWord b) {
  return {*a.context, emit<LLVM::OrOp>(a.context, a.value, b.value)};
}
IRWord operator<<(IRWord a, IRWord count) {
  return {*a.context, emit<LLVM::ShlOp>(a.context, a.value, count.value)};
}
IRWord operator>>(IRWord a, IRWord count) {
  return {*a.context, emit<LLVM::LShrOp>(a.context, a.value, count.value)};
}
IRWord operator<<(IRWord a, unsigned count) {
  return a << IRWord(*a.context, a.context->makeWord(count));
}
IRWord operator>>(IRWord a, unsigned count) {
  return a >> IRWord(*a.context, a.context->makeWord(count));
}

static IRCondition compare(LLVM::ICmpPredicate predicate, IRWord a, IRWord b) {
  return {*a.context,
          LLVM::ICmpOp::create(a.context->builder, a.context->location,
                               predicate, a.value, b.value)};
}
IRCondition operator==(IRWord a, IRWord b) {
  return compare(LLVM::ICmpPredicate::eq, a, b);
}
IRCondition operator!=(IRWord a, IRWord b) {
  return compare(LLVM::ICmpPredicate::ne, a, b);
}
IRCondition operator<(IRWord a, IRWord b) {
  return compare(LLVM::ICmpPredicate::ult, a, b);
}
IRCondition operator>(IRWord a, IRWord b) {
  return compare(LLVM::ICmpPredicate::ugt, a, b);
}

} // namespace tilewright::functions

IRWord functions::select(IRCondition condition, IRWord a, IRWord b) {
  return {*a.context,
          LLVM::SelectOp::create(a.context->builder, a.context->location,
                                 condition.value, a.value, b.value)};
}

IRWord functions::shiftArithmetic(IRWord a, unsigned count) {
  return {*a.context,
          emit<LLVM::AShrOp>(a.context, a.value, a.context->makeWord(count))};
}

IRWord functions::multiplyHigh(IRWord a, IRWord b) {
  bool isWide = a.context->format == Format::F64;
  return {*a.context,
          emitIntrinsic(*a.context,
                        isWide ? "llvm.nvvm.mulhi.ull" : "llvm.nvvm.mulhi.ui",
                        {a.value, b.value})};
}

IRWord functions::countLeadingZeros(IRWord a) {
  const IRContext &context = *a.context;
  return {context, LLVM::CountLeadingZerosOp::create(
                       context.builder, context.location, context.getWordType(),
                       a.value, /*is_zero_poison=*/true)};
}

//===----------------------------------------------------------------------===//
// Tables, branches and calls
//===----------------------------------------------------------------------===//

/// A table in global memory that holds these words.
static LLVM::GlobalOp getTable(const IRContext &context,
                               ArrayRef<uint64_t> table) {
  auto module =
      context.builder.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  std::string name =
      "__tilewright_two_over_pi_" + std::to_string(getWidth(context));
  if (auto global = module.lookupSymbol<LLVM::GlobalOp>(name))
    return global;
  OpBuilder builder(module.getBodyRegion());
  SmallVector<APInt> words;
  for (uint64_t word : table)
    words.emplace_back(getWidth(context), word);
  Type element = context.getWordType();
  auto values = DenseElementsAttr::get(
      RankedTensorType::get({int64_t(words.size())}, element), words);
  // Address space 1: global memory.
  return LLVM::GlobalOp::create(builder, context.location,
                                LLVM::LLVMArrayType::get(element, words.size()),
                                /*isConstant=*/true, LLVM::Linkage::Internal,
                                name, values, /*alignment=*/16, 1);
}

IRWord functions::lookUp(IRWord index, ArrayRef<uint64_t> table) {
  const IRContext &context = *index.context;
  LLVM::GlobalOp global = getTable(context, table);
  Value base =
      LLVM::AddressOfOp::create(context.builder, context.location, global);
  Value place = LLVM::GEPOp::create(context.builder, context.location,
                                    base.getType(), context.getWordType(), base,
                                    ArrayRef<LLVM::GEPArg>{index.value});
  return {context, LLVM::LoadOp::create(context.builder, context.location,
                                        context.getWordType(), place)};
}

LLVM::LLVMStructType functions::getStructureType(Type real, unsigned count) {
  return LLVM::LLVMStructType::getLiteral(real.getContext(),
                                          SmallVector<Type>(count, real));
}

Value functions::makeStructure(const IRContext &context,
                               ArrayRef<Value> values) {
  Value structure = LLVM::UndefOp::create(
      context.builder, context.location,
      getStructureType(context.getRealType(), values.size()));
  for (auto [index, value] : llvm::enumerate(values))
    structure = LLVM::InsertValueOp::create(context.builder, context.location,
                                            structure, value, index);
  return structure;
}

void functions::emitBranch(IRCondition condition,
                           function_ref<std::array<Value, 3>()> first,
                           function_ref<std::array<Value, 3>()> second,
                           std::array<Value, 3> &results) {
  const IRContext &context = *condition.context;
  OpBuilder &builder = context.builder;
  Region *region = builder.getBlock()->getParent();
  Block *blocks[] = {new Block, new Block, new Block};
  for (Block *block : blocks)
    region->push_back(block);
  Block *join = blocks[2];
  LLVM::CondBrOp::create(builder, context.location, condition.value, blocks[0],
                         blocks[1]);
  auto emitPart = [&](Block *block, function_ref<std::array<Value, 3>()> part) {
    builder.setInsertionPointToEnd(block);
    std::array<Value, 3> values = part();
    LLVM::BrOp::create(builder, context.location, values, join);
  };
  emitPart(blocks[0], first);
  emitPart(blocks[1], second);
  builder.setInsertionPointToEnd(join);
  for (Value &result : results)
    result = join->addArgument(context.getRealType(), context.location);
}

/// The module's function of `body`, from a real number to a structure of three.
static LLVM::LLVMFuncOp getRareFunction(
    const IRContext &context, StringRef name,
    function_ref<std::array<Value, 3>(const IRContext &, Value)> body) {
  auto module =
      context.builder.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  std::string symbol =
      ("__tilewright_" + name + "_f" + Twine(getWidth(context))).str();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol))
    return known;
  OpBuilder builder(module.getBodyRegion());
  Type real = context.getRealType();
  Type three = getStructureType(real, 3);
  auto made = LLVM::LLVMFuncOp::create(builder, context.location, symbol,
                                       LLVM::LLVMFunctionType::get(three, real),
                                       LLVM::Linkage::Internal);
  made.setPassthroughAttr(builder.getStrArrayAttr({"cold"}));
  builder.setInsertionPointToStart(made.addEntryBlock(builder));
  IRContext inner = {builder, context.location, context.format};
  Value result = makeStructure(inner, body(inner, made.getArgument(0)));
  LLVM::ReturnOp::create(builder, context.location, result);
  return made;
}

std::array<Value, 3> functions::emitRareCall(
    const IRContext &context, StringRef name, Value operand,
    function_ref<std::array<Value, 3>(const IRContext &, Value)> body) {
  Value result =
      LLVM::CallOp::create(context.builder, context.location,
                           getRareFunction(context, name, body), operand)
          .getResult();
  std::array<Value, 3> numbers;
  for (auto [index, number] : llvm::enumerate(numbers))
    number = LLVM::ExtractValueOp::create(context.builder, context.location,
                                          result, index);
  return numbers;
}

void functions::emitLoop(const IRContext &context,
                         SmallVectorImpl<Value> &values,
                         function_ref<Value(ValueRange)> condition,
                         function_ref<SmallVector<Value>(ValueRange)> step) {
  OpBuilder &builder = context.builder;
  Region *region = builder.getBlock()->getParent();
  Block *head = new Block, *body = new Block, *exit = new Block;
  for (Block *block : {head, body, exit})
    region->push_back(block);
  LLVM::BrOp::create(builder, context.location, values, head);
  for (Value &value : values)
    value = head->addArgument(value.getType(), context.location);
  builder.setInsertionPointToEnd(head);
  LLVM::CondBrOp::create(builder, context.location, condition(values), body,
                         exit);
  builder.setInsertionPointToEnd(body);
  SmallVector<Value> next = step(values);
  LLVM::BrOp::create(builder, context.location, next, head);
  builder.setInsertionPointToEnd(exit);
}
