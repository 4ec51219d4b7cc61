// RUN: tilewright-opt %s -canonicalize -cse | FileCheck %s

// What becomes of memory accesses under constant masks and offsets, and which
// of them may be removed or merged.

// CHECK-LABEL: @addptr_zero
// CHECK-SAME: %[[P:.*]]: tensor
// CHECK-NEXT: tt.return %[[P]]
tt.func @addptr_zero(%p: tensor<4x!tt.ptr<f32>>) -> tensor<4x!tt.ptr<f32>> {
  %z = arith.constant dense<0> : tensor<4xi32>
  %0 = tt.addptr %p, %z : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  tt.return %0 : tensor<4x!tt.ptr<f32>>
}

// Offsets are signed: 32 bits need no extension, but fewer keep theirs, and so
// does one with hints.
// CHECK-LABEL: @addptr_extended
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[A:.*]]: i32, %[[B:.*]]: i16
// CHECK: %[[Q:.*]] = tt.addptr %[[P]], %[[A]] : !tt.ptr<f32>, i32
// CHECK: %[[W:.*]] = arith.extsi %[[B]] : i16 to i64
// CHECK: %[[R:.*]] = tt.addptr %[[Q]], %[[W]] : !tt.ptr<f32>, i64
// CHECK: %[[U:.*]] = arith.extui %[[A]] : i32 to i64
// CHECK: %[[S:.*]] = tt.addptr %[[R]], %[[U]] : !tt.ptr<f32>, i64
// CHECK: %[[H:.*]] = arith.extsi %[[A]] {tt.divisibility = 4 : i32} : i32 to i64
// CHECK: tt.addptr %[[S]], %[[H]] : !tt.ptr<f32>, i64
tt.func @addptr_extended(%p: !tt.ptr<f32>, %a: i32, %b: i16) -> !tt.ptr<f32> {
  %0 = arith.extsi %a : i32 to i64
  %1 = tt.addptr %p, %0 : !tt.ptr<f32>, i64
  %2 = arith.extsi %b : i16 to i64
  %3 = tt.addptr %1, %2 : !tt.ptr<f32>, i64
  %4 = arith.extui %a : i32 to i64
  %5 = tt.addptr %3, %4 : !tt.ptr<f32>, i64
  %6 = arith.extsi %a {tt.divisibility = 4 : i32} : i32 to i64
  %7 = tt.addptr %5, %6 : !tt.ptr<f32>, i64
  tt.return %7 : !tt.ptr<f32>
}

// CHECK-LABEL: @advance_zero
// CHECK-SAME: %[[P:.*]]: !tt.ptr<tensor<4x4xf32>>
// CHECK-NEXT: tt.return %[[P]]
tt.func @advance_zero(%p: !tt.ptr<tensor<4x4xf32>>) -> !tt.ptr<tensor<4x4xf32>> {
  %z = arith.constant 0 : i32
  %0 = tt.advance %p, [%z, %z] : <tensor<4x4xf32>>
  tt.return %0 : !tt.ptr<tensor<4x4xf32>>
}

// CHECK-LABEL: @advance_partly_zero
// CHECK: tt.advance
tt.func @advance_partly_zero(%p: !tt.ptr<tensor<4x4xf32>>, %i: i32) -> !tt.ptr<tensor<4x4xf32>> {
  %z = arith.constant 0 : i32
  %0 = tt.advance %p, [%z, %i] : <tensor<4x4xf32>>
  tt.return %0 : !tt.ptr<tensor<4x4xf32>>
}

// CHECK-LABEL: @load_all
// CHECK-SAME: %[[P:.*]]: tensor<4x!tt.ptr<f32>>, %{{.*}}: tensor<4xf32>
// CHECK-NEXT: tt.load %[[P]] cacheModifier = cg : tensor<4x!tt.ptr<f32>>
tt.func @load_all(%p: tensor<4x!tt.ptr<f32>>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %m = arith.constant dense<true> : tensor<4xi1>
  %0 = tt.load %p, %m, %o cacheModifier = cg : tensor<4x!tt.ptr<f32>>
  tt.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @load_nothing
// CHECK-SAME: %{{.*}}: tensor<4x!tt.ptr<f32>>, %[[O:.*]]: tensor<4xf32>
// CHECK-NEXT: tt.return %[[O]]
tt.func @load_nothing(%p: tensor<4x!tt.ptr<f32>>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %m = arith.constant dense<false> : tensor<4xi1>
  %0 = tt.load %p, %m, %o : tensor<4x!tt.ptr<f32>>
  tt.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @load_nothing_undefined
// CHECK-NEXT: %[[U:.*]] = ub.poison : f32
// CHECK-NEXT: tt.return %[[U]]
tt.func @load_nothing_undefined(%p: !tt.ptr<f32>) -> f32 {
  %m = arith.constant false
  %0 = tt.load %p, %m : !tt.ptr<f32>
  tt.return %0 : f32
}

// CHECK-LABEL: @load_some
// CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}}
tt.func @load_some(%p: tensor<2x!tt.ptr<f32>>, %o: tensor<2xf32>) -> tensor<2xf32> {
  %m = arith.constant dense<[true, false]> : tensor<2xi1>
  %0 = tt.load %p, %m, %o : tensor<2x!tt.ptr<f32>>
  tt.return %0 : tensor<2xf32>
}

// CHECK-LABEL: @store_all
// CHECK-SAME: %[[P:.*]]: tensor<4x!tt.ptr<f32>>, %[[V:.*]]: tensor<4xf32>
// CHECK-NEXT: tt.store %[[P]], %[[V]] : tensor<4x!tt.ptr<f32>>
tt.func @store_all(%p: tensor<4x!tt.ptr<f32>>, %v: tensor<4xf32>) {
  %m = arith.constant dense<true> : tensor<4xi1>
  tt.store %p, %v, %m : tensor<4x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @store_nothing
// CHECK-NEXT: tt.return
tt.func @store_nothing(%p: tensor<4x!tt.ptr<f32>>, %v: tensor<4xf32>) {
  %m = arith.constant dense<false> : tensor<4xi1>
  tt.store %p, %v, %m : tensor<4x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: @atomic_all
// CHECK-NEXT: tt.atomic_rmw add, relaxed, gpu, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32) -> i32
tt.func @atomic_all(%p: !tt.ptr<i32>, %v: i32) {
  %m = arith.constant true
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %v, %m : (!tt.ptr<i32>, i32, i1) -> i32
  tt.return
}

// A load that nobody uses is removed; a volatile one, an atomic and a store are
// not.
// CHECK-LABEL: @unused
// CHECK-NEXT: tt.load %{{.*}} {isVolatile = true}
// CHECK-NEXT: tt.atomic_cas
// CHECK-NEXT: tt.store
// CHECK-NEXT: tt.return
tt.func @unused(%p: !tt.ptr<i32>, %v: i32) {
  %0 = tt.load %p : !tt.ptr<i32>
  %1 = tt.load %p {isVolatile = true} : !tt.ptr<i32>
  %2 = tt.atomic_cas relaxed, gpu, %p, %v, %v : (!tt.ptr<i32>, i32, i32) -> i32
  tt.store %p, %v : !tt.ptr<i32>
  tt.return
}

// Two loads with nothing between are one; a store or a volatile load keeps them
// apart.
// CHECK-LABEL: @merged_loads
// CHECK: %[[A:.*]] = tt.load
// CHECK-NEXT: tt.store
// CHECK-NEXT: %[[B:.*]] = tt.load
// CHECK-NEXT: %[[V:.*]] = tt.load %{{.*}} {isVolatile = true}
// CHECK-NEXT: %[[C:.*]] = tt.load
// CHECK-NEXT: tt.return %[[A]], %[[A]], %[[B]], %[[V]], %[[C]]
tt.func @merged_loads(%p: !tt.ptr<i32>, %v: i32) -> (i32, i32, i32, i32, i32) {
  %0 = tt.load %p : !tt.ptr<i32>
  %1 = tt.load %p : !tt.ptr<i32>
  tt.store %p, %v : !tt.ptr<i32>
  %2 = tt.load %p : !tt.ptr<i32>
  %3 = tt.load %p {isVolatile = true} : !tt.ptr<i32>
  %4 = tt.load %p : !tt.ptr<i32>
  tt.return %0, %1, %2, %3, %4 : i32, i32, i32, i32, i32
}
