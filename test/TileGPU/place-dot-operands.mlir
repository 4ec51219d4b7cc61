// RUN: tilewright-opt %s --tilegpu-place-dot-operands --split-input-file --verify-diagnostics | FileCheck %s

#blocked = #tilegpu.blocked<elements = [1, 1], threads = [8, 4], warps = [1, 1], order = [1, 0]>
module attributes {tilegpu.target = "sm_75"} {

// The left operand is the same in all iterations: it is stored once.
// CHECK-LABEL: tt.func private @invariant
// CHECK: %[[A:.*]] = tilegpu.local_alloc %arg0 : (tensor<8x16xbf16, #{{.*}}>) -> !tilegpu.memdesc<8x16xbf16, #{{.*}}>
// CHECK: scf.for
// CHECK: %[[B:.*]] = tilegpu.local_alloc %{{.*}} : (tensor<16x4xbf16, #{{.*}}>) -> !tilegpu.memdesc<16x4xbf16, #{{.*}}>
// CHECK: %[[D:.*]] = tilegpu.multiply_add %[[A]], %[[B]], %{{.*}} : {{.*}} -> tensor<8x4xf32, #{{.*}}>
// CHECK: scf.yield %[[D]]
tt.func private @invariant(%a: tensor<8x16xbf16, #blocked>, %x: bf16, %c: tensor<8x4xf32, #blocked>, %n: i32) -> tensor<8x4xf32, #blocked> attributes {tilegpu.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (tensor<8x4xf32, #blocked>) : i32 {
    %b = tt.splat %x : bf16 -> tensor<16x4xbf16, #blocked>
    %d = tt.dot %a, %b, %acc : tensor<8x16xbf16, #blocked> * tensor<16x4xbf16, #blocked> -> tensor<8x4xf32, #blocked>
    scf.yield %d : tensor<8x4xf32, #blocked>
  }
  tt.return %sum : tensor<8x4xf32, #blocked>
}
}

// -----

module attributes {tilegpu.target = "sm_75"} {
tt.func private @no_layout(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %c: tensor<8x4xf32>) attributes {tilegpu.num_warps = 1 : i32} {
  // expected-error @+1 {{expects tensors with register layouts (run tilegpu-assign-layouts first), but got 'tensor<8x16xf32>' for 'tensor<8x4xf32>'}}
  %d = tt.dot %a, %b, %c : tensor<8x16xf32> * tensor<16x4xf32> -> tensor<8x4xf32>
  tt.return
}
}
