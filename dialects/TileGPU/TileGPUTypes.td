// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_TYPES_TD
#define TILEWRIGHT_DIALECTS_TILEGPU_TYPES_TD

include "dialects/TileGPU/TileGPUDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

class TileGPUType<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<TileGPUDialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def MemDescType : TileGPUType<"MemDesc", "memdesc"> {
  let summary = "A tile in shared memory";
  let description = [{
    A view of shared memory that holds a tile of `shape` under the shared layout
    `encoding`. `buffers` is the number of consecutive tiles in the allocation
    (1 unless it is multi-buffered; `tilegpu.memdesc_index` selects one). A
    descriptor that is not `mutable` is written once, where it is allocated.

    `!tilegpu.memdesc<64x32xf16, #shared>`,
    `!tilegpu.memdesc<64x32xf16, #shared, buffers = 3, mutable>`.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType,
    "::tilewright::tilegpu::SharedLayoutInterface":$encoding,
    DefaultValuedParameter<"unsigned", "1">:$buffers,
    DefaultValuedParameter<"bool", "false">:$isMutable);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getShape().size(); }
    int64_t getNumElements() const;
    /// Width of an element in memory: i1 takes a byte.
    unsigned getElementBits() const;
    /// Bytes of one buffer.
    int64_t getBufferBytes() const;
    /// Bytes of the whole allocation.
    int64_t getSizeInBytes() const { return getBuffers() * getBufferBytes(); }
    ::tilewright::layout::LinearLayout toLinearLayout() const;
  }];
}

def TokenType : TileGPUType<"Token", "token"> {
  let summary = "An asynchronous copy in flight";
  let description = [{
    Returned by the start of a copy, taken by its commit and its wait: what a
    barrier or a wait protects is explicit in the IR.
  }];
}

def PendingType : TileGPUType<"Pending", "pending"> {
  let summary = "A tensor that a matrix instruction may still be computing";
  let description = [{
    The accumulator of `tilegpu.wgmma`: the registers of `tensor`, which only
    another such product may touch until `tilegpu.wgmma_wait` returns the tensor.
    So no pass can put a conversion or a copy between the two.

    `!tilegpu.pending<tensor<64x128xf32, #acc>>`
  }];
  let parameters = (ins "::mlir::RankedTensorType":$tensor);
  let assemblyFormat = "`<` $tensor `>`";
  let genVerifyDecl = 1;
}

def NamedBarrierType : TileGPUType<"NamedBarrier", "named_barrier"> {
  let summary = "A barrier by which one agent waits for another";
  let description = [{
    One of the named barriers of a CTA. The warps of one agent arrive at it, the
    warps of another wait there; see `tilegpu.named_barrier`.
  }];
}

def TensorMapType : TileGPUType<"TensorMap", "tensor_map"> {
  let summary = "A tensor in global memory, as bulk copies take it";
  let description = [{
    A strided tensor of `elementType` with as many dimensions as `box`, which is
    what one copy transfers, in elements, the slowest dimension first; the last
    one is contiguous in memory. In shared memory the last dimension is cut into
    atoms of `swizzle` bytes (32, 64 or 128), as in `#tilegpu.shared_nvmma`.
    With `tf32`, the tensor and the tile are of f32, and the copy rounds to
    nearest, ties to even.

    With `ctas`, the box is the same in that many CTAs of a cluster. Each of
    them copies a part, cut along the slowest dimension that is not 1, to all of
    them.

    `!tilegpu.tensor_map<[128, 64], f16, swizzle = 128>`
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "elements">:$box,
    "::mlir::Type":$elementType,
    "unsigned":$swizzleBytes,
    DefaultValuedParameter<"unsigned", "1">:$ctas);
  let assemblyFormat = [{
    `<` `[` $box `]` `,` $elementType `,` `swizzle` `=` $swizzleBytes
    (`,` `ctas` `=` $ctas^)? `>`
  }];
  let builders = [TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$box,
                                   "::mlir::Type":$elementType,
                                   "unsigned":$swizzleBytes), [{
    return $_get($_ctxt, box, elementType, swizzleBytes, /*ctas=*/1);
  }]>];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getBox().size(); }
    /// Type of an element in memory.
    ::mlir::Type getMemoryType() const;
    /// Width of an element in memory.
    unsigned getElementBits() const;
    /// The number of the elements' type (CUDA driver API,
    /// "CUtensorMapDataType"): copies move bits, but for the zeros outside of
    /// the tensor, which are the same for all, and for tf32, to which they
    /// round.
    unsigned getDataType() const;
    /// The number of the swizzle ("CUtensorMapSwizzle").
    unsigned getSwizzleMode() const;
    /// Elements that one copy moves along the fastest dimension: as wide as the
    /// swizzle.
    int64_t getAtomElements() const;
    /// Bytes of the box.
    int64_t getBoxBytes() const;
    /// Whether that many CTAs, 1 to 8, can share a box: each part has whole
    /// patterns of the swizzle.
    static bool mayBeShared(::llvm::ArrayRef<int64_t> box, unsigned ctas);
    /// The dimension along which CTAs share the box.
    unsigned getSharedDimension() const;
    /// What one of them copies, in elements: the box where it is alone.
    ::llvm::SmallVector<int64_t> getPart() const;
  }];
}

#endif // TILEWRIGHT_DIALECTS_TILEGPU_TYPES_TD
