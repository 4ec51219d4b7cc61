// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module's variables: addresses in their initial values, and whose they
// are when a program does not load.

#include "test/Unit/Emulator/Machine/SmallKernel.h"

#include <gtest/gtest.h>

using namespace tilewright::emulator;

namespace {

uint32_t compute(const std::string &declarations, const std::string &body) {
  SmallLaunch one;
  one.threads = 1;
  SmallRun run =
      runSmallModule(declarations, body + "\nst.global.b32 [%mine], %r0;", one);
  EXPECT_EQ(run.error, "");
  EXPECT_TRUE(run.faults.empty());
  return run.words[0];
}

TEST(ModuleVariable, HoldsAddresses) {
  std::string declarations =
      ".global .u32 a[2] = {5, 6};\n.global .u64 table[2] = {a, generic(a)+4};";
  EXPECT_EQ(compute(declarations,
                    "ld.global.u64 %d1, [table+8]; ld.global.u32 %r0, [%d1];"),
            6u);
}

TEST(ModuleVariable, HoldsBytesOfAddresses) {
  // As LLVM writes the address in a packed structure.
  std::string declarations =
      ".global .u32 a[2] = {5, 6};\n"
      ".global .align 1 .u8 packed[9] = {1, 0xFF(generic(a)+4), "
      "0xFF00(generic(a)+4), 0xFF0000(generic(a)+4), "
      "0xFF000000(generic(a)+4), 0xFF00000000(generic(a)+4), "
      "0xFF0000000000(generic(a)+4), 0xFF000000000000(generic(a)+4), "
      "0xFF00000000000000(generic(a)+4)};";
  std::string body = "mov.u64 %d1, 0;\n";
  for (unsigned byte = 8; byte > 0; --byte)
    body += "ld.global.u8 %d2, [packed+" + std::to_string(byte) +
            "]; shl.b64 %d1, %d1, 8; or.b64 %d1, %d1, %d2;\n";
  EXPECT_EQ(compute(declarations, body + "ld.global.u32 %r0, [%d1];"), 6u);
}

TEST(ModuleVariable, HoldsAddressesOfFunctions) {
  std::string declarations = ".func f(); .func g();\n"
                             ".func f() { ret; }\n.func g() { ret; }\n"
                             ".func other();\n.alias other, g;\n"
                             ".global .u64 table[3] = {f, g, other};";
  std::string load = "ld.global.u64 %d1, [table];"
                     "ld.global.u64 %d2, [table+8];"
                     "ld.global.u64 %d3, [table+16]; mov.u64 %d4, g;";
  EXPECT_EQ(compute(declarations, load + "setp.eq.u64 %p0, %d1, %d2;\n"
                                         "selp.u32 %r0, 1, 0, %p0;"),
            0u);
  EXPECT_EQ(compute(declarations, load + "setp.eq.u64 %p0, %d3, %d4;\n"
                                         "selp.u32 %r0, 1, 0, %p0;"),
            1u);
  EXPECT_EQ(compute(declarations, load + "setp.eq.u64 %p0, %d2, %d4;\n"
                                         "selp.u32 %r0, 1, 0, %p0;"),
            1u);
}

TEST(ModuleVariable, HalvesAreTheirBits) {
  EXPECT_EQ(compute(".global .b16 h = 0x3C00;", ".reg .b16 %h; .reg .f32 %f;\n"
                                                "ld.global.b16 %h, [h];\n"
                                                "cvt.f32.f16 %f, %h;\n"
                                                "mov.b32 %r0, %f;"),
            0x3f800000u);
}

TEST(ModuleVariable, AreFreedIfTheProgramDoesNotLoad) {
  auto create = [](GlobalMemory &memory, const std::string &body) {
    SyntaxError error;
    return Program::create(smallTextHead +
                               std::string(".global .u32 a[2];\n.entry k() {") +
                               body + "ret; }",
                           memory, error);
  };
  GlobalMemory memory;
  uint64_t before = memory.allocate(4);
  EXPECT_EQ(create(memory, "unknown; "), nullptr);
  uint64_t behind = memory.allocate(4);
  ASSERT_GT(behind, before);
  for (uint64_t address = before + 4; address < behind; address += 4096) {
    const Allocation *found = memory.find(address);
    EXPECT_TRUE(!found || found->address == before || found->address == behind);
  }
  // The repaired one has its variable there.
  GlobalMemory other;
  auto program = create(other, "");
  ASSERT_NE(program, nullptr);
  EXPECT_NE(other.find(program->variableAddress("a")), nullptr);
}

} // namespace
