// RUN: tilewright-opt %s --tilegpu-advance-copies | FileCheck %s
// RUN: tilewright-opt %s --tilegpu-advance-copies --convert-scf-to-cf --tilegpu-allocate-shared-memory --tilegpu-insert-barriers --tilegpu-verify-barriers | FileCheck %s --check-prefix=BARRIERS

// Bulk copies, and what makes their mbarriers, start behind the reads before,
// above waits for these.

#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#one = #tilegpu.blocked<elements = [1], threads = [32], warps = [4], order = [0]>
#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#word = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!map = !tilegpu.tensor_map<[64, 64], f16, swizzle = 128>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!tiles = !tilegpu.memdesc<64x64xf16, #k, buffers = 2, mutable>
!large = !tilegpu.memdesc<256x128xf16, #k, mutable>
!barrier = !tilegpu.memdesc<1xi64, #word, mutable>
!barriers = !tilegpu.memdesc<1xi64, #word, buffers = 2, mutable>
!number = !tilegpu.memdesc<1xi32, #word, mutable>
!half = tensor<64x64xf16, #rows>
!pointers = tensor<64x64x!tt.ptr<f16>, #rows>
module attributes {tilegpu.target = "sm_90a"} {

// As a pipeline's prologue has them: all mbarriers are made first, so that one
// barrier shows them to all threads. What follows a wait for a copy stays there.
// CHECK-LABEL: @above_wait
// CHECK: %[[G:.*]] = tilegpu.async_commit
// CHECK-COUNT-2: tilegpu.mbarrier_init
// CHECK-COUNT-2: tilegpu.bulk_copy
// CHECK-NOT: tilegpu.bulk_copy
// CHECK: tilegpu.async_wait %[[G]]
// CHECK: tilegpu.local_load
// CHECK: tilegpu.local_store
// CHECK: tilegpu.mbarrier_wait
// CHECK: tilegpu.bulk_copy
// BARRIERS-LABEL: @above_wait
// BARRIERS-COUNT-2: tilegpu.mbarrier_init
// BARRIERS-NOT: tilegpu.proxy_fence
// BARRIERS: tilegpu.barrier shared
// BARRIERS-NOT: tilegpu.barrier
// BARRIERS: tilegpu.async_wait
tt.func @above_wait(%a: !tt.ptr<f16>, %p: !pointers, %m: i32, %s: i64, %i: i32) -> (!half, !half, !half) attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 65536 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %map = tilegpu.tensor_map %a sizes [%m, %m : i32, i32] strides [%s : i64] : !tt.ptr<f16> -> !map
  %q = tilegpu.local_alloc : () -> !tile
  %t = tilegpu.async_copy %p, %q : !pointers -> !tile
  %g = tilegpu.async_commit %t
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  %x = tilegpu.local_load %q : !tile -> !half
  %y = arith.addf %x, %x : !half
  %q2 = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %y, %q2 : !half -> !tile
  %b = tilegpu.local_alloc : () -> !barriers
  tilegpu.mbarrier_init %b : !barriers
  %d = tilegpu.local_alloc : () -> !barrier
  tilegpu.mbarrier_init %d : !barrier
  %ks = tilegpu.local_alloc : () -> !tiles
  %v = tilegpu.local_alloc : () -> !tile
  %b0 = tilegpu.memdesc_index %b[%c0] : !barriers -> !barrier
  %k0 = tilegpu.memdesc_index %ks[%c0] : !tiles -> !tile
  %isThere = arith.cmpi slt, %i, %m : i32
  tilegpu.bulk_copy %map at [%i, %c0] to %k0 tell %b0 if %isThere : !map -> !tile tell !barrier
  %j = arith.addi %i, %m : i32
  tilegpu.bulk_copy %map at [%j, %c0] to %v tell %d : !map -> !tile tell !barrier
  tilegpu.mbarrier_wait %b0 if %isThere {pending = 1 : i32} : !barrier
  %b1 = tilegpu.memdesc_index %b[%c1] : !barriers -> !barrier
  %k1 = tilegpu.memdesc_index %ks[%c1] : !tiles -> !tile
  tilegpu.bulk_copy %map at [%j, %j] to %k1 tell %b1 : !map -> !tile tell !barrier
  %z = tilegpu.local_load %q2 : !tile -> !half
  %k = tilegpu.local_load %k0 : !tile -> !half
  tilegpu.mbarrier_wait %d {pending = 1 : i32} : !barrier
  tilegpu.mbarrier_wait %b1 {pending = 0 : i32} : !barrier
  %l = tilegpu.local_load %k1 : !tile -> !half
  tilegpu.mbarrier_inval %b : !barriers
  tilegpu.mbarrier_inval %d : !barrier
  tt.return %z, %k, %l : !half, !half, !half
}

// Where the box is depends on what is waited for; the copy behind does not go
// ahead of it.
// CHECK-LABEL: @where_is_copied
// CHECK: tilegpu.async_wait
// CHECK: %[[WHERE:.*]] = tt.unsplat
// CHECK: tilegpu.bulk_copy %{{.*}} at[%[[WHERE]],
// CHECK: tilegpu.bulk_copy
tt.func @where_is_copied(%a: !tt.ptr<f16>, %p: tensor<1x!tt.ptr<i32>, #one>, %m: i32, %s: i64) -> (!half, !half) attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 65536 : i32} {
  %c0 = arith.constant 0 : i32
  %map = tilegpu.tensor_map %a sizes [%m, %m : i32, i32] strides [%s : i64] : !tt.ptr<f16> -> !map
  %q = tilegpu.local_alloc : () -> !number
  %t = tilegpu.async_copy %p, %q : tensor<1x!tt.ptr<i32>, #one> -> !number
  %g = tilegpu.async_commit %t
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  %x = tilegpu.local_load %q : !number -> tensor<1xi32, #one>
  %i = tt.unsplat %x : tensor<1xi32, #one>
  %b = tilegpu.local_alloc : () -> !barrier
  tilegpu.mbarrier_init %b : !barrier
  %k = tilegpu.local_alloc : () -> !tile
  tilegpu.bulk_copy %map at [%i, %c0] to %k tell %b : !map -> !tile tell !barrier
  %d = tilegpu.local_alloc : () -> !barrier
  tilegpu.mbarrier_init %d : !barrier
  %v = tilegpu.local_alloc : () -> !tile
  tilegpu.bulk_copy %map at [%c0, %c0] to %v tell %d : !map -> !tile tell !barrier
  tilegpu.mbarrier_wait %b {pending = 1 : i32} : !barrier
  tilegpu.mbarrier_wait %d {pending = 0 : i32} : !barrier
  %y = tilegpu.local_load %k : !tile -> !half
  %z = tilegpu.local_load %v : !tile -> !half
  tilegpu.mbarrier_inval %b : !barrier
  tilegpu.mbarrier_inval %d : !barrier
  tt.return %y, %z : !half, !half
}

// Together with what is read before, the tile would cost the multiprocessor CTAs.
// CHECK-LABEL: @no_room
// CHECK: tilegpu.local_load
// CHECK: tilegpu.mbarrier_init
// CHECK: tilegpu.bulk_copy
tt.func @no_room(%a: !tt.ptr<f16>, %p: tensor<256x128x!tt.ptr<f16>, #rows>, %m: i32, %s: i64) -> (!half, tensor<256x128xf16, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %map = tilegpu.tensor_map %a sizes [%m, %m : i32, i32] strides [%s : i64] : !tt.ptr<f16> -> !map
  %q = tilegpu.local_alloc : () -> !large
  %t = tilegpu.async_copy %p, %q : tensor<256x128x!tt.ptr<f16>, #rows> -> !large
  %g = tilegpu.async_commit %t
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  %x = tilegpu.local_load %q : !large -> tensor<256x128xf16, #rows>
  %b = tilegpu.local_alloc : () -> !barrier
  tilegpu.mbarrier_init %b : !barrier
  %ks = tilegpu.local_alloc : () -> !tilegpu.memdesc<64x64xf16, #k, buffers = 8, mutable>
  %k = tilegpu.memdesc_index %ks[%c0] : !tilegpu.memdesc<64x64xf16, #k, buffers = 8, mutable> -> !tile
  tilegpu.bulk_copy %map at [%c0, %c0] to %k tell %b : !map -> !tile tell !barrier
  tilegpu.mbarrier_wait %b {pending = 0 : i32} : !barrier
  %y = tilegpu.local_load %k : !tile -> !half
  tilegpu.mbarrier_inval %b : !barrier
  tt.return %y, %x : !half, tensor<256x128xf16, #rows>
}

// Its tile holds something else in between; and threads write what it copies.
// CHECK-LABEL: @overwrites
// CHECK: tilegpu.local_load
// CHECK: tilegpu.bulk_copy
tt.func @overwrites(%a: !tt.ptr<f16>, %p: !pointers, %m: i32, %s: i64) -> (!half, !half) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %map = tilegpu.tensor_map %a sizes [%m, %m : i32, i32] strides [%s : i64] : !tt.ptr<f16> -> !map
  %q = tilegpu.local_alloc : () -> !tile
  %t = tilegpu.async_copy %p, %q : !pointers -> !tile
  %g = tilegpu.async_commit %t
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  %x = tilegpu.local_load %q : !tile -> !half
  %b = tilegpu.local_alloc : () -> !barrier
  tilegpu.mbarrier_init %b : !barrier
  tilegpu.bulk_copy %map at [%c0, %c0] to %q tell %b : !map -> !tile tell !barrier
  tilegpu.mbarrier_wait %b {pending = 0 : i32} : !barrier
  %y = tilegpu.local_load %q : !tile -> !half
  tilegpu.mbarrier_inval %b : !barrier
  tt.return %x, %y : !half, !half
}
// CHECK-LABEL: @written
// CHECK: tt.store
// CHECK: tilegpu.bulk_copy
tt.func @written(%a: !tt.ptr<f16>, %p: !pointers, %m: i32, %s: i64) -> !half attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 65536 : i32} {
  %c0 = arith.constant 0 : i32
  %map = tilegpu.tensor_map %a sizes [%m, %m : i32, i32] strides [%s : i64] : !tt.ptr<f16> -> !map
  %q = tilegpu.local_alloc : () -> !tile
  %t = tilegpu.async_copy %p, %q : !pointers -> !tile
  %g = tilegpu.async_commit %t
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  %x = tilegpu.local_load %q : !tile -> !half
  %to = tt.splat %a : !tt.ptr<f16> -> !pointers
  tt.store %to, %x : !pointers
  %b = tilegpu.local_alloc : () -> !barrier
  tilegpu.mbarrier_init %b : !barrier
  %k = tilegpu.local_alloc : () -> !tile
  tilegpu.bulk_copy %map at [%c0, %c0] to %k tell %b : !map -> !tile tell !barrier
  tilegpu.mbarrier_wait %b {pending = 0 : i32} : !barrier
  %y = tilegpu.local_load %k : !tile -> !half
  tilegpu.mbarrier_inval %b : !barrier
  tt.return %y : !half
}

// An iteration that makes its mbarriers starts early as well. A pipeline's, which
// are made outside, start when its schedule says.
// CHECK-LABEL: @iterations
// CHECK: scf.for
// CHECK: tilegpu.async_commit
// CHECK: tilegpu.mbarrier_init
// CHECK: tilegpu.bulk_copy
// CHECK: tilegpu.async_wait
// CHECK: tilegpu.mbarrier_inval
// CHECK: tilegpu.mbarrier_init
// CHECK: scf.for
// CHECK: tt.load
// CHECK: tilegpu.local_load
// CHECK: tilegpu.bulk_copy
tt.func @iterations(%a: !tt.ptr<f16>, %p: !pointers, %at: !tt.ptr<i32>, %m: i32, %s: i64, %x0: !half) -> (!half, !half) attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 65536 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %map = tilegpu.tensor_map %a sizes [%m, %m : i32, i32] strides [%s : i64] : !tt.ptr<f16> -> !map
  %r = scf.for %i = %c0 to %m step %c1 iter_args(%sum = %x0) -> (!half) : i32 {
    %q = tilegpu.local_alloc : () -> !tile
    %t = tilegpu.async_copy %p, %q : !pointers -> !tile
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %x = tilegpu.local_load %q : !tile -> !half
    %b = tilegpu.local_alloc : () -> !barrier
    tilegpu.mbarrier_init %b : !barrier
    %k = tilegpu.local_alloc : () -> !tile
    tilegpu.bulk_copy %map at [%i, %c0] to %k tell %b : !map -> !tile tell !barrier
    tilegpu.mbarrier_wait %b {pending = 0 : i32} : !barrier
    %y = tilegpu.local_load %k : !tile -> !half
    tilegpu.mbarrier_inval %b : !barrier
    %z = arith.addf %x, %y : !half
    scf.yield %z : !half
  }
  %d = tilegpu.local_alloc : () -> !barrier
  tilegpu.mbarrier_init %d : !barrier
  %v = tilegpu.local_alloc : () -> !tile
  %f:2 = scf.for %i = %c0 to %m step %c1 iter_args(%sum = %x0, %phase = %c0) -> (!half, i32) : i32 {
    %at1 = tt.addptr %at, %i : !tt.ptr<i32>, i32
    %n = tt.load %at1 : !tt.ptr<i32>
    %x = tilegpu.local_load %v : !tile -> !half
    tilegpu.bulk_copy %map at [%n, %c0] to %v tell %d : !map -> !tile tell !barrier
    tilegpu.mbarrier_wait %d phase %phase {pending = 0 : i32} : !barrier
    %next = arith.xori %phase, %c1 : i32
    %z = arith.addf %sum, %x : !half
    scf.yield %z, %next : !half, i32
  }
  tilegpu.mbarrier_inval %d : !barrier
  tt.return %r, %f#0 : !half, !half
}
}
