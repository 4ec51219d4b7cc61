// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making tiles, and giving their elements other coordinates.

#ifndef TILEWRIGHT_DIALECTS_TRITON_SHAPEOPS_TD
#define TILEWRIGHT_DIALECTS_TRITON_SHAPEOPS_TD

include "dialects/Triton/TritonOpBase.td"

def MakeRangeOp : TritonOp<"make_range", [Pure]> {
  let summary = "start, start + 1, ..., end - 1";
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def SplatOp : TritonOp<"splat", [Pure]> {
  let summary = "A tile whose elements all are one scalar";
  let description = "`result[...] = source`";
  let arguments = (ins TritonScalar:$src);
  let results = (outs TritonTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def UnsplatOp : TritonOp<"unsplat",
    [Pure, TypesMatchWith<"the result is the tile's element", "src", "result",
                          "::mlir::getElementTypeOrSelf($_self)">]> {
  let summary = "The element of a tile of one element";
  let arguments = (ins TritonTensor:$src);
  let results = (outs TritonScalar:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasVerifier = 1;
}

def ExpandDimsOp : TritonOp<"expand_dims", [Pure]> {
  let summary = "Inserts a dimension of one element";
  let arguments = (ins TritonTensor:$src, I32Attr:$axis);
  let results = (outs TritonTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def BroadcastOp : TritonOp<"broadcast", [Pure]> {
  let summary = "Repeats a tile along dimensions of one element";
  let arguments = (ins TritonTensor:$src);
  let results = (outs TritonTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasCanonicalizer = 1;
  let hasFolder = 1;
  let hasVerifier = 1;
}

def ReshapeOp : TritonOp<"reshape", [Pure]> {
  let summary = "The same elements, in row-major order, in another shape";
  let description = [{
    With `allow_reorder` the elements may come in any order; `efficient_layout`
    is a hint.
  }];
  let arguments = (ins TritonTensor:$src, UnitAttr:$allow_reorder,
                       UnitAttr:$efficient_layout);
  let results = (outs TritonTensor:$result);
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)?
    (`efficient_layout` $efficient_layout^)? attr-dict
    `:` type($src) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def TransOp : TritonOp<"trans", [Pure]> {
  let summary = "Permutes dimensions";
  let description = "Dimension `i` of the result is dimension `order[i]`.";
  let arguments = (ins TritonTensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs TritonTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def JoinOp : TritonOp<"join", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "Two tiles side by side in a new last dimension";
  let description = "`result[..., 0] = lhs[...]`, `result[..., 1] = rhs[...]`";
  let arguments = (ins TritonTensor:$lhs, TritonTensor:$rhs);
  let results = (outs TritonTensor:$result);
  let assemblyFormat =
      "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def SplitOp : TritonOp<"split", [Pure, AllTypesMatch<["outLHS", "outRHS"]>]> {
  let summary = "The two halves of a last dimension of two elements";
  let arguments = (ins TritonTensor:$src);
  let results = (outs TritonTensor:$outLHS, TritonTensor:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
  let hasVerifier = 1;
}

def CatOp : TritonOp<"cat", [Pure, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "Two tiles one after the other; elements may be reordered";
  let arguments = (ins TritonTensor:$lhs, TritonTensor:$rhs);
  let results = (outs TritonTensor:$result);
  let assemblyFormat =
      "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TILEWRIGHT_DIALECTS_TRITON_SHAPEOPS_TD
