// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every layout encoding answers.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_INTERFACES_TD
#define TILEWRIGHT_DIALECTS_TILEGPU_INTERFACES_TD

include "mlir/IR/OpBase.td"

def RegisterLayoutInterface : AttrInterface<"RegisterLayoutInterface"> {
  let cppNamespace = "::tilewright::tilegpu";
  let description = [{
    An encoding of a tensor held in registers: a map from (register, lane, warp)
    to the tensor's coordinates.
  }];
  let methods = [
    InterfaceMethod<[{
        The map for a tensor of `shape` (powers of two, of the layout's rank):
        inputs register, lane, warp; outputs dim0, dim1, ... of log2(shape)
        bits. It is surjective. Registers hold no copies unless the layout says
        so; lanes and warps may.
      }],
      "::tilewright::layout::LinearLayout", "toLinearLayout",
      (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<"Rank of the tensors it can describe.",
      "unsigned", "getRank", (ins)>,
    InterfaceMethod<"Number of warps over which it distributes a tensor.",
      "unsigned", "getNumWarps", (ins)>,
    InterfaceMethod<[{
        Diagnoses a tensor of `shape` that the encoding cannot describe.
      }],
      "::llvm::LogicalResult", "verifyShape",
      (ins "::llvm::ArrayRef<int64_t>":$shape,
           "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError),
      "", [{ return ::llvm::success(); }]>
  ];
}

def SharedLayoutInterface : AttrInterface<"SharedLayoutInterface"> {
  let cppNamespace = "::tilewright::tilegpu";
  let description = [{
    An encoding of a tile in shared memory: a map from the element offset in
    the allocation to the tile's coordinates.
  }];
  let methods = [
    InterfaceMethod<[{
        The map for a tile of `shape`: input offset, outputs dim0, dim1, ...;
        a bijection.
      }],
      "::tilewright::layout::LinearLayout", "toLinearLayout",
      (ins "::llvm::ArrayRef<int64_t>":$shape)>,
    InterfaceMethod<[{
        The gaps between offsets and places in memory, which no linear map can
        express: an element at offset o of the map is at place
        getPadding().apply(o).
      }],
      "::tilewright::layout::Padding", "getPadding", (ins), "",
      [{ return {}; }]>,
    InterfaceMethod<"Rank of the tiles it can describe.",
      "unsigned", "getRank", (ins)>,
    InterfaceMethod<[{
        Diagnoses a tile of `shape` (of its rank, powers of two) with elements of
        `elementBits` in memory that the encoding cannot describe.
      }],
      "::llvm::LogicalResult", "verifyTile",
      (ins "::llvm::ArrayRef<int64_t>":$shape, "unsigned":$elementBits,
           "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError),
      "", [{ return ::llvm::success(); }]>,
    InterfaceMethod<[{
        Bytes to which an allocation must be aligned, given the element width:
        the layout includes what a descriptor or a bulk copy requires.
      }],
      "unsigned", "getAlignmentBytes", (ins "unsigned":$elementBits), "",
      [{ return 16; }]>
  ];
}

#endif // TILEWRIGHT_DIALECTS_TILEGPU_INTERFACES_TD
