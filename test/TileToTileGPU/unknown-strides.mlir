// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_80 num-warps=4" --mlir-print-local-scope | FileCheck %s

// Strides that are not known to be 1. One that is divisible by 16, which is what
// launchers say of an integer, is not 1: threads are along the other dimension.
// CHECK-LABEL: @rows_apart
// CHECK: tt.load {{.*}} #tilegpu.blocked<elements = [1, 1], threads = [32, 1], warps = [1, 4], order = [0, 1]>>
tt.func public @rows_apart(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %stride: i32, %apart: i32 {tt.divisibility = 16 : i32}, %start: i32, %out: !tt.ptr<f16>) {
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tt.expand_dims %rows {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %strides = tt.splat %stride : i32 -> tensor<64x1xi32>
  %aparts = tt.splat %apart : i32 -> tensor<1x64xi32>
  %y = arith.muli %row, %strides : tensor<64x1xi32>
  %x = arith.muli %column, %aparts : tensor<1x64xi32>
  %ys = tt.broadcast %y : tensor<64x1xi32> -> tensor<64x64xi32>
  %xs = tt.broadcast %x : tensor<1x64xi32> -> tensor<64x64xi32>
  %starts = tt.splat %start : i32 -> tensor<64x64xi32>
  %relative = arith.addi %ys, %xs : tensor<64x64xi32>
  %offsets = arith.addi %relative, %starts : tensor<64x64xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %at = tt.addptr %ps, %offsets : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %v = tt.load %at : tensor<64x64x!tt.ptr<f16>>
  tt.store %at, %v : tensor<64x64x!tt.ptr<f16>>
  tt.return
}

// Where all dimensions are apart, threads are where a reduction wants them: it
// takes no shuffles.
// CHECK-LABEL: @all_apart
// CHECK: tt.load {{.*}} #tilegpu.blocked<elements = [1, 1], threads = [32, 1], warps = [4, 1], order = [0, 1]>>
tt.func public @all_apart(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %apart: i32 {tt.divisibility = 16 : i32}, %start: i32, %out: !tt.ptr<f32>) {
  %rows = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %columns = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %column = tt.expand_dims %columns {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %aparty = tt.splat %apart : i32 -> tensor<128x1xi32>
  %apartx = tt.splat %apart : i32 -> tensor<1x32xi32>
  %y0 = arith.muli %row, %aparty : tensor<128x1xi32>
  %y = arith.muli %y0, %aparty : tensor<128x1xi32>
  %x = arith.muli %column, %apartx : tensor<1x32xi32>
  %ys = tt.broadcast %y : tensor<128x1xi32> -> tensor<128x32xi32>
  %xs = tt.broadcast %x : tensor<1x32xi32> -> tensor<128x32xi32>
  %starts = tt.splat %start : i32 -> tensor<128x32xi32>
  %relative = arith.addi %ys, %xs : tensor<128x32xi32>
  %offsets = arith.addi %relative, %starts : tensor<128x32xi32>
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<128x32x!tt.ptr<f32>>
  %at = tt.addptr %ps, %offsets : tensor<128x32x!tt.ptr<f32>>, tensor<128x32xi32>
  %v = tt.load %at : tensor<128x32x!tt.ptr<f32>>
  %most = "tt.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%l: f32, %r: f32):
    %m = arith.maxnumf %l, %r : f32
    tt.reduce.return %m : f32
  }) : (tensor<128x32xf32>) -> tensor<128xf32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %to = tt.addptr %outs, %rows : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %to, %most : tensor<128x!tt.ptr<f32>>
  tt.return
}

// Where accesses are not of vectors, warps are spread over the rows: a thread then
// computes the quotients, masks and addresses of 4 rows for 16.
// CHECK-LABEL: @quotients_of_rows
// CHECK: arith.divsi {{.*}} #tilegpu.slice<dim = 1, parent = #tilegpu.blocked<elements = [1, 1], threads = [1, 32], warps = [4, 1], order = [1, 0]>>
// CHECK: tt.load {{.*}} #tilegpu.blocked<elements = [1, 1], threads = [1, 32], warps = [4, 1], order = [1, 0]>>
tt.func public @quotients_of_rows(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %heads: i32, %stride: i32, %n: i32) {
  %rows = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %columns = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %divisor = tt.splat %heads : i32 -> tensor<16xi32>
  %quotient = arith.divsi %rows, %divisor : tensor<16xi32>
  %strides = tt.splat %stride : i32 -> tensor<16xi32>
  %begin = arith.muli %quotient, %strides : tensor<16xi32>
  %begins = tt.expand_dims %begin {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %column = tt.expand_dims %columns {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %bound = tt.splat %n : i32 -> tensor<1x128xi32>
  %inside = arith.cmpi slt, %column, %bound : tensor<1x128xi32>
  %mask = tt.broadcast %inside : tensor<1x128xi1> -> tensor<16x128xi1>
  %ys = tt.broadcast %begins : tensor<16x1xi32> -> tensor<16x128xi32>
  %xs = tt.broadcast %column : tensor<1x128xi32> -> tensor<16x128xi32>
  %offsets = arith.addi %ys, %xs : tensor<16x128xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<16x128x!tt.ptr<f16>>
  %at = tt.addptr %ps, %offsets : tensor<16x128x!tt.ptr<f16>>, tensor<16x128xi32>
  %v = tt.load %at, %mask : tensor<16x128x!tt.ptr<f16>>
  %w = arith.addf %v, %v : tensor<16x128xf16>
  tt.store %at, %w, %mask : tensor<16x128x!tt.ptr<f16>>
  tt.return
}
