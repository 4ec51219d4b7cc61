// RUN: tilewright-opt %s "--tilegpu-assign-layouts=target=sm_90a num-warps=8" | FileCheck %s

// Where multiply-adds take longer than reads, instructions that read less are
// preferred nevertheless: of 128 x 256 sums, of 64 x 128 and not 64 x 64 each,
// though the scales of rows and columns would take fewer loads then.
// CHECK: #tilegpu.wgmma<n = 128, warps = [4, 2]>
tt.func @few_reads(%p: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %s: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %m = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %j = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %row = tt.expand_dims %m {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %inner = tt.expand_dims %m {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %column = tt.expand_dims %j {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %strides = tt.splat %stride : i32 -> tensor<128x1xi32>
  %wide = tt.splat %stride : i32 -> tensor<1x256xi32>
  %left_rows = arith.muli %row, %strides : tensor<128x1xi32>
  %left_r = tt.broadcast %left_rows : tensor<128x1xi32> -> tensor<128x128xi32>
  %left_c = tt.broadcast %inner : tensor<1x128xi32> -> tensor<128x128xi32>
  %left_offsets = arith.addi %left_r, %left_c : tensor<128x128xi32>
  %right_columns = arith.muli %column, %wide : tensor<1x256xi32>
  %right_c = tt.broadcast %right_columns : tensor<1x256xi32> -> tensor<128x256xi32>
  %right_r = tt.broadcast %row : tensor<128x1xi32> -> tensor<128x256xi32>
  %right_offsets = arith.addi %right_r, %right_c : tensor<128x256xi32>
  %lefts = tt.splat %p : !tt.ptr<f8E4M3FN> -> tensor<128x128x!tt.ptr<f8E4M3FN>>
  %rights = tt.splat %q : !tt.ptr<f8E4M3FN> -> tensor<128x256x!tt.ptr<f8E4M3FN>>
  %left = tt.addptr %lefts, %left_offsets : tensor<128x128x!tt.ptr<f8E4M3FN>>, tensor<128x128xi32>
  %right = tt.addptr %rights, %right_offsets : tensor<128x256x!tt.ptr<f8E4M3FN>>, tensor<128x256xi32>
  %next_a = arith.constant dense<128> : tensor<128x128xi32>
  %next_b = arith.constant dense<128> : tensor<128x256xi32>
  %sums:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a_at = %left, %b_at = %right, %sum = %zero) -> (tensor<128x128x!tt.ptr<f8E4M3FN>>, tensor<128x256x!tt.ptr<f8E4M3FN>>, tensor<128x256xf32>) : i32 {
    %a = tt.load %a_at : tensor<128x128x!tt.ptr<f8E4M3FN>>
    %b = tt.load %b_at : tensor<128x256x!tt.ptr<f8E4M3FN>>
    %d = tt.dot %a, %b, %sum {maxNumImpreciseAcc = 1073741824 : i32} : tensor<128x128xf8E4M3FN> * tensor<128x256xf8E4M3FN> -> tensor<128x256xf32>
    %a_next = tt.addptr %a_at, %next_a : tensor<128x128x!tt.ptr<f8E4M3FN>>, tensor<128x128xi32>
    %b_next = tt.addptr %b_at, %next_b : tensor<128x256x!tt.ptr<f8E4M3FN>>, tensor<128x256xi32>
    scf.yield %a_next, %b_next, %d : tensor<128x128x!tt.ptr<f8E4M3FN>>, tensor<128x256x!tt.ptr<f8E4M3FN>>, tensor<128x256xf32>
  }
  %columns = tt.broadcast %column : tensor<1x256xi32> -> tensor<128x256xi32>
  %out_r = tt.broadcast %left_rows : tensor<128x1xi32> -> tensor<128x256xi32>
  %out_offsets = arith.addi %out_r, %columns : tensor<128x256xi32>
  %outs = tt.splat %out : !tt.ptr<bf16> -> tensor<128x256x!tt.ptr<bf16>>
  %to = tt.addptr %outs, %out_offsets : tensor<128x256x!tt.ptr<bf16>>, tensor<128x256xi32>
  %scales_at = tt.splat %s : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
  %scale_at = tt.addptr %scales_at, %j : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
  %scales = tt.load %scale_at : tensor<256x!tt.ptr<f32>>
  %scale_row = tt.expand_dims %scales {axis = 0 : i32} : tensor<256xf32> -> tensor<1x256xf32>
  %scale = tt.broadcast %scale_row : tensor<1x256xf32> -> tensor<128x256xf32>
  %scaled = arith.mulf %sums#2, %scale : tensor<128x256xf32>
  %rows_at = tt.splat %s : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %row_at = tt.addptr %rows_at, %m : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %row_scales = tt.load %row_at : tensor<128x!tt.ptr<f32>>
  %row_column = tt.expand_dims %row_scales {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
  %row_scale = tt.broadcast %row_column : tensor<128x1xf32> -> tensor<128x256xf32>
  %both = arith.mulf %scaled, %row_scale : tensor<128x256xf32>
  %small = arith.truncf %both : tensor<128x256xf32> to tensor<128x256xbf16>
  tt.store %to, %small : tensor<128x256x!tt.ptr<bf16>>
  tt.return
}
