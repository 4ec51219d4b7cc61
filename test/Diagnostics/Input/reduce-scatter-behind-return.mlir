// RUN: rm -f %t.cubin
// RUN: not tilewright compile %s --target=sm_90a --emit=cubin -o %t.cubin 2>&1 | FileCheck %s
// RUN: not test -e %t.cubin

// Programs that return early do not come by.
tt.func public @k(%n: i32) {
  %p = tt.get_program_id x : i32
  %x = arith.constant dense<1.0> : tensor<64x64xf32>
  %beyond = arith.cmpi sge, %p, %n : i32
  cf.cond_br %beyond, ^end, ^sum
^sum:
// CHECK: :[[@LINE+1]]:8: error: 'tile.reduce_scatter' op expects to be in the body of a function, where all programs of a cluster come by, but got it inside 'scf.if'; move it out of loops and branches
  %r = tile.reduce_scatter %x {axis = 1 : i32, programs = 4 : i32} : tensor<64x64xf32> -> tensor<64x16xf32>
  tt.return
^end:
  tt.return
}
