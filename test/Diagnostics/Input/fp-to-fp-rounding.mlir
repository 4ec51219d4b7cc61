// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
  %0 = tt.load %q : !tt.ptr<f32>
// CHECK: :[[@LINE+1]]:8: error: 'tt.fp_to_fp' op expects a rounding for 'f32' to 'f16', but got none
  %1 = tt.fp_to_fp %0 : f32 -> f16
  tt.return
}
