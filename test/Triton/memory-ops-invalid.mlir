// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// What pointer arithmetic, loads, stores and atomics refuse.

tt.func @addptr_shape(%p: !tt.ptr<f16>, %o: tensor<4xi32>) {
  // expected-error @+1 {{'tt.addptr' op expects pointers and offsets of one shape, but got '!tt.ptr<f16>' and 'tensor<4xi32>'}}
  %0 = tt.addptr %p, %o : !tt.ptr<f16>, tensor<4xi32>
  tt.return
}

// -----

tt.func @addptr_block_pointer(%p: !tt.ptr<tensor<4xf16>>, %o: i32) {
  // expected-error @+1 {{'tt.addptr' op expects pointers to scalars, but got '!tt.ptr<tensor<4xf16>>'; tt.advance moves a block pointer}}
  %0 = tt.addptr %p, %o : !tt.ptr<tensor<4xf16>>, i32
  tt.return
}

// -----

tt.func @addptr_offset(%p: !tt.ptr<f16>, %o: f32) {
  // expected-error @+1 {{'tt.addptr' op operand #1 must be an integer or a tile of integers, but got 'f32'}}
  %0 = tt.addptr %p, %o : !tt.ptr<f16>, f32
  tt.return
}

// -----

tt.func @load_no_pointer(%n: i32) {
  // expected-error @+1 {{custom op 'tt.load' 'ptr' must be a pointer or a tile of pointers, but got 'i32'}}
  %0 = tt.load %n : i32
  tt.return
}

// -----

tt.func @load_result(%p: tensor<4x!tt.ptr<f16>>) {
  // expected-error @+1 {{'tt.load' op failed to verify that the result has the pointers' pointee}}
  %0 = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<4x!tt.ptr<f16>>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @load_mask(%p: tensor<4x!tt.ptr<f16>>, %m: tensor<8xi1>) {
  // expected-error @+1 {{'tt.load' op failed to verify that mask has the shape of ptr}}
  %0 = "tt.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<4x!tt.ptr<f16>>, tensor<8xi1>) -> tensor<4xf16>
  tt.return
}

// -----

tt.func @load_scalar_mask(%p: tensor<4x!tt.ptr<f16>>, %m: i1) {
  // expected-error @+1 {{'tt.load' op failed to verify that mask has the shape of ptr}}
  %0 = "tt.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<4x!tt.ptr<f16>>, i1) -> tensor<4xf16>
  tt.return
}

// -----

tt.func @load_other(%p: tensor<4x!tt.ptr<f16>>, %m: tensor<4xi1>, %o: tensor<4xf32>) {
  // expected-error @+1 {{'tt.load' op failed to verify that other has the result's type}}
  %0 = "tt.load"(%p, %m, %o) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<4x!tt.ptr<f16>>, tensor<4xi1>, tensor<4xf32>) -> tensor<4xf16>
  tt.return
}

// -----

tt.func @load_other_without_mask(%p: tensor<4x!tt.ptr<f16>>, %o: tensor<4xf16>) {
  // expected-error @+1 {{'tt.load' op expects a mask beside other, but got none}}
  %0 = "tt.load"(%p, %o) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<4x!tt.ptr<f16>>, tensor<4xf16>) -> tensor<4xf16>
  tt.return
}

// -----

tt.func @load_boundary_check(%p: tensor<4x!tt.ptr<f16>>) {
  // expected-error @+1 {{'tt.load' op expects boundaryCheck with block pointers only, but got 'tensor<4x!tt.ptr<f16>>'}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0>} : tensor<4x!tt.ptr<f16>>
  tt.return
}

// -----

tt.func @load_boundary_dimension(%p: !tt.ptr<tensor<4xf16>>) {
  // expected-error @+1 {{'tt.load' op expects boundaryCheck dimensions in [0, 1), but got 1}}
  %0 = tt.load %p {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<4xf16>>
  tt.return
}

// -----

tt.func @load_padding(%p: tensor<4x!tt.ptr<f16>>) {
  // expected-error @+1 {{'tt.load' op expects padding with block pointers only, but got 'tensor<4x!tt.ptr<f16>>'}}
  %0 = tt.load %p {padding = 1 : i32} : tensor<4x!tt.ptr<f16>>
  tt.return
}

// -----

tt.func @load_block_mask(%p: !tt.ptr<tensor<4xf16>>, %m: tensor<4xi1>) {
  // expected-error @+1 {{'tt.load' op expects no mask with a block pointer, but got 'tensor<4xi1>'}}
  %0 = tt.load %p, %m : !tt.ptr<tensor<4xf16>>
  tt.return
}

// -----

tt.func @store_value(%p: !tt.ptr<f16>, %v: tensor<4xf16>) {
  // expected-error @+1 {{'tt.store' op failed to verify that the value has the pointers' pointee}}
  "tt.store"(%p, %v) : (!tt.ptr<f16>, tensor<4xf16>) -> ()
  tt.return
}

// -----

tt.func @store_mask(%p: tensor<4x!tt.ptr<f16>>, %v: tensor<4xf16>, %m: tensor<2xi1>) {
  // expected-error @+1 {{'tt.store' op failed to verify that mask has the shape of ptr}}
  "tt.store"(%p, %v, %m) : (tensor<4x!tt.ptr<f16>>, tensor<4xf16>, tensor<2xi1>) -> ()
  tt.return
}

// -----

tt.func @store_boundary_check(%p: tensor<4x!tt.ptr<f16>>, %v: tensor<4xf16>) {
  // expected-error @+1 {{'tt.store' op expects boundaryCheck with block pointers only, but got 'tensor<4x!tt.ptr<f16>>'}}
  tt.store %p, %v {boundaryCheck = array<i32: 0>} : tensor<4x!tt.ptr<f16>>
  tt.return
}

// -----

tt.func @store_block_mask(%p: !tt.ptr<tensor<4xf16>>, %v: tensor<4xf16>, %m: tensor<4xi1>) {
  // expected-error @+1 {{'tt.store' op expects no mask with a block pointer, but got 'tensor<4xi1>'}}
  tt.store %p, %v, %m : !tt.ptr<tensor<4xf16>>
  tt.return
}

// -----

tt.func @atomic_value(%p: tensor<4x!tt.ptr<f16>>, %v: tensor<4xf32>) {
  // expected-error @+1 {{'tt.atomic_rmw' op expects values of type 'tensor<4xf16>', which the pointers have, but got 'tensor<4xf32>'}}
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (tensor<4x!tt.ptr<f16>>, tensor<4xf32>) -> tensor<4xf16>
  tt.return
}

// -----

tt.func @atomic_mask(%p: tensor<4x!tt.ptr<f16>>, %v: tensor<4xf16>, %m: i1) {
  // expected-error @+1 {{'tt.atomic_rmw' op expects a mask of type 'tensor<4xi1>', but got 'i1'}}
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %v, %m : (tensor<4x!tt.ptr<f16>>, tensor<4xf16>, i1) -> tensor<4xf16>
  tt.return
}

// -----

tt.func @atomic_float_operation(%p: !tt.ptr<i32>, %v: i32) {
  // expected-error @+1 {{'tt.atomic_rmw' op expects floats for fadd, but got 'i32'}}
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

tt.func @atomic_integer_operation(%p: !tt.ptr<f32>, %v: f32) {
  // expected-error @+1 {{'tt.atomic_rmw' op expects integers for umax, but got 'f32'}}
  %0 = tt.atomic_rmw umax, relaxed, gpu, %p, %v : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----

tt.func @atomic_pointer_operation(%p: !tt.ptr<!tt.ptr<f32>>, %v: !tt.ptr<f32>) {
  // expected-error @+1 {{'tt.atomic_rmw' op expects integers or floats for add, but got '!tt.ptr<f32>'}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<!tt.ptr<f32>>, !tt.ptr<f32>) -> !tt.ptr<f32>
  tt.return
}

// -----

tt.func @atomic_block_pointer(%p: !tt.ptr<tensor<4xi32>>, %v: tensor<4xi32>) {
  // expected-error @+1 {{'tt.atomic_rmw' op expects pointers to scalars, but got '!tt.ptr<tensor<4xi32>>'}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<tensor<4xi32>>, tensor<4xi32>) -> tensor<4xi32>
  tt.return
}

// -----

tt.func @atomic_cas_value(%p: !tt.ptr<i32>, %v: i64, %c: i32) {
  // expected-error @+1 {{'tt.atomic_cas' op expects values of type 'i32', which the pointers have, but got 'i64'}}
  %0 = tt.atomic_cas relaxed, gpu, %p, %c, %v : (!tt.ptr<i32>, i32, i64) -> i32
  tt.return
}

// -----

tt.func @atomic_byte(%p: !tt.ptr<i8>, %v: i8) {
  // expected-error @+1 {{'tt.atomic_rmw' op expects elements of 16, 32 or 64 bits, but got 'i8'}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i8>, i8) -> i8
  tt.return
}
