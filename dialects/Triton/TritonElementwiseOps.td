// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops on each element by itself that `arith` and `math` do not have.

#ifndef TILEWRIGHT_DIALECTS_TRITON_ELEMENTWISEOPS_TD
#define TILEWRIGHT_DIALECTS_TRITON_ELEMENTWISEOPS_TD

include "dialects/Triton/TritonOpBase.td"

class TritonElementwiseOp<string mnemonic, list<Trait> traits = []>
    : TritonOp<mnemonic, !listconcat(traits, [ElementwiseOnTiles, HasElementCost])>;

class TritonCastOp<string mnemonic, string text>
    : TritonElementwiseOp<mnemonic, [Pure, HasAxisInfo]> {
  let summary = text;
  let arguments = (ins TritonScalarOrTensor:$src);
  let results = (outs TritonScalarOrTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def BitcastOp : TritonCastOp<"bitcast", "The same bits as another type"> {
  let description = [{
    Elements of source and result have one width; a pointer has 64 bits.
    Pointers become pointers to another type.

    ```mlir
    %i = tt.bitcast %f : tensor<64xf32> -> tensor<64xi32>
    ```
  }];
}
def IntToPtrOp : TritonCastOp<"int_to_ptr", "An address as a pointer"> {
  let description = [{
    The source is i64, or a tile of i64.

    ```mlir
    %p = tt.int_to_ptr %i : tensor<64xi64> -> tensor<64x!tt.ptr<f32>>
    ```
  }];
}
def PtrToIntOp : TritonCastOp<"ptr_to_int", "A pointer's address"> {
  let description = [{
    The result is i64, or a tile of i64.

    ```mlir
    %i = tt.ptr_to_int %p : tensor<64x!tt.ptr<f32>> -> tensor<64xi64>
    ```
  }];
}

def FpToFpOp : TritonElementwiseOp<"fp_to_fp", [Pure]> {
  let summary = "Converts between floating-point types";
  let description = [{
    Rounds as `rounding` says: to nearest even (`rtne`), toward zero (`rtz`), or
    by the random bits `rbits` (`rs`). A conversion to fewer bits must specify
    it; any other is exact or rounds to nearest even. Conversions to fp8 give
    the largest finite number where the result would be larger.

    ```mlir
    %y = tt.fp_to_fp %x, rounding = rtne : tensor<64xf32> -> tensor<64xf8E4M3FN>
    ```
  }];
  let arguments = (ins TritonFloatLike:$src,
                       Arg<Optional<TritonIntegerLike>,
                           "random bits, i32, for rounding = rs">:$rbits,
                       OptionalAttr<RoundingMode>:$rounding);
  let results = (outs TritonFloatLike:$result);
  let assemblyFormat = [{
    $src (`,` `rounding` `=` $rounding^)? (`,` `rbits` `=` $rbits^ `:` type($rbits))?
    attr-dict `:` type($src) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

def ClampFOp : TritonElementwiseOp<"clampf",
    [Pure, AllTypesMatch<["x", "min", "max", "result"]>]> {
  let summary = "min(max(x, min), max)";
  let description = [{
    With `propagateNan = all` a NaN in `x` gives NaN; with `none` it gives `min`.
    Undefined where `min` or `max` is NaN or `min > max`.

    ```mlir
    %y = tt.clampf %x, %lo, %hi, propagateNan = none : tensor<64xf32>
    ```
  }];
  let arguments = (ins TritonFloatLike:$x, TritonFloatLike:$min, TritonFloatLike:$max,
                       PropagateNan:$propagateNan);
  let results = (outs TritonFloatLike:$result);
  let assemblyFormat = [{
    $x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict
    `:` type($result)
  }];
}

def PreciseSqrtOp : TritonElementwiseOp<"precise_sqrt",
    [Pure, AllTypesMatch<["x", "result"]>]> {
  let summary = "Square root, correctly rounded";
  let description = [{
    ```mlir
    %y = tt.precise_sqrt %x : tensor<64xf32>
    ```
  }];
  let arguments = (ins TritonFloatLike:$x);
  let results = (outs TritonFloatLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def PreciseDivFOp : TritonElementwiseOp<"precise_divf",
    [Pure, AllTypesMatch<["x", "y", "result"]>]> {
  let summary = "Division, correctly rounded";
  let description = [{
    ```mlir
    %z = tt.precise_divf %x, %y : tensor<64xf32>
    ```
  }];
  let arguments = (ins TritonFloatLike:$x, TritonFloatLike:$y);
  let results = (outs TritonFloatLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def ApproxDivFOp : TritonElementwiseOp<"approx_divf",
    [Pure, AllTypesMatch<["x", "y", "result"]>]> {
  let summary = "Approximate division, like arith.divf of f32";
  let description = [{
    Within 2 units in the last place. Elements are f32.

    ```mlir
    %z = tt.approx_divf %x, %y : tensor<64xf32>
    ```
  }];
  let arguments = (ins ScalarOrTensor<F32, "f32 or a tile of f32">:$x,
                       ScalarOrTensor<F32, "f32 or a tile of f32">:$y);
  let results = (outs ScalarOrTensor<F32, "f32 or a tile of f32">:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def MulhiUIOp : TritonElementwiseOp<"mulhiui",
    [Pure, AllTypesMatch<["x", "y", "result"]>]> {
  let summary = "The high half of an unsigned product";
  let description = [{
    `result = (x * y) >> n` of unsigned integers of n bits.

    ```mlir
    %z = tt.mulhiui %x, %y : tensor<64xi32>
    ```
  }];
  let arguments = (ins TritonIntegerLike:$x, TritonIntegerLike:$y);
  let results = (outs TritonIntegerLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def ExternElementwiseOp : TritonElementwiseOp<"extern_elementwise",
    [ConditionallySpeculatable,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Calls a library's function on each element";
  let description = [{
    `symbol` is a function of libdevice, or of the bitcode file `libpath`. Tiles
    have one shape; a scalar operand next to tiles applies to all elements.

    ```mlir
    %y = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_tanhf"} : (tensor<64xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Variadic<TritonScalarOrTensor>:$srcs, StrAttr:$libname,
                       StrAttr:$libpath, StrAttr:$symbol,
                       Arg<BoolAttr, "has no effect but its result">:$pure);
  let results = (outs TritonScalarOrTensor:$result);
  let assemblyFormat =
      "operands attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = [{
    ::mlir::Speculation::Speculatability getSpeculatability() {
      return getPure() ? ::mlir::Speculation::Speculatable
                       : ::mlir::Speculation::NotSpeculatable;
    }
  }];
  let hasVerifier = 1;
}

def ElementwiseInlineAsmOp : TritonElementwiseOp<"elementwise_inline_asm",
    [ConditionallySpeculatable, HasAxisInfo,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "PTX on each element, or on groups of packed elements";
  let description = [{
    The PTX of `asm_string` runs once for `packed_element` elements of each
    operand that one thread holds; elements of fewer than 32 bits are packed in
    registers of 32. `constraints` are LLVM's, results first.

    ```mlir
    %y = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %x : tensor<64xi32> -> tensor<64xi32>
    ```
  }];
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints,
                       Arg<BoolAttr, "has no effect but its results">:$pure,
                       Arg<I32Attr, "elements a run, 1 or more">:$packed_element,
                       Variadic<TritonScalarOrTensor>:$args);
  let results = (outs Variadic<TritonScalarOrTensor>:$result);
  let assemblyFormat = [{
    $asm_string attr-dict ($args^ `:` type($args))? `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::Speculation::Speculatability getSpeculatability() {
      return getPure() ? ::mlir::Speculation::Speculatable
                       : ::mlir::Speculation::NotSpeculatable;
    }
  }];
  let hasVerifier = 1;
}

def MapElementwiseOp : TritonElementwiseOp<"map_elementwise",
    [RecursiveMemoryEffects, RecursivelySpeculatable]> {
  let summary = "A function of scalars on each element, or on packs of them";
  let description = [{
    Runs the region once for each `pack` elements of the sources, which gives
    those of the results. The region's arguments are the pack's elements of the
    first source, then those of the second, and so on; it returns `pack`
    elements of each result in the same order. Which elements form a pack is not
    specified; here they are neighbors in row-major order.

    The region may have control flow, read memory, and use scalars from outside.
    It must not write memory.

    Constraints: sources and results have one shape; `pack` is a power of two
    and at most the number of elements.

    ```mlir
    %r = "tt.map_elementwise"(%a) <{pack = 1 : i32}> ({
    ^bb0(%x: f32):
      %y = arith.addf %x, %x : f32
      tt.map_elementwise.return %y : f32
    }) : (tensor<64xf32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Arg<Variadic<TritonTensor>, "at least one">:$srcs,
                       Arg<I32Attr, "elements a run, 1 or more">:$pack);
  let results = (outs Variadic<TritonTensor>:$result);
  let regions = (region MinSizedRegion<1>:$scalarOp);
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
}

def MapElementwiseReturnOp : TritonOp<"map_elementwise.return",
    [HasParent<"::tilewright::tt::MapElementwiseOp">, Pure, ReturnLike,
     Terminator]> {
  let summary = "Ends the region of a map";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "attr-dict ($result^ `:` type($result))?";
}

#endif // TILEWRIGHT_DIALECTS_TRITON_ELEMENTWISEOPS_TD
