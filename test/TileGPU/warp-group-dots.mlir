// RUN: tilewright-opt %s --split-input-file --verify-roundtrip --tilegpu-insert-barriers | FileCheck %s

// Products by warp groups, and the fences and barriers that they need.

#rows = #tilegpu.blocked<elements = [1, 8], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#n = #tilegpu.shared_nvmma<swizzle = 64, elementBits = 16, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 32, warps = [4, 1]>
#left = #tilegpu.dot_operand<index = 0, parent = #acc, kWidth = 2>
!a = !tilegpu.memdesc<64x64xf16, #k, mutable>
!b = !tilegpu.memdesc<64x32xf16, #n, mutable>
!ha = tensor<64x64xf16, #rows>
!sums = tensor<64x32xf32, #acc>
!pending = !tilegpu.pending<tensor<64x32xf32, #acc>>
!pointers = tensor<64x64x!tt.ptr<f16>, #rows>
module attributes {tilegpu.target = "sm_90a"} {

// What threads have stored is shown to the asynchronous proxy before the
// barrier; what the product reads is overwritten behind its wait and a barrier,
// without a fence.
// CHECK-LABEL: @stored
// CHECK: tilegpu.local_store
// CHECK-NEXT: tilegpu.pend
// CHECK-NEXT: tilegpu.proxy_fence
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.wgmma
// CHECK-NEXT: tilegpu.wgmma_wait
// CHECK-NOT: fence
// CHECK: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.local_store
// CHECK-NOT: fence
tt.func @stored(%x: !ha, %b: tensor<64x32xf16, #rows>, %c: !sums) attributes {tilegpu.num_warps = 4 : i32} {
  %ma = tilegpu.local_alloc {offset = 0 : i32} : () -> !a
  %mb = tilegpu.local_alloc %b {offset = 8192 : i32} : (tensor<64x32xf16, #rows>) -> !b
  tilegpu.local_store %x, %ma : !ha -> !a
  %0 = tilegpu.pend %c : !sums -> !pending
  %1 = tilegpu.wgmma %ma, %mb, %0 : !a * !b -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  tilegpu.local_store %x, %ma : !ha -> !a
  tt.return
}

// What is written over before the asynchronous proxy reads there needs no fence
// of its own.
// CHECK-LABEL: @written_over
// CHECK: tilegpu.local_alloc
// CHECK-NOT: fence
// CHECK: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.local_load
// CHECK: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.local_alloc
// CHECK-NEXT: tilegpu.pend
// CHECK-NEXT: tilegpu.local_alloc
// CHECK-NEXT: tilegpu.proxy_fence
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.wgmma
tt.func @written_over(%x: !ha, %b: tensor<64x32xf16, #rows>, %c: !sums, %l: tensor<64x64xf16, #left>) -> !ha attributes {tilegpu.num_warps = 4 : i32} {
  %ma = tilegpu.local_alloc %x {offset = 0 : i32} : (!ha) -> !a
  %y = tilegpu.local_load %ma : !a -> tensor<64x64xf16, #left>
  %mb = tilegpu.local_alloc %x {offset = 0 : i32} : (!ha) -> !a
  %0 = tilegpu.pend %c : !sums -> !pending
  %n = tilegpu.local_alloc %b {offset = 8192 : i32} : (tensor<64x32xf16, #rows>) -> !b
  %1 = tilegpu.wgmma %mb, %n, %0 : !a * !b -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  tt.return %x : !ha
}

// Nor does what is written over as far as the proxy reads.
// CHECK-LABEL: @read_in_part
// CHECK: tilegpu.local_alloc
// CHECK-NOT: fence
// CHECK: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.local_load
// CHECK-NOT: fence
// CHECK: tilegpu.local_alloc
// CHECK: tilegpu.proxy_fence
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.wgmma
tt.func @read_in_part(%x: !ha, %b: tensor<64x32xf16, #rows>, %c: !sums) -> tensor<64x64xf16, #left> attributes {tilegpu.num_warps = 4 : i32} {
  %ma = tilegpu.local_alloc %x {offset = 0 : i32} : (!ha) -> !a
  %y = tilegpu.local_load %ma : !a -> tensor<64x64xf16, #left>
  %n = tilegpu.local_alloc %b {offset = 2048 : i32} : (tensor<64x32xf16, #rows>) -> !b
  %0 = tilegpu.pend %c : !sums -> !pending
  %1 = tilegpu.wgmma %y, %n, %0 : tensor<64x64xf16, #left> * !b -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  tt.return %y : tensor<64x64xf16, #left>
}

// And what is written over in part does.
// CHECK-LABEL: @written_over_in_part
// CHECK: tilegpu.local_alloc
// CHECK: tilegpu.proxy_fence
// CHECK: tilegpu.local_load
// CHECK: tilegpu.proxy_fence
// CHECK: tilegpu.wgmma
tt.func @written_over_in_part(%x: !ha, %b: tensor<64x32xf16, #rows>, %c: !sums) -> tensor<64x64xf16, #left> attributes {tilegpu.num_warps = 4 : i32} {
  %ma = tilegpu.local_alloc %x {offset = 0 : i32} : (!ha) -> !a
  %y = tilegpu.local_load %ma : !a -> tensor<64x64xf16, #left>
  %n = tilegpu.local_alloc %b {offset = 4096 : i32} : (tensor<64x32xf16, #rows>) -> !b
  %0 = tilegpu.pend %c : !sums -> !pending
  %1 = tilegpu.wgmma %y, %n, %0 : tensor<64x64xf16, #left> * !b -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  %3 = tilegpu.wgmma %ma, %n, %0 : !a * !b -> !pending
  %4 = tilegpu.wgmma_wait %3 {pending = 0 : i32} : !pending -> !sums
  tt.return %y : tensor<64x64xf16, #left>
}

// A fence that is there does; threads that read need none.
// CHECK-LABEL: @by_hand
// CHECK-COUNT-1: tilegpu.proxy_fence
// CHECK-NOT: fence
// CHECK: tilegpu.wgmma
// CHECK-NOT: fence
tt.func @by_hand(%x: !ha, %b: tensor<64x32xf16, #rows>, %c: !sums, %l: tensor<64x64xf16, #left>) attributes {tilegpu.num_warps = 4 : i32} {
  %mb = tilegpu.local_alloc %b {offset = 8192 : i32} : (tensor<64x32xf16, #rows>) -> !b
  tilegpu.proxy_fence
  %0 = tilegpu.pend %c : !sums -> !pending
  %1 = tilegpu.wgmma %l, %mb, %0 : tensor<64x64xf16, #left> * !b -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  %ma = tilegpu.local_alloc %x {offset = 0 : i32} : (!ha) -> !a
  %y = tilegpu.local_load %ma : !a -> tensor<64x64xf16, #left>
  tt.return
}

// A barrier of the loop does for what is stored in front of it, but a fence there
// would be executed in each iteration: that is in front.
// CHECK-LABEL: @in_front_of_a_loop
// CHECK: tilegpu.local_alloc %{{.*}} {offset = 8192
// CHECK-NEXT: tilegpu.local_alloc
// CHECK-NEXT: tilegpu.proxy_fence
// CHECK-NEXT: cf.br
// CHECK-NOT: fence
// CHECK: tilegpu.local_store
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.local_load
// CHECK-NOT: fence
// CHECK: cf.cond_br
tt.func @in_front_of_a_loop(%x: !ha, %b: tensor<64x32xf16, #rows>, %c: !sums, %isOn: i1) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %mb = tilegpu.local_alloc %b {offset = 8192 : i32} : (tensor<64x32xf16, #rows>) -> !b
  %ma = tilegpu.local_alloc {offset = 0 : i32} : () -> !a
  cf.br ^body(%c : !sums)
^body(%sums: !sums):
  tilegpu.local_store %x, %ma : !ha -> !a
  %y = tilegpu.local_load %ma : !a -> tensor<64x64xf16, #left>
  %0 = tilegpu.pend %sums : !sums -> !pending
  %1 = tilegpu.wgmma %y, %mb, %0 : tensor<64x64xf16, #left> * !b -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  cf.cond_br %isOn, ^body(%2 : !sums), ^end
^end:
  tt.return %2 : !sums
}

// Where the loop has a fence anyway, its barrier does.
// CHECK-LABEL: @beside_a_fence
// CHECK-NOT: tilegpu.barrier
// CHECK: cf.br
// CHECK: tilegpu.proxy_fence
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.wgmma
// CHECK: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.local_store
tt.func @beside_a_fence(%x: !ha, %b: tensor<64x32xf16, #rows>, %c: !sums, %isOn: i1) -> !sums attributes {tilegpu.num_warps = 4 : i32} {
  %mb = tilegpu.local_alloc %b {offset = 8192 : i32} : (tensor<64x32xf16, #rows>) -> !b
  %ma = tilegpu.local_alloc {offset = 0 : i32} : () -> !a
  tilegpu.local_store %x, %ma : !ha -> !a
  cf.br ^body(%c : !sums)
^body(%sums: !sums):
  %0 = tilegpu.pend %sums : !sums -> !pending
  %1 = tilegpu.wgmma %ma, %mb, %0 : !a * !b -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  tilegpu.local_store %x, %ma : !ha -> !a
  cf.cond_br %isOn, ^body(%2 : !sums), ^end
^end:
  tt.return %2 : !sums
}

// Copies are shown when they have come.
// CHECK-LABEL: @copied
// CHECK: tilegpu.async_wait
// CHECK-NOT: tilegpu.barrier
// CHECK: tilegpu.proxy_fence
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.wgmma
tt.func @copied(%p: !pointers, %b: tensor<64x32xf16, #rows>, %c: !sums) attributes {tilegpu.num_warps = 4 : i32} {
  %mb = tilegpu.local_alloc %b {offset = 8192 : i32} : (tensor<64x32xf16, #rows>) -> !b
  %ma = tilegpu.local_alloc {offset = 0 : i32} : () -> !a
  %t = tilegpu.async_copy %p, %ma : !pointers -> !a
  %g = tilegpu.async_commit %t
  %w = tilegpu.async_wait %g {pending = 0 : i32}
  %0 = tilegpu.pend %c : !sums -> !pending
  %1 = tilegpu.wgmma %ma, %mb, %0 : !a * !b -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  tt.return
}

// A wait that leaves the last product in flight frees what those before it have
// read; the same tensor is still pending.
// CHECK-LABEL: @two_in_flight
// CHECK: tilegpu.wgmma_wait %{{.*}} {pending = 1 : i32} : <[[T:.*]]> -> !tilegpu.pending<[[T]]>
// CHECK-NEXT: tilegpu.barrier shared
// CHECK-NEXT: tilegpu.local_store %{{.*}}, %[[FIRST:.*]] :
tt.func @two_in_flight(%x: !ha, %b: tensor<64x32xf16, #rows>, %c: !sums) attributes {tilegpu.num_warps = 4 : i32} {
  %mb = tilegpu.local_alloc %b {offset = 16384 : i32} : (tensor<64x32xf16, #rows>) -> !b
  %first = tilegpu.local_alloc %x {offset = 0 : i32} : (!ha) -> !a
  %second = tilegpu.local_alloc %x {offset = 8192 : i32} : (!ha) -> !a
  %0 = tilegpu.pend %c : !sums -> !pending
  %1 = tilegpu.wgmma %first, %mb, %0 : !a * !b -> !pending
  %2 = tilegpu.wgmma %second, %mb, %1 : !a * !b -> !pending
  %3 = tilegpu.wgmma_wait %2 {pending = 1 : i32} : !pending -> !pending
  tilegpu.local_store %x, %first : !ha -> !a
  %4 = tilegpu.wgmma_wait %3 {pending = 0 : i32} : !pending -> !sums
  tt.return
}
}
