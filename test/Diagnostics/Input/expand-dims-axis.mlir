// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
  %0 = tt.splat %n : i32 -> tensor<4xi32>
// CHECK: :[[@LINE+1]]:8: error: 'tt.expand_dims' op expects axis in [0, 1], but got 3
  %1 = tt.expand_dims %0 {axis = 3 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  tt.return
}
