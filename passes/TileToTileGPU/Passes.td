// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_PASSES_TD
#define TILEWRIGHT_PASSES_TILETOTILEGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def AssignLayouts : Pass<"tilegpu-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "Gives every tensor a layout for a target";
  let description = [{
    Turns tile IR into `tilegpu` IR: every tensor type gets an encoding, dots
    become `tilegpu.mma` where the target has a matrix instruction for them,
    and `tilegpu.convert_layout` stands where two layouts meet.

    Before:
    ```mlir
    %x = tt.load %p : tensor<64x32x!tt.ptr<f16>>
    %d = tt.dot %x, %y, %c : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    ```
    After:
    ```mlir
    %x = tt.load %p : tensor<64x32x!tt.ptr<f16>, #blocked>
    %a = tilegpu.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #operand>
    %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 16] : ...
    ```

    Preconditions: no tensor has an encoding; kernels take no tensors; calls
    are inlined. Afterwards: every tensor has a register layout; the module
    carries `tilegpu.target`, each function `tilegpu.num_warps`. Values do not
    change, except that a dot's sums may be taken in another order.

    Command line: `tilewright-opt --tilegpu-assign-layouts="target=sm_80 num-warps=4"`.
  }];
  let options = [
    Option<"targetName", "target", "std::string", "\"sm_80\"",
           "the GPU to compile for">,
    Option<"numWarps", "num-warps", "unsigned", "4", "warps of a CTA">
  ];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def WidenDots : Pass<"tilegpu-widen-dots", "::mlir::ModuleOp"> {
  let summary = "Gives dots of 8-bit floats f16 where the target wants them so";
  let description = [{
    Where a target has no matrix instruction for a dot on 8-bit floats, its
    operands are converted to f16, which holds them all, so that it may use one
    for f16. Results do not change.

    Before:
    ```mlir
    %d = tt.dot %a, %b, %c : tensor<64x32xf8E5M2> * tensor<32x64xf8E5M2> -> tensor<64x64xf32>
    ```
    After, for sm_80:
    ```mlir
    %x = tt.fp_to_fp %a : tensor<64x32xf8E5M2> -> tensor<64x32xf16>
    %y = tt.fp_to_fp %b : tensor<32x64xf8E5M2> -> tensor<32x64xf16>
    %d = tt.dot %x, %y, %c : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    ```

    Command line: `tilewright-opt --tilegpu-widen-dots="target=sm_80 num-warps=4"`.
  }];
  let options = [
    Option<"targetName", "target", "std::string", "\"sm_80\"",
           "the GPU to compile for">,
    Option<"numWarps", "num-warps", "unsigned", "4", "warps of a CTA">
  ];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_PASSES_TD
