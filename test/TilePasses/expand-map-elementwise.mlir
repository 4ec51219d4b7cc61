// RUN: tilewright-opt %s --tile-expand-ops --split-input-file --verify-diagnostics | FileCheck %s

// Packs become tiles of their own: neighbours in row-major order.
// CHECK-LABEL: tt.func @packs
// CHECK: %[[PACKS:.*]] = tt.reshape %{{.*}} : tensor<64xi32> -> tensor<32x2xi32>
// CHECK: %[[PAIRS:.*]] = tt.reshape %[[PACKS]] : tensor<32x2xi32> -> tensor<32x1x2xi32>
// CHECK: %[[LHS:.*]], %[[RHS:.*]] = tt.split %[[PAIRS]]
// CHECK: %[[A:.*]] = tt.reshape %[[LHS]] : tensor<32x1xi32> -> tensor<32xi32>
// CHECK: %[[B:.*]] = tt.reshape %[[RHS]] : tensor<32x1xi32> -> tensor<32xi32>
// CHECK: %[[R:.*]]:2 = "tt.map_elementwise"(%[[A]], %[[B]]) <{pack = 1 : i32}> ({
// CHECK: tt.map_elementwise.return %{{.*}}, %{{.*}} : i32, i32
// CHECK: tt.join
tt.func @packs(%x: tensor<64xi32>) -> tensor<64xi32> {
  %0 = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    tt.map_elementwise.return %b, %a : i32, i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.return %0 : tensor<64xi32>
}

// -----

tt.func @effects(%x: tensor<64xi32>, %p: !tt.ptr<i32>) -> tensor<64xi32> {
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    // expected-error @+1 {{'tt.store' op expects a function that writes no memory in tt.map_elementwise, but got an operation that may; store the results behind it}}
    tt.store %p, %a : !tt.ptr<i32>
    tt.map_elementwise.return %a : i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.return %0 : tensor<64xi32>
}

// -----

tt.func @tiles(%x: tensor<64xi32>) -> tensor<64xi32> {
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    // expected-error @+1 {{'tt.splat' op expects scalars in the function that tt.map_elementwise maps, but got 'tensor<8xi32>'}}
    %t = tt.splat %a : i32 -> tensor<8xi32>
    tt.map_elementwise.return %a : i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.return %0 : tensor<64xi32>
}
