// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vprintf and __assertfail: C's formats, the order of what is printed, and what
// is wrong with a call.

#include "lib/Judges/Emulator/Machine/PrintFormat.h"
#include "test/Unit/Emulator/Machine/SmallKernel.h"

#include <gtest/gtest.h>

using namespace tilewright::emulator;

namespace {

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// Arguments as a compiler lays them out.
class Arguments {
public:
  template <typename Value>
  Arguments &add(Value value) {
    bytes.resize((bytes.size() + sizeof(value) - 1) / sizeof(value) *
                 sizeof(value));
    const auto *begin = reinterpret_cast<const char *>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof(value));
    return *this;
  }

  PrintResult format(const std::string &format) const {
    PrintArguments source;
    source.value = [&](uint64_t offset,
                       unsigned size) -> std::optional<uint64_t> {
      uint64_t value = 0;
      if (offset + size > bytes.size())
        return std::nullopt;
      std::memcpy(&value, bytes.data() + offset, size);
      return value;
    };
    // Address 5 is a text.
    source.text = [](uint64_t address,
                     size_t limit) -> std::optional<std::string> {
      if (address != 5)
        return std::nullopt;
      return std::string("a text").substr(0, limit);
    };
    return formatPrint(format, source);
  }
  std::string text(const std::string &text) const {
    PrintResult result = format(text);
    EXPECT_TRUE(result.isGood) << result.problem;
    return result.text;
  }
  std::string problem(const std::string &text) const {
    PrintResult result = format(text);
    EXPECT_FALSE(result.isGood);
    return result.problem;
  }

private:
  std::string bytes;
};

template <typename... Values>
Arguments with(Values... values) {
  Arguments arguments;
  (arguments.add(values), ...);
  return arguments;
}

TEST(PrintFormat, Integers) {
  EXPECT_EQ(with(-5, 7u, 0xabcu, 0xabcu, 8u).text("%d|%u|%x|%#X|%o|%%"),
            "-5|7|abc|0XABC|10|%");
  EXPECT_EQ(with(-1).text("%u"), "4294967295");
  EXPECT_EQ(
      with(int64_t(-1) << 40, ~uint64_t(0), int64_t(3)).text("%lld %llu %ld"),
      "-1099511627776 18446744073709551615 3");
  EXPECT_EQ(with(1, int64_t(2), 3).text("%i %ld %d"), "1 2 3");
  EXPECT_EQ(with(0x18181, -1).text("%hd %hu"), "-32383 65535");
}

TEST(PrintFormat, WidthsAndPrecisions) {
  EXPECT_EQ(with(42, 42, 42, 42, 42).text("%5d|%-5d|%05d|%+d|%.4d"),
            "   42|42   |00042|+42|0042");
  EXPECT_EQ(with(6, 42, -6, 42).text("%*d|%*d|"), "    42|42    |");
  EXPECT_EQ(with(1.2345, 2.5).text("%.2f %f"), "1.23 2.500000");
  EXPECT_EQ(with(3).text("%.d|"), "3|");
  EXPECT_EQ(with(0).text("%.d|"), "|");
}

TEST(PrintFormat, FloatingPoint) {
  EXPECT_EQ(with(1.5, 1e10, 0.0001, -2.0).text("%f %e %g %A"),
            "1.500000 1.000000e+10 0.0001 -0X1P+1");
  EXPECT_EQ(with(std::bit_cast<double>(0x7ff0000000000000), 1.0)
                .text("%8.2f|%-8.2f|"),
            "     inf|1.00    |");
}

TEST(PrintFormat, CharactersTextsAndPointers) {
  EXPECT_EQ(with('x' + 0, uint64_t(5), uint64_t(5)).text("%c%8s|%.1s"),
            "x  a text|a");
  EXPECT_EQ(with(uint64_t(0x7f0000001000), uint64_t(0)).text("%p|%7p"),
            "0x7f0000001000|  (nil)");
  EXPECT_EQ(with(0).text("%c"), std::string(1, '\0'));
  EXPECT_EQ(with().text("nothing"), "nothing");
  EXPECT_EQ(with().text(""), "");
}

TEST(PrintFormat, CountsArguments) {
  EXPECT_EQ(with(5, 1, 2).format("%*d%% %d").count, 3u);
}

TEST(PrintFormat, Problems) {
  const std::string expected =
      "expects a conversion of the device's printf (diuoxXcspfeEgGaA% with h, "
      "l or ll), but got '";
  for (const char *wrong : {"%y", "%n", "%5", "%hhd", "%zu", "%jd", "%td",
                            "%lld%", "%Lf", "%hs", "%F", "%.*", "%5l"}) {
    std::string problem =
        with(int64_t(1), 1).problem(std::string("a ") + wrong);
    EXPECT_EQ(problem,
              expected + (wrong == std::string("%lld%") ? "%" : wrong) + "'");
  }
  EXPECT_EQ(with(1).problem("%99999999999999999999d"),
            "expects widths and precisions of at most 4096, but got 9999");
  EXPECT_EQ(with(-5000, 1).problem("%*d"),
            "expects widths and precisions of at most 4096, but got 5000");
  // Arguments that cannot be read are reported by who reads them.
  EXPECT_EQ(with(1).problem("%d %d"), "");
  EXPECT_EQ(with(uint64_t(6)).problem("%s"), "");
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

const std::string declarations =
    ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c,\n"
    ".param .b64 d, .param .b64 e) .noreturn;\n"
    // "%d %s\n", "x<y", "f.c".
    ".global .align 1 .b8 format[7] = {37, 100, 32, 37, 115, 10};\n"
    ".global .align 1 .b8 text[4] = {120, 60, 121};\n"
    ".global .align 1 .b8 open[3] = {37, 115, 10};\n"
    ".global .align 1 .b8 file[4] = {102, 46, 99};";

/// Fills the arguments, of thread %t, in local memory, and prints them.
const std::string print =
    ".local .align 8 .b8 list[16];\n"
    "mov.b64 %d1, list; cvta.local.u64 %d2, %d1;\n"
    "st.local.b32 [list], %t; st.local.b64 [list+8], text;\n"
    "{ .param .b64 p0; .param .b64 p1; .param .b32 r0;\n"
    "st.param.b64 [p0], format; st.param.b64 [p1], %d2;\n"
    "call.uni (r0), vprintf, (p0, p1);\n"
    "ld.param.b32 %r0, [r0]; }\n"
    "st.global.b32 [%mine], %r0;";

TEST(Print, InTheOrderOfThreads) {
  SmallLaunch how;
  how.threads = 3;
  how.ctas = 2;
  // Both CTAs write the same counts.
  SmallRun run = runSmallModule(declarations, print, how);
  EXPECT_EQ(run.error, "");
  EXPECT_TRUE(run.faults.empty());
  EXPECT_EQ(run.printed, "0 x<y\n1 x<y\n2 x<y\n0 x<y\n1 x<y\n2 x<y\n");
  EXPECT_EQ(run.words, std::vector<uint32_t>(3, 2));
}

TEST(Print, TheSameForEachSeed) {
  SmallLaunch how;
  how.threads = 96;
  how.seed = 3;
  std::string first = runSmallModule(declarations, print, how).printed;
  EXPECT_EQ(first.size(), 10 * 6 + 86 * 7u);
  EXPECT_EQ(runSmallModule(declarations, print, how).printed, first);
}

TEST(Print, InRegisters) {
  SmallLaunch one;
  one.threads = 1;
  SmallRun run = runSmallModule(declarations,
                                "mov.u64 %d1, file;\n"
                                "call (%r0), vprintf, (%d1, 0);\n"
                                "call vprintf, (%d1, 0);\n"
                                "st.global.b32 [%mine], %r0;",
                                one);
  EXPECT_EQ(run.error, "");
  EXPECT_TRUE(run.faults.empty());
  EXPECT_EQ(run.printed, "f.cf.c");
  EXPECT_EQ(run.words[0], 0u);
}

TEST(Print, ReadsWithTheChecks) {
  auto faultsOf = [](const std::string &body) {
    SmallLaunch one;
    one.threads = 1;
    SmallRun run = runSmallModule(declarations, body, one);
    EXPECT_EQ(run.error, "");
    return run;
  };
  EXPECT_TRUE(faultsOf(print).faults.empty());
  // A format without an end, arguments that nobody wrote, too few of them.
  EXPECT_TRUE(faultsOf("mov.u64 %d1, open; call vprintf, (%d1, 0);")
                  .found(Check::OutOfBounds));
  EXPECT_TRUE(faultsOf("mov.u64 %d1, format; call vprintf, (%d1, %d2);")
                  .found(Check::UninitializedRegister));
  EXPECT_TRUE(faultsOf(".param .b64 p0; mov.u64 %d1, format;\n"
                       "call vprintf, (%d1, p0);")
                  .found(Check::UninitializedRegister));
  std::string list = ".local .align 8 .b8 list[8]; mov.u64 %d1, format;\n"
                     "mov.b64 %d2, list; cvta.local.u64 %d2, %d2;\n";
  EXPECT_TRUE(faultsOf(list + "call vprintf, (%d1, %d2);")
                  .found(Check::UninitializedMemory));
  EXPECT_TRUE(faultsOf(list + "st.local.b32 [list], 1;\n"
                              "call vprintf, (%d1, %d2);")
                  .found(Check::OutOfBounds));
}

TEST(Print, WrongFormatIsAFault) {
  SmallLaunch one;
  one.threads = 1;
  SmallRun run = runSmallModule(
      declarations + "\n.global .align 1 .b8 bad[3] = {37, 121};",
      "mov.u64 %d1, bad; call vprintf, (%d1, 0);", one);
  ASSERT_TRUE(run.found(Check::Execution)) << run.error;
  EXPECT_EQ(run.faults[0].message,
            "call: expects a conversion of the device's printf "
            "(diuoxXcspfeEgGaA% with h, l or ll), but got '%y'");
}

TEST(Print, AllOfALaunchIsBounded) {
  // 700 times 32 lanes print 4,000 bytes each, 85 MiB: 64 MiB are kept.
  SmallRun run = runSmallModule(
      declarations + "\n.global .align 1 .b8 wide[7] = {37, 52, 48, 48, 48, "
                     "100};",
      ".local .align 8 .b8 list[8];\nmov.b64 %d2, list; "
      "cvta.local.u64 %d2, %d2;\nst.local.b32 [list], %t; mov.u64 %d1, wide;\n"
      "mov.b32 %r1, 0;\nL: call (%r0), vprintf, (%d1, %d2);\n"
      "add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 700;\n@%p0 bra L;");
  ASSERT_EQ(run.error, "");
  ASSERT_TRUE(run.found(Check::Execution));
  EXPECT_EQ(run.faults[0].message,
            "call: expects at most 67108864 bytes to be printed by a launch");
  EXPECT_EQ(run.printed.size(), 67108000u);
}

TEST(Assertion, SaysWhatAndWhere) {
  std::string call = "{ .param .b64 p0; .param .b64 p1; .param .b32 p2;\n"
                     ".param .b64 p3; .param .b64 p4;\n"
                     "st.param.b64 [p0], text; st.param.b64 [p1], file;\n"
                     "st.param.b32 [p2], 12; st.param.b64 [p3], text;\n"
                     "st.param.b64 [p4], 1;\n"
                     "call.uni __assertfail, (p0, p1, p2, p3, p4); }\n"
                     "trap;\nL:";
  SmallRun run = runSmallModule(
      declarations, "setp.ne.u32 %p0, %t, 5;\n@%p0 bra L;\n" + call);
  ASSERT_EQ(run.faults.size(), 1u) << run.error;
  EXPECT_EQ(run.faults[0].check, Check::Execution);
  EXPECT_EQ(run.faults[0].lane, 5u);
  EXPECT_EQ(run.faults[0].message, "call.uni: assertion 'x<y' failed at "
                                   "f.c:12, in function 'x<y'");
  run = runSmallModule(declarations,
                       "setp.ne.u32 %p0, %t, 55;\n@%p0 bra L;\n" + call);
  EXPECT_TRUE(run.faults.empty());
}

TEST(Print, WhatItRefuses) {
  auto error = [](const std::string &body) {
    return runSmallModule(declarations, body).error;
  };
  EXPECT_EQ(error("call vprintf, (%d1);"),
            "20: the emulator cannot execute 'call': expects 2 arguments of "
            "'vprintf', but got 1");
  EXPECT_EQ(error(".param .b32 p0; call vprintf, (%d1, p0);"),
            "20: the emulator cannot execute 'call': expects a '.param' "
            "variable of 8 bytes, but got 'p0'");
  EXPECT_EQ(error("call (%r0, %r1), vprintf, (%d1, %d1);"),
            "20: the emulator cannot execute 'call': expects fewer results");
}

} // namespace
