// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass around verifyForTarget.

#include "dialects/TileGPU/TileGPU.h"
#include "passes/TileGPUToLLVM/Passes.h"
#include "passes/TileGPUToLLVM/VerifyTarget/VerifyTarget.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_VERIFYFORTARGET
#include "passes/TileGPUToLLVM/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {
struct VerifyForTarget : tilegpu::impl::VerifyForTargetBase<VerifyForTarget> {
  void runOnOperation() override {
    const target::Target *target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    if (failed(verifyForTarget(getOperation(), *target)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
