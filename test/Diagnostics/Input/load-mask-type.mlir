// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%p: !tt.ptr<f16>, %q: !tt.ptr<f32>, %n: i32) {
  %0 = tt.splat %p : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  %1 = tt.splat %n : i32 -> tensor<64xi32>
// CHECK: :[[@LINE+1]]:20: error: use of value '%1' expects different type than prior uses: 'tensor<64xi1>' vs 'tensor<64xi32>'
  %2 = tt.load %0, %1 : tensor<64x!tt.ptr<f16>>
  tt.return
}
