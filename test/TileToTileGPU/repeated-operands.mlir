// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_90a num-warps=4" --split-input-file | FileCheck %s

// What is computed of repeated elements is free, but not its way into shared
// memory: it is computed as the product's operand, in registers. (Else it would
// be computed under some layout, and stored element by element.)
// CHECK-LABEL: @computed_of_repeated
// CHECK: %[[W:.*]] = arith.mulf {{.*}} : tensor<64x64xf16, #dot_operand>
// CHECK-NOT: tilegpu.local_alloc %
// CHECK: tilegpu.wgmma %[[W]],
tt.func public @computed_of_repeated(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pu: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pv: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pd: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %size = arith.constant dense<64> : tensor<64x1xi32>
  %start = arith.muli %row, %size : tensor<64x1xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %starts = tt.broadcast %start : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %offsets = arith.addi %starts, %columns : tensor<64x64xi32>
  %abase = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %as = tt.addptr %abase, %offsets : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %dbase = tt.splat %pd : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ds = tt.addptr %dbase, %offsets : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %ubase = tt.splat %pu : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %vbase = tt.splat %pv : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%so = %zero) -> (tensor<64x64xf32>) : i32 {
    %by = tt.splat %i : i32 -> tensor<64xi32>
    %there = arith.addi %by, %range : tensor<64xi32>
    %vs = tt.addptr %vbase, %there : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
    %us = tt.addptr %ubase, %there : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
    %b = tt.load %as : tensor<64x64x!tt.ptr<f16>>
    %u = tt.load %us : tensor<64x!tt.ptr<f16>>
    %v = tt.load %vs : tensor<64x!tt.ptr<f16>>
    %u2 = tt.expand_dims %u {axis = 1 : i32} : tensor<64xf16> -> tensor<64x1xf16>
    %v2 = tt.expand_dims %v {axis = 0 : i32} : tensor<64xf16> -> tensor<1x64xf16>
    %u3 = tt.broadcast %u2 : tensor<64x1xf16> -> tensor<64x64xf16>
    %v3 = tt.broadcast %v2 : tensor<1x64xf16> -> tensor<64x64xf16>
    %w = arith.mulf %u3, %v3 : tensor<64x64xf16>
    %next = tt.dot %w, %b, %so : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tt.store %ds, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// So is what only repeats them.
// CHECK-LABEL: @only_repeated
// CHECK: %[[U:.*]] = tt.broadcast {{.*}} -> tensor<64x64xf16, #dot_operand>
// CHECK-NOT: tilegpu.local_alloc %
// CHECK: tilegpu.wgmma %[[U]],
tt.func public @only_repeated(%pa: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pu: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %pd: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %size = arith.constant dense<64> : tensor<64x1xi32>
  %start = arith.muli %row, %size : tensor<64x1xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %starts = tt.broadcast %start : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %offsets = arith.addi %starts, %columns : tensor<64x64xi32>
  %abase = tt.splat %pa : !tt.ptr<f16> -> tensor<64x64x!tt.ptr<f16>>
  %as = tt.addptr %abase, %offsets : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
  %dbase = tt.splat %pd : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %ds = tt.addptr %dbase, %offsets : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %ubase = tt.splat %pu : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %sum = scf.for %i = %c0 to %count step %c1 iter_args(%so = %zero) -> (tensor<64x64xf32>) : i32 {
    %by = tt.splat %i : i32 -> tensor<64xi32>
    %there = arith.addi %by, %range : tensor<64xi32>
    %us = tt.addptr %ubase, %there : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
    %b = tt.load %as : tensor<64x64x!tt.ptr<f16>>
    %u = tt.load %us : tensor<64x!tt.ptr<f16>>
    %u2 = tt.expand_dims %u {axis = 1 : i32} : tensor<64xf16> -> tensor<64x1xf16>
    %u3 = tt.broadcast %u2 : tensor<64x1xf16> -> tensor<64x64xf16>
    %next = tt.dot %u3, %b, %so : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tt.store %ds, %sum : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// A load of runs, repeated, stands for the load: what is computed of it has one
// layout, and is converted to another rather than computed twice.
// CHECK-LABEL: @repeated_runs
// CHECK: tt.reshape
// CHECK-NOT: tt.reshape
// CHECK: tt.return
tt.func public @repeated_runs(%p: !tt.ptr<i32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<i32> {tt.divisibility = 16 : i32}) {
  %size = arith.constant dense<64> : tensor<64x1xi32>
  %few = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %wide = arith.constant dense<64> : tensor<8x1xi32>
  %w = tt.expand_dims %few {axis = 1 : i32} : tensor<8xi32> -> tensor<8x1xi32>
  %word = arith.muli %w, %wide : tensor<8x1xi32>
  %words = tt.broadcast %word : tensor<8x1xi32> -> tensor<8x64xi32>
  %there = tt.broadcast %column : tensor<1x64xi32> -> tensor<8x64xi32>
  %at = arith.addi %words, %there : tensor<8x64xi32>
  %base = tt.splat %p : !tt.ptr<i32> -> tensor<8x64x!tt.ptr<i32>>
  %from = tt.addptr %base, %at : tensor<8x64x!tt.ptr<i32>>, tensor<8x64xi32>
  %loaded = tt.load %from : tensor<8x64x!tt.ptr<i32>>
  %e = tt.expand_dims %loaded {axis = 1 : i32} : tensor<8x64xi32> -> tensor<8x1x64xi32>
  %b = tt.broadcast %e : tensor<8x1x64xi32> -> tensor<8x8x64xi32>
  %each = tt.reshape %b : tensor<8x8x64xi32> -> tensor<64x64xi32>
  %row = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %rows = tt.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tt.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %codes = arith.shrsi %each, %rows : tensor<64x64xi32>
  %start = arith.muli %row, %size : tensor<64x1xi32>
  %starts = tt.broadcast %start : tensor<64x1xi32> -> tensor<64x64xi32>
  %to = arith.addi %starts, %columns : tensor<64x64xi32>
  %outs = tt.splat %out : !tt.ptr<i32> -> tensor<64x64x!tt.ptr<i32>>
  %places = tt.addptr %outs, %to : tensor<64x64x!tt.ptr<i32>>, tensor<64x64xi32>
  tt.store %places, %codes : tensor<64x64x!tt.ptr<i32>>
  %total = "tt.reduce"(%codes) <{axis = 0 : i32}> ({
  ^bb0(%x: i32, %y: i32):
    %z = arith.addi %x, %y : i32
    tt.reduce.return %z : i32
  }) : (tensor<64x64xi32>) -> tensor<64xi32>
  %sums = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %beside = tt.addptr %sums, %range : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  tt.store %beside, %total : tensor<64x!tt.ptr<i32>>
  tt.return
}
