// RUN: tilewright-opt %s --tilegpu-schedule-loops="num-stages=2" --remarks-filter=loop --remark-policy=all --remark-format=emitRemark --verify-diagnostics --mlir-print-local-scope | FileCheck %s
// RUN: tilewright-opt %s --tilegpu-schedule-loops="num-stages=2" --tilegpu-pipeline-loops --canonicalize --cse | FileCheck %s --check-prefix=EXPANDED

// Loads into registers, where there are no asynchronous copies.

#rows = #tilegpu.blocked<elements = [1, 8], threads = [8, 4], warps = [4, 1], order = [1, 0]>
#columns = #tilegpu.blocked<elements = [8, 1], threads = [4, 8], warps = [1, 4], order = [0, 1]>
#turned = #tilegpu.blocked<elements = [1, 8], threads = [8, 4], warps = [1, 4], order = [1, 0]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>
!pointers = tensor<32x32x!tt.ptr<f16>, #rows>
!ints = tensor<32x32xi32, #rows>
!f16s = tensor<32x32xf16, #rows>
!f32s = tensor<32x32xf32, #rows>
!other = tensor<32x32xf16, #columns>
#few = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
!few = tensor<128x!tt.ptr<f32>, #few>
module attributes {tilegpu.target = "sm_75"} {

// The load is issued two iterations before its fragments are read, the store
// one; it comes first in a step, so that the load finds its registers free.
// CHECK-LABEL: @stored
// CHECK: %[[X:.*]] = tt.load %{{.*}} {tilegpu.schedule = array<i32: 0, 3>}
// CHECK: %[[M:.*]] = tilegpu.local_alloc {tilegpu.schedule = array<i32: 2, [[#]]>}
// CHECK: tilegpu.local_store %[[X]], %[[M]] {tilegpu.schedule = array<i32: 1, 0>}
// CHECK: tt.addptr %{{.*}} {tilegpu.schedule = array<i32: 0, 4>}
// CHECK: tilegpu.local_load %[[M]] {tilegpu.schedule = array<i32: 2, [[#]]>}
// CHECK: arith.addf %{{.*}} {tilegpu.schedule = array<i32: 2, [[#]]>}
// Two buffers, a store before the loop, and the value that is loaded carried.
// EXPANDED-LABEL: @stored
// EXPANDED: local_alloc : () -> {{.*}}buffers = 2
// EXPANDED-COUNT-1: local_store
// EXPANDED: tt.load
// EXPANDED: scf.for
// EXPANDED: local_store
// EXPANDED: tt.load
// EXPANDED: local_load
// EXPANDED: arith.addf
// EXPANDED: }
// EXPANDED-NOT: async_wait
tt.func @stored(%p: !pointers, %step: !ints, %zero: !other, %n: i32) -> !other attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{loads of this loop are issued 1 of 1 iterations ahead, into registers}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%from = %p, %sum = %zero) -> (!pointers, !other) : i32 {
    %more = arith.cmpi slt, %i, %n : i32
    %mask = tt.splat %more : i1 -> tensor<32x32xi1, #rows>
    %x = tt.load %from, %mask : !pointers
    %y = tilegpu.convert_layout %x {tilegpu.means = "shared memory"} : !f16s -> !other
    %next = tt.addptr %from, %step : !pointers, !ints
    %s = arith.addf %sum, %y : !other
    scf.yield %next, %s : !pointers, !other
  }
  tt.return %r#1 : !other
}

// What never goes to shared memory is held from one iteration to the next. What
// is computed of a load before it is stored is computed then.
// CHECK-LABEL: @held
// CHECK: %[[X:.*]] = tt.load %{{[^ ]*}} {tilegpu.schedule = array<i32: 0, [[#]]>}
// CHECK: %[[Y:.*]] = tt.load %{{[^ ]*}} {tilegpu.schedule = array<i32: 1, [[#]]>}
// CHECK: %[[W:.*]] = arith.addf %[[X]], %[[X]] {tilegpu.schedule = array<i32: 1, [[#]]>}
// CHECK: tilegpu.local_store %[[W]], %{{.*}} {tilegpu.schedule = array<i32: 1, [[#]]>}
// CHECK: tilegpu.local_load
// CHECK: arith.addf %{{.*}}, %[[Y]] {tilegpu.schedule = array<i32: 2, [[#]]>}
// EXPANDED-LABEL: @held
tt.func @held(%p: !pointers, %q: tensor<32x32x!tt.ptr<f16>, #columns>, %zero: !other, %n: i32) -> !other attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{loads of this loop are issued 1 of 1 iterations ahead, into registers}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (!other) : i32 {
    %x = tt.load %p : !pointers
    %y = tt.load %q : tensor<32x32x!tt.ptr<f16>, #columns>
    %w = arith.addf %x, %x : !f16s
    %z = tilegpu.convert_layout %w {tilegpu.means = "shared memory"} : !f16s -> !other
    %s = arith.addf %z, %y : !other
    %t = arith.addf %sum, %s : !other
    scf.yield %t : !other
  }
  tt.return %r : !other
}

// A tile for multiply-adds; one that two ops read is stored once.
// CHECK-LABEL: @allocated
// CHECK: tilegpu.local_alloc {tilegpu.schedule = array<i32: 2, [[#]]>} : () -> {{.*}}mutable>
// CHECK: tilegpu.local_store %{{.*}} {tilegpu.schedule = array<i32: 1, [[#]]>}
// CHECK: tilegpu.local_store %{{.*}} {tilegpu.schedule = array<i32: 1, [[#]]>}
// CHECK-NOT: tilegpu.local_store
// CHECK: tt.return
// EXPANDED-LABEL: @allocated
tt.func @allocated(%p: !pointers, %zero: !f32s, %n: i32) -> (!f32s, !other) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : !other
  // expected-remark @+1 {{loads of this loop are issued 1 of 1 iterations ahead, into registers}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %other = %none) -> (!f32s, !other) : i32 {
    %x = tt.load %p : !pointers
    %w = arith.extf %x : !f16s to !f32s
    %m = tilegpu.local_alloc %w : (!f32s) -> !tilegpu.memdesc<32x32xf32, #shared>
    %s = tilegpu.multiply_add %m, %m, %sum : !tilegpu.memdesc<32x32xf32, #shared> * !tilegpu.memdesc<32x32xf32, #shared> -> !f32s
    %a = tilegpu.convert_layout %x {tilegpu.means = "shared memory"} : !f16s -> !other
    %b = tilegpu.convert_layout %x {tilegpu.means = "shared memory"} : !f16s -> !other
    %c = arith.addf %a, %b : !other
    %d = arith.addf %c, %other : !other
    scf.yield %s, %d : !f32s, !other
  }
  tt.return %r#0, %r#1 : !f32s, !other
}

// What depends on the iteration before is stored when it is there.
// CHECK-LABEL: @late
// CHECK: tt.load %{{.*}} {tilegpu.schedule = array<i32: 0, [[#]]>}
// CHECK: tilegpu.convert_layout %{{.*}} {{.*}}tilegpu.schedule = array<i32: 1, [[#]]>}
// EXPANDED-LABEL: @late
tt.func @late(%p: !pointers, %zero: !f16s, %n: i32) -> !f16s attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{loads of this loop are issued 1 of 1 iterations ahead, into registers}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (!f16s) : i32 {
    %x = tt.load %p : !pointers
    %s = arith.addf %sum, %x : !f16s
    %y = tilegpu.convert_layout %s {tilegpu.means = "shared memory"} : !f16s -> !other
    %z = tilegpu.convert_layout %y {tilegpu.means = "shared memory"} : !other -> !f16s
    scf.yield %z : !f16s
  }
  tt.return %r : !f16s
}

// The loop's own wish, but for a load whose values take 64 registers of a
// thread, as many as the sum.
// CHECK-LABEL: @fewer
// CHECK: tt.load %{{[^ ]*}} {tilegpu.schedule = array<i32: 1, [[#]]>} : tensor<128x128x
// CHECK: tt.load %{{[^ ]*}} {tilegpu.schedule = array<i32: 0, [[#]]>} : tensor<32x32x
// EXPANDED-LABEL: @fewer
tt.func @fewer(%p: tensor<128x128x!tt.ptr<f16>, #rows>, %q: !pointers, %zero: tensor<128x128xf16, #rows>, %n: i32) -> tensor<128x128xf16, #rows> attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : !f16s
  // expected-remark @+1 {{loads of this loop are issued 1 of 4 iterations ahead, into registers, but for 1 that a thread has no registers for}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %other = %none) -> (tensor<128x128xf16, #rows>, !f16s) : i32 {
    %x = tt.load %p : tensor<128x128x!tt.ptr<f16>, #rows>
    %y = tt.load %q : !pointers
    %s = arith.addf %sum, %x : tensor<128x128xf16, #rows>
    %t = arith.addf %other, %y : !f16s
    scf.yield %s, %t : tensor<128x128xf16, #rows>, !f16s
  } {tt.num_stages = 5 : i32}
  tt.return %r#0 : tensor<128x128xf16, #rows>
}

// CHECK-LABEL: @too_many
// CHECK-NOT: tilegpu.schedule
// EXPANDED-LABEL: @too_many
tt.func @too_many(%p: tensor<256x128x!tt.ptr<f16>, #rows>, %zero: tensor<256x128xf16, #rows>, %n: i32) -> tensor<256x128xf16, #rows> attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{iterations of this loop do not overlap: a thread has no registers for what would be loaded ahead}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<256x128xf16, #rows>) : i32 {
    %x = tt.load %p : tensor<256x128x!tt.ptr<f16>, #rows>
    %s = arith.addf %sum, %x : tensor<256x128xf16, #rows>
    scf.yield %s : tensor<256x128xf16, #rows>
  }
  tt.return %r : tensor<256x128xf16, #rows>
}

// One of two arguments is written: the other is read ahead.
// CHECK-LABEL: @in_place
// CHECK: %[[P:.*]] = tt.splat %arg0
// CHECK: %[[Q:.*]] = tt.splat %arg1
// CHECK: tt.load %[[P]] {tilegpu.schedule = array<i32: 1, [[#]]>}
// CHECK: tt.load %[[Q]] {tilegpu.schedule = array<i32: 0, [[#]]>}
// EXPANDED-LABEL: @in_place
tt.func public @in_place(%in: !tt.ptr<f16>, %also: !tt.ptr<f16>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %p = tt.splat %in : !tt.ptr<f16> -> !pointers
  %q = tt.splat %also : !tt.ptr<f16> -> !pointers
  // expected-remark @+1 {{loads of this loop are issued 1 of 1 iterations ahead, into registers}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %p : !pointers
    %y = tt.load %q : !pointers
    %s = arith.addf %x, %y : !f16s
    tt.store %p, %s : !pointers
  }
  // expected-remark @+1 {{iterations of this loop do not overlap: it may write what a later iteration reads}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %p : !pointers
    tt.store %p, %x : !pointers
  }
  tt.return
}

// Places that a reduction gives.
// CHECK-LABEL: @dependent
// CHECK-NOT: tilegpu.schedule
// EXPANDED-LABEL: @dependent
tt.func @dependent(%p: !pointers, %places: !ints, %n: i32) -> !ints attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{iterations of this loop do not overlap: what it loads depends on what may not run ahead}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%at = %places) -> (!ints) : i32 {
    %rows = "tt.reduce"(%at) <{axis = 1 : i32}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tt.reduce.return %c : i32
    }) : (!ints) -> tensor<32xi32, #tilegpu.slice<dim = 1, parent = #rows>>
    %column = tt.expand_dims %rows {axis = 1 : i32} : tensor<32xi32, #tilegpu.slice<dim = 1, parent = #rows>> -> tensor<32x1xi32, #rows>
    %all = tt.broadcast %column : tensor<32x1xi32, #rows> -> !ints
    %q = tt.addptr %p, %all : !pointers, !ints
    %x = tt.load %q : !pointers
    %y = arith.fptosi %x : !f16s to !ints
    scf.yield %y : !ints
  }
  tt.return %r : !ints
}

// Of loops in loops the innermost, of one iteration none.
// CHECK-LABEL: @nested
// CHECK: tt.load %{{[^ ]*}} : tensor
// CHECK: tt.load %{{[^ ]*}} {tilegpu.schedule = array<i32: 0, [[#]]>}
// CHECK: tt.load %{{[^ ]*}} : tensor
// EXPANDED-LABEL: @nested
tt.func @nested(%p: !pointers, %q: !pointers, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{iterations of this loop do not overlap: a loop in it would hold what it loads ahead}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tt.load %p : !pointers
    // expected-remark @+1 {{loads of this loop are issued 1 of 1 iterations ahead, into registers}}
    scf.for %j = %c0 to %n step %c1 : i32 {
      %y = tt.load %p : !pointers
      tt.store %q, %y : !pointers
    }
    tt.store %q, %x : !pointers
  }
  scf.for %i = %c0 to %c1 step %c1 : i32 {
    %x = tt.load %p : !pointers
    tt.store %q, %x : !pointers
  }
  tt.return
}

// A loop in which a thread holds one element of each tile: two iterations become one,
// so that what they load has registers of its own, and is not moved.
// CHECK-LABEL: @small
// CHECK: %[[END:.*]] = arith.maxsi
// CHECK: scf.for
// CHECK-COUNT-2: tt.load %{{.*}} {tilegpu.schedule = array<i32: 0, [[#]]>}
// CHECK: scf.yield
// What is left is at most one.
// CHECK: scf.for
// CHECK: tt.load %{{[^{]*}} :
// EXPANDED-LABEL: @small
tt.func @small(%p: !few, %step: tensor<128xi32, #few>, %zero: tensor<128xf32, #few>, %n: i32) -> tensor<128xf32, #few> attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{loads of this loop are issued 2 of 2 iterations ahead, into registers}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%from = %p, %sum = %zero) -> (!few, tensor<128xf32, #few>) : i32 {
    %x = tt.load %from : !few
    %next = tt.addptr %from, %step : !few, tensor<128xi32, #few>
    %product = arith.mulf %sum, %x : tensor<128xf32, #few>
    scf.yield %next, %product : !few, tensor<128xf32, #few>
  } {tt.num_stages = 3 : i32}
  tt.return %r#1 : tensor<128xf32, #few>
}

// Tiles of more registers, where the loop asks for stages itself.
// CHECK-LABEL: @asked
// CHECK: tt.load %{{.*}} {tilegpu.schedule
// EXPANDED-LABEL: @asked
tt.func @asked(%p: !pointers, %zero: !f16s, %n: i32) -> !f16s attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{loads of this loop are issued 1 of 2 iterations ahead, into registers}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero) -> (!f16s) : i32 {
    %x = tt.load %p : !pointers
    %y = arith.mulf %sum, %x : !f16s
    scf.yield %y : !f16s
  } {tt.num_stages = 3 : i32}
  tt.return %r : !f16s
}

}
