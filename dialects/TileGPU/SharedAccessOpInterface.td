// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op does to shared memory, beyond the fact that it does, and when.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_SHAREDACCESSOPINTERFACE_TD
#define TILEWRIGHT_DIALECTS_TILEGPU_SHAREDACCESSOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def SharedAccessOpInterface : OpInterface<"SharedAccessOpInterface"> {
  let cppNamespace = "::tilewright::tilegpu";
  let description = [{
    An op that reads or writes tiles in shared memory. Every op with a memory
    effect on a descriptor implements it. What is answered may be more than what
    is touched, never less: barriers are placed by it.
  }];
  let methods = [
    InterfaceMethod<[{
        The descriptors that the op reads or writes, through which registers,
        and by whom. One that it reads and writes is listed twice.
        Unless the op says more: those of its memory effects, of which every
        warp may touch all.
      }],
      "::llvm::SmallVector<::tilewright::tilegpu::SharedOperand>",
      "getSharedOperands", (ins), "", [{
        return ::tilewright::tilegpu::listSharedEffects($_op.getOperation());
      }]>
  ];
}

def AsyncStepOpInterface : OpInterface<"AsyncStepOpInterface"> {
  let cppNamespace = "::tilewright::tilegpu";
  let description = [{
    An op that starts asynchronous work, closes a group of it, or waits for
    groups. What work that an op has started does to shared memory it may do
    until the wait that takes its group; who has started it must wait.
  }];
  let methods = [
    InterfaceMethod<"What the op does to groups.",
      "::tilewright::tilegpu::AsyncStep", "getAsyncStep", (ins)>
  ];
}

#endif // TILEWRIGHT_DIALECTS_TILEGPU_SHAREDACCESSOPINTERFACE_TD
