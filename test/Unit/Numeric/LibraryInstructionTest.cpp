// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of libdevice that are a few instructions, against what they are
// said to do.

#include "test/Unit/Numeric/NumericTest.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>

using namespace tilewright;
using namespace tilewright::numeric;

namespace {

uint64_t ofFloat(float x) { return std::bit_cast<uint32_t>(x); }
uint64_t ofDouble(double x) { return std::bit_cast<uint64_t>(x); }
float toFloat(uint64_t x) { return std::bit_cast<float>(uint32_t(x)); }
double toDouble(uint64_t x) { return std::bit_cast<double>(x); }
uint64_t ofInt(int64_t x) { return uint32_t(x); }

/// The nearest integer, halves away from 0; the nearest that there is for
/// others, and what PTX's cvt gives for NaN.
int64_t toLong(double x) {
  if (std::isnan(x))
    return std::numeric_limits<int64_t>::min();
  if (std::fabs(x) >= 0x1p63)
    return x < 0 ? std::numeric_limits<int64_t>::min()
                 : std::numeric_limits<int64_t>::max();
  return int64_t(std::round(x));
}

/// A function of the bits of up to two operands.
struct Function {
  const char *symbol;
  /// The result's first.
  std::vector<std::string> types;
  uint64_t (*expected)(uint64_t, uint64_t);
};

/// With the host's rounding mode set, which the operands' being volatile makes
/// count.
template <typename Number, int mode, typename Operation>
Number rounded(Number a, Number b, Operation operation) {
  volatile Number x = a, y = b;
  int before = std::fegetround();
  std::fesetround(mode);
  volatile Number result = operation(x, y);
  std::fesetround(before);
  return result;
}

const Function functions[] = {
    {"clz",
     {"i32", "i32"},
     [](uint64_t a, uint64_t) { return ofInt(std::countl_zero(uint32_t(a))); }},
    {"ffs",
     {"i32", "i32"},
     [](uint64_t a, uint64_t) { return ofInt(__builtin_ffs(int(a))); }},
    {"ffsll",
     {"i32", "i64"},
     [](uint64_t a, uint64_t) { return ofInt(__builtin_ffsll(a)); }},
    {"popcll",
     {"i32", "i64"},
     [](uint64_t a, uint64_t) { return ofInt(std::popcount(a)); }},
    {"hadd",
     {"i32", "i32", "i32"},
     [](uint64_t a, uint64_t b) {
       return ofInt((int64_t(int32_t(a)) + int32_t(b)) >> 1);
     }},
    {"urhadd",
     {"i32", "i32", "i32"},
     [](uint64_t a, uint64_t b) {
       return ofInt((uint64_t(uint32_t(a)) + uint32_t(b) + 1) >> 1);
     }},
    {"umulhi",
     {"i32", "i32", "i32"},
     [](uint64_t a, uint64_t b) {
       return uint64_t(uint32_t(a)) * uint32_t(b) >> 32;
     }},
    {"mul64hi",
     {"i64", "i64", "i64"},
     [](uint64_t a, uint64_t b) {
       return uint64_t(__int128(int64_t(a)) * int64_t(b) >> 64);
     }},
    {"fadd_rz",
     {"f32", "f32", "f32"},
     [](uint64_t a, uint64_t b) {
       return ofFloat(rounded<float, FE_TOWARDZERO>(
           toFloat(a), toFloat(b), [](float x, float y) { return x + y; }));
     }},
    {"fdiv_ru",
     {"f32", "f32", "f32"},
     [](uint64_t a, uint64_t b) {
       return ofFloat(rounded<float, FE_UPWARD>(
           toFloat(a), toFloat(b), [](float x, float y) { return x / y; }));
     }},
    {"dmul_rd",
     {"f64", "f64", "f64"},
     [](uint64_t a, uint64_t b) {
       return ofDouble(rounded<double, FE_DOWNWARD>(
           toDouble(a), toDouble(b), [](double x, double y) { return x * y; }));
     }},
    {"dsqrt_rn",
     {"f64", "f64"},
     [](uint64_t a, uint64_t) { return ofDouble(std::sqrt(toDouble(a))); }},
    {"fdimf",
     {"f32", "f32", "f32"},
     [](uint64_t a, uint64_t b) {
       return ofFloat(std::fdim(toFloat(a), toFloat(b)));
     }},
    {"rintf",
     {"f32", "f32"},
     [](uint64_t a, uint64_t) { return ofFloat(std::nearbyint(toFloat(a))); }},
    {"round",
     {"f64", "f64"},
     [](uint64_t a, uint64_t) { return ofDouble(std::round(toDouble(a))); }},
    {"truncf",
     {"f32", "f32"},
     [](uint64_t a, uint64_t) { return ofFloat(std::trunc(toFloat(a))); }},
    {"copysignf",
     {"f32", "f32", "f32"},
     [](uint64_t a, uint64_t b) {
       return ofFloat(std::copysign(toFloat(a), toFloat(b)));
     }},
    {"fmaxf",
     {"f32", "f32", "f32"},
     [](uint64_t a, uint64_t b) {
       return ofFloat(std::fmax(toFloat(a), toFloat(b)));
     }},
    {"isinff",
     {"i32", "f32"},
     [](uint64_t a, uint64_t) { return ofInt(std::isinf(toFloat(a))); }},
    {"isfinited",
     {"i32", "f64"},
     [](uint64_t a, uint64_t) { return ofInt(std::isfinite(toDouble(a))); }},
    {"signbitd", {"i32", "f64"}, [](uint64_t a, uint64_t) { return a >> 63; }},
    {"frsqrt_rn",
     {"f32", "f32"},
     [](uint64_t a, uint64_t) {
       return ofFloat(float(1 / std::sqrt((long double)toFloat(a))));
     }},
    {"rcp64h",
     {"f64", "f64"},
     [](uint64_t a, uint64_t) {
       // Subnormal numbers are zeros.
       double number = toDouble(a), inverse = 1 / number;
       if (std::fabs(number) < 0x1p-1022)
         inverse = std::copysign(INFINITY, number);
       if (std::fabs(inverse) < 0x1p-1022)
         inverse = std::copysign(0.0, number);
       return ofDouble(inverse) >> 32 << 32;
     }},
    {"ilogb",
     {"i32", "f64"},
     [](uint64_t a, uint64_t) { return ofInt(std::ilogb(toDouble(a))); }},
    {"ilogbf",
     {"i32", "f32"},
     [](uint64_t a, uint64_t) { return ofInt(std::ilogb(toFloat(a))); }},
    {"nextafter",
     {"f64", "f64", "f64"},
     [](uint64_t a, uint64_t b) {
       return ofDouble(std::nextafter(toDouble(a), toDouble(b)));
     }},
    {"nextafterf",
     {"f32", "f32", "f32"},
     [](uint64_t a, uint64_t b) {
       return ofFloat(std::nextafter(toFloat(a), toFloat(b)));
     }},
    {"ldexp",
     {"f64", "f64", "i32"},
     [](uint64_t a, uint64_t b) {
       return ofDouble(std::ldexp(toDouble(a), int(b)));
     }},
    {"scalbnf",
     {"f32", "f32", "i32"},
     [](uint64_t a, uint64_t b) {
       return ofFloat(std::ldexp(toFloat(a), int(b)));
     }},
    {"llround",
     {"i64", "f64"},
     [](uint64_t a, uint64_t) { return uint64_t(toLong(toDouble(a))); }},
    {"llroundf",
     {"i64", "f32"},
     [](uint64_t a, uint64_t) { return uint64_t(toLong(toFloat(a))); }},
    {"double2hiint",
     {"i32", "f64"},
     [](uint64_t a, uint64_t) { return a >> 32; }},
    {"double2loint",
     {"i32", "f64"},
     [](uint64_t a, uint64_t) { return ofInt(int64_t(a)); }},
    {"hiloint2double",
     {"f64", "i32", "i32"},
     [](uint64_t a, uint64_t b) { return a << 32 | b; }},
    {"float_as_int", {"i32", "f32"}, [](uint64_t a, uint64_t) { return a; }},
    {"longlong_as_double",
     {"f64", "i64"},
     [](uint64_t a, uint64_t) { return a; }},
    {"int2float_rz",
     {"f32", "i32"},
     [](uint64_t a, uint64_t) {
       return ofFloat(rounded<float, FE_TOWARDZERO>(
           0.0f, 0.0f, [a = int32_t(a)](float, float) {
             volatile int32_t number = a;
             return float(number);
           }));
     }},
};

class LibraryInstructionTest : public NumericTest {
protected:
  static Bits makeOperands(const std::string &type, uint64_t seed) {
    std::mt19937_64 generator(seed);
    Bits bits(tileSize);
    for (uint64_t &code : bits) {
      code = generator();
      // Some of one size, so that they meet.
      if (generator() % 2) {
        double number = double(int64_t(code) >> 40) / 16;
        code = type == "f32"   ? ofFloat(float(number))
               : type == "f64" ? ofDouble(number)
                               : code & 0xffff;
      }
      if (type == "i32" || type == "f32")
        code &= 0xffffffff;
    }
    return bits;
  }

  static MapKernel makeKernel(const Function &function) {
    MapKernel kernel;
    kernel.resultType = function.types[0];
    kernel.inputTypes.assign(function.types.begin() + 1, function.types.end());
    std::string operands, types;
    for (size_t index = 0; index < kernel.inputTypes.size(); ++index) {
      operands += (index ? ", %x" : "%x") + std::to_string(index);
      types += (index ? ", " : "") + tileOf(kernel.inputTypes[index]);
    }
    kernel.body = "  %r = tt.extern_elementwise " + operands +
                  " {libname = \"\", libpath = \"\", pure = true, symbol = "
                  "\"__nv_" +
                  function.symbol + "\"} : (" + types + ") -> " +
                  tileOf(kernel.resultType);
    return kernel;
  }
};

} // namespace

TEST_F(LibraryInstructionTest, DoWhatTheyAreSaidTo) {
  for (const Function &function : functions) {
    MapKernel kernel = makeKernel(function);
    std::vector<Bits> inputs;
    for (const std::string &type : kernel.inputTypes)
      inputs.push_back(makeOperands(type, 1 + inputs.size()));
    // What it does not round the reference gives too; numbers that no i64 holds
    // have no nearest integer there.
    bool isInteger = kernel.resultType[0] == 'i';
    if (isInteger && !std::string(function.symbol).starts_with("llround")) {
      Bits reference = runReference(kernel, inputs);
      ASSERT_EQ(reference.size(), inputs[0].size());
      for (size_t index = 0; index < reference.size(); ++index)
        ASSERT_EQ(reference[index],
                  function.expected(inputs[0][index],
                                    inputs.size() > 1 ? inputs[1][index] : 0))
            << function.symbol << " by the reference";
    }
    for (const std::string &target :
         {getTargets().front(), getTargets().back()}) {
      Bits actual = runCompiled(kernel, inputs, target);
      ASSERT_EQ(actual.size(), inputs[0].size());
      unsigned failures = 0;
      for (size_t index = 0; index < actual.size() && failures < 3; ++index) {
        uint64_t second = inputs.size() > 1 ? inputs[1][index] : 0;
        uint64_t expected = function.expected(inputs[0][index], second);
        bool isSame = expected == actual[index];
        if (kernel.resultType[0] == 'f' && !isSame)
          isSame = std::isnan(decode(kernel.resultType, expected)) &&
                   std::isnan(decode(kernel.resultType, actual[index]));
        EXPECT_TRUE(isSame)
            << function.symbol << " of " << std::hex << inputs[0][index] << ", "
            << second << " gives " << actual[index] << ", not " << expected;
        failures += !isSame;
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Functions with integers
//===----------------------------------------------------------------------===//

namespace {

/// A function of a number and a small integer, within `bound` units of the
/// reference's, or `absolute` of it.
struct MixedFunction {
  const char *symbol, *type;
  bool isIntegerFirst;
  int64_t least, most;
  double bound, absolute;
};

const MixedFunction mixedFunctions[] = {
    {"powi", "f64", false, -60, 60, 2, 0},
    {"powif", "f32", false, -60, 60, 1, 0},
    {"jn", "f64", true, -40, 40, 16, 1e-14},
    {"jnf", "f32", true, -40, 40, 1, 1e-14},
    {"yn", "f64", true, -9, 9, 64, 1e-14},
    {"ynf", "f32", true, -9, 9, 1, 1e-14},
};

} // namespace

TEST_F(LibraryInstructionTest, WithIntegers) {
  for (const MixedFunction &function : mixedFunctions) {
    std::string type = function.type;
    Function shape{function.symbol,
                   function.isIntegerFirst
                       ? std::vector<std::string>{type, "i32", type}
                       : std::vector<std::string>{type, type, "i32"},
                   nullptr};
    MapKernel kernel = makeKernel(shape);
    std::mt19937_64 generator(11);
    Bits numbers, integers;
    for (int64_t index = 0; index < tileSize; ++index) {
      double number =
          std::ldexp(double(generator() >> 11), int(generator() % 12) - 58);
      number = generator() % 3 || function.symbol[0] == 'y' ? number : -number;
      numbers.push_back(encode(type, number));
      integers.push_back(ofInt(
          function.least +
          int64_t(generator() % uint64_t(function.most - function.least + 1))));
    }
    std::vector<Bits> inputs = {numbers, integers};
    if (function.isIntegerFirst)
      std::swap(inputs[0], inputs[1]);
    Bits expected = runReference(kernel, inputs);
    for (const std::string &target :
         {getTargets().front(), getTargets().back()}) {
      Bits actual = runCompiled(kernel, inputs, target);
      ASSERT_EQ(actual.size(), expected.size());
      unsigned failures = 0;
      for (size_t index = 0; index < actual.size() && failures < 3; ++index) {
        double wanted = decode(type, expected[index]);
        double got = decode(type, actual[index]);
        int64_t units = int64_t(expected[index]) - int64_t(actual[index]);
        bool isNear = std::abs(units) <= function.bound ||
                      std::fabs(wanted - got) <= function.absolute;
        EXPECT_TRUE(isNear)
            << function.symbol << " of " << decode(type, numbers[index])
            << " and " << int32_t(integers[index]) << " gives " << got
            << ", not " << wanted;
        failures += !isNear;
      }
    }
  }
}

// The others compile, and run without a fault.
TEST_F(LibraryInstructionTest, Approximations) {
  for (const char *symbol :
       {"fast_cosf", "fast_exp10f", "fast_expf", "fast_log10f", "fast_log2f",
        "fast_logf", "fast_sinf", "fast_tanf", "rsqrtf", "saturatef"}) {
    Function function{symbol, {"f32", "f32"}, nullptr};
    MapKernel kernel = makeKernel(function);
    Bits ones(tileSize, ofFloat(0.75f));
    std::map<std::string, double> expected = {
        {"fast_cosf", std::cos(0.75)},   {"fast_exp10f", std::pow(10, 0.75)},
        {"fast_expf", std::exp(0.75)},   {"fast_log10f", std::log10(0.75)},
        {"fast_log2f", std::log2(0.75)}, {"fast_logf", std::log(0.75)},
        {"fast_sinf", std::sin(0.75)},   {"fast_tanf", std::tan(0.75)},
        {"rsqrtf", 1 / std::sqrt(0.75)}, {"saturatef", 0.75}};
    for (const std::string &target : getTargets()) {
      Bits actual = runCompiled(kernel, {ones}, target);
      ASSERT_FALSE(actual.empty());
      // PTX ISA: 2^-20.9 for the sine and cosine, less for the others.
      EXPECT_NEAR(toFloat(actual[0]), expected[symbol], 4e-6) << symbol;
    }
  }
}
