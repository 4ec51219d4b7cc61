// RUN: tilewright-opt %s --tilegpu-to-llvm --split-input-file --mlir-print-local-scope | FileCheck %s

// Codes are put under 2^23 and taken from there: no conversion of integers, and
// a word is shifted by a constant where its codes are a thread's own.

// CHECK-LABEL: @own_codes
// CHECK: %[[SCALE:.*]] = llvm.fpext %{{.*}} : f16 to f32
// CHECK-NOT: sitofp
// CHECK-NOT: shfl
// CHECK-COUNT-8: llvm.fmul %{{.*}}, %[[SCALE]] : f32
// CHECK-NOT: llvm.fmul
#numbers = #tilegpu.linear<register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
#words = #tilegpu.linear<register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = []>
module attributes {tilegpu.target = "sm_80"} {
tt.func @own_codes(%qs: i32, %ss: f16, %out: !tt.ptr<f16>) attributes {tilegpu.num_warps = 1 : i32} {
  %q = tt.splat %qs : i32 -> tensor<1x32xi32, #words>
  %s = tt.splat %ss : f16 -> tensor<1x32xf16, #words>
  %w = tile.dequantize %q scale %s format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 8 : i32} : tensor<1x32xi32, #words> scale tensor<1x32xf16, #words> -> tensor<8x32xf16, #numbers>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.store %p, %w : tensor<8x32x!tt.ptr<f16>, #numbers>
  tt.return
}
}

// -----

// Where lanes share a word, each shifts it by its own place. An entry of the
// code book comes from the lane that has it; there are 256, 8 in a lane.

// CHECK-LABEL: @large_book
// CHECK-COUNT-8: nvvm.shfl.sync idx
// CHECK-NOT: nvvm.shfl.sync
// CHECK-COUNT-7: llvm.select
#numbers = #tilegpu.linear<register = [], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#words = #tilegpu.linear<register = [], lane = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4]], warp = []>
#book = #tilegpu.linear<register = [[32], [64], [128]], lane = [[1], [2], [4], [8], [16]], warp = []>
module attributes {tilegpu.target = "sm_80"} {
tt.func @large_book(%qs: i32, %ss: f16, %bs: f16, %out: !tt.ptr<f16>) attributes {tilegpu.num_warps = 1 : i32} {
  %q = tt.splat %qs : i32 -> tensor<1x8xi32, #words>
  %s = tt.splat %ss : f16 -> tensor<1x8xf16, #words>
  %b = tt.splat %bs : f16 -> tensor<256xf16, #book>
  %w = tile.dequantize %q scale %s code_book %b format = code_book {axis = 0 : i32, bits = 8 : i32, group_size = 8 : i32} : tensor<1x8xi32, #words> scale tensor<1x8xf16, #words> code_book tensor<256xf16, #book> -> tensor<4x8xf16, #numbers>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<4x8x!tt.ptr<f16>, #numbers>
  tt.store %p, %w : tensor<4x8x!tt.ptr<f16>, #numbers>
  tt.return
}
}
