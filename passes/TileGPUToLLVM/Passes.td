// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_PASSES_TD
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileGPUToLLVM : Pass<"tilegpu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Lowers `tilegpu` IR to the LLVM and NVVM dialects";
  let description = [{
    Each register of a tensor becomes one LLVM value; kernels become
    `llvm.func` with `nvvm.kernel` and `nvvm.reqntid`.

    Before:
    ```mlir
    %2 = arith.addf %0, %1 : tensor<128xf32, #blocked>
    ```
    After, in one warp:
    ```mlir
    %8 = llvm.fadd %0, %4 : f32
    %9 = llvm.fadd %1, %5 : f32
    ...
    ```

    Preconditions: control flow is a graph of blocks (`convert-scf-to-cf`);
    every `tilegpu.local_alloc` has an offset; conversions through shared memory
    and reductions across warps are decomposed; named barriers and agents have
    their barriers' numbers. Agents become branches. Afterwards: only the LLVM and
    NVVM dialects are left. Division and exponentials of f32 are those of PTX's
    `div.full` and `ex2.approx`, within 2 ulp.

    Command line: `tilewright-opt --tilegpu-to-llvm`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def PackBlockArguments : Pass<"pack-block-arguments", "::mlir::ModuleOp"> {
  let summary = "Passes parts of a word between blocks as the word";
  let description = [{
    Arguments of a block that on one edge into it are all the parts of a 32-bit
    word (two of 16 bits, four of 8) become one, of 32 bits, and so do those that
    the block joins to a word. A register of the machine has 32: what a loop loads
    for its next iteration would otherwise be unpacked before that, which waits
    for it, and take twice the registers; and what a loop rounds for its next
    iteration LLVM would have it pass on unrounded.

    Command line: `tilewright-opt --pack-block-arguments`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def VerifyForTarget : Pass<"verify-for-target", "::mlir::ModuleOp"> {
  let summary = "Checks that the target has every instruction and type used";
  let description = [{
    LLVM's back end ends the process where it cannot select an instruction.
    This pass admits the operations, intrinsics and types that the row of the
    module's target has, and diagnoses any other at its location. It changes
    nothing.

    Command line: `tilewright-opt --verify-for-target`.
  }];
}

def FlattenLocations : Pass<"flatten-locations", "::mlir::ModuleOp"> {
  let summary = "Leaves each op one line of source";
  let description = [{
    PTX's `.loc` names one line. Of a location with several (named, fused, or a
    call with its callee) the innermost line in the kernel's file is kept: that
    of the author's own function, and the call of a library's. Ops without any
    get their function's.

    `loc("x"(callsite("standard.py":20:3 at "kernel.py":7:5)))` becomes
    `loc("kernel.py":7:5)`.

    Command line: `tilewright-opt --flatten-locations`.
  }];
}

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_PASSES_TD
