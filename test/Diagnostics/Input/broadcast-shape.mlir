// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
  %0 = tt.splat %n : i32 -> tensor<4x2xi32>
// CHECK: :[[@LINE+1]]:8: error: 'tt.broadcast' op expects size 1 or 8 in dimension 1 of the source, but got 2
  %1 = tt.broadcast %0 : tensor<4x2xi32> -> tensor<4x8xi32>
  tt.return
}
