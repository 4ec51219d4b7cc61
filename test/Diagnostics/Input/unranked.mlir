// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
// CHECK: :[[@LINE+1]]:29: error: custom op 'tt.splat' invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xi32>'
  %0 = tt.splat %n : i32 -> tensor<*xi32>
  tt.return
}
