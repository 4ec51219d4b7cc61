// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which maxima and minima become unsigned.

#include "lib/Codegen/UnsignExtrema.h"

#include "FunctionPass.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace tilewright;

/// The maxima and minima that become of `body`, in their order.
static std::string unsign(const std::string &body) {
  std::string names;
  auto look = [&](const Function &function) {
    for (const Instruction &instruction : instructions(function))
      if (auto *extremum = dyn_cast<MinMaxIntrinsic>(&instruction))
        names +=
            extremum->getCalledFunction()->getName().substr(5, 4).str() + " ";
  };
  test::runOnText("declare i32 @llvm.smax.i32(i32, i32)\n"
                  "declare i32 @llvm.smin.i32(i32, i32)\n"
                  "define i32 @f(i1 %a, i1 %b, i32 %i) {\n"
                  "%x = zext i1 %a to i32\n"
                  "%y = zext i1 %b to i32\n" +
                      body + "ret i32 %r\n}\n",
                  codegen::UnsignExtrema(), look);
  return names;
}

TEST(UnsignExtrema, OfBooleans) {
  EXPECT_EQ(unsign("%m = call i32 @llvm.smax.i32(i32 %x, i32 %y)\n"
                   "%r = call i32 @llvm.smin.i32(i32 %m, i32 %x)\n"),
            "umax umin ");
}

TEST(UnsignExtrema, NotOfWhatMayBeNegative) {
  EXPECT_EQ(unsign("%m = call i32 @llvm.smax.i32(i32 %x, i32 %i)\n"
                   "%n = call i32 @llvm.smin.i32(i32 %y, i32 %i)\n"
                   "%r = add i32 %m, %n\n"),
            "smax smin ");
}
