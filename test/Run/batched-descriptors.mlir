// Products of a batch whose matrices are blocks of one element in the first
// dimension: bulk copies bring them, and zeros where the batch ends or before it
// begins (programs 2 and 3), as masks do on other targets.

// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --bulk-copies --emit=ptx -o - | FileCheck %s
// CHECK-NOT: cp.async.c
// CHECK: cp.async.bulk.tensor.3d
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-warps=4 --bulk-copies=false --grid=4 --arg=random:2x64x192xf16:1 --arg=random:2x64x192xf16:2 --arg=%t.npy=poison:4x64x64xf32 --arg=i32:2 --arg=i32:192 --arg=i64:12288
// RUN: tilewright run %s --target=sm_90a --device=emulator --num-warps=4 --bulk-copies --grid=4 --arg=random:2x64x192xf16:1 --arg=random:2x64x192xf16:2 --arg=poison:4x64x64xf32 --arg=i32:2 --arg=i32:192 --arg=i64:12288 --compare=2=%t.npy
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --grid=4 --arg=random:2x64x192xf16:1 --arg=random:2x64x192xf16:2 --arg=poison:4x64x64xf32 --arg=i32:2 --arg=i32:192 --arg=i64:12288 --compare=2=%t.npy

!block = !tt.tensordesc<1x64x64xf16>

tt.func public @batch(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32, %k: i32 {tt.divisibility = 8 : i32}, %matrix: i64 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %program = tt.get_program_id x : i32
  // 0, 1, 2 and -1.
  %isLast = arith.cmpi eq, %program, %c3 : i32
  %minus = arith.constant -1 : i32
  %which = arith.select %isLast, %minus, %program : i32
  %row = arith.extsi %k : i32 to i64
  %A = tt.make_tensor_descriptor %a, [%count, %c64, %k], [%matrix, %row, %one] {tt.divisibility = 16 : i32} : !tt.ptr<f16>, !block
  %B = tt.make_tensor_descriptor %b, [%count, %c64, %k], [%matrix, %row, %one] {tt.divisibility = 16 : i32} : !tt.ptr<f16>, !block
  %sum = scf.for %first = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tt.descriptor_load %A[%which, %c0, %first] : !block -> tensor<64x64xf16>
    %y = tt.descriptor_load %B[%which, %c0, %first] : !block -> tensor<1x64x64xf16>
    %rows = tt.reshape %y : tensor<1x64x64xf16> -> tensor<64x64xf16>
    %t = tt.trans %rows {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tt.dot %x, %t, %s : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %c4 = arith.constant 4 : i32
  %cm = arith.constant 4096 : i64
  %cr = arith.constant 64 : i64
  %C = tt.make_tensor_descriptor %c, [%c4, %c64, %c64], [%cm, %cr, %one] : !tt.ptr<f32>, !tt.tensordesc<1x64x64xf32>
  tt.descriptor_store %C[%program, %c0, %c0], %sum : !tt.tensordesc<1x64x64xf32>, tensor<64x64xf32>
  tt.return
}
