// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes on loops of tilegpu IR, copies, and who runs them, in the order in
// which they run.

#ifndef TILEWRIGHT_PASSES_TILEGPU_LOOPPASSES_TD
#define TILEWRIGHT_PASSES_TILEGPU_LOOPPASSES_TD

include "mlir/Pass/PassBase.td"

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
    may not run ahead, where an iteration has more than `most-operations`, under
    which the next one's copies arrive, and in other loops and branches.
    `except-functions` names functions whose loops stay, those whose tiles bulk
    copies bring.

    Preconditions: the postconditions of `tilegpu-assign-layouts`.

    `tilewright-opt kernel.mlir --tilegpu-unroll-loops="num-stages=3"`
  }];
  let options = [Option<"numStages", "num-stages", "unsigned", "3",
                        "stages that loops may have">,
                 Option<"ctasPerMultiprocessor", "ctas-per-multiprocessor",
                        "unsigned", "0",
                        "CTAs that the launch gives a multiprocessor; 0: any "
                        "number">,
                 Option<"mostOperations", "most-operations", "unsigned", "256",
                        "operations of an iteration that is unrolled">,
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

    Bulk copies whose mbarriers are made in the same block are hoisted behind the
    reads before its first wait for groups, or else behind the last read, in their
    order, and all mbarriers with the first of them: one barrier then shows these
    to all threads. They stay behind where mbarriers are waited for or undone.

    A group stays where its tiles would, with those that live there and with
    conversions, cost the multiprocessor a CTA: `tilegpu.shared_bytes`, where
    the function has it, count as taken (`tilegpu-unroll-loops`). A read stays
    where the function may write what it reads, where its addresses depend on
    larger loads in between, where its buffer is in use there, and behind atomic
    accesses and volatile loads, by which programs wait for each other. The same
    holds for bulk copies.

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
  let summary = "Sinks conversions of what was loaded or reduced behind the next "
                "reads or reductions";
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

    In kernels of one warp a conversion of what was reduced is sunk behind the
    next reductions in the same way: their results then go through shared memory
    together, and the tile that the next one takes is not held meanwhile.

    It stays before loops and branches, and where its operands take more than a
    few registers, which would be held for longer.

    Preconditions: tensors have layouts. Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-delay-conversions`
  }];
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

    A function is left alone, with a remark, where nothing is shared, and where
    its programs are clusters already (`tile.reduce_scatter`); and where the
    target has no clusters.

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

#endif // TILEWRIGHT_PASSES_TILEGPU_LOOPPASSES_TD
