// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tile-expand-ops --split-input-file | FileCheck %s

// Nibbles are put apart along K, scaled in f32, and multiplied in bf16, which
// holds them all.

// CHECK-LABEL: tt.func @scaled_dot
// CHECK: %[[LOW:.*]] = arith.andi
// CHECK: %[[HIGH:.*]] = arith.shrui
// CHECK: %[[PAIRS:.*]] = tt.join %[[LOW]], %[[HIGH]] : tensor<16x32xi32> -> tensor<16x32x2xi32>
// CHECK: tt.reshape %[[PAIRS]] : tensor<16x32x2xi32> -> tensor<16x64xi32>
// CHECK: %[[NUMBERS:.*]] = arith.mulf %{{.*}} : tensor<16x64xf32>
// CHECK: %[[SCALES:.*]] = tt.reshape %{{.*}} : tensor<16x2x32xf32> -> tensor<16x64xf32>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[NUMBERS]], %[[SCALES]]
// CHECK: %[[A:.*]] = tt.fp_to_fp %[[SCALED]], rounding = rtne : tensor<16x64xf32> -> tensor<16x64xbf16>
// CHECK: tt.dot %[[A]], %{{.*}}, %{{.*}} : tensor<16x64xbf16> * tensor<64x16xbf16> -> tensor<16x16xf32>
// CHECK-NOT: tt.dot_scaled
tt.func @scaled_dot(%a: tensor<16x32xi8>, %s: tensor<16x2xi8>, %b: tensor<64x16xbf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = e2m1 rhs = bf16 {fastMath = false} : tensor<16x32xi8>, tensor<16x2xi8> * tensor<64x16xbf16> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// -----

// The 11 bits of halves want tf32.

// CHECK-LABEL: tt.func @dot_of_halves
// CHECK: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32 : tensor<16x64xf32> * tensor<64x16xf32> -> tensor<16x16xf32>
tt.func @dot_of_halves(%a: tensor<16x64xf16>, %s: tensor<16x2xi8>, %b: tensor<64x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = tt.dot_scaled %a scale %s, %b, %c lhs = fp16 rhs = fp16 {fastMath = false} : tensor<16x64xf16>, tensor<16x2xi8> * tensor<64x16xf16> -> tensor<16x16xf32>
  tt.return %d : tensor<16x16xf32>
}

// -----

// CHECK-LABEL: tt.func @solve
// CHECK: scf.for
// CHECK: "tt.reduce"
// CHECK: "tt.reduce"
// CHECK: scf.yield
tt.func @solve(%l: tensor<16x16xf32>, %b: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %x = tile.solve_unit_lower %l, %b : tensor<16x16xf32>, tensor<16x32xf32> -> tensor<16x32xf32>
  tt.return %x : tensor<16x32xf32>
}

// -----

// Blocks of 8 by rows, all at once, then by products of blocks: two for each
// doubling, to 16 of the blocks alone, and one with the right-hand side.

// CHECK-LABEL: tt.func @solve_by_blocks
// CHECK: %[[BLOCKS:.*]] = tt.reshape %{{.*}} : tensor<1x4x16x16xf32> -> tensor<4x16x16xf32>
// CHECK: %[[SMALL:.*]] = tt.reshape %{{.*}} : tensor<4x2x8x8xf32> -> tensor<8x8x8xf32>
// CHECK: scf.for {{.*}} -> (tensor<8x8x8xf32>)
// CHECK: %[[HALVES:.*]] = tt.reshape %{{.*}} : tensor<4x2x8x2x8xf32> -> tensor<4x16x16xf32>
// CHECK: %[[BELOW:.*]] = arith.select %{{.*}}, %[[BLOCKS]], %{{.*}} : tensor<4x16x16xi1>, tensor<4x16x16xf32>
// CHECK: tt.dot %[[BELOW]], %[[HALVES]], %{{.*}}, inputPrecision = tf32 : tensor<4x16x16xf32>
// CHECK: tt.dot {{.*}} : tensor<4x16x16xf32>
// CHECK: %[[INVERSE:.*]] = tt.reshape %{{.*}} : tensor<1x4x16x4x16xf32> -> tensor<64x64xf32>
// CHECK: %[[PAIRS:.*]] = arith.select %{{.*}}, %arg0, %{{.*}} : tensor<64x64xi1>, tensor<64x64xf32>
// CHECK: %[[PRODUCT:.*]] = tt.dot %[[PAIRS]], %[[INVERSE]], %{{.*}}, inputPrecision = tf32
// CHECK: %[[NEGATED:.*]] = arith.negf %[[INVERSE]]
// CHECK: tt.dot %[[NEGATED]], %[[PRODUCT]], %[[INVERSE]], inputPrecision = tf32
// CHECK-COUNT-2: tt.dot
// CHECK: tt.dot %{{.*}}, %arg1, %{{.*}}, inputPrecision = tf32 : tensor<64x64xf32> * tensor<64x32xf32> -> tensor<64x32xf32>
// CHECK-NOT: tt.dot
tt.func @solve_by_blocks(%l: tensor<64x64xf32>, %b: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %x = tile.solve_unit_lower %l, %b inputPrecision = tf32 : tensor<64x64xf32>, tensor<64x32xf32> -> tensor<64x32xf32>
  tt.return %x : tensor<64x32xf32>
}

// -----

// Without a right-hand side no product more is needed: blocks of 8 and one
// doubling.

// CHECK-LABEL: tt.func @invert_by_blocks
// CHECK: scf.for {{.*}} -> (tensor<2x8x8xf32>)
// CHECK-COUNT-2: tt.dot {{.*}} : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
// CHECK-NOT: tt.dot
tt.func @invert_by_blocks(%l: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %x = tile.solve_unit_lower %l : tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return %x : tensor<16x16xf32>
}
