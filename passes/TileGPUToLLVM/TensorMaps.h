// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps as parameters of kernels, which launches fill, and the memory
// that launches pass for those that kernels make. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_TENSORMAPS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_TENSORMAPS_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright::tilegpu {

/// Replaces each tilegpu.tensor_map that launches make by an argument behind
/// the function's own, one for all that are the same, and says in the
/// function's attribute `tilegpu.tensor_maps` how launches make them. Diagnoses
/// maps of what a launch does not know. Those that the kernel makes get their
/// places in memory that the last argument points at (`tilegpu.scratch_bytes`).
llvm::LogicalResult passTensorMaps(mlir::ModuleOp module);

/// Where the 16 bytes of a map's place begin that stand for a tensor without
/// elements, behind the map.
inline constexpr int64_t zerosOffset = 128;

/// Has parameter `index` of a kernel be the 128 bytes of a tensor map (PTX ISA,
/// "Tensor-map": `.param`, aligned to 64).
void describeMapParameter(mlir::LLVM::LLVMFuncOp function, unsigned index);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_TENSORMAPS_H
