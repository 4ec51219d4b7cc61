// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_80 --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k() {
  %x = arith.constant dense<1.0> : tensor<64x64xf32>
// CHECK: :[[@LINE+1]]:8: error: 'tile.reduce_scatter' op expects a target with thread block clusters, such as sm_90a, but got sm_80; there, sum by atomics or in a second launch
  %r = tile.reduce_scatter %x {axis = 1 : i32, programs = 4 : i32} : tensor<64x64xf32> -> tensor<64x16xf32>
  tt.return
}
