// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
  %0 = tt.splat %p : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
// CHECK: :[[@LINE+1]]:8: error: 'tt.addptr' op expects pointers and offsets of one shape, but got 'tensor<64x!tt.ptr<f16>>' and 'i32'
  %1 = tt.addptr %0, %n : tensor<64x!tt.ptr<f16>>, i32
  tt.return
}
