// A loop that loads a few registers a thread, and sums what the lanes of a warp
// hold, loads into registers: several iterations' loads are issued together, which
// copies that are waited for at a barrier are not. Sums across warps wait for each
// other in any case.

// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_90a num-warps=4 num-stages=2" | FileCheck %s

// CHECK-LABEL: @within
// CHECK-NOT: async_copy
// CHECK: tt.load
// CHECK-NOT: async_copy
// CHECK-LABEL: @across
// CHECK: async_copy

tt.func public @within(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c64 = arith.constant dense<64> : tensor<16x1xi32>
  %r = arith.muli %rows, %c64 : tensor<16x1xi32>
  %rs = tt.broadcast %r : tensor<16x1xi32> -> tensor<16x64xi32>
  %cs = tt.broadcast %columns : tensor<1x64xi32> -> tensor<16x64xi32>
  %o = arith.addi %rs, %cs : tensor<16x64xi32>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<16x64x!tt.ptr<bf16>>
  %xp = tt.addptr %xs, %o : tensor<16x64x!tt.ptr<bf16>>, tensor<16x64xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %o : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  %step = arith.constant dense<1024> : tensor<16x64xi32>
  %ms = tt.splat %y : !tt.ptr<f32> -> tensor<1x64x!tt.ptr<f32>>
  %mp = tt.addptr %ms, %columns : tensor<1x64x!tt.ptr<f32>>, tensor<1x64xi32>
  %row = arith.constant dense<64> : tensor<1x64xi32>
  %result:4 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero, %p = %xp, %q = %yp, %m = %mp) -> (tensor<16xf32>, tensor<16x64x!tt.ptr<bf16>>, tensor<16x64x!tt.ptr<f32>>, tensor<1x64x!tt.ptr<f32>>) : i32 {
    %h = tt.load %p : tensor<16x64x!tt.ptr<bf16>>
    %v = arith.extf %h : tensor<16x64xbf16> to tensor<16x64xf32>
    %w = tt.load %q : tensor<16x64x!tt.ptr<f32>>
    %vw = arith.mulf %v, %w : tensor<16x64xf32>
    %few = tt.load %m : tensor<1x64x!tt.ptr<f32>>
    %all = tt.broadcast %few : tensor<1x64xf32> -> tensor<16x64xf32>
    %vwa = arith.mulf %vw, %all : tensor<16x64xf32>
    %t = "tt.reduce"(%vwa) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x64xf32>) -> tensor<16xf32>
    %u = arith.addf %s, %t : tensor<16xf32>
    %p1 = tt.addptr %p, %step : tensor<16x64x!tt.ptr<bf16>>, tensor<16x64xi32>
    %q1 = tt.addptr %q, %step : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
    %m1 = tt.addptr %m, %row : tensor<1x64x!tt.ptr<f32>>, tensor<1x64xi32>
    scf.yield %u, %p1, %q1, %m1 : tensor<16xf32>, tensor<16x64x!tt.ptr<bf16>>, tensor<16x64x!tt.ptr<f32>>, tensor<1x64x!tt.ptr<f32>>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %op, %result#0 : tensor<16x!tt.ptr<f32>>
  tt.return
}

tt.func public @across(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tt.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tt.expand_dims %j {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c64 = arith.constant dense<64> : tensor<16x1xi32>
  %r = arith.muli %rows, %c64 : tensor<16x1xi32>
  %rs = tt.broadcast %r : tensor<16x1xi32> -> tensor<16x64xi32>
  %cs = tt.broadcast %columns : tensor<1x64xi32> -> tensor<16x64xi32>
  %o = arith.addi %rs, %cs : tensor<16x64xi32>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<16x64x!tt.ptr<bf16>>
  %xp = tt.addptr %xs, %o : tensor<16x64x!tt.ptr<bf16>>, tensor<16x64xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %o : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  %step = arith.constant dense<1024> : tensor<16x64xi32>
  %ms = tt.splat %y : !tt.ptr<f32> -> tensor<1x64x!tt.ptr<f32>>
  %mp = tt.addptr %ms, %columns : tensor<1x64x!tt.ptr<f32>>, tensor<1x64xi32>
  %row = arith.constant dense<64> : tensor<1x64xi32>
  %result:4 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero, %p = %xp, %q = %yp, %m = %mp) -> (tensor<64xf32>, tensor<16x64x!tt.ptr<bf16>>, tensor<16x64x!tt.ptr<f32>>, tensor<1x64x!tt.ptr<f32>>) : i32 {
    %h = tt.load %p : tensor<16x64x!tt.ptr<bf16>>
    %v = arith.extf %h : tensor<16x64xbf16> to tensor<16x64xf32>
    %w = tt.load %q : tensor<16x64x!tt.ptr<f32>>
    %vw = arith.mulf %v, %w : tensor<16x64xf32>
    %few = tt.load %m : tensor<1x64x!tt.ptr<f32>>
    %all = tt.broadcast %few : tensor<1x64xf32> -> tensor<16x64xf32>
    %vwa = arith.mulf %vw, %all : tensor<16x64xf32>
    %t = "tt.reduce"(%vwa) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tt.reduce.return %c : f32
    }) : (tensor<16x64xf32>) -> tensor<64xf32>
    %u = arith.addf %s, %t : tensor<64xf32>
    %p1 = tt.addptr %p, %step : tensor<16x64x!tt.ptr<bf16>>, tensor<16x64xi32>
    %q1 = tt.addptr %q, %step : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
    %m1 = tt.addptr %m, %row : tensor<1x64x!tt.ptr<f32>>, tensor<1x64xi32>
    scf.yield %u, %p1, %q1, %m1 : tensor<64xf32>, tensor<16x64x!tt.ptr<bf16>>, tensor<16x64x!tt.ptr<f32>>, tensor<1x64x!tt.ptr<f32>>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %op = tt.addptr %os, %j : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %op, %result#0 : tensor<64x!tt.ptr<f32>>
  tt.return
}
