// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drops what a program says holds.

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/Tile/Passes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_DROPASSUMPTIONS
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;

namespace {
struct DropAssumptions : tile::impl::DropAssumptionsBase<DropAssumptions> {
  void runOnOperation() override {
    getOperation()->walk([](LLVM::AssumeOp op) { op.erase(); });
  }
};
} // namespace
