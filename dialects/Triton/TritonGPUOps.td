// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect `ttg`, as far as Triton's front end prints it in tile IR: since
// 3.7 a program's barrier is an op of it.

#ifndef TILEWRIGHT_DIALECTS_TRITON_TRITONGPUOPS_TD
#define TILEWRIGHT_DIALECTS_TRITON_TRITONGPUOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TritonGPUDialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::tilewright::ttg";
  let summary = "The ops of Triton's GPU dialect that occur in tile IR";
}

def BarrierOp : Op<TritonGPUDialect, "barrier",
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "All threads of the program wait for each other";
  let description = [{
    `spaces` lists, separated by `|`, which accesses are ordered: `all`, `none`,
    `local`, `global_read`, `global_write`, `tensor_read`, `tensor_write`. Here
    all are.

    ```mlir
    ttg.barrier local|global_read
    ```
  }];
  let arguments = (ins StrAttr:$spaces);
  let assemblyFormat = "custom<Spaces>($spaces) attr-dict";
}

#endif // TILEWRIGHT_DIALECTS_TRITON_TRITONGPUOPS_TD
