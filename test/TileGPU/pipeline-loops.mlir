// RUN: tilewright-opt %s --tilegpu-pipeline-loops --canonicalize --cse | FileCheck %s

// Loops with schedules by hand, and what they become.

#rows = #tilegpu.blocked<elements = [1, 8], threads = [8, 4], warps = [4, 1], order = [1, 0]>
#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
!pointers = tensor<32x32x!tt.ptr<f16>, #rows>
!ints = tensor<32x32xi32, #rows>
!f16s = tensor<32x32xf16, #rows>
!tile = !tilegpu.memdesc<32x32xf16, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {

// Three stages, copies before reads: three buffers, one group on its way behind
// the wait, two before the loop, none behind it.
// CHECK-LABEL: @three
// CHECK: %[[M:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<32x32xf16, {{.*}}, buffers = 3, mutable>
// CHECK-COUNT-2: tilegpu.async_commit
// CHECK: scf.for
// CHECK: %[[READ:.*]] = tilegpu.memdesc_index %[[M]]
// CHECK: %[[WRITE:.*]] = tilegpu.memdesc_index %[[M]]
// CHECK: tilegpu.async_wait {pending = 1 : i32}
// CHECK: tilegpu.async_copy %{{.*}}, %[[WRITE]] mask
// CHECK: tilegpu.async_commit
// CHECK: tilegpu.local_load %[[READ]]
// CHECK: }
// CHECK-NEXT: tilegpu.async_wait {pending = 0 : i32}
// CHECK-NOT: tilegpu.schedule
tt.func public @three(%p: !pointers, %out: !pointers, %step: !ints, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%from = %p) -> (!pointers) : i32 {
    %m = tilegpu.local_alloc {tilegpu.schedule = array<i32: 0, 0>} : () -> !tile
    %t = tilegpu.async_copy %from, %m {tilegpu.schedule = array<i32: 0, 1>} : !pointers -> !tile
    %g = tilegpu.async_commit %t {tilegpu.schedule = array<i32: 0, 2>}
    %next = tt.addptr %from, %step {tilegpu.schedule = array<i32: 0, 2>} : !pointers, !ints
    %w = tilegpu.async_wait %g {pending = 0 : i32, tilegpu.schedule = array<i32: 2, 0>}
    %x = tilegpu.local_load %m {tilegpu.schedule = array<i32: 2, 3>} : !tile -> !f16s
    tt.store %out, %x {tilegpu.schedule = array<i32: 2, 4>} : !pointers
    scf.yield %next : !pointers
  }
  tt.return
}

// Reads before copies: a buffer less, and the group just closed is not there
// yet.
// CHECK-LABEL: @reads_first
// CHECK: local_alloc {{.*}}buffers = 2
// CHECK: scf.for
// CHECK: tilegpu.async_wait {pending = 1 : i32}
// CHECK: tilegpu.local_load
// CHECK: tilegpu.async_copy
tt.func public @reads_first(%p: !pointers, %out: !pointers, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = tilegpu.local_alloc {tilegpu.schedule = array<i32: 0, 0>} : () -> !tile
    %t = tilegpu.async_copy %p, %m {tilegpu.schedule = array<i32: 0, 7>} : !pointers -> !tile
    %g = tilegpu.async_commit %t {tilegpu.schedule = array<i32: 0, 8>}
    %w = tilegpu.async_wait %g {pending = 0 : i32, tilegpu.schedule = array<i32: 2, 0>}
    %x = tilegpu.local_load %m {tilegpu.schedule = array<i32: 2, 3>} : !tile -> !f16s
    tt.store %out, %x {tilegpu.schedule = array<i32: 2, 4>} : !pointers
  }
  tt.return
}

// Two groups an iteration, of which one is read an iteration earlier.
// CHECK-LABEL: @two_groups
// CHECK: local_alloc {{.*}}buffers = 2
// CHECK: local_alloc {{.*}}buffers = 3
// CHECK: scf.for
// CHECK: tilegpu.async_wait {pending = 1 : i32}
// CHECK: tilegpu.async_wait {pending = 2 : i32}
tt.func public @two_groups(%p: !pointers, %out: !pointers, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = tilegpu.local_alloc {tilegpu.schedule = array<i32: 0, 0>} : () -> !tile
    %m1 = tilegpu.local_alloc {tilegpu.schedule = array<i32: 0, 0>} : () -> !tile
    %t = tilegpu.async_copy %p, %m {tilegpu.schedule = array<i32: 0, 5>} : !pointers -> !tile
    %g = tilegpu.async_commit %t {tilegpu.schedule = array<i32: 0, 6>}
    %t1 = tilegpu.async_copy %p, %m1 {tilegpu.schedule = array<i32: 0, 7>} : !pointers -> !tile
    %g1 = tilegpu.async_commit %t1 {tilegpu.schedule = array<i32: 0, 8>}
    %w = tilegpu.async_wait %g {pending = 0 : i32, tilegpu.schedule = array<i32: 1, 1>}
    %x = tilegpu.local_load %m {tilegpu.schedule = array<i32: 1, 9>} : !tile -> !f16s
    %w1 = tilegpu.async_wait %g1 {pending = 0 : i32, tilegpu.schedule = array<i32: 2, 2>}
    %y = tilegpu.local_load %m1 {tilegpu.schedule = array<i32: 2, 9>} : !tile -> !f16s
    %z = arith.addf %x, %y {tilegpu.schedule = array<i32: 2, 10>} : !f16s
    tt.store %out, %z {tilegpu.schedule = array<i32: 2, 11>} : !pointers
  }
  tt.return
}

// Loads and divisions of iterations that may not be: the former by a mask, the
// latter by 1. What is carried for an iteration more goes through an
// op.
// CHECK-LABEL: @masked
// CHECK: scf.for
// CHECK: tt.load %{{.*}}, %{{.*}} : !tt.ptr<i32>
// CHECK: %[[DIVISOR:.*]] = arith.select %{{.*}}, %{{.*}}, %c1_i32
// CHECK: arith.divsi %{{.*}}, %[[DIVISOR]]
// CHECK: tilegpu.async_copy {{.*}} mask
tt.func public @masked(%p: !pointers, %table: !tt.ptr<i32>, %out: !pointers, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c1) -> (i32, i32) : i32 {
    %from = tt.addptr %table, %i {tilegpu.schedule = array<i32: 0, 1>} : !tt.ptr<i32>, i32
    %index = tt.load %from {tilegpu.schedule = array<i32: 0, 2>} : !tt.ptr<i32>
    %row = arith.divsi %index, %b {tilegpu.schedule = array<i32: 0, 3>} : i32
    %rows = tt.splat %row {tilegpu.schedule = array<i32: 0, 4>} : i32 -> !ints
    %q = tt.addptr %p, %rows {tilegpu.schedule = array<i32: 0, 5>} : !pointers, !ints
    %m = tilegpu.local_alloc {tilegpu.schedule = array<i32: 0, 0>} : () -> !tile
    %t = tilegpu.async_copy %q, %m {tilegpu.schedule = array<i32: 0, 7>} : !pointers -> !tile
    %g = tilegpu.async_commit %t {tilegpu.schedule = array<i32: 0, 8>}
    %w = tilegpu.async_wait %g {pending = 0 : i32, tilegpu.schedule = array<i32: 1, 0>}
    %x = tilegpu.local_load %m {tilegpu.schedule = array<i32: 1, 9>} : !tile -> !f16s
    tt.store %out, %x {tilegpu.schedule = array<i32: 1, 10>} : !pointers
    scf.yield %index, %a : i32, i32
  }
  tt.return
}

// A tile of the last stage alone keeps its place in the loop.
// CHECK-LABEL: @own_tile
// CHECK: scf.for
// CHECK: tilegpu.local_alloc : () -> !tilegpu.memdesc<32x32xf16, {{[^b]*}}mutable>
// CHECK: tilegpu.local_store
tt.func public @own_tile(%p: !pointers, %out: !pointers, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %p {tilegpu.schedule = array<i32: 0, 0>} : !pointers
    %m = tilegpu.local_alloc {tilegpu.schedule = array<i32: 1, 0>} : () -> !tile
    tilegpu.local_store %x, %m {tilegpu.schedule = array<i32: 1, 1>} : !f16s -> !tile
    %y = tilegpu.local_load %m {tilegpu.schedule = array<i32: 1, 2>} : !tile -> !f16s
    tt.store %out, %y {tilegpu.schedule = array<i32: 1, 3>} : !pointers
  }
  tt.return
}

// A pipeline in a pipeline: the inner one has its buffers in the outer one.
// CHECK-LABEL: @nested
// CHECK: local_alloc {{.*}}buffers = 2
// CHECK: scf.for
// CHECK: local_alloc {{.*}}buffers = 3
// CHECK: scf.for
// CHECK: }
// CHECK: tilegpu.async_wait {pending = 0 : i32}
// CHECK: }
// CHECK-NEXT: tilegpu.async_wait {pending = 0 : i32}
tt.func public @nested(%p: !pointers, %out: !pointers, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = tilegpu.local_alloc {tilegpu.schedule = array<i32: 0, 0>} : () -> !tile
    %t = tilegpu.async_copy %p, %m {tilegpu.schedule = array<i32: 0, 1>} : !pointers -> !tile
    %g = tilegpu.async_commit %t {tilegpu.schedule = array<i32: 0, 2>}
    %w = tilegpu.async_wait %g {pending = 0 : i32, tilegpu.schedule = array<i32: 1, 0>}
    %x = tilegpu.local_load %m {tilegpu.schedule = array<i32: 1, 3>} : !tile -> !f16s
    scf.for %j = %c0 to %n step %c1 : i32 {
      %k = tilegpu.local_alloc {tilegpu.schedule = array<i32: 0, 0>} : () -> !tile
      %u = tilegpu.async_copy %p, %k {tilegpu.schedule = array<i32: 0, 1>} : !pointers -> !tile
      %h = tilegpu.async_commit %u {tilegpu.schedule = array<i32: 0, 2>}
      %v = tilegpu.async_wait %h {pending = 0 : i32, tilegpu.schedule = array<i32: 2, 0>}
      %y = tilegpu.local_load %k {tilegpu.schedule = array<i32: 2, 3>} : !tile -> !f16s
      tt.store %out, %y {tilegpu.schedule = array<i32: 2, 4>} : !pointers
    } {tilegpu.schedule = array<i32: 1, 4>}
    tt.store %out, %x {tilegpu.schedule = array<i32: 1, 5>} : !pointers
  }
  tt.return
}

// From a begin that is not known the counter may leave its type: a flag is
// carried that asks how far the end is.
// CHECK-LABEL: @any_begin
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[BEGIN:.*]], %[[END:.*]] : i32
// CHECK: %[[MASK:.*]] = tt.splat %[[ANY]]
// CHECK: tilegpu.async_copy {{.*}} mask %[[MASK]]
// CHECK: scf.for
// CHECK: %[[LEFT:.*]] = arith.subi %[[END]], %{{.*}} : i32
// CHECK: %[[MORE:.*]] = arith.cmpi ugt, %[[LEFT]], %{{.*}} : i32
// CHECK: arith.andi %{{.*}}, %[[MORE]] : i1
tt.func public @any_begin(%p: !pointers, %out: !pointers, %begin: i32, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c3 = arith.constant 3 : i32
  scf.for %i = %begin to %n step %c3 : i32 {
    %row = arith.divsi %n, %i {tilegpu.schedule = array<i32: 0, 0>} : i32
    %rows = tt.splat %row {tilegpu.schedule = array<i32: 0, 1>} : i32 -> !ints
    %q = tt.addptr %p, %rows {tilegpu.schedule = array<i32: 0, 2>} : !pointers, !ints
    %m = tilegpu.local_alloc {tilegpu.schedule = array<i32: 0, 0>} : () -> !tile
    %t = tilegpu.async_copy %q, %m {tilegpu.schedule = array<i32: 0, 3>} : !pointers -> !tile
    %g = tilegpu.async_commit %t {tilegpu.schedule = array<i32: 0, 4>}
    %w = tilegpu.async_wait %g {pending = 0 : i32, tilegpu.schedule = array<i32: 1, 0>}
    %x = tilegpu.local_load %m {tilegpu.schedule = array<i32: 1, 5>} : !tile -> !f16s
    tt.store %out, %x {tilegpu.schedule = array<i32: 1, 6>} : !pointers
  }
  tt.return
}
}
