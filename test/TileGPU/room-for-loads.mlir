// RUN: tilewright compile %s --target=sm_75 --num-warps=8 --num-stages=2 --emit=tilegpu -o - | FileCheck %s

// Tiles get a second buffer as far as there is room where most of all tiles are
// in use at a time; those that are not in use there do not make room. More of
// them would not fit. (What tilewright-reduce left of a kernel of
// flash-linear-attention.)
// CHECK-LABEL: @room_where_others_live
// CHECK: tilegpu.local_alloc {{.*}} buffers = 2
tt.func public @room_where_others_live(%arg0: !tt.ptr<bf16>, %arg1: !tt.ptr<bf16>, %arg2: i32) {
  %c1_i64 = arith.constant 1 : i64
  %cst = arith.constant dense<0.000000e+00> : tensor<64x64xbf16>
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %0 = arith.extsi %arg2 : i32 to i64
  %cst_1 = arith.constant dense<0> : tensor<64x1xi64>
  %1 = tt.splat %0 : i64 -> tensor<64x1xi64>
  %2 = arith.cmpi sgt, %1, %cst_1 : tensor<64x1xi64>
  %3 = tt.broadcast %2 : tensor<64x1xi1> -> tensor<64x64xi1>
  %4 = tt.splat %arg1 : !tt.ptr<bf16> -> tensor<64x1x!tt.ptr<bf16>>
  %5 = tt.broadcast %4 : tensor<64x1x!tt.ptr<bf16>> -> tensor<64x64x!tt.ptr<bf16>>
  %6 = arith.extsi %arg2 : i32 to i64
  %c0_i64 = arith.constant 0 : i64
  %7:2 = scf.for %arg3 = %c0_i64 to %6 step %c1_i64 iter_args(%arg4 = %cst_0, %arg5 = %cst_0) -> (tensor<64x64xf32>, tensor<64x64xf32>)  : i64 {
    %cst_2 = arith.constant dense<0> : tensor<64x1xi64>
    %9 = arith.cmpi sgt, %1, %cst_2 : tensor<64x1xi64>
    %10 = tt.broadcast %9 : tensor<64x1xi1> -> tensor<64x64xi1>
    %from = tt.addptr %arg0, %arg3 : !tt.ptr<bf16>, i64
    %11 = tt.splat %from : !tt.ptr<bf16> -> tensor<64x1x!tt.ptr<bf16>>
    %12 = tt.broadcast %11 : tensor<64x1x!tt.ptr<bf16>> -> tensor<64x64x!tt.ptr<bf16>>
    %cst_3 = arith.constant dense<0.000000e+00> : tensor<64x64xbf16>
    %cst_4 = arith.constant dense<0.000000e+00> : tensor<64x64xbf16>
    %13 = tt.load %12, %10, %cst : tensor<64x64x!tt.ptr<bf16>>
    %cst_5 = arith.constant dense<0.000000e+00> : tensor<64x64xbf16>
    %14 = tt.dot %13, %cst_5, %cst_0, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x64xbf16> -> tensor<64x64xf32>
    %cst_6 = arith.constant dense<0.000000e+00> : tensor<64x64xbf16>
    %15 = tt.dot %cst_6, %cst_3, %arg4, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x64xbf16> -> tensor<64x64xf32>
    %16 = arith.truncf %14 : tensor<64x64xf32> to tensor<64x64xbf16>
    %17 = tt.dot %16, %cst_4, %15, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x64xbf16> -> tensor<64x64xf32>
    %cst_7 = arith.constant dense<0.000000e+00> : tensor<64x64xbf16>
    %18 = tt.dot %cst_7, %13, %arg5, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x64xbf16> -> tensor<64x64xf32>
    scf.yield %17, %18 : tensor<64x64xf32>, tensor<64x64xf32>
  }
  %8 = arith.truncf %7#1 : tensor<64x64xf32> to tensor<64x64xbf16>
  tt.store %5, %8, %3 : tensor<64x64x!tt.ptr<bf16>>
  tt.return
}
