// RUN: tilewright-opt %s --tilegpu-assign-layouts="target=sm_70 num-warps=4" | FileCheck %s

// The fragments of m8n8k4 with f16 accumulators have no encoding: such a dot is
// computed by multiply-adds.
// CHECK-LABEL: tt.func @half
// CHECK-NOT: tilegpu.mma
// CHECK: tt.dot
// CHECK-NOT: tilegpu.mma
tt.func @half(%out: !tt.ptr<f16>, %x: f16) {
  %a = tt.splat %x : f16 -> tensor<16x16xf16>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<16x16x!tt.ptr<f16>>
  %d = tt.dot %a, %a, %a : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf16>
  tt.store %p, %d : tensor<16x16x!tt.ptr<f16>>
  tt.return
}

// CHECK-LABEL: tt.func @single
// CHECK: tilegpu.mma
tt.func @single(%out: !tt.ptr<f32>, %x: f16, %y: f32) {
  %a = tt.splat %x : f16 -> tensor<16x16xf16>
  %c = tt.splat %y : f32 -> tensor<16x16xf32>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %d = tt.dot %a, %a, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  tt.store %p, %d : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
