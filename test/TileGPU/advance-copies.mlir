// RUN: tilewright-opt %s --tilegpu-advance-copies --split-input-file | FileCheck %s

// Groups of copies start behind the reads before, above waits and loops; waits of
// the block leave in flight what has moved ahead of them.

#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#k = #tilegpu.shared_swizzled<vector = 8, perPhase = 1, maxPhase = 8, order = [1, 0]>
!pointers = tensor<64x64x!tt.ptr<f16>, #rows>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!half = tensor<64x64xf16, #rows>
!large = !tilegpu.memdesc<128x256xf16, #k, mutable>
!wide = tensor<128x256x!tt.ptr<f16>, #rows>
module attributes {tilegpu.target = "sm_80"} {

// Beside a tile of which a multiprocessor holds two there is room.
// CHECK-LABEL: @above_waits_and_loops
// CHECK: %[[G:.*]] = tilegpu.async_commit
// CHECK-NEXT: %[[Q:.*]] = tt.addptr
// CHECK-NEXT: %[[N:.*]] = tilegpu.local_alloc
// CHECK-NEXT: %[[U:.*]] = tilegpu.async_copy %[[Q]], %[[N]]
// CHECK-NEXT: %[[H:.*]] = tilegpu.async_commit %[[U]]
// CHECK-NEXT: tilegpu.local_alloc
// CHECK-NEXT: tilegpu.async_copy
// CHECK-NEXT: tilegpu.async_commit
// CHECK-NEXT: tilegpu.async_wait %[[G]] {pending = 2 : i32}
// CHECK: scf.for
// CHECK: tilegpu.async_wait %[[H]] {pending = 1 : i32}
tt.func @above_waits_and_loops(%l: !wide, %p: !pointers, %d: tensor<64x64xi32, #rows>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x0 = arith.constant dense<1.0> : !half
  %m = tilegpu.local_alloc : () -> !large
  %t = tilegpu.async_copy %l, %m : !wide -> !large
  %g = tilegpu.async_commit %t
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  %a = tilegpu.local_load %m : !large -> tensor<128x256xf16, #rows>
  %q = tt.addptr %p, %d : !pointers, tensor<64x64xi32, #rows>
  %m1 = tilegpu.local_alloc : () -> !tile
  %t1 = tilegpu.async_copy %q, %m1 : !pointers -> !tile
  %g1 = tilegpu.async_commit %t1
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %x0) -> (!half) : i32 {
    %y = arith.addf %x, %x : !half
    scf.yield %y : !half
  }
  %w1 = tilegpu.async_wait %g1 {pending = 0 : i32}
  %b = tilegpu.local_load %m1 : !tile -> !half
  %m2 = tilegpu.local_alloc : () -> !tile
  %t2 = tilegpu.async_copy %p, %m2 : !pointers -> !tile
  %g2 = tilegpu.async_commit %t2
  %w2 = tilegpu.async_wait %g2 {pending = 0 : i32}
  %c = tilegpu.local_load %m2 : !tile -> !half
  tt.return
}

// What depends on a large load in between stays, and so does what may have been
// written.
// CHECK-LABEL: @stays
// CHECK: tilegpu.async_wait %{{.*}} {pending = 0 : i32}
// CHECK: tt.load {{.*}} : tensor<64x64x!tt.ptr<i32>
// CHECK: tilegpu.async_copy
// CHECK: tt.store
// CHECK: tilegpu.async_copy
tt.func @stays(%l: !wide, %base: !tt.ptr<f16>, %other: !tt.ptr<f16>, %at: tensor<64x64x!tt.ptr<i32>, #rows>, %d: tensor<64x64xi32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %bases = tt.splat %base : !tt.ptr<f16> -> !pointers
  %p = tt.addptr %bases, %d : !pointers, tensor<64x64xi32, #rows>
  %others = tt.splat %other : !tt.ptr<f16> -> !pointers
  %o = tt.addptr %others, %d : !pointers, tensor<64x64xi32, #rows>
  %a = arith.constant dense<1.0> : !half
  %m = tilegpu.local_alloc : () -> !large
  %t = tilegpu.async_copy %l, %m : !wide -> !large
  %g = tilegpu.async_commit %t
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  %b = tilegpu.local_load %m : !large -> tensor<128x256xf16, #rows>
  %is = tt.load %at : tensor<64x64x!tt.ptr<i32>, #rows>
  %q = tt.addptr %p, %is : !pointers, tensor<64x64xi32, #rows>
  %m1 = tilegpu.local_alloc : () -> !tile
  %t1 = tilegpu.async_copy %q, %m1 : !pointers -> !tile
  %g1 = tilegpu.async_commit %t1
  tt.store %o, %a : !pointers
  %m2 = tilegpu.local_alloc : () -> !tile
  %t2 = tilegpu.async_copy %o, %m2 : !pointers -> !tile
  %g2 = tilegpu.async_commit %t2
  %w2 = tilegpu.async_wait %g2 {pending = 0 : i32}
  %c = tilegpu.local_load %m2 : !tile -> !half
  tt.return
}

// What an unrolled loop is to take counts as taken, so that there is room for it.
// Loads of few registers start with the copies, and what depends on them too; not
// above loops, which would hold what they bring.
// CHECK-LABEL: @small_loads
// CHECK: tt.load %{{.*}} : tensor<64x!tt.ptr<f32>
// CHECK: tilegpu.async_commit
// CHECK: tt.load %{{.*}} : !tt.ptr<i32>
// CHECK: tilegpu.async_copy
// CHECK: tilegpu.async_commit
// CHECK: tilegpu.convert_layout
// CHECK: scf.for
// CHECK: tt.load %{{.*}} : !tt.ptr<i64>
tt.func @small_loads(%p: !pointers, %beta: tensor<64x!tt.ptr<f32>, #tilegpu.slice<dim = 1, parent = #rows>>, %at: !tt.ptr<i32>, %end: !tt.ptr<i64>, %n: i32) attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 65536 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %b = tt.load %beta : tensor<64x!tt.ptr<f32>, #tilegpu.slice<dim = 1, parent = #rows>>
  %bs = tilegpu.convert_layout %b : tensor<64xf32, #tilegpu.slice<dim = 1, parent = #rows>> -> tensor<64xf32, #tilegpu.slice<dim = 0, parent = #rows>>
  %m = tilegpu.local_alloc : () -> !tile
  %t = tilegpu.async_copy %p, %m : !pointers -> !tile
  %g = tilegpu.async_commit %t
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  %a = tilegpu.local_load %m : !tile -> !half
  %i = tt.load %at : !tt.ptr<i32>
  %is = tt.splat %i : i32 -> tensor<64x64xi32, #rows>
  %q = tt.addptr %p, %is : !pointers, tensor<64x64xi32, #rows>
  %m1 = tilegpu.local_alloc : () -> !tile
  %t1 = tilegpu.async_copy %q, %m1 : !pointers -> !tile
  %g1 = tilegpu.async_commit %t1
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %a) -> (!half) : i32 {
    %y = arith.addf %x, %x : !half
    scf.yield %y : !half
  }
  %w1 = tilegpu.async_wait %g1 {pending = 0 : i32}
  %c = tilegpu.local_load %m1 : !tile -> !half
  %e = tt.load %end : !tt.ptr<i64>
  tt.return
}

// A group is of all copies since the one before, of those too that it does not
// name, as pipelines make it; a tile of several buffers is allocated once. A wait
// that names no group leaves one more in flight.
// CHECK-LABEL: @groups_of_a_pipeline
// CHECK: %[[RING:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<64x64xf16, #{{.*}}, buffers = 2
// CHECK: tilegpu.async_commit
// CHECK: tilegpu.memdesc_index %[[RING]]
// CHECK-COUNT-2: tilegpu.async_copy
// CHECK: tilegpu.async_commit
// CHECK: tilegpu.async_wait  {pending = 1 : i32}
tt.func @groups_of_a_pipeline(%p: !pointers) attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 65536 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = tilegpu.local_alloc : () -> !tilegpu.memdesc<64x64xf16, #k, buffers = 2, mutable>
  %m0 = tilegpu.memdesc_index %ring[%c0] : !tilegpu.memdesc<64x64xf16, #k, buffers = 2, mutable> -> !tile
  %t0 = tilegpu.async_copy %p, %m0 : !pointers -> !tile
  %g0 = tilegpu.async_commit %t0
  %w0 = tilegpu.async_wait {pending = 0 : i32}
  %m1 = tilegpu.memdesc_index %ring[%c1] : !tilegpu.memdesc<64x64xf16, #k, buffers = 2, mutable> -> !tile
  %t1 = tilegpu.async_copy %p, %m1 : !pointers -> !tile
  %other = tilegpu.local_alloc : () -> !tile
  %t2 = tilegpu.async_copy %p, %other : !pointers -> !tile
  %g1 = tilegpu.async_commit %t2
  %w1 = tilegpu.async_wait %g1 {pending = 0 : i32}
  %a = tilegpu.local_load %m0 : !tile -> !half
  %b = tilegpu.local_load %m1 : !tile -> !half
  %c = tilegpu.local_load %other : !tile -> !half
  tt.return
}

// What is read in between from the buffer that a copy overwrites keeps it back.
// CHECK-LABEL: @overwrites
// CHECK: tilegpu.async_wait %{{.*}} {pending = 0 : i32}
// CHECK: tilegpu.local_load
// CHECK: tilegpu.async_copy
tt.func @overwrites(%p: !pointers) attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 65536 : i32} {
  %m = tilegpu.local_alloc : () -> !tile
  %t0 = tilegpu.async_copy %p, %m : !pointers -> !tile
  %g0 = tilegpu.async_commit %t0
  %w0 = tilegpu.async_wait %g0 {pending = 0 : i32}
  %a = tilegpu.local_load %m : !tile -> !half
  %t1 = tilegpu.async_copy %p, %m : !pointers -> !tile
  %g1 = tilegpu.async_commit %t1
  %w1 = tilegpu.async_wait %g1 {pending = 0 : i32}
  %b = tilegpu.local_load %m : !tile -> !half
  tt.return
}

// Behind what programs wait for each other by, other memory may be another.
// CHECK-LABEL: @behind_a_flag
// CHECK: tt.load {{.*}}isVolatile = true
// CHECK: tilegpu.async_copy
// CHECK: tt.atomic_rmw
// CHECK: tilegpu.async_copy
tt.func @behind_a_flag(%l: !wide, %p: !pointers, %flag: !tt.ptr<i32>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %on = arith.constant true
  %m = tilegpu.local_alloc : () -> !large
  %t = tilegpu.async_copy %l, %m : !wide -> !large
  %g = tilegpu.async_commit %t
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  %b = tilegpu.local_load %m : !large -> tensor<128x256xf16, #rows>
  %f = tt.load %flag {isVolatile = true} : !tt.ptr<i32>
  %m1 = tilegpu.local_alloc : () -> !tile
  %t1 = tilegpu.async_copy %p, %m1 : !pointers -> !tile
  %g1 = tilegpu.async_commit %t1
  %w1 = tilegpu.async_wait %g1 {pending = 0 : i32}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %old = tt.atomic_rmw add, acq_rel, gpu, %flag, %c0, %on : (!tt.ptr<i32>, i32, i1) -> i32
  }
  %m2 = tilegpu.local_alloc : () -> !tile
  %t2 = tilegpu.async_copy %p, %m2 : !pointers -> !tile
  %g2 = tilegpu.async_commit %t2
  %w2 = tilegpu.async_wait %g2 {pending = 0 : i32}
  %c = tilegpu.local_load %m2 : !tile -> !half
  tt.return
}
}

// -----

// A tile that would cost the multiprocessor a CTA stays where it is.
#rows = #tilegpu.blocked<elements = [1, 8], threads = [1, 32], warps = [4, 1], order = [1, 0]>
#k = #tilegpu.shared_swizzled<vector = 8, perPhase = 1, maxPhase = 8, order = [1, 0]>
!pointers = tensor<128x256x!tt.ptr<f16>, #rows>
!tile = !tilegpu.memdesc<128x256xf16, #k, mutable>
!half = tensor<128x256xf16, #rows>
module attributes {tilegpu.target = "sm_80"} {
// CHECK-LABEL: @too_large_together
// CHECK-COUNT-2: tilegpu.async_copy
// CHECK: tilegpu.async_wait %{{.*}} {pending = 1 : i32}
// CHECK: tilegpu.local_load
// CHECK: tilegpu.async_copy
tt.func @too_large_together(%p: !pointers) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc : () -> !tile
  %t = tilegpu.async_copy %p, %m : !pointers -> !tile
  %g = tilegpu.async_commit %t
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  %a = tilegpu.local_load %m : !tile -> !half
  %m1 = tilegpu.local_alloc : () -> !tile
  %t1 = tilegpu.async_copy %p, %m1 : !pointers -> !tile
  %g1 = tilegpu.async_commit %t1
  %m2 = tilegpu.local_alloc : () -> !tile
  %t2 = tilegpu.async_copy %p, %m2 : !pointers -> !tile
  %g2 = tilegpu.async_commit %t2
  %w1 = tilegpu.async_wait %g2 {pending = 0 : i32}
  %b = tilegpu.local_load %m1 : !tile -> !half
  %c = tilegpu.local_load %m2 : !tile -> !half
  tt.return
}
}

// -----

#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#k = #tilegpu.shared_swizzled<vector = 8, perPhase = 1, maxPhase = 8, order = [1, 0]>
!pointers = tensor<64x64x!tt.ptr<f16>, #rows>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!half = tensor<64x64xf16, #rows>
module attributes {tilegpu.target = "sm_80"} {

// An iteration of a loop that is no pipeline starts its copies together, too.
// CHECK-LABEL: @iterations
// CHECK: scf.for
// CHECK-COUNT-2: tilegpu.async_commit
// CHECK: tilegpu.async_wait %{{.*}} {pending = 1 : i32}
// CHECK: tilegpu.async_wait %{{.*}} {pending = 0 : i32}
tt.func @iterations(%p: !pointers, %q: !pointers, %x0: !half, %n: i32) -> !half attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 65536 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %x0) -> (!half) : i32 {
    %m1 = tilegpu.local_alloc : () -> !tile
    %t1 = tilegpu.async_copy %p, %m1 : !pointers -> !tile
    %g1 = tilegpu.async_commit %t1
    %w1 = tilegpu.async_wait %g1 {pending = 0 : i32}
    %a = tilegpu.local_load %m1 : !tile -> !half
    %y = arith.addf %x, %a : !half
    %m2 = tilegpu.local_alloc : () -> !tile
    %t2 = tilegpu.async_copy %q, %m2 : !pointers -> !tile
    %g2 = tilegpu.async_commit %t2
    %w2 = tilegpu.async_wait %g2 {pending = 0 : i32}
    %b = tilegpu.local_load %m2 : !tile -> !half
    %z = arith.addf %y, %b : !half
    scf.yield %z : !half
  }
  tt.return %r : !half
}

// In a pipeline the waits count groups of all iterations: they stay.
// CHECK-LABEL: @pipeline
// CHECK: scf.for
// CHECK: tilegpu.async_wait  {pending = 1 : i32}
// CHECK: tilegpu.async_copy
// CHECK: tilegpu.async_commit
tt.func @pipeline(%p: !pointers, %x0: !half, %n: i32) -> !half attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 65536 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = tilegpu.local_alloc : () -> !tile
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %x0) -> (!half) : i32 {
    %w = tilegpu.async_wait {pending = 1 : i32}
    %a = tilegpu.local_load %m : !tile -> !half
    %y = arith.addf %x, %a : !half
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    scf.yield %y : !half
  }
  tt.return %r : !half
}
}
