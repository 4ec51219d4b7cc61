// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// Every form of the ops that make tiles or give their elements other coordinates.

// CHECK-LABEL: @make_range(
// CHECK: %{{.*}} = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
// CHECK: %{{.*}} = tt.make_range {end = 8 : i32, start = -8 : i32} : tensor<16xi32>
tt.func @make_range() {
  %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %1 = tt.make_range {end = 8 : i32, start = -8 : i32} : tensor<16xi32>
  tt.return
}

// CHECK-LABEL: @make_range_with_hints(
// CHECK: %{{.*}} = tt.make_range {end = 32 : i32, start = 0 : i32, tt.contiguity = dense<4> : tensor<1xi32>} : tensor<32xi32>
tt.func @make_range_with_hints() {
  %0 = tt.make_range {end = 32 : i32, start = 0 : i32, tt.contiguity = dense<4> : tensor<1xi32>} : tensor<32xi32>
  tt.return
}

// CHECK-LABEL: @splat(
// CHECK: %{{.*}} = tt.splat %{{.*}} : i32 -> tensor<64xi32>
// CHECK: %{{.*}} = tt.splat %{{.*}} : !tt.ptr<f16> -> tensor<4x8x!tt.ptr<f16>>
tt.func @splat(%n: i32, %p: !tt.ptr<f16>) {
  %0 = tt.splat %n : i32 -> tensor<64xi32>
  %1 = tt.splat %p : !tt.ptr<f16> -> tensor<4x8x!tt.ptr<f16>>
  tt.return
}

// CHECK-LABEL: @unsplat(
// CHECK: %{{.*}} = tt.unsplat %{{.*}} : tensor<1xf32>
// CHECK: %{{.*}} = tt.unsplat %{{.*}} : tensor<1x1xi64>
tt.func @unsplat(%t: tensor<1xf32>, %u: tensor<1x1xi64>) {
  %0 = tt.unsplat %t : tensor<1xf32>
  %1 = tt.unsplat %u : tensor<1x1xi64>
  tt.return
}

// CHECK-LABEL: @expand_dims(
// CHECK: %{{.*}} = tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
// CHECK: %{{.*}} = tt.expand_dims %{{.*}} {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
tt.func @expand_dims(%r: tensor<64xi32>) {
  %0 = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %1 = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  tt.return
}

// CHECK-LABEL: @broadcast(
// CHECK: %{{.*}} = tt.broadcast %{{.*}} : tensor<64x1xi32> -> tensor<64x32xi32>
// CHECK: %{{.*}} = tt.broadcast %{{.*}} : tensor<1x1x4xbf16> -> tensor<2x8x4xbf16>
tt.func @broadcast(%e: tensor<64x1xi32>, %f: tensor<1x1x4xbf16>) {
  %0 = tt.broadcast %e : tensor<64x1xi32> -> tensor<64x32xi32>
  %1 = tt.broadcast %f : tensor<1x1x4xbf16> -> tensor<2x8x4xbf16>
  tt.return
}

// CHECK-LABEL: @reshape(
// CHECK: %{{.*}} = tt.reshape %{{.*}} : tensor<64x32xf16> -> tensor<2048xf16>
// CHECK: %{{.*}} = tt.reshape %{{.*}} allow_reorder : tensor<64x32xf16> -> tensor<32x64xf16>
// CHECK: %{{.*}} = tt.reshape %{{.*}} efficient_layout : tensor<64x32xf16> -> tensor<2048xf16>
// CHECK: %{{.*}} = tt.reshape %{{.*}} allow_reorder efficient_layout {tt.hint} : tensor<64x32xf16> -> tensor<2048xf16>
tt.func @reshape(%a: tensor<64x32xf16>) {
  %0 = tt.reshape %a : tensor<64x32xf16> -> tensor<2048xf16>
  %1 = tt.reshape %a allow_reorder : tensor<64x32xf16> -> tensor<32x64xf16>
  %2 = tt.reshape %a efficient_layout : tensor<64x32xf16> -> tensor<2048xf16>
  %3 = tt.reshape %a allow_reorder efficient_layout {tt.hint} : tensor<64x32xf16> -> tensor<2048xf16>
  tt.return
}

// CHECK-LABEL: @reshape_to_rank_0(
// CHECK: %{{.*}} = tt.reshape %{{.*}} : tensor<1xf16> -> tensor<f16>
tt.func @reshape_to_rank_0(%a: tensor<1xf16>) {
  %0 = tt.reshape %a : tensor<1xf16> -> tensor<f16>
  tt.return
}

// CHECK-LABEL: @trans(
// CHECK: %{{.*}} = tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<64x32xf16> -> tensor<32x64xf16>
// CHECK: %{{.*}} = tt.trans %{{.*}} {order = array<i32: 2, 0, 1>} : tensor<2x4x8xi8> -> tensor<8x2x4xi8>
tt.func @trans(%a: tensor<64x32xf16>, %b: tensor<2x4x8xi8>) {
  %0 = tt.trans %a {order = array<i32: 1, 0>} : tensor<64x32xf16> -> tensor<32x64xf16>
  %1 = tt.trans %b {order = array<i32: 2, 0, 1>} : tensor<2x4x8xi8> -> tensor<8x2x4xi8>
  tt.return
}

// CHECK-LABEL: @join(
// CHECK: %{{.*}} = tt.join %{{.*}}, %{{.*}} : tensor<64xf16> -> tensor<64x2xf16>
tt.func @join(%a: tensor<64xf16>, %b: tensor<64xf16>) {
  %0 = tt.join %a, %b : tensor<64xf16> -> tensor<64x2xf16>
  tt.return
}

// CHECK-LABEL: @split(
// CHECK: %{{.*}}, %{{.*}} = tt.split %{{.*}} : tensor<64x2xf16> -> tensor<64xf16>
tt.func @split(%a: tensor<64x2xf16>) {
  %0, %1 = tt.split %a : tensor<64x2xf16> -> tensor<64xf16>
  tt.return
}

// CHECK-LABEL: @cat(
// CHECK: %{{.*}} = tt.cat %{{.*}}, %{{.*}} : tensor<64xf16> -> tensor<128xf16>
tt.func @cat(%a: tensor<64xf16>, %b: tensor<64xf16>) {
  %0 = tt.cat %a, %b : tensor<64xf16> -> tensor<128xf16>
  tt.return
}
