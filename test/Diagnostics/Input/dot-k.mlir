// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
  %a = arith.constant dense<0.0> : tensor<32x16xf16>
  %b = arith.constant dense<0.0> : tensor<32x32xf16>
  %c = arith.constant dense<0.0> : tensor<32x32xf32>
// CHECK: :[[@LINE+1]]:8: error: 'tt.dot' op expects the same K in both operands, but got 16 and 32
  %d = tt.dot %a, %b, %c : tensor<32x16xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  tt.return
}
