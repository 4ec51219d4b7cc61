// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Interfaces/ExternalModels.h"
#include "dialects/Interfaces/TileOpInterfaces.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct ForMerges : ValueMergeOpInterface::ExternalModel<ForMerges, scf::ForOp> {
  SmallVector<ValueMerge> getMerges(Operation *op) const {
    auto loop = cast<scf::ForOp>(op);
    Operation *yield = loop.getBody()->getTerminator();
    SmallVector<ValueMerge> merges;
    for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      merges.push_back(
          {{argument, loop.getResult(index)},
           {&yield->getOpOperand(index), &loop.getInitArgsMutable()[index]}});
    return merges;
  }
};

struct IfMerges : ValueMergeOpInterface::ExternalModel<IfMerges, scf::IfOp> {
  SmallVector<ValueMerge> getMerges(Operation *op) const {
    auto branch = cast<scf::IfOp>(op);
    SmallVector<ValueMerge> merges;
    for (auto [index, result] : llvm::enumerate(branch.getResults()))
      merges.push_back({{result},
                        {&branch.thenYield()->getOpOperand(index),
                         &branch.elseYield()->getOpOperand(index)}});
    return merges;
  }
};

struct WhileMerges
    : ValueMergeOpInterface::ExternalModel<WhileMerges, scf::WhileOp> {
  SmallVector<ValueMerge> getMerges(Operation *op) const {
    auto loop = cast<scf::WhileOp>(op);
    SmallVector<ValueMerge> merges;
    for (auto [index, argument] : llvm::enumerate(loop.getBeforeArguments()))
      merges.push_back({{argument},
                        {&loop.getYieldOp()->getOpOperand(index),
                         &loop.getInitsMutable()[index]}});
    for (auto [index, argument] : llvm::enumerate(loop.getAfterArguments()))
      merges.push_back({{argument, loop.getResult(index)},
                        {&loop.getConditionOp().getArgsMutable()[index]}});
    return merges;
  }
};

} // namespace

void tilewright::attachControlFlowMerges(MLIRContext &context) {
  scf::ForOp::attachInterface<ForMerges>(context);
  scf::IfOp::attachInterface<IfMerges>(context);
  scf::WhileOp::attachInterface<WhileMerges>(context);
}
