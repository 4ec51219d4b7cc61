// Numbers that a loop loads come by threads' copies where these bring a tile anyhow,
// beside bulk copies of another one; the same bits as without, under all checks of the
// emulator.

// RUN: tilewright compile %s --target=sm_90a --num-warps=2 --bulk-copies --emit=ptx -o - | FileCheck %s
// CHECK-LABEL: .entry scaled(
// CHECK-DAG: cp.async.bulk.tensor.2d
// CHECK-DAG: cp.async.cg.shared.global {{.*}}, 16
// CHECK-DAG: cp.async.ca.shared.global {{.*}}, 4, 
// CHECK-NOT: ld.global

// RUN: tilewright run %s --target=sm_90a --num-warps=2 --device=emulator --bulk-copies=false --grid=2,2 --arg=random:60x328xf16:1 --arg=random:328x128xf16:2 --arg=%t.npy=zeros:60x128xf32 --arg=random:6xf32:3 --arg=i32:60 --arg=i32:328 --arg=i32:128
// RUN: tilewright run %s --target=sm_90a --num-warps=2 --device=emulator --bulk-copies --grid=2,2 --arg=random:60x328xf16:1 --arg=random:328x128xf16:2 --arg=poison:60x128xf32 --arg=random:6xf32:3 --arg=i32:60 --arg=i32:328 --arg=i32:128 --compare=2=%t.npy
// RUN: tilewright run %s --target=sm_90a --num-warps=2 --num-stages=2 --seed=5 --device=emulator --bulk-copies --grid=2,2 --arg=random:60x328xf16:1 --arg=random:328x128xf16:2 --arg=poison:60x128xf32 --arg=random:6xf32:3 --arg=i32:60 --arg=i32:328 --arg=i32:128 --compare=2=%t.npy
// RUN: tilewright run %s --target=sm_90a --num-warps=2 --seed=7 --device=emulator --specialize-warps --grid=2,2 --arg=random:60x328xf16:1 --arg=random:328x128xf16:2 --arg=poison:60x128xf32 --arg=random:6xf32:3 --arg=i32:60 --arg=i32:328 --arg=i32:128 --compare=2=%t.npy

// The rows of A are 328 elements; those of B are as many as the launch says, so that
// no tensor map is sure to be possible.
tt.func public @scaled(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %factors: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %M: i32, %K: i32 {tt.divisibility = 8 : i32}, %s: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %sa = arith.constant 328 : i64
  %sc = arith.constant 128 : i64
  %N = arith.constant 128 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %sb = arith.extsi %s : i32 to i64
  %da = tt.make_tensor_descriptor %a, [%M, %K], [%sa, %one] : <f16>, <tensor<32x64xf16>>
  %db = tt.make_tensor_descriptor %b, [%K, %N], [%sb, %one] : <f16>, <tensor<64x64xf16>>
  %dc = tt.make_tensor_descriptor %c, [%M, %N], [%sc, %one] : <f32>, <tensor<32x64xf32>>
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %m = arith.muli %x, %c32 : i32
  %n = arith.muli %y, %c64 : i32
  %sum:2 = scf.for %k = %c0 to %K step %c64 iter_args(%acc = %zero, %f = %factors) -> (tensor<32x64xf32>, !tt.ptr<f32>) : i32 {
    %va = tt.descriptor_load %da[%m, %k] : !tt.tensordesc<tensor<32x64xf16>> -> tensor<32x64xf16>
    %vb = tt.descriptor_load %db[%k, %n] : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
    %d = tt.dot %va, %vb, %zero : tensor<32x64xf16> * tensor<64x64xf16> -> tensor<32x64xf32>
    %factor = tt.load %f : !tt.ptr<f32>
    %all = tt.splat %factor : f32 -> tensor<32x64xf32>
    %scaled = arith.mulf %acc, %all : tensor<32x64xf32>
    %next = arith.addf %scaled, %d : tensor<32x64xf32>
    %g = tt.addptr %f, %c1 : !tt.ptr<f32>, i32
    scf.yield %next, %g : tensor<32x64xf32>, !tt.ptr<f32>
  }
  tt.descriptor_store %dc[%m, %n], %sum#0 : !tt.tensordesc<tensor<32x64xf32>>, tensor<32x64xf32>
  tt.return
}
