// RUN: tilewright-opt %s --tile-rewrite-block-accesses --canonicalize --split-input-file | FileCheck %s

// Nothing is checked: pointers alone. The offset and the stride are multiplied
// as 64-bit numbers.
// CHECK-LABEL: @unchecked
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f16>, %[[N:.*]]: i64, %[[S:.*]]: i64, %[[X:.*]]: i32
// CHECK-DAG: %[[RANGE:.*]] = tt.make_range {end = 64 : i32, start = 0 : i32}
// CHECK-DAG: %[[WIDE_RANGE:.*]] = arith.extsi %[[RANGE]] : tensor<64xi32> to tensor<64xi64>
// CHECK-DAG: %[[WIDE:.*]] = arith.extsi %[[X]] : i32 to i64
// CHECK-DAG: %[[DISTANCE:.*]] = arith.muli %[[WIDE]], %[[S]] : i64
// CHECK-DAG: %[[FIRST:.*]] = tt.addptr %[[P]], %[[DISTANCE]] : !tt.ptr<f16>, i64
// CHECK-DAG: %[[FIRSTS:.*]] = tt.splat %[[FIRST]]
// CHECK-DAG: %[[STRIDES:.*]] = tt.splat %[[S]]
// CHECK-DAG: %[[STEPS:.*]] = arith.muli %[[WIDE_RANGE]], %[[STRIDES]] : tensor<64xi64>
// CHECK: %[[PLACES:.*]] = tt.addptr %[[FIRSTS]], %[[STEPS]] : tensor<64x!tt.ptr<f16>>, tensor<64xi64>
// CHECK: %[[V:.*]] = tt.load %[[PLACES]] cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : tensor<64x!tt.ptr<f16>>
// CHECK: return %[[V]]
tt.func public @unchecked(%p: !tt.ptr<f16>, %n: i64, %s: i64, %x: i32) -> tensor<64xf16> {
  %b = tt.make_tensor_ptr %p, [%n], [%s], [%x] {order = array<i32: 0>} : <tensor<64xf16>>
  %v = tt.load %b cacheModifier = cg evictionPolicy = evict_first {isVolatile = true} : !tt.ptr<tensor<64xf16>>
  tt.return %v : tensor<64xf16>
}

// -----

// Only dimension 1 is checked; a store has nothing to pad.
// CHECK-LABEL: @checked
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[M:.*]]: i64, %[[N:.*]]: i64, %[[I:.*]]: i32, %[[J:.*]]: i32
// CHECK: %[[LEFT:.*]] = arith.subi %[[N]], %{{.*}} : i64
// CHECK: %[[HIGH:.*]] = arith.maxsi %[[LEFT]], %c0_i64
// CHECK: %[[CLAMPED:.*]] = arith.minsi %[[HIGH]], %c32_i64
// CHECK: arith.trunci %[[CLAMPED]] : i64 to i32
// CHECK: %[[BELOW:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<32xi32>
// CHECK: %[[INSIDE:.*]] = arith.andi %{{.*}}, %[[BELOW]] : tensor<32xi1>
// CHECK-NOT: arith.cmpi
// CHECK: %[[ROW:.*]] = tt.expand_dims %[[INSIDE]] {axis = 0 : i32}
// CHECK: %[[MASK:.*]] = tt.broadcast %[[ROW]] : tensor<1x32xi1> -> tensor<16x32xi1>
// CHECK: tt.store %{{.*}}, %{{.*}}, %[[MASK]] : tensor<16x32x!tt.ptr<f32>>
tt.func public @checked(%p: !tt.ptr<f32>, %m: i64, %n: i64, %i: i32, %j: i32, %v: tensor<16x32xf32>) {
  %one = arith.constant 1 : i64
  %b = tt.make_tensor_ptr %p, [%m, %n], [%n, %one], [%i, %j] {order = array<i32: 1, 0>} : <tensor<16x32xf32>>
  tt.store %b, %v {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<16x32xf32>>
  tt.return
}

// -----

// Integers have no NaN.
// CHECK-LABEL: @padding
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0> : tensor<64xi32>
// CHECK-DAG: %[[NAN:.*]] = arith.constant dense<0x7FC00000> : tensor<64xf32>
// CHECK: tt.load %{{.*}}, %{{.*}}, %[[ZERO]] : tensor<64x!tt.ptr<i32>>
// CHECK: tt.load %{{.*}}, %{{.*}}, %[[NAN]] : tensor<64x!tt.ptr<f32>>
tt.func public @padding(%p: !tt.ptr<i32>, %q: !tt.ptr<f32>, %n: i64, %x: i32) -> (tensor<64xi32>, tensor<64xf32>) {
  %one = arith.constant 1 : i64
  %b = tt.make_tensor_ptr %p, [%n], [%one], [%x] {order = array<i32: 0>} : <tensor<64xi32>>
  %v = tt.load %b {boundaryCheck = array<i32: 0>, padding = 2 : i32} : !tt.ptr<tensor<64xi32>>
  %c = tt.make_tensor_ptr %q, [%n], [%one], [%x] {order = array<i32: 0>} : <tensor<64xf32>>
  %w = tt.load %c {boundaryCheck = array<i32: 0>, padding = 2 : i32} : !tt.ptr<tensor<64xf32>>
  tt.return %v, %w : tensor<64xi32>, tensor<64xf32>
}

// -----

// A loop carries the offset that moves, and nothing else.
// CHECK-LABEL: @carried
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[N:.*]]: i64, %[[COUNT:.*]]: i32
// CHECK: scf.for %{{.*}} iter_args(%[[X:.*]] = %c0_i32) -> (i32)
// CHECK: %[[NEXT:.*]] = arith.addi %[[X]], %c64_i32 : i32
// CHECK: scf.yield %[[NEXT]] : i32
tt.func public @carried(%p: !tt.ptr<f32>, %n: i64, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %one = arith.constant 1 : i64
  %v = arith.constant dense<0.0> : tensor<64xf32>
  %b = tt.make_tensor_ptr %p, [%n], [%one], [%c0] {order = array<i32: 0>} : <tensor<64xf32>>
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%c = %b) -> (!tt.ptr<tensor<64xf32>>) : i32 {
    tt.store %c, %v {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
    %next = tt.advance %c, [%c64] : <tensor<64xf32>>
    scf.yield %next : !tt.ptr<tensor<64xf32>>
  }
  tt.return
}

// -----

// The last stride is 1, whatever value comes for it.
// CHECK-LABEL: @dense
// CHECK-SAME: %{{.*}}: !tt.ptr<f32>, %[[N:.*]]: i32, %[[S:.*]]: i64
// CHECK-NOT: %[[S]]
// CHECK: tt.load
tt.func public @dense(%p: !tt.ptr<f32>, %n: i32, %s: i64) -> tensor<64xf32> {
  %D = tt.make_tensor_descriptor %p, [%n], [%s] : !tt.ptr<f32>, !tt.tensordesc<64xf32>
  %v = tt.descriptor_load %D[%n] : !tt.tensordesc<64xf32> -> tensor<64xf32>
  tt.return %v : tensor<64xf32>
}

// -----

// A descriptor of the caller is its address, sizes and strides; the attribute of
// its argument stays with the address.
// CHECK-LABEL: @descriptor
// CHECK-SAME: (%{{.*}}: i32, %[[P:.*]]: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %[[M:.*]]: i64, %[[N:.*]]: i64, %[[S:.*]]: i64, %[[T:.*]]: i64, %{{.*}}: f32)
// CHECK-SAME: attributes {tt.descriptor_ranks = array<i32: 0, 2, 0>}
// CHECK: arith.minsi %[[M]], %c2147483647_i64
// CHECK: tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x!tt.ptr<i8>>
// CHECK-NOT: tt.reshape
tt.func public @descriptor(%x: i32, %D: !tt.tensordesc<1x32xui8> {tt.divisibility = 16 : i32}, %f: f32) -> tensor<32xi8> {
  %v = tt.descriptor_load %D[%x, %x] : !tt.tensordesc<1x32xui8> -> tensor<32xi8>
  tt.return %v : tensor<32xi8>
}

// -----

// Leading dimensions of one element are in the pointer and in the mask, whether
// the loaded tile has them or not.
// CHECK-LABEL: @batch
// CHECK-SAME: %[[P:[^:]*]]: !tt.ptr<f16>, %[[B:[^:]*]]: i32, %[[S:[^:]*]]: i64
// CHECK: %[[X:.*]] = arith.extsi %[[B]] : i32 to i64
// CHECK: %[[FAR:.*]] = arith.muli %[[X]], %[[S]] : i64
// CHECK: tt.addptr %[[P]], %[[FAR]] : !tt.ptr<f16>, i64
// CHECK: arith.cmpi sge, %{{.*}}, %{{.*}} : tensor<1x1xi64>
// CHECK: %[[BELOW:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<1x1xi64>
// CHECK: arith.andi %{{.*}}, %[[BELOW]] : tensor<1x1xi1>
// CHECK: tt.load %{{.*}} : tensor<16x32x!tt.ptr<f16>>
// CHECK-NOT: tt.reshape
// CHECK: tt.store %{{.*}} : tensor<16x32x!tt.ptr<f16>>
tt.func public @batch(%p: !tt.ptr<f16>, %b: i32, %s: i64, %n: i32, %c1: i64) {
  %D = tt.make_tensor_descriptor %p, [%n, %n, %n], [%s, %s, %c1] : !tt.ptr<f16>, !tt.tensordesc<1x16x32xf16>
  %v = tt.descriptor_load %D[%b, %n, %n] : !tt.tensordesc<1x16x32xf16> -> tensor<1x16x32xf16>
  tt.descriptor_store %D[%b, %n, %n], %v : !tt.tensordesc<1x16x32xf16>, tensor<1x16x32xf16>
  tt.return
}

// -----

// Rows that are said to be aligned: of where they begin, and of how far they are
// from each other, and not of coordinates in them.
// CHECK-LABEL: @aligned
// CHECK: tt.addptr %{{.*}} {tile.divisibility = 16 : i32} : !tt.ptr<f16>, i64
// CHECK-NOT: {{tt|tile}}.divisibility
// CHECK: arith.muli %{{.*}} {tile.divisibility = 8 : i32} : tensor<16xi64>
// CHECK-NOT: {{tt|tile}}.divisibility
tt.func public @aligned(%p: !tt.ptr<f16>, %s: i64, %n: i32, %c1: i64) -> tensor<16x32xf16> {
  %D = tt.make_tensor_descriptor %p, [%n, %n], [%s, %c1] {tt.divisibility = 16 : i32} : !tt.ptr<f16>, !tt.tensordesc<16x32xf16>
  %v = tt.descriptor_load %D[%n, %n] : !tt.tensordesc<16x32xf16> -> tensor<16x32xf16>
  tt.return %v : tensor<16x32xf16>
}
