// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// Systems, inverses, and batches of them.

// CHECK-LABEL: @solve(
// CHECK: %{{.*}} = tile.solve_unit_lower %{{.*}}, %{{.*}} : tensor<16x16xf32>, tensor<16x64xf32> -> tensor<16x64xf32>
// CHECK: %{{.*}} = tile.solve_unit_lower %{{.*}}, %{{.*}} inputPrecision = tf32 : tensor<16x16xf32>, tensor<16x64xf32> -> tensor<16x64xf32>
tt.func @solve(%l: tensor<16x16xf32>, %b: tensor<16x64xf32>) {
  %x = tile.solve_unit_lower %l, %b : tensor<16x16xf32>, tensor<16x64xf32> -> tensor<16x64xf32>
  %y = tile.solve_unit_lower %l, %b inputPrecision = tf32 : tensor<16x16xf32>, tensor<16x64xf32> -> tensor<16x64xf32>
  tt.return
}

// CHECK-LABEL: @invert(
// CHECK: %{{.*}} = tile.solve_unit_lower %{{.*}} : tensor<64x64xf32> -> tensor<64x64xf32>
// CHECK: %{{.*}} = tile.solve_unit_lower %{{.*}} inputPrecision = tf32 : tensor<64x64xf32> -> tensor<64x64xbf16>
tt.func @invert(%l: tensor<64x64xf32>) {
  %x = tile.solve_unit_lower %l : tensor<64x64xf32> -> tensor<64x64xf32>
  %y = tile.solve_unit_lower %l inputPrecision = tf32 : tensor<64x64xf32> -> tensor<64x64xbf16>
  tt.return
}

// CHECK-LABEL: @batch(
// CHECK: %{{.*}} = tile.solve_unit_lower %{{.*}}, %{{.*}} : tensor<4x16x16xf32>, tensor<4x16x32xbf16> -> tensor<4x16x32xf32>
tt.func @batch(%l: tensor<4x16x16xf32>, %b: tensor<4x16x32xbf16>) {
  %x = tile.solve_unit_lower %l, %b : tensor<4x16x16xf32>, tensor<4x16x32xbf16> -> tensor<4x16x32xf32>
  tt.return
}
