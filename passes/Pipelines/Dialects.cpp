// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialects/Tile/Tile.h"
#include "dialects/TileGPU/TileGPU.h"
#include "dialects/Triton/Triton.h"
#include "dialects/Triton/TritonGPU.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "passes/Pipelines/Pipelines.h"

using namespace mlir;
using namespace tilewright;

void tilewright::registerAllDialects(DialectRegistry &registry) {
  registry.insert<tt::TritonDialect, ttg::TritonGPUDialect, tile::TileDialect,
                  tilegpu::TileGPUDialect, arith::ArithDialect,
                  cf::ControlFlowDialect, gpu::GPUDialect, math::MathDialect,
                  scf::SCFDialect, ub::UBDialect, LLVM::LLVMDialect,
                  NVVM::NVVMDialect>();
}
