// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an op can be carried out: under which placements of its tensors, and at
// what price.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_PLACEMENTOPINTERFACE_TD
#define TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_PLACEMENTOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def PlacementOpInterface : OpInterface<"PlacementOpInterface"> {
  let cppNamespace = "::tilewright::tilegpu";
  let description = [{
    An op whose tensors may be placed in more than one way. One layout in
    registers, the op's *own*, decides where its tensors are: that of its first
    tensor result, or of the source where the result is smaller (a reduction),
    or of the first operand where there is no tensor result. Ops of `tt`,
    `arith`, `math` and `ub` implement the interface by external models
    (attachPlacementModels).
  }];
  let methods = [
    InterfaceMethod<"The tensor that the op's own layout is of.",
      "::mlir::RankedTensorType", "getPlacedType", (ins)>,
    InterfaceMethod<[{
        The implementations that the op asks for by itself, the one that it
        would take alone first: coalesced accesses, matrix instructions.
      }],
      "::llvm::SmallVector<::tilewright::tilegpu::Implementation>",
      "listImplementations",
      (ins "const ::tilewright::tilegpu::PlacementContext &":$context)>,
    InterfaceMethod<[{
        The implementation under `layout`, or under the nearest one that the op
        can work under; none where there is none such, or where the op takes
        those alone that it lists.
      }],
      "std::optional<::tilewright::tilegpu::Implementation>", "implementUnder",
      (ins "::tilewright::tilegpu::RegisterLayoutInterface":$layout)>,
    InterfaceMethod<[{
        The implementation that puts result `result` into shared memory by
        itself, past registers, as `demand` asks for it; none where there is
        none.
      }],
      "std::optional<::tilewright::tilegpu::Implementation>",
      "implementInSharedMemory",
      (ins "unsigned":$result,
           "const ::tilewright::tilegpu::SharedPlacement &":$demand,
           "const ::tilewright::tilegpu::PlacementContext &":$context)>,
    InterfaceMethod<[{
        The op's own layout if it takes `operand` under `held`; null where that
        decides nothing.
      }],
      "::tilewright::tilegpu::RegisterLayoutInterface", "proposeForOperand",
      (ins "::mlir::OpOperand &":$operand,
           "::tilewright::tilegpu::RegisterLayoutInterface":$held)>,
    InterfaceMethod<[{
        The op's own layout if it gives result `result` under `wanted`; null
        where it cannot.
      }],
      "::tilewright::tilegpu::RegisterLayoutInterface", "proposeForResult",
      (ins "unsigned":$result,
           "::tilewright::tilegpu::RegisterLayoutInterface":$wanted)>,
    InterfaceMethod<"The own layout where nothing else asks for one.",
      "::tilewright::tilegpu::RegisterLayoutInterface", "getDefaultLayout",
      (ins "unsigned":$numWarps)>,
    InterfaceMethod<[{
        What the op costs: half cycles of one warp (target::InstructionPrices).
        Prices compare implementations of one op: what does not depend on the
        implementation may be missing.
      }],
      "uint64_t", "getPrice",
      (ins "const ::tilewright::tilegpu::Implementation &":$implementation,
           "const ::tilewright::tilegpu::PlacementContext &":$context)>,
    InterfaceMethod<[{
        Makes what stands in the op's place as the implementation's plan says,
        with `operands` where it asks for them; gives the values of its results,
        tiles in shared memory (memdesc) for those placed there, to which a
        copy may be on its way that nothing waits for yet. None where
        the op stays as it is.
      }],
      "::llvm::SmallVector<::mlir::Value>", "realize",
      (ins "::mlir::ValueRange":$operands,
           "const ::tilewright::tilegpu::Implementation &":$implementation,
           "const ::tilewright::tilegpu::PlacementContext &":$context)>
  ];
}

#endif // TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_PLACEMENTOPINTERFACE_TD
