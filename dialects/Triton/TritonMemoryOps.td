// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers, loads, stores, atomics, block pointers and descriptors.

#ifndef TILEWRIGHT_DIALECTS_TRITON_MEMORYOPS_TD
#define TILEWRIGHT_DIALECTS_TRITON_MEMORYOPS_TD

include "dialects/Triton/TritonOpBase.td"

def AddPtrOp : TritonOp<"addptr", [Pure, AllTypesMatch<["result", "ptr"]>]> {
  let summary = "Moves pointers by elements of their pointee";
  let arguments = (ins TritonPointerLike:$ptr, TritonIntegerLike:$offset);
  let results = (outs TritonPointerLike:$result);
  let assemblyFormat =
      "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def LoadOp : TritonOp<"load",
    [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     TypesMatchWith<"the result has the pointers' pointee", "ptr", "result",
                    "getPointeeLike($_self)">,
     MaskMatches<"ptr", "mask">,
     OptionalTypesMatchWith<"other has the result's type", "ptr", "other",
                            "getPointeeLike($_self)">]> {
  let summary = "Reads elements from memory";
  let description = [{
    `result[i] = mask[i] ? *ptr[i] : other[i]`. Where the mask is false no memory
    is touched, and without `other` the element is undefined. A load through a
    block pointer checks the dimensions of `boundaryCheck` and pads by `padding`.
  }];
  let arguments = (ins
    AnyTypeOf<[TritonPointerLike]>:$ptr, Optional<TritonBoolLike>:$mask,
    Optional<AnyType>:$other,
    DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
    OptionalAttr<PaddingOption>:$padding,
    DefaultValuedAttr<CacheModifier, "::tilewright::tt::CacheModifier::NONE">:$cache,
    DefaultValuedAttr<EvictionPolicy, "::tilewright::tt::EvictionPolicy::NORMAL">:$evict,
    DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs AnyTypeOf<[TritonScalar, TritonTensor]>:$result);
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def StoreOp : TritonOp<"store",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     TypesMatchWith<"the value has the pointers' pointee", "ptr", "value",
                    "getPointeeLike($_self)">,
     MaskMatches<"ptr", "mask">]> {
  let summary = "Writes elements to memory";
  let description = [{
    `if (mask[i]) *ptr[i] = value[i]`. Where two elements of a tile have one
    address, one of them is left.
  }];
  let arguments = (ins
    TritonPointerLike:$ptr, AnyTypeOf<[TritonScalar, TritonTensor]>:$value,
    Optional<TritonBoolLike>:$mask,
    DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
    DefaultValuedAttr<CacheModifier, "::tilewright::tt::CacheModifier::NONE">:$cache,
    DefaultValuedAttr<EvictionPolicy, "::tilewright::tt::EvictionPolicy::NORMAL">:$evict);
  let assemblyFormat = [{
    $ptr `,` $value (`,` $mask^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def AtomicRMWOp : TritonOp<"atomic_rmw", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Reads, combines and writes elements, each at once";
  let description = [{
    `result[i] = *ptr[i]; *ptr[i] = op(*ptr[i], val[i])` where the mask is true;
    elsewhere the result is undefined.
  }];
  let arguments = (ins AtomicOperation:$atomic_rmw_op, TritonPointerLike:$ptr,
                       AnyTypeOf<[TritonScalar, TritonTensor]>:$val,
                       Optional<TritonBoolLike>:$mask, MemorySemantic:$sem,
                       MemoryScope:$scope);
  let results = (outs AnyTypeOf<[TritonScalar, TritonTensor]>:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict
    `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def AtomicCASOp : TritonOp<"atomic_cas", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Compares and exchanges elements, each at once";
  let arguments = (ins TritonPointerLike:$ptr,
                       AnyTypeOf<[TritonScalar, TritonTensor]>:$cmp,
                       AnyTypeOf<[TritonScalar, TritonTensor]>:$val,
                       MemorySemantic:$sem, MemoryScope:$scope);
  let results = (outs AnyTypeOf<[TritonScalar, TritonTensor]>:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict
    `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def MakeTensorPtrOp : TritonOp<"make_tensor_ptr",
    [Pure, SameVariadicOperandSize,
     TypesMatchWith<"the base points at the block's elements", "result", "base",
                    "getBasePointer($_self)">]> {
  let summary = "A block pointer: base, shape, strides, place";
  let arguments = (ins PointerType:$base, Variadic<I64>:$shape,
                       Variadic<I64>:$strides, Variadic<I32>:$offsets,
                       DenseI32ArrayAttr:$order);
  let results = (outs PointerType:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
}

def AdvanceOp : TritonOp<"advance", [Pure, AllTypesMatch<["result", "ptr"]>]> {
  let summary = "Moves a block pointer";
  let arguments = (ins PointerType:$ptr, Variadic<I32>:$offsets);
  let results = (outs PointerType:$result);
  let assemblyFormat = "$ptr `,` `[` $offsets `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def MakeTensorDescriptorOp : TritonOp<"make_tensor_descriptor",
    [Pure, SameVariadicOperandSize]> {
  let summary = "Describes a tensor in global memory";
  let arguments = (ins PointerType:$base, Variadic<I32>:$shape,
                       Variadic<I64>:$strides,
                       DefaultValuedAttr<PaddingOption, "::tilewright::tt::PaddingOption::PAD_ZERO">:$padding);
  let results = (outs TensorDescriptorType:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict
    `:` type($base) `,` type($result)
  }];
  let hasVerifier = 1;
}

def DescriptorLoadOp : TritonOp<"descriptor_load", [MemoryEffects<[MemRead]>]> {
  let summary = "Reads a block; elements outside the tensor are padded";
  let arguments = (ins TensorDescriptorType:$desc, Variadic<I32>:$indices,
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
    [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Writes a block; elements outside the tensor are dropped";
  let arguments = (ins TensorDescriptorType:$desc, TritonTensor:$src,
                       Variadic<I32>:$indices);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $src attr-dict
    `:` qualified(type($desc)) `,` type($src)
  }];
  let hasVerifier = 1;
}

#endif // TILEWRIGHT_DIALECTS_TRITON_MEMORYOPS_TD
