// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes on tilegpu IR.

#ifndef TILEWRIGHT_PASSES_TILEGPU_PASSES_TD
#define TILEWRIGHT_PASSES_TILEGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def UnrollLoops : Pass<"tilegpu-unroll-loops", "::mlir::ModuleOp"> {
  let summary = "Unrolls loops of few iterations whose copies may start at once";
  let description = [{
    A loop of two to four iterations, a constant number, that copies tiles to
    shared memory and has as many stages (`num-stages`, or the loop's
    `tt.num_stages`) becomes straight-line code where shared memory fits the
    tiles of all iterations, by the rules of `tilegpu-schedule-loops`. Their
    bytes are noted as `tilegpu.shared_bytes` of the function, so that
    `tilegpu-advance-copies` then has their copies start together.

    A loop stays where the function may write what it copies, where its copies
    may not run ahead, and in other loops and branches. `except-functions` names
    functions whose loops stay, those whose tiles bulk copies bring.

    Preconditions: the postconditions of `tilegpu-assign-layouts`.

    `tilewright-opt kernel.mlir --tilegpu-unroll-loops="num-stages=3"`
  }];
  let options = [Option<"numStages", "num-stages", "unsigned", "3",
                        "stages that loops may have">,
                 Option<"ctasPerMultiprocessor", "ctas-per-multiprocessor",
                        "unsigned", "0",
                        "CTAs that the launch gives a multiprocessor; 0: any "
                        "number">,
                 ListOption<"exceptFunctions", "except-functions",
                            "std::string", "functions whose loops stay">];
}

def UnrollStreamingLoops
    : Pass<"tilegpu-unroll-streaming-loops", "::mlir::ModuleOp"> {
  let summary = "Unrolls loops that only load and compute";
  let description = [{
    A loop whose trip count is a constant, and which loads tiles to registers and
    computes with them element by element, or reduces them within each warp, is
    unrolled by the largest divisor of the trip count up to 8 with which the loads
    of an iteration fill at most 32 registers of a thread. CUDA's assembler then
    has them on their way together; it unrolls many such loops by itself, but not
    where a condition that does not change in the loop is part of a mask.

    A loop stays that stores, or in which warps exchange data: its loads would
    have to stay behind these.

    Preconditions: the postconditions of `tilegpu-assign-layouts`. Numeric effect:
    none.

    `tilewright-opt kernel.mlir --tilegpu-unroll-streaming-loops`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def OverlapProducts : Pass<"tilegpu-overlap-products", "::mlir::ModuleOp"> {
  let summary = "Has products by warp groups in flight together";
  let description = [{
    `tilegpu-assign-layouts` puts a wait right behind each `tilegpu.wgmma`. In each
    block this pass sinks the wait to the first op that uses the product's result
    or may write the shared memory that the product reads, and starts later
    products that depend on neither before that wait, together with the ops that
    make their operands, unless these wait for a later product, by which time the
    one before is complete. Each wait then leaves in flight the products that were
    started after its own. Products that add to one accumulator one after the
    other need no wait in between.

    ```mlir
    %1 = tilegpu.wgmma %a, %s, %0 : ...
    %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : ...
    %4 = tilegpu.wgmma %b, %s, %3 : ...
    %5 = tilegpu.wgmma_wait %4 {pending = 0 : i32} : ...
    %6 = arith.mulf %2, %c : ...
    ```
    becomes
    ```mlir
    %1 = tilegpu.wgmma %a, %s, %0 : ...
    %4 = tilegpu.wgmma %b, %s, %3 : ...
    %2 = tilegpu.wgmma_wait %1 {pending = 1 : i32} : ...
    %6 = arith.mulf %2, %c : ...
    %5 = tilegpu.wgmma_wait %4 {pending = 0 : i32} : ...
    ```

    The sums of products in flight take at most half of the registers that may
    hold tiles, and the tiles that threads store for them an eighth of shared
    memory. Products whose left operand is in registers keep their waits.

    Preconditions: those that `tilegpu-assign-layouts` leaves. Numeric effect:
    none.

    `tilewright-opt kernel.mlir --tilegpu-overlap-products`
  }];
}

def ScheduleLoops : Pass<"tilegpu-schedule-loops", "::mlir::ModuleOp"> {
  let summary = "Assigns each op of a loop its stage and order in a software pipeline";
  let description = [{
    Gives every op in the body of an `scf.for` with asynchronous copies the
    attribute `tilegpu.schedule`, a stage and an order: for iteration i, the op
    runs in step i + stage, and within a step in ascending order. Copies and the
    ops that they need are stage 0, all others the last one. The copies of an
    iteration form one group, whose wait comes first in a step, or several
    groups, where much is computed between their readers.

    ```mlir
    scf.for ... {
      %m = tilegpu.local_alloc : () -> !tile
      %t = tilegpu.async_copy %p, %m {tilegpu.schedule = array<i32: 0, 2>} : ...
      %g = tilegpu.async_commit %t {tilegpu.schedule = array<i32: 0, 3>}
      tilegpu.async_wait %g {pending = 0 : i32, tilegpu.schedule = array<i32: 2, 0>}
      %x = tilegpu.local_load %m {tilegpu.schedule = array<i32: 2, 5>} : ...
    ```

    The number of stages is `num-stages`, or the loop's `tt.num_stages`. There
    are fewer, with a remark, where shared memory does not fit the tiles of as
    many CTAs as hide each other's arithmetic, or as the launch has
    (`ctas-per-multiprocessor`). A loop is not pipelined, with a remark, where
    it may write what a later iteration reads (through the same argument of the
    kernel; different arguments are assumed not to alias), where it
    synchronizes, and where the copies depend on what they copied before. A loop
    that already has a schedule keeps it.

    Products by warp groups whose operands are made in the iteration, and whose
    sums the next one needs, run one stage after everything else: overlapped
    with the next iteration's arithmetic (docs/Hopper.md).
    `overlap-products=false` leaves them in place.

    For a target without asynchronous copies, and for loops without them that
    load little or multiply, loads into registers are stage 0, as far as a
    thread has registers; a small loop is unrolled by as many iterations as its
    loads are ahead; conversions of loaded values through shared memory become
    stores one stage before the last one, and loads in the last.

    With `bulk-copies`, on a target that has them, the asynchronous proxy copies
    the tiles that products by warp groups read and that are boxes of strided
    tensors: one `tilegpu.bulk_copy` per iteration, with an mbarrier. Where
    threads copy other tiles of the loop, they also copy the numbers that it
    loads.

    With `specialize-warps` bulk copies wait for the readers of their tiles at
    another mbarrier (`tilegpu.mbarrier_wait before`), so that
    `tilegpu-specialize-warps` can move them to dedicated warps. This applies to
    the first loop of a function that has any and that is not nested.

    `bulk-functions` and `specialized-functions` name functions in which the
    respective option is on.

    Preconditions: the postconditions of `tilegpu-assign-layouts`.

    `tilewright-opt kernel.mlir --tilegpu-schedule-loops="num-stages=3"`
  }];
  let options = [Option<"numStages", "num-stages", "unsigned", "3",
                        "stages that loops may have">,
                 Option<"ctasPerMultiprocessor", "ctas-per-multiprocessor",
                        "unsigned", "0",
                        "CTAs that the launch gives a multiprocessor; 0: any "
                        "number">,
                 Option<"overlapProducts", "overlap-products", "bool", "true",
                        "products may run a stage behind what makes their "
                        "operands">,
                 Option<"bulkCopies", "bulk-copies", "bool", "false",
                        "whether bulk copies bring tiles">,
                 Option<"specializeWarps", "specialize-warps", "bool", "false",
                        "whether bulk copies bring tiles, ready to be run by "
                        "warps of their own">,
                 ListOption<"bulkFunctions", "bulk-functions", "std::string",
                            "functions with bulk-copies">,
                 ListOption<"specializedFunctions", "specialized-functions",
                            "std::string", "functions with specialize-warps">];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def BufferRings : Pass<"tilegpu-buffer-rings", "::mlir::ModuleOp"> {
  let summary = "Gives tiles that go round by mbarriers their buffers";
  let description = [{
    Of loops with a schedule whose bulk copies wait for the readers of their
    tiles (`tilegpu.mbarrier_wait before`), the first half of
    tilegpu-pipeline-loops: tiles of the body are allocated outside, with as many
    buffers as iterations use them at a time, each iteration uses the next one,
    and arrives at an mbarrier when it is done with it. Stages stay as they are
    scheduled: so tilegpu-specialize-warps finds, of each iteration, what copies
    and what computes.

    What goes round lives in front of all loops around the loop, which carry the
    number of the next buffer from one of its runs to the next.

    Values do not change.

    `tilewright-opt kernel.mlir --tilegpu-schedule-loops=specialize-warps --tilegpu-buffer-rings`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::tilewright::tilegpu::TileGPUDialect"];
}

def PipelineLoops : Pass<"tilegpu-pipeline-loops", "::mlir::ModuleOp"> {
  let summary = "Expands loops according to their schedules";
  let description = [{
    A loop whose ops have `tilegpu.schedule` becomes one whose steps run stages
    of several iterations, with a prologue. There is no epilogue: in the last
    steps early stages are masked out. A tile of the body is allocated outside,
    with as many buffers as iterations use it at a time.

    ```mlir
    %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<..., buffers = 3, mutable>
    // copies of iterations 0 and 1
    scf.for ... iter_args(%writes = %c2, %reads = %c0) {
      tilegpu.async_wait {pending = 1 : i32}
      %w = tilegpu.memdesc_index %m[%writes] : ...
      %t = tilegpu.async_copy %p, %w mask %exists : ...
      %g = tilegpu.async_commit %t
      %r = tilegpu.memdesc_index %m[%reads] : ...
      %x = tilegpu.local_load %r : ...
    ```

    A schedule written by hand is verified: every op has a stage, and runs after
    the definitions of its operands. That waits precede reads is checked by
    tilegpu-insert-barriers and the emulator. Values do not change.

    `tilewright-opt kernel.mlir --tilegpu-schedule-loops --tilegpu-pipeline-loops`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::tilewright::tilegpu::TileGPUDialect"];
}

def SpecializeWarps : Pass<"tilegpu-specialize-warps", "::mlir::ModuleOp"> {
  let summary = "Moves the copies of software pipelines to dedicated warps";
  let description = [{
    Where bulk copies of loops wait for the readers of their tiles at mbarriers
    (`tilegpu.mbarrier_wait before`), the function's body becomes two agents.
    One, with four additional warps (with one where the original ones are no
    warp groups), waits and copies, with the slice of loops and numbers that
    this needs; the other does everything else, with the original warps. So the
    first runs ahead as far as there are buffers, and the second waits only for
    tiles. Of a loop with a schedule both keep the stages in which something is
    left: the first mostly runs one iteration after another.

    ```mlir
    %full = tilegpu.local_alloc : ...
    tilegpu.mbarrier_init %full : ...
    scf.for ... {
      tilegpu.mbarrier_wait %f phase %p : ...
      tilegpu.mbarrier_wait before %e phase %q : ...
      tilegpu.bulk_copy %map at [%i, %k] to %w tell %g : ...
      ...
      tilegpu.mbarrier_arrive %r : ...
    }
    ```
    becomes
    ```mlir
    %full = tilegpu.local_alloc : ...
    tilegpu.mbarrier_init %full : ...
    tilegpu.warp_specialize warps = [4, 4] registers = [232, 24] {
      scf.for ... {
        tilegpu.mbarrier_wait %f phase %p : ...
        ...
        tilegpu.mbarrier_arrive %r : ...
      }
      tilegpu.agent_return
    }, {
      scf.for ... {
        tilegpu.mbarrier_wait before %e phase %q : ...
        tilegpu.bulk_copy %map at [%i, %k] to %w tell %g : ...
      }
      tilegpu.agent_return
    }
    ```

    A function is left alone, with a remark, where a copy depends on tiles.

    Preconditions: structured control flow, tiles have their buffers
    (`tilegpu-buffer-rings`, or `tilegpu-pipeline-loops`). Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-specialize-warps`
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
                           "::tilewright::tilegpu::TileGPUDialect"];
}

def ShareCopies : Pass<"tilegpu-share-copies", "::mlir::ModuleOp"> {
  let summary = "Has the CTAs of a cluster share what all of them copy";
  let description = [{
    Where `cluster` programs of consecutive numbers along x copy the same box in
    the same iterations, each copies a part of it to all of them. The function's
    launches are clusters then (`tilegpu.cluster`), and who copies waits for the
    readers of all CTAs.

    ```mlir
    %row = tt.get_program_id y : i32
    %map = tilegpu.tensor_map ... : ... -> !tilegpu.tensor_map<[128, 64], f16, swizzle = 128>
    tilegpu.mbarrier_init %empty arrivals = 4 : ...
    tilegpu.warp_specialize ... {
      tilegpu.mbarrier_arrive %e : ...
    }, {
      tilegpu.mbarrier_wait before %e phase %q : ...
      tilegpu.bulk_copy %map at [%row, %k] to %w tell %g : ...
    }
    ```
    becomes
    ```mlir
    %map = tilegpu.tensor_map ... : ... -> !tilegpu.tensor_map<[128, 64], f16, swizzle = 128, ctas = 2>
    tilegpu.mbarrier_init %empty arrivals = 4 ctas = 2 : ...
    tilegpu.warp_specialize ... {
      tilegpu.mbarrier_arrive %e ctas = 2 : ...
    }, {
      tilegpu.mbarrier_wait before %e phase %q ctas = 2 : ...
      tilegpu.bulk_copy %map at [%row, %k] to %w tell %g : ...
    }
    ```

    A function is left alone, with a remark, where nothing is shared; and where
    the target has no clusters.

    Preconditions: structured control flow, warps are specialized
    (`tilegpu-specialize-warps`). Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-share-copies=cluster=2`
  }];
  let options = [Option<"cluster", "cluster", "unsigned", "1",
                        "programs of a cluster, along x: 1, 2, 4 or 8">];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def BulkStores : Pass<"tilegpu-bulk-stores", "::mlir::ModuleOp"> {
  let summary = "Stores tiles by bulk copies from shared memory";
  let description = [{
    In functions that have bulk copies, a store of a tile that is a box of a
    strided tensor, and is converted by way of shared memory before it, becomes
    a bulk store from there:

    ```mlir
    scf.for ... {
      %c = tilegpu.convert_layout %x : tensor<128x64xf16, #mma> -> tensor<128x64xf16, #rows>
      tt.store %pointers, %c, %mask : tensor<128x64x!tt.ptr<f16>, #rows>
    }
    ```
    becomes
    ```mlir
    %map = tilegpu.tensor_map ...
    %tile = tilegpu.local_alloc : ...
    scf.for ... {
      tilegpu.bulk_store_wait {pending = 0}
      tilegpu.local_store %x, %tile : tensor<128x64xf16, #mma> -> !tile
      tilegpu.bulk_store %tile to %map at [%i, %j] : !tile to !map
    }
    tilegpu.bulk_store_wait reads {pending = 0}
    ```
    so that an iteration starts while the result of the one before is written.
    Where that would cost the multiprocessor a CTA, and outside of loops, the
    tile is allocated at the store and waited for at the end of its block.

    The proxy's writes are in no order with what threads write and read. So a
    store is left alone where anything else may access the same tensor, or
    synchronises with other programs; and in a loop that multiplies in the same
    block, whose iterations would wait for it.

    Preconditions: structured control flow, every tensor has a register layout.
    Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-bulk-stores`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tilegpu::TileGPUDialect"];
}

def FindLongestPrograms : Pass<"tilegpu-find-longest-programs", "::mlir::ModuleOp"> {
  let summary = "Marks functions whose last or first programs have the longest loops";
  let description = [{
    Where a loop's trip count grows or falls with the program id along an axis,
    the function gets an attribute:
    ```mlir
    tt.func public @attention(...) attributes {tilegpu.longest_last = "x"} {
      %x = tt.get_program_id x : i32
      %end = arith.muli %x, %c128 : i32
      scf.for %i = %c0 to %end step %c64 { ... }
    ```
    Trip counts are traced through sums, products and quotients by constants,
    minima and maxima of program ids, and of values that are uniform over the
    programs along the axis. Where the loop's lower bound depends on the
    program, the trip count must change by at least an eighth of an iteration
    per program: in a loop from the program id on in steps of the grid's size,
    each program processes as many tiles as any other. Functions are not marked
    if their programs may wait for each other (atomics, volatile loads, impure
    assembly) or print their ids (prints, assertions).

    Preconditions: calls are inlined. It changes no operation.

    Command line: `tilewright-opt --tilegpu-find-longest-programs`.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

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

def AdvanceCopies : Pass<"tilegpu-advance-copies", "::mlir::ModuleOp"> {
  let summary = "Starts the reads of straight-line code together";
  let description = [{
    In a block of a function that is in no loop, and in an iteration of a loop
    that is no software pipeline, that has copies to shared memory, each group of
    copies is hoisted behind the read before (a group, or a load of few
    registers), with the arithmetic that its addresses take: above waits for copies and whole loops in between. So the first copies of a loop
    are on their way while another loop before it runs, or while what was copied
    before is waited for. Loads of few registers are hoisted likewise, but not
    above loops and branches, which would hold what they bring. Groups keep
    their order; a wait for an earlier one leaves the later ones in flight where
    its block knows them, and in loops waits for them too, which started at the
    same time.

    A group stays where its tiles would, with those that live there and with
    conversions, cost the multiprocessor a CTA: `tilegpu.shared_bytes`, where
    the function has it, count as taken (`tilegpu-unroll-loops`). A read stays
    where the function may write what it reads, where its addresses depend on
    larger loads in between, where its buffer is in use there, and behind atomic
    accesses and volatile loads, by which programs wait for each other.

    ```mlir
    %g = tilegpu.async_commit %t
    scf.for ... {
    }
    %u = tilegpu.async_copy %p, %m : ...
    %h = tilegpu.async_commit %u
    ```
    becomes
    ```mlir
    %g = tilegpu.async_commit %t
    %u = tilegpu.async_copy %p, %m : ...
    %h = tilegpu.async_commit %u
    scf.for ... {
    }
    ```

    Preconditions: loops are `scf.for`, pipelined where they will be; the module
    names its target. Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-advance-copies`
  }];
}

def DelayConversions : Pass<"tilegpu-delay-conversions", "::mlir::ModuleOp"> {
  let summary = "Sinks conversions of what was loaded behind the next reads";
  let description = [{
    A conversion through shared memory of what was loaded waits for memory, and
    ends in a barrier, which no later read is issued before. So it is sunk, with
    what is computed of it, behind the last read that follows in its block and
    does not need it: memory then answers all of these together.

    ```mlir
    %a = tt.load %p : tensor<64x!tt.ptr<f16>, #slice>
    %b = tilegpu.convert_layout %a
    %c = tt.load %q : tensor<64x64x!tt.ptr<f16>, #blocked>
    ```
    becomes
    ```mlir
    %a = tt.load %p : tensor<64x!tt.ptr<f16>, #slice>
    %c = tt.load %q : tensor<64x64x!tt.ptr<f16>, #blocked>
    %b = tilegpu.convert_layout %a
    ```

    It stays before loops and branches, and where its operands take more than a
    few registers, which would be held for longer.

    Preconditions: tensors have layouts. Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-delay-conversions`
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

    Preconditions: the function is a graph of blocks, tensors have layouts.

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
    overlaps its last arithmetic and its stores. With more CTAs the next launch
    begins when the last of them end: if it began earlier, its CTAs would crowd
    the multiprocessors that happen to be free, while others stay idle (on an
    H200 the scans of Gated DeltaNet took 1.5 times as long, products of 224
    CTAs 1.05). For the same reason a launch of at most one CTA per
    multiprocessor is given a third of a multiprocessor's shared memory at
    least: two CTAs fit then, one of each launch (products of up to 64 rows took
    0.992 of the time, 64 x 1000 x 4096, which is split, 0.87).

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
