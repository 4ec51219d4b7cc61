// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op on tiles says about itself, so that passes need not know its name.
//
// The answers are facts about whole tiles: no target, no thread and no layout
// is spoken of. `tt`, `tile` and `tilegpu` ops implement these interfaces
// themselves; ops of `arith`, `math` and `scf` by external models
// (attachUpstreamModels). A tensor op that answers nothing here must be
// elementwise (MLIR's trait Elementwise, or ElementwiseOnTiles), or a test fails
// (test/Unit/Interfaces).

#ifndef TILEWRIGHT_DIALECTS_INTERFACES_TILEOPINTERFACES_TD
#define TILEWRIGHT_DIALECTS_INTERFACES_TILEOPINTERFACES_TD

include "mlir/IR/OpBase.td"

class TileOpInterface<string name> : OpInterface<name> {
  let cppNamespace = "::tilewright";
}

def DataMovementOpInterface : TileOpInterface<"DataMovementOpInterface"> {
  let description = [{
    Every element of every result is an element of one of the leading operands,
    unchanged.
  }];
  let methods = [
    InterfaceMethod<[{
        How many of the leading operands the elements come from; the others
        (indices) only say where they go.
      }],
      "unsigned", "getNumMovedOperands", (ins), "", [{ return 1; }]>
  ];
}

def CoordinateMapOpInterface
    : TileOpInterface<"CoordinateMapOpInterface"> {
  let description = [{
    A data movement from tensors to one tensor by a linear map of coordinates:
    result[c] = source[map(c)]. Several sources are placed side by side along a
    last dimension, which the map drops.
  }];
  let methods = [
    InterfaceMethod<"From the result's coordinates to the source's.",
      "::tilewright::layout::LinearLayout", "getCoordinateMap", (ins)>
  ];
}

def AxisInfoOpInterface : TileOpInterface<"AxisInfoOpInterface"> {
  let description = [{
    What is known about the op's integers and pointers along each dimension,
    given what is known about the operands (AxisInfo.h). Elementwise ops that do
    not implement it are assumed to give equal results for equal operands, and
    nothing more.
  }];
  let methods = [
    InterfaceMethod<[{
        The information of result `result`, whose type is one that is analysed.
        `operands` has an entry, never null, for each operand.
      }],
      "::tilewright::AxisInfo", "inferAxisInfo",
      (ins "unsigned":$result,
           "::llvm::ArrayRef<const ::tilewright::AxisInfo *>":$operands)>
  ];
}

def GlobalAccessOpInterface : TileOpInterface<"GlobalAccessOpInterface"> {
  let description = [{
    Reads or writes global memory through a pointer, or a tile of them, element
    by element.
  }];
  let methods = [
    InterfaceMethod<"What is accessed, and how.",
      "::tilewright::GlobalAccess", "getGlobalAccess", (ins)>,
    InterfaceMethod<[{
        Has the access take `mask`, in the place of any that it has; false where
        it takes none.
      }],
      "bool", "setAccessMask", (ins "::mlir::Value":$mask), "", [{
        if constexpr (requires { $_op.getMaskMutable(); }) {
          $_op.getMaskMutable().assign(mask);
          return true;
        }
        return false;
      }]>
  ];
}

def ElementCostOpInterface : TileOpInterface<"ElementCostOpInterface"> {
  let description = [{
    The cost of an elementwise op for one element, in units that every target
    has a price for.
  }];
  let methods = [
    InterfaceMethod<"Instructions for one element.",
      "::tilewright::ElementCost", "getElementCost", (ins)>
  ];
}

def ValueMergeOpInterface : TileOpInterface<"ValueMergeOpInterface"> {
  let description = [{
    Control flow at which values merge: the initial value, the argument, the
    yielded value and the result of a loop; the values that branches yield. Such
    values have one type, and one placement. Block arguments, which the branches
    of a graph of blocks pass, are not part of the op.
  }];
  let methods = [
    InterfaceMethod<"One merge for each value that the op gives or carries.",
      "::llvm::SmallVector<::tilewright::ValueMerge>", "getMerges", (ins)>
  ];
}

def NarrowingOpInterface : TileOpInterface<"NarrowingOpInterface"> {
  let description = [{
    An op on integers that may work on fewer bits, under conditions. Data
    movements of one operand, which may do so unconditionally, do not implement
    it.
  }];
  let methods = [
    InterfaceMethod<"The conditions.", "::tilewright::Narrowing",
      "getNarrowing", (ins)>
  ];
}

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

/// An elementwise op that verifies shapes itself, in better words than MLIR's
/// trait Elementwise.
def ElementwiseOnTiles : NativeOpTrait<"ElementwiseOnTiles"> {
  let cppNamespace = "::tilewright";
}

/// An op that others take the place of before tensors get layouts.
def ExpandedBeforePlacement : NativeOpTrait<"ExpandedBeforePlacement"> {
  let cppNamespace = "::tilewright";
}

#endif // TILEWRIGHT_DIALECTS_INTERFACES_TILEOPINTERFACES_TD
