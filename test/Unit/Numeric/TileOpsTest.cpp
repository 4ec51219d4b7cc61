// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scaled dots, dequantization and triangular systems, compiled,
// against the reference, which knows the ops by their definitions. Where
// numbers are few bits wide every sum is exact, and so must the result be.

#include "test/Unit/Numeric/NumericTest.h"

#include <cmath>
#include <random>

using namespace tilewright;
using namespace tilewright::numeric;

namespace {

std::string shaped(std::vector<int64_t> shape, const std::string &type) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + type + ">";
}

std::string reshape(const std::string &to, const std::string &from,
                    const std::string &fromType, const std::string &toType) {
  return "  %" + to + " = tt.reshape %" + from + " : " + fromType + " -> " +
         toType + "\n";
}

/// %to: small integers `first` + index % 2^`bits`, of a shape and type.
std::string makePattern(const std::string &to, std::vector<int64_t> shape,
                        const std::string &type, int first, int bits) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  std::string flat = shaped({count}, "i32"), whole = shaped(shape, "i32");
  std::string text =
      "  %" + to +
      "_i = tt.make_range {start = 0 : i32, end = " + std::to_string(count) +
      " : i32} : " + flat + "\n" + reshape(to + "_s", to + "_i", flat, whole) +
      "  %" + to + "_m = arith.constant dense<" +
      std::to_string((1 << bits) - 1) + "> : " + whole + "\n  %" + to +
      "_f = arith.constant dense<" + std::to_string(first) + "> : " + whole +
      "\n  %" + to + "_a = arith.andi %" + to + "_s, %" + to + "_m : " + whole +
      "\n  %" + to + "_b = arith.addi %" + to + "_a, %" + to + "_f : " + whole +
      "\n";
  std::string result = shaped(shape, type);
  if (type == "i8" || type == "i16")
    return text + "  %" + to + " = arith.trunci %" + to + "_b : " + whole +
           " to " + result + "\n";
  return text + "  %" + to + "_r = arith.sitofp %" + to + "_b : " + whole +
         " to " + shaped(shape, "f32") + "\n  %" + to + " = tt.fp_to_fp %" +
         to + "_r, rounding = rtne : " + shaped(shape, "f32") + " -> " +
         result + "\n";
}

/// Stores all of a tile of f32: each element as often as the tile has room for,
/// or sums of neighbours with factors of their own.
std::string fillResult(const std::string &from, std::vector<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  std::string type = shaped(shape, "f32");
  if (count == tileSize)
    return reshape("r", from, type, tileOf("f32"));
  if (count < tileSize) {
    std::string flat = shaped({count, 1}, "f32");
    std::string wide = shaped({count, tileSize / count}, "f32");
    return reshape("flat", from, type, flat) +
           "  %wide = tt.broadcast %flat : " + flat + " -> " + wide + "\n" +
           reshape("r", "wide", wide, tileOf("f32"));
  }
  int64_t each = count / tileSize;
  std::string flat = shaped({tileSize, each}, "f32");
  return reshape("flat", from, type, flat) +
         makePattern("factor", {1, each}, "f16", 1, 10) +
         "  %factors = arith.extf %factor : " + shaped({1, each}, "f16") +
         " to " + shaped({1, each}, "f32") +
         "\n  %spread = tt.broadcast %factors : " + shaped({1, each}, "f32") +
         " -> " + flat + "\n  %terms = arith.mulf %flat, %spread : " + flat +
         "\n  %r = \"tt.reduce\"(%terms) <{axis = 1 : i32}> ({\n  ^bb0(%left: "
         "f32, "
         "%right: f32):\n    %both = arith.addf %left, %right : f32\n    "
         "tt.reduce.return %both "
         ": f32\n  }) : (" +
         flat + ") -> " + tileOf("f32");
}

class TileOpsTest : public NumericTest {
protected:
  Bits random(const std::string &type, uint64_t seed) {
    std::mt19937_64 generator(seed);
    Bits bits(tileSize);
    for (uint64_t &code : bits) {
      code = generator();
      if (type == "i8")
        code &= 0xff;
      else if (type == "i32")
        code &= 0xffffffff;
      else
        code = encode(type, double(int(code % 17)) - 8);
    }
    return bits;
  }
  /// Codes of small numbers of an 8-bit format.
  Bits smallCodes(const std::string &format, uint64_t seed) {
    Bits bits = random("f32", seed);
    for (uint64_t &code : bits)
      code = encode(format, decode("f32", code) / 2);
    return bits;
  }

  /// One side of tt.dot_scaled, of 1024 elements as they come.
  struct Side {
    std::string encoded, type;
    std::vector<int64_t> shape, scaleShape;
    std::string scaleType;
    int firstScale;
    /// The scales are 2^scaleBits numbers from there on.
    int scaleBits = 2;
  };
  void checkDot(const Side &a, const Side &b, std::vector<int64_t> result,
                const std::string &attributes, const Bits &x, const Bits &y,
                const std::string &start = "1.0") {
    auto scale = [](const Side &side, const std::string &name) {
      return side.scaleType.empty()
                 ? std::string()
                 : makePattern(name, side.scaleShape, side.scaleType,
                               side.firstScale, side.scaleBits);
    };
    auto use = [](const Side &side, const std::string &name) {
      return side.scaleType.empty() ? std::string() : " scale %" + name;
    };
    auto type = [](const Side &side) {
      return shaped(side.shape, side.type) +
             (side.scaleType.empty()
                  ? ""
                  : ", " + shaped(side.scaleShape, side.scaleType));
    };
    std::string c = shaped(result, "f32");
    std::string body =
        scale(a, "sa") + scale(b, "sb") +
        reshape("a", "x0", tileOf(a.type), shaped(a.shape, a.type)) +
        reshape("b", "x1", tileOf(b.type), shaped(b.shape, b.type)) +
        "  %c = arith.constant dense<" + start + "> : " + c +
        "\n  %d = tt.dot_scaled %a" + use(a, "sa") + ", %b" + use(b, "sb") +
        ", %c lhs = " + a.encoded + " rhs = " + b.encoded +
        " {fastMath = false" + attributes + "} : " + type(a) + " * " + type(b) +
        " -> " + c + "\n" + fillResult("d", result);
    expectReferenceBits({{a.type, b.type}, "f32", body}, {x, y});
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Scaled dots
//===----------------------------------------------------------------------===//

TEST_F(TileOpsTest, DotOfNibblesAndBF16) {
  checkDot({"e2m1", "i8", {16, 64}, {16, 4}, "i8", 125},
           {"bf16", "bf16", {128, 8}, {}, "", 0}, {16, 8}, "", random("i8", 1),
           random("bf16", 2));
}

TEST_F(TileOpsTest, DotOfNibblesPackedAlongBothRows) {
  checkDot({"e2m1", "i8", {16, 64}, {32, 2}, "i8", 126},
           {"e2m1", "i8", {64, 16}, {32, 2}, "i8", 124}, {32, 32},
           ", lhs_k_pack = false, rhs_k_pack = false", random("i8", 1),
           random("i8", 2));
}

TEST_F(TileOpsTest, DotOfNibblesPackedAlongK) {
  checkDot({"e2m1", "i8", {16, 64}, {16, 4}, "i8", 126},
           {"e2m1", "i8", {64, 16}, {16, 4}, "i8", 124}, {16, 16}, "",
           random("i8", 1), random("i8", 2));
}

TEST_F(TileOpsTest, DotOfBytes) {
  checkDot({"e4m3", "i8", {32, 32}, {32, 1}, "i8", 127},
           {"e5m2", "i8", {32, 32}, {32, 1}, "i8", 125}, {32, 32}, "",
           smallCodes("f8E4M3FN", 3), smallCodes("f8E5M2", 4));
}

TEST_F(TileOpsTest, DotOfSixBits) {
  checkDot({"e2m3", "i8", {32, 32}, {32, 1}, "i8", 127},
           {"e3m2", "i8", {32, 32}, {32, 1}, "i8", 126}, {32, 32}, "",
           random("i8", 3), random("i8", 4));
}

TEST_F(TileOpsTest, DotOfHalvesKeepsTheirBits) {
  Bits x = random("f16", 5);
  // 11 bits of mantissa.
  for (uint64_t &code : x)
    code = encode("f16", 1025 + 2 * decode("f16", code));
  checkDot({"fp16", "f16", {16, 64}, {16, 2}, "i8", 127},
           {"e2m1", "i8", {32, 32}, {32, 2}, "i8", 127}, {16, 32}, "", x,
           random("i8", 6));
}

TEST_F(TileOpsTest, DotWithFloatScales) {
  checkDot({"e2m1", "i8", {16, 64}, {16, 8}, "f8E4M3FN", 3},
           {"e2m1", "i8", {64, 16}, {16, 8}, "f8E4M3FN", 5}, {16, 16}, "",
           random("i8", 1), random("i8", 2));
}

// Exponents of 0xff and 0x00 in turn: NaN, and 2^-127.
TEST_F(TileOpsTest, DotWithScalesAtTheEnds) {
  checkDot({"e2m1", "i8", {64, 16}, {64, 1}, "i8", 255, 1},
           {"bf16", "bf16", {32, 32}, {}, "", 0}, {64, 32}, "", random("i8", 1),
           random("bf16", 2), "0.0");
}

//===----------------------------------------------------------------------===//
// Dequantization
//===----------------------------------------------------------------------===//

namespace {
struct Weights {
  std::string words;
  int bits, axis, group;
  std::string format, order, zeros;
  std::string result = "f32", scales = "f16";
  int groupAxis = axis;
  bool inBytes = false;
  /// Scales are 2^-24, and zeros of signed codes the least of these, so that a
  /// code's bits are its number in f16.
  bool areUnits = false;
};
} // namespace

TEST_F(TileOpsTest, Dequantize) {
  for (const Weights &w : std::initializer_list<Weights>{
           {"i32", 4, 0, 32, "unsigned", "low_first", "i8"},
           {"i32", 4, 1, 64, "unsigned", "even_first", "f16"},
           {"i32", 2, 0, 512, "signed", "high_first", ""},
           {"i8", 4, 1, 32, "signed", "high_first", ""},
           {"i8", 8, 0, 16, "unsigned", "low_first", "i16"},
           {"i8", 4, 0, 32, "e2m1", "low_first", ""},
           {"i32", 8, 1, 128, "e4m3", "low_first", ""},
           {"i8", 8, 0, 32, "e5m2", "low_first", ""},
           {"i8", 4, 1, 64, "code_book", "low_first", ""},
           {"i32", 2, 0, 64, "code_book", "even_first", ""},
           {"i8", 8, 1, 32, "code_book", "low_first", ""},
           // Two numbers at a time.
           {"i32", 4, 0, 32, "unsigned", "low_first", "i8", "f16"},
           {"i32", 4, 1, 32, "unsigned", "even_first", "i8", "f16", "f16", 0},
           {"i32", 4, 0, 32, "signed", "even_first", "", "f16"},
           {"i32", 2, 0, 64, "unsigned", "low_first", "i8", "f16"},
           {"i32", 2, 1, 64, "signed", "high_first", "", "f16"},
           {"i8", 4, 0, 64, "unsigned", "high_first", "", "f16"},
           {"i8", 8, 0, 32, "signed", "low_first", "", "f16"},
           {"i32", 8, 1, 32, "unsigned", "low_first", "i8", "f16"},
           {"i8", 4, 0, 32, "e2m1", "low_first", "", "f16"},
           {"i32", 4, 1, 32, "e2m1", "low_first", "", "f16"},
           {"i32", 8, 1, 128, "e4m3", "low_first", "", "f16"},
           {"i8", 8, 0, 32, "e5m2", "low_first", "", "f16"},
           {"i32", 4, 0, 64, "code_book", "low_first", "", "f16"},
           {"i32", 4, 0, 32, "unsigned", "low_first", "i8", "bf16", "bf16"},
           {"i32", 4, 1, 32, "signed", "even_first", "i8", "bf16", "bf16", 0},
           {"i32", 2, 0, 64, "unsigned", "low_first", "i8", "bf16", "bf16"},
           {"i8", 2, 1, 64, "unsigned", "high_first", "", "bf16", "bf16"},
           {"i32", 8, 0, 64, "unsigned", "low_first", "", "bf16", "bf16"},
           {"i8", 4, 0, 32, "e2m1", "low_first", "", "bf16", "bf16"},
           {"i32", 8, 1, 128, "e4m3", "low_first", "", "bf16", "bf16"},
           // Not exactly: zeros or scales of another type.
           {"i32", 4, 0, 32, "unsigned", "low_first", "f16", "f16"},
           {"i32", 4, 0, 32, "unsigned", "low_first", "i16", "f16"},
           {"i32", 4, 0, 32, "unsigned", "low_first", "", "f16", "f32"},
           // The codes' own bits, at the lowest ones or where they stand.
           {"i32", 4, 0, 32, "unsigned", "low_first", "", "f16", "f16", 0, true,
            true},
           {"i32", 4, 1, 64, "signed", "even_first", "", "f16", "f16", 1, true,
            true},
           {"i32", 2, 0, 64, "unsigned", "high_first", "", "f16", "f16", 0,
            true, true},
           {"i8", 4, 0, 64, "signed", "high_first", "", "f16", "f16", 0, true,
            true},
           {"i8", 2, 1, 64, "unsigned", "even_first", "", "f16", "f16", 1, true,
            true},
           {"i32", 8, 0, 32, "signed", "low_first", "", "f16", "f16", 0, false,
            true},
           {"i32", 2, 0, 64, "signed", "low_first", "", "f16", "f16", 0, false,
            true},
           {"i8", 4, 1, 64, "unsigned", "low_first", "", "f16", "f16", 1, false,
            true},
           // Larger where they stand, but no bits alone.
           {"i32", 4, 0, 32, "unsigned", "low_first", "i8", "f16", "f16", 0,
            true},
           {"i8", 4, 1, 32, "signed", "low_first", "f16", "f32", "f16", 1,
            true}}) {
    int codes = (w.words == "i8" ? 8 : 32) / w.bits;
    std::vector<int64_t> shape = {32, 32}, groups;
    shape[w.axis] *= codes;
    groups = shape;
    groups[w.groupAxis] = std::max<int64_t>(1, shape[w.groupAxis] / w.group);
    std::string words = shaped({32, 32}, w.words);
    std::string scales = shaped(groups, w.scales);
    std::string body =
        reshape("w", "x0", tileOf(w.words), words) +
        (w.areUnits ? "  %s = arith.constant dense<5.960464477539063e-08> : " +
                          scales + "\n"
                    : makePattern("s", groups, w.scales, 1, 2));
    std::string operands = "%w scale %s", types = words + " scale " + scales;
    if (!w.zeros.empty()) {
      body += makePattern("z", groups, w.zeros, 3, 1);
      operands += " zero %z";
      types += " zero " + shaped(groups, w.zeros);
    }
    if (w.areUnits && w.format == "signed") {
      std::string zeros = shaped(groups, "i8");
      body += "  %z = arith.constant dense<" +
              std::to_string(-(1 << (w.bits - 1))) + "> : " + zeros + "\n";
      operands += " zero %z";
      types += " zero " + zeros;
    }
    if (w.format == "code_book") {
      body += makePattern("book", {1 << w.bits}, "f16", -5, 8);
      operands += " code_book %book";
      types += " code_book " + shaped({1 << w.bits}, "f16");
    }
    body += "  %q = tile.dequantize " + operands + " format = " + w.format +
            " order = " + w.order + " {axis = " + std::to_string(w.axis) +
            " : i32, bits = " + std::to_string(w.bits) +
            " : i32, group_axis = " + std::to_string(w.groupAxis) +
            " : i32, group_size = " + std::to_string(w.group) + " : i32" +
            (w.inBytes ? ", in_bytes" : "") + "} : " + types + " -> " +
            shaped(shape, w.result) + "\n";
    if (w.result != "f32")
      body += "  %single = arith.extf %q : " + shaped(shape, w.result) +
              " to " + shaped(shape, "f32") + "\n";
    body += fillResult(w.result == "f32" ? "q" : "single", shape);
    Bits x = w.format == "e4m3"   ? Bits(tileSize, 0x38b8c0c4)
             : w.format == "e5m2" ? smallCodes("f8E5M2", 4)
                                  : random(w.words, 7);
    expectReferenceBits({{w.words}, "f32", body}, {x});
  }
}

//===----------------------------------------------------------------------===//
// Triangular systems
//===----------------------------------------------------------------------===//

TEST_F(TileOpsTest, Solve) {
  for (const std::vector<int64_t> &shape :
       {std::vector<int64_t>{32, 32}, std::vector<int64_t>{4, 16, 16},
        std::vector<int64_t>{1, 32, 32}})
    for (bool hasRhs : {false, true}) {
      std::string type = shaped(shape, "f32");
      std::string body = reshape("l", "x0", tileOf("f32"), type) +
                         reshape("b", "x1", tileOf("f32"), type) +
                         "  %x = tile.solve_unit_lower %l" +
                         (hasRhs ? ", %b" : "") + " : " + type +
                         (hasRhs ? ", " + type : "") + " -> " + type + "\n" +
                         reshape("r", "x", type, tileOf("f32"));
      MapKernel kernel{{"f32", "f32"}, "f32", body};
      Bits lower(tileSize), rhs(tileSize);
      std::mt19937 generator(3);
      int64_t n = shape.back();
      for (int64_t index = 0; index < tileSize; ++index) {
        // NaN where it is not looked at.
        bool isBelow = index % n < index / n % n;
        double number = std::ldexp(double(generator() % 2001) - 1000, -12);
        lower[index] = encode("f32", isBelow ? number : NAN);
        rhs[index] = encode("f32", double(generator() % 2001) - 1000);
      }
      Bits expected = runReference(kernel, {lower, rhs});
      for (const std::string &target : getTargets()) {
        Bits actual = runCompiled(kernel, {lower, rhs}, target);
        ASSERT_EQ(actual.size(), expected.size());
        for (int64_t index = 0; index < tileSize; ++index) {
          double wanted = decode("f32", expected[index]);
          // Each of n steps adds a rounding of the largest of its terms.
          double tolerance = n * 0x1p-24 * (hasRhs ? 8000 : 8);
          ASSERT_NEAR(decode("f32", actual[index]), wanted, tolerance)
              << target << " at " << index;
        }
      }
    }
}

/// A matrix of blocks that are alike, and its inverse, as sums of neighbours:
/// merged twice and three times, by products in f32 and in tf32.
TEST_F(TileOpsTest, SolveByBlocks) {
  for (auto [n, isRounded] :
       {std::pair(64l, false), std::pair(64l, true), std::pair(128l, true)}) {
    int64_t times = n / 32;
    std::vector<int64_t> one = {1, 32, 1, 32}, all = {times, 32, times, 32};
    std::string type = shaped({n, n}, "f32");
    std::string body = reshape("p", "x0", tileOf("f32"), shaped(one, "f32")) +
                       "  %a = tt.broadcast %p : " + shaped(one, "f32") +
                       " -> " + shaped(all, "f32") + "\n" +
                       reshape("l", "a", shaped(all, "f32"), type) +
                       "  %x = tile.solve_unit_lower %l" +
                       (isRounded ? " inputPrecision = tf32" : "") + " : " +
                       type + " -> " + type + "\n" + fillResult("x", {n, n});
    MapKernel kernel{{"f32"}, "f32", body};
    Bits lower(tileSize);
    std::mt19937 generator(7);
    for (uint64_t &bits : lower)
      bits = encode("f32", std::ldexp(double(generator() % 2001) - 1000, -15));
    Bits expected = runReference(kernel, {lower});
    for (const std::string &target : getTargets()) {
      Bits actual = runCompiled(kernel, {lower}, target);
      ASSERT_EQ(actual.size(), expected.size());
      // The inverse's elements are below 2, its factors below n * n / 1024.
      double unit = isRounded ? 0x1p-11 : 0x1p-22;
      double tolerance = double(n * n / tileSize) * n / 8 * unit;
      for (int64_t index = 0; index < tileSize; ++index)
        ASSERT_NEAR(decode("f32", actual[index]),
                    decode("f32", expected[index]), tolerance)
            << target << " at " << index << " of " << n
            << (isRounded ? " in tf32" : "");
    }
  }
}
