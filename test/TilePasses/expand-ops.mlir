// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --tile-expand-ops --split-input-file --verify-diagnostics | FileCheck %s

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

// CHECK-LABEL: tt.func @dequantize
// CHECK: %[[WORDS:.*]] = tt.reshape %{{.*}} : tensor<8x8x16xi32> -> tensor<64x16xi32>
// CHECK: %[[MOVED:.*]] = arith.shrui %[[WORDS]], %{{.*}}
// CHECK: %[[CODES:.*]] = arith.andi %[[MOVED]], %{{.*}}
// CHECK: arith.sitofp %[[CODES]]
// CHECK: arith.subf
// CHECK: arith.mulf
tt.func @dequantize(%q: tensor<8x16xi32>, %s: tensor<2x16xf16>, %z: tensor<2x16xf16>) -> tensor<64x16xf16> {
  %w = tile.dequantize %q scale %s zero %z format = unsigned {axis = 0 : i32, bits = 4 : i32, group_size = 32 : i32} : tensor<8x16xi32> scale tensor<2x16xf16> zero tensor<2x16xf16> -> tensor<64x16xf16>
  tt.return %w : tensor<64x16xf16>
}

// -----

tt.func @large_code_book(%q: tensor<16x16xi8>, %s: tensor<1x16xf16>, %b: tensor<256xf16>) -> tensor<16x16xf16> {
  // expected-error @+1 {{'tile.dequantize' op expects a code book of at most 16 entries (bits of 2 or 4), but got bits of 8}}
  %w = tile.dequantize %q scale %s code_book %b format = code_book {axis = 0 : i32, bits = 8 : i32, group_size = 32 : i32} : tensor<16x16xi8> scale tensor<1x16xf16> code_book tensor<256xf16> -> tensor<16x16xf16>
  tt.return %w : tensor<16x16xf16>
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
