// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tilegpu-to-llvm --verify-diagnostics

module attributes {tilegpu.target = "sm_80"} {
  tt.func @prints(%a: f8E4M3FN) attributes {tilegpu.num_warps = 1 : i32} {
    // expected-error @+2 {{expects integers, pointers, f16, bf16, f32 or f64, but got 'f8E4M3FN'}}
    // expected-error @+1 {{failed to legalize operation 'tt.print'}}
    tt.print "x: " {hex = false, isSigned = array<i32: 1>} : %a : f8E4M3FN
    tt.return
  }
}
