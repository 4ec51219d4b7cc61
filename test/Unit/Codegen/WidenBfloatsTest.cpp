// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How bf16 becomes f32.

#include "lib/Codegen/WidenBfloats.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace tilewright;

/// What becomes of a function of %pair, %words and %one, which returns %out:
/// its instructions but the last, with their operands, one a line.
static std::string widen(const std::string &body, bool convertsPairs = true) {
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(
      "define float @f(<2 x bfloat> %pair, <4 x i32> %words, bfloat %one,\n"
      "                i32 %index, <3 x bfloat> %odd) {\n" +
          body + "ret float %out\n}\n",
      error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  Function &function = *module->getFunction("f");
  FunctionAnalysisManager analyses;
  codegen::WidenBfloats(convertsPairs).run(function, analyses);
  EXPECT_FALSE(verifyFunction(function, &errs()));
  std::string text;
  for (Instruction &instruction : instructions(function)) {
    // What is not used any more is for others to remove.
    if (instruction.isTerminator() || instruction.use_empty())
      continue;
    text += instruction.getOpcodeName();
    for (Value *operand : instruction.operand_values()) {
      raw_string_ostream stream(text);
      stream << " ";
      if (isa<Instruction>(operand))
        stream << "_";
      else
        operand->printAsOperand(stream, /*PrintType=*/false);
    }
    text += "\n";
  }
  return text;
}

TEST(WidenBfloats, OfAPair) {
  EXPECT_EQ(widen("%e = extractelement <2 x bfloat> %pair, i32 0\n"
                  "%out = fpext bfloat %e to float\n"),
            "bitcast %pair\nshl _ 16\nbitcast _\n");
  EXPECT_EQ(widen("%e = extractelement <2 x bfloat> %pair, i32 1\n"
                  "%out = fpext bfloat %e to float\n"),
            "bitcast %pair\nand _ -65536\nbitcast _\n");
}

TEST(WidenBfloats, OfWords) {
  std::string loaded = "%v = bitcast <4 x i32> %words to <8 x bfloat>\n"
                       "%e = extractelement <8 x bfloat> %v, i64 5\n";
  EXPECT_EQ(
      widen(loaded + "%out = fpext bfloat %e to float\n"),
      "bitcast %words\nextractelement %words 2\nand _ -65536\nbitcast _\n");
  // The word itself, where it is known.
  EXPECT_EQ(widen("%w = insertelement <4 x i32> %words, i32 %index, i32 1\n"
                  "%v = bitcast <4 x i32> %w to <8 x bfloat>\n"
                  "%e = extractelement <8 x bfloat> %v, i64 2\n"
                  "%out = fpext bfloat %e to float\n"),
            "insertelement %words %index 1\nbitcast _\n"
            "shl %index 16\nbitcast _\n");
}

TEST(WidenBfloats, OthersStay) {
  EXPECT_EQ(widen("%out = fpext bfloat %one to float\n"), "fpext %one\n");
  EXPECT_EQ(widen("%e = extractelement <2 x bfloat> %pair, i32 %index\n"
                  "%out = fpext bfloat %e to float\n"),
            "extractelement %pair %index\nfpext _\n");
  EXPECT_EQ(widen("%e = extractelement <3 x bfloat> %odd, i32 1\n"
                  "%out = fpext bfloat %e to float\n"),
            "extractelement %odd 1\nfpext _\n");
}

TEST(WidenBfloats, OfRounded) {
  std::string number = "%n = bitcast i32 %index to float\n"
                       "%r = fptrunc float %n to bfloat\n";
  EXPECT_EQ(widen(number + "%out = fpext bfloat %r to float\n"),
            "bitcast %index\n"
            "call _ 0.000000e+00 @llvm.nvvm.ff2bf16x2.rn\n"
            "bitcast _\nbitcast _\n");
  EXPECT_EQ(widen(number + "%out = fpext bfloat %r to float\n",
                  /*convertsPairs=*/false),
            "bitcast %index\nfptrunc _\nfpext _\n");
  // Who takes the bf16 too has it rounded anyway.
  EXPECT_EQ(widen(number + "%v = insertelement <2 x bfloat> %pair, bfloat %r, "
                           "i32 0\n"
                           "%w = extractelement <2 x bfloat> %v, i32 %index\n"
                           "%x = fpext bfloat %w to float\n"
                           "%y = fpext bfloat %r to float\n"
                           "%out = fadd float %x, %y\n"),
            "bitcast %index\nfptrunc _\ninsertelement %pair _ 0\n"
            "extractelement _ %index\nfpext _\nfpext _\nfadd _ _\n");
}
