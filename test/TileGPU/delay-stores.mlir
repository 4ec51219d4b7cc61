// RUN: tilewright-opt %s --tilegpu-delay-stores | FileCheck %s

// Stores whose elements come from shared memory go behind the start of the next
// products by warp groups.

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 64, warps = [4, 1]>
#left = #tilegpu.dot_operand<index = 0, parent = #acc, kWidth = 2>
#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
!tile = !tilegpu.memdesc<64x64xf16, #k, mutable>
!sums = tensor<64x64xf32, #acc>
!pending = !tilegpu.pending<tensor<64x64xf32, #acc>>
!half = tensor<64x64xf16, #rows>
!pointers = tensor<64x64x!tt.ptr<f16>, #rows>
module attributes {tilegpu.target = "sm_90a"} {

// Two, in their order.
// CHECK-LABEL: @stores
// CHECK: tilegpu.pend
// CHECK-NEXT: tilegpu.wgmma
// CHECK-NEXT: tilegpu.wgmma
// CHECK-NEXT: %[[X:.*]] = tilegpu.local_load %arg0
// CHECK-NEXT: tt.store %arg2, %[[X]]
// CHECK-NEXT: %[[Y:.*]] = tilegpu.local_load %arg1
// CHECK-NEXT: tt.store %arg3, %[[Y]]
// CHECK-NEXT: tilegpu.wgmma_wait
tt.func @stores(%a: !tile, %b: !tile, %p: !pointers, %q: !pointers, %zeros: !sums) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %x = tilegpu.local_load %a : !tile -> !half
  tt.store %p, %x : !pointers
  %y = tilegpu.local_load %b : !tile -> !half
  tt.store %q, %y : !pointers
  %0 = tilegpu.pend %zeros : !sums -> !pending
  %1 = tilegpu.wgmma %a, %b, %0 : !tile * !tile -> !pending
  %2 = tilegpu.wgmma %b, %a, %1 : !tile * !tile -> !pending
  %r = tilegpu.wgmma_wait %2 {pending = 0 : i32} : !pending -> !sums
  tt.return %r : !sums
}

// Not where the tile is written in between, nor behind what reads global memory,
// nor where another store would come first that stays.
// CHECK-LABEL: @written
// CHECK: tt.store
// CHECK: tilegpu.local_store
// CHECK: tilegpu.wgmma
tt.func @written(%a: !tile, %b: !tile, %p: !pointers, %h: !half, %zeros: !sums) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %x = tilegpu.local_load %a : !tile -> !half
  tt.store %p, %x : !pointers
  tilegpu.local_store %h, %a : !half -> !tile
  %0 = tilegpu.pend %zeros : !sums -> !pending
  %1 = tilegpu.wgmma %a, %b, %0 : !tile * !tile -> !pending
  %r = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  tt.return %r : !sums
}

// CHECK-LABEL: @read
// CHECK: tt.store
// CHECK: tt.load
// CHECK: tilegpu.wgmma
tt.func @read(%a: !tile, %b: !tile, %p: !pointers, %zeros: !sums) -> (!sums, !half) attributes {tilegpu.num_warps = 4 : i32} {
  %x = tilegpu.local_load %a : !tile -> !half
  tt.store %p, %x : !pointers
  %h = tt.load %p : !pointers
  %0 = tilegpu.pend %zeros : !sums -> !pending
  %1 = tilegpu.wgmma %a, %b, %0 : !tile * !tile -> !pending
  %r = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  tt.return %r, %h : !sums, !half
}

// CHECK-LABEL: @overtaken
// CHECK: tilegpu.local_load
// CHECK-NEXT: tt.store
// CHECK-NEXT: tt.store
// CHECK: tilegpu.wgmma
tt.func @overtaken(%a: !tile, %b: !tile, %p: !pointers, %h: !half, %zeros: !sums) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %x = tilegpu.local_load %a : !tile -> !half
  tt.store %p, %x : !pointers
  tt.store %p, %h : !pointers
  %0 = tilegpu.pend %zeros : !sums -> !pending
  %1 = tilegpu.wgmma %a, %b, %0 : !tile * !tile -> !pending
  %r = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  tt.return %r : !sums
}

// Nor beside a product that reads registers.
// CHECK-LABEL: @registers
// CHECK: tt.store
// CHECK: tilegpu.wgmma
tt.func @registers(%a: !tile, %l: tensor<64x64xf16, #left>, %p: !pointers, %zeros: !sums) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %x = tilegpu.local_load %a : !tile -> !half
  tt.store %p, %x : !pointers
  %0 = tilegpu.pend %zeros : !sums -> !pending
  %1 = tilegpu.wgmma %l, %a, %0 : tensor<64x64xf16, #left> * !tile -> !pending
  %r = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  tt.return %r : !sums
}
}
