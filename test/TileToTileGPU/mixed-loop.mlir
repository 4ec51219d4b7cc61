// RUN: tilewright-opt %s --tilewright-tile-to-tilegpu | FileCheck %s

// A loop that carries a scalar before a tile.
// CHECK: scf.for {{.*}} -> (i32, tensor<64xi32, #{{.*}}>)
tt.func public @mixed(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ps = tt.splat %p : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %to = tt.addptr %ps, %i : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %a, %b = scf.for %k = %c0 to %n step %c1 iter_args(%x = %c0, %y = %i) -> (i32, tensor<64xi32>) : i32 {
    %x1 = arith.addi %x, %k : i32
    %xs = tt.splat %x1 : i32 -> tensor<64xi32>
    %y1 = arith.maxsi %y, %xs : tensor<64xi32>
    scf.yield %x1, %y1 : i32, tensor<64xi32>
  }
  tt.store %to, %b : tensor<64x!tt.ptr<i32>>
  tt.return
}
