// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/FirstThreadLoads.h"

#include "dialects/Triton/Triton.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

static bool isScalar(Type type) {
  return type.isIntOrIndexOrFloat() || isa<tt::PointerType>(type);
}

bool tilegpu::isScalarStore(Operation *op) {
  auto store = dyn_cast<tt::StoreOp>(op);
  return store && isScalar(store.getValue().getType());
}

FirstThreadLoads::FirstThreadLoads(Region &region) : region(region) {
  region.walk([&](Operation *op) { addOperands(op); });
  for (size_t next = 0; next < needed.size(); ++next) {
    Value value = needed[next];
    Operation *op = value.getDefiningOp();
    if (op && onlyComputes(op))
      needed.insert_range(op->getOperands());
    else
      needed.insert_range(passed.lookup(value));
  }
}

bool FirstThreadLoads::contains(Operation *op) const {
  return isScalarLoad(op) && !needed.contains(op->getResult(0));
}

bool FirstThreadLoads::isScalarLoad(Operation *op) const {
  auto load = dyn_cast<tt::LoadOp>(op);
  // One that must be read again has its way to the other threads already.
  return load && load->getParentRegion() == &region &&
         isScalar(load.getType()) && !load.mustReread();
}

bool FirstThreadLoads::onlyComputes(Operation *op) const {
  if (isScalarLoad(op))
    return true;
  // Terminators are pure, but decide where all threads go. So is assembly that
  // asks other threads for what they have. An op that must not be given just
  // anything (a divisor of 0) is not pure.
  return op->getParentRegion() == &region && op->getNumRegions() == 0 &&
         isPure(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
         !isa<tt::ElementwiseInlineAsmOp>(op) &&
         llvm::all_of(op->getOperandTypes(), isScalar) &&
         llvm::all_of(op->getResultTypes(), isScalar);
}

/// Adds what all threads need to run `op`, whoever needs its results.
void FirstThreadLoads::addOperands(Operation *op) {
  if (onlyComputes(op))
    return;
  // Agents have first threads of their own.
  bool isHere = op->getParentRegion() == &region;
  if (isHere && isScalarStore(op))
    return;
  auto branch = dyn_cast<BranchOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<BlockArgument> argument;
    if (isHere && branch)
      argument = branch.getSuccessorBlockArgument(operand.getOperandNumber());
    if (argument)
      passed[*argument].push_back(operand.get());
    else
      needed.insert(operand.get());
  }
}
