// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From `tilegpu` IR to the LLVM and NVVM dialects.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_PASSES_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_PASSES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace tilewright::tilegpu {

#define GEN_PASS_DECL
#include "passes/TileGPUToLLVM/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/TileGPUToLLVM/Passes.h.inc"

/// Name of the array in shared memory from whose start offsets count.
inline constexpr llvm::StringLiteral sharedArrayName = "tilewright_shared";

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_PASSES_H
