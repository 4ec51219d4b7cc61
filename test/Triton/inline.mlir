// RUN: tilewright-opt %s -inline | FileCheck %s

// Calls, as Triton's front end makes them for tl.sum and the like, are inlined;
// functions that say noinline stay.

tt.func private @add(%x: f32, %y: f32) -> f32 attributes {noinline = false} {
  %0 = arith.addf %x, %y : f32
  tt.return %0 : f32
}

tt.func private @kept(%x: f32) -> f32 attributes {noinline = true} {
  tt.return %x : f32
}

tt.func private @early(%c: i1, %p: !tt.ptr<f32>, %x: f32) {
  cf.cond_br %c, ^store, ^done
^store:
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
^done:
  tt.return
}

// CHECK-LABEL: @in_region
// CHECK: "tt.reduce"
// CHECK: arith.addf
// CHECK-NEXT: tt.reduce.return
tt.func @in_region(%a: tensor<64xf32>) -> f32 {
  %0 = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = tt.call @add(%x, %y) : (f32, f32) -> f32
    tt.reduce.return %z : f32
  }) : (tensor<64xf32>) -> f32
  tt.return %0 : f32
}

// CHECK-LABEL: @several_blocks
// CHECK: cf.cond_br
// CHECK: tt.store
// CHECK: cf.br
// CHECK-NOT: tt.call
tt.func @several_blocks(%c: i1, %p: !tt.ptr<f32>, %x: f32) {
  tt.call @early(%c, %p, %x) : (i1, !tt.ptr<f32>, f32) -> ()
  tt.return
}

// CHECK-LABEL: @stays
// CHECK: tt.call @kept
tt.func @stays(%x: f32) -> f32 {
  %0 = tt.call @kept(%x) : (f32) -> f32
  tt.return %0 : f32
}
