// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What executing an op takes of one warp.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_WORK_WORKOPINTERFACE_TD
#define TILEWRIGHT_DIALECTS_TILEGPU_WORK_WORKOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def WorkOpInterface : OpInterface<"WorkOpInterface"> {
  let cppNamespace = "::tilewright::tilegpu";
  let description = [{
    An op whose instructions do not follow from other answers of it. Elementwise
    ops (ElementCostOpInterface), views and accesses to memory need not implement
    it: getWork asks any op. External models give it to ops
    (attachWorkModels).
  }];
  let methods = [
    InterfaceMethod<[{
        What one warp does, and what the op orders; its tensors have layouts.
      }],
      "::tilewright::tilegpu::Work", "getWork",
      (ins "const ::tilewright::tilegpu::PlacementContext &":$context)>
  ];
}

#endif // TILEWRIGHT_DIALECTS_TILEGPU_WORK_WORKOPINTERFACE_TD
