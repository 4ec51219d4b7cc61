// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes on tilegpu IR.

#ifndef TILEWRIGHT_PASSES_TILEGPU_PASSES_TD
#define TILEWRIGHT_PASSES_TILEGPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def DecomposeReductions : Pass<"tilegpu-decompose-reductions", "::mlir::ModuleOp"> {
  let summary = "Splits reductions across warps into reductions within warps";
  let description = [{
    A `tt.reduce` whose source is distributed among warps along the reduced
    axis becomes three ops: each warp reduces what it holds, the partial
    results are converted to a layout in which every thread holds all those of
    its result elements, and a `tt.reduce` in registers finishes.

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

def PlaceDotOperands : Pass<"tilegpu-place-dot-operands", "::mlir::ModuleOp"> {
  let summary = "Puts operands of dots by multiply-adds into shared memory";
  let description = [{
    A `tt.dot` that layout assignment left, since the target has no matrix
    instruction for it, reads its operands from shared memory, where every
    thread finds the rows and columns of its part of the result:

    ```mlir
    %d = tt.dot %a, %b, %c : tensor<64x32xbf16, #l> * tensor<32x64xbf16, #m> -> tensor<64x64xf32, #blocked>
    ```
    becomes
    ```mlir
    %0 = tilegpu.local_alloc %a : (tensor<64x32xbf16, #l>) -> !tilegpu.memdesc<64x32xbf16, #s>
    %1 = tilegpu.local_alloc %b : (tensor<32x64xbf16, #m>) -> !tilegpu.memdesc<32x64xbf16, #t>
    %d = tilegpu.multiply_add %0, %1, %c : ... -> tensor<64x64xf32, #blocked>
    ```
    The placements serve both the store and the dot's loads. An operand that a
    loop does not change is stored before the loop.

    Preconditions: every tensor has a register layout; the module names its
    target. Afterwards there is no `tt.dot`. Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-place-dot-operands`
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

def PlanConversions : Pass<"tilegpu-plan-conversions", "::mlir::ModuleOp"> {
  let summary = "Chooses how each layout conversion moves its data";
  let description = [{
    Each `tilegpu.convert_layout` that renames registers, selects among them,
    or exchanges data between lanes by shuffles stays as it is: the lowering
    does that. One that crosses warps, or whose shuffles would cost more than a
    round trip, goes through shared memory, under the placement that the layout
    algebra finds best (vectors, no bank conflicts, rows for `ldmatrix` and
    `stmatrix` where the target has them and the layouts are such fragments):

    ```mlir
    %y = tilegpu.convert_layout %x : tensor<64x32xf16, #a> -> tensor<64x32xf16, #b>
    ```
    becomes
    ```mlir
    %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<64x32xf16, #shared, mutable>
    tilegpu.local_store %x, %m : tensor<64x32xf16, #a> -> !tilegpu.memdesc<64x32xf16, #shared, mutable>
    %y = tilegpu.local_load %m : !tilegpu.memdesc<64x32xf16, #shared, mutable> -> tensor<64x32xf16, #b>
    ```

    Preconditions: every tensor has a register layout; the module names its
    target in `tilegpu.target`. Afterwards no `tilegpu.convert_layout` moves
    data between warps. Barriers are not inserted, and allocations have no
    offsets yet.

    Numeric effect: none.

    `tilewright-opt kernel.mlir --tilegpu-plan-conversions`
  }];
  let dependentDialects = ["::tilewright::tilegpu::TileGPUDialect"];
}

def AllocateSharedMemory : Pass<"tilegpu-allocate-shared-memory", "::mlir::ModuleOp"> {
  let summary = "Gives every shared-memory allocation its offset";
  let description = [{
    Two tiles share bytes unless both are live at some point of the
    control-flow graph. The largest are placed first, each at the lowest
    aligned offset.

    ```mlir
    %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<64x32xf16, #shared, mutable>
    ```
    becomes
    ```mlir
    %m = tilegpu.local_alloc {offset = 4096 : i32} : () -> ...
    ```

    Preconditions: the function is a graph of blocks without regions inside;
    the module names its target. Afterwards every allocation has an offset, and
    the function carries `tilegpu.shared_bytes`. A function that needs more than
    the target has is an error, with the numbers.

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
    pointers in another turn of a loop to be at other places. Where only lanes
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
    Puts a `tilegpu.barrier` before an op that touches bytes which an earlier
    one, on some path without a barrier, touches too, where at least one of
    them writes; and nowhere else: barriers that others make needless are
    taken back. A function of one warp gets barriers of the warp.

    Preconditions: allocations have offsets; the function is a graph of blocks.
    Afterwards no two conflicting accesses to shared memory are unordered.

    `tilewright-opt kernel.mlir --tilegpu-insert-barriers`
  }];
}

#endif // TILEWRIGHT_PASSES_TILEGPU_PASSES_TD
