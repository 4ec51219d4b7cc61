// RUN: tilewright-opt %s "--tilegpu-assign-layouts=target=sm_80 num-warps=2" | FileCheck %s
// RUN: tilewright run %s --target=sm_80 --num-warps=2 --num-stages=3 --device=emulator --grid=1 --arg random:32x32xf32:1 --arg random:32x100xf32:2 --arg poison:32x64xf32 --arg i32:100 --arg i32:1 --stats | FileCheck %s --check-prefix=COUNTS
// RUN: tilewright compile %s --target=sm_80 --num-warps=2 --num-stages=1 --emit=ptx -o - | FileCheck %s --check-prefix=REGISTERS

// Rows that begin anywhere are copied one element at a time. The 32 elements
// that a thread copies lie one below the other, in two warps all of a column;
// those of a row stay side by side, as the lanes copy them.

// CHECK-DAG: #[[$ROWS:.*]] = #tilegpu.shared_linear<offset = {{\[}}[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0],
// CHECK-LABEL: tt.func @rows_begin_anywhere
// CHECK: scf.for
// CHECK: tilegpu.async_copy %{{.*}} -> <32x64xf32, #[[$ROWS]], mutable>
// CHECK: tilegpu.multiply_add

// Two warps read 4 rows and 8 columns a thread for each of 32 steps of K:
// without conflicts. Without the order above it was 2304.
// COUNTS: all {{ *[0-9]+ +[0-9]+ +}}512 

// Seven CTAs of two warps: 32 sums, 4 elements of K of 12 rows and columns, and 36
// more registers. With 80, as for the sums alone, loads wait for each other.
// REGISTERS: .maxnreg 128
tt.func @rows_begin_anywhere(%left: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %right: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %stride: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %wide = arith.constant dense<64> : tensor<32x1xi32>
  %narrow = arith.constant dense<32> : tensor<32x1xi32>
  %k = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %k {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %inner = tt.expand_dims %k {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %column = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %left_rows = arith.muli %row, %narrow : tensor<32x1xi32>
  %left_r = tt.broadcast %left_rows : tensor<32x1xi32> -> tensor<32x32xi32>
  %left_c = tt.broadcast %inner : tensor<1x32xi32> -> tensor<32x32xi32>
  %left_offsets = arith.addi %left_r, %left_c : tensor<32x32xi32>
  %strides = tt.splat %stride : i32 -> tensor<32x1xi32>
  %right_rows = arith.muli %row, %strides : tensor<32x1xi32>
  %right_r = tt.broadcast %right_rows : tensor<32x1xi32> -> tensor<32x64xi32>
  %c = tt.broadcast %column : tensor<1x64xi32> -> tensor<32x64xi32>
  %right_offsets = arith.addi %right_r, %c : tensor<32x64xi32>
  %lefts = tt.splat %left : !tt.ptr<f32> -> tensor<32x32x!tt.ptr<f32>>
  %rights = tt.splat %right : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %a_at = tt.addptr %lefts, %left_offsets : tensor<32x32x!tt.ptr<f32>>, tensor<32x32xi32>
  %b_at = tt.addptr %rights, %right_offsets : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<32x64xf32>) : i32 {
    %a = tt.load %a_at : tensor<32x32x!tt.ptr<f32>>
    %b = tt.load %b_at : tensor<32x64x!tt.ptr<f32>>
    %d = tt.dot %a, %b, %acc, inputPrecision = ieee : tensor<32x32xf32> * tensor<32x64xf32> -> tensor<32x64xf32>
    scf.yield %d : tensor<32x64xf32>
  }
  %out_rows = arith.muli %row, %wide : tensor<32x1xi32>
  %out_r = tt.broadcast %out_rows : tensor<32x1xi32> -> tensor<32x64xi32>
  %out_offsets = arith.addi %out_r, %c : tensor<32x64xi32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %to = tt.addptr %outs, %out_offsets : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  tt.store %to, %sum : tensor<32x64x!tt.ptr<f32>>
  tt.return
}
