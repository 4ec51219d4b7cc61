// RUN: tilewright-opt %s --split-input-file --tilewright-tilegpu-to-llvm | FileCheck %s

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#n = #tilegpu.shared_nvmma<swizzle = 32, elementBits = 16, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 16, warps = [4, 1]>
!a = !tilegpu.memdesc<64x64xf16, #k>
!b = !tilegpu.memdesc<64x16xf16, #n>
!sums = tensor<64x16xf32, #acc>
!pending = !tilegpu.pending<tensor<64x16xf32, #acc>>
module attributes {tilegpu.target = "sm_90a"} {

// Both operands in shared memory: A with K contiguous, 1024 bytes between
// eights of rows; B with columns contiguous, eights of K 256 bytes apart. A
// step along K is 32 bytes of A and 16 rows of 32 bytes of B. Sums pass the
// fence, the instructions and the wait; there are none before the first
// instruction, which is told so.
// CHECK-LABEL: llvm.func @shared
// CHECK: %[[B:.*]] = llvm.mlir.constant(-4611685949707845632 : i64)
// CHECK: llvm.or %{{.*}}, %[[B]]
// CHECK: %[[A:.*]] = llvm.mlir.constant(4611686293305360384 : i64)
// CHECK: llvm.or %{{.*}}, %[[A]]
// CHECK: %[[FENCED:.*]] = llvm.inline_asm has_side_effects {{.*}}"wgmma.fence.sync.aligned;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7"
// CHECK: %[[FIRST:.*]] = llvm.extractvalue %[[FENCED]][0]
// CHECK: llvm.inline_asm has_side_effects {{.*}}"wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {$0, $1, $2, $3, $4, $5, $6, $7}, $16, $17, 0, 1, 1, 0, 1;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,l,l" %[[FIRST]],
// CHECK: llvm.mlir.constant(2 : i64)
// CHECK: llvm.mlir.constant(32 : i64)
// CHECK-COUNT-3: wgmma.mma_async{{.*}}, $16, $17, 1, 1, 1, 0, 1;"
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7"
tt.func public @shared(%p: !tt.ptr<f32>) attributes {tilegpu.num_warps = 4 : i32} {
  %c = arith.constant dense<0.0> : !sums
  %a = tilegpu.local_alloc {offset = 0 : i32} : () -> !a
  %b = tilegpu.local_alloc {offset = 8192 : i32} : () -> !b
  %0 = tilegpu.pend %c : !sums -> !pending
  %1 = tilegpu.wgmma %a, %b, %0 : !a * !b -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  %at = tt.splat %p : !tt.ptr<f32> -> tensor<64x16x!tt.ptr<f32>, #acc>
  tt.store %at, %2 : tensor<64x16x!tt.ptr<f32>, #acc>
  tt.return
}

// What is in flight passes a wait that leaves it there.
// CHECK-LABEL: llvm.func @in_flight
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: %[[LEFT:.*]] = llvm.inline_asm has_side_effects {{.*}}"wgmma.wait_group.sync.aligned 1;"
// CHECK: llvm.extractvalue %[[LEFT]][7]
// CHECK: "wgmma.wait_group.sync.aligned 0;"
tt.func public @in_flight(%p: !tt.ptr<f32>) attributes {tilegpu.num_warps = 4 : i32} {
  %c = arith.constant dense<0.0> : !sums
  %a = tilegpu.local_alloc {offset = 0 : i32} : () -> !a
  %b = tilegpu.local_alloc {offset = 8192 : i32} : () -> !b
  %0 = tilegpu.pend %c : !sums -> !pending
  %1 = tilegpu.wgmma %a, %b, %0 : !a * !b -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 1 : i32} : !pending -> !pending
  %3 = tilegpu.wgmma_wait %2 {pending = 0 : i32} : !pending -> !sums
  %at = tt.splat %p : !tt.ptr<f32> -> tensor<64x16x!tt.ptr<f32>, #acc>
  tt.store %at, %3 : tensor<64x16x!tt.ptr<f32>, #acc>
  tt.return
}

// CHECK-LABEL: llvm.func @fence
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
tt.func public @fence() attributes {tilegpu.num_warps = 4 : i32} {
  tilegpu.proxy_fence
  tt.return
}
}

// -----

#k = #tilegpu.shared_nvmma<swizzle = 64, elementBits = 16, order = [0, 1]>
#acc = #tilegpu.wgmma<n = 32, warps = [8, 2]>
#left = #tilegpu.dot_operand<index = 0, parent = #acc, kWidth = 2>
!a = tensor<128x32xbf16, #left>
!b = !tilegpu.memdesc<32x64xbf16, #k>
!sums = tensor<128x64xf32, #acc>
!pending = !tilegpu.pending<tensor<128x64xf32, #acc>>
module attributes {tilegpu.target = "sm_90a"} {

// The left operand in registers: its words pass the fence too. Four groups of
// warps, of which bit 3 of the warp's number says which columns: 32 of them are
// 2048 bytes.
// CHECK-LABEL: llvm.func @registers
// CHECK: nvvm.shfl.sync
// CHECK: %[[BIT:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: llvm.lshr %{{.*}}, %[[BIT]]
// CHECK: %[[BYTES:.*]] = llvm.mlir.constant(128 : i32)
// CHECK: llvm.mul %{{.*}}, %[[BYTES]]
// CHECK: "wgmma.fence.sync.aligned;", "=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=f,=r,=r,=r,=r,=r,=r,=r,=r,0,
// CHECK: "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {{{.*}}}, {$32, $33, $34, $35}, $36, 0, 1, 1, 0;", {{.*}},r,r,r,r,l"
// CHECK-NOT: wgmma.fence
// CHECK: wgmma.mma_async{{.*}}, $36, 1, 1, 1, 0;"
// CHECK-NOT: wgmma.mma_async
tt.func public @registers(%p: !tt.ptr<bf16>, %q: !tt.ptr<f32>) attributes {tilegpu.num_warps = 16 : i32} {
  %c = arith.constant dense<0.0> : !sums
  %from = tt.splat %p : !tt.ptr<bf16> -> tensor<128x32x!tt.ptr<bf16>, #left>
  %a = tt.load %from : tensor<128x32x!tt.ptr<bf16>, #left>
  %b = tilegpu.local_alloc {offset = 0 : i32} : () -> !b
  %0 = tilegpu.pend %c : !sums -> !pending
  %1 = tilegpu.wgmma %a, %b, %0 : !a * !b -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  %at = tt.splat %q : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>, #acc>
  tt.store %at, %2 : tensor<128x64x!tt.ptr<f32>, #acc>
  tt.return
}
}

// -----

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 128, warps = [4, 1]>
#left = #tilegpu.dot_operand<index = 0, parent = #acc, kWidth = 2>
!a = tensor<64x32xbf16, #left>
!b = !tilegpu.memdesc<32x128xbf16, #k>
!sums = tensor<64x128xf32, #acc>
!pending = !tilegpu.pending<tensor<64x128xf32, #acc>>
module attributes {tilegpu.target = "sm_90a"} {

// Of many columns the words of each K pass a fence of their own, so that the
// next ones are computed under the product before.
// CHECK-LABEL: llvm.func @wide
// CHECK: "wgmma.fence.sync.aligned;", "={{.*}},=f,=r,=r,=r,=r,0,
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16
// CHECK: "wgmma.fence.sync.aligned;", "=r,=r,=r,=r,0,1,2,3"
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16
// CHECK-NOT: wgmma.mma_async
tt.func public @wide(%p: !tt.ptr<bf16>, %q: !tt.ptr<f32>) attributes {tilegpu.num_warps = 4 : i32} {
  %c = arith.constant dense<0.0> : !sums
  %from = tt.splat %p : !tt.ptr<bf16> -> tensor<64x32x!tt.ptr<bf16>, #left>
  %a = tt.load %from : tensor<64x32x!tt.ptr<bf16>, #left>
  %b = tilegpu.local_alloc {offset = 0 : i32} : () -> !b
  %0 = tilegpu.pend %c : !sums -> !pending
  %1 = tilegpu.wgmma %a, %b, %0 : !a * !b -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  %at = tt.splat %q : !tt.ptr<f32> -> tensor<64x128x!tt.ptr<f32>, #acc>
  tt.store %at, %2 : tensor<64x128x!tt.ptr<f32>, #acc>
  tt.return
}
}

// -----

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#acc = #tilegpu.wgmma<n = 64, warps = [4, 1]>
!tile = !tilegpu.memdesc<64x64xf16, #k>
!sums = tensor<64x64xf16, #acc>
!pending = !tilegpu.pending<tensor<64x64xf16, #acc>>
module attributes {tilegpu.target = "sm_90a"} {

// Sums of f16 go in pairs, and count from the first instruction on where they
// are not zeros.
// CHECK-LABEL: llvm.func @halves
// CHECK: llvm.bitcast %{{.*}} : vector<2xf16> to i32
// CHECK: "wgmma.fence.sync.aligned;", "=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,=r,0,
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16{{.*}}, 1, 1, 1, 0, 1;"
// CHECK: llvm.bitcast %{{.*}} : i32 to vector<2xf16>
tt.func public @halves(%p: !tt.ptr<f16>) attributes {tilegpu.num_warps = 4 : i32} {
  %c = arith.constant dense<1.0> : !sums
  %a = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %0 = tilegpu.pend %c : !sums -> !pending
  %1 = tilegpu.wgmma %a, %a, %0 : !tile * !tile -> !pending
  %2 = tilegpu.wgmma_wait %1 {pending = 0 : i32} : !pending -> !sums
  %at = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>, #acc>
  tt.store %at, %2 : tensor<64x64x!tt.ptr<f16>, #acc>
  tt.return
}
}
