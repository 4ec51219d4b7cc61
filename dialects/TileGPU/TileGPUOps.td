// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops of `tilegpu`, by family: conversions and reductions, shared memory, asynchronous copies, synchronisation,
// matrix instructions.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_OPS_TD
#define TILEWRIGHT_DIALECTS_TILEGPU_OPS_TD

include "dialects/Interfaces/TileOpInterfaces.td"
include "dialects/TileGPU/SharedAccessOpInterface.td"
include "dialects/TileGPU/TileGPUAttributes.td"
include "dialects/TileGPU/TileGPUTypes.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Shared memory as a resource of side effects.
def SharedMemory : Resource<"::tilewright::tilegpu::SharedMemoryResource">;
/// The named barriers of a CTA.
def NamedBarriers : Resource<"::tilewright::tilegpu::NamedBarrierResource">;

/// Accesses shared memory through registers; the methods are in SharedAccess.cpp.
def HasSharedOperands
    : DeclareOpInterfaceMethods<SharedAccessOpInterface, ["getSharedOperands"]>;

def HasAsyncStep : DeclareOpInterfaceMethods<AsyncStepOpInterface>;

class TileGPUOp<string mnemonic, list<Trait> traits = []>
    : Op<TileGPUDialect, mnemonic, traits>;

def ElementTensor : RankedTensorOf<[AnyType]>;

//===----------------------------------------------------------------------===//
// Layout conversion
//===----------------------------------------------------------------------===//

def ConvertLayoutOp : TileGPUOp<"convert_layout",
    [Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType,
     DeclareOpInterfaceMethods<AxisInfoOpInterface>,
     DeclareOpInterfaceMethods<CoordinateMapOpInterface>,
     DeclareOpInterfaceMethods<DataMovementOpInterface>]> {
  let summary = "Converts a tensor to another layout";
  let description = [{
    `result[i] = source[i]` for every coordinate i; only the threads that hold
    the elements change. This is the only op that moves data between register
    layouts. It costs nothing, a renaming of registers, shuffles or a round trip
    through shared memory, as the two maps require.

    Example:
    ```mlir
    %1 = tilegpu.convert_layout %0 : tensor<64x32xf16, #a> -> tensor<64x32xf16, #b>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat =
      "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def ConvertInRoundsOp
    : TileGPUOp<"convert_in_rounds", [SharedAccessOpInterface]> {
  let summary = "Converts a tensor to another layout, part by part";
  let description = [{
    Like `tilegpu.convert_layout`, through shared memory that holds one part of
    the tensor at a time: in each round the threads store what they hold of the
    part into `scratch`, synchronize, load what they need of it, and synchronize
    again before the next round. An element's part is the number whose bit i is
    the parity of the bits that `functionals[i]` selects of its coordinates,
    where those of the first dimension are the lowest; the functionals are in
    reduced echelon form, ascending: the highest bit of each is in no other one.
    `scratch` has one dimension, with the elements of one part.

    Barriers between the rounds are part of the op; accesses before and after it
    are ordered like those of any op that reads and writes `scratch`.

    ```mlir
    %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<4096xf32, #shared, mutable>
    %y = tilegpu.convert_in_rounds %x through %m functionals = [4096, 8192] : tensor<128x128xf32, #a> through !tilegpu.memdesc<4096xf32, #shared, mutable> -> tensor<128x128xf32, #b>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source,
    Arg<MemDescType, "", [MemRead<SharedMemory>, MemWrite<SharedMemory>]>:$scratch,
    DenseI64ArrayAttr:$functionals);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `through` $scratch `functionals` `=` $functionals attr-dict
    `:` type($source) `through` type($scratch) `->` type($result)
  }];
  let hasVerifier = 1;
}

def PartialReduceOp : TileGPUOp<"partial_reduce",
    [Pure, SameVariadicOperandSize,
     SingleBlockImplicitTerminator<"::tilewright::tilegpu::PartialReduceReturnOp">]> {
  let summary = "Reduces along an axis, within each warp";
  let description = [{
    Like `tt.reduce`, but each warp reduces only the elements that it holds: the
    result keeps the axis, whose size becomes the number of warps over which the
    source's layout distributes it, and element w of it is the reduction of the
    elements held by the w-th of those warps. A conversion of the (small) result
    and a `tt.reduce` within warps complete the reduction, so that every round
    trip through shared memory is a separate op.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$sources, I32Attr:$axis);
  let results = (outs Variadic<AnyRankedTensor>:$partials);
  let regions = (region SizedRegion<1>:$combine);
  let hasVerifier = 1;
}

def PartialReduceReturnOp : TileGPUOp<"partial_reduce.return",
    [Pure, Terminator, HasParent<"::tilewright::tilegpu::PartialReduceOp">]> {
  let summary = "Ends the region of `tilegpu.partial_reduce`";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{}]>];
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

def LocalAllocOp : TileGPUOp<"local_alloc",
    [HasSharedOperands, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Allocates a tile in shared memory";
  let description = [{
    Returns a descriptor of newly allocated shared memory, uninitialized, or
    initialized with `source` if given. It is live until its last use;
    shared-memory allocation writes its byte offset into `offset`.

    Example:
    ```mlir
    %0 = tilegpu.local_alloc : () -> !tilegpu.memdesc<64x32xf16, #shared, mutable>
    %1 = tilegpu.local_alloc %x : (tensor<64x32xf16, #l>) -> !tilegpu.memdesc<64x32xf16, #shared>
    ```
  }];
  let arguments = (ins Optional<AnyRankedTensor>:$source,
                       OptionalAttr<I32Attr>:$offset);
  let results = (outs MemDescType:$result);
  let assemblyFormat = [{
    ($source^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def LocalLoadOp : TileGPUOp<"local_load", [HasSharedOperands]> {
  let summary = "Reads a tile from shared memory into registers";
  let arguments = (ins Arg<MemDescType, "", [MemRead<SharedMemory>]>:$source,
                       Optional<TokenType>:$token);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source (`token` $token^)? attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def LocalGatherOp : TileGPUOp<"local_gather", [SharedAccessOpInterface]> {
  let summary = "Reads elements selected by indices from shared memory";
  let description = [{
    `result[..., j, ...] = source[..., indices[..., j, ...], ...]` along `axis`;
    an index outside the source gives some element of it. The result has the
    shape and the layout of the indices.

    Example:
    ```mlir
    %1 = tilegpu.local_gather %m[%i] {axis = 0 : i32} : !tilegpu.memdesc<16xf16, #shared>, tensor<64xi32, #l> -> tensor<64xf16, #l>
    ```
  }];
  let arguments = (ins Arg<MemDescType, "", [MemRead<SharedMemory>]>:$source,
                       AnyRankedTensor:$indices, I32Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` attr-dict `:` type($source) `,` type($indices)
    `->` type($result)
  }];
  let hasVerifier = 1;
}

def LocalCountOp : TileGPUOp<"local_count", [SharedAccessOpInterface]> {
  let summary = "Counts elements of a tile in shared memory";
  let description = [{
    `destination[elements[i]] += 1`, atomically, for every coordinate i whose mask
    is true; elements, unsigned integers, that are not a coordinate of the
    destination are not counted. If several threads hold copies of an element,
    one of them counts it.

    Example:
    ```mlir
    tilegpu.local_count %x, %m mask %p : tensor<256xi32, #l> -> !tilegpu.memdesc<16xi32, #shared, mutable> mask tensor<256xi1, #l>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$elements,
                       Arg<MemDescType, "",
                           [MemRead<SharedMemory>, MemWrite<SharedMemory>]>:$destination,
                       Optional<AnyRankedTensor>:$mask);
  let assemblyFormat = [{
    $elements `,` $destination (`mask` $mask^)? attr-dict
    `:` type($elements) `->` type($destination) (`mask` type($mask)^)?
  }];
  let hasVerifier = 1;
}

def LocalStoreOp : TileGPUOp<"local_store", [HasSharedOperands]> {
  let summary = "Writes a tile from registers to shared memory";
  let arguments = (ins AnyRankedTensor:$source,
                       Arg<MemDescType, "", [MemWrite<SharedMemory>]>:$destination);
  let assemblyFormat = [{
    $source `,` $destination attr-dict `:` type($source) `->` type($destination)
  }];
  let hasVerifier = 1;
}

def MemDescIndexOp : TileGPUOp<"memdesc_index", [Pure]> {
  let summary = "One buffer of a multi-buffered descriptor";
  let arguments = (ins MemDescType:$source, I32:$index);
  let results = (outs MemDescType:$result);
  let assemblyFormat = [{
    $source `[` $index `]` attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def MemDescTransOp : TileGPUOp<"memdesc_trans", [Pure]> {
  let summary = "The same memory with its dimensions permuted";
  let arguments = (ins MemDescType:$source, DenseI32ArrayAttr:$order);
  let results = (outs MemDescType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def StorePartsOp : TileGPUOp<"store_parts", [SharedAccessOpInterface]> {
  let summary = "Writes a part of a tile to each CTA of the cluster";
  let description = [{
    The cluster has as many CTAs as `destination` has buffers. Part number q of
    `source`, the q-th of as many equal slices along `axis`, is written to the
    shared memory of CTA number q: into buffer number `rank` of its
    `destination`. `rank` is the number of the CTA that executes the op, so that
    each CTA's buffers receive a part from every CTA, in their order.

    A thread holds registers of one part at a time: the highest bits of `axis`
    are bits of the register number. All CTAs execute the op, between two
    `tilegpu.barrier cluster`: behind the first one nobody uses the bytes for
    anything else, behind the second one all parts are there. Whoever creates
    the op makes these. To the CTA's own barriers the op writes all buffers.

    ```mlir
    tilegpu.barrier cluster
    tilegpu.store_parts %x to %m at %rank {axis = 1 : i32} : tensor<64x64xf32, #l> to !tilegpu.memdesc<64x16xf32, #shared, buffers = 4, mutable>
    tilegpu.barrier cluster
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source,
                       Arg<MemDescType, "", [MemWrite<SharedMemory>]>:$destination,
                       I32:$rank, I32Attr:$axis);
  let assemblyFormat = [{
    $source `to` $destination `at` $rank attr-dict
    `:` type($source) `to` type($destination)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

def AsyncCopyOp : TileGPUOp<"async_copy",
    [AttrSizedOperandSegments, HasSharedOperands, HasAsyncStep,
     DeclareOpInterfaceMethods<GlobalAccessOpInterface>]> {
  let summary = "Starts a copy of a tile from global to shared memory";
  let description = [{
    Element i of `destination` receives what `pointers[i]` points to; where
    `mask` is false it receives `other`, or 0 without `other`. The copy is
    complete for the threads of the CTA after a wait for its token and a
    barrier. A copy to an allocation that nothing reads is no copy.
  }];
  let arguments = (ins
    Arg<AnyRankedTensor, "", [MemRead]>:$pointers,
    Arg<MemDescType, "", [MemWrite<SharedMemory>]>:$destination,
    Optional<AnyRankedTensor>:$mask, Optional<AnyRankedTensor>:$other);
  let results = (outs TokenType:$token);
  let assemblyFormat = [{
    $pointers `,` $destination (`mask` $mask^)? (`other` $other^)? attr-dict
    `:` type($pointers) `->` type($destination) (`mask` type($mask)^)?
    (`other` type($other)^)?
  }];
  let extraClassDeclaration = [{
    /// Whether what is masked out becomes 0.
    bool fillsWithZeros();
  }];
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def AsyncCommitOp : TileGPUOp<"async_commit", [HasAsyncStep]> {
  let summary = "Commits a group of copies";
  let arguments = (ins Variadic<TokenType>:$tokens);
  let results = (outs
    Res<TokenType, "", [MemWrite<SharedMemory>]>:$result);
  let assemblyFormat = "$tokens attr-dict";
}

def AsyncWaitOp : TileGPUOp<"async_wait", [HasAsyncStep]> {
  let summary = "Waits until at most `pending` groups are in flight";
  let arguments = (ins Variadic<TokenType>:$tokens, I32Attr:$pending);
  let results = (outs
    Res<TokenType, "", [MemWrite<SharedMemory>]>:$result);
  let assemblyFormat = "$tokens attr-dict";
}

//===----------------------------------------------------------------------===//
// Bulk copies
//===----------------------------------------------------------------------===//

def TensorMapOp : TileGPUOp<"tensor_map",
    [AttrSizedOperandSegments, AlwaysSpeculatable,
     DeclareOpInterfaceMethods<SharedAccessOpInterface>,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Describes a strided tensor in global memory to bulk copies";
  let description = [{
    The tensor whose element [i, j, ..., k] is
    `base[i * strides[0] + j * strides[1] + ... + k]`, of `sizes` elements in
    each dimension: sizes and strides are in elements, the slowest dimension
    first; that of the last dimension is 1 and omitted. The base and all
    strides, in bytes, are multiples of 16, strides are less than 2^40 bytes,
    and sizes from 1 to 2^31 - 1: whoever creates the op guarantees this, or has the
    launch check it. The same holds for `nonnegative`: integers that must not be
    negative so that the coordinates of copies are not.

    Outside of the tensor a copy brings zeros, also below coordinate 0. In the
    dimensions `signed_dims` it must not, as coordinates may be negative there:
    the map begins by getCoordinateBias(stride) elements before the base, and
    its coordinates are by as much larger.

    The host makes the map (`cuTensorMapEncodeTiled`), before the kernel begins.
    So all operands are arguments of the kernel or constants; lowering makes the
    map another parameter, and records in the artifact how to compute it.

    With `staging`, 128 bytes of shared memory, the kernel makes it, of any
    numbers, in memory that the launch passes: its first warp, whose first
    thread may copy by it. No copy by what the op has made before is in flight:
    whoever creates the op guarantees this. (Lowering adds `scratch`, where the
    map is to be, and 16 bytes behind `zeros`, for tensors without elements.)

    ```mlir
    %0 = tilegpu.tensor_map %a sizes [%m, %k : i32, i32] strides [%s : i64] : !tt.ptr<f16> -> !tilegpu.tensor_map<[128, 64], f16, swizzle = 128>
    ```
  }];
  let arguments = (ins AnyType:$base, Variadic<AnyInteger>:$sizes,
                       Variadic<AnyInteger>:$strides,
                       Variadic<AnyInteger>:$nonNegative,
                       Optional<MemDescType>:$staging,
                       Optional<AnyType>:$scratch,
                       DefaultValuedAttr<DenseI32ArrayAttr, "{}">:$signed_dims);
  let results = (outs TensorMapType:$result);
  let assemblyFormat = [{
    $base `sizes` `[` $sizes `:` type($sizes) `]`
    (`strides` `[` $strides^ `:` type($strides) `]`)?
    (`nonnegative` `[` $nonNegative^ `:` type($nonNegative) `]`)?
    (`staging` $staging^ `:` type($staging))?
    (`scratch` $scratch^ `:` type($scratch))? attr-dict
    `:` type($base) `->` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes of a map, and of the memory where the kernel makes one.
    static constexpr int64_t stagingBytes = 128;
    /// How far before the base a signed dimension begins, in elements: as far
    /// as offsets of 32 bits reach.
    static constexpr int64_t reach = int64_t(1) << 31;
    /// The coordinate of the base there, for a stride in elements of so many
    /// bytes; of a stride below the least one of a map, that of the latter.
    static int64_t getCoordinateBias(int64_t stride, int64_t elementBytes) {
      return reach / std::max(stride, getLeastStride(elementBytes));
    }
    static int64_t getLeastStride(int64_t elementBytes) {
      return 16 / elementBytes;
    }
  }];
}

def BulkCopyOp : TileGPUOp<"bulk_copy",
    [AttrSizedOperandSegments, HasAsyncStep,
     DeclareOpInterfaceMethods<SharedAccessOpInterface, ["getSharedOperands"]>,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Starts copies of boxes from global to shared memory";
  let description = [{
    For each map, the box that begins at the next coordinates, as many as the
    map has dimensions, is copied to the corresponding destination, which holds
    its elements in the order of its memory; elements outside of the tensor are
    0. One thread starts the copies; the asynchronous proxy carries them out, as
    one group, and completes a phase of `barrier` when all bytes have arrived.
    Where `predicate` is false nothing happens. Of a box that the CTAs of a
    cluster share (`ctas` of the map) the thread copies its CTA's part to all of
    them; the others' come from them.

    The last coordinate is a multiple of 16 bytes. The thread is the first of
    the agent that executes the op.

    ```mlir
    tilegpu.bulk_copy %mapA, %mapB at [%m, %k, %k, %n] to %a, %b tell %barrier if %p : !mapA, !mapB -> !a, !b tell !barrier
    ```
  }];
  let arguments = (ins Variadic<TensorMapType>:$maps, Variadic<I32>:$coordinates,
                       Variadic<MemDescType>:$destinations,
                       MemDescType:$barrier, Optional<I1>:$predicate);
  let assemblyFormat = [{
    $maps `at` `[` $coordinates `]` `to` $destinations `tell` $barrier
    (`if` $predicate^)? attr-dict
    `:` type($maps) `->` type($destinations) `tell` type($barrier)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The coordinates at which the box of map `index` begins.
    ::mlir::OperandRange getCoordinatesOf(unsigned index);
    /// Bytes that all copies bring.
    int64_t getBytes();
  }];
}

def BulkStoreOp : TileGPUOp<"bulk_store",
    [HasAsyncStep,
     DeclareOpInterfaceMethods<SharedAccessOpInterface, ["getSharedOperands"]>,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Starts the copy of a box from shared to global memory";
  let description = [{
    The box of `map` that begins at `coordinates` receives the elements of
    `source`, which holds them as for `tilegpu.bulk_copy`; those outside of the
    tensor are not written. One thread, the first of the agent, starts the copy,
    which is a group by itself, and the asynchronous proxy carries it out. It
    may read `source` until a `tilegpu.bulk_store_wait` for the group. Nothing
    orders what two copies in flight write.

    The last coordinate is a multiple of 16 bytes.

    ```mlir
    tilegpu.bulk_store %tile to %map at [%m, %n] : !tile to !map
    ```
  }];
  let arguments = (ins MemDescType:$source, TensorMapType:$map,
                       Variadic<I32>:$coordinates);
  let assemblyFormat = [{
    $source `to` $map `at` `[` $coordinates `]` attr-dict
    `:` type($source) `to` type($map)
  }];
  let hasVerifier = 1;
}

def BulkStoreWaitOp : TileGPUOp<"bulk_store_wait",
    [HasAsyncStep, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Waits until at most `pending` bulk stores are in flight";
  let description = [{
    What the others have read may be written over behind a barrier, and what
    they write comes before what the agent's later bulk stores write. With
    `reads` only the former holds, and nothing waits for the writes. The thread
    that has started them waits.
  }];
  let arguments = (ins I32Attr:$pending, UnitAttr:$reads);
  let assemblyFormat = "(`reads` $reads^)? attr-dict";
  let hasVerifier = 1;
}

class MbarrierOp<string mnemonic, list<Trait> traits = []>
    : TileGPUOp<mnemonic, traits # [
        DeclareOpInterfaceMethods<SharedAccessOpInterface,
                                  ["getSharedOperands"]>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]>;

def MbarrierInitOp : MbarrierOp<"mbarrier_init"> {
  let summary = "Initializes mbarriers in shared memory";
  let description = [{
    Each word (i64) of `barrier`, in all of its buffers, becomes an mbarrier in
    its first phase, which completes after `arrivals` arrivals and all bytes
    that they have announced (PTX ISA, "mbarrier.init"). `tilegpu.bulk_copy` is
    one arrival, `tilegpu.mbarrier_arrive` one of each warp. With `ctas`, as
    many arrivals come from each of that many CTAs of a cluster. One thread
    executes it; others use the mbarriers after a barrier.
  }];
  let arguments = (ins MemDescType:$barrier,
                       DefaultValuedAttr<I32Attr, "1">:$arrivals,
                       DefaultValuedAttr<I32Attr, "1">:$ctas);
  let assemblyFormat = [{
    $barrier (`arrivals` `=` $arrivals^)? (`ctas` `=` $ctas^)? attr-dict
    `:` type($barrier)
  }];
  let hasVerifier = 1;
}

def MbarrierInvalOp : MbarrierOp<"mbarrier_inval", [HasAsyncStep]> {
  let summary = "Invalidates mbarriers";
  let description = [{
    Afterwards the bytes may be used for other purposes (PTX ISA,
    "mbarrier.inval"). One thread executes it, when no copy and no wait is in
    flight. Whoever creates the op guarantees this, since copies beyond the last
    iteration have never started.
  }];
  let arguments = (ins MemDescType:$barrier);
  let assemblyFormat = "$barrier attr-dict `:` type($barrier)";
  let hasVerifier = 1;
}

def MbarrierWaitOp
    : MbarrierOp<"mbarrier_wait", [HasAsyncStep, AttrSizedOperandSegments]> {
  let summary = "Waits for a phase of an mbarrier";
  let description = [{
    Every thread waits until the phase of `barrier` with the parity of `phase`
    (0, the first one, if omitted) is complete, and sees what its copies have
    written. With `before` it waits for the previous phase, which for the first
    one counts as complete: so an agent that fills buffers in turn waits until
    the readers of the previous contents are done. Only the agent's first warp
    waits then, whose first thread starts bulk copies. With `ctas` these are the
    readers in that many CTAs of a cluster. Where `predicate` is false nothing
    is waited for.

    At most `pending` of the groups that `tilegpu.bulk_copy` has started are in
    flight afterwards.
  }];
  let arguments = (ins MemDescType:$barrier, Optional<I32>:$phase,
                       Optional<I1>:$predicate, I32Attr:$pending,
                       UnitAttr:$before,
                       DefaultValuedAttr<I32Attr, "1">:$ctas);
  let builders = [OpBuilder<(ins "::mlir::Value":$barrier, "int32_t":$pending,
                                 CArg<"bool", "false">:$before), [{
    build($_builder, $_state, barrier, /*phase=*/::mlir::Value(),
          /*predicate=*/::mlir::Value(), pending, before);
  }]>];
  let assemblyFormat = [{
    (`before` $before^)? $barrier (`phase` $phase^)? (`if` $predicate^)?
    (`ctas` `=` $ctas^)? attr-dict `:` type($barrier)
  }];
  let hasVerifier = 1;
}

def MbarrierArriveOp : MbarrierOp<"mbarrier_arrive"> {
  let summary = "Arrives at an mbarrier, without waiting";
  let description = [{
    Each warp of the agent arrives once, when its threads have reached the op:
    what they have read and written, and products that they have waited for,
    come before what follows a wait for the phase. With `ctas` it arrives at
    the mbarrier of each of that many CTAs of a cluster. Where `predicate` is
    false nothing happens.

    With `previous`, in a loop that has a schedule, it arrives at the mbarrier
    of the previous iteration.

    ```mlir
    tilegpu.mbarrier_arrive %empty if %p : !barrier
    ```
  }];
  let arguments = (ins MemDescType:$barrier, Optional<I1>:$predicate,
                       UnitAttr:$previous,
                       DefaultValuedAttr<I32Attr, "1">:$ctas);
  let assemblyFormat = [{
    (`previous` $previous^)? $barrier (`if` $predicate^)? (`ctas` `=` $ctas^)?
    attr-dict `:` type($barrier)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

def BarrierOp : TileGPUOp<"barrier",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Orders the shared-memory accesses of the agent's warps";
  let description = [{
    All warps of the agent that executes the op (see `tilegpu.warp_specialize`;
    all warps of the CTA outside of one) wait for each other; what they wrote to
    memory before is visible to all of them after. With `warp`, each warp
    synchronizes only its own lanes (sufficient where no data crosses warps).
    With `cluster` the warps of all CTAs of the cluster wait for each other, and
    what is visible includes what they wrote to each other's shared memory;
    every agent of a CTA comes to as many of these.
    With `shared` it exists only for accesses to shared memory, so that passes
    may move or remove it; any other one is the program's own.

    Example:
    ```mlir
    tilegpu.barrier
    tilegpu.barrier warp shared
    tilegpu.barrier cluster
    ```
  }];
  let arguments = (ins UnitAttr:$warp, UnitAttr:$shared, UnitAttr:$cluster);
  let assemblyFormat = [{
    (`warp` $warp^)? (`cluster` $cluster^)? (`shared` $shared^)? attr-dict
  }];
  let hasVerifier = 1;
}

def ProxyFenceOp : TileGPUOp<"proxy_fence",
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Makes a thread's writes to shared memory visible to the asynchronous proxy";
  let description = [{
    What the thread has written to shared memory, including copies that it has
    waited for, comes before what the asynchronous proxy reads there after a
    subsequent barrier (PTX ISA, "membar/fence": `fence.proxy.async`).
    `tilegpu-insert-barriers` inserts it. With `global` the same is true of
    global memory, too.
  }];
  let arguments = (ins UnitAttr:$global);
  let assemblyFormat = "(`global` $global^)? attr-dict";
}

//===----------------------------------------------------------------------===//
// Agents
//===----------------------------------------------------------------------===//

def WarpSpecializeOp : TileGPUOp<"warp_specialize", [NoRegionArguments]> {
  let summary = "Runs several agents concurrently";
  let description = [{
    An agent is a set of warps that run the same code. The warps of the function
    split up: agent i, the next `warps[i]` of them, runs region i, with its own
    tensors, barriers and, if `registers` is given, number of registers for each
    thread. A tensor in a region is distributed over the agent's warps. The op
    begins and ends with a barrier of all warps.

    Regions may use scalars, pointers and shared memory from outside; tiles
    reach an agent only through shared memory. Accesses of different agents to
    the same bytes are ordered by named barriers (`tilegpu.named_barrier`) and
    mbarriers, inserted by whoever creates the op; conflicting accesses must be
    ordered in every order in which the agents may run.

    Shared-memory allocations of a region share no bytes with those of another.
    `barrier_ids`, the hardware barrier of each agent, or 0 where it has none,
    is written by `tilegpu-allocate-named-barriers`.

    ```mlir
    %full = tilegpu.named_barrier : !tilegpu.named_barrier
    tilegpu.warp_specialize warps = [1, 4] {
      %x = tt.load %p : tensor<128x!tt.ptr<f32>, #one>
      tilegpu.local_store %x, %m : tensor<128xf32, #one> -> !tile
      tilegpu.barrier_arrive %full
      tilegpu.agent_return
    }, {
      tilegpu.barrier_wait %full
      %y = tilegpu.local_load %m : !tile -> tensor<128xf32, #four>
      ...
      tilegpu.agent_return
    }
    ```
  }];
  let arguments = (ins DenseI32ArrayAttr:$warps,
                       OptionalAttr<DenseI32ArrayAttr>:$registers,
                       OptionalAttr<DenseI32ArrayAttr>:$barrier_ids);
  let regions = (region VariadicRegion<MinSizedRegion<1>>:$agents);
  let assemblyFormat = [{
    `warps` `=` $warps (`registers` `=` $registers^)? attr-dict-with-keyword
    $agents
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def AgentReturnOp : TileGPUOp<"agent_return",
    [Pure, Terminator, HasParent<"::tilewright::tilegpu::WarpSpecializeOp">]> {
  let summary = "Ends an agent";
  let assemblyFormat = "attr-dict";
}

def NamedBarrierOp : TileGPUOp<"named_barrier"> {
  let summary = "Creates a barrier by which one agent waits for another";
  let description = [{
    The warps of one agent arrive at it (`tilegpu.barrier_arrive`) and continue;
    the warps of another wait there (`tilegpu.barrier_wait`) until all have
    arrived. Each wait consumes one arrival: the first agent may not arrive
    again before that, and none is left when the agents end. Initially there is
    no arrival.

    A CTA has few named barriers; `tilegpu-allocate-named-barriers` writes the
    number of this one into `id`.
  }];
  let arguments = (ins OptionalAttr<I32Attr>:$id);
  let results = (outs
    Res<NamedBarrierType, "", [MemAlloc<NamedBarriers>]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

class NamedBarrierUse<string mnemonic> : TileGPUOp<mnemonic,
    [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins NamedBarrierType:$barrier);
  let assemblyFormat = "$barrier attr-dict";
}

def BarrierArriveOp : NamedBarrierUse<"barrier_arrive"> {
  let summary = "Arrives at a named barrier, without waiting";
  let description = [{
    The memory accesses of the agent's warps before the op come before those
    that follow the wait at `barrier` in the other agent. It orders nothing
    between the warps that arrive.
  }];
}

def BarrierWaitOp : NamedBarrierUse<"barrier_wait"> {
  let summary = "Waits for the agent that arrives at a named barrier";
  let description = [{
    The agent's warps also wait for each other, as at a `tilegpu.barrier`.
  }];
}

//===----------------------------------------------------------------------===//
// Matrix instructions
//===----------------------------------------------------------------------===//

def MmaOp : TileGPUOp<"mma", [Pure, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "A dot by a synchronous matrix instruction";
  let description = [{
    `result = accumulator + lhs * rhs`, computed by `mma.sync` of the shape
    `instruction` (m, n, k) on the fragments that the layouts name: the result
    under `#tilegpu.mma`, the operands under `#tilegpu.dot_operand` of it. A
    tensor smaller than the instruction is repeated along rows and columns by
    its layout; along K, missing elements are zero. Products are exact; sums are
    rounded to the accumulator's type in an order that the hardware does not
    specify.
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs,
                       AnyRankedTensor:$accumulator,
                       DenseI32ArrayAttr:$instruction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $accumulator `instruction` `=` $instruction attr-dict
    `:` type($lhs) `*` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

def PendOp : TileGPUOp<"pend", [Pure]> {
  let summary = "Turns a tensor into the accumulator of asynchronous products";
  let description = [{
    The value stays in its registers; only products may touch them from here on,
    until `tilegpu.wgmma_wait` returns the tensor.
  }];
  let arguments = (ins AnyRankedTensor:$tensor);
  let results = (outs PendingType:$result);
  let assemblyFormat = [{
    $tensor attr-dict `:` type($tensor) `->` type($result)
  }];
  let hasVerifier = 1;
}

def WgmmaOp : TileGPUOp<"wgmma",
    [HasSharedOperands, HasAsyncStep, AllTypesMatch<["accumulator", "result"]>,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Starts a dot by a warp group's matrix instruction";
  let description = [{
    `result = accumulator + lhs * rhs`, computed by `wgmma.mma_async` of the
    shape that the result's layout names. `rhs` is in shared memory, and `lhs`
    there or in registers under `#tilegpu.dot_operand` of the result's layout; a
    matrix descriptor must be able to describe what is in shared memory
    (layout::matchMatrixDescriptor).

    The op starts the product, as one group, and does not wait. Until a
    `tilegpu.wgmma_wait` for the group, the operands are read and the result's
    registers written at any time. Products on one accumulator follow each other
    without a wait.

    ```mlir
    %0 = tilegpu.pend %c : tensor<64x128xf32, #acc> -> !tilegpu.pending<tensor<64x128xf32, #acc>>
    %1 = tilegpu.wgmma %a, %b, %0 : !a * !b -> !tilegpu.pending<tensor<64x128xf32, #acc>>
    %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !tilegpu.pending<tensor<64x128xf32, #acc>> -> tensor<64x128xf32, #acc>
    ```
  }];
  let arguments = (ins AnyTypeOf<[MemDescType, AnyRankedTensor]>:$lhs,
                       MemDescType:$rhs, PendingType:$accumulator);
  let results = (outs PendingType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $accumulator attr-dict
    `:` type($lhs) `*` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

def WgmmaWaitOp : TileGPUOp<"wgmma_wait",
    [HasAsyncStep, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Waits until at most `pending` products are in flight";
  let description = [{
    Returns the tensor of a product that is then complete, or, where the result
    is itself pending, the same product, still in flight: the operands of
    earlier groups may be overwritten.
  }];
  let arguments = (ins PendingType:$product, I32Attr:$pending);
  let results = (outs AnyTypeOf<[AnyRankedTensor, PendingType]>:$result);
  let assemblyFormat = [{
    $product attr-dict `:` type($product) `->` type($result)
  }];
  let hasVerifier = 1;
}

def MultiplyAddOp : TileGPUOp<"multiply_add",
    [HasSharedOperands, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "A dot by multiply-adds of each thread"
                " on operands in shared memory";
  let description = [{
    `result = accumulator + lhs * rhs` without a matrix instruction: each thread
    computes the elements of the result that it holds, in a loop along K whose
    body loads a few columns of `lhs` and rows of `rhs`. Floats are accumulated
    in ascending K in f32 (f64 in f64), each step fused, and rounded once to a
    narrower accumulator; integers are signed and wrap.

    ```mlir
    %d = tilegpu.multiply_add %a, %b, %c : !tilegpu.memdesc<64x32xbf16, #s> * !tilegpu.memdesc<32x64xbf16, #t> -> tensor<64x64xf32, #blocked>
    ```
  }];
  let arguments = (ins
    Arg<MemDescType, "", [MemRead<SharedMemory>]>:$lhs,
    Arg<MemDescType, "", [MemRead<SharedMemory>]>:$rhs,
    AnyRankedTensor:$accumulator);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $accumulator attr-dict
    `:` type($lhs) `*` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TILEWRIGHT_DIALECTS_TILEGPU_OPS_TD
