// RUN: tilewright-opt %s -cse | FileCheck %s

// Both ops are pure: merged where they are equal, removed where nobody asks.

// CHECK-LABEL: @merged
// CHECK: %[[W:.*]] = tile.dequantize
// CHECK-NEXT: %[[X:.*]] = tile.solve_unit_lower
// CHECK-NEXT: tt.return %[[W]], %[[W]], %[[X]]
tt.func @merged(%q: tensor<8x16xi8>, %s: tensor<8x1xf16>, %l: tensor<16x16xf32>) -> (tensor<8x32xf16>, tensor<8x32xf16>, tensor<16x16xf32>) {
  %0 = tile.dequantize %q scale %s format = unsigned {axis = 1 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi8> scale tensor<8x1xf16> -> tensor<8x32xf16>
  %1 = tile.dequantize %q scale %s format = unsigned {axis = 1 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi8> scale tensor<8x1xf16> -> tensor<8x32xf16>
  %2 = tile.solve_unit_lower %l : tensor<16x16xf32> -> tensor<16x16xf32>
  %3 = tile.solve_unit_lower %l : tensor<16x16xf32> -> tensor<16x16xf32>
  %4 = tile.solve_unit_lower %l inputPrecision = tf32 : tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return %0, %1, %3 : tensor<8x32xf16>, tensor<8x32xf16>, tensor<16x16xf32>
}
