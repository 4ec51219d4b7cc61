// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mlir/IR/BuiltinOps.h"
#include "passes/TileGPUToLLVM/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_FLATTENLOCATIONS
#include "passes/TileGPUToLLVM/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;

/// The kernel's own line in a location, or null.
static FileLineColLoc findOwnLine(Location location) {
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return file;
  if (auto name = dyn_cast<NameLoc>(location))
    return findOwnLine(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    FileLineColLoc caller = findOwnLine(call.getCaller());
    return caller ? caller : findOwnLine(call.getCallee());
  }
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (FileLineColLoc file = findOwnLine(part))
        return file;
  return {};
}

namespace {
struct FlattenLocations
    : tilegpu::impl::FlattenLocationsBase<FlattenLocations> {
  void runOnOperation() override {
    // Globals too: the texts of assertions that were inlined.
    for (Operation &member : getOperation().getOps()) {
      FileLineColLoc own = findOwnLine(member.getLoc());
      if (!own)
        own = FileLineColLoc::get(&getContext(), "unknown", 0, 0);
      member.walk([&](Operation *op) {
        FileLineColLoc line = findOwnLine(op->getLoc());
        op->setLoc(line ? line : own);
      });
    }
  }
};
} // namespace
