// RUN: tilewright-opt %s --tile-reduce-powers | FileCheck %s

// Squares and cubes are products, whoever raises to the power.
// CHECK-LABEL: tt.func @small
tt.func @small(%x: tensor<16xf32>, %y: f64) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, f64) {
  %two = arith.constant dense<2> : tensor<16xi32>
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %three = arith.constant dense<3.0> : tensor<16xf32>
  %alsoTwo = arith.constant 2.0 : f64
  // CHECK: %[[SQUARE:.*]] = arith.mulf %arg0, %arg0 : tensor<16xf32>
  %a = tt.extern_elementwise %x, %two {libname = "", libpath = "", pure = true, symbol = "__nv_powif"} : (tensor<16xf32>, tensor<16xi32>) -> tensor<16xf32>
  // CHECK-NEXT: %[[AGAIN:.*]] = arith.mulf %arg0, %arg0 : tensor<16xf32>
  // CHECK-NEXT: %[[CUBE:.*]] = arith.mulf %[[AGAIN]], %arg0 : tensor<16xf32>
  %b = math.powf %x, %three : tensor<16xf32>
  %c = math.powf %x, %one : tensor<16xf32>
  // CHECK-NEXT: %[[NUMBER:.*]] = arith.mulf %arg1, %arg1 : f64
  %d = tt.extern_elementwise %y, %alsoTwo {libname = "", libpath = "", pure = true, symbol = "__nv_pow"} : (f64, f64) -> f64
  // CHECK-NEXT: tt.return %[[SQUARE]], %[[CUBE]], %arg0, %[[NUMBER]]
  tt.return %a, %b, %c, %d : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, f64
}

// Others would be rounded more often than by the function, or are no integers, or
// not known.
// CHECK-LABEL: tt.func @others
tt.func @others(%x: tensor<16xf32>, %n: tensor<16xi32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %four = arith.constant dense<4> : tensor<16xi32>
  %half = arith.constant dense<0.5> : tensor<16xf32>
  %mixed = arith.constant dense<[1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]> : tensor<16xi32>
  // CHECK-NOT: arith.mulf
  // CHECK: math.fpowi
  %a = math.fpowi %x, %four : tensor<16xf32>, tensor<16xi32>
  // CHECK: math.powf
  %b = math.powf %x, %half : tensor<16xf32>
  // CHECK: math.fpowi
  %c = math.fpowi %x, %n : tensor<16xf32>, tensor<16xi32>
  // CHECK: math.fpowi
  %d = math.fpowi %x, %mixed : tensor<16xf32>, tensor<16xi32>
  tt.return %a, %b, %c, %d : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
