// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_80 num-warps=4 num-stages=3" | FileCheck %s --check-prefix=THREE
// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_80 num-warps=4 num-stages=1" | FileCheck %s --check-prefix=ONE

// Where iterations may overlap, a loop that stores has copies on their way while it
// computes; where they may not, or the loop itself asks for one stage, a copy would
// only take a detour. What only loads and computes is unrolled, and copies nothing.
// THREE-LABEL: @scale
// THREE: scf.for
// THREE: tilegpu.async_copy
// THREE: scf.for
// THREE: tt.load
// THREE: scf.for
// THREE: tt.load
// ONE-LABEL: @scale
// ONE-NOT: tilegpu.async_copy
// ONE: tt.return
tt.func public @scale(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1024 = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %range = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %qs = tt.splat %q : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  scf.for %i = %c0 to %n step %c1024 : i32 {
    %is = tt.splat %i : i32 -> tensor<1024xi32>
    %at = arith.addi %is, %range : tensor<1024xi32>
    %from = tt.addptr %ps, %at : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
    %h = tt.load %from : tensor<1024x!tt.ptr<f16>>
    %x = arith.extf %h : tensor<1024xf16> to tensor<1024xf32>
    %y = arith.addf %x, %x : tensor<1024xf32>
    %to = tt.addptr %qs, %at : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    tt.store %to, %y : tensor<1024x!tt.ptr<f32>>
  }
  scf.for %i = %c0 to %n step %c1024 : i32 {
    %is = tt.splat %i : i32 -> tensor<1024xi32>
    %at = arith.addi %is, %range : tensor<1024xi32>
    %from = tt.addptr %ps, %at : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
    %h = tt.load %from : tensor<1024x!tt.ptr<f16>>
    %x = arith.extf %h : tensor<1024xf16> to tensor<1024xf32>
    %y = arith.addf %x, %x : tensor<1024xf32>
    %to = tt.addptr %qs, %at : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
    tt.store %to, %y : tensor<1024x!tt.ptr<f32>>
  } {tt.num_stages = 1 : i32}
  %sum = scf.for %i = %c0 to %n step %c1024 iter_args(%s = %zero) -> (tensor<1024xf32>) : i32 {
    %is = tt.splat %i : i32 -> tensor<1024xi32>
    %at = arith.addi %is, %range : tensor<1024xi32>
    %from = tt.addptr %ps, %at : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
    %h = tt.load %from : tensor<1024x!tt.ptr<f16>>
    %x = arith.extf %h : tensor<1024xf16> to tensor<1024xf32>
    %y = arith.addf %s, %x : tensor<1024xf32>
    scf.yield %y : tensor<1024xf32>
  }
  %to = tt.addptr %qs, %range : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %to, %sum : tensor<1024x!tt.ptr<f32>>
  tt.return
}
