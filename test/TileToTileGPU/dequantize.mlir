// RUN: tilewright-opt %s --tilewright-tile --tilewright-tile-to-tilegpu="target=sm_80 num-warps=4" --mlir-print-local-scope | FileCheck %s

// The numbers are made in the layout of the dot's operand, and no number moves
// after: words do, eight times fewer.

// CHECK-LABEL: @weights
// CHECK: scf.for
// CHECK: %[[WORDS:.*]] = tilegpu.local_load %{{.*}} : <8x64xi32, {{.*}}> -> tensor<8x64xi32, #tilegpu.linear
// CHECK-NOT: tilegpu.convert_layout
// CHECK: %[[NUMBERS:.*]] = tile.dequantize %[[WORDS]] scale {{.*}} -> tensor<64x64xf16, #tilegpu.dot_operand<
// CHECK-NOT: tilegpu.convert_layout
// CHECK: tilegpu.mma %{{.*}}, %[[NUMBERS]]
tt.func public @weights(%a: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %s: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %c: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %steps: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %zero_i = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %words_pitch = arith.constant dense<64> : tensor<8x1xi32>
  %a_step = arith.constant dense<64> : tensor<64x64xi32>
  %q_step = arith.constant dense<512> : tensor<8x64xi32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r8 = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %row = tt.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %row8 = tt.expand_dims %r8 {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %rows = arith.muli %row, %pitch : tensor<64x1xi32>
  %rows8 = arith.muli %row8, %words_pitch : tensor<8x1xi32>
  %rows_b = tt.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %offsets = arith.addi %rows_b, %columns : tensor<64x64xi32>
  %rows8_b = tt.broadcast %rows8 : tensor<8x1xi32> -> tensor<8x64xi32>
  %columns8 = tt.broadcast %column : tensor<1x64xi32> -> tensor<8x64xi32>
  %offsets8 = arith.addi %rows8_b, %columns8 : tensor<8x64xi32>
  %a0 = tt.splat %a : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %a1 = tt.addptr %a0, %offsets : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %q0 = tt.splat %q : !tt.ptr<i32> -> tensor<8x64x!tt.ptr<i32>>
  %q1 = tt.addptr %q0, %offsets8 : tensor<8x64x!tt.ptr<i32>>, tensor<8x64xi32>
  %s0 = tt.splat %s : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>>
  %s1 = tt.addptr %s0, %column : tensor<1x64x!tt.ptr<f16>>, tensor<1x64xi32>
  %scales = tt.load %s1 : tensor<1x64x!tt.ptr<f16>>
  %sum, %a_end, %q_end = scf.for %i = %zero_i to %steps step %one iter_args(%acc = %zero, %ap = %a1, %qp = %q1) -> (tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, tensor<8x64x!tt.ptr<i32>>) : i32 {
    %x = tt.load %ap : tensor<64x64x!tt.ptr<f16>>
    %words = tt.load %qp : tensor<8x64x!tt.ptr<i32>>
    %w = tile.dequantize %words scale %scales format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 64 : i32} : tensor<8x64xi32> scale tensor<1x64xf16> -> tensor<64x64xf16>
    %d = tt.dot %x, %w, %acc : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    %an = tt.addptr %ap, %a_step : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %qn = tt.addptr %qp, %q_step : tensor<8x64x!tt.ptr<i32>>, tensor<8x64xi32>
    scf.yield %d, %an, %qn : tensor<64x64xf32>, tensor<64x64x!tt.ptr<f16>>, tensor<8x64x!tt.ptr<i32>>
  }
  %c0 = tt.splat %c : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %c1 = tt.addptr %c0, %offsets : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %c1, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
