// Hopper has no `mma.sync` of 8-bit floats: their words are converted once, however
// many instructions take them, and multiplied in two parts. Ada has it.

// RUN: tilewright-opt %s --tilegpu-to-llvm --split-input-file | FileCheck %s

#mma = #tilegpu.mma<m16n8, warps = [1, 1]>
#a = #tilegpu.dot_operand<index = 0, parent = #mma, kWidth = 4>
#b = #tilegpu.dot_operand<index = 1, parent = #mma, kWidth = 4>
module attributes {tilegpu.target = "sm_89"} {

// CHECK-LABEL: llvm.func @of_ada
// CHECK-NOT: x2.to.f16x2
// CHECK-COUNT-2: "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e5m2.f32"
// CHECK-NOT: {{x2.to.f16x2|nvvm.mma}}
tt.func @of_ada(%out: !tt.ptr<f32>, %x: f8E4M3FN, %y: f8E5M2, %z: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %a = tt.splat %x : f8E4M3FN -> tensor<16x32xf8E4M3FN, #a>
  %b = tt.splat %y : f8E5M2 -> tensor<32x16xf8E5M2, #b>
  %c = tt.splat %z : f32 -> tensor<16x16xf32, #mma>
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 32] : tensor<16x32xf8E4M3FN, #a> * tensor<32x16xf8E5M2, #b> -> tensor<16x16xf32, #mma>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>, #mma>
  tt.store %p, %d : tensor<16x16x!tt.ptr<f32>, #mma>
  tt.return
}
}

// -----

#mma = #tilegpu.mma<m16n8, warps = [1, 1]>
#a = #tilegpu.dot_operand<index = 0, parent = #mma, kWidth = 4>
#b = #tilegpu.dot_operand<index = 1, parent = #mma, kWidth = 4>
module attributes {tilegpu.target = "sm_90a"} {

// Two tiles of columns: four words of A, two of each tile of B, each made two.
// The lower ones are multiplied first, and then the upper ones are added.
// CHECK-LABEL: llvm.func @of_hopper
// CHECK-COUNT-8: "llvm.nvvm.e4m3x2.to.f16x2.rn"
// CHECK-NOT: e4m3
// CHECK-COUNT-4: "llvm.nvvm.prmt"
// CHECK: %[[C0:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
// CHECK: %[[E0:.*]] = llvm.extractvalue %[[C0]][0]
// CHECK-COUNT-4: "llvm.nvvm.prmt"
// CHECK: %[[C1:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
// CHECK: %[[E1:.*]] = llvm.extractvalue %[[C1]][0]
// CHECK-NOT: {{e4m3|prmt}}
// CHECK: "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"({{.*}}, %[[E0]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NOT: {{e4m3|prmt}}
// CHECK: "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"({{.*}}, %[[E1]], %{{.*}}, %{{.*}}, %{{.*}})
// CHECK-NOT: {{e4m3|prmt|nvvm.mma}}
tt.func @of_hopper(%out: !tt.ptr<f32>, %x: f8E4M3FN, %y: f8E5M2, %z: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %a = tt.splat %x : f8E4M3FN -> tensor<16x32xf8E4M3FN, #a>
  %b = tt.splat %y : f8E5M2 -> tensor<32x16xf8E5M2, #b>
  %c = tt.splat %z : f32 -> tensor<16x16xf32, #mma>
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 32] : tensor<16x32xf8E4M3FN, #a> * tensor<32x16xf8E5M2, #b> -> tensor<16x16xf32, #mma>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>, #mma>
  tt.store %p, %d : tensor<16x16x!tt.ptr<f32>, #mma>
  tt.return
}

// What instructions of 16 elements along K have beyond their end is not converted.
// CHECK-LABEL: llvm.func @of_half_the_depth
// CHECK-COUNT-6: "llvm.nvvm.e4m3x2.to.f16x2.rn"
// CHECK-NOT: e4m3
// CHECK-COUNT-2: "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
// CHECK-NOT: {{e4m3|nvvm.mma}}
tt.func @of_half_the_depth(%out: !tt.ptr<f32>, %x: f8E4M3FN, %y: f8E4M3FN, %z: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %a = tt.splat %x : f8E4M3FN -> tensor<16x16xf8E4M3FN, #a>
  %b = tt.splat %y : f8E4M3FN -> tensor<16x8xf8E4M3FN, #b>
  %c = tt.splat %z : f32 -> tensor<16x8xf32, #mma>
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 32] : tensor<16x16xf8E4M3FN, #a> * tensor<16x8xf8E4M3FN, #b> -> tensor<16x8xf32, #mma>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>, #mma>
  tt.store %p, %d : tensor<16x8x!tt.ptr<f32>, #mma>
  tt.return
}

// CHECK-LABEL: llvm.func @sums_of_halves
// CHECK-COUNT-6: "llvm.nvvm.e4m3x2.to.f16x2.rn"
// CHECK-COUNT-2: "llvm.nvvm.mma.m16n8k8.row.col.f16.f16"
// CHECK-NOT: {{e4m3|nvvm.mma}}
tt.func @sums_of_halves(%out: !tt.ptr<f16>, %x: f8E4M3FN, %y: f8E4M3FN, %z: f16) attributes {tilegpu.num_warps = 1 : i32} {
  %a = tt.splat %x : f8E4M3FN -> tensor<16x16xf8E4M3FN, #a>
  %b = tt.splat %y : f8E4M3FN -> tensor<16x8xf8E4M3FN, #b>
  %c = tt.splat %z : f16 -> tensor<16x8xf16, #mma>
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 16] : tensor<16x16xf8E4M3FN, #a> * tensor<16x8xf8E4M3FN, #b> -> tensor<16x8xf16, #mma>
  %p = tt.splat %out : !tt.ptr<f16> -> tensor<16x8x!tt.ptr<f16>, #mma>
  tt.store %p, %d : tensor<16x8x!tt.ptr<f16>, #mma>
  tt.return
}
}
