// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
  %f = arith.constant 1.0 : f32
// CHECK: :[[@LINE+1]]:8: error: 'tt.atomic_rmw' op is valid tile IR, but has no lowering yet
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %q, %f : (!tt.ptr<f32>, f32) -> f32
  tt.return
}
