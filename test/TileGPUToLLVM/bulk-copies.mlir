// RUN: tilewright-opt %s --tilewright-tilegpu-to-llvm | FileCheck %s

#k = #tilegpu.shared_nvmma<swizzle = 128, elementBits = 16, order = [1, 0]>
#rows = #tilegpu.blocked<elements = [1, 8], threads = [2, 16], warps = [4, 1], order = [1, 0]>
#word = #tilegpu.shared_swizzled<vector = 1, perPhase = 1, maxPhase = 1, order = [0]>
!map = !tilegpu.tensor_map<[1, 32, 128], f16, swizzle = 128>
!tile = !tilegpu.memdesc<32x128xf16, #k, mutable>
!barrier = !tilegpu.memdesc<1xi64, #word, mutable>
!barriers = !tilegpu.memdesc<1xi64, #word, buffers = 2, mutable>
module attributes {tilegpu.target = "sm_90a"} {

// The map is a parameter behind the others, of 128 bytes. One thread of the first
// warp has the phase begin, of all bytes, and starts a copy for each atom of 64 columns; the
// fastest coordinate comes first. Whoever waits asks again.
// CHECK-LABEL: llvm.func @copy
// CHECK-SAME: %[[MAP:[a-z0-9]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})
// CHECK-SAME: tilegpu.tensor_maps = [{base = 0 : i32, map = !tilegpu.tensor_map<[1, 32, 128], f16, swizzle = 128>, nonnegative = [1 : index], signed_dims = array<i32>, sizes = [2147483647, 1 : index, 1 : index], strides = [4096, 2 : index]}]
// CHECK: "@$0 mbarrier.init.shared::cta.b64 [$1], 1;\0A\09@$0 mbarrier.init.shared::cta.b64 [$2], 1;\0A\09@$0 fence.mbarrier_init.release.cluster;", "b,r,r"
// CHECK: llvm.and
// CHECK: "{\0A\09.reg .pred %elected;\0A\09@!$0 bra notElected;\0A\09elect.sync _|%elected, -1;\0A\09@%elected mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], 8192;\0A\09@%elected cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$3], [$2, {$6, $4, $5}], [$1];\0A\09@%elected cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$3+4096], [$2, {$7, $4, $5}], [$1];\0A\09notElected:\0A\09}", "b,r,l,r,r,r,r,r" %{{.*}}, %{{.*}}, %[[MAP]],
// CHECK: mbarrier.try_wait.parity.shared::cta.b64 %complete, [$0], $1;
// CHECK: "@$0 mbarrier.inval.shared::cta.b64 [$1];\0A\09@$0 mbarrier.inval.shared::cta.b64 [$2];", "b,r,r"
tt.func public @copy(%a: !tt.ptr<f16>, %n: i32, %s: i64, %p: i1) attributes {tilegpu.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %large = arith.constant 2147483647 : i64
  %plane = arith.constant 4096 : i64
  %map = tilegpu.tensor_map %a sizes [%large, %n, %n : i64, i32, i32] strides [%plane, %s : i64, i64] nonnegative [%n : i32] : !tt.ptr<f16> -> !map
  %t = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %bs = tilegpu.local_alloc {offset = 8192 : i32} : () -> !barriers
  tilegpu.mbarrier_init %bs : !barriers
  tilegpu.barrier shared
  %b = tilegpu.memdesc_index %bs[%c0] : !barriers -> !barrier
  tilegpu.bulk_copy %map at [%c0, %n, %n] to %t tell %b if %p : !map -> !tile tell !barrier
  tilegpu.mbarrier_wait %b phase %c0 {pending = 0 : i32} : !barrier
  tilegpu.barrier shared
  tilegpu.mbarrier_inval %bs : !barriers
  tt.return
}

// Maps that are the same are one parameter.
// CHECK-LABEL: llvm.func @same
// CHECK-SAME: (%{{[a-z0-9]*}}: !llvm.ptr<1>, %{{[a-z0-9]*}}: i32, %[[MAP:[a-z0-9]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})
// CHECK-COUNT-2: cp.async.bulk.tensor.3d{{.*}}, %[[MAP]],
tt.func public @same(%a: !tt.ptr<f16>, %n: i32) attributes {tilegpu.num_warps = 4 : i32} {
  %t = tilegpu.local_alloc {offset = 0 : i32} : () -> !tile
  %b = tilegpu.local_alloc {offset = 8192 : i32} : () -> !barrier
  %one = tilegpu.tensor_map %a sizes [%n, %n, %n : i32, i32, i32] strides [%n, %n : i32, i32] : !tt.ptr<f16> -> !map
  %two = tilegpu.tensor_map %a sizes [%n, %n, %n : i32, i32, i32] strides [%n, %n : i32, i32] : !tt.ptr<f16> -> !map
  tilegpu.bulk_copy %one at [%n, %n, %n] to %t tell %b : !map -> !tile tell !barrier
  tilegpu.bulk_copy %two at [%n, %n, %n] to %t tell %b : !map -> !tile tell !barrier
  tt.return
}

// A lane of each warp arrives, when all lanes have come by. Of those who copy the
// first warp waits, for the phase before.
// CHECK-LABEL: llvm.func @rounds
// CHECK: "@$0 mbarrier.init.shared::cta.b64 [$1], 4;
// CHECK: nvvm.bar.warp.sync
// CHECK: "@$0 mbarrier.arrive.shared::cta.b64 _, [$1];", "b,r"
// CHECK: setp.eq.u32 %complete, 0, 0;{{.*}}@$2 mbarrier.try_wait.parity.shared::cta.b64 %complete, [$0], $1;{{.*}}@!%complete bra
tt.func public @rounds(%phase: i32, %p: i1) attributes {tilegpu.num_warps = 4 : i32} {
  %b = tilegpu.local_alloc {offset = 0 : i32} : () -> !barrier
  tilegpu.mbarrier_init %b arrivals = 4 : !barrier
  tilegpu.barrier shared
  tilegpu.mbarrier_arrive %b if %p : !barrier
  tilegpu.mbarrier_wait before %b phase %phase if %p {pending = 0 : i32} : !barrier
  tt.return
}

}
