// RUN: tilewright-opt %s --tile-hoist-invariant-loads="num-warps=1" --split-input-file | FileCheck %s

// A scale for all iterations is loaded once, if there is one, and widened once; what
// the iterations load themselves stays.
// CHECK-LABEL: @scaled(
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %c0_i32, %arg3
// CHECK: %[[MASK:.*]] = tt.splat %[[ANY]]
// CHECK: %[[SCALE:.*]] = tt.load %{{.*}}, %[[MASK]]
// CHECK: arith.extf %[[SCALE]]
// CHECK: scf.for
// CHECK: tt.load
// CHECK-NOT: tt.load
// CHECK-NOT: arith.extf
tt.func public @scaled(%in: !tt.ptr<f32>, %scale: !tt.ptr<f16>, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ss = tt.splat %scale : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %sp = tt.addptr %ss, %i : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  %sums = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero) -> (tensor<64xf32>) : i32 {
    %from = tt.addptr %in, %k : !tt.ptr<f32>, i32
    %froms = tt.splat %from : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %x = tt.load %froms : tensor<64x!tt.ptr<f32>>
    %s = tt.load %sp : tensor<64x!tt.ptr<f16>>
    %w = arith.extf %s : tensor<64xf16> to tensor<64xf32>
    %y = arith.mulf %x, %w : tensor<64xf32>
    %z = arith.addf %sum, %y : tensor<64xf32>
    scf.yield %z : tensor<64xf32>
  }
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %op, %sums : tensor<64x!tt.ptr<f32>>
  tt.return
}

// -----

// Not where the loop writes, of which more is not asked; nor 64 registers; nor in a
// branch. There are iterations in any case: no mask.
// CHECK-LABEL: @others(
// CHECK: %[[FEW:.*]] = tt.load %{{[^,]*}} : tensor<64x
// CHECK: scf.for
// CHECK: tt.load {{.*}} : tensor<2048x
// CHECK: scf.if
// CHECK: tt.load
// CHECK: scf.for
// CHECK: tt.load
// CHECK: tt.store
tt.func public @others(%in: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %f0 = arith.constant 0.0 : f32
  %few = tt.splat %in : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %many = tt.splat %in : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %r:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%sum = %zero, %last = %f0) -> (tensor<64xf32>, f32) : i32 {
    %a = tt.load %few : tensor<64x!tt.ptr<f32>>
    %b = tt.load %many : tensor<2048x!tt.ptr<f32>>
    %m = "tt.reduce"(%b) <{axis = 0 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %t = arith.addf %u, %v : f32
      tt.reduce.return %t : f32
    }) : (tensor<2048xf32>) -> f32
    %odd = arith.cmpi eq, %k, %n : i32
    %d = scf.if %odd -> f32 {
      %e = tt.load %in : !tt.ptr<f32>
      scf.yield %e : f32
    } else {
      scf.yield %m : f32
    }
    %s = arith.addf %sum, %a : tensor<64xf32>
    scf.yield %s, %d : tensor<64xf32>, f32
  }
  scf.for %k = %c0 to %n step %c1 : i32 {
    %a = tt.load %few : tensor<64x!tt.ptr<f32>>
    tt.store %outs, %a : tensor<64x!tt.ptr<f32>>
  }
  tt.store %outs, %r#0 : tensor<64x!tt.ptr<f32>>
  tt.store %out, %r#1 : !tt.ptr<f32>
  tt.return
}
