// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What loads and stores say of caches, as the PTX that says it.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_ACCESSHINTS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_ACCESSHINTS_H

#include "dialects/Triton/Triton.h"
#include "passes/TileGPUToLLVM/Emitter.h"

#include <string>

namespace tilewright::target {
struct Target;
}

namespace tilewright::tilegpu {

/// The modifiers of a load from global memory or of a store to it.
struct AccessHints {
  /// What stands before ".global" (".volatile") and behind it (".cg").
  std::string before, behind;
  /// The L2 cache's policy, the last operand; null where there is none.
  mlir::Value policy;

  /// Whether the access needs no inline PTX on their account.
  bool areNone() const { return before.empty() && behind.empty(); }
};

/// Those of `op` that PTX has for it on `target` (PTX ISA, ld and st): a
/// volatile load has no others; a cache operator says what L1 does, else the
/// eviction policy does, which is L2's too where L2 takes policies. The rest
/// are hints that the hardware would not follow, and dropped. (A load that
/// cp.async carries out has none: it passes L1 by.)
AccessHints emitLoadHints(Emitter &emitter, tt::LoadOp op,
                          const target::Target &target);
AccessHints emitStoreHints(Emitter &emitter, tt::StoreOp op,
                           const target::Target &target);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_ACCESSHINTS_H
