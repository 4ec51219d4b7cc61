// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Triton/TextLocation.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/TileGPUToLLVM/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_FLATTENLOCATIONS
#include "passes/TileGPUToLLVM/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;

/// The lines of a location, from that of the innermost function to that of the
/// kernel.
static void collectLines(Location location,
                         SmallVectorImpl<FileLineColLoc> &lines) {
  if (tt::isTextLocation(location))
    return;
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return lines.push_back(file);
  if (auto name = dyn_cast<NameLoc>(location))
    return collectLines(name.getChildLoc(), lines);
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    collectLines(call.getCallee(), lines);
    return collectLines(call.getCaller(), lines);
  }
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations()) {
      size_t before = lines.size();
      collectLines(part, lines);
      if (lines.size() != before)
        return;
    }
}

/// The innermost line of `location` in the kernel's file, or else the
/// outermost, or null: the author's own function says more than its call, and
/// the call of a library more than the library's line.
static FileLineColLoc findOwnLine(Location location) {
  SmallVector<FileLineColLoc> lines;
  collectLines(location, lines);
  if (lines.empty())
    return {};
  const auto *own = llvm::find_if(lines, [&](FileLineColLoc line) {
    return line.getFilename() == lines.back().getFilename();
  });
  return *own;
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
