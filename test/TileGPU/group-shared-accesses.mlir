// RUN: tilewright-opt %s --tilegpu-group-shared-accesses --split-input-file --verify-diagnostics --mlir-print-local-scope | FileCheck %s

#rows = #tilegpu.blocked<elements = [1, 16], threads = [32, 1], warps = [4, 1], order = [1, 0]>
#columns = #tilegpu.blocked<elements = [4, 4], threads = [32, 1], warps = [1, 4], order = [1, 0]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
!tile = !tilegpu.memdesc<128x16xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {

// What is computed from the load comes along. All three tiles at once take no
// CTA away: threads that hold so much of %sum are few.
// CHECK-LABEL: @behind_both_stores
// CHECK: tilegpu.local_store
// CHECK: tilegpu.local_store
// CHECK: tilegpu.local_store
// CHECK-NEXT: %[[A:.*]] = tilegpu.local_load
// CHECK-NEXT: {{.*}}arith.addf %[[A]], %[[A]]
// CHECK-NEXT: {{.*}}tilegpu.local_load
// CHECK-NEXT: {{.*}}tilegpu.local_load
tt.func @behind_both_stores(%x: tensor<128x16xf32, #rows>, %sum: tensor<128x64xf32, #rows>) -> tensor<128x64xf32, #rows> attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  %a = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  %s = arith.addf %a, %a : tensor<128x16xf32, #columns>
  %n = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %n : tensor<128x16xf32, #rows> -> !tile
  %b = tilegpu.local_load %n : !tile -> tensor<128x16xf32, #columns>
  %o = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %o : tensor<128x16xf32, #rows> -> !tile
  %c = tilegpu.local_load %o : !tile -> tensor<128x16xf32, #columns>
  tt.return %sum : tensor<128x64xf32, #rows>
}

// CHECK-LABEL: @store_of_what_is_loaded
// CHECK: tilegpu.local_load
// CHECK: tilegpu.local_store
// CHECK-NEXT: {{.*}}tilegpu.local_load
tt.func @store_of_what_is_loaded(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  %a = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  %n = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %a, %n : tensor<128x16xf32, #columns> -> !tile
  %b = tilegpu.local_load %n : !tile -> tensor<128x16xf32, #rows>
  tt.return
}

// The second store is to the tile that is loaded.
// CHECK-LABEL: @store_to_the_same_tile
// CHECK: tilegpu.local_store
// CHECK-NEXT: {{.*}}tilegpu.local_load
// CHECK-NEXT: tilegpu.local_store
tt.func @store_to_the_same_tile(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  %a = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  tt.return
}

// A reduction of what is loaded takes time that hides the loads before the
// second store.
// CHECK-LABEL: @work_between
// CHECK: tilegpu.local_store
// CHECK-NEXT: {{.*}}tilegpu.local_load
// CHECK: tt.reduce
// CHECK: tilegpu.local_store
tt.func @work_between(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  %a = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  %s = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %v : f32
    tt.reduce.return %w : f32
  }) : (tensor<128x16xf32, #columns>) -> tensor<16xf32, #tilegpu.slice<dim = 0, parent = #columns>>
  %n = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %n : tensor<128x16xf32, #rows> -> !tile
  tt.return
}

// CHECK-LABEL: @barrier_between
// CHECK: tilegpu.local_load
// CHECK-NEXT: tilegpu.barrier
// CHECK: tilegpu.local_store
tt.func @barrier_between(%x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  %a = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  tilegpu.barrier
  %n = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %n : tensor<128x16xf32, #rows> -> !tile
  tt.return
}
}

// -----

#rows = #tilegpu.blocked<elements = [1, 16], threads = [32, 1], warps = [4, 1], order = [1, 0]>
#turned = #tilegpu.blocked<elements = [16, 1], threads = [2, 16], warps = [4, 1], order = [0, 1]>
#columns = #tilegpu.blocked<elements = [4, 4], threads = [32, 1], warps = [1, 4], order = [1, 0]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
!tile = !tilegpu.memdesc<128x16xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_80"} {

// The barrier that the stored tiles need serves what was copied too.
// CHECK-LABEL: @wait_before_loads
// CHECK: tilegpu.local_store
// CHECK: tilegpu.local_store
// CHECK-NEXT: {{.*}}tilegpu.async_wait
// CHECK-NEXT: {{.*}}tilegpu.local_load
// CHECK-NEXT: {{.*}}tilegpu.local_load
// CHECK-NEXT: {{.*}}arith.addf
// CHECK-NEXT: {{.*}}tilegpu.local_load
tt.func @wait_before_loads(%p: tensor<128x16x!tt.ptr<f32>, #rows>, %x: tensor<128x16xf32, #rows>, %sum: tensor<128x64xf32, #rows>) -> tensor<128x64xf32, #rows> attributes {tilegpu.num_warps = 4 : i32} {
  %c = tilegpu.local_alloc : () -> !tile
  %t = tilegpu.async_copy %p, %c : tensor<128x16x!tt.ptr<f32>, #rows> -> !tile
  %g = tilegpu.async_commit %t
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  %n = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %n : tensor<128x16xf32, #rows> -> !tile
  %a = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #columns>
  %b = tilegpu.local_load %n : !tile -> tensor<128x16xf32, #columns>
  %s = arith.addf %a, %b : tensor<128x16xf32, #columns>
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  %y = tilegpu.local_load %c : !tile -> tensor<128x16xf32, #columns>
  tt.return %sum : tensor<128x64xf32, #rows>
}

// Each warp reads what it has stored itself: no barrier of all warps is there
// to serve.
// CHECK-LABEL: @wait_stays
// CHECK: tilegpu.local_store
// CHECK-NEXT: {{.*}}tilegpu.local_load
// CHECK-NEXT: {{.*}}tilegpu.async_wait
// CHECK: tilegpu.async_commit
// CHECK-NEXT: {{.*}}tilegpu.local_load
// CHECK-NEXT: {{.*}}tilegpu.async_wait
tt.func @wait_stays(%p: tensor<128x16x!tt.ptr<f32>, #rows>, %x: tensor<128x16xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %c = tilegpu.local_alloc : () -> !tile
  %t = tilegpu.async_copy %p, %c : tensor<128x16x!tt.ptr<f32>, #rows> -> !tile
  %g = tilegpu.async_commit %t
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x16xf32, #rows> -> !tile
  %a = tilegpu.local_load %m : !tile -> tensor<128x16xf32, #turned>
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  // Groups that it counts come before it.
  %u = tilegpu.async_copy %p, %m : tensor<128x16x!tt.ptr<f32>, #rows> -> !tile
  %n = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %n : tensor<128x16xf32, #rows> -> !tile
  %b = tilegpu.local_load %n : !tile -> tensor<128x16xf32, #columns>
  %h = tilegpu.async_commit %u
  %d = tilegpu.local_load %n : !tile -> tensor<128x16xf32, #turned>
  %v = tilegpu.async_wait %h {pending = 0 : i32}
  tt.return
}
}

// -----

#rows = #tilegpu.blocked<elements = [1, 16], threads = [32, 1], warps = [4, 1], order = [1, 0]>
#columns = #tilegpu.blocked<elements = [4, 4], threads = [32, 1], warps = [1, 4], order = [1, 0]>
#shared = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0]]>
!tile = !tilegpu.memdesc<128x64xf32, #shared, mutable>
module attributes {tilegpu.target = "sm_75"} {
// Two tiles of 32 KB at once would be all that a multiprocessor has: one CTA
// instead of two.
// CHECK-LABEL: @too_large_together
// CHECK: tilegpu.local_store
// CHECK-NEXT: {{.*}}tilegpu.local_load
// CHECK: tilegpu.local_store
tt.func @too_large_together(%x: tensor<128x64xf32, #rows>) attributes {tilegpu.num_warps = 4 : i32} {
  %m = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %m : tensor<128x64xf32, #rows> -> !tile
  %a = tilegpu.local_load %m : !tile -> tensor<128x64xf32, #columns>
  %n = tilegpu.local_alloc : () -> !tile
  tilegpu.local_store %x, %n : tensor<128x64xf32, #rows> -> !tile
  %b = tilegpu.local_load %n : !tile -> tensor<128x64xf32, #columns>
  tt.return
}
}

// -----

// Tiles that products read are made next to the one before, so that one fence and
// one barrier serve both; what waits for a product in between is not.
#acc = #tilegpu.wgmma<n = 32, warps = [4, 1]>
#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#n = #tilegpu.shared_nvmma<swizzle = 64, elementBits = 16, order = [1, 0]>
!a = !tilegpu.memdesc<64x64xf16, #k>
!b = !tilegpu.memdesc<64x32xf16, #n>
!copied = !tilegpu.memdesc<64x32xf16, #n, mutable>
!sums = tensor<64x32xf32, #acc>
!half = tensor<64x32xf16, #acc>
!pending = !tilegpu.pending<tensor<64x32xf32, #acc>>
module attributes {tilegpu.target = "sm_90a"} {

// CHECK-LABEL: @made_together
// CHECK: %[[X:.*]] = tilegpu.wgmma_wait
// CHECK-NEXT: %[[SQUARE:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK-NEXT: %[[S:.*]] = arith.truncf %[[SQUARE]]
// CHECK-NEXT: tilegpu.local_alloc %[[S]]
// CHECK-NEXT: %[[H:.*]] = arith.truncf %[[X]]
// CHECK-NEXT: tilegpu.local_alloc %[[H]]
// CHECK-NEXT: {{.*}} = tilegpu.wgmma
// CHECK-NEXT: %[[Y:.*]] = tilegpu.wgmma_wait
// CHECK-NEXT: {{.*}} = tilegpu.wgmma
// CHECK: arith.truncf %[[Y]]
// CHECK-NEXT: tilegpu.local_alloc
tt.func @made_together(%a: !a, %b: !b, %zeros: !sums) -> (!sums, !sums) attributes {tilegpu.num_warps = 4 : i32} {
  %0 = tilegpu.pend %zeros : !sums -> !pending
  %1 = tilegpu.wgmma %a, %b, %0 : !a * !b -> !pending
  %x = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  %square = arith.mulf %x, %x : !sums
  %s = arith.truncf %square : !sums to !half
  %ms = tilegpu.local_alloc %s : (!half) -> !b
  %2 = tilegpu.wgmma %a, %ms, %0 : !a * !b -> !pending
  %y = tilegpu.wgmma_wait %2 {pending = 0 : i32} : !pending -> !sums
  %h = arith.truncf %x : !sums to !half
  %mh = tilegpu.local_alloc %h : (!half) -> !b
  %3 = tilegpu.wgmma %a, %mh, %0 : !a * !b -> !pending
  %z = tilegpu.wgmma_wait %3 {pending = 0 : i32} : !pending -> !sums
  %t = arith.truncf %y : !sums to !half
  %mt = tilegpu.local_alloc %t : (!half) -> !b
  %4 = tilegpu.wgmma %a, %mt, %0 : !a * !b -> !pending
  %w = tilegpu.wgmma_wait %4 {pending = 0 : i32} : !pending -> !sums
  tt.return %z, %w : !sums, !sums
}

// So are tiles that loads from shared memory go into, where what is there is the
// same; behind a wait for copies it may be another.
// CHECK-LABEL: @made_with_what_is_loaded
// CHECK: tilegpu.local_alloc %{{.*}} : (tensor<64x32xf16
// CHECK-NEXT: %[[L:.*]] = tilegpu.local_load
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[L]],
// CHECK-NEXT: tilegpu.local_alloc %[[S]] :
// CHECK-NEXT: {{.*}} = tilegpu.wgmma
// CHECK: tilegpu.async_wait
// CHECK: %[[K:.*]] = tilegpu.local_load
// CHECK-NEXT: %[[T:.*]] = arith.addf %[[K]],
// CHECK-NEXT: tilegpu.local_alloc %[[T]] :
tt.func @made_with_what_is_loaded(%a: !a, %b: !b, %zeros: !sums, %h: !half) -> (!sums, !sums, !sums) attributes {tilegpu.num_warps = 4 : i32} {
  %0 = tilegpu.pend %zeros : !sums -> !pending
  %c = tilegpu.local_alloc : () -> !copied
  %mh = tilegpu.local_alloc %h : (!half) -> !b
  %1 = tilegpu.wgmma %a, %mh, %0 : !a * !b -> !pending
  %x = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  %l = tilegpu.local_load %c : !copied -> !half
  %s = arith.addf %l, %h : !half
  %ms = tilegpu.local_alloc %s : (!half) -> !b
  %2 = tilegpu.wgmma %a, %ms, %0 : !a * !b -> !pending
  %y = tilegpu.wgmma_wait %2 {pending = 0 : i32} : !pending -> !sums
  %w = tilegpu.async_wait {pending = 0 : i32}
  %k = tilegpu.local_load %c : !copied -> !half
  %t = arith.addf %k, %h : !half
  %mt = tilegpu.local_alloc %t : (!half) -> !b
  %3 = tilegpu.wgmma %a, %mt, %0 : !a * !b -> !pending
  %z = tilegpu.wgmma_wait %3 {pending = 0 : i32} : !pending -> !sums
  tt.return %x, %y, %z : !sums, !sums, !sums
}
}

// -----

// expected-error@+1 {{expects one of the targets}}
module attributes {tilegpu.target = "sm_1"} {
}
