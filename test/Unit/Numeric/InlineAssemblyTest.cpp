// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A user's PTX on elements of every width, packed and alone; and what is left
// of Triton's elementwise ops.

#include "test/Unit/Numeric/NumericTest.h"

#include <bit>
#include <cmath>
#include <random>

using namespace tilewright;
using namespace tilewright::numeric;

namespace {

/// PTX with operands of these types, and what it must do to an element.
struct Assembly {
  std::string text, constraints;
  int packed;
  /// The results' types, whose sum modulo their width is stored, and the
  /// sources'.
  std::vector<std::string> results, sources;
  uint64_t (*expected)(uint64_t, uint64_t);
};

uint64_t ofFloat(float x) { return std::bit_cast<uint32_t>(x); }
uint64_t ofDouble(double x) { return std::bit_cast<uint64_t>(x); }

const Assembly assemblies[] = {
    {"shl.b32 $0, $1, 3;",
     "=r,r",
     1,
     {"i32"},
     {"i32"},
     [](uint64_t a, uint64_t) { return uint64_t(uint32_t(a << 3)); }},
    // Four runs for the registers of a thread, or the last one repeated.
    {"add.s32 $0, $4, 1; add.s32 $1, $5, 1; add.s32 $2, $6, 1; add.s32 $3, $7, "
     "1;",
     "=r,=r,=r,=r,r,r,r,r",
     4,
     {"i32"},
     {"i32"},
     [](uint64_t a, uint64_t) { return uint64_t(uint32_t(a + 1)); }},
    {"and.b32 $0, $1, 0x0f0f0f0f;",
     "=r,r",
     4,
     {"i8"},
     {"i8"},
     [](uint64_t a, uint64_t) { return a & 15; }},
    {"not.b16 $0, $1;",
     "=h,h",
     1,
     {"i16"},
     {"i16"},
     [](uint64_t a, uint64_t) { return ~a & 0xffff; }},
    {"not.b16 $0, $1;",
     "=h,h",
     2,
     {"i8"},
     {"i8"},
     [](uint64_t a, uint64_t) { return ~a & 0xff; }},
    {"xor.b32 $0, $1, $2;",
     "=r,r,r",
     2,
     {"i16"},
     {"i16", "i16"},
     [](uint64_t a, uint64_t b) { return a ^ b; }},
    {"add.s64 $0, $1, $2;",
     "=l,l,l",
     1,
     {"i64"},
     {"i64", "i64"},
     [](uint64_t a, uint64_t b) { return a + b; }},
    {"abs.f32 $0, $1;",
     "=f,f",
     1,
     {"f32"},
     {"f32"},
     [](uint64_t a, uint64_t) { return a & 0x7fffffff; }},
    {"add.rn.f64 $0, $1, $2;",
     "=d,d,d",
     1,
     {"f64"},
     {"f64", "f64"},
     [](uint64_t a, uint64_t b) {
       return ofDouble(std::bit_cast<double>(a) + std::bit_cast<double>(b));
     }},
    // A float as bits, and a narrow element in a wide register.
    {"and.b32 $0, $1, $2;",
     "=r,r,r",
     1,
     {"i32"},
     {"f32", "i16"},
     [](uint64_t a, uint64_t b) { return a & b; }},
    // Two results, the second of other operands than the first.
    {"{ .reg .b32 t; add.s32 t, $2, $3; sub.s32 $1, $2, $3; mov.b32 $0, t; }",
     "=r,=r,r,r",
     1,
     {"i32", "i32"},
     {"i32", "i32"},
     [](uint64_t a, uint64_t) { return uint64_t(uint32_t(a + a)); }},
    // Four bytes to two registers of two halves.
    {"{ prmt.b32 $0, $2, 0, 0x4140; prmt.b32 $1, $2, 0, 0x4342; }",
     "=r,=r,r",
     4,
     {"i16"},
     {"i8"},
     [](uint64_t a, uint64_t) { return a & 0xff; }},
    {"mul.rn.f32 $0, $1, 0f40000000;",
     "=f,f,~{memory}",
     1,
     {"f32"},
     {"f32"},
     [](uint64_t a, uint64_t) {
       return ofFloat(2 * std::bit_cast<float>(uint32_t(a)));
     }},
    // As LLVM reads them: blanks, a register that no operand shares, an operand
    // in a result's register, several letters, clobbers of any name.
    {"{ .reg .b32 t; mov.b32 t, $3; add.s32 $0, $0, $2; }",
     " =&r , 0, %r, rf,~{memory} ,~{cc},~{r1}",
     1,
     {"i32"},
     {"i32", "i32", "i32"},
     [](uint64_t a, uint64_t b) { return uint64_t(uint32_t(a + b)); }},
    {"not.b16 $0, $1;",
     "=c,c",
     1,
     {"i16"},
     {"i16"},
     [](uint64_t a, uint64_t) { return ~a & 0xffff; }},
    // Labels, which each run needs of its own.
    {"{ .reg .pred p; mov.b32 $0, $1; setp.ne.s32 p, $1, 0; @p bra L${:uid}; "
     "mov.b32 $0, 1; L${:uid}: }",
     "=r, r",
     1,
     {"i32"},
     {"i32"},
     [](uint64_t a, uint64_t) { return a ? a : 1; }},
};

unsigned getBits(const std::string &type) { return std::stoi(type.substr(1)); }

class InlineAssemblyTest : public NumericTest {
protected:
  static MapKernel makeKernel(const Assembly &assembly, bool isPure) {
    std::string operands, types, results;
    for (size_t index = 0; index < assembly.sources.size(); ++index) {
      operands += (index ? ", %x" : " %x") + std::to_string(index);
      types += (index ? ", " : "") + tileOf(assembly.sources[index]);
    }
    for (const std::string &type : assembly.results)
      results += (results.empty() ? "" : ", ") + tileOf(type);
    bool hasTwo = assembly.results.size() == 2;
    std::string body =
        std::string(hasTwo ? "  %pair:2" : "  %r") +
        " = tt.elementwise_inline_asm \"" + assembly.text +
        "\" {constraints = \"" + assembly.constraints +
        "\", packed_element = " + std::to_string(assembly.packed) +
        " : i32, pure = " + (isPure ? "true" : "false") + "}" + operands +
        " : " + types + " -> " + results;
    if (hasTwo)
      body += "\n  %r = arith.addi %pair#0, %pair#1 : " +
              tileOf(assembly.results[0]);
    return {assembly.sources, assembly.results[0], body};
  }

  static Bits makeOperands(const std::string &type, uint64_t seed) {
    std::mt19937_64 generator(seed);
    Bits bits(tileSize);
    for (uint64_t &code : bits) {
      code = generator();
      // Numbers whose sums and products are no NaN.
      if (type == "f32")
        code = ofFloat(float(int64_t(code) >> 40));
      if (type == "f64")
        code = ofDouble(double(int64_t(code) >> 20));
      if (getBits(type) < 64)
        code &= (uint64_t(1) << getBits(type)) - 1;
    }
    return bits;
  }
};

} // namespace

TEST_F(InlineAssemblyTest, DoesWhatItSays) {
  for (const Assembly &assembly : assemblies) {
    std::vector<Bits> inputs;
    for (const std::string &type : assembly.sources)
      inputs.push_back(makeOperands(type, 1 + inputs.size()));
    for (auto [number, target] : llvm::enumerate(getTargets())) {
      // 32 warps: fewer elements in a thread than a run takes.
      unsigned warps[] = {4, 1, 32};
      Bits actual = runCompiled(makeKernel(assembly, number % 2), inputs,
                                target, warps[number % 3]);
      ASSERT_EQ(actual.size(), inputs[0].size()) << assembly.text;
      for (size_t index = 0; index < actual.size(); ++index)
        ASSERT_EQ(actual[index],
                  assembly.expected(inputs[0][index],
                                    inputs.size() > 1 ? inputs[1][index] : 0))
            << assembly.text << " for " << target << " at " << index;
    }
  }
}

//===----------------------------------------------------------------------===//
// Other elementwise ops
//===----------------------------------------------------------------------===//

// A constant is written into the text.
TEST_F(InlineAssemblyTest, TakesConstants) {
  for (const char *letter : {"n", "i"}) {
    std::string body =
        "  %c = arith.constant dense<-5> : " + tileOf("i32") +
        "\n  %r = tt.elementwise_inline_asm \"add.s32 $0, $1, $2;\" "
        "{constraints = \"=r,r," +
        letter + "\", packed_element = 1 : i32, pure = true} %x0, %c : " +
        tileOf("i32") + ", " + tileOf("i32") + " -> " + tileOf("i32");
    Bits input = makeOperands("i32", 1);
    for (const std::string &target : getTargets()) {
      Bits actual = runCompiled({{"i32"}, "i32", body}, {input}, target);
      ASSERT_EQ(actual.size(), input.size());
      for (size_t index = 0; index < actual.size(); ++index)
        ASSERT_EQ(actual[index], uint32_t(input[index] - 5)) << target;
    }
  }
}

TEST_F(InlineAssemblyTest, MulhiAgreesWithTheReference) {
  for (const char *type : {"i8", "i16", "i32", "i64"})
    expectReferenceBits(
        {{type, type}, type, "  %r = tt.mulhiui %x0, %x1 : " + tileOf(type)},
        {makeOperands(type, 1), makeOperands(type, 2)});
}

TEST_F(InlineAssemblyTest, ClampAgreesWithTheReference) {
  for (const std::string type : {"f16", "bf16", "f32", "f64"})
    for (const std::string nan : {"none", "all"}) {
      Bits x = type.ends_with("16") && type != "f64" ? allCodes(16)
                                                     : sampleCodes(type, 0);
      std::string body =
          "  %low = arith.constant dense<-1.5> : " + tileOf(type) +
          "\n  %high = arith.constant dense<2.0> : " + tileOf(type) +
          "\n  %r = tt.clampf %x0, %low, %high, propagateNan = " + nan + " : " +
          tileOf(type);
      expectReferenceBits({{type}, type, body}, {x});
    }
}

TEST_F(InlineAssemblyTest, OpsOfTwoResultsAgreeWithTheReference) {
  for (const std::string type : {"i8", "i16", "i32", "i64"}) {
    std::vector<Bits> inputs = {makeOperands(type, 1), makeOperands(type, 2)};
    for (const char *op : {"mulsi_extended", "mului_extended"})
      expectReferenceBits({{type, type},
                           type,
                           std::string("  %l, %h = arith.") + op +
                               " %x0, %x1 : " + tileOf(type) +
                               "\n  %r = arith.xori %l, %h : " + tileOf(type)},
                          inputs);
    expectReferenceBits(
        {{type, type},
         type,
         "  %s, %o = arith.addui_extended %x0, %x1 : " + tileOf(type) + ", " +
             tileOf("i1") +
             "\n  %z = arith.constant dense<0> : " + tileOf(type) +
             "\n  %r = arith.select %o, %s, %z : " + tileOf("i1") + ", " +
             tileOf(type)},
        inputs);
  }
}

TEST_F(InlineAssemblyTest, InfinitiesAreFound) {
  for (const std::string type : {"f16", "bf16", "f32", "f64"}) {
    Bits x = type.ends_with("16") && type != "f64" ? allCodes(16)
                                                   : sampleCodes(type, 0);
    expectReferenceBits({{type},
                         "i8",
                         "  %b = math.isinf %x0 : " + tileOf(type) +
                             "\n  %r = arith.extui %b : " + tileOf("i1") +
                             " to " + tileOf("i8")},
                        {x});
  }
}

// The sine and the cosine of one op are those of two.
TEST_F(InlineAssemblyTest, SineAndCosine) {
  for (const std::string type : {"f16", "f32", "f64"}) {
    Bits x = type == "f16" ? allCodes(16) : sampleCodes(type, 0);
    auto run = [&](const std::string &text) {
      return runCompiled(
          {{type}, type, text + "  %r = arith.subf %s, %c : " + tileOf(type)},
          {x}, getTargets()[1]);
    };
    std::string tile = tileOf(type);
    EXPECT_EQ(run("  %s, %c = math.sincos %x0 : " + tile + "\n"),
              run("  %s = math.sin %x0 : " + tile +
                  "\n  %c = math.cos %x0 : " + tile + "\n"));
  }
}

// math.fpowi is libdevice's function.
TEST_F(InlineAssemblyTest, IntegerPowers) {
  Bits x = sampleCodes("f32", 4000), n;
  for (size_t index = 0; index < x.size(); ++index)
    n.push_back(uint32_t(int32_t(index % 41) - 20));
  auto run = [&](const std::string &text) {
    return runCompiled({{"f32", "i32"}, "f32", text}, {x, n}, getTargets()[1]);
  };
  EXPECT_EQ(run("  %r = math.fpowi %x0, %x1 : " + tileOf("f32") + ", " +
                tileOf("i32")),
            run("  %r = tt.extern_elementwise %x0, %x1 {libname = \"\", "
                "libpath = \"\", pure = true, symbol = \"__nv_powif\"} : (" +
                tileOf("f32") + ", " + tileOf("i32") + ") -> " +
                tileOf("f32")));
}

// By the instruction that arith.divf has.
TEST_F(InlineAssemblyTest, ApproximateDivision) {
  Bits x = sampleCodes("f32", 4000);
  Bits y(x.rbegin(), x.rend());
  for (const std::string &target : getTargets()) {
    auto run = [&](const std::string &op) {
      return runCompiled({{"f32", "f32"},
                          "f32",
                          "  %r = " + op + " %x0, %x1 : " + tileOf("f32")},
                         {x, y}, target);
    };
    EXPECT_EQ(run("tt.approx_divf"), run("arith.divf")) << target;
  }
}

TEST_F(InlineAssemblyTest, PreciseOpsAreCorrectlyRounded) {
  for (const char *type : {"f32", "f64"}) {
    Bits x = sampleCodes(type, 60000);
    Bits y(x.rbegin(), x.rend());
    std::mt19937_64 generator(3);
    std::shuffle(y.begin(), y.end(), generator);
    expectReferenceBits(
        {{type},
         type,
         std::string("  %r = tt.precise_sqrt %x0 : ") + tileOf(type)},
        {x});
    expectReferenceBits(
        {{type, type},
         type,
         std::string("  %r = tt.precise_divf %x0, %x1 : ") + tileOf(type)},
        {x, y});
  }
}
