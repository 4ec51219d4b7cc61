// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
// CHECK: :[[@LINE+1]]:8: error: 'tt.make_range' op expects every dimension of a tile to be a power of two, but got 48 in dimension 0 of 'tensor<48xi32>'
  %0 = tt.make_range {start = 0 : i32, end = 48 : i32} : tensor<48xi32>
  tt.return
}
