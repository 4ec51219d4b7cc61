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
    effect on a descriptor implements it. The answer may include more than what
    is touched, never less: barriers are placed according to it.
  }];
  let methods = [
    InterfaceMethod<[{
        The descriptors that the op reads or writes, through which registers,
        and by whom. One that it reads and writes is listed twice. By default:
        those of its memory effects, all of which every warp may touch.
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
    An op that starts asynchronous work, commits a group of it, or waits for
    groups. Asynchronous work may access shared memory until the wait for its
    group; the agent that has started it must wait.
  }];
  let methods = [
    InterfaceMethod<"What the op does to groups.",
      "::tilewright::tilegpu::AsyncStep", "getAsyncStep", (ins)>
  ];
}

#endif // TILEWRIGHT_DIALECTS_TILEGPU_SHAREDACCESSOPINTERFACE_TD
