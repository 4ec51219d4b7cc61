// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of floats: their errors on the host, over arguments of all
// exponents, and that compiled code gives the same bits on every target.

#include "test/Unit/Numeric/FunctionTable.h"
#include "test/Unit/Numeric/HostReal.h"
#include "test/Unit/Numeric/NumericTest.h"

#include <bit>
#include <cmath>
#include <random>

using namespace tilewright;
using namespace tilewright::numeric;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// The distance in units in the last place of a number near `exact`; where one
/// of them is not finite, 0 if they agree and infinity otherwise.
template <typename Number>
static double getError(Number actual, long double exact) {
  using Limits = std::numeric_limits<Number>;
  if (std::isnan(exact) || std::isnan(actual))
    return std::isnan(exact) == std::isnan(actual) ? 0 : INFINITY;
  if (exact == 0 || actual == 0) {
    if (std::signbit(exact) != std::signbit(actual))
      return INFINITY;
  }
  long double largest = Limits::max();
  if (std::isinf(actual) || std::fabs(exact) > largest) {
    // Near the largest number a unit makes it infinite.
    long double most = largest * (1 + 2 * (long double)Limits::epsilon());
    long double held =
        std::isinf(actual) ? std::copysign(most, actual) : (long double)actual;
    long double wanted =
        std::fabs(exact) > most ? std::copysign(most, exact) : exact;
    return std::fabs(held - wanted) / (largest * Limits::epsilon() / 2);
  }
  int exponent;
  std::frexp(exact, &exponent);
  int least = Limits::min_exponent - Limits::digits;
  long double unit =
      std::ldexp(1.0L, std::max(exponent - Limits::digits, least));
  return std::fabs((long double)actual - exact) / unit;
}

template <typename Number>
static const std::vector<Number> &getSpecials() {
  using Limits = std::numeric_limits<Number>;
  static const std::vector<Number> specials = [] {
    std::vector<Number> numbers;
    for (double number :
         {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 10.0, 88.5, 88.73, 88.75, 709.5, 709.79,
          745.0, 0x1p23, 0x1p24, 0x1p52, 0x1p53})
      numbers.push_back(Number(number));
    for (Number number : {Limits::infinity(), Limits::quiet_NaN(),
                          Limits::max(), Limits::min(), Limits::denorm_min()})
      numbers.push_back(number);
    for (size_t index = 0, count = numbers.size(); index < count; ++index)
      numbers.push_back(-numbers[index]);
    return numbers;
  }();
  return specials;
}

/// Specials, codes of all exponents, and numbers that the functions tell apart.
template <typename Number>
static std::vector<Number> makeArguments(size_t count, uint64_t seed) {
  using Code = std::conditional_t<sizeof(Number) == 8, uint64_t, uint32_t>;
  std::mt19937_64 generator(seed);
  std::vector<Number> numbers = getSpecials<Number>();
  while (numbers.size() < count) {
    numbers.push_back(std::bit_cast<Number>(Code(generator())));
    int exponent = int(generator() % 40) - 30;
    Number number = std::ldexp(
        Number(1) + Number(generator() >> 11) * Number(0x1p-53), exponent / 4);
    numbers.push_back(generator() % 2 ? number : -number);
  }
  return numbers;
}

template <typename Number>
static void expectErrors(const UnaryFunction &function,
                         Number (*compute)(Number), double bound) {
  double worst = 0;
  Number at = 0;
  for (Number x : makeArguments<Number>(300000, 3)) {
    double error = getError(compute(x), function.exact(x));
    if (std::fabs(compute(x) - function.exact(x)) < function.absoluteBound)
      continue;
    if (error > worst) {
      worst = error;
      at = x;
    }
  }
  EXPECT_LE(worst, bound) << function.name << " of " << sizeof(Number)
                          << " bytes at " << std::hexfloat << at << ": "
                          << compute(at) << " for " << function.exact(at);
}

/// Whether the hardware's approximations show in what `function` gives.
static bool usesApproximations(const UnaryFunction &function) {
  std::vector<float> arguments = makeArguments<float>(2000, 4);
  auto computeAll = [&](double error) {
    functions::approximationError = error;
    std::vector<uint32_t> codes;
    for (float x : arguments)
      codes.push_back(std::bit_cast<uint32_t>(function.ofFloat(x)));
    functions::approximationError = 0;
    return codes;
  };
  return computeAll(-1) != computeAll(1);
}

TEST(FunctionErrors, Unary) {
  for (const UnaryFunction &function : getUnaryFunctions()) {
    expectErrors(function, function.ofFloat, function.floatBound);
    expectErrors(function, function.ofDouble, function.doubleBound);
    if (!usesApproximations(function))
      continue;
    for (double error : {-1.0, 1.0}) {
      functions::approximationError = error;
      expectErrors(function, function.ofFloat, function.floatBound);
    }
    functions::approximationError = 0;
  }
}

template <typename Number>
static void expectErrors(const BinaryFunction &function,
                         Number (*compute)(Number, Number), double bound) {
  std::vector<std::pair<Number, Number>> arguments;
  for (Number x : getSpecials<Number>())
    for (Number y : getSpecials<Number>())
      arguments.push_back({x, y});
  std::vector<Number> first = makeArguments<Number>(200000, 5);
  std::vector<Number> second = makeArguments<Number>(200000, 6);
  for (size_t index = 0; index < first.size(); ++index)
    arguments.push_back({first[index], second[index]});
  double worst = 0;
  std::pair<Number, Number> at;
  for (auto [x, y] : arguments) {
    double error = getError(compute(x, y), function.exact(x, y));
    if (error > worst) {
      worst = error;
      at = {x, y};
    }
  }
  EXPECT_LE(worst, bound) << function.name << " of " << sizeof(Number)
                          << " bytes at " << std::hexfloat << at.first << ", "
                          << at.second << ": " << compute(at.first, at.second)
                          << " for " << function.exact(at.first, at.second);
}

TEST(FunctionErrors, Binary) {
  for (const BinaryFunction &function : getBinaryFunctions()) {
    expectErrors(function, function.ofFloat, function.floatBound);
    expectErrors(function, function.ofDouble, function.doubleBound);
  }
}

//===----------------------------------------------------------------------===//
// Compiled code
//===----------------------------------------------------------------------===//

namespace {

template <typename Number>
Bits toBits(const std::vector<Number> &numbers) {
  using Code = std::conditional_t<sizeof(Number) == 8, uint64_t, uint32_t>;
  Bits bits;
  for (Number number : numbers)
    bits.push_back(std::bit_cast<Code>(number));
  return bits;
}

class CompiledFunctionTest : public NumericTest {
protected:
  /// Every call reaches the function of libdevice's name.
  static std::string call(const std::string &name, unsigned count,
                          const std::string &type) {
    std::string operands, types;
    for (unsigned index = 0; index < count; ++index) {
      operands += (index ? ", %x" : "%x") + std::to_string(index);
      types += (index ? ", " : "") + tileOf(type);
    }
    return "  %r = tt.extern_elementwise " + operands +
           " {libname = \"\", libpath = \"\", pure = true, symbol = \"__nv_" +
           name + (type == "f32" ? "f" : "") + "\"} : (" + types + ") -> " +
           tileOf(type);
  }

  template <typename Number>
  void expectBits(const MapKernel &kernel,
                  const std::vector<std::vector<Number>> &arguments,
                  const std::vector<Number> &expected,
                  const std::string &target) {
    std::vector<Bits> inputs;
    for (const std::vector<Number> &numbers : arguments)
      inputs.push_back(toBits(numbers));
    Bits actual = runCompiled(kernel, inputs, target);
    ASSERT_EQ(actual.size(), expected.size());
    Bits wanted = toBits(expected);
    unsigned failures = 0;
    for (size_t index = 0; index < wanted.size() && failures < 3; ++index) {
      if (std::isnan(expected[index]) &&
          std::isnan(decode(kernel.resultType, actual[index])))
        continue;
      EXPECT_EQ(wanted[index], actual[index])
          << target << " at " << std::hexfloat << arguments[0][index] << "\n"
          << kernel.body;
      failures += wanted[index] != actual[index];
    }
  }

  template <typename Number>
  void checkUnary(const UnaryFunction &function, Number (*compute)(Number),
                  const std::string &target) {
    std::string type = sizeof(Number) == 8 ? "f64" : "f32";
    std::vector<Number> x = makeArguments<Number>(2 * tileSize, 7), y;
    for (Number number : x)
      y.push_back(compute(number));
    expectBits<Number>({{type}, type, call(function.name, 1, type)}, {x}, y,
                       target);
  }

  template <typename Number>
  void checkBinary(const BinaryFunction &function,
                   Number (*compute)(Number, Number),
                   const std::string &target) {
    std::string type = sizeof(Number) == 8 ? "f64" : "f32";
    std::vector<Number> x = makeArguments<Number>(2 * tileSize, 8);
    std::vector<Number> y = makeArguments<Number>(2 * tileSize, 9), z;
    for (size_t index = 0; index < x.size(); ++index)
      z.push_back(compute(x[index], y[index]));
    expectBits<Number>({{type, type}, type, call(function.name, 2, type)},
                       {x, y}, z, target);
  }
};

} // namespace

TEST_F(CompiledFunctionTest, Unary) {
  // The code is the same for all targets but for what the assembler makes of
  // it: the oldest and the newest stand for all.
  for (const UnaryFunction &function : getUnaryFunctions())
    for (const std::string &target :
         {getTargets().front(), getTargets().back()}) {
      checkUnary(function, function.ofFloat, target);
      checkUnary(function, function.ofDouble, target);
    }
}

TEST_F(CompiledFunctionTest, Binary) {
  for (const BinaryFunction &function : getBinaryFunctions())
    for (const std::string &target : getTargets()) {
      checkBinary(function, function.ofFloat, target);
      checkBinary(function, function.ofDouble, target);
    }
}

/// Expects results within `bound` of the reference's, whose functions are the
/// C library's for doubles, of a type's own units.
TEST_F(CompiledFunctionTest, MathOfHalves) {
  for (const std::string type : {"f16", "bf16"})
    for (const char *name :
         {"acos",      "asin",  "asinh", "atan",  "atanh", "cbrt",
          "cos",       "cosh",  "erf",   "erfc",  "exp",   "exp2",
          "expm1",     "log",   "log10", "log1p", "log2",  "rsqrt",
          "sin",       "sinh",  "sqrt",  "tan",   "tanh",  "round",
          "roundeven", "trunc", "ceil",  "floor", "absf"}) {
      MapKernel kernel{{type},
                       type,
                       std::string("  %r = math.") + name +
                           " %x0 : " + tileOf(type)};
      Bits codes = allCodes(16);
      Bits expected = runReference(kernel, {codes});
      Bits actual = runCompiled(kernel, {codes}, getTargets()[1]);
      ASSERT_EQ(actual.size(), codes.size());
      unsigned failures = 0;
      for (size_t index = 0; index < codes.size() && failures < 3; ++index) {
        double wanted = decode(type, expected[index]);
        if (std::isnan(wanted) && std::isnan(decode(type, actual[index])))
          continue;
        // Neighbours of one sign have neighbouring codes.
        int64_t distance = int64_t(expected[index]) - int64_t(actual[index]);
        EXPECT_LE(std::abs(distance), 1)
            << name << " of " << std::hex << codes[index] << " " << wanted;
        failures += std::abs(distance) > 1;
      }
    }
}
