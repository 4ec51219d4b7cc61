// RUN: tilewright-opt %s --tilegpu-allocate-shared-memory --split-input-file --verify-diagnostics --allow-unregistered-dialect --mlir-print-local-scope | FileCheck %s

#rows = #tilegpu.blocked<elements = [1, 16], threads = [32, 1], warps = [4, 1], order = [1, 0]>
#columns = #tilegpu.blocked<elements = [4, 4], threads = [32, 1], warps = [1, 4], order = [1, 0]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
!tile = !tilegpu.memdesc<128x16xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {

// CHECK-LABEL: @nothing
// CHECK-SAME: tilegpu.shared_bytes = 0 : i32
tt.func @nothing() attributes {tilegpu.num_warps = 4 : i32} {
  tt.return
}

// CHECK-LABEL: @live_together
// CHECK-SAME: tilegpu.shared_bytes = 16384 : i32
// CHECK-DAG: tilegpu.local_alloc {offset = 0 : i32}
// CHECK-DAG: tilegpu.local_alloc {offset = 8192 : i32}
tt.func @live_together(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc : () -> !tile
  %n = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  tilegpu.local_store %x, %n : tensor<128x16xf32, #rows> -> !tile
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  %z = tilegpu.local_load %n : !tile -> tensor<128x16xf32, #columns>
  tt.return
}

// Sharing would cost a barrier between the first load and the second store, and
// 16 KB each let as many CTAs run as 8 KB do, whose threads hold that much.
// CHECK-LABEL: @apart_for_a_barrier
// CHECK-SAME: tilegpu.shared_bytes = 16384 : i32
tt.func @apart_for_a_barrier(%x: tensor<128x16xf32, #rows>, %a: tensor<128x64xf32, #rows>) -> tensor<128x64xf32, #rows> attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  %n = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %n : tensor<128x16xf32, #rows> -> !tile
  %z = tilegpu.local_load %n : !tile -> tensor<128x16xf32, #columns>
  tt.return %a : tensor<128x64xf32, #rows>
}

// The same, but the program has a barrier there.
// CHECK-LABEL: @shared_for_nothing
// CHECK-SAME: tilegpu.shared_bytes = 8192 : i32
tt.func @shared_for_nothing(%x: tensor<128x16xf32, #rows>, %a: tensor<128x64xf32, #rows>) -> tensor<128x64xf32, #rows> attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  tilegpu.barrier
  %n = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %n : tensor<128x16xf32, #rows> -> !tile
  %z = tilegpu.local_load %n : !tile -> tensor<128x16xf32, #columns>
  tt.return %a : tensor<128x64xf32, #rows>
}

// Twelve tiles: all apart they would take a CTA from the multiprocessor. Those
// of the loop are kept apart, those outside share their bytes.
// CHECK-LABEL: @apart_in_the_loop
// CHECK: ^bb1:
// CHECK: tilegpu.local_alloc {offset = [[FIRST:[0-9]+]] : i32}
// CHECK: tilegpu.local_alloc
// CHECK-NOT: {offset = [[FIRST]] : i32}
// CHECK: ^bb2:
tt.func @apart_in_the_loop(%x: tensor<128x16xf32, #rows>, %more: i1, %a: tensor<128x128xf32, #rows>) -> tensor<128x128xf32, #rows> attributes {tilegpu.num_warps = 4 : i32} {
  %m0 = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m0 : tensor<128x16xf32, #rows> -> !tile
  %y0 = tilegpu.local_load %m0 : !tile -> tensor<128x16xf32, #columns>
  %m1 = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m1 : tensor<128x16xf32, #rows> -> !tile
  %y1 = tilegpu.local_load %m1 : !tile -> tensor<128x16xf32, #columns>
  %m2 = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m2 : tensor<128x16xf32, #rows> -> !tile
  %y2 = tilegpu.local_load %m2 : !tile -> tensor<128x16xf32, #columns>
  %m3 = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m3 : tensor<128x16xf32, #rows> -> !tile
  %y3 = tilegpu.local_load %m3 : !tile -> tensor<128x16xf32, #columns>
  cf.br ^body
^body:
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  %n = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %n : tensor<128x16xf32, #rows> -> !tile
  %z = tilegpu.local_load %n : !tile -> tensor<128x16xf32, #columns>
  cf.cond_br %more, ^body, ^end
^end:
  tt.return %a : tensor<128x128xf32, #rows>
}

// The tile lives as long as the block argument that may stand for it.
// CHECK-LABEL: @through_a_block_argument
// CHECK-SAME: tilegpu.shared_bytes = 16384 : i32
tt.func @through_a_block_argument(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  cf.br ^next(%m : !tile)
^next(%same: !tile):
  tilegpu.barrier
  %n = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %n : tensor<128x16xf32, #rows> -> !tile
  tilegpu.barrier
  %y = tilegpu.local_load %same : !tile -> tensor<128x16xf32, #columns>
  tt.return
}

// Regions that may run at the same time share no bytes.
// CHECK-LABEL: @concurrent_regions
// CHECK-SAME: tilegpu.shared_bytes = 16384 : i32
tt.func @concurrent_regions(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  "test.concurrently"() ({
    %m = tilegpu.local_alloc : () -> !tile
    tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
    "test.end"() : () -> ()
  }, {
    %n = tilegpu.local_alloc : () -> !tile
    tilegpu.local_store %x, %n : tensor<128x16xf32, #rows> -> !tile
    "test.end"() : () -> ()
  }) : () -> ()
  tt.return
}
}

// -----

#rows = #tilegpu.blocked<elements = [1, 16], threads = [32, 1], warps = [4, 1], order = [1, 0]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]>
module attributes {tilegpu.target = "sm_75"} {
// Each fits alone.
tt.func @too_many(%x: tensor<64x128xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error@+2 {{expects the kernel's tiles to fit the 65536 bytes of shared memory of sm_75, but got 98304 bytes in function 'too_many'; use smaller tiles or fewer stages}}
  // expected-note@+1 {{the largest tile here takes 65536 bytes: '!tilegpu.memdesc<64x128xf32,}}
  %m = tilegpu.local_alloc : () -> !tilegpu.memdesc<64x128xf32, #shared, buffers = 2, mutable>
  // expected-note@+1 {{beside it lives one of 32768 bytes}}
  %n = tilegpu.local_alloc %x : (tensor<64x128xf32, #rows>) -> !tilegpu.memdesc<64x128xf32, #shared>
  %y = tilegpu.local_load %n : !tilegpu.memdesc<64x128xf32, #shared> -> tensor<64x128xf32, #rows>
  %zero = arith.constant 0 : i32
  %v = tilegpu.memdesc_index %m[%zero] : !tilegpu.memdesc<64x128xf32, #shared, buffers = 2, mutable> -> !tilegpu.memdesc<64x128xf32, #shared, mutable>
  tilegpu.local_store %x, %v : tensor<64x128xf32, #rows> -> !tilegpu.memdesc<64x128xf32, #shared, mutable>
  tt.return
}
}
