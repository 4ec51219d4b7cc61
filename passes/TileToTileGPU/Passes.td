// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_PASSES_TILETOTILEGPU_PASSES_TD
#define TILEWRIGHT_PASSES_TILETOTILEGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def DecomposeDots : Pass<"tilegpu-decompose-dots", "::mlir::ModuleOp"> {
  let summary = "Rewrites dots into those that a target has instructions for";
  let description = [{
    A `tt.dot` on types without a matrix instruction becomes one on types that
    represent its numbers exactly and have one, if there are such: fp8 operands
    are extended to f16, sums of 16 bits are kept in f32 and rounded once at the
    end, f8, f16, bf16 or f32 with sums in f64 are extended to f64, and i8 with
    sums in any integer to i32. `inputPrecision` tf32x3, bf16x3 and bf16x6
    become dots of parts:

    ```mlir
    %d = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<16x8xf32> * tensor<8x8xf32> -> tensor<16x8xf32>
    ```
    becomes, with `%a` = `%high` + `%low` and so on,
    ```mlir
    %0 = tt.dot %lowA, %highB, %zeros, inputPrecision = tf32 : ...
    %1 = tt.dot %highA, %lowB, %0, inputPrecision = tf32 : ...
    // %2: %1 but 0 for what is infinite or NaN
    %3 = tt.dot %highA, %highB, %2, inputPrecision = tf32 : ...
    %d = arith.addf %c, %3 : ...
    ```
    Operands of f32 that were both widened from f16, or from bf16, are
    multiplied as they were, except by ieee. Where the target has no instruction
    for the parts either, operands are used unrounded (ieee). A dot that has no
    instruction, and whose operands take more than half of the target's shared
    memory, becomes dots of halves along K, one after the other.

    Preconditions: tile IR without layouts. Afterwards every `tt.dot` has an
    instruction, or there is none that fits. Numeric effect: what
    `inputPrecision` allows; sums are rounded less often.

    Command line: `tilewright-opt --tilegpu-decompose-dots="target=sm_80"`.
  }];
  let options = [Option<"targetName", "target", "std::string", "\"sm_80\"",
                        "the GPU to compile for">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def AssignLayouts : Pass<"tilegpu-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "Gives every tensor a layout for a target";
  let description = [{
    Converts tile IR to `tilegpu` IR: every tensor type gets an encoding; dots
    become `tilegpu.mma` where the target has a matrix instruction for them,
    else `tilegpu.multiply_add` with operands in shared memory; loads that only
    such dots use become copies to shared memory where that costs less
    (`tilegpu.async_copy` and its wait); and `tilegpu.convert_layout` is
    inserted where two layouts meet. The placements chosen are those that
    minimize the total cost of the ops and of the conversions between them over
    the function (docs/LayoutAssignment.md). With the module attribute
    `tilegpu.layout_seed` (i64), for tests, they are random.

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

    Preconditions: no tensor has an encoding; kernels take no tensors; ops with
    the trait ExpandedBeforePlacement (calls, block pointers, all of `tile`) are
    expanded, and the others that have tensor results implement
    PlacementOpInterface or ValueMergeOpInterface. Violations are diagnosed.
    Afterwards every tensor has a register layout; the module has
    `tilegpu.target`, each function `tilegpu.num_warps`. Values do not change,
    except that a dot's sums may be computed in another order.

    Command line: `tilewright-opt --tilegpu-assign-layouts="target=sm_80 num-warps=4"`.
  }];
  let options = [
    Option<"targetName", "target", "std::string", "\"sm_80\"",
           "the GPU to compile for">,
    Option<"numWarps", "num-warps", "unsigned", "4", "warps of a CTA">,
    Option<"numStages", "num-stages", "unsigned", "3",
           "stages of loops that ask for none themselves">
  ];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def FormClusters : Pass<"tilegpu-form-clusters", "::mlir::ModuleOp"> {
  let summary = "Has programs that sum over each other run as clusters";
  let description = [{
    A function with `tile.reduce_scatter` gets the attribute `tilegpu.cluster`,
    the `programs` of the op: a launch makes clusters of as many CTAs along x.

    These are errors: a target without clusters; an op in a loop or a branch,
    to which not all programs of a cluster may come; ops of one function with
    different `programs`.

    Preconditions: the postconditions of `tilegpu-assign-layouts`; control flow
    is structured.

    Command line: `tilewright-opt --tilegpu-assign-layouts=target=sm_90a --tilegpu-form-clusters`.
  }];
}

def VerifySizes : Pass<"tilegpu-verify-sizes", "::mlir::ModuleOp"> {
  let summary = "Rejects tiles and dots with far more code than a GPU can use";
  let description = [{
    A thread has an instruction for each element that it holds of a tile, and
    for each part of a dot. So compile time grows with the tiles, and in LLVM
    faster than they do, while a thread has 255 registers. These are rejected:

    - a tile of more than 8,192 elements for each thread of the CTA;
    - a function whose dots take more than 8,192 matrix instructions of a warp,
      or 65,536 multiply-adds of a thread, at the dot that takes the most. Dots
      by multiply-adds are loops along K, which take one for each element of the
      result; deep ones are several loops.

    What is allowed compiles within about a minute (bench/growth). For example,
    this is an error in four warps, where the dot would be 131,072 instructions:
    ```mlir
    %d = tt.dot %a, %b, %c : tensor<1024x1024xf16> * tensor<1024x1024xf16> -> tensor<1024x1024xf32>
    ```

    Preconditions: the postconditions of `tilegpu-assign-layouts`. Changes
    nothing.

    Command line: `tilewright-opt --tilegpu-assign-layouts --tilegpu-verify-sizes`.
  }];
}

#endif // TILEWRIGHT_PASSES_TILETOTILEGPU_PASSES_TD
