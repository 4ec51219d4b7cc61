// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
// CHECK: :[[@LINE+1]]:8: error: 'tt.splat' op expects a tile of at most 1048576 elements, but got 'tensor<4096x1024xi32>'
  %0 = tt.splat %n : i32 -> tensor<4096x1024xi32>
  tt.return
}
