// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_80 num-warps=4 num-stages=2" | FileCheck %s --check-prefix=TWO
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

// Two elements of f16 are one register of a thread: in a loop of two stages loads are
// as far ahead as copies would be, and take fewer instructions. Of three stages copies
// are two iterations ahead. Four elements are two registers.
// TWO-LABEL: @one_register
// TWO: scf.for
// TWO: tt.load
// TWO-LABEL: @two_registers
// TWO: scf.for
// TWO: tilegpu.async_copy
// THREE-LABEL: @one_register
// THREE: scf.for
// THREE: tilegpu.async_copy
tt.func public @one_register(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c256 = arith.constant 256 : i32
  %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
  %qs = tt.splat %q : !tt.ptr<f16> -> tensor<256x!tt.ptr<f16>>
  scf.for %i = %c0 to %n step %c256 : i32 {
    %is = tt.splat %i : i32 -> tensor<256xi32>
    %at = arith.addi %is, %range : tensor<256xi32>
    %from = tt.addptr %ps, %at : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
    %x = tt.load %from : tensor<256x!tt.ptr<f16>>
    %rows = tt.reshape %x : tensor<256xf16> -> tensor<2x128xf16>
    %columns = tt.trans %rows {order = array<i32: 1, 0>} : tensor<2x128xf16> -> tensor<128x2xf16>
    %y = tt.reshape %columns : tensor<128x2xf16> -> tensor<256xf16>
    %to = tt.addptr %qs, %at : tensor<256x!tt.ptr<f16>>, tensor<256xi32>
    tt.store %to, %y : tensor<256x!tt.ptr<f16>>
  }
  tt.return
}
tt.func public @two_registers(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %q: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c512 = arith.constant 512 : i32
  %range = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %ps = tt.splat %p : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>>
  %qs = tt.splat %q : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>>
  scf.for %i = %c0 to %n step %c512 : i32 {
    %is = tt.splat %i : i32 -> tensor<512xi32>
    %at = arith.addi %is, %range : tensor<512xi32>
    %from = tt.addptr %ps, %at : tensor<512x!tt.ptr<f16>>, tensor<512xi32>
    %x = tt.load %from : tensor<512x!tt.ptr<f16>>
    %rows = tt.reshape %x : tensor<512xf16> -> tensor<2x256xf16>
    %columns = tt.trans %rows {order = array<i32: 1, 0>} : tensor<2x256xf16> -> tensor<256x2xf16>
    %y = tt.reshape %columns : tensor<256x2xf16> -> tensor<512xf16>
    %to = tt.addptr %qs, %at : tensor<512x!tt.ptr<f16>>, tensor<512xi32>
    tt.store %to, %y : tensor<512x!tt.ptr<f16>>
  }
  tt.return
}
