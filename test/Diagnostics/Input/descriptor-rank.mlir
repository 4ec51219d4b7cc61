// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
  %s = arith.constant 1 : i64
// CHECK: :[[@LINE+1]]:8: error: 'tt.make_tensor_descriptor' op expects 2 sizes, but got 1
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : !tt.ptr<f16>, !tt.tensordesc<64x64xf16>
  tt.return
}
