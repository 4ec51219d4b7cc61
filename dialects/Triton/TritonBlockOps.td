// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors in global memory that are read and written in blocks: by block
// pointers, as Triton printed them until 2026, and by tensor descriptors.

#ifndef TILEWRIGHT_DIALECTS_TRITON_BLOCKOPS_TD
#define TILEWRIGHT_DIALECTS_TRITON_BLOCKOPS_TD

include "dialects/Triton/TritonOpBase.td"

def MakeTensorPtrOp : TritonOp<"make_tensor_ptr",
    [Pure, ExpandedBeforePlacement, AttrSizedOperandSegments,
     TypesMatchWith<"the base points at the block's elements", "result", "base",
                    "getBasePointer($_self)">]> {
  let summary = "A block pointer: base, shape, strides, offsets";
  let description = [{
    Points to the block of a strided tensor whose first element has the
    coordinates `offsets`: element `i` of the block is at `base + sum over d of
    (offsets[d] + i[d]) * strides[d]`. `order` lists the dimensions in order of
    increasing stride, and is a hint.

    ```mlir
    %b = tt.make_tensor_ptr %p, [%m, %n], [%s, %c1], [%x, %y] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
    ```
  }];
  let arguments = (ins
    Arg<PointerType, "the tensor's first element">:$base,
    Arg<Variadic<I64>, "the tensor's size, in elements">:$shape,
    Arg<Variadic<I64>, "in elements">:$strides,
    Arg<Variadic<I32>, "the block's first element">:$offsets,
    DenseI32ArrayAttr:$order);
  let results = (outs PointerType:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
}

def AdvanceOp : TritonOp<"advance",
    [Pure, ExpandedBeforePlacement, AllTypesMatch<["result", "ptr"]>]> {
  let summary = "Moves a block pointer";
  let description = [{
    Adds `offsets` to those of the block pointer.

    ```mlir
    %c = tt.advance %b, [%x, %y] : <tensor<64x32xf16>>
    ```
  }];
  let arguments = (ins PointerType:$ptr,
                       Arg<Variadic<I32>, "elements, one a dimension">:$offsets);
  let results = (outs PointerType:$result);
  let assemblyFormat = "$ptr `,` `[` $offsets `]` attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def MakeTensorDescriptorOp : TritonOp<"make_tensor_descriptor",
    [Pure, ExpandedBeforePlacement, AttrSizedOperandSegments]> {
  let summary = "Describes a tensor in global memory";
  let description = [{
    The tensor has its first element at `base`, size `shape` and `strides`, of
    which the last must be 1 at run time; the result's type has the size of the
    blocks. `padding` is what a load returns outside the tensor. The hint
    `tt.divisibility = 16` says that `base` and all strides but the last one are
    multiples of 16 bytes.

    ```mlir
    %D = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] : !tt.ptr<f16>, !tt.tensordesc<64x64xf16>
    ```
  }];
  let arguments = (ins
    PointerType:$base,
    Arg<Variadic<I32>, "the tensor's size, in elements">:$shape,
    Arg<Variadic<I64>, "in elements">:$strides,
    DefaultValuedAttr<PaddingOption, "::tilewright::tt::PaddingOption::PAD_ZERO">:$padding);
  let results = (outs TensorDescriptorType:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict
    `:` type($base) `,` type($result)
  }];
  let extraClassDeclaration = [{
    /// Whether the hint says that rows are aligned (tt::rowAlignment).
    bool hasAlignedRows();
  }];
  let hasVerifier = 1;
}

def DescriptorLoadOp : TritonOp<"descriptor_load",
    [ExpandedBeforePlacement, MemoryEffects<[MemRead]>]> {
  let summary = "Reads a block; elements outside the tensor are padded";
  let description = [{
    The block's first element has the coordinates `indices`. The result has the
    block's elements in the same order; leading dimensions of one element may be
    omitted.

    ```mlir
    %v = tt.descriptor_load %D[%i, %j] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
    ```
  }];
  let arguments = (ins TensorDescriptorType:$desc,
    Arg<Variadic<I32>, "one a dimension of the block">:$indices,
    DefaultValuedAttr<CacheModifier, "::tilewright::tt::CacheModifier::NONE">:$cache,
    DefaultValuedAttr<EvictionPolicy, "::tilewright::tt::EvictionPolicy::NORMAL">:$evict);
  let results = (outs TritonTensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]`
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` qualified(type($desc)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def DescriptorStoreOp : TritonOp<"descriptor_store",
    [ExpandedBeforePlacement, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Writes a block; elements outside the tensor are dropped";
  let description = [{
    The block's first element has the coordinates `indices`; `src` has the form
    of tt.descriptor_load's result.

    ```mlir
    tt.descriptor_store %D[%i, %j], %v : !tt.tensordesc<64x64xf16>, tensor<64x64xf16>
    ```
  }];
  let arguments = (ins TensorDescriptorType:$desc, TritonTensor:$src,
                       Arg<Variadic<I32>, "one a dimension">:$indices);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $src attr-dict
    `:` qualified(type($desc)) `,` type($src)
  }];
  let hasVerifier = 1;
}

#endif // TILEWRIGHT_DIALECTS_TRITON_BLOCKOPS_TD
