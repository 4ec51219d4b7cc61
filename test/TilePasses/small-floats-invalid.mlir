// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tilewright-tile --split-input-file --verify-diagnostics

tt.func private @sum(%p: !tt.ptr<f8E5M2>) {
  %x = tt.load %p : !tt.ptr<f8E5M2>
  // expected-error @+1 {{'arith.addf' op expects arithmetic on f16, bf16, f32 or f64, but got 'f8E5M2'; convert it with tt.fp_to_fp first}}
  %y = arith.addf %x, %x : f8E5M2
  tt.store %p, %y : !tt.ptr<f8E5M2>
  tt.return
}

// -----

tt.func private @from_integer(%p: !tt.ptr<f8E4M3FN>, %i: i32) {
  // expected-error @+1 {{'arith.sitofp' op expects arithmetic on f16, bf16, f32 or f64, but got 'f8E4M3FN'; convert it with tt.fp_to_fp first}}
  %y = arith.sitofp %i : i32 to f8E4M3FN
  tt.store %p, %y : !tt.ptr<f8E4M3FN>
  tt.return
}

// -----

tt.func private @clamp(%x: tensor<64xf8E4M3FNUZ>) {
  // expected-error @+1 {{'tt.clampf' op expects arithmetic on f16, bf16, f32 or f64, but got 'f8E4M3FNUZ'; convert it with tt.fp_to_fp first}}
  %y = tt.clampf %x, %x, %x, propagateNan = none : tensor<64xf8E4M3FNUZ>
  tt.return
}

// -----

tt.func private @by_random_bits(%x: tensor<64xf32>, %r: tensor<64xi32>) {
  // expected-error @+1 {{'tt.fp_to_fp' op expects rounding = rtne or rtz, but got rs, for which no target here has an instruction}}
  %y = tt.fp_to_fp %x, rounding = rs, rbits = %r : tensor<64xi32> : tensor<64xf32> -> tensor<64xf8E5M2>
  tt.return
}

// -----

tt.func private @upward(%x: tensor<64xf32>) {
  // expected-error @+1 {{'arith.truncf' op expects to_nearest_even or toward_zero, but got upward}}
  %y = arith.truncf %x upward : tensor<64xf32> to tensor<64xf16>
  tt.return
}
