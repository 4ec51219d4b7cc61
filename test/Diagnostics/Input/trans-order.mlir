// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
  %0 = tt.splat %n : i32 -> tensor<4x2xi32>
// CHECK: :[[@LINE+1]]:8: error: 'tt.trans' op expects order to be a permutation of 2 dimensions, but got [1, 1]
  %1 = tt.trans %0 {order = array<i32: 1, 1>} : tensor<4x2xi32> -> tensor<2x4xi32>
  tt.return
}
