// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other limits on registers, by what an assembler made of the first ones.

#include "lib/Compiler/RegisterLimits.h"

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::compiler;

namespace {

/// A kernel of so many threads and bytes of shared memory, limited to 255
/// registers, of which it takes `registers`, on sm_90a.
class RegisterLimits : public testing::Test {
protected:
  void make(unsigned threads, unsigned sharedBytes, unsigned registers,
            const std::string &body = "") {
    context.loadDialect<LLVM::LLVMDialect, NVVM::NVVMDialect,
                        tilegpu::TileGPUDialect>();
    module = parseSourceString<ModuleOp>(
        "llvm.func @k() attributes {nvvm.kernel, nvvm.maxnreg = 255 : i32, "
        "nvvm.reqntid = array<i32: " +
            std::to_string(threads) +
            ", 1, 1>, tilegpu.shared_bytes = " + std::to_string(sharedBytes) +
            " : i32} {\n" + body + "llvm.return\n}\n",
        &context);
    ASSERT_TRUE(module);
    ptx.text = ".visible .entry k(\n)\n.maxnreg 255\n{\n}\n";
    assembled.assembledFor = "sm_90a";
    assembled.kernels = {{}};
    assembled.kernels[0].name = "k";
    assembled.kernels[0].registers = registers;
  }

  /// The limit in the PTX; 255 where it has been left.
  unsigned lower(CtasMore more) {
    codegen::PtxCode other = ptx;
    bool isLower =
        lowerRegisterLimits(*module, target, options, more, other, assembled);
    EXPECT_EQ(isLower, other.text != ptx.text);
    return readLimit(other);
  }

  static unsigned readLimit(const codegen::PtxCode &code) {
    StringRef rest = StringRef(code.text).split(".maxnreg ").second;
    unsigned limit = 0;
    EXPECT_FALSE(rest.consumeInteger(10, limit));
    return limit;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  codegen::PtxCode ptx;
  codegen::AssembledCode assembled;
  CompileOptions options;
  const target::Target &target = *target::lookup("sm_90a");
};

} // namespace

TEST_F(RegisterLimits, LeaveRoomForMoreCtas) {
  make(/*threads=*/256, /*sharedBytes=*/29184, /*registers=*/88);
  EXPECT_EQ(lower(CtasMore::Most), 64u);
  EXPECT_EQ(lower(CtasMore::Fewest), 80u);
  make(/*threads=*/128, /*sharedBytes=*/0, /*registers=*/40);
  EXPECT_EQ(lower(CtasMore::Most), 32u);
}

TEST_F(RegisterLimits, AreWhereSharedMemoryHasRoom) {
  make(/*threads=*/256, /*sharedBytes=*/90000, /*registers=*/128);
  EXPECT_EQ(lower(CtasMore::Most), 255u);
  make(/*threads=*/256, /*sharedBytes=*/70000, /*registers=*/88);
  EXPECT_EQ(lower(CtasMore::Most), 80u);
  EXPECT_EQ(lower(CtasMore::Fewest), 255u);
}

TEST_F(RegisterLimits, LeaveTwoThirds) {
  make(/*threads=*/128, /*sharedBytes=*/0, /*registers=*/254);
  EXPECT_EQ(lower(CtasMore::Most), 255u);
}

TEST_F(RegisterLimits, AreNotForMoreCtasThanLaunched) {
  make(/*threads=*/256, /*sharedBytes=*/29184, /*registers=*/88);
  options.launch = {"390"};
  EXPECT_EQ(lower(CtasMore::Most), 80u);
  options.launch = {"132"};
  EXPECT_EQ(lower(CtasMore::Most), 255u);
}

TEST_F(RegisterLimits, LeaveRoomForTheLoadsOfALoop) {
  make(/*threads=*/256, /*sharedBytes=*/29184, /*registers=*/88);
  auto limit = [&](unsigned registersOfLoads) {
    (*module->getOps<LLVM::LLVMFuncOp>().begin())
        ->setAttr(tilegpu::TileGPUDialect::registersOfLoadsAttrName,
                  Builder(&context).getI32IntegerAttr(registersOfLoads));
    return lower(CtasMore::Most);
  };
  EXPECT_EQ(limit(64), 64u);
  EXPECT_EQ(limit(72), 80u);
  EXPECT_EQ(limit(84), 255u);
}

TEST_F(RegisterLimits, AreKeptByWhoSpillsOrMovesRegisters) {
  make(/*threads=*/256, /*sharedBytes=*/29184, /*registers=*/88);
  assembled.kernels[0].spillStoreBytes = 4;
  EXPECT_EQ(lower(CtasMore::Most), 255u);
  make(/*threads=*/256, /*sharedBytes=*/29184, /*registers=*/88,
       "nvvm.setmaxregister decrease 24\n");
  EXPECT_EQ(lower(CtasMore::Most), 255u);
}

TEST_F(RegisterLimits, AreRaisedForWhoSpillsMuch) {
  make(/*threads=*/128, /*sharedBytes=*/0, /*registers=*/40);
  (*module->getOps<LLVM::LLVMFuncOp>().begin())
      ->setAttr("nvvm.maxnreg", Builder(&context).getI32IntegerAttr(40));
  ptx.text = ".visible .entry k(\n)\n.maxnreg 40\n{\n}\n";
  assembled.kernels[0].spillStoreBytes = 64;
  assembled.kernels[0].spillLoadBytes = 64;
  EXPECT_FALSE(raiseRegisterLimits(*module, target, options, ptx, assembled));
  assembled.kernels[0].spillLoadBytes = 68;
  EXPECT_TRUE(raiseRegisterLimits(*module, target, options, ptx, assembled));
  EXPECT_EQ(readLimit(ptx), 255u);
}

TEST_F(RegisterLimits, MaySpillALittleOfProducts) {
  codegen::AssembledCode before, after;
  after.kernels.push_back({});
  EXPECT_TRUE(isWorthCtas(after, before, "add.f32"));
  after.kernels[0].spillStoreBytes = 96;
  after.kernels[0].spillLoadBytes = 96;
  EXPECT_FALSE(isWorthCtas(after, before, "add.f32"));
  EXPECT_TRUE(isWorthCtas(after, before, "mma.sync"));
  after.kernels[0].spillLoadBytes = 100;
  EXPECT_FALSE(isWorthCtas(after, before, "wgmma.mma_async"));
}

TEST_F(RegisterLimits, AreNoneWithWhichProductsWait) {
  codegen::AssembledCode before, after;
  EXPECT_TRUE(isWorthCtas(after, before, "wgmma.mma_async"));
  after.log = "wgmma.mma_async instructions are serialized due to insufficient "
              "register resources";
  EXPECT_FALSE(isWorthCtas(after, before, "wgmma.mma_async"));
  before.log = after.log;
  EXPECT_TRUE(isWorthCtas(after, before, "wgmma.mma_async"));
  after.lost = "has products of warp groups wait for each other";
  EXPECT_FALSE(isWorthCtas(after, before, "wgmma.mma_async"));
  // Another assembler has its turn then.
  before.lost = after.lost;
  EXPECT_TRUE(isWorthCtas(after, before, "wgmma.mma_async"));
}

TEST_F(RegisterLimits, AreTakenFromWhoSpillsUnderThem) {
  make(/*threads=*/128, /*sharedBytes=*/0, /*registers=*/128);
  auto drop = [&] {
    codegen::PtxCode other = ptx;
    bool isDropped =
        dropRegisterLimits(*module, target, options, other, assembled);
    EXPECT_EQ(isDropped, !StringRef(other.text).contains(".maxnreg"));
    return isDropped;
  };
  assembled.kernels[0].spillStoreBytes = 40;
  // It has what it may have.
  EXPECT_FALSE(drop());
  capRegisterLimits(*module, 128);
  EXPECT_TRUE(drop());
  options.maxRegisters = 128;
  EXPECT_FALSE(drop());
  options.maxRegisters = 255;
  assembled.kernels[0].spillStoreBytes = 0;
  EXPECT_FALSE(drop());
}

TEST_F(RegisterLimits, AreKeptByWhatWasAssembledWithoutThem) {
  make(/*threads=*/128, /*sharedBytes=*/0, /*registers=*/128);
  capRegisterLimits(*module, 128);
  assembled.kernels[0].spillLoadBytes = 40;
  codegen::AssembledCode other = assembled;
  auto isKept = [&](unsigned registers, unsigned spilledBytes) {
    other.kernels[0].registers = registers;
    other.kernels[0].spillLoadBytes = spilledBytes;
    return keepsRegisterLimits(*module, other, assembled);
  };
  EXPECT_TRUE(isKept(108, 0));
  EXPECT_TRUE(isKept(128, 36));
  EXPECT_FALSE(isKept(128, 40));
  EXPECT_FALSE(isKept(130, 0));
  (*module->getOps<LLVM::LLVMFuncOp>().begin())
      ->setAttr(tilegpu::TileGPUDialect::registersOfLoadsAttrName,
                Builder(&context).getI32IntegerAttr(109));
  EXPECT_FALSE(isKept(108, 0));
  EXPECT_TRUE(isKept(110, 0));
  other.lost = "ignores something";
  EXPECT_FALSE(isKept(110, 0));
}
