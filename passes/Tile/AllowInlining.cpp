// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Triton/Triton.h"
#include "passes/Tile/Passes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_ALLOWINLINING
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;

namespace {
struct AllowInlining : tile::impl::AllowInliningBase<AllowInlining> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      function->removeAttr("noinline");
  }
};
} // namespace
