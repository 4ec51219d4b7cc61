// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s

// What Triton 3.0 to 3.2 print otherwise than 3.6. It is read, and printed as
// 3.6 does where the meaning is the same.

// CHECK-LABEL: @reshape
// CHECK: tt.reshape %{{.*}} : tensor<64xf32> -> tensor<8x8xf32>
// CHECK: tt.reshape %{{.*}} allow_reorder : tensor<64xf32> -> tensor<8x8xf32>
tt.func @reshape(%a: tensor<64xf32>) {
  %0 = tt.reshape %a {allow_reorder = false} : tensor<64xf32> -> tensor<8x8xf32>
  %1 = tt.reshape %a {allow_reorder = true} : tensor<64xf32> -> tensor<8x8xf32>
  tt.return
}

// CHECK-LABEL: @assert
// CHECK: tt.assert %{{.*}}, "message", "file.py", "function", 12 : tensor<64xi1>
tt.func @assert(%c: tensor<64xi1>) {
  tt.assert %c, "message", "file.py", "function", 12 : tensor<64xi1>
  tt.return
}

// CHECK-LABEL: @print
// CHECK: tt.print " x: " {hex = false} : %{{.*}} : i32
tt.func @print(%n: i32) {
  tt.print " x: " {hex = false} : %n : i32
  tt.return
}

// Attributes behind the regions become properties.
// CHECK-LABEL: @attributes_behind_regions
// CHECK: "tt.reduce"(%{{.*}}) <{axis = 0 : i32}> ({
// CHECK: }) {tt.hint} : (tensor<64xf32>) -> f32
// CHECK: "tt.scan"(%{{.*}}) <{axis = 0 : i32, reverse = true}> ({
// CHECK: }) : (tensor<64xf32>) -> tensor<64xf32>
tt.func @attributes_behind_regions(%a: tensor<64xf32>) {
  %0 = "tt.reduce"(%a) ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) {axis = 0 : i32, tt.hint} : (tensor<64xf32>) -> f32
  %1 = "tt.scan"(%a) ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.scan.return %z : f32
  }) {axis = 0 : i32, reverse = true} : (tensor<64xf32>) -> tensor<64xf32>
  tt.return
}
