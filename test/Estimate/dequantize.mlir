// A thread has 16 weights, made by pairs: an addition and a multiplication for
// two, half a cycle each. Where scales are 1 there are no
// multiplications.

// RUN: tilewright compile %s --target=sm_80 --emit=estimate-json --launch=1 -o - | FileCheck %s
// CHECK: "float arithmetic": 32,
// CHECK: "kernel": "scaled"

// RUN: sed 's/tt.splat .scale : f16/arith.constant dense<1.0>/; s/dense<1.0> ->/dense<1.0> :/' %s | tilewright compile - --target=sm_80 --emit=estimate-json --launch=1 -o - | FileCheck %s --check-prefix=ONES
// ONES: "float arithmetic": 16,
// ONES: "kernel": "scaled"

// A code times 2^-24 is its bits: a mask for two, and a shift.
// RUN: sed 's/tt.splat .scale : f16/arith.constant dense<5.960464477539063e-08>/; s/e-08> ->/e-08> :/' %s | tilewright compile - --target=sm_80 --emit=estimate-json --launch=1 -o - | FileCheck %s --check-prefix=UNITS
// UNITS: "float arithmetic": 0,
// UNITS: "kernel": "scaled"

module {
  tt.func public @scaled(%from: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %scale: f16, %to: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
    %range = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %sources = tt.splat %from : !tt.ptr<i32> -> tensor<256x!tt.ptr<i32>>
    %source = tt.addptr %sources, %range : tensor<256x!tt.ptr<i32>>, tensor<256xi32>
    %words = tt.load %source : tensor<256x!tt.ptr<i32>>
    %scales = tt.splat %scale : f16 -> tensor<1xf16>
    %weights = tile.dequantize %words scale %scales format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 2048 : i32} : tensor<256xi32> scale tensor<1xf16> -> tensor<2048xf16>
    %places = tt.make_range {end = 2048 : i32, start = 0 : i32} : tensor<2048xi32>
    %targets = tt.splat %to : !tt.ptr<f16> -> tensor<2048x!tt.ptr<f16>>
    %target = tt.addptr %targets, %places : tensor<2048x!tt.ptr<f16>>, tensor<2048xi32>
    tt.store %target, %weights : tensor<2048x!tt.ptr<f16>>
    tt.return
  }
}
