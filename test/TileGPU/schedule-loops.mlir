// RUN: tilewright-opt %s --tilegpu-schedule-loops="num-stages=3" --remarks-filter=loop --remark-policy=all --remark-format=emitRemark --verify-diagnostics | FileCheck %s
// RUN: tilewright-opt %s --tilegpu-schedule-loops="num-stages=1" | FileCheck %s --check-prefix=ONE

// As many stages as the loop asks for, or else the option; 1 is none.
// ONE-LABEL: @plain
// ONE-NOT: tilegpu.schedule
// ONE-LABEL: @own_stages
// ONE: tilegpu.schedule = array<i32: 1, 0>
// ONE-LABEL: @own_one
// ONE-NOT: tilegpu.schedule
// ONE-LABEL: @own_negative
// ONE-NOT: tilegpu.schedule

#rows = #tilegpu.blocked<elements = [1, 8], threads = [8, 4], warps = [4, 1], order = [1, 0]>
#shared = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [1, 0]>
#mma = #tilegpu.mma<m16n8, warps = [4, 1]>
#lhs = #tilegpu.dot_operand<index = 0, parent = #mma, kWidth = 2>
#rhs = #tilegpu.dot_operand<index = 1, parent = #mma, kWidth = 2>
#rows8 = #tilegpu.blocked<elements = [1, 8], threads = [8, 4], warps = [8, 1], order = [1, 0]>
#mma8 = #tilegpu.mma<m16n8, warps = [8, 1]>
#lhs8 = #tilegpu.dot_operand<index = 0, parent = #mma8, kWidth = 2>
#rhs8 = #tilegpu.dot_operand<index = 1, parent = #mma8, kWidth = 2>
!pointers = tensor<16x32x!tt.ptr<f16>, #rows>
!ints = tensor<16x32xi32, #rows>
!bits = tensor<16x32xi1, #rows>
!f16s = tensor<16x32xf16, #rows>
!tile = !tilegpu.memdesc<16x32xf16, #shared, mutable>
!wide = tensor<256x128x!tt.ptr<f16>, #rows>
!large = !tilegpu.memdesc<256x128xf16, #shared, mutable>
!huge = !tilegpu.memdesc<256x256xf16, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {

// Two copies are one group; the wait comes first, then what the copies need, in
// its order, then the rest. What both need is computed twice.
// CHECK-LABEL: @plain
// CHECK: scf.for
// CHECK-NEXT: local_alloc {tilegpu.schedule = array<i32: 2, [[#]]>}
// CHECK: async_copy %{{.*}} {tilegpu.schedule = array<i32: 0, 1>}
// CHECK-NEXT: tt.addptr %{{.*}} {tilegpu.schedule = array<i32: 2, [[#]]>}
// CHECK-NEXT: %[[NEXT:.*]] = tt.addptr %{{.*}} {tilegpu.schedule = array<i32: 0, 2>}
// CHECK: async_copy %[[NEXT]], %{{.*}} {tilegpu.schedule = array<i32: 0, 3>}
// CHECK-NEXT: %[[GROUP:.*]] = tilegpu.async_commit %{{.*}}, %{{.*}} {tilegpu.schedule = array<i32: 0, 4>}
// CHECK-NEXT: async_wait %[[GROUP]] {pending = 0 : i32, tilegpu.schedule = array<i32: 2, 0>}
// CHECK-NEXT: local_load %{{.*}} {tilegpu.schedule = array<i32: 2, [[#]]>}
// CHECK: local_load
// CHECK: tt.load
// CHECK: scf.yield %[[NEXT]]
tt.func @plain(%p: !pointers, %step: !ints, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{this loop is a software pipeline of 3 stages}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%from = %p) -> (!pointers) : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %from, %m : !pointers -> !tile
    %next = tt.addptr %from, %step : !pointers, !ints
    %m1 = tilegpu.local_alloc : () -> !tile
    %t1 = tilegpu.async_copy %next, %m1 : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %g1 = tilegpu.async_commit %t1
    %w = tilegpu.async_wait %g {pending = 1 : i32}
    %x = tilegpu.local_load %m : !tile -> !f16s
    %w1 = tilegpu.async_wait %g1 {pending = 0 : i32}
    %y = tilegpu.local_load %m1 : !tile -> !f16s
    %z = tt.load %next : !pointers
    scf.yield %next : !pointers
  }
  tt.return
}

// A load beside the copies is as far ahead of its use as they are, in registers,
// and computes its own address there. A number of 32 bits or more comes by a copy
// itself. A load that is too large, or of what the loop writes, stays where it is.
// CHECK-LABEL: @small_loads
// CHECK: async_copy %{{.*}} {tilegpu.schedule = array<i32: 0, 1>}
// CHECK: tt.addptr %{{.*}} {tilegpu.schedule = array<i32: 0, [[#]]>} : !tt.ptr<f32>, i32
// CHECK: %[[NUMBER:.*]] = tilegpu.local_alloc {{.*}} -> !tilegpu.memdesc<1xf32, {{.*}}, mutable>
// CHECK: async_copy %{{.*}}, %[[NUMBER]] {tilegpu.schedule = array<i32: 0, [[#]]>}
// CHECK: %[[LOADED:.*]] = tilegpu.local_load %[[NUMBER]] {tilegpu.schedule = array<i32: 2, [[#]]>}
// CHECK-NEXT: tt.unsplat %[[LOADED]]
// CHECK-NEXT: tt.addptr %{{.*}} {tilegpu.schedule = array<i32: 0, [[#LOAD:]]>} : !tt.ptr<f16>, i32
// CHECK-NEXT: tt.load %{{.*}} {tilegpu.schedule = array<i32: 0, [[#LOAD+1]]>} : !tt.ptr<f16>
// CHECK-NEXT: tt.load %{{.*}} {tilegpu.schedule = array<i32: 2, [[#]]>} : tensor<256x128x
// CHECK-NEXT: tt.load %{{.*}} {tilegpu.schedule = array<i32: 2, [[#]]>} : !tt.ptr<f16>
tt.func @small_loads(%p: !pointers, %s: !tt.ptr<f32>, %t16: !tt.ptr<f16>, %big: !wide, %o: !tt.ptr<f16>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{this loop is a software pipeline of 3 stages}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !f16s
    %q = tt.addptr %s, %i : !tt.ptr<f32>, i32
    %z = tt.load %q : !tt.ptr<f32>
    %q16 = tt.addptr %t16, %i : !tt.ptr<f16>, i32
    %z16 = tt.load %q16 : !tt.ptr<f16>
    %l = tt.load %big : !wide
    %old = tt.load %o : !tt.ptr<f16>
    %y = arith.addf %z, %z : f32
    %y16 = arith.addf %z16, %z16 : f16
    %k = arith.addf %l, %l : tensor<256x128xf16, #rows>
    %new = arith.addf %old, %old : f16
    tt.store %o, %new : !tt.ptr<f16>
  }
  tt.return
}

// CHECK-LABEL: @own_stages
// CHECK: async_wait {{.*}}tilegpu.schedule = array<i32: 1, 0>
tt.func @own_stages(%p: !pointers, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{this loop is a software pipeline of 2 stages}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !f16s
  } {tt.num_stages = 2 : i32}
  tt.return
}

// No more than there are iterations: copies of a third stage would be of nothing.
// CHECK-LABEL: @two_iterations
// CHECK: async_wait %{{.*}} {pending = 0 : i32, tilegpu.schedule = array<i32: 1, 0>}
tt.func @two_iterations(%p: !pointers, %step: !ints) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  // expected-remark @+1 {{this loop is a software pipeline of 2 stages}}
  %r = scf.for %i = %c0 to %c64 step %c32 iter_args(%from = %p) -> (!pointers) : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %from, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !f16s
    %next = tt.addptr %from, %step : !pointers, !ints
    scf.yield %next : !pointers
  }
  tt.return
}

// CHECK-LABEL: @own_one
// CHECK-NOT: tilegpu.schedule
tt.func @own_one(%p: !pointers, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !f16s
  } {tt.num_stages = 1 : i32}
  tt.return
}

// CHECK-LABEL: @own_negative
// CHECK-NOT: tilegpu.schedule
tt.func @own_negative(%p: !pointers, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !f16s
  } {tt.num_stages = -1 : si32}
  tt.return
}

// An index that is loaded, under a mask, and carried for an iteration more: all
// of it is early.
// CHECK-LABEL: @indirect
// CHECK: tt.load %{{.*}} {tilegpu.schedule = array<i32: 0, [[#]]>}
// CHECK: arith.divsi %{{.*}} {tilegpu.schedule = array<i32: 0, [[#]]>}
// CHECK: tt.splat %{{.*}} {tilegpu.schedule = array<i32: 0, [[#]]>}
// CHECK: tt.addptr %{{.*}} {tilegpu.schedule = array<i32: 0, [[#]]>}
// CHECK: arith.cmpi {{.*}} {tilegpu.schedule = array<i32: 0, [[#]]>}
// CHECK: async_copy {{.*}} mask {{.*}}tilegpu.schedule = array<i32: 0, [[#]]>
tt.func @indirect(%p: !pointers, %table: !tt.ptr<i32>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{this loop is a software pipeline of 3 stages}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c1) -> (i32, i32) : i32 {
    %from = tt.addptr %table, %i : !tt.ptr<i32>, i32
    %index = tt.load %from : !tt.ptr<i32>
    %row = arith.divsi %b, %n : i32
    %rows = tt.splat %row : i32 -> !ints
    %q = tt.addptr %p, %rows : !pointers, !ints
    %mask = arith.cmpi slt, %rows, %rows : !ints
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %q, %m mask %mask : !pointers -> !tile mask !bits
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !f16s
    scf.yield %index, %a : i32, i32
  }
  tt.return
}

// Of an index that is loaded for its own iteration the copies run a stage later;
// of one that another one tells, two.
// CHECK-LABEL: @indirect_now
// CHECK: tt.load %{{.*}} {tilegpu.schedule = array<i32: 0, [[#]]>} : !tt.ptr<i32>
// CHECK: tt.load %{{.*}} {tilegpu.schedule = array<i32: 1, [[#]]>} : !tt.ptr<i32>
// CHECK: tt.splat %{{.*}} {tilegpu.schedule = array<i32: 2, [[#]]>}
// CHECK: async_copy {{.*}}tilegpu.schedule = array<i32: 2, [[#]]>
// CHECK: async_wait {{.*}}tilegpu.schedule = array<i32: 4, 0>
tt.func @indirect_now(%p: !pointers, %table: !tt.ptr<i32>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{this loop is a software pipeline of 3 stages}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %from = tt.addptr %table, %i : !tt.ptr<i32>, i32
    %index = tt.load %from : !tt.ptr<i32>
    %page = tt.addptr %table, %index : !tt.ptr<i32>, i32
    %row = tt.load %page : !tt.ptr<i32>
    %rows = tt.splat %row : i32 -> !ints
    %q = tt.addptr %p, %rows : !pointers, !ints
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %q, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !f16s
  }
  tt.return
}

// 64 KiB a stage, of 163 KiB.
// CHECK-LABEL: @fewer
// CHECK: async_wait {{.*}}tilegpu.schedule = array<i32: 1, 0>
tt.func @fewer(%p: !wide, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{this loop has 2 stages where 3 are asked for: tiles of more would leave a multiprocessor fewer programs, or find no room in shared memory}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = tilegpu.local_alloc : () -> !large
    %t = tilegpu.async_copy %p, %m : !wide -> !large
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !large -> tensor<256x128xf16, #rows>
  }
  tt.return
}

// The inner loop has taken 128 KiB of 163: the outer one has room for a tile.
// CHECK-LABEL: @nested
tt.func @nested(%p: !wide, %q: tensor<128x128x!tt.ptr<f16>, #rows>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{iterations of this loop do not overlap: shared memory has no room for its tiles twice}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %o = tilegpu.local_alloc : () -> !tilegpu.memdesc<128x128xf16, #shared, mutable>
    %u = tilegpu.async_copy %q, %o : tensor<128x128x!tt.ptr<f16>, #rows> -> !tilegpu.memdesc<128x128xf16, #shared, mutable>
    %h = tilegpu.async_commit %u
    // expected-remark @+1 {{this loop has 2 stages where 3 are asked for}}
    scf.for %j = %c0 to %n step %c1 : i32 {
      %m = tilegpu.local_alloc : () -> !large
      %t = tilegpu.async_copy %p, %m : !wide -> !large
      %g = tilegpu.async_commit %t
      %w = tilegpu.async_wait %g {pending = 0 : i32}
      %x = tilegpu.local_load %m : !large -> tensor<256x128xf16, #rows>
    }
    %v = tilegpu.async_wait %h {pending = 0 : i32}
    %y = tilegpu.local_load %o : !tilegpu.memdesc<128x128xf16, #shared, mutable> -> tensor<128x128xf16, #rows>
  }
  tt.return
}

// CHECK-LABEL: @no_room
// CHECK-NOT: tilegpu.schedule
tt.func @no_room(%p: tensor<256x256x!tt.ptr<f16>, #rows>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{iterations of this loop do not overlap: shared memory has no room for its tiles twice}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = tilegpu.local_alloc : () -> !huge
    %t = tilegpu.async_copy %p, %m : tensor<256x256x!tt.ptr<f16>, #rows> -> !huge
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !huge -> tensor<256x256xf16, #rows>
  }
  tt.return
}

// Another argument may be written.
// CHECK-LABEL: @stores
// CHECK: tt.store {{.*}}tilegpu.schedule = array<i32: 2,
tt.func public @stores(%in: !tt.ptr<f16>, %out: !tt.ptr<f16>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %p = tt.splat %in : !tt.ptr<f16> -> !pointers
  %q = tt.splat %out : !tt.ptr<f16> -> !pointers
  // expected-remark @+1 {{this loop is a software pipeline of 3 stages}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !f16s
    tt.store %q, %x : !pointers
  }
  tt.return
}

// CHECK-LABEL: @in_place
// CHECK-NOT: tilegpu.schedule
tt.func public @in_place(%in: !tt.ptr<f16>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %p = tt.splat %in : !tt.ptr<f16> -> !pointers
  // expected-remark @+1 {{iterations of this loop do not overlap: it may write what a later iteration reads}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !f16s
    tt.store %p, %x : !pointers
  }
  tt.return
}

// What is read and what is written change places in each iteration.
// CHECK-LABEL: @exchanged
// CHECK-NOT: tilegpu.schedule
tt.func @exchanged(%p: !pointers, %q: !pointers, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{iterations of this loop do not overlap: it may write what a later iteration reads}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%from = %p, %to = %q) -> (!pointers, !pointers) : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %from, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !f16s
    tt.store %to, %x : !pointers
    scf.yield %to, %from : !pointers, !pointers
  }
  tt.return
}

// The program's own barrier may be for other programs' stores.
// CHECK-LABEL: @barrier
// CHECK-NOT: tilegpu.schedule
tt.func @barrier(%p: !pointers, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{iterations of this loop do not overlap: it may write what a later iteration reads}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !f16s
    tilegpu.barrier
  }
  tt.return
}

// An atomic at a place that a number was made into.
// CHECK-LABEL: @atomic
// CHECK-NOT: tilegpu.schedule
tt.func public @atomic(%in: !tt.ptr<f16>, %address: i64, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %yes = arith.constant true
  %p = tt.splat %in : !tt.ptr<f16> -> !pointers
  %lock = tt.int_to_ptr %address : i64 -> !tt.ptr<i32>
  // expected-remark @+1 {{iterations of this loop do not overlap: it may write what a later iteration reads}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !f16s
    %old = tt.atomic_rmw add, acq_rel, gpu, %lock, %i, %yes : (!tt.ptr<i32>, i32, i1) -> i32
  }
  tt.return
}

// Places that are copied first.
// CHECK-LABEL: @dependent
// CHECK-NOT: tilegpu.schedule
tt.func @dependent(%p: !pointers, %places: tensor<16x32x!tt.ptr<i32>, #rows>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{iterations of this loop do not overlap: what it copies depends on what may not run ahead}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %k = tilegpu.local_alloc : () -> !tilegpu.memdesc<16x32xi32, #shared, mutable>
    %u = tilegpu.async_copy %places, %k : tensor<16x32x!tt.ptr<i32>, #rows> -> !tilegpu.memdesc<16x32xi32, #shared, mutable>
    %h = tilegpu.async_commit %u
    %v = tilegpu.async_wait %h {pending = 0 : i32}
    %indices = tilegpu.local_load %k : !tilegpu.memdesc<16x32xi32, #shared, mutable> -> !ints
    %q = tt.addptr %p, %indices : !pointers, !ints
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %q, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !f16s
  }
  tt.return
}

// CHECK-LABEL: @not_its_own
// CHECK-NOT: tilegpu.schedule
tt.func @not_its_own(%p: !pointers, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %m = tilegpu.local_alloc : () -> !tile
  // expected-remark @+1 {{iterations of this loop do not overlap: a tile that it copies to is not its own}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !f16s
  }
  tt.return
}

// A group of before, and one that is waited for elsewhere.
// CHECK-LABEL: @other_groups
// CHECK-NOT: tilegpu.schedule
tt.func @other_groups(%p: !pointers, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %before = tilegpu.local_alloc : () -> !tile
  %u = tilegpu.async_copy %p, %before : !pointers -> !tile
  %h = tilegpu.async_commit %u
  // expected-remark @+1 {{iterations of this loop do not overlap: it waits for other copies than its own, or in part of it}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g, %h {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !f16s
  }
  // expected-remark @+1 {{iterations of this loop do not overlap: it waits for other copies than its own, or in part of it}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
  }
  tt.return
}

// CHECK-LABEL: @unsigned_count
// CHECK-NOT: tilegpu.schedule
tt.func @unsigned_count(%p: !pointers, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{iterations of this loop do not overlap: it counts without a sign}}
  scf.for unsigned %i = %c0 to %n step %c1 : i32 {
    %m = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %m : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %m : !tile -> !f16s
  }
  tt.return
}

// What two products read is one group.
// CHECK-LABEL: @two_products
// CHECK-COUNT-1: tilegpu.async_commit
// CHECK-NOT: tilegpu.async_commit
// CHECK: scf.yield
tt.func @two_products(%p: tensor<128x64x!tt.ptr<f16>, #rows>, %a: tensor<64x128xf16, #lhs>, %b: tensor<64x16xf16, #lhs>, %from: tensor<16x64x!tt.ptr<f16>, #rows>, %zero: tensor<64x64xf32, #mma>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{this loop has 2 stages where 3 are asked for}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %m1 = tilegpu.local_alloc : () -> !tilegpu.memdesc<128x64xf16, #shared, mutable>
    %t1 = tilegpu.async_copy %p, %m1 : tensor<128x64x!tt.ptr<f16>, #rows> -> !tilegpu.memdesc<128x64xf16, #shared, mutable>
    %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<128x64xf16, #shared, mutable>
    %t = tilegpu.async_copy %p, %m : tensor<128x64x!tt.ptr<f16>, #rows> -> !tilegpu.memdesc<128x64xf16, #shared, mutable>
    %g = tilegpu.async_commit %t
    %g1 = tilegpu.async_commit %t1
    %w = tilegpu.async_wait %g, %g1 {pending = 0 : i32}
    %k = tilegpu.local_load %m : !tilegpu.memdesc<128x64xf16, #shared, mutable> -> tensor<128x64xf16, #rhs>
    %s = tilegpu.mma %a, %k, %zero instruction = [16, 8, 16] : tensor<64x128xf16, #lhs> * tensor<128x64xf16, #rhs> -> tensor<64x64xf32, #mma>
    %v = tilegpu.local_load %m1 : !tilegpu.memdesc<128x64xf16, #shared, mutable> -> tensor<128x64xf16, #rhs>
    %o = tilegpu.mma %a, %v, %s instruction = [16, 8, 16] : tensor<64x128xf16, #lhs> * tensor<128x64xf16, #rhs> -> tensor<64x64xf32, #mma>
    scf.yield %o : tensor<64x64xf32, #mma>
  }
  // expected-remark @+1 {{this loop is a software pipeline of 3 stages}}
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %m1 = tilegpu.local_alloc : () -> !tilegpu.memdesc<16x64xf16, #shared, mutable>
    %t1 = tilegpu.async_copy %from, %m1 : tensor<16x64x!tt.ptr<f16>, #rows> -> !tilegpu.memdesc<16x64xf16, #shared, mutable>
    %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<16x64xf16, #shared, mutable>
    %t = tilegpu.async_copy %from, %m : tensor<16x64x!tt.ptr<f16>, #rows> -> !tilegpu.memdesc<16x64xf16, #shared, mutable>
    %g = tilegpu.async_commit %t, %t1
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %k = tilegpu.local_load %m : !tilegpu.memdesc<16x64xf16, #shared, mutable> -> tensor<16x64xf16, #rhs>
    %s = tilegpu.mma %b, %k, %zero instruction = [16, 8, 16] : tensor<64x16xf16, #lhs> * tensor<16x64xf16, #rhs> -> tensor<64x64xf32, #mma>
    %v = tilegpu.local_load %m1 : !tilegpu.memdesc<16x64xf16, #shared, mutable> -> tensor<16x64xf16, #rhs>
    %o = tilegpu.mma %b, %v, %s instruction = [16, 8, 16] : tensor<64x16xf16, #lhs> * tensor<16x64xf16, #rhs> -> tensor<64x64xf32, #mma>
    scf.yield %o : tensor<64x64xf32, #mma>
  }
  tt.return
}

// What a product behind the first one reads is brought behind the first one,
// which works meanwhile; what only the first one reads, in front of it. With
// more than a warp for each scheduler all copies come first.
// CHECK-LABEL: @behind_product
// CHECK: tilegpu.async_copy %{{.*}} {tilegpu.schedule = array<i32: 0, [[#FIRST:]]>}
// CHECK: tilegpu.async_copy %{{.*}} {tilegpu.schedule = array<i32: 0, [[#FIRST+5]]>}
// CHECK: tilegpu.async_commit {{.*}}tilegpu.schedule = array<i32: 0, [[#FIRST+6]]>}
// CHECK: tilegpu.mma {{.*}}tilegpu.schedule = array<i32: 2, [[#FIRST+4]]>}
// CHECK: tilegpu.mma {{.*}}tilegpu.schedule = array<i32: 2, [[#FIRST+8]]>}
// CHECK-LABEL: @behind_no_product
// CHECK: tilegpu.async_copy %{{.*}} {tilegpu.schedule = array<i32: 0, [[#FIRST:]]>}
// CHECK: tilegpu.async_copy %{{.*}} {tilegpu.schedule = array<i32: 0, [[#FIRST+1]]>}
// CHECK: tilegpu.mma {{.*}}tilegpu.schedule = array<i32: 2, [[#FIRST+6]]>}
tt.func @behind_product(%from: tensor<16x64x!tt.ptr<f16>, #rows>, %b: tensor<64x16xf16, #lhs>, %zero: tensor<64x64xf32, #mma>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{this loop is a software pipeline of 3 stages}}
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<16x64xf16, #shared, mutable>
    %t = tilegpu.async_copy %from, %m : tensor<16x64x!tt.ptr<f16>, #rows> -> !tilegpu.memdesc<16x64xf16, #shared, mutable>
    %m1 = tilegpu.local_alloc : () -> !tilegpu.memdesc<16x64xf16, #shared, mutable>
    %t1 = tilegpu.async_copy %from, %m1 : tensor<16x64x!tt.ptr<f16>, #rows> -> !tilegpu.memdesc<16x64xf16, #shared, mutable>
    %g = tilegpu.async_commit %t, %t1
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %k = tilegpu.local_load %m : !tilegpu.memdesc<16x64xf16, #shared, mutable> -> tensor<16x64xf16, #rhs>
    %s = tilegpu.mma %b, %k, %zero instruction = [16, 8, 16] : tensor<64x16xf16, #lhs> * tensor<16x64xf16, #rhs> -> tensor<64x64xf32, #mma>
    %v = tilegpu.local_load %m1 : !tilegpu.memdesc<16x64xf16, #shared, mutable> -> tensor<16x64xf16, #rhs>
    %o = tilegpu.mma %b, %v, %s instruction = [16, 8, 16] : tensor<64x16xf16, #lhs> * tensor<16x64xf16, #rhs> -> tensor<64x64xf32, #mma>
    scf.yield %o : tensor<64x64xf32, #mma>
  }
  tt.return
}
tt.func @behind_no_product(%from: tensor<16x64x!tt.ptr<f16>, #rows8>, %b: tensor<64x16xf16, #lhs8>, %zero: tensor<64x64xf32, #mma8>, %n: i32) attributes {tilegpu.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{this loop is a software pipeline of 3 stages}}
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma8>) : i32 {
    %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<16x64xf16, #shared, mutable>
    %t = tilegpu.async_copy %from, %m : tensor<16x64x!tt.ptr<f16>, #rows8> -> !tilegpu.memdesc<16x64xf16, #shared, mutable>
    %m1 = tilegpu.local_alloc : () -> !tilegpu.memdesc<16x64xf16, #shared, mutable>
    %t1 = tilegpu.async_copy %from, %m1 : tensor<16x64x!tt.ptr<f16>, #rows8> -> !tilegpu.memdesc<16x64xf16, #shared, mutable>
    %g = tilegpu.async_commit %t, %t1
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %k = tilegpu.local_load %m : !tilegpu.memdesc<16x64xf16, #shared, mutable> -> tensor<16x64xf16, #rhs8>
    %s = tilegpu.mma %b, %k, %zero instruction = [16, 8, 16] : tensor<64x16xf16, #lhs8> * tensor<16x64xf16, #rhs8> -> tensor<64x64xf32, #mma8>
    %v = tilegpu.local_load %m1 : !tilegpu.memdesc<16x64xf16, #shared, mutable> -> tensor<16x64xf16, #rhs8>
    %o = tilegpu.mma %b, %v, %s instruction = [16, 8, 16] : tensor<64x16xf16, #lhs8> * tensor<16x64xf16, #rhs8> -> tensor<64x64xf32, #mma8>
    scf.yield %o : tensor<64x64xf32, #mma8>
  }
  tt.return
}
}
