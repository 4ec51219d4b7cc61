// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/tilewright-opt/TestMiscompile.h"
#include "dialects/Triton/Triton.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace tilewright;

namespace {

enum class Mistake { Subtract, Unmask, Remove };

struct TestMiscompilePass
    : PassWrapper<TestMiscompilePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestMiscompilePass)

  TestMiscompilePass() = default;
  TestMiscompilePass(const TestMiscompilePass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-miscompile"; }
  StringRef getDescription() const override {
    return "Change what the module computes";
  }

  void runOnOperation() override {
    switch (mistake) {
    case Mistake::Subtract:
      return subtract();
    case Mistake::Unmask:
      return unmask();
    case Mistake::Remove:
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

  Option<Mistake> mistake{
      *this, "mistake", llvm::cl::init(Mistake::Subtract),
      llvm::cl::desc("what it does"),
      llvm::cl::values(
          clEnumValN(Mistake::Subtract, "subtract",
                     "the first arith.addi becomes arith.subi"),
          clEnumValN(Mistake::Unmask, "unmask", "stores lose their masks"),
          clEnumValN(Mistake::Remove, "remove", "functions are removed"))};
};

} // namespace

void tilewright::registerTestMiscompilePass() {
  PassRegistration<TestMiscompilePass>();
}
