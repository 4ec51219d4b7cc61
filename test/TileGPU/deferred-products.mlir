// RUN: tilewright-opt %s --tilegpu-schedule-loops="num-stages=3" --tilegpu-pipeline-loops --canonicalize | FileCheck %s

// Products by warp groups in loops of copies: one iteration's may be in flight
// while the next one starts, where nothing else touches its sums.

#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [8, 1], order = [1, 0]>
#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 128, warps = [8, 1]>
#same = #tilegpu.mma<m16n8, warps = [8, 1]>
!left = !tilegpu.memdesc<128x64xf16, #k, mutable>
!right = !tilegpu.memdesc<64x128xf16, #k, mutable>
!half = tensor<64x128xf16, #rows>
!sums = tensor<128x128xf32, #acc>
!turned = tensor<128x128xf32, #tilegpu.linear<register = [[1, 0], [0, 8], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 16], [0, 32], [0, 64]]>>
!others = tensor<128x128xf32, #same>
!pending = !tilegpu.pending<tensor<128x128xf32, #acc>>
!pointers = tensor<128x64x!tt.ptr<f16>, #rows>
!deepLeft = !tilegpu.memdesc<128x256xf16, #k, mutable>
!deepRight = !tilegpu.memdesc<256x128xf16, #k, mutable>
!deepPointers = tensor<128x256x!tt.ptr<f16>, #rows>
!deepHalf = tensor<256x128xf16, #rows>
#few = #tilegpu.blocked<elements = [1, 8], threads = [2, 16], warps = [4, 1], order = [1, 0]>
#turnedK = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [0, 1]>
!few = !tilegpu.memdesc<64x128xf16, #k, mutable>
!fewTurned = !tilegpu.memdesc<128x64xf16, #turnedK, mutable>
!fewPointers = tensor<64x128x!tt.ptr<f16>, #few>
!fewSums = tensor<64x64xf32, #tilegpu.wgmma<n = 64, warps = [4, 1]>>
module attributes {tilegpu.target = "sm_90a"} {

// A buffer more than stages: in each step the copies overwrite what the product
// two iterations ago has read.
// CHECK-LABEL: @deferred
// CHECK: %[[INIT:.*]] = tilegpu.pend
// CHECK: tilegpu.local_alloc : () -> !tilegpu.memdesc<128x64xf16, {{.*}}, buffers = 4, mutable>
// CHECK: scf.for {{.*}} iter_args({{.*}}%[[SUMS:.*]] = %[[INIT]]
// CHECK: tilegpu.async_wait {pending = 1 : i32}
// CHECK: tilegpu.async_copy
// CHECK: %[[PRODUCT:.*]] = tilegpu.wgmma %{{.*}}, %{{.*}}, %[[SUMS]]
// CHECK-NEXT: %[[LEFT:.*]] = tilegpu.wgmma_wait %[[PRODUCT]] {pending = 1 : i32} : {{.*}} -> !tilegpu.pending
// CHECK: scf.yield {{.*}}%[[LEFT]]
// CHECK: tilegpu.async_wait {pending = 0 : i32}
// CHECK: tilegpu.wgmma_wait %{{.*}} {pending = 0 : i32} : {{.*}} -> tensor<128x128xf32
tt.func @deferred(%p: !pointers, %c: !sums, %b: !half, %n: i32) -> !sums attributes {tilegpu.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %mb = tilegpu.local_alloc %b : (!half) -> !right
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %c) -> (!sums) : i32 {
    %ma = tilegpu.local_alloc : () -> !left
    %t = tilegpu.async_copy %p, %ma : !pointers -> !left
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %0 = tilegpu.pend %sums : !sums -> !pending
    %1 = tilegpu.wgmma %ma, %mb, %0 : !left * !right -> !pending
    %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
    scf.yield %2 : !sums
  }
  tt.return %r : !sums
}

// Another name of the sums' layout does not hinder.
// CHECK-LABEL: @renamed
// CHECK: scf.for
// CHECK-NOT: convert_layout
// CHECK: tilegpu.wgmma_wait {{.*}} {pending = 1 : i32}
// CHECK: scf.yield
// CHECK: tilegpu.wgmma_wait {{.*}} {pending = 0 : i32}
// CHECK-NEXT: tilegpu.convert_layout
tt.func @renamed(%p: !pointers, %c: !others, %b: !half, %n: i32) -> !others attributes {tilegpu.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %mb = tilegpu.local_alloc %b : (!half) -> !right
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %c) -> (!others) : i32 {
    %ma = tilegpu.local_alloc : () -> !left
    %t = tilegpu.async_copy %p, %ma : !pointers -> !left
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %s = tilegpu.convert_layout %sums : !others -> !sums
    %0 = tilegpu.pend %s : !sums -> !pending
    %1 = tilegpu.wgmma %ma, %mb, %0 : !left * !right -> !pending
    %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
    %3 = tilegpu.convert_layout %2 : !sums -> !others
    scf.yield %3 : !others
  }
  tt.return %r : !others
}

// A product computed transposed goes on as well.
// CHECK-LABEL: @transposed
// CHECK: tt.trans
// CHECK-NEXT: tilegpu.pend
// CHECK: scf.for
// CHECK-NOT: tt.trans
// CHECK: tilegpu.wgmma_wait {{.*}} {pending = 1 : i32}
// CHECK-NOT: tt.trans
// CHECK: scf.yield
// CHECK: %[[SUMS:.*]] = tilegpu.wgmma_wait {{.*}} {pending = 0 : i32}
// CHECK-NEXT: tt.trans %[[SUMS]]
tt.func @transposed(%p: !pointers, %c: !turned, %b: !half, %n: i32) -> !turned attributes {tilegpu.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %mb = tilegpu.local_alloc %b : (!half) -> !right
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %c) -> (!turned) : i32 {
    %ma = tilegpu.local_alloc : () -> !left
    %t = tilegpu.async_copy %p, %ma : !pointers -> !left
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %s = tt.trans %sums {order = array<i32: 1, 0>} : !turned -> !sums
    %0 = tilegpu.pend %s : !sums -> !pending
    %1 = tilegpu.wgmma %ma, %mb, %0 : !left * !right -> !pending
    %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
    %3 = tt.trans %2 {order = array<i32: 1, 0>} : !sums -> !turned
    scf.yield %3 : !turned
  }
  tt.return %r : !turned
}

// A result that is turned but not turned back is another one.
// CHECK-LABEL: @half_turned
// CHECK: scf.for
// CHECK: tilegpu.wgmma_wait {{.*}} {pending = 0 : i32}
// CHECK: scf.yield
tt.func @half_turned(%p: !pointers, %c: !turned, %b: !half, %n: i32) -> !turned attributes {tilegpu.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %mb = tilegpu.local_alloc %b : (!half) -> !right
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %c) -> (!turned) : i32 {
    %ma = tilegpu.local_alloc : () -> !left
    %t = tilegpu.async_copy %p, %ma : !pointers -> !left
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %s = tt.trans %sums {order = array<i32: 1, 0>} : !turned -> !sums
    %0 = tilegpu.pend %s : !sums -> !pending
    %1 = tilegpu.wgmma %ma, %mb, %0 : !left * !right -> !pending
    %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
    %3 = tilegpu.convert_layout %2 : !sums -> !turned
    scf.yield %3 : !turned
  }
  tt.return %r : !turned
}

// Two products an iteration: both of the next one may start.
// CHECK-LABEL: @two
// CHECK: buffers = 4
// CHECK: scf.for
// CHECK: tilegpu.wgmma %
// CHECK: tilegpu.wgmma %
// CHECK-NEXT: tilegpu.wgmma_wait {{.*}} {pending = 2 : i32}
// CHECK-NEXT: tilegpu.wgmma_wait {{.*}} {pending = 2 : i32}
// CHECK: scf.yield
tt.func @two(%p: !pointers, %c: !sums, %b: !half, %n: i32) -> (!sums, !sums) attributes {tilegpu.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %mb = tilegpu.local_alloc %b : (!half) -> !right
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c, %y = %c) -> (!sums, !sums) : i32 {
    %ma = tilegpu.local_alloc : () -> !left
    %t = tilegpu.async_copy %p, %ma : !pointers -> !left
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %0 = tilegpu.pend %x : !sums -> !pending
    %1 = tilegpu.wgmma %ma, %mb, %0 : !left * !right -> !pending
    %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
    %3 = tilegpu.pend %y : !sums -> !pending
    %4 = tilegpu.wgmma %ma, %mb, %3 : !left * !right -> !pending
    %5 = tilegpu.wgmma_wait %4 {pending = 0 : i32} : !pending -> !sums
    scf.yield %2, %5 : !sums, !sums
  }
  tt.return %r#0, %r#1 : !sums, !sums
}

// Sums that are scaled are waited for; copies start while the product reads the
// tiles of its own, without a buffer more.
// CHECK-LABEL: @scaled
// CHECK: buffers = 3
// CHECK: scf.for
// CHECK-NOT: tilegpu.async_copy
// CHECK: arith.mulf
// CHECK: tilegpu.wgmma %
// CHECK: tilegpu.async_copy
// CHECK: tilegpu.wgmma_wait {{.*}} {pending = 0 : i32} : {{.*}} -> tensor
// CHECK-NEXT: scf.yield
tt.func @scaled(%p: !pointers, %c: !sums, %b: !half, %n: i32) -> !sums attributes {tilegpu.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %mb = tilegpu.local_alloc %b : (!half) -> !right
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %c) -> (!sums) : i32 {
    %ma = tilegpu.local_alloc : () -> !left
    %t = tilegpu.async_copy %p, %ma : !pointers -> !left
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %s = arith.mulf %sums, %c : !sums
    %0 = tilegpu.pend %s : !sums -> !pending
    %1 = tilegpu.wgmma %ma, %mb, %0 : !left * !right -> !pending
    %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
    scf.yield %2 : !sums
  }
  tt.return %r : !sums
}

// What each iteration stores anew is read before the next one stores it.
// CHECK-LABEL: @stored
// CHECK: buffers = 3
// CHECK: tilegpu.wgmma_wait {{.*}} {pending = 0 : i32} : {{.*}} -> tensor
// CHECK: scf.yield
tt.func @stored(%p: !pointers, %c: !sums, %b: !half, %n: i32) -> !sums attributes {tilegpu.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %c) -> (!sums) : i32 {
    %ma = tilegpu.local_alloc : () -> !left
    %t = tilegpu.async_copy %p, %ma : !pointers -> !left
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %mb = tilegpu.local_alloc %b : (!half) -> !right
    %0 = tilegpu.pend %sums : !sums -> !pending
    %1 = tilegpu.wgmma %ma, %mb, %0 : !left * !right -> !pending
    %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
    scf.yield %2 : !sums
  }
  tt.return %r : !sums
}

// With room for two buffers alone iterations overlap, but products do not.
// CHECK-LABEL: @no_room
// CHECK: buffers = 2
// CHECK: tilegpu.wgmma_wait {{.*}} {pending = 0 : i32} : {{.*}} -> tensor
// CHECK: scf.yield
tt.func @no_room(%p: !deepPointers, %c: !sums, %b: !deepHalf, %n: i32) -> !sums attributes {tilegpu.num_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %mb = tilegpu.local_alloc %b : (!deepHalf) -> !deepRight
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %c) -> (!sums) : i32 {
    %ma = tilegpu.local_alloc : () -> !deepLeft
    %t = tilegpu.async_copy %p, %ma : !deepPointers -> !deepLeft
    %g = tilegpu.async_commit %t
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %0 = tilegpu.pend %sums : !sums -> !pending
    %1 = tilegpu.wgmma %ma, %mb, %0 : !deepLeft * !deepRight -> !pending
    %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
    scf.yield %2 : !sums
  }
  tt.return %r : !sums
}

// 32 KiB a stage: of three CTAs each would have two stages, and three tiles be on
// their way; two CTAs have three stages, and four tiles.
// CHECK-LABEL: @deeper_with_fewer_ctas
// CHECK: buffers = 3
// CHECK: scf.for
tt.func @deeper_with_fewer_ctas(%p: !fewPointers, %q: !fewPointers, %c: !fewSums, %n: i32) -> !fewSums attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sums = %c) -> (!fewSums) : i32 {
    %ma = tilegpu.local_alloc : () -> !few
    %t = tilegpu.async_copy %p, %ma : !fewPointers -> !few
    %mb = tilegpu.local_alloc : () -> !few
    %t1 = tilegpu.async_copy %q, %mb : !fewPointers -> !few
    %g = tilegpu.async_commit %t, %t1
    %w = tilegpu.async_wait %g {pending = 0 : i32}
    %turned = tilegpu.memdesc_trans %mb {order = array<i32: 1, 0>} : !few -> !fewTurned
    %s = arith.mulf %sums, %c : !fewSums
    %0 = tilegpu.pend %s : !fewSums -> !tilegpu.pending<!fewSums>
    %1 = tilegpu.wgmma %ma, %turned, %0 : !few * !fewTurned -> !tilegpu.pending<!fewSums>
    %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !tilegpu.pending<!fewSums> -> !fewSums
    scf.yield %2 : !fewSums
  }
  tt.return %r : !fewSums
}
}
