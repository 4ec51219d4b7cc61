// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making tiles, and giving their elements other coordinates. No op here changes
// an element. Types are printed in full: tiles may carry encodings.

#ifndef TILEWRIGHT_DIALECTS_TRITON_SHAPEOPS_TD
#define TILEWRIGHT_DIALECTS_TRITON_SHAPEOPS_TD

include "dialects/Triton/TritonOpBase.td"

def MakeRangeOp : TritonOp<"make_range",
    [Pure, HasAxisInfo,
     DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "start, start + 1, ..., end - 1";
  let description = [{
    `result[i] = start + i`, for `0 <= i < end - start`.

    The result is a tile of i32 of rank 1 and of `end - start` elements.

    ```mlir
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    ```
  }];
  let arguments = (ins Arg<I32Attr, "the first element">:$start,
                       Arg<I32Attr, "one more than the last element">:$end);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def SplatOp : TritonOp<"splat", [Pure, HasAxisInfo, MovesElements]> {
  let summary = "A tile all of whose elements are one scalar";
  let description = [{
    `result[...] = src`

    ```mlir
    %0 = tt.splat %n : i32 -> tensor<64xi32>
    ```
  }];
  let arguments = (ins Arg<TritonScalar, "the element">:$src);
  let results = (outs TritonTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def UnsplatOp : TritonOp<"unsplat",
    [Pure, HasAxisInfo, MovesElements,
     TypesMatchWith<"the result is the tile's element", "src", "result",
                          "::mlir::getElementTypeOrSelf($_self)">]> {
  let summary = "The element of a tile of one element";
  let description = [{
    `result = src[0, ..., 0]`

    ```mlir
    %0 = tt.unsplat %t : tensor<1xf32>
    ```
  }];
  let arguments = (ins Arg<TritonTensor, "a tile of one element">:$src);
  let results = (outs TritonScalar:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def ExpandDimsOp : TritonOp<"expand_dims", [Pure, HasAxisInfo, HasCoordinateMap, MovesElements]> {
  let summary = "Inserts a dimension of one element";
  let description = [{
    `result[..., 0, ...] = src[..., ...]`, the 0 in dimension `axis` of the
    result, which is in `[0, rank of src]`.

    ```mlir
    %0 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    ```
  }];
  let arguments = (ins TritonTensor:$src,
                       Arg<I32Attr, "the dimension inserted">:$axis);
  let results = (outs TritonTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def BroadcastOp : TritonOp<"broadcast", [Pure, HasAxisInfo, HasCoordinateMap, MovesElements]> {
  let summary = "Repeats a tile along dimensions of one element";
  let description = [{
    `result[i, ...] = src[i', ...]`, where `i'` is 0 in each dimension of one
    element of the source, and `i` in every other. Both have the same rank.

    ```mlir
    %0 = tt.broadcast %e : tensor<64x1xi32> -> tensor<64x32xi32>
    ```
  }];
  let arguments = (ins TritonTensor:$src);
  let results = (outs TritonTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def ReshapeOp : TritonOp<"reshape", [Pure, HasAxisInfo, HasCoordinateMap, MovesElements]> {
  let summary = "The same elements, in row-major order, in another shape";
  let description = [{
    The element with row-major index `i` of the result is the one with row-major
    index `i` of the source. With `allow_reorder` the elements may come in any
    order (each once); `efficient_layout` is a hint that the chosen order is
    good, and has no meaning by itself.

    `{allow_reorder = true}` and `{allow_reorder = false}`, as Triton 3.0 and
    3.1 print them, are also parsed.

    ```mlir
    %0 = tt.reshape %a : tensor<64x32xf16> -> tensor<2048xf16>
    %1 = tt.reshape %a allow_reorder : tensor<64x32xf16> -> tensor<2048xf16>
    ```
  }];
  let arguments = (ins TritonTensor:$src,
                       Arg<UnitAttr, "elements in any order">:$allow_reorder,
                       UnitAttr:$efficient_layout);
  let results = (outs TritonTensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TransOp : TritonOp<"trans", [Pure, HasAxisInfo, HasCoordinateMap, MovesElements]> {
  let summary = "Permutes dimensions";
  let description = [{
    Dimension `i` of the result is dimension `order[i]` of the source; `order` is
    a permutation of the source's dimensions.

    ```mlir
    %0 = tt.trans %a {order = array<i32: 1, 0>} : tensor<64x32xf16> -> tensor<32x64xf16>
    ```
  }];
  let arguments = (ins TritonTensor:$src,
                       Arg<DenseI32ArrayAttr, "dimensions of src">:$order);
  let results = (outs TritonTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def JoinOp : TritonOp<"join",
    [Pure, AllTypesMatch<["lhs", "rhs"]>, HasAxisInfo,
     HasCoordinateMap, MovesElementsOfSeveral]> {
  let summary = "Two tiles side by side in a new last dimension";
  let description = [{
    `result[..., 0] = lhs[...]`, `result[..., 1] = rhs[...]`

    ```mlir
    %0 = tt.join %a, %b : tensor<64xf16> -> tensor<64x2xf16>
    ```
  }];
  let arguments = (ins TritonTensor:$lhs, TritonTensor:$rhs);
  let results = (outs TritonTensor:$result);
  let assemblyFormat =
      "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def SplitOp : TritonOp<"split",
    [Pure, AllTypesMatch<["outLHS", "outRHS"]>, HasAxisInfo, MovesElements]> {
  let summary = "The two halves of a last dimension of two elements";
  let description = [{
    `outLHS[...] = src[..., 0]`, `outRHS[...] = src[..., 1]`

    ```mlir
    %0, %1 = tt.split %j : tensor<64x2xf16> -> tensor<64xf16>
    ```
  }];
  let arguments = (ins TritonTensor:$src);
  let results = (outs TritonTensor:$outLHS, TritonTensor:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def CatOp : TritonOp<"cat",
    [Pure, ExpandedBeforePlacement, AllTypesMatch<["lhs", "rhs"]>, HasAxisInfo,
     MovesElementsOfSeveral]> {
  let summary = "All elements of two tiles, in any order";
  let description = [{
    The result, of rank 1, holds each element of `lhs` and of `rhs` once. Their
    order is not specified, but it is the same for all `cat`s of the same types.

    ```mlir
    %0 = tt.cat %a, %b : tensor<64xf16> -> tensor<128xf16>
    ```
  }];
  let arguments = (ins TritonTensor:$lhs, TritonTensor:$rhs);
  let results = (outs TritonTensor:$result);
  let assemblyFormat =
      "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TILEWRIGHT_DIALECTS_TRITON_SHAPEOPS_TD
