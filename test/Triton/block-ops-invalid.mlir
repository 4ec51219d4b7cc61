// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// What block pointers and tensor descriptors refuse.

tt.func @make_tensor_ptr_result(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tt.make_tensor_ptr' op expects a block pointer as result, but got '!tt.ptr<f16>'}}
  %0 = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 0>} : <f16>
  tt.return
}

// -----

tt.func @make_tensor_ptr_sizes(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tt.make_tensor_ptr' op expects 2 sizes, but got 1}}
  %0 = tt.make_tensor_ptr %p, [%n], [%n, %n], [%i, %i] {order = array<i32: 1, 0>} : <tensor<4x4xf16>>
  tt.return
}

// -----

tt.func @make_tensor_ptr_strides(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tt.make_tensor_ptr' op expects 2 strides, but got 3}}
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %n, %n], [%i, %i] {order = array<i32: 1, 0>} : <tensor<4x4xf16>>
  tt.return
}

// -----

tt.func @make_tensor_ptr_offsets(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tt.make_tensor_ptr' op expects 2 offsets, but got 0}}
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [] {order = array<i32: 1, 0>} : <tensor<4x4xf16>>
  tt.return
}

// -----

tt.func @make_tensor_ptr_order_size(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tt.make_tensor_ptr' op expects 2 dimensions in order, but got 1}}
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%i, %i] {order = array<i32: 0>} : <tensor<4x4xf16>>
  tt.return
}

// -----

tt.func @make_tensor_ptr_order(%p: !tt.ptr<f16>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tt.make_tensor_ptr' op expects order to be a permutation of 2 dimensions, but got [2, 0]}}
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%i, %i] {order = array<i32: 2, 0>} : <tensor<4x4xf16>>
  tt.return
}

// -----

tt.func @make_tensor_ptr_base(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tt.make_tensor_ptr' op failed to verify that the base points at the block's elements}}
  %0 = "tt.make_tensor_ptr"(%p, %n, %n, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>, order = array<i32: 0>}> : (!tt.ptr<f32>, i64, i64, i32) -> !tt.ptr<tensor<4xf16>>
  tt.return
}

// -----

tt.func @advance_scalar_pointer(%p: !tt.ptr<f32>, %i: i32) {
  // expected-error @+1 {{'tt.advance' op expects a block pointer, but got '!tt.ptr<f32>'}}
  %0 = tt.advance %p, [%i] : <f32>
  tt.return
}

// -----

tt.func @advance_offsets(%p: !tt.ptr<tensor<4x4xf32>>, %i: i32) {
  // expected-error @+1 {{'tt.advance' op expects 2 offsets, but got 1}}
  %0 = tt.advance %p, [%i] : <tensor<4x4xf32>>
  tt.return
}

// -----

tt.func @descriptor_sizes(%p: !tt.ptr<f16>, %m: i32, %s: i64) {
  // expected-error @+1 {{'tt.make_tensor_descriptor' op expects 1 sizes, but got 2}}
  %0 = tt.make_tensor_descriptor %p, [%m, %m], [%s] : <f16>, <4xf16>
  tt.return
}

// -----

tt.func @descriptor_strides(%p: !tt.ptr<f16>, %m: i32, %s: i64) {
  // expected-error @+1 {{'tt.make_tensor_descriptor' op expects 2 strides, but got 1}}
  %0 = tt.make_tensor_descriptor %p, [%m, %m], [%s] : <f16>, <4x4xf16>
  tt.return
}

// -----

tt.func @descriptor_base(%p: !tt.ptr<f32>, %m: i32, %s: i64) {
  // expected-error @+1 {{'tt.make_tensor_descriptor' op expects a base that points at 'f16', but got '!tt.ptr<f32>'}}
  %0 = tt.make_tensor_descriptor %p, [%m], [%s] : <f32>, <4xf16>
  tt.return
}

// -----

tt.func @descriptor_load_indices(%d: !tt.tensordesc<4x4xf16>, %i: i32) {
  // expected-error @+1 {{'tt.descriptor_load' op expects 2 indices, but got 1}}
  %0 = tt.descriptor_load %d[%i] : !tt.tensordesc<4x4xf16> -> tensor<4x4xf16>
  tt.return
}

// -----

tt.func @descriptor_load_block(%d: !tt.tensordesc<4x4xf16>, %i: i32) {
  // expected-error @+1 {{'tt.descriptor_load' op expects a tile of the descriptor's block 'tensor<4x4xf16>', but got 'tensor<2x8xf16>'}}
  %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<4x4xf16> -> tensor<2x8xf16>
  tt.return
}

// -----

tt.func @descriptor_load_element(%d: !tt.tensordesc<4xf16>, %i: i32) {
  // expected-error @+1 {{'tt.descriptor_load' op expects a tile of the descriptor's block 'tensor<4xf16>', but got 'tensor<4xbf16>'}}
  %0 = tt.descriptor_load %d[%i] : !tt.tensordesc<4xf16> -> tensor<4xbf16>
  tt.return
}

// -----

tt.func @descriptor_store_block(%d: !tt.tensordesc<2x4xf16>, %i: i32, %v: tensor<8xf16>) {
  // expected-error @+1 {{'tt.descriptor_store' op expects a tile of the descriptor's block 'tensor<2x4xf16>', but got 'tensor<8xf16>'}}
  tt.descriptor_store %d[%i, %i], %v : !tt.tensordesc<2x4xf16>, tensor<8xf16>
  tt.return
}
