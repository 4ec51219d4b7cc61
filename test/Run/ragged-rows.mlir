// Products of matrices of 45 columns in rows of 48, by their descriptors, which no
// divisor of 45 is known of: copies of 16 bytes all the same, which read the first
// elements of a row's last one, and nothing behind them (the emulator checks that
// where the tensor ends).

// RUN: tilewright compile %s --target=sm_80 --emit=ptx -o - | FileCheck %s
// CHECK-NOT: ld.global
// CHECK: cp.async.cg.shared.global [%{{.*}}], [%{{.*}}], 16, %
// CHECK-NOT: ld.global

// RUN: tilewright run %s --target=sm_70 --device=emulator --arg=random:64x48xf16:1 --arg=random:64x48xf16:2 --arg=%t.npy=poison:64x64xf32 --arg=i32:45 --arg=i64:48
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --arg=random:64x48xf16:1 --arg=random:64x48xf16:2 --arg=poison:64x64xf32 --arg=i32:45 --arg=i64:48 --compare=2=%t.npy

// The last row ends with its last element.
// RUN: tilewright run %s --target=sm_70 --device=emulator --arg=random:3069xf16:1 --arg=random:3069xf16:2 --arg=%t.end.npy=poison:64x64xf32 --arg=i32:45 --arg=i64:48
// RUN: bash %S/Inputs/on-targets.sh tilewright %s --arg=random:3069xf16:1 --arg=random:3069xf16:2 --arg=poison:64x64xf32 --arg=i32:45 --arg=i64:48 --compare=2=%t.end.npy

!block = !tt.tensordesc<64x32xf16>

tt.func public @ragged(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %b: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %k: i32, %row: i64) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %cr = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %A = tt.make_tensor_descriptor %a, [%c64, %k], [%row, %one] {tt.divisibility = 16 : i32} : !tt.ptr<f16>, !block
  %B = tt.make_tensor_descriptor %b, [%c64, %k], [%row, %one] {tt.divisibility = 16 : i32} : !tt.ptr<f16>, !block
  %sum = scf.for %first = %c0 to %k step %c32 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tt.descriptor_load %A[%c0, %first] : !block -> tensor<64x32xf16>
    %y = tt.descriptor_load %B[%c0, %first] : !block -> tensor<64x32xf16>
    %t = tt.trans %y {order = array<i32: 1, 0>} : tensor<64x32xf16> -> tensor<32x64xf16>
    %d = tt.dot %x, %t, %s : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %C = tt.make_tensor_descriptor %c, [%c64, %c64], [%cr, %one] {tt.divisibility = 16 : i32} : !tt.ptr<f32>, !tt.tensordesc<64x64xf32>
  tt.descriptor_store %C[%c0, %c0], %sum : !tt.tensordesc<64x64xf32>, tensor<64x64xf32>
  tt.return
}
