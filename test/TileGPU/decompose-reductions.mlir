// RUN: tilewright-opt %s --tilegpu-decompose-reductions --split-input-file --verify-diagnostics --mlir-print-local-scope | FileCheck %s

#across = #tilegpu.blocked<elements = [1, 4], threads = [4, 8], warps = [1, 4], order = [1, 0]>
#within = #tilegpu.blocked<elements = [1, 4], threads = [4, 8], warps = [4, 1], order = [1, 0]>
#flat = #tilegpu.blocked<elements = [2], threads = [32], warps = [4], order = [0]>

module attributes {tilegpu.target = "sm_80"} {

// CHECK-LABEL: @across_warps
// CHECK-SAME: (%[[X:.*]]: tensor<16x256xf32, #tilegpu.blocked<elements = [1, 4], threads = [4, 8], warps = [1, 4], order = [1, 0]>>)
// CHECK: %[[P:.*]] = "tilegpu.partial_reduce"(%[[X]]) <{axis = 1 : i32}>
// CHECK: arith.addf
// CHECK: tilegpu.partial_reduce.return
// CHECK: -> tensor<16x4xf32, #tilegpu.linear<register = {{\[\[}}4, 0], [8, 0]], lane = {{\[\[}}0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = {{\[\[}}0, 1], [0, 2]]>>
// CHECK: %[[Q:.*]] = tilegpu.convert_layout %[[P]] : tensor<16x4xf32, #tilegpu.linear<register = {{\[\[}}4, 0], [8, 0]], lane = {{\[\[}}0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = {{\[\[}}0, 1], [0, 2]]>> -> tensor<16x4xf32, #tilegpu.linear<register = {{\[\[}}0, 1], [0, 2], [4, 0], [8, 0]], lane = {{\[\[}}0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = {{\[\[}}0, 0], [0, 0]]>>
// CHECK: %[[R:.*]] = "tt.reduce"(%[[Q]]) <{axis = 1 : i32}>
// CHECK: arith.addf
// CHECK: -> tensor<16xf32, #tilegpu.slice<dim = 1, parent = #tilegpu.blocked<elements = [1, 4], threads = [4, 8], warps = [1, 4], order = [1, 0]>>>
// CHECK: {{^ *(tt\.)?}}return %[[R]]
tt.func private @across_warps(%x: tensor<16x256xf32, #across>) -> tensor<16xf32, #tilegpu.slice<dim = 1, parent = #across>> attributes {tilegpu.num_warps = 4 : i32} {
  %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tt.reduce.return %sum : f32
  }) : (tensor<16x256xf32, #across>) -> tensor<16xf32, #tilegpu.slice<dim = 1, parent = #across>>
  tt.return %r : tensor<16xf32, #tilegpu.slice<dim = 1, parent = #across>>
}

// CHECK-LABEL: @within_warps
// CHECK-NOT: tilegpu.partial_reduce
// CHECK: {{^ *(tt\.)?}}return %
tt.func private @within_warps(%x: tensor<16x256xf32, #within>) -> tensor<16xf32, #tilegpu.slice<dim = 1, parent = #within>> attributes {tilegpu.num_warps = 4 : i32} {
  %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tt.reduce.return %sum : f32
  }) : (tensor<16x256xf32, #within>) -> tensor<16xf32, #tilegpu.slice<dim = 1, parent = #within>>
  tt.return %r : tensor<16xf32, #tilegpu.slice<dim = 1, parent = #within>>
}

// A reduction to a scalar, of two operands: every thread gets all partial results.
// CHECK-LABEL: @to_scalar
// CHECK: %[[P:.*]]:2 = "tilegpu.partial_reduce"
// CHECK: -> (tensor<4xf32, #tilegpu.linear<register = [], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}1], [2]]>>, tensor<4xi32, #tilegpu.linear<register = [], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}1], [2]]>>)
// CHECK: tilegpu.convert_layout %[[P]]#0 : tensor<4xf32, #tilegpu.linear<register = [], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}1], [2]]>> -> tensor<4xf32, #tilegpu.linear<register = {{\[\[}}1], [2]], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}0], [0]]>>
// CHECK: tilegpu.convert_layout %[[P]]#1 : tensor<4xi32, #tilegpu.linear<register = [], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}1], [2]]>> -> tensor<4xi32, #tilegpu.linear<register = {{\[\[}}1], [2]], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}0], [0]]>>
// CHECK: "tt.reduce"
// CHECK: -> (f32, i32)
tt.func private @to_scalar(%x: tensor<256xf32, #flat>, %i: tensor<256xi32, #flat>) -> i32 attributes {tilegpu.num_warps = 4 : i32} {
  %r:2 = "tt.reduce"(%x, %i) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %i0: i32, %b: f32, %i1: i32):
    %greater = arith.cmpf ogt, %a, %b : f32
    %value = arith.select %greater, %a, %b : f32
    %index = arith.select %greater, %i0, %i1 : i32
    tt.reduce.return %value, %index : f32, i32
  }) : (tensor<256xf32, #flat>, tensor<256xi32, #flat>) -> (f32, i32)
  tt.return %r#1 : i32
}
}

// -----

// Warp bits that move along both dimensions, and a middle dimension: the rows of a thread's partial results are those
// of its elements.
#slanted = #tilegpu.linear<register = [[0, 0, 1]], lane = [[0, 1, 0], [0, 2, 0], [1, 0, 0], [2, 0, 0], [0, 0, 2]], warp = [[1, 4, 0], [0, 8, 0]]>
module attributes {tilegpu.target = "sm_80"} {
// CHECK-LABEL: @slanted
// CHECK: -> tensor<4x4x4xf32, #tilegpu.linear<register = {{\[\[}}0, 0, 1]], lane = {{\[\[}}0, 0, 0], [0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 0, 2]], warp = {{\[\[}}1, 1, 0], [0, 2, 0]]>>
// CHECK: tilegpu.convert_layout
// CHECK-SAME: -> tensor<4x4x4xf32, #tilegpu.linear<register = {{\[\[}}0, 1, 0], [0, 2, 0], [0, 0, 1]], lane = {{\[\[}}0, 0, 0], [0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 0, 2]], warp = {{\[\[}}1, 0, 0], [0, 0, 0]]>>
// CHECK: -> tensor<4x4xf32, #tilegpu.slice<dim = 1
tt.func private @slanted(%x: tensor<4x16x4xf32, #slanted>) -> tensor<4x4xf32, #tilegpu.slice<dim = 1, parent = #slanted>> attributes {tilegpu.num_warps = 4 : i32} {
  %r = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tt.reduce.return %sum : f32
  }) : (tensor<4x16x4xf32, #slanted>) -> tensor<4x4xf32, #tilegpu.slice<dim = 1, parent = #slanted>>
  tt.return %r : tensor<4x4xf32, #tilegpu.slice<dim = 1, parent = #slanted>>
}
}

// -----

module attributes {tilegpu.target = "sm_80"} {
tt.func private @no_layout(%x: tensor<256xf32>) -> f32 attributes {tilegpu.num_warps = 4 : i32} {
  // expected-error @+1 {{expects sources with a register layout, but got 'tensor<256xf32>'}}
  %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %sum = arith.addf %a, %b : f32
    tt.reduce.return %sum : f32
  }) : (tensor<256xf32>) -> f32
  tt.return %r : f32
}
}

// -----

// Sixteen partial results: four in each thread, as one vector, in four lanes.
#line = #tilegpu.blocked<elements = [1], threads = [32], warps = [16], order = [0]>
// CHECK-LABEL: @many_warps
// CHECK: tilegpu.convert_layout {{.*}} -> tensor<16xf32, #tilegpu.linear<register = {{\[\[}}1], [2]], lane = {{\[\[}}4], [8], [0], [0], [0]], warp = {{\[\[}}0], [0], [0], [0]]>>
// CHECK: "tt.reduce"
tt.func private @many_warps(%x: tensor<512xf32, #line>) -> f32 attributes {tilegpu.num_warps = 16 : i32} {
  %r = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<512xf32, #line>) -> f32
  tt.return %r : f32
}
