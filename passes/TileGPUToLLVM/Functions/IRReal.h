// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of Arithmetic.h as IR of the LLVM dialect: every operation is
// emitted where the builder stands.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_IRREAL_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_IRREAL_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "passes/TileGPUToLLVM/Functions/Arithmetic.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilewright::functions {

/// Where operations are emitted, and on what type.
struct IRContext {
  mlir::OpBuilder &builder;
  mlir::Location location;
  Format format;

  mlir::Type getRealType() const;
  mlir::Type getWordType() const;
  mlir::Value makeReal(double number) const;
  mlir::Value makeWord(uint64_t number) const;
};

class IRCondition {
public:
  IRCondition(const IRContext &context, mlir::Value value)
      : context(&context), value(value) {}

  friend IRCondition operator&&(IRCondition a, IRCondition b);
  friend IRCondition operator||(IRCondition a, IRCondition b);
  friend IRCondition operator!=(IRCondition a, IRCondition b);
  friend IRCondition operator==(IRCondition a, IRCondition b);
  friend IRCondition operator!(IRCondition a);

  const IRContext *context;
  mlir::Value value;
};

/// An integer of the format's width; comparisons and >> are unsigned.
class IRWord {
public:
  IRWord(const IRContext &context, mlir::Value value)
      : context(&context), value(value) {}

  friend IRWord operator+(IRWord a, IRWord b);
  friend IRWord operator-(IRWord a, IRWord b);
  friend IRWord operator*(IRWord a, IRWord b);
  friend IRWord operator/(IRWord a, unsigned b);
  friend IRWord operator&(IRWord a, IRWord b);
  friend IRWord operator|(IRWord a, IRWord b);
  friend IRWord operator<<(IRWord a, IRWord count);
  friend IRWord operator>>(IRWord a, IRWord count);
  friend IRWord operator<<(IRWord a, unsigned count);
  friend IRWord operator>>(IRWord a, unsigned count);
  friend IRCondition operator==(IRWord a, IRWord b);
  friend IRCondition operator!=(IRWord a, IRWord b);
  friend IRCondition operator<(IRWord a, IRWord b);
  friend IRCondition operator>(IRWord a, IRWord b);

  const IRContext *context;
  mlir::Value value;
};

/// Operations on values of the context's type.
mlir::Value emitFloat(const IRContext &context, llvm::StringRef name,
                      mlir::ValueRange operands);
mlir::Value emitIntrinsic(const IRContext &context, llvm::StringRef name,
                          mlir::ValueRange operands);
mlir::Value emitComparison(const IRContext &context,
                           mlir::LLVM::FCmpPredicate predicate, mlir::Value a,
                           mlir::Value b);

template <Format numberFormat>
class IRReal {
public:
  using Word = IRWord;
  using Condition = IRCondition;
  using Predicate = mlir::LLVM::FCmpPredicate;
  static constexpr Format format = numberFormat;

  IRReal(const IRContext &context, mlir::Value value)
      : context(&context), value(value) {}

  friend IRReal operator+(IRReal a, IRReal b) { return emit("fadd", a, b); }
  friend IRReal operator-(IRReal a, IRReal b) { return emit("fsub", a, b); }
  friend IRReal operator*(IRReal a, IRReal b) { return emit("fmul", a, b); }
  friend IRReal operator/(IRReal a, IRReal b) { return emit("fdiv", a, b); }
  friend IRReal operator+(IRReal a, double b) { return a + real(a, b); }
  friend IRReal operator-(IRReal a, double b) { return a - real(a, b); }
  friend IRReal operator*(IRReal a, double b) { return a * real(a, b); }
  friend IRReal operator+(double a, IRReal b) { return real(b, a) + b; }
  friend IRReal operator-(double a, IRReal b) { return real(b, a) - b; }
  friend IRReal operator*(double a, IRReal b) { return real(b, a) * b; }
  friend IRReal operator/(double a, IRReal b) { return real(b, a) / b; }
  friend IRReal operator-(IRReal a) {
    return {*a.context, emitFloat(*a.context, "fneg", a.value)};
  }

  friend IRCondition operator==(IRReal a, IRReal b) {
    return compare(Predicate::oeq, a, b);
  }
  friend IRCondition operator!=(IRReal a, IRReal b) {
    return compare(Predicate::une, a, b);
  }
  friend IRCondition operator<(IRReal a, IRReal b) {
    return compare(Predicate::olt, a, b);
  }
  friend IRCondition operator>(IRReal a, IRReal b) {
    return compare(Predicate::ogt, a, b);
  }
  friend IRCondition operator>=(IRReal a, IRReal b) {
    return compare(Predicate::oge, a, b);
  }
  friend IRCondition operator==(IRReal a, double b) { return a == real(a, b); }
  friend IRCondition operator<(IRReal a, double b) { return a < real(a, b); }
  friend IRCondition operator>(IRReal a, double b) { return a > real(a, b); }
  friend IRCondition operator>=(IRReal a, double b) { return a >= real(a, b); }

  friend IRReal real(IRReal like, double number) {
    return {*like.context, like.context->makeReal(number)};
  }
  friend IRWord word(IRReal like, uint64_t number) {
    return {*like.context, like.context->makeWord(number)};
  }
  friend IRReal fma(IRReal a, IRReal b, IRReal c) {
    return {*a.context,
            emitFloat(*a.context, "intr.fma", {a.value, b.value, c.value})};
  }
  friend IRReal approximateExp2(IRReal a) {
    static_assert(format == Format::F32);
    return {*a.context,
            emitIntrinsic(*a.context, "llvm.nvvm.ex2.approx.ftz.f32", a.value)};
  }
  friend IRReal approximateInverse(IRReal a) {
    static_assert(format == Format::F32);
    return {*a.context,
            emitIntrinsic(*a.context, "llvm.nvvm.rcp.approx.ftz.f", a.value)};
  }
  friend IRReal approximateInverseRoot(IRReal a) {
    static_assert(format == Format::F32);
    return {*a.context,
            emitIntrinsic(*a.context, "llvm.nvvm.rsqrt.approx.ftz.f", a.value)};
  }
  friend IRReal approximateLog2(IRReal a) {
    static_assert(format == Format::F32);
    return {*a.context,
            emitIntrinsic(*a.context, "llvm.nvvm.lg2.approx.ftz.f", a.value)};
  }
  friend IRReal squareRoot(IRReal a) {
    return {*a.context, emitFloat(*a.context, "intr.sqrt", a.value)};
  }
  friend IRReal absolute(IRReal a) {
    return {*a.context, emitFloat(*a.context, "intr.fabs", a.value)};
  }
  friend IRReal minimum(IRReal a, IRReal b) {
    return emit("intr.minnum", a, b);
  }
  friend IRReal maximum(IRReal a, IRReal b) {
    return emit("intr.maxnum", a, b);
  }
  friend IRReal select(IRCondition condition, IRReal a, IRReal b) {
    return {*a.context, mlir::LLVM::SelectOp::create(
                            a.context->builder, a.context->location,
                            condition.value, a.value, b.value)};
  }
  friend IRWord bitsOf(IRReal a) {
    return {*a.context, mlir::LLVM::BitcastOp::create(
                            a.context->builder, a.context->location,
                            a.context->getWordType(), a.value)};
  }
  friend IRReal fromBits(IRReal like, IRWord bits) {
    return {*like.context, mlir::LLVM::BitcastOp::create(
                               like.context->builder, like.context->location,
                               like.context->getRealType(), bits.value)};
  }
  /// `number`, which the format holds.
  friend IRReal toReal(IRWord number, IRReal like) {
    return {*like.context, mlir::LLVM::UIToFPOp::create(
                               like.context->builder, like.context->location,
                               like.context->getRealType(), number.value)};
  }

  const IRContext *context;
  mlir::Value value;

private:
  static IRReal emit(llvm::StringRef name, IRReal a, IRReal b) {
    return {*a.context, emitFloat(*a.context, name, {a.value, b.value})};
  }
  static IRCondition compare(Predicate predicate, IRReal a, IRReal b) {
    return {*a.context,
            emitComparison(*a.context, predicate, a.value, b.value)};
  }
};

IRWord select(IRCondition condition, IRWord a, IRWord b);
IRWord shiftArithmetic(IRWord a, unsigned count);
IRWord multiplyHigh(IRWord a, IRWord b);
/// `a` is not 0.
IRWord countLeadingZeros(IRWord a);
IRWord lookUp(IRWord index, llvm::ArrayRef<uint64_t> table);

/// The type of a structure of so many reals.
mlir::LLVM::LLVMStructType getStructureType(mlir::Type real, unsigned count);

/// The structure of values of the context's type.
mlir::Value makeStructure(const IRContext &context,
                          llvm::ArrayRef<mlir::Value> values);

/// Emits `first` and `second` in blocks of their own.
void emitBranch(IRCondition condition,
                llvm::function_ref<std::array<mlir::Value, 3>()> first,
                llvm::function_ref<std::array<mlir::Value, 3>()> second,
                std::array<mlir::Value, 3> &results);

/// Calls the module's function `__tilewright_NAME_fBITS`, which is made of
/// `body` where there is none yet: a real number to three. Its attribute `cold`
/// leaves it to the optimizer whether it is copied to each call.
std::array<mlir::Value, 3>
emitRareCall(const IRContext &context, llvm::StringRef name,
             mlir::Value operand,
             llvm::function_ref<std::array<mlir::Value, 3>(const IRContext &,
                                                           mlir::Value)>
                 body);

/// Emits a loop around `step` while `condition` of its values is true.
void emitLoop(
    const IRContext &context, llvm::SmallVectorImpl<mlir::Value> &values,
    llvm::function_ref<mlir::Value(mlir::ValueRange)> condition,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)> step);

template <Format format, size_t count, typename Condition, typename Step>
std::array<IRReal<format>, count>
iterate(std::array<IRReal<format>, count> numbers, Condition condition,
        Step step) {
  const IRContext &context = *numbers[0].context;
  auto toNumbers = [&](mlir::ValueRange values) {
    std::array<IRReal<format>, count> made = numbers;
    for (size_t index = 0; index < count; ++index)
      made[index].value = values[index];
    return made;
  };
  auto toValues = [](const std::array<IRReal<format>, count> &made) {
    llvm::SmallVector<mlir::Value> values;
    for (const IRReal<format> &number : made)
      values.push_back(number.value);
    return values;
  };
  llvm::SmallVector<mlir::Value> values = toValues(numbers);
  emitLoop(
      context, values,
      [&](mlir::ValueRange state) { return condition(toNumbers(state)).value; },
      [&](mlir::ValueRange state) { return toValues(step(toNumbers(state))); });
  return toNumbers(values);
}

template <Format format, typename Body>
std::array<IRReal<format>, 3> callRarely(llvm::StringRef name,
                                         IRReal<format> operand, Body body) {
  const IRContext &context = *operand.context;
  auto emitBody = [&](const IRContext &inner, mlir::Value argument) {
    auto numbers = body(IRReal<format>(inner, argument));
    return std::array<mlir::Value, 3>{numbers[0].value, numbers[1].value,
                                      numbers[2].value};
  };
  auto results = emitRareCall(context, name, operand.value, emitBody);
  return {
      {{context, results[0]}, {context, results[1]}, {context, results[2]}}};
}

template <typename First, typename Second>
auto branch(IRCondition condition, First first, Second second)
    -> decltype(first()) {
  auto values = [](auto &&function) {
    auto numbers = function();
    return std::array<mlir::Value, 3>{numbers[0].value, numbers[1].value,
                                      numbers[2].value};
  };
  std::array<mlir::Value, 3> results;
  emitBranch(
      condition, [&]() { return values(first); },
      [&]() { return values(second); }, results);
  const IRContext &context = *condition.context;
  return {
      {{context, results[0]}, {context, results[1]}, {context, results[2]}}};
}

} // namespace tilewright::functions

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_FUNCTIONS_IRREAL_H
