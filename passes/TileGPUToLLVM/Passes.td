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
    their barrier numbers. Agents become branches. Afterwards only the LLVM and
    NVVM dialects are left. Division and exponentials of f32 are PTX's
    `div.full` and `ex2.approx.ftz`, within 2 ulp; of exponentials, subnormal
    results are 0 unless `flush-subnormals` is off.

    Command line: `tilewright-opt --tilegpu-to-llvm="flush-subnormals=false"`.
  }];
  let options = [
    Option<"flushSubnormals", "flush-subnormals", "bool", /*default=*/"true",
           "Exponentials of f32 give 0 where the result is subnormal">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def PackBlockArguments : Pass<"pack-block-arguments", "::mlir::ModuleOp"> {
  let summary = "Passes parts of a word between blocks as one word";
  let description = [{
    Block arguments that on one incoming edge are all the parts of a 32-bit word
    (two of 16 bits, four of 8) become one argument of 32 bits, and so do those
    that the block joins into a word. A register of the machine has 32 bits:
    otherwise, what a loop loads for its next iteration would be unpacked before
    that, which waits for the load, and would take twice the registers; and LLVM
    would pass what a loop rounds for its next iteration unrounded.

    Command line: `tilewright-opt --pack-block-arguments`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def VerifyForTarget : Pass<"verify-for-target", "::mlir::ModuleOp"> {
  let summary = "Checks that the target has every instruction and type used";
  let description = [{
    LLVM's back end aborts the process where it cannot select an instruction.
    This pass admits the operations, intrinsics and types that the row of the
    module's target has, and diagnoses any other at its location. It changes
    nothing.

    Command line: `tilewright-opt --verify-for-target`.
  }];
}

def FlattenLocations : Pass<"flatten-locations", "::mlir::ModuleOp"> {
  let summary = "Reduces each op's location to one source line";
  let description = [{
    PTX's `.loc` names one line. Of a location with several (named, fused, or a
    call with its callee), the innermost line in the kernel's file is kept: in
    the author's own functions that of the op, in a library's function that of
    the call. Ops without any line get their function's.

    `loc("x"(callsite("standard.py":20:3 at "kernel.py":7:5)))` becomes
    `loc("kernel.py":7:5)`.

    Command line: `tilewright-opt --flatten-locations`.
  }];
}

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_PASSES_TD
