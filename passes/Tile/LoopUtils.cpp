// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/LoopUtils.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;

bool tile::writesMemory(Operation *op) {
  if (isMemoryEffectFree(op))
    return false;
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  return !effects ||
         llvm::any_of(*effects, [](const MemoryEffects::EffectInstance &each) {
           return !isa<MemoryEffects::Read>(each.getEffect());
         });
}

void tile::inlineIteration(scf::ForOp loop, RewriterBase &rewriter) {
  Block *body = loop.getBody();
  Operation *yield = body->getTerminator();
  SmallVector<Value> arguments{loop.getLowerBound()};
  llvm::append_range(arguments, loop.getInitArgs());
  rewriter.inlineBlockBefore(body, loop, arguments);
  rewriter.replaceOp(loop, yield->getOperands());
  rewriter.eraseOp(yield);
}
