// RUN: tilewright-opt %s --tilegpu-overlap-products | FileCheck %s

// Products by warp groups in flight together: each wait sinks to the first use of
// its sums, or to what may write the memory that the product reads, and products that
// need none of it start before.

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 64, warps = [4, 1]>
#left = #tilegpu.dot_operand<index = 0, parent = #acc, kWidth = 2>
!tile = !tilegpu.memdesc<64x64xf16, #k>
!copied = !tilegpu.memdesc<64x64xf16, #k, mutable>
!half = tensor<64x64xf16, #acc>
!sums = tensor<64x64xf32, #acc>
!pending = !tilegpu.pending<tensor<64x64xf32, #acc>>
!pointers = tensor<64x64x!tt.ptr<f16>, #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>>
module attributes {tilegpu.target = "sm_90a"} {

// The third product needs the first one's sums, and not the second one's.
// CHECK-LABEL: @started
// CHECK: %[[A:.*]] = tilegpu.wgmma
// CHECK-NEXT: %[[B:.*]] = tilegpu.wgmma
// CHECK-NEXT: %[[X:.*]] = tilegpu.wgmma_wait %[[A]] {pending = 1 : i32}
// CHECK-NEXT: arith.truncf %[[X]]
// CHECK-NEXT: tilegpu.local_alloc
// CHECK-NEXT: %[[C:.*]] = tilegpu.wgmma
// CHECK-NEXT: %[[Y:.*]] = tilegpu.wgmma_wait %[[B]] {pending = 1 : i32}
// CHECK-NEXT: arith.mulf %[[Y]], %[[Y]]
// CHECK-NEXT: tilegpu.wgmma_wait %[[C]] {pending = 0 : i32}
tt.func @started(%a: !tile, %b: !tile, %zeros: !sums) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %0 = tilegpu.pend %zeros : !sums -> !pending
  %1 = tilegpu.wgmma %a, %b, %0 : !tile * !tile -> !pending
  %x = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  %2 = tilegpu.wgmma %b, %a, %0 : !tile * !tile -> !pending
  %y = tilegpu.wgmma_wait %2 {pending = 0 : i32} : !pending -> !sums
  %square = arith.mulf %y, %y : !sums
  %h = arith.truncf %x : !sums to !half
  %m = tilegpu.local_alloc %h : (!half) -> !tile
  %3 = tilegpu.wgmma %a, %m, %0 : !tile * !tile -> !pending
  %z = tilegpu.wgmma_wait %3 {pending = 0 : i32} : !pending -> !sums
  %r = arith.addf %square, %z : !sums
  tt.return %r : !sums
}

// What needs the third product's sums is not started before the wait for the second
// ones: these are there by then, and what takes them comes first.
// CHECK-LABEL: @over
// CHECK: %[[A:.*]] = tilegpu.wgmma
// CHECK-NEXT: %[[B:.*]] = tilegpu.wgmma
// CHECK-NEXT: %[[X:.*]] = tilegpu.wgmma_wait %[[A]] {pending = 1 : i32}
// CHECK-NEXT: arith.truncf %[[X]]
// CHECK-NEXT: tilegpu.local_alloc
// CHECK-NEXT: %[[C:.*]] = tilegpu.wgmma
// CHECK-NEXT: %[[Y:.*]] = tilegpu.wgmma_wait %[[B]] {pending = 1 : i32}
// CHECK-NEXT: %[[Q:.*]] = arith.mulf %[[Y]], %[[Y]]
// CHECK-NEXT: %[[P:.*]] = tilegpu.pend %[[Q]]
// CHECK-NEXT: %[[Z:.*]] = tilegpu.wgmma_wait %[[C]] {pending = 0 : i32}
// CHECK-NEXT: arith.truncf %[[Z]]
// CHECK-NEXT: %[[M:.*]] = tilegpu.local_alloc
// CHECK-NEXT: %[[D:.*]] = tilegpu.wgmma %{{.*}}, %[[M]], %[[P]]
// CHECK-NEXT: %[[E:.*]] = tilegpu.wgmma %{{.*}}, %[[M]],
// CHECK-NEXT: tilegpu.wgmma_wait %[[D]] {pending = 1 : i32}
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: tilegpu.wgmma_wait %[[E]] {pending = 0 : i32}
tt.func @over(%a: !tile, %b: !tile, %zeros: !sums) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %0 = tilegpu.pend %zeros : !sums -> !pending
  %1 = tilegpu.wgmma %a, %b, %0 : !tile * !tile -> !pending
  %x = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  %2 = tilegpu.wgmma %b, %a, %0 : !tile * !tile -> !pending
  %y = tilegpu.wgmma_wait %2 {pending = 0 : i32} : !pending -> !sums
  %q = arith.mulf %y, %y : !sums
  %p = tilegpu.pend %q : !sums -> !pending
  %h = arith.truncf %x : !sums to !half
  %m = tilegpu.local_alloc %h : (!half) -> !tile
  %3 = tilegpu.wgmma %a, %m, %0 : !tile * !tile -> !pending
  %z = tilegpu.wgmma_wait %3 {pending = 0 : i32} : !pending -> !sums
  %i = arith.truncf %z : !sums to !half
  %n = tilegpu.local_alloc %i : (!half) -> !tile
  %4 = tilegpu.wgmma %a, %n, %p : !tile * !tile -> !pending
  %u = tilegpu.wgmma_wait %4 {pending = 0 : i32} : !pending -> !sums
  %square = arith.mulf %u, %u : !sums
  %5 = tilegpu.wgmma %b, %n, %0 : !tile * !tile -> !pending
  %v = tilegpu.wgmma_wait %5 {pending = 0 : i32} : !pending -> !sums
  %r = arith.addf %square, %v : !sums
  tt.return %r : !sums
}

// Products on one accumulator follow each other without a wait.
// CHECK-LABEL: @joined
// CHECK: %[[A:.*]] = tilegpu.wgmma
// CHECK-NEXT: %[[B:.*]] = tilegpu.wgmma %{{.*}}, %{{.*}}, %[[A]]
// CHECK-NEXT: tilegpu.wgmma_wait %[[B]] {pending = 0 : i32}
// CHECK-NOT: tilegpu.wgmma_wait
tt.func @joined(%a: !tile, %b: !tile, %zeros: !sums) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %0 = tilegpu.pend %zeros : !sums -> !pending
  %1 = tilegpu.wgmma %a, %b, %0 : !tile * !tile -> !pending
  %x = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  %2 = tilegpu.pend %x : !sums -> !pending
  %3 = tilegpu.wgmma %b, %a, %2 : !tile * !tile -> !pending
  %y = tilegpu.wgmma_wait %3 {pending = 0 : i32} : !pending -> !sums
  tt.return %y : !sums
}

// What writes the memory that a product reads waits for it; a product with an
// operand in registers is waited for at once.
// CHECK-LABEL: @overwritten
// CHECK: tilegpu.wgmma
// CHECK-NEXT: arith.addf
// CHECK-NEXT: tilegpu.wgmma_wait
// CHECK-NEXT: tilegpu.async_copy
// CHECK: tilegpu.wgmma
// CHECK-NEXT: tilegpu.wgmma_wait
// CHECK-NEXT: arith.addf
tt.func @overwritten(%a: !copied, %b: !tile, %p: !pointers, %l: tensor<64x64xf16, #left>, %zeros: !sums) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %0 = tilegpu.pend %zeros : !sums -> !pending
  %1 = tilegpu.wgmma %a, %b, %0 : !copied * !tile -> !pending
  %x = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  %two = arith.addf %zeros, %zeros : !sums
  %t = tilegpu.async_copy %p, %a : !pointers -> !copied
  %g = tilegpu.async_commit %t
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  %2 = tilegpu.wgmma %l, %b, %0 : tensor<64x64xf16, #left> * !tile -> !pending
  %y = tilegpu.wgmma_wait %2 {pending = 0 : i32} : !pending -> !sums
  %four = arith.addf %two, %two : !sums
  %s = arith.addf %x, %y : !sums
  %r = arith.addf %s, %four : !sums
  tt.return %r : !sums
}

// A product that moves ahead takes the wait for its copies along, which leaves as
// many groups in flight as were started behind its own.
// CHECK-LABEL: @copies
// CHECK: %[[A:.*]] = tilegpu.wgmma
// CHECK-NEXT: tilegpu.async_wait %{{.*}} {pending = 1 : i32}
// CHECK-NEXT: tilegpu.wgmma
// CHECK-NEXT: tilegpu.wgmma_wait %[[A]] {pending = 1 : i32}
// CHECK-NEXT: arith.mulf
tt.func @copies(%a: !tile, %b: !tile, %p: !pointers, %zeros: !sums) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc : () -> !copied
  %n = tilegpu.local_alloc : () -> !copied
  %t = tilegpu.async_copy %p, %m : !pointers -> !copied
  %g = tilegpu.async_commit %t
  %u = tilegpu.async_copy %p, %n : !pointers -> !copied
  %h = tilegpu.async_commit %u
  %0 = tilegpu.pend %zeros : !sums -> !pending
  %1 = tilegpu.wgmma %a, %b, %0 : !tile * !tile -> !pending
  %x = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  %square = arith.mulf %x, %x : !sums
  %w = tilegpu.async_wait %g {pending = 1 : i32}
  %2 = tilegpu.wgmma %m, %b, %0 : !copied * !tile -> !pending
  %y = tilegpu.wgmma_wait %2 {pending = 0 : i32} : !pending -> !sums
  %v = tilegpu.async_wait %h {pending = 0 : i32}
  %3 = tilegpu.wgmma %n, %b, %0 : !copied * !tile -> !pending
  %z = tilegpu.wgmma_wait %3 {pending = 0 : i32} : !pending -> !sums
  %s = arith.addf %square, %y : !sums
  %r = arith.addf %s, %z : !sums
  tt.return %r : !sums
}

// Sums of the iteration before are read ahead of the first product.
// CHECK-LABEL: @carried
// CHECK: scf.for
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: tilegpu.wgmma
// CHECK-NEXT: tilegpu.local_alloc
// CHECK-NEXT: tilegpu.wgmma
// CHECK: tilegpu.wgmma_wait {{.*}} {pending = 1 : i32}
tt.func @carried(%a: !tile, %b: !tile, %zeros: !sums, %n: i32) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = tilegpu.pend %zeros : !sums -> !pending
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%state = %zeros) -> (!sums) : i32 {
    %1 = tilegpu.wgmma %a, %b, %0 : !tile * !tile -> !pending
    %x = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
    %h = arith.truncf %state : !sums to !half
    %m = tilegpu.local_alloc %h : (!half) -> !tile
    %2 = tilegpu.wgmma %a, %m, %0 : !tile * !tile -> !pending
    %y = tilegpu.wgmma_wait %2 {pending = 0 : i32} : !pending -> !sums
    %s = arith.addf %x, %x : !sums
    %t = arith.addf %s, %y : !sums
    scf.yield %y : !sums
  }
  tt.return %r : !sums
}
}
