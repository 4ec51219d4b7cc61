// RUN: tilewright-opt %s --tilegpu-verify-barriers --split-input-file --verify-diagnostics -o /dev/null

#rows = #tilegpu.blocked<elements = [1, 16], threads = [32, 1], warps = [4, 1], order = [1, 0]>
#turned = #tilegpu.blocked<elements = [16, 1], threads = [2, 16], warps = [4, 1], order = [0, 1]>
#columns = #tilegpu.blocked<elements = [4, 4], threads = [32, 1], warps = [1, 4], order = [1, 0]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
!tile = !tilegpu.memdesc<128x16xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {

tt.func @enough(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  tilegpu.barrier shared
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  tt.return
}

// What the program asks for is not judged.
tt.func @own() attributes {tilegpu.num_warps = 4 : i32} {
  tilegpu.barrier
  tt.return
}

tt.func @none(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-note@+1 {{that access is here}}
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  // expected-error@+1 {{expects a barrier of all warps before it on every path from an access of the same bytes, but got none on one}}
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  tt.return
}

tt.func @weak(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-note@+1 {{that access is here}}
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  tilegpu.barrier warp shared
  // expected-error@+1 {{expects a barrier of all warps before it}}
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  tt.return
}

tt.func @none_within_warps(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-note@+1 {{that access is here}}
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  // expected-error@+1 {{expects a barrier before it}}
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #turned>
  tt.return
}

// On the way back.
tt.func @loop(%x: tensor<128x16xf32, #rows>, %more: i1) attributes {tilegpu.num_warps = 4 : i32} {
  cf.br ^body
^body:
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-error@+1 {{expects a barrier of all warps before it}}
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  tilegpu.barrier shared
  // expected-note@+1 {{that access is here}}
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  cf.cond_br %more, ^body, ^end
^end:
  tt.return
}

tt.func @needless(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-error@+1 {{orders nothing that others do not: it can be removed}}
  tilegpu.barrier shared
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  tilegpu.barrier
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  tt.return
}

tt.func @strong(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  // expected-error@+1 {{orders accesses of the same warps alone: a barrier of the warp is enough}}
  tilegpu.barrier shared
  %y = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #turned>
  tt.return
}
}

// -----

#rows = #tilegpu.blocked<elements = [1, 4], threads = [8, 4], warps = [4, 1], order = [1, 0]>
#columns = #tilegpu.blocked<elements = [4, 1], threads = [8, 4], warps = [1, 4], order = [0, 1]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]>
#dot = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 4], order = [1, 0]>
#flat = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#turned = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]>
!tile = !tilegpu.memdesc<32x16xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {
tt.func @no_wait(%p: tensor<32x16x!tt.ptr<f32>, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-note@+1 {{that access is here}}
  %t = tilegpu.async_copy %p, %m : tensor<32x16x!tt.ptr<f32>, #rows> -> !tile
  %w = tilegpu.async_wait {pending = 0 : i32}
  tilegpu.barrier
  // expected-error@+1 {{expects a wait before it}}
  %x = tilegpu.local_load %m : !tile -> tensor<32x16xf32, #columns>
  tt.return
}

tt.func @no_barrier_behind_the_wait(%p: tensor<32x16x!tt.ptr<f32>, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-note@+1 {{that access is here}}
  %t = tilegpu.async_copy %p, %m : tensor<32x16x!tt.ptr<f32>, #rows> -> !tile
  %g = tilegpu.async_commit %t
  tilegpu.barrier
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  // expected-error@+1 {{expects a barrier of all warps before it}}
  %x = tilegpu.local_load %m : !tile -> tensor<32x16xf32, #columns>
  tt.return
}

// A warp's dot reads the rows of its results: all that the others stored.
tt.func @dot(%a: tensor<8x16xf32, #dot>, %b: tensor<16x8xf32, #dot>, %c: tensor<8x8xf32, #dot>) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-note@+1 {{that access is here}}
  %m = tilegpu.local_alloc %a {offset = 0 : i32} : (tensor<8x16xf32, #dot>) -> !tilegpu.memdesc<8x16xf32, #flat>
  %n = tilegpu.local_alloc %b {offset = 512 : i32} : (tensor<16x8xf32, #dot>) -> !tilegpu.memdesc<16x8xf32, #turned>
  // expected-error@+1 {{expects a barrier of all warps before it}}
  %d = tilegpu.multiply_add %m, %n, %c : !tilegpu.memdesc<8x16xf32, #flat> * !tilegpu.memdesc<16x8xf32, #turned> -> tensor<8x8xf32, #dot>
  tt.return
}
}

// -----

// Products by warp groups: what they read is shown to their proxy, and free
// behind the wait alone.
#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 64, warps = [4, 1]>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!half = tensor<64x64xf16, #rows>
!sums = tensor<64x64xf32, #acc>
!pending = !tilegpu.pending<tensor<64x64xf32, #acc>>
!pointers = tensor<64x64x!tt.ptr<f16>, #rows>
module attributes {tilegpu.target = "sm_90a"} {

tt.func @fenced(%x: !half, %c: !sums) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc %x {offset = 0 : i32} : (!half) -> !tile
  tilegpu.proxy_fence
  tilegpu.barrier shared
  %0 = tilegpu.pend %c : !sums -> !pending
  %1 = tilegpu.wgmma %m, %m, %0 : !tile * !tile -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  tilegpu.barrier shared
  tilegpu.local_store %x, %m : !half -> !tile
  tt.return
}

tt.func @no_fence(%x: !half, %c: !sums) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-note@+1 {{that access is here}}
  %m = tilegpu.local_alloc %x {offset = 0 : i32} : (!half) -> !tile
  tilegpu.barrier shared
  %0 = tilegpu.pend %c : !sums -> !pending
  // expected-error@+1 {{expects a proxy fence and a barrier behind it before it on every path}}
  %1 = tilegpu.wgmma %m, %m, %0 : !tile * !tile -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  tt.return
}

tt.func @fence_too_late(%x: !half, %c: !sums) attributes {tilegpu.num_warps = 4 : i32} {
  // expected-note@+1 {{that access is here}}
  %m = tilegpu.local_alloc %x {offset = 0 : i32} : (!half) -> !tile
  tilegpu.barrier shared
  tilegpu.proxy_fence
  %0 = tilegpu.pend %c : !sums -> !pending
  // expected-error@+1 {{expects a proxy fence and a barrier behind it before it on every path}}
  %1 = tilegpu.wgmma %m, %m, %0 : !tile * !tile -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  tt.return
}

// A copy that has not come is not shown.
tt.func @fence_too_early(%p: !pointers, %c: !sums) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-note@+1 {{that access is here}}
  %t = tilegpu.async_copy %p, %m : !pointers -> !tile
  %g = tilegpu.async_commit %t
  tilegpu.proxy_fence
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  tilegpu.barrier shared
  %0 = tilegpu.pend %c : !sums -> !pending
  // expected-error@+1 {{expects a proxy fence and a barrier behind it before it on every path}}
  %1 = tilegpu.wgmma %m, %m, %0 : !tile * !tile -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  tt.return
}

// One product may be in flight behind the wait, the last one.
tt.func @early_store(%x: !half, %c: !sums) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc %x {offset = 0 : i32} : (!half) -> !tile
  %n = tilegpu.local_alloc %x {offset = 8192 : i32} : (!half) -> !tile
  tilegpu.proxy_fence
  tilegpu.barrier shared
  %0 = tilegpu.pend %c : !sums -> !pending
  %1 = tilegpu.wgmma %m, %m, %0 : !tile * !tile -> !pending
  // expected-note@+1 {{that access is here}}
  %2 = tilegpu.wgmma %n, %n, %1 : !tile * !tile -> !pending
  %3 = tilegpu.wgmma_wait %2 {pending = 1 : i32} : !pending -> !pending
  tilegpu.barrier shared
  tilegpu.local_store %x, %m : !half -> !tile
  // expected-error@+1 {{expects a wait before it on every path}}
  tilegpu.local_store %x, %n : !half -> !tile
  %4 = tilegpu.wgmma_wait %3 {pending = 0 : i32} : !pending -> !sums
  tt.return
}

// The wait is the warp's; others may still be multiplying.
tt.func @no_barrier(%x: !half, %c: !sums) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc %x {offset = 0 : i32} : (!half) -> !tile
  tilegpu.proxy_fence
  tilegpu.barrier shared
  %0 = tilegpu.pend %c : !sums -> !pending
  // expected-note@+1 {{that access is here}}
  %1 = tilegpu.wgmma %m, %m, %0 : !tile * !tile -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  // expected-error@+1 {{expects a barrier of all warps before it on every path}}
  tilegpu.local_store %x, %m : !half -> !tile
  tt.return
}
}

// -----

// What others of a cluster write here is written between its two barriers.
#l = #tilegpu.linear<register = [[1], [128]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#p = #tilegpu.linear<register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]>
#shared = #tilegpu.shared_linear<offset = [[1], [2], [4], [8], [16], [32], [64]]>
!tile = !tilegpu.memdesc<128xf32, #shared, mutable>
!tiles = !tilegpu.memdesc<128xf32, #shared, buffers = 2, mutable>
module attributes {tilegpu.target = "sm_90a"} {

tt.func @between(%x: tensor<256xf32, #l>, %y: tensor<128xf32, #p>, %rank: i32) attributes {tilegpu.num_warps = 2 : i32, tilegpu.cluster = 2 : i32} {
  %c1 = arith.constant 1 : i32
  %n = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  tilegpu.local_store %y, %n : tensor<128xf32, #p> -> !tile
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tiles
  tilegpu.barrier cluster
  tilegpu.store_parts %x to %m at %rank {axis = 0 : i32} : tensor<256xf32, #l> to !tiles
  tilegpu.barrier cluster
  %m1 = tilegpu.memdesc_index %m[%c1] : !tiles -> !tile
  %z = tilegpu.local_load %m1 : !tile -> tensor<128xf32, #p>
  tt.return
}

tt.func @none_before(%x: tensor<256xf32, #l>, %y: tensor<128xf32, #p>, %rank: i32) attributes {tilegpu.num_warps = 2 : i32, tilegpu.cluster = 2 : i32} {
  %n = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  // expected-note@+1 {{that access is here}}
  tilegpu.local_store %y, %n : tensor<128xf32, #p> -> !tile
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tiles
  // expected-error@+1 {{expects a barrier of all warps before it on every path}}
  tilegpu.store_parts %x to %m at %rank {axis = 0 : i32} : tensor<256xf32, #l> to !tiles
  tilegpu.barrier cluster
  tt.return
}

// The thread has written what it reads, but others have too.
tt.func @none_behind(%x: tensor<256xf32, #l>, %rank: i32) attributes {tilegpu.num_warps = 2 : i32, tilegpu.cluster = 2 : i32} {
  %c1 = arith.constant 1 : i32
  %m = tilegpu.local_alloc {offset = 0 : i32} : () -> !tiles
  tilegpu.barrier cluster
  // expected-note@+1 {{that access is here}}
  tilegpu.store_parts %x to %m at %rank {axis = 0 : i32} : tensor<256xf32, #l> to !tiles
  %m1 = tilegpu.memdesc_index %m[%c1] : !tiles -> !tile
  // expected-error@+1 {{expects a barrier of all warps before it on every path}}
  %z = tilegpu.local_load %m1 : !tile -> tensor<128xf32, #p>
  tt.return
}
}
