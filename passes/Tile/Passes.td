// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_PASSES_TILE_PASSES_TD
#define TILEWRIGHT_PASSES_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyTileIR : Pass<"tile-verify", "::mlir::ModuleOp"> {
  let summary = "Checks that the module is tile IR that can be compiled";
  let description = [{
    Diagnoses, at its location, valid MLIR that is not tile IR or is not
    supported: operations of other dialects, operations without a lowering,
    types that no target supports, kernels that return values or take tiles,
    recursion. It does not change operations, but drops the locations of
    constants that have no line of the author's
    (dialects/Triton/TextLocation.h). Triton's hints that have no effect get a
    remark (`ignored-attribute`).

    Afterwards every remaining operation and type has a lowering. What can still
    fail depends on the target: shared memory, and the instructions and types of
    its row.

    Command line: `tilewright-opt --tile-verify`.
  }];
}

def AllowInlining : Pass<"tile-allow-inlining", "::mlir::ModuleOp"> {
  let summary = "Lets every function be inlined";
  let description = [{
    Drops `noinline = true`: there is no calling convention for tiles, so the
    compiler inlines every call, and the attribute (Triton's hint to keep code
    small) cannot be honored.

    Command line: `tilewright-opt --tile-allow-inlining`.
  }];
}

def SetContraction : Pass<"tile-set-contraction", "::mlir::ModuleOp"> {
  let summary = "Lets the program's multiplications and additions fuse, or not";
  let description = [{
    ```mlir
    %p = arith.mulf %a, %b : tensor<64xf32>
    %s = arith.addf %p, %c : tensor<64xf32>
    ```
    becomes
    ```mlir
    %p = arith.mulf %a, %b fastmath<contract> : tensor<64xf32>
    %s = arith.addf %p, %c fastmath<contract> : tensor<64xf32>
    ```
    and then one instruction that rounds once. With `allow=false` the flag is
    removed instead.

    Runs first: only operations of the program itself may fuse. Ops that later
    passes create do not have the flag, because they rely on each rounding:
    error terms of products in parts, conversions by magic numbers, functions
    with a proven bound.

    Numeric effect: none by itself; afterwards a sum whose operand is a product
    may be computed from the unrounded product.

    Command line: `tilewright-opt --tile-set-contraction=allow=false`.
  }];
  let options = [
    Option<"allow", "allow", "bool", /*default=*/"true",
           "whether they may fuse">
  ];
}

def DecomposeConcatenations : Pass<"tile-decompose-concatenations", "::mlir::ModuleOp"> {
  let summary = "Expresses concatenations by joins";
  let description = [{
    ```mlir
    %r = tt.cat %a, %b : tensor<64xf16> -> tensor<128xf16>
    ```
    becomes
    ```mlir
    %j = tt.join %a, %b : tensor<64xf16> -> tensor<64x2xf16>
    %t = tt.trans %j {order = array<i32: 1, 0>} : tensor<64x2xf16> -> tensor<2x64xf16>
    %r = tt.reshape %t : tensor<2x64xf16> -> tensor<128xf16>
    ```
    so that the elements stay in their threads. The order, which `tt.cat` leaves
    open, is `%a` before `%b`.

    Command line: `tilewright-opt --tile-decompose-concatenations`.
  }];
  let dependentDialects = ["::tilewright::tt::TritonDialect"];
}

def StructureControlFlow : Pass<"tile-structure-control-flow", "::mlir::ModuleOp"> {
  let summary = "Turns graphs of blocks into loops and branches with regions";
  let description = [{
    Handles the result of early returns and of jumps out of loops:

    ```mlir
      cf.cond_br %done, ^exit, ^rest
    ^rest:
      tt.store %p, %v : !tt.ptr<f32>
      cf.br ^exit
    ^exit:
      tt.return
    ```
    becomes
    ```mlir
      scf.if %done {
      } else {
        tt.store %p, %v : !tt.ptr<f32>
      }
      tt.return
    ```
    Loops become `scf.while`; paths on which a value is not defined give
    `ub.poison`.

    Afterwards every function, and the region of every `tt.map_elementwise`, has
    one block, so that functions can be inlined anywhere, and `scf.for`,
    `scf.if` and `scf.while` are the only control flow.

    Command line: `tilewright-opt --tile-structure-control-flow`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
}

def RewriteBlockAccesses : Pass<"tile-rewrite-block-accesses", "::mlir::ModuleOp"> {
  let summary = "Rewrites block pointers and descriptors to tiles of pointers";
  let description = [{
    A block pointer becomes the scalars that it stands for: base, shape, strides
    and offsets; a tensor descriptor becomes its base, shape, strides and
    padding. They pass through loops, branches and selects as the block pointer
    did. Loads and stores through them become accesses through a tile of
    pointers, whose mask is true inside the tensor.

    ```mlir
    %b = tt.make_tensor_ptr %p, [%n], [%s], [%x] {order = array<i32: 0>} : <tensor<64xf16>>
    %v = tt.load %b {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<64xf16>>
    ```
    becomes
    ```mlir
    %q = tt.addptr %p, (%x * %s)
    %a = tt.addptr (splat %q), (0..63 * splat %s)
    %v = tt.load %a, (0..63 >= clamp(-%x)) & (0..63 < clamp(%n - %x)), 0.0
    ```

    A kernel's descriptor argument becomes its address, sizes and strides, all
    of 64 bits, and the function records this in `tt.descriptor_ranks`: for each
    argument as the caller sees it, the rank of the descriptor, or 0.

    With `mark-described`, loads through descriptors get the attribute
    `tile.described`.

    Preconditions: calls are inlined. Afterwards no block pointer or descriptor
    is left. Addresses have 64 bits throughout; coordinates wrap at 32, as those
    of the ops do.

    Command line: `tilewright-opt --tile-rewrite-block-accesses`.
  }];
  let options = [
    Option<"markDescribed", "mark-described", "bool", "false",
           "Mark loads through descriptors, whose tensor maps kernels may make">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tt::TritonDialect",
                           "::mlir::ub::UBDialect"];
}

def ExpandTileOps : Pass<"tile-expand-ops", "::mlir::ModuleOp"> {
  let summary = "Expands scaled dots and triangular solves into simpler ops";
  let description = [{
    `tt.dot_scaled` becomes conversions, products with the scales in f32, and a
    `tt.dot` on bf16 where that represents every scaled element, or else on f32
    (in tf32 where that suffices). `tile.solve_unit_lower` becomes a loop over
    the rows. A `tt.map_elementwise` that takes several elements per run becomes
    one that takes one element of each of several tiles, which are split from
    its sources; what its function may not do is diagnosed.

    Afterwards neither of the first two is left. All results are those of the
    ops' definitions, with sums in another order.

    Command line: `tilewright-opt --tile-expand-ops`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::tilewright::tt::TritonDialect"];
}

def PredicateBranches : Pass<"tile-predicate-branches", "::mlir::ModuleOp"> {
  let summary = "Turns branches of loops that load into masked loads";
  let description = [{
    ```mlir
    scf.for ... {
      %v = scf.if %c -> (tensor<64xf32>) {
        %h = tt.load %p, %m, %o : tensor<64x!tt.ptr<f16>>
        %w = arith.extf %h : tensor<64xf16> to tensor<64xf32>
        scf.yield %w : tensor<64xf32>
      } else {
        scf.yield %zero : tensor<64xf32>
      }
    ```
    becomes
    ```mlir
    scf.for ... {
      %s = tt.splat %c : i1 -> tensor<64xi1>
      %a = arith.andi %m, %s : tensor<64xi1>
      %h = tt.load %p, %a, %o : tensor<64x!tt.ptr<f16>>
      %w = arith.extf %h : tensor<64xf16> to tensor<64xf32>
      %v = arith.select %c, %w, %zero : tensor<64xf32>
    ```
    so that the load can run ahead of the loop. Both branches may only contain
    loads that are not volatile and cheap speculatable ops without effects, at
    most 32 of them on tiles of at most 1,024 elements, and at least one load.
    (`fused_recurrent_hgrn_bwd_kernel` of flash-linear-attention: 44 us on an
    H200 before, with a memory latency in each iteration.)

    In no loop, branches that choose tiles of any size, each a load or what it
    gives where it is masked out, become masked loads, too. (A merge holds the
    whole tile in registers: Mamba 2's chunks had 88 for 63.)

    In the regions of reductions and scans, branches of any size become selects;
    loops there, and branches with other effects, are diagnosed.

    Preconditions: block pointers and descriptors are expanded. Afterwards
    regions of reductions and scans have no control flow. Values do not change.

    Command line: `tilewright-opt --tile-predicate-branches`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tt::TritonDialect"];
}

def HoistBranchLoads : Pass<"tile-hoist-branch-loads", "::mlir::ModuleOp"> {
  let summary = "Loads what products of a loop's branch need before the branch";
  let description = [{
    ```mlir
    scf.for ... {
      %sum = scf.if %c -> (tensor<64x64xf32>) {
        %k = tt.load %p, %m : tensor<64x64x!tt.ptr<f16>>
        %s = tt.dot %q, %k, %acc : ...
        scf.yield %s : tensor<64x64xf32>
      } else {
        scf.yield %acc : tensor<64x64xf32>
      }
    ```
    becomes
    ```mlir
    scf.for ... {
      %s = tt.splat %c : i1 -> tensor<64x64xi1>
      %a = arith.andi %m, %s : tensor<64x64xi1>
      %k = tt.load %p, %a : tensor<64x64x!tt.ptr<f16>>
      %sum = scf.if %c -> (tensor<64x64xf32>) {
        %s = tt.dot %q, %k, %acc : ...
    ```
    in a loop that asks for two stages and more, so that the load can run ahead of
    the loop; with it go the cheap speculatable ops that it needs. Loads that are
    volatile, or behind what may write memory, stay. The other side of the branch
    neither loads nor multiplies. (SpargeAttn's attention over the blocks of a map
    on an H200: 362 us for 969, heads of 64 334 for 528.)

    Preconditions: block pointers and descriptors are expanded. Values do not
    change.

    Command line: `tilewright-opt --tile-hoist-branch-loads`.
  }];
  let options = [
    Option<"numStages", "num-stages", "unsigned", /*default=*/"3",
           "stages of loops that ask for no number of them">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tt::TritonDialect"];
}

def HoistInvariantLoads : Pass<"tile-hoist-invariant-loads", "::mlir::ModuleOp"> {
  let summary = "Moves loads of the same numbers out of loops that write nothing";
  let description = [{
    With them goes what is computed of them. What a loop loads that may have no
    iteration is masked by that it has one. Tiles that take more than 32
    registers of a thread together stay where they are.

    Preconditions: block pointers are expanded. Values do not change.

    Command line: `tilewright-opt --tile-hoist-invariant-loads`.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4",
           "warps that run a program">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tt::TritonDialect"];
}

def CarryScalars : Pass<"tile-carry-scalars", "::mlir::ModuleOp"> {
  let summary = "Has loops carry numbers in the place of tiles of integers";
  let description = [{
    ```mlir
    scf.for %i = %a to %b step %c iter_args(%keys = %first) -> (tensor<64xi32>) : i32 {
      %all = tt.splat %distance : i32 -> tensor<64xi32>
      %next = arith.addi %keys, %all : tensor<64xi32>
      scf.yield %next : tensor<64xi32>
    }
    ```
    carries the sum of the distances, from 0 on, and has `%first` plus that for
    `%keys`.

    Preconditions: none. Values do not change.

    Command line: `tilewright-opt --tile-carry-scalars`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tt::TritonDialect"];
}

def FollowInductionVariables : Pass<"tile-follow-induction-variables", "::mlir::ModuleOp"> {
  let summary = "Computes what loops carry in step with their induction variable";
  let description = [{
    ```mlir
    scf.for %i = %first to %end step %c132 iter_args(%j = %before) -> (i32) : i32 {
      %k = arith.addi %j, %c132 : i32
      scf.yield %k : i32
    }
    ```
    where `%before` is `%first` less 132, uses `%i` for `%k`, and `%i` less 132
    for `%j`. Afterwards ops that are the same are one.

    Preconditions: none. Values do not change.

    Command line: `tilewright-opt --tile-follow-induction-variables`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UnwrapIndices : Pass<"tile-unwrap-indices", "::mlir::ModuleOp"> {
  let summary = "Turns rows that wrap around into masked rows";
  let description = [{
    Kernels let the rows of a product wrap around the tensor's bound so that
    their loads need no mask, and store none of these:

    ```mlir
    %w = arith.remsi %rows, %bound : tensor<128xi32>
    %p = ... of %w
    scf.for ... {
      %a = tt.load %p : tensor<128x64x!tt.ptr<f16>>
      %c = tt.dot %a, %b, %acc : ...
    }
    tt.store %q, %c, %below : tensor<128x128x!tt.ptr<f16>>   // rows < bound
    ```
    becomes
    ```mlir
    %m = arith.cmpi slt, %rows, %bound : tensor<128xi32>
    %p = ... of %rows
    scf.for ... {
      %a = tt.load %p, %m : tensor<128x64x!tt.ptr<f16>>
    ```
    so that `%p` are the pointers to a box of a strided tensor, which bulk copies
    bring. So does a choice of row 0 behind the bound. It is done where all that
    depends on the indices does so row by row (elementwise ops, views, rows and
    columns of products, loops), and ends in stores that leave out the rows
    behind the bound; for loads in loops that products take.

    Preconditions: block pointers and descriptors are expanded. What is stored
    does not change.

    Command line: `tilewright-opt --tile-unwrap-indices`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tt::TritonDialect"];
}

def SplitScans : Pass<"tile-split-scans", "::mlir::ModuleOp"> {
  let summary = "Splits scans of few rows into parts for the warps";
  let description = [{
    A scan has its axis in one warp: with fewer rows than warps, warps would
    repeat each other's work. Where that costs more than a second step, the axis
    is cut into parts, one per warp:
    ```mlir
    %y = "tt.scan"(%x) <{axis = 0 : i32}> ({ combine }) : (tensor<1024xf32>) -> tensor<1024xf32>
    ```
    becomes
    ```mlir
    %v = tt.reshape %x : tensor<1024xf32> -> tensor<4x256xf32>
    %s = "tt.scan"(%v) <{axis = 1 : i32}> ({ combine })
    %l = // the last result of each part: the others' bits cleared, and or'ed
    %t = "tt.scan"(%l) <{axis = 0 : i32}> ({ combine }) : (tensor<4xf32>) -> tensor<4xf32>
    %b = tt.gather %t[max(part - 1, 0)]
    %c = "tt.map_elementwise"(broadcast %b, %s) ({ combine })
    %r = arith.select (part == 0), %s, %c
    %y = tt.reshape %r : tensor<4x256xf32> -> tensor<1024xf32>
    ```
    The region need not be commutative. Numeric effect: sums of floats are
    grouped by parts.

    Command line: `tilewright-opt --tile-split-scans="num-warps=4"`.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", "4", "warps of a CTA">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tt::TritonDialect"];
}

def UpliftWhileLoops : Pass<"tile-uplift-while-loops", "::mlir::ModuleOp"> {
  let summary = "Replaces while loops that count by for loops";
  let description = [{
    ```mlir
    scf.while (%i = %first) : (i32) -> i32 {
      %more = arith.cmpi slt, %i, %n : i32
      scf.condition(%more) %i : i32
    } do {
    ^bb0(%i: i32):
      body(%i)
      %next = arith.addi %i, %step : i32
      scf.yield %next : i32
    }
    ```
    becomes
    ```mlir
    scf.for %i = %first to %n step %step : i32 { body(%i) }
    ```
    where `%n` and `%step` do not change, and nothing uses `%i` behind the loop:
    so that loops which are written like that overlap their iterations, too.
    Others stay as they are.

    Assumes, as all that is done with such loops, that the step is positive.
    Numeric effect: none.

    Command line: `tilewright-opt --tile-uplift-while-loops`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def PromoteSingleIterations : Pass<"tile-promote-single-iterations", "::mlir::ModuleOp"> {
  let summary = "Replaces loops that cannot run twice by their bodies";
  let description = [{
    ```mlir
    scf.for %i = %c0 to %blocks step %c1 {        // blocks = (n + 15) / 16
      %rest = n - %i * 16
      %parts = (min(%rest, 16) + 15) / 16
      scf.for %j = %c0 to %parts step %c1 { body(%j) }
    }
    ```
    becomes
    ```mlir
    scf.for %i = %c0 to %blocks step %c1 { body(%c0) }
    ```
    since `%parts` is 1: the outer loop's bound says that some of `n` is left.
    (passes/Analysis/IndexConstraints.h proves it.) A loop that may also run not
    at all becomes a branch.

    So the loads of `body` are pipelined with the outer loop's iterations; a
    loop of one iteration waits for its loads each time.

    Assumes, as axis analysis does, that signed arithmetic of indices does not
    overflow. Numeric effect: none.

    Command line: `tilewright-opt --tile-promote-single-iterations`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def VersionLoops : Pass<"tile-version-loops", "::mlir::ModuleOp"> {
  let summary = "Versions loops over a row for rows of one tile";
  let description = [{
    Loops of one block with the same bounds, one of which repeats a load of
    another (layer norm reads its row for the mean, for the variance and for the
    result), get a version for a single iteration, in which the bodies follow
    each other:
    ```mlir
    %a = scf.for %i = %c0 to %n step %c1024 iter_args(...) { ... tt.load %p ... }
    ...
    scf.for %i = %c0 to %n step %c1024 { ... tt.load %p ... }
    tt.return
    ```
    becomes
    ```mlir
    %any = arith.cmpi sgt, %n, %c0 : i32
    %one = arith.cmpi sle, %n, %c1024 : i32
    %c = arith.andi %any, %one : i1
    scf.if %c {
      ... tt.load %p ...
      ...
      ... tt.load %p ...
    } else {
      // the loops
    }
    tt.return
    ```
    and CSE removes one of the loads. (16,384 rows of 4,096 columns on an H200:
    87 % of a copy's bandwidth, 72 % without.)

    This is done only if the lower bound and the step are constants and the
    upper bound is not, no write is between the loads, at most 256 ops are
    duplicated, and a thread holds at most 64 of the elements that are loaded
    once.

    Values do not change.

    Command line: `tilewright-opt --tile-version-loops="num-warps=4" --cse`.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", "4", "warps of a CTA">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def RereadAwaited : Pass<"tile-reread-awaited", "::mlir::ModuleOp"> {
  let summary = "Has loops that wait for another program read memory each time";
  let description = [{
    Where a loop carries nothing but what it has loaded, only what others write
    to memory can end it:
    ```mlir
    scf.while : () -> () {
      %v = tt.load %flag : !tt.ptr<i32>
      %c = arith.cmpi eq, %v, %zero : i32
      scf.condition(%c)
    } do {
      scf.yield
    }
    ```
    Its loads become volatile (`isVolatile = true`), or LLVM would move them out
    of the loop, which then never ends.

    Preconditions: control flow is structured. Afterwards: no claim.

    Command line: `tilewright-opt --tile-reread-awaited`.
  }];
}

def DropAssumptions : Pass<"tile-drop-assumptions", "::mlir::ModuleOp"> {
  let summary = "Drops llvm.intr.assume";
  let description = [{
    No pass makes use of what `tl.assume` says, and the op counts as one that
    writes memory: loads of a loop that it is in would not run ahead.

    Preconditions: none. Afterwards no `llvm.intr.assume` is left. (The
    reference, which reads the module as it was before, checks that they hold.)

    Command line: `tilewright-opt --tile-drop-assumptions`.
  }];
}

def ReducePowers : Pass<"tile-reduce-powers", "::mlir::ModuleOp"> {
  let summary = "Computes powers with small constant exponents by products";
  let description = [{
    `math.powf`, `math.fpowi`, and libdevice's `pow` and `powi` with the
    exponent 1, 2 or 3, a number or a tile of equal numbers, become no, one or
    two multiplications:
    ```mlir
    %y = math.powf %x, %two : tensor<64xf32>
    ```
    becomes
    ```mlir
    %y = arith.mulf %x, %x : tensor<64xf32>
    ```
    Others stay: further multiplications would round more often than the
    functions do (docs/Numbers.md).

    Preconditions: none. Numeric effect: squares are rounded once, which is
    exact where the function was within 1 ulp; cubes twice.

    Command line: `tilewright-opt --tile-reduce-powers`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FactorMaxima : Pass<"tile-factor-maxima", "::mlir::ModuleOp"> {
  let summary = "Takes positive factors out of maxima";
  let description = [{
    The largest of products with one positive factor is the product of the
    largest, as rounding keeps their order:
    ```mlir
    %x = arith.mulf %scores, %scale : tensor<64x64xf32>
    %m = tt.reduce(%x) {axis = 1} (maxnumf)
    ... arith.subf %x, %n
    ```
    becomes
    ```mlir
    %x = arith.mulf %scores, %scale : tensor<64x64xf32>
    %r = tt.reduce(%scores) {axis = 1} (maxnumf)
    %m = arith.mulf %r, %row_scale : tensor<64xf32>
    ... arith.subf %x, %n
    ```
    where the product and the difference are one fused multiply-add. Masks that
    leave elements out by -inf are taken of the scores instead.

    Constants must be positive. Of other factors nobody knows the sign: it is
    multiplied into that operand of the dot whose results they multiply, of 128
    columns and more, which does not change in the loop around it; that is
    exact, and what is left is the magnitude (docs/Numbers.md has what becomes
    of 0).

    Preconditions: `tile-set-contraction` ran; products that may not be fused
    stay as they are. Numeric effect: differences are rounded once, where the
    product had been rounded before.

    Command line: `tilewright-opt --tile-factor-maxima`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::tilewright::tt::TritonDialect"];
}

def FuseLoops : Pass<"tile-fuse-loops", "::mlir::ModuleOp"> {
  let summary = "Fuses loops that would wait for reductions one after the other";
  let description = [{
    Loops each iteration of which reduces what the one before gave (forward
    substitution in a triangle), that do not depend on each other, become one
    loop, where they run as often:
    ```mlir
    %a = scf.for %i = %c2 to %m step %c1 iter_args(%x = ...) { ... tt.reduce ... }
    %b = scf.for %j = %c18 to %n step %c1 iter_args(%y = ...) { ... tt.reduce ... }
    ```
    becomes
    ```mlir
    %c = (%m - %c2 == %n - %c18)
    %ab:2 = scf.if %c {
      scf.for %i = %c2 to %m step %c1 iter_args(%x = ..., %y = ...) {
        // ops of both in turns, with %j = %i + %c16
      }
    } else {
      // both
    }
    ```
    A reduction is a chain of shuffles, or of shared memory and barriers, for
    which a thread with a few elements has nothing else to do: of four such
    chains at once, three are free.

    This is done for loops that only compute and read, of 64 ops at most, on
    tiles of at most 16 elements a thread, with the same constant step; the
    fused loop carries at most 64 elements a thread. Nothing between them may
    write.

    Numeric effect: none.

    Command line: `tilewright-opt --tile-fuse-loops=num-warps=1`.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4",
           "warps that run the kernel">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def LoadRunsOnce : Pass<"tile-load-runs-once", "::mlir::ModuleOp"> {
  let summary = "Loads elements that several positions of a tile share only once";
  let description = [{
    A load whose addresses are the same along aligned runs of a dimension,
    according to axis analysis, becomes a load of the first element of each run,
    which is repeated:
    ```mlir
    %i = arith.divsi %k, %eight : tensor<64xi32>
    %p = tt.addptr %words, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    %w = tt.load %p : tensor<64x!tt.ptr<i32>>
    ```
    becomes
    ```mlir
    %i = arith.divsi %first, %eight : tensor<8xi32>
    %p = tt.addptr %words8, %i : tensor<8x!tt.ptr<i32>>, tensor<8xi32>
    %l = tt.load %p : tensor<8x!tt.ptr<i32>>
    %e = tt.expand_dims %l {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
    %b = tt.broadcast %e : tensor<8x1xi32> -> tensor<8x8xi32>
    %w = tt.reshape %b : tensor<8x8xi32> -> tensor<64xi32>
    ```
    so that packed weights and scales of groups are copied and held as they are
    in memory. The repetition takes no instruction under a layout in which a
    thread has the whole run, or lanes have copies of it; layout assignment
    decides which.

    A mask need not be uniform along runs. Those of its conditions that hold for
    a leading part of a run (`k < n` of consecutive `k`) are evaluated for the
    first element in the load, and select between the loaded value and `other`
    for each element. Where `other` differs along runs, the whole mask is
    treated this way. However, where an access takes several elements, selecting
    one by one would cost more than the accesses that it saves, and shorter runs
    are used instead. A load without `other` needs no such select.

    Loop-carried values are carried for the first elements instead. A load is
    left alone if it is volatile, or if its addresses are not computed from
    ranges and scalars by elementwise ops, views and loops.

    Preconditions: block pointers and descriptors are expanded. Afterwards: no
    claim. Values do not change; masked elements of loads without `other` may.

    Command line: `tilewright-opt --tile-load-runs-once`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::tilewright::tt::TritonDialect"];
}

def NarrowIndices : Pass<"tile-narrow-indices", "::mlir::ModuleOp"> {
  let summary = "Narrows 64-bit arithmetic to 32 bits where ranges allow";
  let description = [{
    Where ranges prove that arithmetic on i64 gives the same result on i32, and
    that takes fewer instructions, it is narrowed:

    ```mlir
    %y = tt.get_program_id y : i32
    %w = arith.extsi %y : i32 to i64
    %r = arith.remsi %w, %c4_i64 : i64
    %o = arith.addi %r, %c1_i64 : i64
    %q = tt.addptr %p, %o : !tt.ptr<f32>, i64
    ```
    becomes
    ```mlir
    %y = tt.get_program_id y : i32
    %r = arith.remsi %y, %c4_i32 : i32
    %o = arith.addi %r, %c1_i32 overflow<nsw, nuw> : i32
    %q = tt.addptr %p, %o : !tt.ptr<f32>, i32
    ```
    The ranges assume that program ids are below the size of the largest grid,
    loop counters stay between their bounds, and arithmetic wraps unless it says
    otherwise. What no range proves is left alone. An op whose result can only
    be one number becomes this constant: the mask `0..63 < 64`.

    Preconditions: block pointers and descriptors are rewritten. Values do not
    change. Dead ops are left to the canonicalizer.

    Command line: `tilewright-opt --tile-narrow-indices --canonicalize`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // TILEWRIGHT_PASSES_TILE_PASSES_TD
