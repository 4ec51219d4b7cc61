// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
  %a = arith.constant dense<0.0> : tensor<32xf32>
// CHECK: :[[@LINE+1]]:8: error: 'tt.reduce' op expects a result of type 'f32', but got 'f16'
  %b = "tt.reduce"(%a) <{axis = 0 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tt.reduce.return %z : f32
  }) : (tensor<32xf32>) -> f16
  tt.return
}
