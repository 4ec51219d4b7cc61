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
