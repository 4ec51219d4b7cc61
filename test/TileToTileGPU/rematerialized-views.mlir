// RUN: tilewright-opt %s --tilewright-tile --cse --loop-invariant-code-motion --tilegpu-assign-layouts="target=sm_80 num-warps=4" | FileCheck %s

// A row is copied to shared memory, and read by two views of it that are
// rematerialized, the second one first: its load, in front of it, is moved in
// front of the first one when that is made. Each stands behind its load. (What
// tilewright-reduce left of a kernel of flash-linear-attention.)
// CHECK-LABEL: @view_before_its_load
// CHECK: tilegpu.async_copy {{.*}} -> <1x64xf32
// CHECK: %[[ROW:.*]] = tilegpu.local_load %{{.*}} : <1x64xf32
// CHECK: tt.broadcast %[[ROW]]
tt.func public @view_before_its_load(%arg0: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg2: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg3: i32) {
  %c32_i64 = arith.constant 32 : i64
  %cst = arith.constant dense<0.000000e+00> : tensor<64x64xbf16>
  %cst_0 = arith.constant dense<0xFF800000> : tensor<64x32xf32>
  %cst_1 = arith.constant dense<1.100000e+02> : tensor<64x32xf32>
  %cst_2 = arith.constant dense<0.000000e+00> : tensor<64xf32>
  %cst_3 = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
  %cst_4 = arith.constant dense<64> : tensor<64x1xi32>
  %cst_5 = arith.constant dense<0xFF800000> : tensor<64xf32>
  %cst_6 = arith.constant dense<0.000000e+00> : tensor<1x64xf32>
  %cst_7 = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %0 = tt.get_program_id x : i32
  %1 = arith.extsi %0 : i32 to i64
  %2 = arith.extsi %arg3 : i32 to i64
  %3 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %cst_8 = arith.constant dense<0> : tensor<64xi64>
  %4 = tt.splat %2 : i64 -> tensor<64xi64>
  %5 = arith.cmpi sgt, %4, %cst_8 : tensor<64xi64>
  %6 = tt.expand_dims %5 {axis = 1 : i32} : tensor<64xi1> -> tensor<64x1xi1>
  %7 = tt.broadcast %6 : tensor<64x1xi1> -> tensor<64x64xi1>
  %8 = tt.splat %arg0 : !tt.ptr<bf16> -> tensor<64x1x!tt.ptr<bf16>>
  %9 = tt.broadcast %8 : tensor<64x1x!tt.ptr<bf16>> -> tensor<64x64x!tt.ptr<bf16>>
  %10 = tt.splat %arg2 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %11 = tt.splat %arg1 : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
  %12 = tt.broadcast %11 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
  %13 = tt.load %9, %7, %cst : tensor<64x64x!tt.ptr<bf16>>
  %14 = tt.load %12, %7, %cst_7 : tensor<64x64x!tt.ptr<f32>>
  %15 = arith.extf %13 : tensor<64x64xbf16> to tensor<64x64xf32>
  %16 = math.exp2 %14 : tensor<64x64xf32>
  %17 = arith.mulf %15, %16 : tensor<64x64xf32>
  %18 = arith.truncf %17 : tensor<64x64xf32> to tensor<64x64xbf16>
  %cst_9 = arith.constant dense<0.000000e+00> : tensor<32x64xbf16>
  %cst_10 = arith.constant dense<0.000000e+00> : tensor<64x32xbf16>
  %19 = tt.dot %18, %cst_10, %cst_3, inputPrecision = tf32 : tensor<64x64xbf16> * tensor<64x32xbf16> -> tensor<64x32xf32>
  %20 = "tt.reduce"(%19) <{axis = 1 : i32}> ({
  ^bb0(%arg4: f32, %arg5: f32):
    %cst_11 = arith.constant 0.000000e+00 : f32
    tt.reduce.return %cst_11 : f32
  }) : (tensor<64x32xf32>) -> tensor<64xf32>
  %21 = "tt.reduce"(%19) <{axis = 1 : i32}> ({
  ^bb0(%arg4: f32, %arg5: f32):
    %cst_11 = arith.constant 0.000000e+00 : f32
    tt.reduce.return %cst_11 : f32
  }) : (tensor<64x32xf32>) -> tensor<64xf32>
  %22 = arith.truncf %19 : tensor<64x32xf32> to tensor<64x32xbf16>
  %23 = tt.dot %22, %cst_9, %cst_7, inputPrecision = tf32 : tensor<64x32xbf16> * tensor<32x64xbf16> -> tensor<64x64xf32>
  %c0_i64 = arith.constant 0 : i64
  %24:3 = scf.for %arg4 = %1 to %c0_i64 step %c32_i64 iter_args(%arg5 = %23, %arg6 = %20, %arg7 = %21) -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>)  : i64 {
    %26 = tt.splat %arg4 : i64 -> tensor<32xi64>
    %cst_11 = arith.constant dense<0> : tensor<32xi64>
    %27 = arith.cmpi slt, %26, %cst_11 : tensor<32xi64>
    %28 = tt.expand_dims %3 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %29 = tt.addptr %11, %28 : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
    %30 = tt.broadcast %29 : tensor<64x1x!tt.ptr<f32>> -> tensor<64x32x!tt.ptr<f32>>
    %31 = tt.splat %arg1 : !tt.ptr<f32> -> tensor<1x64x!tt.ptr<f32>>
    %32 = arith.cmpi slt, %arg4, %2 : i64
    %33 = tt.splat %32 : i1 -> tensor<1x64xi1>
    %34 = tt.load %31, %33, %cst_6 : tensor<1x64x!tt.ptr<f32>>
    %35 = tt.broadcast %34 : tensor<1x64xf32> -> tensor<64x64xf32>
    %36 = tt.trans %34 {order = array<i32: 1, 0>} : tensor<1x64xf32> -> tensor<64x1xf32>
    %37 = arith.cmpi slt, %28, %cst_4 : tensor<64x1xi32>
    %38 = tt.expand_dims %27 {axis = 0 : i32} : tensor<32xi1> -> tensor<1x32xi1>
    %39 = tt.broadcast %37 : tensor<64x1xi1> -> tensor<64x32xi1>
    %40 = tt.broadcast %38 : tensor<1x32xi1> -> tensor<64x32xi1>
    %cst_12 = arith.constant dense<0.000000e+00> : tensor<32x64xbf16>
    %41 = tt.load %30, %39, %cst_3 : tensor<64x32x!tt.ptr<f32>>
    %42 = tt.broadcast %36 : tensor<64x1xf32> -> tensor<64x32xf32>
    %43 = arith.subf %42, %41 : tensor<64x32xf32>
    %44 = arith.cmpf ogt, %43, %cst_1 : tensor<64x32xf32>
    %45 = arith.select %44, %cst_1, %43 : tensor<64x32xi1>, tensor<64x32xf32>
    %cst_13 = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
    %46 = math.exp2 %45 : tensor<64x32xf32>
    %47 = arith.mulf %46, %cst_13 : tensor<64x32xf32>
    %48 = arith.subf %14, %35 : tensor<64x64xf32>
    %49 = arith.minnumf %48, %cst_7 : tensor<64x64xf32>
    %50 = math.exp2 %49 : tensor<64x64xf32>
    %51 = arith.mulf %15, %50 : tensor<64x64xf32>
    %52 = tt.dot %51, %47, %cst_3, inputPrecision = tf32 : tensor<64x64xf32> * tensor<64x32xf32> -> tensor<64x32xf32>
    %53 = arith.select %40, %52, %cst_0 : tensor<64x32xi1>, tensor<64x32xf32>
    %54 = "tt.reduce"(%53) <{axis = 1 : i32}> ({
    ^bb0(%arg8: f32, %arg9: f32):
      %cst_14 = arith.constant 0.000000e+00 : f32
      tt.reduce.return %cst_14 : f32
    }) : (tensor<64x32xf32>) -> tensor<64xf32>
    %55 = arith.cmpf oeq, %54, %cst_5 : tensor<64xf32>
    %56 = arith.select %55, %cst_2, %54 : tensor<64xi1>, tensor<64xf32>
    %57 = arith.subf %arg6, %56 : tensor<64xf32>
    %58 = math.exp2 %57 : tensor<64xf32>
    %59 = tt.expand_dims %56 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %60 = tt.broadcast %59 : tensor<64x1xf32> -> tensor<64x32xf32>
    %61 = arith.subf %53, %60 : tensor<64x32xf32>
    %62 = math.exp2 %61 : tensor<64x32xf32>
    %63 = arith.mulf %arg7, %58 : tensor<64xf32>
    %64 = "tt.reduce"(%62) <{axis = 1 : i32}> ({
    ^bb0(%arg8: f32, %arg9: f32):
      %cst_14 = arith.constant 0.000000e+00 : f32
      tt.reduce.return %cst_14 : f32
    }) : (tensor<64x32xf32>) -> tensor<64xf32>
    %65 = arith.addf %63, %64 : tensor<64xf32>
    %66 = tt.expand_dims %58 {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %67 = tt.broadcast %66 : tensor<64x1xf32> -> tensor<64x64xf32>
    %68 = arith.mulf %arg5, %67 : tensor<64x64xf32>
    %69 = arith.truncf %62 : tensor<64x32xf32> to tensor<64x32xbf16>
    %70 = tt.dot %69, %cst_12, %68, inputPrecision = tf32 : tensor<64x32xbf16> * tensor<32x64xbf16> -> tensor<64x64xf32>
    scf.yield %70, %54, %65 : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  %25 = arith.addf %24#1, %24#2 : tensor<64xf32>
  tt.store %10, %25, %5 : tensor<64x!tt.ptr<f32>>
  tt.return
}
