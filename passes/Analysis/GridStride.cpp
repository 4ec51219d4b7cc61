// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Analysis/GridStride.h"

#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;

/// Whether the programs of `function` differ in other dimensions than `id`'s.
static bool usesOtherIds(FunctionOpInterface function, tt::GetProgramIdOp id) {
  return function
      ->walk([&](tt::GetProgramIdOp other) {
        return other.getAxis() == id.getAxis() ? WalkResult::advance()
                                               : WalkResult::interrupt();
      })
      .wasInterrupted();
}

std::optional<int64_t> tilewright::findGridStride(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
       loop = loop->getParentOfType<scf::ForOp>()) {
    auto first = loop.getLowerBound().getDefiningOp<tt::GetProgramIdOp>();
    APInt step;
    if (first && matchPattern(loop.getStep(), m_ConstantInt(&step)) &&
        !usesOtherIds(function, first))
      return step.getSExtValue();
  }
  return std::nullopt;
}
