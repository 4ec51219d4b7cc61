// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
  %0 = tt.splat %n : i32 -> tensor<4x2xi32>
// CHECK: :[[@LINE+1]]:8: error: 'tt.reshape' op expects a result of 8 elements, but got 16
  %1 = tt.reshape %0 : tensor<4x2xi32> -> tensor<16xi32>
  tt.return
}
