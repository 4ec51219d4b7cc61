// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor descriptors: rows that indices pick, and updates of blocks.

#ifndef TILEWRIGHT_DIALECTS_TRITON_DESCRIPTOROPS_TD
#define TILEWRIGHT_DIALECTS_TRITON_DESCRIPTOROPS_TD

include "dialects/Triton/TritonOpBase.td"

class TritonDescriptorOp<string mnemonic, list<Trait> traits>
    : TritonOp<mnemonic, !listconcat([ExpandedBeforePlacement], traits)> {
  let hasVerifier = 1;
}

def RowIndices
    : Arg<RankedTensorOf<[I16, I32]>, "signed rows of the tensor, rank 1">;

def DescriptorGatherOp : TritonDescriptorOp<"descriptor_gather",
    [MemoryEffects<[MemRead]>]> {
  let summary = "Reads rows selected by indices";
  let description = [{
    `result[i, j]` is the tensor's element in row `x_offsets[i]` and column
    `y_offset + j`, or the descriptor's padding where that is outside.

    Constraints: the descriptor's block is one row; the result has as many rows
    as there are indices, and the block's columns and elements.

    ```mlir
    %v = tt.descriptor_gather %D[%x, %y] : (!tt.tensordesc<1x32xf16>, tensor<8xi32>, i32) -> tensor<8x32xf16>
    ```
  }];
  let arguments = (ins TensorDescriptorType:$desc, RowIndices:$x_offsets,
                       Arg<I32, "the first column">:$y_offset);
  let results = (outs TritonTensor:$result);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` attr-dict
    `:` functional-type(operands, results)
  }];
}

def DescriptorScatterOp : TritonDescriptorOp<"descriptor_scatter",
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Writes rows selected by indices";
  let description = [{
    `src[i, j]` goes to the tensor's row `x_offsets[i]` and column
    `y_offset + j`; what is outside is dropped. If a row is selected several
    times, one of the values is left, element by element. Constraints are those
    of tt.descriptor_gather.

    ```mlir
    tt.descriptor_scatter %D[%x, %y], %v : !tt.tensordesc<1x32xf16>, tensor<8xi32>, i32, tensor<8x32xf16>
    ```
  }];
  let arguments = (ins TensorDescriptorType:$desc, RowIndices:$x_offsets,
                       Arg<I32, "the first column">:$y_offset,
                       TritonTensor:$src);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)
  }];
}

def DescriptorReduceOp : TritonDescriptorOp<"descriptor_reduce",
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Updates a block, element by element";
  let description = [{
    `element = element kind src[...]`, atomically and in any order, for the
    elements of the block whose first element has the coordinates `indices`;
    elements outside the tensor are left alone. `inc` gives
    `element >= src ? 0 : element + 1`, and `dec` gives
    `element == 0 || element > src ? src : element - 1`. Integers are signed or
    unsigned like the descriptor's elements.

    Constraints: `src` has the form of tt.descriptor_load's result. `add` takes
    i32, i64, f16, bf16, f32 and f64; `min` and `max` take i32, i64, f16 and
    bf16 (a number rather than a NaN); `and`, `or` and `xor` take i32 and i64;
    `inc` and `dec` take i32.

    ```mlir
    tt.descriptor_reduce add, %D[%i, %j], %v : !tt.tensordesc<8x32xf32>, tensor<8x32xf32>
    ```
  }];
  let arguments = (ins DescriptorReduceKind:$kind, TensorDescriptorType:$desc,
                       TritonTensor:$src,
                       Arg<Variadic<I32>, "one a dimension">:$indices);
  let assemblyFormat = [{
    $kind `,` $desc `[` $indices `]` `,` $src attr-dict
    `:` qualified(type($desc)) `,` type($src)
  }];
  let extraClassDeclaration = [{
    /// What the op does to each element.
    ::tilewright::tt::AtomicOperation getAtomicOperation();
  }];
}

#endif // TILEWRIGHT_DIALECTS_TRITON_DESCRIPTOROPS_TD
