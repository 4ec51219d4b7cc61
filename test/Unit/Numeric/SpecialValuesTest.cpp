// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every elementwise op that the reference knows, of every type that it has,
// compiled for every target and run on numbers on which implementations part
// ways: zeros of both signs, ends of subnormal and normal numbers, halves to
// round, ends of the integer types, infinities, NaN; each with each. An op
// without a case here fails a test.

#include "test/Unit/Numeric/NumericTest.h"

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "lib/Judges/Reference/Interpreter.h"
#include "lib/Judges/Reference/Numbers.h"
#include "passes/Pipelines/Pipelines.h"
#include "passes/Tile/TileIROps.h"
#include "passes/TileGPUToLLVM/LibraryInstructions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::numeric;

namespace {

using Types = std::vector<std::string>;

const Types integers = {"i1", "i8", "i16", "i32", "i64"};
const Types floats = {"f16", "bf16", "f32", "f64"};
const Types smallFloats = {"f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"};

/// One op on operands of these types.
struct OpCase {
  /// The op's name; what else is in the body only feeds it.
  std::string op;
  MapKernel kernel;
  /// How far a result may be from the reference's, in units of the last place
  /// of the wider of f32 and the result's type (docs/Numbers.md). 0: the same
  /// bits.
  double bound = 0;
  /// As far as that anything goes: where results are subnormal.
  double absolute = 0;
};

std::string tilesOf(const Types &types) {
  std::string text;
  for (const std::string &type : types)
    text += (text.empty() ? "" : ", ") + tileOf(type);
  return text;
}

/// `%r = op %x0, %x1, ... attributes : type` in MLIR's generic form.
OpCase makeGeneric(const std::string &op, const Types &operands,
                   const std::string &result,
                   const std::string &properties = "") {
  std::string names;
  for (size_t index = 0; index < operands.size(); ++index)
    names += (index ? ", %x" : "%x") + std::to_string(index);
  return {op,
          {operands, result,
           "  %r = \"" + op + "\"(" + names + ") " + properties + " : (" +
               tilesOf(operands) + ") -> " + tileOf(result)}};
}

class Cases {
public:
  Cases() {
    addFloats();
    addFunctions();
    addIntegers();
    addDivisions();
    addConversions();
    addSeveralResults();
    addPointers();
  }

  std::vector<OpCase> all;

private:
  /// Of operands and a result of one type.
  void addSame(const Types &ops, unsigned count, const Types &types,
               double bound = 0, const std::string &properties = "") {
    for (const std::string &op : ops)
      for (const std::string &type : types) {
        all.push_back(makeGeneric(op, Types(count, type), type, properties));
        all.back().bound = bound;
      }
  }

  void add(const std::string &op, const Types &operands,
           const std::string &result, const std::string &body,
           double bound = 0) {
    all.push_back({op, {operands, result, body}, bound});
  }

  void addFloats() {
    addSame({"arith.addf", "arith.subf", "arith.mulf", "arith.maximumf",
             "arith.minimumf", "arith.maxnumf", "arith.minnumf", "arith.remf",
             "math.copysign"},
            2, floats);
    addSame({"tt.precise_divf"}, 2, floats);
    addSame({"arith.divf"}, 2, {"f16", "bf16", "f64"});
    addSame({"arith.divf", "tt.approx_divf"}, 2, {"f32"}, 2);
    addSame({"math.ceil", "math.floor", "math.round", "math.roundeven",
             "math.trunc", "math.sqrt", "tt.precise_sqrt"},
            1, floats);
    addSame({"arith.negf", "math.absf"}, 1, floats);
    addSame({"arith.negf", "math.absf"}, 1, smallFloats);
    // The reference rounds to f64 first, bf16 goes by way of f32 in places.
    addSame({"math.fma"}, 3, {"f32", "f64"}, 1);
    addSame({"math.fma"}, 3, {"f16", "bf16"}, 4);
    for (const std::string &type : floats) {
      for (const char *op : {"math.isnan", "math.isinf", "math.isfinite"})
        all.push_back(makeGeneric(op, {type}, "i1"));
      for (int predicate = 0; predicate < 16; ++predicate)
        all.push_back(makeGeneric("arith.cmpf", {type, type}, "i1",
                                  "<{predicate = " + std::to_string(predicate) +
                                      " : i64}>"));
      addClamps(type);
    }
  }

  /// The bounds are numbers, and in order: others have no meaning.
  void addClamps(const std::string &type) {
    std::string tile = tileOf(type);
    for (const char *nan : {"none", "all"})
      add("tt.clampf", {type, type}, type,
          "  %one = arith.constant dense<1.0> : " + tile +
              "\n  %magnitude = math.absf %x1 : " + tile +
              "\n  %none = arith.cmpf uno, %magnitude, %magnitude : " + tile +
              "\n  %high = arith.select %none, %one, %magnitude : " +
              tileOf("i1") + ", " + tile +
              "\n  %low = arith.negf %high : " + tile +
              "\n  %r = tt.clampf %x0, %low, %high, propagateNan = " + nan +
              " : " + tile);
  }

  void addFunctions() {
    addSame({"math.acos",  "math.acosh", "math.asin",  "math.asinh",
             "math.atan",  "math.atanh", "math.cbrt",  "math.cos",
             "math.cosh",  "math.erf",   "math.erfc",  "math.expm1",
             "math.log",   "math.log10", "math.log1p", "math.log2",
             "math.rsqrt", "math.sin",   "math.sinh",  "math.tan",
             "math.tanh"},
            1, floats, 4);
    addSame({"math.atan2", "math.powf"}, 2, floats, 4);
    addSame({"math.exp", "math.exp2"}, 1, floats, 4);
    for (OpCase &each : all) {
      std::string type = each.kernel.resultType;
      if (each.op != "math.exp" && each.op != "math.exp2")
        continue;
      // Of 2^-22.5 + |x| 2^-24, where |x| is at most 89; small results are 0.
      each.bound = type == "f64" ? 4 : 48;
      each.absolute = type == "f32" ? 0x1p-126 : 0;
    }
    for (const std::string &type : floats)
      for (const char *exponent : {"i16", "i32"})
        add("math.fpowi", {type, exponent}, type,
            "  %r = math.fpowi %x0, %x1 : " + tilesOf({type, exponent}), 4);
  }

  void addIntegers() {
    addSame({"arith.addi", "arith.subi", "arith.muli", "arith.minsi",
             "arith.maxsi", "arith.minui", "arith.maxui", "arith.andi",
             "arith.ori", "arith.xori", "arith.shli", "arith.shrsi",
             "arith.shrui"},
            2, integers);
    addSame({"math.ctlz", "math.cttz", "math.ctpop", "math.absi"}, 1, integers);
    addSame({"tt.mulhiui"}, 2, {"i8", "i16", "i32", "i64"});
    for (const std::string &type : integers)
      for (int predicate = 0; predicate < 10; ++predicate)
        all.push_back(makeGeneric("arith.cmpi", {type, type}, "i1",
                                  "<{predicate = " + std::to_string(predicate) +
                                      " : i64}>"));
    for (const Types &types : {integers, floats, smallFloats})
      for (const std::string &type : types)
        all.push_back(makeGeneric("arith.select", {"i1", type, type}, type));
  }

  /// By what is neither 0 nor, of the least number, -1.
  void addDivisions() {
    for (const char *op : {"divsi", "divui", "remsi", "remui", "ceildivsi",
                           "ceildivui", "floordivsi"})
      for (const std::string &type : integers) {
        // i1 has no other divisor than the one that may not be.
        if (type == "i1" && StringRef(op).ends_with("si"))
          continue;
        std::string tile = tileOf(type), flags = tileOf("i1");
        std::string least =
            std::to_string(INT64_MIN >> (64 - std::stoi(type.substr(1))));
        std::string one = type == "i1" ? "true" : "1";
        std::string zero = type == "i1" ? "false" : "0";
        std::string minus = type == "i1" ? "true" : "-1";
        if (type == "i1")
          least = "true";
        std::string body =
            "  %zero = arith.constant dense<" + zero + "> : " + tile +
            "\n  %one = arith.constant dense<" + one + "> : " + tile +
            "\n  %minus = arith.constant dense<" + minus + "> : " + tile +
            "\n  %least = arith.constant dense<" + least + "> : " + tile +
            "\n  %isZero = arith.cmpi eq, %x1, %zero : " + tile +
            "\n  %isMinus = arith.cmpi eq, %x1, %minus : " + tile +
            "\n  %isLeast = arith.cmpi eq, %x0, %least : " + tile +
            "\n  %isTooBig = arith.andi %isMinus, %isLeast : " + flags +
            "\n  %isBad = arith.ori %isZero, %isTooBig : " + flags +
            "\n  %divisor = arith.select %isBad, %one, %x1 : " + flags + ", " +
            tile + "\n  %r = arith." + op + " %x0, %divisor : " + tile;
        add(std::string("arith.") + op, {type, type}, type, body);
      }
  }

  void addConversions() {
    auto width = [](const std::string &type) {
      return std::stoi(type.substr(type.find_first_of("0123456789")));
    };
    for (const std::string &from : integers) {
      for (const std::string &to : integers)
        for (const char *op : {"arith.extsi", "arith.extui", "arith.trunci"})
          if (width(from) != width(to) &&
              (width(from) > width(to)) == (op == std::string("arith.trunci")))
            all.push_back(makeGeneric(op, {from}, to));
      for (const std::string &real : floats) {
        for (const char *op : {"arith.sitofp", "arith.uitofp"})
          all.push_back(makeGeneric(op, {from}, real));
        for (const char *op : {"arith.fptosi", "arith.fptoui"})
          all.push_back(makeGeneric(op, {real}, from));
      }
    }
    for (const std::string &narrow : {"f16", "bf16", "f32"})
      for (const std::string &wide : {"f32", "f64"})
        if (width(narrow == "bf16" ? "f16" : narrow) < width(wide)) {
          all.push_back(makeGeneric("arith.extf", {narrow}, wide));
          all.push_back(makeGeneric("arith.truncf", {wide}, narrow));
        }
    for (const std::string &narrow : smallFloats)
      for (const std::string &wide : floats) {
        all.push_back(makeGeneric("arith.extf", {narrow}, wide));
        all.push_back(makeGeneric("arith.truncf", {wide}, narrow));
        addFpToFp(narrow, wide);
      }
    addFpToFp("f16", "f32");
    addFpToFp("bf16", "f32");
    for (auto [integer, real] : {std::pair("i8", "f8E4M3FN"),
                                 {"i8", "f8E5M2"},
                                 {"i16", "f16"},
                                 {"i16", "bf16"},
                                 {"i32", "f32"},
                                 {"i64", "f64"}})
      for (const char *op : {"arith.bitcast", "tt.bitcast"}) {
        // The reference keeps no payloads of NaN.
        all.push_back(makeGeneric(op, {integer}, real));
      }
  }

  void addFpToFp(const std::string &narrow, const std::string &wide) {
    add("tt.fp_to_fp", {narrow}, wide,
        "  %r = tt.fp_to_fp %x0 : " + tileOf(narrow) + " -> " + tileOf(wide));
    for (const char *rounding : {"rtne", "rtz"})
      add("tt.fp_to_fp", {wide}, narrow,
          std::string("  %r = tt.fp_to_fp %x0, rounding = ") + rounding +
              " : " + tileOf(wide) + " -> " + tileOf(narrow));
  }

  /// Each result in a kernel of its own.
  void addSeveralResults() {
    for (const std::string &type : integers)
      for (int result : {0, 1}) {
        std::string tile = tileOf(type), pick = "#" + std::to_string(result);
        std::string carry = result ? "i1" : type;
        add("arith.addui_extended", {type, type}, carry,
            "  %p:2 = arith.addui_extended %x0, %x1 : " + tile + ", " +
                tileOf("i1") + "\n  %z = arith.constant dense<" +
                (carry == "i1" ? "true" : "-1") + "> : " + tileOf(carry) +
                "\n  %r = arith.andi %p" + pick + ", %z : " + tileOf(carry));
        for (const char *op : {"mulsi_extended", "mului_extended"})
          add(std::string("arith.") + op, {type, type}, type,
              std::string("  %p:2 = arith.") + op + " %x0, %x1 : " + tile +
                  "\n  %z = arith.constant dense<" +
                  (type == "i1" ? "true" : "-1") + "> : " + tile +
                  "\n  %r = arith.andi %p" + pick + ", %z : " + tile);
      }
    for (const std::string &type : floats)
      for (const char *result : {"0", "1"})
        add("math.sincos", {type}, type,
            "  %p, %q = math.sincos %x0 : " + tileOf(type) +
                "\n  %r = math.absf %" + (*result == '0' ? "p" : "q") + " : " +
                tileOf(type),
            4);
  }

  void addPointers() {
    std::string words = tileOf("i64"), pointers = tileOf("!tt.ptr<f32>");
    std::string begin =
        "  %p = tt.int_to_ptr %x0 : " + words + " -> " + pointers + "\n";
    std::string end = "  %r = tt.ptr_to_int %q : " + pointers + " -> " + words;
    for (const char *op : {"tt.int_to_ptr", "tt.ptr_to_int", "tt.addptr"})
      for (const char *offset : {"i32", "i64"})
        add(op, {"i64", offset}, "i64",
            begin + "  %q = tt.addptr %p, %x1 : " + pointers + ", " +
                tileOf(offset) + "\n" + end);
  }
};

class SpecialValuesTest : public NumericTest {
protected:
  /// Both signs of what special cases are made of.
  Bits makeSpecialFloats(const std::string &type) {
    auto format = cast<FloatType>(getType(type));
    const llvm::fltSemantics &semantics = format.getFloatSemantics();
    unsigned width = format.getWidth();
    int precision = llvm::APFloat::semanticsPrecision(semantics);
    int least = llvm::APFloat::semanticsMinExponent(semantics);
    Bits codes = {0, 1, 2, encode(type, std::ldexp(1.0, least)),
                  encode(type, std::ldexp(1.0, least)) - 1};
    for (double number : {0.1, 0.5, 0.7, 1.0, 1.5, 2.5, 3.0, 255.5, 65504.0,
                          0x1p31, 1e10, 0x1.fffffep127})
      codes.push_back(encode(type, number));
    codes.push_back(encode(type, 1.0) + 1);
    codes.push_back(encode(type, std::ldexp(1.0, precision)));
    codes.push_back(
        llvm::APFloat::getLargest(semantics).bitcastToAPInt().getZExtValue());
    codes.push_back(encode(type, INFINITY));
    codes.push_back(encode(type, NAN));
    for (size_t index = 0, count = codes.size(); index < count; ++index)
      codes.push_back(codes[index] | uint64_t(1) << (width - 1));
    return codes;
  }

  /// Around 0, around powers of two and the ends.
  Bits makeSpecialIntegers(const std::string &type) {
    unsigned width = reference::getWidth(getType(type));
    Bits codes = {0,
                  1,
                  2,
                  3,
                  5,
                  7,
                  100,
                  ~uint64_t(0),
                  ~uint64_t(1),
                  uint64_t(-7),
                  0x123456789abcdef0};
    for (unsigned power : {width - 1, width / 2, width - 2, 23u, 24u, 52u})
      for (int64_t step : {-1, 0, 1})
        codes.push_back((uint64_t(1) << (power % 64)) + step);
    for (uint64_t &code : codes)
      code = reference::wrapInteger(code, width);
    return codes;
  }

  Bits makeSpecials(const std::string &type) {
    if (reference::getWidth(getType(type)) <= 8)
      return allCodes(reference::getWidth(getType(type)));
    return isa<FloatType>(getType(type)) ? makeSpecialFloats(type)
                                         : makeSpecialIntegers(type);
  }

  /// The first operand's specials with the second one's, all pairs while there
  /// is room; a third's go round.
  std::vector<Bits> makeInputs(const Types &types) {
    std::vector<Bits> specials, inputs(types.size());
    size_t total = 1;
    for (const std::string &type : types) {
      specials.push_back(makeSpecials(type));
      total *= specials.back().size();
    }
    size_t count = std::min<size_t>(total, 2 * tileSize);
    // A step that meets every pair, rather than the first ones, of many.
    size_t step = total <= count ? 1 : total / count | 1;
    for (size_t index = 0; index < count; ++index) {
      size_t rest = index * step % total;
      for (size_t operand = 0; operand < types.size(); ++operand) {
        inputs[operand].push_back(
            specials[operand][rest % specials[operand].size()]);
        rest /= specials[operand].size();
      }
    }
    return inputs;
  }

  /// The distance in the units of OpCase::bound.
  double getDistance(const std::string &name, uint64_t expected,
                     uint64_t actual) {
    auto type = dyn_cast<FloatType>(getType(name));
    if (!type || expected == actual)
      return expected == actual ? 0 : INFINITY;
    double one = decode(name, expected), other = decode(name, actual);
    if (std::isnan(one) || std::isnan(other))
      return std::isnan(one) && std::isnan(other) ? 0 : INFINITY;
    if (std::signbit(one) != std::signbit(other))
      return INFINITY;
    // Neighbours of one sign have neighbouring codes. A unit of a half is
    // already more than any bound in f32.
    int64_t codes = std::abs(int64_t(expected) - int64_t(actual));
    return codes * (type.getWidth() < 32 ? 4.0 : 1.0);
  }

  void check(const OpCase &each, const std::vector<Bits> &inputs,
             const std::pair<Bits, Bits> &expected, const std::string &target) {
    const std::string &type = each.kernel.resultType;
    Bits actual = runCompiled(each.kernel, inputs, target);
    ASSERT_EQ(actual.size(), expected.first.size());
    unsigned failures = 0;
    for (size_t index = 0; index < actual.size() && failures < 3; ++index) {
      // Undefined: it depends on what undefined elements are.
      if (expected.first[index] != expected.second[index])
        continue;
      uint64_t wanted = expected.first[index], got = actual[index];
      if (getDistance(type, wanted, got) <= each.bound)
        continue;
      if (each.absolute && std::fabs(decode(type, wanted)) < each.absolute &&
          std::fabs(decode(type, got)) < each.absolute)
        continue;
      ++failures;
      std::string operands;
      for (const Bits &input : inputs)
        operands += " 0x" + llvm::utohexstr(input[index]);
      ADD_FAILURE() << each.op << " for " << target << " of" << operands
                    << " expects 0x" << std::hex << wanted << ", but got 0x"
                    << got << "\n"
                    << each.kernel.body;
    }
  }

  void check(const OpCase &each, const std::vector<std::string> &targets) {
    std::vector<Bits> inputs = makeInputs(each.kernel.inputTypes);
    std::pair<Bits, Bits> expected = {
        runReference(each.kernel, inputs),
        runReference(each.kernel, inputs, ~uint64_t(0x5ade5ade5ade5ade))};
    if (expected.first.empty() || expected.second.empty())
      return;
    for (const std::string &target : targets)
      check(each, inputs, expected, target);
  }
};

} // namespace

TEST_F(SpecialValuesTest, EveryElementwiseOpHasACase) {
  DialectRegistry registry;
  registerAllDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  llvm::StringSet<> names;
  for (const OpCase &each : Cases().all)
    names.insert(each.op);
  // Indices are scalars only; what a region does is its ops' affair; the
  // library has a test of its own below.
  for (const char *name : {"arith.index_cast", "arith.index_castui",
                           "tt.map_elementwise", "tt.extern_elementwise"})
    EXPECT_TRUE(names.insert(name).second) << name;
  for (StringRef dialect : tile::getTileIRDialects())
    for (RegisteredOperationName name : getRegisteredOps(context, dialect)) {
      bool isElementwise = name.hasTrait<OpTrait::Elementwise>() ||
                           name.hasTrait<ElementwiseOnTiles>();
      if (isElementwise && reference::Interpreter::knows(name) &&
          !tile::lacksLowering(name))
        EXPECT_TRUE(names.contains(name.getStringRef()))
            << name.getStringRef().str() << " has no case";
    }
}

TEST_F(SpecialValuesTest, CompiledCodeGivesWhatTheReferenceGives) {
  // Functions are the same code for all targets.
  std::vector<std::string> ends = {getTargets().front(), getTargets().back()};
  for (const OpCase &each : Cases().all)
    check(each, each.bound >= 4 ? ends : getTargets());
}

TEST_F(SpecialValuesTest, LibraryInstructions) {
  auto spell = [](char letter) -> std::string {
    return letter == 'f'   ? "f32"
           : letter == 'd' ? "f64"
           : letter == 'i' ? "i32"
                           : "i64";
  };
  for (const std::string &name : tilegpu::listLibraryInstructions()) {
    auto found = tilegpu::findLibraryInstruction(name);
    ASSERT_TRUE(found) << name;
    Types operands;
    for (char letter : found->signature.drop_front())
      operands.push_back(spell(letter));
    OpCase each = makeGeneric(
        "tt.extern_elementwise", operands, spell(found->signature.front()),
        "<{libname = \"\", libpath = \"\", pure = true, symbol = \"__nv_" +
            name + "\"}>");
    StringRef rounding = StringRef(name).take_back(3);
    if (StringRef(name).starts_with("fast_") || name == "rsqrtf") {
      // Approximations have no bound in units.
      each.bound = INFINITY;
    } else if (name == "fma" || name == "fmaf" || rounding.starts_with("_r")) {
      // The reference rounds to f64 first, and by no direction, which a sum of
      // 0 shows by its sign.
      each.bound = 1;
      each.absolute = std::numeric_limits<double>::denorm_min();
    }
    check(each, {getTargets().front(), getTargets().back()});
  }
}
