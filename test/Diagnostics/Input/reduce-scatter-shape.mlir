// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_90a --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k() {
  %x = arith.constant dense<1.0> : tensor<64x64xf32>
// CHECK: :[[@LINE+1]]:8: error: 'tile.reduce_scatter' op expects a result of shape [64, 16] and of 'f32', but got 'tensor<64x64xf32>'
  %r = tile.reduce_scatter %x {axis = 1 : i32, programs = 4 : i32} : tensor<64x64xf32> -> tensor<64x64xf32>
  tt.return
}
