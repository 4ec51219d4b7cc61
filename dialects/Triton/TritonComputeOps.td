// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops across the elements of tiles: dots, reductions, scans, gathers.

#ifndef TILEWRIGHT_DIALECTS_TRITON_COMPUTEOPS_TD
#define TILEWRIGHT_DIALECTS_TRITON_COMPUTEOPS_TD

include "dialects/Triton/TritonOpBase.td"

def DotOp : TritonOp<"dot", [Pure, AllTypesMatch<["c", "d"]>]> {
  let summary = "Matrix product with an accumulator";
  let description = [{
    `d[m, n] = c[m, n] + sum over k of a[m, k] * b[k, n]`, with an optional
    leading batch dimension. The order of the sum is not specified.

    `inputPrecision` says how f32 operands may be rounded: `ieee` not at all,
    `tf32` to tf32, `tf32x3` as three products of tf32 parts, `bf16x3` and
    `bf16x6` as three or six products of bf16 parts. Other operand types ignore
    it. `maxNumImpreciseAcc` is how many fp8 products may be summed before they
    are added to a full f32 accumulator; 0 leaves that to the compiler.

    Constraints: ranks 2 or 3, all equal; operands of one element type, or both
    fp8; integer operands with an integer accumulator at least as wide, or float
    operands with a float accumulator of 16 bits or more (f64 for f64).

    ```mlir
    %d = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<64x32xf32> * tensor<32x16xf32> -> tensor<64x16xf32>
    ```
  }];
  let arguments = (ins
    Arg<TritonTensor, "[batch,] M x K">:$a,
    Arg<TritonTensor, "[batch,] K x N">:$b,
    Arg<TritonTensor, "accumulator, [batch,] M x N">:$c,
    DefaultValuedAttr<InputPrecision, "::tilewright::tt::InputPrecision::IEEE">:$inputPrecision,
    DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs TritonTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict
    `:` type($a) `*` type($b) `->` type($d)
  }];
  let hasVerifier = 1;
}

def DotScaledOp : TritonOp<"dot_scaled",
    [Pure, ExpandedBeforePlacement, AttrSizedOperandSegments,
     AllTypesMatch<["c", "d"]>]> {
  let summary = "Matrix product of operands scaled by groups along K";
  let description = [{
    `d[m, n] = c[m, n] + sum over k of (a[m, k] * aScale[m, k / g]) * (b[k, n] *
    bScale[n, k / g])`, where a missing scale is 1.

    `aElementType` and `bElementType` say what the operands' bits encode: `bf16`,
    `fp16`, `e4m3` and `e5m2` are elements of that type (fp8 may come as i8);
    `e2m1` is two 4-bit floats in each i8, the lower nibble first, packed along K
    (`lhs_k_pack`, `rhs_k_pack`) or else along M and N. Scales of type i8 are
    powers of two with exponent bias 127 (0xff is NaN) for groups of g = 32
    elements; scales of type f8E4M3FN are for groups of 16. With `fastMath` NaN
    scales need not give NaN.

    ```mlir
    %d = tt.dot_scaled %a scale %s, %b, %c lhs = e2m1 rhs = bf16 {fastMath = false} : tensor<16x32xi8>, tensor<16x2xi8> * tensor<64x16xbf16> -> tensor<16x16xf32>
    ```
  }];
  let arguments = (ins
    Arg<TritonTensor, "[batch,] M x K, packed where e2m1">:$a,
    Arg<TritonTensor, "[batch,] K x N, packed where e2m1">:$b,
    Arg<TritonTensor, "accumulator, [batch,] M x N of floats">:$c,
    Arg<Optional<RankedTensorOf<[I8, F8E4M3FN]>>, "[batch,] M x K/g">:$aScale,
    Arg<Optional<RankedTensorOf<[I8, F8E4M3FN]>>, "[batch,] N x K/g">:$bScale,
    ScaledElementType:$aElementType, ScaledElementType:$bElementType,
    OptionalAttr<BoolAttr>:$fastMath, DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack,
    DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs TritonTensor:$d);
  let assemblyFormat = [{
    $a (`scale` $aScale^)? `,` $b (`scale` $bScale^)? `,` $c
    `lhs` `=` $aElementType `rhs` `=` $bElementType attr-dict
    `:` type($a) (`,` type($aScale)^)? `*` type($b) (`,` type($bScale)^)?
    `->` type($d)
  }];
  let hasVerifier = 1;
}

def ReduceOp : TritonOp<"reduce",
    [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "Combines the elements along an axis";
  let description = [{
    The region combines two elements (two of each source, where there are
    several: first one of each, then the other of each) and must be associative
    and commutative. The result lacks the axis; for a tile of one dimension it
    is a scalar. Sources have one shape and may differ in element type.

    ```mlir
    %s = "tt.reduce"(%a) <{axis = 1 : i32}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.reduce.return %z : f32
    }) : (tensor<64x32xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Arg<Variadic<TritonTensor>, "at least one">:$srcs,
                       Arg<I32Attr, "the dimension combined">:$axis);
  let results = (outs Variadic<TritonScalarOrTensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasCanonicalizer = 1;
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
}

def ReduceReturnOp : TritonOp<"reduce.return",
    [HasParent<"::tilewright::tt::ReduceOp">, Pure, ReturnLike, Terminator]> {
  let summary = "Ends a reduction's region";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def ScanOp : TritonOp<"scan",
    [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "Combines each element with those before it along an axis";
  let description = [{
    `result[i]` combines `src[0]` to `src[i]` in this order (`src[i]` to the
    last where `reverse` is true, starting from the last). The region has the
    form of tt.reduce's; it must be associative.

    ```mlir
    %s = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tt.scan.return %z : f32
    }) : (tensor<64xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Arg<Variadic<TritonTensor>, "at least one">:$srcs,
                       Arg<I32Attr, "the dimension scanned">:$axis,
                       DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let results = (outs Variadic<TritonTensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
}

def ScanReturnOp : TritonOp<"scan.return",
    [HasParent<"::tilewright::tt::ScanOp">, Pure, ReturnLike, Terminator]> {
  let summary = "Ends a scan's region";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def GatherOp : TritonOp<"gather", [Pure, HasAxisInfo, MovesElements]> {
  let summary = "Selects elements along an axis by index";
  let description = [{
    `result[..., j, ...] = src[..., indices[..., j, ...], ...]` along the axis.
    An index outside the source gives an undefined element. `efficient_layout`
    is a hint as in tt.reshape.

    Constraints: the indices' shape is the source's except along the axis; the
    result has the indices' shape and the source's element type.

    ```mlir
    %r = tt.gather %a[%i] {axis = 0 : i32} : (tensor<16xf16>, tensor<64xi32>) -> tensor<64xf16>
    ```
  }];
  let arguments = (ins TritonTensor:$src,
                       Arg<RankedTensorOf<[TritonInteger]>,
                           "signed indices of any width">:$indices,
                       Arg<I32Attr, "a dimension of src">:$axis,
                       UnitAttr:$efficient_layout);
  let results = (outs TritonTensor:$result);
  let assemblyFormat = [{
    $src `[` $indices `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def HistogramOp : TritonOp<"histogram", [Pure, MaskMatches<"src", "mask">]> {
  let summary = "Counts how often each bin's number occurs in a tile";
  let description = [{
    `result[b]` is the number of elements of `src` that are `b`, for each bin
    `0 <= b < bins`. Elements are unsigned integers. Those outside the bins, and
    those whose mask is false, are not counted.

    Constraints: the result is a tile of i32 of rank 1, each element of which is
    a bin.

    ```mlir
    %h = tt.histogram %x, %m : tensor<256xi32> -> tensor<16xi32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[TritonInteger]>:$src,
                       Arg<Optional<TritonBoolLike>,
                           "what to count; all if missing">:$mask);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = [{
    $src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TILEWRIGHT_DIALECTS_TRITON_COMPUTEOPS_TD
