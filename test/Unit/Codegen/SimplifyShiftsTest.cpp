// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bits shifts are computed of.

#include "lib/Codegen/SimplifyShifts.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

#include <functional>

using namespace llvm;
using namespace tilewright;

/// What becomes of a function of %base, %lane (below 32) and %any, which
/// returns %out: the instructions that this is made of, one a line.
static std::string simplify(const std::string &body) {
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(
      "define i64 @f(i64 %base, i32 range(i32 0, 32) %lane, i64 %any) {\n" +
          body + "ret i64 %out\n}\n",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  Function &function = *module->getFunction("f");
  FunctionAnalysisManager analyses;
  codegen::SimplifyShifts().run(function, analyses);
  EXPECT_FALSE(verifyFunction(function, &errs()));
  std::function<std::string(Value *)> spell = [&](Value *value) -> std::string {
    if (auto *constant = dyn_cast<ConstantInt>(value))
      return std::to_string(constant->getZExtValue());
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction)
      return value->getName().str();
    std::string text = std::string(instruction->getOpcodeName()) + "(";
    for (Use &operand : instruction->operands())
      text += (operand.getOperandNo() ? ", " : "") + spell(operand);
    return text + ")";
  };
  return spell(function.getEntryBlock().getTerminator()->getOperand(0));
}

TEST(SimplifyShifts, BitsThatAreShiftedOutAreLeftOut) {
  std::string element = "%first = shl i64 %base, 9\n"
                        "%e = or disjoint i32 %lane, 480\n"
                        "%wide = zext i32 %e to i64\n"
                        "%index = or disjoint i64 %first, %wide\n";
  EXPECT_EQ(simplify(element + "%out = lshr i64 %index, 8\n"),
            "lshr(or(shl(base, 9), 256), 8)");
  EXPECT_EQ(simplify(element + "%out = lshr i64 %index, 9\n"),
            "lshr(shl(base, 9), 9)");
  // A bit of the lane is left.
  EXPECT_EQ(simplify(element + "%out = lshr i64 %index, 4\n"),
            "lshr(or(shl(base, 9), zext(or(lane, 480))), 4)");
  // Nothing is known of it.
  EXPECT_EQ(simplify("%index = or i64 %base, %any\n"
                     "%out = lshr i64 %index, 8\n"),
            "lshr(or(base, any), 8)");
  EXPECT_EQ(simplify("%index = or i64 %any, 255\n"
                     "%out = lshr exact i64 %index, 8\n"),
            "lshr(any, 8)");
}
