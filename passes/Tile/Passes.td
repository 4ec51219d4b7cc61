// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_PASSES_TILE_PASSES_TD
#define TILEWRIGHT_PASSES_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyTileIR : Pass<"tile-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that the module is tile IR that can be compiled";
  let description = [{
    Diagnoses, at its location, what is valid MLIR but no tile IR or not
    supported: operations of other dialects, operations without a lowering,
    types that no target holds, kernels that return values or take tiles,
    recursion. It changes nothing.

    Afterwards every operation and type that is left has a lowering; what
    remains to go wrong is the target's: shared memory, and the instructions
    and types of its row.

    Command line: `tilewright-opt --tile-verify`.
  }];
}

def AllowInlining : Pass<"tile-allow-inlining", "::mlir::ModuleOp"> {
  let summary = "Lets every function be inlined";
  let description = [{
    Takes `noinline = true` back: there is no calling convention for tiles, so
    the compiler inlines every call, and the attribute (Triton's hint to keep
    code small) cannot be honoured.

    Command line: `tilewright-opt --tile-allow-inlining`.
  }];
}

def ExpandTileOps : Pass<"tile-expand-ops", "::mlir::ModuleOp"> {
  let summary = "Says scaled dots, dequantization and solves in plainer ops";
  let description = [{
    `tt.dot_scaled` becomes conversions, products with the scales in f32, and a
    `tt.dot` on bf16 where that holds every scaled element, or else on f32
    (in tf32 where that does). `tile.dequantize` becomes shifts, masks and
    arithmetic in f32; `tile.solve_unit_lower` a loop over the rows.

    Afterwards none of the three is left. All results are those of the ops'
    definitions, with sums in another order.

    Command line: `tilewright-opt --tile-expand-ops`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::tilewright::tt::TritonDialect"];
}

#endif // TILEWRIGHT_PASSES_TILE_PASSES_TD
