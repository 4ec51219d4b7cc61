// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --canonicalize --cse --loop-invariant-code-motion | FileCheck %s --check-prefix=KEPT

// Sums over the programs of a cluster, of floats and integers, along any axis.

// CHECK-LABEL: @sums(
// CHECK: %{{.*}} = tile.reduce_scatter %{{.*}} {axis = 1 : i32, programs = 4 : i32} : tensor<64x64xf32> -> tensor<64x16xf32>
// CHECK: %{{.*}} = tile.reduce_scatter %{{.*}} {axis = 0 : i32, programs = 8 : i32} : tensor<64xi32> -> tensor<8xi32>
// CHECK: %{{.*}} = tile.reduce_scatter %{{.*}} {axis = 0 : i32, programs = 2 : i32} : tensor<2x4x8xf32> -> tensor<1x4x8xf32>
tt.func @sums(%x: tensor<64x64xf32>, %y: tensor<64xi32>, %z: tensor<2x4x8xf32>) {
  %0 = tile.reduce_scatter %x {axis = 1 : i32, programs = 4 : i32} : tensor<64x64xf32> -> tensor<64x16xf32>
  %1 = tile.reduce_scatter %y {axis = 0 : i32, programs = 8 : i32} : tensor<64xi32> -> tensor<8xi32>
  %2 = tile.reduce_scatter %z {axis = 0 : i32, programs = 2 : i32} : tensor<2x4x8xf32> -> tensor<1x4x8xf32>
  tt.return
}

// Programs come to it together: equal ones stay two, in order, and one whose result
// nobody asks for stays, and stays where it is.

// KEPT-LABEL: @kept(
// KEPT: tile.reduce_scatter
// KEPT-NEXT: tile.reduce_scatter
// KEPT-NEXT: scf.for
// KEPT-NEXT: tile.reduce_scatter
tt.func @kept(%x: tensor<64xi32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = tile.reduce_scatter %x {axis = 0 : i32, programs = 2 : i32} : tensor<64xi32> -> tensor<32xi32>
  %1 = tile.reduce_scatter %x {axis = 0 : i32, programs = 2 : i32} : tensor<64xi32> -> tensor<32xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %2 = tile.reduce_scatter %x {axis = 0 : i32, programs = 2 : i32} : tensor<64xi32> -> tensor<32xi32>
  }
  tt.return
}
