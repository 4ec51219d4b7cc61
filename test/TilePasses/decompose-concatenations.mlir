// RUN: tilewright-opt %s --tile-decompose-concatenations | FileCheck %s

// CHECK-LABEL: @cat
// CHECK-SAME: (%[[A:.*]]: tensor<64xf16>, %[[B:.*]]: tensor<64xf16>)
// CHECK-NEXT: %[[J:.*]] = tt.join %[[A]], %[[B]] : tensor<64xf16> -> tensor<64x2xf16>
// CHECK-NEXT: %[[T:.*]] = tt.trans %[[J]] {order = array<i32: 1, 0>} : tensor<64x2xf16> -> tensor<2x64xf16>
// CHECK-NEXT: %[[R:.*]] = tt.reshape %[[T]] : tensor<2x64xf16> -> tensor<128xf16>
// CHECK-NEXT: return %[[R]]
tt.func @cat(%a: tensor<64xf16>, %b: tensor<64xf16>) -> tensor<128xf16> {
  %r = tt.cat %a, %b : tensor<64xf16> -> tensor<128xf16>
  tt.return %r : tensor<128xf16>
}

// CHECK-LABEL: @flattens
// CHECK: tt.reshape %{{.*}} : tensor<4x8xf16> -> tensor<32xf16>
// CHECK: tt.reshape %{{.*}} : tensor<4x8xf16> -> tensor<32xf16>
// CHECK: tt.join
tt.func @flattens(%a: tensor<4x8xf16>, %b: tensor<4x8xf16>) -> tensor<64xf16> {
  %r = tt.cat %a, %b : tensor<4x8xf16> -> tensor<64xf16>
  tt.return %r : tensor<64xf16>
}
