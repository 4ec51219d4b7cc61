// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes on tilegpu IR: here those that make of it what is lowered; those on
// loops, and on who copies, are in LoopPasses.td.

#ifndef TILEWRIGHT_PASSES_TILEGPU_PASSES_TD
#define TILEWRIGHT_PASSES_TILEGPU_PASSES_TD

include "passes/TileGPU/LoopPasses.td"

def DecomposeReductions : Pass<"tilegpu-decompose-reductions", "::mlir::ModuleOp"> {
  let summary = "Splits reductions across warps into reductions within warps";
  let description = [{
    A `tt.reduce` whose source is distributed over warps along the reduced axis
    becomes three ops: each warp reduces what it holds; the partial results are
    converted to a layout in which every thread, or every few lanes if there are
    more than four of them, hold all those of their result elements; and a
    `tt.reduce` within the warp finishes.

    ```mlir
    %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({ ... })
        : (tensor<16x256xf32, #l>) -> tensor<16xf32, #tilegpu.slice<dim = 1, parent = #l>>
    ```
    becomes, where four warps lie along dimension 1,
    ```mlir
    %p = "tilegpu.partial_reduce"(%x) <{axis = 1 : i32}> ({ ... })
        : (tensor<16x256xf32, #l>) -> tensor<16x4xf32, #warps>
    %q = tilegpu.convert_layout %p
        : tensor<16x4xf32, #warps> -> tensor<16x4xf32, #registers>
    %r = "tt.reduce"(%q) <{axis = 1 : i32}> ({ ... })
        : (tensor<16x4xf32, #registers>) -> tensor<16xf32, #tilegpu.slice<dim = 1, parent = #l>>
    ```
    `#warps` and `#registers` are linear layouts; the result keeps its type.

    Precondition: every tensor has a register layout. Afterwards every
    `tt.reduce` combines elements of one warp only. Reductions that already do
    so are left alone.

    Numeric effect: elements are combined in another order, which `tt.reduce`
    leaves open; the order is a function of the layouts.

    `tilewright-opt kernel.mlir --tilegpu-decompose-reductions`
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def DecomposeAtomics : Pass<"tilegpu-decompose-atomics", "::mlir::ModuleOp"> {
  let summary = "Splits atomics and volatile loads of a program into those of its "
                "threads";
  let description = [{
    An atomic is performed once for each element, by the one of the threads
    holding the element that owns it (the first thread, for a scalar). For the
    program as a whole this takes more, which becomes explicit here:

    - a barrier before an atomic that releases, and after one that acquires,
      since `sem` orders the accesses of all threads of the program;
    - where threads other than the owners hold elements of a result that is
      used, the transfer to them through shared memory.

    ```mlir
    %r = tt.atomic_rmw add, acquire, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
    use %r
    ```
    becomes
    ```mlir
    %r = tt.atomic_rmw add, acquire, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
    %t = tt.splat %r : i32 -> tensor<1xi32, #all>
    %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<1xi32, #shared, mutable>
    tilegpu.local_store %t, %m : tensor<1xi32, #all> -> !tilegpu.memdesc<1xi32, #shared, mutable>
    tilegpu.barrier
    %l = tilegpu.local_load %m : !tilegpu.memdesc<1xi32, #shared, mutable> -> tensor<1xi32, #all>
    %s = tt.unsplat %l : tensor<1xi32, #all>
    use %s
    ```

    The result of a volatile load (or one with the cache operator `cv`), whose
    place others may write meanwhile, takes the same way where several warps
    hold it: they would read different values, and a loop that waits for one
    would end at different times for them.

    Preconditions: every tensor has a register layout; functions have
    `tilegpu.num_warps`. Afterwards such a result is read only by the threads
    that own its elements. The pass must run only once.

    Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-decompose-atomics`
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def DecomposeGathers : Pass<"tilegpu-decompose-gathers", "::mlir::ModuleOp"> {
  let summary = "Splits gathers into a tile in shared memory and reads from it";
  let description = [{
    A gather in which each warp holds all the elements that it needs is left
    alone, where shuffles are not more expensive. Any other,

    ```mlir
    %r = tt.gather %s[%i] {axis = 0 : i32} : (tensor<16xf16, #a>, tensor<64xi32, #b>) -> tensor<64xf16, #b>
    ```
    becomes
    ```mlir
    %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<16xf16, #shared, mutable>
    tilegpu.local_store %s, %m : tensor<16xf16, #a> -> !tilegpu.memdesc<16xf16, #shared, mutable>
    %r = tilegpu.local_gather %m[%i] {axis = 0 : i32} : !tilegpu.memdesc<16xf16, #shared, mutable>, tensor<64xi32, #b> -> tensor<64xf16, #b>
    ```

    A source that a loop does not change is stored before the loop, once for all
    of its gathers there, unless the longer live range in shared memory would
    cost the multiprocessor a CTA.

    Preconditions: every tensor has a register layout, and the result of a
    gather has that of its indices. Afterwards no `tt.gather` moves data between
    warps. Barriers are not inserted.

    Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-decompose-gathers`
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def DecomposeHistograms : Pass<"tilegpu-decompose-histograms", "::mlir::ModuleOp"> {
  let summary = "Lowers histograms to counting in shared memory";
  let description = [{
    ```mlir
    %h = tt.histogram %x : tensor<256xi32, #a> -> tensor<16xi32, #b>
    ```
    becomes
    ```mlir
    %zero = arith.constant dense<0> : tensor<16xi32, #b>
    %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<16xi32, #shared, mutable>
    tilegpu.local_store %zero, %m : tensor<16xi32, #b> -> !tilegpu.memdesc<16xi32, #shared, mutable>
    tilegpu.local_count %x, %m : tensor<256xi32, #a> -> !tilegpu.memdesc<16xi32, #shared, mutable>
    %h = tilegpu.local_load %m : !tilegpu.memdesc<16xi32, #shared, mutable> -> tensor<16xi32, #b>
    ```

    Command line: `tilewright-opt --tilegpu-decompose-histograms`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tilegpu::TileGPUDialect"];
}

def DecomposeReduceScatters : Pass<"tilegpu-decompose-reduce-scatters", "::mlir::ModuleOp"> {
  let summary = "Lowers sums over the programs of a cluster to shared memory";
  let description = [{
    ```mlir
    %r = tile.reduce_scatter %x {axis = 1 : i32, programs = 4 : i32} : tensor<64x64xf32, #a> -> tensor<64x16xf32, #b>
    ```
    becomes, with `%rank` the program's number along x modulo 4,
    ```mlir
    %m = tilegpu.local_alloc : () -> !buffers
    tilegpu.barrier cluster
    tilegpu.store_parts %x to %m at %rank {axis = 1 : i32} : tensor<64x64xf32, #a> to !buffers
    tilegpu.barrier cluster
    %m0 = tilegpu.memdesc_index %m[%c0] : !buffers -> !buffer
    %0 = tilegpu.local_load %m0 : !buffer -> tensor<64x16xf32, #b>
    ...
    %r = arith.addf %2, %3 : tensor<64x16xf32, #b>
    ```
    Behind the first barrier all CTAs have done what else they did with these
    bytes, and none has ended before others write to it. In an agent of
    `tilegpu.warp_specialize`, the other agents come to the same barriers at
    their ends.

    A buffer's layout is such that the threads that hold an element in one CTA
    are those that add it in the other one, by accesses of 16 bytes.

    Preconditions: the postconditions of `tilegpu-form-clusters`; the result is
    under the layout of a part of the source (`RegisterParts`).

    Command line: `tilewright-opt --tilegpu-decompose-reduce-scatters`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tilegpu::TileGPUDialect"];
}

def PlanConversions : Pass<"tilegpu-plan-conversions", "::mlir::ModuleOp"> {
  let summary = "Chooses how each layout conversion moves its data";
  let description = [{
    Each `tilegpu.convert_layout` that renames registers, selects among them, or
    exchanges data between lanes by shuffles stays, annotated with the chosen
    means (`tilegpu.means`), which the lowering implements. One that crosses
    warps, or whose shuffles would cost more than a round trip, goes through
    shared memory, arranged as the layout algebra finds best (vectors, no bank
    conflicts, rows for `ldmatrix` and `stmatrix` where the target has them and
    the layouts are such fragments):

    ```mlir
    %y = tilegpu.convert_layout %x : tensor<64x32xf16, #a> -> tensor<64x32xf16, #b>
    ```
    becomes
    ```mlir
    %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<64x32xf16, #shared, mutable>
    tilegpu.local_store %x, %m : tensor<64x32xf16, #a> -> !tilegpu.memdesc<64x32xf16, #shared, mutable>
    %y = tilegpu.local_load %m : !tilegpu.memdesc<64x32xf16, #shared, mutable> -> tensor<64x32xf16, #b>
    ```

    Where the tiles that are live at that point leave too little shared memory
    for this, the conversion goes in rounds, each through memory for a part of
    the tensor (`tilegpu.convert_in_rounds`), and a remark says so. Every
    conversion gets a remark, `layout-conversion`: from, to, means, price and
    why.

    A conversion of a tensor that an earlier one in the same block has stored
    loads it from there, where that costs no more than a separate tile.

    Preconditions: every tensor has a register layout; the module names its
    target in `tilegpu.target`. Afterwards no `tilegpu.convert_layout` moves
    data between warps. Barriers are not inserted, and allocations have no
    offsets yet.

    Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-plan-conversions`
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def ReloadSharedTiles : Pass<"tilegpu-reload-shared-tiles", "::mlir::ModuleOp"> {
  let summary = "Reloads tiles from shared memory where they are used, instead of holding them in registers";
  let description = [{
    Where live tiles exceed the registers of a thread, tiles that were loaded
    from shared memory and are not used at that point are reloaded before their
    next use, starting with those for which that happens least often. So a
    product's loop-invariant operand need not stay in registers through the
    loop. Tiles that the loop uses and that are not in shared memory are stored
    there before the loop. Otherwise the assembler would spill what does not
    fit, and reload it from memory that is further away.

    ```mlir
      %a = tilegpu.local_load %m : ...
    ^loop:
      %s1 = tilegpu.mma %a, %b, %s ...
    ```
    becomes
    ```mlir
    ^loop:
      %a = tilegpu.local_load %m : ...
      %s1 = tilegpu.mma %a, %b, %s ...
    ```

    A tile that was loaded outside of loops, and that products of warp groups
    alone take as their left operand, from a place that a matrix descriptor can
    describe, is not loaded at all: they read it there.

    Functions without products are left alone: nothing in them needs a whole
    tile. So is a tile whose longer live range in shared memory would cost the
    multiprocessor a CTA (see `tilegpu-allocate-shared-memory`).

    Preconditions: the function is a graph of blocks; the module names its
    target; allocations have no offsets, and there are no barriers between
    accesses to shared memory yet. Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-reload-shared-tiles`
  }];
}

def DelayStores : Pass<"tilegpu-delay-stores", "::mlir::ModuleOp"> {
  let summary = "Sinks stores behind the start of the next products by warp groups";
  let description = [{
    A tile that is stored by way of shared memory is loaded from there first, and
    what follows waits for that. Where products by warp groups follow, whose
    operands are in shared memory, the load and the store are sunk before the
    wait for these:

    ```mlir
    %t = tilegpu.local_load %m
    tt.store %p, %t
    %1 = tilegpu.wgmma %a, %b, %0
    %2 = tilegpu.wgmma_wait %1
    ```
    becomes
    ```mlir
    %1 = tilegpu.wgmma %a, %b, %0
    %t = tilegpu.local_load %m
    tt.store %p, %t
    %2 = tilegpu.wgmma_wait %1
    ```

    Nothing that reads or writes global memory, and nothing that writes the tile
    or gives its buffer back, may stand between. Stores keep their order.

    Preconditions: loops are flat, barriers are not yet there. Numeric effect:
    none.

    `tilewright-opt kernel.mlir --tilegpu-delay-stores`
  }];
}

def GroupSharedAccesses : Pass<"tilegpu-group-shared-accesses", "::mlir::ModuleOp"> {
  let summary = "Lets one barrier serve several tiles in shared memory";
  let description = [{
    A load from shared memory is sunk below the next store to another tile,
    together with the ops in between that depend on it, where these have no
    effects and are neither matrix instructions nor reductions: so that all
    stores come before one barrier and all loads after it. A load may be sunk
    below several stores. A wait for copies is hoisted above loads that a
    barrier precedes anyway. A tile that is made for the asynchronous proxy is
    made right behind the one made before, where its elements are computed from
    what is there, in registers or in shared memory.

    ```mlir
    tilegpu.local_store %x, %m : ...
    %a = tilegpu.local_load %m : ...
    tilegpu.local_store %y, %n : ...
    %b = tilegpu.local_load %n : ...
    ```
    becomes
    ```mlir
    tilegpu.local_store %x, %m : ...
    tilegpu.local_store %y, %n : ...
    %a = tilegpu.local_load %m : ...
    %b = tilegpu.local_load %n : ...
    ```

    An op is not moved where tiles would then be live together that cost the
    multiprocessor a CTA (see `tilegpu-allocate-shared-memory`), across a
    barrier or a wait, or in a function of one warp, whose barriers are almost
    free.

    Preconditions: the function is a graph of blocks; the module names its
    target; allocations have no offsets yet. Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-group-shared-accesses`
  }];
}

def ShortenTiles : Pass<"tilegpu-shorten-tiles", "::mlir::ModuleOp"> {
  let summary = "Stores tiles anew before their readers where room is short";
  let description = [{
    Where the tiles that live at an op take more shared memory than the target
    has, or leave a layout conversion too little, those that threads store from
    registers and that the op does not access are stored anew before each of
    their readers, the largest first, until the rest fits. Each is a remark: it
    costs stores and barriers. Where the rest does not fit either,
    `tilegpu-allocate-shared-memory` or `tilegpu-plan-conversions` reports it.

    ```mlir
    %m = tilegpu.local_alloc %x : ...
    %d = tilegpu.multiply_add %m, %n, %c : ...
    ...                                            // no room beside %m
    %e = tilegpu.multiply_add %m, %o, %c : ...
    ```
    becomes
    ```mlir
    %m = tilegpu.local_alloc %x : ...
    %d = tilegpu.multiply_add %m, %n, %c : ...
    ...
    %p = tilegpu.local_alloc %x : ...
    %e = tilegpu.multiply_add %p, %o, %c : ...
    ```

    Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-shorten-tiles`
  }];
}

def AllocateSharedMemory : Pass<"tilegpu-allocate-shared-memory", "::mlir::ModuleOp"> {
  let summary = "Gives every shared-memory allocation its offset";
  let description = [{
    Tiles that are live at the same op never share bytes; a tile is live from
    its allocation to the last use of any value that may refer to its memory. Of
    several orders of placement, the one that takes the fewest bytes is kept.

    Two tiles whose live ranges do not overlap may share bytes, and then may
    need an additional barrier, between the last read of one and the first write
    of the other. They share bytes only

    - where the barriers that all tiles need anyway order their accesses; or
    - where separate bytes would cost a CTA: if with them the function took more
      bytes than a multiprocessor can give to as many CTAs as it holds with the
      fewest bytes possible. The pairs kept apart are then those that would cost
      most: pairs inside loops first.

    ```mlir
    %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<64x32xf16, #shared, mutable>
    ```
    becomes
    ```mlir
    %m = tilegpu.local_alloc {offset = 4096 : i32} : () -> ...
    ```

    Preconditions: the function is a graph of blocks; the module names its
    target. Allocations in regions of an op that may execute concurrently are
    kept apart. Afterwards every allocation has an offset, and the function has
    `tilegpu.shared_bytes`. A function that needs more than the target has, even
    with all possible sharing, is an error, with the tiles that are live
    together and their bytes. Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-allocate-shared-memory`
  }];
}

def OrderGlobalAccesses : Pass<"tilegpu-order-global-accesses", "::mlir::ModuleOp"> {
  let summary = "Orders loads and stores of different threads";
  let description = [{
    Puts a `tilegpu.barrier` before a store or an atomic to global memory that
    may overwrite what another thread has yet to read for an earlier load, and
    before a load of what another thread may have yet to write, on some path
    without a barrier: where the load's elements are read by several threads
    (scalars, tiles smaller than the CTA), or through other pointers. Pointers
    from different parameters are assumed to point to different buffers, and the
    same pointers in another iteration of a loop to different places. Where only
    lanes of a warp read the same elements, a warp barrier is used. Stores are
    not ordered among each other.

    A scalar is loaded by every thread and stored by the agent's first. Where
    what is loaded reaches nothing but the operands of scalar stores, by pure ops
    on scalars, arguments of blocks and other such loads, the first thread alone
    needs it, and then loads it alone (`tilegpu.first_thread`): its own accesses
    need no barrier. Branches, tiles, atomics, assertions and calls need what
    they are given in every thread.

    ```mlir
    %x = tt.load %p : !tt.ptr<i32>
    %y = arith.addi %x, %z : i32
    tt.store %p, %y : !tt.ptr<i32>
    ```
    becomes
    ```mlir
    %x = tt.load %p {tilegpu.first_thread} : !tt.ptr<i32>
    %y = arith.addi %x, %z : i32
    tt.store %p, %y : !tt.ptr<i32>
    ```

    Preconditions: the function is a graph of blocks, tensors have layouts.
    Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-order-global-accesses`
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def InsertBarriers : Pass<"tilegpu-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "Orders accesses to shared memory by barriers";
  let description = [{
    Two accesses to the same bytes, at least one of them a write, conflict. The
    layouts determine which bytes each warp touches: where every common byte is
    touched by a single warp, the conflict needs a warp barrier, else a barrier
    of all warps. Each path between two conflicting accesses gets such a
    barrier. The barriers are placed so that they are executed as rarely as
    possible: few, and outside of loops and branches where that suffices. A copy
    counts as a write at the wait for its group.

    ```mlir
    tilegpu.local_store %x, %m : ...
    %y = tilegpu.local_load %m : ...
    ```
    becomes
    ```mlir
    tilegpu.local_store %x, %m : ...
    tilegpu.barrier shared
    %y = tilegpu.local_load %m : ...
    ```

    Preconditions: allocations have offsets; the function is a graph of blocks.
    Afterwards no two conflicting accesses to shared memory are unordered, and
    no barrier that the pass has inserted could be removed or weakened. An
    access to bytes that a copy may still be writing, without a wait in between,
    is an error. Barriers order accesses within one agent; those of different
    agents are checked by tilegpu-verify-agent-order. Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-insert-barriers`
  }];
}

def VerifyAgentOrder
    : Pass<"tilegpu-verify-agent-order", "::mlir::ModuleOp"> {
  let summary = "Checks that agents' accesses to shared memory are ordered";
  let description = [{
    The named barriers and mbarriers in the IR order the accesses of different
    agents (`tilegpu.warp_specialize`). Conflicting accesses that the agents may
    reach at the same time are an error, and so are barriers whose arrivals
    nobody consumes, or that nobody reaches.

    Preconditions: allocations have offsets; agents are graphs of blocks.
    Changes nothing.

    `tilewright-opt kernel.mlir --tilegpu-verify-agent-order`
  }];
}

def AllocateNamedBarriers
    : Pass<"tilegpu-allocate-named-barriers", "::mlir::ModuleOp"> {
  let summary = "Assigns hardware barriers to named barriers and agents";
  let description = [{
    A CTA has sixteen barriers. Barrier 0 is that of all warps. Each
    `tilegpu.named_barrier` gets one of the others, as its `id`; each agent
    whose warps wait for each other, and that is not alone, gets one too, in the
    `barrier_ids` of its op. Agents of different ops share theirs, as they never
    run concurrently.

    ```mlir
    %full = tilegpu.named_barrier : !tilegpu.named_barrier
    tilegpu.warp_specialize warps = [4, 4] {
      tilegpu.barrier
    ```
    becomes
    ```mlir
    %full = tilegpu.named_barrier {id = 1 : i32} : !tilegpu.named_barrier
    tilegpu.warp_specialize warps = [4, 4] attributes {barrier_ids = array<i32: 2, 0>} {
      tilegpu.barrier
    ```

    Preconditions: all barriers are there (`tilegpu-insert-barriers`). Needing
    more barriers than the hardware has is an error. Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-allocate-named-barriers`
  }];
}

def OrderPrograms : Pass<"tilegpu-order-programs", "::mlir::ModuleOp"> {
  let summary = "Makes programs with long loops start before those with short ones";
  let description = [{
    A GPU starts programs in the order of their ids, along x first. Where the
    longest programs are the last along an axis (`tilegpu.longest_last`), ids
    are remapped so that the first programs do the work of the last. Several ids
    of the next axis, for instance heads of an attention, are interleaved: among
    as many programs as run at once, the longest ones of all of them start
    before any shorter one.

    ```mlir
    %x = tt.get_program_id x : i32
    %y = tt.get_program_id y : i32
    ```
    becomes, in a grid of `gx` x `gy` programs of `num-warps` warps,
    ```mlir
    %bits = max(log2(2048 / num-warps) - ceil(log2(gx)), 0)
    %bits = min(%bits, floor(log2(y xor gy)))
    %row = y mod 2^%bits, %begin = y - %row
    %inside = x + %row * gx
    %x = gx - 1 - %inside / 2^%bits
    %y = %begin + %inside mod 2^%bits
    ```
    where the id along y is used, and `gx - 1 - x` where it is not. Where the
    longest are the first (`tilegpu.longest_first`), x is `%inside / 2^%bits`.
    What is left of gy behind the sections of most ids makes sections of the
    powers of two that it is the sum of.

    By list scheduling on 132 multiprocessors, the programs of a causal
    attention of 32 heads and 4,096 queries, in tiles of 128, take 15 % longer
    than their sum in their original order, and less than 1 % in this one.
    (Measured on an H200: 0.75 of Triton's time, 0.85 before.)

    Afterwards neither attribute is left. Values do not change.

    Command line: `tilewright-opt --tilegpu-order-programs="num-warps=4"`.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", "4", "warps of a CTA">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::tilewright::tt::TritonDialect"];
}

def OverlapLaunches : Pass<"tilegpu-overlap-launches", "::mlir::ModuleOp"> {
  let summary = "Lets a launch begin while the one before it ends";
  let description = [{
    Puts `nvvm.griddepcontrol wait` before the first access to global memory of
    a kernel, on every path (PTX ISA, "griddepcontrol"). A launch that is
    declared dependent (programmatic dependent launch) may then begin while the
    preceding one ends: its CTAs are placed, compute addresses and initialize
    mbarriers. They access memory when that launch has ended and everything that
    it wrote is visible. In any other launch it has no effect.

    Where the launch has at most one CTA per multiprocessor
    (`ctas-per-multiprocessor` is 1), `nvvm.griddepcontrol launch_dependents` is
    placed where a CTA has issued all of its reads, so that the next launch
    overlaps its last arithmetic and its stores; of agents, where the first one
    has, which computes. With more CTAs the next launch begins when the last of
    them end: if it began earlier, its CTAs would crowd the multiprocessors that
    happen to be free, while others stay idle (on an H200 the scans of Gated
    DeltaNet took 1.5 times as long, products of 224 CTAs 1.05). For the same
    reason a launch of at most one CTA per multiprocessor is given a third of a
    multiprocessor's shared memory at least: two CTAs fit then, one of each
    launch (products of up to 64 rows took 0.992 of the time, 64 x 1000 x 4096,
    which is split, 0.87).

    Nothing changes on a target without `griddepcontrol`.

    Preconditions: the function is a graph of blocks. Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-overlap-launches`
  }];
  let options = [
    Option<"ctasPerMultiprocessor", "ctas-per-multiprocessor", "unsigned", "0",
           "CTAs of a multiprocessor that the launch has, rounded up; 0: not known">
  ];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

#endif // TILEWRIGHT_PASSES_TILEGPU_PASSES_TD
