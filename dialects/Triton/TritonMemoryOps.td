// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pointers, loads, stores and atomics.

#ifndef TILEWRIGHT_DIALECTS_TRITON_MEMORYOPS_TD
#define TILEWRIGHT_DIALECTS_TRITON_MEMORYOPS_TD

include "dialects/Triton/TritonOpBase.td"

def AddPtrOp : TritonOp<"addptr",
    [Pure, AllTypesMatch<["result", "ptr"]>, ElementwiseOnTiles,
     HasAxisInfo, HasElementCost, HasNarrowing]> {
  let summary = "Moves pointers by elements of their pointee";
  let description = [{
    `result[...] = ptr[...] + offset[...] * (bytes of a pointee)`, modulo 2^64;
    offsets are signed integers of any width.

    ```mlir
    %q = tt.addptr %p, %o : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
    ```
  }];
  let arguments = (ins TritonPointerLike:$ptr,
                       Arg<TritonIntegerLike, "elements">:$offset);
  let results = (outs TritonPointerLike:$result);
  let assemblyFormat =
      "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def LoadOp : TritonOp<"load",
    [AttrSizedOperandSegments, HasGlobalAccess,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     TypesMatchWith<"the result has the pointers' pointee", "ptr", "result",
                    "getPointeeLike($_self)">,
     MaskMatches<"ptr", "mask">,
     OptionalTypesMatchWith<"other has the result's type", "ptr", "other",
                            "getPointeeLike($_self)">]> {
  let summary = "Reads elements from memory";
  let description = [{
    `result[i] = mask[i] ? *ptr[i] : other[i]`. Where the mask is false no
    memory is accessed, and without `other` the element is undefined.

    A load through a block pointer takes no mask: it checks the dimensions of
    `boundaryCheck` against the tensor's shape, and returns what `padding`
    specifies outside (an undefined element without it).

    A volatile load, and one with the cache operator `cv` ("fetch again", PTX
    ISA, "Cache Operators"), is neither removed nor merged: others may write
    there meanwhile. Other cache operators and `evictionPolicy` are hints, those
    of PTX's ld.

    ```mlir
    %a = tt.load %p, %m, %o cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : tensor<64x!tt.ptr<f16>>
    %b = tt.load %block {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf16>>
    ```
  }];
  let arguments = (ins
    Arg<TritonPointerLike, "where to read; a block pointer too">:$ptr,
    Arg<Optional<TritonBoolLike>, "what to read; all if missing">:$mask,
    Arg<Optional<TritonScalarOrTensor>, "elements not read">:$other,
    DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
    OptionalAttr<PaddingOption>:$padding,
    DefaultValuedAttr<CacheModifier, "::tilewright::tt::CacheModifier::NONE">:$cache,
    DefaultValuedAttr<EvictionPolicy, "::tilewright::tt::EvictionPolicy::NORMAL">:$evict,
    DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs TritonScalarOrTensor:$result);
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether what others write meanwhile is to be seen.
    bool mustReread() {
      return getIsVolatile() || getCache() == CacheModifier::CV;
    }
  }];
}

def StoreOp : TritonOp<"store",
    [HasGlobalAccess, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     TypesMatchWith<"the value has the pointers' pointee", "ptr", "value",
                    "getPointeeLike($_self)">,
     MaskMatches<"ptr", "mask">]> {
  let summary = "Writes elements to memory";
  let description = [{
    `if (mask[i]) *ptr[i] = value[i]`. Where two elements of a tile have the
    same address, one of them remains. A store through a block pointer takes no
    mask: elements outside the tensor, in the dimensions of `boundaryCheck`, are
    dropped.

    ```mlir
    tt.store %p, %v, %m cacheModifier = wb : tensor<64x!tt.ptr<f16>>
    tt.store %block, %v {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64x32xf16>>
    ```
  }];
  let arguments = (ins
    Arg<TritonPointerLike, "where to write; a block pointer too">:$ptr,
    TritonScalarOrTensor:$value,
    Arg<Optional<TritonBoolLike>, "what to write; all if missing">:$mask,
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

def AtomicRMWOp : TritonOp<"atomic_rmw",
    [HasGlobalAccess, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Reads, combines and writes elements, each atomically";
  let description = [{
    `result[i] = *ptr[i]; *ptr[i] = op(*ptr[i], val[i])` where the mask is true;
    elsewhere memory is not accessed and the result is undefined. Elements with
    the same address are combined one after the other, in any order.

    Elements have 16, 32 or 64 bits. `and`, `or`, `xor`, `add`, `max`, `min`,
    `umax` and `umin` take integers, `fadd`, `fmax` and `fmin` floats, `inc` and
    `dec` (see tt.descriptor_reduce) i32, `exch` both. `sem` orders the program's
    other accesses against this one, for the threads of `scope`.

    ```mlir
    %r = tt.atomic_rmw fadd, acq_rel, gpu, %p, %v, %m : (tensor<64x!tt.ptr<f32>>, tensor<64xf32>, tensor<64xi1>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins AtomicOperation:$atomic_rmw_op, TritonPointerLike:$ptr,
                       TritonScalarOrTensor:$val,
                       Optional<TritonBoolLike>:$mask, MemorySemantic:$sem,
                       MemoryScope:$scope);
  let results = (outs TritonScalarOrTensor:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict
    `:` functional-type(operands, $result)
  }];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def AtomicCASOp : TritonOp<"atomic_cas",
    [HasGlobalAccess, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Compares and exchanges elements, each atomically";
  let description = [{
    `result[i] = *ptr[i]; if (result[i] == cmp[i]) *ptr[i] = val[i]`. Bits are
    compared, also for floats; elements have 16, 32 or 64.

    ```mlir
    %r = tt.atomic_cas acq_rel, gpu, %p, %c, %v : (!tt.ptr<i32>, i32, i32) -> i32
    ```
  }];
  let arguments = (ins TritonPointerLike:$ptr,
                       TritonScalarOrTensor:$cmp,
                       TritonScalarOrTensor:$val,
                       MemorySemantic:$sem, MemoryScope:$scope);
  let results = (outs TritonScalarOrTensor:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict
    `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

#endif // TILEWRIGHT_DIALECTS_TRITON_MEMORYOPS_TD
