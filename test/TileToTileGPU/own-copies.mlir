// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_80 num-warps=4" | FileCheck %s --check-prefix=LAYOUT
// RUN: tilewright-opt %s --validate-passes --tilegpu-assign-layouts="target=sm_80 num-warps=4" -o /dev/null
// RUN: tilewright compile %s --target=sm_80 --num-warps=4 --emit=tilegpu -o - | FileCheck %s --check-prefix=BARRIERS

// LAYOUT-DAG: #[[$OWN:.*]] = #tilegpu.linear<register = {{\[\[1\]\]}}, lane = {{\[\[2\], \[16\], \[32\], \[0\], \[0\]\]}}, warp = {{\[\[4\], \[8\]\]}}>
// LAYOUT-DAG: #[[$FIRST:.*]] = #tilegpu.blocked<elements = [2], threads = [32], warps = [4], order = [0]>

// Each warp adds four rows of 16, whose numbers it copies itself: warps do not
// meet in the loop.
// LAYOUT-LABEL: @own
// LAYOUT: tilegpu.async_copy %{{.*}} : tensor<64x!tt.ptr<f16>, #[[$OWN]]>
// BARRIERS-LABEL: @own
// BARRIERS-NOT: tilegpu.barrier shared
// BARRIERS: tilegpu.barrier warp shared
// BARRIERS-NOT: tilegpu.barrier shared
tt.func public @own(%ps: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pd: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %pq: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %step = arith.constant dense<64> : tensor<64xi32>
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %size = arith.constant dense<32> : tensor<64x1xi32>
  %start = arith.muli %row, %size : tensor<64x1xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %starts = tt.broadcast %start : tensor<64x1xi32> -> tensor<64x32xi32>
  %columns = tt.broadcast %column : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %starts, %columns : tensor<64x32xi32>
  %dbase = tt.splat %pd : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %ds = tt.addptr %dbase, %offsets : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %qbase = tt.splat %pq : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %qs = tt.addptr %qbase, %offsets : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %sbase = tt.splat %ps : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %first = tt.addptr %sbase, %rows : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %result:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ss = %first) -> (tensor<64x32xf32>, tensor<64x!tt.ptr<f16>>) : i32 {
    %s = tt.load %ss : tensor<64x!tt.ptr<f16>>
    %wide = arith.extf %s : tensor<64xf16> to tensor<64xf32>
    %expanded = tt.expand_dims %wide {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %scales = tt.broadcast %expanded : tensor<64x1xf32> -> tensor<64x32xf32>
    %more = tt.load %qs : tensor<64x32x!tt.ptr<f32>>
    %both = arith.addf %acc, %more : tensor<64x32xf32>
    %sum = arith.addf %both, %scales : tensor<64x32xf32>
    tt.store %ds, %sum : tensor<64x32x!tt.ptr<f32>>
    %next = tt.addptr %ss, %step : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
    scf.yield %sum, %next : tensor<64x32xf32>, tensor<64x!tt.ptr<f16>>
  }
  tt.store %ds, %result#0 : tensor<64x32x!tt.ptr<f32>>
  tt.return
}

// The numbers of columns are every warp's, who wait for each other then: nothing
// is gained by own copies of those of rows.
// LAYOUT-LABEL: @with_shared
// LAYOUT: tilegpu.async_copy %{{.*}} : tensor<64x!tt.ptr<f16>, #[[$FIRST]]>
// BARRIERS-LABEL: @with_shared
// BARRIERS: tilegpu.barrier shared
tt.func public @with_shared(%ps: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pt: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pd: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %pq: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %step = arith.constant dense<64> : tensor<64xi32>
  %stept = arith.constant dense<32> : tensor<32xi32>
  %rows = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %range = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %row = tt.expand_dims %rows {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %size = arith.constant dense<32> : tensor<64x1xi32>
  %start = arith.muli %row, %size : tensor<64x1xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %starts = tt.broadcast %start : tensor<64x1xi32> -> tensor<64x32xi32>
  %columns = tt.broadcast %column : tensor<1x32xi32> -> tensor<64x32xi32>
  %offsets = arith.addi %starts, %columns : tensor<64x32xi32>
  %dbase = tt.splat %pd : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %ds = tt.addptr %dbase, %offsets : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %qbase = tt.splat %pq : !tt.ptr<f32> -> tensor<64x32x!tt.ptr<f32>>
  %qs = tt.addptr %qbase, %offsets : tensor<64x32x!tt.ptr<f32>>, tensor<64x32xi32>
  %sbase = tt.splat %ps : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %first = tt.addptr %sbase, %rows : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %tbase = tt.splat %pt : !tt.ptr<f16> -> tensor<32x!tt.ptr<f16>>
  %firstt = tt.addptr %tbase, %range : tensor<32x!tt.ptr<f16>>, tensor<32xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %result:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %ss = %first, %ts = %firstt) -> (tensor<64x32xf32>, tensor<64x!tt.ptr<f16>>, tensor<32x!tt.ptr<f16>>) : i32 {
    %s = tt.load %ss : tensor<64x!tt.ptr<f16>>
    %t = tt.load %ts : tensor<32x!tt.ptr<f16>>
    %wide = arith.extf %s : tensor<64xf16> to tensor<64xf32>
    %widet = arith.extf %t : tensor<32xf16> to tensor<32xf32>
    %expanded = tt.expand_dims %wide {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %expandedt = tt.expand_dims %widet {axis = 0 : i32} : tensor<32xf32> -> tensor<1x32xf32>
    %scales = tt.broadcast %expanded : tensor<64x1xf32> -> tensor<64x32xf32>
    %scalest = tt.broadcast %expandedt : tensor<1x32xf32> -> tensor<64x32xf32>
    %product = arith.mulf %scales, %scalest : tensor<64x32xf32>
    %more = tt.load %qs : tensor<64x32x!tt.ptr<f32>>
    %both = arith.addf %acc, %more : tensor<64x32xf32>
    %sum = arith.addf %both, %product : tensor<64x32xf32>
    tt.store %ds, %sum : tensor<64x32x!tt.ptr<f32>>
    %next = tt.addptr %ss, %step : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
    %nextt = tt.addptr %ts, %stept : tensor<32x!tt.ptr<f16>>, tensor<32xi32>
    scf.yield %sum, %next, %nextt : tensor<64x32xf32>, tensor<64x!tt.ptr<f16>>, tensor<32x!tt.ptr<f16>>
  }
  tt.store %ds, %result#0 : tensor<64x32x!tt.ptr<f32>>
  tt.return
}
