// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
// CHECK: :[[@LINE+1]]:8: error: 'tt.make_range' op expects end - start to be the result's size 64, but got 32
  %0 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<64xi32>
  tt.return
}
