// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which accesses of a thread have to stay in their order, and that blocks are
// ordered so.

#include "lib/Codegen/MemoryAccess.h"
#include "lib/Codegen/BlockGraph.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace tilewright;
using codegen::BlockGraph;
using codegen::MemoryAccess;

namespace {
/// A kernel of one block, with arguments %x, %y: ptr addrspace(1), %s: ptr
/// addrspace(3), %i: i64, %f: float, %p: i1.
class Block {
public:
  explicit Block(const std::string &body) {
    SMDiagnostic error;
    module = parseAssemblyString(
        "declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)\n"
        "define ptx_kernel void @kernel(ptr addrspace(1) %x, ptr addrspace(1) "
        "%y, ptr addrspace(3) %s, i64 %i, float %f, i1 %p) {\n" +
            body + "ret void\n}\n",
        error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
  }

  MemoryAccess getAccess(unsigned number) const {
    return codegen::getMemoryAccess(*std::next(block().begin(), number),
                                    module->getDataLayout());
  }
  BasicBlock &block() const {
    return module->getFunction("kernel")->getEntryBlock();
  }

private:
  LLVMContext context;
  std::unique_ptr<Module> module;
};
} // namespace

/// Whether the last of the instructions has to stay behind the first.
static bool isOrdered(const std::string &body) {
  Block block(body);
  unsigned last = block.block().size() - 2;
  return block.getAccess(last).dependsOn(block.getAccess(0));
}

TEST(MemoryAccess, OneBaseMeetsWhereBytesAreTheSame) {
  std::string load = "%a = load float, ptr addrspace(1) %x\n";
  std::string near = "%n = getelementptr i8, ptr addrspace(1) %x, i64 3\n"
                     "store float %f, ptr addrspace(1) %n\n";
  std::string far = "%n = getelementptr i8, ptr addrspace(1) %x, i64 4\n"
                    "store float %f, ptr addrspace(1) %n\n";
  EXPECT_TRUE(isOrdered(load + near));
  EXPECT_FALSE(isOrdered(load + far));
}

TEST(MemoryAccess, AnotherIndexOfOneArgumentMayMeet) {
  EXPECT_TRUE(isOrdered("%a = load float, ptr addrspace(1) %x\n"
                        "%m = getelementptr float, ptr addrspace(1) %x, i64 "
                        "%i\n"
                        "%n = getelementptr i8, ptr addrspace(1) %m, i64 4\n"
                        "store float %f, ptr addrspace(1) %n\n"));
}

TEST(MemoryAccess, ArgumentsMeetInPlaceAlone) {
  std::string load = "%a = load float, ptr addrspace(1) %x\n";
  EXPECT_TRUE(isOrdered(load + "store float %f, ptr addrspace(1) %y\n"));
  EXPECT_FALSE(isOrdered(load +
                         "%n = getelementptr i8, ptr addrspace(1) %y, i64 4\n"
                         "store float %f, ptr addrspace(1) %n\n"));
}

TEST(MemoryAccess, PointersFromMemoryMayMeetAll) {
  EXPECT_TRUE(isOrdered("store float %f, ptr addrspace(1) %y\n"
                        "%l = load ptr addrspace(1), ptr addrspace(3) %s\n"
                        "%n = getelementptr i8, ptr addrspace(1) %l, i64 64\n"
                        "%a = load float, ptr addrspace(1) %n\n"));
}

TEST(MemoryAccess, AddressSpacesDoNotMeet) {
  EXPECT_FALSE(isOrdered("store float %f, ptr addrspace(3) %s\n"
                         "%a = load float, ptr addrspace(1) %x\n"));
}

TEST(MemoryAccess, BarriersAndVolatileAccessesStay) {
  std::string barrier =
      "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n";
  EXPECT_TRUE(isOrdered(barrier + "%a = load float, ptr addrspace(1) %x\n"));
  EXPECT_TRUE(isOrdered("%a = load volatile float, ptr addrspace(1) %x\n"
                        "%b = load float, ptr addrspace(1) %y\n"));
}

//===----------------------------------------------------------------------===//
// Inline PTX
//===----------------------------------------------------------------------===//

static MemoryAccess getAssemblyAccess(const std::string &text) {
  Block block("%a = call {i32, i32} asm sideeffect \"" + text +
              "\", \"=&r,=&r,l,b\"(ptr addrspace(1) %x, i1 %p)\n");
  return block.getAccess(0);
}

TEST(MemoryAccess, ReadsInlineLoads) {
  MemoryAccess access =
      getAssemblyAccess("mov.b32 $0, 0;\\0A\\09mov.b32 $1, 0;\\0A\\09@$3 "
                        "ld.global.L1::evict_last.v2.b32 {$0, $1}, [$2+2048];");
  EXPECT_EQ(access.kind, MemoryAccess::Read);
  EXPECT_EQ(access.addressSpace, 1u);
  EXPECT_EQ(access.offset, 2048);
  EXPECT_EQ(access.bytes, 8u);
}

TEST(MemoryAccess, ReadsInlineStores) {
  Block block("call void asm sideeffect \"@$2 st.global.b32 [$0+-4], $1;\", "
              "\"l,r,b\"(ptr addrspace(1) %x, float %f, i1 %p)\n");
  MemoryAccess access = block.getAccess(0);
  EXPECT_EQ(access.kind, MemoryAccess::Write);
  EXPECT_EQ(access.offset, -4);
  EXPECT_EQ(access.bytes, 4u);
}

TEST(MemoryAccess, OtherInlineCodeStays) {
  for (const char *text :
       {"ld.global.v2.b32 {$0, $1}, [$2]; membar.gl;",
        "ld.volatile.global.v2.b32 {$0, $1}, [$2];",
        "ld.acquire.gpu.global.v2.b32 {$0, $1}, [$2];",
        "atom.global.add.u32 $0, [$2], 1;", "ld.global.v2.b32 {$0, $1}, [$9];",
        "ld.global.v2.b32 {$0, $1}, [$3];", "st.global.b32 [here], 1;", ""})
    EXPECT_EQ(getAssemblyAccess(text).kind, MemoryAccess::Ordered) << text;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

TEST(BlockGraph, CountsWhatLivesAtATime) {
  Block block("%a = load <4 x float>, ptr addrspace(1) %x\n"
              "%b = extractelement <4 x float> %a, i64 0\n"
              "%c = extractelement <4 x float> %a, i64 1\n"
              "%d = fadd float %b, %c\n"
              "%e = fcmp olt float %b, %d\n"
              "%g = select i1 %e, float %f, float %b\n"
              "store float %g, ptr addrspace(1) %y\n");
  BlockGraph graph(block.block());
  // Two parts, then one of them with the sum, then the choice.
  EXPECT_EQ(graph.countPressure({0, 1, 2, 3, 4, 5, 6}), 2u);
  EXPECT_EQ(graph[6].accessesBefore, SmallVector<unsigned>{0});
  EXPECT_TRUE(graph[1].isPart);
  EXPECT_EQ(graph[4].registers, 0u);
}
