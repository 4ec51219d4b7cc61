// RUN: tilewright-opt %s --tilegpu-decompose-reduce-scatters --split-input-file --verify-diagnostics | FileCheck %s

// A thread has registers 0 and 1 of the first part, 2 and 3 of the second one.
#l = #tilegpu.linear<register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0]]>
#p = #tilegpu.linear<register = [[0, 1]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0]]>
module attributes {tilegpu.target = "sm_90a"} {
// CHECK-LABEL: @sum
// CHECK-SAME: (%[[X:.*]]: tensor<64x4xf32
// CHECK: %[[PROGRAM:.*]] = tt.get_program_id x : i32
// CHECK-NEXT: %[[LAST:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[RANK:.*]] = arith.andi %[[PROGRAM]], %[[LAST]] : i32
// CHECK-NEXT: %[[M:.*]] = tilegpu.local_alloc : () -> !tilegpu.memdesc<64x2xf32, #[[SHARED:.*]], buffers = 2, mutable>
// CHECK-NEXT: tilegpu.barrier cluster
// CHECK-NEXT: tilegpu.store_parts %[[X]] to %[[M]] at %[[RANK]] {axis = 1 : i32} : tensor<64x4xf32, #{{.*}}> to <64x2xf32, #[[SHARED]], buffers = 2, mutable>
// CHECK-NEXT: tilegpu.barrier cluster
// CHECK: %[[M0:.*]] = tilegpu.memdesc_index %[[M]][%c0
// CHECK-NEXT: %[[P0:.*]] = tilegpu.local_load %[[M0]]
// CHECK: %[[M1:.*]] = tilegpu.memdesc_index %[[M]][%c1
// CHECK-NEXT: %[[P1:.*]] = tilegpu.local_load %[[M1]]
// CHECK-NEXT: %[[R:.*]] = arith.addf %[[P0]], %[[P1]]
// CHECK-NEXT: return %[[R]]
tt.func private @sum(%x: tensor<64x4xf32, #l>) -> tensor<64x2xf32, #p> attributes {tilegpu.num_warps = 2 : i32, tilegpu.cluster = 2 : i32} {
  %r = tile.reduce_scatter %x {axis = 1 : i32, programs = 2 : i32} : tensor<64x4xf32, #l> -> tensor<64x2xf32, #p>
  tt.return %r : tensor<64x2xf32, #p>
}
}

// -----

// In an agent: the other ones come to as many barriers of the cluster.
#l = #tilegpu.linear<register = [[1], [128]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#p = #tilegpu.linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
module attributes {tilegpu.target = "sm_90a"} {
// CHECK-LABEL: @agents
// CHECK: tilegpu.warp_specialize
// CHECK: tilegpu.barrier cluster
// CHECK: tilegpu.store_parts
// CHECK: tilegpu.barrier cluster
// CHECK: arith.addi
// CHECK-NOT: tilegpu.barrier
// CHECK: tilegpu.agent_return
// CHECK-NEXT: }, {
// CHECK: tilegpu.barrier cluster
// CHECK-NEXT: tilegpu.barrier cluster
// CHECK-NEXT: tilegpu.agent_return
tt.func private @agents(%p: !tt.ptr<i32>) attributes {tilegpu.num_warps = 3 : i32, tilegpu.cluster = 2 : i32} {
  tilegpu.warp_specialize warps = [2, 1] {
    %x = arith.constant dense<1> : tensor<256xi32, #l>
    %r = tile.reduce_scatter %x {axis = 0 : i32, programs = 2 : i32} : tensor<256xi32, #l> -> tensor<128xi32, #p>
    %s = tt.splat %p : !tt.ptr<i32> -> tensor<128x!tt.ptr<i32>, #p>
    tt.store %s, %r : tensor<128x!tt.ptr<i32>, #p>
    tilegpu.agent_return
  }, {
    tilegpu.agent_return
  }
  tt.return
}
}

// -----

module attributes {tilegpu.target = "sm_90a"} {
tt.func private @no_layout(%x: tensor<64x4xf32>) attributes {tilegpu.num_warps = 2 : i32, tilegpu.cluster = 2 : i32} {
  // expected-error @+1 {{'tile.reduce_scatter' op expects tensors with a register layout, but got 'tensor<64x4xf32>'}}
  %r = tile.reduce_scatter %x {axis = 1 : i32, programs = 2 : i32} : tensor<64x4xf32> -> tensor<64x2xf32>
  tt.return
}
}

// -----

#l = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
module attributes {tilegpu.target = "sm_90a"} {
tt.func private @in_warps(%x: tensor<128xf32, #l>) attributes {tilegpu.num_warps = 4 : i32, tilegpu.cluster = 2 : i32} {
  // expected-error @+1 {{'tile.reduce_scatter' op expects registers that each hold one part along axis 0, and the result in the layout of a part, but got 'tensor<128xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>>' and 'tensor<64xf32, #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>>'}}
  %r = tile.reduce_scatter %x {axis = 0 : i32, programs = 2 : i32} : tensor<128xf32, #l> -> tensor<64xf32, #l>
  tt.return
}
}

// -----

#l = #tilegpu.linear<register = [[1], [128]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#p = #tilegpu.linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
module attributes {tilegpu.target = "sm_90a"} {
tt.func private @no_cluster(%x: tensor<256xf32, #l>) attributes {tilegpu.num_warps = 2 : i32} {
  // expected-error @+1 {{'tile.reduce_scatter' op expects a function with clusters of 2 programs (run tilegpu-form-clusters first), but got 1}}
  %r = tile.reduce_scatter %x {axis = 0 : i32, programs = 2 : i32} : tensor<256xf32, #l> -> tensor<128xf32, #p>
  tt.return
}
}
