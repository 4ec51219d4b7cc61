// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
// CHECK: :[[@LINE+1]]:8: error: 'tt.make_range' op result #0 must be ranked tensor of 32-bit signless integer values, but got 'tensor<32xi64>'
  %0 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi64>
  tt.return
}
