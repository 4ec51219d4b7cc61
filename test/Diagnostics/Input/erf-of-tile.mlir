// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
  %0 = tt.splat %q : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %1 = tt.load %0 : tensor<64x!tt.ptr<f32>>
// CHECK: :[[@LINE+1]]:8: error: 'math.erf' op is valid tile IR, but has no lowering yet
  %2 = math.erf %1 : tensor<64xf32>
  tt.store %0, %2 : tensor<64x!tt.ptr<f32>>
  tt.return
}
