// RUN: tilewright-opt %s --tile-rewrite-block-accesses --tile-narrow-indices --canonicalize --cse --split-input-file | FileCheck %s

// The arithmetic of block pointers and descriptors, which is on 64 bits when it
// is made.

// Constant strides and sizes of 32 bits: all of it on 32.
// CHECK-LABEL: @constant_strides
// CHECK-NOT: i64
// CHECK: arith.muli %{{.*}}, %c4096_i32 : i32
// CHECK-NOT: i64
// CHECK: arith.muli %{{.*}}, %{{.*}} overflow<nsw, nuw> : tensor<16xi32>
// CHECK-NOT: i64
// CHECK: arith.minui %{{.*}}, %c16_i32 : i32
// CHECK-NOT: i64
// CHECK: tt.load
tt.func public @constant_strides(%p: !tt.ptr<f16>, %m: i32, %out: tensor<16x32x!tt.ptr<f16>>) {
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c256 = arith.constant 256 : i64
  %c16 = arith.constant 16 : i32
  %c0 = arith.constant 0 : i32
  %m64 = arith.extsi %m : i32 to i64
  %y = tt.get_program_id y : i32
  %i = arith.muli %y, %c16 : i32
  %b = tt.make_tensor_ptr %p, [%m64, %c32], [%c256, %c1], [%i, %c0] {order = array<i32: 1, 0>} : <tensor<16x32xf16>>
  %v = tt.load %b {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<16x32xf16>>
  tt.store %out, %v : tensor<16x32x!tt.ptr<f16>>
  tt.return
}

// -----

// One more bit in the stride, and the first row may lie beyond 2^31 elements.
// The rows' distances from it do not.
// CHECK-LABEL: @large_stride
// CHECK: arith.muli %{{.*}}, %c2097152_i64 : i64
// CHECK: arith.muli %{{.*}} overflow<nsw, nuw> : tensor<16xi32>
tt.func public @large_stride(%p: !tt.ptr<f16>, %m: i32, %out: tensor<16x32x!tt.ptr<f16>>) {
  %c1 = arith.constant 1 : i64
  %stride = arith.constant 2097152 : i64
  %c16 = arith.constant 16 : i32
  %c0 = arith.constant 0 : i32
  %m64 = arith.extsi %m : i32 to i64
  %y = tt.get_program_id y : i32
  %i = arith.muli %y, %c16 : i32
  %b = tt.make_tensor_ptr %p, [%m64, %stride], [%stride, %c1], [%i, %c0] {order = array<i32: 1, 0>} : <tensor<16x32xf16>>
  %v = tt.load %b {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<16x32xf16>>
  tt.store %out, %v : tensor<16x32x!tt.ptr<f16>>
  tt.return
}

// -----

// A stride that only the caller knows is multiplied in 64 bits; how far the
// block reaches into the tensor takes 32.
// CHECK-LABEL: @unknown_stride
// CHECK: arith.muli %{{.*}} : i64
// CHECK: arith.minui %{{.*}}, %c64_i32 : i32
tt.func public @unknown_stride(%p: !tt.ptr<f16>, %m: i32, %n: i32, %s: i64, %x: i32, %out: tensor<64x16x!tt.ptr<f16>>) {
  %c1 = arith.constant 1 : i64
  %b = tt.make_tensor_descriptor %p, [%m, %n], [%s, %c1] : !tt.ptr<f16>, !tt.tensordesc<64x16xf16>
  %v = tt.descriptor_load %b[%x, %x] : !tt.tensordesc<64x16xf16> -> tensor<64x16xf16>
  tt.store %out, %v : tensor<64x16x!tt.ptr<f16>>
  tt.return
}
