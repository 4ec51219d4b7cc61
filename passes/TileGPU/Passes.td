// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes on tilegpu IR.

#ifndef TILEWRIGHT_PASSES_TILEGPU_PASSES_TD
#define TILEWRIGHT_PASSES_TILEGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def OverlapProducts : Pass<"tilegpu-overlap-products", "::mlir::ModuleOp"> {
  let summary = "Has products by warp groups in flight together";
  let description = [{
    `tilegpu-assign-layouts` puts a wait right behind each `tilegpu.wgmma`. In each
    block this pass sinks the wait to the first op that uses the product's result
    or may write the shared memory that the product reads, and starts later
    products that depend on neither before that wait, together with the ops that
    make their operands. Each wait then leaves in flight the products that were
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
    hold tiles. Products whose left operand is in registers keep their waits.

    Preconditions: those that `tilegpu-assign-layouts` leaves. Numeric effect:
    none.

    `tilewright-opt kernel.mlir --tilegpu-overlap-products`
  }];
}

def ScheduleLoops : Pass<"tilegpu-schedule-loops", "::mlir::ModuleOp"> {
  let summary = "Says when the ops of loops run in a software pipeline";
  let description = [{
    Gives every op in the body of an `scf.for` with asynchronous copies the
    attribute `tilegpu.schedule`, a stage and an order: of iteration i it runs in
    step i + stage, and within a step in the order of the orders. Copies and what
    they need are stage 0, all else the last one; the copies of an iteration
    become one group, whose wait comes first in a step, or several, where much is
    computed between their readers.

    ```mlir
    scf.for ... {
      %m = tilegpu.local_alloc : () -> !tile
      %t = tilegpu.async_copy %p, %m {tilegpu.schedule = array<i32: 0, 2>} : ...
      %g = tilegpu.async_commit %t {tilegpu.schedule = array<i32: 0, 3>}
      tilegpu.async_wait %g {pending = 0 : i32, tilegpu.schedule = array<i32: 2, 0>}
      %x = tilegpu.local_load %m {tilegpu.schedule = array<i32: 2, 5>} : ...
    ```

    As many stages as `num-stages` says, or the loop itself by `tt.num_stages`;
    fewer, with a remark, where shared memory has no room for the tiles of as many
    CTAs as hide each other's arithmetic, or as the launch has
    (`ctas-per-multiprocessor`). A loop
    keeps its order, with a remark, where it may write what a later iteration
    reads (through the same argument of the kernel; different ones are taken to
    point at memory of their own), where it synchronises, and where the copies
    depend on what they copied before. A loop that has a schedule already keeps
    it.

    Products by warp groups whose operands the iteration makes, and whose sums the
    next one needs, run a stage behind all else: under the next iteration's
    arithmetic (docs/Hopper.md). `overlap-products=false` leaves them in place.

    Of a target without asynchronous copies loads into registers are stage 0, as
    far as a thread has registers; conversions through shared memory of what was
    loaded become stores a stage before the last one, and loads in the last.

    With `bulk-copies`, and of a target that has them, the asynchronous proxy
    brings the tiles that products by warp groups read and that are boxes of
    strided tensors: one `tilegpu.bulk_copy` an iteration, with an mbarrier.

    With `specialize-warps` they wait for the readers of their tiles at another
    mbarrier (`tilegpu.mbarrier_wait before`), so that `tilegpu-specialize-warps`
    can give them warps of their own: those of the first loop of a function that
    has any, and is in no other.

    `bulk-functions` and `specialized-functions` name functions in which the one
    or the other is on.

    Preconditions: those that `tilegpu-assign-layouts` leaves.

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

def PipelineLoops : Pass<"tilegpu-pipeline-loops", "::mlir::ModuleOp"> {
  let summary = "Expands loops by their schedules";
  let description = [{
    A loop whose ops have `tilegpu.schedule` becomes one whose steps run stages of
    several iterations, with the first ones' early stages before it. There is no
    epilogue: in the last steps early stages are masked out. A tile of the body
    is allocated outside, with as many buffers as iterations use it at a time.

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

    A schedule by hand is checked: every op has a time, and runs after what gives
    its operands. That waits stand before reads is tilegpu-insert-barriers' and
    the emulator's to find. Values do not change.

    `tilewright-opt kernel.mlir --tilegpu-schedule-loops --tilegpu-pipeline-loops`
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::tilewright::tilegpu::TileGPUDialect"];
}

def SpecializeWarps : Pass<"tilegpu-specialize-warps", "::mlir::ModuleOp"> {
  let summary = "Gives copies of software pipelines warps of their own";
  let description = [{
    Where bulk copies of loops wait for the readers of their tiles at mbarriers
    (`tilegpu.mbarrier_wait before`), the function's body becomes two agents: one,
    of four warps more, waits and copies, with the loops and the numbers that this
    needs; the other does all else, by the warps that were there. So the first
    runs ahead as far as there are buffers, and the second waits for tiles alone.

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

    A function is left as it is, with a remark, where a copy depends on tiles.

    Preconditions: structured control flow, pipelines are expanded
    (`tilegpu-pipeline-loops`). Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-specialize-warps`
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
                           "::tilewright::tilegpu::TileGPUDialect"];
}

def FindLongestPrograms : Pass<"tilegpu-find-longest-programs", "::mlir::ModuleOp"> {
  let summary = "Notes which programs have the longest loops";
  let description = [{
    Where a loop's trip count grows or falls with the program's number along an
    axis, the function says so:
    ```mlir
    tt.func public @attention(...) attributes {tilegpu.longest_last = "x"} {
      %x = tt.get_program_id x : i32
      %end = arith.muli %x, %c128 : i32
      scf.for %i = %c0 to %end step %c64 { ... }
    ```
    Trip counts are looked at through sums, products and quotients by constants,
    minima and maxima of program numbers, and of what is the same in all programs
    along the axis. Where the loop begins at another place in each program they are
    to change by an eighth of an iteration a program: from its own number on in
    steps of the grid's size, each goes through as many tiles as any other.
    Functions with atomics, volatile loads or impure assembly, whose programs may
    wait for each other, and with prints or assertions, which name them, say
    nothing.

    Preconditions: calls are inlined. It changes no operation.

    Command line: `tilewright-opt --tilegpu-find-longest-programs`.
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def DecomposeReductions : Pass<"tilegpu-decompose-reductions", "::mlir::ModuleOp"> {
  let summary = "Splits reductions across warps into reductions within warps";
  let description = [{
    A `tt.reduce` whose source is distributed among warps along the reduced
    axis becomes three ops: each warp reduces what it holds, the partial
    results are converted to a layout in which every thread, or where there are
    more than four of them every few lanes, hold all those of their result
    elements, and a `tt.reduce` within the warp finishes.

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
    `tt.reduce` combines elements of one warp alone. Reductions that do so
    already are left as they are.

    Numeric effect: elements are combined in another order, which `tt.reduce`
    leaves open; the order is a function of the layouts.

    `tilewright-opt kernel.mlir --tilegpu-decompose-reductions`
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def DecomposeAtomics : Pass<"tilegpu-decompose-atomics", "::mlir::ModuleOp"> {
  let summary = "Splits atomics of a program into those of its threads";
  let description = [{
    An atomic is performed once for each element, by the one thread among those
    that hold it which owns it (the first thread, for a scalar). For the program
    as a whole this takes more, which becomes explicit here:

    - a barrier before an atomic that releases, and after one that acquires,
      since `sem` orders the accesses of all threads of the program;
    - where other threads than the owners hold elements of a result that is
      used, its way to them through shared memory.

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

    Preconditions: every tensor has a register layout; functions carry
    `tilegpu.num_warps`. Afterwards an atomic's result is read by the threads
    that own its elements alone. The pass is to run once.

    Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-decompose-atomics`
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def DecomposeGathers : Pass<"tilegpu-decompose-gathers", "::mlir::ModuleOp"> {
  let summary = "Splits gathers into a tile in shared memory and reads from it";
  let description = [{
    A gather whose elements each warp holds for itself stays as it is, where
    shuffles are not dearer. Of any other,

    ```mlir
    %r = tt.gather %s[%i] {axis = 0 : i32} : (tensor<16xf16, #a>, tensor<64xi32, #b>) -> tensor<64xf16, #b>
    ```
    becomes
    ```mlir
    %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<16xf16, #shared, mutable>
    tilegpu.local_store %s, %m : tensor<16xf16, #a> -> !tilegpu.memdesc<16xf16, #shared, mutable>
    %r = tilegpu.local_gather %m[%i] {axis = 0 : i32} : !tilegpu.memdesc<16xf16, #shared, mutable>, tensor<64xi32, #b> -> tensor<64xf16, #b>
    ```

    Preconditions: every tensor has a register layout, a gather's result that of
    its indices. Afterwards no `tt.gather` moves data between warps. Barriers are
    not inserted.

    Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-decompose-gathers`
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def DecomposeHistograms : Pass<"tilegpu-decompose-histograms", "::mlir::ModuleOp"> {
  let summary = "Makes histograms by counting in shared memory";
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
    exchanges data between lanes by shuffles stays, with the means that were
    chosen written on it (`tilegpu.means`): the lowering spells them. One that
    crosses warps, or whose shuffles would cost more than a round trip, goes
    through shared memory, arranged as the layout algebra finds best (vectors, no
    bank conflicts, rows for `ldmatrix` and `stmatrix` where the target has them
    and the layouts are such fragments):

    ```mlir
    %y = tilegpu.convert_layout %x : tensor<64x32xf16, #a> -> tensor<64x32xf16, #b>
    ```
    becomes
    ```mlir
    %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<64x32xf16, #shared, mutable>
    tilegpu.local_store %x, %m : tensor<64x32xf16, #a> -> !tilegpu.memdesc<64x32xf16, #shared, mutable>
    %y = tilegpu.local_load %m : !tilegpu.memdesc<64x32xf16, #shared, mutable> -> tensor<64x32xf16, #b>
    ```

    Where the tiles that live beside it leave too little shared memory for that,
    the conversion goes in rounds, each through memory for a part of the tensor
    (`tilegpu.convert_in_rounds`), and a remark says so. Every conversion has a
    remark, `layout-conversion`: from, to, means, price and why.

    A conversion of a tensor that an earlier one in the same block has stored
    loads from there, where that costs no more than a placement of its own.

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
  let summary = "Loads tiles from shared memory where they are used, rather than hold them in registers";
  let description = [{
    Where more tiles live in registers than a thread has, those that were loaded
    from shared memory and are not used there are loaded again before their next
    use, first those for which that happens least often: so that a product's
    operand that a loop leaves as it is need not stay in registers through the
    loop. What the loop uses and shared memory does not hold is stored there
    before the loop. The assembler would spill what does not fit, and read it back
    from memory that is further away.

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

    Functions without products are left alone: nothing in them needs a whole tile.
    So is a tile if by living longer in shared memory it
    would take a CTA from the multiprocessor (see `tilegpu-allocate-shared-memory`).

    Preconditions: the function is a graph of blocks; the module names its
    target; allocations have no offsets yet, and barriers between accesses to
    shared memory are not there yet. Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-reload-shared-tiles`
  }];
}

def GroupSharedAccesses : Pass<"tilegpu-group-shared-accesses", "::mlir::ModuleOp"> {
  let summary = "Lets one barrier serve several tiles in shared memory";
  let description = [{
    A load from shared memory moves behind the next store to another tile, and
    with it what depends on it in between, where that has no effects and is
    neither a matrix instruction nor a reduction: so that all stores come before
    one barrier and all loads behind it. Several stores may be passed. A wait for
    copies moves before loads that a barrier precedes anyway.

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

    A move is not made where tiles would then live together that take a CTA from
    the multiprocessor (see `tilegpu-allocate-shared-memory`), past a barrier or
    a wait, or in a function of one warp, whose barriers cost next to nothing.

    Preconditions: the function is a graph of blocks; the module names its
    target; allocations have no offsets yet. Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-group-shared-accesses`
  }];
}

def AllocateSharedMemory : Pass<"tilegpu-allocate-shared-memory", "::mlir::ModuleOp"> {
  let summary = "Gives every shared-memory allocation its offset";
  let description = [{
    Tiles that live at one op never share bytes; a tile lives from its
    allocation to the last use of any value that may name its memory. Of several
    orders of placement the one that takes least bytes is kept.

    Two tiles that never live together may share bytes, and then may need a
    barrier that they would not need apart: between the last read of the one
    and the first write of the other. They share bytes only

    - where the barriers that all tiles need anyway order their accesses; or
    - where apart they would cost a CTA: if with them the function took more
      bytes than a multiprocessor can give to as many CTAs as it takes with the
      fewest bytes possible. What is kept apart then is what would cost most:
      pairs inside loops first.

    ```mlir
    %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<64x32xf16, #shared, mutable>
    ```
    becomes
    ```mlir
    %m = tilegpu.local_alloc {offset = 4096 : i32} : () -> ...
    ```

    Preconditions: the function is a graph of blocks; the module names its
    target. Allocations in regions of an op that may run them at the same time
    are kept apart. Afterwards every allocation has an offset, and the function
    carries `tilegpu.shared_bytes`. A function that needs more than the target
    has, however little is kept apart, is an error, with the tiles that live
    together and their bytes. Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-allocate-shared-memory`
  }];
}

def OrderGlobalAccesses : Pass<"tilegpu-order-global-accesses", "::mlir::ModuleOp"> {
  let summary = "Orders loads and stores of different threads";
  let description = [{
    Puts a `tilegpu.barrier` before a store or an atomic to global memory that
    may overwrite what another thread has yet to read for an earlier load, and
    before a load of what another may have yet to write, on some path without a
    barrier: where the load's elements are read by several threads (scalars,
    tiles smaller than the CTA), or through other pointers. Pointers of
    different parameters are taken to be of different buffers, and the same
    pointers in another iteration of a loop to be at other places. Where only lanes
    of a warp read the same, the barrier is the warp's. Stores are not ordered
    among each other.

    Preconditions: the function is a graph of blocks, tensors have layouts.

    `tilewright-opt kernel.mlir --tilegpu-order-global-accesses`
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def InsertBarriers : Pass<"tilegpu-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "Orders accesses to shared memory by barriers";
  let description = [{
    Two accesses of the same bytes, one of them a write, conflict. Which bytes
    each warp touches is asked of the layouts: where every common byte is
    touched by one warp alone, the conflict needs a barrier of the warp, else
    one of all warps. Each path between two conflicting accesses gets such a
    barrier. Places are chosen so that the barriers are executed least: few, and
    outside of loops and branches where that serves. A copy counts as a write at
    the wait that takes its group.

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
    no barrier that the pass has inserted could be left out or be weaker. An
    access of bytes that a copy may still be writing, no wait between, is an
    error. Barriers are of one agent; accesses of different agents are
    tilegpu-verify-agent-order's. Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-insert-barriers`
  }];
}

def VerifyAgentOrder
    : Pass<"tilegpu-verify-agent-order", "::mlir::ModuleOp"> {
  let summary = "Checks that agents' accesses to shared memory are in order";
  let description = [{
    Accesses of different agents (`tilegpu.warp_specialize`) are ordered by the
    named barriers and mbarriers that are there: conflicting ones that the agents
    may come to at the same time are an error, and so are barriers whose arrivals
    nobody takes, or that nobody comes to.

    Preconditions: allocations have offsets; agents are graphs of blocks. Changes
    nothing.

    `tilewright-opt kernel.mlir --tilegpu-verify-agent-order`
  }];
}

def AllocateNamedBarriers
    : Pass<"tilegpu-allocate-named-barriers", "::mlir::ModuleOp"> {
  let summary = "Gives named barriers and agents their barriers of the hardware";
  let description = [{
    A CTA has sixteen barriers. Barrier 0 is that of all warps. Each
    `tilegpu.named_barrier` gets one of the others, as its `id`; each agent whose
    warps wait for each other, and that is not alone, gets one too, in the
    `barrier_ids` of its op. Agents of different ops share theirs, as they never
    run at the same time.

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

    Preconditions: all barriers are there (`tilegpu-insert-barriers`). More
    barriers than there are, is an error. Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-allocate-named-barriers`
  }];
}

def OrderPrograms : Pass<"tilegpu-order-programs", "::mlir::ModuleOp"> {
  let summary = "Has programs with long loops start before those with short ones";
  let description = [{
    A GPU starts programs in the order of their numbers, along x first. Where the
    longest are the last along an axis (`tilegpu.longest_last`), each does what
    another one's number says: the last do the work of the first. And several
    numbers of the next axis, heads of an attention for instance, take turns: with
    as many programs as run at once their longest ones start before any shorter
    one.

    ```mlir
    %x = tt.get_program_id x : i32
    %y = tt.get_program_id y : i32
    ```
    becomes, of a grid of `gx` x `gy` programs of `num-warps` warps,
    ```mlir
    %rows = max((2048 / num-warps) / gx, 1)
    %row = y mod %rows, %begin = y - %row
    %width = min(gy - %begin, %rows)
    %inside = x + %row * gx
    %x = gx - 1 - %inside / %width
    %y = %begin + %inside mod %width
    ```
    where the number along y is asked for, and `gx - 1 - x` where it is not. Where
    the longest are the first (`tilegpu.longest_first`), x is `%inside / %width`.

    By a list of the jobs on 132 multiprocessors the programs of a causal
    attention of 32 heads and 4,096 queries, in tiles of 128, take 15 % longer
    than their sum in their own order, and less than 1 % in this one. (Measured
    on an H200: 0.75 of Triton's time, 0.85 before.)

    Afterwards neither attribute is left. Values do not change.

    Command line: `tilewright-opt --tilegpu-order-programs="num-warps=4"`.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", "4", "warps of a CTA">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tt::TritonDialect"];
}

def OverlapLaunches : Pass<"tilegpu-overlap-launches", "::mlir::ModuleOp"> {
  let summary = "Lets a launch begin while the one before it ends";
  let description = [{
    Puts `nvvm.griddepcontrol wait` before the first access to global memory of a
    kernel, on every path (PTX ISA, "griddepcontrol"). A launch that is told to be
    dependent (programmatic dependent launch) may then begin while the one before
    it ends: its CTAs are placed, compute addresses and initialize mbarriers. They
    access memory when that launch has ended and all that it wrote can be seen. Of
    a launch that is not told so, it does nothing.

    Where the launch has one CTA a multiprocessor at most
    (`ctas-per-multiprocessor` is 1), `nvvm.griddepcontrol launch_dependents`
    stands where a CTA has asked for all that it reads, so that the next launch
    begins under its last arithmetic and its stores. With more CTAs the next one
    begins when the last of them end: placed before, its CTAs share the
    multiprocessors that happen to be free, while others stay idle (on an H200 the
    scans of Gated DeltaNet took 1.5 times as long, products of 224 CTAs 1.05).

    Of a target without `griddepcontrol` nothing changes.

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
