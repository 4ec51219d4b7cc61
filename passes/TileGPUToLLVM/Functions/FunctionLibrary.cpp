// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/Functions/FunctionLibrary.h"

#include "mlir/IR/BuiltinOps.h"
#include "passes/TileGPUToLLVM/Functions/IRReal.h"

// Behind the numbers that they are templates of.
#include "passes/TileGPUToLLVM/Functions/Bessel.h"
#include "passes/TileGPUToLLVM/Functions/GammaFunction.h"
#include "passes/TileGPUToLLVM/Functions/IntegerExponent.h"
#include "passes/TileGPUToLLVM/Functions/NormalDistribution.h"
#include "passes/TileGPUToLLVM/Functions/Trigonometric.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::functions;

namespace {

template <Format format>
using Body = Value (*)(ArrayRef<IRReal<format>>, ArrayRef<IRWord>);

struct Function {
  StringLiteral name;
  /// As getSignature gives it; p for a structure of two reals.
  StringLiteral signature;
  /// Null where the function is computed in f64 alone.
  Body<Format::F32> ofF32;
  Body<Format::F64> ofF64;
};

template <typename Number>
Value toValue(Number number) {
  return number.value;
}
template <typename Real>
Value toValue(Pair<Real> pair) {
  return makeStructure(*pair.high.context, {pair.high.value, pair.low.value});
}

template <Format format, typename Generic>
constexpr Body<format> makeBody(Generic) {
  return [](ArrayRef<IRReal<format>> x, ArrayRef<IRWord> n) {
    if constexpr (std::is_invocable_v<Generic, ArrayRef<IRReal<format>>>)
      return toValue(Generic()(x));
    else
      return toValue(Generic()(x, n));
  };
}

/// One body for both formats, on real operands `x` and, if it takes them,
/// integers `n`.
template <typename Generic>
constexpr Function define(StringLiteral name, StringLiteral signature,
                          Generic body) {
  return {name, signature, makeBody<Format::F32>(body),
          makeBody<Format::F64>(body)};
}
template <typename Generic>
constexpr Function define(StringLiteral name, unsigned arity, Generic body) {
  constexpr StringLiteral signatures[] = {"r", "rr", "rrr", "rrrr", "rrrrr"};
  return define(name, signatures[arity], body);
}

/// A body for f64, which serves f32 too: its results are rounded.
template <typename Generic>
constexpr Function defineWide(StringLiteral name, StringLiteral signature,
                              Generic body) {
  return {name, signature, nullptr, makeBody<Format::F64>(body)};
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
    define("sincos", "pr", [](auto x) { return sineAndCosine(x[0]); }),
    define("sinh", 1, [](auto x) { return hyperbolicSine(x[0]); }),
    define("sinpi", 1, [](auto x) { return sineOfTurns(x[0]); }),
    define("tan", 1, [](auto x) { return tangent(x[0]); }),
    define("tanh", 1, [](auto x) { return hyperbolicTangent(x[0]); }),

    // Exact, and powers of integers.
    define("fmod", 2, [](auto x) { return truncatedRemainder(x[0], x[1]); }),
    define("ilogb", "ir", [](auto x) { return exponentAsInteger(x[0]); }),
    define("ldexp", "rri",
           [](auto x, auto n) { return scaleByInteger(x[0], n[0]); }),
    define("logb", 1, [](auto x) { return exponentAsReal(x[0]); }),
    define("nextafter", 2, [](auto x) { return nextAfter(x[0], x[1]); }),
    define("powi", "rri",
           [](auto x, auto n) { return integerPower(x[0], n[0]); }),
    define("remainder", 2, [](auto x) { return nearestRemainder(x[0], x[1]); }),
    define("scalbn", "rri",
           [](auto x, auto n) { return scaleByInteger(x[0], n[0]); }),

    // In f64.
    defineWide("cyl_bessel_i0", "rr", [](auto x) { return besselI(x[0], 0); }),
    defineWide("cyl_bessel_i1", "rr", [](auto x) { return besselI(x[0], 1); }),
    defineWide("erfcinv", "rr",
               [](auto x) { return inverseComplementaryErrorFunction(x[0]); }),
    defineWide("erfcx", "rr",
               [](auto x) { return scaledComplementaryErrorFunction(x[0]); }),
    defineWide("erfinv", "rr",
               [](auto x) { return inverseErrorFunction(x[0]); }),
    defineWide("j0", "rr", [](auto x) { return besselJ(x[0], 0); }),
    defineWide("j1", "rr", [](auto x) { return besselJ(x[0], 1); }),
    defineWide("jn", "rir", [](auto x, auto n) { return besselJ(n[0], x[0]); }),
    defineWide("lgamma", "rr", [](auto x) { return logGammaFunction(x[0]); }),
    defineWide("normcdf", "rr", [](auto x) { return normalProbability(x[0]); }),
    defineWide("normcdfinv", "rr", [](auto x) { return normalQuantile(x[0]); }),
    defineWide("tgamma", "rr", [](auto x) { return gammaFunction(x[0]); }),
    defineWide("y0", "rr", [](auto x) { return besselY(x[0], 0); }),
    defineWide("y1", "rr", [](auto x) { return besselY(x[0], 1); }),
    defineWide("yn", "rir", [](auto x, auto n) { return besselY(n[0], x[0]); }),
};

static const Function *find(StringRef name) {
  for (const Function &function : functionTable)
    if (function.name == name)
      return &function;
  return nullptr;
}

StringRef functions::getSignature(StringRef name) {
  const Function *function = find(name);
  if (!function || function->signature.front() == 'p')
    return {};
  return function->signature;
}

//===----------------------------------------------------------------------===//
// Functions of a module
//===----------------------------------------------------------------------===//

/// Emits what is done to the function's own arguments.
template <Format format>
static Value emitBody(const IRContext &context, Body<format> body,
                      ValueRange arguments) {
  SmallVector<IRReal<format>> numbers;
  SmallVector<IRWord> words;
  for (Value argument : arguments)
    if (isa<FloatType>(argument.getType()))
      numbers.emplace_back(context, argument);
    else
      words.emplace_back(
          context, format == Format::F64
                       ? LLVM::SExtOp::create(context.builder, context.location,
                                              context.getWordType(), argument)
                             .getResult()
                       : argument);
  return body(numbers, words);
}

/// Calls the function of f64 and rounds what it gives.
static Value emitWide(OpBuilder &builder, Location location,
                      const Function &function, ValueRange arguments) {
  Type wide = builder.getF64Type();
  SmallVector<Value> operands;
  for (Value argument : arguments)
    operands.push_back(
        isa<FloatType>(argument.getType())
            ? LLVM::FPExtOp::create(builder, location, wide, argument)
                  .getResult()
            : argument);
  Value result =
      functions::callFunction(builder, location, function.name, operands);
  return LLVM::FPTruncOp::create(builder, location, builder.getF32Type(),
                                 result);
}

static Value emitFunction(OpBuilder &builder, Location location,
                          const Function &function, Type real,
                          ValueRange arguments) {
  Format format = real.isF64() ? Format::F64 : Format::F32;
  if (format == Format::F32 && !function.ofF32)
    return emitWide(builder, location, function, arguments);
  IRContext context = {builder, location, format};
  Value result =
      format == Format::F64
          ? emitBody<Format::F64>(context, function.ofF64, arguments)
          : emitBody<Format::F32>(context, function.ofF32, arguments);
  if (function.signature.front() == 'i' && format == Format::F64)
    return LLVM::TruncOp::create(builder, location, builder.getI32Type(),
                                 result);
  return result;
}

/// The module's function on reals of type `real`, which is made where there is
/// none yet.
static LLVM::LLVMFuncOp getFunction(ModuleOp module, const Function &function,
                                    Type real) {
  std::string name =
      ("__tilewright_" + function.name + (real.isF64() ? "_f64" : "_f32"))
          .str();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder builder(module.getBodyRegion());
  Location location = UnknownLoc::get(module.getContext());
  SmallVector<Type> types;
  for (char letter : function.signature)
    types.push_back(letter == 'r'   ? real
                    : letter == 'p' ? Type(getStructureType(real, 2))
                                    : builder.getI32Type());
  auto type = LLVM::LLVMFunctionType::get(types.front(),
                                          ArrayRef<Type>(types).drop_front());
  auto made = LLVM::LLVMFuncOp::create(builder, location, name, type,
                                       LLVM::Linkage::Internal);
  made.setAlwaysInline(true);
  builder.setInsertionPointToStart(made.addEntryBlock(builder));
  Value result =
      emitFunction(builder, location, function, real, made.getArguments());
  LLVM::ReturnOp::create(builder, location, result);
  return made;
}

Value functions::callFunction(OpBuilder &builder, Location location,
                              StringRef name, ValueRange operands) {
  const Function *function = find(name);
  assert(function && function->signature.size() == operands.size() + 1);
  auto module = builder.getBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto real = llvm::find_if(operands.getTypes(), llvm::IsaPred<FloatType>);
  return LLVM::CallOp::create(builder, location,
                              getFunction(module, *function, *real), operands)
      .getResult();
}
