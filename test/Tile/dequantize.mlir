// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// Every format and packing of weights.

// CHECK-LABEL: @gptq(
// CHECK: %{{.*}} = tile.dequantize %{{.*}} scale %{{.*}} zero %{{.*}} format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> zero tensor<2x16xf16> -> tensor<64x16xf16>
tt.func @gptq(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>, %z: tensor<2x16xf16>) {
  %w = tile.dequantize %q scale %s zero %z format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> zero tensor<2x16xf16> -> tensor<64x16xf16>
  tt.return
}

// CHECK-LABEL: @in_bytes(
// CHECK: tile.dequantize %{{.*}} scale %{{.*}} format = signed {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32, in_bytes} :
tt.func @in_bytes(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>) {
  %w = tile.dequantize %q scale %s format = signed {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32, in_bytes} : tensor<8x16xi32> scale tensor<2x16xf16> -> tensor<64x16xf16>
  tt.return
}

// CHECK-LABEL: @awq(
// CHECK: %{{.*}} = tile.dequantize %{{.*}} scale %{{.*}} zero %{{.*}} format = unsigned order = even_first {axis = 1 : i32, bits = 4 : i32, group_size = 16 : i32} : tensor<64x2xi32> scale tensor<64x1xf16> zero tensor<64x1xi8> -> tensor<64x16xf16>
tt.func @awq(%q: tensor<64x2xi32>, %s: tensor<64x1xf16>, %z: tensor<64x1xi8>) {
  %w = tile.dequantize %q scale %s zero %z format = unsigned order = even_first {axis = 1 : i32, bits = 4 : i32, group_size = 16 : i32} : tensor<64x2xi32> scale tensor<64x1xf16> zero tensor<64x1xi8> -> tensor<64x16xf16>
  tt.return
}

// CHECK-LABEL: @nf4(
// CHECK: %{{.*}} = tile.dequantize %{{.*}} scale %{{.*}} code_book %{{.*}} format = code_book order = high_first {axis = 1 : i32, bits = 4 : i32, group_size = 64 : i32} : tensor<16x32xi8> scale tensor<16x1xf32> code_book tensor<16xf32> -> tensor<16x64xbf16>
tt.func @nf4(%q: tensor<16x32xi8>, %s: tensor<16x1xf32>, %c: tensor<16xf32>) {
  %w = tile.dequantize %q scale %s code_book %c format = code_book order = high_first {axis = 1 : i32, bits = 4 : i32, group_size = 64 : i32} : tensor<16x32xi8> scale tensor<16x1xf32> code_book tensor<16xf32> -> tensor<16x64xbf16>
  tt.return
}

// CHECK-LABEL: @mxfp4(
// CHECK: %{{.*}} = tile.dequantize %{{.*}} scale %{{.*}} format = e2m1 {axis = 1 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<16x32xi8> scale tensor<16x2xf32> -> tensor<16x64xbf16>
tt.func @mxfp4(%q: tensor<16x32xi8>, %s: tensor<16x2xf32>) {
  %w = tile.dequantize %q scale %s format = e2m1 {axis = 1 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<16x32xi8> scale tensor<16x2xf32> -> tensor<16x64xbf16>
  tt.return
}

// CHECK-LABEL: @fp8(
// CHECK: %{{.*}} = tile.dequantize %{{.*}} scale %{{.*}} format = e4m3 {axis = 0 : i32, bits = 8 : i32, group_size = 128 : i32} : tensor<16x64xi8> scale tensor<1x1xf32> -> tensor<16x64xf16>
// CHECK: %{{.*}} = tile.dequantize %{{.*}} scale %{{.*}} format = e5m2 {axis = 0 : i32, bits = 8 : i32, group_size = 128 : i32} : tensor<16x64xi8> scale tensor<1x1xf32> -> tensor<16x64xf32>
tt.func @fp8(%q: tensor<16x64xi8>, %s: tensor<1x1xf32>) {
  %w = tile.dequantize %q scale %s format = e4m3 {axis = 0 : i32, bits = 8 : i32, group_size = 128 : i32} : tensor<16x64xi8> scale tensor<1x1xf32> -> tensor<16x64xf16>
  %v = tile.dequantize %q scale %s format = e5m2 {axis = 0 : i32, bits = 8 : i32, group_size = 128 : i32} : tensor<16x64xi8> scale tensor<1x1xf32> -> tensor<16x64xf32>
  tt.return
}

// CHECK-LABEL: @int8_per_column(
// CHECK: %{{.*}} = tile.dequantize %{{.*}} scale %{{.*}} format = signed {axis = 0 : i32, bits = 8 : i32, group_size = 11008 : i32} : tensor<16x64xi8> scale tensor<1x64xf16> -> tensor<16x64xf16>
tt.func @int8_per_column(%q: tensor<16x64xi8>, %s: tensor<1x64xf16>) {
  %w = tile.dequantize %q scale %s format = signed {axis = 0 : i32, bits = 8 : i32, group_size = 11008 : i32} : tensor<16x64xi8> scale tensor<1x64xf16> -> tensor<16x64xf16>
  tt.return
}

// CHECK-LABEL: @two_bits(
// CHECK: %{{.*}} = tile.dequantize %{{.*}} scale %{{.*}} format = signed {axis = 1 : i32, bits = 2 : i32, group_size = 16 : i32} : tensor<16x4xi8> scale tensor<16x1xf16> -> tensor<16x16xf16>
tt.func @two_bits(%q: tensor<16x4xi8>, %s: tensor<16x1xf16>) {
  %w = tile.dequantize %q scale %s format = signed {axis = 1 : i32, bits = 2 : i32, group_size = 16 : i32} : tensor<16x4xi8> scale tensor<16x1xf16> -> tensor<16x16xf16>
  tt.return
}
