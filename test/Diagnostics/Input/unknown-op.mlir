// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
// CHECK: :[[@LINE+1]]:8: error: expects an operation of tile IR that is known here (docs/TritonIR.md lists them), but got 'tt.frobnicate'
  %0 = tt.frobnicate %n : i32
  tt.return
}
