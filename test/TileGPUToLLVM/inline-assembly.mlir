// One run of the assembly for each packed_element registers of a thread.

// RUN: tilewright-opt %s --tilewright="target=sm_80 num-warps=1" | FileCheck %s

// CHECK-LABEL: llvm.func @two_halves_a_run(
// CHECK: %[[LOW:.*]] = llvm.zext %{{.*}} : i16 to i32
// CHECK: %[[SECOND:.*]] = llvm.zext %{{.*}} : i16 to i32
// CHECK: %[[HIGH:.*]] = llvm.shl %[[SECOND]], %{{.*}} : i32
// CHECK-NEXT: %[[PAIR:.*]] = llvm.or %[[LOW]], %[[HIGH]] : i32
// CHECK-NEXT: %[[SUM:.*]] = llvm.inline_asm "add.rn.f16x2 $0, $1, $1;", "=r,r" %[[PAIR]] : (i32) -> i32
// CHECK: llvm.lshr %[[SUM]], %{{.*}} : i32
// CHECK-COUNT-1: llvm.inline_asm "add.rn.f16x2 $0, $1, $1;"
// CHECK-NOT: add.rn.f16x2
// CHECK: llvm.return
tt.func public @two_halves_a_run(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32}) {
  %range = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<128x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %range : tensor<128x!tt.ptr<f16>>, tensor<128xi32>
  %xv = tt.load %xp : tensor<128x!tt.ptr<f16>>
  %sum = tt.elementwise_inline_asm "add.rn.f16x2 $0, $1, $1;" {constraints = "=r,r", packed_element = 2 : i32, pure = true} %xv : tensor<128xf16> -> tensor<128xf16>
  tt.store %xp, %sum : tensor<128x!tt.ptr<f16>>
  tt.return
}

// Registers of floats take the bits of what they hold; what is not pure stays.
// CHECK-LABEL: llvm.func @impure_float(
// CHECK: %[[BITS:.*]] = llvm.bitcast %arg1 : i32 to f32
// CHECK: llvm.inline_asm has_side_effects "mov.b32 $0, $1;", "=f,f" %[[BITS]] : (f32) -> f32
tt.func public @impure_float(%x: !tt.ptr<i32>, %n: i32) {
  %0 = tt.elementwise_inline_asm "mov.b32 $0, $1;" {constraints = "=f,f", packed_element = 1 : i32, pure = false} %n : i32 -> i32
  tt.return
}
