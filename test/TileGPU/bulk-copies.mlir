// RUN: tilewright-opt %s --tilegpu-allocate-shared-memory --tilegpu-insert-barriers --tilegpu-verify-barriers | FileCheck %s

// Boxes that the asynchronous proxy brings, and the mbarriers that tell of them.

#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#warp = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [1, 1], order = [1, 0]>
#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#word = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!tiles = !tilegpu.memdesc<64x64xf16, #k, buffers = 2, mutable>
!barrier = !tilegpu.memdesc<1xi64, #word, mutable>
!barriers = !tilegpu.memdesc<1xi64, #word, buffers = 2, mutable>
!half = tensor<64x64xf16, #rows>
!pointers = tensor<64x64x!tt.ptr<f16>, #rows>
module attributes {tilegpu.target = "sm_90a"} {

// The mbarrier is made before others use it; all threads wait for the copy, each
// for itself, so that none is needed between the wait and the load, nor a fence.
// CHECK-LABEL: @once
// CHECK: tilegpu.mbarrier_init
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.bulk_copy
// CHECK-NEXT: tilegpu.mbarrier_wait
// CHECK-NEXT: tilegpu.local_load
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.mbarrier_inval
tt.func @once(%a: !tt.ptr<f16>, %m: i32, %s: i64, %i: i32) -> !half attributes {tilegpu.num_warps = 4 : i32} {
  %map = tilegpu.tensor_map %a sizes [%m, %m : i32, i32] strides [%s : i64] : !tt.ptr<f16> -> !map
  %t = tilegpu.local_alloc : () -> !tile
  %b = tilegpu.local_alloc : () -> !barrier
  tilegpu.mbarrier_init %b : !barrier
  tilegpu.bulk_copy %map at [%i, %i] to %t tell %b : !map -> !tile tell !barrier
  tilegpu.mbarrier_wait %b {pending = 0 : i32} : !barrier
  %x = tilegpu.local_load %t : !tile -> !half
  tilegpu.mbarrier_inval %b : !barrier
  tt.return %x : !half
}

// What threads have written the copy may write over behind a fence and a
// barrier, what they have read behind a barrier.
// CHECK-LABEL: @over_writes
// CHECK: tilegpu.local_store
// CHECK-NEXT: tilegpu.proxy_fence
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.bulk_copy
// CHECK-NEXT: tilegpu.mbarrier_wait
// CHECK-NEXT: tilegpu.local_load
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.bulk_copy
tt.func @over_writes(%a: !tt.ptr<f16>, %m: i32, %s: i64, %i: i32, %x: !half) -> (!half, !half) attributes {tilegpu.num_warps = 4 : i32} {
  %one = arith.constant 1 : i32
  %map = tilegpu.tensor_map %a sizes [%m, %m : i32, i32] strides [%s : i64] : !tt.ptr<f16> -> !map
  %t = tilegpu.local_alloc : () -> !tile
  %b = tilegpu.local_alloc : () -> !barrier
  tilegpu.mbarrier_init %b : !barrier
  tilegpu.local_store %x, %t : !half -> !tile
  tilegpu.bulk_copy %map at [%i, %i] to %t tell %b : !map -> !tile tell !barrier
  tilegpu.mbarrier_wait %b {pending = 0 : i32} : !barrier
  %y = tilegpu.local_load %t : !tile -> !half
  tilegpu.bulk_copy %map at [%i, %i] to %t tell %b : !map -> !tile tell !barrier
  tilegpu.mbarrier_wait %b phase %one {pending = 0 : i32} : !barrier
  %z = tilegpu.local_load %t : !tile -> !half
  tilegpu.mbarrier_inval %b : !barrier
  tt.return %y, %z : !half, !half
}

// The same by the barriers of a single warp.
// CHECK-LABEL: @over_writes_of_one_warp
// CHECK: tilegpu.local_store
// CHECK-NEXT: tilegpu.proxy_fence
// CHECK-NEXT: tilegpu.barrier warp shared
// CHECK-NEXT: tilegpu.bulk_copy
// CHECK-NEXT: tilegpu.mbarrier_wait
// CHECK-NEXT: tilegpu.local_load
tt.func @over_writes_of_one_warp(%a: !tt.ptr<f16>, %m: i32, %s: i64, %i: i32, %x: tensor<64x64xf16, #warp>) -> tensor<64x64xf16, #warp> attributes {tilegpu.num_warps = 1 : i32} {
  %map = tilegpu.tensor_map %a sizes [%m, %m : i32, i32] strides [%s : i64] : !tt.ptr<f16> -> !map
  %t = tilegpu.local_alloc : () -> !tile
  %b = tilegpu.local_alloc : () -> !barrier
  tilegpu.mbarrier_init %b : !barrier
  tilegpu.local_store %x, %t : tensor<64x64xf16, #warp> -> !tile
  tilegpu.bulk_copy %map at [%i, %i] to %t tell %b : !map -> !tile tell !barrier
  tilegpu.mbarrier_wait %b {pending = 0 : i32} : !barrier
  %y = tilegpu.local_load %t : !tile -> tensor<64x64xf16, #warp>
  tt.return %y : tensor<64x64xf16, #warp>
}

// Two buffers: one barrier an iteration, since the buffer that is copied to is
// the one that was read in the iteration before.
// CHECK-LABEL: @loop
// CHECK: tilegpu.bulk_copy
// CHECK: ^bb2:
// CHECK-NOT: tilegpu.barrier
// CHECK: tilegpu.mbarrier_wait
// CHECK: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.bulk_copy
// CHECK-NOT: tilegpu.barrier
// CHECK: cf.br ^bb1
tt.func @loop(%a: !tt.ptr<f16>, %m: i32, %s: i64, %n: i32, %out: !pointers) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %map = tilegpu.tensor_map %a sizes [%m, %m : i32, i32] strides [%s : i64] : !tt.ptr<f16> -> !map
  %ts = tilegpu.local_alloc : () -> !tiles
  %bs = tilegpu.local_alloc : () -> !barriers
  tilegpu.mbarrier_init %bs : !barriers
  %t0 = tilegpu.memdesc_index %ts[%c0] : !tiles -> !tile
  %b0 = tilegpu.memdesc_index %bs[%c0] : !barriers -> !barrier
  tilegpu.bulk_copy %map at [%c0, %c0] to %t0 tell %b0 : !map -> !tile tell !barrier
  cf.br ^bb1(%c0, %c0, %c0 : i32, i32, i32)
^bb1(%i: i32, %now: i32, %phase: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^bb2, ^bb3
^bb2:
  %next = arith.subi %c1, %now : i32
  %t = tilegpu.memdesc_index %ts[%now] : !tiles -> !tile
  %b = tilegpu.memdesc_index %bs[%now] : !barriers -> !barrier
  tilegpu.mbarrier_wait %b phase %phase {pending = 0 : i32} : !barrier
  %nt = tilegpu.memdesc_index %ts[%next] : !tiles -> !tile
  %nb = tilegpu.memdesc_index %bs[%next] : !barriers -> !barrier
  %j = arith.addi %i, %c1 : i32
  %isThere = arith.cmpi slt, %j, %n : i32
  tilegpu.bulk_copy %map at [%j, %c0] to %nt tell %nb if %isThere : !map -> !tile tell !barrier
  %x = tilegpu.local_load %t : !tile -> !half
  tt.store %out, %x : !pointers
  %turned = arith.xori %phase, %now : i32
  cf.br ^bb1(%j, %next, %turned : i32, i32, i32)
^bb3:
  tilegpu.mbarrier_inval %bs : !barriers
  tt.return
}

}
