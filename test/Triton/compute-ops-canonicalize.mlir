// RUN: tilewright-opt %s -canonicalize | FileCheck %s

// What becomes of reductions that combine nothing, and of casts that change
// nothing or whose operands are known.

// CHECK-LABEL: @reduce_of_one
// CHECK-SAME: %[[A:.*]]: tensor<64x1xf32>, %[[B:.*]]: tensor<64x1xi32>
// CHECK-NEXT: %[[X:.*]] = tt.reshape %[[A]] : tensor<64x1xf32> -> tensor<64xf32>
// CHECK-NEXT: %[[Y:.*]] = tt.reshape %[[B]] : tensor<64x1xi32> -> tensor<64xi32>
// CHECK-NEXT: tt.return %[[X]], %[[Y]]
tt.func @reduce_of_one(%a: tensor<64x1xf32>, %b: tensor<64x1xi32>) -> (tensor<64xf32>, tensor<64xi32>) {
  %0:2 = "tt.reduce"(%a, %b) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %i: i32, %y: f32, %j: i32):
    %z = arith.addf %x, %y : f32
    %k = arith.addi %i, %j : i32
    tt.reduce.return %z, %k : f32, i32
  }) : (tensor<64x1xf32>, tensor<64x1xi32>) -> (tensor<64xf32>, tensor<64xi32>)
  tt.return %0#0, %0#1 : tensor<64xf32>, tensor<64xi32>
}

// CHECK-LABEL: @reduce_of_one_to_scalar
// CHECK-SAME: %[[A:.*]]: tensor
// CHECK-NEXT: %[[X:.*]] = tt.unsplat %[[A]]
// CHECK-NEXT: tt.return %[[X]]
tt.func @reduce_of_one_to_scalar(%a: tensor<1xf32>) -> f32 {
  %0 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<1xf32>) -> f32
  tt.return %0 : f32
}

// CHECK-LABEL: @reduce_of_two
// CHECK: "tt.reduce"
tt.func @reduce_of_two(%a: tensor<1x2xf32>) -> tensor<1xf32> {
  %0 = "tt.reduce"(%a) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<1x2xf32>) -> tensor<1xf32>
  tt.return %0 : tensor<1xf32>
}

// A reduction has no effect of its own.
// CHECK-LABEL: @unused
// CHECK-NEXT: tt.return
tt.func @unused(%a: tensor<64xf32>) {
  %0 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<64xf32>) -> f32
  %1 = "tt.scan"(%a) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.scan.return %z : f32
  }) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = tt.elementwise_inline_asm "" {constraints = "=r", packed_element = 1 : i32, pure = true} -> i32
  tt.return
}

// CHECK-LABEL: @unused_with_effects
// CHECK-NEXT: tt.elementwise_inline_asm
// CHECK-NEXT: tt.extern_elementwise
tt.func @unused_with_effects(%x: f32) {
  %0 = tt.elementwise_inline_asm "" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
  %1 = tt.extern_elementwise %x {libname = "", libpath = "", pure = false, symbol = "f"} : (f32) -> f32
  tt.return
}

// CHECK-LABEL: @bitcast_identity
// CHECK-SAME: %[[A:.*]]: tensor
// CHECK-NEXT: tt.return %[[A]]
tt.func @bitcast_identity(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tt.bitcast %a : tensor<4xf32> -> tensor<4xi32>
  %1 = tt.bitcast %0 : tensor<4xi32> -> tensor<4xf32>
  tt.return %1 : tensor<4xf32>
}

// CHECK-LABEL: @bitcast_constants
// CHECK-DAG: %[[I:.*]] = arith.constant dense<1065353216> : tensor<4xi32>
// CHECK-DAG: %[[F:.*]] = arith.constant 1.000000e+00 : f16
// CHECK: tt.return %[[I]], %[[F]]
tt.func @bitcast_constants() -> (tensor<4xi32>, f16) {
  %c = arith.constant dense<1.0> : tensor<4xf32>
  %d = arith.constant 15360 : i16
  %0 = tt.bitcast %c : tensor<4xf32> -> tensor<4xi32>
  %1 = tt.bitcast %d : i16 -> f16
  tt.return %0, %1 : tensor<4xi32>, f16
}

// CHECK-LABEL: @addresses
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[I:.*]]: i64
// CHECK-NEXT: tt.return %[[P]], %[[I]]
tt.func @addresses(%p: !tt.ptr<f32>, %i: i64) -> (!tt.ptr<f32>, i64) {
  %0 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %1 = tt.int_to_ptr %0 : i64 -> !tt.ptr<f32>
  %2 = tt.int_to_ptr %i : i64 -> !tt.ptr<f32>
  %3 = tt.ptr_to_int %2 : !tt.ptr<f32> -> i64
  tt.return %1, %3 : !tt.ptr<f32>, i64
}

// CHECK-LABEL: @pointer_of_another_type
// CHECK: tt.int_to_ptr
tt.func @pointer_of_another_type(%p: !tt.ptr<f32>) -> !tt.ptr<i8> {
  %0 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %1 = tt.int_to_ptr %0 : i64 -> !tt.ptr<i8>
  tt.return %1 : !tt.ptr<i8>
}

// CHECK-LABEL: @fp_to_fp_identity
// CHECK-SAME: %[[A:.*]]: f32
// CHECK-NEXT: tt.return %[[A]]
tt.func @fp_to_fp_identity(%a: f32) -> f32 {
  %0 = tt.fp_to_fp %a, rounding = rtne : f32 -> f32
  tt.return %0 : f32
}
