// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/RegisterLimit.h"

#include "gtest/gtest.h"

using tilewright::codegen::dropRegisterLimit;
using tilewright::codegen::setRegisterLimit;

namespace {

constexpr const char *module = ".visible .entry first(\n"
                               "\t.param .u64 first_param_0\n)\n"
                               ".reqntid 128, 1, 1\n"
                               ".maxnreg 40\n{\n\tret;\n}\n"
                               ".visible .entry first_of_two(\n)\n"
                               ".maxnreg 128\n{\n\tret;\n}\n"
                               ".visible .entry free(\n)\n"
                               "{\n\tret;\n}\n"
                               ".visible .entry last(\n)\n"
                               ".maxnreg 8\n{\n\tret;\n}\n";

/// `module` with `to` in the place of `from`.
std::string replaced(const std::string &from, const std::string &to) {
  std::string text = module;
  return text.replace(text.find(from), from.size(), to);
}

TEST(RegisterLimit, IsThatOfTheKernelAlone) {
  std::string ptx = module;
  EXPECT_TRUE(setRegisterLimit(ptx, "first", 255));
  EXPECT_EQ(ptx, replaced(".maxnreg 40", ".maxnreg 255"));
  ptx = module;
  EXPECT_TRUE(setRegisterLimit(ptx, "first_of_two", 64));
  EXPECT_EQ(ptx, replaced(".maxnreg 128", ".maxnreg 64"));
  ptx = module;
  EXPECT_TRUE(setRegisterLimit(ptx, "last", 16));
  EXPECT_EQ(ptx, replaced(".maxnreg 8", ".maxnreg 16"));
}

TEST(RegisterLimit, IsTakenFromTheKernelAlone) {
  std::string ptx = module;
  EXPECT_TRUE(dropRegisterLimit(ptx, "first"));
  EXPECT_EQ(ptx, replaced(".maxnreg 40", ""));
  EXPECT_FALSE(dropRegisterLimit(ptx, "first"));
}

TEST(RegisterLimit, StaysWhereThereIsNone) {
  std::string ptx = module;
  EXPECT_FALSE(dropRegisterLimit(ptx, "free"));
  EXPECT_FALSE(setRegisterLimit(ptx, "free", 255));
  EXPECT_FALSE(setRegisterLimit(ptx, "absent", 255));
  EXPECT_FALSE(setRegisterLimit(ptx, "firs", 255));
  EXPECT_EQ(ptx, module);
}

} // namespace
