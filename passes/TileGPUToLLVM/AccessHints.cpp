// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/AccessHints.h"

#include "dialects/Target/Target.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using target::Capability;

/// The cache operator, or "" where loads (PTX ISA, "Cache Operators") or stores
/// do not have it.
static StringRef getCacheOperator(tt::CacheModifier modifier, bool isLoad) {
  switch (modifier) {
  case tt::CacheModifier::NONE:
    return "";
  case tt::CacheModifier::CA:
    return isLoad ? ".ca" : "";
  case tt::CacheModifier::CV:
    return isLoad ? ".cv" : "";
  case tt::CacheModifier::CG:
    return ".cg";
  case tt::CacheModifier::CS:
    return ".cs";
  case tt::CacheModifier::WB:
    return isLoad ? "" : ".wb";
  case tt::CacheModifier::WT:
    return isLoad ? "" : ".wt";
  }
  llvm_unreachable("all modifiers are listed");
}

static AccessHints emitHints(Emitter &emitter, StringRef cacheOperator,
                             tt::EvictionPolicy evict,
                             const target::Target &target) {
  AccessHints hints;
  hints.behind = cacheOperator.str();
  if (evict == tt::EvictionPolicy::NORMAL)
    return hints;
  std::string name = "::" + tt::stringifyEvictionPolicy(evict).str();
  if (cacheOperator.empty() && target.has(Capability::EvictionPriority))
    hints.behind = ".L1" + name;
  if (!target.has(Capability::CacheHint))
    return hints;
  hints.behind += ".L2::cache_hint";
  hints.policy = emitter.pureAssembly("createpolicy.fractional.L2" + name +
                                          ".b64 $0, 1.0;",
                                      "=l", emitter.builder.getI64Type(), {});
  return hints;
}

AccessHints tilegpu::emitLoadHints(Emitter &emitter, tt::LoadOp op,
                                   const target::Target &target) {
  if (op.getIsVolatile())
    return {".volatile", "", {}};
  return emitHints(emitter, getCacheOperator(op.getCache(), /*isLoad=*/true),
                   op.getEvict(), target);
}

AccessHints tilegpu::emitStoreHints(Emitter &emitter, tt::StoreOp op,
                                    const target::Target &target) {
  return emitHints(emitter, getCacheOperator(op.getCache(), /*isLoad=*/false),
                   op.getEvict(), target);
}
