// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// What the ops that make tiles or give their elements other coordinates refuse.

tt.func @make_range_rank() {
  // expected-error @+1 {{'tt.make_range' op expects a result of rank 1, but got 'tensor<2x2xi32>'}}
  %0 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<2x2xi32>
  tt.return
}

// -----

tt.func @make_range_size() {
  // expected-error @+1 {{'tt.make_range' op expects end - start to be the result's size 32, but got 24}}
  %0 = tt.make_range {end = 32 : i32, start = 8 : i32} : tensor<32xi32>
  tt.return
}

// -----

tt.func @make_range_element() {
  // expected-error @+1 {{'tt.make_range' op result #0 must be ranked tensor of 32-bit signless integer values, but got 'tensor<32xi64>'}}
  %0 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi64>
  tt.return
}

// -----

tt.func @size_no_power_of_two() {
  // expected-error @+1 {{'tt.make_range' op expects every dimension of a tile to be a power of two, but got 48 in dimension 0 of 'tensor<48xi32>'}}
  %0 = tt.make_range {end = 48 : i32, start = 0 : i32} : tensor<48xi32>
  tt.return
}

// -----

tt.func @size_zero(%n: i32) {
  // expected-error @+1 {{'tt.splat' op expects every dimension of a tile to be a power of two, but got 0 in dimension 1 of 'tensor<4x0xi32>'}}
  %0 = tt.splat %n : i32 -> tensor<4x0xi32>
  tt.return
}

// -----

tt.func @size_dynamic(%n: i32) {
  // expected-error @+1 {{'tt.splat' op expects every dimension of a tile to be a power of two, but got ? in dimension 0 of 'tensor<?xi32>'}}
  %0 = tt.splat %n : i32 -> tensor<?xi32>
  tt.return
}

// -----

tt.func @too_many_elements(%n: i32) {
  // expected-error @+1 {{'tt.splat' op expects a tile of at most 1048576 elements, but got 'tensor<2048x1024xi32>'}}
  %0 = tt.splat %n : i32 -> tensor<2048x1024xi32>
  tt.return
}

// -----

tt.func @too_many_elements_to_count(%n: i32) {
  // expected-error @+1 {{'tt.splat' op expects a tile of at most 1048576 elements, but got 'tensor<4611686018427387904x4xi32>'}}
  %0 = tt.splat %n : i32 -> tensor<4611686018427387904x4xi32>
  tt.return
}

// -----

tt.func @size_of_operand(%t: tensor<4xi32>) {
  %c = arith.constant dense<0> : tensor<3xi32>
  // expected-error @+1 {{'tt.reshape' op expects every dimension of a tile to be a power of two, but got 3 in dimension 0 of 'tensor<3xi32>'}}
  %0 = tt.reshape %c : tensor<3xi32> -> tensor<1x3xi32>
  tt.return
}

// -----

tt.func @element_type(%n: i17) {
  // expected-error @+1 {{'tt.splat' op operand #0 must be a float (f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f16, bf16, f32, f64), an integer (i1, i4, i8, i16, i32, i64) or a pointer, but got 'i17'}}
  %0 = tt.splat %n : i17 -> tensor<4xi17>
  tt.return
}

// -----

tt.func @splat_element(%n: i32) {
  // expected-error @+1 {{'tt.splat' op expects a result of elements 'i32', but got 'i64'}}
  %0 = tt.splat %n : i32 -> tensor<4xi64>
  tt.return
}

// -----

tt.func @unsplat_size(%t: tensor<2xf32>) {
  // expected-error @+1 {{'tt.unsplat' op expects a tile of one element, but got 'tensor<2xf32>'}}
  %0 = tt.unsplat %t : tensor<2xf32>
  tt.return
}

// -----

tt.func @expand_dims_axis(%t: tensor<4xf32>) {
  // expected-error @+1 {{'tt.expand_dims' op expects axis in [0, 1], but got 2}}
  %0 = tt.expand_dims %t {axis = 2 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  tt.return
}

// -----

tt.func @expand_dims_axis_negative(%t: tensor<4xf32>) {
  // expected-error @+1 {{'tt.expand_dims' op expects axis in [0, 1], but got -1}}
  %0 = tt.expand_dims %t {axis = -1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  tt.return
}

// -----

tt.func @expand_dims_shape(%t: tensor<4xf32>) {
  // expected-error @+1 {{'tt.expand_dims' op expects a result of shape [1, 4], but got [4, 1]}}
  %0 = tt.expand_dims %t {axis = 0 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  tt.return
}

// -----

tt.func @expand_dims_element(%t: tensor<4xf32>) {
  // expected-error @+1 {{'tt.expand_dims' op expects a result of elements 'f32', but got 'f16'}}
  %0 = tt.expand_dims %t {axis = 0 : i32} : tensor<4xf32> -> tensor<1x4xf16>
  tt.return
}

// -----

tt.func @broadcast_rank(%t: tensor<4xf32>) {
  // expected-error @+1 {{'tt.broadcast' op expects a result of rank 1, but got rank 2}}
  %0 = tt.broadcast %t : tensor<4xf32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @broadcast_size(%t: tensor<4x2xf32>) {
  // expected-error @+1 {{'tt.broadcast' op expects size 1 or 8 in dimension 1 of the source, but got 2}}
  %0 = tt.broadcast %t : tensor<4x2xf32> -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @broadcast_element(%t: tensor<4x1xf32>) {
  // expected-error @+1 {{'tt.broadcast' op expects a result of elements 'f32', but got 'i32'}}
  %0 = tt.broadcast %t : tensor<4x1xf32> -> tensor<4x8xi32>
  tt.return
}

// -----

tt.func @reshape_size(%t: tensor<4x2xf32>) {
  // expected-error @+1 {{'tt.reshape' op expects a result of 8 elements, but got 16}}
  %0 = tt.reshape %t : tensor<4x2xf32> -> tensor<16xf32>
  tt.return
}

// -----

tt.func @reshape_element(%t: tensor<4x2xf32>) {
  // expected-error @+1 {{'tt.reshape' op expects a result of elements 'f32', but got 'f16'}}
  %0 = tt.reshape %t : tensor<4x2xf32> -> tensor<8xf16>
  tt.return
}

// -----

tt.func @reshape_allow_reorder(%t: tensor<4x2xf32>) {
  // expected-error @+1 {{expects allow_reorder to be a unit attribute or a boolean, but got 3 : i32}}
  %0 = tt.reshape %t {allow_reorder = 3 : i32} : tensor<4x2xf32> -> tensor<8xf32>
  tt.return
}

// -----

tt.func @trans_rank(%t: tensor<4x2xf32>) {
  // expected-error @+1 {{'tt.trans' op expects order to be a permutation of 2 dimensions, but got [0]}}
  %0 = tt.trans %t {order = array<i32: 0>} : tensor<4x2xf32> -> tensor<2x4xf32>
  tt.return
}

// -----

tt.func @trans_repeats(%t: tensor<4x2xf32>) {
  // expected-error @+1 {{'tt.trans' op expects order to be a permutation of 2 dimensions, but got [1, 1]}}
  %0 = tt.trans %t {order = array<i32: 1, 1>} : tensor<4x2xf32> -> tensor<2x4xf32>
  tt.return
}

// -----

tt.func @trans_out_of_range(%t: tensor<4x2xf32>) {
  // expected-error @+1 {{'tt.trans' op expects order to be a permutation of 2 dimensions, but got [-1, 7]}}
  %0 = tt.trans %t {order = array<i32: -1, 7>} : tensor<4x2xf32> -> tensor<2x4xf32>
  tt.return
}

// -----

tt.func @trans_shape(%t: tensor<4x2xf32>) {
  // expected-error @+1 {{'tt.trans' op expects a result of shape [2, 4], but got [4, 2]}}
  %0 = tt.trans %t {order = array<i32: 1, 0>} : tensor<4x2xf32> -> tensor<4x2xf32>
  tt.return
}

// -----

tt.func @join_shape(%t: tensor<4xf32>) {
  // expected-error @+1 {{'tt.join' op expects a result of shape [4, 2], but got [2, 4]}}
  %0 = tt.join %t, %t : tensor<4xf32> -> tensor<2x4xf32>
  tt.return
}

// -----

tt.func @join_types(%t: tensor<4xf32>, %u: tensor<8xf32>) {
  // expected-error @+1 {{'tt.join' op failed to verify that all of {lhs, rhs} have same type}}
  %0 = "tt.join"(%t, %u) : (tensor<4xf32>, tensor<8xf32>) -> tensor<4x2xf32>
  tt.return
}

// -----

tt.func @split_last(%t: tensor<2x4xf32>) {
  // expected-error @+1 {{'tt.split' op expects a last dimension of 2 elements, but got 'tensor<2x4xf32>'}}
  %0, %1 = tt.split %t : tensor<2x4xf32> -> tensor<4xf32>
  tt.return
}

// -----

tt.func @split_rank_0(%t: tensor<f32>) {
  // expected-error @+1 {{'tt.split' op expects a last dimension of 2 elements, but got 'tensor<f32>'}}
  %0, %1 = tt.split %t : tensor<f32> -> tensor<f32>
  tt.return
}

// -----

tt.func @split_shape(%t: tensor<4x2xf32>) {
  // expected-error @+1 {{'tt.split' op expects a result of shape [4], but got [8]}}
  %0, %1 = tt.split %t : tensor<4x2xf32> -> tensor<8xf32>
  tt.return
}

// -----

tt.func @cat_rank(%t: tensor<4xf32>) {
  // expected-error @+1 {{'tt.cat' op expects a result of rank 1, but got 'tensor<4x2xf32>'}}
  %0 = tt.cat %t, %t : tensor<4xf32> -> tensor<4x2xf32>
  tt.return
}

// -----

tt.func @cat_size(%t: tensor<4xf32>) {
  // expected-error @+1 {{'tt.cat' op expects a result of shape [8], but got [4]}}
  %0 = tt.cat %t, %t : tensor<4xf32> -> tensor<4xf32>
  tt.return
}
