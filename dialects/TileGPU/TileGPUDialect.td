// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect `tilegpu`: tensors with layouts, and shared memory as values.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_DIALECT_TD
#define TILEWRIGHT_DIALECTS_TILEGPU_DIALECT_TD

include "mlir/IR/OpBase.td"

def TileGPUDialect : Dialect {
  let name = "tilegpu";
  let cppNamespace = "::tilewright::tilegpu";
  let summary = "Tensors with layouts, shared memory as values";
  let description = [{
    In `tilegpu` IR every ranked tensor has an encoding that says which thread
    holds which element; the ops of `tt`, `arith`, `math` and `scf` are used on
    such tensors unchanged. This dialect adds the encodings, memory descriptors
    for shared memory, the one op that moves data between layouts
    (`tilegpu.convert_layout`), copies, barriers and matrix instructions.

    The number of warps belongs to an agent, a set of warps that run the same
    code. A plain kernel is one agent and states the number as the function
    attribute `tilegpu.num_warps`; regions of `tilegpu.warp_specialize` are
    separate agents, which share the function's warps. The module names its
    target as `tilegpu.target`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::ub::UBDialect",
                           "::tilewright::tile::TileDialect",
                           "::tilewright::tt::TritonDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Function attribute (i32): warps that run the function's region.
    static constexpr ::llvm::StringLiteral numWarpsAttrName =
        "tilegpu.num_warps";
    /// Module attribute (string): the target's name, such as "sm_80".
    static constexpr ::llvm::StringLiteral targetAttrName = "tilegpu.target";
    /// Function attribute (i32): bytes of shared memory that it allocates;
    /// before they are planned, those that it is sure to take.
    static constexpr ::llvm::StringLiteral sharedBytesAttrName =
        "tilegpu.shared_bytes";
    /// Function attribute (array of dictionaries): how a launch makes each of
    /// the tensor maps that are the function's last arguments. Its entries are
    /// `base` (i32: number of an argument), `sizes` and `strides` (in elements,
    /// the slowest dimension first; index: number of an argument, i64: the
    /// value itself), `nonnegative` (likewise), `signed_dims` (as the op), and
    /// `map` (the `!tilegpu.tensor_map`).
    static constexpr ::llvm::StringLiteral tensorMapsAttrName =
        "tilegpu.tensor_maps";
    /// Function attribute (i32): bytes of global memory, a multiple of 128 with
    /// that alignment, that a launch has for each CTA. Their address is the
    /// function's last argument, behind tensor maps.
    static constexpr ::llvm::StringLiteral scratchBytesAttrName =
        "tilegpu.scratch_bytes";
    /// Attribute (string) of a kernel in the LLVM dialect: its name in the
    /// source, where PTX has another symbol for it.
    static constexpr ::llvm::StringLiteral kernelNameAttrName =
        "tilegpu.kernel_name";
    /// Module attribute (i64), for tests: layouts are not chosen by price but
    /// at random, from this seed.
    static constexpr ::llvm::StringLiteral layoutSeedAttrName =
        "tilegpu.layout_seed";
    /// Of an op in the body of an scf.for (array<i32: stage, order>): when it
    /// runs in the loop's software pipeline.
    static constexpr ::llvm::StringLiteral scheduleAttrName =
        "tilegpu.schedule";
    /// Of a loop that has a schedule, and of allocations (unit): the tiles of
    /// its body have the buffers that the pipeline needs, and those are they.
    static constexpr ::llvm::StringLiteral bufferedAttrName =
        "tilegpu.buffered";
    /// Function attribute (i32): registers of a thread, at most, as is best for
    /// the launch that the code is for.
    static constexpr ::llvm::StringLiteral registersAttrName =
        "tilegpu.registers";
    /// Function attribute (i32): registers of a thread without which its loops
    /// could not have all loads of an iteration on their way together.
    static constexpr ::llvm::StringLiteral registersOfLoadsAttrName =
        "tilegpu.registers_of_loads";
    /// Function attribute (i32: 2, 4 or 8): CTAs of a cluster, along x; a
    /// launch's grid is a multiple of it.
    static constexpr ::llvm::StringLiteral clusterAttrName = "tilegpu.cluster";
    /// Function attributes (string: x, y or z): along this axis of the grid the
    /// first programs, or the last, have the longest loops.
    static constexpr ::llvm::StringLiteral longestFirstAttrName =
        "tilegpu.longest_first";
    static constexpr ::llvm::StringLiteral longestLastAttrName =
        "tilegpu.longest_last";

    /// Of a tt.load of a scalar (unit): the agent's first thread loads it,
    /// which stores scalars too, and what the others have instead (`other`, or
    /// 0) none of them needs.
    static constexpr ::llvm::StringLiteral firstThreadAttrName =
        "tilegpu.first_thread";

    void registerAttributes();
    void registerTypes();
  }];
}

#endif // TILEWRIGHT_DIALECTS_TILEGPU_DIALECT_TD
