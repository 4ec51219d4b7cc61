// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// Dots, reductions, scans and gathers.

// CHECK-LABEL: @dot(
// CHECK: %{{.*}} = tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
// CHECK: %{{.*}} = tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
// CHECK: %{{.*}} = tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32x3 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
// CHECK: %{{.*}} = tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = bf16x3 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
// CHECK: %{{.*}} = tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = bf16x6 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
// CHECK: %{{.*}} = tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
// CHECK: %{{.*}} = tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf16>
// CHECK: %{{.*}} = tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32 {maxNumImpreciseAcc = 1073741824 : i32} : tensor<32x32xf8E4M3FN> * tensor<32x32xf8E5M2> -> tensor<32x32xf32>
// CHECK: %{{.*}} = tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x32xi8> * tensor<32x32xi8> -> tensor<32x32xi32>
tt.func @dot(%a: tensor<32x32xf32>, %h: tensor<32x32xf16>, %e: tensor<32x32xf8E4M3FN>, %f: tensor<32x32xf8E5M2>, %i: tensor<32x32xi8>, %n: tensor<32x32xi32>) {
  %0 = tt.dot %a, %a, %a : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  %1 = tt.dot %a, %a, %a, inputPrecision = tf32 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  %2 = tt.dot %a, %a, %a, inputPrecision = tf32x3 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  %3 = tt.dot %a, %a, %a, inputPrecision = bf16x3 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  %4 = tt.dot %a, %a, %a, inputPrecision = bf16x6 : tensor<32x32xf32> * tensor<32x32xf32> -> tensor<32x32xf32>
  %5 = tt.dot %h, %h, %a : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %6 = tt.dot %h, %h, %h : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf16>
  %7 = tt.dot %e, %f, %a, inputPrecision = tf32 {maxNumImpreciseAcc = 1073741824 : i32} : tensor<32x32xf8E4M3FN> * tensor<32x32xf8E5M2> -> tensor<32x32xf32>
  %8 = tt.dot %i, %i, %n : tensor<32x32xi8> * tensor<32x32xi8> -> tensor<32x32xi32>
  tt.return
}

// CHECK-LABEL: @dot_batched(
// CHECK: %{{.*}} = tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x16x32xbf16> * tensor<2x32x8xbf16> -> tensor<2x16x8xf32>
tt.func @dot_batched(%a: tensor<2x16x32xbf16>, %b: tensor<2x32x8xbf16>, %c: tensor<2x16x8xf32>) {
  %0 = tt.dot %a, %b, %c : tensor<2x16x32xbf16> * tensor<2x32x8xbf16> -> tensor<2x16x8xf32>
  tt.return
}

// CHECK-LABEL: @dot_scaled(
// CHECK: %{{.*}} = tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}}, %{{.*}} lhs = e2m1 rhs = bf16 {fastMath = false} : tensor<16x32xi8>, tensor<16x2xi8> * tensor<64x16xbf16> -> tensor<16x16xf32>
// CHECK: %{{.*}} = tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}} scale %{{.*}}, %{{.*}} lhs = e4m3 rhs = e2m1 {fastMath = true} : tensor<16x64xf8E4M3FN>, tensor<16x2xi8> * tensor<32x16xi8>, tensor<16x2xi8> -> tensor<16x16xf32>
// CHECK: %{{.*}} = tt.dot_scaled %{{.*}}, %{{.*}}, %{{.*}} lhs = e4m3 rhs = bf16 : tensor<16x64xf8E4M3FN> * tensor<64x16xbf16> -> tensor<16x16xf32>
tt.func @dot_scaled(%a: tensor<16x32xi8>, %s: tensor<16x2xi8>, %b: tensor<64x16xbf16>, %e: tensor<16x64xf8E4M3FN>, %t: tensor<16x64xi8>, %k: tensor<32x16xi8>, %c: tensor<16x16xf32>) {
  %0 = tt.dot_scaled %a scale %s, %b, %c lhs = e2m1 rhs = bf16 {fastMath = false} : tensor<16x32xi8>, tensor<16x2xi8> * tensor<64x16xbf16> -> tensor<16x16xf32>
  %1 = tt.dot_scaled %e scale %s, %k scale %s, %c lhs = e4m3 rhs = e2m1 {fastMath = true} : tensor<16x64xf8E4M3FN>, tensor<16x2xi8> * tensor<32x16xi8>, tensor<16x2xi8> -> tensor<16x16xf32>
  %2 = tt.dot_scaled %e, %b, %c lhs = e4m3 rhs = bf16 : tensor<16x64xf8E4M3FN> * tensor<64x16xbf16> -> tensor<16x16xf32>
  tt.return
}

// CHECK-LABEL: @dot_scaled_packed_along_rows(
// CHECK: %{{.*}} = tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}} scale %{{.*}}, %{{.*}} lhs = e2m1 rhs = e2m1 {fastMath = false, lhs_k_pack = false, rhs_k_pack = false} : tensor<8x64xi8>, tensor<16x4xf8E4M3FN> * tensor<64x8xi8>, tensor<16x4xf8E4M3FN> -> tensor<16x16xf32>
tt.func @dot_scaled_packed_along_rows(%a: tensor<8x64xi8>, %s: tensor<16x4xf8E4M3FN>, %b: tensor<64x8xi8>, %c: tensor<16x16xf32>) {
  %0 = tt.dot_scaled %a scale %s, %b scale %s, %c lhs = e2m1 rhs = e2m1 {fastMath = false, lhs_k_pack = false, rhs_k_pack = false} : tensor<8x64xi8>, tensor<16x4xf8E4M3FN> * tensor<64x8xi8>, tensor<16x4xf8E4M3FN> -> tensor<16x16xf32>
  tt.return
}

// CHECK-LABEL: @reduce(
// CHECK: %{{.*}} = "tt.reduce"(%{{.*}}) <{axis = 1 : i32}> ({
// CHECK: %{{.*}} = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: tt.reduce.return %{{.*}} : f32
// CHECK: }) : (tensor<64x32xf32>) -> tensor<64xf32>
tt.func @reduce(%a: tensor<64x32xf32>) {
  %0 = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<64x32xf32>) -> tensor<64xf32>
  tt.return
}

// CHECK-LABEL: @reduce_to_scalars(
// CHECK: %{{.*}} = "tt.reduce"(%{{.*}}, %{{.*}}) <{axis = 0 : i32}> ({
// CHECK: %{{.*}} = arith.cmpf ogt, %{{.*}}, %{{.*}} : f32
// CHECK: %{{.*}} = arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
// CHECK: %{{.*}} = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
// CHECK: tt.reduce.return %{{.*}}, %{{.*}} : f32, i32
// CHECK: }) : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
tt.func @reduce_to_scalars(%a: tensor<64xf32>, %i: tensor<64xi32>) {
  %0:2 = "tt.reduce"(%a, %i) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %n: i32, %y: f32, %m: i32):
    %c = arith.cmpf ogt, %x, %y : f32
    %z = arith.select %c, %x, %y : f32
    %k = arith.select %c, %n, %m : i32
    tt.reduce.return %z, %k : f32, i32
  }) : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
  tt.return
}

// CHECK-LABEL: @scan(
// CHECK: %{{.*}} = "tt.scan"(%{{.*}}) <{axis = 1 : i32, reverse = true}> ({
// CHECK: %{{.*}} = arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: tt.scan.return %{{.*}} : f32
// CHECK: }) : (tensor<64x32xf32>) -> tensor<64x32xf32>
tt.func @scan(%a: tensor<64x32xf32>) {
  %0 = "tt.scan"(%a) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.scan.return %z : f32
  }) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  tt.return
}

// CHECK-LABEL: @gather(
// CHECK: %{{.*}} = tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32} : (tensor<16x4xf16>, tensor<64x4xi16>) -> tensor<64x4xf16>
// CHECK: %{{.*}} = tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32, efficient_layout} : (tensor<16x4xf16>, tensor<64x4xi16>) -> tensor<64x4xf16>
tt.func @gather(%a: tensor<16x4xf16>, %i: tensor<64x4xi16>) {
  %0 = tt.gather %a[%i] {axis = 0 : i32} : (tensor<16x4xf16>, tensor<64x4xi16>) -> tensor<64x4xf16>
  %1 = tt.gather %a[%i] {axis = 0 : i32, efficient_layout} : (tensor<16x4xf16>, tensor<64x4xi16>) -> tensor<64x4xf16>
  tt.return
}

// CHECK-LABEL: tt.func @histogram
tt.func @histogram(%x: tensor<256xi32>, %y: tensor<8x8xi64>, %m: tensor<256xi1>) {
  // CHECK: tt.histogram %{{.*}} : tensor<8x8xi64> -> tensor<16xi32>
  %0 = tt.histogram %y : tensor<8x8xi64> -> tensor<16xi32>
  // CHECK: tt.histogram %{{.*}}, %{{.*}} : tensor<256xi32> -> tensor<16xi32>
  %1 = tt.histogram %x, %m : tensor<256xi32> -> tensor<16xi32>
  tt.return
}
