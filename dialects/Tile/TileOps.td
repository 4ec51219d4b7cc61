// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of `tile`. Each description defines its op by a formula; a lowering
// may compute otherwise where the result is the same, or where it says so.

#ifndef TILEWRIGHT_DIALECTS_TILE_OPS_TD
#define TILEWRIGHT_DIALECTS_TILE_OPS_TD

include "dialects/Tile/TileAttributes.td"
include "dialects/Triton/TritonOpBase.td"

class TileOp<string mnemonic, list<Trait> traits = []>
    : Op<TileDialect, mnemonic, !listconcat([Pure, TileSizes], traits)>;

/// What the programs of a cluster have of each other, as a resource of effects.
def Cluster : Resource<"::tilewright::tile::ClusterResource">;

def TileFloatTensor : RankedTensorOf<[F16, BF16, F32]>;

def DequantizeOp : TileOp<"dequantize", [AttrSizedOperandSegments]> {
  let summary = "Unpacks coded weights and scales them by groups";
  let description = [{
    Each word of `weights` holds `e = (bits of a word) / bits` codes, packed
    along dimension `axis`: the result's size is `e` times the weights' there, and
    the same elsewhere. For the result's element at `x`, with `k = x[axis]`:

    ```
    word    = weights[x with k / e  at axis]
    code    = (word >> (bits * place(k mod e))) & (2^bits - 1)
    g       = x[group_axis] / group_size
    scale   = scales[x with g at group_axis]
    zero    = zeros[x with g at group_axis], or 0 without zeros
    result[x] = (value(code) - zero) * scale
    ```

    `group_axis` is `axis` where it is not given; AWQ packs along columns, and its
    groups are of rows.

    `place(j)`, where the code of element `j` of a word stands, counted in codes
    from the least significant bits on:
    - `low_first`: `j` (GPTQ, HQQ)
    - `high_first`: `e - 1 - j` (bitsandbytes)
    - `even_first`: `j / 2` for even `j`, `e/2 + (j - 1)/2` for odd `j` (AWQ)

    `value(code)`:
    - `unsigned`: the code; `signed`: the code in two's complement
    - `code_book`: `code_book[code]` (NF4, and the FP4 of bitsandbytes)
    - `e2m1` (4 bits): the float with 1 sign, 2 exponent (bias 1) and 1 mantissa
      bits, without infinities and NaNs (MXFP4)
    - `e4m3`, `e5m2` (8 bits): as f8E4M3FN and f8E5M2

    With `in_bytes`, for integers, numbers are larger by a power of two that the
    consumer knows: codes need not be moved to the lowest bits of their bytes.

    ```
    result[x] = (value(code) - zero) * scale * 2^(bits * place(k mod e) mod 8)
    ```

    Arithmetic is in f32: the difference and the product are rounded to f32, and
    the product once more to the result's type, each to nearest even. Where the
    result's type represents the differences and the scales, that equals one
    multiplication in that type (`multipliesIn`), and is compiled to it.

    Constraints:
    - words are i8 or i32, and signless; `bits` is 2, 4 or 8
    - where the result's size along `group_axis` is larger than `group_size`, it
      is a multiple of it, and scales have one element per group; otherwise they
      have one element there (the tile is part of one group). In every other
      dimension scales have the result's size, or 1 for all of it
    - zeros have the scales' shape, are floats or integers (signed), and are
      only allowed with `unsigned` and `signed`. They are given as they are
      subtracted: whoever reads GPTQ's version 1, which stores one less, adds 1
    - the code book has `2^bits` elements, and is only allowed with `code_book`
    - `in_bytes` is only allowed with `unsigned` and `signed`

    ```mlir
    %w = tile.dequantize %q scale %s zero %z format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> zero tensor<2x16xf16> -> tensor<64x16xf16>
    ```
  }];
  let arguments = (ins
    Arg<RankedTensorOf<[I8, I32]>, "words of packed codes">:$weights,
    Arg<TileFloatTensor, "one scale a group">:$scales,
    Arg<Optional<RankedTensorOf<[I8, I16, I32, F16, BF16, F32]>>,
        "what to subtract, one a group">:$zeros,
    Arg<Optional<TileFloatTensor>, "what each code stands for, rank 1">:$codeBook,
    Arg<I32Attr, "bits of a code">:$bits,
    CodeFormat:$format,
    Arg<I32Attr, "elements along the group axis that share a scale">:$group_size,
    Arg<I32Attr, "dimension of packing">:$axis,
    Arg<OptionalAttr<I32Attr>, "dimension of groups, where it is not that of packing">:$group_axis,
    DefaultValuedAttr<PackingOrder, "::tilewright::tile::PackingOrder::LowFirst">:$order,
    UnitAttr:$in_bytes);
  let results = (outs TileFloatTensor:$result);
  let assemblyFormat = [{
    $weights `scale` $scales (`zero` $zeros^)? (`code_book` $codeBook^)?
    `format` `=` $format (`order` `=` $order^)? attr-dict
    `:` type($weights) `scale` type($scales) (`zero` type($zeros)^)?
    (`code_book` type($codeBook)^)? `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// The dimension of groups.
    unsigned getGroupDim() { return getGroupAxis().value_or(getAxis()); }
    /// Whether every difference of a code's value and a zero is a number of
    /// `type`, in which scales are too, so that one multiplication in `type`
    /// rounds as the definition does. Its products are then exact in f32.
    bool multipliesIn(::mlir::Type type);
    /// Codes in a word of the weights.
    int64_t getCodesPerWord();
    /// Where in a word the code of its element `index` stands, counted in codes
    /// from the least significant bits on; `index` is in [0, getCodesPerWord()).
    int64_t getPlace(int64_t index);
    /// Whether codes are integers.
    bool isOfIntegers();
    /// The power of two by which the number of a code that stands there is
    /// larger: 0 but for `in_bytes`.
    unsigned getExponent(int64_t place);
    /// From the result's coordinates to those of the word that has the code,
    /// and of the group's scale and zero.
    ::tilewright::layout::LinearLayout getWordMap();
    ::tilewright::layout::LinearLayout getGroupMap();
    /// From the result's coordinates to the code's place in its word (Offset),
    /// but for getPlace(0), which is to be XORed in: places are affine over F2.
    ::tilewright::layout::LinearLayout getPlaceMap();
  }];
  let hasVerifier = 1;
}

def SolveUnitLowerOp
    : TileOp<"solve_unit_lower", [ExpandedBeforePlacement]> {
  let summary = "Solves a unit lower triangular system, or inverts its matrix";
  let description = [{
    The result `X` solves `(I + S) X = B`, where `S` is the strictly lower part of
    `lower`; without `B` it is the inverse of `I + S`, as with `B = I`:

    ```
    S[i, j] = lower[i, j] if i > j else 0
    X[i, n] = B[i, n] - sum over j < i of S[i, j] * X[j, n]
    ```

    The diagonal of `lower` and what is above are ignored, whatever their
    values, NaNs included; the inverse is 0 above its diagonal and 1 on it.
    `(I - A)^-1` is the inverse for `lower = -A`. A leading batch dimension
    gives as many systems.

    Everything is computed in f32, and each result is rounded once. A lowering
    may solve by blocks and merge them with matrix products, whose operands
    `inputPrecision` allows to round as tt.dot does; the order of sums is not
    specified. (FLA merges 16 x 16 blocks in tf32; a bf16 `lower` is too coarse
    for the delta rule's chunks.)

    Constraints: `lower` is [batch,] n x n; `B` is [batch,] n x m, and the result
    has its shape, or `lower`'s without `B`.

    ```mlir
    %x = tile.solve_unit_lower %l, %b inputPrecision = tf32 : tensor<16x16xf32>, tensor<16x64xf32> -> tensor<16x64xf32>
    %i = tile.solve_unit_lower %l : tensor<16x16xf32> -> tensor<16x16xf32>
    ```
  }];
  let arguments = (ins
    Arg<TileFloatTensor, "[batch,] n x n">:$lower,
    Arg<Optional<TileFloatTensor>, "[batch,] n x m">:$rhs,
    DefaultValuedAttr<InputPrecision, "::tilewright::tt::InputPrecision::IEEE">:$inputPrecision);
  let results = (outs TileFloatTensor:$result);
  let assemblyFormat = [{
    $lower (`,` $rhs^)? (`inputPrecision` `=` $inputPrecision^)? attr-dict
    `:` type($lower) (`,` type($rhs)^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def ReduceScatterOp : Op<TileDialect, "reduce_scatter",
    [TileSizes, MemoryEffects<[MemRead<Cluster>, MemWrite<Cluster>]>]> {
  let summary = "Sums tiles over programs, each of which gets a part";
  let description = [{
    Programs of consecutive numbers along x, `programs` of them from a multiple
    of `programs` on, are a cluster. All of them come to the op together, each
    with its own `source`. With `p = (program id along x) mod programs`, the
    result is part number p of the sum of their sources, the p-th of `programs`
    equal slices along dimension `axis`:

    ```
    n         = (size of dimension `axis`) / programs
    result[x] = source of program 0[y] + source of program 1[y] + ...
                with y = x, but y[axis] = x[axis] + p * n
    ```

    Sums are made in the order of the programs and rounded after each addition;
    integers wrap. So a sum over K is split among programs of one launch.

    The grid has a multiple of `programs` along x, which launches check; all such
    ops of a kernel have the same `programs`. Every program comes to the op
    once: it stands in no loop and in no branch. It orders no accesses to global
    memory.

    ```mlir
    %r = tile.reduce_scatter %x {axis = 1 : i32, programs = 4 : i32} : tensor<64x64xf32> -> tensor<64x16xf32>
    ```
  }];
  let arguments = (ins
    Arg<RankedTensorOf<[F32, I32]>, "what the program adds">:$source,
    Arg<I32Attr, "dimension of which each program gets a part">:$axis,
    Arg<I32Attr, "programs of a cluster: 2, 4 or 8">:$programs);
  let results = (outs RankedTensorOf<[F32, I32]>:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TILEWRIGHT_DIALECTS_TILE_OPS_TD
