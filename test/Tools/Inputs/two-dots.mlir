// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
tt.func @two_dots(%out: !tt.ptr<f32>, %x: f16, %y: bf16) {
  %a = tt.splat %x : f16 -> tensor<16x16xf16>
  %b = tt.splat %y : bf16 -> tensor<16x16xbf16>
  %c = arith.constant dense<0.0> : tensor<16x16xf32>
  %row = tt.splat %out : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  %range = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %column = tt.expand_dims %range {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %offset = tt.broadcast %column : tensor<1x16xi32> -> tensor<16x16xi32>
  %d = tt.dot %a, %a, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %e = tt.dot %b, %b, %d : tensor<16x16xbf16> * tensor<16x16xbf16> -> tensor<16x16xf32>
  %p = tt.addptr %row, %offset : tensor<16x16x!tt.ptr<f32>>, tensor<16x16xi32>
  tt.store %p, %e : tensor<16x16x!tt.ptr<f32>>
  tt.return
}
