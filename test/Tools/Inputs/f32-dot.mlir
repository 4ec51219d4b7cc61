// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
tt.func @f32_dot(%out: !tt.ptr<f32>, %x: f32) {
  %a = tt.splat %x : f32 -> tensor<16x16xf32>
  %b = tt.dot %a, %a, %a : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %c = tt.dot %a, %a, %b, inputPrecision = tf32x3 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  tt.store %p, %c : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
