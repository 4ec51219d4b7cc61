// RUN: tilewright-opt %s -canonicalize | FileCheck %s

// What becomes of ops on shapes where their elements, or what made them, are
// known.

// CHECK-LABEL: @splat_of_constant
// CHECK: %[[C:.*]] = arith.constant dense<7> : tensor<4x8xi32>
// CHECK: tt.return %[[C]]
tt.func @splat_of_constant() -> tensor<4x8xi32> {
  %c = arith.constant 7 : i32
  %0 = tt.splat %c : i32 -> tensor<4x8xi32>
  tt.return %0 : tensor<4x8xi32>
}

// CHECK-LABEL: @splat_of_value
// CHECK: tt.splat
tt.func @splat_of_value(%n: i32) -> tensor<4xi32> {
  %0 = tt.splat %n : i32 -> tensor<4xi32>
  tt.return %0 : tensor<4xi32>
}

// CHECK-LABEL: @unsplat_of_splat
// CHECK-SAME: %[[N:.*]]: i32
// CHECK-NEXT: tt.return %[[N]]
tt.func @unsplat_of_splat(%n: i32) -> i32 {
  %0 = tt.splat %n : i32 -> tensor<1xi32>
  %1 = tt.unsplat %0 : tensor<1xi32>
  tt.return %1 : i32
}

// CHECK-LABEL: @unsplat_of_constant
// CHECK-NEXT: %[[C:.*]] = arith.constant 2.500000e+00 : f32
// CHECK-NEXT: tt.return %[[C]]
tt.func @unsplat_of_constant() -> f32 {
  %0 = arith.constant dense<2.5> : tensor<1xf32>
  %1 = tt.unsplat %0 : tensor<1xf32>
  tt.return %1 : f32
}

// CHECK-LABEL: @expand_dims_of_splat
// CHECK-NEXT: %[[S:.*]] = tt.splat %{{.*}} : i32 -> tensor<4x1xi32>
// CHECK-NEXT: tt.return %[[S]]
tt.func @expand_dims_of_splat(%n: i32) -> tensor<4x1xi32> {
  %0 = tt.splat %n : i32 -> tensor<4xi32>
  %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  tt.return %1 : tensor<4x1xi32>
}

// CHECK-LABEL: @expand_dims_of_constant
// CHECK: arith.constant dense<{{\[\[}}1, 2, 3, 4]]> : tensor<1x4xi32>
tt.func @expand_dims_of_constant() -> tensor<1x4xi32> {
  %0 = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  tt.return %1 : tensor<1x4xi32>
}

// CHECK-LABEL: @broadcast_of_splat
// CHECK-NEXT: %[[S:.*]] = tt.splat %{{.*}} : i32 -> tensor<4x8xi32>
// CHECK-NEXT: tt.return %[[S]]
tt.func @broadcast_of_splat(%n: i32) -> tensor<4x8xi32> {
  %0 = tt.splat %n : i32 -> tensor<4x1xi32>
  %1 = tt.broadcast %0 : tensor<4x1xi32> -> tensor<4x8xi32>
  tt.return %1 : tensor<4x8xi32>
}

// CHECK-LABEL: @broadcast_of_constant
// CHECK: arith.constant dense<true> : tensor<4x8xi1>
tt.func @broadcast_of_constant() -> tensor<4x8xi1> {
  %0 = arith.constant dense<true> : tensor<4x1xi1>
  %1 = tt.broadcast %0 : tensor<4x1xi1> -> tensor<4x8xi1>
  tt.return %1 : tensor<4x8xi1>
}

// Elements that differ are not repeated in a constant.
// CHECK-LABEL: @broadcast_of_several
// CHECK: tt.broadcast
tt.func @broadcast_of_several() -> tensor<2x8xi32> {
  %0 = arith.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %1 = tt.broadcast %0 : tensor<2x1xi32> -> tensor<2x8xi32>
  tt.return %1 : tensor<2x8xi32>
}

// CHECK-LABEL: @broadcast_to_same
// CHECK-SAME: %[[T:.*]]: tensor
// CHECK-NEXT: tt.return %[[T]]
tt.func @broadcast_to_same(%t: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %0 = tt.broadcast %t : tensor<4x8xi32> -> tensor<4x8xi32>
  tt.return %0 : tensor<4x8xi32>
}

// CHECK-LABEL: @broadcast_of_broadcast
// CHECK-SAME: %[[T:.*]]: tensor
// CHECK-NEXT: tt.broadcast %[[T]] : tensor<1x1xi32> -> tensor<4x8xi32>
tt.func @broadcast_of_broadcast(%t: tensor<1x1xi32>) -> tensor<4x8xi32> {
  %0 = tt.broadcast %t : tensor<1x1xi32> -> tensor<4x1xi32>
  %1 = tt.broadcast %0 : tensor<4x1xi32> -> tensor<4x8xi32>
  tt.return %1 : tensor<4x8xi32>
}

// CHECK-LABEL: @reshape_to_same
// CHECK-SAME: %[[T:.*]]: tensor
// CHECK-NEXT: tt.return %[[T]]
tt.func @reshape_to_same(%t: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %0 = tt.reshape %t : tensor<4x8xi32> -> tensor<4x8xi32>
  tt.return %0 : tensor<4x8xi32>
}

// CHECK-LABEL: @reshape_of_reshape
// CHECK-SAME: %[[T:.*]]: tensor
// CHECK-NEXT: tt.reshape %[[T]] : tensor<4x8xi32> -> tensor<8x4xi32>
tt.func @reshape_of_reshape(%t: tensor<4x8xi32>) -> tensor<8x4xi32> {
  %0 = tt.reshape %t : tensor<4x8xi32> -> tensor<32xi32>
  %1 = tt.reshape %0 : tensor<32xi32> -> tensor<8x4xi32>
  tt.return %1 : tensor<8x4xi32>
}

// CHECK-LABEL: @reshape_of_reordering_reshape
// CHECK-SAME: %[[T:.*]]: tensor
// CHECK-NEXT: tt.reshape %[[T]] allow_reorder : tensor<4x8xi32> -> tensor<8x4xi32>
tt.func @reshape_of_reordering_reshape(%t: tensor<4x8xi32>) -> tensor<8x4xi32> {
  %0 = tt.reshape %t allow_reorder : tensor<4x8xi32> -> tensor<32xi32>
  %1 = tt.reshape %0 : tensor<32xi32> -> tensor<8x4xi32>
  tt.return %1 : tensor<8x4xi32>
}

// CHECK-LABEL: @reshape_of_constant
// CHECK: arith.constant dense<{{\[\[}}1, 2], [3, 4]]> : tensor<2x2xi32>
tt.func @reshape_of_constant() -> tensor<2x2xi32> {
  %0 = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %1 = tt.reshape %0 : tensor<4xi32> -> tensor<2x2xi32>
  tt.return %1 : tensor<2x2xi32>
}

// CHECK-LABEL: @reshape_of_splat
// CHECK-NEXT: %[[S:.*]] = tt.splat %{{.*}} : i32 -> tensor<32xi32>
// CHECK-NEXT: tt.return %[[S]]
tt.func @reshape_of_splat(%n: i32) -> tensor<32xi32> {
  %0 = tt.splat %n : i32 -> tensor<4x8xi32>
  %1 = tt.reshape %0 : tensor<4x8xi32> -> tensor<32xi32>
  tt.return %1 : tensor<32xi32>
}

// CHECK-LABEL: @trans_identity
// CHECK-SAME: %[[T:.*]]: tensor
// CHECK-NEXT: tt.return %[[T]]
tt.func @trans_identity(%t: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %0 = tt.trans %t {order = array<i32: 0, 1>} : tensor<4x8xi32> -> tensor<4x8xi32>
  tt.return %0 : tensor<4x8xi32>
}

// CHECK-LABEL: @trans_of_trans
// CHECK-SAME: %[[T:.*]]: tensor
// CHECK-NEXT: tt.trans %[[T]] {order = array<i32: 2, 1, 0>} : tensor<2x4x8xi32> -> tensor<8x4x2xi32>
tt.func @trans_of_trans(%t: tensor<2x4x8xi32>) -> tensor<8x4x2xi32> {
  %0 = tt.trans %t {order = array<i32: 1, 2, 0>} : tensor<2x4x8xi32> -> tensor<4x8x2xi32>
  %1 = tt.trans %0 {order = array<i32: 1, 0, 2>} : tensor<4x8x2xi32> -> tensor<8x4x2xi32>
  tt.return %1 : tensor<8x4x2xi32>
}

// CHECK-LABEL: @trans_back
// CHECK-SAME: %[[T:.*]]: tensor
// CHECK-NEXT: tt.return %[[T]]
tt.func @trans_back(%t: tensor<4x8xi32>) -> tensor<4x8xi32> {
  %0 = tt.trans %t {order = array<i32: 1, 0>} : tensor<4x8xi32> -> tensor<8x4xi32>
  %1 = tt.trans %0 {order = array<i32: 1, 0>} : tensor<8x4xi32> -> tensor<4x8xi32>
  tt.return %1 : tensor<4x8xi32>
}

// CHECK-LABEL: @trans_of_constant
// CHECK: arith.constant dense<1> : tensor<8x4xi32>
tt.func @trans_of_constant() -> tensor<8x4xi32> {
  %0 = arith.constant dense<1> : tensor<4x8xi32>
  %1 = tt.trans %0 {order = array<i32: 1, 0>} : tensor<4x8xi32> -> tensor<8x4xi32>
  tt.return %1 : tensor<8x4xi32>
}

// CHECK-LABEL: @trans_of_splat
// CHECK-NEXT: %[[S:.*]] = tt.splat %{{.*}} : i32 -> tensor<8x4xi32>
// CHECK-NEXT: tt.return %[[S]]
tt.func @trans_of_splat(%n: i32) -> tensor<8x4xi32> {
  %0 = tt.splat %n : i32 -> tensor<4x8xi32>
  %1 = tt.trans %0 {order = array<i32: 1, 0>} : tensor<4x8xi32> -> tensor<8x4xi32>
  tt.return %1 : tensor<8x4xi32>
}

// CHECK-LABEL: @split_of_join
// CHECK-SAME: %[[A:.*]]: tensor<4xi32>, %[[B:.*]]: tensor<4xi32>
// CHECK-NEXT: tt.return %[[B]], %[[A]]
tt.func @split_of_join(%a: tensor<4xi32>, %b: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %0 = tt.join %a, %b : tensor<4xi32> -> tensor<4x2xi32>
  %1, %2 = tt.split %0 : tensor<4x2xi32> -> tensor<4xi32>
  tt.return %2, %1 : tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: @split_of_constant
// CHECK: %[[C:.*]] = arith.constant dense<3> : tensor<4xi32>
// CHECK: tt.return %[[C]], %[[C]]
tt.func @split_of_constant() -> (tensor<4xi32>, tensor<4xi32>) {
  %0 = arith.constant dense<3> : tensor<4x2xi32>
  %1, %2 = tt.split %0 : tensor<4x2xi32> -> tensor<4xi32>
  tt.return %1, %2 : tensor<4xi32>, tensor<4xi32>
}

// CHECK-LABEL: @join_of_split
// CHECK-SAME: %[[T:.*]]: tensor
// CHECK-NEXT: tt.return %[[T]]
tt.func @join_of_split(%t: tensor<4x2xi32>) -> tensor<4x2xi32> {
  %0, %1 = tt.split %t : tensor<4x2xi32> -> tensor<4xi32>
  %2 = tt.join %0, %1 : tensor<4xi32> -> tensor<4x2xi32>
  tt.return %2 : tensor<4x2xi32>
}

// The halves change places.
// CHECK-LABEL: @join_of_swapped_split
// CHECK: tt.join
tt.func @join_of_swapped_split(%t: tensor<4x2xi32>) -> tensor<4x2xi32> {
  %0, %1 = tt.split %t : tensor<4x2xi32> -> tensor<4xi32>
  %2 = tt.join %1, %0 : tensor<4xi32> -> tensor<4x2xi32>
  tt.return %2 : tensor<4x2xi32>
}

// CHECK-LABEL: @poison_tile
// CHECK-NEXT: %[[P:.*]] = ub.poison : tensor<4xi32>
// CHECK-NEXT: tt.return %[[P]]
tt.func @poison_tile() -> tensor<4xi32> {
  %0 = ub.poison : tensor<4xi32>
  tt.return %0 : tensor<4xi32>
}
