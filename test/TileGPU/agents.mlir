// Shared memory and barriers of agents, and that both checks of barriers agree.

// RUN: tilewright-opt %s --tilegpu-group-shared-accesses --tilegpu-allocate-shared-memory --tilegpu-insert-barriers --tilegpu-allocate-named-barriers -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tilewright-opt %t.mlir --tilegpu-verify-barriers -o /dev/null
// RUN: tilewright-opt %s --canonicalize --cse --tilegpu-order-global-accesses | FileCheck %s --check-prefix=OWN

#rows = #tilegpu.blocked<elements = [1, 16], threads = [32, 1], warps = [4, 1], order = [1, 0]>
#columns = #tilegpu.blocked<elements = [4, 4], threads = [32, 1], warps = [1, 4], order = [1, 0]>
#flat = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#one = #tilegpu.blocked<elements = [1, 16], threads = [32, 1], warps = [1, 1], order = [1, 0]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
!tile = !tilegpu.memdesc<128x16xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {

// What agents hold at the same time has bytes of its own, also where one of them
// is done with a tile before it has the next; their barriers are apart from each
// other's and from that of all warps. The third agent has but one warp.
// CHECK-LABEL: @apart
// CHECK: tilegpu.warp_specialize warps = [4, 4, 1] attributes {barrier_ids = array<i32: 1, 2, 0>} {
// CHECK: local_alloc {offset = 0 : i32}
// CHECK-NEXT: local_store
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: local_load
// CHECK-NEXT: local_alloc {offset = 8192 : i32}
// CHECK-NEXT: local_store
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: local_load
// CHECK: }, {
// CHECK: local_alloc {offset = 16384 : i32}
// CHECK-NEXT: local_store
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: local_load
// CHECK: }, {
// CHECK: local_alloc {offset = 24576 : i32}
// CHECK-NEXT: local_store
// CHECK: tilegpu.barrier warp shared
// CHECK-NEXT: local_load
// CHECK: }
tt.func @apart() attributes {tilegpu.num_warps = 9 : i32} {
  tilegpu.warp_specialize warps = [4, 4, 1] {
    %x = arith.constant dense<1.0> : tensor<128x16xf32, #rows>
    %m = tilegpu.local_alloc : () -> !tile
    tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
    %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
    %n = tilegpu.local_alloc : () -> !tile
    tilegpu.local_store %y, %n : tensor<128x16xf32, #columns> -> !tile
    %z = tilegpu.local_load %n : !tile -> tensor<128x16xf32, #rows>
    tilegpu.agent_return
  }, {
    %x = arith.constant dense<1.0> : tensor<128x16xf32, #rows>
    %m = tilegpu.local_alloc : () -> !tile
    tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
    %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
    tilegpu.agent_return
  }, {
    %x = arith.constant dense<1.0> : tensor<128x16xf32, #one>
    %m = tilegpu.local_alloc : () -> !tile
    tilegpu.local_store %x, %m : tensor<128x16xf32, #one> -> !tile
    %v = tilegpu.memdesc_trans %m {order = array<i32: 1, 0>} : !tile -> !tilegpu.memdesc<16x128xf32, #tilegpu.shared_linear<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]]>, mutable>
    %y = tilegpu.local_load %v : !tilegpu.memdesc<16x128xf32, #tilegpu.shared_linear<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]]>, mutable> -> tensor<16x128xf32, #tilegpu.blocked<elements = [1, 16], threads = [32, 1], warps = [1, 1], order = [1, 0]>>
    tilegpu.agent_return
  }
  tt.return
}

// Where warps part and meet again all accesses are ordered: no barrier is added
// to the op's own. A wait at a named barrier joins the warps that wait, so that
// they need no barrier of their own there either; the one that they need later
// is put there.
// CHECK-LABEL: @given
// CHECK: tilegpu.named_barrier {id = 1 : i32}
// CHECK: local_store
// CHECK-NEXT: tilegpu.warp_specialize warps = [4, 4] attributes {barrier_ids = array<i32: 0, 0>} {
// CHECK: local_load
// CHECK-NEXT: tilegpu.barrier_arrive
// CHECK-NEXT: agent_return
// CHECK: tilegpu.barrier_wait
// CHECK-NEXT: local_store
// CHECK-NEXT: agent_return
// CHECK: }
// CHECK-NEXT: local_load
tt.func @given(%n: i32) attributes {tilegpu.num_warps = 8 : i32} {
  %b = tilegpu.named_barrier : !tilegpu.named_barrier
  %x = arith.constant dense<1.0> : tensor<128x16xf32, #tilegpu.blocked<elements = [1, 8], threads = [32, 1], warps = [4, 2], order = [1, 0]>>
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #tilegpu.blocked<elements = [1, 8], threads = [32, 1], warps = [4, 2], order = [1, 0]>> -> !tile
  tilegpu.warp_specialize warps = [4, 4] {
    %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
    tilegpu.barrier_arrive %b
    tilegpu.agent_return
  }, {
    %z = arith.constant dense<2.0> : tensor<128x16xf32, #rows>
    tilegpu.barrier_wait %b
    tilegpu.local_store %z, %m : tensor<128x16xf32, #rows> -> !tile
    tilegpu.agent_return
  }
  %w = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #tilegpu.blocked<elements = [1, 8], threads = [32, 1], warps = [4, 2], order = [1, 0]>>
  tt.return
}

// A constant tile stays with the warps that it is distributed among; an agent's
// store waits for its own warps alone, and one warp for its lanes.
// OWN-LABEL: @own
// OWN-NOT: arith.constant
// OWN: tilegpu.warp_specialize
// OWN: arith.constant dense<2.000000e+00> : tensor<128xf32
// OWN: tt.load
// OWN: tilegpu.barrier{{$}}
// OWN-NEXT: tt.store
// OWN: }, {
// OWN: tt.load
// OWN: tilegpu.barrier warp
// OWN-NEXT: tt.store
tt.func @own(%p: !tt.ptr<f32>, %q: !tt.ptr<f32>) attributes {tilegpu.num_warps = 5 : i32} {
  tilegpu.warp_specialize warps = [4, 1] {
    %two = arith.constant dense<2.0> : tensor<128xf32, #flat>
    %x = tt.load %p : !tt.ptr<f32>
    %s = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #flat>
    %y = tt.splat %x : f32 -> tensor<128xf32, #flat>
    %z = arith.addf %y, %two : tensor<128xf32, #flat>
    tt.store %s, %z : tensor<128x!tt.ptr<f32>, #flat>
    tilegpu.agent_return
  }, {
    %x = tt.load %q : !tt.ptr<f32>
    %c = arith.cmpf ord, %x, %x : f32
    tt.assert %c, "every lane asks" : i1
    %z = arith.addf %x, %x : f32
    tt.store %q, %z : !tt.ptr<f32>
    tilegpu.agent_return
  }
  tt.return
}
}
