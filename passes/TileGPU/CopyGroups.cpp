// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/CopyGroups.h"

#include "dialects/TileGPU/TileGPU.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

void tilegpu::numberCopyWaits(Block &block) {
  unsigned started = 0;
  llvm::SmallDenseMap<Operation *, unsigned> numbers;
  for (Operation &op : block) {
    if (isa<AsyncCommitOp>(op))
      numbers[&op] = ++started;
    auto wait = dyn_cast<AsyncWaitOp>(op);
    if (!wait || wait.getTokens().empty())
      continue;
    unsigned last = 0;
    for (Value token : wait.getTokens())
      last = std::max(last, numbers.lookup(token.getDefiningOp()));
    if (last)
      wait.setPending(started - last);
  }
}
