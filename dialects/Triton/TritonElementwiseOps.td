// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops on each element by itself that `arith` and `math` do not have.

#ifndef TILEWRIGHT_DIALECTS_TRITON_ELEMENTWISEOPS_TD
#define TILEWRIGHT_DIALECTS_TRITON_ELEMENTWISEOPS_TD

include "dialects/Triton/TritonOpBase.td"

class TritonCastOp<string mnemonic, string text> : TritonOp<mnemonic, [Pure]> {
  let summary = text;
  let arguments = (ins AnyTypeOf<[TritonScalar, TritonTensor]>:$src);
  let results = (outs AnyTypeOf<[TritonScalar, TritonTensor]>:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def BitcastOp : TritonCastOp<"bitcast", "The same bits as another type"> {
  let hasFolder = 1;
}
def IntToPtrOp : TritonCastOp<"int_to_ptr", "An address as a pointer">;
def PtrToIntOp : TritonCastOp<"ptr_to_int", "A pointer's address">;

def FpToFpOp : TritonOp<"fp_to_fp", [Pure]> {
  let summary = "Converts between floating-point types";
  let description = [{
    Rounds as `rounding` says: to nearest even, towards zero, or by the random
    bits `rbits`. Exact conversions need no rounding.
  }];
  let arguments = (ins TritonFloatLike:$src, Optional<TritonIntegerLike>:$rbits,
                       OptionalAttr<RoundingMode>:$rounding);
  let results = (outs TritonFloatLike:$result);
  let assemblyFormat = [{
    $src (`,` `rounding` `=` $rounding^)? (`,` `rbits` `=` $rbits^ `:` type($rbits))?
    attr-dict `:` type($src) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def ClampFOp : TritonOp<"clampf",
    [Pure, AllTypesMatch<["x", "min", "max", "result"]>]> {
  let summary = "min(max(x, min), max)";
  let arguments = (ins TritonFloatLike:$x, TritonFloatLike:$min, TritonFloatLike:$max,
                       PropagateNan:$propagateNan);
  let results = (outs TritonFloatLike:$result);
  let assemblyFormat = [{
    $x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict
    `:` type($result)
  }];
}

def PreciseSqrtOp : TritonOp<"precise_sqrt",
    [Pure, AllTypesMatch<["x", "result"]>]> {
  let summary = "Square root, correctly rounded";
  let arguments = (ins TritonFloatLike:$x);
  let results = (outs TritonFloatLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def PreciseDivFOp : TritonOp<"precise_divf",
    [Pure, AllTypesMatch<["x", "y", "result"]>]> {
  let summary = "Division, correctly rounded";
  let arguments = (ins TritonFloatLike:$x, TritonFloatLike:$y);
  let results = (outs TritonFloatLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def MulhiUIOp : TritonOp<"mulhiui",
    [Pure, AllTypesMatch<["x", "y", "result"]>]> {
  let summary = "The high half of an unsigned product";
  let arguments = (ins TritonIntegerLike:$x, TritonIntegerLike:$y);
  let results = (outs TritonIntegerLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def ExternElementwiseOp : TritonOp<"extern_elementwise",
    [ConditionallySpeculatable,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Calls a library's function on each element";
  let arguments = (ins Variadic<AnyTypeOf<[TritonScalar, TritonTensor]>>:$srcs,
                       StrAttr:$libname, StrAttr:$libpath, StrAttr:$symbol,
                       BoolAttr:$pure);
  let results = (outs AnyTypeOf<[TritonScalar, TritonTensor]>:$result);
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = [{
    ::mlir::Speculation::Speculatability getSpeculatability() {
      return getPure() ? ::mlir::Speculation::Speculatable
                       : ::mlir::Speculation::NotSpeculatable;
    }
  }];
}

def ElementwiseInlineAsmOp : TritonOp<"elementwise_inline_asm",
    [ConditionallySpeculatable,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "PTX on each element, or on groups of packed elements";
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints,
                       BoolAttr:$pure, I32Attr:$packed_element,
                       Variadic<AnyTypeOf<[TritonScalar, TritonTensor]>>:$args);
  let results = (outs Variadic<AnyTypeOf<[TritonScalar, TritonTensor]>>:$result);
  let assemblyFormat = [{
    $asm_string attr-dict ($args^ `:` type($args))? `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::Speculation::Speculatability getSpeculatability() {
      return getPure() ? ::mlir::Speculation::Speculatable
                       : ::mlir::Speculation::NotSpeculatable;
    }
  }];
}

#endif // TILEWRIGHT_DIALECTS_TRITON_ELEMENTWISEOPS_TD
