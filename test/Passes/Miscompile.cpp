// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Triton/Triton.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "test/Passes/Passes.h"

namespace tilewright::test {
#define GEN_PASS_DEF_MISCOMPILE
#include "test/Passes/Passes.h.inc"
} // namespace tilewright::test

using namespace mlir;
using namespace tilewright;

namespace {

struct Miscompile : test::impl::MiscompileBase<Miscompile> {
  using MiscompileBase::MiscompileBase;

  void runOnOperation() override {
    switch (mistake) {
    case test::Mistake::Subtract:
      return subtract();
    case test::Mistake::Unmask:
      return unmask();
    case test::Mistake::Remove:
      return remove();
    }
  }

private:
  void subtract() {
    getOperation().walk([](arith::AddIOp op) {
      OpBuilder builder(op);
      op.replaceAllUsesWith(
          arith::SubIOp::create(builder, op.getLoc(), op.getLhs(), op.getRhs())
              .getResult());
      op.erase();
      return WalkResult::interrupt();
    });
  }
  void unmask() {
    getOperation().walk([](tt::StoreOp op) { op.getMaskMutable().clear(); });
  }
  void remove() {
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<tt::FuncOp>()))
      function.erase();
  }
};

} // namespace
