// RUN: tilewright-opt %s --tile-drop-assumptions | FileCheck %s
// RUN: tilewright compile %s --target=sm_80 --emit=tilegpu -o - | FileCheck %s --check-prefix=AHEAD

// CHECK-LABEL: @sums
// CHECK-NOT: llvm.intr.assume
// A loop's loads run ahead, whatever the program says in it.
// AHEAD: tilegpu.async_copy
// AHEAD: tilegpu.async_copy
tt.func public @sums(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c512 = arith.constant 512 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %j = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
  %columns = tt.expand_dims %j {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %c32 = arith.constant dense<32> : tensor<16x1xi32>
  %far = arith.muli %rows, %c32 : tensor<16x1xi32>
  %a = tt.broadcast %far : tensor<16x1xi32> -> tensor<16x32xi32>
  %b = tt.broadcast %columns : tensor<1x32xi32> -> tensor<16x32xi32>
  %at = arith.addi %a, %b : tensor<16x32xi32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<16x16xf32>) : i32 {
    %positive = arith.cmpi sgt, %n, %k : i32
    llvm.intr.assume %positive : i1
    %first = arith.muli %k, %c512 : i32
    %p = tt.addptr %x, %first : !tt.ptr<f16>, i32
    %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x32x!tt.ptr<f16>>
    %pointers = tt.addptr %ps, %at : tensor<16x32x!tt.ptr<f16>>, tensor<16x32xi32>
    %v = tt.load %pointers : tensor<16x32x!tt.ptr<f16>>
    %t = tt.trans %v {order = array<i32: 1, 0>} : tensor<16x32xf16> -> tensor<32x16xf16>
    %d = tt.dot %v, %t, %s : tensor<16x32xf16> * tensor<32x16xf16> -> tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %orow = arith.muli %rows, %c16 : tensor<16x1xi32>
  %ocol = tt.expand_dims %i {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %oa = tt.broadcast %orow : tensor<16x1xi32> -> tensor<16x16xi32>
  %ob = tt.broadcast %ocol : tensor<1x16xi32> -> tensor<16x16xi32>
  %oat = arith.addi %oa, %ob : tensor<16x16xi32>
  %op = tt.addptr %os, %oat : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  tt.store %op, %sum : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
