// Halves that are multiplied by a square root, or a reciprocal, are widened behind
// it: CUDA's assembler makes branches of one, and would hold them in a register each.

// RUN: tilewright compile %s --target=sm_90a --num-warps=4 --emit=ptx -o - | FileCheck %s

// CHECK: .entry halves
// CHECK-NOT: cvt.f32.f16
// CHECK: sqrt.rn.f32
// CHECK-COUNT-8: cvt.f32.f16
tt.func public @halves(%x: !tt.ptr<f16>, %out: !tt.ptr<f32>, %y: f32) {
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<1024x!tt.ptr<f16>>
  %xp = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f16>>, tensor<1024xi32>
  %v = tt.load %xp : tensor<1024x!tt.ptr<f16>>
  %w = arith.extf %v : tensor<1024xf16> to tensor<1024xf32>
  %r = math.sqrt %y : f32
  %rs = tt.splat %r : f32 -> tensor<1024xf32>
  %p = arith.mulf %w, %rs : tensor<1024xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %op, %p : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// CHECK: .entry quotients
// CHECK-NOT: cvt.f32.bf16
// CHECK: rcp.rn.f32
// CHECK-COUNT-4: cvt.f32.bf16
tt.func public @quotients(%x: !tt.ptr<bf16>, %out: !tt.ptr<f32>, %y: f32) {
  %i = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<512x!tt.ptr<bf16>>
  %xp = tt.addptr %xs, %i : tensor<512x!tt.ptr<bf16>>, tensor<512xi32>
  %v = tt.load %xp : tensor<512x!tt.ptr<bf16>>
  %w = arith.extf %v : tensor<512xbf16> to tensor<512xf32>
  %one = arith.constant 1.0 : f32
  %r = tt.precise_divf %one, %y : f32
  %rs = tt.splat %r : f32 -> tensor<512xf32>
  %p = arith.mulf %w, %rs : tensor<512xf32>
  %os = tt.splat %out : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %op = tt.addptr %os, %i : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  tt.store %op, %p : tensor<512x!tt.ptr<f32>>
  tt.return
}
