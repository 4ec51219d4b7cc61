// Rows of a tile that are half a line of 128 bytes cost memory 1.17 times what
// whole lines do; bytes are the same.

// RUN: tilewright compile %s --target=sm_80 --emit=estimate --launch=1024 -o - | FileCheck %s
// CHECK: copy_columns:
// CHECK: memory{{ +}}5.44 us
// CHECK: 8.389 MB to and from memory

// RUN: sed 's/16xi32/32xi32/g; s/x16x/x32x/g; s/end = 16/end = 32/; s/dense<16>/dense<32>/; s/c16_i32/c32_i32/g; s/constant 16 /constant 32 /' %s \
// RUN:   | tilewright compile - --target=sm_80 --emit=estimate --launch=512 -o - | FileCheck %s --check-prefix=WHOLE
// WHOLE: copy_columns:
// WHOLE: memory{{ +}}4.65 us
// WHOLE: 8.389 MB to and from memory

module {
  tt.func public @copy_columns(%from: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %to: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %c16_i32 = arith.constant 16 : i32
    %stride = arith.constant dense<16384> : tensor<64x1xi32>
    %program = tt.get_program_id x : i32
    %first = arith.muli %program, %c16_i32 : i32
    %range = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
    %spread = tt.splat %first : i32 -> tensor<16xi32>
    %columns = arith.addi %spread, %range : tensor<16xi32>
    %row = tt.expand_dims %columns {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
    %rows = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %column = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %starts = arith.muli %column, %stride : tensor<64x1xi32>
    %down = tt.broadcast %starts : tensor<64x1xi32> -> tensor<64x16xi32>
    %along = tt.broadcast %row : tensor<1x16xi32> -> tensor<64x16xi32>
    %place = arith.addi %down, %along : tensor<64x16xi32>
    %sources = tt.splat %from : !tt.ptr<f32> -> tensor<64x16x!tt.ptr<f32>>
    %source = tt.addptr %sources, %place : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi32>
    %value = tt.load %source : tensor<64x16x!tt.ptr<f32>>
    %targets = tt.splat %to : !tt.ptr<f32> -> tensor<64x16x!tt.ptr<f32>>
    %target = tt.addptr %targets, %place : tensor<64x16x!tt.ptr<f32>>, tensor<64x16xi32>
    tt.store %target, %value : tensor<64x16x!tt.ptr<f32>>
    tt.return
  }
}
