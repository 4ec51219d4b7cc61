// RUN: tilewright-opt %s --tilegpu-to-llvm | FileCheck %s

#product = #tilegpu.mma<m16n8, warps = [2, 2]>
#lhs = #tilegpu.dot_operand<index = 0, parent = #product, kWidth = 2>
#rhs = #tilegpu.dot_operand<index = 1, parent = #product, kWidth = 2>
#wide = #tilegpu.shared_linear<offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0]]>
#tall = #tilegpu.shared_linear<offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [8, 1], [16, 2], [32, 4], [0, 8], [0, 16]]>
module attributes {tilegpu.target = "sm_80"} {

// Of operands that a product takes step by step a thread holds two steps at a time,
// of 32 registers each 8 in 8 steps: with 8 sums and 36 more there are eight CTAs, and
// four if all were held.
// CHECK-LABEL: llvm.func @step_by_step
// CHECK-SAME: nvvm.maxnreg = 64 : i32
tt.func @step_by_step(%to: !tt.ptr<f32>) attributes {tilegpu.num_warps = 4 : i32, tilegpu.shared_bytes = 8192 : i32} {
  %zeros = arith.constant dense<0.0> : tensor<32x32xf32, #product>
  %a = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<32x128xf16, #wide, mutable>
  %b = tilegpu.local_alloc {offset = 0 : i32} : () -> !tilegpu.memdesc<128x32xf16, #tall, mutable>
  %lhs = tilegpu.local_load %a : !tilegpu.memdesc<32x128xf16, #wide, mutable> -> tensor<32x128xf16, #lhs>
  %rhs = tilegpu.local_load %b : !tilegpu.memdesc<128x32xf16, #tall, mutable> -> tensor<128x32xf16, #rhs>
  %sums = tilegpu.mma %lhs, %rhs, %zeros instruction = [16, 8, 16] : tensor<32x128xf16, #lhs> * tensor<128x32xf16, #rhs> -> tensor<32x32xf32, #product>
  %q = tt.splat %to : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>, #product>
  tt.store %q, %sums : tensor<32x32x!tt.ptr<f32>, #product>
  tt.return
}
}
