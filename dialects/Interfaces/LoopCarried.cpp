// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Interfaces/LoopCarried.h"

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;

bool tilewright::usesLoopCarriedFloats(Operation *op) {
  auto loop = dyn_cast_if_present<LoopLikeOpInterface>(op->getParentOp());
  if (!loop)
    return false;
  auto isCarried = [&](Value value) {
    return isa<FloatType>(getElementTypeOrSelf(value.getType())) &&
           llvm::is_contained(loop.getRegionIterArgs(), value);
  };
  llvm::SetVector<Operation *> slice;
  slice.insert(op);
  for (size_t next = 0; next < slice.size(); ++next)
    for (Value operand : slice[next]->getOperands()) {
      if (isCarried(operand))
        return true;
      Operation *source = operand.getDefiningOp();
      if (source && source->getBlock() == op->getBlock() &&
          !getGlobalAccess(source))
        slice.insert(source);
    }
  return false;
}
