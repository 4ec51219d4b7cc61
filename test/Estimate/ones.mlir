// A product with ones has rows that are alike: of the four tiles of rows that a
// warp has, the code has one, as many instructions as the depth has steps.

// RUN: tilewright compile %s --target=sm_80 --num-warps=1 --emit=estimate-json --launch=1 -o - | FileCheck %s
// CHECK: "matrices": 4,
// RUN: tilewright compile %s --target=sm_80 --num-warps=1 --emit=ptx -o - | FileCheck %s --check-prefix=CODE
// CODE-COUNT-4: mma.sync
// CODE-NOT: mma.sync

// RUN: sed 's/arith.constant dense<1.0> : tensor<64x64xf16>/tt.splat %one : f16 -> tensor<64x64xf16>/' %s | tilewright compile - --target=sm_80 --num-warps=1 --emit=estimate-json --launch=1 -o - | FileCheck %s --check-prefix=ANY
// ANY: "matrices": 16,

module {
  tt.func public @sums(%from: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %one: f16, %to: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %row = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %column = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
    %rows = tt.expand_dims %row {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %columns = tt.expand_dims %column {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
    %size = arith.constant dense<8> : tensor<64x1xi32>
    %starts = arith.muli %rows, %size : tensor<64x1xi32>
    %start = tt.broadcast %starts : tensor<64x1xi32> -> tensor<64x8xi32>
    %place = tt.broadcast %columns : tensor<1x8xi32> -> tensor<64x8xi32>
    %places = arith.addi %start, %place : tensor<64x8xi32>
    %bases = tt.splat %from : !tt.ptr<f16> -> tensor<64x8x!tt.ptr<f16>>
    %sources = tt.addptr %bases, %places : tensor<64x8x!tt.ptr<f16>>, tensor<64x8xi32>
    %x = tt.load %sources : tensor<64x8x!tt.ptr<f16>>
    %ones = arith.constant dense<1.0> : tensor<64x64xf16>
    %none = arith.constant dense<0.0> : tensor<64x8xf32>
    %sum = tt.dot %ones, %x, %none : tensor<64x64xf16> * tensor<64x8xf16> -> tensor<64x8xf32>
    %ends = tt.splat %to : !tt.ptr<f32> -> tensor<64x8x!tt.ptr<f32>>
    %targets = tt.addptr %ends, %places : tensor<64x8x!tt.ptr<f32>>, tensor<64x8xi32>
    tt.store %targets, %sum : tensor<64x8x!tt.ptr<f32>>
    tt.return
  }
}
