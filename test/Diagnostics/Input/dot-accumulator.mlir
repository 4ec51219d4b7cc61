// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
  %a = arith.constant dense<0.0> : tensor<32x32xf16>
  %c = arith.constant dense<0> : tensor<32x32xi32>
// CHECK: :[[@LINE+1]]:8: error: 'tt.dot' op expects integer operands and an integer accumulator at least as wide, or float operands and a float accumulator of 16 bits or more (f64 for f64), but got 'f16' into 'i32'
  %d = tt.dot %a, %a, %c : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xi32>
  tt.return
}
