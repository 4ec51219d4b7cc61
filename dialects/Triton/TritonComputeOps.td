// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops across the elements of tiles: dots, reductions, scans, gathers.

#ifndef TILEWRIGHT_DIALECTS_TRITON_COMPUTEOPS_TD
#define TILEWRIGHT_DIALECTS_TRITON_COMPUTEOPS_TD

include "dialects/Triton/TritonOpBase.td"

def DotOp : TritonOp<"dot", [Pure, AllTypesMatch<["c", "d"]>]> {
  let summary = "Matrix product with an accumulator";
  let description = [{
    `d[m, n] = c[m, n] + sum over k of a[m, k] * b[k, n]`, with a leading batch
    dimension or none. `inputPrecision` says how f32 operands may be rounded;
    the order of the sum is not specified.
  }];
  let arguments = (ins TritonTensor:$a, TritonTensor:$b, TritonTensor:$c,
    DefaultValuedAttr<InputPrecision, "::tilewright::tt::InputPrecision::IEEE">:$inputPrecision,
    DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs TritonTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict
    `:` type($a) `*` type($b) `->` type($d)
  }];
  let hasVerifier = 1;
}

def ReduceOp : TritonOp<"reduce",
    [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "Combines the elements along an axis";
  let description = [{
    The region combines two elements (two of each source, where there are
    several) and must be associative and commutative. The result lacks the axis;
    of a tile of one dimension it is a scalar.
  }];
  let arguments = (ins Variadic<TritonTensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<AnyTypeOf<[TritonScalar, TritonTensor]>>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
}

def ReduceReturnOp : TritonOp<"reduce.return",
    [HasParent<"::tilewright::tt::ReduceOp">, Pure, ReturnLike, Terminator]> {
  let summary = "What a reduction's region gives";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def ScanOp : TritonOp<"scan",
    [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock]> {
  let summary = "Combines each element with those before it along an axis";
  let description = [{
    `result[i]` combines `src[0]` to `src[i]` in this order (`src[i]` to the last
    where `reverse` is true). The region must be associative.
  }];
  let arguments = (ins Variadic<TritonTensor>:$srcs, I32Attr:$axis,
                       DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let results = (outs Variadic<TritonTensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
}

def ScanReturnOp : TritonOp<"scan.return",
    [HasParent<"::tilewright::tt::ScanOp">, Pure, ReturnLike, Terminator]> {
  let summary = "What a scan's region gives";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def GatherOp : TritonOp<"gather", [Pure]> {
  let summary = "Picks elements along an axis";
  let description = [{
    `result[..., j, ...] = src[..., indices[..., j, ...], ...]` along the axis.
  }];
  let arguments = (ins TritonTensor:$src,
                       RankedTensorOf<[AnySignlessInteger]>:$indices,
                       I32Attr:$axis, UnitAttr:$efficient_layout);
  let results = (outs TritonTensor:$result);
  let assemblyFormat = [{
    $src `[` $indices `]` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // TILEWRIGHT_DIALECTS_TRITON_COMPUTEOPS_TD
