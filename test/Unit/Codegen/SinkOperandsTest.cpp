// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where words are computed that products take from registers.

#include "lib/Codegen/SinkOperands.h"

#include "FunctionPass.h"

using namespace llvm;
using namespace tilewright;

/// The names of the instructions of a block in their order once operands have
/// sunk: `f` and `g` are fences, `f` of `a` alone, and `l` is loaded.
static std::string sink(const std::string &computed, const std::string &words) {
  std::string fence;
  raw_string_ostream(fence)
      << "%g = call { i32, i32 } asm sideeffect \"wgmma.fence.sync.aligned;\", "
         "\"=r,=r,0,1\"("
      << words << ")\n";
  return test::listNames(
      "define i32 @f(ptr %m) {\n"
      "%l = load i32, ptr %m\n"
      "%a = add i32 %l, 1\n" +
          computed +
          "%f = call i32 asm sideeffect \"wgmma.fence.sync.aligned;\", "
          "\"=r,0\"(i32 %a)\n" +
          fence +
          "%r = extractvalue { i32, i32 } %g, 0\n"
          "ret i32 %r\n}\n",
      codegen::SinkOperands());
}

static const std::string twoOfOne = "%b = mul i32 %l, %l\n"
                                    "%c = add i32 %b, 3\n"
                                    "%d = add i32 %b, 5\n";

TEST(SinkOperands, WordsOfFewerBitsAreComputedUnderTheProductBefore) {
  EXPECT_EQ(sink(twoOfOne, "i32 %c, i32 %d"), "lafbcdgr");
}

TEST(SinkOperands, WhatIsLoadedStaysWhereItIs) {
  EXPECT_EQ(sink("%n = load i32, ptr %m\n" + twoOfOne, "i32 %c, i32 %d"),
            "lanfbcdgr");
}

TEST(SinkOperands, AsManyBitsStay) {
  // They would be held in the words' place.
  EXPECT_EQ(sink("%n = load i32, ptr %m\n"
                 "%b = mul i32 %l, %l\n"
                 "%c = add i32 %n, 3\n",
                 "i32 %b, i32 %c"),
            "lanbcfgr");
}

TEST(SinkOperands, WhatAnEarlierFenceTakesIsThereForIt) {
  EXPECT_EQ(sink("%c = add i32 %a, 3\n%d = add i32 %a, 5\n", "i32 %c, i32 %d"),
            "lafcdgr");
}
