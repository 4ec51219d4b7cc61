// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_90a --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

tt.func public @k(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %x = arith.constant dense<1.0> : tensor<64x64xf32>
  scf.for %i = %c0 to %n step %c1 : i32 {
// CHECK: :[[@LINE+1]]:10: error: 'tile.reduce_scatter' op expects to be in the body of a function, where all programs of a cluster come by, but got it inside 'scf.for'; move it out of loops and branches
    %r = tile.reduce_scatter %x {axis = 1 : i32, programs = 4 : i32} : tensor<64x64xf32> -> tensor<64x16xf32>
  }
  tt.return
}
