// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
  %0 = tt.load %q : !tt.ptr<f32>
// CHECK: :[[@LINE+1]]:8: error: 'math.sin' op is valid tile IR, but has no lowering yet
  %1 = math.sin %0 : f32
  tt.store %q, %1 : !tt.ptr<f32>
  tt.return
}
