// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout encodings. Each is a constructor of a linear layout and nothing more: passes and lowering ask the map.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_ATTRIBUTES_TD
#define TILEWRIGHT_DIALECTS_TILEGPU_ATTRIBUTES_TD

include "dialects/TileGPU/TileGPUDialect.td"
include "dialects/TileGPU/TileGPUInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

class TileGPUAttr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<TileGPUDialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class RegisterLayoutAttr<string name, string attrMnemonic,
                         list<string> overridden = []>
    : TileGPUAttr<name, attrMnemonic, [
        DeclareAttrInterfaceMethods<RegisterLayoutInterface, overridden>,
        DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]>;

class SharedLayoutAttr<string name, string attrMnemonic,
                       list<string> overridden = []>
    : TileGPUAttr<name, attrMnemonic, [
        DeclareAttrInterfaceMethods<SharedLayoutInterface, overridden>]>;

//===----------------------------------------------------------------------===//
// Register layouts
//===----------------------------------------------------------------------===//

def BlockedAttr : RegisterLayoutAttr<"Blocked", "blocked"> {
  let summary = "Each thread holds a block, warps tile the tensor";
  let description = [{
    The tensor is tiled by `elementsPerThread * threadsPerWarp * warpsPerCTA`
    elements in each dimension; the dimension `order[0]` is the fastest at
    each of the three levels. A tensor larger than the tile repeats it in
    registers; along a dimension where it is smaller, threads hold copies.

    `#tilegpu.blocked<elements = [1, 8], threads = [8, 4], warps = [4, 1],
    order = [1, 0]>` on `tensor<32x32xf16>`: warp w holds rows 8w to 8w + 7,
    lane l of it row l / 4 and the columns 8 (l % 4) to 8 (l % 4) + 7.
  }];
  let parameters = (ins
    ArrayRefParameter<"unsigned", "elements of a thread">:$elements,
    ArrayRefParameter<"unsigned", "threads of a warp">:$threads,
    ArrayRefParameter<"unsigned", "warps">:$warps,
    ArrayRefParameter<"unsigned", "dimensions, the fastest first">:$order);
  let assemblyFormat = [{
    `<` `elements` `=` `[` $elements `]` `,` `threads` `=` `[` $threads `]`
    `,` `warps` `=` `[` $warps `]` `,` `order` `=` `[` $order `]` `>`
  }];
  let genVerifyDecl = 1;
}

def MmaFamily : I32EnumAttr<"MmaFamily",
    "accumulator fragment of a matrix instruction", [
    I32EnumAttrCase<"M8N8K4", 0, "m8n8k4">,
    I32EnumAttrCase<"M8N8", 1, "m8n8">,
    I32EnumAttrCase<"M16N8", 2, "m16n8">,
    I32EnumAttrCase<"M8N8K4F16", 3, "m8n8k4f16">]> {
  let cppNamespace = "::tilewright::tilegpu";
  let genSpecializedAttr = 0;
}

def MmaAttr : RegisterLayoutAttr<"Mma", "mma"> {
  let summary = "Accumulator of a matrix instruction";
  let description = [{
    The layout in which `mma.sync` leaves C and D in registers (PTX ISA, matrix
    fragments):

    - `m16n8`: m16n8k4 to m16n8k64, every type. Element e of lane l is row
      l / 4 + 8 (e / 2), column 2 (l % 4) + e % 2.
    - `m8n8`: m8n8k16 with 8-bit operands, m8n8k4 with f64: row l / 4, column
      2 (l % 4) + e.
    - `m8n8k4`: Volta's, four quad pairs two by two, f32 accumulators.
    - `m8n8k4f16`: the same with f16 accumulators, each lane a row of a quad
      pair.

    Warps are placed side by side above the instruction's tile, the last
    dimension fastest; the rest of the tensor repeats in registers, columns
    first. A third, leading dimension is a batch.
  }];
  let parameters = (ins
    EnumParameter<MmaFamily>:$family,
    ArrayRefParameter<"unsigned", "warps in each dimension">:$warps);
  let assemblyFormat = "`<` $family `,` `warps` `=` `[` $warps `]` `>`";
  let genVerifyDecl = 1;
}

def WgmmaAttr : RegisterLayoutAttr<"Wgmma", "wgmma"> {
  let summary = "Accumulator of a warp group's matrix instruction";
  let description = [{
    The layout in which `wgmma.mma_async` with `n` columns leaves D in the
    registers of its four warps (PTX ISA, "Register Fragments for wgmma"):
    element e of lane l of warp w is row 16 w + l / 4 + 8 (e / 2 % 2), column 8
    (e / 4) + 2 (l % 4) + e % 2.

    Warps, and so groups of four, are placed side by side above the
    instruction's 64 x `n`, the rows fastest; the rest of the tensor repeats in
    registers, columns first. A third, leading dimension is a batch. The
    hardware also has other multiples of 8 for n; a tensor's size is a power of
    two, and so is the n of its layout.
  }];
  let parameters = (ins
    "unsigned":$n,
    ArrayRefParameter<"unsigned", "warps in each dimension">:$warps);
  let assemblyFormat = "`<` `n` `=` $n `,` `warps` `=` `[` $warps `]` `>`";
  let genVerifyDecl = 1;
}

def DotOperandAttr : RegisterLayoutAttr<"DotOperand", "dot_operand",
                                        ["verifyShape"]> {
  let summary = "Left or right operand of a dot";
  let description = [{
    The registers in which a dot whose result has the layout `parent` takes its
    left (`index` = 0) or right (1) operand. Under `#tilegpu.mma` it is the
    instruction's fragment, `kWidth` consecutive elements of K at a time (the
    elements of a 32-bit register: 1, 2, 4, or 8 of 4 bits); under
    `#tilegpu.wgmma` it is the left operand's fragment (the right one is in
    shared memory); under any other parent a thread holds all of K for its rows
    or columns, and `kWidth` is 0.
  }];
  let parameters = (ins
    "unsigned":$index,
    "::tilewright::tilegpu::RegisterLayoutInterface":$parent,
    DefaultValuedParameter<"unsigned", "0">:$kWidth);
  let assemblyFormat = [{
    `<` `index` `=` $index `,` `parent` `=` $parent
    (`,` `kWidth` `=` $kWidth^)? `>`
  }];
  let genVerifyDecl = 1;
}

def SliceAttr : RegisterLayoutAttr<"Slice", "slice", ["verifyShape"]> {
  let summary = "A layout with one dimension removed";
  let description = [{
    The result layout of a reduction of `parent` along `dim`, and the operand
    layout of `tt.expand_dims` along `dim`: threads that differ only along `dim`
    hold copies.
  }];
  let parameters = (ins
    "unsigned":$dim,
    "::tilewright::tilegpu::RegisterLayoutInterface":$parent);
  let assemblyFormat = "`<` `dim` `=` $dim `,` `parent` `=` $parent `>`";
  let genVerifyDecl = 1;
}

def LinearAttr : RegisterLayoutAttr<"Linear", "linear", ["verifyShape"]> {
  let summary = "A layout given by its bases";
  let description = [{
    One vector of coordinates for each bit of the register, lane and warp index.
    The map is for one shape, and for that shape with some dimensions reduced to
    one element, along which threads then hold copies.

    `#tilegpu.linear<register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0],
    [4, 0], [0, 0]], warp = []>` is a layout of `tensor<8x4xf32>` in one warp
    whose upper half holds a copy.
  }];
  let parameters = (ins "::tilewright::layout::LinearLayout":$map);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

def DotPlanAttr : TileGPUAttr<"DotPlan", "dot_plan"> {
  let summary = "How a dot uses a matrix instruction";
  let description = [{
    The layout of the instruction's own accumulator (`#tilegpu.mma` or
    `#tilegpu.wgmma`), the kWidth of operands in registers, and whether the
    accumulator is the transposed result: D^T = B^T A^T.
  }];
  let parameters = (ins
    "::tilewright::tilegpu::RegisterLayoutInterface":$accumulator,
    "unsigned":$kWidth,
    "bool":$isTransposed);
  let assemblyFormat = [{
    `<` `accumulator` `=` $accumulator `,` `kWidth` `=` $kWidth `,`
    `transposed` `=` $isTransposed `>`
  }];
}

//===----------------------------------------------------------------------===//
// Shared-memory layouts
//===----------------------------------------------------------------------===//

def SharedSwizzledAttr : SharedLayoutAttr<"SharedSwizzled", "shared_swizzled"> {
  let summary = "Rows whose vectors are permuted by XOR";
  let description = [{
    Elements are consecutive along `order[0]` first. In row r (the index along
    `order[1]`), the vector of `vector` elements with index c is stored at index
    c XOR ((r / perPhase) % maxPhase). `maxPhase = 1` is the plain layout.
  }];
  let parameters = (ins
    "unsigned":$vector, "unsigned":$perPhase, "unsigned":$maxPhase,
    ArrayRefParameter<"unsigned", "dimensions, the fastest first">:$order);
  let assemblyFormat = [{
    `<` `vector` `=` $vector `,` `perPhase` `=` $perPhase `,` `maxPhase` `=`
    $maxPhase `,` `order` `=` `[` $order `]` `>`
  }];
  let genVerifyDecl = 1;
}

def SharedNvmmaAttr : SharedLayoutAttr<"SharedNvmma", "shared_nvmma",
    ["getAlignmentBytes", "getPadding", "verifyTile"]> {
  let summary = "The swizzles of the tensor-copy engine and of wgmma";
  let description = [{
    A tile whose fastest dimension (`order[0]`: K, or M or N) is cut into atoms
    of `swizzle` bytes (32, 64 or 128; 0: 16-byte columns without swizzle), one
    after the other, each with all its rows. Bits 4 to 6 of the byte address are
    XORed with bits 7 to 9, as many as the atom has vectors to permute (PTX ISA,
    "Swizzling modes"). An allocation is aligned to the 8 rows of a pattern.

    Elements of 4 bits are packed, two per byte, the first one in the low bits.
    `fp4Padded` leaves 8 bytes unused after every 8 bytes of elements (PTX ISA,
    "Sub-byte types": b4x16_p64); `elementBits` is then 4, or 8 where the tile
    counts pairs.
  }];
  let parameters = (ins
    "unsigned":$swizzleBytes, "unsigned":$elementBits,
    ArrayRefParameter<"unsigned", "dimensions, the fastest first">:$order,
    DefaultValuedParameter<"bool", "false">:$fp4Padded);
  let assemblyFormat = [{
    `<` `swizzle` `=` $swizzleBytes `,` `elementBits` `=` $elementBits `,`
    `order` `=` `[` $order `]` (`,` `fp4Padded` `=` $fp4Padded^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Rows of an atom after which its swizzle begins anew.
    static constexpr int64_t patternRows = 8;
  }];
}

def SharedPaddedAttr : SharedLayoutAttr<"SharedPadded", "shared_padded",
    ["getAlignmentBytes", "getPadding", "verifyTile"]> {
  let summary = "A shared layout with gaps";
  let description = [{
    The elements in the order of `parent`, with `gaps[i]` unused elements after
    every `intervals[i]` of them. Gaps are sums, not XORs: the map is the
    parent's, and the padding is described separately.

    `#tilegpu.shared_padded<parent = #rows, intervals = [64], gaps = [8]>` gives
    rows of 64 elements a stride of 72.
  }];
  let parameters = (ins
    "::tilewright::tilegpu::SharedLayoutInterface":$parent,
    ArrayRefParameter<"unsigned", "elements between gaps">:$intervals,
    ArrayRefParameter<"unsigned", "elements of a gap">:$gaps);
  let assemblyFormat = [{
    `<` `parent` `=` $parent `,` `intervals` `=` `[` $intervals `]` `,`
    `gaps` `=` `[` $gaps `]` `>`
  }];
  let genVerifyDecl = 1;
}

def SharedLinearAttr : SharedLayoutAttr<"SharedLinear", "shared_linear",
                                        ["verifyTile"]> {
  let summary = "A shared layout given by its bases";
  let description = [{
    One vector of coordinates for each bit of the element offset: the layouts
    that the conversion planner computes. The map is for one shape alone.
  }];
  let parameters = (ins "::tilewright::layout::LinearLayout":$map);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // TILEWRIGHT_DIALECTS_TILEGPU_ATTRIBUTES_TD
