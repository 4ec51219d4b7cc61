// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
  %s = arith.constant dense<0.0> : tensor<16xf32>
  %i = arith.constant dense<0> : tensor<64xi32>
// CHECK: :[[@LINE+1]]:8: error: 'tt.gather' op is valid tile IR, but has no lowering yet
  %0 = tt.gather %s[%i] {axis = 0 : i32} : (tensor<16xf32>, tensor<64xi32>) -> tensor<64xf32>
  %ps = tt.splat %q : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  tt.store %ps, %0 : tensor<64x!tt.ptr<f32>>
  tt.return
}
