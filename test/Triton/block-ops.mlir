// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// Block pointers and tensor descriptors.

// CHECK-LABEL: @block_pointer(
// CHECK: %{{.*}} = tt.make_tensor_ptr %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
// CHECK: %{{.*}} = tt.advance %{{.*}}, [%{{.*}}, %{{.*}}] : <tensor<64x32xf16>>
// CHECK: %{{.*}} = tt.load %{{.*}} : !tt.ptr<tensor<64x32xf16>>
// CHECK: %{{.*}} = tt.load %{{.*}} {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf16>>
// CHECK: %{{.*}} = tt.load %{{.*}} evictionPolicy = evict_first {boundaryCheck = array<i32: 1>, padding = 2 : i32} : !tt.ptr<tensor<64x32xf16>>
// CHECK: tt.store %{{.*}}, %{{.*}} : !tt.ptr<tensor<64x32xf16>>
// CHECK: tt.store %{{.*}}, %{{.*}} {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64x32xf16>>
tt.func @block_pointer(%p: !tt.ptr<f16>, %n: i64, %i: i32, %v: tensor<64x32xf16>) {
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%i, %i] {order = array<i32: 1, 0>} : <tensor<64x32xf16>>
  %1 = tt.advance %0, [%i, %i] : <tensor<64x32xf16>>
  %2 = tt.load %1 : !tt.ptr<tensor<64x32xf16>>
  %3 = tt.load %1 {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : !tt.ptr<tensor<64x32xf16>>
  %4 = tt.load %1 evictionPolicy = evict_first {boundaryCheck = array<i32: 1>, padding = 2 : i32} : !tt.ptr<tensor<64x32xf16>>
  tt.store %1, %v : !tt.ptr<tensor<64x32xf16>>
  tt.store %1, %v {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64x32xf16>>
  tt.return
}

// CHECK-LABEL: @descriptor(
// CHECK: %{{.*}} = tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : <f16>, <64x64xf16>
// CHECK: %{{.*}} = tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {padding = 2 : i32} : <f16>, <tensor<64x64xf16>>
// CHECK: %{{.*}} = tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
// CHECK: %{{.*}} = tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] cacheModifier = cg evictionPolicy = evict_first : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
// CHECK: tt.descriptor_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<64x64xf16>, tensor<64x64xf16>
tt.func @descriptor(%p: !tt.ptr<f16>, %m: i32, %s: i64, %v: tensor<64x64xf16>) {
  %0 = tt.make_tensor_descriptor %p, [%m, %m], [%s, %s] : <f16>, <64x64xf16>
  %1 = tt.make_tensor_descriptor %p, [%m, %m], [%s, %s] {padding = 2 : i32} : <f16>, <tensor<64x64xf16>>
  %2 = tt.descriptor_load %0[%m, %m] : !tt.tensordesc<64x64xf16> -> tensor<64x64xf16>
  %3 = tt.descriptor_load %1[%m, %m] cacheModifier = cg evictionPolicy = evict_first : !tt.tensordesc<tensor<64x64xf16>> -> tensor<64x64xf16>
  tt.descriptor_store %0[%m, %m], %v : !tt.tensordesc<64x64xf16>, tensor<64x64xf16>
  tt.return
}

// CHECK-LABEL: @unsigned_descriptor(
// CHECK: %{{.*}} = tt.make_tensor_descriptor %{{.*}}, [%{{.*}}], [%{{.*}}] : <i8>, <64xui8>
// CHECK: %{{.*}} = tt.descriptor_load %{{.*}}[%{{.*}}] : !tt.tensordesc<64xui8> -> tensor<64xi8>
tt.func @unsigned_descriptor(%p: !tt.ptr<i8>, %m: i32, %s: i64) {
  %0 = tt.make_tensor_descriptor %p, [%m], [%s] : <i8>, <64xui8>
  %1 = tt.descriptor_load %0[%m] : !tt.tensordesc<64xui8> -> tensor<64xi8>
  tt.return
}

// CHECK-LABEL: @descriptor_without_leading_dimension(
// CHECK: %{{.*}} = tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : !tt.tensordesc<1x64x64xf16> -> tensor<64x64xf16>
// CHECK: tt.descriptor_store %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<1x64x64xf16>, tensor<64x64xf16>
tt.func @descriptor_without_leading_dimension(%d: !tt.tensordesc<1x64x64xf16>, %i: i32) {
  %0 = tt.descriptor_load %d[%i, %i, %i] : !tt.tensordesc<1x64x64xf16> -> tensor<64x64xf16>
  tt.descriptor_store %d[%i, %i, %i], %0 : !tt.tensordesc<1x64x64xf16>, tensor<64x64xf16>
  tt.return
}
