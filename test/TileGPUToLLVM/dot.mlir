// RUN: tilewright-opt %s --tilegpu-to-llvm --cse --split-input-file --verify-diagnostics | FileCheck %s

#m16n8 = #tilegpu.mma<m16n8, warps = [1, 1]>
#m8n8 = #tilegpu.mma<m8n8, warps = [1, 1]>
module attributes {tilegpu.target = "sm_89"} {

// The first word of A is two neighbours along K.
// CHECK-LABEL: llvm.func @f16
// CHECK: %[[LOW:.*]] = llvm.insertelement %arg1, %{{.*}} : vector<2xf16>
// CHECK: %[[A:.*]] = llvm.insertelement %arg1, %[[LOW]]{{.*}} : vector<2xf16>
// CHECK: %[[D:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"(%[[A]], %{{.*}}) : (vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, vector<2xf16>, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK: llvm.extractvalue %[[D]][0]
// CHECK: llvm.extractvalue %[[D]][3]
// CHECK-NOT: llvm.nvvm.mma
// CHECK: llvm.return
tt.func @f16(%out: !tt.ptr<f32>, %x: f16, %y: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %a = tt.splat %x : f16 -> tensor<16x16xf16, #tilegpu.dot_operand<index = 0, parent = #m16n8, kWidth = 2>>
  %b = tt.splat %x : f16 -> tensor<16x8xf16, #tilegpu.dot_operand<index = 1, parent = #m16n8, kWidth = 2>>
  %c = tt.splat %y : f32 -> tensor<16x8xf32, #m16n8>
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 16] : tensor<16x16xf16, #tilegpu.dot_operand<index = 0, parent = #m16n8, kWidth = 2>> * tensor<16x8xf16, #tilegpu.dot_operand<index = 1, parent = #m16n8, kWidth = 2>> -> tensor<16x8xf32, #m16n8>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>, #m16n8>
  tt.store %p, %d : tensor<16x8x!tt.ptr<f32>, #m16n8>
  tt.return
}

// f32 operands are rounded to nearest before the instruction truncates them.
// CHECK-LABEL: llvm.func @tf32
// CHECK: %[[A:.*]] = llvm.call_intrinsic "llvm.nvvm.f2tf32.rna"(%arg1) : (f32) -> i32
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"(%[[A]], %{{.*}})
tt.func @tf32(%out: !tt.ptr<f32>, %x: f32, %y: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %a = tt.splat %x : f32 -> tensor<16x8xf32, #tilegpu.dot_operand<index = 0, parent = #m16n8, kWidth = 1>>
  %b = tt.splat %x : f32 -> tensor<8x8xf32, #tilegpu.dot_operand<index = 1, parent = #m16n8, kWidth = 1>>
  %c = tt.splat %y : f32 -> tensor<16x8xf32, #m16n8>
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 8] : tensor<16x8xf32, #tilegpu.dot_operand<index = 0, parent = #m16n8, kWidth = 1>> * tensor<8x8xf32, #tilegpu.dot_operand<index = 1, parent = #m16n8, kWidth = 1>> -> tensor<16x8xf32, #m16n8>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>, #m16n8>
  tt.store %p, %d : tensor<16x8x!tt.ptr<f32>, #m16n8>
  tt.return
}

// What was extended from bf16 is a number of tf32 as it is.
// CHECK-LABEL: llvm.func @exact_in_tf32
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.f2tf32.rna"(%arg2) : (f32) -> i32
// CHECK-NOT: f2tf32
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.tf32"
tt.func @exact_in_tf32(%out: !tt.ptr<f32>, %x: bf16, %y: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %h = tt.splat %x : bf16 -> tensor<16x8xbf16, #tilegpu.dot_operand<index = 0, parent = #m16n8, kWidth = 1>>
  %a = arith.extf %h : tensor<16x8xbf16, #tilegpu.dot_operand<index = 0, parent = #m16n8, kWidth = 1>> to tensor<16x8xf32, #tilegpu.dot_operand<index = 0, parent = #m16n8, kWidth = 1>>
  %b = tt.splat %y : f32 -> tensor<8x8xf32, #tilegpu.dot_operand<index = 1, parent = #m16n8, kWidth = 1>>
  %c = tt.splat %y : f32 -> tensor<16x8xf32, #m16n8>
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 8] : tensor<16x8xf32, #tilegpu.dot_operand<index = 0, parent = #m16n8, kWidth = 1>> * tensor<8x8xf32, #tilegpu.dot_operand<index = 1, parent = #m16n8, kWidth = 1>> -> tensor<16x8xf32, #m16n8>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<16x8x!tt.ptr<f32>, #m16n8>
  tt.store %p, %d : tensor<16x8x!tt.ptr<f32>, #m16n8>
  tt.return
}

// K is the outermost loop: two instructions of the first step, then two of the second on their results.
// CHECK-LABEL: llvm.func @order
// CHECK: %[[D0:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k16.row.col.s8"({{.*}}%arg2, %arg2)
// CHECK: %[[E0:.*]] = llvm.extractvalue %[[D0]][0]
// CHECK: %[[D1:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m8n8k16.row.col.s8"({{.*}}%arg2, %arg2)
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m8n8k16.row.col.s8"({{.*}}%[[E0]], %{{.*}})
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m8n8k16.row.col.s8"
// CHECK-NOT: llvm.nvvm.mma
// CHECK: llvm.return
tt.func @order(%out: !tt.ptr<i32>, %x: i8, %y: i32) attributes {tilegpu.num_warps = 1 : i32} {
  %a = tt.splat %x : i8 -> tensor<8x32xi8, #tilegpu.dot_operand<index = 0, parent = #m8n8, kWidth = 4>>
  %b = tt.splat %x : i8 -> tensor<32x16xi8, #tilegpu.dot_operand<index = 1, parent = #m8n8, kWidth = 4>>
  %c = tt.splat %y : i32 -> tensor<8x16xi32, #m8n8>
  %d = tilegpu.mma %a, %b, %c instruction = [8, 8, 16] : tensor<8x32xi8, #tilegpu.dot_operand<index = 0, parent = #m8n8, kWidth = 4>> * tensor<32x16xi8, #tilegpu.dot_operand<index = 1, parent = #m8n8, kWidth = 4>> -> tensor<8x16xi32, #m8n8>
  %p = tt.splat %out : !tt.ptr<i32> -> tensor<8x16x!tt.ptr<i32>, #m8n8>
  tt.store %p, %d : tensor<8x16x!tt.ptr<i32>, #m8n8>
  tt.return
}
}

// -----

#m16n8 = #tilegpu.mma<m16n8, warps = [1, 1]>
module attributes {tilegpu.target = "sm_75"} {
tt.func @no_instruction(%x: f16, %y: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %a = tt.splat %x : f16 -> tensor<16x16xf16, #tilegpu.dot_operand<index = 0, parent = #m16n8, kWidth = 2>>
  %b = tt.splat %x : f16 -> tensor<16x8xf16, #tilegpu.dot_operand<index = 1, parent = #m16n8, kWidth = 2>>
  %c = tt.splat %y : f32 -> tensor<16x8xf32, #m16n8>
  // expected-error @+2 {{expects an instruction that sm_75 has for 'f16' x 'f16' -> 'f32' (m16n8k8), but got m16n8k16}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.mma'}}
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 16] : tensor<16x16xf16, #tilegpu.dot_operand<index = 0, parent = #m16n8, kWidth = 2>> * tensor<16x8xf16, #tilegpu.dot_operand<index = 1, parent = #m16n8, kWidth = 2>> -> tensor<16x8xf32, #m16n8>
  tt.return
}
}

// -----

#m16n8 = #tilegpu.mma<m16n8, warps = [1, 1]>
module attributes {tilegpu.target = "sm_80"} {
tt.func @two_widths(%x: f16, %y: f32) attributes {tilegpu.num_warps = 1 : i32} {
  %a = tt.splat %x : f16 -> tensor<16x16xf16, #tilegpu.dot_operand<index = 0, parent = #m16n8, kWidth = 2>>
  %b = tt.splat %x : f16 -> tensor<16x8xf16, #tilegpu.dot_operand<index = 1, parent = #m16n8, kWidth = 4>>
  %c = tt.splat %y : f32 -> tensor<16x8xf32, #m16n8>
  // expected-error @+2 {{expects operands of one kWidth}}
  // expected-error @+1 {{failed to legalize operation 'tilegpu.mma'}}
  %d = tilegpu.mma %a, %b, %c instruction = [16, 8, 16] : tensor<16x16xf16, #tilegpu.dot_operand<index = 0, parent = #m16n8, kWidth = 2>> * tensor<16x8xf16, #tilegpu.dot_operand<index = 1, parent = #m16n8, kWidth = 4>> -> tensor<16x8xf32, #m16n8>
  tt.return
}
}
