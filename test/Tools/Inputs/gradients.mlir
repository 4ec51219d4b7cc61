// Gradients of an attention's keys and values, one block of keys a program.
module {
  tt.func public @gradients(%arg0: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg2: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg3: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg4: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg5: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg6: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg7: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
    %cst = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
    %c32_i32 = arith.constant 32 : i32
    %c0_i32 = arith.constant 0 : i32
    %cst_0 = arith.constant dense<0.000000e+00> : tensor<128x32xf32>
    %cst_1 = arith.constant dense<64> : tensor<32x1xi32>
    %cst_2 = arith.constant dense<64> : tensor<128x1xi32>
    %c128_i32 = arith.constant 128 : i32
    %0 = tt.get_program_id x : i32
    %1 = arith.muli %0, %c128_i32 : i32
    %2 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    %3 = tt.splat %1 : i32 -> tensor<128xi32>
    %4 = arith.addi %3, %2 : tensor<128xi32>
    %5 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %6 = tt.expand_dims %4 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
    %7 = arith.muli %6, %cst_2 : tensor<128x1xi32>
    %8 = tt.splat %arg1 : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
    %9 = tt.addptr %8, %7 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
    %10 = tt.expand_dims %5 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %11 = tt.broadcast %9 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x64x!tt.ptr<f16>>
    %12 = tt.broadcast %10 : tensor<1x64xi32> -> tensor<128x64xi32>
    %13 = tt.addptr %11, %12 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %14 = tt.load %13 : tensor<128x64x!tt.ptr<f16>>
    %15 = tt.splat %arg2 : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
    %16 = tt.addptr %15, %7 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
    %17 = tt.broadcast %16 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x64x!tt.ptr<f16>>
    %18 = tt.addptr %17, %12 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %19 = tt.load %18 : tensor<128x64x!tt.ptr<f16>>
    %20:2 = scf.for %arg8 = %c0_i32 to %arg7 step %c32_i32 iter_args(%arg9 = %cst, %arg10 = %cst) -> (tensor<128x64xf32>, tensor<128x64xf32>)  : i32 {
      %29 = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
      %30 = tt.splat %arg8 : i32 -> tensor<32xi32>
      %31 = arith.addi %30, %29 : tensor<32xi32>
      %32 = tt.expand_dims %31 {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
      %33 = arith.muli %32, %cst_1 : tensor<32x1xi32>
      %34 = tt.splat %arg0 : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
      %35 = tt.addptr %34, %33 : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>
      %36 = tt.broadcast %35 : tensor<32x1x!tt.ptr<f16>> -> tensor<32x64x!tt.ptr<f16>>
      %37 = tt.broadcast %10 : tensor<1x64xi32> -> tensor<32x64xi32>
      %38 = tt.addptr %36, %37 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
      %39 = tt.load %38 : tensor<32x64x!tt.ptr<f16>>
      %40 = tt.splat %arg3 : !tt.ptr<f16> -> tensor<32x1x!tt.ptr<f16>>
      %41 = tt.addptr %40, %33 : tensor<32x1x!tt.ptr<f16>>, tensor<32x1xi32>
      %42 = tt.broadcast %41 : tensor<32x1x!tt.ptr<f16>> -> tensor<32x64x!tt.ptr<f16>>
      %43 = tt.addptr %42, %37 : tensor<32x64x!tt.ptr<f16>>, tensor<32x64xi32>
      %44 = tt.load %43 : tensor<32x64x!tt.ptr<f16>>
      %45 = tt.trans %39 {order = array<i32: 1, 0>} : tensor<32x64xf16> -> tensor<64x32xf16>
      %46 = tt.dot %14, %45, %cst_0, inputPrecision = tf32 : tensor<128x64xf16> * tensor<64x32xf16> -> tensor<128x32xf32>
      %47 = tt.splat %arg4 : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
      %48 = tt.addptr %47, %31 : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
      %49 = tt.load %48 : tensor<32x!tt.ptr<f32>>
      %50 = tt.expand_dims %49 {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>
      %51 = tt.broadcast %50 : tensor<1x32xf32> -> tensor<128x32xf32>
      %52 = arith.subf %46, %51 : tensor<128x32xf32>
      %53 = math.exp2 %52 : tensor<128x32xf32>
      %54 = arith.truncf %53 : tensor<128x32xf32> to tensor<128x32xf16>
      %55 = tt.dot %54, %44, %arg10, inputPrecision = tf32 : tensor<128x32xf16> * tensor<32x64xf16> -> tensor<128x64xf32>
      %56 = tt.trans %44 {order = array<i32: 1, 0>} : tensor<32x64xf16> -> tensor<64x32xf16>
      %57 = tt.dot %19, %56, %cst_0, inputPrecision = tf32 : tensor<128x64xf16> * tensor<64x32xf16> -> tensor<128x32xf32>
      %58 = arith.mulf %53, %57 : tensor<128x32xf32>
      %59 = arith.truncf %58 : tensor<128x32xf32> to tensor<128x32xf16>
      %60 = tt.dot %59, %39, %arg9, inputPrecision = tf32 : tensor<128x32xf16> * tensor<32x64xf16> -> tensor<128x64xf32>
      scf.yield %60, %55 : tensor<128x64xf32>, tensor<128x64xf32>
    }
    %21 = tt.splat %arg5 : !tt.ptr<f32> -> tensor<128x1x!tt.ptr<f32>>
    %22 = tt.addptr %21, %7 : tensor<128x1x!tt.ptr<f32>>, tensor<128x1xi32>
    %23 = tt.broadcast %22 : tensor<128x1x!tt.ptr<f32>> -> tensor<128x64x!tt.ptr<f32>>
    %24 = tt.addptr %23, %12 : tensor<128x64x!tt.ptr<f32>>, tensor<128x64xi32>
    tt.store %24, %20#0 : tensor<128x64x!tt.ptr<f32>>
    %25 = tt.splat %arg6 : !tt.ptr<f32> -> tensor<128x1x!tt.ptr<f32>>
    %26 = tt.addptr %25, %7 : tensor<128x1x!tt.ptr<f32>>, tensor<128x1xi32>
    %27 = tt.broadcast %26 : tensor<128x1x!tt.ptr<f32>> -> tensor<128x64x!tt.ptr<f32>>
    %28 = tt.addptr %27, %12 : tensor<128x64x!tt.ptr<f32>>, tensor<128x64xi32>
    tt.store %28, %20#1 : tensor<128x64x!tt.ptr<f32>>
    tt.return
  }
}

