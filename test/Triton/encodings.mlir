// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s -canonicalize | FileCheck %s --check-prefixes=CHECK,FOLD

// Later stages put layouts on the tiles of these ops: no verifier asks that
// encodings agree where types are printed, and no folding loses one. (Strings
// stand for layouts here.)

// CHECK-LABEL: @shapes
// CHECK: tt.make_range {{.*}} : tensor<4xi32, "a">
// CHECK: tt.expand_dims %{{.*}} : tensor<4xi32, "a"> -> tensor<4x1xi32, "b">
// CHECK: tt.broadcast %{{.*}} : tensor<4x1xi32, "b"> -> tensor<4x8xi32, "c">
// CHECK: tt.trans %{{.*}} : tensor<4x8xi32, "c"> -> tensor<8x4xi32, "d">
// CHECK: tt.reshape %{{.*}} : tensor<8x4xi32, "d"> -> tensor<32xi32, "e">
// CHECK: tt.reshape %{{.*}} : tensor<32xi32, "e"> -> tensor<4x8xi32, "f">
// CHECK: tt.join %{{.*}} : tensor<4x8xi32, "f"> -> tensor<4x8x2xi32, "g">
tt.func @shapes() -> tensor<4x8x2xi32, "g"> {
  %0 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32, "a">
  %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<4xi32, "a"> -> tensor<4x1xi32, "b">
  %2 = tt.broadcast %1 : tensor<4x1xi32, "b"> -> tensor<4x8xi32, "c">
  %3 = tt.trans %2 {order = array<i32: 1, 0>} : tensor<4x8xi32, "c"> -> tensor<8x4xi32, "d">
  %4 = tt.reshape %3 : tensor<8x4xi32, "d"> -> tensor<32xi32, "e">
  %5 = tt.reshape %4 : tensor<32xi32, "e"> -> tensor<4x8xi32, "f">
  %6 = tt.join %5, %5 : tensor<4x8xi32, "f"> -> tensor<4x8x2xi32, "g">
  tt.return %6 : tensor<4x8x2xi32, "g">
}

// A transposition, a reshape or a broadcast that only changes the layout stays.
// CHECK-LABEL: @other_layout
// CHECK: tt.trans
// CHECK: tt.reshape
// CHECK: tt.broadcast
tt.func @other_layout(%a: tensor<4x8xi32, "a">) -> tensor<4x8xi32, "d"> {
  %0 = tt.trans %a {order = array<i32: 0, 1>} : tensor<4x8xi32, "a"> -> tensor<4x8xi32, "b">
  %1 = tt.reshape %0 : tensor<4x8xi32, "b"> -> tensor<4x8xi32, "c">
  %2 = tt.broadcast %1 : tensor<4x8xi32, "c"> -> tensor<4x8xi32, "d">
  tt.return %2 : tensor<4x8xi32, "d">
}

// CHECK-LABEL: @constant
// FOLD: arith.constant dense<3> : tensor<4x8xi32, "b">
tt.func @constant() -> tensor<4x8xi32, "b"> {
  %0 = arith.constant 3 : i32
  %1 = tt.splat %0 : i32 -> tensor<4x1xi32, "a">
  %2 = tt.broadcast %1 : tensor<4x1xi32, "a"> -> tensor<4x8xi32, "b">
  tt.return %2 : tensor<4x8xi32, "b">
}

// CHECK-LABEL: @memory
// CHECK: tt.load %{{.*}}, %{{.*}} : tensor<4x!tt.ptr<f32>, "a">
// CHECK: tt.atomic_rmw {{.*}} : (tensor<4x!tt.ptr<f32>, "a">, tensor<4xf32, "b">) -> tensor<4xf32, "c">
tt.func @memory(%p: tensor<4x!tt.ptr<f32>, "a">, %m: tensor<4xi1, "a">, %v: tensor<4xf32, "b">) -> (tensor<4xf32, "a">, tensor<4xf32, "c">) {
  %0 = tt.load %p, %m : tensor<4x!tt.ptr<f32>, "a">
  %1 = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (tensor<4x!tt.ptr<f32>, "a">, tensor<4xf32, "b">) -> tensor<4xf32, "c">
  tt.return %0, %1 : tensor<4xf32, "a">, tensor<4xf32, "c">
}

// CHECK-LABEL: @compute
// CHECK: tt.dot %{{.*}} : tensor<16x16xf16, "a"> * tensor<16x16xf16, "b"> -> tensor<16x16xf32, "c">
// CHECK: "tt.reduce"
// CHECK: (tensor<16x1xf32, "e">) -> tensor<16xf32, "d">
tt.func @compute(%a: tensor<16x16xf16, "a">, %b: tensor<16x16xf16, "b">, %c: tensor<16x16xf32, "c">, %e: tensor<16x1xf32, "e">) -> (tensor<16x16xf32, "c">, tensor<16xf32, "d">) {
  %0 = tt.dot %a, %b, %c : tensor<16x16xf16, "a"> * tensor<16x16xf16, "b"> -> tensor<16x16xf32, "c">
  %1 = "tt.reduce"(%e) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<16x1xf32, "e">) -> tensor<16xf32, "d">
  tt.return %0, %1 : tensor<16x16xf32, "c">, tensor<16xf32, "d">
}

// Two broadcasts are one only where the layout at both ends is one.
// CHECK-LABEL: @broadcasts
// FOLD: tt.broadcast %{{.*}} : tensor<1x1xi32, "a"> -> tensor<4x8xi32, "a">
// FOLD: tt.broadcast %{{.*}} : tensor<1x1xi32, "a"> -> tensor<4x1xi32, "b">
// FOLD: tt.broadcast %{{.*}} : tensor<4x1xi32, "b"> -> tensor<4x8xi32, "c">
tt.func @broadcasts(%a: tensor<1x1xi32, "a">) -> (tensor<4x8xi32, "a">, tensor<4x8xi32, "c">) {
  %0 = tt.broadcast %a : tensor<1x1xi32, "a"> -> tensor<4x1xi32, "a">
  %1 = tt.broadcast %0 : tensor<4x1xi32, "a"> -> tensor<4x8xi32, "a">
  %2 = tt.broadcast %a : tensor<1x1xi32, "a"> -> tensor<4x1xi32, "b">
  %3 = tt.broadcast %2 : tensor<4x1xi32, "b"> -> tensor<4x8xi32, "c">
  tt.return %1, %3 : tensor<4x8xi32, "a">, tensor<4x8xi32, "c">
}
