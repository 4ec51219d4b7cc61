// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/Functions/FunctionLibrary.h"

#include "mlir/IR/BuiltinOps.h"
#include "passes/TileGPUToLLVM/Functions/ErrorFunction.h"
#include "passes/TileGPUToLLVM/Functions/IRReal.h"
#include "passes/TileGPUToLLVM/Functions/Logarithm.h"
#include "passes/TileGPUToLLVM/Functions/Trigonometric.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::functions;

namespace {

template <Format format>
using Body = IRReal<format> (*)(ArrayRef<IRReal<format>>);

struct Function {
  StringLiteral name;
  unsigned arity;
  Body<Format::F32> ofF32;
  Body<Format::F64> ofF64;
};

/// One body for both formats.
template <typename Generic>
constexpr Function define(StringLiteral name, unsigned arity, Generic body) {
  return {name, arity, body, body};
}

} // namespace

static constexpr Function functionTable[] = {
    define("acos", 1, [](auto x) { return arccosine(x[0]); }),
    define("acosh", 1, [](auto x) { return inverseHyperbolicCosine(x[0]); }),
    define("asin", 1, [](auto x) { return arcsine(x[0]); }),
    define("asinh", 1, [](auto x) { return inverseHyperbolicSine(x[0]); }),
    define("atan", 1, [](auto x) { return arctangent(x[0]); }),
    define("atan2", 2, [](auto x) { return arctangent2(x[0], x[1]); }),
    define("atanh", 1, [](auto x) { return inverseHyperbolicTangent(x[0]); }),
    define("cbrt", 1, [](auto x) { return cubeRoot(x[0]); }),
    define("cos", 1, [](auto x) { return cosine(x[0]); }),
    define("cosh", 1, [](auto x) { return hyperbolicCosine(x[0]); }),
    define("cospi", 1, [](auto x) { return cosineOfTurns(x[0]); }),
    define("erf", 1, [](auto x) { return errorFunction(x[0]); }),
    define("erfc", 1, [](auto x) { return complementaryErrorFunction(x[0]); }),
    define("exp", 1, [](auto x) { return exponential(x[0]); }),
    define("exp10", 1, [](auto x) { return exponential10(x[0]); }),
    define("exp2", 1, [](auto x) { return exponential2(x[0]); }),
    define("expm1", 1, [](auto x) { return exponentialMinus1(x[0]); }),
    define("hypot", 2,
           [](auto x) { return norm(std::array{x[0], x[1]}, false); }),
    define("log", 1, [](auto x) { return logarithm(x[0]); }),
    define("log10", 1, [](auto x) { return logarithm10(x[0]); }),
    define("log1p", 1, [](auto x) { return logarithmPlus1(x[0]); }),
    define("log2", 1, [](auto x) { return logarithm2(x[0]); }),
    define("norm3d", 3,
           [](auto x) { return norm(std::array{x[0], x[1], x[2]}, false); }),
    define(
        "norm4d", 4,
        [](auto x) { return norm(std::array{x[0], x[1], x[2], x[3]}, false); }),
    define("pow", 2, [](auto x) { return power(x[0], x[1]); }),
    define("rcbrt", 1, [](auto x) { return 1.0 / cubeRoot(x[0]); }),
    define("rhypot", 2,
           [](auto x) { return norm(std::array{x[0], x[1]}, true); }),
    define("rnorm3d", 3,
           [](auto x) { return norm(std::array{x[0], x[1], x[2]}, true); }),
    define(
        "rnorm4d", 4,
        [](auto x) { return norm(std::array{x[0], x[1], x[2], x[3]}, true); }),
    define("rsqrt", 1, [](auto x) { return 1.0 / squareRoot(x[0]); }),
    define("sin", 1, [](auto x) { return sine(x[0]); }),
    define("sinh", 1, [](auto x) { return hyperbolicSine(x[0]); }),
    define("sinpi", 1, [](auto x) { return sineOfTurns(x[0]); }),
    define("tan", 1, [](auto x) { return tangent(x[0]); }),
    define("tanh", 1, [](auto x) { return hyperbolicTangent(x[0]); }),
};

static const Function *find(StringRef name) {
  for (const Function &function : functionTable)
    if (function.name == name)
      return &function;
  return nullptr;
}

std::optional<unsigned> functions::getArity(StringRef name) {
  const Function *function = find(name);
  return function ? std::optional<unsigned>(function->arity) : std::nullopt;
}

template <Format format>
static Value emitBody(const IRContext &context, Body<format> body,
                      ValueRange arguments) {
  SmallVector<IRReal<format>> numbers;
  for (Value argument : arguments)
    numbers.emplace_back(context, argument);
  return body(numbers).value;
}

/// The module's function, which is made where there is none yet.
static LLVM::LLVMFuncOp getFunction(ModuleOp module, const Function &function,
                                    Type type) {
  Format format = type.isF64() ? Format::F64 : Format::F32;
  std::string name = ("__tilewright_" + function.name +
                      (format == Format::F64 ? "_f64" : "_f32"))
                         .str();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder builder(module.getBodyRegion());
  Location location = UnknownLoc::get(module.getContext());
  SmallVector<Type> inputs(function.arity, type);
  auto made = LLVM::LLVMFuncOp::create(
      builder, location, name, LLVM::LLVMFunctionType::get(type, inputs),
      LLVM::Linkage::Internal);
  made.setAlwaysInline(true);
  builder.setInsertionPointToStart(made.addEntryBlock(builder));
  IRContext context = {builder, location, format};
  Value result =
      format == Format::F64
          ? emitBody<Format::F64>(context, function.ofF64, made.getArguments())
          : emitBody<Format::F32>(context, function.ofF32, made.getArguments());
  LLVM::ReturnOp::create(builder, location, result);
  return made;
}

Value functions::callFunction(OpBuilder &builder, Location location,
                              StringRef name, ValueRange operands) {
  const Function *function = find(name);
  assert(function && function->arity == operands.size());
  auto module = builder.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  return LLVM::CallOp::create(
             builder, location,
             getFunction(module, *function, operands.front().getType()),
             operands)
      .getResult();
}
