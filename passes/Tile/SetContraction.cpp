// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_SETCONTRACTION
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;

namespace {
struct SetContraction : tile::impl::SetContractionBase<SetContraction> {
  using SetContractionBase::SetContractionBase;

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
        set(cast<arith::ArithFastMathInterface>(op));
    });
  }

private:
  void set(arith::ArithFastMathInterface op) {
    arith::FastMathFlags flags = op.getFastMathFlagsAttr().getValue();
    flags = allow ? flags | arith::FastMathFlags::contract
                  : flags & ~arith::FastMathFlags::contract;
    op->setAttr(op.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(&getContext(), flags));
  }
};
} // namespace
